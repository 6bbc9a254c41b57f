//! The paths of inputs: files, folders, patterns, and lists of files.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read};
use std::ops::Deref;
use std::path::{Component, Path, PathBuf};

use bulkdoku::input::foreign::byte_order_mark;

use super::identity::{Identity, STDIN};
use super::origin::looks_like_puzzle;
use super::outputs::Destinations;
use super::platform::path_of_bytes;
use super::resume::JournalFile;
use super::row_args::RowPlan;
use super::{Failure, extensions};

/// The inputs of a run, in order. [`Self::expand`] replaces folders, patterns, and lists by files.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct InputPaths {
    /// Files, folders, or puzzles themselves; - or nothing reads standard input
    ///
    /// A puzzle is 81 cells or 729 characters of pencil marks. Files may be compressed: gz, zst,
    /// xz, bz2, lz4 or zlib. A folder stands for all files in it and in its folders, in the order
    /// of their paths, except hidden ones and those that the run writes. In the name of a file that
    /// does not exist, * and ? stand for any characters.
    input: Vec<PathBuf>,

    /// Also read the inputs that this file lists; - is standard input
    ///
    /// One path per line, or paths that end with NUL characters, as from find -print0.
    #[arg(long, value_name = "LIST", help_heading = "Input")]
    files_from: Option<PathBuf>,

    /// The number of components of the folder in which each input was found; 0 if it was named.
    #[arg(skip)]
    folders: Vec<usize>,
}

impl From<Vec<PathBuf>> for InputPaths {
    fn from(input: Vec<PathBuf>) -> Self {
        let folders = vec![0; input.len()];
        Self { input, files_from: None, folders }
    }
}

impl Deref for InputPaths {
    type Target = [PathBuf];

    fn deref(&self) -> &[PathBuf] {
        &self.input
    }
}

impl InputPaths {
    /// Returns the paths, each with whether it was found in a folder.
    pub fn into_paths(self) -> impl Iterator<Item = (PathBuf, bool)> {
        self.input.into_iter().zip(self.folders.into_iter().map(|components| components > 0))
    }

    /// Replaces folders, patterns, and the list by files, and names the output of each if each has
    /// one. The outputs of the run are not among those found in folders.
    pub fn expand(&mut self, destinations: &mut Destinations) -> Result<(), Failure> {
        let mut named = Vec::new();
        for path in std::mem::take(&mut self.input) {
            match matches(&path)? {
                Some(matching) => named.extend(matching),
                None => named.push(path),
            }
        }
        if let Some(list) = self.files_from.take() {
            if list.as_os_str() == STDIN && named.contains(&list) {
                refuse!("standard input (-) can be read only once");
            }
            destinations.refuse_reads(std::slice::from_ref(&list))?;
            let listed = read_list(&list)?;
            if listed.is_empty() && named.is_empty() {
                return Err(Failure::at(&list, "lists no files"));
            }
            named.extend(listed);
        }
        let mut outputs = None;
        for path in named {
            if !path.is_dir() {
                self.input.push(path);
                self.folders.push(0);
                continue;
            }
            let outputs = outputs.get_or_insert_with(|| destinations.identities());
            let found = files_in(&path, outputs)?;
            if found.is_empty() {
                return Err(Failure::at(&path, "contains no files that can be read"));
            }
            self.folders.resize(self.folders.len() + found.len(), path.components().count());
            self.input.extend(found);
        }
        if let (Some(extension), Some(folder)) = (&destinations.per_input, &destinations.output) {
            destinations.of_inputs = self.outputs(folder, extension)?;
        }
        Ok(())
    }
}

/// One output for each input.
#[derive(Clone, Debug, clap::Args)]
pub struct OutputDirArgs {
    /// Write one output for each input, in this folder
    ///
    /// Its name is that of the input, relative to the folder that was named, with the extension of
    /// the format. Such a run is resumed as a whole.
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    output_dir: Option<PathBuf>,
}

impl OutputDirArgs {
    /// Names the folder of the outputs, if each input has one.
    pub fn plan(&self, rows: &mut RowPlan, destinations: &mut Destinations) -> Result<(), Failure> {
        let Some(folder) = &self.output_dir else { return Ok(()) };
        if folder.is_file() {
            refuse!("--output-dir {}: is a file; name a folder", folder.display());
        }
        rows.write_per_input();
        destinations.output = Some(folder.components().collect());
        destinations.per_input = Some(rows.format.name());
        Ok(())
    }
}

impl InputPaths {
    /// Returns the output of each input in a folder.
    fn outputs(&self, folder: &Path, extension: &str) -> Result<Vec<PathBuf>, Failure> {
        let mut inputs = HashMap::new();
        let output = |(input, depth): (&PathBuf, &usize)| {
            if !input.is_file() {
                refuse!("--output-dir: {} is not a file", input.display());
            }
            let is_name = |component: &Component<'_>| matches!(component, Component::Normal(_));
            let mut name: PathBuf = input.components().skip(*depth).filter(is_name).collect();
            if extensions::of(&name).is_some_and(|end| COMPRESSED.contains(&end.as_str())) {
                name.set_extension("");
            }
            name.set_extension(extension);
            let output = folder.join(name);
            if let Some(other) = inputs.insert(output.clone(), input.clone()) {
                let (input, other) = (input.display(), other.display());
                refuse!("{}: would be the output of {other} and of {input}", output.display());
            }
            Ok(output)
        };
        if self.input.is_empty() {
            refuse!("--output-dir needs inputs that are files");
        }
        self.input.iter().zip(&self.folders).map(output).collect()
    }
}

