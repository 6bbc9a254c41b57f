//! Inference: sweeps over bands and stacks that remove candidates.
//!
//! A *chute* is a band (three rows) or a stack (three columns). Its *minirows* are the nine groups
//! of three cells in which one of its lines crosses one of its boxes. Those of a stack are
//! vertical.

use std::hint::black_box;

use fearless_simd::Simd;

use super::rules::{ALL_DIGITS, Rules};
use crate::{CELLS, LaneSet, LaneVerdict};

/// The candidates of every cell, one puzzle per lane.
pub(crate) type Cells<V> = [V; CELLS];

/// The six ways to place a digit in a chute: the box, for each of the three lines.
pub(crate) const CONFIGURATIONS: [[usize; 3]; 6] =
    [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [1, 0, 2], [2, 1, 0]];

/// The two configurations that place a line's digit in a box: `[line][box]`. (A table, because a
/// function would be evaluated again for every vector.)
pub(crate) const THROUGH: [[[usize; 2]; 3]; 3] = {
    let mut through = [[[0; 2]; 3]; 3];
    let mut count = [[0; 3]; 3];
    let mut i = 0;
    while i < 18 {
        let (configuration, line) = (i / 3, i % 3);
        let b = CONFIGURATIONS[configuration][line];
        through[line][b][count[line][b]] = configuration;
        count[line][b] += 1;
        i += 1;
    }
    through
};

/// Returns the offset from a chute's first cell to cell `k` of the minirow in `line` and box `b`.
#[inline(always)]
pub(crate) const fn cell_offset<const STACK: bool>(line: usize, b: usize, k: usize) -> usize {
    if STACK { (3 * b + k) * 9 + line } else { line * 9 + 3 * b + k }
}

/// Returns the offsets of the three cells of a minirow.
#[inline(always)]
const fn minirow_offsets<const STACK: bool>(line: usize, b: usize) -> [usize; 3] {
    [
        cell_offset::<STACK>(line, b, 0),
        cell_offset::<STACK>(line, b, 1),
        cell_offset::<STACK>(line, b, 2),
    ]
}

/// The configurations left in each chute: three bands, then three stacks.
pub(crate) type Configurations<V> = [[V; 6]; 6];

/// One vector for each minirow of a chute: `[line][box]`.
pub(crate) type Minirows<V> = [[V; 3]; 3];

/// What a sweep has observed about the cells.
struct SweepReport<V> {
    /// The sum of all cells (at most 81 times 511). It only decreases, so it reveals any change.
    sum: V,
    /// The smallest cell: 0 if a cell has no candidates.
    smallest: V,
    /// The digits that have a configuration in every chute.
    placed: V,
    /// Nonzero where two cells of a box have the same digit as their only candidate. No rule
    /// removes such a digit, since every cell keeps its own single.
    at_least_twice: V,
}

impl<V> SweepReport<V> {
    /// Returns the lanes that have failed and those that are full, which need not be [`solved`].
    /// Detecting stuck lanes takes two sweeps.
    #[inline(always)]
    fn verdict<S: Simd>(&self, s: S) -> LaneVerdict
    where
        V: Rules<S>,
    {
        let failed = self.smallest.lanes_empty()
            | self.placed.lanes_differ(V::splat(s, ALL_DIGITS))
            | self.at_least_twice.lanes_differ(V::splat(s, 0));
        let full = self.sum.lanes_equal(V::splat(s, 9 * ALL_DIGITS)) & !failed;
        LaneVerdict { failed, solved: full, stuck: 0 }
    }

    /// Adds the stuck lanes: those whose sum is still `before`, the sum after the previous sweep.
    #[inline(always)]
    fn verdict_after<S: Simd>(&self, s: S, before: V) -> LaneVerdict
    where
        V: Rules<S>,
    {
        let verdict = self.verdict(s);
        let stuck = self.sum.lanes_equal(before) & !verdict.ended();
        LaneVerdict { stuck, ..verdict }
    }
}

/// How much a sweep reports. The rules are the same at every level of detail.
const REPORT_NOTHING: u8 = 0;
const REPORT_SUM: u8 = 1;
const REPORT_ALL: u8 = 2;

