//! The job that checks whether records are puzzles, without solving them.

use std::io;

use super::{Job, Solve, Solver, Worker};
use crate::input::{PuzzleRef, Records};
use crate::output::Results;
use crate::pipeline::Work;
use crate::sets::Sameness;
use bulkdoku_core::{Status, StopFlag};

/// A job that checks that records are puzzles whose clues obey the rules. Filters and formats
/// request canonical forms separately ([`Needs::FORM`](crate::output::Needs::FORM)).
#[derive(Default)]
pub struct Classify {
    /// The engine for properties that need one.
    pub engine: Option<Solve>,
    /// Whether the engine solves all puzzles. If so, records without exactly one solution have the
    /// status that [`Solve`] sets.
    pub solves: bool,
}

impl Classify {
    /// Creates a job that provides the properties that [`Sameness::representative`] reads.
    pub fn by(by: Sameness) -> Self {
        let solves = by == Sameness::Grid;
        Self { engine: solves.then(Solve::default), solves }
    }
}

impl Job for Classify {
    fn start<'j>(&'j self, stop: &StopFlag) -> Box<dyn Worker + 'j> {
        Box::new(Classifier::new(self, stop))
    }
}

pub(super) struct Classifier {
    solver: Option<Solver>,
    solves: bool,
}

impl Classifier {
    pub(super) fn new(job: &Classify, stop: &StopFlag) -> Self {
        let solver = job.engine.as_ref().map(|solve| Solver::new(solve, stop));
        Self { solver, solves: job.solves }
    }
}

impl Worker for Classifier {
    fn run(&mut self, work: &mut Work) -> io::Result<()> {
        if let Some(solver) = self.solver.as_mut().filter(|_| self.solves) {
            solver.run(work)?;
            for (status, record) in work.results.statuses.iter_mut().zip(&work.records.all) {
                *status = match record.puzzle {
                    Ok(PuzzleRef::Marks(_)) => Status::NoForm,
                    _ if *status == Status::Unique => Status::Ok,
                    _ => *status,
                };
            }
        } else {
            classify(&work.records, &mut work.results);
        }
        work.results.are_timed = false;
        Ok(())
    }

    fn solver(&mut self) -> Option<&mut Solver> {
        self.solver.as_mut()
    }
}

/// Sets the status of each record without solving it.
pub(super) fn classify(records: &Records, results: &mut Results) {
    results.outcomes.resize(records);
    results.statuses.extend(records.all.iter().map(|record| match record.puzzle {
        Err(_) => Status::Malformed,
        Ok(puzzle) => match records.puzzle(puzzle) {
            None => Status::NoForm,
            Some(puzzle) if puzzle.contradiction().is_some() => Status::Contradictory,
            Some(_) => Status::Ok,
        },
    }));
}
