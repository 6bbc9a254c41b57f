//! The input of the solutions that are checked, where they do not stand beside their puzzles.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use bulkdoku::Source;
use bulkdoku::input::{Answers, InputOptions, Layout, StreamOptions, names};
use bulkdoku::pipeline::AnswerInput;

use super::Failure;
use super::inputs::{Inputs, Reader, STDIN};
use super::outputs::Destinations;

/// Opens the solutions in `path`, read with these options; in a table they are in
/// this column, or are looked for.
pub fn open(
    path: &Path,
    column: Option<&str>,
    stream: StreamOptions,
) -> Result<AnswerInput, Failure> {
    Ok(AnswerInput::new(found(path, column, stream)?))
}

fn found(
    path: &Path,
    column: Option<&str>,
    stream: StreamOptions,
) -> Result<Source<Reader>, Failure> {
    let expected = InputOptions { stream, ..InputOptions::default() };
    let of_column = |name: &str| InputOptions { column: Some(name.into()), ..expected.clone() };
    let mut inputs = Inputs::check(vec![path.into()])?;
    if let Some(column) = column {
        inputs.look(&of_column(column), &AtomicBool::default())?;
    } else if !look_for_column(&mut inputs, &expected, of_column)? {
        inputs.look(&expected, &AtomicBool::default())?;
    }
    Ok(inputs.sources().next().expect("there is one"))
}

/// Looks for a column of solutions: beside puzzles, or by one of its usual names.
fn look_for_column(
    inputs: &mut Inputs,
    expected: &InputOptions,
    of_column: impl Fn(&str) -> InputOptions,
) -> Result<bool, Failure> {
    let beside_puzzles = InputOptions { answers: Answers::Wanted, ..expected.clone() };
    let by_name = names::SOLUTIONS.iter().copied().map(of_column);
    for expected in [beside_puzzles].into_iter().chain(by_name) {
        match inputs.look(&expected, &AtomicBool::default()) {
            Ok(()) if inputs.layouts().all(|layout| matches!(layout, Layout::Csv(_))) => {
                return Ok(true);
            }
            Err(failed @ Failure::Io(_)) => return Err(failed),
            _ => {}
        }
    }
    Ok(false)
}

/// Refuses solutions that are read for puzzles, too, or that an output would replace.
pub fn check(path: &Path, inputs: &[PathBuf], destinations: &Destinations) -> Result<(), Failure> {
    let is_stdin = |path: &Path| path == Path::new(STDIN);
    if is_stdin(path) && (inputs.is_empty() || inputs.iter().any(|input| is_stdin(input))) {
        let hint = "standard input is read for puzzles; name a file of solutions";
        return Err(Failure::Usage(format!("--solutions -: {hint}")));
    }
    let Destinations { output, latency, errors, summary_json, report, .. } = destinations;
    for output in [output, latency, errors, summary_json, report].into_iter().flatten() {
        if same_file::is_same_file(path, output).unwrap_or(false) {
            let (name, path) = (output.display(), path.display());
            return Err(Failure::Usage(format!("{name}: is the input {path}; name another file")));
        }
    }
    Ok(())
}

/// What tells a file of solutions from another one, for `--resume`.
pub fn state(path: &Path) -> String {
    let modified = |file: &fs::Metadata| file.modified().ok();
    match fs::metadata(path) {
        Ok(file) if file.is_file() => {
            format!("{}, {} bytes, {:?}", path.display(), file.len(), modified(&file))
        }
        _ => path.display().to_string(),
    }
}
