//! The keys and values of JSON objects.

use std::borrow::Cow;
use std::fmt;

use memchr::memchr2;
use serde::Deserialize;
use serde::de::{Deserializer as _, MapAccess, Visitor};
use serde_json::Deserializer;
use serde_json::value::RawValue;

use super::offset;

pub(crate) fn entries(line: &[u8]) -> Option<Vec<(String, &str)>> {
    strict_entries(line).or_else(|| {
        let finite = without_nan(line)?;
        let entries = strict_entries(&finite)?;
        entries
            .into_iter()
            .map(|(key, value)| Some((key, same_part(value, &finite, line)?)))
            .collect()
    })
}

/// Returns the first entries of an object of which only the beginning is known. The last value may
/// be unknown.
pub(in crate::input) fn first_entries(begin: &[u8]) -> Vec<(String, &str)> {
    let mut entries = Vec::new();
    // The end is missing.
    let _ = for_each_entry(begin, |key, value| match (value, entries.last_mut()) {
        (Some(value), Some((_, last))) => *last = value,
        _ => entries.push((key.to_owned(), "")),
    });
    entries
}

fn strict_entries(line: &[u8]) -> Option<Vec<(String, &str)>> {
    let mut entries = Vec::new();
    for_each_entry(line, |key, value| entries.extend(value.map(|value| (key.to_owned(), value))))
        .ok()?;
    Some(entries)
}

/// Calls `entry` twice for each entry of an object: with its key, and with its key and the text of
/// its value.
pub(super) fn for_each_entry<'de>(
    line: &'de [u8],
    entry: impl FnMut(&str, Option<&'de str>),
) -> serde_json::Result<()> {
    let mut json = Deserializer::from_slice(line);
    json.deserialize_map(EntryVisitor(entry))?;
    json.end()
}

/// Calls `entry` with the keys and the texts of the values of a plain object, which has neither
/// escapes nor arrays nor inner objects. This takes a fraction of the time of [`for_each_entry`].
///
/// Returns `None` for any other text, possibly after some calls.
#[inline]
pub(super) fn for_each_plain_entry<'de>(
    line: &'de [u8],
    mut entry: impl FnMut(&'de str, &'de str),
) -> Option<()> {
    let text = std::str::from_utf8(line).ok()?;
    let skip_blanks = |mut at: usize| {
        while let Some(b' ' | b'\t' | b'\r') = line.get(at) {
            at += 1;
        }
        at
    };
    let mut at = skip_blanks(0);
    if line.get(at) != Some(&b'{') {
        return None;
    }
    loop {
        let key = skip_blanks(at + 1);
        let key_end = key + plain_string(&line[key..])?;
        let colon = skip_blanks(key_end);
        if line.get(colon) != Some(&b':') {
            return None;
        }
        let value = skip_blanks(colon + 1);
        let value_end = value + plain_value(&line[value..])?;
        entry(&text[key + 1..key_end - 1], &text[value..value_end]);
        at = skip_blanks(value_end);
        match line.get(at)? {
            b',' => {}
            b'}' => return (skip_blanks(at + 1) == line.len()).then_some(()),
            _ => return None,
        }
    }
}

/// Returns the length of the string at the start of a text, with its quotes, if it has no escapes.
#[inline]
fn plain_string(text: &[u8]) -> Option<usize> {
    let inner = text.strip_prefix(b"\"")?;
    let end = memchr2(b'"', b'\\', inner)?;
    let is_plain =
        inner[end] == b'"' && inner[..end].iter().fold(u8::MAX, |a, &b| a.min(b)) >= b' ';
    is_plain.then_some(end + 2)
}

