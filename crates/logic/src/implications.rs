//! The implications of forcing chains and nets, with their reasons.
//!
//! Finders follow all alternatives at once and keep no reasons. Here one alternative after another is
//! followed again, by the same rules, until it leads to the effects of the step or to a
//! contradiction; implications that lead to neither are left out.

use std::collections::BTreeSet;

use bulkdoku_core::bands::{Bands, Contradiction};
use bulkdoku_core::puzzle::Unit;
#[cfg(feature = "serde")]
use serde::Serialize;

#[cfg(feature = "serde")]
use super::as_text;
use super::forcing::levels;
use super::{Candidate, Node, Role, Step, Technique, instances, unit};
use crate::board::{ALL, Bits, Board, Cells, PEERS, UNITS, UNITS_OF, digits_of};

/// What follows from an alternative, or from the assumption that a step refutes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[non_exhaustive]
pub struct Alternative {
    /// The implications in order. The first one is the alternative.
    pub implications: Vec<Implication>,
    /// The contradiction to which they lead, unless they lead to the effects of the step.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    #[cfg_attr(feature = "serde", serde(serialize_with = "as_text::contradiction"))]
    pub contradiction: Option<Contradiction>,
}

/// An assertion that follows from others.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[non_exhaustive]
pub struct Implication {
    /// The assertion, of one cell.
    pub node: Node,
    /// The earlier implications of the alternative that are its reasons, numbered from 0.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    pub because: Vec<usize>,
    /// The rule by which it follows.
    pub by: By,
}

/// The rule by which an assertion follows.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum By {
    /// It is assumed.
    Assumption,
    /// A cell has one digit.
    Cell,
    /// A digit is in one cell of a unit.
    #[cfg_attr(feature = "serde", serde(serialize_with = "as_text::text"))]
    Unit(Unit),
    /// The step of a technique on the board that the reasons leave.
    Step(Box<Step>),
}

/// Returns what follows from each alternative of a step of forcing chains or nets on its board, the
/// candidates of the step's [`Role::Pattern`]. Other steps have no alternatives.
pub fn implications(board: &Board, step: &Step) -> Vec<Alternative> {
    if step.technique < Technique::Nishio {
        return Vec::new();
    }
    let cells = Bits(step.evidence.cells(Role::Pattern));
    let digits = step.evidence.digits(Role::Pattern);
    let alternatives = cells.flat_map(|cell| digits_of(digits).map(move |digit| (digit, cell)));
    // Only nishio assumes that a cell does not have a digit.
    let on = step.technique > Technique::Nishio || step.placed.is_none();
    alternatives.map(|(digit, cell)| Search::new(board).follow(digit, cell, on, step)).collect()
}

impl Step {
    /// Sets the [`implications`] of a step of forcing chains or nets that was found on a board, and
    /// the contradiction to which they lead. Other steps stay as they are.
    pub fn explain(&mut self, board: &Board) {
        self.set_implications(implications(board, self));
    }

    pub(crate) fn set_implications(&mut self, implications: Vec<Alternative>) {
        if let [Alternative { contradiction: Some(end), .. }] = &implications[..] {
            match (self.technique, *end) {
                (Technique::Nishio, Contradiction::NoPlace { unit, .. }) => {
                    self.evidence.base = vec![unit];
                }
                _ => self.evidence.contradiction = Some(*end),
            }
        }
        self.evidence.implications = implications;
    }
}

/// Returns numbers in order, each once.
fn sorted(numbers: impl IntoIterator<Item = usize>) -> Vec<usize> {
    let numbers: BTreeSet<_> = numbers.into_iter().collect();
    numbers.into_iter().collect()
}

/// The board of an alternative, and what has led to it.
struct Search {
    board: Board,
    implications: Vec<Implication>,
    /// The implication by which each candidate is off, by digit and cell.
    off: [[Option<usize>; 81]; 9],
}

impl Search {
    fn new(board: &Board) -> Self {
        Self { board: *board, implications: Vec::new(), off: [[None; 81]; 9] }
    }

    fn follow(mut self, digit: usize, cell: usize, on: bool, step: &Step) -> Alternative {
        self.assert(digit, cell, on, Vec::new(), By::Assumption);
        let (placed, removed) = step.effects();
        loop {
            // What an assumption refutes is what it assumes, so it has no other effect.
            let is_left = |digit: usize| {
                let digits = self.board.digits[digit];
                digits & removed[digit] | placed[digit] & !(digits & self.board.placed) != 0
            };
            let contradiction = self.contradiction(step);
            if contradiction.is_some() || !(0..9).any(is_left) || !self.extend(step.technique) {
                return self.finish(contradiction, step);
            }
        }
    }

