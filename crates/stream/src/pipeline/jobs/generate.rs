//! The job that generates puzzles.

use std::io;
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use super::{Job, Solve, Solver, Worker, stopped};
use crate::condition::{Condition, ConditionError, Predicate};
use crate::output::{Column, Needs};
use crate::pipeline::{Ranges, Work, properties};
use bulkdoku_core::generate::{Generator, Kind, Pattern, Recipe, Symmetry, Yield};
use bulkdoku_core::{Puzzle, Status, StopFlag};
use bulkdoku_logic::generate::TechniqueFilter;
use bulkdoku_logic::{Technique, Techniques};

/// A job that generates the puzzles of a seeded corpus, unless a source has them, and solves them.
pub struct Generate {
    /// The job that solves the puzzles.
    pub solve: Solve,
    /// The requirements for the puzzles.
    pub recipe: Recipe,
    /// The condition that rows meet, if there is one.
    pub condition: Option<Predicate>,
    /// The seed of the corpus.
    pub seed: u64,
    /// The number of puzzles drawn, and how many meet the requirements.
    pub yields: Arc<Yield>,
}

/// Resolves a condition for the rows of a recipe. Puzzles are drawn for each row until one meets it.
///
/// # Errors
/// Fails if a name is not that of a property of generated puzzles, or if no puzzle of the recipe
/// can meet the condition.
pub fn row_condition(condition: &Condition, recipe: &Recipe) -> Result<Predicate, ConditionError> {
    let of_row = |column: &Column| matches!(column, Column::Id | Column::Seed);
    if let Some(column) = condition.computed(Column::OF_GENERATE).into_iter().find(of_row) {
        return Err(ConditionError(format!("{column} is not a property of the puzzle")));
    }
    let predicate = condition.resolve(Column::OF_GENERATE, &[])?;
    predicate.check(&ranges(recipe)).map_err(|ConditionError(what)| {
        ConditionError(format!("no puzzle of this kind meets it: {what}"))
    })?;
    Ok(predicate)
}

const RATINGS: [Column; 3] = [Column::Se121, Column::Se121Ep, Column::Se121Ed];

/// The most steps that a path is assumed to have. The instances of a round overlap, so the candidates
/// do not bound them; of 51,000 hard puzzles, none has more than 180.
const MAX_STEPS: u64 = 10_000;

