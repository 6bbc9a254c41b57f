//! JSON: one object with a puzzle, or one puzzle, per line, or the elements of one array, which
//! `ElementLines` turns into lines.
//!
//! A puzzle is a string with a puzzle in any form, an array of 81 numbers from 0 to 9, or an array of
//! nine arrays of nine numbers or of nine strings. Solutions have the same forms. Blank lines and
//! lines that start with `#` are skipped.

mod document;
mod elements;
mod entries;

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use memchr::memchr;
use serde_json::value::RawValue;

use super::lines::{self, column, too_long};
use super::{
    Field, FieldForm, KeptCells, Layout, LayoutKind, LinePosition, NAME_BYTES, Records, Unit, names,
};
use bulkdoku_core::forms::{self, list};
use bulkdoku_core::puzzle::Malformed;

pub(super) use self::document::{
    is_array_of_records, is_empty_array, records_of, starts_with_long_object,
};
pub(crate) use self::elements::ElementLines;
pub(crate) use self::elements::Records as JsonRecords;
pub(super) use self::entries::first_entries;
pub(crate) use self::entries::{at_path, entries, nulls_for_nan};
use self::entries::{for_each_entry, value, without_nan};

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
    /// The number of bytes of the kept keys, with punctuation.
    name_bytes: usize,
    /// The use of all other keys.
    others: OtherKeys,
    /// Whether some keys are those of inner objects, with dots: `metadata.puzzle`.
    has_paths: bool,
    /// What the records of a document are whose lines are not records.
    document: Option<JsonRecords>,
}

/// The use of keys that the first object of an input lacks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum OtherKeys {
    /// They are not written.
    #[default]
    Ignored,
    /// Objects are written as a whole.
    Copied {
        /// The columns that must not be among their keys.
        computed: Vec<String>,
        /// Whether puzzles are replaced, so that no key may have their solutions.
        lacks_solutions: bool,
    },
    /// They cannot be written, so the run ends.
    Refused,
}

impl Layout for Objects {
    fn kind(&self) -> LayoutKind {
        if self.document.is_some() { LayoutKind::JsonDocument } else { LayoutKind::Json }
    }

    fn read(&self, block: &[u8], _: u64, cut_short: bool, records: &mut Records) {
        records.clear();
        records.kept_cells = self.kept_cells();
        records.name_bytes = self.name_bytes;
        let mut values = vec![None; self.keys.len()];
        if self.is_array() {
            records.unit = Unit::Element;
        }
        for (place, line) in lines::each(block) {
            let is_cut_short = cut_short && place.start as usize + line.len() == block.len();
            let text = line.strip_suffix(b"\r").unwrap_or(line);
            // The end of a DOS file.
            let text = text.strip_suffix(b"\x1A").unwrap_or(text);
            values.fill(None);
            match text.trim_ascii_start().first() {
                Some(b'#') => records.comments += 1,
                None if !is_cut_short => records.blank_lines += 1,
                _ if is_cut_short => {
                    records.push_malformed(place, text.len(), too_long(text.len()));
                    self.push_others(text, place, &values, false, records);
                }
                _ => self.read_line((text, block), place, &mut values, records),
            }
        }
    }

    fn record_bytes(&self) -> usize {
        self.name_bytes + self.kept.len() * size_of::<Field>()
    }

    fn has_answers(&self) -> bool {
        self.answer.is_some()
    }

    fn kept(&self) -> Vec<String> {
        self.kept.iter().map(|&kept| self.keys[kept].clone()).collect()
    }

    fn kept_cells(&self) -> [Option<KeptCells>; 2] {
        [self.puzzle, self.answer].map(|key| {
            let key = &self.keys[key?];
            let path = |kept: &usize| match key.strip_prefix(&self.keys[*kept])? {
                "" => Some(""),
                rest => rest.strip_prefix('.'),
            };
            let places = self.kept.iter().map(path).enumerate();
            let place = places.filter_map(|(field, path)| Some((path?, field)));
            let (path, field) = place.min_by_key(|(path, _)| path.len())?;
            Some(KeptCells { field, path: path.into() })
        })
    }
}