/// The extensions of compressed inputs.
const COMPRESSED: [&str; 7] = ["gz", "zst", "xz", "bz2", "lz4", "zlib", "zz"];

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
            if is_hidden(&entry.file_name()) || is_output() {
                continue;
            }
            let is_file = || kind.is_file() || kind.is_symlink() && path.is_file();
            if kind.is_dir() {
                folders.push(path);
            } else if is_file() && !JournalFile::is_at(&path) {
                files.push(path);
            }
        }
    }
    files.sort_by(|a, b| bytes(a.as_os_str()).cmp(bytes(b.as_os_str())));
    Ok(files)
}

fn bytes(text: &OsStr) -> &[u8] {
    text.as_encoded_bytes()
}

fn is_hidden(name: &OsStr) -> bool {
    bytes(name).starts_with(b".")
}

/// Returns the paths that match a pattern, sorted; `None` if the argument is not a pattern, exists,
/// or is a puzzle, in which `*` and `?` are blank cells.
fn matches(argument: &Path) -> Result<Option<Vec<PathBuf>>, Failure> {
    let has_wildcard = |text: &OsStr| bytes(text).iter().any(|byte| matches!(byte, b'*' | b'?'));
    let is_pattern = has_wildcard(argument.as_os_str()) && !looks_like_puzzle(argument);
    if !is_pattern || argument.symlink_metadata().is_ok() {
        return Ok(None);
    }
    let mut found = vec![PathBuf::new()];
    for component in argument.components() {
        let Component::Normal(pattern) = component else {
            found.iter_mut().for_each(|path| path.push(component));
            continue;
        };
        if !has_wildcard(pattern) {
            found.iter_mut().for_each(|path| path.push(pattern));
            found.retain(|path| path.exists());
            continue;
        }
        let mut longer = Vec::new();
        for path in found {
            let folder = if path.as_os_str().is_empty() { Path::new(".") } else { &path };
            // A pattern may also match files before its last component.
            let entries = fs::read_dir(folder).into_iter().flatten().flatten();
            let names = entries.map(|entry| entry.file_name()).filter(|name| {
                (is_hidden(pattern) || !is_hidden(name)) && fits(bytes(pattern), bytes(name))
            });
            longer.extend(names.map(|name| path.join(name)));
        }
        found = longer;
    }
    if found.is_empty() {
        return Err(Failure::at(argument, "no such file, and no file matches"));
    }
    found.sort_by(|a, b| bytes(a.as_os_str()).cmp(bytes(b.as_os_str())));
    Ok(Some(found))
}

/// Returns whether a name matches a pattern, in which `*` stands for any text and `?` for one
/// character.
fn fits(pattern: &[u8], name: &[u8]) -> bool {
    let (mut at, mut from) = ((0, 0), None);
    while at.1 < name.len() {
        match pattern.get(at.0) {
            Some(b'*') => {
                from = Some(at);
                at.0 += 1;
            }
            Some(b'?') => {
                // The other bytes of a character in UTF-8 are 0x80 to 0xBF.
                let rest = &name[at.1 + 1..];
                let others = rest.iter().take_while(|byte| (0x80..0xC0).contains(*byte)).count();
                at = (at.0 + 1, at.1 + 1 + others);
            }
            Some(byte) if *byte == name[at.1] => at = (at.0 + 1, at.1 + 1),
            _ => match &mut from {
                // The last * stands for one more byte.
                Some((star, start)) => {
                    *start += 1;
                    at = (*star + 1, *start);
                }
                None => return false,
            },
        }
    }
    pattern[at.0..].iter().all(|byte| *byte == b'*')
}

/// Reads a list of files.
fn read_list(list: &Path) -> Result<Vec<PathBuf>, Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure::at(list, error);
    let mut text = Vec::new();
    let read = match list {
        _ if list.as_os_str() == STDIN => io::stdin().lock().read_to_end(&mut text).map(drop),
        _ => fs::read(list).map(|read| text = read),
    };
    read.map_err(|error| failed(&error))?;
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
            let what = format!("{}: {error}", path.display());
            return Err(Failure::Io(format!("{}:{number}: {what}", list.display())));
        }
        // A listed file may be named - as well.
        listed.push(if path.as_os_str() == STDIN { Path::new(".").join(path) } else { path });
    }
    Ok(listed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards_stand_for_any_characters() {
        let fits = |pattern: &str, name: &str| fits(pattern.as_bytes(), name.as_bytes());
        for (pattern, name) in [
            ("*", ""),
            ("*.txt", "a.txt"),
            ("*.txt", ".txt.txt"),
            ("a*b*c", "a-b-b-c"),
            ("?.txt", "é.txt"),
            ("???", "añb"),
            ("**", "x"),
            ("a*", "a"),
        ] {
            assert!(fits(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in
            [("*.txt", "a.txt.gz"), ("?", ""), ("?", "ab"), ("a*b", "ac"), ("", "a"), ("ab", "a")]
        {
            assert!(!fits(pattern, name), "{pattern} {name}");
        }
    }
}
