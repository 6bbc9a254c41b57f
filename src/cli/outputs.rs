//! Outputs: none overwrites anything by accident, and all are open before work starts.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use same_file::Handle;

use super::inputs::STDIN;
use super::{Failure, journal};

/// The name of standard output on the command line.
const STDOUT: &str = "-";

/// The files that a run writes.
#[derive(Debug, clap::Args)]
pub struct Destinations {
    /// Where the rows go; standard output if not given. A name that ends with .gz or .zst
    /// compresses them.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Write the histogram of latencies as CSV.
    #[arg(long, value_name = "FILE")]
    pub latency: Option<PathBuf>,

    /// Write every message about a bad record; standard error shows the first few only.
    #[arg(long, value_name = "FILE")]
    pub errors: Option<PathBuf>,

    /// Write the summary as JSON.
    #[arg(long, value_name = "FILE")]
    pub summary_json: Option<PathBuf>,

    /// Replace output files that exist.
    #[arg(long)]
    pub force: bool,

    /// Go on with the output of a run that was ended, with the same inputs and options; start if
    /// there is none.
    #[arg(long, requires = "output", conflicts_with = "force")]
    pub resume: bool,
}

/// What becomes of an output file that exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// It stays, and the run does not start.
    Refused,
    /// It is replaced.
    Replaced,
    /// It is what an earlier run has left: it stays until that is known.
    Kept,
}

impl Existing {
    /// What `--force` says.
    pub fn or_force(force: bool) -> Self {
        if force { Self::Replaced } else { Self::Refused }
    }
}

/// Opens output files that are neither inputs nor each other nor there already.
#[derive(Debug)]
pub struct Outputs<'a> {
    inputs: &'a [PathBuf],
    existing: Existing,
    opened: Vec<PathBuf>,
}

impl<'a> Outputs<'a> {
    /// Whatever becomes of what exists, an input is never written to.
    pub fn new(inputs: &'a [PathBuf], existing: Existing) -> Self {
        Self { inputs, existing, opened: Vec::new() }
    }

    /// Opens the main output; nothing or `-` means standard output.
    pub fn rows(&mut self, path: Option<&Path>) -> Result<RowsOut, Failure> {
        match path {
            Some(path) if path.as_os_str() != STDOUT => {
                let file = self.file(path)?;
                Ok(RowsOut::File(file, path.into()))
            }
            _ => {
                self.refuse_stdout_into_input()?;
                Ok(RowsOut::Stdout)
            }
        }
    }

    /// Opens a side output, if it is wanted.
    pub fn optional(&mut self, path: Option<&Path>) -> Result<Option<(File, PathBuf)>, Failure> {
        path.map(|path| Ok((self.file(path)?, path.into()))).transpose()
    }

    fn file(&mut self, path: &Path) -> Result<File, Failure> {
        let absolute = std::path::absolute(path).map_err(|error| Failure::at(path, error))?;
        if self.opened.contains(&absolute) {
            let name = path.display();
            return Err(Failure::Usage(format!("{name}: named for two outputs; name two files")));
        }
        if let Some(input) = self.inputs.iter().find(|input| is_same_file(input, path)) {
            let (name, input) = (path.display(), input.display());
            return Err(Failure::Usage(format!("{name}: is the input {input}; name another file")));
        }
        self.opened.push(absolute);
        // Devices and pipes are there already and lose nothing.
        let is_special = fs::metadata(path).is_ok_and(|found| !found.is_file());
        let mut options = OpenOptions::new();
        options.write(true);
        if is_special {
            return options.open(path).map_err(|error| Failure::at(path, error));
        }
        if self.existing == Existing::Refused {
            options.create_new(true);
        } else {
            options.create(true);
        }
        let file = options.open(path).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => refuse(path),
            _ => Failure::at(path, error),
        })?;
        // Where files cannot be locked, nobody is hindered.
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            let name = path.display();
            return Err(Failure::Usage(format!("{name}: another run is writing it")));
        }
        if self.existing == Existing::Replaced {
            file.set_len(0).map_err(|error| Failure::at(path, error))?;
        }
        Ok(file)
    }

    /// `solve a.txt >> a.txt` would read its own rows for ever.
    fn refuse_stdout_into_input(&self) -> Result<(), Failure> {
        let is_stdout = |input: &&PathBuf| {
            fs::metadata(input).is_ok_and(|found| found.is_file())
                && matches!((Handle::stdout(), Handle::from_path(input)), (Ok(a), Ok(b)) if a == b)
        };
        match self.inputs.iter().find(is_stdout) {
            Some(input) => Err(Failure::Usage(format!(
                "standard output is the input {}; name another file",
                input.display()
            ))),
            None => Ok(()),
        }
    }
}

/// What is there is not to be lost.
fn refuse(path: &Path) -> Failure {
    let name = path.display();
    Failure::Usage(if journal::path_beside(path).exists() {
        format!("{name}: exists and is not complete; --resume goes on, --force starts over")
    } else {
        format!("{name}: exists; --force replaces it")
    })
}

/// Whether both are one regular file, by whatever path.
fn is_same_file(input: &Path, output: &Path) -> bool {
    fs::metadata(output).is_ok_and(|found| found.is_file())
        && if input.as_os_str() == STDIN {
            matches!((Handle::stdin(), Handle::from_path(output)), (Ok(a), Ok(b)) if a == b)
        } else {
            same_file::is_same_file(input, output).unwrap_or(false)
        }
}

/// Where the rows go.
#[derive(Debug)]
pub enum RowsOut {
    /// Standard output.
    Stdout,
    /// A file, and its path for messages.
    File(File, PathBuf),
}

impl RowsOut {
    /// Its name in messages.
    pub fn name(&self) -> String {
        match self {
            Self::Stdout => "standard output".into(),
            Self::File(_, path) => path.display().to_string(),
        }
    }
}

impl RowsOut {
    /// The file, if it is a regular one: it has a length, and can be cut and gone on with.
    pub fn regular(&self) -> Option<(&File, &Path)> {
        match self {
            Self::File(file, path) if file.metadata().is_ok_and(|found| found.is_file()) => {
                Some((file, path))
            }
            _ => None,
        }
    }
}

impl Write for &RowsOut {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            RowsOut::Stdout => io::stdout().lock().write(bytes),
            RowsOut::File(file, _) => (&*file).write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            RowsOut::Stdout => io::stdout().lock().flush(),
            RowsOut::File(file, _) => (&*file).flush(),
        }
    }
}

/// Cuts a file, and goes on behind what is left.
pub fn cut(mut file: &File, length: u64) -> io::Result<()> {
    file.set_len(length)?;
    file.seek(SeekFrom::Start(length)).map(drop)
}
