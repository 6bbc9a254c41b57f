//! Runs the command in a temporary folder.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use tempfile::TempDir;

// Not all test binaries use both.
#[allow(unused_imports)]
pub use super::{CLASSIC, SOLVED};

/// The path of the executable.
pub const BULKDOKU: &str = env!("CARGO_BIN_EXE_bulkdoku");

/// Returns the pencil marks of a puzzle: nine characters per cell.
pub fn marks(puzzle: &str) -> String {
    let of_cell = |cell: char| match cell {
        '.' => "123456789".to_owned(),
        clue => ('1'..='9').map(|digit| if digit == clue { digit } else { '.' }).collect(),
    };
    puzzle.chars().map(of_cell).collect()
}

/// Formats nine lines of a grid.
pub fn grid(cells: &str) -> String {
    (0..9).map(|i| format!("{}\n", &cells[9 * i..9 * i + 9])).collect()
}

/// Waits until a condition is met.
pub fn wait_until(holds: impl Fn() -> bool) {
    while !holds() {
        thread::sleep(Duration::from_millis(5));
    }
}

/// Returns the signals that a field of the status of a process has, as a mask.
pub fn signals(process: &str, field: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix(field)).unwrap_or("0");
    u64::from_str_radix(mask.trim(), 16).unwrap()
}

/// Returns whether a process handles SIGINT and SIGTERM, so that neither ends it at once.
pub fn handles_signals(child: &Child) -> bool {
    if !fs::exists("/proc/self/status").unwrap() {
        thread::sleep(Duration::from_millis(300));
        return true;
    }
    signals(&child.id().to_string(), "SigCgt:") & 0x4002 == 0x4002
}

/// Returns the peak memory of a process so far, in bytes; `None` once it has ended.
#[cfg(target_os = "linux")]
pub fn peak_memory(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(peak.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024)
}

/// Splits a line into words; what is in double quotes is one.
fn words(line: &str) -> Vec<&str> {
    let mut words = Vec::new();
    for (number, part) in line.split('"').enumerate() {
        match number % 2 {
            1 => words.push(part),
            _ => words.extend(part.split_whitespace()),
        }
    }
    words
}

