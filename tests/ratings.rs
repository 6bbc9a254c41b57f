//! Tests the columns of human techniques and `bulkdoku trace`.

use std::collections::HashMap;

use bulkdoku::logic::Technique;
use serde_json::Value;

use crate::common::command::{CLASSIC, Folder, SOLVED};
use crate::common::contents::table;

const PATH: &str = "technique,score,steps,techniques";

/// Returns the first puzzles of the bundled sets, mixed.
fn puzzles() -> Vec<String> {
    let sets = [include_str!("../datasets/easy.txt"), include_str!("../datasets/minimal.txt")];
    let first = |text: &'static str| text.lines().filter(|line| line.len() == 81).take(12);
    sets.into_iter().flat_map(first).map(String::from).collect()
}

/// Puzzles with several solutions, none, contradictory clues, and a malformed line.
fn others() -> String {
    let several = ".".repeat(81);
    let unsolvable =
        "..9.287..8.6..4..5..3.....46.........2.71345.........23.....5..9..4..8.7..125.3..";
    format!("{several}\n{unsolvable}\n55{}\nbad\n", ".".repeat(79))
}

#[test]
fn only_puzzles_with_one_solution_have_values() {
    let folder = Folder::new();
    folder.file("in", format!("{CLASSIC}\n{}{SOLVED}\n", others()));
    let columns = format!("status,{PATH},se121,se121_ep,se121_ed");
    let line = format!("solve in -q --columns {columns}");
    let ran = folder.line(&line);
    assert_eq!(ran.status, 1, "{ran:?}");
    for row in table(&ran.rows) {
        let is_unique = row["status"] == "unique";
        assert_eq!(!row["score"].is_empty(), is_unique, "{row:?}");
        assert_eq!(!row["se121"].is_empty(), is_unique, "{row:?}");
    }
    let rows = folder.line(&format!("{line} --format jsonl")).objects();
    assert_eq!(rows[0]["technique"], "hidden-single-box");
    assert_eq!(rows[0]["se121"], 1.2);
    assert!(rows[1]["technique"].is_null() && rows[1]["steps"].is_null(), "{}", rows[1]);
    let ran = folder.line(&format!("solve in -q --first --columns {columns}"));
    assert!(table(&ran.rows).iter().all(|row| row["technique"].is_empty()), "{}", ran.rows);
}

#[test]
fn counts_and_scores_add_up() {
    let folder = Folder::new();
    folder.file("in", puzzles().join("\n"));
    for row in table(&folder.line(&format!("solve in -q --columns {PATH}")).rows) {
        let (mut steps, mut score, mut hardest) = (0, 0, None);
        for part in row["techniques"].split(' ') {
            let (name, count) = part.split_once(':').unwrap();
            let (technique, count) =
                (name.parse::<Technique>().unwrap(), count.parse::<u32>().unwrap());
            steps += count;
            score += count * u32::from(technique.definition().score);
            hardest = hardest.max(Some(technique));
        }
        assert_eq!(row["steps"], steps.to_string());
        assert_eq!(row["score"], score.to_string());
        assert_eq!(row["technique"], hardest.unwrap().name());
    }
}

