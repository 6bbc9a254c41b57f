//! Almost locked sets: ALS-XZ and ALS-XY-wing; and sue de coq.
//!
//! An almost locked set (ALS) has one digit more than cells, in one unit. Two of them have a
//! restricted common digit (RCC) if all its places in one see all its places in the other.
//!
//! Sources: <https://hodoku.sourceforge.net/en/tech_als.php>,
//! <https://hodoku.sourceforge.net/en/tech_misc.php#sdc>.

use super::links::{Set, and, insert, members, or};
use super::subsets::subsets;
use super::{Evidence, Instances, Link, Position, Role};
use crate::board::{Bits, Candidates, Cells, UNITS, cells_at, common_peers};
use crate::board::{digits_of, positions_in, set_of, size};

/// An almost locked set.
#[derive(Debug)]
struct Als {
    cells: Cells,
    digits: u16,
    /// The candidates that see all places of their digit.
    seen: Candidates,
    /// Whether it is part of an effective ALS-XZ.
    in_xz: bool,
    /// The digits that it removes as the pivot of an ALS-XY-wing.
    by_wing: u16,
}

/// The almost locked sets of a position.
#[derive(Debug, Default)]
pub struct Memory {
    version: u64,
    sets: Vec<Als>,
    linked: Vec<(usize, u16)>,
    small: Places<4>,
    medium: Places<8>,
    large: Places<256>,
}

impl Memory {
    /// Finds the almost locked sets, and which of them are part of something effective.
    fn update(&mut self, position: &Position) {
        if self.version != position.version {
            self.version = position.version;
            self.collect(position);
            match self.sets.len() {
                0..=256 => self.small.analyze(position, &mut self.sets),
                257..=512 => self.medium.analyze(position, &mut self.sets),
                _ => self.large.analyze(position, &mut self.sets),
            }
        }
    }

    /// Collects all almost locked sets that can be part of something.
    fn collect(&mut self, position: &Position) {
        self.sets.clear();
        for unit in (0..27).rev() {
            let masks = position.unit_masks(unit);
            let open = positions_in(unit, position.open_cells());
            subsets(&masks, open, 0, 0, &mut |set, digits, rest| {
                let can_grow = size(digits) <= size(set) + size(rest) + 1;
                // Sets within a box and a line are those of the box.
                let is_in_box = |&triad: &u16| set & !triad == 0;
                if size(digits) != size(set) + 1
                    || unit < 18 && [0o007, 0o070, 0o700].iter().any(is_in_box)
                {
                    return can_grow;
                }
                let cells = cells_at(unit, set);
                let mut seen = [0; 9];
                for digit in digits_of(digits) {
                    let open = position.open[digit];
                    seen[digit] = common_peers(cells & open) & open;
                }
                // Every use takes two digits, one of which is restricted.
                if seen.iter().filter(|&&cells| cells != 0).count() < 2 {
                    return can_grow;
                }
                self.sets.push(Als { cells, digits, seen, in_xz: false, by_wing: 0 });
                can_grow
            });
        }
    }
}

/// By digit and cell, the numbers of the sets that have this place of the digit.
#[derive(Debug, Default)]
struct Places<const W: usize>(Vec<[Set<W>; 81]>);

impl<const W: usize> Places<W> {
    /// Finds which sets are part of something effective.
    fn analyze(&mut self, position: &Position, sets: &mut [Als]) {
        self.0.clear();
        self.0.resize(9, [[0; W]; 81]);
        let mut with_digit = [[0; W]; 9];
        for (i, set) in sets.iter().enumerate() {
            for digit in digits_of(set.digits) {
                insert(&mut with_digit[digit], i);
                for cell in Bits(set.cells & position.open[digit]) {
                    insert(&mut self.0[digit][cell], i);
                }
            }
        }
        for i in 0..sets.len() {
            let set = &sets[i];
            let mut linked = [0; W];
            let (mut once, mut twice, mut in_xz) = ([0; 9], [0; 9], 0);
            for x in digits_of(set.digits).filter(|&x| set.seen[x] != 0) {
                // All places of the digit see all of its places in this set.
                let mut outside = [0; W];
                for cell in Bits(position.open[x] & !set.seen[x]) {
                    or(&mut outside, &self.0[x][cell]);
                }
                let by_x = std::array::from_fn(|word| with_digit[x][word] & !outside[word]);
                for other in members(&and(&linked, &by_x)) {
                    let (_, removed) = by_common(position, set, &sets[other]);
                    in_xz |= removed.iter().fold(0, |all, cells| all | cells);
                }
                or(&mut linked, &by_x);
                // What those with this RCC see.
                let mut seen = [0; 9];
                for other in members(&by_x) {
                    for (all, cells) in seen.iter_mut().zip(&sets[other].seen) {
                        *all |= cells;
                    }
                }
                seen[x] = 0;
                for z in 0..9 {
                    in_xz |= seen[z] & set.seen[z];
                    twice[z] |= once[z] & seen[z];
                    once[z] |= seen[z];
                }
            }
            sets[i].in_xz = in_xz != 0;
            sets[i].by_wing = set_of(twice.map(|cells| cells != 0));
        }
    }
}

