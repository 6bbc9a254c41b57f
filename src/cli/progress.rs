//! A progress bar on a terminal, drawn from counters that the pipeline keeps anyway.

use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use bulkdoku::Progress;
use crossbeam_channel::{RecvTimeoutError, bounded};
use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};

const INTERVAL: Duration = Duration::from_millis(100);

/// A bar for `size` bytes of input, or a spinner if nobody knows how many there will be; hidden
/// if `quiet`, or if standard error is no terminal.
pub fn bar(size: Option<u64>, quiet: bool) -> ProgressBar {
    if quiet || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let template = match size {
        Some(_) => "{elapsed_precise} [{wide_bar}] {percent}% {msg}, {eta} left",
        None => "{elapsed_precise} {spinner} {bytes} {msg}",
    };
    let style = ProgressStyle::with_template(template).expect("the template is right");
    let bar = ProgressBar::with_draw_target(size, ProgressDrawTarget::stderr());
    bar.with_style(style)
}

/// Does `work` while `bar` shows how far `progress` has come, and how many `bytes` were read.
pub fn watch<T>(
    bar: &ProgressBar,
    progress: &Progress,
    bytes: &AtomicU64,
    work: impl FnOnce() -> T,
) -> T {
    if bar.is_hidden() {
        return work();
    }
    let (finished, wait) = bounded::<()>(0);
    thread::scope(|scope| {
        // Without a thread for it there is no bar.
        let drawing = thread::Builder::new().spawn_scoped(scope, move || {
            while wait.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                let records = progress.records.load(Ordering::Relaxed);
                let rate = records as f64 / bar.elapsed().as_secs_f64();
                let (records, rate) = (HumanCount(records), HumanCount(rate as u64));
                bar.set_message(format!("{records} puzzles, {rate}/s"));
                bar.set_position(bytes.load(Ordering::Relaxed));
            }
            bar.finish_and_clear();
        });
        let result = work();
        drop((finished, drawing));
        result
    })
}