/// Returns the length of the string, number, or constant at the start of a text.
#[inline]
fn plain_value(text: &[u8]) -> Option<usize> {
    let digits = |from: usize| text[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    match text.first()? {
        b'"' => plain_string(text),
        b'0'..=b'9' | b'-' => {
            let first = usize::from(text[0] == b'-');
            let whole = digits(first);
            // Exponents are rare.
            let is_valid = whole == 1 || whole > 1 && text[first] != b'0';
            let end = first + whole;
            let fraction = match text.get(end) {
                Some(b'.') => 1 + Some(digits(end + 1)).filter(|&digits| digits > 0)?,
                _ => 0,
            };
            is_valid.then_some(end + fraction)
        }
        _ => {
            let constants = [&b"null"[..], b"true", b"false"];
            constants.into_iter().find(|word| text.starts_with(word)).map(<[u8]>::len)
        }
    }
}

pub(crate) fn at_path<'a>(value: &'a str, path: &str) -> Option<&'a str> {
    let entries = strict_entries(value.as_bytes())?;
    entries.into_iter().rev().find_map(|(key, value)| match path.strip_prefix(&*key)? {
        "" => Some(value),
        rest => at_path(value, rest.strip_prefix('.')?),
    })
}

/// Replaces `NaN` and `Infinity` outside strings, which are not JSON, with numbers of the same
/// length; returns `None` if there are none.
pub(super) fn without_nan(line: &[u8]) -> Option<Vec<u8>> {
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
            b'n' if !is_string && rest.starts_with(b"nan") => 3,
            b'I' if !is_string && rest.starts_with(b"Infinity") => 8,
            _ => 1,
        };
        if matches!(byte, b'N' | b'n' | b'I') && length > 1 {
            finite[at..at + length].fill(b'1');
            is_any = true;
        }
        at += length;
    }
    is_any.then_some(finite)
}

/// Replaces `NaN` and `Infinity` outside strings with `null`.
pub(crate) fn nulls_for_nan(text: &[u8]) -> Cow<'_, [u8]> {
    let Some(finite) = without_nan(text) else { return Cow::Borrowed(text) };
    let mut nulls = Vec::with_capacity(text.len());
    for run in
        text.iter().zip(&finite).collect::<Vec<_>>().chunk_by(|a, b| (a.0 == a.1) == (b.0 == b.1))
    {
        if run[0].0 == run[0].1 {
            nulls.extend(run.iter().map(|(byte, _)| **byte));
        } else {
            nulls.pop_if(|last| *last == b'-');
            nulls.extend_from_slice(b"null");
        }
    }
    Cow::Owned(nulls)
}

/// Returns the part of `line` at the place of `part` in a text that differs only in ASCII.
pub(super) fn same_part<'a>(part: &str, of: &[u8], line: &'a [u8]) -> Option<&'a str> {
    let at = offset(part, of);
    std::str::from_utf8(&line[at..at + part.len()]).ok()
}

struct EntryVisitor<F>(F);

/// A key, which is copied only if it has escapes.
#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'de, F: FnMut(&str, Option<&'de str>)> Visitor<'de> for EntryVisitor<F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    #[inline(always)]
    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some(Key(key)) = map.next_key()? {
            (self.0)(&key, None);
            let value: &RawValue = map.next_value()?;
            (self.0)(&key, Some(value.get()));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_objects_have_the_entries_of_all_others() {
        let texts = [
            r#"{"puzzle":"53..7","n":-12.5,"t":true,"e":"é","o":0}"#,
            r#" { "a" : null , "a":"x" , "b": false}  "#,
            r#"{"a":10,"b":{"c":1},"d":[1,2]}"#,
        ];
        let mut plain_ones = 0;
        for text in texts {
            for at in 0..=text.len() {
                for other in b"\"\\{}[]:,.-+019 \t\r\n\x01\x80\xc3eEntfx" {
                    for removed in [0, 1] {
                        let mut line = text.as_bytes().to_vec();
                        line.splice(at..(at + removed).min(text.len()), [*other]);
                        let mut plain = Vec::new();
                        let add = |key: &str, value| plain.push((key.to_owned(), value));
                        if for_each_plain_entry(&line, add).is_some() {
                            assert_eq!(strict_entries(&line), Some(plain), "{line:?}");
                            plain_ones += 1;
                        }
                    }
                }
            }
        }
        assert!(plain_ones > 500, "{plain_ones}");
    }
}
