//! The scale of Sudoku Explainer 1.2.1: the path that it takes, with the easiest step at each time.
//!
//! Steps that stay possible when other candidates disappear are applied together, since the highest
//! rating does not depend on their order. Of uniqueness patterns and chains, which exclude each
//! other or become shorter, only the one that Sudoku Explainer prefers is applied.
//!
//! The scale is that of <http://forum.enjoysudoku.com/sudoku-explainer-ratings-t1210.html>; which
//! steps are preferred follows from the paths that Sudoku Explainer prints.

mod chains;
mod dynamic;
mod explain;
mod links;
mod nested;
mod nets;
mod reach;

use bulkdoku_core::StopFlag;
use bulkdoku_core::bands::{Bands, Singles};
use bulkdoku_core::puzzle::Puzzle;

use self::nets::{Assertion, is_on};
use super::instances::{Collect, Instances};
use super::links::Kind;
use super::position::Tracker;
use super::subsets::tight_sets;
use super::unrated::{Unrated, check_unique};
use super::{Changed, Evidence, Memory, Position, Role, Step, Technique, find};
use crate::board::{Board, Candidates, UNIT_CELLS, UNITS, cells_at, digits_of, size};

/// Ratings on the scale of Sudoku Explainer 1.2.1, in tenths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct SeRating {
    /// The highest rating of all steps.
    pub er: u16,
    /// The highest rating of the steps up to the first placement.
    pub ep: u16,
    /// The rating of the first step.
    pub ed: u16,
}

/// A step of the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Hint {
    /// The rating, in tenths.
    rating: u16,
    /// The digits that the step places.
    placed: Candidates,
    /// The candidates that the step removes.
    removed: Candidates,
}

/// Returns a digit in a cell.
fn candidate((digit, cell): (usize, usize)) -> Candidates {
    let mut candidate = [0; 9];
    candidate[digit] = 1 << cell;
    candidate
}

impl Hint {
    /// Returns that an assertion holds.
    fn of(rating: u16, assertion: Assertion) -> Self {
        let (cell, digit) = nets::place(assertion);
        let (one, none) = (candidate((digit, cell)), [0; 9]);
        let (placed, removed) = if is_on(assertion) { (one, none) } else { (none, one) };
        Self { rating, placed, removed }
    }
}

/// Returns the ratings of loops and chains of a kind of links without their lengths, in tenths.
fn bases(kind: Kind) -> (u16, u16) {
    match kind {
        Kind::X => (65, 66),
        // Such chains are forcing chains.
        Kind::Y => (65, 0),
        Kind::All => (70, 70),
    }
}

/// Returns what a number of assertions adds to the rating of a chain, in tenths.
fn length_tenths(assertions: usize) -> u16 {
    let mut tenths = 0;
    let (mut limit, mut next) = (4, 6);
    while assertions > limit + 2 {
        tenths += 1;
        (limit, next) = (next, limit * 2);
    }
    tenths
}

/// A kind of steps.
#[derive(Clone, Copy, Debug)]
enum Rule {
    /// All instances of a technique together.
    All(Technique),
    /// Pointing or claiming that leaves one place in another unit, or hidden pairs or triplets that
    /// leave one place for another digit in their unit.
    Direct(Technique),
    /// The easiest unique rectangle or loop, or BUG.
    Easiest(&'static [Technique]),
    /// The preferred chain.
    Chain,
    Nishio,
    MultipleChain,
    Dynamic,
}

/// The rules after hidden singles, in the order in which they are tried, with their ratings if these
/// do not depend on the step.
const RULES: [(Rule, u16); 26] = {
    use Technique as T;
    const LOOPS: &[Technique] = &[
        T::UniqueRectangle1,
        T::UniqueRectangle2,
        T::UniqueRectangle4,
        T::UniqueRectangle3,
        T::UniqueLoop1,
        T::UniqueLoop2,
        T::UniqueLoop4,
        T::UniqueLoop3,
    ];
    const BUGS: &[Technique] = &[T::Bug1, T::Bug2, T::Bug4, T::Bug3];
    const fn all(technique: Technique) -> (Rule, u16) {
        (Rule::All(technique), technique.definition().se as u16)
    }
    [
        (Rule::Direct(T::Pointing), 17),
        (Rule::Direct(T::Claiming), 19),
        (Rule::Direct(T::HiddenPair), 20),
        all(T::NakedSingle),
        (Rule::Direct(T::HiddenTriple), 25),
        all(T::Pointing),
        all(T::Claiming),
        all(T::NakedPair),
        all(T::XWing),
        all(T::HiddenPair),
        all(T::NakedTriple),
        all(T::Swordfish),
        all(T::HiddenTriple),
        all(T::XYWing),
        all(T::XYZWing),
        (Rule::Easiest(LOOPS), 0),
        all(T::NakedQuad),
        all(T::Jellyfish),
        all(T::HiddenQuad),
        (Rule::Easiest(BUGS), 0),
        all(T::AlignedPairExclusion),
        (Rule::Chain, 0),
        all(T::AlignedTripletExclusion),
        (Rule::Nishio, 0),
        (Rule::MultipleChain, 0),
        (Rule::Dynamic, 0),
    ]
};

/// Rates puzzles on the scale of Sudoku Explainer 1.2.1, reusing its memory.
#[derive(Debug)]
pub struct Explainer {
    tracker: Tracker,
    memory: Memory,
    small: chains::Search<4>,
    large: chains::Search<12>,
    nets: dynamic::Search,
}

impl Default for Explainer {
    fn default() -> Self {
        Self {
            tracker: Tracker::new(RULES.len()),
            memory: Memory::default(),
            small: chains::Search::default(),
            large: chains::Search::default(),
            nets: dynamic::Search::default(),
        }
    }
}

impl Explainer {
    /// Ends all searches when `stop` is requested.
    pub fn stop_at(&mut self, stop: StopFlag) {
        self.nets.stop = stop;
    }

