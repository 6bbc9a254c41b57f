//! The report of the records that pairs of sets have in common.

use std::path::Path;
use std::time::SystemTime;

use bulkdoku::Status;
use bulkdoku::sets::{Overlap, RecordHashes, Sameness};
use indicatif::HumanCount;

use super::super::Failure;
use super::super::by::name;
use super::super::summary::Verdict;
use super::{Cell, Page, sha256, version};

/// A set in the report.
pub struct ReportedSet {
    name: String,
    sha256: String,
    records: u64,
    invalid: u64,
    /// The number of puzzles without exactly one solution.
    without_grid: u64,
}

impl ReportedSet {
    /// Hashes a file, whose records are added later.
    pub fn new(path: &Path) -> Result<Self, Failure> {
        let sha256 = sha256(path).map_err(|error| Failure::at(path, error))?;
        let name = path.display().to_string();
        Ok(Self { name, sha256, records: 0, invalid: 0, without_grid: 0 })
    }

    /// Counts a record, which is compared by its grid.
    pub fn add(&mut self, record: &RecordHashes) {
        self.records += 1;
        match record.status {
            Status::Malformed | Status::Contradictory | Status::NoForm => self.invalid += 1,
            _ => self.without_grid += u64::from(record.first.is_none()),
        }
    }
}

/// Creates the report of these sets, compared by each criterion.
pub fn of_overlap(
    sets: &[ReportedSet],
    mut all: Vec<(Sameness, &Overlap)>,
    verdict: &Verdict,
) -> Page {
    all.sort_by_key(|(by, _)| *by);
    let mut page = Page::new("bulkdoku overlap");
    page.verdict(&verdict.text, !verdict.fails);
    page.note(
        "A record is in another set if that set has the same puzzle, a puzzle of the same class \
         (all isomorphs of a puzzle), or one whose solution grid is isomorphic. With --near K, \
         also if two puzzles are of the same class after removing up to K clues from each.",
    );
    page.heading("Sets");
    let rows: Vec<_> = sets.iter().map(set_row).collect();
    page.table(&["file", "records", "invalid", "not exactly one solution", "SHA-256"], &rows);
    for [first, second] in all[0].1.pairs() {
        add_pair(&mut page, sets, [first, second], &all);
    }
    page.origin(&[("Date", version::date(SystemTime::now()))]);
    page
}

fn count(number: u64) -> Cell {
    Cell::Number(HumanCount(number).to_string())
}

fn set_row(set: &ReportedSet) -> Vec<Cell> {
    vec![
        Cell::Text(set.name.clone()),
        count(set.records),
        count(set.invalid),
        count(set.without_grid),
        Cell::Text(set.sha256.clone()),
    ]
}

fn add_pair(
    page: &mut Page,
    sets: &[ReportedSet],
    [first, second]: [usize; 2],
    all: &[(Sameness, &Overlap)],
) {
    let [first_name, second_name] = [first, second].map(|set| &sets[set].name);
    page.heading(&format!("{first_name} and {second_name}"));
    let in_first = format!("records of {second_name} in {first_name}");
    let in_second = format!("records of {first_name} in {second_name}");
    let headings = ["the same", &in_first, "different ones", &in_second, "different ones"];
    let (mut rows, mut examples) = (Vec::new(), Vec::new());
    for (by, overlap) in all {
        let [of_second, of_first] =
            [(second, first), (first, second)].map(|(set, other)| overlap.shared(set, other));
        let shared = of_second
            .examples
            .iter()
            .map(|(line, other)| format!("{second_name}:{line} and {first_name}:{other}"));
        let shared: Vec<_> = shared.collect();
        if !shared.is_empty() {
            examples.push(format!("{}: {}", name(*by), shared.join(", ")));
        }
        let mut row = vec![Cell::Text(name(*by))];
        for found in [of_second, of_first] {
            row.extend([count(found.records), count(found.different)]);
        }
        rows.push(row);
    }
    page.table(&headings, &rows);
    for example in examples {
        page.note(&format!("Lines of the same {example}"));
    }
}
