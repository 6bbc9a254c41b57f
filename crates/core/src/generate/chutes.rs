//! Solution grids that start from a random band and a random stack.
//!
//! A band is drawn uniformly, and so is a stack that shares its first box. The other four boxes are
//! filled cell by cell: first cells with one candidate, otherwise one of those with the fewest.
//! Each grid is reached in only one way, with a probability of 1 / weight, where the weight is the
//! product of the numbers of candidates. So grids with large weights would be too rare. Accepting a
//! grid with a probability proportional to its weight corrects this ([Knuth, Estimating the
//! efficiency of backtrack programs](https://doi.org/10.1090/S0025-5718-1975-0373371-6)).

use super::Cells;
use crate::puzzle::CELLS;
use crate::random::SeededRng;

/// The weight at which a grid is always accepted, as a power of two. Larger weights, which are
/// 0.05% of the total, count as this one.
const MAX_WEIGHT_BITS: u32 = 17;

/// Returns a grid: the first one that a search finds, or one drawn nearly uniformly from all
/// 6,670,903,752,021,072,936,960.
pub fn fill(is_uniform: bool, random: &mut SeededRng) -> Cells {
    loop {
        let mut cells = band_and_stack(random);
        if let Some(weight) = fill_last_boxes(&mut cells, random)
            && (!is_uniform || random.happens(weight, MAX_WEIGHT_BITS))
        {
            return cells;
        }
    }
}

const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

fn shuffled(digits: [u8; 3], random: &mut SeededRng) -> [u8; 3] {
    ORDERS[random.below(6)].map(|i| digits[i])
}

fn band_and_stack(random: &mut SeededRng) -> Cells {
    let digits = random.order::<9>().map(|i| i as u8 + 1);
    let row = |i: usize| [digits[3 * i], digits[3 * i + 1], digits[3 * i + 2]];
    let column = |i: usize| [digits[i], digits[3 + i], digits[6 + i]];
    let rows = chute([row(0), row(1), row(2)], random);
    let columns = chute([column(0), column(1), column(2)], random);
    let mut cells = [0; CELLS];
    for line in 0..3 {
        for i in 0..9 {
            cells[line * 9 + i] = rows[line][i];
            cells[i * 9 + line] = columns[line][i];
        }
    }
    cells
}

/// Draws one of the 56 × 6⁶ bands that begin with this box. Boxes and bands are arrays of rows.
fn chute(first: [[u8; 3]; 3], random: &mut SeededRng) -> [[u8; 9]; 3] {
    // In the second box, each row sends the same number of digits to the row before it, and the
    // rest to the row after it: none or all in one way, one or two in 3 × 3 × 3 ways.
    let sent_before = match random.below(56) {
        0 => 0,
        1..28 => 1,
        28..55 => 2,
        _ => 3,
    };
    let sent = first.map(|row| shuffled(row, random));
    let mut boxes = [[[0; 3]; 3]; 2];
    for row in 0..3 {
        let other_rows = [(row + 2) % 3, (row + 1) % 3];
        for i in 0..3 {
            // The third box is the reverse. Every row is filled: the first digits of one row take
            // the places that the last digits of another row leave.
            let is_after = usize::from(i >= sent_before);
            boxes[0][other_rows[is_after]][i] = sent[row][i];
            boxes[1][other_rows[1 - is_after]][i] = sent[row][i];
        }
    }
    let mut rows = [[0; 9]; 3];
    for (row, line) in rows.iter_mut().enumerate() {
        line[..3].copy_from_slice(&first[row]);
        line[3..6].copy_from_slice(&shuffled(boxes[0][row], random));
        line[6..].copy_from_slice(&shuffled(boxes[1][row], random));
    }
    rows
}

/// Number of cells in the last four boxes, which form a square of six by six.
const OPEN_CELLS: usize = 36;
const ALL: u64 = (1 << OPEN_CELLS) - 1;
const ROW: u64 = 0b11_1111;
const COLUMN: u64 = 0b1_000_001_000_001_000_001_000_001_000_001;

/// For each cell, the cells of its row, column, and box.
const PEERS: [u64; OPEN_CELLS] = {
    const BOX: u64 = 0b111_000_111_000_111;
    let mut peers = [0; OPEN_CELLS];
    let mut cell = 0;
    while cell < OPEN_CELLS {
        let (row, column) = (cell / 6, cell % 6);
        peers[cell] = ROW << (row * 6) | COLUMN << column | BOX << (row / 3 * 18 + column / 3 * 3);
        cell += 1;
    }
    peers
};

/// The last four boxes while they are being filled.
struct LastBoxes {
    /// The possible cells of each digit; meaningless for filled cells.
    places: [u64; 9],
    /// The cells of each digit.
    filled: [u64; 9],
    open: u64,
}

