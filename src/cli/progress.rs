//! The progress of a run: a bar on a terminal, otherwise lines on request.

use std::borrow::Cow;
use std::convert::Infallible;
use std::fmt;
use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bulkdoku::Progress;
use bulkdoku::pipeline::watch;
use bulkdoku::stats::human_time;
use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::numbers::counted;
use super::{log, platform};

/// The time between updates of the bar.
const UPDATE: Duration = Duration::from_millis(100);
/// The default time between lines.
const INTERVAL: Duration = Duration::from_secs(2);

/// The options for progress.
#[derive(Clone, Copy, Debug, clap::Args)]
#[command(next_help_heading = "Run")]
pub struct ProgressArgs {
    /// Progress: auto, always, never, or an interval
    ///
    /// auto shows a bar on a terminal, unless the run is quiet. always also prints a line every two
    /// seconds elsewhere, and an interval such as 30s sets the time between these lines.
    #[arg(
        long,
        value_name = "WHEN",
        default_value = "auto",
        hide_default_value = true,
        value_parser = When::parse
    )]
    progress: When,
}

/// When progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    /// On a terminal.
    Auto,
    /// On a terminal, and elsewhere in lines at this interval.
    Every(Duration),
    Never,
}

impl When {
    fn parse(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            "always" => Ok(Self::Every(INTERVAL)),
            "never" => Ok(Self::Never),
            _ => match humantime::parse_duration(text) {
                Ok(interval) if interval >= UPDATE => Ok(Self::Every(interval)),
                Ok(_) => Err(format!("expected at least {}", humantime::format_duration(UPDATE))),
                Err(_) => Err("expected auto, always, never, or an interval such as 30s".into()),
            },
        }
    }
}

/// Shows the progress of a run.
#[derive(Clone, Debug)]
pub struct Meter {
    /// The bar, possibly hidden. Messages are printed through it to keep its line intact.
    pub bar: ProgressBar,
    /// The time between the lines that are printed instead, if any are.
    interval: Option<Duration>,
    total: Option<u64>,
    quiet: bool,
}

/// The progress of a run.
#[derive(Clone, Debug)]
pub struct Progressed {
    /// The amount of work done, out of the total.
    pub done: u64,
    /// The number of puzzles, if they are counted.
    pub puzzles: Option<u64>,
    /// The current task, if puzzles are not counted.
    pub what: Cow<'static, str>,
    /// How many rows came from how much work, if few may.
    pub yields: Option<Yield>,
}

/// The rows of a generator or filter, and what it has drawn or read for them.
#[derive(Clone, Copy, Debug)]
pub struct Yield {
    pub rows: u64,
    pub tried: u64,
    /// What is tried.
    pub what: &'static str,
    /// The time after which a low yield is first reported.
    pub first: Duration,
}

impl Yield {
    /// Returns whether there was less than one row in ten seconds.
    fn is_low(&self, elapsed: Duration) -> bool {
        let expected = elapsed.as_secs_f64() / 10.0;
        self.tried > self.rows && (self.rows as f64) < expected
    }
}

impl fmt::Display for Yield {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rows, tried, what, .. } = *self;
        write!(f, "{} from {} {what}", counted(rows, "row"), HumanCount(tried))
    }
}

impl Progressed {
    /// Creates the progress in bytes of the inputs.
    pub fn of_bytes(bytes: &AtomicU64, progress: &Progress) -> Self {
        let puzzles = Some(progress.records.load(Ordering::Relaxed));
        Self { done: bytes.load(Ordering::Relaxed), puzzles, what: "".into(), yields: None }
    }

    /// Adds how many records have rows.
    pub fn with_filter(self, progress: &Progress) -> Self {
        let (rows, tried) = (&progress.rows, &progress.records);
        let [rows, tried] = [rows, tried].map(|count| count.load(Ordering::Relaxed));
        let yields = Yield { rows, tried, what: "records", first: Duration::from_secs(10) };
        Self { yields: Some(yields), ..self }
    }

