//! The package `bulkdoku` for Python.
//!
//! | module | contents |
//! |---|---|
//! | `given`, `arrow` | arguments as rows that threads read without the interpreter |
//! | `calls` | jobs of the library on these rows |
//! | `engines` | reused engines |
//! | `watch` | signals and progress while a call works |
//! | `sheet`, `reuse` | results as columns of record batches |
//! | `table`, `lists` | results as Python objects |
//! | `make` | generated puzzles: tables and endless streams |
//! | `frames`, `sets` | selecting rows of the caller; duplicates, overlaps, parts, samples |
//! | `stream`, `scan`, `files`, `parquet` | lazy streams; reading and writing files |
//! | `functions`, `solver`, `settings` | the Python interface |

mod arrow;
mod calls;
mod engines;
mod files;
mod frames;
mod functions;
mod given;
mod lists;
mod make;
mod parquet;
mod reuse;
mod scan;
mod sets;
mod settings;
mod sheet;
mod solver;
mod stream;
mod table;
mod watch;

/// Solve, check and make sudoku puzzles in bulk: millions of them, as lists, numpy arrays or Arrow.
///
/// Functions take many puzzles and return a `Table`, which numpy, pandas, polars, pyarrow and every library
/// with the Arrow PyCapsule interface can take. The interpreter is released while they work.
#[pyo3::pymodule(name = "bulkdoku")]
mod package {
    #[pymodule_export]
    use crate::functions::{augment, canonical, check, read, score, solve, solve_stream, write};
    #[pymodule_export]
    use crate::make::{PuzzleStream, generate, stream};
    #[pymodule_export]
    use crate::scan::scan;
    #[pymodule_export]
    use crate::sets::{dedup, overlap, sample, split};
    #[pymodule_export]
    use crate::solver::Solver;
    #[pymodule_export]
    use crate::stream::Stream;
    #[pymodule_export]
    use crate::table::Table;

    #[pymodule_init]
    fn init(module: &pyo3::Bound<'_, pyo3::types::PyModule>) -> pyo3::PyResult<()> {
        use pyo3::PyTypeInfo;
        use pyo3::types::PyModuleMethods;
        // Otherwise the first use imports it and its functions, and a pending Ctrl-C is a panic.
        module.py().import("numpy")?;
        numpy::PyUntypedArray::type_object(module.py());
        crate::watch::remember_main_thread(module.py())?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
