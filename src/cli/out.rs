//! An output: standard output or a file.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempPath;

use super::Failure;
use super::identity::{Identity, is_stream, resolve, stored};
use super::platform::{FileId, Stdout};

/// The time to wait for the lock of another run. A killed run keeps its files open until the
/// operating system has ended it.
const LOCK_TIMEOUT: Duration = Duration::from_secs(1);

/// The name of standard output on the command line.
const STDOUT: &str = "-";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputTarget<'a> {
    /// Standard output: `-`.
    Stdout,
    File(&'a Path),
}

impl<'a> OutputTarget<'a> {
    /// Parses a name; `-` is standard output.
    pub fn of(path: &'a Path) -> Self {
        if path.as_os_str() == STDOUT { Self::Stdout } else { Self::File(path) }
    }

    pub fn name(self) -> String {
        match self {
            Self::Stdout => "standard output".into(),
            Self::File(path) => path.display().to_string(),
        }
    }

    /// Returns the path for the journal.
    pub fn stored(self) -> String {
        match self {
            Self::Stdout => STDOUT.into(),
            Self::File(path) => stored(path),
        }
    }

    /// Returns the path of a regular file, or of a file that does not exist. An open stream such as
    /// /dev/stdout is never replaced or continued, even if it is a regular file.
    pub fn regular(self) -> Option<&'a Path> {
        let Self::File(path) = self else { return None };
        let is_file = fs::metadata(path).map_or(true, |found| found.is_file());
        (is_file && !is_stream(path)).then_some(path)
    }
}

#[derive(Debug)]
pub struct OpenOutput {
    path: PathBuf,
    stream: OutputStream,
    /// The temporary name of the file, until it is complete.
    temporary: Option<TempPath>,
    /// Whether this run created the file.
    is_new: bool,
    /// Whether this run removed the file because it is empty.
    is_removed: bool,
}

#[derive(Debug)]
enum OutputStream {
    Stdout(Stdout),
    /// A pipe, a device, or an open stream.
    Device(File),
    /// A regular file, which can be truncated and continued.
    Regular(File),
}

impl OpenOutput {
    fn new(path: &Path, stream: OutputStream, temporary: Option<TempPath>, is_new: bool) -> Self {
        Self { path: path.into(), stream, temporary, is_new, is_removed: false }
    }

    /// Opens an output, creating the file if necessary.
    pub fn open(target: OutputTarget<'_>) -> Result<Self, Failure> {
        let OutputTarget::File(path) = target else {
            let path = Path::new(STDOUT);
            let opened = Stdout::open();
            let opened =
                opened.map_err(|error| Failure::Io(format!("{}: {error}", target.name())))?;
            return Ok(Self::new(path, OutputStream::Stdout(opened), None, false));
        };
        let failed = |error: io::Error| Failure::at(path, error);
        let (file, is_new) = open_file(path).map_err(failed)?;
        if target.regular().is_none() || !file.metadata().map_err(failed)?.is_file() {
            return Ok(Self::new(path, OutputStream::Device(file), None, is_new));
        }
        if !lock(&file) {
            refuse!("{}: another run is writing it", target.name());
        }
        Ok(Self::new(path, OutputStream::Regular(file), None, is_new))
    }

    /// Creates a regular file under a temporary name in the folder of `path`, and renames it when
    /// it is complete. Dropping it removes the file.
    pub fn temporary(path: &Path) -> Result<Self, Failure> {
        let target = resolve(path).unwrap_or_else(|| path.into());
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        let folder = target.parent().unwrap_or(Path::new("."));
        let create =
            |path: &Path| OpenOptions::new().read(true).write(true).create_new(true).open(path);
        let prefix = format!(".{name}.");
        let made = tempfile::Builder::new().prefix(&prefix).suffix(".tmp").make_in(folder, create);
        let made = made.map_err(|error| Failure::at(path, error))?;
        let (file, temporary) = made.into_parts();
        Ok(Self::new(path, OutputStream::Regular(file), Some(temporary), true))
    }

    pub fn name(&self) -> String {
        OutputTarget::of(&self.path).name()
    }

    /// Adds the name of the output to an error.
    fn named<T>(&self, result: io::Result<T>) -> io::Result<T> {
        result.map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", self.name())))
    }

    /// Syncs a file with a temporary name and renames it, replacing an existing file if `replace`.
    pub fn complete(&mut self, replace: bool) -> io::Result<()> {
        if self.temporary.is_some() {
            self.sync()?;
        }
        let Some(temporary) = self.temporary.take() else { return Ok(()) };
        let target = resolve(&self.path).unwrap_or_else(|| self.path.clone());
        let renamed =
            if replace { temporary.persist(target) } else { temporary.persist_noclobber(target) };
        self.named(renamed.map_err(|error| error.error))
    }

