//! `bulkdoku generate`: random puzzles of a wanted kind.

mod made;
mod manifest;
mod ranges;
mod summary;

use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bulkdoku::generate::{Grids, Kind, Pattern, Recipe, Symmetry};
use bulkdoku::measure::Content;
use bulkdoku::output::{Column, PuzzleGrids, PuzzleLines, RowFormat};
use bulkdoku::pipeline::{Corpus, Rated, RequestedFacts, RequestedTally};
use bulkdoku::rating::Level;
use bulkdoku::{Compression, EngineKind, Pipeline, Puzzle, SimdLevel};
use clap::ValueEnum;
use clap::builder::PossibleValue;

use super::format::{Format, columns_setting};
use super::inputs::Inputs;
use super::outputs::Destinations;
use super::run_args::RunArgs;
use super::{Exit, Failure, endings, help, numbers, sets};

/// Make random puzzles with their solutions
///
/// Row i depends on the seed and i alone: any number of threads makes the same bytes at every
/// vector level, --skip and --count cut a corpus into parts, and the first N rows are the same
/// however many are made.
#[derive(Debug, clap::Args)]
#[command(after_long_help = AFTER_HELP, allow_negative_numbers = true)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub struct Args {
    /// How many rows
    #[arg(
        short = 'n',
        long,
        value_name = "N",
        help_heading = "Corpus",
        value_parser = numbers::count,
        required_unless_present = "verify"
    )]
    count: Option<u64>,

    /// Which corpus: any number [default: drawn and printed]
    #[arg(short, long, value_name = "S", help_heading = "Corpus", value_parser = numbers::count)]
    seed: Option<u64>,

    /// Begin behind this many rows of the corpus
    #[arg(
        long,
        value_name = "N",
        help_heading = "Corpus",
        default_value = "0",
        value_parser = numbers::count
    )]
    skip: u64,

    /// minimal, solved, easy, hard, several or unsolvable
    #[arg(
        short,
        long,
        value_name = "KIND",
        help_heading = "Corpus",
        default_value = "minimal",
        hide_possible_values = true,
        long_help = help::values::<KindArg>("What kind of puzzles:")
    )]
    kind: KindArg,

    /// The same as --kind minimal
    #[arg(long, help_heading = "Corpus", conflicts_with_all = ["kind", "solved", "hard"])]
    minimal: bool,

    /// The same as --kind solved
    #[arg(long, help_heading = "Corpus", conflicts_with_all = ["kind", "hard"])]
    solved: bool,

    /// The same as --kind hard
    #[arg(long, help_heading = "Corpus", conflicts_with = "kind")]
    hard: bool,

    /// Search for hard puzzles from those of a file on
    ///
    /// Each row begins at one of them, drawn at random. They have to have one solution.
    #[arg(long, value_name = "FILE", help_heading = "Corpus")]
    from: Option<PathBuf>,

    /// How solution grids are drawn: rows, fast or uniform
    ///
    /// rows fills row by row, digits in random order; fast draws a band and a stack and searches
    /// for the rest; uniform takes nearly each of all grids with the same chance, and some 100
    /// microseconds for one [default: fast for --kind solved, else rows]
    #[arg(long, value_name = "HOW", help_heading = "Corpus")]
    grids: Option<Grids>,

    /// Minimal puzzles with this many clues: 22, 21..24
    ///
    /// A row draws again until it fits. Nearly all minimal puzzles have 21 to 28.
    #[arg(long, value_name = "A..B", help_heading = "Which fit", value_parser = ranges::clues)]
    clues: Option<RangeInclusive<usize>>,

    /// Minimal puzzles whose proof takes this many guesses
    ///
    /// A row draws again until it fits. Guesses are those of the default engine.
    #[arg(long, value_name = "A..B", help_heading = "Which fit", value_parser = ranges::guesses)]
    guesses: Option<RangeInclusive<u64>>,

    /// Minimal puzzles of a level, 0 to 3
    ///
    /// 0 naked singles solve it, 1 hidden singles too, 2 locked candidates too, 3 something has to
    /// be assumed. A row draws again until it fits.
    #[arg(long, value_name = "L", help_heading = "Which fit")]
    level: Option<Level>,

    /// rot180, rot90, diagonal, horizontal, vertical or none
    ///
    /// The symmetry of the cells that hold clues. Puzzles are minimal within the symmetry: no clues
    /// that go together can be taken.
    #[arg(long, value_name = "HOW", help_heading = "Which fit", default_value = "none")]
    symmetry: Symmetry,

    /// Clues only where a file says so
    ///
    /// FILE holds 81 cells, in any number of lines: # or 1 to 9 where a clue may be, . or 0 where
    /// none may be. The 81 characters themselves do, too.
    #[arg(long, value_name = "FILE", help_heading = "Which fit")]
    pattern: Option<String>,

    /// Where the rows go [default: standard output]
    ///
    /// A name that ends with .gz or .zst compresses them.
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,

    /// lines, csv, tsv, jsonl, npy or grid
    ///
    /// Lines are puzzles only. If not given, as the output's name says, else lines.
    #[arg(long, value_name = "FORMAT", help_heading = "Output", hide_possible_values = true)]
    format: Option<Format>,

    /// Columns of csv, tsv and jsonl, in order
    #[arg(
        long,
        value_name = "LIST",
        help_heading = "Output",
        value_delimiter = ',',
        value_parser = parse_column,
        long_help = "The columns of csv, tsv and jsonl, in order: id (from 0), seed, puzzle, \
                     solution, clues, level, rating, minimal, canonical, automorphisms, status, \
                     solutions, guesses, nodes [default: id,puzzle,solution]"
    )]
    columns: Option<Vec<Column>>,

    /// Write the histogram of latencies: .csv, .hgrm, .hlog
    ///
    /// How long the engine takes to solve each row that was made, in the forms of solve.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    latency: Option<PathBuf>,

    /// Write the summary as JSON
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    summary_json: Option<PathBuf>,

    /// Write a page with charts of the run, as HTML
    ///
    /// Latency, throughput over time, clues and guesses, in one file that needs no other.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    report: Option<PathBuf>,

    /// Say in a JSON file what makes these rows
    ///
    /// Version, command, seed, rows, the output's SHA-256, and how many puzzles have each number of
    /// clues and each level. It needs -o FILE.
    #[arg(long, value_name = "FILE", help_heading = "Output", requires = "output")]
    manifest: Option<PathBuf>,

    /// Make the rows of a manifest again, and compare
    ///
    /// Exit status 0 if they are the same, 1 if not. Nothing is written.
    #[arg(
        long,
        value_name = "MANIFEST",
        help_heading = "Output",
        conflicts_with_all = [
            "count", "seed", "skip", "kind", "output", "latency", "summary_json", "report", "force",
            "resume", "manifest"
        ]
    )]
    verify: Option<PathBuf>,

    /// Replace output files that exist
    #[arg(long, help_heading = "Output")]
    force: bool,

    /// Resume a run that was ended, with the same options
    #[arg(long, help_heading = "Output", requires = "output", conflicts_with = "force")]
    resume: bool,

    /// Use this vector level, not the best of the machine
    #[arg(long, value_name = "LEVEL", help_heading = "Run", value_parser = SimdLevel::by_name)]
    simd: Option<SimdLevel>,

    #[command(flatten)]
    run: RunArgs,
}

