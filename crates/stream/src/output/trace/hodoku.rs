//! Solving paths in the notation of `HoDoKu`, as people paste them into training data: a line per
//! step, such as `Naked Single: r1c5=8`, and an empty line after each record.
//!
//! Techniques that `HoDoKu` lacks, and chains, have its notation of cells and effects.

use std::fmt::Write;

use super::{trace, traced};
use crate::board::{Bits, Candidates, Cells, digits_of};
use crate::logic::{Step, Technique};
use crate::output::TextRows;

/// Returns the format of the steps of each record, one per line.
pub fn hodoku_steps() -> TextRows {
    traced(|rater, row, out| {
        let mut text = String::new();
        trace(rater, row, |step| push_step(step, &mut text));
        out.append(text.as_bytes());
        out.append(b"\n");
    })
}

/// Returns what `HoDoKu` calls a technique, or its own name.
fn name(technique: Technique) -> &'static str {
    use Technique as T;
    match technique {
        T::FullHouse => "Full House",
        T::HiddenSingleBox | T::HiddenSingleLine => "Hidden Single",
        T::NakedSingle => "Naked Single",
        T::Pointing => "Locked Candidates Type 1 (Pointing)",
        T::Claiming => "Locked Candidates Type 2 (Claiming)",
        T::NakedPair => "Naked Pair",
        T::NakedTriple => "Naked Triple",
        T::NakedQuad => "Naked Quadruple",
        T::HiddenPair => "Hidden Pair",
        T::HiddenTriple => "Hidden Triple",
        T::HiddenQuad => "Hidden Quadruple",
        T::XWing => "X-Wing",
        T::Swordfish => "Swordfish",
        T::Jellyfish => "Jellyfish",
        T::FinnedXWing => "Finned X-Wing",
        T::SashimiXWing => "Sashimi X-Wing",
        T::FinnedSwordfish => "Finned Swordfish",
        T::SashimiSwordfish => "Sashimi Swordfish",
        T::FinnedJellyfish => "Finned Jellyfish",
        T::SashimiJellyfish => "Sashimi Jellyfish",
        T::Skyscraper => "Skyscraper",
        T::TwoStringKite => "2-String Kite",
        T::TurbotFish => "Turbot Fish",
        T::EmptyRectangle => "Empty Rectangle",
        T::XYWing => "XY-Wing",
        T::XYZWing => "XYZ-Wing",
        T::WWing => "W-Wing",
        T::RemotePair => "Remote Pair",
        T::SimpleColors => "Simple Colors",
        T::UniqueRectangle1 => "Uniqueness Test 1",
        T::UniqueRectangle2 => "Uniqueness Test 2",
        T::UniqueRectangle3 => "Uniqueness Test 3",
        T::UniqueRectangle4 => "Uniqueness Test 4",
        T::HiddenRectangle => "Hidden Rectangle",
        T::Bug1 => "Bivalue Universal Grave + 1",
        T::SueDeCoq => "Sue de Coq",
        T::XChain => "X-Chain",
        T::XYChain => "XY-Chain",
        T::AlternatingChain => "AIC",
        T::GroupedAlternatingChain => "Grouped AIC",
        T::AlsXZ => "Almost Locked Set XZ-Rule",
        T::AlsXYWing => "Almost Locked Set XY-Wing",
        other => other.name(),
    }
}

/// Appends the line of a step.
fn push_step(step: &Step, text: &mut String) {
    text.push_str(name(step.technique));
    let pattern = pattern(step);
    if !pattern.is_empty() {
        text.push_str(": ");
        text.push_str(&pattern);
    }
    if let Some((digit, cell)) = step.placed {
        let before = if pattern.is_empty() { ": " } else { " => " };
        let _ = write!(text, "{before}{}={}", cells(1 << cell), digit + 1);
    } else {
        text.push_str(" => ");
        push_eliminations(&step.removed, text);
    }
    text.push('\n');
}

