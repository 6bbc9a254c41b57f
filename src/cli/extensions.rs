//! The formats implied by the extensions of outputs.

use std::ffi::OsStr;
use std::path::Path;

use bulkdoku::Compression;
use bulkdoku::features::missing;

use super::{Failure, shown};

const NEED_FEATURES: [&str; 3] = ["gz", "parquet", "zst"];
/// Extensions that imply no format, so any format may be written.
const WITHOUT_FORMAT: [&str; 8] = ["txt", "text", "out", "dat", "data", "log", "tmp", "part"];
/// A longer extension implies no format: `tmp.Xw81LkTq0Z`.
const MAX_BYTES: usize = 9;
/// The suffix of the list in `refused` for outputs that are compressed by name.
pub const COMPRESSED: &str = ", and .gz or .zst after it";

/// Returns the extension of a name that implies a format, in lowercase, ignoring a compression
/// extension. Returns `None` if the name implies no format.
pub fn of(path: &Path) -> Option<String> {
    let extension = any_of(path)?;
    let is_format = extension.len() <= MAX_BYTES
        && extension.contains(|c: char| c.is_alphabetic())
        && !WITHOUT_FORMAT.contains(&extension.as_str());
    is_format.then_some(extension)
}

/// Returns the extension of a name in lowercase, ignoring a compression extension.
fn any_of(path: &Path) -> Option<String> {
    let name = match Compression::of_name(path) {
        Some(_) => Path::new(path.file_stem()?),
        None => path,
    };
    Some(name.extension().and_then(OsStr::to_str)?.to_lowercase())
}

pub fn is_txt(path: &Path) -> bool {
    any_of(path).as_deref() == Some("txt")
}

/// Rejects a URL, and a name that implies a format missing from this build.
pub fn check(path: &Path) -> Result<(), Failure> {
    if let Some((scheme, _)) = path.to_str().and_then(|name| name.split_once("://"))
        && !path.parent().is_some_and(Path::exists)
    {
        refuse!("{}: {scheme}:// is not written; pipe standard output", shown(path));
    }
    let last = path.extension().and_then(OsStr::to_str).map(str::to_lowercase);
    for extension in [last, of(path)].into_iter().flatten() {
        if NEED_FEATURES.contains(&extension.as_str())
            && let Some(lacks) = missing(&extension)
        {
            refuse!("{}: {lacks}", shown(path));
        }
    }
    Ok(())
}

/// Rejects a name of the output `what`, which is never compressed, unless its extension is one of
/// these or implies no format.
pub fn check_one_of(path: &Path, what: &str, known: &[&str]) -> Result<(), Failure> {
    let compression = Compression::of_name(path).map(|it| it.name().to_owned());
    let other = of(path).filter(|extension| !known.contains(&&**extension));
    match compression.or(other) {
        Some(extension) => Err(refused(path, &extension, what, known, "")),
        None => check(path),
    }
}

/// Rejects a name whose extension does not match the output `what`; `known` lists valid ones.
pub fn refused(path: &Path, extension: &str, what: &str, known: &[&str], hint: &str) -> Failure {
    let list = |extensions: &[&str]| {
        extensions.iter().map(|extension| format!(".{extension}")).collect::<Vec<_>>().join(", ")
    };
    let (name, known, general) = (shown(path), list(known), list(&WITHOUT_FORMAT));
    Failure::Usage(format!(
        "{name}: {what} cannot be written as .{extension}; the extension may be {known}, or one \
         that names no format ({general}){hint}"
    ))
}
