//! `bulkdoku canon`: canonical forms of puzzles.

use bulkdoku::input::Answers;
use bulkdoku::output::{Column, Needs, Subcommand};
use bulkdoku::pipeline::{Classify, Filter};
use bulkdoku::sets::{Sameness, Seen};

use super::against::AgainstArgs;
use super::by::{ByArgs, finds};
use super::format::RowFormat;
use super::input_args::InputArgs;
use super::input_run::{EarlierRun, InputRun};
use super::inputs::check_files;
use super::outputs::Destinations;
use super::paths::{InputPaths, OutputDirArgs};
use super::row_args::{RowArgs, RowPlan, RowRules};
use super::run_args::RunArgs;
use super::select::WhereArgs;
use super::typed::Typed;
use super::{Exit, Failure, help};

/// Find the canonical form of each puzzle or grid; one row for each, in order
///
/// Two puzzles are isomorphic if one becomes the other by relabelling the digits, permuting rows in
/// a band, columns in a stack, bands or stacks, and transposing. The canonical form is the smallest
/// of all isomorphs, read as 81 characters with a blank before 1 to 9 (the forum's minlex). It
/// needs no solution. The number of automorphisms comes with it: of the 3,359,232 transformations
/// of the cells, those that leave the puzzle as it is, apart from the names of its digits.
///
/// Inputs are those of bulkdoku solve: lines, tables, JSON lines, grids.
#[derive(Debug, clap::Args)]
#[command(after_long_help = format!("{AFTER_HELP}\n\n{}", help::SIGNALS))]
#[command(allow_negative_numbers = true)]
#[command(mut_arg("format", |format| format
    .help("csv, tsv, jsonl, parquet, lines or npy")
    .long_help(
        "How rows are written: csv, tsv, jsonl, parquet, lines (forms only, an empty line where \
         there is none) or npy; by default as the output's name says, else csv"
    )))]
#[command(mut_arg("columns", |columns| columns.long_help(ROWS.columns_help())))]
pub struct CanonArgs {
    #[command(flatten)]
    input: InputPaths,

    #[command(flatten)]
    layout: InputArgs,

    #[command(flatten)]
    destinations: Destinations,

    #[command(flatten)]
    output_dir: OutputDirArgs,

    #[command(flatten)]
    rows: RowArgs,

    /// Keep the first puzzle of each class
    ///
    /// A puzzle that is isomorphic to an earlier one is counted and has no row. Each class takes 20
    /// to 39 bytes of memory: a hash of 128 bits, 16 bytes, and its share of the table. Two classes
    /// of n have the same hash with a probability of about n² / 2¹²⁹.
    #[arg(long, help_heading = "Output")]
    dedup: bool,

    #[command(flatten)]
    by: ByArgs,

    #[command(flatten)]
    condition: WhereArgs,

    #[command(flatten)]
    against: AgainstArgs,

    #[command(flatten)]
    pub run: RunArgs,
}

const AFTER_HELP: &str = "\
Examples:
  bulkdoku canon puzzles.txt -o canonical.csv
  bulkdoku canon --format lines grids.txt | sort -u | wc -l
  bulkdoku canon --dedup puzzles.csv --columns '*' -o distinct.csv
  bulkdoku canon --against train.csv test.csv -o unseen.csv
  bulkdoku canon --dedup --by puzzle a.txt b.txt.gz -o union.csv
  bulkdoku canon --dedup --by grid puzzles.csv -o one-per-solution.csv

Statuses:
  ok             the puzzle has a row with its form
  duplicate      --dedup: the same as an earlier one; counted, without a row
  known          --against: the same as one of the other set; likewise
  contradictory  two equal clues share a row, column or box
  malformed      not a puzzle
  no_form        pencil marks that are more than clues
  multiple, unsolvable, gave_up
                 --by grid: not exactly one solution, so not compared

Exit status: 0 every record ok, duplicate or known, 1 some record has another status (--fail-on
chooses), 2 wrong usage, 3 input or output failed, 75 another run is writing an output, 124 timed
out, 130 interrupted. A closed pipe ends the run with 0.

