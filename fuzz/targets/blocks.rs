//! Parses bytes to records, in every layout.

#![no_main]

use bulkdoku_fuzz::{Cuts, grids, has_mark, lines, tables};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    // The layout, its variant, and the cuts; then the input.
    let Some((&[layout, choice], data)) = data.split_first_chunk() else { return };
    let Some((cuts, input)) = Cuts::take(data) else { return };
    if has_mark(input) {
        return;
    }
    match layout % 3 {
        0 => lines::check(input, choice % 2 == 1, &cuts),
        1 => grids::check(input, &cuts),
        _ => tables::check(input, tables::any_table(choice), &cuts),
    }
});
