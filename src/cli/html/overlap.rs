//! The report of the records that pairs of sets have in common.

use std::io;

use bulkdoku::sets::Sameness;
use indicatif::HumanCount;

use super::super::by::{groups, name};
use super::super::overlap::verdict;
use super::super::sets_read::ReadSet;
use super::{Cell, Page};

/// The number of examples per criterion.
const EXAMPLES: usize = 3;

/// Creates the report of these sets, compared by each criterion.
pub fn of_overlap(
    sets: &[ReadSet],
    kinds: &[Sameness],
    by: Sameness,
    date: String,
) -> io::Result<Page> {
    let pairs = || {
        sets.iter()
            .enumerate()
            .flat_map(|(i, one)| sets[i + 1..].iter().map(move |other| (one, other)))
    };
    let kind = kinds.iter().position(|kind| *kind == by).unwrap_or_default();
    let shared = pairs().map(|(one, other)| Ok(one.found_in(other, kind, 0)?.records > 0));
    let shared = shared.collect::<io::Result<Vec<_>>>()?;
    let found = shared.iter().filter(|is| **is).count();
    let mut page = Page::new("bulkdoku overlap");
    page.verdict(&verdict(found, shared.len(), groups(by)), found == 0);
    page.note(
        "A record is in another set if that set has the same puzzle, a puzzle of the same class \
         (all isomorphs of a puzzle), or one whose solution grid is isomorphic. With --near K, \
         also if two puzzles are of the same class after removing up to K clues from each.",
    );
    page.heading("Sets");
    let rows: Vec<_> = sets.iter().map(set_row).collect();
    page.table(&["file", "records", "invalid", "not exactly one solution", "SHA-256"], &rows);
    for (first, second) in pairs() {
        add_pair(&mut page, first, second, kinds)?;
    }
    page.origin(&[("Date", date)]);
    Ok(page)
}

fn count(number: u64) -> Cell {
    Cell::Number(HumanCount(number).to_string())
}

fn set_row(set: &ReadSet) -> Vec<Cell> {
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
    first: &ReadSet,
    second: &ReadSet,
    kinds: &[Sameness],
) -> io::Result<()> {
    page.heading(&format!("{} and {}", first.name, second.name));
    let in_first = format!("records of {} in {}", second.name, first.name);
    let in_second = format!("records of {} in {}", first.name, second.name);
    let headings = ["the same", &in_first, "different ones", &in_second, "different ones"];
    let (mut rows, mut examples) = (Vec::new(), Vec::new());
    for (kind, by) in kinds.iter().enumerate() {
        let of_second = second.found_in(first, kind, EXAMPLES)?;
        let of_first = first.found_in(second, kind, 0)?;
        let shared = of_second
            .examples
            .iter()
            .map(|(line, other)| format!("{}:{line} and {}:{other}", second.name, first.name));
        let shared: Vec<_> = shared.collect();
        if !shared.is_empty() {
            examples.push(format!("{}: {}", name(*by), shared.join(", ")));
        }
        let mut row = vec![Cell::Text(name(*by))];
        for found in [&of_second, &of_first] {
            row.extend([count(found.records), count(found.different)]);
        }
        rows.push(row);
    }
    page.table(&headings, &rows);
    for example in examples {
        page.note(&format!("Lines of the same {example}"));
    }
    Ok(())
}
