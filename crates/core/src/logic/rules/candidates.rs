//! The candidates of a puzzle as bitmasks, digit by digit, and the rules that remove candidates.

use super::{Chute, Contradiction, Level, Rule, Step, Watch};
use crate::chute::{
    ALL, ASSERTED, BOX, CELLS_OF, Cells, EACH_ROW, Minirows, PLACED, POSSIBLE, ROW, UNITS,
};
use crate::marks::{Digits, Marks};
use crate::puzzle::{CELLS, Grid, Puzzle, Unit};

/// The candidates of each cell, with the rules that remove them.
///
/// After a [`Contradiction`], the candidates must not be used.
///
/// ```
/// # use bulkdoku_core as bulkdoku;
/// use bulkdoku::logic::{Candidates, Level};
///
/// let easy =
///     "003020600900305001001806400008102900700000008006708200002609500800203009005010300".parse()?;
/// let mut candidates = Candidates::of(&easy, &mut ()).unwrap();
/// assert_eq!(candidates.deduce(Level::LockedCandidates, &mut ()), Ok(Level::NakedSingles));
/// assert!(candidates.grid().unwrap().solves(&easy));
/// # Ok::<(), bulkdoku::Malformed>(())
/// ```
#[derive(Clone, Debug)]
pub struct Candidates {
    /// The cells that can have each digit, in each of the three bands.
    digits: [[Cells; 3]; 9],
    /// The cells whose digit has been removed from their peers.
    placed: [Cells; 3],
}

/// An iterator over cells of one band.
#[derive(Clone, Debug)]
pub struct BandCells {
    band: usize,
    cells: Cells,
}

impl Iterator for BandCells {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let cell = (self.cells != 0).then(|| self.cells.trailing_zeros() as usize)?;
        self.cells &= self.cells - 1;
        Some(27 * self.band + cell)
    }
}

impl From<&Marks> for Candidates {
    fn from(marks: &Marks) -> Self {
        let mut digits = [[0; 3]; 9];
        for (cell, mask) in marks.masks().iter().enumerate() {
            for (digit, bands) in digits.iter_mut().enumerate() {
                bands[cell / 27] |= Cells::from(mask >> (digit + 1) & 1) << (cell % 27);
            }
        }
        Self { digits, placed: [0; 3] }
    }
}

impl Candidates {
    /// Returns the candidates that the clues leave.
    ///
    /// # Errors
    /// When a clue's digit is already taken.
    pub fn of(puzzle: &Puzzle, watch: &mut impl Watch) -> Result<Self, Contradiction> {
        let mut candidates = Self { digits: [[ALL; 3]; 9], placed: [0; 3] };
        for (cell, &clue) in puzzle.cells().iter().enumerate() {
            if clue != 0 {
                candidates.assign(cell, clue, Rule::Clue, watch)?;
            }
        }
        Ok(candidates)
    }

    /// Applies the rules up to a level until none applies. Returns the level of the rules that were
    /// needed.
    ///
    /// # Errors
    /// When no solution is left.
    pub fn deduce(
        &mut self,
        strongest: Level,
        watch: &mut impl Watch,
    ) -> Result<Level, Contradiction> {
        let mut level = Level::NakedSingles;
        loop {
            self.naked_singles(watch)?;
            if self.open() == 0 || strongest == Level::NakedSingles {
                return Ok(level);
            }
            if self.hidden_singles(watch)? {
                level = level.max(Level::HiddenSingles);
            } else if strongest > Level::HiddenSingles && self.apply_all_chute_rules(watch)? {
                level = Level::LockedCandidates;
            } else {
                return Ok(level);
            }
        }
    }

    /// Assigns a digit to a cell, and removes it from the peers.
    ///
    /// # Errors
    /// When the digit is not a candidate of the cell.
    pub fn assign(
        &mut self,
        cell: usize,
        digit: u8,
        rule: Rule,
        watch: &mut impl Watch,
    ) -> Result<(), Contradiction> {
        self.place(usize::from(digit) - 1, cell / 27, cell % 27, || rule, watch)
    }

    /// Returns the number of cells without an assigned digit.
    pub fn open(&self) -> usize {
        CELLS - self.placed.iter().map(|cells| cells.count_ones() as usize).sum::<usize>()
    }

    /// Returns the candidates of every cell as pencil marks.
    pub fn marks(&self) -> Marks {
        let mut cells = [Digits::default(); CELLS];
        for (digit, bands) in (1..).zip(&self.digits) {
            for (band, &places) in bands.iter().enumerate() {
                BandCells { band, cells: places }.for_each(|cell| cells[cell].insert(digit));
            }
        }
        Marks::from_cells(cells)
    }

    /// Returns the solution, if every cell has its digit.
    pub fn grid(&self) -> Option<Grid> {
        (self.open() == 0).then(|| Grid(*self.marks().clues().cells()))
    }

