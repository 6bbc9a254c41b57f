//! The forms of puzzles that people have, in every layout in which each can occur.

use serde_json::{Value, json};

use crate::common::command::{CLASSIC, Folder, Ran, SOLVED, grid};
use crate::common::forms::{self, nested, strings, zeros};

pub fn solve(input: impl AsRef<[u8]>, args: &[&str]) -> Ran {
    Folder::new()
        .solve(&[args, &["--columns", "line,computed_solution,status,clues"]].concat(), input)
}

#[track_caller]
pub fn assert_unique(ran: &Ran, lines: &[usize], what: &str) {
    let rows: Vec<_> = lines.iter().map(|line| format!("{line},{SOLVED},unique,30")).collect();
    let found = ran.records();
    assert_eq!(found, rows, "{what}\n{ran:?}");
    assert_eq!(ran.status, 0, "{what}\n{ran:?}");
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

#[test]
fn every_form_is_read_in_every_layout() {
    for form in forms::of_a_line(CLASSIC) {
        let input = format!("{form}\n{CLASSIC}\n");
        assert_unique(&solve(&input, &["--input-format", "lines"]), &[1, 2], &form);
        assert_unique(&solve(&input, &[]), &[1, 2], &form);
    }
    for form in forms::of_lines(CLASSIC) {
        assert_unique(&solve(&form, &[]), &[1 + usize::from(form.starts_with(['+', '`']))], &form);
    }
    let mut all = forms::of_a_line(CLASSIC);
    all.extend(forms::of_lines(CLASSIC));
    for separator in [",", "\t"] {
        let row = |form: &String| format!("7{separator}{}{separator}x\n", quoted(form));
        let rows: Vec<_> = all.iter().map(row).collect();
        let mut line = 2;
        let lines: Vec<_> = rows
            .iter()
            .map(|row| {
                line += row.matches('\n').count();
                line - row.matches('\n').count()
            })
            .collect();
        let table = format!("id{separator}puzzle{separator}note\n{}", rows.concat());
        assert_unique(&solve(&table, &[]), &lines, &table);
        // Without a known name, the values decide.
        let table = table.replacen("puzzle", "cells", 1);
        assert_unique(&solve(&table, &[]), &lines, &table);
    }
    let object = |form: &String| json!({"id": 1, "puzzle": form}).to_string() + "\n";
    let objects: String = all.iter().map(object).collect();
    let lines: Vec<_> = (1..=all.len()).collect();
    assert_unique(&solve(&objects, &[]), &lines, &objects);
    let texts: String = all.iter().map(|form| json!(form).to_string() + "\n").collect();
    assert_unique(&solve(&texts, &["--input-format", "jsonl"]), &lines, &texts);
}

/// Returns the line and column of the contradiction that is reported first.
fn place_of_contradiction(ran: &Ran) -> (usize, usize) {
    let place = ran.messages.split(": contradictory: ").next().unwrap();
    let mut numbers = place.rsplit(':').map_while(|number| number.parse().ok());
    let column = numbers.next().unwrap_or_else(|| panic!("{ran:?}"));
    (numbers.next().unwrap(), column)
}

#[test]
fn a_contradictory_clue_is_found_whatever_follows_the_puzzle() {
    let bad = CLASSIC[..80].to_owned() + "7";
    let all = [forms::of_a_line(&bad), forms::of_lines(&bad)].concat();
    for (number, form) in all.iter().enumerate() {
        let rest = [form, CLASSIC, &grid(CLASSIC), "1;2\n"].concat();
        let inputs = [
            (format!("{form}\n"), format!("\n{rest}")),
            (format!("puzzle\tid\n{}\t1\n", quoted(form)), rest.clone()),
            (format!("{{\"id\": 1, \"puzzle\": {}}}\n", json!(form)), format!("{rest}\n")),
        ];
        for (input, after) in inputs {
            let alone = place_of_contradiction(&solve(&input, &[]));
            let followed = place_of_contradiction(&solve(input.clone() + &after, &[]));
            assert_eq!(alone, followed, "{number}: {input}");
            // No place: the cells of strings with escapes, of HoDoKu's lines, of symbols, and of
            // grids with spaces.
            let is_escaped = input.starts_with('{') && form.contains(['\n', '\u{1A}', '\\']);
            let is_spaced = form.contains('\n') && form.contains("7   ");
            if !is_escaped && !is_spaced && !form.contains(['"', ':', '·', '□', '…', '\'']) {
                let line = input.lines().nth(alone.0 - 1).unwrap();
                let rest: String = line.chars().skip(alone.1 - 1).collect();
                assert!(rest.starts_with('7'), "{number}: {line}: {rest}");
                assert_eq!(rest.matches('7').count(), 1, "{number}: {line}: {rest}");
            }
        }
    }
}

#[test]
fn lists_name_the_invalid_cell() {
    let list = nested(&zeros(CLASSIC), "").replacen('7', "10", 1);
    let csv = format!("id,puzzle\n1,\"{list}\"\n");
    let jsonl = format!("{{\"puzzle\":{CLASSIC:?}}}\n{{\"puzzle\":{list}}}\n");
    for (input, args) in [
        (format!("{CLASSIC}\n{list}\n"), &[][..]),
        (csv, &[]),
        (jsonl, &[]),
        (format!("{list}\n"), &["--input-format", "jsonl"]),
    ] {
        let ran = solve(&input, args);
        assert!(ran.messages.contains("malformed: r1c5: 10 is not a cell; use 1 to 9"), "{ran:?}");
        assert_eq!(ran.status, 1);
    }
    for (row, what) in
        [("53..7..A.", "r1c8: \"A\" is not a cell"), ("53..7...", "80 cells, 81 expected")]
    {
        let list = strings(CLASSIC, "").replacen("53..7....", row, 1);
        let ran = solve(format!("{{\"puzzle\":{CLASSIC:?}}}\n{{\"puzzle\":{list}}}\n"), &[]);
        assert!(ran.messages.contains(what), "{ran:?}");
    }
    let short = "[1, 2, 3]";
    let ran = solve(format!("{{\"puzzle\":{CLASSIC:?}}}\n{{\"puzzle\":{short}}}\n"), &[]);
    assert!(ran.messages.contains("3 cells, 81 expected"), "{ran:?}");
}

#[test]
fn spaces_are_blanks_only_where_the_width_is_fixed() {
    let spaces = CLASSIC.replace('.', " ");
    for (text, status) in [
        (spaces[..80].to_owned(), "malformed"),
        (format!("{spaces} 1"), "malformed"),
        (spaces.replacen(' ', ".", 1), "malformed"),
        (format!(" {}", &SOLVED[1..]), "unique"),
    ] {
        let ran = solve(format!("{CLASSIC}\n{text}\n"), &[]);
        assert!(ran.rows.trim_end().contains(&format!(",{status},")), "{text:?} {ran:?}");
    }
    let blank = " ".repeat(81);
    let ran = solve(format!("{CLASSIC}\n{blank}\n\x0C\n{CLASSIC}\n\u{1A}"), &[]);
    assert_unique(&ran, &[1, 4], "blank lines");
    assert!(ran.messages.contains("(blank lines)             3"), "{ran:?}");
    // A row with a missing cell is not one with a blank.
    let grid = grid(&zeros(CLASSIC)).replacen("530070000", "530 70000", 1);
    let ran = solve(&grid, &["--input-format", "grid"]);
    assert_eq!(ran.rows.matches("malformed").count(), 1, "{ran:?}");
}

#[test]
fn lines_next_to_a_grid_are_not_rows() {
    let rating = "5.6/5.6/3.2\n";
    let grid = grid(CLASSIC);
    for (input, lines) in [
        (format!("{grid}{rating}"), vec![1]),
        (format!("{rating}{grid}"), vec![2]),
        (format!("17\n{grid}"), vec![2]),
        (format!("{grid}{rating}{grid}{rating}"), vec![1, 11]),
        (format!("{grid}{rating}\n{grid}{rating}"), vec![1, 12]),
        (format!("{rating}{grid}\n{rating}{grid}"), vec![2, 13]),
    ] {
        for args in [&[][..], &["--input-format", "grid"]] {
            assert_unique(&solve(&input, args), &lines, &input);
        }
    }
    // A damaged row is not such a line.
    let damaged = grid.replacen("6..195...", "6..195..", 1);
    let ran = solve(format!("{damaged}{grid}"), &["--input-format", "grid"]);
    let statuses: Vec<_> =
        ran.rows.lines().skip(1).map(|row| row.split(',').nth(2).unwrap()).collect();
    assert_eq!(statuses, ["malformed", "unique"], "{ran:?}");
}

#[test]
fn candidates_may_be_in_any_order() {
    let drawn = |first: &str| {
        let rest = "1679 12679 139 2369 269 8 1239 5".replacen("1679", first, 1);
        let row = "26789 3 1256789 14589 24569 245689 12679 1249 124679";
        format!("4 {rest}\n{}", format!("{row}\n").repeat(8))
    };
    let status = |first: &str| {
        let ran =
            Folder::new().solve(&["--columns", "status", "--input-format", "grid"], drawn(first));
        ran.rows.lines().nth(1).unwrap_or_default().to_owned()
    };
    assert_eq!(status("9617"), status("1679"));
    assert_eq!(status("9619"), "malformed", "a repeated candidate");
}

#[test]
fn solved_cells_of_hodoku_are_not_clues() {
    let placed = CLASSIC.replacen('.', "+4", 1);
    for line in [format!(":0300:2:{placed}:::"), format!("puzzle\n\":0300:2:{placed}:::\"")] {
        let ran = Folder::new().solve(&["--columns", "clues,minimal,status"], &line);
        let plain = Folder::new().solve(&["--columns", "clues,minimal,status"], CLASSIC);
        assert_eq!(ran.rows, plain.rows, "{line}");
    }
}

#[test]
fn numbers_that_are_not_json_are_accepted() {
    for value in ["NaN", "nan", "Infinity", "-Infinity", "[1, NaN]"] {
        let line = format!("{{\"a\": {value}, \"puzzle\": {CLASSIC:?}, \"b\": \"NaN\"}}\n");
        let input = line.repeat(2);
        assert_unique(&solve(&input, &[]), &[1, 2], &input);
        let ran = Folder::new().solve(&["--columns", "b,a", "--format", "jsonl"], &input);
        let expected = if value.starts_with('[') { value } else { "null" };
        assert!(ran.rows.starts_with(&format!("{{\"b\":\"NaN\",\"a\":{expected}}}")), "{ran:?}");
    }
    for blank in ["NaN", "nan"] {
        let puzzle = format!("{{\"puzzle\": {}}}\n", nested(CLASSIC, blank));
        assert_unique(&solve(&puzzle, &[]), &[1], &puzzle);
    }
}

#[test]
fn prompts_are_not_puzzles_and_inner_keys_have_dots() {
    let prompt = format!("Solve this Sudoku puzzle:\n{}Respond with only the grid.", grid(CLASSIC));
    let object = json!({
        "question": prompt, "answer": SOLVED,
        "metadata": {"puzzle": CLASSIC, "solution": SOLVED, "level": {"name": "easy"}},
    });
    let input = format!("{object}\n{object}\n");
    assert_unique(&solve(&input, &[]), &[1, 2], &input);
    assert_unique(&solve(&input, &["--column", "metadata.puzzle"]), &[1, 2], &input);
    let ran = Folder::new().solve(&["--columns", "metadata.level.name,status"], &input);
    assert!(ran.rows.ends_with("easy,unique\n"), "{ran:?}");
    let ran = Folder::new().run("check", &["--solution-column", "metadata.solution"], &input);
    assert_eq!(ran.status, 0, "{ran:?}");

    // One word is not a puzzle either, but the key is chosen if no other may be.
    let object = json!({"question": "Solve", "metadata": {"puzzle": CLASSIC}});
    assert_unique(&solve(format!("{object}\n"), &[]), &[1], "one word");
    assert_unique(&solve(format!("question,text\nSolve,{CLASSIC}\n"), &[]), &[2], "one word");
    for input in [
        format!("{{\"puzzle\":\"unknown\",\"n\":1}}\n{{\"puzzle\":{CLASSIC:?}}}\n"),
        format!("puzzle,n\nunknown,1\n{CLASSIC},1\n"),
    ] {
        let ran = solve(&input, &[]);
        assert_eq!((ran.status, ran.rows.matches(",unique,30").count()), (1, 1), "{ran:?}");
    }

    let table = format!("question,board_text\n{0},{CLASSIC}\n{0},{CLASSIC}\n", quoted(&prompt));
    let rows = prompt.matches('\n').count() + 1;
    assert_unique(&solve(&table, &[]), &[2, 2 + rows], &table);
    let ran = solve(format!("id,question\n1,{}\n", quoted(&prompt)), &[]);
    assert_eq!(ran.status, 2, "{ran:?}");
    assert!(ran.messages.contains("no column contains puzzles"), "{ran:?}");
    // In a column of puzzles, there may be a line of text before and after the rows, and a comment.
    let commented = grid(CLASSIC).replacen('\n', " an optional comment\n", 1);
    for text in [&*prompt, &commented, &format!("{}https://example.com/a/b\n", grid(CLASSIC))] {
        assert_unique(&solve(format!("id,puzzle\n1,{}\n", quoted(text)), &[]), &[2], text);
        let object = json!({"id": 1, "puzzle": text});
        assert_unique(&solve(format!("{object}\n"), &[]), &[1], text);
        let inner = json!({"id": 1, "meta": {"puzzle": text}});
        assert_unique(&solve(json!([inner, inner]).to_string(), &[]), &[1, 2], text);
    }
}

#[test]
fn strings_with_escapes_are_json() {
    for form in forms::of_lines(CLASSIC) {
        let line = json!(form).to_string();
        if line.contains('\\') {
            assert_unique(&solve(format!("{line}\n{line}\n"), &[]), &[1, 2], &line);
        }
    }
}

/// Rows of JSON are JSON, and have the puzzles, whatever the form in which they were read.
#[test]
fn rows_of_json_are_read_again_whatever_the_form() {
    let folder = Folder::new();
    let mut all = forms::of_a_line(CLASSIC);
    all.extend(forms::of_lines(CLASSIC));
    let cells: Vec<_> = CLASSIC.chars().map(String::from).collect();
    all.extend([
        format!("{cells:?}"),
        format!("{cells:?}").replace('"', "'"),
        format!("{:?}", forms::rows_of(CLASSIC, " ", ".")).replace('"', "'"),
        format!("[np.str_('{}')]", cells.join("'), np.str_('")),
        format!("[[{}]]", forms::rows_of(CLASSIC, ". ", "0").join("]\n [")),
    ]);
    let row = |form: &String| format!("1,{}\n", quoted(form));
    let object = |form: &String| json!({"id": 1, "puzzle": form}).to_string() + "\n";
    folder.file("a.csv", format!("id,puzzle\n{}", all.iter().map(row).collect::<String>()));
    folder.file("a.jsonl", all.iter().map(object).collect::<String>());
    let lines = all.iter().filter(|form| !form.contains('\n'));
    folder.file("a.txt", lines.map(|form| format!("{form}\n")).collect::<String>());
    for input in ["a.csv", "a.jsonl", "a.txt"] {
        let count = folder.solve(&[input, "-q"], "").records().len();
        for (command, name) in [
            ("augment --seed 1 --original --times 1", "augmented.jsonl"),
            ("solve --columns puzzle,status", "solved.jsonl"),
        ] {
            let name = format!("{input}.{name}");
            assert_eq!(folder.line(&format!("{command} {input} -o {name}")).status, 0, "{input}");
            let ran = folder.line(&format!("canon {name} --columns canonical"));
            let forms: std::collections::HashSet<_> = ran.records().into_iter().collect();
            let times = if command.starts_with("augment") { 2 } else { 1 };
            assert_eq!((ran.status, forms.len()), (0, 1), "{name}: {ran:?}");
            assert_eq!(ran.records().len(), times * count, "{name}");
        }
    }
}

#[test]
fn headers_of_cells_and_single_names() {
    for (input, lines) in [
        (format!("x,y\n{CLASSIC},{SOLVED}\n"), vec![2]),
        (format!("X;Y\n{CLASSIC};{SOLVED}\n"), vec![2]),
        (format!("x\n{CLASSIC}\n{CLASSIC}\n"), vec![2, 3]),
        (format!("sudoku_text\n{CLASSIC}\n"), vec![2]),
        (format!("# c\n\nx\n{CLASSIC}\n"), vec![4]),
        // Names of pandas.
        (format!("0,1\n{CLASSIC},{SOLVED}\n"), vec![2]),
        (format!(",0\n0,{CLASSIC}\n1,{CLASSIC}\n"), vec![2, 3]),
        (format!("0\n{CLASSIC}\n"), vec![2]),
    ] {
        assert_unique(&solve(&input, &[]), &lines, &input);
    }
    // Of several known names, the one whose value is a puzzle.
    let named = format!("question,board\neasy,{CLASSIC}\nhard,{CLASSIC}\n");
    assert_unique(&solve(&named, &[]), &[2, 3], &named);
    let object = json!({"question": "easy", "board": CLASSIC}).to_string();
    assert_unique(&solve(&object, &[]), &[1], &object);
    let two = format!("quiz,board\n{CLASSIC},{CLASSIC}\n");
    assert!(solve(&two, &[]).messages.contains("several columns may contain the puzzles"));
    let ran = solve(format!("5\n{CLASSIC}\n"), &[]);
    assert_eq!(ran.rows.matches("malformed").count(), 1, "digits are not a name: {ran:?}");
}

#[test]
fn excel_declares_a_delimiter() {
    for declaration in ["sep=;", "\"sep=;\"", "sep=;\r", "SEP=;"] {
        let input = format!("{declaration}\nid;puzzle\n1;{CLASSIC}\n");
        assert_unique(&solve(&input, &[]), &[3], &input);
    }
    let input = format!("sep=,\n{CLASSIC}\n");
    assert_unique(&solve(&input, &[]), &[2], &input);
    let input = format!("sep=~\nid~a~x,y~puzzle\n1~b~2,3~{CLASSIC}\n");
    assert_unique(&solve(&input, &[]), &[3], &input);
}

#[test]
fn copied_puzzles_keep_their_blanks_and_their_type() {
    let z = zeros(CLASSIC);
    let augment = |input: &str, args: &[&str]| {
        let args = [&["--times", "2", "--original", "--seed", "1", "-q"], args].concat();
        Folder::new().run("augment", &args, input)
    };
    let lines = augment(&z, &["--columns", "puzzle"]);
    let puzzles = lines.records();
    assert_eq!((puzzles.len(), puzzles[0]), (3, &*z), "{lines:?}");
    assert!(puzzles.iter().all(|puzzle| puzzle.contains('0') && !puzzle.contains('.')));
    for (blank, quote) in [("0", ""), ("null", ""), ("-1", ""), ("\".\"", "\"")] {
        let cell = |cell: char| match cell {
            '.' => blank.to_owned(),
            digit => format!("{quote}{digit}{quote}"),
        };
        let cells: Vec<_> = CLASSIC.chars().map(cell).collect();
        let flat = format!("[{}]", cells.join(","));
        let rows: Vec<_> = cells.chunks(9).map(|row| format!("[{}]", row.join(","))).collect();
        for array in [flat, format!("[{}]", rows.join(","))] {
            let input = format!("{{\"puzzle\":{array}}}\n");
            let ran = augment(&input, &["--format", "jsonl", "--columns", "puzzle"]);
            let found: Vec<_> = ran.rows.lines().collect();
            assert_eq!((found.len(), found[0]), (3, input.trim()), "{ran:?}");
            for isomorph in &found[1..] {
                assert_eq!(isomorph.matches('[').count(), array.matches('[').count(), "{isomorph}");
                assert_eq!(isomorph.matches(blank).count(), array.matches(blank).count());
                assert!(serde_json::from_str::<Value>(isomorph).is_ok());
            }
        }
    }
    let array = format!("{{\"puzzle\":{}}}", strings(&z, ""));
    let ran = augment(&array, &["--format", "jsonl", "--columns", "puzzle"]);
    let found: Vec<_> = ran.rows.lines().collect();
    assert_eq!((found.len(), found[0]), (3, &*array), "{ran:?}");
    assert!(found.iter().all(|row| row.len() == array.len() && row.matches("\",\"").count() == 8));
}

#[test]
fn long_rows_are_read_one_at_a_time() {
    let trace = "z".repeat(300_000);
    let folder = Folder::new();
    let table: String =
        (0..6).map(|id| format!("{id},{trace},{CLASSIC}\n7,short,{CLASSIC}\n")).collect();
    folder.file("t.csv", format!("id,trace,puzzle\n{table}"));
    let object = |id: i32| format!("{}\n", json!({"id": id, "trace": trace, "puzzle": CLASSIC}));
    folder.file("t.jsonl", (0..6).map(object).collect::<String>());
    folder.file("t.txt", format!("{CLASSIC},{trace}\n").repeat(6));
    folder.file(
        "t.json",
        (0..6)
            .map(|id| json!({"t": trace, "puzzle": CLASSIC, "id": id}))
            .collect::<Value>()
            .to_string(),
    );
    // Objects are copied even if detection sees only a part of the first one.
    let first = format!("{{\"trace\":\"{trace}\",\"puzzle\":\"{CLASSIC}\",\"id\":1}}\n");
    let ran = folder.run("canon", &["--dedup", "-q"], &first);
    assert!(ran.status == 0 && ran.rows == first, "{}", ran.messages);
    for (name, rows) in [("t.csv", 12), ("t.jsonl", 6), ("t.txt", 6), ("t.json", 6)] {
        for threads in ["1", "4"] {
            let args = ["--columns", "status", "-j", threads, name];
            let ran = folder.solve(&args, "");
            assert_eq!(
                ran.rows.matches("unique").count(),
                rows,
                "{name} {threads} {}",
                ran.messages
            );
        }
    }
    let ran = folder.solve(&["--columns", "trace,id", "-j", "3", "t.csv"], "");
    assert_eq!(ran.rows.matches(&trace).count(), 6, "{}", ran.messages);
    let ran = folder.solve(&["--columns", "line,status", "--max-line", "200k", "t.csv"], "");
    assert_eq!(ran.rows.matches("malformed").count(), 6, "{}", ran.messages);
    assert!(folder.solve(&["--max-line", "2G", "t.csv"], "").messages.contains("at most 1G"));
}

#[cfg(feature = "full")]
#[test]
fn parquet_has_rows_of_cells() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/packed/rows.parquet");
    let ran = Folder::new().solve(&["--columns", "id,solution,status,clues", file], "");
    let rows = ran.records();
    let unique = |id: usize| format!("{id},{SOLVED},unique,30");
    let malformed = |id: usize| format!("{id},,malformed,");
    let expected: Vec<_> =
        (0..7).map(|id| if id < 3 { unique(id) } else { malformed(id) }).collect();
    assert_eq!(rows, expected, "{ran:?}");
    assert!(ran.messages.contains("r1c5: 10 is not a cell"), "{ran:?}");
    assert!(ran.messages.contains("72 cells, 81 expected"), "{ran:?}");
    // Other lists are copied.
    let args = ["--columns", "id,board,flat", "--format", "jsonl", "--column", "board", file];
    let ran = Folder::new().solve(&args, "");
    let boards: Vec<Value> =
        ran.rows.lines().map(|row| serde_json::from_str(row).unwrap()).collect();
    assert_eq!(boards[3]["flat"], json!([3]), "{ran:?}");
}

