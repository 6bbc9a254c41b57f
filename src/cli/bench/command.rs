//! Solvers that are commands, which read puzzles and write answers.

use std::fs;
use std::io::{self, BufWriter, Read, Write};
use std::ops::ControlFlow;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use bulkdoku::measure::{
    Answer, AnswerForm, AnswerReader, Fault, Faults, Figures, Subject, Task, Usage, grow,
};
use rustix::process::{Pid, Signal, kill_process_group};
use tempfile::NamedTempFile;
use wait4::Wait4;

use crate::cli::platform;

/// A command that is measured.
pub struct Solver {
    name: String,
    command: String,
    threads: usize,
    form: AnswerForm,
    timeout: Duration,
    /// The number of rows that are measured, and with repetitions.
    rows: usize,
    total: usize,
    /// The digests of correct answers.
    digests: Vec<u64>,
    startups: Vec<Pass>,
    passes: Vec<Pass>,
}

/// The processes of the command that is running.
static RUNNING: Mutex<Option<Pid>> = Mutex::new(None);

fn running() -> MutexGuard<'static, Option<Pid>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends the command that is running, after [`platform::interruption`] has a reason.
pub fn end_running() {
    if let Some(group) = *running() {
        // Fails if all processes have ended.
        let _ = kill_process_group(group, Signal::KILL);
    }
}

/// What a pass used.
#[derive(Clone, Debug)]
struct Pass {
    wall: Duration,
    user: Duration,
    system: Duration,
    peak_bytes: u64,
    /// The last line of standard error, after a colon.
    message: String,
}

/// The rows of a pass: from this one on, and from the first one after the last.
#[derive(Clone, Copy, Debug)]
struct Span {
    first: usize,
    rows: usize,
    total: usize,
}

impl Span {
    fn row(self, index: usize) -> usize {
        (self.first + index) % self.rows
    }

    /// Writes the rows.
    fn write(self, task: &Task, mut out: impl Write) -> io::Result<()> {
        let (mut row, mut rest) = (self.first, self.total);
        while rest > 0 {
            let count = rest.min(self.rows - row);
            out.write_all(task.lines(row..row + count))?;
            (row, rest) = (0, rest - count);
        }
        out.flush()
    }
}

/// The minimum time of a round without start-up, divided by that of start-up.
const STARTUPS_PER_ROUND: u32 = 5;

/// The maximum number of rows of a pass.
const MAX_TOTAL: usize = 50_000_000;

/// The number of extra lines after which a command is stopped.
const MAX_EXTRA: u64 = 1000;

impl Solver {
    /// Creates a command for this number of threads, which replaces `{threads}`.
    pub fn new(
        name: &str,
        command: &str,
        threads: usize,
        form: AnswerForm,
        timeout: Duration,
    ) -> Self {
        Self {
            name: name.into(),
            command: command.replace("{threads}", &threads.to_string()),
            threads,
            form,
            timeout,
            rows: 0,
            total: 0,
            digests: Vec::new(),
            startups: Vec::new(),
            passes: Vec::new(),
        }
    }

    /// Runs the command. `talk` writes to it unless it reads a file, reads its output, and may stop it.
    fn run<T>(
        &self,
        file: Option<&NamedTempFile>,
        talk: impl FnOnce(Option<ChildStdin>, ChildStdout, &dyn Fn()) -> (T, ControlFlow<()>),
    ) -> Result<(T, Pass), String> {
        let failed = |error: io::Error| error.to_string();
        let text = match file {
            None => self.command.clone(),
            Some(file) => self.command.replace("{}", &quoted(&file.path().to_string_lossy())),
        };
        let mut command = Command::new("sh");
        command.arg("-c").arg(text).process_group(0);
        command.stdin(if file.is_some() { Stdio::null() } else { Stdio::piped() });
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let began = Instant::now();
        let mut child = {
            let mut running = running();
            if platform::interruption().is_some() {
                return Err("interrupted".into());
            }
            let child = command.spawn().map_err(failed)?;
            *running = Some(Pid::from_child(&child));
            child
        };
        let stop = end_running;
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().expect("it is a pipe");
        let stderr = child.stderr.take().expect("it is a pipe");
        let (ended, wait) = mpsc::channel::<()>();
        let (is_late, timeout) = (AtomicBool::new(false), self.timeout);
        let (talked, used, wall, message) = thread::scope(|scope| {
            let is_late = &is_late;
            scope.spawn(move || {
                if wait.recv_timeout(timeout) == Err(RecvTimeoutError::Timeout) {
                    is_late.store(true, Ordering::Relaxed);
                    stop();
                }
            });
            let message = scope.spawn(move || last_line(stderr));
            let talked = talk(stdin, stdout, &stop);
            let used = child.wait4();
            let wall = began.elapsed();
            drop(ended);
            // Processes that the command has left would keep the pipes open.
            stop();
            *running() = None;
            (talked, used, wall, message.join().unwrap_or_default())
        });
        let ((result, talked), used) = (talked, used.map_err(failed)?);
        if is_late.into_inner() {
            return Err(format!("stopped after {:?}", self.timeout));
        }
        if talked.is_continue() && !used.status.success() {
            return Err(format!("{}{message}", status_text(used.status)));
        }
        let (user, system, peak_bytes) = (used.rusage.utime, used.rusage.stime, used.rusage.maxrss);
        Ok((result, Pass { wall, user, system, peak_bytes, message }))
    }

