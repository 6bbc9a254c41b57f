//! Features that released binaries have and smaller builds lack.

/// Describes a missing feature, and how to install the command with all of them.
macro_rules! lacks {
    ($feature:literal) => {
        concat!(
            "this build lacks the feature ",
            $feature,
            "; install all of them: cargo install --path . --features full"
        )
    };
}
pub(crate) use lacks;

/// Describes the missing feature of a build without completion scripts.
pub const LACKS_COMPLETIONS: &str = lacks!("completions");

/// Describes the feature that this build lacks for a codec or a file extension.
pub fn missing(name: &str) -> Option<&'static str> {
    match name {
        "gz" if !cfg!(feature = "gzip") => Some(lacks!("gzip")),
        "zst" if !cfg!(feature = "zstd") => Some(lacks!("zstd")),
        "parquet" if !cfg!(feature = "parquet") => Some(lacks!("parquet")),
        _ => None,
    }
}
