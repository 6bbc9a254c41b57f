//! The journal of an unfinished run, which `--resume` continues.
//!
//! | file | contents | saved |
//! |---|---|---|
//! | `results.csv.resume` | the command, the inputs with their sizes and modification times, and the outputs | when the run begins |
//! | `results.csv.resume.at` | the position: how far inputs are read, with the counts up to there, the length of each output, and a checksum of its last bytes | about once per second |
//!
//! The size of the position does not depend on the number of inputs or records. A run without it starts
//! over. It is removed last, and means nothing without the first file.
//!
//! The first line of each file identifies it as a journal and contains a checksum of the rest. A file
//! without this line is never read, replaced, or removed.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use bulkdoku::check_sum;
use bulkdoku::pipeline::Checkpoint;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tempfile::TempPath;

use super::super::identity::{folder_of, target};
use super::super::platform::sync_folder;
use super::super::typed::RunIdentity;
use super::super::{Failure, shown};
use super::fault;

/// The start of a journal, followed by a checksum of eight digits, a line feed, and the rest.
pub const HEAD: &[u8] = b"bulkdoku journal, format 4, check sum ";
const DIGITS: usize = 8;

/// The endings of both parts, and of the next version of one.
const ENDINGS: [&str; 3] = [".resume", ".resume.at", ".resume.new"];

/// What a run does.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Journal {
    pub run: RunIdentity,
    /// The paths of the outputs of rows, followed by that of messages.
    pub outputs: Vec<String>,
    pub sides: Vec<String>,
    /// Whether the run replaces files that existed before (`--force`), or has begun to rename files.
    pub replaces: bool,
}

/// How far a run has come.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Position {
    pub last: Option<Entry>,
    /// The last checkpoint in an earlier input. The run returns to it if the input fails before the
    /// last one, or if an output was shortened, for example by a power failure.
    pub earlier: Option<Entry>,
    /// The first input that failed, and its number of verified bytes. It and later ones may be
    /// replaced.
    pub failed: Option<(usize, u64)>,
}

/// A checkpoint with the end of each output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    pub checkpoint: Checkpoint,
    pub outputs: Vec<OutputEnd>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutputEnd {
    pub bytes: u64,
    /// The number of its last bytes that are compared, and their checksum.
    pub compared: u32,
    pub check_sum: u32,
}

impl Position {
    pub fn add(&mut self, entry: Entry) {
        let source = entry.checkpoint.source;
        let last = self.last.replace(entry);
        if last.as_ref().is_some_and(|last| last.checkpoint.source < source) {
            self.earlier = last;
        }
    }

    /// Returns to a checkpoint in the verified part of an input that failed, or in an earlier input;
    /// returns whether the position changed.
    pub fn rewind(&mut self, place: (usize, u64)) -> bool {
        if self.failed.is_some_and(|failed| failed <= place) {
            return false;
        }
        self.failed = Some(place);
        let entries = [self.last.take(), self.earlier.take()];
        let mut entries = entries.into_iter().flatten();
        self.last = entries.find(|entry| !entry.checkpoint.is_after(place));
        true
    }
}

impl Journal {
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.outputs.iter().chain(&self.sides).map(String::as_str)
    }

    /// Returns the first difference from the run that `self` describes, if there is one. Only the
    /// inputs before one that failed must be the same; if nothing is verified, no file must.
    pub fn difference(
        &self,
        run: &RunIdentity,
        outputs: &[String],
        failed: Option<(usize, u64)>,
    ) -> Option<String> {
        let compared = failed.map_or(run.inputs.len(), |(input, _)| input);
        let difference = run.difference(&self.run, compared, failed != Some((0, 0)));
        difference.or_else(|| {
            let before = self.outputs.join(", ");
            (self.outputs != outputs).then(|| format!("the outputs were {before} before"))
        })
    }
}

pub fn encode(value: &impl Serialize) -> io::Result<Vec<u8>> {
    let text = serde_json::to_vec(value)?;
    let mut all = HEAD.to_vec();
    writeln!(all, "{:08x}", check_sum(&text))?;
    all.extend_from_slice(&text);
    Ok(all)
}

/// Parses the bytes of a file; returns `None` if they are damaged.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    let (sum, text) = bytes.strip_prefix(HEAD)?.split_at_checked(DIGITS)?;
    let text = text.strip_prefix(b"\n")?;
    let sum = u32::from_str_radix(str::from_utf8(sum).ok()?, 16).ok()?;
    (sum == check_sum(text)).then(|| serde_json::from_slice(text).ok()).flatten()
}

/// The two files of a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Run,
    Position,
}

/// The journal of an earlier run, and how far it came, if it saved that.
pub type Earlier = (Journal, Option<Position>);

