//! The functions of the module.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use bulkdoku::generate::{Kind, Pattern, Recipe};
use bulkdoku::input::Keep;
use bulkdoku::isomorph::Kinds;
use bulkdoku::output::Column;
use bulkdoku::pipeline::Augment;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::calls;
use crate::files;
use crate::given::{Given, Names, ReadOptions};
use crate::scan::Columns;
use crate::settings::{self, Named, Settings, Whole};
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
///     columns: some of "puzzle", "solution", "status", "solutions", "guesses", "nodes", "latency_ns", "reason".
///     column: the column of the puzzles in a table, if it has no usual name and is not the only one.
///     blank: the value of a blank in arrays of numbers; digits are blank + 1 to blank + 9.
///     progress: called with the number of rows done since its last call, as `tqdm.update` is.
///
/// Returns:
///     Table: a row for each puzzle, in order. `status` is unique, solved (limit=1), multiple, unsolvable,
///     contradictory (two equal clues in a unit), malformed (no puzzle, or null) or gave_up. `solutions` are
///     those found, up to `limit`; `latency_ns` is in nanoseconds; `reason` explains what is wrong with a malformed
///     or contradictory row.
///
/// Raises:
///     TypeError: if something else is given.
///     ValueError: if an array has another shape, or an option another value.
///
/// Example:
///     >>> import bulkdoku
///     >>> line = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
///     >>> bulkdoku.solve([line, "12"]).to_list("status")
///     ['unique', 'malformed']
#[pyfunction]
#[pyo3(signature = (puzzles, *, limit = 2, max_nodes = None, threads = 1, engine = "lanes",
    solution = "text", columns = None, column = None, blank = 0, progress = None),
    text_signature = "(puzzles, *, limit=2, max_nodes=None, threads=1, engine='lanes', solution='text', columns=('solution', 'status', 'solutions', 'guesses', 'latency_ns'), column=None, blank=0, progress=None)")]
#[expect(clippy::too_many_arguments, reason = "they are options by name")]
pub fn solve(
    py: Python<'_>,
    puzzles: &Bound<'_, PyAny>,
    limit: i64,
    max_nodes: Option<Whole>,
    threads: i64,
    engine: &str,
    solution: &str,
    columns: Option<&Bound<'_, PyAny>>,
    column: Option<String>,
    blank: i64,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Table> {
    let columns = settings::solve_columns(columns)?;
    let max_nodes = max_nodes.map(|nodes| nodes.0);
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
///     KeyError: if there is no such column.
///     TypeError, ValueError: as for `solve`, and if an added column has the name of one that is kept.
///
/// Example:
///     >>> import bulkdoku
///     >>> puzzles = bulkdoku.generate(20_000, seed=1, kind="easy", columns=["puzzle"])
///     >>> stream = bulkdoku.solve_stream(puzzles, columns=["solution"])
///     >>> [len(batch) for batch in stream][:3]
///     [8192, 8192, 3616]
#[pyfunction]
#[pyo3(signature = (batches, *, column = None, batch_rows = 8192, keep = None, prefix = "", limit = 2,
    max_nodes = None, threads = 1, engine = "lanes", solution = "text", columns = None, blank = 0,
    progress = None),
    text_signature = "(batches, *, column=None, batch_rows=8192, keep=True, prefix='', limit=2, max_nodes=None, threads=1, engine='lanes', solution='text', columns=('solution', 'status', 'solutions', 'guesses', 'latency_ns'), blank=0, progress=None)")]
