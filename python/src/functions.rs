//! The functions of the module.

use std::path::PathBuf;

use bulkdoku::check::Score;
use bulkdoku::input::Keep;
use bulkdoku::isomorph::Kinds;
use bulkdoku::pipeline::Augment;
use numpy::PyArray1;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::calls;
use crate::files;
use crate::frames::Frame;
use crate::given::{Given, Names, ReadOptions};
use crate::scan::Columns;
use crate::settings::{self, Named, Number, Settings, Whole};
use crate::sheet::{Form, Output};
use crate::stream::{Stream, StreamOptions};
use crate::table::Table;
use crate::watch::Progress;

/// Solves puzzles.
///
/// Each puzzle is searched until `limit` solutions are found or excluded: 2 proves that there is one, 1 finds
/// the first.
///
/// Args:
///     puzzles: n puzzles of 81 cells in row order. As text (a list or array of str or bytes, dtype `S81`, Arrow
///         utf8, large_utf8, views, binary, fixed_size_binary[81]) a blank is one of `0._*-xX?`; as numbers
///         (numpy uint8 of shape (n, 81) or (n, 9, 9), Arrow fixed_size_list<uint8>[81]) it is `blank`. Tables
///         and data frames are also accepted.
///     limit: solutions at which a search stops, 1 or more.
///     max_nodes: the nodes after which the search for a puzzle gives up, 1 or more; None for no limit.
///     threads: the number of threads; 0 means one per core.
///     engine: "lanes", "scalar", "propagate", "backtrack-scan", "backtrack-flags" or "backtrack-mask".
///     solution: how grids are returned: "text" (utf8), "binary" (fixed_size_binary[81]) or "cells"
///         (fixed_size_list<uint8>[81], where digits follow `blank`).
///     columns: some of "puzzle", "solution", "canonical", "automorphisms", "status", "reason", "solutions", "guesses",
///         "nodes", "latency_ns", "clues", "level", "rating", "minimal",
///         "technique", "score", "steps", "techniques", "se121", "se121_ep", "se121_ed".
///     column: the column of the puzzles in a table, if it has no usual name and is not the only one. Where a
///         column of text `malformed` is not null, as `read` returns it, a row is malformed for this reason.
///     blank: the value of a blank in arrays of numbers; digits are blank + 1 to blank + 9.
///     progress: called with the number of rows done since its last call, as `tqdm.update` is.
///
/// Returns:
///     Table: a row for each puzzle, in order. `status` is unique, solved (limit=1), multiple, unsolvable,
///     contradictory (two equal clues in a unit), malformed (no puzzle, or null) or gave_up. `solutions` are
///     those found, up to `limit`; `latency_ns` is in nanoseconds; `reason` explains what is wrong with a malformed
///     or contradictory row. Of puzzles with exactly one solution, `level` (uint8, 0 to 3) is the rules that a puzzle
///     needs, `rating` (double) the guesses of the proof, `minimal` (bool) whether every clue is needed.
///
/// Raises:
///     KeyError: if the column does not exist.
///     TypeError: if something else is given.
///     ValueError: if an array has another shape, or an option another value.
///
/// Example:
///     >>> import bulkdoku
///     >>> line = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
///     >>> bulkdoku.solve([line, "12"]).to_list("status")
///     ['unique', 'malformed']
#[pyfunction]
#[pyo3(signature = (puzzles, *, limit = Whole(2), max_nodes = None, threads = Whole(1), engine = "lanes",
    solution = "text", columns = None, column = None, blank = Whole(0), progress = None),
    text_signature = "(puzzles, *, limit=2, max_nodes=None, threads=1, engine='lanes', solution='text', columns=('solution', 'status', 'solutions', 'guesses', 'latency_ns'), column=None, blank=0, progress=None)")]
