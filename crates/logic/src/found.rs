//! Reporting instances of techniques.

use crate::board::{Board, Candidates, Cells};

/// A sink of instances. Finders report what each instance places or removes; they never change the
/// board.
pub trait Found {
    /// Whether the sink uses evidence. Finders may skip work that only evidence needs.
    const EVIDENCE: bool;

    /// Adds an instance that places a digit in an open cell.
    fn place(&mut self, digit: usize, cell: usize, evidence: impl FnOnce() -> Evidence);

    /// Adds an instance that removes these candidates. They are candidates of open cells, and there
    /// is at least one.
    fn remove(&mut self, removed: &Candidates, evidence: impl FnOnce() -> Evidence);

    /// Adds an instance that removes a digit from cells, if any of them is open and has it.
    #[inline(always)]
    fn remove_digit(
        &mut self,
        board: &Board,
        digit: usize,
        cells: Cells,
        evidence: impl FnOnce() -> Evidence,
    ) {
        let cells = cells & board.open(digit);
        if cells != 0 {
            let mut removed = [0; 9];
            removed[digit] = cells;
            self.remove(&removed, evidence);
        }
    }

    /// Adds an instance that removes candidates, if the board has any of them in open cells.
    #[inline(always)]
    fn remove_effective(
        &mut self,
        board: &Board,
        mut removed: Candidates,
        evidence: impl FnOnce() -> Evidence,
    ) {
        let mut any = 0;
        for (digit, cells) in removed.iter_mut().enumerate() {
            *cells &= board.open(digit);
            any |= *cells;
        }
        if any != 0 {
            self.remove(&removed, evidence);
        }
    }
}

/// Why an instance is one. The technique determines the meaning of the fields.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    /// The digits of the pattern: bit `d` for digit `d` (from 0).
    pub digits: u16,
    /// The digits that connect the sets of cells, such as X of an ALS-XZ; those that a unique
    /// rectangle, a unique loop, or a BUG must have; or the one that a forcing net leaves no place.
    pub common: u16,
    /// The cells of the pattern, by role, such as a fish's corners and fins, a wing's pivot and
    /// pincers, up to three almost locked sets, or the cell that a forcing net leaves no candidate.
    pub cells: [Cells; 3],
    /// The units that define the pattern, such as a fish's base: bit `u` for unit `u`.
    pub base: u32,
    /// The units that lose candidates, such as a fish's cover.
    pub cover: u32,
    /// The links of a chain, in order.
    pub links: Vec<Link>,
}

/// An implication between two assertions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// The reason.
    pub from: Node,
    /// The consequence.
    pub to: Node,
}

/// An assertion: a digit is, or is not, in one of these cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    /// One cell, or the cells of a group.
    pub cells: Cells,
    /// The digit, from 0.
    pub digit: usize,
    /// Whether the digit is in one of the cells.
    pub on: bool,
}

/// What has changed since a technique was last tried on the board and all its instances were
/// applied. New instances involve a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Changed {
    /// The digits that lost candidates.
    pub digits: u16,
    /// The cells that lost candidates or whose digit was placed.
    pub cells: Cells,
}

impl Changed {
    /// Nothing has changed.
    pub const NONE: Self = Self { digits: 0, cells: 0 };
    /// Anything may have changed.
    pub const ALL: Self = Self { digits: 0x1ff, cells: crate::board::ALL };

    /// Adds changes.
    #[inline(always)]
    pub fn add(&mut self, other: Self) {
        self.digits |= other.digits;
        self.cells |= other.cells;
    }
}
