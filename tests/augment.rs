//! `augment`: isomorphs, hints, and wrong solutions.

use std::collections::HashSet;
use std::mem;

use bulkdoku::{Grid, Puzzle};
use serde_json::{Value, json};

use crate::common::command::{CLASSIC, Folder, SOLVED};
use crate::common::contents;
use crate::common::forms::{self, nested, rows_of, strings};
use crate::common::{HARD, puzzle, without_one};

fn solves(solution: &Puzzle, puzzle: &Puzzle) -> bool {
    Grid::try_from(*solution.cells()).is_ok_and(|grid| grid.solves(puzzle))
}

/// Creates a table of 60 puzzles with solutions.
fn solved(folder: &Folder) -> Vec<(Puzzle, Puzzle)> {
    let line = "generate -n 60 --seed 4 --columns puzzle,solution -o in.csv";
    assert_eq!(folder.line(line).status, 0);
    pairs(&folder.read("in.csv"))
}

/// Returns the puzzle and the solution of each row.
fn pairs(table: &str) -> Vec<(Puzzle, Puzzle)> {
    let rows = table.lines().skip(1).map(|row| row.split_once(',').unwrap());
    rows.map(|(puzzle, solution)| (puzzle.parse().unwrap(), solution.parse().unwrap())).collect()
}

#[test]
fn hints_are_cells_of_the_solution() {
    let folder = Folder::new();
    let originals = solved(&folder);
    let ran = folder.line("augment in.csv --times 30 --seed 1 --hints 2..5");
    assert_eq!(ran.status, 0, "{ran:?}");
    let mut counts = [0; 7];
    for (copies, (original, _)) in pairs(&ran.rows).chunks(30).zip(&originals) {
        assert_eq!(copies.iter().collect::<HashSet<_>>().len(), 30);
        for (puzzle, solution) in copies {
            assert!(solves(solution, puzzle));
            counts[puzzle.clues() - original.clues()] += 1;
        }
    }
    assert_eq!((counts[..2].iter().sum::<i32>(), counts[6]), (0, 0));
    assert!(counts[2..6].iter().all(|count| (350..550).contains(count)), "{counts:?}");
}

#[test]
fn wrong_solutions_are_mismatches_and_are_not_copied() {
    let folder = Folder::new();
    let pairs = solved(&folder);
    let [right, other] = [pairs[0].1, pairs[1].1].map(|solution| solution.to_string());
    let incomplete = format!(".{}", &right[1..]);
    let rows = [&other, &right, &incomplete, "", "12"].map(|it| format!("{},{it}\n", pairs[0].0));
    folder.file("bad.csv", format!("puzzle,solution\n{}", rows.concat()));
    let ran = folder.line("augment bad.csv --times 2 --seed 1 --columns line");
    assert_eq!((&*ran.rows, ran.status), ("line\n3\n3\n5\n5\n", 1));
    for what in ["bad.csv:2:", "a clue is changed", "bad.csv:4:", "not complete", "bad.csv:6:"] {
        assert!(ran.messages.contains(what), "{what}: {}", ran.messages);
    }
    assert!(ran.messages.contains("mismatch                  3"), "{}", ran.messages);
}

/// Returns the puzzles with one more clue that have one solution.
fn with_one_more(puzzle: Puzzle) -> impl Iterator<Item = Puzzle> {
    let added = (0..81).flat_map(|cell| (1..=9).map(move |digit| (cell, digit)));
    added.filter_map(move |(cell, digit)| {
        let mut more = puzzle;
        let before = mem::replace(&mut more.cells_mut()[cell], digit);
        (before == 0 && more.count(2) == 1).then_some(more)
    })
}