/// Returns the values that columns can have in puzzles of a recipe.
///
/// Some are only the known ones: no minimal puzzle has more than 40 clues, none has a rating of Sudoku
/// Explainer above 11.9, and to each a technique applies. Others are proved: no puzzle with fewer than
/// 17 clues has one solution (`McGuire`, Tugemann, Civario 2012), and no solution, nor a puzzle that
/// determines it, has more than 648 automorphisms (Russell, Jarvis 2006).
fn ranges(recipe: &Recipe) -> Vec<(Column, RangeInclusive<u64>)> {
    let (status, solutions) = match recipe.kind {
        Kind::Several => (Status::Multiple, 2),
        Kind::Unsolvable => (Status::Unsolvable, 0),
        _ => (Status::Unique, 1),
    };
    let (mut least, mut most) = match recipe.kind {
        Kind::Minimal => (17, 40),
        Kind::Easy => (30, 37),
        Kind::Solved => (81, 81),
        Kind::Several | Kind::Unsolvable => (0, 81),
        Kind::Unique => (17, 81),
    };
    if recipe.clues != Recipe::default().clues {
        least = least.max(*recipe.clues.start() as u64);
        most = most.min(*recipe.clues.end() as u64);
    }
    if recipe.pattern != Pattern::ALL {
        let cells = recipe.pattern.cells() as u64;
        (least, most) = (least.max(cells), most.min(cells));
    }
    let status_number = status as u64;
    let mut ranges = vec![
        (Column::Status, status_number..=status_number),
        (Column::Solutions, solutions..=solutions),
        (Column::Clues, least..=most),
    ];
    if status != Status::Unique {
        let computed = [Needs::PATH, Needs::SE, Needs::RATING, Needs::MINIMAL];
        let is_missing = |column: &&Column| computed.contains(&column.needs());
        let missing = Column::OF_GENERATE.iter().filter(is_missing);
        ranges.extend(missing.map(|&column| (column, RangeInclusive::new(1, 0))));
        return ranges;
    }
    // Each step solves at most one cell. Solution grids have no steps.
    let (steps, most_steps) = (81 - most, if least == 81 { 0 } else { MAX_STEPS });
    let hardest = match recipe.kind {
        Kind::Easy => Technique::NakedSingle,
        _ => Technique::all().last().expect("there is one"),
    };
    let [least_score, most_score] =
        [Technique::FullHouse, hardest].map(|technique| u64::from(technique.definition().score));
    ranges.push((Column::Automorphisms, 1..=648));
    ranges.push((Column::Steps, steps..=most_steps));
    ranges.push((Column::Score, least_score * steps..=most_score * most_steps));
    if least == 81 {
        let missing = [Column::Technique, Column::Difficulty];
        ranges.extend(missing.map(|column| (column, RangeInclusive::new(1, 0))));
        ranges.extend(RATINGS.map(|column| (column, 0..=0)));
    } else if most < 81 {
        ranges.push((Column::Technique, 0..=hardest as u64));
        ranges.push((Column::Difficulty, 0..=hardest.difficulty() as u64));
        ranges.extend(RATINGS.map(|column| (column, 1..=12)));
    }
    if recipe.kind == Kind::Minimal && recipe.symmetry == Symmetry::None {
        ranges.push((Column::Minimal, 1..=1));
    }
    ranges
}

/// The generator, engine, and rater of a thread.
pub(super) struct Drawer<'j> {
    job: &'j Generate,
    generator: Generator,
    solver: Solver,
    /// Rejects candidates by the techniques that the condition allows, if it does not allow all.
    filter: Option<TechniqueFilter>,
}

/// The number of candidates that are drawn at a time once the first attempts of rows have failed.
const CANDIDATES: u64 = 256;

impl<'j> Drawer<'j> {
    pub(super) fn new(job: &'j Generate, stop: &StopFlag) -> Self {
        let mut generator = Generator::with((job.solve.engine)());
        if job.condition.is_none() {
            generator = generator.counting(Arc::clone(&job.yields));
        }
        generator.stop_at(stop.clone());
        // Grids have no technique.
        let condition = job.condition.as_ref().filter(|_| job.recipe.kind != Kind::Solved);
        let techniques = condition.map_or(Techniques::ALL, Predicate::techniques);
        let filter = (techniques != Techniques::ALL).then(|| {
            let mut filter = TechniqueFilter::new(techniques);
            filter.stop_at(stop.clone());
            filter
        });
        let solver = Solver::new(&job.solve, stop);
        Self { job, generator, solver, filter }
    }

    /// Draws candidates for each row of a block until one meets the condition. A row is the first
    /// one in the order of attempts, so it does not depend on the number that is drawn at a time.
    fn select(&mut self, condition: &Predicate, work: &mut Work) -> io::Result<Vec<Puzzle>> {
        let first = work.block.first;
        let mut selected = vec![None; work.block.count as usize];
        let mut attempts = 0..1;
        loop {
            let open: Vec<_> = (0..).zip(&selected).filter(|(_, row)| row.is_none()).collect();
            let rows = open.iter().map(|(row, _)| first + row);
            let drawn: Vec<(u64, u64)> =
                rows.flat_map(|row| attempts.clone().map(move |attempt| (row, attempt))).collect();
            if drawn.is_empty() {
                return Ok(selected.into_iter().flatten().collect());
            }
            let puzzles = self.generator.attempts(&self.job.recipe, self.job.seed, &drawn);
            if puzzles.len() < drawn.len() {
                return Err(stopped());
            }
            let meets = self.meets(condition, &puzzles, work)?;
            let open = open.len();
            let mut found = 0;
            for ((&(row, _), puzzle), meets) in drawn.iter().zip(puzzles).zip(meets) {
                let selected = &mut selected[(row - first) as usize];
                if meets && selected.is_none() {
                    *selected = Some(puzzle);
                    found += 1;
                }
            }
            self.job.yields.add(drawn.len() as u64, found as u64);
            let most = CANDIDATES / (open - found).max(1) as u64;
            let width = (2 * (attempts.end - attempts.start)).min(most.max(1));
            attempts = attempts.end..attempts.end + width;
        }
    }