#[expect(clippy::too_many_arguments, reason = "they are options by name")]
pub fn solve(
    py: Python<'_>,
    puzzles: &Bound<'_, PyAny>,
    limit: Number,
    max_nodes: Option<Number>,
    threads: Number,
    engine: &str,
    solution: &str,
    columns: Option<&Bound<'_, PyAny>>,
    column: Option<String>,
    blank: Number,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Table> {
    let columns = settings::solve_columns(columns)?;
    let named = Named { limit, max_nodes, threads, engine, solution, columns, blank };
    let settings = Settings::try_from(named)?;
    let options = ReadOptions { column, blank: settings.blank };
    let given = Given::new(puzzles, &options, Names::Puzzles)?;
    calls::solve(py, &given, &settings, &Progress::new(progress)?)
}

/// Solves a stream of record batches lazily: a batch is read and solved on demand.
///
/// Memory does not grow with the stream. Rows keep their order.
///
/// Args:
///     batches: an Arrow stream (`pyarrow.RecordBatchReader`, a table, a data frame, a DuckDB relation), or an
///         iterable of record batches or data frames.
///     column: the column of the puzzles, as for `solve`.
///     batch_rows: the most rows of a batch; larger ones are cut.
///     keep: True keeps all columns, False none, a list of names only these.
///     prefix: the prefix of the names of added columns.
///     limit, max_nodes, threads, engine, solution, columns, blank, progress: as for `solve`.
///
/// Returns:
///     Stream: with the columns kept and those of `columns`.
///
/// Raises:
///     KeyError: if the column does not exist.
///     TypeError, ValueError: as for `solve`, and if an added column has the name of one that is kept.
///
/// Example:
///     >>> import bulkdoku
///     >>> puzzles = bulkdoku.generate(20_000, seed=1, kind="easy", columns=["puzzle"])
///     >>> stream = bulkdoku.solve_stream(puzzles, columns=["solution"])
///     >>> [len(batch) for batch in stream][:3]
///     [8192, 8192, 3616]
#[pyfunction]
#[pyo3(signature = (batches, *, column = None, batch_rows = Whole(8192), keep = None, prefix = "", limit = Whole(2),
    max_nodes = None, threads = Whole(1), engine = "lanes", solution = "text", columns = None, blank = Whole(0),
    progress = None),
    text_signature = "(batches, *, column=None, batch_rows=8192, keep=True, prefix='', limit=2, max_nodes=None, threads=1, engine='lanes', solution='text', columns=('solution', 'status', 'solutions', 'guesses', 'latency_ns'), blank=0, progress=None)")]
#[expect(clippy::too_many_arguments, reason = "they are options by name")]
pub fn solve_stream(
    batches: &Bound<'_, PyAny>,
    column: Option<&str>,
    batch_rows: Number,
    keep: Option<&Bound<'_, PyAny>>,
    prefix: &str,
    limit: Number,
    max_nodes: Option<Number>,
    threads: Number,
    engine: &str,
    solution: &str,
    columns: Option<&Bound<'_, PyAny>>,
    blank: Number,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Stream> {
    let batch_rows = settings::batch_rows(batch_rows)?;
    let columns = settings::solve_columns(columns)?;
    let named = Named { limit, max_nodes, threads, engine, solution, columns, blank };
    let settings = Settings::try_from(named)?;
    let keep = keep.map_or(Ok(Some(Keep::All)), settings::keep)?;
    let options = StreamOptions { column, batch_rows, keep, prefix };
    Stream::new(batches, &options, settings, Progress::new(progress)?)
}

/// Checks whether given solutions are right and unique.
///
/// Args:
///     puzzles: n puzzles, as for `solve`; without `solutions`, a table that has both.
///     solutions: n solutions, in any of the same forms; they may have another form than the puzzles. From a
///         table the column of solutions is taken.
///     limit: 2 searches for a second solution, 1 does not search.
///     columns: some of "puzzle", "solution", "answer" (the given solution), "canonical", "automorphisms", "status",
///         "reason", "solutions", "guesses", "nodes", "latency_ns", "clues", "level", "rating", "minimal",
///         "technique", "score", "steps", "techniques", "se121", "se121_ep", "se121_ed".
///     column, solution_column: the columns of tables.
///     max_nodes, threads, engine, blank, progress: as for `solve`.
///
/// Returns:
///     Table: a row for each puzzle. `status` is ok, mismatch, malformed (not a puzzle) or gave_up; `reason`
///     explains what is wrong. Without `solutions`, these columns are added to the table that was given: a pandas,
///     polars or pyarrow table stays one, with all its columns.
///
/// Raises:
///     TypeError, ValueError: as for `solve`, if there are not as many solutions as puzzles, or if the table has a
///     column of that name.
///
/// Example:
///     >>> import bulkdoku
///     >>> rows = bulkdoku.generate(3, seed=1)
///     >>> bulkdoku.check(rows["puzzle"], rows["solution"]).to_list("status")
///     ['ok', 'ok', 'ok']
///     >>> bulkdoku.check(rows).column_names
///     ['puzzle', 'solution', 'status', 'reason']
#[pyfunction]
#[pyo3(signature = (puzzles, solutions = None, *, limit = Whole(2), max_nodes = None, threads = Whole(1), engine = "lanes",
    columns = None, column = None, solution_column = None, blank = Whole(0), progress = None),
    text_signature = "(puzzles, solutions=None, *, limit=2, max_nodes=None, threads=1, engine='lanes', columns=('status', 'reason'), column=None, solution_column=None, blank=0, progress=None)")]
