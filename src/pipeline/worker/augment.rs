//! Writes isomorphs in place of records.

use super::Worker;
use super::several::SeveralRows;
use crate::input::{Field, Record, Text};
use crate::isomorph::{Permutation, SeededRng};
use crate::output::Rows;
use crate::pipeline::block::Block;
use crate::pipeline::requested::Augment;
use crate::puzzle::{CELLS, Grid};
use crate::rating::Facts;
use crate::solver::Outcome;
use crate::status::Status;

/// Isomorphs of one record, and their texts.
#[derive(Default)]
struct Isomorphs {
    rows: SeveralRows,
    texts: Vec<u8>,
}

impl Isomorphs {
    fn clear(&mut self) {
        self.rows.clear();
        self.texts.clear();
    }

    /// Adds an isomorph with these cells.
    fn push(
        &mut self,
        like: &Record,
        kept: &[Field],
        cells: &[u8; CELLS],
        solution: Option<Grid>,
        copy: u32,
    ) {
        let grid = solution.unwrap_or(Grid::BLANK);
        let outcome = Outcome { solutions: solution.is_some().into(), grid, ..Outcome::NONE };
        let start = self.texts.len() as u32;
        self.texts.extend_from_slice(cells);
        let text = Text::Own { text: start..start + CELLS as u32, start: 0 };
        self.rows.push(&Record { text, ..like.clone() }, outcome, Status::Ok, kept);
        self.rows.facts.push(Facts { copy: Some(copy), ..Facts::default() });
    }
}

impl Worker<'_> {
    /// Writes the isomorphs of a block's records.
    pub(super) fn write_isomorphs(&mut self, augment: &Augment, block: &mut Block) {
        let mut rows = std::mem::take(&mut block.rows);
        let mut isomorphs = Isomorphs::default();
        let kept_each = self.records.kept.len() / self.records.all.len().max(1);
        for (place, record) in self.records.all.iter().enumerate() {
            let has_row = self.outputs.get(place).is_none_or(|&output| output == 0);
            let puzzle = record.puzzle.ok().and_then(|given| self.puzzle(given));
            let is_augmented = has_row && self.statuses[place] == Status::Ok;
            let Some(puzzle) = puzzle.filter(|_| is_augmented) else { continue };
            isomorphs.clear();
            let kept = &self.records.kept[place * kept_each..(place + 1) * kept_each];
            let solution = solution(self.records.answer(place, block.lines()));
            let line = block.first_line + u64::from(record.line);
            if augment.original {
                isomorphs.push(&record, kept, &puzzle.text(), solution, 0);
            }
            let mut rng = SeededRng::of_stream(augment.seed, [block.source as u64, line, 0]);
            let times = augment.times as usize;
            let permutations = Permutation::distinct(&puzzle, times, augment.kinds, &mut rng);
            for (copy, permutation) in (1..).zip(&permutations) {
                let text = permutation.puzzle(&puzzle).text();
                let solution = solution.map(|grid| permutation.grid(&grid));
                isomorphs.push(&record, kept, &text, solution, copy);
            }
            let all = isomorphs.rows.in_place_of(self.rows(block));
            let all = Rows { texts: &isomorphs.texts, ..all };
            if !all.records.is_empty() {
                self.pipeline.format.rows(all, &mut rows);
            }
        }
        block.rows = rows;
        block.others.clear();
    }
}

/// Parses a solution; `None` if it is not 81 digits.
fn solution(text: &[u8]) -> Option<Grid> {
    let digits = |byte: u8| byte.is_ascii_digit().then(|| byte - b'0').filter(|&digit| digit > 0);
    let cells: Option<Vec<_>> = text.trim_ascii().iter().map(|&byte| digits(byte)).collect();
    Some(Grid(cells?.try_into().ok()?))
}
