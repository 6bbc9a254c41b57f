//! Slow definitions of colors, remote pairs, uniqueness patterns, exclusion, and almost locked sets.

use std::collections::BTreeSet;

use bulkdoku_core::board::{Bits, Candidates, Cells, PEERS, UNITS, UNITS_OF, digits_of};

use super::{Slow, all_subsets, candidates, cells_of, ends, mask, seeing_all, seeing_any};
use super::{bivalue_pairs, strong_links, subsets, units_with};

pub fn simple_colors(slow: &mut Slow) {
    for digit in 0..9 {
        let links = strong_links(slow, digit);
        let mut pending = links.iter().fold(0, |all, link| all | link.1);
        while pending != 0 {
            let mut colors = [1 << ends(pending)[0], 0];
            let mut before = [0; 2];
            while colors != before {
                before = colors;
                for &(_, link) in &links {
                    for (i, j) in [(0, 1), (1, 0)] {
                        let ends = Bits(link & colors[i]);
                        colors[j] |= ends.fold(0, |all, end| all | link & !(1 << end));
                    }
                }
            }
            let [a, b] = colors;
            for color in colors.into_iter().filter(|&color| color & seeing_any(color) != 0) {
                slow.lose(color, 1 << digit);
            }
            slow.lose(seeing_any(a) & seeing_any(b) & !(a | b), 1 << digit);
            pending &= !(a | b);
        }
    }
}

pub fn remote_pair(slow: &mut Slow) {
    for (pair, [start, end], [digits, _]) in bivalue_pairs(slow).collect::<Vec<_>>() {
        let same = slow.with_count(|count| count == 2);
        let same = mask(Bits(same).filter(|&cell| slow.digits(cell) == digits));
        // The number of cells of a shortest chain.
        let (mut reached, mut length) = (1 << start, 1);
        while reached >> end & 1 == 0 && length < 81 {
            reached |= seeing_any(reached) & same;
            length += 1;
        }
        if length < 81 && length % 2 == 0 && length > 2 {
            slow.lose(seeing_all(pair), digits);
        }
    }
}

/// Applies a type of uniqueness patterns, given their candidates that are not part of it.
fn avoid(slow: &mut Slow, others: &Candidates, kind: u8) {
    let extra = others.iter().fold(0, |all, cells| all | cells);
    let digits = mask((0..9).filter(|&digit| others[digit] != 0)) as u16;
    let pattern = others.map(|cells| extra & !cells);
    match (kind, extra.count_ones()) {
        (1, 1) => slow.remove(pattern),
        (2, 2..) if digits.is_power_of_two() => {
            slow.lose_seen(digits.trailing_zeros() as usize, extra);
        }
        (3, 2..) if !digits.is_power_of_two() => {
            for unit in units_with(extra) {
                let free = slow.cells_with(0x1ff) & UNITS[unit] & !extra;
                for set in all_subsets(free) {
                    let taken = slow.digits_in(set) | digits;
                    if taken.count_ones() == set.count_ones() + 1 {
                        slow.lose(free & !set, taken);
                    }
                }
            }
        }
        (4, 2) => {
            for (unit, digit) in units_with(extra).flat_map(|u| (0..9).map(move |d| (u, d))) {
                if slow.open[digit] & UNITS[unit] == extra && others[digit] == 0 {
                    let mut lost = pattern;
                    lost[digit] = 0;
                    slow.remove(lost);
                }
            }
        }
        _ => {}
    }
}

/// Avoids that two digits can be exchanged in some cells.
fn avoid_exchange(slow: &mut Slow, cells: Cells, pair: u16, kind: u8) {
    let has_both = digits_of(pair).all(|digit| cells & !slow.open[digit] == 0);
    if has_both && cells & slow.with_count(|count| count == 2) != 0 {
        let mut others = slow.open.map(|open| open & cells);
        digits_of(pair).for_each(|digit| others[digit] = 0);
        avoid(slow, &others, kind);
    }
}

/// Returns the corners of all rectangles in two boxes, each with all pairs of digits.
fn rectangles() -> impl Iterator<Item = (Cells, u16)> {
    let lines = subsets(0x1ff, 2).into_iter();
    let pairs = lines.flat_map(|rows| subsets(0x1ff << 9, 2).into_iter().map(move |it| (rows, it)));
    let all = pairs.map(|(rows, columns)| cells_of(rows) & cells_of(columns));
    let all = all.filter(|&it| UNITS[18..].iter().filter(|&square| it & square != 0).count() == 2);
    all.flat_map(|it| subsets(0x1ff, 2).into_iter().map(move |pair| (it, pair as u16)))
}

