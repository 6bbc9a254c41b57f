//! JSON lines: one object with a puzzle, or one puzzle, per line.
//!
//! A puzzle is a string with a puzzle in any form, an array of 81 numbers from 0 to 9, or an array of
//! nine arrays of nine numbers. Solutions have the same forms. Blank lines
//! and lines that start with `#` are skipped.

use std::borrow::Cow;
use std::fmt;

use memchr::memchr;
use serde::de::{Deserialize, DeserializeSeed, Deserializer as _, MapAccess, Visitor};
use serde_json::Deserializer;
use serde_json::value::RawValue;

use super::field::{Field, FieldForm};
use super::lines::{column, too_long};
use super::{LinePosition, Records};
use crate::forms::{self, list};
use crate::puzzle::Malformed;

/// The requested keys of the objects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Objects {
    /// The keys that are read, without duplicates.
    keys: Vec<String>,
    /// The index of the puzzle key; `None` if each line is a puzzle.
    puzzle: Option<usize>,
    /// The index of the solution key, if solutions are read.
    answer: Option<usize>,
    /// The indices of the keys copied to the output, in output order.
    kept: Vec<usize>,
    /// Whether all other keys are kept. If so, objects with further keys are counted.
    keeps_all: bool,
}

impl fmt::Display for Objects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON lines")?;
        if let Some(puzzle) = self.puzzle {
            write!(f, ", puzzles in key {:?}", self.keys[puzzle])?;
        }
        match self.answer {
            Some(answer) => write!(f, ", solutions in key {:?}", self.keys[answer]),
            None => Ok(()),
        }
    }
}

/// Reads the records of a block; `cut_short` is true if its last line did not fit.
pub fn read(objects: &Objects, block: &[u8], cut_short: bool, records: &mut Records) {
    records.clear();
    let mut values = vec![None; objects.keys.len()];
    let (mut at, mut line) = (0, 0);
    while at < block.len() {
        let rest = &block[at..];
        let length = memchr(b'\n', rest).unwrap_or(rest.len());
        let text = rest[..length].strip_suffix(b"\r").unwrap_or(&rest[..length]);
        let place = LinePosition { line, start: at as u32, indent: 0 };
        values.fill(None);
        match text.trim_ascii_start().first() {
            Some(b'#') => records.comments += 1,
            None if !cut_short || at + length < block.len() => records.blank_lines += 1,
            _ if cut_short && at + length == block.len() => {
                records.push_malformed(place, text.len(), too_long(text.len()));
                objects.push_others(text, place, &values, false, records);
            }
            _ => objects.read_line(text, place, &mut values, records),
        }
        at += length + 1;
        line += 1;
    }
}

/// Returns the keys and the texts of the values of an object, in order.
pub(super) fn entries(line: &[u8]) -> Option<Vec<(String, &str)>> {
    let mut json = Deserializer::from_slice(line);
    let mut entries = Vec::new();
    let each = EntryVisitor { key: str::to_owned, entry: |key, value| entries.push((key, value)) };
    json.deserialize_map(each).and_then(|()| json.end()).ok().map(|()| entries)
}

/// Calls `key` with each key of an object, and `entry` with the result and the text of the value.
struct EntryVisitor<F, G> {
    key: F,
    entry: G,
}

impl<'de, K, F: FnMut(&str) -> K, G: FnMut(K, &'de str)> Visitor<'de> for EntryVisitor<F, G> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key_seed(KeyVisitor(&mut self.key))? {
            let value: &RawValue = map.next_value()?;
            (self.entry)(key, value.get());
        }
        Ok(())
    }
}

/// Calls a function with a key.
struct KeyVisitor<'a, F>(&'a mut F);

impl<'de, K, F: FnMut(&str) -> K> DeserializeSeed<'de> for KeyVisitor<'_, F> {
    type Value = K;

    fn deserialize<D: serde::Deserializer<'de>>(self, key: D) -> Result<K, D::Error> {
        key.deserialize_str(self)
    }
}

impl<K, F: FnMut(&str) -> K> Visitor<'_> for KeyVisitor<'_, F> {
    type Value = K;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<K, E> {
        Ok((self.0)(key))
    }
}

/// Returns the text of the puzzle or solution in a JSON value.
pub(super) fn cells_of(value: &str) -> Option<Cow<'_, [u8]>> {
    match value.as_bytes() {
        [b'"', inner @ .., b'"'] => {
            let field = Field::new(1..1 + inner.len(), FieldForm::JsonString);
            Some(field.text(value.as_bytes()))
        }
        array @ [b'[', ..] => list::puzzle(array).map(|cells| Cow::Owned(cells.to_vec())),
        _ => None,
    }
}

impl Objects {
    /// Creates the keys; `puzzle` is `None` if each line is a puzzle.
    pub(super) fn new(
        puzzle: Option<String>,
        answer: Option<String>,
        kept: Vec<String>,
        keeps_all: bool,
    ) -> Self {
        let mut keys: Vec<String> = Vec::new();
        let mut index = |key| {
            keys.iter().position(|known| *known == key).unwrap_or_else(|| {
                keys.push(key);
                keys.len() - 1
            })
        };
        let puzzle = puzzle.map(&mut index);
        let answer = answer.map(&mut index);
        let kept = kept.into_iter().map(index).collect();
        Self { keys, puzzle, answer, kept, keeps_all }
    }

    /// Returns whether solutions are read.
    pub(super) fn has_answers(&self) -> bool {
        self.answer.is_some()
    }

    /// Returns the keys copied to the output.
    pub(super) fn kept(&self) -> Vec<String> {
        self.kept.iter().map(|&kept| self.keys[kept].clone()).collect()
    }