/// Runs one step of two sweeps.
///
/// A lane is stuck if the second sweep changed nothing; then further steps change nothing either.
/// So a lane can wait for its neighbors, and its result depends on that lane alone.
#[inline(always)]
pub(crate) fn step<S: Simd, V: Rules<S>>(
    s: S,
    cells: &mut Cells<V>,
    left: &mut Configurations<V>,
) -> LaneVerdict {
    let before = sweep::<S, V, REPORT_SUM, true>(s, cells, None).sum;
    sweep::<S, V, REPORT_ALL, true>(s, cells, Some(left)).verdict_after(s, before)
}

/// Sweeps lanes that start together: first `unchecked` times, then with a check after each sweep
/// until fewer than `few` of the `lanes` have no event. Returns the number of sweeps as well.
///
/// Most puzzles without a solution fail in the very first sweep. That sweep is therefore checked if
/// `unchecked` is 0, and it is enough if fewer than twice `few` lanes are left then.
#[inline(always)]
pub(crate) fn sweep_together<S: Simd, V: Rules<S>>(
    s: S,
    cells: &mut Cells<V>,
    lanes: LaneSet,
    unchecked: usize,
    few: u32,
) -> (LaneVerdict, usize) {
    let mut sweeps = unchecked;
    if unchecked == 0 {
        let verdict = sweep::<S, V, REPORT_ALL, false>(s, cells, None).verdict(s);
        sweeps = 1;
        if (lanes & !verdict.events()).count_ones() < 2 * few {
            return (verdict, sweeps);
        }
    } else {
        sweep::<S, V, REPORT_NOTHING, false>(s, cells, None);
    }
    for _ in 1..unchecked {
        sweep::<S, V, REPORT_NOTHING, true>(s, cells, None);
    }
    // No previous sweep: 0 never matches, since a lane with the sum 0 has failed.
    let mut before = V::splat(s, 0);
    loop {
        let found = sweep::<S, V, REPORT_ALL, true>(s, cells, None);
        let verdict = found.verdict_after(s, before);
        sweeps += 1;
        if (lanes & !verdict.events()).count_ones() < few {
            return (verdict, sweeps);
        }
        before = found.sum;
    }
}

/// Sweeps all bands, then all stacks, in place: each chute uses what the earlier ones inferred.
///
/// `NAKED` includes naked singles. Only the very first sweep of an entry omits them, which saves a
/// third of its time: there, few cells are single except the clues, which were already removed from
/// their peers. Every other sweep must include them: the verdict on a contradictory puzzle may
/// depend on the order of the rules, and when a lane is checked depends on its neighbors.
#[inline(always)]
fn sweep<S: Simd, V: Rules<S>, const REPORT: u8, const NAKED: bool>(
    s: S,
    cells: &mut Cells<V>,
    mut left: Option<&mut Configurations<V>>,
) -> SweepReport<V> {
    let zero = V::splat(s, 0);
    let mut report = SweepReport {
        sum: zero,
        smallest: V::splat(s, u16::MAX),
        placed: V::splat(s, ALL_DIGITS),
        at_least_twice: zero,
    };
    if V::SINGLES_FIRST {
        let mut unions = [[[zero; 3]; 3]; 3];
        for band in 0..3 {
            let in_band = band_mut(cells, band);
            open_band::<S, V, REPORT, NAKED>(s, in_band, &mut unions[band], &mut report);
        }
        for band in 0..3 {
            close_band::<S, V, REPORT>(cells, band, &unions[band], &mut report, &mut left);
        }
    } else {
        for band in 0..3 {
            let mut unions = [[zero; 3]; 3];
            let in_band = band_mut(cells, band);
            open_band::<S, V, REPORT, NAKED>(s, in_band, &mut unions, &mut report);
            close_band::<S, V, REPORT>(cells, band, &unions, &mut report, &mut left);
        }
    }
    for stack in 0..3 {
        let configurations = stack_pass::<S, V, REPORT>(s, stack_mut(cells, stack), &mut report);
        if let Some(left) = &mut left {
            left[3 + stack] = configurations;
        }
    }
    report
}

/// Returns the cells of a band.
#[inline(always)]
fn band_mut<V>(cells: &mut Cells<V>, band: usize) -> &mut [V; 27] {
    cells[27 * band..].first_chunk_mut().expect("27 cells per band")
}

/// Returns the cells from a stack's first to its last.
#[inline(always)]
fn stack_mut<V>(cells: &mut Cells<V>, stack: usize) -> &mut [V; 75] {
    cells[3 * stack..].first_chunk_mut().expect("75 cells from a stack's first to its last")
}