    fn regular(&self) -> Option<&File> {
        match &self.stream {
            OutputStream::Regular(file) => Some(file),
            OutputStream::Stdout(_) | OutputStream::Device(_) => None,
        }
    }

    /// Returns whether it is a regular file, which can be read again.
    pub fn is_regular(&self) -> bool {
        self.regular().is_some()
    }

    /// Calls `work` with a regular file; does nothing for other outputs.
    fn with_file<T: Default>(&self, work: impl FnOnce(&File) -> io::Result<T>) -> io::Result<T> {
        self.named(self.regular().map_or_else(|| Ok(T::default()), work))
    }

    /// Returns the length of a regular file.
    pub fn length(&self) -> io::Result<Option<u64>> {
        self.with_file(|file| Ok(Some(file.metadata()?.len())))
    }

    /// Truncates a regular file and continues at its end.
    pub fn truncate(&self, length: u64) -> io::Result<()> {
        self.with_file(|mut file| {
            file.set_len(length)?;
            file.seek(SeekFrom::Start(length)).map(drop)
        })
    }

    /// Replaces the first bytes of a regular file and continues at its end.
    pub fn replace_start(&self, bytes: &[u8]) -> io::Result<()> {
        self.with_file(|mut file| {
            file.rewind()?;
            file.write_all(bytes)?;
            file.seek(SeekFrom::End(0)).map(drop)
        })
    }

    /// Reads the `count` bytes before `end` of a regular file and keeps the position.
    pub fn read_before(&self, end: u64, count: u64) -> io::Result<Vec<u8>> {
        self.with_file(|mut file| {
            let place = file.stream_position()?;
            let mut bytes = vec![0; count as usize];
            let start = file.seek(SeekFrom::Start(end - count));
            let read = start.and_then(|_| file.read_exact(&mut bytes));
            // Restore the position even if the read failed.
            file.seek(SeekFrom::Start(place))?;
            read.map(|()| bytes)
        })
    }

    /// Passes the contents of a regular file to `take`, and returns its length.
    pub fn read_all(&self, mut take: impl FnMut(&[u8])) -> io::Result<Option<u64>> {
        const PIECE: u64 = 1 << 20;
        let Some(length) = self.length()? else { return Ok(None) };
        for start in (0..length).step_by(PIECE as usize) {
            let count = PIECE.min(length - start);
            take(&self.read_before(start + count, count)?);
        }
        Ok(Some(length))
    }

    /// Syncs a regular file. Some systems report a full disk only then.
    pub fn sync(&self) -> io::Result<()> {
        self.with_file(File::sync_data)
    }

    /// Returns whether the path no longer refers to this file.
    pub fn is_replaced(&self) -> bool {
        let path = self.temporary.as_deref().unwrap_or(&self.path);
        let is_another = |file| Identity::of(path) != FileId::of_file(file).map(Identity::Existing);
        !self.is_removed && self.regular().is_some_and(is_another)
    }

    /// Removes an empty file that this run created.
    pub fn discard(mut self) {
        self.remove_if_empty(false);
    }

    /// Removes an empty file that this run created or `owns`.
    pub fn remove_if_empty(&mut self, owns: bool) {
        let is_empty = matches!(self.length(), Ok(Some(0)));
        if (owns || self.is_new) && self.temporary.is_none() && is_empty && !self.is_replaced() {
            // A remaining empty file is harmless.
            let _ = fs::remove_file(&self.path);
            self.is_removed = true;
        }
    }
}

/// Returns the message that an output was moved or removed.
pub fn replaced_message(out: &OpenOutput) -> Option<String> {
    out.is_replaced().then(|| {
        let what = "was removed, renamed, or replaced during the run, so its contents are lost";
        format!("{}: {what}", out.name())
    })
}

/// Opens a file, readable if possible, and returns whether it was created.
fn open_file(path: &Path) -> io::Result<(File, bool)> {
    let mut options = OpenOptions::new();
    if OutputTarget::of(path).regular().is_none() {
        // The existing contents of an open stream are not overwritten.
        return Ok((options.append(true).open(path)?, false));
    }
    options.read(true).write(true);
    match options.clone().create_new(true).open(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        made => return Ok((made?, true)),
    }
    // A dangling link exists, but its file must be created.
    let opened = match options.create(true).open(path) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            OpenOptions::new().write(true).open(path)
        }
        opened => opened,
    };
    Ok((opened?, false))
}

/// Locks a file; returns `false` if another run holds the lock. If the system does not support
/// locks, several runs may write to the same file.
fn lock(file: &File) -> bool {
    let start = Instant::now();
    while matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
        if start.elapsed() >= LOCK_TIMEOUT {
            return false;
        }
        thread::sleep(Duration::from_millis(20));
    }
    true
}

impl Write for &OpenOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.named(match &self.stream {
            OutputStream::Stdout(stdout) => { stdout }.write(bytes),
            OutputStream::Device(file) | OutputStream::Regular(file) => { file }.write(bytes),
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
