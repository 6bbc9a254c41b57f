//! What an unfinished run leaves beside its output, so that `--resume` can go on with it.
//!
//! `results.csv.resume` says what the run was (inputs, options) and has the last few places in the
//! input up to which all rows are in the output, with the output's length there. It is written
//! before the output, always as a whole, and removed when all is done: an output with such a file
//! beside it is not complete, and whatever stands in it behind the last place is cut off.
//!
//! Several places are kept, because a machine that crashes may lose the end of the output that a
//! killed run leaves behind.

use std::collections::{BTreeMap, VecDeque};
use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use bulkdoku::input::Position;
use bulkdoku::pipeline::{RecordName, SoFar};
use bulkdoku::stats::{Counts, Latencies};
use serde::{Deserialize, Serialize};

use super::Failure;

/// How often a place is written down: so much work is done again at most.
const INTERVAL: Duration = Duration::from_millis(200);
/// How many places are kept.
const KEPT: usize = 4;

/// What has to be the same for a run to be gone on with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// The program and its version.
    pub program: String,
    /// The inputs, in order.
    pub inputs: Vec<InputState>,
    /// The options that shape rows, by their names.
    pub options: BTreeMap<String, String>,
}

/// What tells one input from another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputState {
    /// Its name.
    pub name: String,
    /// Its size in bytes, if it is a file.
    pub bytes: Option<u64>,
    /// When it was changed, if it is a file.
    pub modified: Option<SystemTime>,
}

impl InputState {
    /// Looks at an input.
    pub fn of(name: String, path: &Path) -> Self {
        let file = fs::metadata(path).ok().filter(fs::Metadata::is_file);
        Self {
            name,
            bytes: file.as_ref().map(fs::Metadata::len),
            modified: file.as_ref().and_then(|file| file.modified().ok()),
        }
    }
}

impl Run {
    /// What was another one before, if anything was.
    fn difference(&self, before: &Self) -> Option<String> {
        if self.program != before.program {
            return Some(format!("it was {} before, this is {}", before.program, self.program));
        }
        let names = |run: &Self| {
            let names: Vec<_> = run.inputs.iter().map(|input| input.name.clone()).collect();
            names.join(", ")
        };
        if names(self) != names(before) {
            return Some(format!("the inputs were {} before", names(before)));
        }
        if let Some((now, _)) = self.inputs.iter().zip(&before.inputs).find(|(a, b)| a != b) {
            return Some(format!("the input {} has been changed since", now.name));
        }
        let keys = self.options.keys().chain(before.options.keys());
        let mut changed = keys.filter(|&key| self.options.get(key) != before.options.get(key));
        changed.next().map(|key| {
            let value = |run: &Self| run.options.get(key).cloned().unwrap_or("not given".into());
            format!("{key} was {} before, is {} now", value(before), value(self))
        })
    }
}

/// A place up to which all is in the outputs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Checkpoint {
    /// The length of the rows' file.
    pub rows_bytes: u64,
    /// The length of the messages' file, if there is one.
    pub notes_bytes: u64,
    source: usize,
    position: Position,
    counts: Counts,
    /// Latencies and how many puzzles had each.
    latencies: Vec<(u64, u64)>,
    last_record: Option<(String, u64)>,
}

impl Checkpoint {
    fn new(so_far: &SoFar, rows_bytes: u64, notes_bytes: u64) -> Self {
        let SoFar { source, position, counts, latencies, last_record } = so_far;
        let buckets = latencies.buckets().map(|bucket| (bucket.highest_ns, bucket.count));
        Self {
            rows_bytes,
            notes_bytes,
            source: *source,
            position: *position,
            counts: *counts,
            latencies: buckets.collect(),
            last_record: last_record.as_ref().map(|last| (last.file.to_string(), last.line)),
        }
    }