/// Returns the pattern of a step that removes candidates; that of a single is its effect.
fn pattern(step: &Step) -> String {
    use Technique as T;
    let singles = [T::FullHouse, T::HiddenSingleBox, T::HiddenSingleLine, T::NakedSingle, T::Bug1];
    if singles.contains(&step.technique) {
        return String::new();
    }
    let evidence = &step.evidence;
    let [first, second, third] = evidence.cells.map(cells);
    let (commas, slashes) = (digits(evidence.digits, ","), digits(evidence.digits, "/"));
    let (base, cover) = (units(evidence.base), units(evidence.cover));
    if !evidence.links.is_empty() {
        return chain(step);
    }
    match step.technique {
        T::Pointing | T::Claiming => format!("{commas} in {base}"),
        T::NakedPair
        | T::NakedTriple
        | T::NakedQuad
        | T::HiddenPair
        | T::HiddenTriple
        | T::HiddenQuad => format!("{commas} in {first}"),
        T::XWing | T::Swordfish | T::Jellyfish => format!("{commas} {base} {cover}"),
        T::FinnedXWing
        | T::SashimiXWing
        | T::FinnedSwordfish
        | T::SashimiSwordfish
        | T::FinnedJellyfish
        | T::SashimiJellyfish => format!("{commas} {base} {cover} f{second}"),
        T::Skyscraper | T::TwoStringKite | T::TurbotFish => {
            format!("{commas} in {first} (connected by {second})")
        }
        T::EmptyRectangle => {
            format!("{commas} in {base} ({})", cells(evidence.cells[1] | evidence.cells[2]))
        }
        T::WWing => {
            format!(
                "{slashes} in {first} connected by {} in {second}",
                digits(evidence.common, "/")
            )
        }
        T::XYWing | T::XYZWing => format!("{slashes} in {first},{second}"),
        T::SimpleColors => format!("{commas} ({first}) / ({second})"),
        T::AlsXZ | T::AlsXYWing => {
            let names = ["A", "B", "C"].iter().zip([first, second, third]);
            let sets = names.filter(|(_, cells)| !cells.is_empty());
            let sets: Vec<_> = sets.map(|(name, cells)| format!("{name}={cells}")).collect();
            format!("{}, X={}, Z={commas}", sets.join(", "), digits(evidence.common, ","))
        }
        _ if first.is_empty() => slashes,
        _ if slashes.is_empty() => first,
        _ => format!("{slashes} in {first}"),
    }
}

/// Returns a chain in Eureka notation: `(4)r1c2=(4)r1c5-(5)r1c5=(5)r3c5`.
fn chain(step: &Step) -> String {
    let mut text = String::new();
    let mut last = None;
    for link in &step.evidence.links {
        if last != Some(link.from) {
            let gap = if last.is_some() { "; " } else { "" };
            let _ = write!(text, "{gap}({}){}", link.from.digit + 1, cells(link.from.cells));
        }
        // A strong link leads to an assertion that is on.
        let sign = if link.to.on { '=' } else { '-' };
        let _ = write!(text, "{sign}({}){}", link.to.digit + 1, cells(link.to.cells));
        last = Some(link.to);
    }
    text
}

/// Returns the number of an index below nine, from 1.
fn number(index: usize) -> char {
    char::from(b'1' + index as u8)
}

/// Returns digits from 1, separated.
fn digits(mask: u16, separator: &str) -> String {
    let mut text = String::new();
    for digit in digits_of(mask) {
        text.push_str(if text.is_empty() { "" } else { separator });
        text.push(number(digit));
    }
    text
}

/// Returns units, such as `r12` or `b1`.
fn units(mask: u32) -> String {
    let kinds = ["r", "c", "b"].iter().enumerate().filter_map(|(kind, name)| {
        let indices = digits((mask >> (9 * kind)) as u16 & 0x1ff, "");
        (!indices.is_empty()).then(|| format!("{name}{indices}"))
    });
    kinds.collect()
}

/// Returns cells, with those of a row or column together: `r1c12,r23c5`.
fn cells(mut of: Cells) -> String {
    let mut parts = Vec::new();
    while of != 0 {
        let (row, column) = (of.trailing_zeros() / 9, of.trailing_zeros() % 9);
        let in_row = of & 0x1ff << (9 * row);
        let in_column = of & crate::board::UNITS[9 + column as usize];
        let names = |cells: Cells, name: fn(usize) -> usize| -> String {
            Bits(cells).map(|cell| number(name(cell))).collect()
        };
        let taken = if in_row.count_ones() >= in_column.count_ones() {
            parts.push(format!("r{}c{}", row + 1, names(in_row, |cell| cell % 9)));
            in_row
        } else {
            parts.push(format!("r{}c{}", names(in_column, |cell| cell / 9), column + 1));
            in_column
        };
        of &= !taken;
    }
    parts.join(",")
}

fn push_eliminations(removed: &Candidates, text: &mut String) {
    let digits = removed.iter().enumerate().filter(|(_, cells)| **cells != 0);
    let parts: Vec<_> =
        digits.map(|(digit, &of)| format!("{}<>{}", cells(of), digit + 1)).collect();
    text.push_str(&parts.join(", "));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_grouped_by_line() {
        let cell = |row: u32, column: u32| 1 << (9 * (row - 1) + column - 1);
        assert_eq!(cells(cell(1, 1) | cell(1, 2) | cell(5, 7)), "r1c12,r5c7");
        assert_eq!(cells(cell(1, 1) | cell(2, 1) | cell(9, 1)), "r129c1");
        assert_eq!(units(0b11 | 1 << 18 | 1 << 17), "r12c9b1");
    }
}
