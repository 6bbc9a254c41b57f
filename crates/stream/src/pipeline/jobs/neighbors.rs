//! The job that lists puzzles that differ from others in few clues.

use std::collections::HashSet;
use std::io;
use std::vec::IntoIter;

use super::augment::{blank_of, cells_with, compare_solutions, valid_puzzle};
use super::classify::Classifier;
use super::{Classify, Job, Worker, derive_rows, stopped};
use crate::condition::Predicate;
use crate::output::{Derived, Rows};
use crate::pipeline::Work;
use crate::sets::Sameness;
use bulkdoku_core::generate::islands::{Change, Explorer, Neighbor};
use bulkdoku_core::{SimdLevel, Status, StopFlag};

/// A job that lists all puzzles at some distances from each record: see [`Explorer::neighbors`].
/// Records without exactly one solution have no rows.
///
/// Of the neighbors of a record that are isomorphic to each other, the first one is listed; those
/// that are isomorphic to the record are not.
#[derive(Clone, Debug)]
pub struct Neighbors {
    /// The changes, in the order of the rows.
    pub changes: Vec<Change>,
    /// Whether the record itself is written before its neighbors.
    pub original: bool,
    /// Whether rows show, or the condition reads, which puzzles are minimal.
    pub minimal: bool,
    /// The condition that rows meet, if there is one.
    pub condition: Option<Predicate>,
}

/// The engines of [`Neighbors`], and its progress within a block.
struct NeighborLister<'j> {
    job: &'j Neighbors,
    classifier: Classifier,
    explorer: Explorer,
    record: usize,
    /// The rows of the current record that are left, once they are found.
    rows: Option<IntoIter<Derived>>,
}

impl Neighbors {
    /// Returns the row of each neighbor of a puzzle, without its blank; `None` if stopped.
    fn rows(&self, explorer: &mut Explorer, record: &Neighbor, blank: u8) -> Option<Vec<Derived>> {
        let mut all = vec![*record];
        for &change in &self.changes {
            all.extend(explorer.neighbors(record, change)?);
        }
        let mut classes = HashSet::new();
        all.retain(|it| it.puzzle.canonical().is_ok_and(|it| classes.insert(it.form)));
        let mut minimal = all.clone();
        if self.minimal {
            explorer.minimize(&mut minimal, false)?;
        }
        let rows = (0..).zip(all.iter().zip(minimal)).map(|(copy, (it, minimal))| Derived {
            copy,
            cells: Some(cells_with(blank, &it.puzzle)),
            solution: Some(it.solution),
            status: Some(if it.is_unique { Status::Unique } else { Status::Multiple }),
            minimal: (self.minimal && it.is_unique).then_some(minimal.puzzle == it.puzzle),
            ..Derived::default()
        });
        Some(rows.skip(usize::from(!self.original)).collect())
    }
}

impl Job for Neighbors {
    fn start<'j>(&'j self, stop: &StopFlag) -> Box<dyn Worker + 'j> {
        let classifier = Classifier::new(&Classify::by(Sameness::Grid), stop);
        let explorer = Explorer::new(SimdLevel::best(), stop);
        Box::new(NeighborLister { job: self, classifier, explorer, record: 0, rows: None })
    }

    /// Keeps blocks small, because the neighbors of a record take milliseconds.
    fn block_bytes(&self) -> usize {
        128
    }
}

impl Worker for NeighborLister<'_> {
    fn run(&mut self, work: &mut Work) -> io::Result<()> {
        (self.record, self.rows) = (0, None);
        self.classifier.run(work)?;
        compare_solutions(false, &work.block, &work.records, &mut work.results);
        Ok(())
    }

    fn derive(&mut self, work: &mut Work) -> io::Result<bool> {
        let Self { job, explorer, record, rows: left, .. } = self;
        let Work { block, records, results, derived } = work;
        derive_rows(record, block, records, derived, |index, record| {
            if left.is_none()
                && let Some(puzzle) = valid_puzzle(index, record, records, results)
                && let Ok(at) = record.puzzle
            {
                let parent = Neighbor::new(puzzle, results.outcomes.of(at).grid, true);
                let found = job.rows(explorer, &parent, blank_of(record, block, records));
                let mut found = found.ok_or_else(stopped)?;
                if let Some(condition) = &job.condition {
                    found.iter_mut().for_each(|row| row.record = index as u32);
                    let mut is_kept = Vec::with_capacity(found.len());
                    let all = Rows { derived: Some(&found), ..block.rows(records, results) };
                    all.for_each(|row| is_kept.push(condition.holds(row)));
                    let mut is_kept = is_kept.into_iter();
                    found.retain(|_| is_kept.next() == Some(true));
                }
                *left = Some(found.into_iter());
            }
            let next = left.as_mut().and_then(Iterator::next);
            if next.is_none() {
                *left = None;
            }
            Ok(next)
        })
    }
}