#[test]
fn neighbors_are_all_classes_at_a_distance() {
    let folder = Folder::new();
    // Without some clues, the last one has more solutions than are listed.
    let few =
        puzzle("000000010400000000020000000000050407008000300001090000300400200050100000000806000");
    let all: Vec<Puzzle> = [puzzle(CLASSIC), solved(&folder)[0].0, few].into();
    folder.file("few", all.iter().map(|it| format!("{it}\n")).collect::<String>());
    let class = |puzzle: &Puzzle| puzzle.canonical().unwrap().form;
    let columns = "line,puzzle,solution,status,minimal,copy";
    for change in ["-1", "-2", "+1", "-1+1"] {
        let line = format!("augment few --original --neighbors={change} --columns {columns}");
        let ran = folder.line(&format!("{line} -j 1"));
        assert_eq!(folder.line(&format!("{line} -j 7")).rows, ran.rows);
        // A condition selects rows; copies keep their numbers.
        let minimal = folder.line(&format!("{line} --where minimal")).rows;
        let is_minimal = |row: &&str| !row.contains(",false,") && !row.contains(",,");
        assert!(minimal.lines().eq(ran.rows.lines().filter(is_minimal)), "{change}");
        let rows: Vec<Vec<&str>> = ran.rows.lines().map(|row| row.split(',').collect()).collect();
        for (record, original) in (1..).zip(&all) {
            let mut classes = HashSet::new();
            for row in rows.iter().filter(|row| row[0] == record.to_string()) {
                let neighbor = puzzle(row[1]);
                assert!(classes.insert(class(&neighbor)) && solves(&puzzle(row[2]), &neighbor));
                let is_unique = neighbor.count(2) == 1;
                let is_minimal = without_one(&neighbor).all(|puzzle| puzzle.count(2) == 2);
                let minimal = if is_minimal { "true" } else { "false" };
                let expected = if is_unique { ["unique", minimal] } else { ["multiple", ""] };
                assert_eq!(row[3..5], expected, "{change}: {row:?}");
            }
            let fewer = without_one(original);
            let mut near: Vec<Puzzle> = match change {
                "-1" => fewer.collect(),
                "-2" => fewer.flat_map(|it| without_one(&it).collect::<Vec<_>>()).collect(),
                "+1" => with_one_more(*original).collect(),
                _ => fewer.flat_map(with_one_more).collect(),
            };
            near.push(*original);
            assert_eq!(classes, near.iter().map(class).collect(), "{change}");
        }
    }
}

#[test]
fn neighbors_are_those_of_puzzles_with_one_solution() {
    let folder = Folder::new();
    let several = format!("{}{}", &CLASSIC[..60], ".".repeat(21));
    let objects = [(7, CLASSIC), (8, &several), (9, "1")];
    let lines = objects.map(|(id, puzzle)| format!("{}\n", json!({"id": id, "puzzle": puzzle})));
    folder.file("p.jsonl", lines.concat());
    let ran = folder.line("augment p.jsonl --neighbors=-1 --where status=='unique'");
    let unique = without_one(&puzzle(CLASSIC)).filter(|puzzle| puzzle.count(2) == 1).count();
    assert_eq!((ran.rows.matches("\"id\":7,").count(), ran.status), (unique, 1), "{ran:?}");
    assert_eq!(ran.rows.lines().count(), unique);
    let messages = ["p.jsonl:2:19: multiple: there is more than one solution", "p.jsonl:3:"];
    assert!(messages.iter().all(|it| ran.messages.contains(it)), "{}", ran.messages);
}

/// Returns all forms of the solution.
fn solutions() -> Vec<String> {
    let mut all = [forms::of_a_line(SOLVED), forms::of_lines(SOLVED)].concat();
    let cells: Vec<_> = SOLVED.chars().map(String::from).collect();
    all.extend([
        rows_of(SOLVED, "", "").join("/"),
        rows_of(SOLVED, "", "").join(" | "),
        format!("({})", cells.join(", ")),
        format!("[np.int64({})]", cells.join("), np.int64(")),
        format!("\"{SOLVED}\""),
    ]);
    all
}

/// Returns a text without its digits.
fn frame(text: &str) -> String {
    text.replace(|c: char| ('1'..='9').contains(&c), "#")
}

