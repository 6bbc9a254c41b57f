//! Detects the keys of puzzles, solutions, and kept values in JSON objects.

use super::error::{quoted, several};
use super::sample::{cannot_be_puzzle, is_grid, is_puzzle, is_word};
use super::{
    Answers, DetectError, InputFormat, InputOptions, Keep, Undecided, column_of, keep_only,
};
use crate::input::json::{self, Objects, cells_of, entries};
use crate::input::lines::first_end;
use crate::input::{Layout, names};

impl InputOptions {
    /// Returns whether the options do not require a table of fields.
    pub(super) fn may_be_json(&self) -> bool {
        self.format == InputFormat::Auto && self.delimiter.is_none() && !self.no_header
    }

    /// Returns the layout of one array with all records, or `None` if the text is not one.
    pub(super) fn json_document(
        &self,
        text: &[u8],
        is_all: bool,
    ) -> Result<Option<Layout>, Undecided> {
        if json::is_empty_array(text) && is_all {
            let objects = self.usual_keys(&[]).of_document(b"");
            return Ok(Some(Layout::Jsonl(objects.into())));
        }
        let Ok(start) = json::document_start(text) else {
            return if is_all { Ok(None) } else { Err(Undecided::NotYet) };
        };
        let Some(start) = start else { return Ok(None) };
        let (element, layout) = match json::first_element(text, start) {
            None if !is_all => return Err(Undecided::NotYet),
            None => {
                let begin = &text[start..];
                (begin, self.of_start(begin))
            }
            Some(element) => match entries(element) {
                Some(entries) => (element, self.of_object(&entries)?),
                None => (element, self.of_values()?),
            },
        };
        let Layout::Jsonl(objects) = layout else { return Ok(None) };
        let objects = Objects::clone(&objects).of_document(element);
        Ok(Some(Layout::Jsonl(objects.into())))
    }

    pub(super) fn starts_with_object(&self, text: &[u8], is_all: bool) -> Result<bool, Undecided> {
        if !self.may_be_json() {
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
        // The first object may be longer than the bytes for detection. Without any object, each line
        // is reported as malformed.
        Ok(self.of_start(text))
    }

    /// Returns the layout of objects of which only the start of the first one is known.
    fn of_start(&self, text: &[u8]) -> Layout {
        let entries = json::first_entries(text);
        let usual = || Layout::Jsonl(self.usual_keys(&entries).into());
        let layout = self.of_object(&entries).unwrap_or_else(|_| usual());
        let Layout::Jsonl(objects) = layout else { return layout };
        Layout::Jsonl(Objects::clone(&objects).of_start().into())
    }

    /// Returns the requested or usual keys, for objects without a puzzle among their first keys.
    fn usual_keys(&self, first: &[(String, &str)]) -> Objects {
        let puzzle = Some(self.column.clone().unwrap_or_else(|| names::PUZZLES[0].into()));
        let answer = match &self.answers {
            Answers::Unwanted => None,
            Answers::Wanted | Answers::IfAny => Some(names::SOLUTIONS[0].into()),
            Answers::Column(name) => Some(name.clone()),
        };
        let kept = match &self.keep {
            Some(keep @ (Keep::All | Keep::Row)) => {
                let cells: Vec<_> = puzzle.iter().chain(&answer).cloned().collect();
                let mut kept: Vec<_> = keys(first).into_iter().map(String::from).collect();
                kept.retain(|key| !cells.contains(key));
                if *keep == Keep::Row {
                    kept.extend(cells);
                }
                kept
            }
            Some(Keep::Only(names)) => [&names[..], &self.also_read].concat(),
            None => self.also_read.clone(),
        };
        Objects::new(puzzle, answer, kept)
    }

    /// Returns the layout in which each line is a puzzle.
    fn of_values(&self) -> Result<Layout, DetectError> {
        let keep = match &self.keep {
            Some(Keep::Only(names)) => names.first(),
            _ => None,
        };
        if let Some(name) = self.column.as_ref().or(keep) {
            let columns = vec!["none, each line is a puzzle".into()];
            return Err(DetectError::NoColumn { name: name.clone(), columns });
        }
        Ok(Layout::Jsonl(Objects::default().into()))
    }

    fn of_object(&self, entries: &[(String, &str)]) -> Result<Layout, DetectError> {
        let outer = keys(entries).len();
        let entries = &with_paths(entries);
        let keys = keys(entries);
        let puzzle = match &self.column {
            Some(name) => column_of(&keys, name)?,
            None => puzzle_key(entries, &keys, outer)?,
        };
        let answer = match &self.answers {
            Answers::Unwanted => None,
            Answers::Wanted | Answers::IfAny => {
                let is_required = self.answers == Answers::Wanted;
                Some(answer_key(entries, &keys, puzzle, (outer, is_required))?)
            }
            Answers::Column(name) => Some(column_of(&keys, name)?),
        };
        if answer == Some(puzzle) {
            return Err(DetectError::SameColumn(keys[puzzle].into()));
        }
        let name = |key: usize| keys[key].to_owned();
        // All keys are those of the outer object.
        let all = match &self.keep {
            Some(Keep::All | Keep::Row) => &keys[..outer],
            _ => &keys[..],
        };
        let kept = self.kept(all, puzzle, answer)?.into_iter().map(name).collect();
        let (puzzle, answer) = (Some(name(puzzle)), answer.map(name));
        Ok(Layout::Jsonl(Objects::new(puzzle, answer, kept).into()))
    }
}

/// Adds the entries of inner objects, whose keys are paths with dots, after those of the outer one.
fn with_paths<'a>(entries: &[(String, &'a str)]) -> Vec<(String, &'a str)> {
    let mut all = entries.to_vec();
    let mut next = 0;
    while let Some((path, value)) = all.get(next).cloned() {
        next += 1;
        let depth = path.matches('.').count();
        if value.starts_with('{') && depth < MAX_DEPTH && all.len() < MAX_KEYS {
            let inner = json::entries(value.as_bytes()).unwrap_or_default();
            all.extend(inner.into_iter().map(|(key, value)| (format!("{path}.{key}"), value)));
        }
    }
    all
}

