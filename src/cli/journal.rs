//! What an unfinished run leaves beside its output, so that `--resume` can continue it.
//!
//! `results.csv.resume` says what the run was (inputs, options) and has some places in the input up
//! to which all rows are in the output, with the output's length and last bytes there. It is
//! written before the output, always as a whole, and removed when all is done: an output with such
//! a file beside it is not complete, and whatever stands in it behind the last place is cut off.
//!
//! Several places are kept, because a machine that crashes may lose the end of the output that a
//! killed run leaves behind; the first is that before the first row.
//!
//! Its first line names it and has a check sum of the rest. A file without that line is something
//! else: it is neither read nor replaced nor removed.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bulkdoku::Tail;
use bulkdoku::input::Position;
use bulkdoku::pipeline::{Checkpoint, RecordName, Tally};
use bulkdoku::stats::{Counts, Latencies};
use bulkdoku::tail::check_sum;
use serde::{Deserialize, Serialize};

use super::Failure;
use super::run::Run;

/// How often a place is written down: so much work is done again at most.
const INTERVAL: Duration = Duration::from_millis(200);
/// How many places are kept, beside the first.
const KEPT: usize = 4;
/// What a journal begins with; then come a check sum of eight digits, a line feed, and the rest.
const HEAD: &[u8] = b"bulkdoku journal, format 1, check sum ";
const DIGITS: usize = 8;

/// A place up to which all is in the outputs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JournalEntry {
    /// The place in the file of rows.
    pub rows: Mark,
    /// The place in the file of messages, if there is one.
    pub diagnostics: Mark,
    source: usize,
    position: Position,
    counts: Counts,
    /// Latencies and how many puzzles had each.
    latencies: Vec<(u64, u64)>,
    last_record: Option<(String, u64)>,
    /// What the puzzles are, as far as that is counted.
    #[serde(default)]
    tally: Tally,
    /// Whether the input cannot be read beyond this place: it may be another file next time.
    input_failed: bool,
}

/// A place in an output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// Bytes before it.
    pub bytes: u64,
    /// The last of them.
    pub tail: Tail,
}

impl JournalEntry {
    /// That of these places.
    pub fn new(checkpoint: &Checkpoint, rows: Mark, diagnostics: Mark) -> Self {
        let Checkpoint { source, position, counts, latencies, last_record, tally, input_failed } =
            checkpoint;
        let buckets = latencies.buckets().map(|bucket| (bucket.highest_ns, bucket.count));
        Self {
            rows,
            diagnostics,
            source: *source,
            position: *position,
            counts: *counts,
            latencies: buckets.collect(),
            last_record: last_record.as_ref().map(|last| (last.file.to_string(), last.line)),
            tally: tally.clone(),
            input_failed: *input_failed,
        }
    }

    /// What was done there. If the input failed, that is tried again.
    pub fn checkpoint(&self) -> Checkpoint {
        let mut latencies = Latencies::new();
        self.latencies.iter().for_each(|&bucket| latencies.record_n(bucket));
        let last_record = self.last_record.as_ref();
        Checkpoint {
            source: self.source,
            position: self.position,
            counts: self.counts,
            latencies,
            last_record: last_record
                .map(|(file, line)| RecordName { file: file.as_str().into(), line: *line }),
            tally: self.tally.clone(),
            input_failed: false,
        }
    }
}

/// The file beside an output.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    kept: Kept,
    written: Instant,
}

#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    run: Run,
    /// The names of all outputs: what stands in them is this run's.
    outputs: Vec<String>,
    /// Before the first row.
    first: Option<JournalEntry>,
    /// The last ones, the oldest first.
    last: VecDeque<JournalEntry>,
}

/// Where the journal of an output is, and where the next one is written.
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

/// Refuses an output if something else stands where its journal would be.
pub fn check_places(output: &Path) -> Result<(), Failure> {
    let [path, new] = places(output);
    let is_other = |path: &Path, found: Found| match found {
        Found::Other => true,
        // A run that was killed may have made it, and nothing is lost.
        Found::Beginning => path != new,
        Found::Nothing | Found::Journal(_) => false,
    };
    for path in [&path, &new] {
        let found = Found::at(path).map_err(|error| Failure::at(path, error))?;
        if is_other(path, found) {
            return Err(Failure::Usage(format!(
                "{}: is no journal of bulkdoku, but stands where that of {} would be; move it, or \
                 name another output",
                path.display(),
                output.display()
            )));
        }
    }
    Ok(())
}

/// What stands where a journal would be.
enum Found {
    Nothing,
    /// The begin of one.
    Beginning,
    /// One, perhaps a damaged one: everything behind the head.
    Journal(Vec<u8>),
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
    /// Starts one for a new output.
    pub fn begin(output: &Path, run: Run, outputs: Vec<String>) -> io::Result<Self> {
        let [path, _] = places(output);
        let kept = Kept { run, outputs, first: None, last: VecDeque::new() };
        let mut journal = Self { path, kept, written: Instant::now() };
        journal.write()?;
        Ok(journal)
    }

