//! Runs the command in a temporary folder.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use tempfile::TempDir;

/// The path of the executable.
pub const BULKDOKU: &str = env!("CARGO_BIN_EXE_bulkdoku");

/// A puzzle with one solution.
pub const CLASSIC: &str =
    "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
/// The solution of [`CLASSIC`].
pub const SOLVED: &str =
    "534678912672195348198342567859761423426853791713924856961537284287419635345286179";

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

/// Waits until a process handles signals, so that none ends it at once.
#[cfg(unix)]
pub fn wait_until_signals_are_handled(child: &Child) {
    let is_handled = |status: String| {
        let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap_or("0");
        // SIGINT and SIGTERM.
        u64::from_str_radix(mask.trim(), 16).unwrap() & 0x4002 == 0x4002
    };
    if fs::exists("/proc/self/status").unwrap() {
        wait_until(|| {
            fs::read_to_string(format!("/proc/{}/status", child.id())).is_ok_and(is_handled)
        });
    } else {
        thread::sleep(Duration::from_millis(300));
    }
}

/// Returns the peak memory of a process so far, in bytes; `None` once it has ended.
#[cfg(target_os = "linux")]
pub fn peak_memory(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(peak.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024)
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

    /// Runs a subcommand given as a line of words, without input.
    pub fn line(&self, line: &str) -> Ran {
        let words: Vec<_> = line.split_whitespace().collect();
        self.run(words[0], &words[1..], "")
    }

    /// Runs invalid command lines, each with a part of its message.
    pub fn assert_refused(&self, lines: &[(&str, &str)]) {
        for (line, message) in lines {
            let ran = self.line(line);
            assert_eq!(ran.status, 2, "{line}: {ran:?}");
            assert!(ran.messages.contains(message), "{line}: {}", ran.messages);
        }
    }

    /// Runs `bulkdoku solve` in this folder with `input` as standard input.
    pub fn solve(&self, args: &[&str], input: impl AsRef<[u8]>) -> Ran {
        self.run("solve", args, input)
    }

    /// Runs a subcommand over several inputs, each a file. The first column of `args` must be `file`.
    pub fn run_each<'a, I: AsRef<[u8]> + 'a>(
        &self,
        subcommand: &str,
        args: &[&str],
        inputs: impl IntoIterator<Item = &'a I>,
    ) -> (Vec<OfInput>, Ran) {
        let named = |(number, input)| {
            let name = format!("{number:03}.in");
            self.file(&name, input);
            name
        };
        let names: Vec<_> = inputs.into_iter().enumerate().map(named).collect();
        let inputs: Vec<_> = names.iter().map(String::as_str).collect();
        let args = [&inputs, args, &["--errors", "errors", "--force"]].concat();
        let ran = self.run(subcommand, &args, "");
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
    /// The exit status.
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
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            status: output.status.code().unwrap(),
            rows: String::from_utf8(output.stdout).unwrap(),
            messages: String::from_utf8(output.stderr).unwrap(),
        }
    }
}
