//! XY-wing, XYZ-wing, W-wing, and remote pair.
//!
//! Sources: <https://www.sudokuwiki.org/Y_Wing_Strategy>,
//! <https://www.sudokuwiki.org/XYZ_Wing>, <https://hodoku.sourceforge.net/en/tech_wings.php>,
//! <http://sudopedia.enjoysudoku.com/Remote_Pairs.html>.

use super::{Evidence, Instances, Link, Position, Role};
use crate::board::{Bits, Cells, PEERS, UNITS_OF, any_peers, digits_of, size};

/// A pivot with the digits XY sees pincers with XZ and YZ: cells that see both lose Z.
pub fn xy_wing(position: &Position, out: &mut Instances) {
    let (two, masks) = (position.exactly[2], &position.masks);
    for pivot in Bits(two) {
        let xy = masks[pivot];
        let near = two & PEERS[pivot];
        let [x, y] = digit_pair(xy);
        let with_x = near & position.open[x] & !position.open[y];
        let with_y = near & position.open[y] & !position.open[x];
        for first in Bits(with_x) {
            let z = (masks[first] & !xy).trailing_zeros() as usize;
            for second in Bits(with_y & position.open[z]) {
                wing(position, z, pivot, [first, second], !0, out);
            }
        }
    }
}

/// A pivot with the digits XYZ sees pincers with XZ and YZ: cells that see all three lose Z.
pub fn xyz_wing(position: &Position, out: &mut Instances) {
    let masks = &position.masks;
    for pivot in Bits(position.exactly[3]) {
        let xyz = masks[pivot];
        let near = |from: usize| {
            let near = Bits(position.exactly[2] & PEERS[pivot] & !0 << from);
            near.filter(|&cell| masks[cell] & !xyz == 0)
        };
        for first in near(0) {
            for second in near(first).filter(|&cell| masks[cell] != masks[first]) {
                let z = (masks[first] & masks[second]).trailing_zeros() as usize;
                wing(position, z, pivot, [first, second], PEERS[pivot], out);
            }
        }
    }
}

#[inline(always)]
fn wing(
    position: &Position,
    z: usize,
    pivot: usize,
    pincers: [usize; 2],
    seen: Cells,
    out: &mut Instances,
) {
    let targets = seen & PEERS[pincers[0]] & PEERS[pincers[1]];
    out.remove_digit(position, z, targets, || {
        let pivot = Evidence::default().with(Role::Pivot, 1 << pivot, position.masks[pivot]);
        pivot.with(Role::Pincers, 1 << pincers[0] | 1 << pincers[1], 1 << z)
    });
}

/// Two cells with the same two digits, and a strong link of one of them whose ends see one cell
/// each: cells that see both lose the other digit.
pub fn w_wing(position: &Position, out: &mut Instances) {
    let two = position.exactly[2];
    for first in Bits(two) {
        let mask = position.masks[first];
        let [x, y] = digit_pair(mask);
        let same = two & position.open[x] & position.open[y] & !PEERS[first] & !1 << first;
        for second in Bits(same) {
            for (link, lost) in [(x, y), (y, x)] {
                let targets = PEERS[first] & PEERS[second] & position.open[lost];
                if targets == 0 {
                    continue;
                }
                for kind in 0..3 {
                    let near = position.strong[link][kind] & PEERS[first] & !(1 << second);
                    for end in Bits(near) {
                        let other = position.partner(link, end, kind).unwrap_or(end);
                        if PEERS[second] >> other & 1 != 0 && other != first {
                            out.remove_digit(position, lost, targets, || {
                                Evidence::default()
                                    .with(Role::Pair, 1 << first | 1 << second, mask)
                                    .with_base(1 << UNITS_OF[end][kind])
                                    .with_links(vec![Link::new(link, 1 << end, 1 << other, true)])
                            });
                        }
                    }
                }
            }
        }
    }
}

/// Cells with the same two digits, connected to a chain. The ends of an even number of cells, at
/// least four, have different digits, so cells that see both lose both digits.
pub fn remote_pair(position: &Position, layers: &mut Vec<Cells>, out: &mut Instances) {
    let two = position.exactly[2];
    for start in Bits(two) {
        let mask = position.masks[start];
        let [x, y] = digit_pair(mask);
        let same = two & position.open[x] & position.open[y];
        fill_layers(layers, start, |cell| PEERS[cell] & same);
        for (i, &layer) in layers.iter().enumerate().skip(3).step_by(2) {
            for end in Bits(layer & !1 << start) {
                let targets = PEERS[start] & PEERS[end];
                let mut removed = [0; 9];
                (removed[x], removed[y]) = (targets, targets);
                out.remove_effective(position, removed, || {
                    let mut evidence = Evidence::pattern(1 << end, mask);
                    let chain = &mut evidence.parts[0].cells;
                    for layer in layers[..i].iter().rev() {
                        let near = layer & PEERS[chain[0]];
                        chain.insert(0, near.trailing_zeros() as usize);
                    }
                    evidence
                });
            }
        }
    }
}

/// Lists the cells by their distance from a cell.
fn fill_layers(layers: &mut Vec<Cells>, start: usize, neighbors: impl Fn(usize) -> Cells) {
    layers.clear();
    let (mut layer, mut visited) = (1 << start, 0);
    while layer != 0 {
        visited |= layer;
        layers.push(layer);
        layer = Bits(layer).fold(0, |next, cell| next | neighbors(cell)) & !visited;
    }
}

/// Returns the digits of a mask with two.
#[inline(always)]
fn digit_pair(mask: u16) -> [usize; 2] {
    debug_assert_eq!(size(mask), 2, "the cell has two candidates");
    [mask.trailing_zeros() as usize, 15 - mask.leading_zeros() as usize]
}

/// Strong links of a digit color its places in two colors, one of which has the digit. If a color
/// has two places that see each other, all of its places lose the digit. Other cells that see both
/// colors lose it as well.
pub fn simple_colors(position: &Position, layers: &mut Vec<Cells>, out: &mut Instances) {
    for digit in digits_of(position.changed.digits) {
        let strong = position.strong[digit];
        let mut pending = strong[0] | strong[1] | strong[2];
        while pending != 0 {
            let partner = |cell: usize, kind| position.partner(digit, cell, kind);
            let linked = |cell: usize| (0..3).filter_map(move |kind| partner(cell, kind));
            let links = |cell| linked(cell).fold(0, |all, other| all | 1 << other);
            fill_layers(layers, pending.trailing_zeros() as usize, links);
            let colors =
                [0, 1].map(|i| layers.iter().skip(i).step_by(2).fold(0, |all, layer| all | layer));
            let all = colors[0] | colors[1];
            pending &= !all;
            let seen = colors.map(any_peers);
            let wraps = (0..2).filter(|&i| colors[i] & seen[i] != 0).map(|i| colors[i]);
            let traps = std::iter::once(seen[0] & seen[1] & !all);
            for removed in wraps.chain(traps) {
                out.remove_digit(position, digit, removed, || {
                    let one = Evidence::default().with(Role::Color, colors[0], 1 << digit);
                    one.with(Role::OtherColor, colors[1], 1 << digit)
                });
            }
        }
    }
}
