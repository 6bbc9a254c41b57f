//! Solvers that are commands, which read puzzles and write answers.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use bulkdoku::pipeline::visible;
use rustix::process::{Pid, Signal, kill_process_group};
use tempfile::{NamedTempFile, tempfile};

use super::measurement::{Contender, Measurement};
use super::task::Task;
use crate::cli::platform;
use crate::cli::version::quoted;

pub struct CommandContender {
    name: String,
    command: String,
    threads: usize,
    timeout: Duration,
}

/// The maximum number of bytes that a command may write to a file per row, in addition to
/// [`MAX_OTHER_BYTES`].
const MAX_ROW_BYTES: usize = 1 << 10;
const MAX_OTHER_BYTES: usize = 1 << 20;

/// The time between two checks for the timeout and signals.
const TICK: Duration = Duration::from_millis(50);

impl CommandContender {
    pub fn new(name: &str, command: &str, threads: usize, timeout: Duration) -> Self {
        let command = command.replace("{threads}", &threads.to_string());
        Self { name: name.into(), command, threads, timeout }
    }

    /// Runs the command with files as its standard streams. Other processes of its group are killed
    /// when it has ended.
    fn run(
        &self,
        puzzles: &NamedTempFile,
        rows: usize,
        answers: &File,
        messages: &File,
    ) -> Result<(ExitStatus, Duration), String> {
        let failed = |error: io::Error| error.to_string();
        // A command that writes without end must not fill the disk.
        let blocks = (rows * MAX_ROW_BYTES + MAX_OTHER_BYTES) / 512;
        let command = self.command.replace("{}", &quoted(&puzzles.path().to_string_lossy()));
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(format!("ulimit -f {blocks}; {command}")).process_group(0);
        let input = if self.command.contains("{}") {
            Stdio::null()
        } else {
            puzzles.reopen().map_err(failed)?.into()
        };
        let [answers, messages] = [answers, messages].map(File::try_clone);
        shell.stdin(input).stdout(answers.map_err(failed)?).stderr(messages.map_err(failed)?);
        let began = Instant::now();
        let mut child = shell.spawn().map_err(failed)?;
        let group = Pid::from_child(&child);
        let has_ended = AtomicBool::new(false);
        let (status, wall) = thread::scope(|scope| {
            let timer = scope.spawn(|| {
                let is_late = || began.elapsed() >= self.timeout;
                while !is_late()
                    && platform::interruption().is_none()
                    && !has_ended.load(Ordering::SeqCst)
                {
                    thread::park_timeout(TICK);
                }
                // Fails if all processes have ended.
                let _ = kill_process_group(group, Signal::KILL);
            });
            let status = child.wait();
            let wall = began.elapsed();
            has_ended.store(true, Ordering::SeqCst);
            timer.thread().unpark();
            (status, wall)
        });
        let status = status.map_err(failed)?;
        if platform::interruption().is_some() {
            return Err("interrupted".into());
        }
        if wall >= self.timeout {
            return Err(format!("stopped after {:?}", self.timeout));
        }
        Ok((status, wall))
    }
}

impl Contender for CommandContender {
    fn unmeasured(&self) -> Measurement {
        Measurement { engine: self.name.clone(), threads: self.threads, ..Measurement::default() }
    }

    fn pass(&mut self, task: &Task, first: usize, rows: usize) -> Result<Duration, String> {
        let failed = |error: io::Error| error.to_string();
        let row = |line: usize| (first + line) % task.lines.len();
        let puzzles = NamedTempFile::new().map_err(failed)?;
        let mut out = BufWriter::new(&puzzles);
        for line in 0..rows {
            let written = out.write_all(&task.lines[row(line)]).and_then(|()| out.write_all(b"\n"));
            written.map_err(failed)?;
        }
        out.flush().map_err(failed)?;
        drop(out);
        let [mut answers, mut messages] =
            [tempfile().map_err(failed)?, tempfile().map_err(failed)?];
        let (status, time) = self.run(&puzzles, rows, &answers, &messages)?;
        if !status.success() {
            let status = match (status.code(), status.signal()) {
                (Some(code), _) => format!("exit status {code}"),
                (None, signal) => format!("signal {}", signal.unwrap_or_default()),
            };
            return Err(status + &last_line(&mut messages).map_err(failed)?);
        }
        answers.rewind().map_err(failed)?;
        let (mut answers, mut text) = (BufReader::new(answers), Vec::new());
        for line in 0..=rows {
            text.clear();
            let count = answers.read_until(b'\n', &mut text).map_err(failed)?;
            let checked = match count {
                0 if line < rows => Err("missing"),
                _ if line < rows => task.check_line(row(line), &text),
                // A last empty line is not an answer.
                _ if text.trim_ascii().is_empty() => Ok(()),
                _ => Err("extra"),
            };
            checked.map_err(|fault| format!("line {} is {fault}", line + 1))?;
        }
        Ok(time)
    }

    fn startup(&mut self, task: &Task, first: usize) -> Result<Duration, String> {
        self.pass(task, first, 1)
    }

    /// Two passes must end before the timeout.
    fn longest(&self) -> Duration {
        self.timeout / 2
    }
}

/// Returns the last line of a file that is not empty, after a colon.
fn last_line(file: &mut File) -> io::Result<String> {
    const KEPT: u64 = 1 << 10;
    let length = file.metadata()?.len();
    file.seek(io::SeekFrom::Start(length.saturating_sub(KEPT)))?;
    let mut last = Vec::new();
    file.read_to_end(&mut last)?;
    let text = String::from_utf8_lossy(&last);
    let line = text.lines().rev().find(|line| !line.trim().is_empty());
    Ok(line.map_or(String::new(), |line| format!(": {}", visible(line.trim()))))
}
