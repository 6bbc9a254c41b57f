//! `bulkdoku canon`: puzzles in, one row for each with its canonical form out.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use bulkdoku::input::Answers;
use bulkdoku::output::{Column, FormLines, RowFormat};
use bulkdoku::pipeline::{Distinct, RequestedFacts, Sameness, Sift};
use bulkdoku::{Compression, EngineKind, Pipeline, SimdLevel};

use super::against::AgainstArgs;
use super::batch::Batch;
use super::format::{Format, columns_setting};
use super::input_args::InputArgs;
use super::inputs::are_files;
use super::outputs::Destinations;
use super::run_args::RunArgs;
use super::{Exit, Failure, endings};

/// Find the canonical form of each puzzle or grid; one row for each, in order
///
/// Two puzzles are isomorphic if one becomes the other by relabelling the digits, permuting rows in
/// a band, columns in a stack, bands or stacks, and transposing. The canonical form is the smallest
/// of all isomorphs, read as 81 characters with a blank before 1 to 9 (the forum's minlex). It
/// needs no solution. With it comes the number of automorphisms: of the 3,359,232 transformations
/// of the cells, those that leave the puzzle as it is, up to the names of its digits.
///
/// Inputs are those of bulkdoku solve: lines, tables, JSON lines, grids.
#[derive(Debug, clap::Args)]
#[command(after_long_help = AFTER_HELP, allow_negative_numbers = true)]
pub struct Args {
    /// Files, or puzzles themselves; - or nothing reads standard input
    ///
    /// A puzzle is 81 cells. Files may be compressed: gz, zst, xz, bz2, lz4 or zlib.
    input: Vec<PathBuf>,

    #[command(flatten)]
    expected: InputArgs,

    #[command(flatten)]
    destinations: Destinations,

    /// csv, tsv, jsonl, lines or npy
    ///
    /// Lines are forms only, an empty line where there is none. If not given, as the output's name
    /// says, else csv.
    #[arg(long, value_name = "FORMAT", help_heading = "Output", hide_possible_values = true)]
    format: Option<Format>,

    /// Columns of csv, tsv and jsonl, in order
    #[arg(
        long,
        value_name = "LIST",
        help_heading = "Output",
        value_delimiter = ',',
        value_parser = parse_column,
        long_help = "The columns of csv, tsv and jsonl, in order: file, line, puzzle, canonical, \
                     automorphisms, status, \
                     latency_ns, clues [default: line,puzzle,canonical,automorphisms,status]"
    )]
    columns: Option<Vec<Column>>,

    /// Keep the first puzzle of each class
    ///
    /// One that is isomorphic to an earlier one is counted and has no row. Each class takes 20 to
    /// 39 bytes of memory: a hash of 128 bits, 16 bytes, and the room of the table. Two classes of
    /// n have the same hash with a chance of about n² / 2¹²⁹.
    #[arg(long, help_heading = "Output")]
    dedup: bool,

    /// With --dedup, --against: compare puzzles, not classes
    ///
    /// Blanks and layout make no difference.
    #[arg(long, help_heading = "Output")]
    exact: bool,

    #[command(flatten)]
    against: AgainstArgs,

    #[command(flatten)]
    run: RunArgs,
}

const AFTER_HELP: &str = "\
Examples:
  bulkdoku canon puzzles.txt -o canonical.csv
  bulkdoku canon --format lines grids.txt | sort -u | wc -l
  bulkdoku canon --dedup puzzles.csv --keep id -o distinct.csv
  bulkdoku canon --against train.csv test.csv -o unseen.csv
  bulkdoku canon --dedup --exact --columns puzzle a.txt b.txt.gz -o union.csv

Statuses:
  ok             the puzzle has a row with its form
  duplicate      --dedup: the same as an earlier one; it is counted and has no row
  known          --against: the same as one of the other set; likewise
  contradictory  two equal clues share a row, column or box
  malformed      not a puzzle
  no_form        pencil marks that say more than clues

Exit status: 0 every record ok, duplicate or known, 1 some record is anything else, 2 wrong usage, 3 input
or output failed, 130 interrupted. A closed pipe ends the run with 0.

The first SIGINT (Ctrl-C) or SIGTERM writes what is found and ends the run, a second one ends it at
once. Until a run is complete, FILE.resume stands beside its output FILE: with it --resume goes on
after any end, even a kill. With --dedup it first reads again what has its rows.";

/// Finds the forms of what `args` name.
pub fn run(args: Args) -> Result<Exit, Failure> {
    let format = Format::chosen(args.format, args.destinations.output.as_deref())?;
    format.check_resume(args.destinations.resume)?;
    if !format.has_columns() && !matches!(format, Format::Lines | Format::Npy) {
        let hint = "shows solutions; canon writes csv, tsv, jsonl, lines or npy";
        return Err(Failure::Usage(format!("the format {} {hint}", format.setting())));
    }
    args.refuse_ignored(format)?;
    let expected = args.expected.expected(&args.input, Answers::Unwanted)?;
    format.check_kept(&expected)?;
    let batch = Batch {
        pipeline: args.pipeline(format)?,
        subcommand: "canon",
        finds: "canonical forms",
        others: Vec::new(),
        drops_empty: false,
        settings: args.settings(format),
        engine: None,
        simd: None,
        quiet: args.run.quiet,
        progress: args.run.progress,
        only_rows: false,
    };
    batch.run(args.input, &expected, &args.destinations, |several, kept| {
        rows(format, args.columns.as_deref(), several, kept)
    })
}

