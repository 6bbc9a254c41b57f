//! Unique rectangles and loops, hidden rectangles, and BUG (bivalue universal grave).
//!
//! All of them assume that the puzzle has exactly one solution: they avoid patterns in which two
//! digits could be exchanged.
//!
//! Sources: <http://sudopedia.enjoysudoku.com/Uniqueness_Test.html>,
//! <https://hodoku.sourceforge.net/en/tech_ur.php>,
//! <http://sudopedia.enjoysudoku.com/Bivalue_Universal_Grave.html>.

use super::subsets::subsets;
use super::{Evidence, Instances, Position, Role, Technique};
use crate::board::{Bits, Candidates, Cells, PEERS, UNITS, UNITS_OF, cells_at, common_peers};
use crate::board::{digits_of, positions_in, set_of, size};

/// The ways to avoid a pattern, given the candidates of open cells that are not part of it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Type {
    /// One cell has other candidates, so it has one of them.
    One,
    /// Several cells have one other candidate, the same for all, which one of them has.
    Two,
    /// Several cells of a unit have other candidates. One of these makes a naked set with other
    /// cells of the unit.
    Three,
    /// Two cells of a unit have other candidates. One of them has a digit of the pattern that has
    /// no other place in the unit, so the other digits of the pattern are removed from both.
    Four,
}

/// Returns the type of a technique, given that of type 1.
fn type_of(technique: Technique, first: Technique) -> Type {
    [Type::One, Type::Two, Type::Three, Type::Four][technique as usize - first as usize]
}

/// A unique rectangle, or a unique loop of six or more cells: cells with two common digits, in which
/// each row, column, and box has no cell of the loop or two neighbors.
pub fn loops(position: &Position, technique: Technique, out: &mut Instances) {
    let is_rectangle = technique <= Technique::UniqueRectangle4;
    let first = if is_rectangle { Technique::UniqueRectangle1 } else { Technique::UniqueLoop1 };
    let kind = type_of(technique, first);
    let length = if is_rectangle { 4 } else { 6 };
    // All cells but one, or two, have only two candidates, unless all have the same third one.
    let fewest = match kind {
        Type::One => length - 1,
        Type::Two => 1,
        Type::Three | Type::Four => length - 2,
    };
    for y in 1..9 {
        for x in 0..y {
            let cells = position.open[x] & position.open[y];
            let bivalue = cells & position.exactly[2];
            let is_new =
                matches!(kind, Type::Three | Type::Four) || cells & position.changed.cells != 0;
            if bivalue == 0
                || !is_new
                || bivalue.count_ones() < fewest
                || cells.count_ones() < length
            {
                continue;
            }
            let pattern = 1 << x | 1 << y;
            let mut search = LoopSearch { position, cells, bivalue, pattern, kind, start: 0, out };
            for start in Bits(bivalue) {
                search.start = start;
                // The first cell with two candidates starts the loop.
                search.cells &= !(bivalue & ((1 << start) - 1));
                if is_rectangle {
                    for corners in rectangles(search.cells, start) {
                        let path =
                            corners.into_iter().fold(1 << start, |all, cell| all | 1 << cell);
                        search.avoid(path, path & !bivalue);
                    }
                } else {
                    search.extend(start, 1 << start, [0; 2], Extra::default());
                }
            }
        }
    }
}

/// Returns the other corners of the rectangles in two boxes that these cells form with one of them:
/// that in its row, that in its column, and the opposite one.
fn rectangles(cells: Cells, corner: usize) -> impl Iterator<Item = [usize; 3]> {
    let [row, column, square] = UNITS_OF[corner].map(|unit| UNITS[usize::from(unit)]);
    let others = cells & !(1 << corner);
    let corners = Bits(others & row).flat_map(move |in_row| {
        Bits(others & column)
            .map(move |in_column| [in_row, in_column, in_column / 9 * 9 + in_row % 9])
    });
    corners.filter(move |&[in_row, in_column, opposite]| {
        cells >> opposite & 1 != 0 && (square >> in_row & 1) != (square >> in_column & 1)
    })
}