    /// Applies naked singles: removes the only candidate of a cell from its peers, repeatedly.
    fn naked_singles(&mut self, watch: &mut impl Watch) -> Result<(), Contradiction> {
        loop {
            let mut has_new = false;
            for band in 0..3 {
                let (mut once, mut twice) = (0, 0);
                for digit in &self.digits {
                    twice |= once & digit[band];
                    once |= digit[band];
                }
                if once != ALL {
                    let cell = 27 * band + once.trailing_ones() as usize;
                    return Err(Contradiction::NoCandidate { cell });
                }
                let mut singles = once & !twice & !self.placed[band];
                has_new |= singles != 0;
                while singles != 0 {
                    let cell = singles.trailing_zeros() as usize;
                    singles &= singles - 1;
                    // The cell has no candidate if a peer has just taken its last one.
                    let holds = |digit: &usize| self.digits[*digit][band] >> cell & 1 != 0;
                    let Some(digit) = (0..9).find(holds) else {
                        return Err(Contradiction::NoCandidate { cell: 27 * band + cell });
                    };
                    self.remove_from_peers(digit, band, cell, || Rule::OnlyCandidate, watch);
                }
            }
            if !has_new {
                return Ok(());
            }
        }
    }

    /// Applies hidden singles: removes all other candidates of a cell that is a digit's only place
    /// in a unit. Returns whether there were any.
    fn hidden_singles(&mut self, watch: &mut impl Watch) -> Result<bool, Contradiction> {
        let mut has_new = false;
        for digit in 0..9 {
            let places = self.digits[digit];
            let hidden = only_places(&places).ok_or_else(|| no_place(digit, &places))?;
            for band in 0..3 {
                let mut new = hidden[band] & !self.placed[band];
                has_new |= new != 0;
                while new != 0 {
                    let cell = new.trailing_zeros() as usize;
                    new &= new - 1;
                    self.place(digit, band, cell, || only_place(&places, band, cell), watch)?;
                }
            }
        }
        Ok(has_new)
    }

    /// Applies the rules of chutes. Returns whether they have removed candidates.
    fn apply_all_chute_rules(&mut self, watch: &mut impl Watch) -> Result<bool, Contradiction> {
        let before = self.digits;
        (0..6).try_for_each(|chute| self.apply_chute_rules(Chute(chute), watch))?;
        Ok(self.digits != before)
    }

    /// Applies locked candidates, and removes other candidates of minirows that three digits fill.
    fn apply_chute_rules(
        &mut self,
        chute: Chute,
        watch: &mut impl Watch,
    ) -> Result<(), Contradiction> {
        let (is_band, i) = (chute.0 < 3, usize::from(chute.0 % 3));
        let possible = self.digits.map(|digit| {
            let minirows = if is_band { minirows(digit[i]) } else { minicolumns(digit, i) };
            POSSIBLE[usize::from(minirows)]
        });
        if let Some(digit) = possible.iter().position(|&minirows| minirows == 0) {
            return Err(Contradiction::NoPlaces { digit: digit as u8 + 1, chute });
        }
        let asserted = possible.map(|minirows| ASSERTED[usize::from(minirows)]);
        let (mut one, mut two, mut three) = (0, 0, 0);
        for digit in asserted {
            three |= two & digit;
            two |= one & digit;
            one |= digit;
        }
        for digit in 0..9 {
            let unfilled = possible[digit] & (!three | asserted[digit]);
            let rules = [(possible[digit], Rule::Locked(chute)), (unfilled, Rule::Filled(chute))];
            for (allowed, rule) in rules {
                if is_band {
                    self.restrict(digit, i, CELLS_OF[usize::from(allowed)], || Some(rule), watch);
                    continue;
                }
                for band in 0..3 {
                    let taken = Cells::from(!allowed >> (3 * band) & 0b111) << (3 * i);
                    self.restrict(digit, band, !(taken * EACH_ROW), || Some(rule), watch);
                }
            }
        }
        Ok(())
    }

    /// Assigns a digit (0 to 8) to a cell of a band, and removes it from the peers.
    #[inline(always)]
    fn place(
        &mut self,
        digit: usize,
        band: usize,
        cell: usize,
        rule: impl FnOnce() -> Rule,
        watch: &mut impl Watch,
    ) -> Result<(), Contradiction> {
        if self.digits[digit][band] >> cell & 1 == 0 {
            return Err(self.taken_digit(27 * band + cell, digit));
        }
        self.remove_from_peers(digit, band, cell, rule, watch);
        for other in (0..9).filter(|&other| other != digit) {
            self.restrict(other, band, !(1 << cell), || None, watch);
        }
        Ok(())
    }

    /// Removes the digit of a cell from its peers.
    #[inline(always)]
    fn remove_from_peers(
        &mut self,
        digit: usize,
        band: usize,
        cell: usize,
        rule: impl FnOnce() -> Rule,
        watch: &mut impl Watch,
    ) {
        let (assigned, number) = (27 * band + cell, digit as u8 + 1);
        watch.observe(|| Step::Assigned { cell: assigned, digit: number, rule: rule() });
        for other in 0..3 {
            let kept = if other == band { PLACED[cell] } else { !(EACH_ROW << (cell % 9)) };
            self.restrict(digit, other, kept, || None, watch);
        }
        self.placed[band] |= 1 << cell;
    }

