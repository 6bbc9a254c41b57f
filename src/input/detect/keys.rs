//! Which keys of JSON objects hold the puzzles, which their solutions, and which are kept.

use std::sync::Arc;

use super::sample::{is_grid, is_puzzle};
use super::{Answers, Columns, DetectError, InputFormat, InputOptions, Keep};
use crate::input::json::{Objects, cells_of, entries};
use crate::input::lines::first_end;
use crate::input::{Layout, names};

/// An object's keys and their values.
type Entries<'a> = [(String, &'a str)];

impl InputOptions {
    /// Whether a text that starts like this is one of objects; `None` if that cannot be told yet.
    pub(super) fn starts_with_object(&self, text: &[u8], is_all: bool) -> Option<bool> {
        if self.format != InputFormat::Auto || self.delimiter.is_some() || self.no_header {
            return Some(false);
        }
        let text = text.trim_ascii_start();
        let Some(rest) = text.strip_prefix(b"{") else { return Some(false) };
        let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        match rest.get(blanks) {
            Some(next) => Some(matches!(next, b'"' | b'}')),
            None if is_all => Some(false),
            None => None,
        }
    }

    /// Finds the keys in the first object; `None` if it is not there yet. `is_end` says that the
    /// last line is whole.
    pub(super) fn json(
        &self,
        mut text: &[u8],
        is_all: bool,
        is_end: bool,
    ) -> Result<Option<Layout>, DetectError> {
        while !text.is_empty() {
            let end = first_end(text);
            if end.is_none() && !is_end {
                break;
            }
            let (line, rest) = text.split_at(end.unwrap_or(text.len()));
            if let Some(entries) = entries(line) {
                return self.of_object(&entries).map(Some);
            }
            if let Some(b'[' | b'"') = line.trim_ascii_start().first() {
                return self.of_values().map(Some);
            }
            text = rest;
        }
        if !is_all {
            return Ok(None);
        }
        // There is no object at all: each line says what is wrong with it.
        let puzzle = Some(self.column.clone().unwrap_or_else(|| names::PUZZLES[0].into()));
        let answer = match &self.answers {
            Answers::Unwanted => None,
            Answers::Wanted | Answers::IfAny => Some(names::SOLUTIONS[0].into()),
            Answers::Column(name) => Some(name.clone()),
        };
        let kept = match &self.keep {
            Some(Keep::Only(names)) => names.clone(),
            _ => Vec::new(),
        };
        let keeps_all = self.keep == Some(Keep::All);
        Ok(Some(Layout::Jsonl(Arc::new(Objects { puzzle, answer, kept, keeps_all }))))
    }

    /// Each line is a puzzle.
    fn of_values(&self) -> Result<Layout, DetectError> {
        let none = || Columns(vec!["none, each line is a puzzle".into()]);
        let keep = match &self.keep {
            Some(Keep::Only(names)) => names.first(),
            _ => None,
        };
        if let Some(name) = self.column.as_ref().or(keep) {
            return Err(DetectError::NoColumn { name: name.clone(), columns: none() });
        }
        let objects = Objects { puzzle: None, answer: None, kept: Vec::new(), keeps_all: false };
        Ok(Layout::Jsonl(Arc::new(objects)))
    }

    fn of_object(&self, entries: &Entries<'_>) -> Result<Layout, DetectError> {
        let puzzle = match &self.column {
            Some(name) => find(name, entries)?,
            None => puzzle_key(entries)?,
        };
        let answer = match &self.answers {
            Answers::Unwanted => None,
            Answers::Wanted | Answers::IfAny => Some(answer_key(entries, puzzle)?),
            Answers::Column(name) => Some(find(name, entries)?),
        };
        if answer == Some(puzzle) {
            return Err(DetectError::SameColumn(puzzle.into()));
        }
        let kept = match &self.keep {
            None => Vec::new(),
            Some(Keep::All) => {
                let is_other = |key: &&str| *key != puzzle && Some(*key) != answer;
                keys(entries).filter(is_other).map(String::from).collect()
            }
            Some(Keep::Only(names)) => {
                let found = names.iter().map(|name| find(name, entries).map(String::from));
                found.collect::<Result<_, _>>()?
            }
        };
        let (puzzle, answer) = (Some(puzzle.into()), answer.map(String::from));
        let keeps_all = self.keep == Some(Keep::All);
        Ok(Layout::Jsonl(Arc::new(Objects { puzzle, answer, kept, keeps_all })))
    }
}

/// Each key once.
fn keys<'a>(entries: &'a Entries<'_>) -> impl Iterator<Item = &'a str> {
    let is_first = |(i, (key, _)): &(usize, &(String, &str))| {
        entries[..*i].iter().all(|(other, _)| other != key)
    };
    entries.iter().enumerate().filter(is_first).map(|(_, (key, _))| key.as_str())
}

fn columns(entries: &Entries<'_>) -> Columns {
    Columns(keys(entries).map(|key| format!("{key:?}")).collect())
}

/// The key of this name, or number from 1.
fn find<'a>(name: &str, entries: &'a Entries<'_>) -> Result<&'a str, DetectError> {
    let mut all = keys(entries);
    let named = keys(entries).find(|key| *key == name);
    let named = named.or_else(|| keys(entries).find(|key| key.eq_ignore_ascii_case(name)));
    let number = || all.nth(name.parse::<usize>().ok()?.checked_sub(1)?);
    named
        .or_else(number)
        .ok_or_else(|| DetectError::NoColumn { name: name.into(), columns: columns(entries) })
}

/// The keys whose values are cells of which this holds.
fn shaped<'a>(entries: &'a Entries<'_>, is: fn(&[u8]) -> bool) -> Vec<&'a str> {
    let holds = |value: &str| cells_of(value).is_some_and(|cells| is(&cells));
    entries.iter().filter(|(_, value)| holds(value)).map(|(key, _)| key.as_str()).collect()
}

/// The key whose name says that it holds puzzles, or whose value does.
fn puzzle_key<'a>(entries: &'a Entries<'_>) -> Result<&'a str, DetectError> {
    let named: Vec<_> = keys(entries).filter(|key| names::is_puzzles(key.as_bytes())).collect();
    let found = if named.is_empty() { shaped(entries, is_puzzle) } else { named };
    match found[..] {
        [one] => Ok(one),
        [] => Err(DetectError::NoPuzzles(columns(entries))),
        _ => Err(DetectError::Several {
            which: Columns(found.iter().map(|key| format!("{key:?}")).collect()),
            columns: columns(entries),
        }),
    }
}

/// The key whose name says that it holds solutions, or whose value does.
fn answer_key<'a>(entries: &'a Entries<'_>, puzzle: &str) -> Result<&'a str, DetectError> {
    let others = || keys(entries).filter(|key| *key != puzzle);
    let named = others().filter_map(|key| Some((names::solutions(key)?, key))).min();
    let found = named.map(|(_, key)| key);
    found
        .or_else(|| shaped(entries, is_grid).into_iter().find(|key| *key != puzzle))
        .ok_or_else(|| DetectError::NoSolutions(columns(entries)))
}
