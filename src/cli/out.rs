//! An output: standard output or a file.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::identity::{self, Identity, folder_of, hidden, is_stream, resolve};
use super::lock::Leftover;
use super::platform::{FileId, Stdout, stdout};
use super::resume::fault;
use super::{Failure, shown};

/// The path that stands for standard output.
pub const STDOUT: &str = "-";

fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == STDOUT
}

/// Returns the name of an output in messages.
pub fn name(path: &Path) -> String {
    if is_stdout(path) { "standard output".into() } else { shown(path) }
}

/// Returns the path of an output for the journal.
pub fn stored(path: &Path) -> String {
    if is_stdout(path) { STDOUT.into() } else { identity::stored(path) }
}

pub fn identity(path: &Path) -> Option<Identity> {
    if is_stdout(path) {
        return FileId::of_stdout().map(Identity::Existing);
    }
    Identity::of(path)
}

/// Returns whether an output is a regular file, or one that does not exist. An open stream such as
/// /dev/stdout is never replaced or continued, even if it is a regular file.
pub fn is_regular(path: &Path) -> bool {
    let is_file = || fs::metadata(path).map_or(true, |found| found.is_file());
    !is_stdout(path) && is_file() && !is_stream(path)
}

#[derive(Debug)]
pub struct OpenOutput {
    path: PathBuf,
    stream: OutputStream,
    temporary: Option<Leftover>,
    is_new: bool,
}

#[derive(Debug)]
enum OutputStream {
    Stdout(Stdout),
    /// A pipe, a device, or an open stream.
    Device(File),
    /// A regular file, which can be truncated and continued.
    Regular(File),
    /// A regular file that is opened when the journal is saved.
    Unopened,
}

impl OpenOutput {
    /// Opens standard output, a pipe, or a device. Regular files are opened later.
    pub fn new(path: &Path) -> Result<Self, Failure> {
        let failed = |error: io::Error| Failure::Io(format!("{}: {error}", name(path)));
        let stream = if is_stdout(path) {
            OutputStream::Stdout(stdout().map_err(failed)?)
        } else if is_regular(path) {
            OutputStream::Unopened
        } else {
            // The existing contents of an open stream are not overwritten.
            OutputStream::Device(OpenOptions::new().append(true).open(path).map_err(failed)?)
        };
        Ok(Self { path: path.into(), stream, temporary: None, is_new: false })
    }

    /// Opens a regular file, creating it if necessary; does nothing for other outputs.
    pub fn open(&mut self) -> Result<(), Failure> {
        if let OutputStream::Unopened = self.stream {
            let opened = open_file(&self.path).map_err(|error| Failure::at(&self.path, error));
            let (file, is_new) = opened?;
            (self.stream, self.is_new) = (OutputStream::Regular(file), is_new);
        }
        Ok(())
    }

    /// Creates a regular file under a temporary name; does nothing for other outputs.
    pub fn open_temporary(&mut self) -> Result<(), Failure> {
        if let OutputStream::Unopened = self.stream {
            let temporary = hidden(&self.path, TEMPORARY);
            let mut options = OpenOptions::new();
            options.read(true).write(true).create_new(true);
            let created = fault::operation().and_then(|()| options.open(&temporary));
            let file = created.map_err(|error| match error.kind() {
                ErrorKind::AlreadyExists => {
                    let name = shown(&temporary);
                    Failure::Usage(format!("{name}: is in the way of the output; move it"))
                }
                _ => Failure::at(&self.path, error),
            })?;
            self.temporary = Some(Leftover::new(temporary));
            if let Ok(replaced) = fs::metadata(&self.path) {
                let kept = file.set_permissions(replaced.permissions());
                kept.map_err(|error| Failure::at(&self.path, error))?;
            }
            (self.stream, self.is_new) = (OutputStream::Regular(file), true);
        }
        Ok(())
    }

    pub fn name(&self) -> String {
        name(&self.path)
    }

    fn named<T>(&self, result: io::Result<T>) -> io::Result<T> {
        result.map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", self.name())))
    }

    /// Fails if a complete file with a temporary name would replace another one.
    pub fn check_absent(&self) -> io::Result<()> {
        let is_in_the_way = self.temporary.is_some() && self.target().exists();
        self.named(if is_in_the_way { Err(ErrorKind::AlreadyExists.into()) } else { Ok(()) })
    }

