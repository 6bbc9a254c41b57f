//! Files, pipes, and standard streams of systems other than Unix, based on the standard library.

use std::fs::{File, Metadata};
pub use std::io::Stdout;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use same_file::Handle;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FileId(Arc<Handle>);

impl FileId {
    pub fn of_path(path: &Path, _: &Metadata) -> Option<Self> {
        Self::new(Handle::from_path(path))
    }

    pub fn of_file(file: &File) -> Option<Self> {
        Self::new(file.try_clone().and_then(Handle::from_file))
    }

    pub fn of_stdin() -> Option<Self> {
        Self::new(Handle::stdin())
    }

    pub fn of_stdout() -> Option<Self> {
        Self::new(Handle::stdout())
    }

    pub fn of_stderr() -> Option<Self> {
        Self::new(Handle::stderr())
    }

    fn new(handle: io::Result<Handle>) -> Option<Self> {
        Some(Self(Arc::new(handle.ok()?)))
    }
}

pub fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

#[derive(Debug)]
pub struct Pipe(io::Stdin);

impl Pipe {
    pub fn stdin() -> io::Result<Result<File, Self>> {
        Ok(Err(Self(io::stdin())))
    }

    pub fn open(path: &Path) -> io::Result<Result<File, Self>> {
        File::open(path).map(Ok)
    }
}

impl Read for Pipe {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.0.read(into)
    }
}

/// Returns the path with these bytes, which should be UTF-8.
pub fn path_of_bytes(bytes: &[u8]) -> PathBuf {
    String::from_utf8_lossy(bytes).into_owned().into()
}

pub fn stdout() -> io::Result<Stdout> {
    Ok(io::stdout())
}

/// Sets [`STOP`](super::STOP) at the first signal; a second one ends the run immediately.
#[cfg(not(target_family = "wasm"))]
pub fn handle(_on_stop: impl FnOnce() + Send + 'static) -> io::Result<()> {
    use signal_hook::consts::{SIGINT, SIGTERM};
    use signal_hook::flag;

    for signal in [SIGINT, SIGTERM] {
        let status = crate::cli::Exit::Interrupted as i32;
        flag::register_conditional_shutdown(signal, status, Arc::clone(&super::STOP))?;
        flag::register(signal, Arc::clone(&super::STOP))?;
    }
    Ok(())
}

/// WebAssembly has no signals.
#[cfg(target_family = "wasm")]
pub fn handle(_on_stop: impl FnOnce() + Send + 'static) -> io::Result<()> {
    Ok(())
}
