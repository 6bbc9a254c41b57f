//! JSON: one object with a puzzle, or one puzzle, per line, or the elements of one array.
//!
//! A puzzle is a string with a puzzle in any form, an array of 81 numbers from 0 to 9, or an array of
//! nine arrays of nine numbers. Solutions have the same forms. Blank lines
//! and lines that start with `#` are skipped.

use std::borrow::Cow;
use std::fmt;

use memchr::{memchr, memchr_iter};
use serde::de::{Deserialize, DeserializeSeed, Deserializer as _, MapAccess, Visitor};
use serde_json::Deserializer;
use serde_json::value::RawValue;

use super::field::{Field, FieldForm};
use super::lines::{column, too_long};
use super::{LinePosition, NAME_BYTES, Records};
use crate::forms::sheet::NotYet;
use crate::forms::{self, is_space, list};
use crate::puzzle::{CELLS, Malformed};

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
    /// The number of brackets at the start of an element, if the records are the elements of one
    /// array, in any number of lines.
    document: Option<usize>,
}

/// The use of keys that the first object of an input lacks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum OtherKeys {
    /// They are not written.
    #[default]
    Ignored,
    /// Objects are written as a whole, so these columns must not be among their keys.
    Copied(Vec<String>),
    /// They cannot be written, so the run ends.
    Refused,
}

impl fmt::Display for Objects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_document() { "a JSON array" } else { "JSON lines" })?;
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
    records.kept_puzzle = objects.kept_cells()[0];
    records.name_bytes = objects.name_bytes;
    let mut values = vec![None; objects.keys.len()];
    let (mut at, mut line) = (0, 0);
    if let Some(brackets) = objects.document {
        return read_elements(objects, brackets, block, cut_short, records);
    }
    while at < block.len() {
        let rest = &block[at..];
        let length = memchr(b'\n', rest).unwrap_or(rest.len());
        let text = rest[..length].strip_suffix(b"\r").unwrap_or(&rest[..length]);
        // The end of a DOS file.
        let text = text.strip_suffix(b"\x1A").unwrap_or(text);
        let place = LinePosition { line, start: at as u32, indent: 0 };
        values.fill(None);
        match text.trim_ascii_start().first() {
            Some(b'#') => records.comments += 1,
            None if !cut_short || at + length < block.len() => records.blank_lines += 1,
            _ if cut_short && at + length == block.len() => {
                records.push_malformed(place, text.len(), too_long(text.len()));
                objects.push_others(text, place, &values, false, records);
            }
            _ => objects.read_line((text, block), place, &mut values, records),
        }
        at += length + 1;
        line += 1;
    }
}

/// Reads the elements of an array of which a block is a part. Elements are separated by commas.
fn read_elements(
    objects: &Objects,
    brackets: usize,
    block: &[u8],
    cut_short: bool,
    records: &mut Records,
) {
    let mut values = vec![None; objects.keys.len()];
    let (mut at, mut line) = (0, 0);
    while let Some(start) = element_start(block, at, brackets) {
        line += memchr_iter(b'\n', &block[at..start]).count() as u32;
        let end = element_end(block, start).unwrap_or(block.len());
        let text = &block[start..end];
        let place = LinePosition { line, start: start as u32, indent: 0 };
        values.fill(None);
        if cut_short && end == block.len() {
            records.push_malformed(place, text.len(), too_long(text.len()));
            objects.push_others(text, place, &values, false, records);
        } else {
            objects.read_line((text, block), place, &mut values, records);
        }
        line += memchr_iter(b'\n', text).count() as u32;
        at = end;
    }
}

/// Returns the offset of the next element of an array, after commas, whitespace, and the brackets of
/// the array. An element starts with this number of brackets.
fn element_start(bytes: &[u8], from: usize, brackets: usize) -> Option<usize> {
    let skip = |from: usize| {
        let is_between = |byte: &u8| matches!(byte, b',' | b']') || is_space(*byte);
        from + bytes[from..].iter().take_while(|byte| is_between(byte)).count()
    };
    let mut start = skip(from);
    if self::brackets(&bytes[start..]) > brackets {
        start = skip(start + 1);
    }
    (start < bytes.len()).then_some(start)
}

