//! The extension `bulkdoku._core` of the package for Python: Arrow in, a job of the library, Arrow out.
//!
//! The crate `bulkdoku-arrow` reads rows of arrays, and creates record batches of results.
//! All that is argument handling, defaults, conversion, and dispatch is Python, in `python/bulkdoku`.
//!
//! | module | contents |
//! |---|---|
//! | `rows` | arguments as rows that threads read without the interpreter |
//! | `jobs`, `generate`, `sets` | jobs of the library on these rows |
//! | `paths` | the steps of a puzzle |
//! | `engines` | reused engines |
//! | `watch` | signals and progress while a call works |
//! | `batches` | record batches, and their conversion |

// Functions for Python take what Python passes, and their documentation is text for Python.
#![allow(
    missing_docs,
    clippy::cast_possible_wrap,
    clippy::doc_link_with_quotes,
    clippy::doc_markdown,
    clippy::needless_pass_by_value,
    clippy::too_many_arguments
)]

mod batches;
mod engines;
mod generate;
mod jobs;
mod paths;
mod rows;
mod sets;
mod watch;

/// What `python/bulkdoku` calls.
#[pyo3::pymodule(name = "_core", gil_used = false)]
mod package {
    #[pymodule_export]
    use crate::batches::Batches;
    #[pymodule_export]
    use crate::generate::{Made, generate};
    #[pymodule_export]
    use crate::jobs::{Output, Search, augment, check, classify, offered, solve, trace};
    #[pymodule_export]
    use crate::paths::explained;
    #[pymodule_export]
    use crate::rows::{Rows, find_column};
    #[pymodule_export]
    use crate::sets::{distinct, split};

    #[pymodule_init]
    fn init(module: &pyo3::Bound<'_, pyo3::types::PyModule>) -> pyo3::PyResult<()> {
        use pyo3::types::PyModuleMethods;
        crate::watch::remember_main_thread(module.py())?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