    /// Returns a contradiction; one of the assumed digit for nishio, if possible in the same unit.
    fn contradiction(&self, step: &Step) -> Option<Contradiction> {
        if step.technique > Technique::Nishio {
            return Bands::from(&self.board).contradiction();
        }
        let digit = self.implications[0].node.digit;
        let places = self.board.digits[usize::from(digit) - 1];
        let mut units = step.evidence.base.iter().copied().chain(Unit::all());
        let unit = units.find(|unit| places & UNITS[unit.number()] == 0)?;
        Some(Contradiction::NoPlace { digit, unit })
    }

    /// Adds what follows by one more step of all rules. Returns whether there is anything.
    fn extend(&mut self, technique: Technique) -> bool {
        let before = self.implications.len();
        let is_possible =
            |digit: usize, cell: usize, board: &Board| board.open(digit) >> cell & 1 != 0;
        for (digit, cell, by) in self.singles(technique) {
            let because = self.single_reasons(digit, cell, &by);
            // The links of chains have one reason.
            let is_chain =
                matches!(technique, Technique::CellForcingChain | Technique::RegionForcingChain);
            if (!is_chain || because.len() == 1) && is_possible(digit, cell, &self.board) {
                self.assert(digit, cell, true, because, by);
            }
        }
        for techniques in levels(technique) {
            if self.implications.len() > before {
                break;
            }
            let found = techniques.iter().flat_map(|&it| instances(&self.board, it));
            let found = found.map(|mut step| {
                step.explain(&self.board);
                (self.premises(&step), step)
            });
            let found: Vec<_> = found.collect();
            for (because, step) in found {
                let removed = step.eliminated.iter().map(|it| (it, false));
                for (it, on) in removed.chain(step.placed.iter().map(|it| (it, true))) {
                    let digit = usize::from(it.digit) - 1;
                    if is_possible(digit, it.cell, &self.board) {
                        let by = By::Step(Box::new(step.clone()));
                        self.assert(digit, it.cell, on, because.clone(), by);
                    }
                }
            }
        }
        self.implications.len() > before
    }

    /// Returns the singles of the board: digits, cells, and rules.
    fn singles(&self, technique: Technique) -> Vec<(usize, usize, By)> {
        let mut singles = Vec::new();
        let open = ALL & !self.board.placed;
        let is_nishio = technique == Technique::Nishio;
        let assumed = usize::from(self.implications[0].node.digit) - 1;
        for digit in (0..9).filter(|&digit| !is_nishio || digit == assumed) {
            for number in 0..27 {
                let places = self.board.digits[digit] & UNITS[number];
                if places.is_power_of_two() && places & open != 0 {
                    let cell = places.trailing_zeros() as usize;
                    singles.push((digit, cell, By::Unit(unit(number))));
                }
            }
        }
        for cell in Bits(open).filter(|_| !is_nishio) {
            let mask = self.board.mask(cell);
            if mask.is_power_of_two() {
                singles.push((mask.trailing_zeros() as usize, cell, By::Cell));
            }
        }
        singles
    }

    /// Adds that a digit is, or is not, in a cell, and what it removes.
    fn assert(&mut self, digit: usize, cell: usize, on: bool, because: Vec<usize>, by: By) {
        let number = self.implications.len();
        self.implications.push(Implication { node: Node::new(1 << cell, digit, on), because, by });
        if !on {
            self.off[digit][cell] = Some(number);
            self.board.digits[digit] &= !(1 << cell);
            return;
        }
        self.board.placed |= 1 << cell;
        for other in digits_of(self.board.mask(cell) & !(1 << digit)) {
            self.assert(other, cell, false, vec![number], By::Cell);
        }
        for peer in Bits(PEERS[cell] & self.board.open(digit)) {
            let shared = UNITS_OF[cell].into_iter().find(|unit| UNITS_OF[peer].contains(unit));
            let shared = unit(shared.expect("peers share a unit").into());
            self.assert(digit, peer, false, vec![number], By::Unit(shared));
        }
    }

    /// Returns why some candidates are off.
    fn reasons(&self, digits: u16, cells: Cells) -> Vec<usize> {
        let of_cell = |cell: usize| digits_of(digits).filter_map(move |it| self.off[it][cell]);
        sorted(Bits(cells).flat_map(of_cell))
    }