/// Returns the restricted common digits of two sets.
#[inline(always)]
fn restricted(position: &Position, a: &Als, b: &Als) -> u16 {
    let mut common = a.digits & b.digits;
    let overlap = a.cells & b.cells;
    for digit in digits_of(common) {
        let is_restricted = b.cells & position.open[digit] & !a.seen[digit] == 0;
        if !is_restricted || overlap & position.open[digit] != 0 {
            common &= !(1 << digit);
        }
    }
    common
}

/// Returns the RCCs of two sets, and what they remove.
fn by_common(position: &Position, a: &Als, b: &Als) -> (u16, Candidates) {
    let common = a.digits & b.digits;
    let rcc = restricted(position, a, b);
    let mut removed = [0; 9];
    if rcc == 0 {
        return (rcc, removed);
    }
    let has_two = rcc & (rcc - 1) != 0;
    for digit in digits_of(a.digits | b.digits) {
        let is_common = common >> digit & 1 != 0;
        let is_restricted = rcc >> digit & 1 != 0;
        if is_common && (has_two || !is_restricted) {
            removed[digit] |= a.seen[digit] & b.seen[digit];
        }
        if has_two && !is_restricted {
            removed[digit] |= a.seen[digit] | b.seen[digit];
        }
    }
    (rcc, removed)
}

/// Returns the evidence that consists of these sets.
fn with_sets(sets: &[&Als]) -> Evidence {
    let add = |all: Evidence, set: &&Als| all.with(Role::AlmostLocked, set.cells, set.digits);
    sets.iter().fold(Evidence::default(), add)
}

/// Returns the weak links of RCCs from one set to another.
fn links(position: &Position, a: &Als, b: &Als, rcc: u16) -> impl Iterator<Item = Link> {
    digits_of(rcc).map(|digit| {
        let open = position.open[digit];
        Link::new(digit, a.cells & open, b.cells & open, false)
    })
}

/// Two sets with an RCC X: one of them lacks X and has its other digits, so cells that see all
/// places of another common digit Z lose Z. With two RCCs, both sets are locked.
pub fn xz(position: &Position, memory: &mut Memory, out: &mut Instances) {
    memory.update(position);
    let sets = &memory.sets;
    for (i, a) in sets.iter().enumerate().filter(|(_, a)| a.in_xz) {
        for b in sets[i + 1..].iter().filter(|b| b.in_xz) {
            let (rcc, removed) = by_common(position, a, b);
            out.remove_effective(position, removed, || {
                with_sets(&[a, b]).with_links(links(position, a, b, rcc).collect())
            });
        }
    }
}

