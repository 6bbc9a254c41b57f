//! The journal of an unfinished run, which `--resume` continues.
//!
//! It contains the identity of the run (inputs, options), the files that the run writes, and
//! several checkpoints: positions in the inputs before which all rows are written, with the length
//! of each output and a checksum of its last bytes. Several are kept because a computer that
//! crashes may lose the end of an output. The first one precedes the first row.
//!
//! If files have temporary names until they are complete, their rows cannot be continued. Once all are
//! complete, the journal lists them with their lengths and hashes before the first one is renamed, so
//! that a resumed run renames the others.
//!
//! The first line identifies the file as a journal and contains a checksum of the rest. A file
//! without this line is never read, replaced, or removed.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use bulkdoku::Tail;
use bulkdoku::pipeline::Checkpoint;
use bulkdoku::tail::check_sum;
use serde::{Deserialize, Serialize};
use tempfile::TempPath;

use super::super::identity::{folder_of, target};
use super::super::platform::sync_folder;
use super::super::typed::RunIdentity;
use super::super::{Failure, shown};

/// The number of checkpoints kept in addition to the first one and that of an earlier input.
const KEPT_CHECKPOINTS: usize = 4;
/// The start of a journal, followed by a checksum of eight digits, a line feed, and the rest.
pub const HEAD: &[u8] = b"bulkdoku journal, format 3, check sum ";
const DIGITS: usize = 8;

#[derive(Debug, Serialize, Deserialize)]
pub struct Journal {
    pub run: RunIdentity,
    /// The outputs of rows, followed by that of messages.
    pub outputs: Vec<ListedOutput>,
    /// The paths of other files that the run writes.
    pub sides: Vec<String>,
    /// Whether the run replaces files that existed before (`--force`).
    pub replaces: bool,
    /// Whether all files have temporary names until they are complete.
    pub is_temporary: bool,
    /// The checkpoints, oldest first.
    pub entries: Vec<JournalEntry>,
    /// The complete files with temporary names, some of which may have been renamed.
    pub complete: Vec<CompleteFile>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ListedOutput {
    pub path: String,
    pub header: Vec<u8>,
    /// Whether the run may have written to the file. If not, its contents are foreign.
    pub is_begun: bool,
}

/// A complete file of rows, of messages, or another one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompleteFile {
    pub path: String,
    pub bytes: u64,
    /// The lower 64 bits of the XXH3 hash of all bytes.
    pub hash: u64,
}

/// A checkpoint with a position in each output.
#[derive(Debug, Serialize, Deserialize)]
pub struct JournalEntry {
    pub checkpoint: Checkpoint,
    pub marks: Vec<OutputPosition>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutputPosition {
    /// The number of bytes before the position.
    pub bytes: u64,
    /// The last bytes before the position.
    pub tail: Tail,
}

impl Journal {
    /// Creates the journal of a run with these outputs, before the first row.
    pub fn new(run: RunIdentity, outputs: Vec<ListedOutput>) -> Self {
        let marks = vec![OutputPosition::default(); outputs.len()];
        let first = JournalEntry { checkpoint: Checkpoint::default(), marks };
        let (sides, complete) = (Vec::new(), Vec::new());
        let (replaces, is_temporary, entries) = (false, false, vec![first]);
        Self { run, outputs, sides, replaces, is_temporary, entries, complete }
    }

    /// Adds an entry and removes old ones, but keeps the last one of an earlier input, because no
    /// row of an input may be verified until it ends.
    pub fn add(&mut self, entry: JournalEntry) {
        let source = entry.checkpoint.source;
        self.entries.push(entry);
        if self.entries.len() > KEPT_CHECKPOINTS + 2 {
            let last = self.entries.iter().rposition(|entry| entry.checkpoint.source < source);
            self.entries.remove(if last == Some(1) { 2 } else { 1 });
        }
    }

