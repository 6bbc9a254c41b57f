//! Detects the keys of puzzles, solutions, and kept values in JSON objects.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use serde_json::value::RawValue;

use super::columns::{is_scalar, last_name, named_solution};
use super::error::{quoted, several};
use super::sample::{RowFields, Sample, first_line, is_grid, is_puzzle};
use super::{Answers, DetectError, Detected, InputFormat, InputOptions, Keep, NOT_YET, column_of};
use crate::input::json::{self, ElementLines, JsonRecords, Objects, cells_of, entries};
use crate::input::lines::first_end;
use crate::input::{Layout, names};

impl InputOptions {
    /// Returns whether the options do not require a table of fields.
    pub(super) fn may_be_json(&self) -> bool {
        self.format == InputFormat::Auto && self.delimiter.is_none() && !self.no_header
    }

    /// Returns the layout of one document with all records, or `None` if the text is not one.
    pub(super) fn json_document(
        &self,
        text: &[u8],
        is_all: bool,
    ) -> Detected<Option<Arc<dyn Layout>>> {
        if json::is_empty_array(text) && is_all {
            let objects = self.usual_keys(&[]).of_document(JsonRecords::Elements);
            return Ok(Some(Arc::new(objects)));
        }
        let Ok(records) = json::records_of(text) else {
            return if is_all { Ok(None) } else { Err(NOT_YET) };
        };
        let Some(records) = records else { return Ok(None) };
        let lines = ElementLines::of_start(text, records);
        if records == JsonRecords::Elements && is_line_of_pair(text) {
            return Err(DetectError::Nested(PAIR.into()).into());
        }
        // Elements that are complete end with a line feed.
        let objects = self.of_lines(&lines, is_all, false);
        let objects = objects.map_err(|error| match error {
            Some(DetectError::Nested(jq)) if records == JsonRecords::Elements => {
                DetectError::Nested(format!(".[] | {jq}")).into()
            }
            error => error,
        });
        Ok(Some(Arc::new(objects?.of_document(records))))
    }

    /// JSON lines, of which the first one is an object, or a puzzle as a string with escapes.
    pub(super) fn objects(&self, sample: Sample<'_>) -> Detected<Option<Arc<dyn Layout>>> {
        let Sample { text, is_all, is_end, .. } = sample;
        let is_object = match text.trim_ascii_start().strip_prefix(b"{") {
            Some(rest) => {
                let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
                matches!(rest.get(blanks), Some(b'"' | b'}'))
            }
            None => text.starts_with(b"\"") && is_escaped_puzzle(first_line(text)),
        };
        match json::starts_with_long_object(text) {
            _ if is_object => self.json(text, is_all, is_end).map(Some),
            Some(true) if is_all => Err(object_in_lines(text).into()),
            Some(true) | None if !is_all => Err(NOT_YET),
            _ => Ok(None),
        }
    }

    /// JSON lines. `is_end` is true if the last line is complete.
    pub(super) fn json(&self, text: &[u8], is_all: bool, is_end: bool) -> Detected {
        Ok(Arc::new(self.of_lines(text, is_all, is_end)?))
    }

    /// Detects the keys from the first object, or from the first objects together if it lacks some.
    /// `is_end` is true if the last line is complete.
    fn of_lines(&self, mut text: &[u8], is_all: bool, is_end: bool) -> Detected<Objects> {
        let (mut known, mut found) = (Entries::default(), None);
        while !text.is_empty() {
            let end = first_end(text);
            if end.is_none() && !is_end {
                break;
            }
            let (line, rest) = text.split_at(end.unwrap_or(text.len()));
            text = rest;
            match entries(line) {
                Some(entries) => {
                    if !known.add(&entries) && found.is_some() {
                        continue;
                    }
                    match self.of_object(&known) {
                        Ok(objects) if self.has_all_read(&known) => return Ok(objects),
                        Err(error) if !self.may_follow(&error) => return Err(error.into()),
                        undecided => found = Some(undecided),
                    }
                }
                None if found.is_some() => {}
                None => match (pair(line), line.trim_ascii_start().first()) {
                    (Some(jq), _) => return Err(DetectError::Nested(jq.into()).into()),
                    (None, Some(b'[' | b'"')) => return Ok(self.of_values()?),
                    _ => {}
                },
            }
        }
        match found {
            _ if !is_all => Err(NOT_YET),
            Some(found) => Ok(found?),
            // The first object may be longer than the bytes for detection. Without any object, each
            // line is reported as malformed.
            None => Ok(self.of_start(text)?),
        }
    }