#[expect(clippy::too_many_arguments, reason = "they are options by name")]
pub fn solve_stream(
    batches: &Bound<'_, PyAny>,
    column: Option<&str>,
    batch_rows: i64,
    keep: Option<&Bound<'_, PyAny>>,
    prefix: &str,
    limit: i64,
    max_nodes: Option<Whole>,
    threads: i64,
    engine: &str,
    solution: &str,
    columns: Option<&Bound<'_, PyAny>>,
    blank: i64,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Stream> {
    let batch_rows = settings::batch_rows(batch_rows)?;
    let columns = settings::solve_columns(columns)?;
    let max_nodes = max_nodes.map(|nodes| nodes.0);
    let named = Named { limit, max_nodes, threads, engine, solution, columns, blank };
    let settings = Settings::try_from(named)?;
    let keep = keep.map_or(Ok(Some(Keep::All)), settings::keep)?;
    let options = StreamOptions { column, batch_rows, keep, prefix };
    Stream::new(batches, &options, settings, Progress::new(progress)?)
}

/// Checks whether given solutions are right and unique.
///
/// Args:
///     puzzles: n puzzles, as for `solve`.
///     solutions: n solutions, in any of the same forms; they may have another form than the puzzles. From a
///         table the column of solutions is taken.
///     limit: 2 searches for a second solution, 1 does not search.
///     columns: some of "puzzle", "status", "reason", "solutions", "guesses", "nodes", "latency_ns".
///     column, solution_column: the columns of tables.
///     max_nodes, threads, engine, blank, progress: as for `solve`.
///
/// Returns:
///     Table: a row for each puzzle. `status` is ok, mismatch, malformed (not a puzzle) or gave_up; `reason`
///     explains what is wrong.
///
/// Raises:
///     TypeError, ValueError: as for `solve`, and if there are not as many solutions as puzzles.
///
/// Example:
///     >>> import bulkdoku
///     >>> rows = bulkdoku.generate(3, seed=1)
///     >>> bulkdoku.check(rows, rows).to_list("status")
///     ['ok', 'ok', 'ok']
#[pyfunction]
#[pyo3(signature = (puzzles, solutions, *, limit = 2, max_nodes = None, threads = 1, engine = "lanes",
    columns = None, column = None, solution_column = None, blank = 0, progress = None),
    text_signature = "(puzzles, solutions, *, limit=2, max_nodes=None, threads=1, engine='lanes', columns=('status', 'reason'), column=None, solution_column=None, blank=0, progress=None)")]
#[expect(clippy::too_many_arguments, reason = "they are options by name")]
pub fn check(
    py: Python<'_>,
    puzzles: &Bound<'_, PyAny>,
    solutions: &Bound<'_, PyAny>,
    limit: i64,
    max_nodes: Option<Whole>,
    threads: i64,
    engine: &str,
    columns: Option<&Bound<'_, PyAny>>,
    column: Option<String>,
    solution_column: Option<String>,
    blank: i64,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Table> {
    let columns = settings::check_columns(columns)?;
    let max_nodes = max_nodes.map(|nodes| nodes.0);
    let named = Named { limit, max_nodes, threads, engine, solution: "text", columns, blank };
    let settings = Settings::try_from(named)?;
    let blank = settings.blank;
    let puzzles = Given::new(puzzles, &ReadOptions { column, blank }, Names::Puzzles)?;
    let options = ReadOptions { column: solution_column, blank };
    let solutions = Given::new(solutions, &options, Names::Solutions)?;
    let progress = &Progress::new(progress)?;
    calls::check(py, (&puzzles, &solutions), &settings, &settings.output, progress)
}

/// Makes random puzzles: the rows that `bulkdoku generate` makes of the same seed.
///
/// Row i depends only on the seed and the options, so any part of a corpus can be reproduced.
///
/// Args:
///     count: the number of rows.
///     seed: any number from 0 to 2**64 - 1.
///     kind: "minimal", "solved", "easy", "hard", "several" or "unsolvable".
///     start: the first row, from 0.
///     grids: how solution grids are drawn: "rows", "fast" or "uniform"; None is fast for kind="solved", else
///         rows.
///     clues, guesses: only minimal puzzles with this many: a number, or a pair of the least and the most.
///     level: only minimal puzzles of this level, 0 to 3.
///     symmetry: "none", "rot180", "rot90", "diagonal", "horizontal" or "vertical".
///     pattern: 81 characters, # where a clue may be, . where none may be.
///     solution: how grids are returned, as for `solve`.
///     columns: "puzzle" and "solution" or one of them; the solution is null unless there is exactly one.
///     threads, progress: as for `solve`.
///
/// Returns:
///     Table: `count` rows.
///
/// Raises:
///     ValueError: if an option has another value, or if no puzzle can meet the options.
///
/// Example:
///     >>> import bulkdoku
///     >>> rows = bulkdoku.generate(5, seed=1, kind="easy", solution="cells")
///     >>> rows["puzzle"].shape
///     (5, 81)
#[pyfunction]
#[pyo3(signature = (count, *, seed, kind = "minimal", start = 0, grids = None, clues = None, guesses = None,
    level = None, symmetry = "none", pattern = None, solution = "text", columns = None, threads = 1,
    progress = None),
    text_signature = "(count, *, seed, kind='minimal', start=0, grids=None, clues=None, guesses=None, level=None, symmetry='none', pattern=None, solution='text', columns=('puzzle', 'solution'), threads=1, progress=None)")]
