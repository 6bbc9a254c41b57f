//! Forcing chains and nets: what follows from an assumption, whether all alternatives imply the
//! same, and whether one implies a contradiction.
//!
//! All assumptions are followed side by side, one step at a time; the first step after which any of
//! them leads to something ends the search, and everything that it leads to by then is an instance.
//!
//! Sources: <https://www.sudokuwiki.org/Nishio_Forcing_Chains>,
//! <https://hodoku.sourceforge.net/en/tech_last.php>, <https://www.sudokuwiki.org/Digit_Forcing_Chains>.

use bulkdoku_core::StopFlag;
use bulkdoku_core::bands::Bands;

use super::chains::{Ends, Graph};
use super::counting::{boxes_with, columns_with, rows_with, units_of};
use super::instances::{Collect, Instances};
use super::links::{Chains, Kind, Set, and, insert, is_empty, members, or};
use super::{Changed, Evidence, Position, Technique, find};
use crate::board::{Bits, Board, Cells, PEERS, UNITS, any_peers, digits_of};

/// A digit, in one or in none of its places, leads to a contradiction within the digit: a unit
/// without a place.
pub fn nishio(
    position: &Position,
    assumptions: &mut Vec<(usize, usize, bool, Cells)>,
    out: &mut Instances,
) {
    // The places of a digit without contradiction so far, for each assumption: a digit and a cell,
    // and whether the cell has it.
    assumptions.clear();
    for digit in 0..9 {
        let open = position.open[digit];
        for cell in Bits(open) {
            assumptions.push((digit, cell, true, open & !PEERS[cell]));
            assumptions.push((digit, cell, false, open & !(1 << cell)));
        }
    }
    let mut any = false;
    while !any && !assumptions.is_empty() {
        assumptions.retain_mut(|(digit, cell, on, places)| {
            let open = position.open[*digit];
            let is_empty = |unit| open & UNITS[unit] != 0 && *places & UNITS[unit] == 0;
            if let Some(unit) = (0..27).find(|&unit| is_empty(unit)) {
                any = true;
                let evidence = || Evidence::pattern(1 << *cell, 1 << *digit).with_base(1 << unit);
                if *on {
                    out.remove_digit(position, *digit, 1 << *cell, evidence);
                } else {
                    out.place(*digit, *cell, evidence);
                }
                return false;
            }
            let before = *places;
            *places = without_seen(before);
            *places != before
        });
    }
}

/// Removes the places that see one which is alone in a unit.
fn without_seen(places: Cells) -> Cells {
    let alone = rows_with::<1>(places) | columns_with::<1>(places) | boxes_with::<1>(places);
    places & !any_peers(places & alone)
}

/// Returns whether these places of a digit leave a unit without any that has some now.
pub fn is_refuted(open: Cells, mut places: Cells) -> bool {
    let units = units_of(open);
    while units_of(places) == units {
        let before = places;
        places = without_seen(before);
        if places == before {
            return false;
        }
    }
    true
}

/// What follows from each candidate by chains with a limited number of strong links.
#[derive(Debug, Default)]
struct Closures<const W: usize> {
    graph: Graph<W>,
    chains: Chains<W>,
    /// The candidates that are on, and off, for each that is on.
    all: Vec<[Set<W>; 2]>,
    /// The candidates that are on by the last strong link.
    last: Vec<Set<W>>,
}