struct LoopSearch<'a> {
    position: &'a Position,
    /// The cells that have both digits.
    cells: Cells,
    /// Those that have no others.
    bivalue: Cells,
    /// Both digits.
    pattern: u16,
    kind: Type,
    start: usize,
    out: &'a mut Instances,
}

/// The cells of a path that have other candidates, and these.
#[derive(Clone, Copy, Default)]
struct Extra {
    cells: Cells,
    digits: u16,
}

impl LoopSearch<'_> {
    /// Extends a path that ends in this cell. `units` has the units of every second cell, the last
    /// one included, and those of the others.
    fn extend(&mut self, end: usize, path: Cells, units: [u32; 2], mut extra: Extra) {
        let own = UNITS_OF[end].iter().fold(0, |units: u32, unit| units | 1 << unit);
        // Two cells of a unit have different digits.
        if units[0] & own != 0 {
            return;
        }
        let units = [units[0] | own, units[1]];
        if self.bivalue >> end & 1 == 0 {
            extra.cells |= 1 << end;
            extra.digits |= self.position.masks[end] & !self.pattern;
            let rest = extra.cells & (extra.cells - 1);
            let is_avoidable = match self.kind {
                Type::One => rest == 0,
                Type::Two => {
                    let digit = extra.digits.trailing_zeros() as usize;
                    size(extra.digits) == 1
                        && common_peers(extra.cells) & self.position.open[digit] != 0
                }
                _ => rest & rest.wrapping_sub(1) == 0 && units_with(extra.cells).next().is_some(),
            };
            if !is_avoidable {
                return;
            }
        }
        if units[0] == units[1] && PEERS[end] >> self.start & 1 != 0 {
            if path.count_ones() > 4 {
                self.avoid(path, extra.cells);
            }
            return;
        }
        for next in Bits(self.cells & PEERS[end] & !path) {
            self.extend(next, path | 1 << next, [units[1], units[0]], extra);
        }
    }

    fn avoid(&mut self, path: Cells, extra: Cells) {
        let position = self.position;
        let mut others = [0; 9];
        for digit in digits_of(!self.pattern & 0x1ff) {
            others[digit] = position.open[digit] & extra;
        }
        avoid(position, self.kind, (path, self.pattern), &others, self.out);
    }
}

/// Reports what removes a deadly pattern, given its cells, the digits that all of them have, and the
/// candidates that are not part of it.
fn avoid(
    position: &Position,
    kind: Type,
    (pattern, digits): (Cells, u16),
    others: &Candidates,
    out: &mut Instances,
) {
    let extra = others.iter().fold(0, |all, cells| all | cells);
    let other_digits = set_of(others.map(|cells| cells != 0));
    let evidence = |common: u16, units: u32| {
        Evidence::pattern(pattern, digits).with(Role::Extra, extra, common).with_base(units)
    };
    match (kind, extra.count_ones()) {
        (Type::One, 1) => {
            let removed = std::array::from_fn(|digit| extra & !others[digit]);
            out.remove_effective(position, removed, || evidence(other_digits, 0));
        }
        (Type::Two, 2..) if size(other_digits) == 1 => {
            let digit = other_digits.trailing_zeros() as usize;
            let seen = common_peers(extra);
            out.remove_digit(position, digit, seen, || evidence(other_digits, 0));
        }
        (Type::Three, 2..) if size(other_digits) > 1 => {
            for unit in units_with(extra) {
                let free = positions_in(unit, position.open_cells() & !extra);
                let masks = position.unit_masks(unit);
                subsets(&masks, free, 0, other_digits, &mut |set, taken, _| {
                    if size(taken) == size(set) + 1 {
                        let mut removed = [0; 9];
                        let others = cells_at(unit, free & !set);
                        digits_of(taken).for_each(|digit| removed[digit] = others);
                        out.remove_effective(position, removed, || {
                            let evidence = evidence(other_digits, 1 << unit);
                            evidence.with(Role::Set, cells_at(unit, set), taken)
                        });
                    }
                    true
                });
            }
        }
        (Type::Four, 2) => {
            for unit in units_with(extra) {
                for digit in 0..9 {
                    let places = position.open[digit] & UNITS[unit];
                    if places != extra || others[digit] != 0 {
                        continue;
                    }
                    let removed = std::array::from_fn(|other| {
                        if other == digit { 0 } else { extra & !others[other] }
                    });
                    let evidence = || evidence(1 << digit, 1 << unit);
                    out.remove_effective(position, removed, evidence);
                }
            }
        }
        _ => {}
    }
}