/// A pivot C with an RCC X to A and another one, Y, to B: A or B has each other common digit Z, so
/// cells that see all its places in both lose Z.
pub fn xy_wing(position: &Position, memory: &mut Memory, out: &mut Instances) {
    memory.update(position);
    let Memory { sets, linked, .. } = memory;
    for c in sets.iter().filter(|c| c.by_wing != 0) {
        linked.clear();
        for (i, a) in sets.iter().enumerate() {
            let rcc = if a.cells == c.cells { 0 } else { restricted(position, a, c) };
            if rcc != 0 {
                linked.push((i, rcc));
            }
        }
        for (i, &(first, by_first)) in linked.iter().enumerate() {
            for &(second, by_second) in &linked[i + 1..] {
                let (a, b) = (&sets[first], &sets[second]);
                // X and Y must differ.
                if by_first == by_second && size(by_first) == 1 {
                    continue;
                }
                for z in digits_of(a.digits & b.digits & c.by_wing) {
                    let targets = a.seen[z] & b.seen[z];
                    if targets == 0 {
                        continue;
                    }
                    let (x, y) = (by_first & !(1 << z), by_second & !(1 << z));
                    if x == 0 || y == 0 || x == y && size(x) == 1 {
                        continue;
                    }
                    out.remove_digit(position, z, targets, || {
                        let (by_x, by_y) = (links(position, a, c, x), links(position, b, c, y));
                        with_sets(&[a, b, c]).with_links(by_x.chain(by_y).collect())
                    });
                }
            }
        }
    }
}

/// Two or three cells that a box shares with a line have at least two digits more than cells. With
/// cells of the line and of the box, which have no digit in common, there are as many digits as
/// cells: each digit is removed from the rest of the line or box that must have it here.
pub fn sue_de_coq(position: &Position, out: &mut Instances) {
    for square in 18..27 {
        for line in 0..18 {
            let shared = UNITS[square] & UNITS[line];
            if shared == 0 {
                continue;
            }
            let masks = position.unit_masks(square);
            let cores = positions_in(square, shared & position.open_cells());
            let all = digits_of(cores).fold(0, |all, i| all | masks[i]);
            // Two cells have at least four digits.
            if size(cores) < 2 || size(all) < 4 {
                continue;
            }
            let by_line = Helpers::of(position, line, shared, all);
            if by_line.len == 0 {
                continue;
            }
            let by_box = Helpers::of(position, square, shared, all);
            subsets(&masks, cores, 0, 0, &mut |core, v, _| {
                let surplus = size(v).wrapping_sub(size(core));
                if size(core) < 2 || !(2..9).contains(&surplus) {
                    return true;
                }
                for (l, dl, by_line) in by_line.reducing(v).filter(|helper| helper.2 < surplus) {
                    for (b, db, by_box) in by_box.reducing(v) {
                        if by_box != surplus - by_line || dl & db != 0 {
                            continue;
                        }
                        let core = cells_at(square, core);
                        let (l, b) = (cells_at(line, l), cells_at(square, b));
                        let mut removed = [0; 9];
                        for (unit, own, digits) in
                            [(line, l, (v | dl) & !db), (square, b, (v | db) & !dl)]
                        {
                            let others = UNITS[unit] & !(core | own);
                            digits_of(digits).for_each(|digit| removed[digit] |= others);
                        }
                        out.remove_effective(position, removed, || {
                            let core = Evidence::pattern(core, v);
                            core.with(Role::AlmostLocked, l, dl).with(Role::AlmostLocked, b, db)
                        });
                    }
                }
                true
            });
        }
    }
}

/// Sets of open cells of a unit that, with shared cells, reduce the surplus of their digits.
struct Helpers {
    /// Positions in the unit, and digits.
    sets: [(u16, u16); 64],
    len: usize,
}

impl Helpers {
    /// Finds those that do so if the shared cells have all of their digits.
    fn of(position: &Position, unit: usize, shared: Cells, digits: u16) -> Self {
        let mut helpers = Self { sets: [(0, 0); 64], len: 0 };
        let own = positions_in(unit, position.open_cells() & !shared);
        subsets(&position.unit_masks(unit), own, 0, 0, &mut |set, union, rest| {
            let others = size(union & !digits);
            if size(set) > others {
                helpers.sets[helpers.len] = (set, union);
                helpers.len += 1;
            }
            size(set) + size(rest) > others
        });
        helpers
    }

    /// Returns each set, its digits, and by how much it reduces the surplus of these digits.
    fn reducing(&self, digits: u16) -> impl Iterator<Item = (u16, u16, usize)> {
        let by = move |&(set, union): &(u16, u16)| {
            (set, union, size(set).saturating_sub(size(union & !digits)))
        };
        self.sets[..self.len].iter().map(by).filter(|helper| helper.2 > 0)
    }
}