pub fn unique_rectangle(slow: &mut Slow, kind: u8) {
    rectangles().for_each(|(corners, pair)| avoid_exchange(slow, corners, pair, kind));
}

pub fn hidden_rectangle(slow: &mut Slow) {
    for (corners, pair) in rectangles() {
        if !digits_of(pair).all(|digit| corners & !slow.open[digit] == 0) {
            continue;
        }
        for corner in Bits(corners & slow.with_count(|count| count == 2)) {
            let opposite = corners & !(PEERS[corner] | 1 << corner);
            let [row, column, _] = UNITS_OF[ends(opposite)[0]];
            let lines = UNITS[usize::from(row)] | UNITS[usize::from(column)];
            for x in digits_of(pair)
                .filter(|&x| slow.open[x] & lines & !corners == 0)
                .collect::<Vec<_>>()
            {
                slow.lose(opposite, pair & !(1 << x));
            }
        }
    }
}

/// Closed paths of six or more cells with two common digits, each of which sees the next one, in
/// which every second cell has the same digit, so that each unit has each digit once or not at all.
pub fn unique_loop(slow: &mut Slow, kind: u8) {
    for pair in subsets(0x1ff, 2) {
        let cells = Bits(pair).fold(!0, |cells, digit| cells & slow.open[digit]);
        let mut loops = BTreeSet::new();
        Bits(cells).for_each(|start| extend(cells, &mut vec![start], &mut loops));
        loops.into_iter().for_each(|path| avoid_exchange(slow, path, pair as u16, kind));
    }
}

fn extend(cells: Cells, path: &mut Vec<usize>, loops: &mut BTreeSet<Cells>) {
    // The units of every second cell, and those of the others.
    let mut units = [0_u32; 2];
    for (i, &cell) in path.iter().enumerate() {
        let own = UNITS_OF[cell].into_iter().fold(0, |own, unit| own | 1 << unit);
        if units[i % 2] & own != 0 {
            return;
        }
        units[i % 2] |= own;
    }
    let seen = PEERS[path[path.len() - 1]];
    if units[0] == units[1] && seen >> path[0] & 1 != 0 {
        if path.len() > 4 {
            loops.insert(mask(path.iter().copied()));
        }
        return;
    }
    for next in Bits(cells & seen & !mask(path.iter().copied())) {
        path.push(next);
        extend(cells, path, loops);
        path.pop();
    }
}

/// Removes candidates from cells with more than two, so that two candidates are left in each cell and
/// two places, or none, for each digit in each unit.
pub fn bug(slow: &mut Slow, kind: u8) {
    let larger = slow.with_count(|count| count > 2);
    if !(1..=5).contains(&larger.count_ones()) || slow.with_count(|count| count == 1) != 0 {
        return;
    }
    let mut choices = vec![[0; 9]];
    for cell in Bits(larger) {
        let digits = slow.digits(cell);
        let sets = subsets(digits.into(), digits.count_ones() - 2);
        let sets = sets.into_iter().map(|set| candidates(1 << cell, set as u16));
        let with = |set: Candidates| {
            choices.iter().map(move |it| std::array::from_fn(|digit| it[digit] | set[digit]))
        };
        choices = sets.flat_map(with).collect();
    }
    for others in choices {
        let places = |digit: usize, unit: Cells| slow.open[digit] & !others[digit] & unit;
        let is_paired = |unit| (0..9).all(|d| [0, 2].contains(&places(d, unit).count_ones()));
        if UNITS.into_iter().all(is_paired) {
            avoid(slow, &others, kind);
        }
    }
}

/// No combination of digits in some cells repeats a digit in cells that see each other, or takes all
/// candidates of a cell that sees all of them and has at most as many candidates.
pub fn aligned(slow: &mut Slow, count: u32) {
    let small = slow.with_count(|candidates| (2..=count).contains(&candidates));
    for cells in subsets(slow.cells_with(0x1ff), count) {
        let excluders = Bits(small & seeing_all(cells)).map(|cell| slow.digits(cell));
        let excluders: Vec<_> = excluders.collect();
        if !excluders.is_empty() {
            let mut possible = [0; 9];
            combine(slow, cells, &mut [0; 9], &excluders, &mut possible);
            slow.remove(possible.map(|possible| cells & !possible));
        }
    }
}