/// Returns the units that contain all of these cells.
fn units_with(cells: Cells) -> impl Iterator<Item = usize> {
    (0..27).filter(move |&unit| cells & !UNITS[unit] == 0)
}

/// A rectangle whose corner has only two digits, X and Y, which the others have as well. If X has no
/// other places in the row and column of the opposite corner, that corner is not Y.
pub fn hidden_rectangle(position: &Position, out: &mut Instances) {
    for corner in Bits(position.exactly[2]) {
        let mask = position.masks[corner];
        let all = digits_of(mask).fold(!0, |cells, digit| cells & position.open[digit]);
        for [near_row, near_column, opposite] in rectangles(all, corner) {
            let lines = UNITS_OF[opposite];
            for x in digits_of(mask) {
                let places = position.open[x]
                    & (UNITS[usize::from(lines[0])] | UNITS[usize::from(lines[1])]);
                let others: Cells = 1 << near_row | 1 << near_column;
                if places == others | 1 << opposite {
                    let y = (mask & !(1 << x)).trailing_zeros() as usize;
                    out.remove_digit(position, y, 1 << opposite, || {
                        let corners = 1 << corner | others | 1 << opposite;
                        Evidence::pattern(corners, mask).with(Role::Extra, 1 << opposite, 1 << x)
                    });
                }
            }
        }
    }
}

/// A BUG: without some candidates, all open cells would have two, and each digit would have two
/// places in each unit that lacks it.
pub fn bug(position: &Position, technique: Technique, out: &mut Instances) {
    let kind = type_of(technique, Technique::Bug1);
    let open = position.open_cells();
    let larger = open & !position.exactly[2];
    let is_possible = match kind {
        Type::One => larger.is_power_of_two(),
        Type::Two => larger & !position.exactly[3] == 0 && common_peers(larger) & open != 0,
        Type::Three | Type::Four => units_with(larger).next().is_some(),
    };
    if larger == 0 || !is_possible {
        return;
    }
    // How many of a digit's places in each unit are not part of the pattern.
    let mut excess = [[0_i8; 9]; 27];
    for unit in 0..27 {
        for digit in 0..9 {
            match size(position.places(unit, digit)) {
                0 => {}
                1 => return,
                places => excess[unit][digit] = places as i8 - 2,
            }
        }
    }
    assign_extra(position, larger, &mut excess, &mut [0; 9], &mut |others| {
        avoid(position, kind, (open, 0), others, out);
    });
}

/// Visits all choices of candidates whose removal leaves two in each cell and two places of each
/// digit in each unit.
fn assign_extra(
    position: &Position,
    pending: Cells,
    excess: &mut [[i8; 9]; 27],
    others: &mut Candidates,
    visit: &mut impl FnMut(&Candidates),
) {
    let Some(cell) = Bits(pending).next() else {
        if excess.iter().flatten().all(|&count| count == 0) {
            visit(others);
        }
        return;
    };
    let mask = position.masks[cell];
    let units = UNITS_OF[cell].map(usize::from);
    let has_excess = |digit: usize| units.iter().all(|&unit| excess[unit][digit] > 0);
    let possible = mask & set_of(std::array::from_fn(has_excess));
    // All subsets of the possible digits, by counting down.
    let mut set = possible;
    loop {
        if size(set) + 2 == size(mask) {
            let add = |excess: &mut [[i8; 9]; 27], others: &mut Candidates, change: i8| {
                for digit in digits_of(set) {
                    units.iter().for_each(|&unit| excess[unit][digit] += change);
                    others[digit] ^= 1 << cell;
                }
            };
            add(excess, others, -1);
            assign_extra(position, pending & (pending - 1), excess, others, visit);
            add(excess, others, 1);
        }
        if set == 0 {
            break;
        }
        set = (set - 1) & possible;
    }
}
