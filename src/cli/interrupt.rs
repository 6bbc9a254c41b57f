//! SIGINT and SIGTERM: the first ends the run in good order, a second one at once.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use super::Exit;

/// Sets `stop` at the first signal.
pub fn stop_at_signal(stop: &Arc<AtomicBool>) -> io::Result<()> {
    for signal in [SIGINT, SIGTERM] {
        // In this order: the flag is not set yet when the first signal asks whether it is.
        flag::register_conditional_shutdown(signal, Exit::Interrupted as i32, Arc::clone(stop))?;
        flag::register(signal, Arc::clone(stop))?;
    }
    Ok(())
}