    /// Adds how many rows were drawn from how many puzzles.
    pub fn with_draws(self, (tried, rows): (u64, u64)) -> Self {
        let yields = Yield { rows, tried, what: "drawn puzzles", first: Duration::from_secs(2) };
        Self { yields: Some(yields), ..self }
    }

    /// Creates the progress in rows, including those of an earlier run.
    pub fn of_rows(before: u64, progress: &Progress) -> Self {
        let done = before + progress.records.load(Ordering::Relaxed);
        Self { done, puzzles: Some(done), what: "".into(), yields: None }
    }
}

impl Meter {
    /// Creates a meter for `total` work, if it is known. By default, progress is shown on a
    /// terminal, unless `quiet`.
    pub fn new(args: ProgressArgs, total: Option<u64>, quiet: bool) -> Self {
        let is_terminal = io::stderr().is_terminal();
        let (is_shown, interval) = match args.progress {
            When::Auto => (!quiet, None),
            When::Every(interval) => (true, Some(interval)),
            When::Never => (false, None),
        };
        let bar = if is_shown && is_terminal {
            let template = match total {
                Some(_) => "[{wide_bar}] {percent}% {msg}",
                None => "{spinner} {msg}",
            };
            let style = ProgressStyle::with_template(template).expect("the template is valid");
            ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr()).with_style(style)
        } else {
            ProgressBar::hidden()
        };
        Self { bar, interval: interval.filter(|_| !is_terminal), total, quiet }
    }

    /// Shows progress during `work`, which runs on a separate thread, and prints a line when a
    /// signal requests it.
    pub fn watch<T: Send>(
        &self,
        progressed: impl Fn() -> Progressed,
        work: impl FnOnce() -> T + Send,
    ) -> T {
        let begin = Instant::now();
        let mut pace = Pace { total: self.total, begin, from: None };
        let mut due = self.interval.unwrap_or_default();
        let mut yield_due = None;
        let Ok(result) = watch(UPDATE, work, |is_last| {
            let now = progressed();
            let done = now.done;
            if let Some(yields) = now.yields.filter(|_| !is_last && !self.quiet)
                && begin.elapsed() >= *yield_due.get_or_insert(yields.first)
            {
                if yields.is_low(begin.elapsed()) {
                    let time = human_time(begin.elapsed().as_nanos() as f64);
                    self.bar.suspend(|| log::note(format!("{yields} in {time}")));
                }
                // Each report is due after twice the time of the last.
                yield_due = yield_due.map(|due| 2 * due);
            }
            let progress = pace.progress(now, Instant::now());
            let is_due = self.interval.is_some() && (is_last || begin.elapsed() >= due);
            if is_due {
                due = begin.elapsed() + self.interval.unwrap_or_default();
            }
            if platform::progress_is_requested() || is_due {
                self.bar.suspend(|| log::note(&progress));
            }
            if is_last {
                self.bar.finish_and_clear();
            } else {
                self.bar.set_position(done);
                self.bar.set_message(progress.rates());
            }
            Ok::<_, Infallible>(())
        });
        result
    }
}

/// The speed of the work, from which the remaining time is estimated.
#[derive(Debug)]
struct Pace {
    total: Option<u64>,
    begin: Instant,
    /// The time when the first puzzle was done, and `done` and the count at that time. A resumed
    /// run does not start at zero.
    from: Option<(Instant, u64, u64)>,
}