    /// Removes the candidates of a digit in a band that are not in `cells`.
    #[inline(always)]
    fn restrict(
        &mut self,
        digit: usize,
        band: usize,
        cells: Cells,
        rule: impl FnOnce() -> Option<Rule>,
        watch: &mut impl Watch,
    ) {
        let eliminated = BandCells { band, cells: self.digits[digit][band] & !cells };
        self.digits[digit][band] &= cells;
        if eliminated.cells != 0 {
            let digit = digit as u8 + 1;
            watch.observe(|| Step::Eliminated { cells: eliminated, digit, rule: rule() });
        }
    }

    /// Returns the contradiction of a digit that is not a candidate of its cell.
    #[cold]
    fn taken_digit(&self, cell: usize, digit: usize) -> Contradiction {
        let has_digit = |&peer: &usize| {
            let cells = self.placed[peer / 27] & self.digits[digit][peer / 27];
            peer != cell && cells >> (peer % 27) & 1 != 0
        };
        let units = Unit::of_cell(cell);
        let unit = units.into_iter().find(|unit| unit.cells().iter().any(has_digit));
        Contradiction::Taken { cell, digit: digit as u8 + 1, unit: unit.unwrap_or(units[0]) }
    }
}

/// Returns the rule by which this cell is a digit's only place in a unit, given the digit's places.
fn only_place(places: &[Cells; 3], band: usize, cell: usize) -> Rule {
    let is_only = |(_, unit): &(Unit, &[Cells; 3])| {
        unit[band] >> cell & 1 != 0 && count_in(unit, places) == 1
    };
    let (unit, _) = Unit::all().zip(&UNITS).find(is_only).expect("it is the only place of a unit");
    Rule::OnlyPlace(unit)
}

/// Returns the contradiction of a digit with these places.
#[cold]
fn no_place(digit: usize, places: &[Cells; 3]) -> Contradiction {
    let is_empty = |(_, unit): &(Unit, &[Cells; 3])| count_in(unit, places) == 0;
    let (unit, _) = Unit::all().zip(&UNITS).find(is_empty).expect("a unit has no place");
    Contradiction::NoPlace { digit: digit as u8 + 1, unit }
}

/// Returns the number of places in a unit.
fn count_in(unit: &[Cells; 3], places: &[Cells; 3]) -> u32 {
    unit.iter().zip(places).map(|(unit, places)| (unit & places).count_ones()).sum()
}

/// Returns the cells that are a digit's only place in a unit, or `None` if a unit has no place.
fn only_places(digit: &[Cells; 3]) -> Option<[Cells; 3]> {
    let mut only = [0; 3];
    let (mut once, mut twice) = (0, 0);
    for (band, &cells) in digit.iter().enumerate() {
        for i in 0..3 {
            for unit in [ROW << (9 * i), BOX << (3 * i)] {
                let places = cells & unit;
                if places == 0 {
                    return None;
                }
                if places.is_power_of_two() {
                    only[band] |= places;
                }
            }
            let row = cells >> (9 * i) & ROW;
            twice |= once & row;
            once |= row;
        }
    }
    if once != ROW {
        return None;
    }
    let columns = once & !twice;
    Some(std::array::from_fn(|band| only[band] | digit[band] & (columns * EACH_ROW)))
}

/// Returns the minirows that contain any of these cells of a band.
fn minirows(cells: Cells) -> Minirows {
    let firsts = (cells | cells >> 1 | cells >> 2) & 0o111_111_111;
    // Gathers the bits 0, 3, 6, …, first in groups of three.
    let threes = (firsts | firsts >> 2 | firsts >> 4) & 0o7_007_007;
    (threes & 0b111 | threes >> 6 & 0b111_000 | threes >> 12 & 0b111_000_000) as Minirows
}

/// Returns the minirows of a stack that contain any of a digit's cells.
fn minicolumns(digit: [Cells; 3], stack: usize) -> Minirows {
    let [a, b, c] = digit.map(|cells| (columns(cells) >> (3 * stack) & 0b111) as Minirows);
    a | b << 3 | c << 6
}

/// Returns the columns that contain any of these cells of a band.
fn columns(cells: Cells) -> Cells {
    (cells | cells >> 9 | cells >> 18) & ROW
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minirows_and_columns_of_each_cell() {
        for cell in 0..27 {
            assert_eq!(minirows(1 << cell), 1 << (cell / 3));
            assert_eq!(columns(1 << cell), 1 << (cell % 9));
        }
        assert_eq!((minirows(ALL), columns(ALL)), (0b1_1111_1111, 0b1_1111_1111));
    }

    #[test]
    fn locked_candidates_leave_the_rest_of_the_row() {
        // Boxes 1 and 2 have the digit only in rows 1 and 2, so box 3 has it in row 3.
        let candidates = 0b111_011_011;
        assert_eq!(POSSIBLE[candidates], 0b100_011_011);
        assert_eq!(ASSERTED[candidates], 0b100_000_000);
    }
}