#[expect(clippy::too_many_arguments, reason = "they are options by name")]
pub fn check<'py>(
    py: Python<'py>,
    puzzles: &Bound<'py, PyAny>,
    solutions: Option<&Bound<'py, PyAny>>,
    limit: Number,
    max_nodes: Option<Number>,
    threads: Number,
    engine: &str,
    columns: Option<&Bound<'py, PyAny>>,
    column: Option<String>,
    solution_column: Option<String>,
    blank: Number,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let columns = settings::check_columns(columns)?;
    let named = Named { limit, max_nodes, threads, engine, solution: "text", columns, blank };
    let settings = Settings::try_from(named)?;
    let columns = (column, solution_column);
    let progress = &Progress::new(progress)?;
    check_with(py, (puzzles, solutions), columns, &settings, &settings.output, progress)
}

/// Checks solutions, or a table that has puzzles and solutions.
pub fn check_with<'py>(
    py: Python<'py>,
    (puzzles, solutions): (&Bound<'py, PyAny>, Option<&Bound<'py, PyAny>>),
    (column, solution_column): (Option<String>, Option<String>),
    settings: &Settings,
    output: &Output,
    progress: &Progress,
) -> PyResult<Bound<'py, PyAny>> {
    let blank = settings.blank;
    if let Some(solutions) = solutions {
        let puzzles = Given::new(puzzles, &ReadOptions { column, blank }, Names::Puzzles)?;
        let options = ReadOptions { column: solution_column, blank };
        let solutions = Given::new(solutions, &options, Names::Answers)?;
        let table = calls::check(py, (&puzzles, &solutions), settings, output, progress)?;
        return Ok(Bound::new(py, table)?.into_any());
    }
    let frame = Frame::new(puzzles)?;
    if !frame.is_table() {
        let what = "the solutions are missing: give them, or a table that has both";
        return Err(PyTypeError::new_err(what));
    }
    let puzzles = frame.given(frame.puzzles(column.as_deref())?, blank, Names::Puzzles)?;
    let solutions = frame.solutions(solution_column.as_deref(), true)?;
    let solutions = solutions.ok_or_else(|| {
        PyValueError::new_err("the table has no column of solutions; name one by solution_column=")
    })?;
    let solutions = frame.given(Some(solutions), blank, Names::Answers)?;
    let table = calls::check(py, (&puzzles, &solutions), settings, output, progress)?;
    frame.with_columns(table, &[])
}

/// Scores answers to puzzles: rewards for reinforcement learning.
///
/// Args:
///     puzzles: n puzzles, as for `solve`.
///     answers: n answers, in any of the same forms: also text of nine lines, with spaces, or a list. In a blank
///         cell the answer is wrong, and it breaks no rule there. An answer that is not readable as 81 cells has no
///         counts.
///     column, solution_column: the columns of tables.
///     max_nodes, threads, blank, progress: as for `solve`.
///
/// Returns:
///     dict: numpy arrays of shape (n,). `readable`, bool: whether the answer has 81 cells. The counts are masked
///     where it has not. `correct`, uint8, 0 to 81: the cells, clues included, that equal the puzzle's only solution;
///     if it does not have exactly one (or the search gave up, or the puzzle is malformed), 81 for an answer that
///     solves it, else 0. `clues_kept`, uint8: the clues that the answer keeps; 0 for malformed puzzles.
///     `rules_broken`, uint8, 0 to 27: the rows, columns and boxes in which the answer has a digit twice. `solved`,
///     bool: whether the answer is a complete grid, keeps the clues and obeys the rules.
///
/// Raises:
///     TypeError, ValueError: as for `solve`, and if there are not as many answers as puzzles.
///
/// Example:
///     >>> import bulkdoku
///     >>> rows = bulkdoku.generate(3, seed=1)
///     >>> bulkdoku.score(rows, rows)["correct"].tolist()
///     [81, 81, 81]
///     >>> bulkdoku.score(rows["puzzle"], ["1" * 81, "", None])["rules_broken"].tolist()
///     [27, None, None]
#[pyfunction]
#[pyo3(signature = (puzzles, answers, *, max_nodes = None, threads = Whole(1), column = None, solution_column = None,
    blank = Whole(0), progress = None),
    text_signature = "(puzzles, answers, *, max_nodes=None, threads=1, column=None, solution_column=None, blank=0, progress=None)")]