/// A temporary folder.
pub struct Folder(TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn file(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        fs::write(self.path(name), text).unwrap();
        self.path(name)
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Returns the number of lines of a file, which may be missing.
    pub fn lines_in(&self, name: &str) -> usize {
        fs::read_to_string(self.path(name)).unwrap_or_default().lines().count()
    }

    /// Runs a line of words, which may be in double quotes, without input.
    pub fn line(&self, line: &str) -> Ran {
        self.with_input(line, "")
    }

    /// Runs a line of words with `input` as standard input.
    pub fn with_input(&self, line: &str, input: impl AsRef<[u8]>) -> Ran {
        let words = words(line);
        self.run(words[0], &words[1..], input)
    }

    /// Starts a line of words, with pipes as its standard streams.
    pub fn start(&self, line: &str) -> Child {
        let words = words(line);
        self.spawn(words[0], &words[1..])
    }

    /// Runs invalid command lines, each with a part of its message.
    #[track_caller]
    pub fn assert_refused(&self, lines: &[(&str, &str)]) {
        for (line, message) in lines {
            let ran = self.line(line);
            assert_eq!((ran.status, &*ran.rows), (2, ""), "{line}: {ran:?}");
            assert!(ran.messages.contains(message), "{line}: {}", ran.messages);
        }
    }

    /// Runs `bulkdoku solve` in this folder with `input` as standard input.
    pub fn solve(&self, args: &[&str], input: impl AsRef<[u8]>) -> Ran {
        self.run("solve", args, input)
    }

    /// Runs a line of words over several inputs, each a file. Its first column must be `file`.
    pub fn run_each<'a, I: AsRef<[u8]> + 'a>(
        &self,
        line: &str,
        inputs: impl IntoIterator<Item = &'a I>,
    ) -> (Vec<OfInput>, Ran) {
        let named = |(number, input)| {
            let name = format!("{number:03}.in");
            self.file(&name, input);
            name
        };
        let names: Vec<_> = inputs.into_iter().enumerate().map(named).collect();
        let ran = self.line(&format!("{line} {} --errors errors --force", names.join(" ")));
        let errors = fs::read_to_string(self.path("errors")).unwrap_or_default();
        let about = |name: &str, lines: &str, after: char| {
            let rest = |line: &str| Some(line.strip_prefix(name)?.strip_prefix(after)?.to_owned());
            lines.lines().filter_map(rest).collect()
        };
        let of_input = |name: &String| OfInput {
            rows: about(name, &ran.rows, ','),
            messages: about(name, &errors, ':'),
        };
        (names.iter().map(of_input).collect(), ran)
    }

    /// Runs a subcommand in this folder with `input` as standard input.
    pub fn run(&self, subcommand: &str, args: &[&str], input: impl AsRef<[u8]>) -> Ran {
        self.output(subcommand, args, input).into()
    }

    /// Like [`Folder::run`], for output that may not be text.
    pub fn output(&self, subcommand: &str, args: &[&str], input: impl AsRef<[u8]>) -> Output {
        let mut child = self.spawn(subcommand, args);
        let mut pipe = child.stdin.take().unwrap();
        let input = input.as_ref();
        // Read rows while writing the input, so that neither process waits for the other.
        thread::scope(|scope| {
            // A command that rejects its arguments does not read.
            scope.spawn(move || pipe.write_all(input).ok());
            child.wait_with_output().unwrap()
        })
    }

    /// Returns the names of all files, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Returns all files, including those in folders, with their contents.
    pub fn all_files(&self) -> BTreeMap<String, Vec<u8>> {
        let mut files = BTreeMap::new();
        let mut folders = vec![self.0.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if let Ok(bytes) = fs::read(&path) {
                    let name = path.strip_prefix(self.0.path()).unwrap();
                    files.insert(name.to_str().unwrap().to_owned(), bytes);
                }
            }
        }
        files
    }

    /// Returns how many names of all files have this end.
    pub fn count(&self, end: &str) -> usize {
        self.all_names().iter().filter(|name| name.ends_with(end)).count()
    }

    /// Returns the names of all files, including those in folders, sorted.
    pub fn all_names(&self) -> Vec<String> {
        self.all_files().into_keys().collect()
    }

    /// Starts a subcommand in this folder, with pipes as its standard streams.
    pub fn spawn(&self, subcommand: &str, args: &[&str]) -> Child {
        let mut command = self.command(subcommand, args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    }

    /// Creates a command that runs in this folder.
    pub fn command(&self, subcommand: &str, args: &[&str]) -> Command {
        let mut command = Command::new(BULKDOKU);
        command.current_dir(self.0.path()).arg(subcommand).args(args);
        command
    }
}

/// The rows and messages about one of several inputs, without its name.
#[derive(Debug, PartialEq, Eq)]
pub struct OfInput {
    pub rows: Vec<String>,
    pub messages: Vec<String>,
}

/// The result of a run.
#[derive(Debug, PartialEq, Eq)]
pub struct Ran {
    /// The exit status; -1 after a signal.
    pub status: i32,
    /// Standard output.
    pub rows: String,
    /// Standard error.
    pub messages: String,
}

impl Ran {
    /// Returns the rows after the header.
    pub fn records(&self) -> Vec<&str> {
        self.rows.lines().skip(1).collect()
    }

    /// Checks the exit status and a part of the messages.
    #[track_caller]
    pub fn expect(&self, status: i32, message: &str) {
        let is_expected = self.status == status && self.messages.contains(message);
        assert!(is_expected, "{status}, {message}: {self:?}");
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            status: output.status.code().unwrap_or(-1),
            rows: String::from_utf8(output.stdout).unwrap(),
            messages: String::from_utf8(output.stderr).unwrap(),
        }
    }
}
