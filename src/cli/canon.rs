//! `bulkdoku canon`: canonical forms of puzzles.

use std::path::PathBuf;

use bulkdoku::Status;
use bulkdoku::output::Column;
use bulkdoku::pipeline::{Classify, Filter};
use bulkdoku::sets::Seen;
use clap::ArgGroup;

use super::against::{self, ByArgs, Comparison, finds};
use super::row_args::{RowArgs, RowRules};
use super::run_args::RunArgs;
use super::summary::Method;
use super::task::{RecordArgs, Task};
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
/// With --against, canon answers whether a set has puzzles of another one, up to isomorphism (--by
/// grid: up to isomorphism of the solution), and writes those that are new.
///
/// Inputs are those of bulkdoku solve: lines, tables, JSON lines, grids.
#[derive(Debug, clap::Args)]
#[command(after_long_help = format!("{AFTER_HELP}\n\n{}", help::SIGNALS))]
#[command(allow_negative_numbers = true)]
#[command(mut_arg("latency", |latency| latency.hide(true)))]
#[command(mut_arg("by", |by| by.requires("compared")))]
#[command(group = ArgGroup::new("compared").args(["against", "dedup"]).multiple(true))]
pub struct CanonArgs {
    #[command(flatten)]
    records: RecordArgs,

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

    /// Compare with this file or folder: only rows whose class is not in it
    ///
    /// It is read first, in any format, and its classes are kept in memory, 20 to 39 bytes each. The
    /// option may be given several times. Records whose class is known are counted, and have no row.
    /// The summary begins with the verdict, and --fail-on known makes it the exit status: a proof that
    /// a test set shares nothing with a training set. Records that cannot be compared fail then as well.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    against: Vec<PathBuf>,

    /// Only rows that --against leaves out
    #[arg(long, help_heading = "Output", requires = "against")]
    known: bool,

    #[command(flatten)]
    pub run: RunArgs,
}

const AFTER_HELP: &str = "\
Examples:
  bulkdoku canon puzzles.txt -o canonical.csv
  bulkdoku canon --format lines grids.txt | sort -u | wc -l
  bulkdoku canon --dedup puzzles.csv --columns '*' -o distinct.csv
  bulkdoku canon --against train.csv test.csv -o unseen.csv
  bulkdoku canon --against train/ --by grid --fail-on known test.csv -o unseen.csv && echo proved
  bulkdoku canon --against train.csv --by grid --known test.csv -o leaks.csv
  bulkdoku canon --dedup --by puzzle a.txt b.txt.gz -o union.csv
  bulkdoku canon --dedup --by grid puzzles.csv -o one-per-solution.csv

Statuses:
  ok             the puzzle has a row with its form
  duplicate      --dedup: the same as an earlier one; counted, without a row
  known          --against: the same as one of the other set; without a row, unless --known
  contradictory  two equal clues share a row, column or box
  malformed      not a puzzle
  no_form        pencil marks that are more than clues
  multiple, unsolvable, gave_up
                 --by grid: not exactly one solution, so not compared

With --dedup and --against, malformed and contradictory records have no row.

With --dedup, --resume first reads the records that have their rows once more.";

pub static ROWS: RowRules = RowRules {
    name: "canon",
    columns: Column::OF_CANON,
    default_columns: &Column::DEFAULT_OF_CANON,
    appended: Some(&[Column::Canonical, Column::Automorphisms, Column::Status]),
    names_file: true,
    single: Column::Canonical,
    ..RowRules::OF_INPUT
};

pub fn run(args: &CanonArgs, typed: Typed) -> Result<Exit, Failure> {
    typed.refuse(&["--latency"], "no engine is measured")?;
    args.refuse_ignored()?;
    let mut task = Task::new(&args.records, args.run, typed, &ROWS);
    let rows = args.rows.plan(&args.rules(), args.records.destinations.path())?;
    let by = args.by.sameness();
    task.rows = Some(&rows);
    let against = against::files(&args.against, &args.records.destinations)?;
    task.settings.others = against.iter().map(|file| file.path().to_owned()).collect();
    task.settings.method = Method { is_canon: true, ..Method::finding(finds(by)) };
    let mut run = task.open()?;
    if args.dedup && run.claim.destinations.resume && !run.inputs.can_be_read_twice() {
        refuse!("--resume with --dedup reads inputs twice: each input must be a file");
    }
    let max_record = args.records.layout.max_line;
    let compared = args.compares().then(|| Comparison::read(against, by, args.run, max_record));
    let (comparison, known) = compared.transpose()?.unzip();
    run.comparison = comparison;
    let mut seen = Seen::default();
    let is_filtered = args.dedup || args.compares();
    let mut filters: Vec<_> = is_filtered.then(Filter::valid).into_iter().collect();
    filters.extend(known.iter().map(|known| Filter::known(known, by, args.known)));
    if args.dedup {
        filters.push(Filter::distinct(&mut seen, by));
    }
    let format = rows.format(&mut run.inputs)?;
    run.write(&Classify::by(by), filters, format)
}

impl CanonArgs {
    fn compares(&self) -> bool {
        !self.against.is_empty()
    }

    /// Returns the rules for rows. `--dedup` and `--against` write rows of the input, without
    /// forms.
    fn rules(&self) -> RowRules {
        if self.dedup || self.compares() {
            let default_columns = &[Column::Puzzle];
            RowRules { default_columns, appended: Some(&[]), single: Column::Puzzle, ..ROWS }
        } else {
            ROWS
        }
    }

    fn refuse_ignored(&self) -> Result<(), Failure> {
        for (status, is_found, option) in [
            (Status::Known, self.compares(), "--against"),
            (Status::Duplicate, self.dedup, "--dedup"),
        ] {
            if self.run.names(status) && !is_found {
                refuse!("--fail-on {status} needs {option}, which finds them");
            }
        }
        Ok(())
    }
}