#[test]
fn control_characters_are_blank_lines() {
    let object = json!({"id": 1, "puzzle": CLASSIC}).to_string();
    let lines = format!("{CLASSIC}\r\n\u{c}\r\n{CLASSIC}\r\n\u{1a}");
    let table = format!("id,puzzle\r\n1,{CLASSIC}\r\n\u{c}\r\n2,{CLASSIC}\r\n\u{1a}");
    let objects = format!("{object}\r\n\u{c}\r\n{object}\r\n\u{1a}\r\n");
    let grids = format!("{0}\u{c}\n{0}\u{1a}", grid(CLASSIC)).replace('\n', "\r\n");
    for (input, lines) in [
        (&lines, [1, 3]),
        (&table, [2, 4]),
        (&table.replace(',', "\t"), [2, 4]),
        (&table.replace(',', ";"), [2, 4]),
        (&objects, [1, 3]),
        (&format!("{object}\n\n{object}\u{1a}"), [1, 3]),
        (&format!("[{object},\n\n{object}]\r\n\u{1a}"), [1, 2]),
        (&grids, [1, 11]),
    ] {
        assert_unique(&solve(input, &[]), &lines, input);
    }
}

#[cfg(feature = "full")]
#[test]
fn zeros_after_a_stream_are_padding() {
    use std::io::Write;

    let text = format!("{CLASSIC}\n{CLASSIC}\n");
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gz.write_all(text.as_bytes()).unwrap();
    let gz = gz.finish().unwrap();
    let zst = zstd::encode_all(text.as_bytes(), 3).unwrap();
    for stream in [gz, zst] {
        for zeros in [1, 3, 512, 300_000] {
            assert_unique(&solve([&stream[..], &vec![0; zeros]].concat(), &[]), &[1, 2], "padding");
        }
        let again = [&stream[..], &[0; 10], &stream].concat();
        assert_unique(&solve(again, &[]), &[1, 2, 3, 4], "two streams");
        let ran = solve([&stream[..], &[0; 10], b"x"].concat(), &[]);
        assert_eq!(ran.status, 3, "{ran:?}");
    }
}

