//! Files, pipes, and standard streams of Unix.

use std::ffi::OsStr;
pub use std::fs::File as Stdout;
use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Read};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FileId {
    device: u64,
    inode: u64,
}

impl FileId {
    /// Returns the identity of the file at a path; devices have none.
    pub fn of_path(_: &Path, found: &Metadata) -> Option<Self> {
        let kind = found.file_type();
        (kind.is_file() || kind.is_fifo() || kind.is_dir())
            .then(|| Self { device: found.dev(), inode: found.ino() })
    }

    pub fn of_file(file: &File) -> Option<Self> {
        Self::of_stream(file)
    }

    pub fn of_stdin() -> Option<Self> {
        Self::of_stream(&io::stdin())
    }

    pub fn of_stdout() -> Option<Self> {
        Self::of_stream(&io::stdout())
    }

    pub fn of_stderr() -> Option<Self> {
        Self::of_stream(&io::stderr())
    }

    fn of_stream(stream: &impl AsFd) -> Option<Self> {
        let file = File::from(stream.as_fd().try_clone_to_owned().ok()?);
        Self::of_path(Path::new(""), &file.metadata().ok()?)
    }
}

pub fn path_of_bytes(bytes: &[u8]) -> PathBuf {
    OsStr::from_bytes(bytes).into()
}

/// Syncs the names in a folder, where the file system supports it.
pub fn sync_folder(path: &Path) -> io::Result<()> {
    match File::open(path).and_then(|folder| folder.sync_all()) {
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::PermissionDenied | ErrorKind::InvalidInput | ErrorKind::Unsupported
            ) =>
        {
            Ok(())
        }
        synced => synced,
    }
}

/// The timeout of a read from a pipe, after which the run checks for signals.
const POLL_TIMEOUT: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

/// An input that may block. A read without data times out as interrupted.
#[derive(Debug)]
pub struct Pipe(File);

impl Pipe {
    /// Opens standard input, or the file that it is. It bypasses the buffer of the standard
    /// library, whose contents `poll` does not see.
    pub fn stdin() -> io::Result<Result<File, Self>> {
        Self::unless_file(File::from(io::stdin().as_fd().try_clone_to_owned()?))
    }

    /// Opens a file or a named pipe, even one without a writer.
    pub fn open(path: &Path) -> io::Result<Result<File, Self>> {
        if !fs::metadata(path)?.file_type().is_fifo() {
            return Self::unless_file(File::open(path)?);
        }
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        Ok(Err(Self(rustix::fs::open(path, flags, Mode::empty())?.into())))
    }

    fn unless_file(file: File) -> io::Result<Result<File, Self>> {
        Ok(if file.metadata()?.is_file() { Ok(file) } else { Err(Self(file)) })
    }
}

impl Read for Pipe {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match poll(&mut [PollFd::new(&self.0, PollFlags::IN)], Some(&POLL_TIMEOUT)) {
            // No data, or a signal.
            Ok(0) | Err(Errno::INTR) => return Err(ErrorKind::Interrupted.into()),
            // The read below reports the error.
            _ => {}
        }
        self.0.read(into).map_err(|error| match error.kind() {
            // Another process has read the data.
            ErrorKind::WouldBlock => ErrorKind::Interrupted.into(),
            _ => error,
        })
    }
}

/// Returns standard output without the buffer of the standard library, which hides errors.
pub fn stdout() -> io::Result<File> {
    Ok(io::stdout().as_fd().try_clone_to_owned()?.into())
}