/// Runs the first part of a band, naked singles, and sets `unions` to the remaining minirow unions.
#[inline(always)]
fn open_band<S: Simd, V: Rules<S>, const REPORT: u8, const NAKED: bool>(
    s: S,
    band: &mut [V; 27],
    unions: &mut Minirows<V>,
    report: &mut SweepReport<V>,
) {
    if NAKED {
        for b in 0..3 {
            let in_box = naked_singles_of_box::<S, V, REPORT>(s, band, b, report);
            for line in 0..3 {
                unions[line][b] = in_box[line];
            }
        }
    } else {
        *unions = minirow_unions::<S, V, false, 27>(s, band);
    }
}

/// Runs the second part of a band: closure, asserted minirows, hidden singles.
#[inline(always)]
fn close_band<S: Simd, V: Rules<S>, const REPORT: u8>(
    cells: &mut Cells<V>,
    band: usize,
    unions: &Minirows<V>,
    report: &mut SweepReport<V>,
    left: &mut Option<&mut Configurations<V>>,
) {
    let configurations = configurations(unions);
    if let Some(left) = left {
        left[band] = configurations;
    }
    let band = band_mut(cells, band);
    let mut closure = Closure::of(&configurations);
    if REPORT == REPORT_ALL {
        report.placed &= closure.digits();
    }
    for line in 0..3 {
        let kept = closure.next_line();
        for b in 0..3 {
            let asserted = asserted(&kept, b);
            let allowed = asserted.or_if_below_three(kept[b]);
            let at = minirow_offsets::<false>(line, b);
            let hidden = band[at[0]].exactly_one(band[at[1]], band[at[2]]) & asserted;
            for i in at {
                band[i] = band[i].assign(allowed, hidden);
            }
        }
    }
}

/// Removes the naked singles of box `b` of a band from the other cells of the box. Returns the
/// remaining union of the minirow in each line.
///
/// The other cells of a row need no update: a digit confined to one minirow of its box has no
/// configuration through the other minirows of the row.
#[inline(always)]
fn naked_singles_of_box<S: Simd, V: Rules<S>, const REPORT: u8>(
    s: S,
    band: &mut [V; 27],
    b: usize,
    report: &mut SweepReport<V>,
) -> [V; 3] {
    let mut own = [[V::splat(s, 0); 3]; 3];
    let mut singles = [V::splat(s, 0); 3];
    for line in 0..3 {
        for k in 0..3 {
            own[line][k] = band[cell_offset::<false>(line, b, k)].if_single();
        }
        let [x, y, z] = own[line];
        singles[line] = x.or3(y, z);
    }
    let [x, y, z] = singles;
    let taken = x.or3(y, z);
    if REPORT == REPORT_ALL {
        report.at_least_twice |= V::at_least_twice(&own, taken);
    }
    // The cells are read again from here on: with 16 registers for 9 cells and their singles, LLVM
    // would otherwise spill and reload values that it can read from memory.
    let band = black_box(band);
    let mut unions = singles;
    for line in 0..3 {
        let mut left = own[line];
        for k in 0..3 {
            let cell = &mut band[cell_offset::<false>(line, b, k)];
            *cell = cell.without_others(taken, own[line][k]);
            left[k] = *cell;
        }
        unions[line] = left[0].or3(left[1], left[2]);
    }
    unions
}

/// Runs closure and asserted minirows on a stack. The bands have handled its singles.
#[inline(always)]
fn stack_pass<S: Simd, V: Rules<S>, const REPORT: u8>(
    s: S,
    stack: &mut [V; 75],
    report: &mut SweepReport<V>,
) -> [V; 6] {
    let configurations = configurations(&minirow_unions::<S, V, true, 75>(s, stack));
    let mut closure = Closure::of(&configurations);
    if REPORT == REPORT_ALL {
        report.placed &= closure.digits();
    }
    for line in 0..3 {
        let kept = closure.next_line();
        for b in 0..3 {
            let allowed = asserted(&kept, b).or_if_below_three(kept[b]);
            for i in minirow_offsets::<true>(line, b) {
                stack[i] &= allowed;
                if REPORT >= REPORT_SUM {
                    report.sum += stack[i];
                }
                if REPORT == REPORT_ALL {
                    report.smallest = report.smallest.min(stack[i]);
                }
            }
        }
    }
    configurations
}