/// Returns the number of brackets at the start of a text.
fn brackets(text: &[u8]) -> usize {
    let brackets = text.iter().filter(|byte| !is_space(**byte)).take_while(|byte| **byte == b'[');
    brackets.take(3).count()
}

/// Returns the end of the element that starts here, if it is complete.
fn element_end(bytes: &[u8], start: usize) -> Option<usize> {
    let (mut depth, mut is_string) = (0_usize, false);
    let mut at = start;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' if is_string => at += 1,
            b'"' => is_string = !is_string,
            _ if is_string => {}
            b'[' | b'{' => depth += 1,
            b']' | b'}' if depth > 0 => depth -= 1,
            b',' | b']' | b'}' if depth == 0 => return Some(at),
            _ => {}
        }
        at += 1;
        let is_closed = depth == 0 && !is_string && matches!(byte, b']' | b'}' | b'"');
        if is_closed {
            return Some(at);
        }
    }
    None
}

/// Returns the end of the last complete element in `bytes`, which start at an element, or 0.
pub(super) fn last_element_end(brackets: usize, bytes: &[u8]) -> usize {
    let mut end = 0;
    while let Some(start) = element_start(bytes, end, brackets)
        && let Some(next) = element_end(bytes, start)
    {
        end = next;
    }
    end
}

/// Returns the end of the first `count` elements in `bytes`, which start at an element.
pub(super) fn end_of_elements(brackets: usize, bytes: &[u8], count: usize) -> usize {
    let mut end = 0;
    for _ in 0..count {
        let Some(start) = element_start(bytes, end, brackets) else { break };
        let Some(next) = element_end(bytes, start) else { break };
        end = next;
    }
    end
}

/// Returns whether a text starts with an array whose elements are puzzles or objects with puzzles,
/// and the offset of the first element.
///
/// An array of 81 cells or of nine rows is a puzzle.
///
/// # Errors
/// Fails if more bytes are needed.
pub(super) fn document_start(text: &[u8]) -> Result<Option<usize>, NotYet> {
    let Some(inner) = text.trim_ascii_start().strip_prefix(b"[") else { return Ok(None) };
    let element = inner.trim_ascii_start();
    let is_document = match element {
        [] => return Err(NotYet),
        [b'{', rest @ ..] => match rest.trim_ascii_start().first() {
            None => return Err(NotYet),
            Some(next) => matches!(next, b'"' | b'}'),
        },
        // Shorter strings are cells or rows.
        [b'"', rest @ ..] => match rest.iter().position(|&byte| byte == b'"') {
            None if rest.len() < CELLS => return Err(NotYet),
            None => true,
            Some(length) => length >= CELLS,
        },
        [b'[', rest @ ..] => match rest.trim_ascii_start().first() {
            None => return Err(NotYet),
            Some(b'[') => true,
            Some(_) => {
                let commas = rest.iter().take_while(|byte| **byte != b']');
                let commas = commas.filter(|byte| **byte == b',').count();
                if commas < 9 && !rest.contains(&b']') {
                    return Err(NotYet);
                }
                commas > 9
            }
        },
        _ => false,
    };
    Ok(is_document.then(|| element.as_ptr().addr() - text.as_ptr().addr()))
}

/// Returns whether a text is an array without elements.
pub(super) fn is_empty_array(text: &[u8]) -> bool {
    let inner = text.trim_ascii().strip_prefix(b"[").and_then(|text| text.strip_suffix(b"]"));
    inner.is_some_and(|inner| inner.trim_ascii().is_empty())
}

/// Returns whether a text starts with an object in several lines. Returns `None` if it needs more
/// bytes.
pub(super) fn starts_with_long_object(text: &[u8]) -> Option<bool> {
    let Some(inner) = text.trim_ascii_start().strip_prefix(b"{") else { return Some(false) };
    let rest = inner.trim_ascii_start();
    let first = rest.first()?;
    Some(*first == b'"' && inner[..inner.len() - rest.len()].contains(&b'\n'))
}

/// Returns the first element of an array, if it is complete.
pub(super) fn first_element(text: &[u8], start: usize) -> Option<&[u8]> {
    element_end(text, start).map(|end| &text[start..end])
}