/// Rows of a format.
fn rows(
    format: Format,
    columns: Option<&[Column]>,
    several_inputs: bool,
    kept: &[String],
) -> Result<Box<dyn RowFormat + Send>, Failure> {
    // The general way refuses columns where there are none.
    let rows = format.rows(columns, &Column::DEFAULT_OF_CANON, several_inputs, kept)?;
    Ok(if format == Format::Lines { Box::new(FormLines) } else { rows })
}

impl Args {
    /// What was asked for, ready to run.
    fn pipeline(&self, format: Format) -> Result<Pipeline, Failure> {
        let by = if self.exact { Sameness::Exact } else { Sameness::Class };
        let distinct = self.dedup.then(|| Distinct::new(by));
        let against = self.against.load(by, &self.run, self.expected.stream())?;
        let sift: Option<Arc<dyn Sift>> = match (against, distinct) {
            (Some(against), distinct) => Some(Arc::new(against.then(distinct))),
            (None, Some(distinct)) => Some(Arc::new(distinct)),
            (None, None) => None,
        };
        let columns = self.columns.as_deref().unwrap_or(&Column::DEFAULT_OF_CANON);
        Ok(Pipeline {
            threads: self.run.threads,
            // It is never asked.
            engine: Box::new(|| EngineKind::Scalar.build(SimdLevel::best())),
            canon: true,
            facts: RequestedFacts {
                form: self.shows_forms(format),
                clues: columns.contains(&Column::Clues),
                ..RequestedFacts::default()
            },
            sift,
            // What was typed is refused before any input is looked at.
            format: rows(format, self.columns.as_deref(), false, &[])?,
            compression: self.destinations.output.as_deref().and_then(Compression::of_name),
            ..Pipeline::default()
        })
    }

    /// Whether rows say anything about forms.
    fn shows_forms(&self, format: Format) -> bool {
        let columns = self.columns.as_deref().unwrap_or(&Column::DEFAULT_OF_CANON);
        let about_forms = |column: &Column| column.is_about_canon() || *column == Column::LatencyNs;
        matches!(format, Format::Lines | Format::Npy) || columns.iter().any(about_forms)
    }

    /// The options that shape rows, as far as they were given or have defaults: `--resume` needs
    /// the same ones.
    fn settings(&self, format: Format) -> BTreeMap<String, String> {
        let Self {
            input: _,
            destinations: _,
            expected,
            format: _,
            columns,
            dedup,
            exact,
            against,
            run: _,
        } = self;
        let own = [
            ("--format", Some(format.setting())),
            ("--columns", columns.as_deref().map(columns_setting)),
            ("--dedup", dedup.then(|| "given".into())),
            ("--exact", exact.then(|| "given".into())),
            ("--against", against.setting()),
        ];
        let all = expected.settings().chain(own);
        all.filter_map(|(name, value)| Some((name.into(), value?))).collect()
    }

    /// Refuses options that would change nothing beside others, and names that would mislead.
    fn refuse_ignored(&self, format: Format) -> Result<(), Failure> {
        let compares = self.dedup || self.against.is_given();
        if self.exact && !compares {
            let hint = "puzzles are compared with --dedup and --against only";
            return Err(Failure::Usage(format!("--exact does nothing: {hint}")));
        }
        self.against.check(&self.input, &self.destinations)?;
        let finds_forms = self.shows_forms(format) || (compares && !self.exact);
        if self.destinations.latency.is_some() && !finds_forms {
            let hint = "no row shows a form, so none is found";
            return Err(Failure::Usage(format!("--latency does nothing: {hint}")));
        }
        if self.dedup && self.destinations.resume && !are_files(&self.input) {
            let hint = "--resume with --dedup reads inputs twice: each has to be a file";
            return Err(Failure::Usage(hint.into()));
        }
        endings::check_sides(&self.destinations)
    }
}

/// Reads a column that canonical forms can have.
pub fn parse_column(name: &str) -> Result<Column, String> {
    let column: Column = name.parse().map_err(|error| format!("{error}"))?;
    if column.is_about_corpus() {
        return Err("is a column of bulkdoku generate".into());
    }
    if column.is_about_check() {
        return Err("is a column of bulkdoku check".into());
    }
    let is_of_solve = column.is_about_solving() || column.is_about_facts();
    if is_of_solve && !matches!(column, Column::LatencyNs | Column::Clues) {
        return Err("is a column of bulkdoku solve".into());
    }
    if column == Column::Copy {
        return Err("is a column of bulkdoku augment".into());
    }
    Ok(column)
}