/// The deepest inner objects, and the number of keys, in which puzzles are looked for.
const MAX_DEPTH: usize = 4;
const MAX_KEYS: usize = 1000;

fn keys<'a>(entries: &'a [(String, &str)]) -> Vec<&'a str> {
    let mut keys = Vec::new();
    for (key, _) in entries {
        if !keys.contains(&key.as_str()) {
            keys.push(key);
        }
    }
    keys
}

/// Returns the keys whose values are cells that satisfy `is`.
fn shaped(entries: &[(String, &str)], keys: &[&str], is: fn(&[u8]) -> bool) -> Vec<usize> {
    let holds = |value: &str| cells_of(value).is_some_and(|cells| is(&cells));
    let found = entries.iter().filter(|(_, value)| holds(value));
    found.filter_map(|(key, _)| keys.iter().position(|known| known == key)).collect()
}

/// Returns the last name of a path.
fn last_name(path: &str) -> &str {
    path.rsplit_once('.').map_or(path, |(_, name)| name)
}

/// Returns the key with a known name for puzzles whose value may be one, or whose value is a puzzle.
/// The first `outer` keys precede those of inner objects.
fn puzzle_key(
    entries: &[(String, &str)],
    keys: &[&str],
    outer: usize,
) -> Result<usize, DetectError> {
    let value = |key: usize| {
        entries.iter().rev().find(|(name, _)| name == keys[key]).map_or("", |(_, value)| *value)
    };
    let is_named = |key: &usize| names::is_puzzles(last_name(keys[*key]).as_bytes());
    let may_be = |key: &usize| {
        let value = value(*key);
        !value.starts_with('{') && !cells_of(value).is_some_and(|text| cannot_be_puzzle(&text))
    };
    let is_word = |key: &usize| cells_of(value(*key)).is_some_and(|text| is_word(&text));
    let (mut found, mut words) = (Vec::new(), Vec::new());
    for range in [0..outer, outer..keys.len()] {
        if found.is_empty() {
            found = range.clone().filter(is_named).filter(may_be).collect();
            keep_only(&mut found, |key| cells_of(value(key)).is_some_and(|text| is_puzzle(&text)));
            words.extend(found.extract_if(.., |key| is_word(key)));
        }
        if found.is_empty() {
            found = shaped(entries, keys, is_puzzle);
            found.retain(|key| range.contains(key));
        }
    }
    if found.is_empty() {
        found = words;
    }
    if found.is_empty() {
        found = (0..outer).filter(is_named).filter(|&key| value(key).starts_with('{')).collect();
    }
    let columns = quoted(keys);
    match found[..] {
        [one] => Ok(one),
        [] => Err(DetectError::NoPuzzles(columns)),
        _ => Err(several(&found, columns)),
    }
}

/// Returns the key with a known name for solutions, or whose value is a solution.
fn answer_key(
    entries: &[(String, &str)],
    keys: &[&str],
    puzzle: usize,
    (outer, is_required): (usize, bool),
) -> Result<usize, DetectError> {
    let others = (0..keys.len()).filter(|&key| key != puzzle);
    let named = others.filter_map(|key| {
        let name = names::solutions(last_name(keys[key]), is_required)?;
        Some((key >= outer, name, keys[key], key))
    });
    let named = named.min().map(|(.., key)| key);
    named
        .or_else(|| shaped(entries, keys, is_grid).into_iter().find(|&key| key != puzzle))
        .ok_or_else(|| DetectError::NoSolutions(quoted(keys)))
}