#[expect(clippy::too_many_arguments, reason = "they are options by name")]
pub fn score<'py>(
    py: Python<'py>,
    puzzles: &Bound<'py, PyAny>,
    answers: &Bound<'py, PyAny>,
    max_nodes: Option<Number>,
    threads: Number,
    column: Option<String>,
    solution_column: Option<String>,
    blank: Number,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let named = Named::of_threads(settings::threads(threads)?);
    let settings = Settings::try_from(Named { max_nodes, blank, ..named })?;
    let blank = settings.blank;
    let puzzles = Given::new(puzzles, &ReadOptions { column, blank }, Names::Puzzles)?;
    let options = ReadOptions { column: solution_column, blank };
    let answers = Given::new(answers, &options, Names::Answers)?;
    let scores = calls::score(py, (&puzzles, &answers), &settings, &Progress::new(progress)?)?;
    let masked = py.import("numpy")?.getattr("ma")?.getattr("MaskedArray")?;
    let unreadable = PyArray1::from_iter(py, scores.iter().map(Option::is_none));
    let counts = |of: fn(&Score) -> u8, worst: u8| {
        let counts = scores.iter().map(|score| score.as_ref().map_or(worst, of));
        masked.call1((PyArray1::from_iter(py, counts), &unreadable))
    };
    let arrays = PyDict::new(py);
    arrays.set_item("correct", counts(|score| score.correct, 0)?)?;
    arrays.set_item("clues_kept", counts(|score| score.clues_kept, 0)?)?;
    arrays.set_item("rules_broken", counts(|score| score.rules_broken, 27)?)?;
    let is_solved = |score: &Option<Score>| score.is_some_and(|score| score.solved);
    arrays.set_item("solved", PyArray1::from_iter(py, scores.iter().map(is_solved)))?;
    let readable = PyArray1::from_iter(py, scores.iter().map(Option::is_some));
    arrays.set_item("readable", readable)?;
    Ok(arrays)
}

/// Finds canonical forms (minlex): the same for all puzzles that differ only in the names of digits and the
/// order of rows and columns.
///
/// Args:
///     puzzles, column, blank, threads, progress: as for `solve`.
///     solution: how forms are returned, as for `solve`.
///
/// Returns:
///     Table: a row for each puzzle, with `canonical`, `automorphisms` (uint32), `status` (ok, contradictory or
///     malformed) and `reason`.
///
/// Raises:
///     TypeError, ValueError: as for `solve`.
///
/// Example:
///     >>> import bulkdoku
///     >>> bulkdoku.canonical(["." * 80 + "7"]).to_list("canonical")[0].index("1")
///     80
#[pyfunction]
#[pyo3(signature = (puzzles, *, threads = Whole(1), solution = "text", column = None, blank = Whole(0), progress = None),
    text_signature = "(puzzles, *, threads=1, solution='text', column=None, blank=0, progress=None)")]
