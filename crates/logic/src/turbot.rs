//! Two strong links of one digit, connected by a weak link: skyscraper, 2-string kite, turbot fish;
//! and the empty rectangle.
//!
//! Sources: <https://hodoku.sourceforge.net/en/tech_sdp.php>,
//! <http://sudopedia.enjoysudoku.com/Single-digit_Techniques.html>.

use super::{Evidence, Instances, Link, Position, Technique};
use crate::board::{Bits, PEERS, UNITS, UNITS_OF, digits_of};

/// The effective pairs of connected links of a position, for each digit that was searched.
#[derive(Debug, Default)]
pub struct Memory {
    version: u64,
    searched: u16,
    pairs: [Vec<Pair>; 9],
}

/// Two strong links whose near ends see each other. One of the far ends has the digit.
#[derive(Debug)]
struct Pair {
    technique: Technique,
    near: [usize; 2],
    far: [usize; 2],
    /// The units of the links.
    units: u32,
    /// The order of pairs.
    key: (usize, usize, [usize; 2], bool, bool),
}

/// Finds pairs of links of a technique: the peers of both far ends lose the digit.
///
/// A skyscraper has parallel lines with ends in a crossing line; a 2-string kite has a row and a
/// column with ends in a box; a turbot fish is any other combination.
pub fn two_links(
    position: &Position,
    technique: Technique,
    memory: &mut Memory,
    out: &mut Instances,
) {
    let Memory { version, searched, pairs } = memory;
    if *version != position.version {
        (*version, *searched) = (position.version, 0);
    }
    for digit in digits_of(position.changed.digits) {
        if *searched >> digit & 1 == 0 {
            *searched |= 1 << digit;
            pairs[digit].clear();
            find_pairs(position, digit, &mut pairs[digit]);
        }
        for Pair { near, far, units, .. } in
            pairs[digit].iter().filter(|it| it.technique == technique)
        {
            let targets = PEERS[far[0]] & PEERS[far[1]];
            out.remove_digit(position, digit, targets, || {
                let [a, b, c, d] = [far[0], near[0], near[1], far[1]].map(|cell| 1 << cell);
                let links = [(a, b, true), (b, c, false), (c, d, true)];
                let links = links.map(|(from, to, on)| Link::new(digit, from, to, on));
                Evidence::default().with_base(*units).with_links(links.into())
            });
        }
    }
}

/// Finds the effective pairs of links of a digit.
fn find_pairs(position: &Position, digit: usize, out: &mut Vec<Pair>) {
    let linked = position.strong[digit].iter().fold(0, |all, cells| all | cells);
    let links = |near: usize| {
        (0..3).filter_map(move |kind| Some((kind, near, position.partner(digit, near, kind)?)))
    };
    for a in Bits(linked) {
        for b in Bits(linked & PEERS[a] & !0 << a) {
            for first in links(a).filter(|&(.., far)| far != b) {
                let seen = PEERS[first.2] & position.open[digit];
                let is_effective =
                    |far: usize| far != a && far != first.2 && seen & PEERS[far] != 0;
                let others = links(b).filter(|&(.., far)| is_effective(far));
                out.extend(others.filter_map(|second| Pair::of([first, second])));
            }
        }
    }
    out.sort_unstable_by_key(|pair| pair.key);
}

impl Pair {
    /// Returns the pair of two links, given their kinds of units and their near and far ends.
    fn of(mut links: [(usize, usize, usize); 2]) -> Option<Self> {
        links.sort_unstable_by_key(|&(kind, near, far)| (kind, near.min(far)));
        let (kinds, near, far) = (links.map(|it| it.0), links.map(|it| it.1), links.map(|it| it.2));
        let units = near.map(|cell| UNITS_OF[cell]);
        let in_same = |kind: usize| units[0][kind] == units[1][kind];
        let technique = match kinds {
            [0, 1] if in_same(2) => Technique::TwoStringKite,
            [0, 1] => return None,
            // Parallel lines are connected in a crossing line or, otherwise, in a box.
            [first, 0 | 1] if in_same(1 - first) => Technique::Skyscraper,
            _ => Technique::TurbotFish,
        };
        let is_last = [near[0] > far[0], near[1] > far[1]];
        let firsts = [near[0].min(far[0]), near[1].min(far[1])];
        let key = (kinds[1], kinds[0], firsts, is_last[0] != is_last[1], is_last[0]);
        let units = 1 << units[0][kinds[0]] | 1 << units[1][kinds[1]];
        Some(Self { technique, near, far, units, key })
    }
}

/// All places of a digit in a box are in one row and one column, and a strong link in another
/// column (or row) has one end in that row (or column): the digit is not where the other end's row
/// meets the box's column (or the reverse).
pub fn empty_rectangle(position: &Position, out: &mut Instances) {
    for digit in digits_of(position.changed.digits) {
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
                        out.remove_digit(position, digit, targets, || {
                            Evidence::pattern(inside, 1 << digit)
                                .with_base(1 << (18 + (i / 3 * 3 + (j - 9) / 3)))
                                .with_links(vec![Link::new(digit, 1 << other, 1 << end, true)])
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
