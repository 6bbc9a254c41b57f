//! Comparisons of records: how (`--by`), and with which other sets (`--against`).

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use bulkdoku::Status;
use bulkdoku::input::InputOptions;
use bulkdoku::output::Row;
use bulkdoku::pipeline::{
    BlockSource, BlockSummary, Classify, Map, MessageFormat, TextSource, fold_blocks, visible,
    write_messages,
};
use bulkdoku::sets::{Sameness, Seen};
use bulkdoku::stats::Counts;
use indicatif::HumanCount;

use super::identity::STDIN;
use super::inputs::Inputs;
use super::numbers::counted;
use super::origin::Origin;
use super::outputs::Destinations;
use super::progress::{Meter, Progressed};
use super::run_args::RunArgs;
use super::{Failure, help, paths, platform};

/// The criterion by which two records are the same.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct ByArgs {
    /// What equal records have in common [default: class]
    #[arg(
        long,
        value_name = "WHAT",
        help_heading = "Output",
        value_parser = help::one_of(CRITERIA)
    )]
    by: Option<Sameness>,
}

#[rustfmt::skip]
const CRITERIA: &[(&str, Sameness, &str)] = &[
    ("class", Sameness::Class, "Canonical form: all isomorphs of a puzzle"),
    ("puzzle", Sameness::Puzzle, "Cells; blanks and layout make no difference"),
    ("grid", Sameness::Grid,
        "Canonical form of the solution. Puzzles without exactly one are counted, and not compared"),
];

impl ByArgs {
    pub fn sameness(self) -> Sameness {
        self.by.unwrap_or(Sameness::Class)
    }
}

pub fn finds(by: Sameness) -> &'static str {
    match by {
        Sameness::Class => "canonical forms",
        Sameness::Puzzle => "equal puzzles",
        Sameness::Grid => "canonical forms of solutions",
    }
}

/// Returns what records that are the same have in common.
fn name(by: Sameness) -> &'static str {
    let (name, ..) =
        CRITERIA.iter().find(|(_, other, _)| *other == by).expect("every criterion has a name");
    name
}

/// Returns the files to compare with, also those in folders, except the outputs of the run.
pub fn files(against: &[PathBuf], destinations: &Destinations) -> Result<Vec<Origin>, Failure> {
    if against.iter().any(|path| path == Path::new(STDIN)) {
        refuse!("--against -: name a file");
    }
    paths::expand(against.to_vec(), destinations)
}

/// The question of a run that compares records, which its summary answers.
pub struct Comparison {
    by: Sameness,
    with: String,
    /// The number of records of the set that cannot be compared, and why the first one cannot.
    without: u64,
    fault: String,
}

impl Comparison {
    pub fn read(
        files: Vec<Origin>,
        by: Sameness,
        run: RunArgs,
        max_record: usize,
    ) -> Result<(Self, Seen), Failure> {
        let options = InputOptions { max_record, ..InputOptions::default() };
        let mut inputs = Inputs::open(files)?;
        inputs.detect(&options, &AtomicBool::default())?;
        let (mut known, mut without) = (Seen::default(), 0_u64);
        let add = |hash: Option<u128>| {
            let Some(hash) = hash else {
                without += 1;
                return Ok(());
            };
            known.insert(hash).map(drop)
        };
        let fault = read_hashes(&mut inputs, by, run, add)?;
        let names: Vec<_> = inputs.names().iter().map(|name| visible(name).into_owned()).collect();
        let with = match &names[..] {
            [first, others @ ..] if others.len() > 2 => {
                format!("{first} and {} others", HumanCount(others.len() as u64))
            }
            names => names.join(", "),
        };
        if known.is_empty() && without == 0 {
            return Err(Failure::Io(format!("--against: no records in {with}")));
        }
        if known.is_empty() {
            let cause = if fault.is_empty() { fault } else { fault + "; " };
            let what = format!("no record of {with} can be compared by its {}", name(by));
            return Err(Failure::Io(cause + &what));
        }
        Ok((Self { by, with, without, fault }, known))
    }

