//! The forms of puzzles that people have.

use serde_json::json;

use super::command::grid;

pub fn zeros(cells: &str) -> String {
    cells.replace('.', "0")
}

/// Returns rows of cells joined by a separator; `blank` replaces dots.
pub fn rows_of(cells: &str, separator: &str, blank: &str) -> Vec<String> {
    let cell = |cell: char| if cell == '.' { blank.to_owned() } else { cell.to_string() };
    let row = |row: usize| cells[9 * row..9 * row + 9].chars().map(cell).collect::<Vec<_>>();
    (0..9).map(|number| row(number).join(separator)).collect()
}

pub fn nested(cells: &str, blank: &str) -> String {
    let rows = rows_of(cells, ", ", blank).into_iter().map(|row| format!("[{row}]"));
    format!("[{}]", rows.collect::<Vec<_>>().join(", "))
}

/// Returns nine strings of nine cells, with a separator between cells.
pub fn strings(cells: &str, separator: &str) -> String {
    json!(rows_of(cells, separator, ".")).to_string()
}

/// Returns a grid drawn with spaces for blanks.
pub fn drawn_with_spaces(cells: &str, dash: &str) -> String {
    let border = format!("+{0}+{0}+{0}+\n", dash.repeat(7));
    let rows = rows_of(cells, " ", " ");
    let row = |row: &String| format!("| {} | {} | {} |\n", &row[..5], &row[6..11], &row[12..]);
    let rows: Vec<_> = rows.iter().map(row).collect();
    let bands: Vec<_> = rows.chunks(3).map(<[String]>::concat).collect();
    format!("{border}{}{border}", bands.join(&border))
}

/// Forms of these cells that fit in a line.
pub fn of_a_line(cells: &str) -> Vec<String> {
    let spaces = cells.replace('.', " ");
    // The last cell of this puzzle is a digit; the first is as well.
    assert_eq!(spaces.trim().len(), 81);
    let list = |separator: &str, blank: &str| rows_of(cells, separator, blank).join(separator);
    vec![
        cells.into(),
        format!("  {} ", zeros(cells)),
        spaces,
        list(" ", "-1"),
        list(", ", "-1.0"),
        format!("[{}]", list(", ", "None")),
        format!("[{}]", list(", ", "NaN")),
        format!("[{}]", list(", ", "nan")),
        strings(cells, ""),
        strings(&zeros(cells), " "),
        strings(cells, "").replace('"', "'").replace(',', ", "),
        nested(cells, "null"),
        nested(cells, "None"),
        format!("array({}, dtype=uint8)", nested(&zeros(cells), "")),
        format!("[np.int64({})]", list("), np.int64(", "0")),
        list(",", ""),
        format!(":0300:2:{cells}::"),
        cells.replace('.', "·"),
        cells.replace('.', "□"),
        cells.replace("...", "…"),
        format!("{cells}\u{1A}"),
        format!("b'{cells}'"),
        format!("('{cells}',)"),
        rows_of(cells, "", ".").join("\\n"),
        (0..27).map(|three| &cells[3 * three..3 * three + 3]).collect::<Vec<_>>().join(" "),
    ]
}

/// Forms of these cells in several lines.
pub fn of_lines(cells: &str) -> Vec<String> {
    let spaced = |blank| rows_of(cells, " ", blank).join("\n") + "\n";
    vec![
        grid(cells),
        grid(cells).replace('\n', "\r\n"),
        grid(cells).replace('.', "·"),
        spaced("."),
        spaced("-1"),
        nested(cells, "None").replace("], ", "],\n"),
        nested(cells, "NaN").replace("], ", "],\n "),
        format!("array({})\n", nested(&zeros(cells), "")).replace("], ", "],\n       "),
        format!("tensor({}, device='cuda:0', dtype=torch.int8)\n", nested(cells, "nan"))
            .replace("], [", "],\n        ["),
        strings(cells, "").replace(',', ",\n"),
        drawn_with_spaces(cells, "-"),
        drawn_with_spaces(cells, "–"),
        drawn_with_spaces(cells, "─"),
        drawn_with_spaces(cells, "-").replace('|', "│"),
        // No row of this puzzle ends with a blank in every line, so all lines have nine cells.
        grid(cells).replace('.', " "),
        format!("```\n{}```\n", grid(cells)),
        grid(cells) + "2024-01-31\n",
        grid(cells) + "12:34\n",
        grid(cells) + "7.2\n",
    ]
}
