//! SIGINT and SIGTERM: the first one ends the run in good order, a second one at once.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::{flag, low_level};

use crate::cli::Exit;

/// Signals this soon after the first one count as the same: timeout(1) signals the command, then
/// its whole group.
const SAME: Duration = Duration::from_millis(50);

/// Sets `stop` at the first signal, and confirms it unless `quiet`.
pub fn stop_at_signal(stop: &Arc<AtomicBool>, quiet: bool) -> io::Result<()> {
    let is_second = Arc::new(AtomicBool::new(false));
    let (mut receiver, sender) = UnixStream::pair()?;
    for signal in [SIGINT, SIGTERM] {
        let status = Exit::Interrupted as i32;
        flag::register_conditional_shutdown(signal, status, Arc::clone(&is_second))?;
        flag::register(signal, Arc::clone(stop))?;
        low_level::pipe::register(signal, sender.try_clone()?)?;
    }
    let wait = {
        let is_second = Arc::clone(&is_second);
        move || {
            if receiver.read_exact(&mut [0]).is_ok() {
                if !quiet {
                    let _ = writeln!(io::stderr(), "stopping; press Ctrl-C again to end at once");
                }
                thread::sleep(SAME);
                is_second.store(true, Ordering::SeqCst);
            }
        }
    };
    // Without that thread, the second signal counts however soon it comes.
    if thread::Builder::new().name("signals".into()).spawn(wait).is_err() {
        for signal in [SIGINT, SIGTERM] {
            flag::register(signal, Arc::clone(&is_second))?;
        }
    }
    Ok(())
}
