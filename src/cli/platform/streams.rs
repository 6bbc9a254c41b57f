//! Whether standard input and output were there when the command was started.
//!
//! Where they were closed (`bulkdoku solve >&-`), the standard library opens `/dev/null` in their
//! place before `main`: rows would go there, and nothing would fail. What is registered with
//! `inventory` is looked at before that.
//!
//! Nothing tells it later: what the library opens is the same device, opened in the same way, as
//! what programs pass that want no output (`subprocess.DEVNULL` of Python is open for reading and
//! writing, too), and those may lose their rows.

use std::sync::atomic::{AtomicBool, Ordering};

use inventory::{Collect, Registry};
use rustix::io::fcntl_getfd;
use rustix::stdio;

use crate::cli::Failure;

static STDIN_WAS_CLOSED: AtomicBool = AtomicBool::new(false);
static STDOUT_WAS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Looks at the streams when it is registered.
struct Look;

static LOOKS: Registry = Registry::new();

impl Collect for Look {
    fn registry() -> &'static Registry {
        STDIN_WAS_CLOSED.store(fcntl_getfd(stdio::stdin()).is_err(), Ordering::Relaxed);
        STDOUT_WAS_CLOSED.store(fcntl_getfd(stdio::stdout()).is_err(), Ordering::Relaxed);
        &LOOKS
    }
}

inventory::submit! { Look }

/// Refuses to read from a standard input that there is not.
pub fn check_stdin() -> Result<(), Failure> {
    check(&STDIN_WAS_CLOSED, "standard input")
}

/// Refuses to write to a standard output that there is not.
pub fn check_stdout() -> Result<(), Failure> {
    check(&STDOUT_WAS_CLOSED, "standard output")
}

fn check(was_closed: &AtomicBool, name: &str) -> Result<(), Failure> {
    if was_closed.load(Ordering::Relaxed) {
        return Err(Failure::Io(format!("{name}: is closed")));
    }
    Ok(())
}
