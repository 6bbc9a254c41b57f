//! Steps as data: what an instance of a technique places and eliminates, and what to draw.

use bulkdoku_core::bands::Contradiction;
use bulkdoku_core::puzzle::Unit;
#[cfg(feature = "serde")]
use serde::Serialize;

#[cfg(feature = "serde")]
use super::as_text;
use super::{Alternative, Technique, unit};
use crate::board::{Bits, Board, Candidates, Cells, digits_of};

/// A step of a path: an instance of a technique. It formats as a sentence.
///
/// Cells are numbered from 0 to 80, in row order; digits are 1 to 9. Serialized cells are `r1c1` to
/// `r9c9`, units are `row 1`, `column 1`, or `box 1`, and empty lists are omitted.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[non_exhaustive]
pub struct Step {
    /// The round, from 1. All steps of a round are found on the same board.
    pub round: u32,
    /// The technique.
    pub technique: Technique,
    /// The placed digit.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub placed: Option<Candidate>,
    /// The eliminated candidates, without those that a placement implies, in order.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub eliminated: Vec<Candidate>,
    /// Why it is an instance.
    pub evidence: Evidence,
}

/// A digit in a cell. It is serialized as a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Candidate {
    /// The cell.
    pub cell: usize,
    /// The digit.
    pub digit: u8,
}

/// Why a step is an instance of its technique.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[non_exhaustive]
pub struct Evidence {
    /// The units that define the pattern, such as the base of a fish.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    #[cfg_attr(feature = "serde", serde(serialize_with = "as_text::units"))]
    pub base: Vec<Unit>,
    /// The units that lose candidates, such as the cover of a fish.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    #[cfg_attr(feature = "serde", serde(serialize_with = "as_text::units"))]
    pub cover: Vec<Unit>,
    /// The parts of the pattern, to draw in one color each.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub parts: Vec<Part>,
    /// The links of a chain, in order; or links that connect parts.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub links: Vec<Link>,
    /// The contradiction to which the pattern leads in a forcing net.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    #[cfg_attr(feature = "serde", serde(serialize_with = "as_text::contradiction"))]
    pub contradiction: Option<Contradiction>,
    /// What follows from each alternative of forcing chains and nets. A path leaves this empty: see
    /// [`Step::explain`].
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub implications: Vec<Alternative>,
}

/// Cells with a role in a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize))]
pub struct Part {
    /// The role.
    pub role: Role,
    /// The cells; those of a remote pair in the order of the chain.
    #[cfg_attr(feature = "serde", serde(serialize_with = "as_text::cells"))]
    pub cells: Vec<usize>,
    /// The digits in these cells that matter, unless all do.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub digits: Vec<u8>,
}

/// The role of cells in a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Role {
    /// The cell of a single; the cells of a subset, rectangle, or loop; the corners of a fish; the
    /// alternatives, or the assumption, of forcing chains and nets.
    Pattern,
    /// The fins of a fish.
    Fins,
    /// The pivot of a wing.
    Pivot,
    /// The pincers of a wing.
    Pincers,
    /// The pair of a W-wing.
    Pair,
    /// The cells of one color.
    Color,
    /// The cells of the other color.
    OtherColor,
    /// The cells of a uniqueness pattern with other candidates.
    Extra,
    /// The other cells of a naked set with [`Role::Extra`].
    Set,
    /// The cells whose candidates exclude combinations.
    Excluders,
    /// An almost locked set.
    AlmostLocked,
}

/// An implication between two assertions. A link to an assertion that is on is strong.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize))]
pub struct Link {
    /// The reason.
    pub from: Node,
    /// The consequence.
    pub to: Node,
}

/// An assertion: a digit is, or is not, in one of these cells.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize))]
pub struct Node {
    /// One cell, or the cells of a group.
    #[cfg_attr(feature = "serde", serde(serialize_with = "as_text::cells"))]
    pub cells: Vec<usize>,
    /// The digit.
    pub digit: u8,
    /// Whether the digit is in one of the cells.
    pub on: bool,
}

impl Step {
    /// Applies the step to a board. Returns whether anything has changed.
    pub fn apply(&self, board: &mut Board) -> bool {
        let before = *board;
        let (placed, removed) = self.effects();
        board.remove(&removed);
        board.place(&placed);
        *board != before
    }