impl fmt::Display for Objects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_array() { "a JSON array" } else { "JSON lines" })?;
        if let Some(puzzle) = self.puzzle {
            write!(f, ", puzzles in key {:?}", self.keys[puzzle])?;
        }
        match self.answer {
            Some(answer) => write!(f, ", solutions in key {:?}", self.keys[answer]),
            None => Ok(()),
        }
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
    pub(super) fn new(puzzle: Option<String>, answer: Option<String>, kept: Vec<String>) -> Self {
        let mut keys: Vec<String> = Vec::new();
        let mut index = |key| {
            keys.iter().position(|known| *known == key).unwrap_or_else(|| {
                keys.push(key);
                keys.len() - 1
            })
        };
        let puzzle = puzzle.map(&mut index);
        let answer = answer.map(&mut index);
        let kept: Vec<_> = kept.into_iter().map(index).collect();
        let name_bytes = kept.iter().map(|key| keys[*key].len() + NAME_BYTES).sum();
        let has_paths = keys.iter().any(|key| key.contains('.'));
        let others = OtherKeys::Ignored;
        Self { keys, puzzle, answer, kept, name_bytes, others, has_paths, document: None }
    }

    /// Reads the records of a document instead of lines.
    pub(super) fn of_document(self, records: JsonRecords) -> Self {
        Self { document: Some(records), ..self }
    }

    /// Returns what the records of a document are whose lines are not records, so that it must be
    /// read through `ElementLines`.
    pub fn document(&self) -> Option<JsonRecords> {
        self.document
    }

    /// Returns whether the records are the elements of one array.
    pub(crate) fn is_array(&self) -> bool {
        self.document == Some(JsonRecords::Elements)
    }

    /// Sets the use of keys that are not kept.
    #[must_use]
    pub fn with_other_keys(self, others: OtherKeys) -> Self {
        Self { others, ..self }
    }

    /// Returns these objects with the kept keys of another input, if it has the same keys of puzzles
    /// and solutions.
    pub fn keeping_as(&self, first: &Self) -> Option<Self> {
        let cells = |objects: &Self| {
            [objects.puzzle, objects.answer].map(|key| key.map(|key| objects.keys[key].clone()))
        };
        let [puzzle, answer] = cells(self);
        let is_alike = [&puzzle, &answer] == cells(first).each_ref() && puzzle.is_some();
        let kept = || Self::new(puzzle, answer, first.kept());
        is_alike.then(|| Self { document: self.document, ..kept() })
    }

    fn read_line<'de>(
        &self,
        (line, block): (&'de [u8], &[u8]),
        place: LinePosition,
        values: &mut [Option<&'de str>],
        records: &mut Records,
    ) {
        let mut refused = None;
        let puzzle = self.parse(line, values, &mut refused, &mut records.has_nan);
        if records.refused.is_none() {
            records.refused = refused.map(|why| (place.line, why));
        }
        let pushed = puzzle.and_then(|puzzle| push(puzzle, line, place, records));
        match pushed {
            Ok(()) => self.push_others(line, place, values, true, records),
            Err(malformed) => {
                let text = Field::new(0..line.len(), FieldForm::Plain).moved(place.start);
                records.push_malformed_text(place, (block, text), malformed);
                self.push_others(line, place, values, false, records);
            }
        }
    }

    /// Stores the values of the keys, and why another key is refused; returns the puzzle's value.
    fn parse<'de>(
        &self,
        line: &'de [u8],
        values: &mut [Option<&'de str>],
        refused: &mut Option<String>,
        has_nan: &mut bool,
    ) -> Result<&'de str, Malformed> {
        let mut next = 0;
        let is_object = for_each_entry(line, |key, value| {
            if let Some(key) = self.index_of(key, &mut next, refused) {
                values[key] = Some(value);
            }
        });
        if is_object.is_err() {
            values.fill(None);
            *refused = None;
            if let Some(value) = self.parse_other(line, values, refused, has_nan)? {
                return Ok(value);
            }
        }
        if self.has_paths {
            self.read_paths(line, values);
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

    /// Parses a line that is not an object, and returns it, or one with numbers such as `NaN`.
    #[cold]
    #[inline(never)]
    fn parse_other<'de>(
        &self,
        line: &'de [u8],
        values: &mut [Option<&'de str>],
        refused: &mut Option<String>,
        has_nan: &mut bool,
    ) -> Result<Option<&'de str>, Malformed> {
        if !line.trim_ascii_start().starts_with(b"{") {
            let value = value(line).ok_or_else(|| json_error(line))?;
            if let Some(puzzle) = self.puzzle {
                values[puzzle] = Some(value);
            }
            return Ok(Some(value));
        }
        *has_nan = true;
        let mut next = 0;
        for (key, value) in entries(line).ok_or_else(|| json_error(line))? {
            if let Some(key) = self.index_of(&key, &mut next, refused) {
                values[key] = Some(value);
            }
        }
        Ok(None)
    }

    /// Returns the index of a key. Most objects have the same keys in the same order: `next` is the
    /// index of the one that is expected.
    #[inline]
    fn index_of(&self, key: &str, next: &mut usize, refused: &mut Option<String>) -> Option<usize> {
        let index = match self.keys.get(*next) {
            Some(expected) if expected == key => Some(*next),
            _ => self.keys.iter().position(|known| known == key),
        };
        match index {
            Some(index) => *next = index + 1,
            None if self.others == OtherKeys::Ignored || refused.is_some() => {}
            None => *refused = self.refuse(key),
        }
        index
    }

    #[cold]
    #[inline(never)]
    fn read_paths<'de>(&self, line: &'de [u8], values: &mut [Option<&'de str>]) {
        let Ok(line) = std::str::from_utf8(line) else { return };
        for (key, value) in self.keys.iter().zip(values) {
            if value.is_none() && key.contains('.') {
                *value = at_path(line, key);
            }
        }
    }

    /// Returns why a key is refused, if it is.
    #[cold]
    fn refuse(&self, key: &str) -> Option<String> {
        match &self.others {
            OtherKeys::Copied { lacks_solutions: true, .. }
                if names::is_solutions(key.as_bytes()) =>
            {
                Some(format!(
                    "the key {key:?} is not in the first object; --solution-column {key} reads it"
                ))
            }
            OtherKeys::Copied { computed, .. } if computed.iter().any(|column| column == key) => {
                Some(format!(
                    "the key {key:?} is not in the first object, but a computed column; name the \
                     columns: --columns input_{key},computed_{key}"
                ))
            }
            OtherKeys::Refused => Some(format!(
                "the key {key:?} was not found in the first object, or its first 64 KiB, so rows have no \
                 such column; write jsonl, with * first in --columns, or name the columns"
            )),
            _ => None,
        }
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
            let written = field(value);
            let answer = match value.and_then(cells_of) {
                Some(Cow::Owned(text)) => records.own_answer(&text, written),
                _ => written,
            };
            records.answers.push(answer);
        }
        records.kept.extend(self.kept.iter().map(|&kept| field(values[kept])));
    }
}

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
            let form = forms::read(array).map_err(|malformed| in_line(malformed, at))?;
            records.push_form(place, array.len(), &form, array);
            Ok(())
        }
        [b'"', ..] => {
            place.indent = at as u32;
            let text = cells_of(value).unwrap_or_default();
            let pushed = records.push_decoded(place, 0, &text);
            // Columns in decoded text are not those of the line.
            pushed.map_err(|malformed| in_line(Malformed { column: 1, ..malformed }, at))
        }
        [b'0'..=b'9' | b'-', ..] if value.contains(['e', 'E']) => {
            Err(in_line(Malformed::new(value.as_bytes()), at))
        }
        [first, ..] => {
            let kind = match first {
                b'{' => "an object",
                b't' | b'f' => "a truth value",
                b'n' => "null",
                _ => "a number",
            };
            let what = "instead of a puzzle; expected a string or an array of 81 cells";
            Err(in_line(Malformed { column: 1, what: format!("{kind} {what}") }, at))
        }
        [] => unreachable!("a value has text"),
    }
}

