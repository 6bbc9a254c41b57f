//! Steps as sentences, such as "box 5: 7 is possible only in row 4, so r4c1 and r4c2 lose it".

use std::fmt;

use super::{Evidence, Node, Step, Technique};
use crate::board::{Bits, Candidates, Cells, digits_of};
use crate::puzzle::Unit;

/// Returns the name of a unit of [`UNITS`](crate::board::UNITS), such as `row 4`.
pub fn unit_name(unit: usize) -> String {
    Unit::all().nth(unit).map(|unit| unit.to_string()).unwrap_or_default()
}

/// Returns the name of a cell, such as `r4c1`.
pub fn cell_name(cell: usize) -> String {
    format!("r{}c{}", cell / 9 + 1, cell % 9 + 1)
}

impl fmt::Display for Step {
    /// Formats the step as one sentence, without a period.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, so {}", self.pattern(), self.effect())
    }
}

impl Step {
    /// Returns what the step finds on the board.
    fn pattern(&self) -> String {
        use Technique as T;
        let Evidence { digits: mask, common, cells: sets, base, cover, links } = &self.evidence;
        let (digits, cells) = (and(digit_names(*mask)), and(cell_names(sets[0])));
        let (base, cover) = (units(*base), units(*cover));
        let second = and(cell_names(sets[1]));
        if !links.is_empty() {
            return self.chain();
        }
        match self.technique {
            T::FullHouse => format!("{base}: one cell is open"),
            T::HiddenSingleBox | T::HiddenSingleLine => {
                format!("{base}: only one cell can be {digits}")
            }
            T::NakedSingle => "one cell has a single candidate".into(),
            T::Pointing | T::Claiming => format!("{base}: {digits} is possible only in {cover}"),
            T::NakedPair | T::NakedTriple | T::NakedQuad => {
                format!("{base}: {cells} have only the candidates {digits}")
            }
            T::HiddenPair | T::HiddenTriple | T::HiddenQuad => {
                format!("{base}: {digits} are possible only in {cells}")
            }
            T::XWing | T::Swordfish | T::Jellyfish => {
                format!("{digits} is possible in {base} only in {cover}")
            }
            T::FinnedXWing
            | T::SashimiXWing
            | T::FinnedSwordfish
            | T::SashimiSwordfish
            | T::FinnedJellyfish
            | T::SashimiJellyfish => {
                format!("{digits} is possible in {base} only in {cover}, except for {second}")
            }
            T::Skyscraper | T::TwoStringKite | T::TurbotFish => {
                format!("{base}: {digits} has two places in each, so it is in one of {cells}")
            }
            T::EmptyRectangle => {
                format!(
                    "{base} has {digits} only in one row and one column, and {second} are linked"
                )
            }
            T::XYWing | T::XYZWing => {
                let digit = and(digit_names(*common));
                format!("whatever {cells} is, {digit} is in it or in one of {second}")
            }
            T::WWing => {
                let link = and(digit_names(*common));
                format!("{cells} have the same candidates {digits}, and {link} is in {second}")
            }
            T::RemotePair => format!("{cells} are the ends of a chain of cells with {digits}"),
            T::SimpleColors => format!("{digits} is in all of {cells} or in all of {second}"),
            T::Bug1 | T::Bug2 | T::Bug3 | T::Bug4 => {
                "without them, all open cells would have two candidates".into()
            }
            T::AlsXZ | T::AlsXYWing => {
                let third = and(cell_names(sets[2]));
                let sets = [cells, second, third].into_iter().filter(|set| !set.is_empty());
                let link = and(digit_names(*common));
                format!("the almost locked sets {} share {link}", and(sets))
            }
            _ if self.technique.assumes_uniqueness() => {
                format!("{cells} would otherwise allow two solutions")
            }
            _ if cells.is_empty() => format!("{} applies", self.technique),
            _ if digits.is_empty() => format!("{}: {cells}", self.technique),
            _ => format!("{}: {cells} with {digits}", self.technique),
        }
    }

    /// Returns the assertions of a chain.
    fn chain(&self) -> String {
        let links = &self.evidence.links;
        let nodes = links.first().map(|link| link.from).into_iter();
        let nodes: Vec<_> = nodes.chain(links.iter().map(|link| link.to)).map(assertion).collect();
        format!("the chain {}", nodes.join(", "))
    }

    /// Returns what the step changes.
    fn effect(&self) -> String {
        match self.placed {
            Some((digit, cell)) => format!("{} is {}", cell_name(cell), digit + 1),
            None => effects(&self.removed),
        }
    }
}

fn assertion(node: Node) -> String {
    let is = if node.on { "is" } else { "is not" };
    format!("{} {is} {}", cell_names(node.cells).join("/"), node.digit + 1)
}

/// Returns which cells lose which digits; cells that lose the same digits are named together.
fn effects(removed: &Candidates) -> String {
    let mask = |cell: usize| {
        (0..9).fold(0, |mask: u16, digit| mask | ((removed[digit] >> cell & 1) as u16) << digit)
    };
    let mut pending = removed.iter().fold(0, |all, cells| all | cells);
    let mut parts = Vec::new();
    while pending != 0 {
        let lost = mask(pending.trailing_zeros() as usize);
        let same = Bits(pending).filter(|&cell| mask(cell) == lost);
        let same = same.fold(0, |cells: Cells, cell| cells | 1 << cell);
        pending &= !same;
        let verb = if same.is_power_of_two() { "loses" } else { "lose" };
        parts.push(format!("{} {verb} {}", and(cell_names(same)), and(digit_names(lost))));
    }
    parts.join("; ")
}

fn cell_names(cells: Cells) -> Vec<String> {
    Bits(cells).map(cell_name).collect()
}

fn digit_names(mask: u16) -> Vec<String> {
    digits_of(mask).map(|digit| (digit + 1).to_string()).collect()
}

/// Returns units, such as `rows 2 and 4`, or `row 2 and box 1`.
fn units(mask: u32) -> String {
    let kinds = ["row", "column", "box"].into_iter().enumerate();
    let kinds = kinds.filter_map(|(kind, name)| {
        let all = digit_names((mask >> (9 * kind)) as u16 & 0x1ff);
        let plural = match (all.len(), name) {
            (0 | 1, _) => "",
            (_, "box") => "es",
            _ => "s",
        };
        (!all.is_empty()).then(|| format!("{name}{plural} {}", and(all)))
    });
    and(kinds)
}

/// Joins names, such as `a, b, and c`.
fn and(names: impl IntoIterator<Item = String>) -> String {
    let names: Vec<_> = names.into_iter().collect();
    match &names[..] {
        [] => String::new(),
        [one] => one.clone(),
        [one, two] => format!("{one} and {two}"),
        [most @ .., last] => format!("{}, and {last}", most.join(", ")),
    }
}