    /// Returns the placed and the eliminated candidates.
    pub(crate) fn effects(&self) -> (Candidates, Candidates) {
        let masks = |all: &[Candidate]| {
            let mut masks = [0; 9];
            all.iter().for_each(|it| masks[usize::from(it.digit) - 1] |= 1 << it.cell);
            masks
        };
        (masks(self.placed.as_slice()), masks(&self.eliminated))
    }

    /// Returns the cells that lose candidates.
    pub(crate) fn lost_cells(&self) -> Cells {
        self.eliminated.iter().fold(0, |all, it| all | 1 << it.cell)
    }

    /// Returns the digits that cells lose as a mask: bit 0 for digit 1.
    pub(crate) fn lost_digits(&self) -> u16 {
        self.eliminated.iter().fold(0, |all, it| all | 1 << (it.digit - 1))
    }

    /// Returns the cells of the pattern: bit `c` for cell `c`.
    pub fn pattern_cells(&self) -> Cells {
        let Evidence { parts, links, contradiction, .. } = &self.evidence;
        let nodes = links.iter().flat_map(|link| [&link.from, &link.to]);
        let cells = parts.iter().map(|part| &part.cells).chain(nodes.map(|node| &node.cells));
        let last = match contradiction {
            Some(Contradiction::NoCandidate { cell }) => 1 << cell,
            _ => 0,
        };
        cells.fold(last, |all, cells| all | mask_of(cells))
    }
}

impl Candidate {
    /// Returns a candidate, given its digit from 0.
    pub(crate) fn new((digit, cell): (usize, usize)) -> Self {
        Self { cell, digit: digit as u8 + 1 }
    }

    /// Lists candidates, cell by cell.
    pub(crate) fn list(of: &Candidates) -> Vec<Self> {
        let any = of.iter().fold(0, |any, cells| any | cells);
        let digits_at = |cell: usize| (0..9).filter(move |&digit| of[digit] >> cell & 1 != 0);
        Bits(any)
            .flat_map(|cell| digits_at(cell).map(move |digit| Self::new((digit, cell))))
            .collect()
    }
}

impl Evidence {
    /// Returns evidence with a pattern, and its digits.
    pub(crate) fn pattern(cells: Cells, digits: u16) -> Self {
        Self::default().with(Role::Pattern, cells, digits)
    }

    /// Adds a part unless it has no cells.
    pub(crate) fn with(mut self, role: Role, cells: Cells, digits: u16) -> Self {
        if cells != 0 {
            let digits = digits_of(digits).map(|digit| digit as u8 + 1).collect();
            self.parts.push(Part { role, cells: Bits(cells).collect(), digits });
        }
        self
    }

    pub(crate) fn with_base(self, units: u32) -> Self {
        Self { base: Bits(units.into()).map(unit).collect(), ..self }
    }

    pub(crate) fn with_cover(self, units: u32) -> Self {
        Self { cover: Bits(units.into()).map(unit).collect(), ..self }
    }

    pub(crate) fn with_links(self, links: Vec<Link>) -> Self {
        Self { links, ..self }
    }

    /// Returns the cells of a role.
    pub(crate) fn cells(&self, role: Role) -> Cells {
        let parts = self.parts.iter().filter(|part| part.role == role);
        parts.fold(0, |cells, part| cells | mask_of(&part.cells))
    }

    /// Returns the digits of the first part with a role.
    pub(crate) fn digits(&self, role: Role) -> u16 {
        self.parts.iter().find(|part| part.role == role).map_or(0, Part::mask)
    }
}

impl Part {
    /// Returns the digits as a mask: bit 0 for digit 1.
    pub(crate) fn mask(&self) -> u16 {
        self.digits.iter().fold(0, |mask, digit| mask | 1 << (digit - 1))
    }
}

impl Link {
    /// Returns a link of a digit from an assertion to its opposite in other cells.
    pub(crate) fn new(digit: usize, from: Cells, to: Cells, to_on: bool) -> Self {
        Self { from: Node::new(from, digit, !to_on), to: Node::new(to, digit, to_on) }
    }
}

impl Node {
    /// Returns a node, given its digit from 0.
    pub(crate) fn new(cells: Cells, digit: usize, on: bool) -> Self {
        Self { cells: Bits(cells).collect(), digit: digit as u8 + 1, on }
    }
}

/// Returns cells as a mask.
pub(crate) fn mask_of(cells: &[usize]) -> Cells {
    cells.iter().fold(0, |mask, cell| mask | 1 << cell)
}