pub fn canonical(
    py: Python<'_>,
    puzzles: &Bound<'_, PyAny>,
    threads: Number,
    solution: &str,
    column: Option<String>,
    blank: Number,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Table> {
    let options = ReadOptions { column, blank: settings::blank(blank)? };
    let given = Given::new(puzzles, &options, Names::Puzzles)?;
    let (form, threads) = (Form::of_name(solution)?, settings::threads(threads)?);
    calls::canonical(py, &given, form, threads, &Progress::new(progress)?)
}

/// Makes isomorphs of puzzles, and of their solutions: the rows that `bulkdoku augment` makes of a file.
///
/// All isomorphs of a puzzle differ from each other and from the puzzle. A puzzle with fewer than `times`
/// isomorphs has fewer rows. Invalid records, with a wrong solution among them, have none: a `UserWarning` counts
/// them and explains the first ten.
///
/// Args:
///     puzzles: n puzzles, as for `solve`.
///     solutions: n solutions; anything but a grid becomes null. None for no solutions, and for those of a table.
///     times: the number of isomorphs of each puzzle, up to 1,000,000.
///     seed: any number from 0 to 2**64 - 1.
///     original: whether each puzzle comes before its isomorphs, as copy 0.
///     kinds: some of "digits", "rows" (of bands, columns of stacks), "bands" (and stacks), "transpose".
///     first: the number of the first row. Isomorphs depend on the seed and on the number of their row.
///     solution: how grids are returned, as for `solve`; None for the form of the puzzles.
///     column, solution_column, blank, threads, progress: as for `solve` and `check`.
///
/// Returns:
///     Table: `row` (uint64, the puzzle's number), `copy` (uint32, from 1), `puzzle`, and `solution` if solutions
///     are given. Of a table without `solutions`: a table of the same type (pandas, polars, pyarrow, or Table) with all
///     its columns and their types, followed by `row` and `copy`. Its puzzles and solutions are those of the
///     isomorph; other columns are repeated.
///
/// Raises:
///     TypeError, ValueError: as for `solve`, and if the table has a column `row` or `copy`.
///
/// Example:
///     >>> import bulkdoku
///     >>> rows = bulkdoku.generate(1, seed=1)
///     >>> more = bulkdoku.augment(rows, times=3, seed=1)
///     >>> more.column_names, more.to_list("copy"), set(bulkdoku.check(more).to_list("status"))
///     (['puzzle', 'solution', 'row', 'copy'], [1, 2, 3], {'ok'})
#[pyfunction]
#[pyo3(signature = (puzzles, solutions = None, *, times = Whole(1), seed, original = false, kinds = None, first = Whole(1),
    threads = Whole(1), solution = None, column = None, solution_column = None, blank = Whole(0), progress = None),
    text_signature = "(puzzles, solutions=None, *, times=1, seed, original=False, kinds=('digits', 'rows', 'bands', 'transpose'), first=1, threads=1, solution=None, column=None, solution_column=None, blank=0, progress=None)")]
#[expect(clippy::too_many_arguments, reason = "they are options by name")]
pub fn augment<'py>(
    py: Python<'py>,
    puzzles: &Bound<'py, PyAny>,
    solutions: Option<&Bound<'py, PyAny>>,
    times: Number,
    seed: Number,
    original: bool,
    kinds: Option<&Bound<'py, PyAny>>,
    first: Number,
    threads: Number,
    solution: Option<&str>,
    column: Option<String>,
    solution_column: Option<String>,
    blank: Number,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let times = times.within("times", 0..=1_000_000)?;
    let (seed, first) = (seed.number("seed")?, first.number("first")?);
    let kinds = kinds.map_or(Ok(Kinds::ALL), kinds_of)?;
    let form = solution.map(Form::of_name).transpose()?;
    let blank = settings::blank(blank)?;
    let threads = settings::threads(threads)?;
    let augment = Augment { times, original, seed, kinds, hints: (0, 0), needs_solution: false };
    let progress = &Progress::new(progress)?;
    let run = |puzzles: &Given<'_>, solutions: Option<&Given<'_>>| {
        let form = (form.unwrap_or_else(|| puzzles.form()), blank);
        calls::augment(py, (puzzles, solutions), (augment, first), form, threads, progress)
    };
    let frame = if solutions.is_none() { Some(Frame::new(puzzles)?) } else { None };
    if let Some(frame) = frame.filter(Frame::is_table) {
        let puzzle_name = frame.puzzles(column.as_deref())?.unwrap_or_default();
        let puzzles = frame.given(Some(puzzle_name.clone()), blank, Names::Puzzles)?;
        let solution_name = frame.solutions(solution_column.as_deref(), false)?;
        let solutions =
            solution_name.clone().map(|name| frame.given(Some(name), blank, Names::Solutions));
        let solutions = match solutions.transpose() {
            // A column of that name may hold something else, such as the number of solutions.
            Err(error) if solution_column.is_none() && error.is_instance_of::<PyTypeError>(py) => {
                None
            }
            solutions => solutions?,
        };
        let table = run(&puzzles, solutions.as_ref())?;
        let rows: Vec<_> = table.numbers_of(0).map(|row| row - first).collect();
        let mut replaced = vec![("puzzle", puzzle_name)];
        replaced
            .extend(solution_name.filter(|_| solutions.is_some()).map(|name| ("solution", name)));
        return frame.take(&rows)?.with_columns(table, &replaced);
    }
    let puzzles = Given::new(puzzles, &ReadOptions { column, blank }, Names::Puzzles)?;
    let options = ReadOptions { column: solution_column, blank };
    let solutions =
        solutions.map(|given| Given::new(given, &options, Names::Solutions)).transpose()?;
    let table = run(&puzzles, solutions.as_ref())?;
    Ok(Bound::new(py, table)?.into_any())
}

