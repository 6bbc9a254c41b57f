//! Two strong links of one digit, connected by a weak link: skyscraper, 2-string kite, turbot fish;
//! and the empty rectangle.
//!
//! Sources: <https://hodoku.sourceforge.net/en/tech_sdp.php>,
//! <http://sudopedia.enjoysudoku.com/Single-digit_Techniques.html>.

use super::{Changed, Evidence, Found, Position, Technique};
use crate::board::{Bits, Board, Cells, PEERS, UNITS, UNITS_OF, digits_of};

/// Which digits of a board have two connected links that are effective, of any kind.
#[derive(Debug, Default)]
pub struct Memory {
    board: Option<Board>,
    tested: u16,
    effective: u16,
}

impl Memory {
    /// Returns those of the digits that have effective links.
    fn effective(&mut self, position: &Position, digits: u16) -> u16 {
        if self.board != Some(position.board) {
            *self = Self { board: Some(position.board), tested: 0, effective: 0 };
        }
        for digit in digits_of(digits & !self.tested) {
            self.effective |= u16::from(is_effective(position, digit)) << digit;
        }
        self.tested |= digits;
        self.effective & digits
    }
}

/// Returns whether a digit has two links whose near ends see each other and whose far ends see a
/// candidate.
fn is_effective(position: &Position, digit: usize) -> bool {
    let all = position.strong[digit].iter().fold(0, |all, cells| all | cells);
    let far = |near: usize| (0..3).filter_map(move |kind| position.partner(digit, near, kind));
    Bits(all).any(|a| {
        Bits(all & PEERS[a] & !0 << a).any(|b| {
            far(a).filter(|&far_a| far_a != b).any(|far_a| {
                let seen = PEERS[far_a] & position.open[digit];
                far(b).any(|far_b| far_b != a && far_b != far_a && seen & PEERS[far_b] != 0)
            })
        })
    })
}

/// Two strong links with two ends that see each other. One of the other two ends has the digit, so
/// the peers of both lose it.
///
/// A skyscraper has parallel lines with ends in a crossing line; a 2-string kite has a row and a
/// column with ends in a box; a turbot fish is any other combination.
pub fn two_links<F: Found>(
    position: &Position,
    changed: Changed,
    technique: Technique,
    memory: &mut Memory,
    out: &mut F,
) {
    for digit in digits_of(memory.effective(position, changed.digits)) {
        let strong = &position.strong[digit];
        // The kinds of units of both links.
        let kinds: &[(usize, usize)] = match technique {
            Technique::Skyscraper => &[(0, 0), (1, 1)],
            Technique::TwoStringKite => &[(0, 1)],
            _ => &[(0, 0), (1, 1), (0, 2), (1, 2), (2, 2)],
        };
        for &(first, second) in kinds {
            let (mut pending, others) = (strong[first], strong[second]);
            while pending != 0 && others != 0 {
                let a = link(position, digit, first, pending);
                pending &= !(a[0] | a[1]);
                let mut rest = if first == second { pending } else { others };
                while rest != 0 {
                    let b = link(position, digit, second, rest);
                    rest &= !(b[0] | b[1]);
                    // Links that share a cell are a pair or a triangle.
                    if (a[0] | a[1]) & (b[0] | b[1]) == 0 {
                        two_ends(position, digit, technique, (a, b), [first, second], out);
                        two_ends(
                            position,
                            digit,
                            technique,
                            (a, [b[1], b[0]]),
                            [first, second],
                            out,
                        );
                    }
                }
            }
        }
    }
}

/// Returns the ends of the strong link in the unit of the first of these cells.
#[inline(always)]
fn link(position: &Position, digit: usize, kind: usize, cells: Cells) -> [Cells; 2] {
    let cell = cells.trailing_zeros() as usize;
    let unit = UNITS[usize::from(UNITS_OF[cell][kind])];
    [1 << cell, position.open[digit] & unit & !(1 << cell)]
}

/// Reports two links of these kinds of units with their first ends, or their second ones, connected.
#[inline(always)]
fn two_ends<F: Found>(
    position: &Position,
    digit: usize,
    technique: Technique,
    (a, b): ([Cells; 2], [Cells; 2]),
    kinds: [usize; 2],
    out: &mut F,
) {
    let near = [0, 1].map(|i| [a[i], b[i]].map(|cell| cell.trailing_zeros() as usize));
    for i in 0..2 {
        let ([one, other], [far_one, far_other]) = (near[i], near[1 - i]);
        let targets = PEERS[far_one] & PEERS[far_other] & position.open[digit];
        if targets == 0 || PEERS[one] >> other & 1 == 0 {
            continue;
        }
        let in_same = |kind: usize| UNITS_OF[one][kind] == UNITS_OF[other][kind];
        let is_kind = match technique {
            Technique::TwoStringKite => in_same(2),
            // Parallel links are connected in a crossing line or, otherwise, in a box.
            Technique::Skyscraper => in_same(1 - kinds[0]),
            _ => kinds[1] == 2 || !in_same(1 - kinds[0]),
        };
        if is_kind {
            out.remove_digit(&position.board, digit, targets, || Evidence {
                digits: 1 << digit,
                cells: [a[1 - i] | b[1 - i], a[i] | b[i], 0],
                base: 1 << UNITS_OF[one][kinds[0]] | 1 << UNITS_OF[other][kinds[1]],
                ..Evidence::default()
            });
        }
    }
}

/// All places of a digit in a box are in one row and one column, and a strong link in another
/// column (or row) has one end in that row (or column): the digit is not where the other end's row
/// meets the box's column (or the reverse).
pub fn empty_rectangle<F: Found>(position: &Position, changed: Changed, out: &mut F) {
    for digit in digits_of(changed.digits) {
        let open = position.open[digit];
        for (i, places) in position.all_places(2, digit).into_iter().enumerate() {
            let square = UNITS[18 + i];
            let inside = open & square;
            for corner in digits_of(CORNERS[usize::from(places)]) {
                let (i, j) = (i / 3 * 3 + corner / 3, 9 + i % 3 * 3 + corner % 3);
                let (row, column) = (UNITS[i], UNITS[j]);
                for (kind, from, to) in [(1, row, column), (0, column, row)] {
                    for end in Bits(position.strong[digit][kind] & !square & from) {
                        let Some(other) = position.partner(digit, end, kind) else { continue };
                        let targets = PEERS[other] & to & !square & !from;
                        out.remove_digit(&position.board, digit, targets, || Evidence {
                            digits: 1 << digit,
                            cells: [inside, 1 << end, 1 << other],
                            base: 1 << (18 + (i / 3 * 3 + (j - 9) / 3)),
                            ..Evidence::default()
                        });
                    }
                }
            }
        }
    }
}

/// For each set of positions in a box, the positions whose row and column contain all of it, but
/// neither of them alone.
static CORNERS: [u16; 512] = {
    let mut table = [0; 512];
    let mut set = 0;
    while set < 512 {
        let mut corner = 0;
        while corner < 9 {
            let row = 0b111 << (corner / 3 * 3);
            let column = 0b1_001_001 << (corner % 3);
            if set & !(row | column) == 0 && set & !row != 0 && set & !column != 0 {
                table[set] |= 1 << corner;
            }
            corner += 1;
        }
        set += 1;
    }
    table
};