impl<const W: usize> Closures<W> {
    /// Finds what all candidates of a cell, or all places of a digit in a unit, imply by chains.
    pub fn find(&mut self, position: &Position, by_cell: bool, out: &mut Instances) {
        self.graph.update(position, Kind::All, &Ends::of(position.open));
        let graph = &self.graph;
        let len = graph.nodes.len();
        self.chains.start(len, |i| &graph.weak[i], |i| graph.strong[i]);
        self.all.clear();
        self.last.clear();
        for i in 0..len {
            let mut on = [0; W];
            insert(&mut on, i);
            self.all.push([on, graph.weak[i]]);
            self.last.push(on);
        }
        loop {
            let graph = &self.graph;
            let mut any = false;
            alternatives(position, by_cell, |cells, digits, base| {
                let (mut on, mut off) = ([!0; W], [!0; W]);
                for cell in Bits(cells) {
                    for digit in digits_of(digits) {
                        let all = &self.all[usize::from(graph.numbers[cell][digit])];
                        (on, off) = (and(&on, &all[0]), and(&off, &all[1]));
                    }
                }
                let evidence = || Evidence::pattern(cells, digits).with_base(base);
                for (digit, cell) in members(&on).map(|i| graph.place(i)) {
                    out.place(digit, cell, evidence);
                    any = true;
                }
                if !is_empty(&off) {
                    let mut removed = [0; 9];
                    let places = members(&off).map(|i| graph.place(i));
                    places.for_each(|(digit, cell)| removed[digit] |= 1 << cell);
                    out.remove(&removed, evidence);
                    any = true;
                }
            });
            if any || !self.extend() {
                return;
            }
        }
    }

    /// Follows one more strong link, and weak ones after it.
    fn extend(&mut self) -> bool {
        let mut any = 0;
        for (all, last) in self.all.iter_mut().zip(&mut self.last) {
            let mut on = [0; W];
            for i in members(last) {
                or(&mut on, self.chains.step(i));
            }
            for ((last, all), on) in last.iter_mut().zip(&mut all[0]).zip(on) {
                *last = on & !*all;
                *all |= on;
                any |= *last;
            }
            for i in members(last) {
                or(&mut all[1], &self.graph.weak[i]);
            }
        }
        any != 0
    }
}

/// Visits the cells, digits, and unit of all cells with several candidates, or of all digits with
/// several places in a unit.
fn alternatives(position: &Position, by_cell: bool, mut visit: impl FnMut(Cells, u16, u32)) {
    if by_cell {
        for (cell, &mask) in position.masks.iter().enumerate() {
            if mask.count_ones() > 1 {
                visit(1 << cell, mask, 0);
            }
        }
    } else {
        for unit in 0..27 {
            for digit in 0..9 {
                let cells = position.open[digit] & UNITS[unit];
                if cells & cells.wrapping_sub(1) != 0 {
                    visit(cells, 1 << digit, 1 << unit);
                }
            }
        }
    }
}

/// Techniques that nets apply once no single is left, by level.
pub const LEVELS: [&[Technique]; 5] = {
    use Technique as T;
    [
        &[T::Pointing, T::Claiming, T::NakedPair, T::XWing, T::HiddenPair],
        &[T::Aic],
        &[T::CellForcingChain, T::RegionForcingChain],
        &[T::DynamicForcingChain],
        &[T::DynamicForcingChainPlus],
    ]
};

/// Returns the techniques that the nets of a technique use, the easiest level first.
pub fn levels(technique: Technique) -> impl Iterator<Item = &'static [Technique]> {
    let level = (technique as usize).saturating_sub(Technique::DynamicForcingChain as usize);
    LEVELS.into_iter().take(level)
}

/// Memory for forcing chains and nets.
#[derive(Debug, Default)]
pub struct Memory {
    /// Memory for [`nishio`].
    pub assumptions: Vec<(usize, usize, bool, Cells)>,
    small: Closures<4>,
    large: Closures<12>,
    pub nets: Nets,
}

impl Memory {
    /// Finds what all candidates of a cell, or all places of a digit in a unit, imply by chains.
    pub fn find_chains(&mut self, position: &Position, by_cell: bool, out: &mut Instances) {
        if position.candidates() <= 256 {
            self.small.find(position, by_cell, out);
        } else {
            self.large.find(position, by_cell, out);
        }
    }
}