/// Returns the keys and the texts of the values of an object, in order.
pub(super) fn entries(line: &[u8]) -> Option<Vec<(String, &str)>> {
    strict_entries(line).or_else(|| {
        let finite = without_nan(line)?;
        let entries = strict_entries(&finite)?;
        entries
            .into_iter()
            .map(|(key, value)| Some((key, same_part(value, &finite, line)?)))
            .collect()
    })
}

/// Returns the first entries of an object of which only the beginning is known.
pub(super) fn first_entries(begin: &[u8]) -> Vec<(String, &str)> {
    let mut json = Deserializer::from_slice(begin);
    let mut entries = Vec::new();
    let each = EntryVisitor { key: str::to_owned, entry: |key, value| entries.push((key, value)) };
    // The end is missing.
    let _ = json.deserialize_map(each);
    entries
}

fn strict_entries(line: &[u8]) -> Option<Vec<(String, &str)>> {
    let mut json = Deserializer::from_slice(line);
    let mut entries = Vec::new();
    let each = EntryVisitor { key: str::to_owned, entry: |key, value| entries.push((key, value)) };
    json.deserialize_map(each).and_then(|()| json.end()).ok().map(|()| entries)
}

/// Returns the value at a path of keys in an object.
fn at_path<'a>(value: &'a str, path: &str) -> Option<&'a str> {
    let entries = strict_entries(value.as_bytes())?;
    entries.into_iter().rev().find_map(|(key, value)| match path.strip_prefix(&*key)? {
        "" => Some(value),
        rest => at_path(value, rest.strip_prefix('.')?),
    })
}

/// Replaces `NaN` and `Infinity` outside strings, which are not JSON, with numbers of the same
/// length; returns `None` if there are none.
fn without_nan(line: &[u8]) -> Option<Vec<u8>> {
    let (mut finite, mut is_string, mut is_any, mut at) = (line.to_vec(), false, false, 0);
    while let Some(&byte) = line.get(at) {
        let rest = &line[at..];
        let length = match byte {
            b'\\' if is_string => 2,
            b'"' => {
                is_string = !is_string;
                1
            }
            b'N' if !is_string && rest.starts_with(b"NaN") => 3,
            b'I' if !is_string && rest.starts_with(b"Infinity") => 8,
            _ => 1,
        };
        if matches!(byte, b'N' | b'I') && length > 1 {
            finite[at..at + length].fill(b'1');
            is_any = true;
        }
        at += length;
    }
    is_any.then_some(finite)
}

/// Returns the part of `line` at the place of `part` in a text that differs only in ASCII.
fn same_part<'a>(part: &str, of: &[u8], line: &'a [u8]) -> Option<&'a str> {
    let at = offset(part, of);
    std::str::from_utf8(&line[at..at + part.len()]).ok()
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

    #[inline(always)]
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

    #[inline(always)]
    fn deserialize<D: serde::Deserializer<'de>>(self, key: D) -> Result<K, D::Error> {
        key.deserialize_str(self)
    }
}

impl<K, F: FnMut(&str) -> K> Visitor<'_> for KeyVisitor<'_, F> {
    type Value = K;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    #[inline(always)]
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

    /// Reads the elements of an array like this one instead of lines.
    pub(super) fn of_document(self, element: &[u8]) -> Self {
        Self { document: Some(brackets(element)), ..self }
    }

    /// Returns the number of brackets at the start of an element, if the records are the elements of
    /// one array.
    pub(super) fn document(&self) -> Option<usize> {
        self.document
    }

    /// Returns whether the records are the elements of one array.
    pub fn is_document(&self) -> bool {
        self.document.is_some()
    }

    /// Sets the use of keys that are not kept.
    pub(super) fn set_other_keys(&mut self, others: OtherKeys) {
        self.others = others;
    }

    /// Keeps the keys of another input, if it has the same keys of puzzles and solutions; returns
    /// whether it has.
    pub(super) fn keep_as(&mut self, first: &Self) -> bool {
        let cells = |objects: &Self| {
            [objects.puzzle, objects.answer].map(|key| key.map(|key| objects.keys[key].clone()))
        };
        let [puzzle, answer] = cells(self);
        let is_alike = [&puzzle, &answer] == cells(first).each_ref() && puzzle.is_some();
        if is_alike {
            *self = Self { document: self.document, ..Self::new(puzzle, answer, first.kept()) };
        }
        is_alike
    }

