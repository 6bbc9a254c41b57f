//! Pasted inputs: drawn pencil marks, lists from programs, lines of other tools.

use crate::common::HARD;
use crate::common::command::{CLASSIC, Folder, Ran};
use crate::common::forms::{rows_of, zeros};

fn solve(input: impl AsRef<[u8]>) -> Ran {
    Folder::new().solve(&["--columns", "line,puzzle,status"], input)
}

/// Checks that each text is one puzzle with these cells, in this line of a grid.
#[track_caller]
fn assert_all(cases: &[(String, &str, usize)]) {
    let texts = cases.iter().map(|(text, ..)| text);
    let (each, ran) = Folder::new().run_each("solve --columns file,line,puzzle,status", texts);
    for ((text, cells, line), found) in cases.iter().zip(each) {
        assert_eq!(found.rows, [format!("{line},{cells},unique")], "{text}\n{:?}", found.messages);
    }
    let finding = format!("000.in and {} others: grids of nine lines\n", cases.len() - 1);
    assert!(ran.messages.contains(&finding), "{}", ran.messages);
}

/// The candidates of a puzzle after all singles, as drawn by `show`.
const DRAWN: &str = "\
4       1679    12679   | 139     2369    269     | 8       1239    5
26789   3       1256789 | 14589   24569   245689  | 12679   1249    124679
2689    15689   125689  | 7       234569  245689  | 12369   12349   123469
------------------------+-------------------------+------------------------
3789    2       15789   | 3459    34579   4579    | 13579   6       13789
3679    15679   15679   | 359     8       25679   | 4       12359   12379
36789   4       56789   | 359     1       25679   | 23579   23589   23789
------------------------+-------------------------+------------------------
289     89      289     | 6       459     3       | 1259    7       12489
5       6789    3       | 2       479     1       | 69      489     4689
1       6789    4       | 589     579     5789    | 23569   23589   23689

stuck with 61 cells open
";

/// Returns the drawing, and its candidates as 729 characters.
fn drawn() -> (String, String) {
    let ran = Folder::new().solve(&["-q", "--columns", "puzzle"], DRAWN);
    (DRAWN.to_owned(), ran.records()[0].to_owned())
}

#[test]
fn drawn_pencil_marks_are_read() {
    let (drawing, marks) = drawn();
    let rows_of = |text: &str| -> Vec<String> {
        text.lines().filter(|line| line.contains('|')).map(String::from).collect()
    };
    let cells = rows_of(&drawing);
    let edge = |ends: [&str; 2], joint: &str| {
        let part = "-".repeat(25);
        format!("{}{part}{joint}{part}{joint}{part}{}", ends[0], ends[1])
    };
    let framed = |top: String, between: String, bottom: String| {
        let mut lines = vec![top];
        for (number, row) in cells.iter().enumerate() {
            if matches!(number, 3 | 6) {
                lines.push(between.clone());
            }
            lines.push(format!("| {row} |"));
        }
        lines.push(bottom);
        lines.join("\n")
    };
    let hodoku = framed(edge([".", "."], "."), edge([":", ":"], "+"), edge(["'", "'"], "'"));
    let forum = framed(edge(["*", "*"], "-"), edge(["|", "|"], "+"), edge(["*", "*"], "-"));
    let box_drawing = framed(edge(["┌", "┐"], "┬"), edge(["├", "┤"], "┼"), edge(["└", "┘"], "┴"));
    let box_drawing = box_drawing.replace('|', "│").replace('-', "─");
    // Nine positions per cell.
    let placed: Vec<_> =
        marks.as_bytes().chunks(9).map(|cell| String::from_utf8_lossy(cell)).collect();
    let placed: Vec<_> = placed.chunks(9).map(|row| row.join(" ").replace('.', "_")).collect();
    let cases = [
        (drawing.clone(), 1),
        (hodoku.clone(), 2),
        (forum, 2),
        (box_drawing, 2),
        (placed.join("\n"), 1),
        (format!("A puzzle\n{}\n", hodoku.replace('\n', "\r\n")), 3),
    ];
    assert_all(&cases.each_ref().map(|(text, line)| (text.clone(), &*marks, *line)));
    let both = format!("one\n{hodoku}\n\ntwo\n{drawing}");
    let ran = Folder::new().solve(&["-q", "--columns", "line,status"], both);
    assert_eq!(ran.records(), ["3,unique", "17,unique"]);
}

/// Cells of nine positions may have no candidates, even all of a row: `show` draws and reads them.
#[test]
fn cells_without_candidates_are_read_as_show_reads_them() {
    let solved: Vec<String> = (0..81)
        .map(|cell| {
            let digit = (cell / 27 + cell / 9 * 3 + cell) % 9 + 1;
            (1..=9).map(|d| if d == digit { d.to_string() } else { "_".into() }).collect()
        })
        .collect();
    let texts = [" ", " | "].into_iter().flat_map(|between| {
        let solved = &solved;
        (0..=9).map(move |empty| {
            let row = |row: usize| {
                let cells = &solved[9 * row..9 * row + 9];
                if row == empty { ["_________"; 9].join(between) } else { cells.join(between) }
            };
            (0..9).map(row).collect::<Vec<_>>().join("\n") + "\n"
        })
    });
    let texts: Vec<_> = texts.collect();
    let (each, _) = Folder::new().run_each("solve --columns file,line,status", &texts);
    for (number, found) in each.iter().enumerate() {
        let status = if number % 10 == 9 { "unique" } else { "unsolvable" };
        assert_eq!(found.rows, [format!("1,{status}")], "{}", texts[number]);
    }
    for (text, status) in [(&texts[3], 1), (&texts[13], 1), (&texts[9], 0)] {
        assert_eq!(Folder::new().run("show", &["-"], text).status, status, "{text}");
    }
}