    /// Returns which puzzles meet the condition. Some of them replace the records.
    pub(super) fn meets(
        &mut self,
        condition: &Predicate,
        puzzles: &[Puzzle],
        work: &mut Work,
    ) -> io::Result<Vec<bool>> {
        let accepts = |puzzle| self.filter.as_mut().is_none_or(|filter| filter.accepts(puzzle));
        let mut meets: Vec<bool> = puzzles.iter().map(accepts).collect();
        let accepted = puzzles.iter().zip(&meets).filter(|(_, meets)| **meets);
        self.solve_all(accepted.map(|(puzzle, _)| puzzle), work)?;
        properties::compute(Some(&mut self.solver), condition.needs(), None, work)?;
        let accepted = meets.iter_mut().filter(|meets| **meets);
        for (meets, row) in accepted.zip(work.rows().records()) {
            *meets = condition.holds(&row);
        }
        Ok(meets)
    }

    /// Solves puzzles, which replace the records.
    fn solve_all<'p>(
        &mut self,
        puzzles: impl Iterator<Item = &'p Puzzle>,
        work: &mut Work,
    ) -> io::Result<()> {
        work.records.clear();
        work.results.clear();
        puzzles.for_each(|puzzle| work.records.push_row(&puzzle.text()));
        self.solver.run(work)
    }
}

impl Generate {
    /// Returns the source of blocks for a range of puzzles of the corpus.
    ///
    /// The size of blocks does not depend on the number of threads, so neither do compressed rows.
    /// Slow recipes use small blocks, so that a stopped run loses little.
    pub fn source(&self, puzzles: Range<u64>) -> Ranges {
        let plain =
            Recipe { kind: self.recipe.kind, grids: self.recipe.grids, ..Recipe::default() };
        let max = match self.recipe.kind {
            _ if self.recipe.pattern != Pattern::ALL => 4,
            _ if self.condition.is_some() || self.recipe != plain => 64,
            _ => 1024,
        };
        let min = if self.condition.is_some() { 4 } else { max.min(64) };
        let count = puzzles.end.saturating_sub(puzzles.start);
        let per_block = (count / 32).next_power_of_two().clamp(min, max);
        Ranges::of(puzzles, per_block, Arc::new(()))
    }
}

impl Job for Generate {
    fn start<'j>(&'j self, stop: &StopFlag) -> Box<dyn Worker + 'j> {
        Box::new(Drawer::new(self, stop))
    }
}

impl Worker for Drawer<'_> {
    fn run(&mut self, work: &mut Work) -> io::Result<()> {
        let Generate { condition, recipe, seed, .. } = self.job;
        work.results.seed = Some(*seed);
        if !work.records.all.is_empty() {
            // A search has found them.
            return self.solver.run(work);
        }
        let rows = work.block.first..work.block.first + work.block.count;
        let puzzles = match condition {
            Some(condition) => self.select(condition, work)?,
            None => self.generator.puzzles(recipe, *seed, rows),
        };
        if (puzzles.len() as u64) < work.block.count {
            return Err(stopped());
        }
        self.solve_all(puzzles.iter(), work)
    }

    fn solver(&mut self) -> Option<&mut Solver> {
        Some(&mut self.solver)
    }
}