#[test]
fn conditions_end_ratings_without_changing_rows() {
    let folder = Folder::new();
    let hard = include_str!("../datasets/hard.txt").lines().filter(|line| line.len() == 81);
    let hard = hard.step_by(200).map(String::from);
    folder.file("in", [puzzles(), hard.collect()].concat().join("\n"));
    let columns = "line,clues,technique,se121,se121_ep,se121_ed";
    let all = table(&folder.line(&format!("solve in -q --columns {columns}")).rows);
    type Row = HashMap<String, String>;
    type Test<'a> = &'a dyn Fn(&Row) -> bool;
    let number = |row: &Row, name: &str| row[name].parse::<f64>().unwrap();
    let [er, ep, ed] = ["se121", "se121_ep", "se121_ed"];
    let is_easy =
        |row: &Row| row["technique"].parse::<Technique>().unwrap() <= Technique::NakedPair;
    let conditions: [(&str, Test<'_>); 11] = [
        ("se121 >= 6.6", &|row| number(row, er) >= 6.6),
        ("se121 > 6.6 or clues > 24", &|row| number(row, er) > 6.6 || number(row, "clues") > 24.0),
        ("se121 < 7", &|row| number(row, er) < 7.0),
        ("not (se121 != 1.2)", &|row| row[er] == "1.2"),
        ("se121 in (1.2, 7.1)", &|row| [1.2, 7.1].contains(&number(row, er))),
        ("se121_ed >= 2 and se121 > 3", &|row| number(row, ed) >= 2.0 && number(row, er) > 3.0),
        ("se121_ep <= 2", &|row| number(row, ep) <= 2.0),
        ("se121_ed == se121", &|row| row[ed] == row[er]),
        ("se121_ep == se121 and se121 > 2", &|row| row[ep] == row[er] && number(row, er) > 2.0),
        ("technique <= 'naked-pair'", &is_easy),
        ("technique <= 'naked-pair' or se121 >= 7", &|row| is_easy(row) || number(row, er) >= 7.0),
    ];
    for (condition, holds) in conditions {
        let rows = all.iter().filter(|row| holds(row));
        let expected: Vec<_> = rows.map(|row| row["line"].clone()).collect();
        assert!(!expected.is_empty() && expected.len() < all.len(), "{condition}");
        // What is shown and counted is complete.
        for shown in ["line", columns] {
            let line = format!("solve in -q --columns {shown} --where \"{condition}\"");
            let rows = table(&folder.line(&line).rows);
            assert!(rows.iter().map(|row| &row["line"]).eq(&expected), "{condition}");
            assert!(shown == "line" || rows.iter().all(|row| all.contains(row)), "{condition}");
        }
    }
}

#[test]
fn summaries_count_techniques() {
    let folder = Folder::new();
    folder.file("in", puzzles().join("\n"));
    let line = "solve in -q -o out.csv --columns technique,se121";
    folder.line(&format!("{line} --summary-json s.json --report p.html"));
    let summary = folder.json("s.json");
    for counts in ["techniques", "se121"] {
        let counts = summary[counts].as_object().unwrap();
        let sum: u64 = counts.values().map(|count| count.as_u64().unwrap()).sum();
        assert_eq!(sum, puzzles().len() as u64, "{counts:?}");
    }
    let page = folder.read("p.html");
    assert!(page.find("hardest technique") < page.find("wall time"), "difficulty comes first");
}

/// Applies the steps of a trace to the puzzle, and returns the final cells.
fn replay(trace: &Value) -> String {
    let mut cells = trace["puzzle"].as_str().unwrap().as_bytes().to_vec();
    let solution = trace["solution"].as_str().unwrap().as_bytes();
    let cell = |name: &Value| {
        let name = name.as_str().unwrap().as_bytes();
        usize::from(name[1] - b'1') * 9 + usize::from(name[3] - b'1')
    };
    for step in trace["steps"].as_array().unwrap() {
        assert!(step["technique"].as_str().unwrap().parse::<Technique>().is_ok());
        assert!(step["evidence"].is_object(), "{step}");
        if let Some([at, digit]) = step["placed"].as_array().map(Vec::as_slice) {
            assert_eq!(cells[cell(at)], b'.', "{step}");
            cells[cell(at)] = b'0' + digit.as_u64().unwrap() as u8;
        }
        for removed in step["eliminated"].as_array().into_iter().flatten() {
            let digit = b'0' + removed[1].as_u64().unwrap() as u8;
            assert_ne!(solution[cell(&removed[0])], digit, "{step}");
        }
    }
    String::from_utf8(cells).unwrap()
}

#[test]
fn traces_lead_to_the_solution() {
    let folder = Folder::new();
    folder.file("in", puzzles().join("\n"));
    let solutions = folder.line("solve in -q --columns solution,steps").rows;
    let traces = folder.line("trace in -q --sentences").objects();
    assert_eq!(traces.len(), puzzles().len());
    for (trace, row) in traces.iter().zip(table(&solutions)) {
        assert_eq!(replay(trace), row["solution"]);
        let steps = trace["steps"].as_array().unwrap();
        assert_eq!(steps.len().to_string(), row["steps"]);
        let is_sentence = |step: &Value| step["sentence"].as_str().unwrap().contains(", so r");
        assert!(steps.iter().all(is_sentence), "{trace}");
    }
    let boards = folder.line("trace in -q --format boards -j 3").rows;
    for (boards, row) in boards.split("\n\n").zip(table(&solutions)) {
        let boards: Vec<_> = boards.lines().collect();
        assert_eq!(boards.last(), Some(&row["solution"].as_str()));
        for pair in boards.windows(2) {
            let differences = pair[0].bytes().zip(pair[1].bytes()).filter(|(a, b)| a != b);
            assert_eq!(differences.count(), 1, "{pair:?}");
        }
    }
}

#[test]
fn every_record_has_a_trace() {
    let folder = Folder::new();
    folder.file("in", format!("{CLASSIC}\n{}", others()));
    let ran = folder.line("trace in -q");
    assert_eq!(ran.status, 1, "{ran:?}");
    let all = ran.objects();
    let statuses: Vec<_> = all.iter().map(|trace| trace["status"].as_str().unwrap()).collect();
    assert_eq!(statuses, ["unique", "multiple", "unsolvable", "contradictory", "malformed"]);
    assert!(all.iter().skip(1).all(|trace| trace["steps"].is_null()), "{}", ran.rows);
    let boards = folder.line("trace in -q --format boards").rows;
    assert!(boards.ends_with("\n\n"), "{boards}");
    assert!(all.iter().all(|trace| trace.get("file").is_none()), "{}", ran.rows);
    let text = folder.line("trace in -q --format text").rows;
    let first =
        "in box 3, 5 is possible only in r3c7, so r3c7 is 5.\n53..7....\n6..195...\n.98...56.\n";
    assert!(text.starts_with(first), "{text}");
    assert!(text.ends_with(&format!("{}\n\n\n\n\n\n", &SOLVED[72..])), "{text}");
    folder.file("other", CLASSIC);
    let traces = folder.line("trace other in -q").objects();
    assert_eq!([&traces[0]["file"], &traces[1]["file"]], ["other", "in"]);
}
