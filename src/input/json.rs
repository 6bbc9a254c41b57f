//! JSON lines: a value a line, an object with a puzzle under a key or the puzzle itself.
//!
//! A puzzle is a string of 81 cells or of 729 characters of pencil marks, or an array of 81 numbers
//! from 0 to 9, or of nine arrays of nine. What a record's own solution is, is written in the same
//! ways. Blank lines and lines that start with `#` are no records.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use memchr::memchr;
use serde::de::{DeserializeSeed, Deserializer as _, MapAccess, Visitor};
use serde_json::Deserializer;
use serde_json::value::RawValue;

use super::field::{Field, FieldForm};
use super::{Place, Records, lines, list};
use crate::puzzle::{CELLS, Malformed, Puzzle};

/// Which keys of the objects hold what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Objects {
    /// The key of the puzzles; without it each line is one.
    pub puzzle: Option<String>,
    /// The key of the solutions that the input itself gives, if they are wanted.
    pub answer: Option<String>,
    /// The keys that are carried into the output, in their order there.
    pub kept: Vec<String>,
    /// Whether these are meant to be all: then objects with others are counted.
    pub keeps_all: bool,
}

impl fmt::Display for Objects {
    /// `JSON lines, puzzles in key "quiz"`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON lines")?;
        if let Some(puzzle) = &self.puzzle {
            write!(f, ", puzzles in key {puzzle:?}")?;
        }
        match &self.answer {
            Some(answer) => write!(f, ", solutions in key {answer:?}"),
            None => Ok(()),
        }
    }
}

/// Reads the records of a block of whole lines; `cut_short` says that the block's last line was too
/// long for it.
pub fn read(objects: &Objects, block: &[u8], cut_short: bool, records: &mut Records) {
    records.clear();
    let wanted = Wanted::of(objects);
    let mut values = vec![None; wanted.keys.len()];
    let (mut at, mut line) = (0, 0);
    while at < block.len() {
        let rest = &block[at..];
        let length = memchr(b'\n', rest).unwrap_or(rest.len());
        let text = rest[..length].strip_suffix(b"\r").unwrap_or(&rest[..length]);
        let place = Place { line, start: at as u32, indent: 0 };
        match text.trim_ascii_start().first() {
            Some(b'#') => records.comments += 1,
            None if !cut_short || at + length < block.len() => records.blank_lines += 1,
            _ if cut_short && at + length == block.len() => {
                records.push_malformed(place, text.len(), lines::too_long(text.len()));
                wanted.push_nothing(records);
            }
            _ => {
                values.fill(None);
                wanted.read(text, place, &mut values, records);
            }
        }
        at += length + 1;
        line += 1;
    }
}

/// The keys of an object and their values.
pub(super) fn entries(line: &[u8]) -> Option<Vec<(String, &str)>> {
    struct Entries;
    impl<'de> Visitor<'de> for Entries {
        type Value = Vec<(String, &'de str)>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut entries = Vec::new();
            while let Some((key, value)) = map.next_entry::<String, &RawValue>()? {
                entries.push((key, value.get()));
            }
            Ok(entries)
        }
    }
    let mut json = Deserializer::from_slice(line);
    let entries = json.deserialize_map(Entries).ok()?;
    json.end().ok().map(|()| entries)
}

/// What a JSON value says as the text of a puzzle or a solution.
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

/// The keys that are wanted of each object, each once, and what for.
struct Wanted<'a> {
    keys: Vec<&'a str>,
    puzzle: Option<usize>,
    answer: Option<usize>,
    kept: Vec<usize>,
    keeps_all: bool,
}