#[test]
fn a_contradiction_among_pencil_marks_has_a_line_and_column() {
    let (drawing, _) = drawn();
    let (first, rest) = drawing.split_once('\n').unwrap();
    // Two cells of the first row are 4.
    let text = format!("{}\n{rest}", first.replacen("1679 ", "4    ", 1));
    let ran = solve(text);
    ran.expect(1, "<stdin>:1:9: contradictory: 4 occurs twice in row 1");
}

#[test]
fn an_ellipsis_is_three_dots_and_is_counted() {
    let dotted = HARD.replacen("...", "…", 2);
    let ran = solve(format!("{dotted} # a hard one\n{CLASSIC}\n{dotted}\n"));
    let hard = format!("{HARD},unique");
    let rows = [format!("1,{hard}"), format!("2,{CLASSIC},unique"), format!("3,{hard}")];
    assert_eq!(ran.records(), rows);
    ran.expect(0, "  (with … as three dots)    2\n");
    assert!(!solve(CLASSIC).messages.contains('…'));
    // At any distance from the start.
    let ran = solve(format!("{CLASSIC}\n").repeat(20_000) + &dotted);
    assert!(ran.messages.contains("  (with … as three dots)    1\n"), "{ran:?}");
    let grid = rows_of(HARD, "", ".").join("\n").replace("...", "…");
    let ran = solve(grid);
    assert_eq!(ran.records(), [format!("1,{HARD},unique")]);
    assert!(ran.messages.contains("  (with … as three dots)    1\n"), "{ran:?}");
    let args = ["-q", "--columns", "line,status,rest"];
    let ran = Folder::new().solve(&args, format!("{CLASSIC} a\n{dotted} b c\n"));
    assert_eq!(ran.records(), ["1,unique,a", "2,unique,b c"]);
}

#[test]
fn grids_as_programs_write_them_are_read() {
    let zeros = zeros(CLASSIC);
    let lists = |open: &str, close: &str| -> Vec<String> {
        rows_of(&zeros, ", ", ".").into_iter().map(|row| format!("{open}{row}{close}")).collect()
    };
    let numpy = rows_of(&zeros, ".000000000000000000e+00 ", ".");
    let numpy: Vec<_> = numpy.iter().map(|row| format!("{row}.000000000000000000e+00")).collect();
    let quoted =
        rows_of(CLASSIC, "\",\"", ".").iter().map(|row| format!("[\"{row}\"]")).collect::<Vec<_>>();
    assert_all(&[
        (rows_of(&zeros, ",", ".").join("\n"), &zeros[..], 1),
        (rows_of(CLASSIC, ",", ".").join("\n").replace('.', ""), CLASSIC, 1),
        (rows_of(CLASSIC, "\t", ".").join("\n").replace('.', ""), CLASSIC, 1),
        (rows_of(&zeros, "; ", ".").join("\r\n"), &zeros, 1),
        (numpy.join("\n"), &zeros, 1),
        (format!("[{}]", lists("[", "]").join(",\n ")), &zeros, 1),
        (format!("grid = [\n{}\n]\n", lists("    [", "],").join("\n")), &zeros, 2),
        (format!("int[][] grid = {{\n{}\n}};\n", lists("{", "}").join(",\n")), &zeros, 2),
        (format!("[{}]", quoted.join(",\n")), CLASSIC, 1),
        (format!("[\"{}\"]", rows_of(CLASSIC, "", ".").join("\",\n\"")), CLASSIC, 1),
    ]);
}

/// Every output format can be read with the same results.
#[test]
fn every_written_format_is_read_back() {
    let folder = Folder::new();
    folder.file("in", format!("{CLASSIC}\n{HARD}\n"));
    let solutions = folder.solve(&["in", "-q", "--format", "lines"], "").rows;
    let solutions: Vec<_> = solutions.lines().collect();
    let statuses = |name: &str| {
        let ran = folder.line(&format!("solve {name} --columns computed_solution,computed_status"));
        assert_eq!(ran.status, 0, "{name}: {ran:?}");
        ran.records().into_iter().map(String::from).collect::<Vec<_>>()
    };
    let expected: Vec<_> = solutions.iter().map(|solution| format!("{solution},unique")).collect();
    // Outputs with the puzzles, which are read.
    for name in [
        "out.csv",
        "out.tsv",
        "out.jsonl",
        "out.csv.gz",
        #[cfg(feature = "full")]
        "out.jsonl.zst",
    ] {
        folder.solve(&["in", "-q", "-o", name], "");
        assert_eq!(statuses(name), expected, "{name}");
        let checked = folder.run("check", &[name, "--columns", "computed_status"], "");
        assert_eq!(checked.rows, "status\nok\nok\n", "{name}: {checked:?}");
    }
    // Outputs with only the solutions.
    for (format, name) in [
        ("lines", "a"),
        ("grid", "b"),
        ("boj2580", "c"),
        ("boj2239", "d"),
        ("lines", "a.gz"),
        #[cfg(feature = "full")]
        ("grid", "b.zst"),
    ] {
        folder.solve(&["in", "-q", "--format", format, "-o", name], "");
        assert_eq!(statuses(name), expected, "{format}");
    }
    for command in ["show", "show --candidates"] {
        folder.file("shown", folder.line(&format!("{command} {HARD}")).rows);
        assert_eq!(statuses("shown"), expected[1..], "{command}");
    }
}