#[test]
fn quotes_groups_and_text_after_cells() {
    let spaced: String = CLASSIC.chars().map(|cell| format!("{cell} ")).collect();
    let groups = |between: &str| {
        let rows: Vec<_> = (0..9).map(|row| &CLASSIC[9 * row..9 * row + 9]).collect();
        rows.join(between)
    };
    for line in [
        format!("\"{CLASSIC}\""),
        format!("'{CLASSIC}'"),
        format!("  \"{CLASSIC}\","),
        format!("[\"{CLASSIC}\"]"),
        format!("{spaced} SE=7.3"),
        groups(" "),
        groups("/"),
    ] {
        let input = format!("{line}\n{line}\n");
        assert_unique(&solve(&input, &[]), &[1, 2], &line);
        if line.contains("SE") {
            // Only lines may have other text.
            continue;
        }
        let field = format!("id,puzzle,n\n1,{},2\n", quoted(&line));
        assert_unique(&solve(&field, &[]), &[2], &field);
        let object = format!("{}\n", json!({"id": 1, "puzzle": line}));
        assert_unique(&solve(&object, &[]), &[1], &object);
    }
    // Quotes of a table.
    let table = format!("\"{CLASSIC}\",\"{SOLVED}\"\n");
    let ran = Folder::new().run("check", &[], table.repeat(2));
    assert_eq!((ran.status, ran.rows.matches(",ok,").count()), (0, 2), "{ran:?}");
}

