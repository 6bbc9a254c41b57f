//! Puzzles to be shown: typed, or from a file.

use std::io::Read;
use std::path::Path;

use bulkdoku::input::InputOptions;
use bulkdoku::pipeline::RecordReader;
use bulkdoku::{Marks, Source};

use crate::cli::inputs::{Inputs, STDIN};
use crate::cli::{Failure, input_args};

/// Files are read up to this many bytes: more grids than anybody looks at.
const MOST_BYTES: u64 = 1 << 20;

/// A puzzle, and where it was found.
pub struct Named {
    /// `file:line`.
    pub place: String,
    /// Its cells.
    pub marks: Marks,
}

/// What was found.
#[derive(Default)]
pub struct Found {
    pub puzzles: Vec<Named>,
    /// What is wrong with records that are none: `file:line:column: why`.
    pub bad: Vec<String>,
}

/// The puzzles of a file, of standard input (`-`), or the one that was typed: at least one.
pub fn puzzles(argument: &str) -> Result<Found, Failure> {
    if argument == STDIN || Path::new(argument).exists() {
        return of_file(argument);
    }
    let refused = |error| Failure::Usage(format!("{error}; and there is no such file"));
    let marks = argument.parse().map_err(refused)?;
    Ok(Found { puzzles: vec![Named { place: String::new(), marks }], ..Found::default() })
}

fn of_file(argument: &str) -> Result<Found, Failure> {
    let mut inputs = Inputs::check(vec![argument.into()])?;
    let Source { name, reader, .. } = inputs.sources().next().expect("there is one");
    let mut bytes = Vec::new();
    let read = reader.take(MOST_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| Failure::Io(format!("{name}: {error}")))?;
    if bytes.len() as u64 > MOST_BYTES {
        let hint = "more than a megabyte; show is for a few puzzles";
        return Err(Failure::Usage(format!("{name}: {hint}")));
    }
    let found = of_records(&name, &bytes);
    if found.as_ref().is_ok_and(|found| found.bad.is_empty())
        || matches!(found, Err(Failure::Io(_)))
    {
        return found;
    }
    // A single grid of candidates takes more forms than records do.
    if let Ok(marks) = String::from_utf8_lossy(&bytes).parse() {
        return Ok(Found { puzzles: vec![Named { place: name, marks }], ..Found::default() });
    }
    match found {
        Ok(Found { puzzles, bad }) if puzzles.is_empty() => Err(Failure::Usage(bad.join("\n"))),
        found => found,
    }
}

/// The puzzles of a text in any form that is solved.
fn of_records(name: &str, bytes: &[u8]) -> Result<Found, Failure> {
    let layout = InputOptions::default().detect(bytes, true);
    let layout = layout.map_err(|error| input_args::refused(name, &error))?;
    let source = Source { layout: layout.unwrap_or_default(), ..Source::new(name, bytes) };
    let mut records = RecordReader::new([source]);
    let mut found = Found::default();
    while let Some(record) = records.next() {
        let place = format!("{}:{}", record.file, record.line);
        match record.puzzle {
            Ok(marks) => found.puzzles.push(Named { place, marks }),
            Err(malformed) => {
                found.bad.push(format!("{place}:{}: malformed: {malformed}", malformed.column));
            }
        }
    }
    if let Some(failure) = records.failures().into_iter().next() {
        return Err(Failure::Io(failure.to_string()));
    }
    if found.puzzles.is_empty() && found.bad.is_empty() {
        return Err(Failure::Usage(format!("{name}: no puzzle in it")));
    }
    Ok(found)
}
