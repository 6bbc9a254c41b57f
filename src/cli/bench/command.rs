//! Solvers that are commands, which read puzzles and write answers.

use std::fs;
use std::io::{self, BufWriter, ErrorKind, Read, Write};
use std::ops::ControlFlow;
use std::os::fd::AsFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use bulkdoku::pipeline::visible;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::ioctl_fionbio;
use rustix::process::{Pid, Signal, kill_process_group};
use tempfile::NamedTempFile;
use wait4::Wait4;

use super::answers::{Answer, AnswerForm, Faults, Task, read_answers};
use super::engine::FIRST_ROWS;
use super::measurement::{Contender, Measurement, Plan, median};
use crate::cli::platform;
use crate::cli::version::quoted;

/// A command that is measured.
pub struct CommandContender {
    name: String,
    command: String,
    threads: usize,
    form: AnswerForm,
    timeout: Duration,
    /// The number of rows that are measured, and with repetitions.
    rows: usize,
    total: usize,
    startups: Vec<Pass>,
    passes: Vec<Pass>,
}

/// The rows of a pass: from this one on, and from the first one after the last.
#[derive(Clone, Copy, Debug)]
struct Span {
    first: usize,
    rows: usize,
    total: usize,
}

/// What a pass used.
#[derive(Clone, Debug)]
struct Pass {
    total: usize,
    wall: Duration,
    user: Duration,
    system: Duration,
    peak_bytes: u64,
}

/// A round takes at least this many times as long as the start-up.
const LEAST_STARTUPS: u32 = 5;

/// The number that rounds aim at, because times vary.
const STARTUPS: u32 = 8;

/// The factor between the rows of two passes that grow.
const GROWTH: usize = 4;

/// The maximum number of rows of a pass.
const MAX_TOTAL: usize = 50_000_000;

/// The number of faults after which a command is stopped.
const MAX_FAULTS: usize = 1000;

/// The time between two checks for the timeout and signals.
const TICK: Duration = Duration::from_millis(50);

impl CommandContender {
    /// Creates a command for this number of threads, which replaces `{threads}`.
    pub fn new(
        name: &str,
        command: &str,
        threads: usize,
        form: AnswerForm,
        timeout: Duration,
    ) -> Self {
        let command = command.replace("{threads}", &threads.to_string());
        let (name, startups, passes) = (name.into(), Vec::new(), Vec::new());
        Self { name, command, threads, form, timeout, rows: 0, total: 0, startups, passes }
    }

