//! The job of `generate`, and the files that it reads first.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use bulkdoku::generate::islands::RATING_ISOMORPHS;
use bulkdoku::generate::{Grids, Kind, Pattern, Recipe};
use bulkdoku::input::{InputOptions, Position};
use bulkdoku::logic::generate::removal_favoring;
use bulkdoku::pipeline::{BlockSource, Generate, Hard, Options, Solve, row_condition, visible};
use bulkdoku::{EngineKind, Limits, Outcome, Puzzle, SimdLevel, StopFlag, solve_batch};

use super::super::inputs::Inputs;
use super::super::{Failure, log, sets, shown};
use super::GenerateArgs;

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

/// The puzzles to generate: the rows with these indices, or a number of hard ones of these islands.
pub enum Work {
    Rows(Generate, Range<u64>),
    Hard(Arc<Hard>, Range<u64>, u64),
}

impl Work {
    pub fn job(&self) -> &Generate {
        match self {
            Self::Rows(job, _) => job,
            Self::Hard(hard, ..) => &hard.generate,
        }
    }

    /// Returns the source of blocks, after those of an earlier run.
    pub fn source(&self, position: Option<Position>, options: &Options) -> Box<dyn BlockSource> {
        match self {
            Self::Rows(job, rows) => {
                Box::new(job.source(rows.clone()).from(position.unwrap_or_default()))
            }
            Self::Hard(hard, islands, count) => {
                let stop = StopFlag::from(Arc::clone(&options.stop));
                let threads = options.threads.get();
                Box::new(hard.source(islands.clone(), *count, position, threads, stop))
            }
        }
    }
}

const MAX_ISLANDS: u64 = 1 << 31;

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

    pub fn work(&self) -> Result<Work, Failure> {
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
        if self.pattern.is_some() && recipe.pattern == plain.pattern {
            refuse!("--pattern has all 81 cells; --kind solved makes solution grids");
        }
        let condition = self.condition.as_ref().map(|condition| row_condition(condition, &recipe));
        let condition =
            condition.transpose().map_err(|error| usage(&format!("--where: {error}")))?;
        if let Some(condition) = &condition {
            recipe.removal = removal_favoring(condition.techniques());
        }
        if let Some(warning) = recipe.check().map_err(|error| usage(&error))? {
            log::note(warning);
        }
        let simd = self.simd();
        let engine = Arc::new(move || EngineKind::default().build(simd));
        let rating_isomorphs = if self.is_hard() { RATING_ISOMORPHS } else { 0 };
        let generate = Generate {
            solve: Solve { engine, rating_isomorphs, ..Solve::default() },
            recipe,
            condition,
            seed: self.seed.unwrap_or_else(draw_seed),
            yields: Arc::default(),
        };
        if !self.is_hard() {
            let end = self.skip.checked_add(self.count);
            let end = end.ok_or_else(|| usage(&"--skip and --count are too large"))?;
            return Ok(Work::Rows(generate, self.skip..end));
        }
        if self.skip >= MAX_ISLANDS {
            refuse!("--skip: a seed has {MAX_ISLANDS} islands");
        }
        let measure = self.objective.unwrap_or_default();
        let at_least = self.at_least.unwrap_or(measure.usual_least());
        let pool = self.from.as_deref().map_or_else(|| Ok(Arc::from([])), read_pool)?;
        let hard = Arc::new(Hard { generate, measure, at_least, pool, simd });
        Ok(Work::Hard(hard, self.skip..MAX_ISLANDS, self.count))
    }
}

/// Returns a random seed of 53 bits, which every JSON reader preserves.
fn draw_seed() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(std::time::SystemTime::now()) >> 11
}

/// The maximum size of a file with a pattern, because a device never ends.
const MAX_PATTERN_BYTES: u64 = 1 << 16;

/// Parses a pattern, given directly or as a file.
fn read_pattern(typed: &str) -> Result<Pattern, Failure> {
    let fault = match typed.parse() {
        Ok(pattern) => return Ok(pattern),
        Err(fault) => fault,
    };
    let text = File::open(typed).map(|file| file.take(MAX_PATTERN_BYTES));
    let text = text.and_then(io::read_to_string).map_err(|error| match error.kind() {
        ErrorKind::NotFound => Failure::Usage(format!(
            "--pattern {}: no such file, and not a pattern ({fault})",
            visible(typed)
        )),
        _ => Failure::at(Path::new(typed), error),
    })?;
    text.parse().map_err(|error| Failure::Usage(format!("{typed}:{error}")))
}

const MAX_POOL: usize = 1_000_000;

fn read_pool(path: &Path) -> Result<Arc<[Puzzle]>, Failure> {
    let mut inputs = Inputs::open_named(vec![path.into()])?;
    inputs.detect(&InputOptions::default(), &AtomicBool::default())?;
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
