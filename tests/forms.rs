//! The forms of puzzles that people have, in every layout in which each can occur.

use serde_json::{Value, json};

use crate::common::command::{CLASSIC, Folder, OfInput, Ran, SOLVED, grid};
use crate::common::forms::{self, nested, rows_of, strings, zeros};

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

/// Checks that each input has the puzzle in these lines, and nothing else.
#[track_caller]
fn assert_all_unique(options: &str, cases: &[(String, Vec<usize>)]) {
    let line = format!("solve {options} --columns file,line,computed_solution,status,clues -q");
    let (each, ran) = Folder::new().run_each(&line, cases.iter().map(|(input, _)| input));
    for ((input, lines), found) in cases.iter().zip(each) {
        let rows: Vec<_> = lines.iter().map(|line| format!("{line},{SOLVED},unique,30")).collect();
        assert_eq!(found.rows, rows, "{input}\n{:?} {}", found.messages, ran.messages);
    }
    assert_eq!(ran.status, 0, "{}", ran.messages);
}

#[test]
fn every_form_is_read_in_every_layout() {
    let forms_of_a_line = forms::of_a_line(CLASSIC);
    let of_a_line = forms_of_a_line.iter().map(|form| (format!("{form}\n{CLASSIC}\n"), vec![1, 2]));
    let mut cases: Vec<_> = of_a_line.collect();
    assert_all_unique("--input-format lines", &cases);
    for form in forms::of_lines(CLASSIC) {
        let line = 1 + usize::from(form.starts_with(['+', '`']));
        cases.push((form, vec![line]));
    }
    let all = [forms_of_a_line, forms::of_lines(CLASSIC)].concat();
    for separator in [",", "\t"] {
        let row = |form: &String| format!("7{separator}{}{separator}x\n", quoted(form));
        let rows: Vec<_> = all.iter().map(row).collect();
        let mut line = 2;
        let mut lines = Vec::new();
        for row in &rows {
            lines.push(line);
            line += row.matches('\n').count();
        }
        let table = format!("id{separator}puzzle{separator}note\n{}", rows.concat());
        // Without a known name, the values decide.
        cases.push((table.replacen("puzzle", "cells", 1), lines.clone()));
        cases.push((table, lines));
    }
    let lines: Vec<_> = (1..=all.len()).collect();
    let object = |form: &String| json!({"id": 1, "puzzle": form}).to_string() + "\n";
    cases.push((all.iter().map(object).collect(), lines.clone()));
    assert_all_unique("", &cases);
    let texts = all.iter().map(|form| json!(form).to_string() + "\n").collect();
    assert_all_unique("--input-format jsonl", &[(texts, lines)]);
}

/// Returns the line and column of the contradiction that is reported first.
fn place_of_contradiction(of_input: &OfInput) -> (usize, usize) {
    let mut messages = of_input.messages.iter();
    let message = messages.find(|message| message.contains(": contradictory: "));
    let mut parts = message.unwrap_or_else(|| panic!("{of_input:?}")).split(':');
    let mut number = || parts.next().unwrap().parse().unwrap();
    (number(), number())
}

#[test]
fn a_contradictory_clue_is_found_whatever_follows_the_puzzle() {
    let bad = CLASSIC[..80].to_owned() + "7";
    let (mut inputs, mut followed) = (Vec::new(), Vec::new());
    for form in [forms::of_a_line(&bad), forms::of_lines(&bad)].concat() {
        let rest = [&form, CLASSIC, &grid(CLASSIC), "1;2\n"].concat();
        for (input, after) in [
            (format!("{form}\n"), format!("\n{rest}")),
            (format!("puzzle\tid\n{}\t1\n", quoted(&form)), rest.clone()),
            (format!("{{\"id\": 1, \"puzzle\": {}}}\n", json!(form)), format!("{rest}\n")),
        ] {
            followed.push(input.clone() + &after);
            inputs.push((input, form.clone()));
        }
    }
    let line = "solve --columns file,line -q";
    let (alone, _) = Folder::new().run_each(line, inputs.iter().map(|(input, _)| input));
    let (followed, _) = Folder::new().run_each(line, &followed);
    for (((input, form), alone), followed) in inputs.iter().zip(alone).zip(followed) {
        let (line, column) = place_of_contradiction(&alone);
        assert_eq!((line, column), place_of_contradiction(&followed), "{input}");
        // No place: the cells of strings with escapes, of HoDoKu's lines, of symbols, and of
        // grids with spaces.
        let is_escaped = input.starts_with('{') && form.contains(['\n', '\u{1A}', '\\']);
        let is_spaced = form.contains('\n') && form.contains("7   ");
        if !is_escaped && !is_spaced && !form.contains(['"', ':', '·', '□', '…', '\'']) {
            let line = input.lines().nth(line - 1).unwrap();
            let rest: String = line.chars().skip(column - 1).collect();
            assert!(rest.starts_with('7'), "{line}: {rest}");
            assert_eq!(rest.matches('7').count(), 1, "{line}: {rest}");
        }
    }
}