    /// Takes up what an earlier run left beside `output`, if it did and was the same run.
    pub fn take_up(output: &Path, run: &Run) -> Result<Option<Self>, Failure> {
        check_places(output)?;
        let [path, _] = places(output);
        let text = match Found::at(&path).map_err(|error| Failure::at(&path, error))? {
            Found::Journal(text) => text,
            Found::Nothing | Found::Beginning | Found::Other => return Ok(None),
        };
        let kept = read(&text).ok_or_else(|| {
            let what = "is damaged or was changed; --force starts over";
            Failure::Usage(format!("{}: {what}", path.display()))
        })?;
        let unread = match kept.last.back() {
            Some(last) if last.input_failed => last.source,
            _ => run.inputs.len(),
        };
        if let Some(difference) = run.difference(&kept.run, unread) {
            return Err(Failure::Usage(format!(
                "{}: another run: {difference}; name another output, or --force starts over",
                output.display()
            )));
        }
        Ok(Some(Self { path, kept, written: Instant::now() }))
    }

    /// The names of the outputs that the earlier runs had.
    pub fn outputs(&self) -> &[String] {
        &self.kept.outputs
    }

    /// Goes back to a place that was noted, or to the start: those behind it are forgotten. The run
    /// that goes on from there has these outputs.
    pub fn go_back(&mut self, rows_bytes: u64, outputs: Vec<String>) -> io::Result<()> {
        let Kept { outputs: known, last, .. } = &mut self.kept;
        last.retain(|place| place.rows.bytes <= rows_bytes);
        let more: Vec<_> = outputs.into_iter().filter(|name| !known.contains(name)).collect();
        known.extend(more);
        self.write()
    }

    /// The last place that outputs of these lengths reach.
    pub fn last_within(&self, rows_bytes: u64, diagnostics_bytes: u64) -> Option<&JournalEntry> {
        let mut places = self.kept.last.iter().rev().chain(&self.kept.first);
        places.find(|place| {
            place.rows.bytes <= rows_bytes && place.diagnostics.bytes <= diagnostics_bytes
        })
    }

    /// Whether it is time to write down a place again.
    pub fn is_due(&self) -> bool {
        self.kept.first.is_none() || self.written.elapsed() >= INTERVAL
    }

    /// Writes down a place.
    pub fn note(&mut self, place: JournalEntry) -> io::Result<()> {
        if self.kept.first.is_none() {
            self.kept.first = Some(place);
        } else {
            let last = &mut self.kept.last;
            last.push_back(place);
            last.drain(..last.len().saturating_sub(KEPT));
        }
        self.write()
    }

    /// The old file stays until the new one is complete and on the disk: after a crash of the
    /// machine one of them is there.
    fn write(&mut self) -> io::Result<()> {
        // If it fails, it is tried again when it is due the next time.
        self.written = Instant::now();
        let text = serde_json::to_vec(&self.kept)?;
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

    /// All is done.
    pub fn remove(self) -> io::Result<()> {
        match fs::remove_file(self.path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

/// Reads what stands behind the head, unless it is not what was written.
fn read(text: &[u8]) -> Option<Kept> {
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
    fn what_is_taken_up_is_what_was_noted() {
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
            journal.note(JournalEntry::new(&checkpoint, mark(i * 10), mark(i))).unwrap();
        }
        let mut journal = Journal::take_up(&output, &run()).unwrap().unwrap();
        let within =
            |journal: &Journal, rows, diagnostics| journal.last_within(rows, diagnostics).cloned();
        assert_eq!(within(&journal, 95, 9).unwrap().checkpoint(), checkpoint);
        assert_eq!(within(&journal, 89, 9).unwrap().checkpoint().position.line, 8);
        assert_eq!(within(&journal, 95, 7).unwrap().rows, mark(70));
        assert_eq!(within(&journal, 59, 9).unwrap().rows, mark(0), "the others were too long ago");
        journal.go_back(80, vec!["rows".into(), "more".into()]).unwrap();
        let journal = Journal::take_up(&output, &run()).unwrap().unwrap();
        assert_eq!(journal.outputs(), ["rows", "more"]);
        assert_eq!(within(&journal, 95, 9).unwrap().rows, mark(80));
        journal.remove().unwrap();
        assert!(Journal::take_up(&output, &run()).unwrap().is_none());
    }

    /// Every byte counts.
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
            let refused = Journal::take_up(&output, &run()).unwrap_err().to_string();
            let expected =
                if at < HEAD.len() { "is no journal" } else { "is damaged or was changed" };
            assert!(refused.contains(expected), "{at}: {refused}");
            assert_eq!(fs::read(&path).unwrap(), changed);
        }
        for length in HEAD.len()..text.len() {
            fs::write(&path, &text[..length]).unwrap();
            assert!(Journal::take_up(&output, &run()).is_err(), "{length}");
        }
    }

    #[test]
    fn only_a_journal_may_stand_where_one_is_written() {
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
