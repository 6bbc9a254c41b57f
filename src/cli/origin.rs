//! Where inputs come from: files, pipes, standard input, and puzzles typed as arguments.

use std::fs::{self, File};
use std::io::{self, Cursor};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bulkdoku::input::{OpenColumns, Stream};
use bulkdoku::marks;
use bulkdoku::pipeline::visible;
use bulkdoku::puzzle::{CELLS, is_cell};
use bulkdoku::{Malformed, Marks};

use super::identity::STDIN;
use super::platform::Pipe;
use super::{Failure, shown};

#[cfg(feature = "parquet")]
const OPEN_COLUMNS: OpenColumns = bulkdoku_arrow::parquet::open;
#[cfg(not(feature = "parquet"))]
const OPEN_COLUMNS: OpenColumns = |_| None;

#[derive(Clone, Debug)]
pub enum Origin {
    Stdin,
    /// A file, named pipe, or device.
    Path(PathBuf),
    /// A file found in a folder.
    Found(PathBuf),
    /// Puzzles typed as arguments, one per line.
    Typed(Arc<[u8]>),
}

impl Origin {
    /// Classifies an argument as a file or a puzzle. Consecutive puzzles are one input.
    pub fn add(all: &mut Vec<Self>, argument: PathBuf) {
        let line = typed_puzzle(&argument).map(String::into_bytes);
        match (line, all.last_mut()) {
            (Some(line), Some(Self::Typed(text))) => *text = [text, &line[..]].concat().into(),
            (Some(line), _) => all.push(Self::Typed(line.into())),
            (None, _) if is_stdin(&argument) => all.push(Self::Stdin),
            (None, _) => all.push(Self::Path(argument)),
        }
    }

    /// Rejects unreadable inputs, and opens files. Pipes are opened later, because only once.
    pub fn check(&self) -> Result<Option<Stream>, Failure> {
        let (Self::Path(path) | Self::Found(path)) = self else { return Ok(None) };
        let scheme = || path.to_str()?.split_once("://").map(|(scheme, _)| scheme);
        let metadata =
            fs::metadata(path).map_err(|error| match (puzzle_fault(path), scheme()) {
                (Some(fault), _) => {
                    let hint = format!("no such file, and not a puzzle ({fault})");
                    Failure::Usage(format!("{}: {hint}", shown(path)))
                }
                (None, Some(scheme)) => {
                    let hint = "is not read; save it as a file, or pipe it to standard input";
                    Failure::at(path, format!("{scheme}:// {hint}"))
                }
                (None, None) => Failure::at(path, error),
            })?;
        if metadata.is_dir() {
            return Err(Failure::at(path, "is a directory; name its files"));
        }
        if !metadata.is_file() {
            return Ok(None);
        }
        let file = File::open(path).map_err(|error| Failure::at(path, error))?;
        // A file that cannot be decoded fails when it is read.
        Ok(Some(Stream::of_file(file, OPEN_COLUMNS).unwrap_or_else(Stream::failed)))
    }

    /// Returns whether opening the input twice would return different bytes.
    pub fn can_be_opened_once(&self) -> bool {
        match self {
            Self::Stdin => true,
            Self::Path(path) => !path.is_file(),
            Self::Found(_) | Self::Typed(_) => false,
        }
    }

    pub fn open(&self) -> io::Result<Stream> {
        let opened = match self {
            Self::Typed(text) => return Ok(Stream::new(Cursor::new(Arc::clone(text)))),
            Self::Stdin => Pipe::stdin()?,
            Self::Path(path) | Self::Found(path) => Pipe::open(path)?,
        };
        opened.map_or_else(|pipe| Ok(Stream::new(pipe)), |file| Stream::of_file(file, OPEN_COLUMNS))
    }

    pub fn open_or_fail(&self) -> Stream {
        self.open().unwrap_or_else(Stream::failed)
    }

    pub fn path(&self) -> &Path {
        match self {
            Self::Stdin => Path::new(STDIN),
            Self::Path(path) | Self::Found(path) => path,
            Self::Typed(_) => Path::new(TYPED),
        }
    }

    pub fn on_disk(&self) -> &Path {
        if let Self::Stdin = self { Path::new("/dev/stdin") } else { self.path() }
    }

    pub fn shown_name(&self) -> String {
        visible(&self.name()).into()
    }

    /// Returns the name for rows, and messages about records.
    pub fn name(&self) -> String {
        if let Self::Stdin = self { "<stdin>".into() } else { self.path().display().to_string() }
    }

    pub fn size(&self) -> Option<u64> {
        if let Self::Typed(text) = self {
            return Some(text.len() as u64);
        }
        let metadata = fs::metadata(self.on_disk()).ok()?;
        metadata.is_file().then_some(metadata.len())
    }
}

/// The name of typed puzzles in rows and messages.
const TYPED: &str = "<arguments>";

/// Returns a typed puzzle as a line, normalized unless it is a single line of cells or marks.
pub fn typed_puzzle(argument: &Path) -> Option<String> {
    let text = argument.to_str().filter(|_| !argument.exists())?;
    let marks: Marks = text.parse().ok()?;
    let text = text.trim();
    let is_line = text.len() == CELLS || text.len() == marks::TEXT;
    Some(match marks.puzzle() {
        _ if is_line => format!("{text}\n"),
        Some(puzzle) => format!("{puzzle}\n"),
        None => format!("{marks}\n"),
    })
}

/// Returns why an argument is not a puzzle, if it looks like one.
fn puzzle_fault(argument: &Path) -> Option<Malformed> {
    let text = argument.to_str()?;
    let cells = text.bytes().filter(|byte| is_cell(*byte)).count();
    let looks_like_puzzle = cells > CELLS / 2 && text.len() - cells < 9;
    text.parse::<Marks>().err().filter(|_| looks_like_puzzle)
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == STDIN
}