impl<'a> Wanted<'a> {
    fn of(objects: &'a Objects) -> Self {
        let mut keys: Vec<&str> = Vec::new();
        let mut place = |key: &'a String| {
            keys.iter().position(|known| known == key).unwrap_or_else(|| {
                keys.push(key);
                keys.len() - 1
            })
        };
        let puzzle = objects.puzzle.as_ref().map(&mut place);
        let answer = objects.answer.as_ref().map(&mut place);
        let kept = objects.kept.iter().map(&mut place).collect();
        Self { keys, puzzle, answer, kept, keeps_all: objects.keeps_all }
    }

    /// Reads one line.
    fn read<'de>(
        &self,
        line: &'de [u8],
        place: Place,
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

    /// Fills in the values of the wanted keys, and whether there are others; returns that of the
    /// puzzle.
    fn parse<'de>(
        &self,
        line: &'de [u8],
        values: &mut [Option<&'de str>],
        has_others: &mut bool,
    ) -> Result<&'de str, Malformed> {
        let mut json = Deserializer::from_slice(line);
        let is_object = line.trim_ascii_start().starts_with(b"{");
        let value = if is_object {
            json.deserialize_map(Values { keys: &self.keys, found: values, has_others })
                .map(|()| None)
        } else {
            <&RawValue as serde::Deserialize<'de>>::deserialize(&mut json).map(Some)
        };
        let value = value.and_then(|value| json.end().map(|()| value));
        let value = value.map_err(|error| no_json(line, &error))?;
        if let Some(value) = value {
            return Ok(value.get());
        }
        let Some(puzzle) = self.puzzle else {
            let what = "an object; name the key (column) that holds the puzzle";
            return Err(Malformed { column: 1, what: what.into() });
        };
        values[puzzle].ok_or_else(|| {
            let what = format!("there is no key {:?}", self.keys[puzzle]);
            Malformed { column: 1, what }
        })
    }

    /// Adds what else is wanted of the last record.
    fn push_others(
        &self,
        line: &[u8],
        place: Place,
        values: &[Option<&str>],
        is_puzzle: bool,
        records: &mut Records,
    ) {
        if let Some(answer) = self.answer {
            let value = values[answer].filter(|_| is_puzzle);
            let field = match value.and_then(|value| Some((value, cells_of(value)?))) {
                Some((_, Cow::Owned(cells))) => {
                    let Range { start, end } = records.own(&cells);
                    Field { start, end, form: FieldForm::Own }
                }
                _ => value.map_or(Field::MISSING, |value| field(value, line, place)),
            };
            records.answers.push(field);
        }
        for &kept in &self.kept {
            let field = values[kept].map_or(Field::MISSING, |value| field(value, line, place));
            records.kept.push(field);
        }
    }

    /// The same for a record of which nothing is known.
    fn push_nothing(&self, records: &mut Records) {
        records.answers.extend(self.answer.map(|_| Field::MISSING));
        records.kept.extend(self.kept.iter().map(|_| Field::MISSING));
    }
}

/// Takes the values of some keys of an object.
struct Values<'a, 'de> {
    keys: &'a [&'a str],
    found: &'a mut [Option<&'de str>],
    /// Whether there are other keys.
    has_others: &'a mut bool,
}

impl<'de> Visitor<'de> for Values<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key_seed(Key(self.keys))? {
            let value: &RawValue = map.next_value()?;
            match key {
                Some(key) => self.found[key] = Some(value.get()),
                None => *self.has_others = true,
            }
        }
        Ok(())
    }
}

/// Finds the place of a key among those that are wanted.
struct Key<'a>(&'a [&'a str]);

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = Option<usize>;

    fn deserialize<D: serde::Deserializer<'de>>(self, key: D) -> Result<Self::Value, D::Error> {
        key.deserialize_str(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
        Ok(self.0.iter().position(|wanted| *wanted == key))
    }
}

/// Adds a record for the value that is the puzzle of a line.
fn push(
    value: &str,
    line: &[u8],
    mut place: Place,
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
        array @ [b'[', ..] => match list::puzzle(array) {
            Some(cells) => push_cells(&cells, at, place, records),
            None => Err(in_line(no_puzzle("an array that is not 81 cells or nine times nine"), at)),
        },
        [b'"', ..] => {
            let text = cells_of(value).unwrap_or_default();
            match <&[u8; CELLS]>::try_from(&*text) {
                Ok(cells) => push_cells(cells, at, place, records),
                Err(_) => Err(in_line(Malformed { column: 1, ..Malformed::new(&text) }, at)),
            }
        }
        b"null" => Err(in_line(no_puzzle("null"), at)),
        [b'{', ..] => Err(in_line(no_puzzle("an object"), at)),
        _ => Err(in_line(no_puzzle("a number or a truth value"), at)),
    }
}

fn push_cells(
    cells: &[u8; CELLS],
    at: usize,
    mut place: Place,
    records: &mut Records,
) -> Result<(), Malformed> {
    let puzzle =
        Puzzle::parse(cells).map_err(|malformed| Malformed { column: at + 1, ..malformed })?;
    place.indent = at as u32;
    records.push_cells(place, cells, puzzle);
    Ok(())
}

fn no_puzzle(what: &str) -> Malformed {
    let what = format!("{what} in the place of a puzzle; a string or an array of 81 cells is one");
    Malformed { column: 1, what }
}

/// A value of this line as a field.
fn field(value: &str, line: &[u8], place: Place) -> Field {
    let at = place.start as usize + offset(value, line);
    match value.as_bytes() {
        b"null" => Field::MISSING,
        [b'"', inner @ .., b'"'] => Field::new(at + 1..at + 1 + inner.len(), FieldForm::JsonString),
        _ => Field::new(at..at + value.len(), FieldForm::JsonValue),
    }
}

/// Where in the line a part of it begins.
fn offset(part: &str, line: &[u8]) -> usize {
    part.as_ptr().addr() - line.as_ptr().addr()
}

/// The column of the character at a byte, counted from 1.
fn column(line: &[u8], at: usize) -> usize {
    String::from_utf8_lossy(&line[..at.min(line.len())]).chars().count() + 1
}

/// What is wrong with a line that is no JSON.
fn no_json(line: &[u8], error: &serde_json::Error) -> Malformed {
    let text = error.to_string();
    let what = text.rsplit_once(" at line ").map_or(text.as_str(), |(what, _)| what);
    Malformed {
        column: column(line, error.column().saturating_sub(1)),
        what: format!("no JSON: {what}"),
    }
}
