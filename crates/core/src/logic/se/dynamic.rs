//! Forcing chains whose steps may have several reasons, as Sudoku Explainer rates and prefers them.

use super::super::Position;
use super::nets::{self, Assertion, KINDS, Net, Rules, is_on};
use super::{Hint, length_tenths};
use crate::board::{Bits, UNITS, UNITS_OF, digits_of, size};

/// A technique of nets.
#[derive(Debug)]
pub struct Definition {
    /// The rating without the length, in tenths.
    base: u16,
    rules: Rules,
    /// Whether it compares what follows from a candidate that is on and off, from the candidates of
    /// a cell, and from the places of a digit, in addition to contradictions.
    is_multiple: bool,
}

pub const NISHIO: Definition =
    Definition { base: 75, rules: Rules { cells: false, dynamic: true }, is_multiple: false };
pub const DYNAMIC: Definition =
    Definition { base: 85, rules: Rules { cells: true, dynamic: true }, is_multiple: true };

/// Memory for nets.
#[derive(Debug, Default)]
pub struct Nets {
    /// What follows from up to nine candidates that are on.
    on: [Net; 9],
    /// What follows from one that is off.
    off: Net,
    shared: Vec<Assertion>,
}

/// The number of assertions, the rank of the kind, and what follows.
type Best = Option<((usize, u8), Assertion)>;

/// Of equal lengths, cells are preferred, then units, then single candidates.
const CELL: u8 = 0;
const UNIT: u8 = 1;
const CANDIDATE: u8 = 2;

impl Nets {
    /// Finds the shortest nishio or dynamic forcing chain.
    pub(super) fn find(&mut self, position: &Position, definition: &Definition) -> Option<Hint> {
        let &Definition { base, rules, is_multiple } = definition;
        let mut best: Best = None;
        for cell in 0..81 {
            let mask = position.masks[cell];
            let count = size(mask);
            if count < 2 {
                continue;
            }
            for (i, digit) in digits_of(mask).enumerate() {
                let on = &mut self.on[i];
                for (net, assertion) in
                    [(&mut *on, nets::on(cell, digit)), (&mut self.off, nets::off(cell, digit))]
                {
                    net.run(position, assertion, rules);
                    if let Some(assertions) = net.assertions_of_contradiction() {
                        improve(&mut best, assertions, CANDIDATE, nets::negation(assertion));
                    }
                }
                if is_multiple && count > 2 {
                    shared(&[&*on, &self.off], &mut self.shared);
                    for &end in &self.shared {
                        let sum = on.assertions(end) + self.off.assertions(end);
                        improve(&mut best, sum, CANDIDATE, end);
                    }
                }
            }
            if is_multiple {
                self.compare(count, CELL, &mut best);
            }
        }
        for cell in (0..81).filter(|_| is_multiple) {
            for digit in digits_of(position.masks[cell]) {
                for kind in KINDS {
                    let places = position.open[digit] & UNITS[usize::from(UNITS_OF[cell][kind])];
                    let count = places.count_ones() as usize;
                    if places.trailing_zeros() as usize == cell && count > 1 {
                        for (net, place) in self.on.iter_mut().zip(Bits(places)) {
                            net.run(position, nets::on(place, digit), rules);
                        }
                        self.compare(count, UNIT, &mut best);
                    }
                }
            }
        }
        best.map(|((assertions, _), end)| Hint::of(base + length_tenths(assertions), end))
    }

    /// Adds what several candidates imply.
    fn compare(&mut self, count: usize, rank: u8, best: &mut Best) {
        let nets = &mut self.on[..count];
        shared(&nets.iter().collect::<Vec<_>>(), &mut self.shared);
        for &end in &self.shared {
            improve(best, nets.iter_mut().map(|net| net.assertions(end)).sum(), rank, end);
        }
    }
}

fn improve(best: &mut Best, assertions: usize, rank: u8, end: Assertion) {
    if best.is_none_or(|(least, _)| (assertions, rank) < least) {
        *best = Some(((assertions, rank), end));
    }
}

/// Collects the assertions in several nets, in the order of the first one, those that are on first.
fn shared(nets: &[&Net], out: &mut Vec<Assertion>) {
    out.clear();
    let mut common = nets[0].known;
    for net in &nets[1..] {
        for (common, known) in common.iter_mut().flatten().zip(net.known.iter().flatten()) {
            *common &= known;
        }
    }
    for (side, common) in common.iter().enumerate() {
        out.extend(nets[0].order.iter().filter(|&&assertion| {
            let (cell, digit) = nets::place(assertion);
            usize::from(!is_on(assertion)) == side && common[digit] >> cell & 1 != 0
        }));
    }
}
