//! Two strong links of one digit, connected by a weak link: skyscraper, 2-string kite, turbot fish;
//! and the empty rectangle.
//!
//! Sources: <https://hodoku.sourceforge.net/en/tech_sdp.php>,
//! <http://sudopedia.enjoysudoku.com/Single-digit_Techniques.html>.

use super::{Evidence, Instances, Link, Position, Technique};
use crate::board::{Bits, PEERS, UNITS, UNITS_OF, digits_of};

/// Finds pairs of links of a technique: the peers of both far ends lose the digit.
///
/// A skyscraper has parallel lines with ends in a crossing line; a 2-string kite has a row and a
/// column with ends in a box; a turbot fish is any other combination.
pub fn two_links(position: &Position, technique: Technique, out: &mut Instances) {
    let kinds: &[[usize; 2]] = match technique {
        Technique::Skyscraper => &[[0, 0], [1, 1]],
        Technique::TwoStringKite => &[[0, 1]],
        _ => &[[0, 0], [1, 1], [0, 2], [1, 2], [2, 2]],
    };
    for digit in digits_of(position.changed.digits) {
        let pairs = kinds.iter().flat_map(|&kinds| {
            let [a, b] = kinds.map(|kind| move || links(position, digit, kind));
            a().flat_map(move |a| b().map(move |b| (kinds, a, b)))
        });
        for ([first, second], a, b) in pairs.filter(|([first, second], a, b)| {
            (first != second || a[0] < b[0]) && !b.contains(&a[0]) && !b.contains(&a[1])
        }) {
            for (i, j) in [(0, 0), (1, 1), (0, 1), (1, 0)] {
                let units = [a[i], b[j]].map(|near| UNITS_OF[near]);
                let in_same = |kind: usize| units[0][kind] == units[1][kind];
                // Parallel lines are connected in a crossing line or, otherwise, in a box.
                let is_of_technique = match technique {
                    Technique::Skyscraper => in_same(1 - first),
                    Technique::TwoStringKite => in_same(2),
                    _ => first != second || second == 2 || !in_same(1 - first),
                };
                if is_of_technique && PEERS[a[i]] >> b[j] & 1 != 0 {
                    let targets = PEERS[a[1 - i]] & PEERS[b[1 - j]];
                    out.remove_digit(position, digit, targets, || {
                        let [a, b, c, d] = [a[1 - i], a[i], b[j], b[1 - j]].map(|cell| 1 << cell);
                        let links = [(a, b, true), (b, c, false), (c, d, true)];
                        let links = links.map(|(from, to, on)| Link::new(digit, from, to, on));
                        let units = 1 << units[0][first] | 1 << units[1][second];
                        Evidence::default().with_base(units).with_links(links.into())
                    });
                }
            }
        }
    }
}

/// Returns the ends of the strong links of a digit in rows (0), columns (1), or boxes (2).
fn links(position: &Position, digit: usize, kind: usize) -> impl Iterator<Item = [usize; 2]> {
    let ends = Bits(position.strong[digit][kind]);
    ends.filter_map(move |end| Some([end, position.partner(digit, end, kind)?]))
        .filter(|[first, last]| first < last)
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
