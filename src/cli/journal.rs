//! The journal of an unfinished run beside its output, from which `--resume` continues.
//!
//! `results.csv.resume` identifies the run (inputs, options) and has some checkpoints: places in
//! the input up to which all rows are in the output, with the output's length and a check sum of
//! its last bytes. The journal is made before the output, always replaced as a whole, and removed
//! when the run is complete. So an output with a journal is not complete, and what follows the last
//! checkpoint is cut off.
//!
//! Several checkpoints are kept, because a machine that crashes may lose the end of the output. The
//! first one is before the first row.
//!
//! The first line identifies the file as a journal and has a check sum of the rest. A file without
//! that line is neither read nor replaced nor removed.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bulkdoku::Tail;
use bulkdoku::pipeline::Checkpoint;
use bulkdoku::tail::check_sum;
use serde::{Deserialize, Serialize};

use super::Failure;
use super::run::Run;

/// The time between two checkpoints, which bounds the work that is repeated.
const INTERVAL: Duration = Duration::from_millis(200);
/// The number of checkpoints that are kept, beside the first.
const KEPT: usize = 4;
/// The start of a journal; then come a check sum of eight digits, a line feed, and the rest.
const HEAD: &[u8] = b"bulkdoku journal, format 1, check sum ";
const DIGITS: usize = 8;

/// A checkpoint, and the lengths of the outputs there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JournalEntry {
    /// The place in the file of rows.
    pub rows: Mark,
    /// The place in the file of messages.
    pub diagnostics: Mark,
    /// If the input failed here, later inputs may be other files when the run is resumed.
    checkpoint: Checkpoint,
}

/// A place in an output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// The number of bytes before it.
    pub bytes: u64,
    /// The last bytes before it.
    pub tail: Tail,
}

impl JournalEntry {
    pub fn new(checkpoint: &Checkpoint, rows: Mark, diagnostics: Mark) -> Self {
        Self { rows, diagnostics, checkpoint: checkpoint.clone() }
    }

    /// The checkpoint. An input that failed is read again.
    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint { input_failed: false, ..self.checkpoint.clone() }
    }
}

/// The journal of a run.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    contents: Contents,
    written: Instant,
}

#[derive(Debug, Serialize, Deserialize)]
struct Contents {
    run: Run,
    /// The names of all outputs, which this run may replace.
    outputs: Vec<String>,
    /// Before the first row.
    first: Option<JournalEntry>,
    /// The last ones, the oldest first.
    last: VecDeque<JournalEntry>,
}

/// The paths of the journal of an output, and of its next version.
pub fn places(output: &Path) -> [PathBuf; 2] {
    [".resume", ".resume.new"].map(|ending| {
        let mut path = output.as_os_str().to_owned();
        path.push(ending);
        path.into()
    })
}

/// Whether an output has a journal.
pub fn is_beside(output: &Path) -> bool {
    let [path, _] = places(output);
    matches!(Found::at(&path), Ok(Found::Journal(_)))
}

/// Refuses an output if another file is where its journal would be.
pub fn check_places(output: &Path) -> Result<(), Failure> {
    let [path, new] = places(output);
    let is_other = |path: &Path, found: Found| match found {
        Found::Other => true,
        // A run that was killed may have left it.
        Found::Beginning => path != new,
        Found::Nothing | Found::Journal(_) => false,
    };
    for path in [&path, &new] {
        let found = Found::at(path).map_err(|error| Failure::at(path, error))?;
        if is_other(path, found) {
            return Err(Failure::Usage(format!(
                "{}: is no journal of bulkdoku, but is where that of {} would be; move it, or name \
                 another output",
                path.display(),
                output.display()
            )));
        }
    }
    Ok(())
}

/// What is at the path of a journal.
enum Found {
    Nothing,
    /// An incomplete first line.
    Beginning,
    /// A journal, perhaps a damaged one: everything after the head.
    Journal(Vec<u8>),
    /// Another file.
    Other,
}

