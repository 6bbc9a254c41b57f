//! Unnamed temporary files, whose errors name the folder.

use std::env;
use std::fs::File;
use std::io::{self, BufWriter, Write};

/// A temporary file that is being written.
#[derive(Debug)]
pub(crate) struct TemporaryFile(File);

impl TemporaryFile {
    /// Creates an empty file in the folder that `TMPDIR` names.
    pub fn create() -> io::Result<BufWriter<Self>> {
        tempfile::tempfile().map(|file| BufWriter::new(Self(file))).map_err(in_folder)
    }

    /// Writes what is buffered, and returns the file.
    pub fn finish(out: BufWriter<Self>) -> io::Result<File> {
        Ok(out.into_inner()?.0)
    }
}

impl Write for TemporaryFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).map_err(in_folder)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Adds the folder to an error of a temporary file.
#[expect(clippy::needless_pass_by_value, reason = "it is passed to `map_err`")]
pub(crate) fn in_folder(error: io::Error) -> io::Error {
    let folder = env::temp_dir();
    let what = format!("temporary file in {} (TMPDIR names the folder): {error}", folder.display());
    io::Error::new(error.kind(), what)
}