With --dedup and --against, malformed and contradictory records have no row.

With --dedup, --resume first reads the records that have their rows once more.";

const ROWS: RowRules = RowRules {
    subcommand: Subcommand::Canon,
    default_format: RowFormat::Csv,
    is_written: |format| {
        format.has_columns() || matches!(format, RowFormat::Lines | RowFormat::Npy)
    },
    default_columns: &Column::DEFAULT_OF_CANON,
    appended: Some(&[Column::Canonical, Column::Automorphisms, Column::Status]),
    changes_cells: false,
    names_file: true,
    single: Column::Canonical,
};

pub fn run(mut args: CanonArgs, typed: Typed) -> Result<Exit, Failure> {
    let mut destinations = args.destinations.clone();
    let mut rows = args.rows.plan(&args.rules(), &destinations)?;
    args.output_dir.expand(&mut args.input, &mut rows, &mut destinations)?;
    let claim = destinations.claim(&[&args.input[..], &args.against.files()].concat())?;
    args.refuse_ignored(&rows, &destinations)?;
    let options = args.layout.options_for(Answers::Unwanted, &rows)?;
    let by = args.by.sameness();
    let known = args.against.load(by, args.run, args.layout.stream())?;
    let run = InputRun::new(finds(by), typed, args.run).canonical().reading(args.against.files());
    let run = run.only_where(&args.condition, ROWS.subcommand);
    // The latency of a form may be shown without the form.
    let condition = args.condition.condition.as_ref();
    let read = condition.map(|condition| condition.computed(ROWS.subcommand)).unwrap_or_default();
    let is_timed = rows.shows(Column::LatencyNs) || read.contains(&Column::LatencyNs);
    let needs = if is_timed { Needs::FORM } else { Needs::NONE };
    let (job, seen) = (&Classify { needs, ..Classify::by(by) }, &mut Seen::default());
    let known = &known;
    let filters = move |earlier: &mut EarlierRun<'_>| {
        let compared = || -> Vec<_> {
            let compares = args.dedup || args.against.is_given();
            let valid = compares.then(Filter::valid);
            valid.into_iter().chain(known.iter().map(|known| Filter::unknown(known, by))).collect()
        };
        let mut filters = compared();
        if args.dedup {
            let seen = seen;
            let mut replayed = compared();
            replayed.push(Filter::distinct(&mut *seen, by));
            earlier.replay(job, replayed)?;
            filters.push(Filter::distinct(seen, by));
        }
        Ok(filters)
    };
    run.run(args.input, &options, claim, job, filters, |inputs| rows.format(&inputs.rows()))
}

/// Returns whether rows show forms or their latency.
fn shows_forms(rows: &RowPlan) -> bool {
    rows.needs().include(Needs::FORM) || rows.shows(Column::LatencyNs)
}

impl CanonArgs {
    /// Returns the rules for rows. `--dedup` and `--against` write rows of the input, without
    /// forms.
    fn rules(&self) -> RowRules {
        if self.dedup || self.against.is_given() {
            let default_columns = &[Column::Puzzle];
            RowRules { default_columns, appended: Some(&[]), single: Column::Puzzle, ..ROWS }
        } else {
            ROWS
        }
    }

    /// Rejects options that have no effect in combination.
    fn refuse_ignored(&self, rows: &RowPlan, destinations: &Destinations) -> Result<(), Failure> {
        if self.dedup {
            self.by.refuse_near("cannot be combined with --dedup")?;
        }
        let compares = self.dedup || self.against.is_given();
        if let Some(option) = self.by.option().filter(|_| !compares) {
            refuse!("{option} does nothing: only --dedup and --against compare puzzles");
        }
        let finds_forms = shows_forms(rows) || (compares && self.by.sameness() == Sameness::Class);
        if destinations.latency.is_some() && !finds_forms {
            refuse!("--latency does nothing: no column shows a form, so none is computed");
        }
        if self.dedup && destinations.resume {
            check_files(&self.input, "--resume with --dedup reads inputs twice")?;
        }
        self.against.check()
    }
}
