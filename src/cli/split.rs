//! `bulkdoku split`: divides a set into parts without common classes.

use std::path::PathBuf;

use bulkdoku::Compression;
use bulkdoku::output::Row;
use bulkdoku::pipeline::{Classify, Filter};
use bulkdoku::sets::Split;

use super::against::{ByArgs, finds};
use super::row_args::{RowArgs, RowPlan, RowRules};
use super::run_args::RunArgs;
use super::summary::Method;
use super::task::{RecordArgs, Task};
use super::typed::Typed;
use super::{Exit, Failure, help, numbers, shown};

/// Split a set of puzzles into parts, such as training and test, with no class in two of them
///
/// A class is all isomorphs of a puzzle: see bulkdoku canon. Each part is a range of hashes of
/// classes. So the part of a record depends on its class, the seed, and the shares alone: it stays
/// the same when records are added, in any order and in any number of files. The shares are met
/// within what chance allows; the summary counts the records of each part.
///
/// Rows have the puzzle as it was written; those of tables have all other columns after it.
#[derive(Debug, clap::Args)]
#[command(after_long_help = format!("{AFTER_HELP}\n\n{}", help::SIGNALS))]
#[command(allow_negative_numbers = true)]
#[command(mut_arg("output", |output| output
    .required(true)
    .value_name("TRAIN,TEST,…")
    .value_delimiter(',')
    .help("Where the rows of each part go")
    .long_help(
        "Where the rows of each part go\n\nA name that ends with .gz or .zst compresses them."
    )))]
#[command(mut_arg("by", |by| by.help_heading("Parts").help("What is kept together [default: class]")))]
#[command(mut_arg("latency", |latency| latency.hide(true)))]
pub struct SplitArgs {
    #[command(flatten)]
    records: RecordArgs,

    /// Relative sizes of the parts, such as 80,10,10
    #[arg(
        long,
        value_name = "N,N,…",
        help_heading = "Parts",
        required = true,
        value_delimiter = ',',
        value_parser = numbers::percentage
    )]
    shares: Vec<f64>,

    #[command(flatten)]
    by: ByArgs,

    /// Any number; another one splits differently
    #[arg(short, long, value_name = "S", help_heading = "Parts", value_parser = numbers::count)]
    seed: u64,

    #[command(flatten)]
    rows: RowArgs,

    #[command(flatten)]
    pub run: RunArgs,
}

const AFTER_HELP: &str = "\
Examples:
  bulkdoku split --shares 90,10 --seed 1 puzzles.csv -o train.csv,test.csv
  bulkdoku split --shares 4,1 --seed 1 a.txt b.txt.gz -o train.csv.zst,test.csv.zst
  bulkdoku split --shares 80,10,10 --by grid --seed 1 puzzles.csv -o train.csv,val.csv,test.csv
  bulkdoku split --shares 90,10 --by puzzle --seed 1 --columns id,puzzle puzzles.csv -o train.jsonl,test.jsonl

Invalid records have no class: each has a message, and no row. With --by grid, puzzles without \
exactly one solution have no row either; the summary counts them.

A part that is split again needs another seed. With larger shares of the first parts, these keep \
their records. The hash is XXH3 with 128 bits of the 81 cells, as bytes from 0 to 9, of the \
canonical form (--by grid: that of the solution; --by puzzle: the puzzle), with the seed.";

pub static ROWS: RowRules = RowRules { name: "split", ..RowRules::OF_INPUT };

pub fn run(args: &SplitArgs, typed: Typed) -> Result<Exit, Failure> {
    typed.refuse(&["--latency"], "no engine is measured")?;
    let mut task = Task::new(&args.records, args.run, typed, &ROWS);
    let rows = args.plan(&args.records.destinations.output)?;
    let by = args.by.sameness();
    task.rows = Some(&rows);
    task.settings.method = Method::finding(finds(by));
    task.settings.typed.set_seed(args.seed);
    let mut run = task.open()?;
    let split = Split::new(&args.shares, by, args.seed);
    let decide = Box::new(move |row: &Row<'_>| Ok(split.decide(row)));
    let format = rows.format(&mut run.inputs)?;
    run.write(&Classify::by(by), vec![Filter::Local(by.needs(), decide)], format)
}

impl SplitArgs {
    fn plan(&self, parts: &[PathBuf]) -> Result<RowPlan, Failure> {
        let (count, shares) = (parts.len(), self.shares.len());
        if count != shares || !(2..=MAX_PARTS).contains(&count) {
            refuse!(
                "-o has {}, --shares {}; expected as many of both, 2 to {MAX_PARTS}",
                numbers::counted(count as u64, "name"),
                numbers::counted(shares as u64, "number")
            );
        }
        if parts.iter().any(|path| path.as_os_str() == "-") {
            refuse!("-o: standard output cannot be one of several parts; name files");
        }
        let plan = |output: &PathBuf| self.rows.plan(&ROWS, Some(output));
        let first = &parts[0];
        let rows = plan(first)?;
        for other in &parts[1..] {
            if plan(other)?.format != rows.format
                || Compression::of_name(first) != Compression::of_name(other)
            {
                let names = format!("{} and {}", shown(first), shown(other));
                refuse!("{names}: parts have a single format; use the same extension, or --format");
            }
        }
        Ok(rows)
    }
}

const MAX_PARTS: usize = 100;
