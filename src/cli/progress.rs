//! The progress of a run: a bar on a terminal, otherwise lines on request.

use std::borrow::Cow;
use std::convert::Infallible;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bulkdoku::Progress;
use bulkdoku::pipeline::watch;
use bulkdoku::stats::human_time;
use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::platform;

/// The time between updates of the bar.
const UPDATE: Duration = Duration::from_millis(100);
/// The number of updates between lines.
const UPDATES_PER_LINE: u32 = 20;

/// The options for progress.
#[derive(Clone, Copy, Debug, clap::Args)]
#[command(next_help_heading = "Run")]
pub struct ProgressArgs {
    /// Show progress, even in a file or with --quiet
    #[arg(long, overrides_with = "no_progress")]
    progress: bool,

    /// Show no progress, not even on a terminal
    #[arg(long)]
    no_progress: bool,
}

/// Shows the progress of a run.
#[derive(Clone, Debug)]
pub struct Meter {
    /// The bar, possibly hidden. Messages are printed through it to keep its line intact.
    pub bar: ProgressBar,
    /// Whether lines are printed instead.
    has_lines: bool,
    total: Option<u64>,
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
}

impl Progressed {
    /// Creates the progress in bytes of the inputs.
    pub fn of_bytes(bytes: &AtomicU64, progress: &Progress) -> Self {
        let puzzles = Some(progress.records.load(Ordering::Relaxed));
        Self { done: bytes.load(Ordering::Relaxed), puzzles, what: "".into() }
    }

    /// Creates the progress in rows, including those of an earlier run.
    pub fn of_rows(before: u64, progress: &Progress) -> Self {
        let done = before + progress.records.load(Ordering::Relaxed);
        Self { done, puzzles: Some(done), what: "".into() }
    }
}

impl Meter {
    /// Creates a meter for `total` work, if it is known. By default, progress is shown on a
    /// terminal, unless `quiet`.
    pub fn new(args: ProgressArgs, total: Option<u64>, quiet: bool) -> Self {
        let ProgressArgs { progress, no_progress } = args;
        let is_terminal = io::stderr().is_terminal();
        let is_shown = progress || !(quiet || no_progress);
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
        Self { bar, has_lines: progress && !is_terminal, total }
    }

    /// Shows progress during `work`, which runs on a separate thread, and prints a line when a
    /// signal requests it.
    pub fn watch<T: Send>(
        &self,
        progressed: impl Fn() -> Progressed,
        work: impl FnOnce() -> T + Send,
    ) -> T {
        let mut pace = Pace { total: self.total, begin: Instant::now(), from: None };
        let mut update = 0;
        let Ok(result) = watch(UPDATE, work, |is_last| {
            let now = progressed();
            let text = pace.text(&now, Instant::now());
            update += 1;
            let is_due = self.has_lines && (is_last || update % UPDATES_PER_LINE == 0);
            if platform::progress_is_requested() || is_due {
                let share = self.total.filter(|&total| total > 0);
                let share = share.map(|total| 100.0 * now.done as f64 / total as f64);
                let percent = share.map_or(String::new(), |share| format!("{share:.0}%, "));
                // Errors in printing progress must not stop the run.
                let _ = self.bar.suspend(|| writeln!(io::stderr(), "progress: {percent}{text}"));
            }
            if is_last {
                self.bar.finish_and_clear();
            } else {
                self.bar.set_position(now.done);
                self.bar.set_message(text);
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
    /// Returns the elapsed time, the puzzles done, their rate, and the remaining time.
    fn text(&mut self, progressed: &Progressed, now: Instant) -> String {
        let Progressed { done, puzzles, ref what } = *progressed;
        let count = puzzles.unwrap_or(done);
        if self.from.is_none() && count > 0 {
            self.from = Some((now, done, count));
        }
        let mut parts = vec![human_time((now - self.begin).as_nanos() as f64)];
        match puzzles {
            Some(count) => parts.push(format!("{} puzzles", HumanCount(count))),
            None => parts.push(what.to_string()),
        }
        if let Some((begin, from_done, from_count)) = self.from
            && now > begin
        {
            let seconds = (now - begin).as_secs_f64();
            if puzzles.is_some() {
                let rate = (count - from_count) as f64 / seconds;
                parts.push(format!("{}/s", HumanCount(rate as u64)));
            }
            if let Some(total) = self.total
                && done > from_done
            {
                let left = total.saturating_sub(done) as f64 / (done - from_done) as f64;
                parts.push(format!("{} left", human_time(left * seconds * 1e9)));
            }
        }
        parts.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace(total: Option<u64>) -> Pace {
        Pace { total, begin: Instant::now(), from: None }
    }

    fn at(pace: &mut Pace, seconds: u64, done: u64, puzzles: u64) -> String {
        let progressed = Progressed { done, puzzles: Some(puzzles), what: "".into() };
        let now = pace.begin + Duration::from_secs(seconds);
        pace.text(&progressed, now)
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
}