fn field(value: &str, line: &[u8], place: LinePosition) -> Field {
    let at = place.start as usize + offset(value, line);
    match value.as_bytes() {
        // The others are not JSON.
        b"null" | b"NaN" | b"nan" | b"Infinity" | b"-Infinity" => Field::MISSING,
        [b'"', inner @ .., b'"'] => Field::new(at + 1..at + 1 + inner.len(), FieldForm::JsonString),
        _ => Field::new(at..at + value.len(), FieldForm::JsonValue),
    }
}

fn offset(part: &str, line: &[u8]) -> usize {
    part.as_ptr().addr() - line.as_ptr().addr()
}

/// Returns the fault of a line that is not JSON.
fn json_error(line: &[u8]) -> Malformed {
    let finite = without_nan(line);
    let finite = finite.as_deref().unwrap_or(line);
    let error = match finite.trim_ascii_start().first() {
        Some(b'{') => serde_json::from_slice::<HashMap<String, &RawValue>>(finite).err(),
        _ => serde_json::from_slice::<&RawValue>(finite).err(),
    };
    let error = error.expect("values and objects are those that the library accepts");
    let text = error.to_string();
    let what = text.rsplit_once(" at line ").map_or(text.as_str(), |(what, _)| what);
    let words = [
        ("EOF while parsing", "the end of the line in"),
        ("expected ident", "expected true, false, or null"),
        ("expected value", "expected a value"),
        ("key must be a string", "keys need double quotes"),
        ("trailing characters", "text after the value"),
        (
            "control character (\\u0000-\\u001F) found while parsing a string",
            "a control character in a string",
        ),
        ("lone leading surrogate in hex escape", "half of a \\u escape"),
        ("unexpected end of hex escape", "half of a \\u escape"),
        ("recursion limit exceeded", "too many inner arrays or objects"),
    ];
    let what = words.iter().fold(what.to_owned(), |what, (from, to)| what.replace(from, to));
    let at = error.column().saturating_sub(1);
    let hint = match line.get(at..).unwrap_or_default().trim_ascii() {
        b"," if what == "text after the value" => "; remove the comma: sed 's/,$//' FILE > NEW",
        [b'{' | b'[', ..] if what == "text after the value" => {
            "; write one value per line: jq -c . FILE > NEW"
        }
        _ => "",
    };
    Malformed { column: column(line, at), what: format!("not JSON: {what}{hint}") }
}
