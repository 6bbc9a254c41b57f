//! Detects the keys of puzzles, solutions, and kept values in JSON objects.

use super::sample::{is_grid, is_puzzle};
use super::{
    Answers, ColumnNames, DetectError, InputFormat, InputOptions, Keep, Undecided, column_of,
};
use crate::input::json::{Objects, cells_of, entries};
use crate::input::lines::first_end;
use crate::input::{Layout, names};

type JsonEntries<'a> = [(String, &'a str)];

impl InputOptions {
    pub(super) fn starts_with_object(&self, text: &[u8], is_all: bool) -> Result<bool, Undecided> {
        if self.format != InputFormat::Auto || self.delimiter.is_some() || self.no_header {
            return Ok(false);
        }
        let text = text.trim_ascii_start();
        let Some(rest) = text.strip_prefix(b"{") else { return Ok(false) };
        let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        match rest.get(blanks) {
            Some(next) => Ok(matches!(next, b'"' | b'}')),
            None if is_all => Ok(false),
            None => Err(Undecided::NotYet),
        }
    }

    /// Detects the keys from the first object. `is_end` is true if the last line is complete.
    pub(super) fn json(
        &self,
        mut text: &[u8],
        is_all: bool,
        is_end: bool,
    ) -> Result<Layout, Undecided> {
        while !text.is_empty() {
            let end = first_end(text);
            if end.is_none() && !is_end {
                break;
            }
            let (line, rest) = text.split_at(end.unwrap_or(text.len()));
            if let Some(entries) = entries(line) {
                return Ok(self.of_object(&entries)?);
            }
            if let Some(b'[' | b'"') = line.trim_ascii_start().first() {
                return Ok(self.of_values()?);
            }
            text = rest;
        }
        if !is_all {
            return Err(Undecided::NotYet);
        }
        // Without any object, each line is reported as malformed.
        let puzzle = Some(self.column.clone().unwrap_or_else(|| names::PUZZLES[0].into()));
        let answer = match &self.answers {
            Answers::Unwanted => None,
            Answers::Wanted | Answers::IfAny => Some(names::SOLUTIONS[0].into()),
            Answers::Column(name) => Some(name.clone()),
        };
        let kept = match &self.keep {
            Some(Keep::All | Keep::Row) => Vec::new(),
            Some(Keep::Only(names)) => [&names[..], &self.also_read].concat(),
            None => self.also_read.clone(),
        };
        let keeps_all = self.keep == Some(Keep::All);
        Ok(Layout::Jsonl(Objects::new(puzzle, answer, kept, keeps_all).into()))
    }

    /// Returns the layout in which each line is a puzzle.
    fn of_values(&self) -> Result<Layout, DetectError> {
        let keep = match &self.keep {
            Some(Keep::Only(names)) => names.first(),
            _ => None,
        };
        if let Some(name) = self.column.as_ref().or(keep) {
            let columns = ColumnNames(vec!["none, each line is a puzzle".into()]);
            return Err(DetectError::NoColumn { name: name.clone(), columns });
        }
        Ok(Layout::Jsonl(Objects::default().into()))
    }

    fn of_object(&self, entries: &JsonEntries<'_>) -> Result<Layout, DetectError> {
        let keys = keys(entries);
        let puzzle = match &self.column {
            Some(name) => column_of(&keys, name)?,
            None => puzzle_key(entries, &keys)?,
        };
        let answer = match &self.answers {
            Answers::Unwanted => None,
            Answers::Wanted | Answers::IfAny => Some(answer_key(entries, &keys, puzzle)?),
            Answers::Column(name) => Some(column_of(&keys, name)?),
        };
        if answer == Some(puzzle) {
            return Err(DetectError::SameColumn(keys[puzzle].into()));
        }
        let name = |key: usize| keys[key].to_owned();
        let kept = self.kept(&keys, puzzle, answer)?.into_iter().map(name).collect();
        let (puzzle, answer) = (Some(name(puzzle)), answer.map(name));
        let keeps_all = self.keep == Some(Keep::All);
        Ok(Layout::Jsonl(Objects::new(puzzle, answer, kept, keeps_all).into()))
    }
}

fn keys<'a>(entries: &'a JsonEntries<'_>) -> Vec<&'a str> {
    let mut keys = Vec::new();
    for (key, _) in entries {
        if !keys.contains(&key.as_str()) {
            keys.push(key);
        }
    }
    keys
}

/// Returns the keys whose values are cells that satisfy `is`.
fn shaped(entries: &JsonEntries<'_>, keys: &[&str], is: fn(&[u8]) -> bool) -> Vec<usize> {
    let holds = |value: &str| cells_of(value).is_some_and(|cells| is(&cells));
    let found = entries.iter().filter(|(_, value)| holds(value));
    found.filter_map(|(key, _)| keys.iter().position(|known| known == key)).collect()
}

/// Returns the key with a known name for puzzles, or whose value is a puzzle.
fn puzzle_key(entries: &JsonEntries<'_>, keys: &[&str]) -> Result<usize, DetectError> {
    let is_named = |key: &usize| names::is_puzzles(keys[*key].as_bytes());
    let mut found: Vec<_> = (0..keys.len()).filter(is_named).collect();
    if found.is_empty() {
        found = shaped(entries, keys, is_puzzle);
    }
    let columns = ColumnNames::quoted(keys);
    match found[..] {
        [one] => Ok(one),
        [] => Err(DetectError::NoPuzzles(columns)),
        _ => Err(DetectError::Several { which: columns.only(&found), columns }),
    }
}

/// Returns the key with a known name for solutions, or whose value is a solution.
fn answer_key(
    entries: &JsonEntries<'_>,
    keys: &[&str],
    puzzle: usize,
) -> Result<usize, DetectError> {
    let others = (0..keys.len()).filter(|&key| key != puzzle);
    let named = others.filter_map(|key| Some((names::solutions(keys[key])?, keys[key], key)));
    let named = named.min().map(|(.., key)| key);
    named
        .or_else(|| shaped(entries, keys, is_grid).into_iter().find(|&key| key != puzzle))
        .ok_or_else(|| DetectError::NoSolutions(ColumnNames::quoted(keys)))
}
