//! Patterns of the cells that are clues.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::board::UNITS;
use crate::forms;
use crate::puzzle::CELLS;

/// The cells that are clues. The pattern of all cells leaves them open.
///
/// ```
/// # use bulkdoku_core as bulkdoku;
/// use bulkdoku::generate::Pattern;
///
/// let pattern: Pattern = "111111111
///                         1.......1
///                         1.11111.1
///                         1.1...1.1
///                         1.1.1.1.1
///                         1.1...1.1
///                         1.11111.1
///                         1.......1
///                         111111111".parse()?;
/// assert_eq!(pattern.cells(), 49);
/// # Ok::<(), bulkdoku::generate::BadPattern>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pattern(u128);

/// The smallest number of clues with which a puzzle can have one solution ([McGuire, Tugemann,
/// Civario](https://arxiv.org/abs/1201.0749)).
pub const MIN_CLUES: usize = 17;

impl Pattern {
    /// All cells.
    pub const ALL: Self = Self((1 << CELLS) - 1);

    /// Returns the number of cells.
    pub fn cells(&self) -> usize {
        self.0.count_ones() as usize
    }

    /// Returns the cells as bits.
    pub fn mask(&self) -> u128 {
        self.0
    }

    /// Describes two lines of a chute without a cell, if there are any. They could be exchanged in
    /// every solution.
    fn empty_lines(self) -> Option<String> {
        for (name, first) in [("rows", 0), ("columns", 9)] {
            for chute in 0..3 {
                let lines = chute * 3..chute * 3 + 3;
                let is_empty = |line: &usize| self.0 & UNITS[first + line] == 0;
                let empty: Vec<_> = lines.filter(is_empty).collect();
                if let [first, second, ..] = empty[..] {
                    return Some(format!("{name} {} and {}", first + 1, second + 1));
                }
            }
        }
        None
    }
}

/// The reason that a text is not a pattern.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct BadPattern(String);

impl FromStr for Pattern {
    type Err = BadPattern;

    /// Parses a puzzle in any form, whose clues are the cells, or 81 cells with any white space
    /// between them: `#` or a digit from 1 to 9 for a clue, `.` or 0 for the others.
    fn from_str(text: &str) -> Result<Self, BadPattern> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let puzzle = forms::form(text.as_bytes()).and_then(|form| form.marks().puzzle());
        let drawn = puzzle.map(|puzzle| puzzle.to_string());
        let text = drawn.as_deref().unwrap_or(text);
        let (mut mask, mut cells) = (0_u128, 0);
        for (line, in_line) in text.lines().enumerate() {
            for (column, found) in in_line.chars().enumerate() {
                let is_allowed = match found {
                    '#' | '1'..='9' => true,
                    '.' | '0' => false,
                    _ if found.is_whitespace() => continue,
                    _ => {
                        let (line, column) = (line + 1, column + 1);
                        return Err(BadPattern(format!(
                            "{line}:{column}: {found:?} is not a cell; write # or 1 to 9 for a clue, . or \
                             0 for a blank"
                        )));
                    }
                };
                if is_allowed && cells < CELLS {
                    mask |= 1 << cells;
                }
                cells += 1;
            }
        }
        let pattern = Self(mask);
        let clues = pattern.cells();
        let why = if cells != CELLS {
            format!("the pattern has {cells} cells, not {CELLS}")
        } else if clues < MIN_CLUES {
            format!(
                "the pattern has {clues} clues; with fewer than {MIN_CLUES} no puzzle has \
                 exactly one solution"
            )
        } else if let Some(lines) = pattern.empty_lines() {
            format!(
                "{lines} have no clue, so they could be exchanged: no puzzle has exactly one solution"
            )
        } else {
            return Ok(pattern);
        };
        Err(BadPattern(format!("1:1: {why}")))
    }
}

impl fmt::Display for Pattern {
    /// Formats 81 characters, with `#` for a clue.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text: String =
            (0..CELLS).map(|cell| if self.0 >> cell & 1 == 0 { '.' } else { '#' }).collect();
        f.pad(&text)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::puzzle::CLASSIC;

    #[test]
    fn a_puzzle_is_a_pattern() {
        let line = CLASSIC;
        let pattern: Pattern = line.parse().unwrap();
        assert_eq!(pattern.cells(), 30);
        let rows: Vec<_> = line.as_bytes().chunks(9).map(String::from_utf8_lossy).collect();
        assert_eq!(rows.join(" \r\n").parse(), Ok(pattern));
        assert_eq!(line.replace('.', "*").parse(), Ok(pattern));
        assert_eq!(format!("{rows:?}").parse(), Ok(pattern));
        assert_eq!(pattern.to_string().parse(), Ok(pattern));
    }

    #[test]
    fn invalid_patterns_are_rejected_with_the_reason() {
        let parsed = |text: &str| text.parse::<Pattern>().unwrap_err().to_string();
        assert!(parsed("##\n#x").starts_with("2:2: 'x' is not a cell"));
        assert_eq!(parsed(&"#".repeat(82)), "1:1: the pattern has 82 cells, not 81");
        assert_eq!(parsed(""), "1:1: the pattern has 0 cells, not 81");
        assert!(parsed(&format!("{}{}", "#".repeat(16), ".".repeat(65))).contains("16 clues"));
        let no_rows = format!("{}{}", "#".repeat(63), ".".repeat(18));
        assert!(parsed(&no_rows).starts_with("1:1: rows 8 and 9 have no clue"));
        let no_columns = "..#######".repeat(9);
        assert!(parsed(&no_columns).starts_with("1:1: columns 1 and 2 have no clue"));
    }

    proptest! {
        #[test]
        fn any_text_is_parsed_or_rejected(text in "[#.0-9x\n \u{e9}]{70,95}") {
            if let Ok(pattern) = text.parse::<Pattern>() {
                prop_assert!(pattern.cells() >= MIN_CLUES);
                prop_assert_eq!(pattern.to_string().parse(), Ok(pattern));
            }
        }

        #[test]
        fn any_characters_are_parsed_or_rejected(text in any::<String>()) {
            let _ = text.parse::<Pattern>();
        }
    }
}