    /// Returns why a digit is a single, by its unit or its cell.
    fn single_reasons(&self, digit: usize, cell: usize, by: &By) -> Vec<usize> {
        match by {
            By::Unit(unit) => self.reasons(1 << digit, UNITS[unit.number()]),
            _ => self.reasons(0x1ff, 1 << cell),
        }
    }

    /// Returns the implications that make a step possible.
    fn premises(&self, step: &Step) -> Vec<usize> {
        let (pattern, digits) =
            (step.evidence.cells(Role::Pattern), step.evidence.digits(Role::Pattern));
        let base = step.evidence.base.iter().fold(0, |all, unit| all | UNITS[unit.number()]);
        match step.technique {
            Technique::NakedPair => self.reasons(0x1ff, pattern),
            Technique::Aic => {
                let strong = step.evidence.links.iter().filter(|link| link.to.on);
                sorted(strong.flat_map(|link| {
                    let [from, to] = [&link.from, &link.to].map(|node| node.cells[0]);
                    if from == to {
                        return self.reasons(0x1ff, 1 << from);
                    }
                    let digit = usize::from(link.to.digit) - 1;
                    let both = 1 << from | 1 << to;
                    let is_strong = |cells: &Cells| self.board.digits[digit] & cells == both;
                    self.reasons(1 << digit, UNITS.into_iter().find(is_strong).unwrap_or(0))
                }))
            }
            Technique::Pointing
            | Technique::Claiming
            | Technique::XWing
            | Technique::HiddenPair => self.reasons(digits, base),
            _ => self.nested_premises(step),
        }
    }

    /// Returns the implications that make the alternatives of a step of forcing chains or nets
    /// complete, and those on which its own implications depend.
    fn nested_premises(&self, step: &Step) -> Vec<usize> {
        let evidence = &step.evidence;
        let (cells, digits) = (evidence.cells(Role::Pattern), evidence.digits(Role::Pattern));
        let mut premises = match evidence.base.first() {
            Some(unit) => self.reasons(digits, UNITS[unit.number()]),
            // A single assumption is not an alternative.
            None if digits.is_power_of_two() => Vec::new(),
            None => self.reasons(0x1ff, cells),
        };
        for Alternative { implications, contradiction } in &evidence.implications {
            premises.extend(contradiction.iter().flat_map(|&it| self.ends(it)));
            for Implication { node, by, .. } in implications {
                match by {
                    By::Step(step) => premises.extend(self.premises(step)),
                    By::Cell | By::Unit(_) if node.on => {
                        let digit = usize::from(node.digit) - 1;
                        premises.extend(self.single_reasons(digit, node.cells[0], by));
                    }
                    By::Assumption | By::Cell | By::Unit(_) => {}
                }
            }
        }
        sorted(premises)
    }

    /// Returns the implications that end in a contradiction.
    fn ends(&self, contradiction: Contradiction) -> Vec<usize> {
        match contradiction {
            Contradiction::NoCandidate { cell } => self.reasons(0x1ff, 1 << cell),
            Contradiction::NoPlace { digit, unit } => {
                self.reasons(1 << (digit - 1), UNITS[unit.number()])
            }
        }
    }

    /// Returns the implications that lead to a contradiction or to the effects of a step.
    fn finish(self, contradiction: Option<Contradiction>, step: &Step) -> Alternative {
        let mut is_needed = vec![false; self.implications.len()];
        is_needed[0] = true;
        if let Some(contradiction) = contradiction {
            self.ends(contradiction).into_iter().for_each(|end| is_needed[end] = true);
        } else {
            for (is_needed, Implication { node, .. }) in
                is_needed.iter_mut().zip(&self.implications)
            {
                let effects = if node.on { step.placed.as_slice() } else { &step.eliminated };
                let candidate = Candidate { cell: node.cells[0], digit: node.digit };
                *is_needed |= effects.contains(&candidate);
            }
        }
        for (i, it) in self.implications.iter().enumerate().rev() {
            if is_needed[i] {
                it.because.iter().for_each(|&reason| is_needed[reason] = true);
            }
        }
        let mut numbers = vec![0; is_needed.len()];
        let mut implications: Vec<Implication> = Vec::new();
        for (i, mut it) in self.implications.into_iter().enumerate() {
            if is_needed[i] {
                it.because.iter_mut().for_each(|reason| *reason = numbers[*reason]);
                numbers[i] = implications.len();
                implications.push(it);
            }
        }
        Alternative { implications, contradiction }
    }
}
