//! Slow definitions of colors, remote pairs, uniqueness patterns, exclusion, and almost locked sets.

use std::collections::BTreeSet;

use super::{Slow, cells_of, combinations, sees, union, with_count};

type Candidate = (usize, usize);

pub fn simple_colors(slow: &mut Slow<'_>) {
    for digit in 0..9 {
        let mut pending: BTreeSet<usize> = (0..27)
            .map(|unit| slow.places(unit, digit))
            .filter(|places| places.len() == 2)
            .flatten()
            .collect();
        while let Some(first) = pending.pop_first() {
            let mut colors = [BTreeSet::from([first]), BTreeSet::new()];
            loop {
                let before = colors.clone();
                for unit in 0..27 {
                    let &[a, b] = &slow.places(unit, digit)[..] else { continue };
                    for (i, j) in [(0, 1), (1, 0)] {
                        for (a, b) in [(a, b), (b, a)] {
                            if colors[i].contains(&a) {
                                colors[j].insert(b);
                            }
                        }
                    }
                }
                if colors == before {
                    break;
                }
            }
            let is_seen =
                |cell: usize, color: &BTreeSet<usize>| color.iter().any(|&c| sees(c, cell));
            for color in &colors {
                if color.iter().any(|&cell| is_seen(cell, color)) {
                    slow.remove(color.iter().map(|&cell| (cell, digit)));
                }
            }
            let by_both = (0..81).filter(|&cell| {
                let is_colored = colors.iter().any(|color| color.contains(&cell));
                !is_colored && colors.iter().all(|color| is_seen(cell, color))
            });
            let by_both: Vec<_> = by_both.map(|cell| (cell, digit)).collect();
            slow.remove(by_both);
            pending.retain(|cell| !colors.iter().any(|color| color.contains(cell)));
        }
    }
}

pub fn remote_pair(slow: &mut Slow<'_>) {
    let two = with_count(slow, 2);
    for pair in combinations(&two, 2) {
        let digits = slow.digits(pair[0]);
        let same: Vec<_> =
            two.iter().copied().filter(|&cell| slow.digits(cell) == digits).collect();
        // The number of cells of a shortest chain.
        let (mut reached, mut length) = (BTreeSet::from([pair[0]]), 1);
        while !reached.contains(&pair[1]) && length < 81 {
            let next = same.iter().filter(|&&cell| reached.iter().any(|&other| sees(cell, other)));
            reached.append(&mut next.copied().collect());
            length += 1;
        }
        if length < 81 && length % 2 == 0 && length > 2 {
            let seen = (0..81).filter(|&cell| pair.iter().all(|&end| sees(cell, end)));
            slow.remove(seen.flat_map(|cell| digits.clone().into_iter().map(move |d| (cell, d))));
        }
    }
}

/// Applies a type of uniqueness patterns: some cells, and their candidates that are not part of it.
fn avoid(slow: &mut Slow<'_>, others: &[Candidate], kind: usize) {
    let extra = union([others.iter().map(|other| other.0).collect()]);
    let digits = union([others.iter().map(|other| other.1).collect()]);
    let patterns = |slow: &Slow<'_>, cell: usize| -> Vec<usize> {
        slow.digits(cell).into_iter().filter(|&digit| !others.contains(&(cell, digit))).collect()
    };
    let units = (0..27).filter(|&unit| extra.iter().all(|cell| cells_of(unit).contains(cell)));
    match (kind, &extra[..]) {
        (1, &[cell]) => {
            slow.remove(patterns(slow, cell).into_iter().map(|digit| (cell, digit)));
        }
        (2, [_, _, ..]) if digits.len() == 1 => slow.remove_seen(digits[0], &extra),
        (3, [_, _, ..]) if digits.len() > 1 => {
            for unit in units {
                let free: Vec<_> = (cells_of(unit).into_iter())
                    .filter(|cell| slow.is_open(*cell) && !extra.contains(cell))
                    .collect();
                for set in (1..=free.len()).flat_map(|count| combinations(&free, count)) {
                    let taken =
                        union(set.iter().map(|&cell| slow.digits(cell)).chain([digits.clone()]));
                    if taken.len() == set.len() + 1 {
                        let rest = free.iter().filter(|cell| !set.contains(cell));
                        slow.remove(rest.flat_map(|&cell| taken.iter().map(move |&d| (cell, d))));
                    }
                }
            }
        }
        (4, &[_, _]) => {
            for unit in units {
                for digit in 0..9 {
                    let is_locked = slow.places(unit, digit) == extra;
                    if is_locked && others.iter().all(|other| other.1 != digit) {
                        let lost = extra.iter().flat_map(|&cell| {
                            patterns(slow, cell).into_iter().map(move |other| (cell, other))
                        });
                        let lost: Vec<_> = lost.filter(|lost| lost.1 != digit).collect();
                        slow.remove(lost);
                    }
                }
            }
        }
        _ => {}
    }
}