#[test]
fn tables_of_r_have_quotes_and_names_of_rows() {
    let row = |number: usize| format!("\"{number}\" 7 \"{CLASSIC}\"\n");
    let named = format!("\"id\" \"puzzle\"\n{}{}", row(1), row(2));
    for (input, lines) in [
        (named.clone(), &[2, 3][..]),
        (named.replace(' ', "\t"), &[2, 3]),
        (named.replace(' ', ","), &[2, 3]),
        (format!("\"id\" \"puzzle\"\n7 \"{CLASSIC}\"\n"), &[2]),
        (format!("\"puzzle\"\n\"a b\" \"{CLASSIC}\"\n"), &[2]),
        (format!("\"1\" \"{CLASSIC}\"\n"), &[1]),
    ] {
        assert_unique(&solve(&input, &[]), lines, &input);
    }
    let ran = Folder::new().solve(&["--columns", "id,status"], &named);
    assert_eq!(ran.rows, "id,status\n7,unique\n7,unique\n", "{ran:?}");
}

#[test]
fn delimiters_and_names_of_other_programs() {
    for delimiter in ["^", "~", "\u{1}", "|"] {
        let input = format!("id{delimiter}puzzle\n1{delimiter}{CLASSIC}\n");
        assert_unique(&solve(&input, &[]), &[2], &input);
    }
    let input = format!("id\u{1}puzzle\n1\u{1}{CLASSIC}\n");
    assert_unique(&solve(&input, &["--delimiter", "\\x01"]), &[2], &input);
    // The number of solutions, and one of them; removed candidates.
    let input = format!("{CLASSIC}:1:{SOLVED}\n{CLASSIC}:2\n{CLASSIC}:113 411\n");
    assert_unique(&solve(&input, &[]), &[1, 2, 3], &input);
    let check =
        |input: &str| Folder::new().run("check", &["--columns", "line,status", "-q"], input);
    assert_eq!(check(&input).rows, "line,status\n1,ok\n2,mismatch\n3,mismatch\n");
    let (counted, _) = input.rsplit_once(&format!("{CLASSIC}:113")).unwrap();
    assert_eq!(check(counted).rows, "line,status\n1,ok\n2,mismatch\n");
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path("delta/_delta_log")).unwrap();
    folder.file("delta/a.txt", CLASSIC);
    folder.assert_refused(&[("solve delta", "a Delta table")]);
    let object = json!({"messages": [{"content": CLASSIC}]}).to_string();
    let ran = solve(object, &["--column", "messages[0].content"]);
    assert!(ran.messages.contains("jq -c '{puzzle: .messages[0].content}'"), "{ran:?}");
}

