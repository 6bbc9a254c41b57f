//! X-wing, swordfish, and jellyfish, also finned and sashimi.
//!
//! Sources: <http://sudopedia.enjoysudoku.com/Fish.html>,
//! <https://hodoku.sourceforge.net/en/tech_fishb.php> (finned and sashimi).

use super::subsets::{small_unions, tight_sets};
use super::{Evidence, Instances, Position, Role};
use crate::board::{Cells, columns, digits_of, rows, size, transpose};

/// A digit's places in one set of lines, of one direction, are in as many crossing lines, which
/// lose it elsewhere.
#[inline(always)]
pub fn basic(position: &Position, count: usize, min_lines: usize, out: &mut Instances) {
    for digit in digits_of(position.changed.digits) {
        for kind in 0..2 {
            let lines = position.all_places(kind, digit);
            if lines.iter().filter(|&&line| line != 0).count() < min_lines {
                continue;
            }
            tight_sets(&lines, count, |base, cover| {
                report(position, digit, kind, base, cover, 0, !rows(base), out);
            });
        }
    }
}

/// The version and the digits of the last position without effective sashimi fish of each size.
pub type Memory = [(u64, u16); 5];

/// A fish with additional places in one box, its fins. The cover loses the digit only where it sees
/// all fins. A fish is sashimi if one of its lines has fewer than two places other than fins.
pub fn finned(
    position: &Position,
    count: usize,
    is_sashimi: bool,
    memory: &mut Memory,
    out: &mut Instances,
) {
    let searched = (position.version, position.changed.digits);
    if is_sashimi && memory[count] == searched {
        return;
    }
    let mut has_sashimi = false;
    for digit in digits_of(position.changed.digits) {
        for kind in 0..2 {
            let lines = position.all_places(kind, digit);
            let crossing = position.all_places(1 - kind, digit);
            small_unions(&lines, count, count + 2, |base, union| {
                let excess = size(union).saturating_sub(count);
                for stack in (0..3).filter(|_| excess > 0) {
                    let in_stack = union & 0b111 << (3 * stack);
                    // All fins are in the same box, and at least one line of the cover crosses it.
                    if size(in_stack) <= excess {
                        continue;
                    }
                    for i in digits_of(in_stack) {
                        let fins = if excess == 1 { 1 << i } else { in_stack & !(1 << i) };
                        let with_fins = digits_of(fins).fold(0, |all, i| all | crossing[i]) & base;
                        let band = 0b111 << (with_fins.trailing_zeros() / 3 * 3);
                        let others = digits_of(band & !base).fold(0, |all, i| all | lines[i]);
                        if with_fins & !band != 0 || others & in_stack & !fins == 0 {
                            continue;
                        }
                        let cover = union & !fins;
                        let lacks_corner = digits_of(base).any(|i| size(lines[i] & cover) < 2);
                        has_sashimi |= lacks_corner;
                        if lacks_corner == is_sashimi {
                            let targets = rows(band & !base) & columns(in_stack);
                            report(position, digit, kind, base, cover, fins, targets, out);
                        }
                    }
                }
            });
        }
    }
    memory[count] = if has_sashimi { (0, 0) } else { searched };
}

/// Reports a fish. Cells are relative to its direction: its base consists of rows.
#[expect(clippy::too_many_arguments, reason = "these are the parts of a fish")]
#[inline(always)]
fn report(
    position: &Position,
    digit: usize,
    kind: usize,
    base: u16,
    cover: u16,
    fins: u16,
    targets: Cells,
    out: &mut Instances,
) {
    let places = position.layout(kind, digit);
    let removed = places & targets & columns(cover);
    if removed == 0 {
        return;
    }
    let cells = |cells: Cells| if kind == 0 { cells } else { transpose(cells) };
    out.remove_digit(position, digit, cells(removed), || {
        let [corners, fins] = [cover, fins].map(|set| cells(places & rows(base) & columns(set)));
        Evidence::pattern(corners, 1 << digit)
            .with(Role::Fins, fins, 1 << digit)
            .with_base(u32::from(base) << (9 * kind))
            .with_cover(u32::from(cover) << (9 - 9 * kind))
    });
}