/// Avoids that two digits can be exchanged in some cells.
fn avoid_exchange(slow: &mut Slow<'_>, cells: &[usize], pair: &[usize], kind: usize) {
    let others =
        cells.iter().flat_map(|&cell| slow.digits(cell).into_iter().map(move |d| (cell, d)));
    let others: Vec<_> = others.filter(|other| !pair.contains(&other.1)).collect();
    let is_bivalue = |&cell: &usize| slow.digits(cell).len() == 2;
    if cells.iter().any(is_bivalue) {
        avoid(slow, &others, kind);
    }
}

/// Returns the corners of all rectangles in two boxes.
fn rectangles() -> Vec<[usize; 4]> {
    let lines: Vec<_> = (0..9).collect();
    let mut all = Vec::new();
    for rows in combinations(&lines, 2) {
        for columns in combinations(&lines, 2) {
            if (rows[0] / 3 == rows[1] / 3) != (columns[0] / 3 == columns[1] / 3) {
                let at = |i: usize, j: usize| 9 * rows[i] + columns[j];
                all.push([at(0, 0), at(0, 1), at(1, 0), at(1, 1)]);
            }
        }
    }
    all
}

fn pairs_of_digits() -> Vec<Vec<usize>> {
    combinations(&(0..9).collect::<Vec<_>>(), 2)
}

pub fn unique_rectangle(slow: &mut Slow<'_>, kind: usize) {
    for corners in rectangles() {
        for pair in pairs_of_digits() {
            if corners.iter().all(|&cell| pair.iter().all(|&digit| slow.has(cell, digit))) {
                avoid_exchange(slow, &corners, &pair, kind);
            }
        }
    }
}

pub fn hidden_rectangle(slow: &mut Slow<'_>) {
    for corners in rectangles() {
        for pair in pairs_of_digits() {
            if !corners.iter().all(|&cell| pair.iter().all(|&digit| slow.has(cell, digit))) {
                continue;
            }
            for (i, &corner) in corners.iter().enumerate() {
                let opposite = corners[3 - i];
                for (x, y) in [(pair[0], pair[1]), (pair[1], pair[0])] {
                    let is_inside =
                        |unit| slow.places(unit, x).iter().all(|cell| corners.contains(cell));
                    if slow.digits(corner).len() == 2
                        && is_inside(opposite / 9)
                        && is_inside(9 + opposite % 9)
                    {
                        slow.remove([(opposite, y)]);
                    }
                }
            }
        }
    }
}

/// Closed paths of six or more cells with two common digits, each of which sees the next one, in
/// which every second cell has the same digit, so that each unit has each digit once or not at all.
pub fn unique_loop(slow: &mut Slow<'_>, kind: usize) {
    for pair in pairs_of_digits() {
        let has_both = |&cell: &usize| pair.iter().all(|&digit| slow.has(cell, digit));
        let cells: Vec<_> = (0..81).filter(has_both).collect();
        let mut loops = BTreeSet::new();
        for &start in &cells {
            extend(&cells, &mut vec![start], &mut loops);
        }
        for path in loops {
            avoid_exchange(slow, &path.into_iter().collect::<Vec<_>>(), &pair, kind);
        }
    }
}

fn extend(cells: &[usize], path: &mut Vec<usize>, loops: &mut BTreeSet<BTreeSet<usize>>) {
    let units_of = |parity: usize| -> Vec<usize> {
        let cells = path.iter().skip(parity).step_by(2);
        let units = cells.flat_map(|&cell| (0..27).filter(move |&u| cells_of(u).contains(&cell)));
        let mut units: Vec<_> = units.collect();
        units.sort_unstable();
        units
    };
    let (even, odd) = (units_of(0), units_of(1));
    let is_repeated = |units: &[usize]| units.windows(2).any(|pair| pair[0] == pair[1]);
    if is_repeated(&even) || is_repeated(&odd) {
        return;
    }
    if even == odd && sees(path[0], path[path.len() - 1]) {
        if path.len() > 4 {
            loops.insert(path.iter().copied().collect());
        }
        return;
    }
    for &next in cells {
        if sees(path[path.len() - 1], next) && !path.contains(&next) {
            path.push(next);
            extend(cells, path, loops);
            path.pop();
        }
    }
}