    /// Returns whether the objects have all keys that filters read.
    fn has_all_read(&self, known: &Entries<'_>) -> bool {
        let plain = |name: &str| name.strip_prefix("input_").unwrap_or(name).to_ascii_lowercase();
        self.also_read
            .iter()
            .all(|name| known.all().any(|(key, _)| key == name || plain(key) == plain(name)))
    }

    /// Returns whether later objects may have the missing key. An optional solution is not waited for.
    fn may_follow(&self, error: &DetectError) -> bool {
        match error {
            DetectError::NoColumn { .. } | DetectError::NoPuzzles(_) => true,
            DetectError::NoSolutions(_) => self.answers == Answers::Wanted,
            _ => false,
        }
    }

    /// Returns the keys of objects of which only the start of the first one is known.
    fn of_start(&self, text: &[u8]) -> Result<Objects, DetectError> {
        let mut known = Entries::default();
        known.add(&json::first_entries(text));
        match self.of_object(&known) {
            Err(DetectError::Nested(jq)) => Err(DetectError::Nested(jq)),
            found => Ok(found.unwrap_or_else(|_| self.usual_keys(&known.outer))),
        }
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
            Some(Keep::Row) => {
                let cells: Vec<_> = puzzle.iter().chain(&answer).cloned().collect();
                let mut kept: Vec<_> = keys(first).into_iter().map(String::from).collect();
                kept.retain(|key| !cells.contains(key));
                [kept, cells].concat()
            }
            Some(Keep::Only(names)) => [&names[..], &self.also_read].concat(),
            None => self.also_read.clone(),
        };
        Objects::new(puzzle, answer, kept)
    }

    fn of_values(&self) -> Result<Objects, DetectError> {
        self.reject_columns("line")?;
        Ok(Objects::default())
    }

    fn of_object(&self, known: &Entries<'_>) -> Result<Objects, DetectError> {
        let outer = keys(&known.outer).len();
        let entries = &known.all().cloned().collect::<Vec<_>>();
        let keys = keys(entries);
        // The last value of a repeated key counts.
        let last: HashMap<_, _> =
            entries.iter().map(|(key, value)| (key.as_str(), *value)).collect();
        let values: Vec<_> = keys.iter().map(|key| last[key]).collect();
        let puzzle = match &self.column {
            Some(name) => column_of(&keys, name)?,
            None => match (puzzle_key(&keys, &values, outer), array_of_puzzles(entries)) {
                (Ok(puzzle), _) if !is_array_of_puzzles(values[puzzle]) => puzzle,
                (_, Some(path)) => return Err(nested(entries, path)),
                (found, None) => found.map_err(numbered)?,
            },
        };
        let answer = match &self.answers {
            Answers::Unwanted => None,
            Answers::Wanted | Answers::IfAny => {
                let is_required = self.answers == Answers::Wanted;
                Some(answer_key(&keys, &values, puzzle, (outer, is_required))?)
            }
            Answers::Column(name) => Some(column_of(&keys, name)?),
        };
        if answer == Some(puzzle) {
            return Err(DetectError::SameColumn(keys[puzzle].into()));
        }
        let name = |key: usize| keys[key].to_owned();
        // All keys are those of the outer object.
        let all = match &self.keep {
            Some(Keep::Row) => &keys[..outer],
            _ => &keys[..],
        };
        let kept = self.kept(all)?.into_iter().map(name).collect();
        Ok(Objects::new(Some(name(puzzle)), answer.map(name), kept))
    }
}

