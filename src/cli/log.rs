//! Standard error: text for people, or JSON objects for programs (`--log-format json`).
//!
//! | event | when |
//! |---|---|
//! | `message` | an invalid record |
//! | `note` | other messages, such as detected formats |
//! | `progress` | progress, at the interval of `--progress` |
//! | `summary` | the summary, as in `--summary-json` |
//! | `error` | the reason for a failure |
//! | `end` | the exit status, in the last line |

use std::fmt::Display;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use clap::ValueEnum;
use serde::Serialize;

use super::Exit;
use super::platform::{self, Interruption};

/// The format of everything on standard error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    Text,
    Json,
}

static IS_JSON: AtomicBool = AtomicBool::new(false);

#[derive(Serialize)]
struct Line<'a, T> {
    time: String,
    event: &'a str,
    #[serde(flatten)]
    fields: T,
}

#[derive(Serialize)]
struct Text {
    text: String,
}

#[derive(Serialize)]
struct End {
    exit: u8,
    interrupted: Option<Interruption>,
}

pub fn set_format(format: LogFormat) {
    IS_JSON.store(format == LogFormat::Json, Ordering::Relaxed);
}

pub fn is_json() -> bool {
    IS_JSON.load(Ordering::Relaxed)
}

/// Writes an event with these fields as JSON, otherwise `text`.
pub fn write(event: &str, fields: impl Serialize, text: impl Display) {
    let line = if is_json() {
        let time = humantime::format_rfc3339_millis(SystemTime::now()).to_string();
        serde_json::to_string(&Line { time, event, fields }).unwrap_or_default()
    } else {
        text.to_string()
    };
    // Errors of standard error cannot be reported.
    let _ = io::stderr().lock().write_all(format!("{line}\n").as_bytes());
}

/// Writes a message that has no event of its own.
pub fn note(text: impl Display) {
    write("note", Text { text: text.to_string() }, text);
}

/// Writes an error as JSON; returns whether the format is JSON.
pub fn error(error: impl Display) -> bool {
    if is_json() {
        write("error", Text { text: error.to_string() }, "");
    }
    is_json()
}

/// Writes the last event, if the format is JSON.
pub fn end(exit: Exit) {
    if is_json() {
        // A timeout or signal after the last row ends nothing.
        let is_ended = matches!(exit, Exit::TimedOut | Exit::Interrupted);
        let interrupted = platform::interruption().filter(|_| is_ended);
        write("end", End { exit: exit as u8, interrupted }, "");
    }
}