#[test]
fn a_solution_keeps_its_form_and_its_place() {
    let folder = Folder::new();
    let forms = solutions();
    let field = |form: &String| format!("\"{}\"", form.replace('"', "\"\""));
    let table = |separator: &str| {
        let row = |form| format!("7{separator}{}{separator}{CLASSIC}\n", field(form));
        let header = ["id", "solution", "puzzle"].join(separator);
        format!("{header}\n{}", forms.iter().map(row).collect::<String>())
    };
    let lists: Vec<Value> = [nested(SOLVED, ""), strings(SOLVED, " ")]
        .iter()
        .map(|list| serde_json::from_str(list).unwrap())
        .collect();
    let texts = forms.iter().map(|form| json!(form)).chain(lists);
    let objects: Vec<_> = texts.map(|text| json!({"puzzle": CLASSIC, "solution": text})).collect();
    let inner: Vec<_> = objects
        .iter()
        .map(|object| json!({"id": 1, "meta": {"in": object, "n": [1, {"solution": 2}]}}))
        .collect();
    let lines = |objects: &[Value]| objects.iter().map(|it| format!("{it}\n")).collect::<String>();
    folder.file("a.csv", table(","));
    folder.file("a.tsv", table("\t"));
    folder.file("a.jsonl", lines(&objects));
    folder.file("a.json", Value::from(objects.clone()).to_string());
    folder.file("b.jsonl", lines(&inner));
    folder.file("b.json", Value::from(inner.clone()).to_string());
    for (input, output, column) in [
        ("a.csv", "csv", ""),
        ("a.tsv", "tsv", ""),
        ("a.csv", "jsonl", ""),
        ("a.jsonl", "jsonl", ""),
        ("a.json", "jsonl", ""),
        ("a.jsonl", "csv", ""),
        ("b.jsonl", "jsonl", "meta.in."),
        ("b.json", "jsonl", "meta.in."),
    ] {
        let name = format!("{input}.{output}");
        let options = "--times 2 --original --seed 1";
        let line = format!("augment {input} {options} -o {name} --format {output}");
        let ran = folder.line(&line);
        assert_eq!(ran.status, 0, "{line}: {ran:?}");
        let is_table = input.ends_with("csv") || input.ends_with("tsv");
        let count = if is_table { forms.len() } else { objects.len() };
        let columns =
            format!("--columns status --column {column}puzzle --solution-column {column}solution");
        let checked = folder.line(&format!("check {name} {columns} -q"));
        assert_eq!(checked.rows.matches("ok").count(), 3 * count, "{line}: {checked:?}");
        if output != "jsonl" || !input.starts_with('a') {
            continue;
        }
        let rows = contents::objects(&folder.read(&name));
        let solution = |row: usize| rows[row]["solution"].clone();
        for record in (0..rows.len()).step_by(3) {
            let frames = [0, 1, 2].map(|copy| frame(&solution(record + copy).to_string()));
            assert!(frames[0] == frames[1] && frames[1] == frames[2], "{frames:?}");
            assert_ne!(solution(record), solution(record + 1));
        }
    }
}

#[test]
fn text_after_the_cells_of_a_line_is_a_solution_only_if_it_is_81_digits() {
    let folder = Folder::new();
    let puzzle = CLASSIC;
    folder.file(
        "in.txt",
        format!(
            "{puzzle} ED=7.2/1.5/1.5\n{puzzle} 1.2\n{puzzle} ;name;11.9\n{puzzle} # name\n\
             {puzzle},{SOLVED}\n{puzzle}:1:{SOLVED}\n{puzzle} {}\n{puzzle}:2\n",
            rows_of(SOLVED, " ", "").join(" ")
        ),
    );
    let ran = folder.line("augment in.txt --seed 1 -q");
    let rows: Vec<_> = ran.rows.lines().skip(1).map(|row| row.split_once(',').unwrap()).collect();
    assert_eq!((rows.len(), ran.status), (8, 0), "{ran:?}");
    for (at, (isomorph, solution)) in rows.iter().enumerate() {
        if let 4..=6 = at {
            assert!(solves(&solution.parse().unwrap(), &isomorph.parse().unwrap()));
        } else {
            assert_eq!(*solution, "", "{ran:?}");
        }
    }
}

#[test]
fn what_remains_of_the_original_is_named() {
    let folder = Folder::new();
    let marks = crate::common::command::marks(SOLVED);
    folder.file("m.csv", format!("puzzle,solution\n{CLASSIC},{marks}\n{CLASSIC},{SOLVED}\n"));
    let ran = folder.line("augment m.csv --seed 1 -o m.out --errors m.err --format csv");
    assert_eq!((ran.status, folder.read("m.out").lines().count()), (1, 2), "{ran:?}");
    let what = "m.csv:2:1: mismatch: the solution is in a form in which";
    assert!(folder.read("m.err").contains(what) && ran.messages.contains(what), "{ran:?}");
    folder.file(
        "p.csv",
        format!(
            "puzzle,solution,b,prompt\n{CLASSIC},{SOLVED},{SOLVED},Solve {} in the form {HARD}\n",
            CLASSIC.replace('.', "_")
        ),
    );
    let ran = folder.line("augment p.csv --seed 1");
    assert!(ran.messages.contains("cells of the original in it: b, prompt"), "{ran:?}");
    folder.file("h.txt", format!(":0300:2:+{CLASSIC}:::\n"));
    let ran = folder.line("augment h.txt --seed 1");
    assert!(ran.messages.contains("solved cells of HoDoKu's lines (+) are clues"), "{ran:?}");
}
