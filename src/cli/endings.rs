//! What the name of an output says about how it is written.

use std::ffi::OsStr;
use std::path::Path;

use bulkdoku::Compression;

use super::Failure;
use super::outputs::Destinations;

/// Endings that name no format: such a file takes whatever is written.
const GENERAL: [&str; 8] = ["txt", "text", "out", "dat", "data", "log", "tmp", "part"];
/// A longer ending is not that of a format: `tmp.Xw81LkTq0Z`.
const LONGEST: usize = 9;

/// The ending of a name that promises a format, in lower case; one for compression before it is
/// looked through. `None` if the name promises nothing.
pub fn of(path: &Path) -> Option<String> {
    let name = match Compression::of_name(path) {
        Some(_) => Path::new(path.file_stem()?),
        None => path,
    };
    let ending = name.extension().and_then(OsStr::to_str)?.to_lowercase();
    let is_format = ending.len() <= LONGEST
        && ending.contains(|c: char| c.is_alphabetic())
        && !GENERAL.contains(&ending.as_str());
    is_format.then_some(ending)
}

/// Refuses a name whose ending is none of `known`. `what` is written there, `hint` says what else
/// would do.
pub fn check(path: &Path, what: &str, known: &[&str], hint: &str) -> Result<(), Failure> {
    match of(path) {
        Some(ending) if !known.contains(&ending.as_str()) => {
            Err(refused(path, &ending, what, known, hint))
        }
        _ => Ok(()),
    }
}

/// Says that the ending of a name is not one of those that are `known`.
pub fn refused(path: &Path, ending: &str, what: &str, known: &[&str], hint: &str) -> Failure {
    let list = |endings: &[&str]| {
        endings.iter().map(|ending| format!(".{ending}")).collect::<Vec<_>>().join(", ")
    };
    let (name, known, general) = (path.display(), list(known), list(&GENERAL));
    Failure::Usage(format!(
        "{name}: {what} cannot be written as .{ending}; the ending may be {known}, one that names no \
         format ({general}){hint}"
    ))
}

/// What `refused` says about outputs that are compressed by name.
pub const COMPRESSED: &str = ", and .gz or .zst behind it";

/// Refuses names of side outputs that promise what is not written to them.
pub fn check_sides(destinations: &Destinations) -> Result<(), Failure> {
    let sides = [
        ("--latency", &destinations.latency, &["csv", "hgrm", "hlog"][..]),
        ("--errors", &destinations.errors, &["err", "errors"]),
        ("--summary-json", &destinations.summary_json, &["json"]),
        ("--report", &destinations.report, &["html", "htm"]),
    ];
    for (flag, path, known) in sides {
        let Some(path) = path else { continue };
        let Some(compression) = Compression::of_name(path) else {
            check(path, &format!("what {flag} says"), known, "")?;
            continue;
        };
        let (name, ending) = (path.display(), compression.name());
        let plain = path.with_extension("");
        let hint = "is never compressed, only rows are";
        return Err(Failure::Usage(format!(
            "{flag} {name}: what is written there {hint}; leave out .{ending}: {}",
            plain.display()
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ending_promises_a_format_or_nothing() {
        for (name, ending) in [
            ("a.csv", Some("csv")),
            ("a.CSV.gz", Some("csv")),
            ("a.csv.GZ", Some("csv")),
            ("a.csv.xz", Some("xz")),
            ("a.gz.gz", Some("gz")),
            ("x.y/a.parquet", Some("parquet")),
            ("a.7z", Some("7z")),
            ("a.txt", None),
            ("a.out.zst", None),
            ("a", None),
            ("x.parquet/a", None),
            (".csv", None),
            ("a.gz", None),
            ("run.2026-11-22", None),
            ("tmp.Xw81LkTq0Z", None),
            ("/dev/null", None),
        ] {
            assert_eq!(of(Path::new(name)).as_deref(), ending, "{name}");
        }
    }
}