    /// Returns whether a record of either side was not compared, so it may be in both.
    pub fn is_open(&self, counts: &Counts) -> bool {
        self.without + not_compared(counts) > 0
    }

    /// Returns the answer: how many records are known, and how many were not compared.
    pub fn verdict(&self, counts: &Counts, has_condition: bool) -> String {
        let (known, what, with) = (counts.of(Status::Known), name(self.by), &self.with);
        let mut text = if known == 0 {
            format!("no record has its {what} in {with}")
        } else {
            let all = counted(counts.records(), "record");
            let have = if known == 1 { "has its" } else { "have their" };
            format!("{} of {all} {have} {what} in {with}", HumanCount(known))
        };
        if has_condition {
            text += "; only records that meet --where were compared";
        }
        let fault =
            if self.fault.is_empty() { String::new() } else { format!(" ({})", self.fault) };
        let parts =
            [(not_compared(counts), String::new()), (self.without, format!(" of {with}{fault}"))];
        let parts = parts.iter().filter(|(count, _)| *count > 0);
        let parts: Vec<_> =
            parts.map(|(count, of)| format!("{}{of}", counted(*count, "record"))).collect();
        if !parts.is_empty() {
            text = format!("{text}; not compared: {}", parts.join(", "));
        }
        text
    }
}

/// Returns the number of records of the run that have nothing to compare.
fn not_compared(counts: &Counts) -> u64 {
    let failed = Status::ALL.iter().filter(|status| !status.is_good());
    failed.map(|status| counts.of(*status)).sum()
}

/// The hashes of a block, and messages about records that have none.
type Hashed = (Vec<Option<u128>>, Vec<u8>);

/// Statuses of records without a grid.
const WITHOUT_GRID: &[Status] = &[Status::Unsolvable, Status::Multiple, Status::GaveUp];

/// Passes the hash of each record to `add`, in order. Returns the message about the first record that
/// has none.
fn read_hashes(
    inputs: &mut Inputs,
    by: Sameness,
    run: RunArgs,
    mut add: impl FnMut(Option<u128>) -> std::io::Result<()> + Send,
) -> Result<String, Failure> {
    let progress = platform::new_progress();
    let meter = Meter::new(run.progress, inputs.size(), run.quiet);
    let (bytes, options) = (inputs.bytes(), run.options(&progress));
    let mut source = TextSource::new(0, inputs.sources(), &progress.stop);
    let hash = |row: Row<'_>| match by {
        // Contradictory puzzles have no class, but may be equal.
        Sameness::Puzzle => row.puzzle().map(|puzzle| Seen::hash(&puzzle)),
        _ => by.hash(&row),
    };
    let map = || -> Box<Map<'_, Hashed>> {
        Box::new(|rows, (hashes, messages)| {
            hashes.clear();
            messages.clear();
            hashes.extend(rows.records().map(hash));
            if hashes.contains(&None) {
                write_messages(rows, WITHOUT_GRID, MessageFormat::Text, messages);
            }
        })
    };
    let mut fault = String::new();
    let reduce = |(hashes, messages): &mut Hashed, summary: Option<&BlockSummary>| {
        if fault.is_empty() && !messages.is_empty() {
            let messages = String::from_utf8_lossy(messages);
            fault = messages.lines().next().unwrap_or_default().into();
        }
        let records = summary.map_or(0, |summary| summary.counts.records());
        progress.records.fetch_add(records, Ordering::Relaxed);
        hashes.drain(..).try_for_each(&mut add)
    };
    let (job, needs) = (Classify::by(by), by.needs());
    let folded = meter.watch(
        || Progressed::of_bytes(&bytes, &progress),
        || fold_blocks(&mut source, &job, &mut [], needs, &options, &map, reduce),
    );
    folded.end.map_err(|error| match error.kind() {
        ErrorKind::Interrupted => Failure::Stopped,
        _ => error.into(),
    })?;
    let failures: Vec<_> = source.take_failures().iter().map(ToString::to_string).collect();
    if failures.is_empty() { Ok(fault) } else { Err(Failure::of_all(&failures)) }
}