const AFTER_HELP: &str = "\
Examples:
  bulkdoku generate --count 1000 --seed 1 -o minimal.txt
  bulkdoku generate --count 1e6 --seed 1 -o corpus.csv.zst --manifest corpus.json
  bulkdoku generate --verify corpus.json
  bulkdoku generate --count 1e6 --seed 1 -o corpus.csv --report corpus.html
  bulkdoku generate --count 500k --skip 500k --seed 1 -o second-half.txt
  bulkdoku generate --count 1000 --solved --grids uniform --seed 1 -o grids.txt
  bulkdoku generate --count 100 --clues 21..22 --symmetry rot180 -o few.csv
  bulkdoku generate --count 200 --seed 1 --kind hard -o hard.txt
  bulkdoku generate --count 1000000 --seed 2 | bulkdoku solve -o results.csv

Exit status: 0 done (or, with --verify, the same), 1 --verify has found a difference, 2 wrong usage,
3 output failed, 130 interrupted. A closed pipe ends the run with 0.

The first SIGINT (Ctrl-C) or SIGTERM ends the run in good order, a second one ends it at once. Until
a run is complete, FILE.resume stands beside its output FILE: with it --resume goes on after any end,
even a kill.";

/// A kind as it is typed.
#[derive(Clone, Copy, Debug)]
struct KindArg(Kind);

impl ValueEnum for KindArg {
    fn value_variants<'a>() -> &'a [Self] {
        const ALL: &[KindArg] = &[
            KindArg(Kind::Minimal),
            KindArg(Kind::Solved),
            KindArg(Kind::Easy),
            KindArg(Kind::Hard),
            KindArg(Kind::Several),
            KindArg(Kind::Unsolvable),
        ];
        ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = match self.0 {
            Kind::Minimal => "one solution, no clue can be taken",
            Kind::Solved => "solution grids",
            Kind::Easy => "one solution, 30 to 37 clues, naked singles suffice",
            Kind::Hard => "minimal, found by search for many guesses (slow to make)",
            Kind::Several => "more than one solution",
            Kind::Unsolvable => "legal clues, no solution",
        };
        Some(PossibleValue::new(self.0.name()).help(help))
    }
}

