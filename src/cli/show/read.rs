//! Puzzles to be shown: typed, or from a file.

use std::io::Read;
use std::path::Path;

use bulkdoku::input::{Expected, Undetected};
use bulkdoku::pipeline::RecordReader;
use bulkdoku::{Marks, Source};

use crate::cli::Failure;
use crate::cli::inputs::{Inputs, STDIN};

/// Files are read up to this many bytes: more grids than anybody looks at.
const MOST_BYTES: u64 = 1 << 20;

/// A puzzle, and where it was found.
pub struct Named {
    /// `file:line`.
    pub place: String,
    /// Its cells.
    pub marks: Marks,
}

/// The puzzles of a file, of standard input (`-`), or the one that was typed.
pub fn puzzles(argument: &str) -> Result<Vec<Named>, Failure> {
    if argument == STDIN || Path::new(argument).exists() {
        return of_file(argument);
    }
    let refused = |error| Failure::Usage(format!("{error}; and there is no such file"));
    Ok(vec![Named { place: String::new(), marks: argument.parse().map_err(refused)? }])
}

fn of_file(argument: &str) -> Result<Vec<Named>, Failure> {
    let mut inputs = Inputs::check(vec![argument.into()])?;
    let Source { name, reader, .. } = inputs.sources().next().expect("there is one");
    let mut bytes = Vec::new();
    let read = reader.take(MOST_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| Failure::Io(format!("{name}: {error}")))?;
    if bytes.len() as u64 > MOST_BYTES {
        let hint = "more than a megabyte; show is for a few puzzles";
        return Err(Failure::Usage(format!("{name}: {hint}")));
    }
    of_records(&name, &bytes).or_else(|error| {
        if matches!(error, Failure::Io(_)) {
            return Err(error);
        }
        // A single grid of candidates takes more forms than records do.
        let marks = String::from_utf8_lossy(&bytes).parse().map_err(|_| error)?;
        Ok(vec![Named { place: name, marks }])
    })
}

/// The puzzles of a text in any form that is solved.
fn of_records(name: &str, bytes: &[u8]) -> Result<Vec<Named>, Failure> {
    let refused = |error: &dyn std::fmt::Display| Failure::Usage(format!("{name}: {error}"));
    let layout = Expected::default().detect(bytes, true).map_err(|error| match error {
        Undetected::Foreign(_) => Failure::Io(format!("{name}: {error}")),
        _ => refused(&error),
    })?;
    let source = Source { layout: layout.unwrap_or_default(), ..Source::new(name, bytes) };
    let mut records = RecordReader::new([source]);
    let mut puzzles = Vec::new();
    while let Some(record) = records.next() {
        let place = format!("{}:{}", record.file, record.line);
        let marks = record.puzzle.map_err(|malformed| {
            Failure::Usage(format!("{place}:{}: {malformed}", malformed.column))
        })?;
        puzzles.push(Named { place, marks });
    }
    if let Some(failure) = records.failures().into_iter().next() {
        return Err(Failure::Io(failure.to_string()));
    }
    if puzzles.is_empty() {
        return Err(refused(&"no puzzle in it"));
    }
    Ok(puzzles)
}