impl Found {
    fn at(path: &Path) -> io::Result<Self> {
        match fs::metadata(path) {
            Ok(found) if !found.is_file() => return Ok(Self::Other),
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self::Nothing),
            Err(error) => return Err(error),
        }
        let mut file = File::open(path)?;
        let mut head = Vec::new();
        (&file).take(HEAD.len() as u64).read_to_end(&mut head)?;
        if head.len() < HEAD.len() {
            return Ok(if HEAD.starts_with(&head) { Self::Beginning } else { Self::Other });
        }
        if head != HEAD {
            return Ok(Self::Other);
        }
        let mut rest = Vec::new();
        file.read_to_end(&mut rest)?;
        Ok(Self::Journal(rest))
    }
}

impl Journal {
    /// Starts the journal of a new output.
    pub fn begin(output: &Path, run: Run, outputs: Vec<String>) -> io::Result<Self> {
        let [path, _] = places(output);
        let contents = Contents { run, outputs, first: None, last: VecDeque::new() };
        let mut journal = Self { path, contents, written: Instant::now() };
        journal.write()?;
        Ok(journal)
    }

    /// Reads the journal of `output`, if there is one. Refuses that of another run.
    pub fn load(output: &Path, run: &Run) -> Result<Option<Self>, Failure> {
        check_places(output)?;
        let [path, _] = places(output);
        let text = match Found::at(&path).map_err(|error| Failure::at(&path, error))? {
            Found::Journal(text) => text,
            Found::Nothing | Found::Beginning | Found::Other => return Ok(None),
        };
        let contents = parse(&text).ok_or_else(|| {
            let what = "is damaged or was changed; --force starts over";
            Failure::Usage(format!("{}: {what}", path.display()))
        })?;
        let compared = match contents.last.back() {
            Some(last) if last.checkpoint.input_failed => last.checkpoint.source,
            _ => run.inputs.len(),
        };
        if let Some(difference) = run.difference(&contents.run, compared) {
            return Err(Failure::Usage(format!(
                "{}: another run: {difference}; name another output, or --force starts over",
                output.display()
            )));
        }
        Ok(Some(Self { path, contents, written: Instant::now() }))
    }

    /// The names of the outputs of earlier runs.
    pub fn outputs(&self) -> &[String] {
        &self.contents.outputs
    }

    /// Goes back to an entry, and drops those after it. The run that continues has these outputs.
    pub fn go_back(&mut self, rows_bytes: u64, outputs: Vec<String>) -> io::Result<()> {
        let Contents { outputs: known, last, .. } = &mut self.contents;
        last.retain(|place| place.rows.bytes <= rows_bytes);
        let more: Vec<_> = outputs.into_iter().filter(|name| !known.contains(name)).collect();
        known.extend(more);
        self.write()
    }

    /// The last entry within outputs of these lengths.
    pub fn last_within(&self, rows_bytes: u64, diagnostics_bytes: u64) -> Option<&JournalEntry> {
        let mut places = self.contents.last.iter().rev().chain(&self.contents.first);
        places.find(|place| {
            place.rows.bytes <= rows_bytes && place.diagnostics.bytes <= diagnostics_bytes
        })
    }

    /// Whether it is time for the next entry.
    pub fn is_due(&self) -> bool {
        self.contents.first.is_none() || self.written.elapsed() >= INTERVAL
    }

    /// Adds an entry.
    pub fn add(&mut self, place: JournalEntry) -> io::Result<()> {
        if self.contents.first.is_none() {
            self.contents.first = Some(place);
        } else {
            let last = &mut self.contents.last;
            last.push_back(place);
            last.drain(..last.len().saturating_sub(KEPT));
        }
        self.write()
    }

    /// The old file stays until the new one is complete and on the disk, so one of them survives a
    /// crash.
    fn write(&mut self) -> io::Result<()> {
        // After a failure, the next attempt is when the next entry is due.
        self.written = Instant::now();
        let text = serde_json::to_vec(&self.contents)?;
        let mut all = HEAD.to_vec();
        writeln!(all, "{:08x}", check_sum(&text))?;
        all.extend_from_slice(&text);
        let mut new = self.path.clone().into_os_string();
        new.push(".new");
        let mut file = File::create(&new)?;
        file.write_all(&all)?;
        file.sync_data()?;
        fs::rename(&new, &self.path)
    }