    /// What was done there.
    pub fn so_far(&self) -> SoFar {
        let mut latencies = Latencies::new();
        self.latencies.iter().for_each(|&bucket| latencies.record_n(bucket));
        let last_record = self.last_record.as_ref();
        SoFar {
            source: self.source,
            position: self.position,
            counts: self.counts,
            latencies,
            last_record: last_record
                .map(|(file, line)| RecordName { file: file.as_str().into(), line: *line }),
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
    /// The oldest first.
    checkpoints: VecDeque<Checkpoint>,
}

/// Where the journal of an output is.
pub fn path_beside(output: &Path) -> PathBuf {
    let mut path = output.as_os_str().to_owned();
    path.push(".resume");
    path.into()
}

impl Journal {
    /// Starts one for a new output.
    pub fn begin(output: &Path, run: Run) -> io::Result<Self> {
        let kept = Kept { run, checkpoints: VecDeque::new() };
        let mut journal = Self { path: path_beside(output), kept, written: Instant::now() };
        journal.write()?;
        Ok(journal)
    }

    /// Takes up what an earlier run left beside `output`, if it did and was the same run.
    pub fn take_up(output: &Path, run: &Run) -> Result<Option<Self>, Failure> {
        let path = path_beside(output);
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Failure::at(&path, error)),
        };
        let kept: Kept = serde_json::from_slice(&text).map_err(|error| {
            let what = format!("cannot be read ({error}); --force starts over");
            Failure::Usage(format!("{}: {what}", path.display()))
        })?;
        if let Some(difference) = run.difference(&kept.run) {
            return Err(Failure::Usage(format!(
                "{}: another run: {difference}; name another output, or --force starts over",
                output.display()
            )));
        }
        Ok(Some(Self { path, kept, written: Instant::now() }))
    }

    /// The last place that outputs of these lengths reach.
    pub fn last_within(&self, rows_bytes: u64, notes_bytes: u64) -> Option<Checkpoint> {
        let mut places = self.kept.checkpoints.iter().rev();
        places
            .find(|place| place.rows_bytes <= rows_bytes && place.notes_bytes <= notes_bytes)
            .cloned()
    }

    /// Whether it is time to write down a place again.
    pub fn is_due(&self) -> bool {
        self.written.elapsed() >= INTERVAL
    }

    /// Writes down a place.
    pub fn note(&mut self, so_far: &SoFar, rows_bytes: u64, notes_bytes: u64) -> io::Result<()> {
        let places = &mut self.kept.checkpoints;
        places.push_back(Checkpoint::new(so_far, rows_bytes, notes_bytes));
        places.drain(..places.len().saturating_sub(KEPT));
        self.write()
    }

    /// The old file stays until the new one is complete.
    fn write(&mut self) -> io::Result<()> {
        let mut new = self.path.clone().into_os_string();
        new.push(".new");
        let mut file = BufWriter::new(File::create(&new)?);
        serde_json::to_writer(&mut file, &self.kept)?;
        file.flush()?;
        fs::rename(&new, &self.path)?;
        self.written = Instant::now();
        Ok(())
    }

    /// All is done.
    pub fn remove(self) -> io::Result<()> {
        fs::remove_file(self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(name: &str, bytes: u64, limit: &str) -> Run {
        Run {
            program: "x 1".into(),
            inputs: vec![InputState { name: name.into(), bytes: Some(bytes), modified: None }],
            options: [("--limit".to_owned(), limit.to_owned())].into(),
        }
    }

    #[test]
    fn another_run_is_told_from_the_same_one() {
        let before = run("a", 1, "2");
        assert_eq!(run("a", 1, "2").difference(&before), None);
        let difference = |now: Run| now.difference(&before).unwrap();
        assert_eq!(difference(run("b", 1, "2")), "the inputs were a before");
        assert_eq!(difference(run("a", 2, "2")), "the input a has been changed since");
        assert_eq!(difference(run("a", 1, "3")), "--limit was 2 before, is 3 now");
        let more = Run { options: BTreeMap::new(), ..run("a", 1, "2") };
        assert_eq!(difference(more), "--limit was 2 before, is not given now");
    }

    #[test]
    fn what_is_taken_up_is_what_was_noted() {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("rows");
        let mut journal = Journal::begin(&output, run("a", 1, "2")).unwrap();
        let mut so_far = SoFar::default();
        for i in 1..10 {
            so_far.position = Position { offset: i * 100, line: i, inside_line: i == 3 };
            so_far.latencies.record_all([i * 1000, 7, 123_456_789]);
            so_far.last_record = Some(RecordName { file: "a".into(), line: i });
            journal.note(&so_far, i * 10, i).unwrap();
        }
        let journal = Journal::take_up(&output, &run("a", 1, "2")).unwrap().unwrap();
        assert_eq!(journal.last_within(95, 9).unwrap().so_far(), so_far);
        assert_eq!(journal.last_within(89, 9).unwrap().so_far().position.line, 8);
        assert_eq!(journal.last_within(95, 7).unwrap().rows_bytes, 70);
        assert!(journal.last_within(59, 9).is_none(), "it was too long ago");
        journal.remove().unwrap();
        assert!(Journal::take_up(&output, &run("a", 1, "2")).unwrap().is_none());
    }
}