/// The entries of the first objects together.
#[derive(Default)]
struct Entries<'a> {
    outer: Vec<(String, &'a str)>,
    /// Those of inner objects, whose keys are paths with dots.
    inner: Vec<(String, &'a str)>,
}

impl<'a> Entries<'a> {
    /// Adds the entries of an object whose keys have had no value; returns whether there are any.
    fn add(&mut self, object: &[(String, &'a str)]) -> bool {
        let mut outer = with_paths(object);
        let inner = outer.split_off(object.len());
        let mut has_new = false;
        for (known, object) in [(&mut self.outer, outer), (&mut self.inner, inner)] {
            let before = known.len();
            for (key, value) in object {
                match known[..before].iter_mut().find(|(other, _)| *other == key) {
                    Some((_, old)) if *old != "null" || value == "null" => continue,
                    Some((_, old)) => *old = value,
                    None if before < MAX_KEYS => known.push((key, value)),
                    None => continue,
                }
                has_new = true;
            }
        }
        has_new
    }

    fn all(&self) -> impl Iterator<Item = &(String, &'a str)> {
        self.outer.iter().chain(&self.inner)
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
            let inner = json::first_entries(value.as_bytes());
            all.extend(inner.into_iter().map(|(key, value)| (format!("{path}.{key}"), value)));
        }
    }
    all
}

/// Returns whether a line is a JSON string with escapes that is a puzzle.
fn is_escaped_puzzle(line: &[u8]) -> bool {
    let text: Result<String, _> = serde_json::from_slice(line);
    line.contains(&b'\\')
        && text.is_ok_and(|text| is_puzzle(text.as_bytes()) || is_grid(text.as_bytes()))
}

const PAIR: &str = "{puzzle: .[0], solution: .[1]}";

/// Returns the filter that unpacks an array of a puzzle and its solution, or of puzzles.
fn pair(record: &[u8]) -> Option<&'static str> {
    let values: Vec<&RawValue> = serde_json::from_slice(record).unwrap_or_default();
    let are_puzzles = values.iter().map(|value| is_puzzle_value(value.get()));
    match are_puzzles.take(2).collect::<Vec<_>>()[..] {
        [true, true] => Some(".[]"),
        [true, false] => Some(PAIR),
        _ => None,
    }
}

/// Returns the first element of an array.
fn first_of(array: &str) -> Vec<u8> {
    let lines = ElementLines::of_start(array.as_bytes(), JsonRecords::Elements);
    lines.split(|byte| *byte == b'\n').next().unwrap_or_default().to_vec()
}

/// Returns whether the first line is an array of two strings, a puzzle and its solution.
fn is_line_of_pair(text: &[u8]) -> bool {
    let pair: Option<[String; 2]> = serde_json::from_slice(first_line(text)).ok();
    pair.is_some_and(|[first, second]| is_puzzle(first.as_bytes()) && is_grid(second.as_bytes()))
}

fn is_array_of_puzzles(value: &str) -> bool {
    if json::is_array_of_records(value.as_bytes()) != Ok(true) {
        return false;
    }
    let first = &first_of(value);
    str::from_utf8(first).is_ok_and(is_puzzle_value)
        || entries(first)
            .is_some_and(|all| with_paths(&all).iter().any(|(_, value)| is_puzzle_value(value)))
        || pair(first).is_some()
}

/// Returns whether a JSON value is a puzzle.
fn is_puzzle_value(value: &str) -> bool {
    cells_of(value).is_some_and(|text| is_puzzle(&text))
}

fn array_of_puzzles<'a>(entries: &'a [(String, &str)]) -> Option<&'a str> {
    let found = entries.iter().find(|(_, value)| is_array_of_puzzles(value));
    found.map(|(path, _)| path.as_str())
}

/// Returns the error of objects with arrays of records, one of them at this path. Other columns may
/// follow an array of puzzles without an end.
fn nested(entries: &[(String, &str)], path: &str) -> DetectError {
    // Each record is a conversation.
    if entries.iter().any(|(key, array)| key == path && array.contains("\"role\":")) {
        return DetectError::Element(format!("{path}[0].content"));
    }
    let is_array =
        |(key, value): &&(String, &str)| parent(key) == parent(path) && value.starts_with('[');
    let arrays: Vec<_> = entries.iter().filter(is_array).collect();
    let is_open = arrays.iter().any(|(key, value)| key == path && !value.ends_with(']'));
    if (arrays.len() > 1 || is_open) && names::is_puzzles(last_name(path).as_bytes()) {
        return of_columns(path);
    }
    let of_puzzles = arrays.into_iter().filter(|(_, array)| is_array_of_puzzles(array));
    let all = of_puzzles.map(|(key, array)| match pair(&first_of(array)) {
        Some(filter) => format!("({}[] | {filter})", jq(key)),
        None => format!("{}[]", jq(key)),
    });
    DetectError::Nested(all.collect::<Vec<_>>().join(", "))
}

/// Returns the error of an object of columns, which are arrays, or objects whose keys are row numbers.
/// Row `k` has value `k` of each.
fn of_columns(path: &str) -> DetectError {
    let object = parent(path).map_or(String::new(), |object| format!("{} | ", jq(object)));
    let column = jq(last_name(path));
    DetectError::Nested(format!(
        "{object}. as $t | {column} | keys_unsorted[] as $k | $t | map_values(.[$k]?)"
    ))
}

/// Returns the error of puzzles whose keys are numbers, or in objects whose keys are.
fn numbered(error: DetectError) -> DetectError {
    let DetectError::Several { which, .. } = &error else { return error };
    let paths: Vec<_> = which.iter().map(|name| name.trim_matches('"')).collect();
    if paths.iter().all(|path| is_number(last_name(path))) {
        return parent(paths[0]).map_or_else(|| DetectError::Nested(".[]".into()), of_columns);
    }
    in_numbered(&paths).unwrap_or(error)
}