fn kinds_of(names: &Bound<'_, PyAny>) -> PyResult<Kinds> {
    let names: Vec<String> = names.extract().map_err(|_| {
        PyTypeError::new_err("kinds is a sequence of names, such as (\"digits\", \"rows\")")
    })?;
    let mut kinds = Kinds { digits: false, rows: false, bands: false, transpose: false };
    for name in names {
        match name.as_str() {
            "digits" => kinds.digits = true,
            "rows" => kinds.rows = true,
            "bands" => kinds.bands = true,
            "transpose" => kinds.transpose = true,
            _ => {
                let what = "kinds are digits, rows, bands and transpose";
                return Err(PyValueError::new_err(format!("{what}, not {name:?}")));
            }
        }
    }
    Ok(kinds)
}

/// Reads a file of puzzles in any format that the command reads, compressed or not, or a .npy file.
///
/// Args:
///     path: lines, tables, grids, JSON lines or Parquet, recognized by their content; or, by its name, .npy: uint8
///         of shape (n, 81) or (n, 9, 9).
///     column, solution_column: the columns of a table, by name or by number from 1, if they are not detected.
///     keep: True keeps all other columns, False none, a list of names only these. For lines this is the text
///         after the puzzle, for grids the label. A .npy file has none.
///     blank: the value of a blank in a .npy file.
///
/// Returns:
///     Table: `line` (uint64, from 1), `puzzle` (a malformed record as written), `solution` if the file has
///     solutions, `malformed` if there are such records (what is wrong with them), and the kept columns, as text, null
///     if empty; a name that is already taken is prefixed with `input_`.
///
/// Raises:
///     OSError: if the file cannot be read to its end.
///     TypeError: if keep is something else.
///     ValueError: if the columns are not clear, or an array does not hold cells.
#[pyfunction]
#[pyo3(signature = (path, *, column = None, solution_column = None, keep = None, blank = Whole(0)),
    text_signature = "(path, *, column=None, solution_column=None, keep=False, blank=0)")]
pub fn read(
    py: Python<'_>,
    path: PathBuf,
    column: Option<String>,
    solution_column: Option<String>,
    keep: Option<&Bound<'_, PyAny>>,
    blank: Number,
) -> PyResult<Table> {
    let columns = Columns {
        puzzles: column,
        solutions: solution_column,
        keep: keep.map_or(Ok(None), settings::keep)?,
    };
    files::read(py, &path, columns, settings::blank(blank)?)
}

/// Writes a table to a file, in the format of its name.
///
/// It writes a temporary file, and renames it when it is complete.
///
/// Args:
///     rows: a table, a stream, a data frame: anything with the Arrow PyCapsule interface.
///     path: .csv, .tsv or .jsonl, with all columns; .txt, one line per puzzle; each of them optionally followed by
///         .gz or .zst. Or .parquet, with all columns: whole numbers as int64, others as double, bool, text,
///         binary; groups of up to 131,072 rows, zstd; if a column has another type, pyarrow writes the file. Or
///         .npy: uint8 of shape (n, 81), for which rows may also be a list or an array.
///     column: the column for .txt and .npy; the puzzles if None.
///     blank: the value of a blank in a .npy file.
///
/// Returns:
///     int: the number of rows written.
///
/// Raises:
///     OSError: if the file cannot be written.
///     TypeError: if a column of a .csv file is a list or a struct, or if pyarrow is needed and not installed.
///     ValueError: if the name has another ending, or a row of a .npy file is not a puzzle.
#[pyfunction]
#[pyo3(signature = (rows, path, *, column = None, blank = Whole(0)),
    text_signature = "(rows, path, *, column=None, blank=0)")]
pub fn write(
    py: Python<'_>,
    rows: &Bound<'_, PyAny>,
    path: PathBuf,
    column: Option<&str>,
    blank: Number,
) -> PyResult<u64> {
    let is_npy = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("npy"));
    if !is_npy && !rows.hasattr("__arrow_c_stream__")? && !rows.hasattr("__arrow_c_array__")? {
        let name = rows.get_type().fully_qualified_name()?;
        let what = format!("{name} is not a table: it has no Arrow PyCapsule interface");
        return Err(PyTypeError::new_err(what));
    }
    files::write(py, rows, &path, column, settings::blank(blank)?)
}
