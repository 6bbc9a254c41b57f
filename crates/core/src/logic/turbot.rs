//! Two strong links of one digit, connected by a weak link: skyscraper, 2-string kite, turbot fish;
//! and the empty rectangle.
//!
//! Sources: <https://hodoku.sourceforge.net/en/tech_sdp.php>,
//! <http://sudopedia.enjoysudoku.com/Single-digit_Techniques.html>.

use super::{Changed, Evidence, Found, Position, Technique};
use crate::board::{Bits, Cells, PEERS, UNITS, digits_of};

/// Two strong links with two ends that see each other. One of the other two ends has the digit, so
/// the peers of both lose it.
///
/// A skyscraper has parallel lines with ends in a crossing line; a 2-string kite has a row and a
/// column with ends in a box; a turbot fish is any other combination.
pub fn two_links<F: Found>(
    position: &Position,
    changed: Changed,
    technique: Technique,
    out: &mut F,
) {
    for digit in digits_of(changed.digits) {
        let open = position.open[digit];
        let mut links = [(0, 0); 27];
        let mut count = 0;
        for kind in 0..3 {
            for unit in 9 * kind..9 * kind + 9 {
                let ends = position.strong[digit][kind] & UNITS[unit];
                if ends != 0 {
                    links[count] = (ends, unit);
                    count += 1;
                }
            }
        }
        for (i, &(a, first)) in links[..count].iter().enumerate() {
            for &(b, second) in &links[i + 1..count] {
                for near_a in Bits(a) {
                    for near_b in Bits(b & PEERS[near_a]) {
                        let (far_a, far_b) = (a & !(1 << near_a), b & !(1 << near_b));
                        let targets = peers_of(far_a) & peers_of(far_b) & open;
                        if targets == 0 || far_a == far_b || (a | b).count_ones() != 4 {
                            continue;
                        }
                        let weak: Cells = 1 << near_a | 1 << near_b;
                        if class((first, second), weak) != technique {
                            continue;
                        }
                        out.remove_digit(&position.board, digit, targets, || Evidence {
                            digits: 1 << digit,
                            cells: [far_a | far_b, weak, 0],
                            base: 1 << first | 1 << second,
                            ..Evidence::default()
                        });
                    }
                }
            }
        }
    }
}

fn peers_of(cell: Cells) -> Cells {
    PEERS[cell.trailing_zeros() as usize]
}

/// Returns what two strong links in these units, the first of which has the lower number, are
/// called if these ends are connected.
fn class((first, second): (usize, usize), weak: Cells) -> Technique {
    let share = |kind: usize| (9 * kind..9 * kind + 9).any(|unit| weak & !UNITS[unit] == 0);
    match (first / 9, second / 9) {
        (0, 0) if share(1) => Technique::Skyscraper,
        (1, 1) if share(0) => Technique::Skyscraper,
        (0, 1) if share(2) => Technique::TwoStringKite,
        _ => Technique::TurbotFish,
    }
}

/// All places of a digit in a box are in one row and one column, and a strong link in another
/// column (or row) has one end in that row (or column): the digit is not where the other end's row
/// meets the box's column (or the reverse).
pub fn empty_rectangle<F: Found>(position: &Position, changed: Changed, out: &mut F) {
    for digit in digits_of(changed.digits) {
        let open = position.open[digit];
        for square in 18..27 {
            let inside = open & UNITS[square];
            let (band, stack) = ((square - 18) / 3 * 3, (square - 18) % 3 * 3);
            for (i, j) in (0..9).map(|k| (band + k / 3, 9 + stack + k % 3)) {
                let (row, column) = (UNITS[i], UNITS[j]);
                let is_empty = inside & !(row | column) == 0;
                if !is_empty || inside & !row == 0 || inside & !column == 0 {
                    continue;
                }
                for (kind, from, to) in [(1, row, column), (0, column, row)] {
                    let strong = position.strong[digit][kind] & !UNITS[square];
                    for end in Bits(strong & from) {
                        let Some(other) = position.partner(digit, end, kind) else { continue };
                        let outside: Cells = 1 << end | 1 << other;
                        let targets = PEERS[other] & to & !UNITS[square] & !from;
                        out.remove_digit(&position.board, digit, targets, || Evidence {
                            digits: 1 << digit,
                            cells: [inside, outside, 0],
                            base: 1 << square,
                            ..Evidence::default()
                        });
                    }
                }
            }
        }
    }
}
