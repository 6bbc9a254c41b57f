//! `check --solutions`: solutions in a separate file.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use bulkdoku::Source;
use bulkdoku::input::lines::AnswerLines;
use bulkdoku::input::{Answers, InputOptions, LayoutKind, StreamOptions, names};

use super::Failure;
use super::identity::STDIN;
use super::inputs::Inputs;

/// Opens the solutions in `path`. In a table, they are in `column`, which is detected by default. A
/// table of one column is lines, of which blank ones are empty solutions, as without a header.
pub fn open(
    path: &Path,
    column: Option<&str>,
    stream: StreamOptions,
) -> Result<Source<'static>, Failure> {
    let options = InputOptions { stream, ..InputOptions::default() };
    let of_column = |name: &str| InputOptions { column: Some(name.into()), ..options.clone() };
    let mut inputs = Inputs::open(vec![path.into()])?;
    if let Some(column) = column {
        inputs.detect(&of_column(column), &AtomicBool::default())?;
    } else if !find_column(&mut inputs, &options, of_column)? {
        inputs.detect(&options, &AtomicBool::default())?;
    }
    let source = inputs.sources().next().expect("there is one");
    let before = match source.layout.table() {
        None if source.layout.kind() == LayoutKind::Lines => 0,
        Some(table) if table.fields == 1 && source.columns.is_none() => {
            table.header.as_ref().map_or(0, |header| header.line)
        }
        _ => return Ok(source),
    };
    Ok(Source { layout: Arc::new(AnswerLines(before)), ..source })
}

/// Finds a column of solutions next to one of puzzles, or with a known name.
fn find_column(
    inputs: &mut Inputs,
    options: &InputOptions,
    of_column: impl Fn(&str) -> InputOptions,
) -> Result<bool, Failure> {
    let beside_puzzles = InputOptions { answers: Answers::Wanted, ..options.clone() };
    let by_name = names::of_solutions(true).map(of_column);
    for options in [beside_puzzles].into_iter().chain(by_name) {
        match inputs.detect(&options, &AtomicBool::default()) {
            Ok(()) if inputs.layouts().all(|layout| layout.table().is_some()) => {
                return Ok(true);
            }
            Err(failed @ Failure::Io(_)) => return Err(failed),
            _ => {}
        }
    }
    Ok(false)
}

/// Rejects a file of solutions that is an input.
pub fn check(path: &Path, inputs: &[PathBuf]) -> Result<(), Failure> {
    let is_stdin = |path: &Path| path == Path::new(STDIN);
    if is_stdin(path) && (inputs.is_empty() || inputs.iter().any(|input| is_stdin(input))) {
        refuse!("--solutions -: standard input contains the puzzles; name a file of solutions");
    }
    Ok(())
}
