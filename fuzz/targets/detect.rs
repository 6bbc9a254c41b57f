//! Detects the layout of bytes, and reads them. The layout does not depend on how many bytes have
//! arrived.

#![no_main]

use bulkdoku::input::{Answers, InputFormat, InputOptions, Keep, LayoutKind};
use bulkdoku_fuzz::{Cuts, grids, has_mark, lines, tables};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    // The options and the cuts; then the input.
    let Some((&[choice], data)) = data.split_first_chunk() else { return };
    let Some((cuts, input)) = Cuts::take(data) else { return };
    if has_mark(input) {
        return;
    }
    let formats = [InputFormat::Auto, InputFormat::Auto, InputFormat::Csv, InputFormat::Tsv];
    let expected = InputOptions {
        format: formats[usize::from(choice % 4)],
        no_header: choice & 4 != 0,
        column: (choice & 8 != 0).then(|| "2".into()),
        keep: (choice & 16 != 0).then_some(Keep::Row),
        also_read: if choice & 64 == 0 { vec![] } else { vec!["rest".into()] },
        answers: if choice & 32 == 0 { Answers::Unwanted } else { Answers::Wanted },
        ..InputOptions::default()
    };
    let detected = expected.detect(input, true);
    for seen in [cuts.pieces[1], input.len() / 2, input.len()] {
        match expected.detect(&input[..seen.min(input.len())], false) {
            Ok(None) => {}
            Ok(Some(layout)) => assert_eq!(Ok(Some(layout)), detected, "of {seen} bytes"),
            Err(error) => assert_eq!(Err(error), detected, "of {seen} bytes"),
        }
    }
    let Ok(detected) = detected else { return };
    let layout = detected.expect("all bytes are enough");
    match layout.kind() {
        LayoutKind::Lines if layout.has_answers() => {}
        LayoutKind::Lines => lines::check(input, !layout.kept().is_empty(), &cuts),
        LayoutKind::Grids => grids::check(input, &cuts),
        LayoutKind::JsonDocument => {}
        LayoutKind::Json => lines::check_counts(&layout, input, &cuts),
        LayoutKind::Table(_) => {
            let table = layout.table().expect("it is a table").clone();
            tables::check(input, table, &cuts)
        }
    }
});