    /// Returns the number of bytes of the kept fields of a record, with the keys.
    pub(super) fn record_bytes(&self) -> usize {
        self.name_bytes + self.kept.len() * size_of::<Field>()
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
        (line, block): (&'de [u8], &[u8]),
        place: LinePosition,
        values: &mut [Option<&'de str>],
        records: &mut Records,
    ) {
        let mut refused = None;
        let puzzle = self.parse(line, values, &mut refused);
        if records.refused.is_none() {
            records.refused = refused.map(|why| (place.line, why));
        }
        let pushed = puzzle.and_then(|puzzle| push(puzzle, line, place, records));
        match pushed {
            Ok(()) => self.push_others(line, place, values, true, records),
            Err(malformed) => {
                let text = Field::new(0..line.len(), FieldForm::Plain).moved(place.start);
                records.push_malformed_text(place, 0, (block, text), malformed);
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
    ) -> Result<&'de str, Malformed> {
        match self.parse_strict(line, values, refused) {
            Err(malformed) => self.parse_finite(line, malformed, values, refused),
            found => found,
        }
    }

    /// Parses a line that is not JSON because of numbers such as `NaN`.
    #[cold]
    #[inline(never)]
    fn parse_finite<'de>(
        &self,
        line: &'de [u8],
        malformed: Malformed,
        values: &mut [Option<&'de str>],
        refused: &mut Option<String>,
    ) -> Result<&'de str, Malformed> {
        let Some(finite) = without_nan(line) else { return Err(malformed) };
        let mut others = vec![None; values.len()];
        let value = self.parse_strict(&finite, &mut others, refused)?;
        for (value, other) in values.iter_mut().zip(others) {
            *value = other.and_then(|other| same_part(other, &finite, line));
        }
        same_part(value, &finite, line).ok_or(malformed)
    }

    fn parse_strict<'de>(
        &self,
        line: &'de [u8],
        values: &mut [Option<&'de str>],
        refused: &mut Option<String>,
    ) -> Result<&'de str, Malformed> {
        let mut json = Deserializer::from_slice(line);
        let is_object = line.trim_ascii_start().starts_with(b"{");
        let value = if is_object {
            let mut next = 0;
            let each = EntryVisitor {
                key: |key: &str| {
                    // Most objects have the same keys in the same order.
                    let known = match self.keys.get(next) {
                        Some(expected) if expected == key => Some(next),
                        _ => self.keys.iter().position(|known| known == key),
                    };
                    next = known.map_or(next, |known| known + 1);
                    if known.is_none() && refused.is_none() {
                        *refused = self.others.refuse(key);
                    }
                    known
                },
                entry: |key: Option<usize>, value| {
                    if let Some(key) = key {
                        values[key] = Some(value);
                    }
                },
            };
            json.deserialize_map(each).map(|()| None)
        } else {
            <&RawValue>::deserialize(&mut json).map(Some)
        };
        let value = match value.and_then(|value| json.end().map(|()| value)) {
            Ok(value) => value,
            Err(error) => {
                // Keys before the error are not those of an object.
                values.fill(None);
                *refused = None;
                return Err(json_error(line, &error));
            }
        };
        if let Some(value) = value {
            if let Some(puzzle) = self.puzzle {
                values[puzzle] = Some(value.get());
            }
            return Ok(value.get());
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

    /// Stores the values of the keys of inner objects.
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
        records.kept.extend(self.kept.iter().map(|&kept| field(values[kept])));
    }
}

impl OtherKeys {
    /// Returns why a key is refused, if it is.
    fn refuse(&self, key: &str) -> Option<String> {
        match self {
            Self::Copied(columns) if columns.iter().any(|column| column == key) => {
                Some(format!("the key {key:?} is not in the first object, but a computed column"))
            }
            Self::Refused => Some(format!(
                "the key {key:?} was not found in the first object, so rows have no such column; \
                 write jsonl, or name the columns"
            )),
            _ => None,
        }
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
        // The last three are not JSON.
        b"null" | b"NaN" | b"Infinity" | b"-Infinity" => Field::MISSING,
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