    /// Returns the ratings of a puzzle.
    ///
    /// # Errors
    /// When there is not exactly one solution, the puzzle needs more than one level of nested
    /// dynamic chains, or the search is stopped.
    pub fn rate(&mut self, puzzle: &Puzzle) -> Result<SeRating, Unrated> {
        check_unique(&puzzle.into())?;
        self.rate_unique(puzzle)
    }

    /// Returns the ratings of a puzzle with exactly one solution, which is not checked.
    ///
    /// # Errors
    /// When the puzzle needs more than one level of nested dynamic chains, or the search is stopped.
    pub fn rate_unique(&mut self, puzzle: &Puzzle) -> Result<SeRating, Unrated> {
        self.rate_while(puzzle, |_| true)
    }

    /// Returns the ratings of a path that ends when `goes_on` returns `false` for the ratings so far,
    /// of which `ep` is 0 until a digit is placed. The puzzle must have exactly one solution, which
    /// is not checked.
    ///
    /// # Errors
    /// When the puzzle needs more than one level of nested dynamic chains, or the search is stopped.
    pub fn rate_while(
        &mut self,
        puzzle: &Puzzle,
        mut goes_on: impl FnMut(SeRating) -> bool,
    ) -> Result<SeRating, Unrated> {
        self.path(puzzle, &mut |_, _| {}, &mut goes_on)
    }

    /// Does the work of [`Explainer::rate_while`], and visits the board and the rating of each step
    /// that is not a hidden single.
    pub(crate) fn path(
        &mut self,
        puzzle: &Puzzle,
        visit: &mut dyn FnMut(&Board, u16),
        goes_on: &mut dyn FnMut(SeRating) -> bool,
    ) -> Result<SeRating, Unrated> {
        let mut rating = SeRating { er: 0, ep: 0, ed: 0 };
        let mut bands = Bands::of(puzzle);
        self.tracker.start();
        while !bands.is_full() {
            let singles = place_hidden(&mut bands, rating.er);
            let (tenths, is_placed) = if singles != 0 {
                (singles, true)
            } else {
                let board = bands.board();
                self.tracker.update(&board);
                let (_, hint) = self.step(rating.er)?;
                visit(&board, hint.rating);
                bands.apply(&hint.removed, &hint.placed);
                (hint.rating, hint.placed != [0; 9])
            };
            rating.ed = if rating.ed == 0 { tenths } else { rating.ed };
            rating.er = rating.er.max(tenths);
            if is_placed && rating.ep == 0 {
                rating.ep = rating.er;
            }
            if !goes_on(rating) {
                break;
            }
        }
        Ok(rating)
    }

