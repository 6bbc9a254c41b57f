//! Whether standard input and output were open when the command was started.
//!
//! If they were closed (`bulkdoku solve >&-`), the standard library opens `/dev/null` in their
//! place before `main`: rows would go there without any failure. Items registered with `inventory`
//! run before that, so they see the closed streams.
//!
//! Later, such a stream cannot be told from one that a program has redirected to `/dev/null` on
//! purpose, like `subprocess.DEVNULL` of Python.

use std::sync::atomic::{AtomicBool, Ordering};

use inventory::{Collect, Registry};
use rustix::io::fcntl_getfd;
use rustix::stdio;

use crate::cli::Failure;

static STDIN_WAS_CLOSED: AtomicBool = AtomicBool::new(false);
static STDOUT_WAS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Records the state of the streams when it is registered.
struct StreamCheck;

static CHECKS: Registry = Registry::new();

impl Collect for StreamCheck {
    fn registry() -> &'static Registry {
        STDIN_WAS_CLOSED.store(fcntl_getfd(stdio::stdin()).is_err(), Ordering::Relaxed);
        STDOUT_WAS_CLOSED.store(fcntl_getfd(stdio::stdout()).is_err(), Ordering::Relaxed);
        &CHECKS
    }
}

inventory::submit! { StreamCheck }

/// Refuses to read from a closed standard input.
pub fn check_stdin() -> Result<(), Failure> {
    check(&STDIN_WAS_CLOSED, "standard input")
}

/// Refuses to write to a closed standard output.
pub fn check_stdout() -> Result<(), Failure> {
    check(&STDOUT_WAS_CLOSED, "standard output")
}

fn check(was_closed: &AtomicBool, name: &str) -> Result<(), Failure> {
    if was_closed.load(Ordering::Relaxed) {
        return Err(Failure::Io(format!("{name}: is closed")));
    }
    Ok(())
}