/// Removes candidates from cells with more than two, so that two candidates are left in each cell and
/// two places, or none, for each digit in each unit.
pub fn bug(slow: &mut Slow<'_>, kind: usize) {
    let open = slow.open_cells();
    let larger: Vec<_> = open.into_iter().filter(|&cell| slow.digits(cell).len() > 2).collect();
    if larger.is_empty() || larger.len() > 5 || !with_count(slow, 1).is_empty() {
        return;
    }
    let mut choices: Vec<Vec<Candidate>> = vec![Vec::new()];
    for cell in larger {
        let digits = slow.digits(cell);
        let sets = combinations(&digits, digits.len() - 2);
        choices = (choices.into_iter())
            .flat_map(|choice| {
                sets.iter().map(move |set| {
                    choice.iter().copied().chain(set.iter().map(|&digit| (cell, digit))).collect()
                })
            })
            .collect();
    }
    for others in choices {
        let is_bug = (0..27).all(|unit| {
            (0..9).all(|digit| {
                let places = slow.places(unit, digit).into_iter();
                [0, 2].contains(&places.filter(|&cell| !others.contains(&(cell, digit))).count())
            })
        });
        if is_bug {
            avoid(slow, &others, kind);
        }
    }
}

pub fn aligned_triplet(slow: &mut Slow<'_>) {
    let excluding = [with_count(slow, 2), with_count(slow, 3)].concat();
    for cells in combinations(&slow.open_cells(), 3) {
        let sees_all = |&&cell: &&usize| cells.iter().all(|&other| sees(cell, other));
        let excluders: Vec<_> =
            excluding.iter().filter(sees_all).map(|&cell| slow.digits(cell)).collect();
        if excluders.is_empty() {
            continue;
        }
        let digits: Vec<_> = cells.iter().map(|&cell| slow.digits(cell)).collect();
        let mut possible = [BTreeSet::new(), BTreeSet::new(), BTreeSet::new()];
        for &x in &digits[0] {
            for &y in &digits[1] {
                for &z in &digits[2] {
                    let all = [x, y, z];
                    let repeats = [(0, 1), (0, 2), (1, 2)]
                        .iter()
                        .any(|&(i, j)| all[i] == all[j] && sees(cells[i], cells[j]));
                    let takes = |of: &Vec<usize>| of.iter().all(|digit| all.contains(digit));
                    if !repeats && !excluders.iter().any(takes) {
                        (0..3).for_each(|i| _ = possible[i].insert(all[i]));
                    }
                }
            }
        }
        let lost = (0..3).flat_map(|i| digits[i].iter().map(move |&digit| (i, digit)));
        let lost: Vec<_> = lost.filter(|(i, digit)| !possible[*i].contains(digit)).collect();
        slow.remove(lost.into_iter().map(|(i, digit)| (cells[i], digit)));
    }
}

/// An almost locked set: cells, and digits.
type Als = (Vec<usize>, Vec<usize>);

fn almost_locked(slow: &Slow<'_>) -> Vec<Als> {
    let mut all = BTreeSet::new();
    for unit in 0..27 {
        let open: Vec<_> = cells_of(unit).into_iter().filter(|&cell| slow.is_open(cell)).collect();
        for mut cells in (1..=open.len()).flat_map(|count| combinations(&open, count)) {
            let digits = union(cells.iter().map(|&cell| slow.digits(cell)));
            if digits.len() == cells.len() + 1 {
                cells.sort_unstable();
                all.insert((cells, digits));
            }
        }
    }
    all.into_iter().collect()
}

fn with_digit(slow: &Slow<'_>, set: &Als, digit: usize) -> Vec<usize> {
    set.0.iter().copied().filter(|&cell| slow.has(cell, digit)).collect()
}

/// Returns the digits that only one of both sets can have.
fn restricted(slow: &Slow<'_>, a: &Als, b: &Als) -> Vec<usize> {
    let common = a.1.iter().copied().filter(|digit| b.1.contains(digit));
    let is_restricted = |digit: &usize| {
        let [a, b] = [a, b].map(|set| with_digit(slow, set, *digit));
        a.iter().all(|&one| b.iter().all(|&other| sees(one, other)))
    };
    common.filter(is_restricted).collect()
}