    /// Returns the next step and its rule. Rules that are not harder than the rating so far and that
    /// others with that property imply are left out.
    fn step(&mut self, so_far: u16) -> Result<(Rule, Hint), Unrated> {
        let is_small = self.tracker.position.candidates() <= 256;
        let mut effects = Instances::new(Collect::Effects);
        for (i, (rule, rating)) in RULES.into_iter().enumerate() {
            self.tracker.select(i);
            let position = &self.tracker.position;
            let hint = match rule {
                Rule::All(technique) => {
                    find(technique, position, &mut self.memory, &mut effects);
                    None
                }
                Rule::Direct(technique) if so_far < technique.definition().se.into() => {
                    direct(position, technique, &mut effects);
                    None
                }
                Rule::Direct(_) => None,
                Rule::Easiest(techniques) => {
                    easiest(position, techniques, &mut self.memory).map(|(rating, step)| {
                        let (placed, removed) = step.effects();
                        Hint { rating, placed, removed }
                    })
                }
                Rule::Chain if is_small => self.small.forcing_chain(position),
                Rule::Chain => self.large.forcing_chain(position),
                Rule::MultipleChain => self.nets.multiple(position),
                Rule::Nishio => self.nets.nishio(position),
                Rule::Dynamic => self.nets.dynamic(position),
            };
            if effects.count > 0 {
                let Instances { placed, removed, .. } = effects;
                return Ok((rule, Hint { rating, placed, removed }));
            }
            if self.nets.stop.is_requested() {
                return Err(Unrated::Stopped);
            }
            if let Some(hint) = hint {
                // Only one of all instances is applied.
                if let Rule::Easiest(_) = rule {
                    self.tracker.pending[i] = Changed::ALL;
                }
                return Ok((rule, hint));
            }
        }
        Err(Unrated::Beyond)
    }
}

/// Places the easiest hidden singles, where the rating so far does not make the kind irrelevant.
/// Returns their rating, or 0 if there are none.
fn place_hidden(bands: &mut Bands, so_far: u16) -> u16 {
    let mut found = Singles::NONE;
    let rating = if so_far < 15 && bands.full_houses(&mut found) {
        10
    } else if bands.hidden_in_boxes(&mut found) {
        12
    } else if bands.hidden_in_lines(&mut found) {
        15
    } else {
        return 0;
    };
    bands.place(&found);
    rating
}

/// Finds locked candidates and hidden sets that leave one place for a digit: for the same digit in
/// a unit of the kind that has all places in the intersection, or for another one in the same unit.
fn direct(position: &Position, technique: Technique, effects: &mut Instances) {
    match technique {
        Technique::HiddenPair => direct_hidden(position, 2, effects),
        Technique::HiddenTriple => direct_hidden(position, 3, effects),
        _ => direct_locked(position, technique == Technique::Pointing, effects),
    }
}

fn direct_locked(position: &Position, is_pointing: bool, effects: &mut Instances) {
    Bands::from(&position.board).locked(is_pointing, |digit, base, cover, removed| {
        let first = base / 9 * 9;
        for other in (first..first + 9).filter(|&other| other != base) {
            let places = position.open[digit] & UNITS[other];
            let left = places & !removed;
            if left != places && left.is_power_of_two() {
                effects.place(digit, left.trailing_zeros() as usize, || {
                    Evidence::pattern(position.open[digit] & UNITS[base], 1 << digit)
                        .with_base(1 << base)
                        .with_cover(1 << cover)
                });
            }
        }
    });
}

fn direct_hidden(position: &Position, count: usize, effects: &mut Instances) {
    for unit in 0..27 {
        let places: [u16; 9] = std::array::from_fn(|digit| position.places(unit, digit));
        tight_sets(&places, count, |digits, set| {
            for digit in digits_of(!digits & 0x1ff) {
                let left = places[digit] & !set;
                if left != places[digit] && size(left) == 1 {
                    let cell = UNIT_CELLS[unit][left.trailing_zeros() as usize];
                    effects.place(digit, cell.into(), || {
                        Evidence::pattern(cells_at(unit, set), digits).with_base(1 << unit)
                    });
                }
            }
        });
    }
}

/// Returns the easiest instance of techniques with its rating.
fn easiest(
    position: &Position,
    techniques: &[Technique],
    memory: &mut Memory,
) -> Option<(u16, Step)> {
    let mut instances = Instances::new(Collect::Steps);
    for &technique in techniques {
        instances.technique = technique;
        find(technique, position, memory, &mut instances);
    }
    let steps = instances.steps.into_iter().map(|step| (order(position, &step), step));
    steps.min_by_key(|(order, _)| *order).map(|([rating, ..], step)| (rating as u16, step))
}

/// Returns the rating of a unique rectangle, a unique loop, or a BUG. Of equal ratings, the type
/// decides, then the first cell without other candidates, then the kind of unit.
fn order(position: &Position, step: &Step) -> [u32; 4] {
    use Technique as T;
    let evidence = &step.evidence;
    let pattern = evidence.cells(Role::Pattern);
    let rating = match step.technique {
        T::Bug1 => 56,
        T::Bug2 | T::Bug3 | T::Bug4 => 57,
        _ => match pattern.count_ones() {
            4 => 45,
            6 => 46,
            8 => 47,
            _ => 50,
        },
    };
    let unit = evidence.base.first().map_or(27, |unit| unit.number());
    let cells = evidence.cells(Role::Set).count_ones();
    let (kind, more) = match step.technique {
        T::UniqueRectangle1 | T::UniqueLoop1 | T::Bug1 => (1, 0),
        T::UniqueRectangle2 | T::UniqueLoop2 | T::Bug2 => (2, 0),
        T::Bug3 => (3, cells),
        T::UniqueRectangle3 | T::UniqueLoop3 => {
            // A larger naked set is a hidden set of the other cells and those of the loop.
            let others = (UNITS[unit] & !position.board.placed).count_ones() - 2;
            (3, if 2 * cells <= others { cells } else { others - cells - 1 })
        }
        _ => (4, 0),
    };
    let start = (pattern & position.exactly[2]).trailing_zeros();
    [rating + more, kind, start, [1, 2, 0, 0][unit / 9]]
}
