//! The summary of what sets have in common.

use bulkdoku::sets::{Overlap, Sameness};
use indicatif::HumanCount;

use super::super::by::groups;
use super::super::log;
use super::super::numbers::counted;
use super::super::summary::Verdict;

/// Prints the number of records and classes that each pair of sets shares.
pub fn print(overlap: &Overlap, names: &[String], by: Sameness) {
    let what = groups(by);
    for (name, set) in names.iter().zip(&overlap.sets) {
        let (records, different) = (counted(set.records, "record"), HumanCount(set.different));
        log::note(format!("{name}: {records}; different {what}: {different}"));
    }
    for [one, other] in overlap.pairs() {
        for (from, to) in [(one, other), (other, one)] {
            let shared = overlap.shared(from, to);
            log::note(format!(
                "{}: {} of {} records occur in {}; different {what}: {}",
                names[from],
                HumanCount(shared.records),
                HumanCount(overlap.sets[from].records),
                names[to],
                HumanCount(shared.different),
            ));
        }
    }
}

/// Returns the first line of a summary.
pub fn verdict(overlap: &Overlap, by: Sameness) -> Verdict {
    let (found, pairs) = (overlap.pairs_with_shared_records(), overlap.pairs().count());
    let what = groups(by);
    let text = match (found, pairs) {
        (0, 1) => format!("the sets share no {what}"),
        (_, 1) => format!("the sets share {what}"),
        (0, _) => format!("none of {pairs} pairs of sets shares {what}"),
        _ => format!("{found} of {pairs} pairs of sets share {what}"),
    };
    Verdict { fails: found > 0, text }
}
