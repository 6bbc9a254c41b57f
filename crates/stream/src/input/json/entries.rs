//! The keys and values of JSON objects.

use std::borrow::Cow;

use memchr::memchr2;
use serde::Deserialize;
use serde_json::Deserializer;
use serde_json::value::RawValue;

use super::offset;

/// Returns the keys of an object with the texts of their values. Numbers may be `NaN` or `Infinity`.
pub(crate) fn entries(text: &[u8]) -> Option<Vec<(String, &str)>> {
    strict_entries(text).or_else(|| {
        let finite = without_nan(text)?;
        let entries = strict_entries(&finite)?.into_iter();
        entries.map(|(key, value)| Some((key, same_part(value, &finite, text)?))).collect()
    })
}

fn strict_entries(text: &[u8]) -> Option<Vec<(String, &str)>> {
    let mut entries = Vec::new();
    for_each_entry(text, |key, value| entries.push((key.to_owned(), value))).ok()?;
    Some(entries)
}

/// Returns the only value of a text. Numbers may be `NaN` or `Infinity`.
pub(super) fn value(text: &[u8]) -> Option<&str> {
    strict_value(text).or_else(|| {
        let finite = without_nan(text)?;
        same_part(strict_value(&finite)?, &finite, text)
    })
}

fn strict_value(text: &[u8]) -> Option<&str> {
    serde_json::from_slice(text).ok().map(RawValue::get)
}

/// Returns the part of `line` at the place of `part` in a text that differs only in ASCII.
fn same_part<'a>(part: &str, of: &[u8], line: &'a [u8]) -> Option<&'a str> {
    let at = offset(part, of);
    str::from_utf8(&line[at..at + part.len()]).ok()
}

/// Returns the first entries of an object of which only the beginning is known. The value of the last
/// one may be incomplete.
pub(in crate::input) fn first_entries(begin: &[u8]) -> Vec<(String, &str)> {
    let begin = begin.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    let mut entries = Vec::new();
    let fault =
        for_each_entry(begin.as_bytes(), |key, value| entries.push((key.to_owned(), value)));
    if let Err(at) = fault
        && let Some((key, length)) = begin.get(at + 1..).and_then(first::<String>)
        && let Some(value) = begin[at + 1 + length..].trim_ascii_start().strip_prefix(':')
    {
        entries.push((key, value.trim_ascii()));
    }
    entries
}

/// Calls `entry` with the keys of an object and the texts of its values. Fails for another text,
/// possibly after some calls, with the offset of the comma or brace before the fault.
///
/// Strings without escapes, numbers, and constants are found here, and other values by `serde_json`,
/// which takes several times as long.
#[inline]
pub(super) fn for_each_entry<'de>(
    line: &'de [u8],
    mut entry: impl FnMut(&str, &'de str),
) -> Result<(), usize> {
    let text = str::from_utf8(line).map_err(|_| 0_usize)?;
    let skip_blanks = |mut at: usize| {
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = line.get(at) {
            at += 1;
        }
        at
    };
    let mut at = skip_blanks(0);
    if line.get(at) != Some(&b'{') {
        return Err(at);
    }
    loop {
        let start = skip_blanks(at + 1);
        let (key, length) = match plain_string(&line[start..]) {
            Some(length) => (Cow::Borrowed(&text[start + 1..start + length - 1]), length),
            None if line[at] == b'{' && line.get(start) == Some(&b'}') => {
                return if skip_blanks(start + 1) == line.len() { Ok(()) } else { Err(at) };
            }
            None => first(&text[start..]).ok_or(at)?,
        };
        let colon = skip_blanks(start + length);
        if line.get(colon) != Some(&b':') {
            return Err(at);
        }
        let value = skip_blanks(colon + 1);
        let length = match plain_value(&line[value..]) {
            Some(length) => length,
            None => first::<&RawValue>(&text[value..]).ok_or(at)?.1,
        };
        entry(&key, &text[value..value + length]);
        let end = skip_blanks(value + length);
        match line.get(end) {
            Some(b',') => at = end,
            Some(b'}') if skip_blanks(end + 1) == line.len() => return Ok(()),
            _ => return Err(at),
        }
    }
}

