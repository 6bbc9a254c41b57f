//! The package `bulkdoku` for Python.
//!
//! | module | what is in it |
//! |---|---|
//! | `rows` | arguments as rows: lists, numpy arrays, Arrow |
//! | `block` | rows as puzzles |
//! | `engines`, `work` | reused engines; threads, signals |
//! | `columns`, `table`, `lists` | results |
//! | `solve`, `stream`, `check`, `make`, `files` | the work |
//! | `functions`, `solver` | the Python interface |

mod block;
mod check;
mod columns;
mod engines;
mod files;
mod functions;
mod lists;
mod make;
mod parquet;
mod progress;
mod reuse;
mod rows;
mod settings;
mod solve;
mod solver;
mod stream;
mod table;
mod work;

/// Solve, check and make sudoku puzzles in bulk: millions of them, as lists, numpy arrays or Arrow.
///
/// Functions take many puzzles and return a `Table`, which numpy, pandas, polars, pyarrow and every library
/// with the Arrow PyCapsule interface can take. The interpreter is released while they work.
#[pyo3::pymodule(name = "bulkdoku")]
mod package {
    #[pymodule_export]
    use crate::functions::{augment, canonical, check, generate, read, solve, solve_stream, write};
    #[pymodule_export]
    use crate::solver::Solver;
    #[pymodule_export]
    use crate::stream::Stream;
    #[pymodule_export]
    use crate::table::Table;

    #[pymodule_init]
    fn init(module: &pyo3::Bound<'_, pyo3::types::PyModule>) -> pyo3::PyResult<()> {
        use pyo3::types::PyModuleMethods;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