    pub fn rename(&mut self) -> io::Result<()> {
        let Some(temporary) = &self.temporary else { return Ok(()) };
        let renamed = fault::operation();
        self.named(renamed.and_then(|()| fs::rename(temporary.path(), self.target())))?;
        self.temporary.take().into_iter().for_each(Leftover::keep);
        Ok(())
    }

    fn target(&self) -> PathBuf {
        resolve(&self.path).unwrap_or_else(|| self.path.clone())
    }

    pub fn folder(&self) -> Option<PathBuf> {
        self.regular().map(|_| folder_of(&self.target()).into())
    }

    fn regular(&self) -> Option<&File> {
        match &self.stream {
            OutputStream::Regular(file) => Some(file),
            OutputStream::Stdout(_) | OutputStream::Device(_) | OutputStream::Unopened => None,
        }
    }

    pub fn is_regular(&self) -> bool {
        self.regular().is_some()
    }

    /// Calls `work` with a regular file; does nothing for other outputs.
    fn with_file<T: Default>(&self, work: impl FnOnce(&File) -> io::Result<T>) -> io::Result<T> {
        self.named(self.regular().map_or_else(|| Ok(T::default()), work))
    }

    pub fn length(&self) -> io::Result<Option<u64>> {
        self.with_file(|file| Ok(Some(file.metadata()?.len())))
    }

    pub fn truncate(&self, length: u64) -> io::Result<()> {
        self.with_file(|mut file| {
            fault::operation()?;
            file.set_len(length)?;
            file.seek(SeekFrom::Start(length)).map(drop)
        })
    }

    pub fn replace_start(&self, bytes: &[u8]) -> io::Result<()> {
        self.with_file(|mut file| {
            fault::operation()?;
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

    /// Syncs a regular file. Some systems report a full disk only then.
    pub fn sync(&self) -> io::Result<()> {
        self.with_file(File::sync_data)
    }

    pub fn is_replaced(&self) -> bool {
        let path = self.temporary.as_ref().map_or(&*self.path, Leftover::path);
        let is_another = |file| Identity::of(path) != FileId::of_file(file).map(Identity::Existing);
        self.regular().is_some_and(is_another)
    }

    /// Removes an empty file that this run created.
    pub fn remove_if_empty(&mut self) {
        let is_empty = matches!(self.length(), Ok(Some(0)));
        if self.is_new && self.temporary.is_none() && is_empty && !self.is_replaced() {
            // A remaining empty file is harmless.
            let _ = fault::operation().and_then(|()| fs::remove_file(&self.path));
        }
    }

    pub fn remove_temporary(&mut self) {
        if self.temporary.take().is_some() {
            // The file that has the name is another one.
            self.stream = OutputStream::Unopened;
        }
    }
}

pub const TEMPORARY: &str = "tmp";

pub fn replaced_message(out: &OpenOutput) -> Option<String> {
    out.is_replaced().then(|| {
        let what = "was removed, renamed, or replaced during the run, so its contents are lost";
        format!("{}: {what}", out.name())
    })
}

/// Replaces a side output of an earlier run; returns the error, if any.
pub fn write_side(
    out: &OpenOutput,
    write: impl FnOnce(&OpenOutput) -> io::Result<()>,
) -> Option<String> {
    match out.truncate(0).and_then(|()| write(out)).and_then(|()| out.sync()) {
        Ok(()) => replaced_message(out),
        Err(error) => Some(error.to_string()),
    }
}

/// Opens a regular file, and returns whether it was created.
fn open_file(path: &Path) -> io::Result<(File, bool)> {
    fault::operation()?;
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    match options.clone().create_new(true).open(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        made => return Ok((made?, true)),
    }
    // A dangling link exists, but its file must be created.
    let opened = options.create(true).open(path);
    Ok((opened?, false))
}

impl Write for &OpenOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let bytes = &bytes[..self.named(fault::bytes(bytes.len()))?];
        self.named(match &self.stream {
            OutputStream::Stdout(stdout) => { stdout }.write(bytes),
            OutputStream::Device(file) | OutputStream::Regular(file) => { file }.write(bytes),
            OutputStream::Unopened => Err(ErrorKind::NotFound.into()),
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
