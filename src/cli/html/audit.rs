//! The audit of solutions, in the report of `check`.

use std::path::{Path, PathBuf};

use bulkdoku::Status;
use indicatif::HumanCount;

use super::{Cell, Page, sha256};
use crate::cli::audit::{Audit, Group};

/// Adds the verdict, wrong records by reason, duplicates, the number of records that another set has
/// as well, and the hashes of the files that were read.
pub fn add(page: &mut Page, audit: &Audit, known: u64, reads: &[PathBuf], is_complete: bool) {
    let findings = audit.findings();
    let wrong = findings.records - findings.right;
    let all = HumanCount(findings.records);
    let verdict = match (wrong, is_complete) {
        (0, true) => format!("All {all} solutions are right."),
        (0, false) => format!("No wrong solution among the {all} records that were read."),
        (1, _) => format!("1 of {all} records is not right."),
        _ => format!("{} of {all} records are not right.", HumanCount(wrong)),
    };
    page.verdict(&verdict, wrong == 0 && is_complete);
    if wrong > 0 {
        page.heading("Wrong records");
        let name = |(status, reason): &(usize, String)| match Status::ALL[*status] {
            Status::Mismatch => reason.clone(),
            status if reason.is_empty() => status.name().into(),
            status => format!("{}: {reason}", status.name()),
        };
        let groups: Vec<_> = findings.wrong.iter().map(|(of, group)| (name(of), group)).collect();
        let counts: Vec<_> = groups.iter().map(|(of, group)| (of.clone(), group.records)).collect();
        page.counts("reason", "records", &counts);
        for (of, group) in &groups {
            page.subheading(of);
            examples(page, group, "reason");
        }
    }
    page.heading("Duplicates");
    let repeated = findings.duplicates.records;
    let among = match findings.compared {
        None => "all records".to_owned(),
        Some(count) => format!("the first {} records", HumanCount(count)),
    };
    page.note(&match repeated {
        0 => format!("No puzzle occurs twice among {among}."),
        1 => format!("The puzzle of 1 record occurred before, among {among}."),
        _ => format!(
            "The puzzles of {} records occurred before, among {among}.",
            HumanCount(repeated)
        ),
    });
    if repeated > 0 {
        examples(page, &findings.duplicates, "status");
    }
    if known > 0 {
        page.heading("Overlap");
        let are = if known == 1 { "record is" } else { "records are" };
        page.note(&format!("{} right {are} also in the set of --against.", HumanCount(known)));
    }
    page.heading("Inputs");
    let hash = |path: &PathBuf| {
        let hash = if path == Path::new("-") {
            "standard input, not hashed".into()
        } else {
            sha256(path).unwrap_or_else(|error| error.to_string())
        };
        vec![Cell::Text(path.display().to_string()), Cell::Text(hash)]
    };
    page.table(&["file", "SHA-256"], &reads.iter().map(hash).collect::<Vec<_>>());
}

fn examples(page: &mut Page, group: &Group, what: &str) {
    let row = |(place, what): &(String, String)| {
        vec![Cell::Text(place.clone()), Cell::Text(what.clone())]
    };
    page.table(&["first records", what], &group.examples.iter().map(row).collect::<Vec<_>>());
}