    /// Removes the entries after a position in an input that failed, and allows this input to
    /// change. Returns whether the journal changed.
    pub fn rewind(&mut self, place: (usize, u64)) -> bool {
        let count = self.entries.len();
        while let [_, .., last] = &self.entries[..]
            && last.checkpoint.is_after(place)
        {
            self.entries.pop();
        }
        let last = self.entries.last_mut().map(|last| &mut last.checkpoint.failed);
        let before = last.and_then(|failed| failed.replace(place));
        self.entries.len() < count || before != Some(place)
    }

    /// Returns the paths of files that the run may have written, or replaces.
    pub fn written(&self) -> Vec<String> {
        let begun = self.outputs.iter().filter(|output| output.is_begun || self.replaces);
        let sides = self.sides.iter().filter(|_| !self.is_temporary || self.replaces);
        let complete = self.complete.iter().map(|file| &file.path);
        begun.map(|output| &output.path).chain(sides).chain(complete).cloned().collect()
    }

    /// Returns the paths of all files.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.outputs.iter().map(|output| &*output.path).chain(self.sides.iter().map(|side| &**side))
    }

    /// Returns the bytes of the file.
    pub fn encode(&self) -> io::Result<Vec<u8>> {
        let text = serde_json::to_vec(self)?;
        let mut all = HEAD.to_vec();
        writeln!(all, "{:08x}", check_sum(&text))?;
        all.extend_from_slice(&text);
        Ok(all)
    }

    /// Parses the bytes of a file; returns `None` if they are damaged.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let (sum, text) = bytes.strip_prefix(HEAD)?.split_at_checked(DIGITS)?;
        let text = text.strip_prefix(b"\n")?;
        let sum = u32::from_str_radix(str::from_utf8(sum).ok()?, 16).ok()?;
        let journal: Self =
            (sum == check_sum(text)).then(|| serde_json::from_slice(text).ok()).flatten()?;
        (!journal.entries.is_empty()).then_some(journal)
    }

    /// Returns the first difference from the run that `self` describes, if there is one.
    pub fn difference(&self, run: &RunIdentity, outputs: &[String]) -> Option<String> {
        // The input that failed and later ones may have been replaced; if nothing is verified, any
        // file may have been.
        let failed = self.entries.last().and_then(|last| last.checkpoint.failed);
        let compared = failed.map_or(run.inputs.len(), |(source, _)| source);
        let paths: Vec<_> = self.outputs.iter().map(|output| &*output.path).collect();
        let difference = run.difference(&self.run, compared, failed != Some((0, 0)));
        difference.or_else(|| {
            (paths != outputs).then(|| format!("the outputs were {} before", paths.join(", ")))
        })
    }
}

/// The file of a journal, next to an output.
#[derive(Debug)]
pub struct JournalFile {
    output: PathBuf,
    path: PathBuf,
    /// The path of the next version until it is complete.
    new: PathBuf,
    /// Whether this run owns the file at `path`.
    is_saved: bool,
    /// Whether an earlier run has left it.
    pub is_inherited: bool,
}

/// The type of file at the path of a journal.
enum ExistingFile {
    Nothing,
    /// An incomplete first line.
    Beginning,
    /// A journal, possibly damaged.
    Journal(Vec<u8>),
    /// Another file, or a link.
    Other,
}

impl ExistingFile {
    fn at(path: &Path) -> Result<Self, Failure> {
        Self::read(path).map_err(|error| Failure::at(path, error))
    }

    fn read(path: &Path) -> io::Result<Self> {
        match fs::symlink_metadata(path) {
            Ok(found) if !found.is_file() => return Ok(Self::Other),
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self::Nothing),
            Err(error) => return Err(error),
        }
        let mut file = File::open(path)?;
        let mut bytes = Vec::new();
        (&file).take(HEAD.len() as u64).read_to_end(&mut bytes)?;
        if bytes == HEAD {
            file.read_to_end(&mut bytes)?;
            return Ok(Self::Journal(bytes));
        }
        Ok(if HEAD.starts_with(&bytes) { Self::Beginning } else { Self::Other })
    }
}