#[expect(clippy::too_many_arguments, reason = "they are options by name")]
pub fn generate(
    py: Python<'_>,
    count: u64,
    seed: u64,
    kind: &str,
    start: u64,
    grids: Option<&str>,
    clues: Option<Span>,
    guesses: Option<Span>,
    level: Option<u8>,
    symmetry: &str,
    pattern: Option<&str>,
    solution: &str,
    columns: Option<&Bound<'_, PyAny>>,
    threads: i64,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Table> {
    let plain = Recipe::default();
    let kind = settings::named(kind, "kind")?;
    let grids = grids.unwrap_or(if kind == Kind::Solved { "fast" } else { "rows" });
    let clues = clues.map(|span| span.range("clues")).transpose()?;
    let clues = clues.map(|clues| *clues.start() as usize..=*clues.end() as usize);
    let recipe = Recipe {
        kind,
        grids: settings::named(grids, "grids")?,
        symmetry: settings::named(symmetry, "symmetry")?,
        pattern: pattern.map_or(Ok(Pattern::ALL), |text| settings::named(text, "pattern"))?,
        clues: clues.unwrap_or(plain.clues),
        guesses: guesses.map_or(Ok(plain.guesses), |span| span.range("guesses"))?,
        level: level.map(|level| settings::named(&level.to_string(), "level")).transpose()?,
    };
    let end = start.checked_add(count);
    let end = end.ok_or_else(|| PyValueError::new_err("rows end at 2**64 - 1"))?;
    let both = [Column::Puzzle, Column::Solution];
    let columns = settings::columns(columns, &both, &both)?;
    let output = Output::new(columns, Form::of_name(solution)?, 0);
    let threads = settings::threads(threads)?;
    calls::generate(py, (recipe, seed), start..end, &output, threads, &Progress::new(progress)?)
}

/// A range of numbers in Python: one number, or a pair of the first and the last.
#[derive(FromPyObject)]
pub enum Span {
    One(u64),
    Pair(u64, u64),
}

impl Span {
    /// # Errors
    /// `ValueError` when the range is empty.
    fn range(&self, option: &str) -> PyResult<RangeInclusive<u64>> {
        match *self {
            Self::One(only) => Ok(only..=only),
            Self::Pair(first, last) if first <= last => Ok(first..=last),
            Self::Pair(first, last) => Err(PyValueError::new_err(format!(
                "{option}: no number is at least {first} and at most {last}"
            ))),
        }
    }
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
#[pyo3(signature = (puzzles, *, threads = 1, solution = "text", column = None, blank = 0, progress = None))]
pub fn canonical(
    py: Python<'_>,
    puzzles: &Bound<'_, PyAny>,
    threads: i64,
    solution: &str,
    column: Option<String>,
    blank: i64,
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
///     solutions: None, or n solutions; missing ones stay null.
///     times: the number of isomorphs of each puzzle, up to 1,000,000.
///     seed: any number from 0 to 2**64 - 1.
///     original: whether each puzzle comes before its isomorphs, as copy 0.
///     kinds: some of "digits", "rows" (of bands, columns of stacks), "bands" (and stacks), "transpose".
///     first: the number of the first row. Isomorphs depend on the seed and on the number of their row.
///     solution, column, solution_column, blank, threads, progress: as for `solve` and `check`.
///
/// Returns:
///     Table: `row` (uint64, the puzzle's number), `copy` (uint32, from 1), `puzzle`, and `solution` if solutions
///     are given.
///
/// Raises:
///     TypeError, ValueError: as for `solve`.
///
/// Example:
///     >>> import bulkdoku
///     >>> rows = bulkdoku.generate(1, seed=1)
///     >>> more = bulkdoku.augment(rows, rows, times=3, seed=1)
///     >>> more.to_list("copy"), set(bulkdoku.check(more, more).to_list("status"))
///     ([1, 2, 3], {'ok'})
#[pyfunction]
#[pyo3(signature = (puzzles, solutions = None, *, times = 1, seed, original = false, kinds = None, first = 1,
    threads = 1, solution = "text", column = None, solution_column = None, blank = 0, progress = None),
    text_signature = "(puzzles, solutions=None, *, times=1, seed, original=False, kinds=('digits', 'rows', 'bands', 'transpose'), first=1, threads=1, solution='text', column=None, solution_column=None, blank=0, progress=None)")]
