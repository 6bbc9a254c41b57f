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
use wait4::{ResUse, Wait4};

use super::engine::FIRST_ROWS;
use super::measurement::{Contender, Measurement, Plan, median};
use super::task::Task;
use crate::cli::platform;
use crate::cli::version::quoted;

/// A command that is measured.
pub struct CommandContender {
    name: String,
    command: String,
    threads: usize,
    timeout: Duration,
    /// The number of rows of a pass, with repetitions.
    rows: usize,
    startups: Vec<Pass>,
    passes: Vec<Pass>,
}

/// What a pass used.
#[derive(Clone, Copy, Debug)]
struct Pass {
    wall: Duration,
    user: Duration,
    system: Duration,
}

/// A round takes at least this many times as long as the start-up.
const LEAST_STARTUPS: u32 = 5;

/// The number that rounds aim at, because times vary.
const STARTUPS: u32 = 8;

/// The factor between the rows of two passes that grow.
const GROWTH: usize = 4;

/// The maximum number of rows of a pass.
const MAX_ROWS: usize = 4_000_000;

/// The maximum number of bytes that a command may write to a file per row, in addition to
/// [`MAX_OTHER_BYTES`].
const MAX_ROW_BYTES: usize = 1 << 10;
const MAX_OTHER_BYTES: usize = 1 << 20;

/// The time between two checks for the timeout and signals.
const TICK: Duration = Duration::from_millis(50);

impl CommandContender {
    /// Creates a command for this number of threads, which replaces `{threads}`.
    pub fn new(name: &str, command: &str, threads: usize, timeout: Duration) -> Self {
        let command = command.replace("{threads}", &threads.to_string());
        let (name, startups, passes) = (name.into(), Vec::new(), Vec::new());
        Self { name, command, threads, timeout, rows: 0, startups, passes }
    }

    /// Runs the command on this number of rows from a first one on, and checks its answers.
    fn pass(&self, task: &Task, first: usize, rows: usize) -> Result<Pass, String> {
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
        let (status, pass) = self.run(&puzzles, rows, &answers, &messages)?;
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
        Ok(pass)
    }

    /// Runs the command with files as its standard streams. Other processes of its group are killed
    /// when it has ended.
    fn run(
        &self,
        puzzles: &NamedTempFile,
        rows: usize,
        answers: &File,
        messages: &File,
    ) -> Result<(ExitStatus, Pass), String> {
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
        let (used, wall) = thread::scope(|scope| {
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
            let used = child.wait4();
            let wall = began.elapsed();
            has_ended.store(true, Ordering::SeqCst);
            timer.thread().unpark();
            (used, wall)
        });
        let ResUse { status, rusage } = used.map_err(failed)?;
        if platform::interruption().is_some() {
            return Err("interrupted".into());
        }
        if wall >= self.timeout {
            return Err(format!("stopped after {:?}", self.timeout));
        }
        Ok((status, Pass { wall, user: rusage.utime, system: rusage.stime }))
    }

    /// Measures the start-up as well as a pass.
    fn measure(&mut self, task: &Task, first: usize) -> Result<Pass, String> {
        let pass = self.pass(task, first, self.rows)?;
        self.startups.push(self.pass(task, first, 1)?);
        Ok(pass)
    }

    /// Returns the least value of a single row.
    fn startup(&self, of: fn(&Pass) -> Duration) -> Duration {
        self.startups.iter().map(of).min().unwrap_or_default()
    }

    /// Returns the nanoseconds per row of each round, without the start-up.
    fn per_row(&self, of: fn(&Pass) -> Duration) -> Vec<f64> {
        let startup = self.startup(of);
        let net = |pass: &Pass| of(pass).saturating_sub(startup).as_nanos() as f64;
        self.passes.iter().map(|pass| net(pass) / (self.rows - 1) as f64).collect()
    }
}

impl Contender for CommandContender {
    fn unmeasured(&self) -> Measurement {
        Measurement { engine: self.name.clone(), threads: self.threads, ..Measurement::default() }
    }

    /// Measures more and more rows until it is enough, or would take too long.
    fn check(&mut self, task: &Task, plan: &Plan, into: &mut Measurement) -> Result<(), String> {
        (self.rows, self.startups, self.passes) = (FIRST_ROWS, Vec::new(), Vec::new());
        loop {
            let wall = self.measure(task, 0)?.wall;
            let startup = self.startup(|pass| pass.wall);
            let is_enough = self.rows >= task.lines.len()
                && wall >= plan.round_at_least.max(STARTUPS * startup);
            let most = plan.round_at_most.max(GROWTH as u32 * STARTUPS * startup);
            let is_longest =
                self.rows >= MAX_ROWS || GROWTH as u32 * wall > most.min(self.timeout / 2);
            if is_enough || is_longest {
                into.rows = task.lines.len().min(self.rows);
                if wall >= LEAST_STARTUPS * startup {
                    return Ok(());
                }
                let what = "too short to measure: less than five times the start-up";
                return Err(format!("{what}, {wall:.1?} and {startup:.1?}"));
            }
            self.rows = MAX_ROWS.min(GROWTH * self.rows);
        }
    }

    fn round(&mut self, task: &Task, round: usize) -> Result<(), String> {
        // Each round begins with another row, so that answers of earlier rounds are wrong.
        let pass = self.measure(task, 1 + round * 7919);
        self.passes.push(pass.map_err(|reason| format!("round {}: {reason}", round + 1))?);
        Ok(())
    }

    fn finish(&mut self, into: &mut Measurement) {
        into.set_rounds(self.per_row(|pass| pass.wall));
        into.user_ns_per_puzzle = Some(median(self.per_row(|pass| pass.user)));
        into.system_ns_per_puzzle = Some(median(self.per_row(|pass| pass.system)));
        into.startup_ns = Some(self.startup(|pass| pass.wall).as_nanos() as f64);
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