#[test]
fn lists_name_the_invalid_cell() {
    let list = nested(&zeros(CLASSIC), "").replacen('7', "10", 1);
    let strings = |row: &str| strings(CLASSIC, "").replacen("53..7....", row, 1);
    let first = format!("{{\"puzzle\":{CLASSIC:?}}}\n");
    let ten = "malformed: r1c5: 10 is not a cell; use 1 to 9";
    let cases = [
        (format!("{CLASSIC}\n{list}\n"), ten),
        (format!("id,puzzle\n1,{CLASSIC}\n1,\"{list}\"\n"), ten),
        (format!("{first}{{\"puzzle\":{list}}}\n"), ten),
        (format!("{first}{{\"puzzle\":{}}}\n", strings("53..7..A.")), "r1c8: \"A\" is not a cell"),
        (format!("{first}{{\"puzzle\":{}}}\n", strings("53..7...")), "80 cells, 81 expected"),
        (format!("{first}{{\"puzzle\":[1, 2, 3]}}\n"), "3 cells, 81 expected"),
    ];
    let inputs = cases.iter().map(|(input, _)| input);
    let (each, _) = Folder::new().run_each("solve --columns file,status", inputs);
    for ((input, message), found) in cases.iter().zip(each) {
        assert_eq!(found.rows, ["unique", "malformed"], "{input}");
        assert!(found.messages[0].contains(message), "{input}: {found:?}");
    }
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
    let cases = [
        (format!("{grid}{rating}"), vec![1]),
        (format!("{rating}{grid}"), vec![2]),
        (format!("17\n{grid}"), vec![2]),
        (format!("{grid}{rating}{grid}{rating}"), vec![1, 11]),
        (format!("{grid}{rating}\n{grid}{rating}"), vec![1, 12]),
        (format!("{rating}{grid}\n{rating}{grid}"), vec![2, 13]),
    ];
    assert_all_unique("", &cases);
    assert_all_unique("--input-format grid", &cases);
    // A damaged row is not such a line.
    let damaged = grid.replacen("6..195...", "6..195..", 1);
    let line = "solve --columns status --input-format grid";
    let ran = Folder::new().with_input(line, format!("{damaged}{grid}"));
    assert_eq!(ran.records(), ["malformed", "unique"], "{ran:?}");
}

#[test]
fn candidates_may_be_in_any_order() {
    let drawn = |first: &str| {
        let rest = "1679 12679 139 2369 269 8 1239 5".replacen("1679", first, 1);
        let row = "26789 3 1256789 14589 24569 245689 12679 1249 124679";
        format!("4 {rest}\n{}", format!("{row}\n").repeat(8))
    };
    let line = "solve --columns status --input-format grid";
    let status = |first: &str| Folder::new().with_input(line, drawn(first)).rows;
    assert_eq!(status("9617"), status("1679"));
    assert_eq!(status("9619"), "status\nmalformed\n", "a repeated candidate");
}

#[test]
fn solved_cells_of_hodoku_are_not_clues() {
    let placed = CLASSIC.replacen('.', "+4", 1);
    for line in [format!(":0300:2:{placed}:::"), format!("puzzle\n\":0300:2:{placed}:::\"")] {
        let rows = |input| Folder::new().solve(&["--columns", "clues,minimal,status"], input).rows;
        assert_eq!(rows(&*line), rows(CLASSIC), "{line}");
    }
}