    /// Runs the command on some rows, and passes its answers to `each`, which may stop it.
    fn pass(
        &self,
        task: &Task,
        span: Span,
        each: &mut impl FnMut(Answer) -> ControlFlow<()>,
    ) -> Result<Pass, String> {
        let takes_file = self.command.contains("{}");
        let file = takes_file.then(|| file_of(task, span)).transpose();
        let file = file.map_err(|error| error.to_string())?;
        let ran = self.run(file.as_ref(), |stdin, stdout, stop| {
            let read = thread::scope(|scope| {
                // A command need not read all rows.
                scope.spawn(move || stdin.map(|stdin| span.write(task, stdin)));
                let read = read_answers(stdout, self.form, each);
                if read.is_break() {
                    stop();
                }
                read
            });
            ((), read)
        });
        ran.map(|((), pass)| pass)
    }

    /// Runs the command, and checks its answers. Those with a known digest are right; others are
    /// passed to `learn` if they are right.
    fn checked_pass(
        &self,
        task: &Task,
        span: Span,
        mut learn: impl FnMut(u64),
    ) -> Result<Pass, String> {
        let (mut index, mut faults) = (0, Faults::default());
        let mut each = |answer: Answer| {
            let row = span.row(index);
            index += 1;
            let found = if index > span.total {
                // A last empty line is not an answer.
                if answer == Answer::None { Ok(()) } else { Err(Fault::Extra) }
            } else if self.digests.get(row) == Some(&answer.digest()) {
                Ok(())
            } else {
                task.check(row, &answer)
            };
            match found {
                Ok(()) if index <= span.total => learn(answer.digest()),
                Ok(()) => {}
                Err(fault) => faults.add(fault, index as u64),
            }
            let is_endless = faults.count(Fault::Extra) >= MAX_EXTRA
                || answer == Answer::TooLong
                || index > 2 * span.total + MAX_EXTRA as usize;
            if is_endless { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let pass = self.pass(task, span, &mut each)?;
        (index + 1..=span.total).for_each(|line| faults.add(Fault::Missing, line as u64));
        if faults.are_none() { Ok(pass) } else { Err(format!("{faults}{}", pass.message)) }
    }
}

impl Subject for Solver {
    fn name(&self) -> &str {
        &self.name
    }

    fn threads(&self) -> usize {
        self.threads
    }

    fn check(
        &mut self,
        task: &Task,
        at_least: Duration,
        at_most: Duration,
    ) -> Result<usize, String> {
        self.digests.clear();
        self.startups.clear();
        self.passes.clear();
        let mut startup = Duration::MAX;
        self.total = grow(MAX_TOTAL, 4, |total, growth| {
            self.rows = task.len().min(total);
            let span = Span { first: 0, rows: self.rows, total };
            let mut digests = Vec::with_capacity(self.rows);
            let pass = self.checked_pass(task, span, |digest| {
                if digests.len() < span.rows {
                    digests.push(digest);
                }
            })?;
            self.digests = digests;
            let one = self.checked_pass(task, Span { total: 1, ..span }, |_| {})?;
            startup = startup.min(one.wall);
            let net = pass.wall.saturating_sub(startup);
            // A command that starts slowly gets longer rounds, or nothing but noise would be left.
            let clear = STARTUPS_PER_ROUND * startup;
            let at_most = at_most.max(2 * clear).min((self.timeout / 2).saturating_sub(startup));
            let aim = at_least.max(clear).min(at_most);
            let growth = (task.len() as f64 / total as f64).min(growth).max(2.0);
            let is_longest = net.mul_f64(growth) >= at_most;
            if is_longest && net < startup {
                let what = "its work takes less than its start-up, from which it cannot be told";
                return Err(format!("{what}: {net:.1?} of {:.1?}", pass.wall));
            }
            Ok(is_longest || total >= task.len() && net >= aim)
        })?;
        Ok(self.rows)
    }

    fn round(&mut self, task: &Task, round: usize) -> Result<(), String> {
        let Self { rows, total, .. } = *self;
        // Each round begins with another row, so that answers of earlier rounds are wrong.
        let first = (1 + round * 7919 % rows) % rows;
        for (total, is_startup) in [(1, true), (total, false)] {
            let pass = self.checked_pass(task, Span { first, rows, total }, |_| {});
            let pass = pass.map_err(|reason| format!("round {}: {reason}", round + 1))?;
            if is_startup { self.startups.push(pass) } else { self.passes.push(pass) }
        }
        Ok(())
    }

    fn figures(&mut self) -> Figures {
        // A pass cannot take less than its start-up, which the least one never exceeds.
        let startup =
            |of: fn(&Pass) -> Duration| self.startups.iter().map(of).min().unwrap_or_default();
        let startups =
            [startup(|pass| pass.wall), startup(|pass| pass.user), startup(|pass| pass.system)];
        let rows = (self.total - 1).max(1) as f64;
        let per_row = |of: Duration, startup| of.saturating_sub(startup).as_nanos() as f64 / rows;
        let usage = |pass: &Pass| Usage {
            wall_ns: per_row(pass.wall, startups[0]),
            user_ns: per_row(pass.user, startups[1]),
            system_ns: per_row(pass.system, startups[2]),
        };
        let peak = self.passes.iter().map(|pass| pass.peak_bytes).max();
        Figures {
            rounds: self.passes.iter().map(usage).collect(),
            startup_ns: startups[0].as_nanos() as f64,
            peak_bytes: peak.filter(|peak| own_peak().is_none_or(|own| *peak > own)),
        }
    }
}

/// Passes the answers in a stream to `each`, until it breaks.
fn read_answers(
    mut stream: impl Read,
    form: AnswerForm,
    each: &mut impl FnMut(Answer) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let (mut reader, mut bytes) = (AnswerReader::new(form), vec![0; 1 << 16]);
    loop {
        match stream.read(&mut bytes) {
            Ok(0) => return reader.finish(each),
            Ok(count) => reader.read(&bytes[..count], each)?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return ControlFlow::Break(()),
        }
    }
}

/// Reads a stream to its end, and returns its last line that is not empty, after a colon.
fn last_line(mut stream: impl Read) -> String {
    const KEPT: usize = 1 << 10;
    let (mut last, mut bytes) = (Vec::new(), [0; KEPT]);
    while let Ok(count @ 1..) = stream.read(&mut bytes) {
        last.extend_from_slice(&bytes[..count]);
        last.drain(..last.len().saturating_sub(KEPT));
    }
    let text = String::from_utf8_lossy(&last);
    let line = text.lines().rev().find(|line| !line.trim().is_empty());
    line.map_or(String::new(), |line| format!(": {}", line.trim()))
}

fn status_text(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit status {code}"),
        (None, signal) => format!("signal {}", signal.unwrap_or_default()),
    }
}

/// Writes rows to a temporary file.
fn file_of(task: &Task, span: Span) -> io::Result<NamedTempFile> {
    let file = NamedTempFile::new()?;
    span.write(task, BufWriter::new(file.as_file()))?;
    Ok(file)
}

/// Returns a text as one word of the shell.
pub fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Returns the largest memory of this process, which the operating system also counts for its
/// children until they start their program.
fn own_peak() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(1024 * line.trim().strip_suffix(" kB")?.parse::<u64>().ok()?)
}