    /// Runs the command on some rows, and checks its answers.
    fn pass(&self, task: &Task, span: Span) -> Result<Pass, String> {
        let (mut line, mut faults, mut is_endless) = (0, Faults::default(), false);
        let each = |answer: Answer| {
            line += 1;
            let found = match line <= span.total {
                true => task.check((span.first + line - 1) % span.rows, &answer),
                // A last empty line is not an answer.
                false if answer == Answer::None => Ok(()),
                false => Err("extra"),
            };
            found.unwrap_or_else(|fault| faults.add(fault, line));
            is_endless = faults.count() >= MAX_FAULTS || line > 2 * span.total + MAX_FAULTS;
            if is_endless { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let (pass, message) = self.run(task, span, each)?;
        if !is_endless {
            (line + 1..=span.total).for_each(|line| faults.add("missing", line));
        }
        if faults.count() == 0 { Ok(pass) } else { Err(format!("{faults}{message}")) }
    }

    /// Runs the command on some rows, and passes its answers to `each`, which may stop it. Returns
    /// what it used, and the last line of standard error, after a colon.
    fn run(
        &self,
        task: &Task,
        span: Span,
        each: impl FnMut(Answer) -> ControlFlow<()>,
    ) -> Result<(Pass, String), String> {
        let failed = |error: io::Error| error.to_string();
        let takes_file = self.command.contains("{}");
        let file = takes_file.then(|| file_of(task, span)).transpose().map_err(failed)?;
        let text = match &file {
            None => self.command.clone(),
            Some(file) => self.command.replace("{}", &quoted(&file.path().to_string_lossy())),
        };
        let mut command = Command::new("sh");
        command.arg("-c").arg(text).process_group(0);
        command.stdin(if takes_file { Stdio::null() } else { Stdio::piped() });
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let began = Instant::now();
        let mut child = command.spawn().map_err(failed)?;
        let stdin = child.stdin.take();
        if let Some(stdin) = &stdin {
            ioctl_fionbio(stdin, true).map_err(|error| failed(error.into()))?;
        }
        let stdout = child.stdout.take().expect("it is a pipe");
        let stderr = child.stderr.take().expect("it is a pipe");
        let group = Pid::from_child(&child);
        let kill = move || {
            // Fails if all processes have ended.
            let _ = kill_process_group(group, Signal::KILL);
        };
        // Processes that have left the group may keep the pipes open.
        let is_late = || began.elapsed() >= self.timeout || platform::interruption().is_some();
        let has_ended = AtomicBool::new(false);
        let is_over = &|| is_late() || has_ended.load(Ordering::SeqCst);
        let (read, used, wall, message) = thread::scope(|scope| {
            // Writing may fail, because a command need not read all rows.
            scope.spawn(move || {
                let stdin = stdin.map(|stdin| Stoppable::new(stdin, is_over));
                stdin.map(|stdin| write_rows(task, span, stdin))
            });
            let message = scope.spawn(move || last_line(Stoppable::new(stderr, is_over)));
            let timer = scope.spawn(move || {
                while !is_over() {
                    thread::park_timeout(TICK);
                }
                kill();
            });
            let read = read_answers(Stoppable::new(stdout, &is_late), self.form, each);
            if !matches!(read, Ok(ControlFlow::Continue(()))) {
                kill();
            }
            let used = child.wait4();
            let wall = began.elapsed();
            has_ended.store(true, Ordering::SeqCst);
            timer.thread().unpark();
            (read, used, wall, message.join().unwrap_or_default())
        });
        let used = used.map_err(failed)?;
        if platform::interruption().is_some() {
            return Err("interrupted".into());
        }
        if wall >= self.timeout {
            return Err(format!("stopped after {:?}", self.timeout));
        }
        if read.map_err(failed)?.is_continue() && !used.status.success() {
            return Err(format!("{}{message}", status_text(used.status)));
        }
        let (user, system, peak_bytes) = (used.rusage.utime, used.rusage.stime, used.rusage.maxrss);
        Ok((Pass { total: span.total, wall, user, system, peak_bytes }, message))
    }

    /// Measures more and more rows, and the start-up, until it is enough or would take longer than
    /// `at_most`.
    fn measure(
        &mut self,
        task: &Task,
        first: usize,
        at_most: Duration,
        is_enough: impl Fn(&Pass, Duration) -> bool,
    ) -> Result<Pass, String> {
        loop {
            self.rows = task.rows.len().min(self.total);
            let span = Span { first: first % self.rows, rows: self.rows, total: self.total };
            let pass = self.pass(task, span)?;
            self.startups.push(self.pass(task, Span { total: 1, ..span })?);
            let startup = self.startup(|pass| pass.wall);
            let most = at_most.max(GROWTH as u32 * STARTUPS * startup).min(self.timeout / 2);
            let is_longest = self.total >= MAX_TOTAL || GROWTH as u32 * pass.wall > most;
            if is_enough(&pass, startup) || is_longest {
                if pass.wall < LEAST_STARTUPS * startup {
                    let what = "too short to measure: less than five times the start-up";
                    return Err(format!("{what}, {:.1?} and {startup:.1?}", pass.wall));
                }
                return Ok(pass);
            }
            self.total = MAX_TOTAL.min(GROWTH * self.total);
        }
    }

    /// Returns the least value of a single row.
    fn startup(&self, of: fn(&Pass) -> Duration) -> Duration {
        self.startups.iter().map(of).min().unwrap_or_default()
    }

    /// Returns the nanoseconds per row of each round, without the start-up.
    fn per_row(&self, of: fn(&Pass) -> Duration) -> Vec<f64> {
        let startup = self.startup(of);
        let net = |pass: &Pass| of(pass).saturating_sub(startup).as_nanos() as f64;
        self.passes.iter().map(|pass| net(pass) / (pass.total - 1) as f64).collect()
    }
}

impl Contender for CommandContender {
    fn unmeasured(&self) -> Measurement {
        Measurement { engine: self.name.clone(), threads: self.threads, ..Measurement::default() }
    }

    fn check(&mut self, task: &Task, plan: &Plan, into: &mut Measurement) -> Result<(), String> {
        (self.total, self.startups, self.passes) = (FIRST_ROWS, Vec::new(), Vec::new());
        let is_enough = |pass: &Pass, startup| {
            pass.total >= task.rows.len()
                && pass.wall >= plan.round_at_least.max(STARTUPS * startup)
        };
        self.measure(task, 0, plan.round_at_most, is_enough)?;
        into.rows = self.rows;
        Ok(())
    }

    fn round(&mut self, task: &Task, round: usize) -> Result<(), String> {
        // Each round begins with another row, so that answers of earlier rounds are wrong.
        let is_enough = |pass: &Pass, startup| pass.wall >= LEAST_STARTUPS * startup;
        let pass = self.measure(task, 1 + round * 7919, self.timeout, is_enough);
        self.passes.push(pass.map_err(|reason| format!("round {}: {reason}", round + 1))?);
        Ok(())
    }

    fn finish(&mut self, into: &mut Measurement) {
        into.set_rounds(self.per_row(|pass| pass.wall));
        into.user_ns_per_puzzle = Some(median(self.per_row(|pass| pass.user)));
        into.system_ns_per_puzzle = Some(median(self.per_row(|pass| pass.system)));
        into.startup_ns = Some(self.startup(|pass| pass.wall).as_nanos() as f64);
        let peak = self.passes.iter().map(|pass| pass.peak_bytes).max();
        into.peak_bytes = peak.filter(|peak| own_peak().is_none_or(|own| *peak > own));
    }
}

/// A pipe that does not wait any longer when `is_over` returns true.
struct Stoppable<'a, P> {
    pipe: P,
    is_over: &'a (dyn Fn() -> bool + Sync),
    /// How often the pipe is used after that, to read what it has.
    uses_left: u32,
}

impl<'a, P: AsFd> Stoppable<'a, P> {
    fn new(pipe: P, is_over: &'a (dyn Fn() -> bool + Sync)) -> Self {
        Self { pipe, is_over, uses_left: 64 }
    }