/// Adds the possible combinations of digits in pending cells with those that were chosen.
fn combine(
    slow: &Slow,
    pending: Cells,
    chosen: &mut Candidates,
    excluders: &[u16],
    possible: &mut Candidates,
) {
    if pending == 0 {
        let all = mask((0..9).filter(|&digit| chosen[digit] != 0)) as u16;
        if excluders.iter().all(|excluder| excluder & !all != 0) {
            (0..9).for_each(|digit| possible[digit] |= chosen[digit]);
        }
        return;
    }
    let cell = ends(pending)[0];
    for digit in digits_of(slow.digits(cell)) {
        if chosen[digit] & PEERS[cell] == 0 {
            chosen[digit] |= 1 << cell;
            combine(slow, pending & !(1 << cell), chosen, excluders, possible);
            chosen[digit] &= !(1 << cell);
        }
    }
}

/// Cells, and their digits.
type Set = (Cells, u16);

fn almost_locked(slow: &Slow) -> Vec<Set> {
    let sets = UNITS.into_iter().flat_map(|unit| all_subsets(unit & slow.cells_with(0x1ff)));
    let sets: BTreeSet<_> = sets.map(|set| (set, slow.digits_in(set))).collect();
    sets.into_iter().filter(|(set, digits)| digits.count_ones() == set.count_ones() + 1).collect()
}

/// Returns the digits that only one of both sets can have.
fn restricted(slow: &Slow, a: &Set, b: &Set) -> u16 {
    let is_restricted = |&digit: &usize| {
        let open = slow.open[digit];
        b.0 & open & !seeing_all(a.0 & open) == 0
    };
    mask(digits_of(a.1 & b.1).filter(is_restricted)) as u16
}

/// Returns the cells that see all places of a digit in some cells.
fn seen(slow: &Slow, cells: Cells, digit: usize) -> Cells {
    seeing_all(cells & slow.open[digit])
}

pub fn als_xz(slow: &mut Slow) {
    let sets = almost_locked(slow);
    for (i, a) in sets.iter().enumerate() {
        for b in &sets[i + 1..] {
            let rcc = restricted(slow, a, b);
            let mut removed = [0; 9];
            for digit in digits_of(a.1 | b.1) {
                let (is_common, is_restricted) =
                    (a.1 & b.1 & 1 << digit != 0, rcc & 1 << digit != 0);
                if is_common && (rcc.count_ones() > 1 || !is_restricted && rcc != 0) {
                    removed[digit] |= seen(slow, a.0 | b.0, digit);
                }
                for set in [a, b].into_iter().filter(|_| rcc.count_ones() > 1 && !is_restricted) {
                    if set.1 & 1 << digit != 0 {
                        removed[digit] |= seen(slow, set.0, digit);
                    }
                }
            }
            slow.remove(removed);
        }
    }
}

pub fn als_xy_wing(slow: &mut Slow) {
    let sets = almost_locked(slow);
    for pivot in &sets {
        let linked = sets.iter().filter(|&set| set != pivot);
        let linked: Vec<_> = linked.map(|set| (set, restricted(slow, set, pivot))).collect();
        for (i, (a, by_a)) in linked.iter().enumerate() {
            for (b, by_b) in &linked[i + 1..] {
                for z in digits_of(a.1 & b.1) {
                    let [x, y] = [by_a, by_b].map(|rcc| rcc & !(1 << z));
                    if x != 0 && y != 0 && (x | y).count_ones() > 1 {
                        slow.lose(seen(slow, a.0 | b.0, z), 1 << z);
                    }
                }
            }
        }
    }
}

pub fn sue_de_coq(slow: &mut Slow) {
    let open = slow.cells_with(0x1ff);
    for (square, line) in (18..27).flat_map(|square| (0..18).map(move |line| (square, line))) {
        let (square, line) = (UNITS[square], UNITS[line]);
        let sets = |cells: Cells| -> Vec<Set> {
            all_subsets(cells & open).map(|set| (set, slow.digits_in(set))).collect()
        };
        let mut found = Vec::new();
        let (of_line, of_box) = (sets(line & !square), sets(square & !line));
        for (core, v) in sets(square & line).into_iter().filter(|it| it.0.count_ones() > 1) {
            let surplus = v.count_ones().saturating_sub(core.count_ones());
            let reduces = |set: &Set| set.0.count_ones().saturating_sub((set.1 & !v).count_ones());
            for l in of_line.iter().filter(|set| reduces(set) > 0) {
                for b in of_box.iter().filter(|set| reduces(set) > 0) {
                    if surplus < 2 || l.1 & b.1 != 0 || reduces(l) + reduces(b) != surplus {
                        continue;
                    }
                    let by_line = candidates(line & !(core | l.0), (v | l.1) & !b.1);
                    let by_box = candidates(square & !(core | b.0), (v | b.1) & !l.1);
                    found.push(std::array::from_fn(|digit| by_line[digit] | by_box[digit]));
                }
            }
        }
        found.into_iter().for_each(|removed| slow.remove(removed));
    }
}