/// Fills the last four boxes. Returns the weight, or `None` if a cell has no candidate left.
fn fill_last_boxes(cells: &mut Cells, random: &mut SeededRng) -> Option<u64> {
    let mut boxes = LastBoxes::new(cells);
    let mut weight = 1;
    while boxes.open != 0 {
        let [one, two] = boxes.at_least_one_and_two();
        if one & boxes.open != boxes.open {
            return None;
        }
        let singles = boxes.open & !two;
        if singles != 0 {
            boxes.place_singles(singles)?;
            continue;
        }
        let pairs = boxes.open & !boxes.at_least_three();
        let cell = if pairs == 0 { boxes.open } else { pairs }.trailing_zeros() as usize;
        let mut digits = boxes.candidates(cell);
        let choices = digits.count_ones();
        weight *= u64::from(choices);
        for _ in 0..random.below(choices as usize) {
            digits &= digits - 1;
        }
        boxes.place_digit(cell, digits.trailing_zeros() as usize);
    }
    boxes.write(cells);
    Some(weight)
}

impl LastBoxes {
    fn new(cells: &Cells) -> Self {
        let mut places = [ALL; 9];
        for line in 0..6 {
            for i in 0..3 {
                places[cells[(line + 3) * 9 + i] as usize - 1] &= !(ROW << (line * 6));
                places[cells[i * 9 + line + 3] as usize - 1] &= !(COLUMN << line);
            }
        }
        Self { places, filled: [0; 9], open: ALL }
    }

    /// Returns the cells with at least one candidate, and at least two. Filled cells are
    /// meaningless.
    #[inline(always)]
    fn at_least_one_and_two(&self) -> [u64; 2] {
        let [mut one, mut two] = [0; 2];
        for places in self.places {
            two |= one & places;
            one |= places;
        }
        [one, two]
    }

    /// Returns the cells with at least three candidates. Filled cells are meaningless.
    #[inline(always)]
    fn at_least_three(&self) -> u64 {
        let [mut one, mut two, mut at_least_three] = [0; 3];
        for places in self.places {
            at_least_three |= two & places;
            two |= one & places;
            one |= places;
        }
        at_least_three
    }

    #[inline(always)]
    fn candidates(&self, cell: usize) -> u32 {
        (0..9).fold(0, |digits, i| digits | ((self.places[i] >> cell & 1) as u32) << i)
    }

    #[inline(always)]
    fn place_digit(&mut self, cell: usize, digit: usize) {
        self.open &= !(1 << cell);
        self.filled[digit] |= 1 << cell;
        self.places[digit] &= !PEERS[cell];
    }

    /// Fills cells that have one candidate each; returns `None` if two of them conflict.
    #[inline(always)]
    fn place_singles(&mut self, singles: u64) -> Option<()> {
        self.open &= !singles;
        for (places, filled) in self.places.iter_mut().zip(&mut self.filled) {
            let mut cells = *places & singles;
            *filled |= cells;
            while cells != 0 {
                let peers = PEERS[cells.trailing_zeros() as usize];
                cells &= cells - 1;
                if cells & peers != 0 {
                    return None;
                }
                *places &= !peers;
            }
        }
        Some(())
    }

    fn write(&self, cells: &mut Cells) {
        for (digit, filled) in (1..).zip(self.filled) {
            let mut left = filled;
            while left != 0 {
                let cell = left.trailing_zeros() as usize;
                left &= left - 1;
                cells[(cell / 6 + 3) * 9 + cell % 6 + 3] = digit;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::Grid;

    #[test]
    fn bands_are_uniform() {
        // The 56 ways to distribute digits to rows are equally likely: chi-square with 55 degrees
        // of freedom is below 93.2 in 999 of 1000 cases.
        let mut random = SeededRng::of_row(1, 0);
        let mut counts = std::collections::HashMap::new();
        const DRAWN: usize = 56_000;
        for _ in 0..DRAWN {
            let rows = chute([[1, 2, 3], [4, 5, 6], [7, 8, 9]], &mut random);
            let second_box = rows.map(|row| {
                let mut digits = [row[3], row[4], row[5]];
                digits.sort_unstable();
                digits
            });
            *counts.entry(second_box).or_insert(0_i32) += 1;
        }
        assert_eq!(counts.len(), 56);
        let each = (DRAWN / 56) as f64;
        let chi_square: f64 = counts.values().map(|&n| (f64::from(n) - each).powi(2) / each).sum();
        assert!(chi_square < 93.2, "{chi_square}");
    }

    #[test]
    fn grids_obey_the_rules() {
        for (is_uniform, grids) in [(false, 200), (true, 5)] {
            for index in 0..grids {
                assert!(Grid(fill(is_uniform, &mut SeededRng::of_row(1, index))).is_valid());
            }
        }
    }

    /// Checks that the mean weight of all searches, including failed ones, is the number of ways to
    /// fill the rest: 6,670,903,752,021,072,936,960 grids / (9! × (56 × 6⁶)²) = 2692.96.
    #[test]
    fn weights_count_the_grids() {
        const SEARCHES: u64 = 40_000;
        let mut random = SeededRng::of_row(2, 0);
        let weights = (0..SEARCHES).map(|_| {
            fill_last_boxes(&mut band_and_stack(&mut random), &mut random).unwrap_or(0) as f64
        });
        let (sum, squares) =
            weights.fold((0.0, 0.0), |(sum, squares), w| (sum + w, squares + w * w));
        let mean = sum / SEARCHES as f64;
        let error = ((squares / SEARCHES as f64 - mean * mean) / SEARCHES as f64).sqrt();
        assert!((mean - 2692.96).abs() < 4.0 * error, "{mean} +- {error}");
    }
}