    /// Removes the journal of a complete run.
    pub fn remove(self) -> io::Result<()> {
        match fs::remove_file(self.path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

/// Parses what follows the head; `None` if the check sum is wrong.
fn parse(text: &[u8]) -> Option<Contents> {
    let (sum, text) = text.split_at_checked(DIGITS)?;
    let text = text.strip_prefix(b"\n")?;
    let sum = u32::from_str_radix(str::from_utf8(sum).ok()?, 16).ok()?;
    if sum != check_sum(text) {
        return None;
    }
    serde_json::from_slice(text).ok()
}

#[cfg(test)]
mod tests {
    use bulkdoku::pipeline::RecordName;

    use super::super::run::InputState;
    use super::*;

    fn run() -> Run {
        Run {
            program: "x 1".into(),
            inputs: vec![InputState { name: "a".into(), bytes: Some(1), modified: None }],
            options: [("--limit".to_owned(), "2".to_owned())].into(),
        }
    }

    fn mark(bytes: u64) -> Mark {
        Mark { bytes, tail: Tail::of(&bytes.to_le_bytes(), 8) }
    }

    #[test]
    fn a_loaded_journal_has_the_last_entries() {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("rows");
        let mut journal = Journal::begin(&output, run(), vec!["rows".into()]).unwrap();
        let mut checkpoint = Checkpoint::default();
        for i in 0..10 {
            checkpoint.position.offset = i * 100;
            checkpoint.position.line = i;
            checkpoint.position.inside_line = i == 3;
            checkpoint.latencies.record_all([i * 1000, 7, 123_456_789]);
            checkpoint.tally.clues.insert(24, i);
            checkpoint.last_record = Some(RecordName { file: "a".into(), line: i });
            journal.add(JournalEntry::new(&checkpoint, mark(i * 10), mark(i))).unwrap();
        }
        let mut journal = Journal::load(&output, &run()).unwrap().unwrap();
        let within =
            |journal: &Journal, rows, diagnostics| journal.last_within(rows, diagnostics).cloned();
        assert_eq!(within(&journal, 95, 9).unwrap().checkpoint(), checkpoint);
        assert_eq!(within(&journal, 89, 9).unwrap().checkpoint().position.line, 8);
        assert_eq!(within(&journal, 95, 7).unwrap().rows, mark(70));
        assert_eq!(
            within(&journal, 59, 9).unwrap().rows,
            mark(0),
            "the entries between are dropped"
        );
        journal.go_back(80, vec!["rows".into(), "more".into()]).unwrap();
        let journal = Journal::load(&output, &run()).unwrap().unwrap();
        assert_eq!(journal.outputs(), ["rows", "more"]);
        assert_eq!(within(&journal, 95, 9).unwrap().rows, mark(80));
        journal.remove().unwrap();
        assert!(Journal::load(&output, &run()).unwrap().is_none());
    }

    #[test]
    fn a_journal_that_was_changed_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("rows");
        Journal::begin(&output, run(), Vec::new()).unwrap();
        let [path, _] = places(&output);
        let text = fs::read(&path).unwrap();
        for at in 0..text.len() {
            let mut changed = text.clone();
            changed[at] ^= 1;
            fs::write(&path, &changed).unwrap();
            let refused = Journal::load(&output, &run()).unwrap_err().to_string();
            let expected =
                if at < HEAD.len() { "is no journal" } else { "is damaged or was changed" };
            assert!(refused.contains(expected), "{at}: {refused}");
            assert_eq!(fs::read(&path).unwrap(), changed);
        }
        for length in HEAD.len()..text.len() {
            fs::write(&path, &text[..length]).unwrap();
            assert!(Journal::load(&output, &run()).is_err(), "{length}");
        }
    }

    #[test]
    fn other_files_are_not_taken_for_a_journal() {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("rows");
        let [path, new] = places(&output);
        for (at, text, is_fine) in [
            (&path, &b"mine"[..], false),
            (&path, b"", false),
            (&path, HEAD, true),
            (&new, b"mine", false),
            (&new, b"", true),
            (&new, &HEAD[..9], true),
        ] {
            fs::write(at, text).unwrap();
            assert_eq!(check_places(&output).is_ok(), is_fine, "{at:?} {text:?}");
            fs::remove_file(at).unwrap();
        }
        fs::create_dir(&new).unwrap();
        assert!(check_places(&output).is_err());
    }
}
