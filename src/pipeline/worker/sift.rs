//! Decides which records of a block have rows.

use std::io;

use super::{Worker, other_counts};
use crate::input::PuzzleRef;
use crate::pipeline::block::{Block, Stop};
use crate::pipeline::sift::{Fate, NOWHERE, Sameness, Sift, Sifted};
use crate::puzzle::Puzzle;
use crate::status::Status;

impl Worker<'_> {
    /// Decides which records of a block have rows. Their statuses are known.
    pub(super) fn sift(&mut self, block: &mut Block) {
        self.outputs.clear();
        if let Some(sift) = &self.pipeline.sift {
            let is_gathered = self.gather(sift, block);
            if is_gathered {
                block.failure = self.decide(sift, block).err();
            }
            if !is_gathered || block.failure.is_some() {
                block.stop = Stop::Before;
            }
        }
        if let Some(route) = &self.pipeline.route {
            self.outputs.resize(self.statuses.len(), 0);
            for (i, output) in self.outputs.iter_mut().enumerate() {
                if *output != NOWHERE {
                    let level = self.facts.get(i).and_then(|facts| facts.level);
                    *output = route(self.statuses[i], level).unwrap_or(NOWHERE);
                }
            }
        }
        if self.outputs.is_empty() {
            return;
        }
        let has_row = |(i, _): &(usize, _)| self.outputs[*i] != NOWHERE;
        let last = self.records.all.iter().enumerate().filter(has_row).last();
        block.last_record = last.map(|(_, record)| block.first_line + u64::from(record.line));
    }

    /// Lists the records to decide about; `false` if the run is stopped meanwhile.
    fn gather(&mut self, sift: &Sift, block: &Block) -> bool {
        let mut all = std::mem::take(&mut self.sifted);
        all.clear();
        for (i, record) in self.records.all.iter().enumerate() {
            let is_puzzle = !matches!(self.statuses[i], Status::Malformed | Status::Contradictory);
            let puzzle = match (sift.by, record.puzzle) {
                (Sameness::Class, _) => self.forms[i].map(|canonical| canonical.form),
                (Sameness::Exact, Ok(given)) if is_puzzle => self.puzzle(given),
                (Sameness::Exact, _) => None,
            };
            let line = block.first_line + u64::from(record.line);
            let (guesses, fate) = (0, Fate::Row(0));
            all.push(Sifted { source: block.source, line, puzzle, guesses, fate });
        }
        let has_guesses = !sift.needs_guesses || self.find_guesses(&mut all);
        self.sifted = all;
        has_guesses
    }

    fn find_guesses(&mut self, all: &mut [Sifted]) -> bool {
        let puzzles: Vec<_> = all.iter().filter_map(|sifted| sifted.puzzle).collect();
        let Some(outcomes) = self.solve_others(&puzzles) else { return false };
        let with_puzzle = all.iter_mut().filter(|sifted| sifted.puzzle.is_some());
        for (sifted, outcome) in with_puzzle.zip(&outcomes) {
            sifted.guesses = outcome.guesses;
        }
        true
    }

    /// Makes and applies the decisions.
    fn decide(&mut self, sift: &Sift, block: &mut Block) -> io::Result<()> {
        let all = &mut self.sifted;
        if sift.in_order {
            self.turns.take(block.number, || (sift.decide)(all))?;
        } else {
            (sift.decide)(all)?;
        }
        if all.iter().all(|sifted| sifted.fate == Fate::Row(0)) {
            return Ok(());
        }
        for (sifted, status) in all.iter().zip(&mut self.statuses) {
            self.outputs.push(match sifted.fate {
                Fate::Row(output) => output,
                Fate::NoRow => NOWHERE,
                Fate::Status(new) => {
                    *status = new;
                    NOWHERE
                }
            });
        }
        block.counts = other_counts(&self.records);
        self.statuses.iter().for_each(|&status| block.counts.add(status, 1));
        Ok(())
    }

    /// The puzzle of a record; `None` for pencil marks that are more than clues.
    pub(super) fn puzzle(&self, given: PuzzleRef) -> Option<Puzzle> {
        match given {
            PuzzleRef::Puzzle(place) => Some(self.records.puzzles[place as usize]),
            PuzzleRef::Marks(place) => self.records.marks[place as usize].puzzle(),
        }
    }
}