/// Memory for nets.
#[derive(Debug, Default)]
pub struct Nets {
    /// What follows from each candidate.
    states: Vec<State>,
    /// The state of each candidate.
    numbers: Vec<[u16; 9]>,
    /// Memory for techniques within nets.
    inner: Option<Box<Inner>>,
}

/// Memory for techniques within nets.
#[derive(Debug)]
struct Inner {
    position: Position,
    memory: super::Memory,
    effects: Instances,
}

/// What follows from a candidate.
#[derive(Debug)]
struct State {
    digit: usize,
    cell: usize,
    bands: Bands,
    is_possible: bool,
    is_complete: bool,
}

impl Nets {
    /// Follows all candidates by singles and the techniques within a technique, and finds
    /// contradictions and what all candidates of a cell, or all places of a digit in a unit, imply.
    pub fn find(
        &mut self,
        position: &Position,
        technique: Technique,
        stop: &StopFlag,
        out: &mut Instances,
    ) {
        self.states.clear();
        self.numbers.clear();
        self.numbers.resize(81, [0; 9]);
        for (cell, &mask) in position.masks.iter().enumerate() {
            for digit in digits_of(mask) {
                self.numbers[cell][digit] = self.states.len() as u16;
                let mut placed = [0; 9];
                placed[digit] = 1 << cell;
                let mut bands = Bands::from(&position.board);
                bands.apply(&[0; 9], &placed);
                let is_possible = !bands.is_impossible();
                self.states.push(State { digit, cell, bands, is_possible, is_complete: false });
            }
        }
        loop {
            let mut any = false;
            for state in self.states.iter().filter(|state| !state.is_possible) {
                let evidence = || {
                    let contradiction = state.bands.contradiction();
                    let evidence = Evidence::pattern(1 << state.cell, 1 << state.digit);
                    Evidence { contradiction, ..evidence }
                };
                out.remove_digit(position, state.digit, 1 << state.cell, evidence);
                any = true;
            }
            for by_cell in [true, false] {
                alternatives(position, by_cell, |cells, digits, base| {
                    let mut possible = Bands::NONE;
                    for cell in Bits(cells) {
                        for digit in digits_of(digits) {
                            let state = &self.states[usize::from(self.numbers[cell][digit])];
                            if state.is_possible {
                                possible.add_candidates(&state.bands);
                            }
                        }
                    }
                    let removed =
                        std::array::from_fn(|digit| position.open[digit] & !possible.open(digit));
                    if removed != [0; 9] {
                        any = true;
                        out.remove(&removed, || Evidence::pattern(cells, digits).with_base(base));
                    }
                });
            }
            if any {
                return;
            }
            for state in self.states.iter_mut().filter(|state| !state.is_complete) {
                if stop.is_requested() {
                    return;
                }
                let is_changed = state.bands.place_singles()
                    || levels(technique).any(|techniques| {
                        let inner = self.inner.get_or_insert_with(|| Inner::new(stop));
                        inner.apply(techniques, &mut state.bands)
                    });
                state.is_complete = !is_changed;
                state.is_possible = !is_changed || !state.bands.is_impossible();
                any |= is_changed;
            }
            if !any {
                return;
            }
        }
    }
}

impl Inner {
    fn new(stop: &StopFlag) -> Box<Self> {
        let position = Position::of(&Board { digits: [0; 9], placed: 0 });
        let memory = super::Memory { stop: stop.clone(), ..super::Memory::default() };
        Box::new(Self { position, memory, effects: Instances::new(Collect::Effects) })
    }

    /// Applies all instances of techniques. Returns whether there are any.
    fn apply(&mut self, techniques: &[Technique], bands: &mut Bands) -> bool {
        let Self { position, memory, effects } = self;
        position.board = bands.board();
        position.update(Changed::ALL);
        effects.start(Technique::FullHouse, 0);
        for &technique in techniques {
            find(technique, position, memory, effects);
        }
        let any = effects.count > 0;
        if any {
            bands.apply(&effects.removed, &effects.placed);
        }
        any
    }
}