impl Pace {
    fn progress(&mut self, progressed: Progressed, now: Instant) -> ShownProgress {
        let Progressed { done, puzzles, what, yields: _ } = progressed;
        let count = puzzles.unwrap_or(done);
        if self.from.is_none() && count > 0 {
            self.from = Some((now, done, count));
        }
        let total = self.total.filter(|&total| total > 0);
        let mut shown = ShownProgress {
            seconds: (now - self.begin).as_secs_f64(),
            percent: total.map(|total| 100.0 * done as f64 / total as f64),
            puzzles,
            what: Some(what).filter(|_| puzzles.is_none()),
            puzzles_per_second: None,
            seconds_left: None,
        };
        if let Some((begin, from_done, from_count)) = self.from
            && now > begin
        {
            let seconds = (now - begin).as_secs_f64();
            let rate = |count: u64| (count - from_count) as f64 / seconds;
            shown.puzzles_per_second = puzzles.map(rate);
            if let Some(total) = self.total
                && done > from_done
            {
                let left = total.saturating_sub(done) as f64 / (done - from_done) as f64;
                shown.seconds_left = Some(left * seconds);
            }
        }
        shown
    }
}

/// The progress at one time.
#[derive(Debug)]
struct ShownProgress {
    seconds: f64,
    percent: Option<f64>,
    puzzles: Option<u64>,
    what: Option<Cow<'static, str>>,
    puzzles_per_second: Option<f64>,
    seconds_left: Option<f64>,
}

impl ShownProgress {
    /// Returns the elapsed time, the puzzles done, their rate, and the remaining time.
    fn rates(&self) -> String {
        let time = |seconds: f64| human_time(seconds * 1e9);
        let puzzles = self.puzzles.map(|count| format!("{} puzzles", HumanCount(count)));
        let rate = self.puzzles_per_second.map(|rate| format!("{}/s", HumanCount(rate as u64)));
        let left = self.seconds_left.map(|left| format!("{} left", time(left)));
        let task = puzzles.or_else(|| self.what.as_ref().map(ToString::to_string));
        let parts: Vec<_> =
            [Some(time(self.seconds)), task, rate, left].into_iter().flatten().collect();
        parts.join(", ")
    }
}

impl fmt::Display for ShownProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = self.percent.map_or(String::new(), |percent| format!("{percent:.0}%, "));
        write!(f, "progress: {percent}{}", self.rates())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace(total: Option<u64>) -> Pace {
        Pace { total, begin: Instant::now(), from: None }
    }

    fn at(pace: &mut Pace, seconds: u64, done: u64, puzzles: u64) -> String {
        let progressed = Progressed { done, puzzles: Some(puzzles), what: "".into(), yields: None };
        let now = pace.begin + Duration::from_secs(seconds);
        pace.progress(progressed, now).rates()
    }

    #[test]
    fn the_estimate_is_based_on_this_run_alone() {
        let mut pace = pace(Some(1000));
        // An earlier run has done 900, which are skipped.
        assert_eq!(at(&mut pace, 1, 600, 0), "1.00 s, 0 puzzles");
        assert_eq!(at(&mut pace, 2, 900, 10), "2.00 s, 10 puzzles");
        assert_eq!(at(&mut pace, 4, 920, 2010), "4.00 s, 2,010 puzzles, 1,000/s, 8.00 s left");
        assert_eq!(
            at(&mut pace, 12, 1000, 10_010),
            "12.0 s, 10,010 puzzles, 1,000/s, 0.00 ns left"
        );
    }

    #[test]
    fn without_a_total_there_is_no_estimate() {
        let mut pace = pace(None);
        assert_eq!(at(&mut pace, 1, 5, 5), "1.00 s, 5 puzzles");
        assert_eq!(at(&mut pace, 2, 9, 9), "2.00 s, 9 puzzles, 4/s");
    }

    #[test]
    fn less_than_one_row_in_ten_seconds_is_a_low_yield() {
        let yields = |rows, tried| Yield { rows, tried, what: "records", first: Duration::ZERO };
        let is_low =
            |rows, tried, seconds| yields(rows, tried).is_low(Duration::from_secs(seconds));
        assert!(is_low(0, 5, 2) && is_low(1, 5000, 11));
        assert!(!is_low(2, 5000, 11) && !is_low(0, 0, 100) && !is_low(5, 5, 100));
        assert_eq!(yields(1, 5000).to_string(), "1 row from 5,000 records");
    }
}
