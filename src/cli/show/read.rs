//! Reads the puzzles to show, from the argument or a file.

use std::io::Read;
use std::path::Path;

use bulkdoku::input::{InputOptions, plain_lines};
use bulkdoku::pipeline::RecordReader;
use bulkdoku::{Marks, Source};

use crate::cli::identity::STDIN;
use crate::cli::inputs::Inputs;
use crate::cli::{Failure, input_args};

/// The largest accepted file.
const MAX_FILE_BYTES: u64 = 1 << 20;

pub struct LocatedPuzzle {
    /// `file:line`.
    pub place: String,
    /// The candidates of the cells.
    pub marks: Marks,
}

#[derive(Default)]
pub struct FoundPuzzles {
    pub puzzles: Vec<LocatedPuzzle>,
    /// Messages about invalid records: `file:line:column: reason`.
    pub bad: Vec<String>,
}

/// Reads one or more puzzles from a file or standard input (`-`), or parses the argument.
pub fn puzzles(argument: &str) -> Result<FoundPuzzles, Failure> {
    if argument == STDIN || Path::new(argument).exists() {
        return of_file(argument);
    }
    let refused = |error| Failure::Usage(format!("{error}, and no such file exists"));
    let marks = argument.parse().map_err(refused)?;
    Ok(FoundPuzzles {
        puzzles: vec![LocatedPuzzle { place: String::new(), marks }],
        ..FoundPuzzles::default()
    })
}

fn of_file(argument: &str) -> Result<FoundPuzzles, Failure> {
    let mut inputs = Inputs::open(vec![argument.into()])?;
    let Source { name, reader, .. } = inputs.sources().next().expect("there is one");
    let mut bytes = Vec::new();
    let read = reader.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| Failure::Io(format!("{name}: {error}")))?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        let hint = "more than a megabyte, but show is meant for a few puzzles";
        return Err(Failure::Usage(format!("{name}: {hint}")));
    }
    let found = of_records(&name, &bytes);
    if found.as_ref().is_ok_and(|found| found.bad.is_empty())
        || matches!(found, Err(Failure::Io(_)))
    {
        return found;
    }
    // A single grid of candidates may have a form that is not supported in files of records.
    if let Ok(marks) = String::from_utf8_lossy(&bytes).parse() {
        return Ok(FoundPuzzles {
            puzzles: vec![LocatedPuzzle { place: name, marks }],
            ..FoundPuzzles::default()
        });
    }
    match found {
        Ok(FoundPuzzles { puzzles, bad }) if puzzles.is_empty() => {
            Err(Failure::Usage(bad.join("\n")))
        }
        found => found,
    }
}

/// Reads the puzzles of a text in any detected format.
fn of_records(name: &str, bytes: &[u8]) -> Result<FoundPuzzles, Failure> {
    let layout = InputOptions::default().detect(bytes, true);
    let layout = layout.map_err(|error| input_args::refused(name, &error))?;
    let source = Source { layout: layout.unwrap_or_else(plain_lines), ..Source::new(name, bytes) };
    let mut records = RecordReader::new([source]);
    let mut found = FoundPuzzles::default();
    while let Some(record) = records.next() {
        let place = format!("{}:{}", record.file, record.line);
        match record.puzzle {
            Ok(marks) => found.puzzles.push(LocatedPuzzle { place, marks }),
            Err(malformed) => {
                found.bad.push(format!("{place}:{}: malformed: {malformed}", malformed.column));
            }
        }
    }
    if let Some(failure) = records.failures().into_iter().next() {
        return Err(Failure::Io(failure.to_string()));
    }
    if found.puzzles.is_empty() && found.bad.is_empty() {
        return Err(Failure::Usage(format!("{name}: it contains no puzzles")));
    }
    Ok(found)
}
