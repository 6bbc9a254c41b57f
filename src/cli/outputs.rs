//! Outputs: none overwrites anything by accident, and all are open before work starts.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use same_file::Handle;

use super::Failure;
use super::inputs::STDIN;

/// The name of standard output on the command line.
const STDOUT: &str = "-";

/// Opens output files that are neither inputs nor each other nor there already.
#[derive(Debug)]
pub struct Outputs<'a> {
    inputs: &'a [PathBuf],
    force: bool,
    opened: Vec<PathBuf>,
}

impl<'a> Outputs<'a> {
    /// `force` allows what is there to be replaced; an input never is.
    pub fn new(inputs: &'a [PathBuf], force: bool) -> Self {
        Self { inputs, force, opened: Vec::new() }
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
        if self.force || is_special {
            options.write(true).create(true).truncate(!is_special);
        } else {
            options.write(true).create_new(true);
        }
        options.open(path).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => {
                let name = path.display();
                Failure::Usage(format!("{name}: exists; --force replaces it"))
            }
            _ => Failure::at(path, error),
        })
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