/// Makes what `args` ask for.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    if let Some(manifest) = &args.verify {
        return manifest::verify(manifest, args);
    }
    let plan = Plan::new(args)?;
    made::run(&plan, args)
}

/// What is to be made, and how it is written.
#[derive(Debug)]
struct Plan {
    corpus: Corpus,
    format: Format,
    columns: Option<Vec<Column>>,
    compression: Option<Compression>,
    threads: NonZeroUsize,
    simd: SimdLevel,
    /// The file of the pool, as it was typed.
    from: Option<PathBuf>,
    /// Whether the seed was drawn.
    seed_is_drawn: bool,
    /// What is counted of the rows.
    tally: RequestedTally,
}

impl Plan {
    fn new(args: &Args) -> Result<Self, Failure> {
        let output = args.output.as_deref();
        let plan = Self {
            corpus: args.corpus()?,
            format: args.format(output)?,
            columns: args.columns.clone(),
            compression: output.and_then(Compression::of_name),
            threads: args.run.threads,
            simd: args.simd.unwrap_or_else(SimdLevel::best),
            from: args.from.clone(),
            seed_is_drawn: args.seed.is_none(),
            tally: RequestedTally {
                clues: true,
                guesses: args.report.is_some(),
                levels: args.manifest.is_some(),
            },
        };
        endings::check_sides(&args.destinations())?;
        plan.rows()?;
        Ok(plan)
    }

    /// Rows of the format.
    fn rows(&self) -> Result<Box<dyn RowFormat + Send>, Failure> {
        let usual = match self.format {
            Format::Npy => &[Column::Puzzle][..],
            _ => &Column::DEFAULT_OF_GENERATE,
        };
        let rows = self.format.rows(self.columns.as_deref(), usual, false, &[])?;
        Ok(match self.format {
            Format::Lines => Box::new(PuzzleLines),
            Format::Grid => Box::new(PuzzleGrids),
            _ => rows,
        })
    }

    fn pipeline(&self) -> Result<Pipeline, Failure> {
        let simd = self.simd;
        Ok(Pipeline {
            threads: self.threads,
            engine: Box::new(move || EngineKind::default().build(simd)),
            facts: self.facts(),
            tally: self.tally,
            format: self.rows()?,
            compression: self.compression,
            ..Pipeline::default()
        })
    }

    /// What rows say of puzzles besides solutions.
    fn facts(&self) -> RequestedFacts {
        let has = |column| self.columns.iter().flatten().any(|wanted| *wanted == column);
        RequestedFacts {
            clues: has(Column::Clues),
            level: has(Column::Level),
            rating: has(Column::Rating).then_some(Rated::Itself),
            minimal: has(Column::Minimal),
            form: has(Column::Canonical) || has(Column::Automorphisms),
        }
    }

    /// The arguments that make the same rows, by their names: `--resume` and `--verify` need the
    /// same.
    fn settings(&self) -> BTreeMap<String, String> {
        let Corpus { recipe, seed, rows, pool: _ } = &self.corpus;
        let plain = Recipe::default();
        let columns = self.columns.as_deref().map(columns_setting);
        let pattern = (recipe.pattern != plain.pattern).then(|| recipe.pattern.to_string());
        let clues = (recipe.clues != plain.clues).then(|| ranges::text(&recipe.clues));
        let guesses = (recipe.guesses != plain.guesses).then(|| ranges::text(&recipe.guesses));
        let all = [
            ("--count", Some((rows.end - rows.start).to_string())),
            ("--skip", Some(rows.start.to_string())),
            ("--seed", Some(seed.to_string())),
            ("--kind", Some(recipe.kind.to_string())),
            ("--from", self.from.as_ref().map(|path| path.display().to_string())),
            ("--grids", Some(recipe.grids.to_string())),
            ("--clues", clues),
            ("--guesses", guesses),
            ("--level", recipe.level.map(|level| level.to_string())),
            ("--symmetry", Some(recipe.symmetry.to_string())),
            ("--pattern", pattern),
            ("--format", Some(self.format.setting())),
            ("--columns", columns),
        ];
        all.into_iter().filter_map(|(name, value)| Some((name.into(), value?))).collect()
    }
}

impl Args {
    fn kind(&self) -> Kind {
        match (self.minimal, self.solved, self.hard) {
            (true, ..) => Kind::Minimal,
            (_, true, _) => Kind::Solved,
            (.., true) => Kind::Hard,
            _ => self.kind.0,
        }
    }