#[test]
fn numbers_that_are_not_json_are_accepted() {
    for value in ["NaN", "nan", "Infinity", "-Infinity", "[1, NaN]"] {
        let line = format!("{{\"a\": {value}, \"puzzle\": {CLASSIC:?}, \"b\": \"NaN\"}}\n");
        let input = line.repeat(2);
        assert_unique(&solve(&input, &[]), &[1, 2], &input);
        let ran = Folder::new().solve(&["--columns", "b,a", "--format", "jsonl"], &input);
        let expected = if value.starts_with('[') { "[1, null]" } else { "null" };
        assert!(ran.rows.starts_with(&format!("{{\"b\":\"NaN\",\"a\":{expected}}}")), "{ran:?}");
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
    ran.expect(2, "no column contains puzzles");
    // In a column of puzzles, there may be a line of text before and after the rows, and a comment.
    let commented = grid(CLASSIC).replacen('\n', " an optional comment\n", 1);
    let mut cases = Vec::new();
    for text in [&*prompt, &commented, &format!("{}https://example.com/a/b\n", grid(CLASSIC))] {
        cases.push((format!("id,puzzle\n1,{}\n", quoted(text)), vec![2]));
        cases.push((json!({"id": 1, "puzzle": text}).to_string(), vec![1]));
        let inner = json!({"id": 1, "meta": {"puzzle": text}});
        cases.push((json!([inner, inner]).to_string(), vec![1, 2]));
    }
    // Strings with escapes are JSON.
    let texts = forms::of_lines(CLASSIC).into_iter().map(|form| json!(form).to_string());
    let texts = texts.filter(|line| line.contains('\\'));
    cases.extend(texts.map(|line| (format!("{line}\n{line}\n"), vec![1, 2])));
    assert_all_unique("", &cases);
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
fn inputs_as_other_programs_write_them() {
    let object = json!({"id": 1, "puzzle": CLASSIC}).to_string();
    let lines = format!("{CLASSIC}\r\n\u{c}\r\n{CLASSIC}\r\n\u{1a}");
    let table = format!("id,puzzle\r\n1,{CLASSIC}\r\n\u{c}\r\n2,{CLASSIC}\r\n\u{1a}");
    let grids = format!("{0}\u{c}\n{0}\u{1a}", grid(CLASSIC)).replace('\n', "\r\n");
    let row = |number: usize| format!("\"{number}\" 7 \"{CLASSIC}\"\n");
    let of_r = format!("\"id\" \"puzzle\"\n{}{}", row(1), row(2));
    let mut cases = vec![
        (format!("x,y\n{CLASSIC},{SOLVED}\n"), vec![2]),
        (format!("X;Y\n{CLASSIC};{SOLVED}\n"), vec![2]),
        // Of several known names, the one whose value is a puzzle.
        (format!("question,board\neasy,{CLASSIC}\nhard,{CLASSIC}\n"), vec![2, 3]),
        (json!({"question": "easy", "board": CLASSIC}).to_string(), vec![1]),
        // One word is not a puzzle either, but the key is chosen if no other may be.
        (json!({"question": "Solve", "metadata": {"puzzle": CLASSIC}}).to_string(), vec![1]),
        (format!("question,text\nSolve,{CLASSIC}\n"), vec![2]),
        // Names of pandas.
        (format!("0,1\n{CLASSIC},{SOLVED}\n"), vec![2]),
        (format!(",0\n0,{CLASSIC}\n1,{CLASSIC}\n"), vec![2, 3]),
        (format!("0\n{CLASSIC}\n"), vec![2]),
        // Tables of R have quotes and names of rows.
        (of_r.clone(), vec![2, 3]),
        (of_r.replace(' ', "\t"), vec![2, 3]),
        (of_r.replace(' ', ","), vec![2, 3]),
        (format!("\"id\" \"puzzle\"\n7 \"{CLASSIC}\"\n"), vec![2]),
        (format!("\"puzzle\"\n\"a \\\"b\\\" c\" \"{CLASSIC}\"\n"), vec![2]),
        (format!("\"1\" \"{CLASSIC}\"\n"), vec![1]),
        // Excel declares a delimiter.
        (format!("sep=,\n{CLASSIC}\n"), vec![2]),
        (format!("sep=~\nid~a~x,y~puzzle\n1~b~2,3~{CLASSIC}\n"), vec![3]),
        // The number of solutions, and one of them; removed candidates.
        (format!("{CLASSIC}:1:{SOLVED}\n{CLASSIC}:2\n{CLASSIC}:113 411\n"), vec![1, 2, 3]),
        // Control characters are blank lines.
        (lines, vec![1, 3]),
        (table.replace(',', "\t"), vec![2, 4]),
        (table.replace(',', ";"), vec![2, 4]),
        (table, vec![2, 4]),
        (format!("{object}\r\n\u{c}\r\n{object}\r\n\u{1a}\r\n"), vec![1, 3]),
        (format!("{object}\n\n{object}\u{1a}"), vec![1, 3]),
        (format!("[{object},\n\n{object}]\r\n\u{1a}"), vec![1, 2]),
        (grids, vec![1, 11]),
        // An integer of 81 digits is exact.
        (format!("puzzle\n{}\n", zeros(CLASSIC)), vec![2]),
        (format!("# puzzle, then more\n{CLASSIC}\n"), vec![2]),
        (format!("#id,puzzle\n\n# comment\n1,{CLASSIC}\n"), vec![4]),
        // Names of rows without quotes.
        (of_r.replace('"', ""), vec![2, 3]),
        (of_r.replace('"', "").replace(' ', ","), vec![2, 3]),
        // Text after other forms, and quotes of other programs.
        (
            format!("'{CLASSIC}',easy\n=\"{CLASSIC}\"\n“{CLASSIC}”\n('{CLASSIC}');\n"),
            vec![1, 2, 3, 4],
        ),
        (format!("{} easy\n", forms::rows_of(CLASSIC, "", ".").join(" ")), vec![1]),
        (format!("{}, 1.2\n", nested(CLASSIC, "0")), vec![1]),
        (json!({"puzzle": format!("Solve:\n```\n{CLASSIC}\n```")}).to_string(), vec![1]),
    ];
    for declaration in ["sep=;", "\"sep=;\"", "sep=;\r", "SEP=;"] {
        cases.push((format!("{declaration}\nid;puzzle\n1;{CLASSIC}\n"), vec![3]));
    }
    for delimiter in ["^", "~", "\u{1}", "|"] {
        cases.push((format!("id{delimiter}puzzle\n1{delimiter}{CLASSIC}\n"), vec![2]));
    }
    for blank in ["NaN", "nan"] {
        cases.push((format!("{{\"puzzle\": {}}}\n", nested(CLASSIC, blank)), vec![1]));
    }
    assert_all_unique("", &cases);
    let commented = format!("#id,puzzle\n7,{CLASSIC}\n7,{CLASSIC}\n");
    let blanks = commented.replace('#', "# ").replace(',', " ");
    let ran = Folder::new().solve(&["--columns", "#"], commented.replace("id", ""));
    assert_eq!(ran.rows, "#\n7\n7\n", "{ran:?}");
    for input in [of_r.replace('"', ""), of_r, blanks, commented] {
        let ran = Folder::new().solve(&["--columns", "id,status"], &input);
        assert_eq!(ran.rows, "id,status\n7,unique\n7,unique\n", "{ran:?}");
    }
    let two = format!("quiz,board\n{CLASSIC},{CLASSIC}\n");
    assert!(solve(&two, &[]).messages.contains("several columns may contain the puzzles"));
    let ran = solve(format!("5\n{CLASSIC}\n"), &[]);
    assert_eq!(ran.rows.matches("malformed").count(), 1, "digits are not a name: {ran:?}");
}

#[test]
fn copied_puzzles_keep_their_blanks_and_their_type() {
    let z = zeros(CLASSIC);
    let cells = |blank: &str| rows_of(CLASSIC, ",", blank);
    let quoted = rows_of(CLASSIC, "\",\"", ".").join("\",\"");
    for (array, blank) in [
        (format!("[{}]", cells("0").join(",")), "0"),
        (format!("[[{}]]", cells("null").join("],[")), "null"),
        (format!("[{}]", cells("-1").join(",")), "-1"),
        (format!("[\"{quoted}\"]"), "\".\""),
        (strings(&z, ""), "0"),
        (format!("\"{z}\""), "0"),
    ] {
        let input = format!("{{\"puzzle\":{array}}}");
        let line = "augment --times 2 --original --seed 1 -q --columns puzzle --format jsonl";
        let ran = Folder::new().with_input(line, &input);
        let found: Vec<_> = ran.rows.lines().collect();
        assert_eq!((found.len(), found[0]), (3, &*input), "{ran:?}");
        for isomorph in &found[1..] {
            for part in ["[", "\",\"", blank] {
                let [before, after] = [&*input, isomorph].map(|row| row.matches(part).count());
                assert_eq!(before, after, "{isomorph}");
            }
            assert!(serde_json::from_str::<Value>(isomorph).is_ok());
        }
    }
}

#[test]
fn long_rows_are_read_one_at_a_time() {
    let trace = "z".repeat(300_000);
    let folder = Folder::new();
    let row = |id| format!("{id},{trace},{CLASSIC}\n7,short,{CLASSIC}\n");
    folder.file("t.csv", format!("id,trace,puzzle\n{}", (0..6).map(row).collect::<String>()));
    let object = |id: i32| json!({"id": id, "trace": trace, "puzzle": CLASSIC});
    folder.file("t.jsonl", (0..6).map(|id| format!("{}\n", object(id))).collect::<String>());
    folder.file("t.txt", format!("{CLASSIC},{trace}\n").repeat(6));
    folder.file("t.json", (0..6).map(object).collect::<Value>().to_string());
    // Objects are copied even if detection sees only a part of the first one.
    let first = format!("{{\"trace\":\"{trace}\",\"puzzle\":\"{CLASSIC}\",\"id\":1}}\n");
    let ran = folder.run("canon", &["--dedup", "-q"], &first);
    assert!(ran.status == 0 && ran.rows == first, "{}", ran.messages);
    for (name, rows) in [("t.csv", 12), ("t.jsonl", 6), ("t.txt", 6), ("t.json", 6)] {
        let ran = folder.line(&format!("solve --columns status -j 4 {name}"));
        assert_eq!(ran.rows.matches("unique").count(), rows, "{name} {}", ran.messages);
    }
    let ran = folder.line("solve --columns trace,id -j 3 t.csv");
    assert_eq!(ran.rows.matches(&trace).count(), 6, "{}", ran.messages);
    let ran = folder.line("solve --columns line,status --max-line 200k t.csv");
    assert_eq!(ran.rows.matches("malformed").count(), 6, "{}", ran.messages);
}

#[cfg(feature = "full")]
#[test]
fn parquet_has_rows_of_cells() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/packed/rows.parquet");
    let ran = Folder::new().line(&format!("solve --columns id,solution,status,clues {file}"));
    let unique = format!("{SOLVED},unique,30");
    let rest = |id| if id < 3 { &unique } else { ",malformed," };
    let expected: Vec<_> = (0..7).map(|id| format!("{id},{}", rest(id))).collect();
    assert_eq!(ran.records(), expected, "{ran:?}");
    assert!(ran.messages.contains("r1c5: 10 is not a cell"), "{ran:?}");
    assert!(ran.messages.contains("72 cells, 81 expected"), "{ran:?}");
    // Other lists are copied.
    let columns = "--columns id,board,flat --format jsonl --column board";
    let boards = Folder::new().line(&format!("solve {file} {columns}")).objects();
    assert_eq!(boards[3]["flat"], json!([3]), "{boards:?}");
}

#[test]
fn delimiters_and_names_of_other_programs() {
    let input = format!("id\u{1}puzzle\n1\u{1}{CLASSIC}\n");
    assert_unique(&solve(&input, &["--delimiter", "\\x01"]), &[2], &input);
    let input = format!("{CLASSIC}:1:{SOLVED}\n{CLASSIC}:2\n{CLASSIC}:113 411\n");
    let check =
        |input: &str| Folder::new().run("check", &["--columns", "line,status", "-q"], input);
    assert_eq!(check(&input).rows, "line,status\n1,ok\n2,mismatch\n3,mismatch\n");
    let (counted, _) = input.rsplit_once(&format!("{CLASSIC}:113")).unwrap();
    assert_eq!(check(counted).rows, "line,status\n1,ok\n2,mismatch\n");
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path("delta/_delta_log")).unwrap();
    folder.file("delta/a.txt", CLASSIC);
    folder.assert_refused(&[("solve delta", "a Delta table")]);
    let object = json!({"messages": [{"role": "user", "content": CLASSIC}]}).to_string();
    for arguments in [&["--column", "messages[0].content"][..], &[]] {
        solve(&object, arguments).expect(2, "jq -c '{puzzle: .messages[0].content}'");
    }
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
        ran.expect(2, what);
    }
    let ran = solve(format!("{{\"puzzle\":{float:e}}}\n"), &[]);
    assert!(ran.messages.contains("a number in scientific notation"), "{ran:?}");
}