    /// Returns the positions of the puzzle and solution keys among the kept keys.
    pub(super) fn kept_cells(&self) -> [Option<usize>; 2] {
        [self.puzzle, self.answer].map(|key| self.kept.iter().position(|kept| Some(*kept) == key))
    }

    fn read_line<'de>(
        &self,
        line: &'de [u8],
        place: LinePosition,
        values: &mut [Option<&'de str>],
        records: &mut Records,
    ) {
        let mut has_others = false;
        let puzzle = self.parse(line, values, &mut has_others);
        let pushed = puzzle.and_then(|puzzle| push(puzzle, line, place, records));
        records.unkept += u64::from(has_others && self.keeps_all);
        match pushed {
            Ok(()) => self.push_others(line, place, values, true, records),
            Err(malformed) => {
                records.push_malformed(place, line.len(), malformed);
                self.push_others(line, place, values, false, records);
            }
        }
    }

    /// Stores the values of the keys, and whether there are others; returns that of the puzzle.
    fn parse<'de>(
        &self,
        line: &'de [u8],
        values: &mut [Option<&'de str>],
        has_others: &mut bool,
    ) -> Result<&'de str, Malformed> {
        let mut json = Deserializer::from_slice(line);
        let is_object = line.trim_ascii_start().starts_with(b"{");
        let value = if is_object {
            let each = EntryVisitor {
                key: |key: &str| self.keys.iter().position(|known| known == key),
                entry: |key, value| match key {
                    Some(key) => values[key] = Some(value),
                    None => *has_others = true,
                },
            };
            json.deserialize_map(each).map(|()| None)
        } else {
            <&RawValue>::deserialize(&mut json).map(Some)
        };
        let value = value.and_then(|value| json.end().map(|()| value));
        let value = value.map_err(|error| json_error(line, &error))?;
        if let Some(value) = value {
            return Ok(value.get());
        }
        let Some(puzzle) = self.puzzle else {
            let what = "an object; use --column to name the key of the puzzle";
            return Err(Malformed { column: 1, what: what.into() });
        };
        values[puzzle].ok_or_else(|| {
            let what = format!("no key {:?}", self.keys[puzzle]);
            Malformed { column: 1, what }
        })
    }

    /// Adds the solution and the kept fields of the last record.
    fn push_others(
        &self,
        line: &[u8],
        place: LinePosition,
        values: &[Option<&str>],
        is_puzzle: bool,
        records: &mut Records,
    ) {
        let field =
            |value: Option<&str>| value.map_or(Field::MISSING, |value| field(value, line, place));
        if let Some(answer) = self.answer {
            let value = values[answer].filter(|_| is_puzzle);
            let answer = match value.and_then(cells_of) {
                Some(Cow::Owned(cells)) => records.own(&cells),
                _ => field(value),
            };
            records.answers.push(answer);
        }
        let whole = LinePosition::cells(place, line.len());
        records.kept.extend(self.kept.iter().map(|&kept| match values[kept] {
            // A record without a puzzle shows its text instead of the puzzle.
            None if Some(kept) == self.puzzle => whole,
            value => field(value),
        }));
    }
}

/// Adds a record for the puzzle's value.
fn push(
    value: &str,
    line: &[u8],
    mut place: LinePosition,
    records: &mut Records,
) -> Result<(), Malformed> {
    let at = offset(value, line);
    let in_line = |malformed: Malformed, at: usize| Malformed {
        column: column(line, at + malformed.column - 1),
        ..malformed
    };
    match value.as_bytes() {
        [b'"', inner @ .., b'"'] if memchr(b'\\', inner).is_none() => {
            place.indent = at as u32 + 1;
            records.push_text(place, inner).map_err(|malformed| in_line(malformed, at + 1))
        }
        array @ [b'[', ..] => {
            place.indent = at as u32;
            match forms::read(array) {
                Ok(form) => {
                    records.push_form(place, &form);
                    records.count_forms(array);
                    Ok(())
                }
                Err(malformed) => Err(in_line(malformed, at)),
            }
        }
        [b'"', ..] => {
            place.indent = at as u32;
            let text = cells_of(value).unwrap_or_default();
            let pushed = records.push_decoded(place, &text);
            // Columns in decoded text are not those of the line.
            pushed.map_err(|malformed| in_line(Malformed { column: 1, ..malformed }, at))
        }
        b"null" => Err(in_line(no_puzzle("null"), at)),
        [b'{', ..] => Err(in_line(no_puzzle("an object"), at)),
        _ => Err(in_line(no_puzzle("a number or a truth value"), at)),
    }
}

fn no_puzzle(what: &str) -> Malformed {
    let what = format!("{what} instead of a puzzle; expected a string or an array of 81 cells");
    Malformed { column: 1, what }
}

/// Returns the field of a value in this line.
fn field(value: &str, line: &[u8], place: LinePosition) -> Field {
    let at = place.start as usize + offset(value, line);
    match value.as_bytes() {
        b"null" => Field::MISSING,
        [b'"', inner @ .., b'"'] => Field::new(at + 1..at + 1 + inner.len(), FieldForm::JsonString),
        _ => Field::new(at..at + value.len(), FieldForm::JsonValue),
    }
}

fn offset(part: &str, line: &[u8]) -> usize {
    part.as_ptr().addr() - line.as_ptr().addr()
}

fn json_error(line: &[u8], error: &serde_json::Error) -> Malformed {
    let text = error.to_string();
    let what = text.rsplit_once(" at line ").map_or(text.as_str(), |(what, _)| what);
    Malformed {
        column: column(line, error.column().saturating_sub(1)),
        what: format!("no JSON: {what}"),
    }
}