    /// Waits until the pipe can be read or written.
    fn wait(&mut self, flags: PollFlags) -> io::Result<()> {
        loop {
            let is_over = (self.is_over)();
            let tick = if is_over { Duration::ZERO } else { TICK };
            let tick = Timespec::try_from(tick).expect("it is short");
            let is_ready = match poll(&mut [PollFd::new(&self.pipe, flags)], Some(&tick)) {
                Err(rustix::io::Errno::INTR) => false,
                ready => ready? > 0,
            };
            self.uses_left = self.uses_left.saturating_sub(is_over.into());
            if self.uses_left == 0 || is_over && !is_ready {
                return Err(ErrorKind::TimedOut.into());
            }
            if is_ready {
                return Ok(());
            }
        }
    }
}

impl<P: AsFd + Read> Read for Stoppable<'_, P> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.wait(PollFlags::IN)?;
        self.pipe.read(into)
    }
}

impl<P: AsFd + Write> Write for Stoppable<'_, P> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.wait(PollFlags::OUT)?;
        match self.pipe.write(bytes) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                Err(ErrorKind::Interrupted.into())
            }
            written => written,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.pipe.flush()
    }
}

/// Writes rows as lines.
fn write_rows(task: &Task, span: Span, out: impl Write) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, out);
    for row in (0..span.total).map(|index| (span.first + index) % span.rows) {
        out.write_all(&task.rows.lines(row..row + 1)[0])?;
        out.write_all(b"\n")?;
    }
    out.flush()
}

/// Writes rows to a temporary file.
fn file_of(task: &Task, span: Span) -> io::Result<NamedTempFile> {
    let file = NamedTempFile::new()?;
    write_rows(task, span, file.as_file())?;
    Ok(file)
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
    line.map_or(String::new(), |line| format!(": {}", visible(line.trim())))
}

fn status_text(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit status {code}"),
        (None, signal) => format!("signal {}", signal.unwrap_or_default()),
    }
}

/// Returns the largest memory of this process, which the operating system also counts for its
/// children until they start their program.
fn own_peak() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(1024 * line.trim().strip_suffix(" kB")?.parse::<u64>().ok()?)
}
