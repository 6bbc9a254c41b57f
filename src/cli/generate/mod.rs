//! `bulkdoku generate`: random puzzles.

mod job;
mod summary;

use std::ops::RangeInclusive;
use std::path::PathBuf;

use bulkdoku::SimdLevel;
use bulkdoku::condition::Condition;
use bulkdoku::generate::{Grids, Symmetry};
use bulkdoku::logic::generate::Measure;
use bulkdoku::output::Column;
use bulkdoku::pipeline::Options;
use job::{Corpus, KINDS};

use super::format::RowFormat;
use super::inputs::Inputs;
use super::outputs::Destinations;
use super::progress::Progressed;
use super::row_args::{PageArgs, RowArgs, RowRules};
use super::run::{OpenRun, Settings};
use super::run_args::RunArgs;
use super::summary::Summary;
use super::typed::Typed;
use super::{Exit, Failure, help, log, numbers, platform};

/// Make random puzzles with their solutions
///
/// Row i depends on the seed and i alone. All numbers of threads and vector levels make the same
/// bytes, --skip and --count cut a corpus into parts, and the first N rows do not depend on the
/// count.
///
/// Hard puzzles (--kind hard) are found by a search on islands, each of which starts at random puzzles
/// of its own and ends after about 10,000 rows or ten seconds of a core. So --skip skips islands. The
/// class of a row is new within its island; about one row in four has a new solution grid.
#[derive(Debug, clap::Args)]
#[command(after_long_help = format!("{AFTER_HELP}\n\n{}", help::SIGNALS))]
#[command(allow_negative_numbers = true)]
#[command(mut_arg("errors", |errors| errors.hide(true)))]
#[command(mut_arg("fail_on", |fail_on| fail_on.hide(true)))]
#[command(mut_arg("resume", |resume| resume.requires("seed")))]
#[command(mut_arg("latency", |latency| latency.long_help(
    "Write the histogram of latencies, in the formats of solve: the time in which the engine solves \
     each row that was made"
)))]
#[command(next_help_heading = "Corpus")]
pub struct GenerateArgs {
    /// How many rows
    #[arg(short = 'n', long, value_name = "N", value_parser = numbers::count)]
    count: u64,

    /// Any number; another one makes another corpus [default: drawn and printed]
    #[arg(short, long, value_name = "S", value_parser = numbers::count)]
    seed: Option<u64>,

    /// Skip rows of the corpus; with --kind hard, islands of its search
    #[arg(long, value_name = "N", default_value = "0", value_parser = numbers::count)]
    skip: u64,

    /// Kind of the puzzles [default: minimal, or unique with --pattern]
    ///
    /// unique puzzles have the number of clues that --clues names, or the clues of --pattern, and
    /// need not be minimal.
    #[arg(short, long, value_name = "KIND", value_parser = help::one_of(KINDS))]
    kind: Option<Corpus>,

    /// What hard puzzles have much of: guess_rating, se121 or score
    ///
    /// guess_rating is the mean number of guesses over 8 isomorphs, as solve --rating-over 8 prints
    /// it; se121 the rating of Sudoku Explainer; score the sum of the scores of all steps [default:
    /// guess_rating]
    #[expect(clippy::doc_markdown, reason = "it is the text of the help")]
    #[arg(long, value_name = "BY", help_heading = "Hard puzzles")]
    objective: Option<Measure>,

    /// Hard puzzles with at least this much
    ///
    /// The search is guided towards it. [default: 20 guesses, 9.0 for se121, 10000 for score]
    #[arg(long, value_name = "X", help_heading = "Hard puzzles", value_parser = numbers::positive)]
    at_least: Option<f64>,

    /// Start the search for hard puzzles at those of a file
    ///
    /// An island starts at 100 of them, drawn at random, and finds other puzzles. Each must have one
    /// solution.
    #[arg(long, value_name = "FILE", help_heading = "Hard puzzles")]
    from: Option<PathBuf>,

    /// How solution grids are drawn: rows, fast or uniform
    ///
    /// rows fills row by row, digits in random order; fast draws a band and a stack and searches
    /// for the rest; uniform draws all grids with nearly the same probability, in some 100
    /// microseconds each [default: fast for --kind solved, else rows]
    #[arg(long, value_name = "HOW")]
    grids: Option<Grids>,

    /// This many clues: 22, 21..24
    ///
    /// Puzzles are drawn until one fits. Nearly all minimal puzzles have 21 to 28; those of --kind
    /// unique may have more.
    #[arg(long, value_name = "A..B", help_heading = "Which fit", value_parser = numbers::clues)]
    clues: Option<RangeInclusive<usize>>,

    /// rot180, rot90, diagonal, horizontal, vertical or none
    ///
    /// The symmetry of the cells that hold clues. Minimal puzzles are minimal within the symmetry:
    /// no orbit of clues can be removed.
    #[arg(long, value_name = "HOW", help_heading = "Which fit", default_value = "none")]
    symmetry: Symmetry,