/// Returns the error of puzzles at these paths, if they are in objects whose keys are numbers.
fn in_numbered(paths: &[&str]) -> Option<DetectError> {
    let keys = paths.first()?.split('.');
    let before = keys.take_while(|key| !is_number(key)).collect::<Vec<_>>().join(".");
    let is_inside = |path: &&str| {
        let keys = path.strip_prefix(&before).unwrap_or_default().trim_start_matches('.');
        keys.split_once('.').is_some_and(|(key, _)| is_number(key))
    };
    let object = if before.is_empty() { ".".into() } else { jq(&before) };
    paths.iter().all(is_inside).then(|| DetectError::Nested(format!("{object}[]")))
}

fn is_number(key: &str) -> bool {
    key.parse::<u64>().is_ok()
}

fn parent(path: &str) -> Option<&str> {
    path.rsplit_once('.').map(|(parent, _)| parent)
}

/// Returns the filter of the value at a path, which shells accept between single quotes.
fn jq(path: &str) -> String {
    let is_plain = |key: &str| key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let jq = path
        .split('.')
        .map(|key| if is_plain(key) { format!(".{key}") } else { format!("[{key:?}]") });
    let jq: String = jq.collect();
    let dot = if jq.starts_with('.') { "" } else { "." };
    format!("{dot}{jq}").replace('\'', r"'\''")
}

fn object_in_lines(text: &[u8]) -> DetectError {
    let all = with_paths(&json::first_entries(text));
    let puzzles = all.iter().filter(|(_, value)| is_puzzle_value(value));
    let puzzles: Vec<_> = puzzles.map(|(path, _)| path.as_str()).collect();
    let array = array_of_puzzles(&all).map(|path| nested(&all, path));
    array.or_else(|| in_numbered(&puzzles)).unwrap_or(DetectError::ObjectInLines)
}

/// The deepest inner objects, and the number of keys, in which puzzles are looked for.
const MAX_DEPTH: usize = 4;
const MAX_KEYS: usize = 1000;

fn keys<'a>(entries: &'a [(String, &str)]) -> Vec<&'a str> {
    let mut seen = HashSet::new();
    entries.iter().map(|(key, _)| key.as_str()).filter(|key| seen.insert(*key)).collect()
}

/// Returns the key of the puzzles: an outer one, or else one of inner objects. The first `outer` keys
/// are the outer ones.
fn puzzle_key(keys: &[&str], values: &[&str], outer: usize) -> Result<usize, DetectError> {
    let name = |(key, value): (&&str, &&str)| {
        // An object is not a puzzle.
        if value.starts_with('{') { Vec::new() } else { last_name(key).as_bytes().to_vec() }
    };
    let text = |value: &&str| cells_of(value).unwrap_or_default().into_owned();
    let has_puzzles = values.iter().any(|value| is_puzzle_value(value));
    for count in [outer, keys.len()] {
        let row = RowFields::of_object(values[..count].iter().map(text));
        let mut found = RowFields::of_object(keys[..count].iter().zip(values).map(name))
            .of_puzzles(&row, has_puzzles);
        if found.is_empty() {
            found = row.columns_where(is_puzzle);
        }
        match found[..] {
            [one] => return Ok(one),
            [] => {}
            _ => return Err(several(&found, quoted(keys))),
        }
    }
    Err(DetectError::NoPuzzles(quoted(keys)))
}

/// Returns the key with a known name for solutions, or whose value is a solution.
fn answer_key(
    keys: &[&str],
    values: &[&str],
    puzzle: usize,
    (outer, is_required): (usize, bool),
) -> Result<usize, DetectError> {
    // Solutions in an object are at its keys.
    let others = || (0..keys.len()).filter(|&key| key != puzzle && !values[key].starts_with('{'));
    let is_scalar = |key: usize| match cells_of(values[key]) {
        Some(text) => !values[key].starts_with('"') && is_scalar(&text),
        None => !values[key].is_empty() && !values[key].starts_with(['[', '"']),
    };
    let named = |keys_in: Range<usize>| {
        let names = others().filter(|key| keys_in.contains(key)).map(|key| (key, keys[key]));
        named_solution(names, is_required, is_scalar)
    };
    let named = match named(0..outer)? {
        None => named(outer..keys.len())?,
        found => found,
    };
    let is_solution = |key: &usize| cells_of(values[*key]).is_some_and(|text| is_grid(&text));
    named
        .or_else(|| others().find(is_solution))
        .ok_or_else(|| DetectError::NoSolutions(quoted(keys)))
}