impl JournalFile {
    /// Returns the journal of an output, or of the target of a link: the same for all names.
    pub fn of(output: &Path) -> Self {
        let target = target(output);
        let [path, new] = [".resume", ".resume.new"].map(|ending| {
            let mut path = target.clone().into_os_string();
            path.push(ending);
            PathBuf::from(path)
        });
        Self { output: output.into(), path, new, is_saved: false, is_inherited: false }
    }

    pub fn paths(&self) -> [&Path; 2] {
        [&self.path, &self.new]
    }

    /// Returns whether a path is that of a journal, even if its first line is incomplete.
    pub fn is_at(path: &Path) -> bool {
        let name = path.as_os_str().as_encoded_bytes();
        let is_named = name.ends_with(b".resume") || name.ends_with(b".resume.new");
        let found = || ExistingFile::read(path);
        is_named && matches!(found(), Ok(ExistingFile::Journal(_) | ExistingFile::Beginning))
    }

    pub fn exists(&self) -> bool {
        matches!(ExistingFile::read(&self.path), Ok(ExistingFile::Journal(_)))
    }

    /// Returns whether there is a journal of a run that can be resumed.
    pub fn can_be_resumed(&self) -> bool {
        let Ok(ExistingFile::Journal(bytes)) = ExistingFile::read(&self.path) else { return false };
        Journal::decode(&bytes).is_some_and(|journal| journal.run.not_comparable().is_none())
    }

    /// Rejects the output if another file has the path of its journal.
    pub fn check(&self) -> Result<(), Failure> {
        for path in self.paths() {
            let is_other = match ExistingFile::at(path)? {
                ExistingFile::Other => true,
                // A killed run may have left it.
                ExistingFile::Beginning => path != self.new,
                ExistingFile::Nothing | ExistingFile::Journal(_) => false,
            };
            if is_other {
                refuse!(
                    "{}: is not a journal of bulkdoku, but is where that of {} would be; move it, \
                     or name another output",
                    shown(path),
                    shown(&self.output)
                );
            }
        }
        Ok(())
    }

    /// Reads the journal, if there is one, and removes a next version that a killed run has left.
    pub fn load(&self) -> Result<Option<Vec<u8>>, Failure> {
        self.check()?;
        self.remove_new().map_err(|error| Failure::at(&self.new, error))?;
        Ok(match ExistingFile::at(&self.path)? {
            ExistingFile::Journal(bytes) => Some(bytes),
            _ => None,
        })
    }

    /// Parses the result of [`load`](Self::load). Rejects a damaged journal.
    pub fn decode(&self, bytes: &[u8]) -> Result<Journal, Failure> {
        Journal::decode(bytes).ok_or_else(|| {
            let what = "is damaged or was changed; --force starts over";
            Failure::Usage(format!("{}: {what}", shown(&self.path)))
        })
    }

    /// Takes over the journal of an earlier run, if there is one.
    pub fn take_over(&mut self) {
        self.is_inherited = self.exists();
        self.is_saved = self.is_inherited;
    }

    /// Saves the journal. The old file is kept until the new one is synced. No other file is
    /// replaced, and no link is followed.
    pub fn save(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.remove_new()?;
        let mut file = File::create_new(&self.new)?;
        let new = TempPath::try_from_path(&self.new)?;
        file.write_all(bytes)?;
        file.sync_data()?;
        if self.is_saved {
            new.persist(&self.path)?;
            return Ok(());
        }
        new.persist_noclobber(&self.path)?;
        self.is_saved = true;
        // The journal must survive if later files do.
        sync_folder(folder_of(&self.path))
    }

    fn remove_new(&self) -> io::Result<()> {
        match ExistingFile::read(&self.new)? {
            ExistingFile::Beginning | ExistingFile::Journal(_) => fs::remove_file(&self.new),
            ExistingFile::Nothing | ExistingFile::Other => Ok(()),
        }
    }

    /// Removes the journal, if there is one.
    pub fn remove(&mut self) -> io::Result<()> {
        if !self.is_saved && !self.exists() {
            return Ok(());
        }
        self.is_saved = false;
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}
