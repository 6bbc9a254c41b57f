//! Links between documents, and the contents of the book.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Text without blocks of code.
fn prose(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    text.split("```").step_by(2).collect()
}

/// The anchors of the headings, as GitHub and mdBook derive them.
fn anchors(path: &Path) -> HashSet<String> {
    let prose = prose(path);
    let headings = prose.lines().filter(|line| line.starts_with('#'));
    let anchor = |heading: &str| {
        let text = heading.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
        text.chars().filter(|c| c.is_alphanumeric() || "-_".contains(*c)).collect()
    };
    headings.map(anchor).collect()
}

/// The relative targets of links and pictures in a document.
fn links(path: &Path) -> Vec<String> {
    let prose = prose(path);
    let targets = prose.split("](").skip(1).map(|rest| rest.split(')').next().unwrap());
    // The book is built next to the pages of `cargo doc`.
    let is_checked =
        |target: &&str| !target.contains("://") && !target.contains("../doc/bulkdoku/");
    targets.filter(is_checked).map(str::to_owned).collect()
}

fn documents() -> Vec<PathBuf> {
    let files = ["docs", "docs/start", "."].map(|folder| fs::read_dir(folder).unwrap());
    let files = files.into_iter().flatten().map(|file| file.unwrap().path());
    files.filter(|path| path.extension().is_some_and(|extension| extension == "md")).collect()
}

#[test]
fn links_lead_to_documents_and_headings() {
    let mut count = 0;
    for document in documents() {
        for link in links(&document) {
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = match file {
                "" => document.clone(),
                _ => document.parent().unwrap().join(file),
            };
            assert!(target.exists(), "{}: {link}", document.display());
            let has_anchor = anchor.is_empty() || anchors(&target).contains(anchor);
            assert!(has_anchor, "{}: no heading for {link}", document.display());
            count += 1;
        }
    }
    assert!(count > 50, "{count} links");
}

#[test]
fn the_book_contains_every_document() {
    let summary = Path::new("docs/SUMMARY.md");
    let listed: HashSet<_> =
        links(summary).iter().map(|link| Path::new("docs").join(link)).collect();
    for document in documents().iter().filter(|path| path.starts_with("docs") && *path != summary) {
        assert!(listed.contains(document), "{} is not in the summary", document.display());
    }
}
