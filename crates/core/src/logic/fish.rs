//! X-wing, swordfish, and jellyfish, also finned and sashimi.
//!
//! Sources: <http://sudopedia.enjoysudoku.com/Fish.html>,
//! <https://hodoku.sourceforge.net/en/tech_fishb.php> (finned and sashimi).

use super::subsets::tight_sets;
use super::{Changed, Evidence, Found, Position};
use crate::board::{Cells, columns, digits_of, rows, size, transpose};

/// A digit's places in one set of lines, of one direction, are in as many crossing lines, which
/// lose it elsewhere.
#[inline(always)]
pub fn basic<F: Found>(position: &Position, changed: Changed, count: usize, out: &mut F) {
    for digit in digits_of(changed.digits) {
        for kind in 0..2 {
            let lines = position.all_places(kind, digit);
            tight_sets(&lines, count, |base, cover| {
                report(position, digit, kind, base, cover, 0, !rows(base), out);
            });
        }
    }
}

/// A fish with additional places in one box, its fins. The cover loses the digit only where it sees
/// all fins. A fish is sashimi if one of its lines has fewer than two places other than fins.
pub fn finned<F: Found>(
    position: &Position,
    changed: Changed,
    count: usize,
    is_sashimi: bool,
    out: &mut F,
) {
    for digit in digits_of(changed.digits) {
        for kind in 0..2 {
            let lines = position.all_places(kind, digit);
            let eligible = (0..9).filter(|&i| size(lines[i]) >= 2);
            let eligible = eligible.fold(0, |set: u16, i| set | 1 << i);
            extend(&lines, eligible, count, count + 2, (0, 0), &mut |base, union| {
                for stack in 0..3 {
                    let in_stack = union & 0b111 << (3 * stack);
                    // All fins are in the same box, and at least one line of the cover crosses it.
                    for i in digits_of(in_stack) {
                        let (one, others) = (1 << i, in_stack & !(1 << i));
                        let fins = match (size(union) - count, size(others)) {
                            (1, 1..) => one,
                            (2, 2) => others,
                            _ => continue,
                        };
                        let with_fins = (0..9)
                            .filter(|&i| base >> i & 1 != 0 && lines[i] & fins != 0)
                            .fold(0, |set: u16, i| set | 1 << i);
                        let band = 0b111 << (with_fins.trailing_zeros() / 3 * 3);
                        let cover = union & !fins;
                        let lacks_corner = digits_of(base).any(|i| size(lines[i] & cover) < 2);
                        if with_fins & !band == 0 && lacks_corner == is_sashimi {
                            let targets = rows(band & !base) & columns(in_stack);
                            report(position, digit, kind, base, cover, fins, targets, out);
                        }
                    }
                }
            });
        }
    }
}

/// Visits every set of lines whose union is larger than `limit - 2`, but at most `limit`.
fn extend(
    lines: &[u16; 9],
    mut eligible: u16,
    missing: usize,
    limit: usize,
    (set, union): (u16, u16),
    visit: &mut impl FnMut(u16, u16),
) {
    if missing == 0 {
        if size(union) > limit - 2 {
            visit(set, union);
        }
        return;
    }
    while eligible != 0 {
        let i = eligible.trailing_zeros() as usize;
        eligible &= eligible - 1;
        let larger = union | lines[i];
        if size(larger) <= limit {
            extend(lines, eligible, missing - 1, limit, (set | 1 << i, larger), visit);
        }
    }
}

/// Reports a fish. Cells are relative to its direction: its base consists of rows.
#[expect(clippy::too_many_arguments, reason = "these are the parts of a fish")]
#[inline(always)]
fn report<F: Found>(
    position: &Position,
    digit: usize,
    kind: usize,
    base: u16,
    cover: u16,
    fins: u16,
    targets: Cells,
    out: &mut F,
) {
    let places = position.layout(kind, digit);
    let removed = places & targets & columns(cover);
    if removed == 0 {
        return;
    }
    let cells = |cells: Cells| if kind == 0 { cells } else { transpose(cells) };
    out.remove_digit(&position.board, digit, cells(removed), || Evidence {
        digits: 1 << digit,
        cells: [cover, fins, 0].map(|set| cells(places & rows(base) & columns(set))),
        base: u32::from(base) << (9 * kind),
        cover: u32::from(cover) << (9 - 9 * kind),
        ..Evidence::default()
    });
}