#[test]
fn numbers_that_lost_digits_are_refused() {
    let digits = SOLVED.replace('1', "0");
    let float: f64 = digits.parse().unwrap();
    let expanded = format!("{float:.0}");
    for (command, input) in [
        ("solve", format!("puzzle\n{expanded}\n")),
        ("solve", format!("{expanded}\n")),
        ("check", format!("id,puzzle,solution\n1,{CLASSIC},{expanded}\n")),
        ("solve", format!("{}\n", json!({"puzzle": expanded}))),
        ("check", format!("{}\n", json!({"puzzle": CLASSIC, "solution": expanded}))),
    ] {
        let ran = Folder::new().run(command, &["-q"], &input);
        let what = "81 cells that were stored as floating-point numbers";
        assert!(ran.status == 2 && ran.messages.contains(what), "{input}: {ran:?}");
    }
    let ran = solve(format!("{{\"puzzle\":{float:e}}}\n"), &[]);
    assert!(ran.messages.contains("a number in scientific notation"), "{ran:?}");
    // An integer of 81 digits is exact.
    assert_unique(&solve(format!("puzzle\n{}\n", zeros(CLASSIC)), &[]), &[2], "digits");
}

#[test]
fn control_characters_are_escaped_in_rows_and_messages() {
    let ran = Folder::new().solve(&["--columns", "puzzle"], "5\u{1b}[31m\u{5}\u{7f}\n");
    assert_eq!(ran.rows, "puzzle\n5\\u{1b}[31m\\u{5}\\u{7f}\n", "{ran:?}");
    for args in [["--simd", "a\u{1b}[31m\nb"], ["--a\u{1b}\nb", "x"]] {
        let ran = Folder::new().solve(&args, "");
        assert!(ran.status == 2 && !ran.messages.contains('\u{1b}'), "{ran:?}");
        assert!(ran.messages.contains("\\u{1b}") && ran.messages.contains("\\nb"), "{ran:?}");
    }
}

