//! Full houses, hidden and naked singles, and locked candidates, as instances.

use bulkdoku_core::bands::{Bands, Singles};

use super::{Evidence, Instances, Technique};
use crate::board::{Bits, Cells, UNITS, UNITS_OF};

impl Technique {
    /// The techniques that place singles.
    pub(super) const SINGLES: [Self; 4] =
        [Self::FullHouse, Self::HiddenSingleBox, Self::HiddenSingleLine, Self::NakedSingle];
}

/// Finds the cells of a technique of singles. Returns whether there are any.
#[inline(always)]
pub fn singles(bands: &Bands, technique: Technique, found: &mut Singles) -> bool {
    match technique {
        Technique::FullHouse => bands.full_houses(found),
        Technique::HiddenSingleBox => bands.hidden_in_boxes(found),
        Technique::HiddenSingleLine => bands.hidden_in_lines(found),
        Technique::NakedSingle => bands.naked_singles(found),
        _ => false,
    }
}

/// Reports singles that were found.
pub fn report_singles(bands: &Bands, technique: Technique, found: &Singles, out: &mut Instances) {
    let open = (0..9).fold(0, |all, digit| all | bands.open(digit));
    for (i, &cells) in found.cells[..27].iter().enumerate() {
        let digit = i % 9;
        for cell in Bits(Cells::from(cells)).map(|cell| i / 9 * 27 + cell) {
            out.place(digit, cell, || {
                let (kinds, others) = match technique {
                    Technique::FullHouse => (0..3, open),
                    Technique::HiddenSingleBox => (2..3, bands.open(digit)),
                    Technique::HiddenSingleLine => (0..2, bands.open(digit)),
                    _ => (0..0, 0),
                };
                let units = UNITS_OF[cell][kinds].iter();
                let only = units.filter(|&&unit| others & UNITS[usize::from(unit)] == 1 << cell);
                let base = only.fold(0, |units, unit| units | 1 << unit);
                Evidence::pattern(1 << cell, 1 << digit).with_base(base)
            });
        }
    }
}

/// Finds locked candidates: all places of a digit in a unit, a box for pointing and a line for
/// claiming, are in another one, which loses the digit elsewhere.
#[inline(always)]
pub fn locked(bands: &Bands, technique: Technique, out: &mut Instances) {
    bands.locked(technique == Technique::Pointing, |digit, base, cover, cells| {
        let mut removed = [0; 9];
        removed[digit] = cells;
        out.remove(&removed, || {
            Evidence::pattern(bands.open(digit) & UNITS[base], 1 << digit)
                .with_base(1 << base)
                .with_cover(1 << cover)
        });
    });
}
