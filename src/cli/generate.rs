//! `bulkdoku generate`: random puzzles, one a line.

use std::io::{self, ErrorKind, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use bulkdoku::Puzzle;
use bulkdoku::generate::{Generator, Kind};
use clap::ValueEnum;
use clap::builder::PossibleValue;
use rayon::prelude::*;

use super::out::gone_message;
use super::outputs;
use super::packed::Packed;
use super::progress::{Meter, ProgressArgs, Progressed};
use super::{Exit, Failure, endings, help, numbers, parse_threads};

/// Make random puzzles, one a line
///
/// The same seed makes the same puzzles, whatever the number of threads, and the first N of
/// them are the same however many are made.
#[derive(Debug, clap::Args)]
#[command(after_long_help = AFTER_HELP, allow_negative_numbers = true)]
pub struct Args {
    /// How many puzzles
    #[arg(
        short = 'n',
        long,
        value_name = "N",
        help_heading = "Corpus",
        value_parser = numbers::count
    )]
    count: u64,

    /// Which of the corpora: any number
    #[arg(short, long, value_name = "S", help_heading = "Corpus", value_parser = numbers::count)]
    seed: u64,

    /// minimal, easy, hard, several or unsolvable
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

    /// Where they go [default: standard output]
    ///
    /// A name that ends with .gz or .zst compresses them.
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,

    /// Replace an output file that exists
    #[arg(long, help_heading = "Output")]
    force: bool,

    /// Threads; 0 takes all cores
    #[arg(
        short = 'j',
        long,
        value_name = "N",
        help_heading = "Run",
        default_value = "0",
        value_parser = parse_threads
    )]
    threads: NonZeroUsize,

    #[command(flatten)]
    progress: ProgressArgs,
}

const AFTER_HELP: &str = "\
Examples:
  bulkdoku generate --count 1000 --seed 1 -o minimal.txt
  bulkdoku generate --count 200 --seed 1 --kind hard -o hard.txt
  bulkdoku generate --count 1000000 --seed 2 | bulkdoku solve -o results.csv

Exit status: 0 done, 2 wrong usage, 3 output failed. A closed pipe ends the run with 0.";

/// A kind as it is typed.
#[derive(Clone, Copy, Debug)]
struct KindArg(Kind);

impl ValueEnum for KindArg {
    fn value_variants<'a>() -> &'a [Self] {
        const ALL: &[KindArg] = &[
            KindArg(Kind::Minimal),
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
            Kind::Easy => "one solution, 30 to 37 clues, naked singles suffice",
            Kind::Hard => "minimal, found by search for many guesses (slow to make)",
            Kind::Several => "more than one solution",
            Kind::Unsolvable => "legal clues, no solution",
        };
        Some(PossibleValue::new(self.0.name()).help(help))
    }
}

/// Puzzles are made in batches of this many for each thread, then written.
const BATCH: u64 = 64;

/// Makes what `args` ask for.
pub fn run(args: Args) -> Result<Exit, Failure> {
    let Args { count, seed, kind: KindArg(kind), output, force, threads, progress } = args;
    if let Some(path) = &output {
        endings::check(path, "puzzle lines", &["lines", "sdm"], endings::COMPRESSED)?;
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.get()).build();
    let pool = pool.map_err(|error| Failure::Io(format!("threads cannot be started: {error}")))?;
    let out = outputs::create(&[], output.as_deref(), force)?;
    let batch = BATCH * threads.get() as u64;
    let made = AtomicU64::new(0);
    let progressed = || Progressed {
        done: made.load(Ordering::Relaxed),
        puzzles: Some(made.load(Ordering::Relaxed)),
        what: "".into(),
    };
    let meter = Meter::new(progress, Some(count), false);
    let written = meter.watch(progressed, || {
        pool.install(|| {
            let out = Packed::new(&out, output.as_deref());
            write_puzzles(count, batch, out, &made, |generator, index| {
                generator.puzzle(kind, seed, index)
            })
        })
    });
    match written {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(Exit::Done),
        Err(error) => Err(Failure::Io(format!("{}: {error}", out.name()))),
        Ok(()) => match gone_message(&out) {
            Some(message) => Err(Failure::Io(message)),
            None => Ok(Exit::Done),
        },
    }
}

/// Batch by batch, each made by all threads of the pool and written in order.
fn write_puzzles(
    count: u64,
    batch: u64,
    mut out: Packed<impl Write>,
    made: &AtomicU64,
    make: impl Fn(&mut Generator, u64) -> Puzzle + Sync,
) -> io::Result<()> {
    let mut puzzles = Vec::new();
    let mut start = 0;
    while start < count {
        let end = count.min(start.saturating_add(batch));
        (0..(end - start) as usize)
            .into_par_iter()
            .map_init(Generator::new, |generator, i| make(generator, start + i as u64))
            .collect_into_vec(&mut puzzles);
        for puzzle in &puzzles {
            writeln!(out, "{puzzle}")?;
        }
        out.flush()?;
        made.store(end, Ordering::Relaxed);
        start = end;
    }
    out.finish()
}
