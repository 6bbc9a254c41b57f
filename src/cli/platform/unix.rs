//! Files, pipes and standard streams of Unix.

use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::{FileExt, FileTypeExt, MetadataExt};
use std::path::Path;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

/// Which file a name or a stream stands for, if it is a file, a folder or a named pipe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileId {
    device: u64,
    inode: u64,
}

impl FileId {
    /// Of what was found at a path. Devices have none: anything can be written to them.
    pub fn of_path(_: &Path, found: &Metadata) -> Option<Self> {
        let kind = found.file_type();
        (kind.is_file() || kind.is_fifo() || kind.is_dir())
            .then(|| Self { device: found.dev(), inode: found.ino() })
    }

    /// Of an open file.
    pub fn of_file(file: &File) -> Option<Self> {
        Self::of_stream(file)
    }

    /// Of standard input.
    pub fn of_stdin() -> Option<Self> {
        Self::of_stream(&io::stdin())
    }

    /// Of standard output.
    pub fn of_stdout() -> Option<Self> {
        Self::of_stream(&io::stdout())
    }

    /// Of standard error.
    pub fn of_stderr() -> Option<Self> {
        Self::of_stream(&io::stderr())
    }

    fn of_stream(stream: &impl AsFd) -> Option<Self> {
        let file = File::from(stream.as_fd().try_clone_to_owned().ok()?);
        Self::of_path(Path::new(""), &file.metadata().ok()?)
    }
}

/// How long a read from a pipe may take before it is asked again whether the run is to end.
const PATIENCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

/// An input that may have to be waited for. A read that waits for long ends as one that was
/// interrupted.
#[derive(Debug)]
pub struct Pipe(File);

impl Pipe {
    /// Standard input, past the buffer of the standard library, whose contents `poll` cannot see.
    /// What is a file is given as one.
    pub fn stdin() -> io::Result<Result<File, Self>> {
        Self::told_from_files(File::from(io::stdin().as_fd().try_clone_to_owned()?))
    }

    /// Opens a file, or a named pipe, even one that has no writer yet.
    pub fn open(path: &Path) -> io::Result<Result<File, Self>> {
        if !fs::metadata(path)?.file_type().is_fifo() {
            return Self::told_from_files(File::open(path)?);
        }
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        Ok(Err(Self(rustix::fs::open(path, flags, Mode::empty())?.into())))
    }

    fn told_from_files(file: File) -> io::Result<Result<File, Self>> {
        Ok(if file.metadata()?.is_file() { Ok(file) } else { Err(Self(file)) })
    }
}

impl Read for Pipe {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match poll(&mut [PollFd::new(&self.0, PollFlags::IN)], Some(&PATIENCE)) {
            // Nothing came, or a signal.
            Ok(0) | Err(Errno::INTR) => return Err(ErrorKind::Interrupted.into()),
            // A failure shows again when it is read.
            _ => {}
        }
        self.0.read(into).map_err(|error| match error.kind() {
            // Another process was faster.
            ErrorKind::WouldBlock => ErrorKind::Interrupted.into(),
            _ => error,
        })
    }
}

/// Standard output past the buffer of the standard library, and with its failures.
#[derive(Debug)]
pub struct Stdout(File);

impl Stdout {
    /// The stream that the command was started with.
    pub fn open() -> io::Result<Self> {
        Ok(Self(io::stdout().as_fd().try_clone_to_owned()?.into()))
    }
}

impl Write for &Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (&self.0).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        (&self.0).flush()
    }
}

/// Reads bytes at a place in a file, wherever it is written.
pub fn read_at(file: &File, bytes: &mut [u8], place: u64) -> io::Result<()> {
    file.read_exact_at(bytes, place)
}