/// The files of a journal, next to an output.
#[derive(Debug)]
pub struct JournalFile {
    output: PathBuf,
    /// The paths of both parts, and of the next version of one until it is complete.
    pub paths: [PathBuf; 3],
    /// Whether this run owns the parts there.
    are_saved: [bool; 2],
    pub is_inherited: bool,
}

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
        let paths = ENDINGS.map(|ending| {
            let mut path = target.clone().into_os_string();
            path.push(ending);
            PathBuf::from(path)
        });
        Self { output: output.into(), paths, are_saved: [false; 2], is_inherited: false }
    }

    fn new_path(&self) -> &Path {
        &self.paths[2]
    }

    /// Returns whether a path is that of a journal, even if its first line is incomplete.
    pub fn is_at(path: &Path) -> bool {
        let name = path.as_os_str().as_encoded_bytes();
        let is_named = ENDINGS.iter().any(|ending| name.ends_with(ending.as_bytes()));
        let found = || ExistingFile::read(path);
        is_named && matches!(found(), Ok(ExistingFile::Journal(_) | ExistingFile::Beginning))
    }

    pub fn exists(&self) -> bool {
        self.has(Part::Run)
    }

    fn has(&self, part: Part) -> bool {
        matches!(ExistingFile::read(&self.paths[part as usize]), Ok(ExistingFile::Journal(_)))
    }

    /// Rejects the output if another file has a path of its journal.
    pub fn check(&self) -> Result<(), Failure> {
        for path in &self.paths {
            let is_other = match ExistingFile::at(path)? {
                ExistingFile::Other => true,
                // A killed run may have left it.
                ExistingFile::Beginning => path != self.new_path(),
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

    /// Reads the journal, if there is one. One that is damaged is an error if the run `resumes`.
    /// Removes what a run has left that was killed while it saved or removed its journal.
    pub fn load(&self, resumes: bool) -> Result<Option<Earlier>, Failure> {
        self.check()?;
        self.remove_new().map_err(|error| Failure::at(self.new_path(), error))?;
        let [run, position] = [&self.paths[0], &self.paths[1]].map(|path| ExistingFile::at(path));
        let ExistingFile::Journal(run) = run? else {
            self.remove_part(Part::Position).map_err(|error| Failure::at(&self.paths[1], error))?;
            return Ok(None);
        };
        let position = match position? {
            ExistingFile::Journal(bytes) => decode(&bytes).map(Some),
            _ => Some(None),
        };
        let earlier = decode(&run).zip(position);
        if earlier.is_none() && resumes {
            let what = "is damaged or was changed; --force starts over";
            refuse!("{}: {what}", shown(&self.paths[0]));
        }
        Ok(earlier)
    }

    /// Takes over the journal of an earlier run, if there is one. Its position is removed, unless the
    /// run is resumed.
    pub fn take_over(&mut self, resumes: bool) -> io::Result<()> {
        self.are_saved = [Part::Run, Part::Position].map(|part| self.has(part));
        self.is_inherited = self.are_saved[0];
        if resumes {
            return Ok(());
        }
        self.are_saved[1] = false;
        self.remove_part(Part::Position)
    }

    /// Saves a part of the journal. The old file is kept until the new one is synced. No other file is
    /// replaced, and no link is followed.
    pub fn save(&mut self, part: Part, bytes: &[u8]) -> io::Result<()> {
        fault::atomic()?;
        self.remove_new()?;
        let mut file = File::create_new(self.new_path())?;
        let new = TempPath::try_from_path(self.new_path())?;
        file.write_all(bytes)?;
        file.sync_data()?;
        let path = &self.paths[part as usize];
        if self.are_saved[part as usize] {
            new.persist(path)?;
            return Ok(());
        }
        new.persist_noclobber(path)?;
        self.are_saved[part as usize] = true;
        match part {
            // The journal must survive if later files do.
            Part::Run => sync_folder(folder_of(path)),
            Part::Position => Ok(()),
        }
    }

    fn remove_new(&self) -> io::Result<()> {
        match ExistingFile::read(self.new_path())? {
            ExistingFile::Beginning | ExistingFile::Journal(_) => fs::remove_file(self.new_path()),
            ExistingFile::Nothing | ExistingFile::Other => Ok(()),
        }
    }

    pub fn remove(&self) -> io::Result<()> {
        self.remove_part(Part::Run)?;
        self.remove_part(Part::Position)
    }

    fn remove_part(&self, part: Part) -> io::Result<()> {
        if !self.are_saved[part as usize] && !self.has(part) {
            return Ok(());
        }
        match fault::operation().and_then(|()| fs::remove_file(&self.paths[part as usize])) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}