#[test]
fn a_header_may_be_a_comment() {
    let input = format!("#id,puzzle,rating\na,{CLASSIC},1.5\nb,{CLASSIC},2\n");
    let ran = Folder::new().solve(&["--columns", "line,id,rating,status"], &input);
    assert_eq!(ran.rows, "line,id,rating,status\n2,a,1.5,unique\n3,b,2,unique\n", "{ran:?}");
    let ran = solve(format!("# puzzle, then more\n{CLASSIC}\n"), &[]);
    assert_unique(&ran, &[2], "a comment");
}

#[test]
fn answers_of_language_models_are_searched_for_a_grid() {
    let rows: Vec<_> =
        SOLVED.as_bytes().chunks(9).map(|row| str::from_utf8(row).unwrap()).collect();
    let answers = [
        (format!("The solution is \\boxed{{{SOLVED}}}."), "ok"),
        (format!("Sure!\n```\n{}\n```\nIt is unique.\nReally.", rows.join("\n")), "ok"),
        (format!("<answer>{}</answer>", SOLVED.replacen('5', "6", 1)), "mismatch"),
        ("I'm sorry, I cannot solve this.".to_owned(), "mismatch"),
    ];
    let objects: String = answers
        .iter()
        .map(|(text, _)| format!("{}\n", json!({"puzzle": CLASSIC, "response": text})))
        .collect();
    let args = ["--answers", "text", "--columns", "line,status,reason"];
    let ran = Folder::new().run("check", &args, &objects);
    let expected: Vec<_> = answers.iter().map(|(_, status)| *status).collect();
    let found: Vec<_> =
        ran.records().iter().map(|row| row.split(',').nth(1).unwrap().to_owned()).collect();
    assert_eq!(found, expected, "{ran:?}");
    assert!(ran.rows.contains("text instead of 81 cells"), "{ran:?}");
    let ran = Folder::new().run("check", &args[2..], &objects);
    assert_eq!(ran.rows.matches("mismatch").count(), 4, "{ran:?}");
}

#[test]
fn wrong_answers_have_the_column_of_their_cell() {
    let wrong = SOLVED.replacen("534678", "534618", 1);
    let spaced: Vec<_> = wrong.chars().map(String::from).collect();
    let input = format!("puzzle,solution\n{CLASSIC},\"{}\"\n", spaced.join(", "));
    let ran = Folder::new().run("check", &[], &input);
    // The fifth cell is 13 characters after the quote at column 83.
    assert!(ran.messages.contains("<stdin>:2:96: mismatch"), "{ran:?}");
}