/// Returns the candidates of a digit that see all of its places in these sets.
fn seen(slow: &Slow<'_>, sets: &[&Als], digit: usize) -> Vec<Candidate> {
    let places: Vec<_> = sets.iter().flat_map(|set| with_digit(slow, set, digit)).collect();
    let seen = (0..81).filter(|&cell| places.iter().all(|&place| sees(cell, place)));
    seen.map(|cell| (cell, digit)).collect()
}

pub fn als_xz(slow: &mut Slow<'_>) {
    let sets = almost_locked(slow);
    for (a, b) in
        sets.iter().enumerate().flat_map(|(i, a)| sets[i + 1..].iter().map(move |b| (a, b)))
    {
        let rcc = restricted(slow, a, b);
        let mut removed = Vec::new();
        for digit in 0..9 {
            let (in_a, in_b) = (a.1.contains(&digit), b.1.contains(&digit));
            let is_restricted = rcc.contains(&digit);
            if in_a && in_b && (rcc.len() > 1 || !is_restricted && rcc.len() == 1) {
                removed.append(&mut seen(slow, &[a, b], digit));
            }
            if rcc.len() > 1 && !is_restricted {
                for set in [a, b].into_iter().filter(|set| set.1.contains(&digit)) {
                    removed.append(&mut seen(slow, &[set], digit));
                }
            }
        }
        slow.remove(removed);
    }
}

pub fn als_xy_wing(slow: &mut Slow<'_>) {
    let sets = almost_locked(slow);
    for pivot in &sets {
        let linked: Vec<_> = (sets.iter().filter(|set| *set != pivot))
            .map(|set| (set, restricted(slow, set, pivot)))
            .filter(|(_, rcc)| !rcc.is_empty())
            .collect();
        for (i, (a, by_a)) in linked.iter().enumerate() {
            for (b, by_b) in &linked[i + 1..] {
                for &z in a.1.iter().filter(|z| b.1.contains(z)) {
                    let differ =
                        by_a.iter().any(|x| by_b.iter().any(|y| x != y && *x != z && *y != z));
                    if differ {
                        let removed = seen(slow, &[a, b], z);
                        slow.remove(removed);
                    }
                }
            }
        }
    }
}

pub fn sue_de_coq(slow: &mut Slow<'_>) {
    for (square, line) in (18..27).flat_map(|square| (0..18).map(move |line| (square, line))) {
        let (in_box, in_line) = (cells_of(square), cells_of(line));
        let open = |cells: &[usize], other: &[usize], is_shared: bool| -> Vec<usize> {
            let cells = cells.iter().copied().filter(|&cell| slow.is_open(cell));
            cells.filter(|cell| other.contains(cell) == is_shared).collect()
        };
        let shared = open(&in_box, &in_line, true);
        let (rest_of_box, rest_of_line) =
            (open(&in_box, &in_line, false), open(&in_line, &in_box, false));
        let subsets = |cells: &[usize]| -> Vec<Als> {
            let all = (1..=cells.len()).flat_map(|count| combinations(cells, count));
            all.map(|set| {
                let digits = union(set.iter().map(|&cell| slow.digits(cell)));
                (set, digits)
            })
            .collect()
        };
        let mut found: Vec<Vec<Candidate>> = Vec::new();
        for (core, v) in subsets(&shared).into_iter().filter(|(core, _)| core.len() > 1) {
            let surplus = v.len().saturating_sub(core.len());
            let reduces = |set: &Als| {
                let new = set.1.iter().filter(|digit| !v.contains(digit)).count();
                set.0.len().saturating_sub(new)
            };
            for l in subsets(&rest_of_line).iter().filter(|set| reduces(set) > 0) {
                for b in subsets(&rest_of_box).iter().filter(|set| reduces(set) > 0) {
                    let is_disjoint = !l.1.iter().any(|digit| b.1.contains(digit));
                    if surplus < 2 || !is_disjoint || reduces(l) + reduces(b) != surplus {
                        continue;
                    }
                    let mut removed = Vec::new();
                    for (cells, own, other) in [(&in_line, l, b), (&in_box, b, l)] {
                        let outside = cells
                            .iter()
                            .filter(|cell| !core.contains(cell) && !own.0.contains(cell));
                        for &cell in outside {
                            let lost = v.iter().chain(&own.1).filter(|d| !other.1.contains(d));
                            removed.extend(lost.map(|&digit| (cell, digit)));
                        }
                    }
                    found.push(removed);
                }
            }
        }
        found.into_iter().for_each(|removed| slow.remove(removed));
    }
}