#[expect(clippy::too_many_arguments, reason = "they are options by name")]
pub fn augment(
    py: Python<'_>,
    puzzles: &Bound<'_, PyAny>,
    solutions: Option<&Bound<'_, PyAny>>,
    times: i64,
    seed: u64,
    original: bool,
    kinds: Option<Vec<String>>,
    first: u64,
    threads: i64,
    solution: &str,
    column: Option<String>,
    solution_column: Option<String>,
    blank: i64,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Table> {
    let times = u32::try_from(times).ok().filter(|times| *times <= 1_000_000);
    let times = times.ok_or_else(|| PyValueError::new_err("times is 0 to 1000000"))?;
    let kinds = kinds.map_or(Ok(Kinds::ALL), |names| kinds_of(&names))?;
    let form = Form::of_name(solution)?;
    let blank = settings::blank(blank)?;
    let puzzles = Given::new(puzzles, &ReadOptions { column, blank }, Names::Puzzles)?;
    let options = ReadOptions { column: solution_column, blank };
    let solutions =
        solutions.map(|given| Given::new(given, &options, Names::Solutions)).transpose()?;
    let threads = settings::threads(threads)?;
    let augment = Augment { times, original, seed, kinds, hints: (0, 0), needs_solution: false };
    let given = (&puzzles, solutions.as_ref());
    calls::augment(py, given, (augment, first), form, threads, &Progress::new(progress)?)
}

fn kinds_of(names: &[String]) -> PyResult<Kinds> {
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
///     path: lines, tables, grids, JSON lines or Parquet, recognised by their content; or, by its name, .npy: uint8
///         of shape (n, 81) or (n, 9, 9).
///     column, solution_column: the columns of a table, by name or by number from 1, if they are not detected.
///     keep: True keeps all other columns, False none, a list of names only these. For lines this is the text
///         after the puzzle, for grids the label. A .npy file has none.
///     blank: the value of a blank in a .npy file.
///
/// Returns:
///     Table: `line` (uint64, from 1), `puzzle` (a malformed record as written), `solution` if the file has
///     solutions, and the kept columns, as text, null if empty; a name that is already taken is prefixed with
///     `input_`.
///
/// Raises:
///     OSError: if the file cannot be read to its end.
///     TypeError: if keep is something else.
///     ValueError: if the columns are not clear, or an array does not hold cells.
#[pyfunction]
#[pyo3(signature = (path, *, column = None, solution_column = None, keep = None, blank = 0),
    text_signature = "(path, *, column=None, solution_column=None, keep=False, blank=0)")]
pub fn read(
    py: Python<'_>,
    path: PathBuf,
    column: Option<String>,
    solution_column: Option<String>,
    keep: Option<&Bound<'_, PyAny>>,
    blank: i64,
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
///         binary; groups of up to 131,072 rows, zstd; if a column has another type, pyarrow writes the file. Or .npy: uint8 of shape (n, 81), for which rows may also
///         be a list or an array.
///     column: the column for .txt and .npy; the puzzles if None.
///     blank: the value of a blank in a .npy file.
///
/// Returns:
///     int: the number of rows written.
///
/// Raises:
///     OSError: if the file cannot be written.
///     TypeError: if a column of a .csv file is a list or a struct, or if pyarrow is needed and not installed.
///     ValueError: if the name has another ending, or a row of a .npy file is no puzzle.
#[pyfunction]
#[pyo3(signature = (rows, path, *, column = None, blank = 0))]
pub fn write(
    py: Python<'_>,
    rows: &Bound<'_, PyAny>,
    path: PathBuf,
    column: Option<&str>,
    blank: i64,
) -> PyResult<u64> {
    let is_npy = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("npy"));
    if !is_npy && !rows.hasattr("__arrow_c_stream__")? && !rows.hasattr("__arrow_c_array__")? {
        let name = rows.get_type().fully_qualified_name()?;
        let what = format!("{name} is not a table: it has no Arrow PyCapsule interface");
        return Err(PyTypeError::new_err(what));
    }
    files::write(py, rows, &path, column, settings::blank(blank)?)
}
