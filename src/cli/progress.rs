//! The progress of a run: a bar on a terminal, otherwise lines on request.

use std::convert::Infallible;
use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bulkdoku::Progress;
use bulkdoku::pipeline::watch;
use bulkdoku::stats::human_time;
use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::log;
use super::numbers::counted;

const UPDATE: Duration = Duration::from_millis(100);
const INTERVAL: Duration = Duration::from_secs(2);

/// When progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    Auto,
    /// On a terminal, and elsewhere in lines at this interval.
    Every(Duration),
    Never,
}

impl When {
    pub fn parse(text: &str) -> Result<Self, String> {
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

#[derive(Clone, Debug)]
pub struct Meter {
    /// The bar, possibly hidden. Messages are printed through it to keep its line intact.
    pub bar: ProgressBar,
    interval: Option<Duration>,
    total: Option<u64>,
    quiet: bool,
}

/// The number of drawn puzzles without a row that is worth a note.
const MANY_DRAWN: u64 = 100_000;

#[derive(Clone, Debug, Default)]
pub struct Progressed {
    /// Bytes of input, or rows.
    pub done: u64,
    pub puzzles: u64,
    /// The number of rows, or of the puzzles from which they were chosen.
    pub what: String,
    /// How many puzzles were drawn, as long as none has a row.
    pub drawn_in_vain: u64,
}

impl Progressed {
    pub fn of_bytes(bytes: &AtomicU64, progress: &Progress) -> Self {
        let puzzles = progress.records.load(Ordering::Relaxed);
        Self { done: bytes.load(Ordering::Relaxed), puzzles, ..Self::default() }
    }

    pub fn with_rows(self, progress: &Progress) -> Self {
        Self { what: counted(progress.rows.load(Ordering::Relaxed), "row"), ..self }
    }

    /// Returns the progress of generated rows, with the number of puzzles from which they were chosen.
    pub fn of_rows(before: u64, progress: &Progress, (tried, rows): (u64, u64)) -> Self {
        let done = before + progress.records.load(Ordering::Relaxed);
        let is_chosen = tried > rows;
        let what = if is_chosen {
            format!("from {} drawn puzzles", HumanCount(tried))
        } else {
            String::new()
        };
        let drawn_in_vain = if rows == 0 { tried } else { 0 };
        Self { done, puzzles: done, what, drawn_in_vain }
    }
}

impl Meter {
    /// Creates a meter for `total` work, if it is known. By default, progress is shown on a
    /// terminal, unless `quiet`.
    pub fn new(when: When, total: Option<u64>, quiet: bool) -> Self {
        let is_terminal = io::stderr().is_terminal();
        let (is_shown, interval) = match when {
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

    /// Shows progress during `work`, which runs on a separate thread.
    pub fn watch<T: Send>(
        &self,
        progressed: impl Fn() -> Progressed,
        work: impl FnOnce() -> T + Send,
    ) -> T {
        let begin = Instant::now();
        let mut pace = Pace { total: self.total, from: None };
        let (mut due, mut is_quiet) = (self.interval.unwrap_or_default(), self.quiet);
        let Ok(result) = watch(UPDATE, work, |is_last| {
            let (now, elapsed) = (progressed(), begin.elapsed());
            let (percent, rates) = pace.describe(&now, elapsed);
            if let Some(interval) = self.interval.filter(|_| is_last || elapsed >= due) {
                due = elapsed + interval;
                self.bar.suspend(|| log::note(format!("progress: {percent}{rates}")));
            }
            if now.drawn_in_vain >= MANY_DRAWN && !is_quiet {
                is_quiet = true;
                let drawn = HumanCount(now.drawn_in_vain);
                let note = format!(
                    "no row from {drawn} drawn puzzles so far: few fit, or none; Ctrl-C or --timeout \
                     ends the run"
                );
                self.bar.suspend(|| log::note(note));
            }
            if is_last {
                self.bar.finish_and_clear();
            } else {
                self.bar.set_position(now.done);
                self.bar.set_message(rates);
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
    /// The time when the first puzzle was done, and `done` and the count at that time. A resumed
    /// run does not start at zero.
    from: Option<(Duration, u64, u64)>,
}

impl Pace {
    /// Returns the percentage, if the total is known; and the elapsed time, the puzzles, the rate, and
    /// the remaining time.
    fn describe(&mut self, now: &Progressed, elapsed: Duration) -> (String, String) {
        let Progressed { done, puzzles, what, .. } = now;
        let time = |seconds: f64| human_time(seconds * 1e9);
        let mut rates =
            vec![time(elapsed.as_secs_f64()), format!("{} puzzles", HumanCount(*puzzles))];
        rates.extend(Some(what.clone()).filter(|what| !what.is_empty()));
        if self.from.is_none() && *puzzles > 0 {
            self.from = Some((elapsed, *done, *puzzles));
        }
        if let Some((from, from_done, from_puzzles)) =
            self.from.filter(|(from, ..)| elapsed > *from)
        {
            let seconds = elapsed.saturating_sub(from).as_secs_f64();
            let rate = HumanCount(((puzzles - from_puzzles) as f64 / seconds) as u64);
            rates.push(format!("{rate}/s"));
            if let Some(total) = self.total.filter(|total| (from_done..*total).contains(done))
                && *done > from_done
            {
                let left = (total - done) as f64 / (done - from_done) as f64;
                rates.push(format!("{} left", time(left * seconds)));
            }
        }
        let total = self.total.filter(|&total| total > 0);
        let percent = total.map(|total| format!("{:.0}%, ", 100.0 * *done as f64 / total as f64));
        (percent.unwrap_or_default(), rates.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(pace: &mut Pace, seconds: u64, done: u64, puzzles: u64) -> String {
        let progressed = Progressed { done, puzzles, ..Progressed::default() };
        let (percent, rates) = pace.describe(&progressed, Duration::from_secs(seconds));
        percent + &rates
    }

    #[test]
    fn the_estimate_is_based_on_this_run_alone() {
        let mut pace = Pace { total: Some(1000), from: None };
        // An earlier run has done 900, which are skipped.
        assert_eq!(at(&mut pace, 1, 600, 0), "60%, 1.00 s, 0 puzzles");
        assert_eq!(at(&mut pace, 2, 900, 10), "90%, 2.00 s, 10 puzzles");
        assert_eq!(at(&mut pace, 4, 920, 2010), "92%, 4.00 s, 2,010 puzzles, 1,000/s, 8.00 s left");
        // At the end, no time is left.
        assert_eq!(at(&mut pace, 12, 1000, 10_010), "100%, 12.0 s, 10,010 puzzles, 1,000/s");
    }
}
