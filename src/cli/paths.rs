//! The paths of inputs: files, folders, and lists of files.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use bulkdoku::input::foreign::byte_order_mark;
use clap::builder::{OsStringValueParser, TypedValueParser};

use super::identity::{Identity, STDIN};
use super::origin::Origin;
use super::outputs::Destinations;
use super::platform::path_of_bytes;
use super::resume::JournalFile;
use super::{Failure, shown};

/// The inputs of a run, in order, as typed.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct InputPaths {
    /// Files, folders, or puzzles themselves; - or nothing reads standard input
    ///
    /// A puzzle is 81 cells or 729 characters of pencil marks. Files may be compressed: gz or zst. A
    /// folder stands for all files in it and in its folders, in the order of their paths, except
    /// hidden ones and those that the run writes.
    #[arg(value_parser = parser())]
    pub input: Vec<PathBuf>,

    /// Also read the inputs that this file lists; - is standard input
    ///
    /// One path per line, or paths that end with NUL characters, as from find -print0. At most 16 MB
    /// and 1,000,000 paths.
    #[arg(long, value_name = "LIST", help_heading = "Input")]
    files_from: Option<PathBuf>,
}

impl InputPaths {
    /// Returns the named and listed inputs (see [`expand`]).
    pub fn expand(&self, destinations: &Destinations) -> Result<Vec<Origin>, Failure> {
        let mut named = self.input.clone();
        if let Some(list) = &self.files_from {
            if list.as_os_str() == STDIN && named.contains(list) {
                refuse!("standard input (-) can be read only once");
            }
            destinations.refuse_reads(std::slice::from_ref(list))?;
            let listed = read_list(list)?;
            if listed.is_empty() && named.is_empty() {
                return Err(Failure::at(list, "lists no files"));
            }
            named.extend(listed);
        }
        expand(named, destinations)
    }
}

/// Returns named inputs. A folder stands for its files, except the outputs of the run.
pub fn expand(named: Vec<PathBuf>, destinations: &Destinations) -> Result<Vec<Origin>, Failure> {
    let (mut all, mut outputs) = (Vec::new(), None);
    for path in named {
        if !path.is_dir() {
            Origin::add(&mut all, path);
            continue;
        }
        let outputs = outputs.get_or_insert_with(|| destinations.identities());
        let found = files_in(&path, outputs)?;
        if found.is_empty() {
            return Err(Failure::at(&path, "contains no files that can be read"));
        }
        all.extend(found.into_iter().map(Origin::Found));
    }
    Ok(all)
}

/// Returns a parser of paths that are not empty.
pub fn parser() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().try_map(|name| {
        if name.is_empty() { Err("the name is empty") } else { Ok(PathBuf::from(name)) }
    })
}

/// Returns the files in a folder and its folders, sorted by the bytes of their paths, except hidden
/// files, journals, and `outputs`. Links to folders are not followed.
fn files_in(folder: &Path, outputs: &HashSet<Identity>) -> Result<Vec<PathBuf>, Failure> {
    let (mut files, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        let failed = |error: io::Error| Failure::at(&folder, error);
        for entry in fs::read_dir(&folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let (path, kind) = (entry.path(), entry.file_type().map_err(failed)?);
            let is_output = || Identity::of(&path).is_some_and(|path| outputs.contains(&path));
            let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
            if is_hidden || is_output() {
                continue;
            }
            let is_link_to_folder = kind.is_symlink() && path.is_dir();
            if kind.is_dir() && entry.file_name() == "_delta_log" {
                refuse!(
                    "{}: a Delta table, in which files may have removed rows; write its rows to a file \
                     first, such as with polars: scan_delta(FOLDER).sink_parquet(FILE)",
                    shown(&folder)
                );
            }
            if kind.is_dir() {
                folders.push(path);
            } else if !is_link_to_folder && !JournalFile::is_at(&path) {
                // A pipe waits for its writer, so it is named, and a link to nothing is an error.
                if !kind.is_file() && fs::metadata(&path).is_ok_and(|other| !other.is_file()) {
                    return Err(Failure::at(&path, "is not a file; name it, or move it"));
                }
                files.push(path);
            }
        }
    }
    files.sort_by(|a, b| a.as_os_str().as_encoded_bytes().cmp(b.as_os_str().as_encoded_bytes()));
    Ok(files)
}

const MAX_LIST_BYTES: u64 = 16_000_000;
const MAX_LISTED: usize = 1_000_000;

fn read_list(list: &Path) -> Result<Vec<PathBuf>, Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure::at(list, error);
    let mut text = Vec::new();
    let read = match list {
        _ if list.as_os_str() == STDIN => read_limited(io::stdin().lock(), &mut text),
        _ => File::open(list).and_then(|file| read_limited(file, &mut text)),
    };
    read.map_err(|error| failed(&error))?;
    if text.len() as u64 > MAX_LIST_BYTES {
        refuse!("{}: has more than 16 MB, so it is not a list of files", shown(list));
    }
    let mark = byte_order_mark(&text).map_err(|wide| failed(&wide))?;
    let text = &text[mark.unwrap_or_default()..];
    let separator = if text.contains(&0) { 0 } else { b'\n' };
    let mut listed = Vec::new();
    for (number, path) in (1..).zip(text.split(|byte| *byte == separator)) {
        let path = if separator == 0 { path } else { path.strip_suffix(b"\r").unwrap_or(path) };
        if path.is_empty() {
            continue;
        }
        let path = path_of_bytes(path);
        if let Err(error) = fs::metadata(&path) {
            let what = format!("{}: {error}", shown(&path));
            return Err(Failure::Io(format!("{}:{number}: {what}", shown(list))));
        }
        // A listed file may be named - as well.
        listed.push(if path.as_os_str() == STDIN { Path::new(".").join(path) } else { path });
        if listed.len() > MAX_LISTED {
            refuse!("{}: lists more than 1,000,000 files", shown(list));
        }
    }
    Ok(listed)
}

/// Reads to the end, but not much more than a list of files may have.
fn read_limited(from: impl Read, text: &mut Vec<u8>) -> io::Result<()> {
    from.take(MAX_LIST_BYTES + 1).read_to_end(text).map(drop)
}
