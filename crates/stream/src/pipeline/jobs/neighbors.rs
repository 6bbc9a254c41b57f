//! The job that lists puzzles that differ from others in few clues.

use std::collections::HashSet;
use std::io;
use std::vec::IntoIter;

use super::augment::{blank_of, cells_with, compare_solutions, valid_puzzle};
use super::classify::Classifier;
use super::{Classify, Job, Worker, derive_rows, stopped};
use crate::condition::Predicate;
use crate::output::Derived;
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
    /// The rows of the current record that are left.
    rows: IntoIter<Derived>,
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
        Box::new(NeighborLister { job: self, classifier, explorer, rows: Vec::new().into_iter() })
    }

    /// Keeps blocks small, because the neighbors of a record take milliseconds.
    fn block_bytes(&self) -> usize {
        128
    }
}

impl Worker for NeighborLister<'_> {
    fn run(&mut self, work: &mut Work) -> io::Result<()> {
        self.classifier.run(work)?;
        compare_solutions(false, work);
        Ok(())
    }

    fn derive(&mut self, work: &mut Work) -> io::Result<bool> {
        let Self { job, explorer, rows: left, .. } = self;
        derive_rows(work, |row, copy| {
            if copy == 0 {
                let mut found = Vec::new();
                if let Some(puzzle) = valid_puzzle(row) {
                    let parent = Neighbor::new(puzzle, row.outcome_or_none().grid, true);
                    found = job.rows(explorer, &parent, blank_of(row)).ok_or_else(stopped)?;
                }
                if let Some(condition) = &job.condition {
                    found.retain(|derived| condition.holds(&row.with(derived)));
                }
                *left = found.into_iter();
            }
            Ok(left.next())
        })
    }
}
