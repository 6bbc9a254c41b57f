//! Writes isomorphs in place of records.

use super::Worker;
use crate::input::{Field, Record, Records, Text};
use crate::isomorph::{Permutation, SeededRng};
use crate::output::{Outcomes, Rows, Wanted};
use crate::pipeline::block::Block;
use crate::pipeline::requested::Augment;
use crate::puzzle::{CELLS, Grid};
use crate::rating::Facts;
use crate::solver::Outcome;
use crate::status::Status;

/// Isomorphs of one record, as records.
#[derive(Default)]
struct Isomorphs {
    records: Records,
    outcomes: Outcomes,
    statuses: Vec<Status>,
    facts: Vec<Facts>,
}

impl Isomorphs {
    fn clear(&mut self) {
        self.records.all.clear();
        self.records.texts.clear();
        self.records.kept.clear();
        self.records.answers.clear();
        self.outcomes.clear();
        self.statuses.clear();
        self.facts.clear();
    }

    /// Adds an isomorph with these cells.
    fn push(&mut self, like: &Record, cells: &[u8; CELLS], solution: Option<Grid>, copy: u32) {
        let Ok(given) = like.puzzle else { return };
        let grid = solution.unwrap_or(Grid::BLANK);
        let solutions = solution.is_some().into();
        let given = self.outcomes.push(given, Outcome { solutions, grid, ..Outcome::NONE });
        let start = self.records.texts.len() as u32;
        self.records.texts.extend_from_slice(cells);
        let text = Text::Own { text: start..start + CELLS as u32, start: 0 };
        self.records.all.push(Record { text, puzzle: Ok(given), ..like.clone() });
        self.statuses.push(Status::Ok);
        self.facts.push(Facts { copy: Some(copy), ..Facts::default() });
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
            let solution = solution(self.records.answer(place, block.lines()));
            let line = block.first_line + u64::from(record.line);
            if augment.original {
                isomorphs.push(&record, &puzzle.text(), solution, 0);
            }
            let mut rng = SeededRng::of_stream(augment.seed, [block.source as u64, line, 0]);
            let times = augment.times as usize;
            let permutations = Permutation::distinct(&puzzle, times, augment.kinds, &mut rng);
            for (copy, permutation) in (1..).zip(&permutations) {
                let text = permutation.puzzle(&puzzle).text();
                isomorphs.push(&record, &text, solution.map(|grid| permutation.grid(&grid)), copy);
            }
            let kept: &[Field] = &self.records.kept[place * kept_each..(place + 1) * kept_each];
            for _ in 0..isomorphs.records.all.len() {
                isomorphs.records.kept.extend_from_slice(kept);
            }
            let all = Rows {
                file: &block.file,
                first_line: block.first_line,
                bytes: block.lines(),
                records: &isomorphs.records.all,
                malformed: &[],
                texts: &isomorphs.records.texts,
                statuses: &isomorphs.statuses,
                outcomes: &isomorphs.outcomes,
                kept: &isomorphs.records.kept,
                answers: &[],
                reasons: &self.reasons,
                forms: &[],
                facts: &isomorphs.facts,
                wanted: Wanted::All,
            };
            if !isomorphs.records.all.is_empty() {
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
