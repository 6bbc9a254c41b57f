//! One output: standard output or a file.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::NamedTempFile;

use super::Failure;
use super::identity::{Identity, resolve, stored};
use super::platform::{FileId, Stdout};

/// How long to wait for the lock of another run. A killed run keeps its files until the system has
/// ended it.
const LOCK_PATIENCE: Duration = Duration::from_secs(1);

/// Where an output goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target<'a> {
    /// Standard output: `-`.
    Stdout,
    /// A file or a device.
    File(&'a Path),
}

impl<'a> Target<'a> {
    /// The target of this name.
    pub fn of(path: &'a Path) -> Self {
        if path.as_os_str() == "-" { Self::Stdout } else { Self::File(path) }
    }

    /// The name in messages.
    pub fn name(self) -> String {
        match self {
            Self::Stdout => "standard output".into(),
            Self::File(path) => path.display().to_string(),
        }
    }

    /// The form in which its path is stored.
    pub fn stored(self) -> String {
        match self {
            Self::Stdout => "-".into(),
            Self::File(path) => stored(path),
        }
    }

    /// The path, if it is a regular file or does not exist.
    pub fn regular(self) -> Option<&'a Path> {
        match self {
            Self::File(path) if fs::metadata(path).map_or(true, |found| found.is_file()) => {
                Some(path)
            }
            _ => None,
        }
    }
}

/// An open output.
#[derive(Debug)]
pub struct Out {
    stream: Stream,
    /// Whether this run has created it.
    is_new: bool,
    /// Whether this run has removed it, as it is empty.
    is_removed: bool,
}

/// The kinds of outputs.
#[derive(Debug)]
enum Stream {
    Stdout(Stdout),
    /// A pipe or a device, with its path.
    Device(File, PathBuf),
    /// A regular file, with its path. It can be cut and continued.
    Regular(File, PathBuf),
    /// A regular file that has a temporary name until it is complete, with its final path.
    Temporary(NamedTempFile<File>, PathBuf),
}

impl Out {
    /// Opens an output, or makes it.
    pub fn open(target: Target<'_>) -> Result<Self, Failure> {
        let Target::File(path) = target else {
            let opened = Stdout::open();
            let opened =
                opened.map_err(|error| Failure::Io(format!("standard output: {error}")))?;
            return Ok(Self { stream: Stream::Stdout(opened), is_new: false, is_removed: false });
        };
        let failed = |error: io::Error| Failure::at(path, error);
        let (file, is_new) = open_file(path).map_err(failed)?;
        let is_regular = file.metadata().map_err(failed)?.is_file();
        if is_regular && !lock(&file) {
            refuse!("{}: another run is writing it", path.display());
        }
        let stream = if is_regular { Stream::Regular } else { Stream::Device };
        Ok(Self { stream: stream(file, path.into()), is_new, is_removed: false })
    }

    /// Creates a regular file under a temporary name in the folder of `path`, which it gets when it
    /// is complete. Dropping it removes the file.
    pub fn temporary(path: &Path) -> Result<Self, Failure> {
        let failed = |error: io::Error| Failure::at(path, error);
        let target = resolve(path).unwrap_or_else(|| path.into());
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let folder = target.parent().unwrap_or(Path::new("."));
        let create =
            |path: &Path| OpenOptions::new().read(true).write(true).create_new(true).open(path);
        let prefix = format!(".{name}.");
        let made = tempfile::Builder::new().prefix(&prefix).suffix(".tmp").make_in(folder, create);
        Ok(Self {
            stream: Stream::Temporary(made.map_err(failed)?, path.into()),
            is_new: true,
            is_removed: false,
        })
    }

    /// The name in messages.
    pub fn name(&self) -> String {
        match &self.stream {
            Stream::Stdout(_) => Target::Stdout.name(),
            Stream::Device(_, path) | Stream::Regular(_, path) | Stream::Temporary(_, path) => {
                Target::File(path).name()
            }
        }
    }

    /// Adds the name of the output to an error.
    fn named<T>(&self, result: io::Result<T>) -> io::Result<T> {
        result.map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", self.name())))
    }

    /// Whether it has a temporary name until it is complete.
    pub fn is_temporary(&self) -> bool {
        matches!(self.stream, Stream::Temporary(..))
    }

    /// Waits until a file with a temporary name is on the disk, and renames it. With `replace`, a
    /// file that exists is replaced.
    pub fn complete(&mut self, replace: bool) -> io::Result<()> {
        if !self.is_temporary() {
            return Ok(());
        }
        self.settle()?;
        let stdout = Stream::Stdout(Stdout::open()?);
        let Stream::Temporary(file, path) = std::mem::replace(&mut self.stream, stdout) else {
            unreachable!("it was checked above");
        };
        let target = resolve(&path).unwrap_or_else(|| path.clone());
        let renamed = if replace { file.persist(target) } else { file.persist_noclobber(target) };
        let file = renamed.map_err(|error| {
            io::Error::new(error.error.kind(), format!("{}: {}", path.display(), error.error))
        })?;
        self.stream = Stream::Regular(file, path);
        Ok(())
    }

