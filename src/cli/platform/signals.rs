//! Unix signals.
//!
//! | signal | effect |
//! |---|---|
//! | SIGINT, SIGTERM, SIGHUP | the first one ends the run cleanly, the second one immediately |
//! | SIGXFSZ | none: a write beyond the file size limit fails |

use std::fs;
use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::{flag, low_level};

use super::STOP;
use crate::cli::Exit;

/// Signals within this time after the first one are ignored: timeout(1) signals the command, and
/// then its process group.
const GROUP_SIGNAL_TIME: Duration = Duration::from_millis(50);

/// Handles signals, and calls `on_stop` on another thread after the first one that ends the run.
pub fn handle(on_stop: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let is_second = Arc::new(AtomicBool::new(false));
    let (mut receiver, sender) = UnixStream::pair()?;
    for signal in ending() {
        let status = Exit::Interrupted as i32;
        flag::register_conditional_shutdown(signal, status, Arc::clone(&is_second))?;
        flag::register(signal, Arc::clone(&STOP))?;
        low_level::pipe::register(signal, sender.try_clone()?)?;
    }
    flag::register(SIGXFSZ, Arc::default())?;
    let wait = {
        let is_second = Arc::clone(&is_second);
        move || {
            if receiver.read_exact(&mut [0]).is_ok() {
                on_stop();
                thread::sleep(GROUP_SIGNAL_TIME);
                is_second.store(true, Ordering::SeqCst);
            }
        }
    };
    // Without this thread, the second signal counts at any time.
    if thread::Builder::new().name("signals".into()).spawn(wait).is_err() {
        for signal in ending() {
            flag::register(signal, Arc::clone(&is_second))?;
        }
    }
    Ok(())
}

/// Returns the signals that end a run. A process started by nohup(1) must keep ignoring SIGHUP.
fn ending() -> impl Iterator<Item = i32> {
    [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|&signal| signal != SIGHUP || !is_ignored(signal))
}

/// Returns whether a signal is ignored; `false` on systems without /proc.
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}