    /// Clues in exactly the cells that a file marks
    ///
    /// FILE holds 81 cells, in any number of lines: # or 1 to 9 for a clue, . or 0 elsewhere. With
    /// --kind minimal, few patterns have any such puzzles. Instead of a file, the 81 characters themselves may be given.
    #[arg(long, value_name = "FILE", help_heading = "Which fit")]
    pattern: Option<String>,

    /// Puzzles that meet a condition, as 'technique == "xy-wing"'
    ///
    /// Puzzles are drawn until one meets it; the summary has their number. It has names of columns that
    /// --columns offers, numbers, texts in quotes, true and false, == != < <= > >=, in (…), not in (…),
    /// and, or, not, and parentheses. Comparisons with a missing value are false.
    #[arg(long = "where", value_name = "CONDITION", help_heading = "Which fit")]
    condition: Option<Condition>,

    #[command(flatten)]
    destinations: Destinations,

    #[command(flatten)]
    rows: RowArgs,

    #[command(flatten)]
    page: PageArgs,

    /// Use this vector level, not the best of the machine
    #[arg(long, value_name = "LEVEL", help_heading = "Run", value_parser = SimdLevel::by_name)]
    simd: Option<SimdLevel>,

    #[command(flatten)]
    pub run: RunArgs,
}

const AFTER_HELP: &str = "\
Examples:
  bulkdoku generate --count 1000 --seed 1 -o minimal.txt
  bulkdoku generate --count 1e6 --seed 1 -o corpus.csv.zst --summary-json corpus.json
  bulkdoku generate --count 1e6 --seed 1 -o corpus.csv --report corpus.html
  bulkdoku generate --count 500k --skip 500k --seed 1 -o second-half.txt
  bulkdoku generate --count 1000 --kind solved --grids uniform --seed 1 -o grids.txt
  bulkdoku generate --count 100 --clues 21..22 --symmetry rot180 -o few.csv
  bulkdoku generate --count 1e6 --kind unique --clues 30..36 --seed 1 -o train.txt
  bulkdoku generate --count 10 --pattern heart.txt -o heart.csv
  bulkdoku generate --count 10k --seed 1 --kind hard -o hard.txt
  bulkdoku generate --count 100 --seed 1 --kind hard --objective se121 --at-least 9 -o se9.txt
  bulkdoku generate --count 100 --seed 1 --where 'technique == \"xy-wing\"' -o xy-wings.csv
  bulkdoku generate --count 1000000 --seed 2 | bulkdoku solve -o results.csv";

pub static ROWS: RowRules = RowRules {
    name: "generate",
    columns: Column::OF_GENERATE,
    default_format: RowFormat::Lines,
    is_written: |format| !format.is_judges() && !format.is_path(),
    default_columns: &Column::DEFAULT_OF_GENERATE,
    appended: None,
    ..RowRules::OF_INPUT
};

pub fn run(args: &GenerateArgs, mut typed: Typed) -> Result<Exit, Failure> {
    typed.refuse(&["--errors", "--fail-on"], "no record is read")?;
    if args.is_hard() {
        let why = "the search of --kind hard changes single clues; --where can select by clues";
        typed.refuse(&["--clues", "--symmetry", "--pattern"], why)?;
    } else {
        typed.refuse(&["--from", "--objective", "--at-least"], "it is for --kind hard")?;
    }
    let rows = args.rows.plan(&ROWS, args.destinations.path())?.with_pages(&args.page)?;
    let statistics = args.destinations.statistics();
    let reads = args.reads();
    let claim = args.destinations.clone().claim(&reads)?;
    let work = args.work()?;
    let job = work.job();
    typed.set_seed(job.seed);
    let settings = Settings { others: reads, ..Settings::new(typed, args.run) };
    let identity = settings.typed.run(Vec::new(), &settings.others);
    let progress = platform::new_progress();
    let options = Options { statistics, ..args.run.options(&progress) };
    let format = rows.format(&mut Inputs::default())?;
    let mut run = OpenRun::new(&settings, claim, identity, format, Some(args.count))?;
    if args.seed.is_none() {
        // Also with --quiet, because nothing else tells it.
        log::note(format!("seed {}", job.seed));
    }
    let start = run.start.as_ref();
    let before = start.map_or(0, |start| start.counts.records());
    // Before the first row, a checkpoint has no position.
    let position = start.filter(|_| before > 0).map(|start| start.position);
    let mut source = work.source(position, &options);
    let ran = run.meter.clone().watch(
        || Progressed::of_rows(before, &progress, job.yields.counts()),
        || run.fold(&mut *source, job, &mut [], &options, &progress),
    );
    run.finish(ran, |report| Summary::of_corpus(report, job, args))
}
