//! The job of `generate`, and the files that it reads first.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bulkdoku::generate::islands::GuessRating;
use bulkdoku::generate::{Grids, Kind, Pattern, Recipe};
use bulkdoku::input::InputOptions;
use bulkdoku::logic::generate::removal_favoring;
use bulkdoku::pipeline::{Generate, Hard, RowCondition, Solve};
use bulkdoku::{EngineKind, Limits, Outcome, Puzzle, SimdLevel, solve_batch};

use super::super::inputs::Inputs;
use super::super::{Failure, log, sets, shown};
use super::GenerateArgs;

/// What `--kind` names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Corpus {
    Of(Kind),
    Hard,
}

#[rustfmt::skip]
pub const KINDS: &[(&str, Corpus, &str)] = &[
    ("minimal", Corpus::Of(Kind::Minimal), "one solution, no clue can be removed"),
    ("unique", Corpus::Of(Kind::Unique), "one solution, with --clues or --pattern"),
    ("solved", Corpus::Of(Kind::Solved), "solution grids"),
    ("easy", Corpus::Of(Kind::Easy), "one solution, 30 to 37 clues, naked singles suffice"),
    ("hard", Corpus::Hard, "minimal and hard, found by a search: see --objective"),
    ("several", Corpus::Of(Kind::Several), "more than one solution"),
    ("unsolvable", Corpus::Of(Kind::Unsolvable), "legal clues, no solution"),
];

impl GenerateArgs {
    /// Returns the files that are read before the outputs are opened.
    pub fn reads(&self) -> Vec<PathBuf> {
        let pattern = self.pattern.as_deref().filter(|typed| typed.parse::<Pattern>().is_err());
        self.from.iter().cloned().chain(pattern.map(PathBuf::from)).collect()
    }

    pub fn simd(&self) -> SimdLevel {
        self.simd.unwrap_or_else(SimdLevel::best)
    }

    fn kind(&self) -> Kind {
        match self.kind {
            Some(Corpus::Of(kind)) => kind,
            None if self.pattern.is_some() => Kind::Unique,
            None | Some(Corpus::Hard) => Kind::default(),
        }
    }

    pub fn is_hard(&self) -> bool {
        self.kind == Some(Corpus::Hard)
    }

    fn seed(&self) -> u64 {
        self.seed.unwrap_or_else(draw_seed)
    }

    /// Returns the job that solves hard puzzles.
    pub fn hard(&self) -> Result<Hard, Failure> {
        let measure = self.objective.unwrap_or_default();
        let recipe = Recipe { grids: self.grids.unwrap_or_default(), ..Recipe::default() };
        let simd = self.simd();
        let engine = Arc::new(move || EngineKind::default().build(simd));
        let rating_isomorphs = GuessRating::ISOMORPHS;
        Ok(Hard {
            solve: Solve { engine, rating_isomorphs, ..Solve::default() },
            seed: self.seed(),
            measure,
            at_least: self.at_least.unwrap_or(measure.usual_least()),
            pool: self.from.as_deref().map_or_else(|| Ok(Arc::from([])), read_pool)?,
            condition: self.row_condition(&recipe)?,
            recipe,
            simd,
        })
    }

    /// Returns the job and the indices of the puzzles to generate.
    pub fn job(&self) -> Result<(Generate, Range<u64>), Failure> {
        let usage = |error: &dyn std::fmt::Display| Failure::Usage(error.to_string());
        let kind = self.kind();
        let default = if kind == Kind::Solved { Grids::Fast } else { Grids::Rows };
        let plain = Recipe::default();
        let mut recipe = Recipe {
            kind,
            grids: self.grids.unwrap_or(default),
            symmetry: self.symmetry,
            pattern: self.pattern.as_deref().map_or(Ok(plain.pattern), read_pattern)?,
            clues: self.clues.clone().unwrap_or(plain.clues),
            ..plain
        };
        let condition = self.row_condition(&recipe)?;
        if let Some(condition) = &condition {
            recipe.removal = removal_favoring(condition.techniques);
        }
        if let Some(warning) = recipe.check().map_err(|error| usage(&error))? {
            log::note(warning);
        }
        let end = self.skip.checked_add(self.count);
        let end = end.ok_or_else(|| Failure::Usage("--skip and --count are too large".into()))?;
        let simd = self.simd();
        let engine = Arc::new(move || EngineKind::default().build(simd));
        let job = Generate {
            solve: Solve { engine, ..Solve::default() },
            recipe,
            condition,
            seed: self.seed(),
            yields: Arc::default(),
        };
        Ok((job, self.skip..end))
    }

    /// Returns the condition of `--where` for puzzles of a recipe.
    fn row_condition(&self, recipe: &Recipe) -> Result<Option<RowCondition>, Failure> {
        let condition = self.condition.condition.as_ref();
        let condition = condition.map(|condition| RowCondition::new(condition, recipe));
        condition.transpose().map_err(|error| Failure::Usage(format!("--where: {error}")))
    }
}

/// Returns a random seed of 53 bits, which every JSON reader preserves.
fn draw_seed() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(std::time::SystemTime::now()) >> 11
}

/// Parses a pattern, given directly or as a file.
fn read_pattern(typed: &str) -> Result<Pattern, Failure> {
    if let Ok(pattern) = typed.parse() {
        return Ok(pattern);
    }
    let text = fs::read_to_string(typed)
        .map_err(|error| Failure::Usage(format!("--pattern {typed}: {error}")))?;
    text.parse().map_err(|error| Failure::Usage(format!("{typed}:{error}")))
}

/// The maximum number of puzzles in a pool.
const MAX_POOL: usize = 1_000_000;

/// Reads the starting puzzles of a search.
fn read_pool(path: &Path) -> Result<Arc<[Puzzle]>, Failure> {
    let mut inputs = Inputs::detected(vec![path.into()], &InputOptions::default())?;
    let sets = sets::read(&mut inputs, MAX_POOL)?;
    let puzzles: Vec<_> = sets.into_iter().flat_map(|set| set.puzzles).collect();
    let mut outcomes = vec![Outcome::NONE; puzzles.len()];
    solve_batch(&puzzles, Limits::PROOF, &mut outcomes);
    let name = shown(path);
    match outcomes.iter().position(|outcome| outcome.solutions != 1) {
        Some(at) => refuse!("{name}: puzzle {} does not have exactly one solution", at + 1),
        None => Ok(puzzles.into()),
    }
}