    /// The path of a regular file.
    pub fn regular(&self) -> Option<&Path> {
        self.regular_file().map(|(_, path)| path)
    }

    fn regular_file(&self) -> Option<(&File, &Path)> {
        match &self.stream {
            Stream::Regular(file, path) => Some((file, path)),
            Stream::Temporary(file, _) => Some((file.as_file(), file.path())),
            Stream::Stdout(_) | Stream::Device(..) => None,
        }
    }

    /// Does something with a regular file; nothing with another output.
    fn with_file<T: Default>(&self, work: impl FnOnce(&File) -> io::Result<T>) -> io::Result<T> {
        self.named(self.regular_file().map_or_else(|| Ok(T::default()), |(file, _)| work(file)))
    }

    /// The length of a regular file.
    pub fn length(&self) -> io::Result<Option<u64>> {
        self.with_file(|file| Ok(Some(file.metadata()?.len())))
    }

    /// Truncates a regular file, and continues at its end.
    pub fn truncate(&self, length: u64) -> io::Result<()> {
        self.with_file(|mut file| {
            file.set_len(length)?;
            file.seek(SeekFrom::Start(length)).map(drop)
        })
    }

    /// Replaces the first bytes of a regular file, and continues at its end.
    pub fn replace_start(&self, bytes: &[u8]) -> io::Result<()> {
        self.with_file(|mut file| {
            file.rewind()?;
            file.write_all(bytes)?;
            file.seek(SeekFrom::End(0)).map(drop)
        })
    }

    /// Reads the `count` bytes before `end` of a regular file, and continues where it was.
    pub fn read_before(&self, end: u64, count: u64) -> io::Result<Vec<u8>> {
        self.with_file(|mut file| {
            let place = file.stream_position()?;
            let mut bytes = vec![0; count as usize];
            let start = file.seek(SeekFrom::Start(end - count));
            let read = start.and_then(|_| file.read_exact(&mut bytes));
            // Rows are written on even if they cannot be read.
            file.seek(SeekFrom::Start(place))?;
            read.map(|()| bytes)
        })
    }

    /// Passes on the contents of a regular file, and returns its length.
    pub fn read_all(&self, mut take: impl FnMut(&[u8])) -> io::Result<Option<u64>> {
        const PIECE: u64 = 1 << 20;
        let Some(length) = self.length()? else { return Ok(None) };
        for start in (0..length).step_by(PIECE as usize) {
            let count = PIECE.min(length - start);
            take(&self.read_before(start + count, count)?);
        }
        Ok(Some(length))
    }

    /// Waits until a regular file is on the disk. Some systems report a full disk only then.
    pub fn settle(&self) -> io::Result<()> {
        self.with_file(File::sync_data)
    }

    /// Whether its path is no longer this file.
    pub fn is_gone(&self) -> bool {
        let is_another = |(file, path): (&File, &Path)| {
            Identity::of(path) != FileId::of_file(file).map(Identity::Existing)
        };
        !self.is_removed && self.regular_file().is_some_and(is_another)
    }

    /// Removes a file that this run has created and that is empty.
    pub fn discard(mut self) {
        self.remove_if_empty(false);
    }

    /// Removes a file that is empty, if this run has created it or `owns` it.
    pub fn remove_if_empty(&mut self, owns: bool) {
        let is_empty = matches!(self.length(), Ok(Some(0)));
        if let Stream::Regular(_, path) = &self.stream
            && (owns || self.is_new)
            && is_empty
            && !self.is_gone()
        {
            // A remaining empty file does no harm.
            let _ = fs::remove_file(path);
            self.is_removed = true;
        }
    }
}

/// The message that an output is not where it was.
pub fn gone_message(out: &Out) -> Option<String> {
    out.is_gone().then(|| {
        let what = "was removed, renamed or replaced during the run; what was written is not there";
        format!("{}: {what}", out.name())
    })
}

/// Opens a file, for reading, too, if possible, and returns whether it was made.
fn open_file(path: &Path) -> io::Result<(File, bool)> {
    let mut options = OpenOptions::new();
    options.write(true);
    if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return Ok((options.open(path)?, false));
    }
    options.read(true);
    match options.clone().create_new(true).open(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        made => return Ok((made?, true)),
    }
    // A dangling link exists, but its file has to be made.
    let opened = match options.create(true).open(path) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            OpenOptions::new().write(true).open(path)
        }
        opened => opened,
    };
    Ok((opened?, false))
}

/// Locks a file, unless another run keeps it locked: whether it did. Where files cannot be locked,
/// several runs may write to one.
fn lock(file: &File) -> bool {
    let start = Instant::now();
    while matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
        if start.elapsed() >= LOCK_PATIENCE {
            return false;
        }
        thread::sleep(Duration::from_millis(20));
    }
    true
}

impl Write for &Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.named(match &self.stream {
            Stream::Stdout(stdout) => { stdout }.write(bytes),
            Stream::Device(file, _) | Stream::Regular(file, _) => { file }.write(bytes),
            Stream::Temporary(file, _) => file.as_file().write(bytes),
        })
    }

    /// Does nothing: there is no buffer.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
