//! What numeric programs print for a 9 x 9 array reads as that puzzle, or is refused.

use std::fmt::Write;

use bulkdoku::input::{InputOptions, Records};
use bulkdoku::{Puzzle, forms};
use proptest::prelude::*;

use crate::common::few_cases;

/// Returns rows of cells, each in this width, with this text for a blank.
fn rows(puzzle: &Puzzle, width: usize, blank: &str, after: &str) -> Vec<Vec<String>> {
    let cell = |cell: &u8| match cell {
        0 => format!("{blank:>width$}"),
        digit => format!("{:>width$}", format!("{digit}{after}")),
    };
    puzzle.cells().chunks(9).map(|row| row.iter().map(cell).collect()).collect()
}

/// Joins cells with `between`, and rows with `between_rows`.
fn joined(rows: &[Vec<String>], between: &str, between_rows: &str) -> String {
    rows.iter().map(|row| row.join(between)).collect::<Vec<_>>().join(between_rows)
}

/// Returns a table with labels before its rows, and perhaps a line above them.
fn labeled(rows: &[Vec<String>], head: &str, label: impl Fn(usize) -> String) -> String {
    let mut text = head.to_owned();
    for (number, row) in rows.iter().enumerate() {
        writeln!(text, "{} {}", label(number), row.join(" ")).unwrap();
    }
    text
}

/// Returns the prints of numpy, torch, jax, pandas, polars, R, Julia, MATLAB, and Mathematica.
fn prints(puzzle: &Puzzle) -> Vec<String> {
    let mut all = Vec::new();
    let line = puzzle.to_string();
    let nine: Vec<_> = (0..9).map(|row| &line[9 * row..9 * row + 9]).collect();
    for (blank, after) in
        [("0", ""), ("0.", "."), ("nan", "."), ("NA", ""), ("-1", ""), ("-0.", "."), ("0.0", ".0")]
    {
        let cells = rows(puzzle, blank.len(), blank, after);
        let list = joined(&cells, ", ", "],\n       [");
        let flat = joined(&cells, ", ", ", ");
        for text in [
            format!("[[{}]]", joined(&cells, " ", "]\n [")),
            format!("array([[{list}]], dtype=int8)"),
            format!("tensor([[{}]], dtype=torch.uint8)", list.replace('\n', "\n ")),
            format!("Array([[{list}]], dtype=int32, weak_type=True)"),
            format!("matrix([[{list}]])"),
            format!("[{}]", joined(&cells, " ", "\n ")),
            format!("[np.int64({})]", flat.replace(", ", "), np.int64(")),
            format!("{{{{{}}}}}", joined(&cells, ", ", "}, {")),
            joined(&cells, "   ", "\n\n"),
            format!("9×9 Matrix{{Int64}}:\n {}", joined(&cells, "  ", "\n ")),
            format!("A =\n\n     {}\n\n", joined(&cells, "     ", "\n     ")),
            format!("puzzle = [[{}]]", joined(&cells, ", ", "], [")),
            labeled(&cells, "   0  1  2  3  4  5  6  7  8\n", |number| number.to_string()),
            labeled(&cells, "  V1 V2 V3 V4 V5 V6 V7 V8 V9\n", |number| (number + 1).to_string()),
            labeled(&cells, "     [,1] [,2] [,3] [,4] [,5] [,6] [,7] [,8] [,9]\n", |number| {
                format!("[{},]", number + 1)
            }),
            labeled(&cells, "", |number| (number + 1).to_string()),
            labeled(&cells, "", |number| format!("R{}", number + 1)),
            format!("tf.Tensor(\n[[{}]], shape=(9, 9), dtype=int32)", joined(&cells, " ", "]\n [")),
            format!(
                "shape: (9, 9)\n{2}\n│ {0}a │\n│ {0}--- │\n│ {0}i64 │\n{2}\n│ {1} │\n{2}",
                "a ┆ ".repeat(8).replace('a', "i64"),
                joined(&cells, " ┆ ", " │\n│ "),
                "═".repeat(100)
            ),
            // Polars shows eight columns of nine.
            joined(&cells, " ┆ ", " │\n│ ").replace(&cells[4].join(" ┆ "), "… ┆ … ┆ … ┆ …"),
            // Half of a list has as many characters as a puzzle.
            flat.split(", ").take(41).map(str::trim).collect::<Vec<_>>().join(" "),
        ] {
            all.push(text);
        }
    }
    all.push(format!("['{}']", nine.join("' '")));
    all.push(format!("array(['{}'], dtype='<U9')", nine.join("', '")));
    all.push(format!("[np.str_('{}')]", nine.join("'), np.str_('")));
    all.push(format!("[np.str_('1{}')]", nine.join("'), np.str_('1")));
    all
}

/// Returns the valid records of a file with this text.
fn records(text: &str) -> Vec<Puzzle> {
    let Ok(Some(layout)) = InputOptions::default().detect(text.as_bytes(), true) else {
        return Vec::new();
    };
    let mut records = Records::default();
    layout.read(text.as_bytes(), 1, false, &mut records);
    assert!(records.marks.is_empty(), "{text}");
    records.puzzles.to_vec()
}

proptest! {
    #![proptest_config(few_cases(10))]
    #[test]
    fn a_print_reads_as_its_puzzle_or_is_refused(
        cells in prop::collection::vec(prop::sample::select(vec![0_u8, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9]), 81),
    ) {
        let puzzle = Puzzle::from_cells(cells.try_into().unwrap()).unwrap();
        for text in prints(&puzzle) {
            if let Some(form) = forms::form(text.as_bytes()) {
                prop_assert_eq!(form.marks().puzzle(), Some(puzzle), "{}", text);
            }
            let read = records(&text);
            prop_assert!(read.is_empty() || read == [puzzle], "{}", text);
        }
    }
}

#[test]
fn most_prints_are_read() {
    let puzzle: Puzzle = crate::common::command::CLASSIC.parse().unwrap();
    let texts = prints(&puzzle);
    let read = texts.iter().filter(|text| forms::form(text.as_bytes()).is_some()).count();
    assert!(3 * read > 2 * texts.len(), "{read} of {}", texts.len());
    let in_files = texts.iter().filter(|text| !records(text).is_empty()).count();
    assert!(2 * in_files > texts.len(), "{in_files} of {}", texts.len());
}