/// Returns the union of the cells of each minirow of a chute.
#[inline(always)]
fn minirow_unions<S: Simd, V: Rules<S>, const STACK: bool, const N: usize>(
    s: S,
    chute: &[V; N],
) -> Minirows<V> {
    let mut unions = [[V::splat(s, 0); 3]; 3];
    for line in 0..3 {
        for b in 0..3 {
            let at = minirow_offsets::<STACK>(line, b);
            unions[line][b] = chute[at[0]].or3(chute[at[1]], chute[at[2]]);
        }
    }
    unions
}

/// Returns the configurations of a chute that its minirows allow, for all digits at once.
#[inline(always)]
pub(crate) fn configurations<S: Simd, V: Rules<S>>(unions: &Minirows<V>) -> [V; 6] {
    let mut configurations = [unions[0][0]; 6];
    for i in 0..6 {
        let [a, b, c] = CONFIGURATIONS[i];
        configurations[i] = unions[0][a].and3(unions[1][b], unions[2][c]);
    }
    configurations
}

/// Computes the configurations left in every chute.
#[inline(always)]
pub(crate) fn all_configurations<S: Simd, V: Rules<S>>(
    s: S,
    cells: &mut Cells<V>,
    left: &mut Configurations<V>,
) {
    for i in 0..3 {
        left[i] = configurations(&minirow_unions::<S, V, false, 27>(s, band_mut(cells, i)));
        left[3 + i] = configurations(&minirow_unions::<S, V, true, 75>(s, stack_mut(cells, i)));
    }
}

/// The digits that each minirow of a chute can still hold, line by line: those with a configuration
/// of the whole chute through the minirow.
///
/// From one line to the next, the configurations through a box move by one box: the first three
/// forwards, the others backwards. So a loop over the lines keeps them in registers; a table of
/// nine minirows would go through memory, and the loop would wait for it.
pub(crate) struct Closure<V> {
    forwards: [V; 3],
    backwards: [V; 3],
}

impl<V: Copy> Closure<V> {
    #[inline(always)]
    pub(crate) fn of(configurations: &[V; 6]) -> Self {
        let [a, b, c, d, e, f] = *configurations;
        Self { forwards: [a, b, c], backwards: [d, e, f] }
    }

    /// Returns the digits that the three minirows of the next line can hold.
    #[inline(always)]
    pub(crate) fn next_line<S: Simd>(&mut self) -> [V; 3]
    where
        V: Rules<S>,
    {
        let ([a, b, c], [d, e, f]) = (self.forwards, self.backwards);
        self.forwards = [c, a, b];
        self.backwards = [e, f, d];
        [a | d, b | e, c | f]
    }

    /// Returns the digits that have a configuration.
    #[inline(always)]
    fn digits<S: Simd>(&self) -> V
    where
        V: Rules<S>,
    {
        let ([a, b, c], [d, e, f]) = (self.forwards, self.backwards);
        (a | d).or3(b | e, c | f)
    }
}

/// Returns the digits that no other minirow of the line can hold.
#[inline(always)]
fn asserted<S: Simd, V: Rules<S>>(kept: &[V; 3], b: usize) -> V {
    kept[b].without2(kept[(b + 1) % 3], kept[(b + 2) % 3])
}

/// Returns the lanes in which every row, column, and box holds nine digits.
///
/// This test is for lanes in which every cell has one candidate. Neither condition suffices without
/// the other: single digits can repeat in a unit, and a unit with nine digits can have several
/// candidates in a cell.
#[inline(always)]
pub(crate) fn solved<S: Simd, V: Rules<S>>(s: S, cells: &Cells<V>) -> LaneSet {
    let all = V::splat(s, ALL_DIGITS);
    let mut held = all;
    let mut columns = [V::splat(s, 0); 9];
    for band in cells.as_chunks::<27>().0 {
        let minirows = minirow_unions::<S, V, false, 27>(s, band);
        for i in 0..3 {
            let row = minirows[i][0].or3(minirows[i][1], minirows[i][2]);
            let square = minirows[0][i].or3(minirows[1][i], minirows[2][i]);
            held = held.and3(row, square);
        }
        for column in 0..9 {
            columns[column] |= band[column].or3(band[column + 9], band[column + 18]);
        }
    }
    for column in columns {
        held &= column;
    }
    held.lanes_equal(all)
}
