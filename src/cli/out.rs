//! One output: standard output or a file.

use std::fmt::Display;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use bulkdoku::Tail;

use super::Failure;
use super::identity::Identity;
use super::journal::Mark;
use super::platform::{self, FileId, Stdout};

/// The number of bytes before a place in a file that are compared when a run is resumed.
const TAIL_BYTES: usize = 64 * 1024;

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
    /// Whether this run has made it.
    is_new: bool,
    /// The number of bytes at its start that are rewritten at the end.
    header: u64,
}

/// The kinds of outputs.
#[derive(Debug)]
enum Stream {
    Stdout(Stdout),
    /// A pipe or a device, with its path.
    Device(File, PathBuf),
    /// A regular file, with its path. It can be cut and continued.
    Regular(File, PathBuf),
}

impl Out {
    /// Opens an output, or makes it.
    pub fn open(target: Target<'_>) -> Result<Self, Failure> {
        let Target::File(path) = target else {
            let opened = Stdout::open();
            let opened =
                opened.map_err(|error| Failure::Io(format!("standard output: {error}")))?;
            return Ok(Self { stream: Stream::Stdout(opened), is_new: false, header: 0 });
        };
        let failed = |error: io::Error| Failure::at(path, error);
        let (file, is_new) = open_file(path).map_err(failed)?;
        let is_regular = file.metadata().map_err(failed)?.is_file();
        if is_regular && !lock(&file) {
            return Err(Failure::Usage(format!("{}: another run is writing it", path.display())));
        }
        let stream = if is_regular { Stream::Regular } else { Stream::Device };
        Ok(Self { stream: stream(file, path.into()), is_new, header: 0 })
    }

    /// The name in messages.
    pub fn name(&self) -> String {
        match &self.stream {
            Stream::Stdout(_) => Target::Stdout.name(),
            Stream::Device(_, path) | Stream::Regular(_, path) => Target::File(path).name(),
        }
    }

    /// Says that it failed.
    pub fn failed(&self, error: impl Display) -> Failure {
        Failure::Io(format!("{}: {error}", self.name()))
    }

    /// The path of a regular file.
    pub fn regular(&self) -> Option<&Path> {
        self.regular_file().map(|(_, path)| path)
    }

    fn regular_file(&self) -> Option<(&File, &Path)> {
        match &self.stream {
            Stream::Regular(file, path) => Some((file, path)),
            Stream::Stdout(_) | Stream::Device(..) => None,
        }
    }

    /// The length of a regular file.
    pub fn length(&self) -> io::Result<Option<u64>> {
        self.regular_file().map(|(file, _)| Ok(file.metadata()?.len())).transpose()
    }

    /// Cuts a regular file to a length, and continues there.
    pub fn cut(&self, length: u64) -> io::Result<()> {
        if let Some((mut file, _)) = self.regular_file() {
            file.set_len(length)?;
            file.seek(SeekFrom::Start(length))?;
        }
        Ok(())
    }

    /// Sets the number of bytes at the start that are rewritten at the end. They are not compared.
    pub fn expect_header(&mut self, bytes: u64) {
        self.header = bytes;
    }

    /// Rewrites the first bytes of a regular file, and continues at its end.
    pub fn write_header(&self, header: &[u8]) -> io::Result<()> {
        let Some((mut file, _)) = self.regular_file() else { return Ok(()) };
        file.seek(SeekFrom::Start(0))?;
        file.write_all(header)?;
        file.seek(SeekFrom::End(0)).map(|_| ())
    }

    /// A place in it. Bytes that cannot be read are not compared later.
    pub fn mark(&self, bytes: u64) -> Mark {
        let most = TAIL_BYTES.min(bytes.saturating_sub(self.header) as usize);
        let last = self.bytes_before(bytes, most);
        Mark { bytes, tail: last.map_or(Tail::default(), |last| Tail::of(&last, TAIL_BYTES)) }
    }

    /// Refuses an output that has changed before a place.
    pub fn check(&self, Mark { bytes, tail }: Mark) -> Result<(), Failure> {
        let last = self.bytes_before(bytes, tail.bytes as usize);
        if tail.is_of(&last.map_err(|error| self.failed(error))?) {
            return Ok(());
        }
        let what = "is not as the earlier run has left it; --force starts over";
        Err(Failure::Usage(format!("{}: {what}", self.name())))
    }

    fn bytes_before(&self, end: u64, most: usize) -> io::Result<Vec<u8>> {
        let Some((file, _)) = self.regular_file() else { return Ok(Vec::new()) };
        let length = end.min(most as u64);
        let mut bytes = vec![0; length as usize];
        platform::read_at(file, &mut bytes, end - length)?;
        Ok(bytes)
    }

    /// Waits until a regular file is on the disk. Some systems report a full disk only then.
    pub fn settle(&self) -> io::Result<()> {
        self.regular_file().map_or(Ok(()), |(file, _)| file.sync_data())
    }

    /// Whether its path is no longer this file.
    pub fn is_gone(&self) -> bool {
        let is_another = |(file, path): (&File, &Path)| {
            Identity::of(path) != FileId::of_file(file).map(Identity::Existing)
        };
        self.regular_file().is_some_and(is_another)
    }

    /// Removes a file that this run has made and that is empty.
    pub fn discard(self) {
        let is_empty = matches!(self.length(), Ok(Some(0)));
        if let Some(path) = self.regular()
            && self.is_new
            && is_empty
            && !self.is_gone()
        {
            // A remaining empty file does no harm.
            let _ = fs::remove_file(path);
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
        match &self.stream {
            Stream::Stdout(stdout) => { stdout }.write(bytes),
            Stream::Device(file, _) | Stream::Regular(file, _) => { file }.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &self.stream {
            Stream::Stdout(stdout) => { stdout }.flush(),
            Stream::Device(file, _) | Stream::Regular(file, _) => { file }.flush(),
        }
    }
}