    fn corpus(&self) -> Result<Corpus, Failure> {
        let usage = |error: &dyn std::fmt::Display| Failure::Usage(error.to_string());
        let kind = self.kind();
        let usual = if kind == Kind::Solved { Grids::Fast } else { Grids::Rows };
        let plain = Recipe::default();
        let recipe = Recipe {
            kind,
            grids: self.grids.unwrap_or(usual),
            symmetry: self.symmetry,
            pattern: self.pattern.as_deref().map_or(Ok(plain.pattern), read_pattern)?,
            clues: self.clues.clone().unwrap_or(plain.clues),
            guesses: self.guesses.clone().unwrap_or(plain.guesses),
            level: self.level,
        };
        if let Some(warning) = recipe.check().map_err(|error| usage(&error))? {
            eprintln!("{warning}");
        }
        if self.from.is_some() && kind != Kind::Hard {
            return Err(Failure::Usage(
                "--from goes with --hard: it is where the search begins".into(),
            ));
        }
        let count = self.count.unwrap_or(0);
        let end = self.skip.checked_add(count);
        let end = end.ok_or_else(|| Failure::Usage("--skip and --count are too large".into()))?;
        Ok(Corpus {
            recipe,
            seed: self.seed.unwrap_or_else(draw_seed),
            rows: self.skip..end,
            pool: self.from.as_deref().map_or_else(|| Ok(Arc::from([])), read_pool)?,
        })
    }

    fn format(&self, output: Option<&Path>) -> Result<Format, Failure> {
        // Programs call a file of lines .sdm.
        let is_sdm = output.and_then(endings::of).is_some_and(|ending| ending == "sdm");
        let format = match (self.format, output) {
            (Some(format), _) => format,
            (None, Some(path)) if !is_sdm => Format::of_name(path)?.unwrap_or(Format::Lines),
            _ => Format::Lines,
        };
        if format.is_judges() {
            let hint = "shows solutions; generate writes lines, csv, tsv, jsonl, npy or grid";
            return Err(Failure::Usage(format!("the format {} {hint}", format.setting())));
        }
        format.check_output(output)?;
        format.check_resume(self.resume)?;
        Ok(format)
    }

    /// Where the rows go, as all commands have it.
    fn destinations(&self) -> Destinations {
        Destinations {
            output: self.output.clone(),
            latency: self.latency.clone(),
            errors: None,
            summary_json: self.summary_json.clone(),
            report: self.report.clone(),
            manifest: self.manifest.clone(),
            force: self.force,
            resume: self.resume,
        }
    }
}

/// A seed that nothing else has: of 53 bits, so that every reader of JSON keeps it.
fn draw_seed() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(std::time::SystemTime::now()) >> 11
}

/// Reads a pattern from a file, or from what was typed if it is one.
fn read_pattern(typed: &str) -> Result<Pattern, Failure> {
    if let Ok(pattern) = typed.parse() {
        return Ok(pattern);
    }
    let text = fs::read_to_string(typed)
        .map_err(|error| Failure::Usage(format!("--pattern {typed}: {error}")))?;
    text.parse().map_err(|error| Failure::Usage(format!("{typed}:{error}")))
}

/// The most puzzles of a pool, 81 bytes each.
const MOST_OF_POOL: usize = 1_000_000;

/// Reads the puzzles that a search begins with.
fn read_pool(path: &Path) -> Result<Arc<[Puzzle]>, Failure> {
    let mut inputs = Inputs::check(vec![path.into()])?;
    let sets =
        sets::read(&mut inputs, &bulkdoku::input::InputOptions::default(), Some(MOST_OF_POOL))?;
    let mut puzzles = Vec::new();
    for set in sets {
        match set.content {
            Content::Puzzles(some) => puzzles.extend(some),
            Content::Marks(_) => {
                let what = "pencil marks that are no clues; a pool has puzzles only";
                return Err(Failure::Usage(format!("{}: {what}", path.display())));
            }
        }
    }
    let mut outcomes = vec![bulkdoku::Outcome::NONE; puzzles.len()];
    bulkdoku::solve_batch(&puzzles, bulkdoku::Limits::PROOF, &mut outcomes);
    let name = path.display();
    match outcomes.iter().position(|outcome| outcome.solutions != 1) {
        Some(at) => Err(Failure::Usage(format!(
            "{name}: puzzle {} has no or several solutions; the search begins with one",
            at + 1
        ))),
        None if puzzles.is_empty() => Err(Failure::Usage(format!("{name}: no puzzle in it"))),
        None => Ok(puzzles.into()),
    }
}

/// Reads a column that rows of a corpus can have.
fn parse_column(name: &str) -> Result<Column, String> {
    let column: Column = name.parse().map_err(|error| format!("{error}"))?;
    let of = [
        (column.is_about_check(), "is a column of bulkdoku check"),
        (column == Column::Copy, "is a column of bulkdoku augment"),
        (matches!(column, Column::File | Column::Line), "rows are made, not read: id numbers them"),
        (column == Column::LatencyNs, "is a column of bulkdoku solve"),
    ];
    match of.iter().find(|(is_of, _)| *is_of) {
        Some((_, why)) => Err((*why).into()),
        None => Ok(column),
    }
}