/// Returns the JSON value at the start of a text, and its length.
#[cold]
#[inline(never)]
fn first<'a, T: Deserialize<'a>>(text: &'a str) -> Option<(T, usize)> {
    let mut values = Deserializer::from_str(text).into_iter();
    let value = values.next()?.ok()?;
    Some((value, values.byte_offset()))
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

/// Returns the length of the string, number without an exponent, or constant at the start of a text.
#[inline]
fn plain_value(text: &[u8]) -> Option<usize> {
    let digits = |from: usize| text[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    match text.first()? {
        b'"' => plain_string(text),
        b'0'..=b'9' | b'-' => {
            let first = usize::from(text[0] == b'-');
            let whole = digits(first);
            let is_valid = whole == 1 || whole > 1 && text[first] != b'0';
            let end = first + whole;
            let fraction = match text.get(end) {
                Some(b'.') => 1 + Some(digits(end + 1)).filter(|&digits| digits > 0)?,
                _ => 0,
            };
            let end = end + fraction;
            (is_valid && !matches!(text.get(end), Some(b'e' | b'E'))).then_some(end)
        }
        _ => {
            let constants = [&b"null"[..], b"true", b"false"];
            constants.into_iter().find(|word| text.starts_with(word)).map(<[u8]>::len)
        }
    }
}

/// Returns the value at a path of keys with dots between them.
pub(crate) fn at_path<'a>(value: &'a str, path: &str) -> Option<&'a str> {
    let entries = entries(value.as_bytes())?;
    entries.into_iter().rev().find_map(|(key, value)| match path.strip_prefix(&*key)? {
        "" => Some(value),
        rest => at_path(value, rest.strip_prefix('.')?),
    })
}

/// Replaces `NaN` and `Infinity` outside strings, which are not JSON, with numbers of the same
/// length; returns `None` if there are none.
pub(super) fn without_nan(line: &[u8]) -> Option<Vec<u8>> {
    let mut finite = line.to_vec();
    let places = non_finite(line);
    places.iter().for_each(|(at, length)| finite[*at..at + length].fill(b'1'));
    (!places.is_empty()).then_some(finite)
}

/// Replaces `NaN` and `Infinity` outside strings with `null`.
pub(crate) fn nulls_for_nan(text: &[u8]) -> Cow<'_, [u8]> {
    let places = non_finite(text);
    if places.is_empty() {
        return Cow::Borrowed(text);
    }
    let (mut nulls, mut rest) = (Vec::with_capacity(text.len()), 0);
    for (at, length) in places {
        let before = &text[rest..at];
        nulls.extend_from_slice(before.strip_suffix(b"-").unwrap_or(before));
        nulls.extend_from_slice(b"null");
        rest = at + length;
    }
    nulls.extend_from_slice(&text[rest..]);
    Cow::Owned(nulls)
}

/// Returns the offsets and lengths of `NaN` and `Infinity` outside strings.
fn non_finite(line: &[u8]) -> Vec<(usize, usize)> {
    let (mut places, mut is_string, mut at) = (Vec::new(), false, 0);
    while let Some(&byte) = line.get(at) {
        let words = [&b"NaN"[..], b"nan", b"Infinity"];
        let word = words.into_iter().find(|word| !is_string && line[at..].starts_with(word));
        if let Some(word) = word {
            places.push((at, word.len()));
        }
        is_string ^= byte == b'"';
        at += word.map_or(1 + usize::from(is_string && byte == b'\\'), <[u8]>::len);
    }
    places
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn objects_have_the_entries_that_serde_json_finds() {
        let texts = [
            r#"{"puzzle":"53..7","n":-12.5,"t":true,"e":"é","o":0}"#,
            r#" { "a" : null , "a":"x" , "b": false}  "#,
            r#"{"a":10,"b":{"c":1},"d":[1,2]}"#,
        ];
        let mut valid = 0;
        for text in texts {
            for at in 0..=text.len() {
                for other in b"\"\\{}[]:,.-+019 \t\r\n\x01\x80\xc3eEntfx" {
                    for removed in [0, 1] {
                        let mut line = text.as_bytes().to_vec();
                        line.splice(at..(at + removed).min(text.len()), [*other]);
                        let expected = serde_json::from_slice::<HashMap<String, &RawValue>>(&line);
                        let expected = expected.ok().map(|entries| {
                            entries.into_iter().map(|(key, value)| (key, value.get())).collect()
                        });
                        let found: Option<HashMap<_, _>> =
                            strict_entries(&line).map(|entries| entries.into_iter().collect());
                        assert_eq!(found, expected, "{line:?}");
                        valid += usize::from(found.is_some());
                    }
                }
            }
        }
        assert!(valid > 500, "{valid}");
    }
}
