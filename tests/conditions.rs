//! `--where`, compared with filtering all rows.

use std::collections::HashMap;

use bulkdoku::generate::{Generator, Kind};
use bulkdoku::output::Column;

use crate::common::command::{CLASSIC, Folder};
use crate::common::contents::{gz, table};

type Row = HashMap<String, String>;

/// A condition and the equivalent predicate.
type Meaning = (&'static str, fn(&Row) -> bool);

/// Returns a table with puzzles of all types, an invalid record, and columns with unusual values.
fn records() -> Vec<[String; 4]> {
    let mut generator = Generator::new();
    let sources = ["forum", "a, \"b\"\nc", "", "Zoë", "7"];
    let kinds = [Kind::Minimal, Kind::Several, Kind::Unsolvable];
    let puzzles = (0..60).map(|index| match index {
        7 => "bad".to_owned(),
        8 => CLASSIC.into(),
        _ => generator
            .puzzle(kinds[index as usize % 3 * usize::from(index % 2 == 0)], 1, index)
            .to_string(),
    });
    let record = |(index, puzzle): (usize, String)| {
        let score = match index % 7 {
            0 => String::new(),
            1 => "n/a".into(),
            _ => format!("{}.5", (index * 37) % 100),
        };
        [index.to_string(), puzzle, sources[index % 5].into(), score]
    };
    puzzles.enumerate().map(record).collect()
}

fn csv_text(records: &[[String; 4]]) -> Vec<u8> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(["key", "puzzle", "source", "status"]).unwrap();
    records.iter().for_each(|record| writer.write_record(record).unwrap());
    writer.into_inner().unwrap()
}

fn json_text(records: &[[String; 4]]) -> String {
    let line = |[key, puzzle, source, score]: &[String; 4]| {
        let number =
            score.parse::<f64>().map_or_else(|_| format!("{score:?}"), |number| number.to_string());
        format!(
            "{{\"key\":{key},\"puzzle\":{puzzle:?},\"source\":{source:?},\"status\":{number}}}\n"
        )
    };
    records.iter().map(line).collect()
}

fn number(text: &str) -> Option<f64> {
    text.parse().ok()
}

const COLUMNS: &str =
    "line,puzzle,computed_status,clues,difficulty,techniques,guess_rating,solutions,minimal";
const OWN: &str = "key,source,input_status";

/// Returns conditions and their meaning, over computed columns and those of the input.
fn conditions() -> Vec<Meaning> {
    fn at_least(row: &Row, column: &str, least: f64) -> bool {
        number(&row[column]).is_some_and(|number| number >= least)
    }
    vec![
        ("clues < 24 and source == \"forum\"", |row| {
            number(&row["clues"]).is_some_and(|clues| clues < 24.0) && row["source"] == "forum"
        }),
        ("difficulty >= 'medium' or solutions >= 2", |row| {
            !["", "easy"].contains(&&*row["difficulty"]) || at_least(row, "solutions", 2.0)
        }),
        ("not (difficulty >= 'medium')", |row| ["", "easy"].contains(&&*row["difficulty"])),
        ("techniques has 'pointing'", |row| row["techniques"].contains("pointing:")),
        ("computed_status == 'unique' and not minimal", |row| {
            row["status"] == "unique" && row["minimal"] != "true"
        }),
        ("input_status > 41.5", |row| {
            number(&row["input_status"]).is_some_and(|score| score > 41.5)
        }),
        ("SOURCE not in (7, -2.5e3) and (key < 9 and true)", |row| {
            row["source"] != "7" && at_least(row, "key", 0.0) && !at_least(row, "key", 9.0)
        }),
        // An empty field is missing.
        ("source in ('', \"Zoë\") and computed_status not in ('unsolvable')", |row| {
            row["source"] == "Zoë" && row["status"] != "unsolvable"
        }),
        ("not (source != '')", |row| row["source"].is_empty()),
        ("key in (3, 5, 8) or source == 7", |row| {
            ["3", "5", "8"].contains(&&*row["key"]) || row["source"] == "7"
        }),
        ("key > 50 and input_status != 'n/a' or computed_status == 'malformed'", |row| {
            number(&row["key"]).is_some_and(|id| id > 50.0)
                && row["input_status"] != "n/a"
                && !row["input_status"].is_empty()
                || row["status"] == "malformed"
        }),
        ("guess_rating >= 1 AND `source` <= \"forum\"", |row| {
            at_least(row, "guess_rating", 1.0)
                && !row["source"].is_empty()
                && &*row["source"] <= "forum"
        }),
    ]
}

#[test]
fn conditions_choose_the_same_records_in_every_format() {
    let folder = Folder::new();
    let records = records();
    folder.file("in.csv", csv_text(&records));
    folder.file("in.csv.gz", gz(csv_text(&records)));
    folder.file("in.jsonl", json_text(&records));
    let inputs = [
        "in.csv",
        "in.jsonl",
        #[cfg(feature = "parquet")]
        "in.parquet",
    ];
    #[cfg(feature = "parquet")]
    folder.line("solve in.csv -q --columns * -o in.parquet");
    for input in inputs {
        let all = folder.line(&format!("solve {input} -q --columns {COLUMNS},{OWN}"));
        let all = table(&all.rows);
        assert_eq!(all.len(), records.len());
        for (condition, holds) in conditions() {
            let expected: Vec<_> =
                all.iter().filter(|row| holds(row)).map(|row| &row["line"]).collect();
            assert!(!expected.is_empty() && expected.len() < all.len(), "{condition}");
            let args = [input, "-q", "-j", "7", "--columns", "line", "--where", condition];
            let ran = folder.solve(&args, "");
            assert_eq!(ran.records(), expected, "{input}: {condition}: {ran:?}");
            // All records are counted.
            assert_eq!(ran.status, 1);
        }
    }
    // Kept columns are the same with and without a condition that reads other columns.
    let some = folder.line("solve in.csv.gz -q --columns line,key --where source=='Zoë'");
    let ids: Vec<_> = some.rows.lines().collect();
    assert_eq!(ids[..3], ["line,key", ids[1], ids[2]]);
    assert!(ids[1].ends_with(",3") && ids[2].ends_with(",8") && ids.len() == 13, "{ids:?}");
}

#[test]
fn conditions_come_before_other_filters() {
    let folder = Folder::new();
    // The second puzzle is the first one with other digits.
    let other = CLASSIC.replace('1', "x").replace('2', "1").replace('x', "2");
    folder.file("in", format!("puzzle,of\n{CLASSIC},a\n{other},b\n"));
    folder.file("lines", format!("{CLASSIC} easy\n{other} hard\n"));
    folder.file("pairs", format!("puzzle,solution,of\n{CLASSIC},{CLASSIC},a\n{CLASSIC},,b\n"));
    for (command, condition, rows, status) in [
        ("canon in --dedup", "line > 0", "line\n2\n", 0),
        ("canon in --dedup", "of == 'b'", "line\n3\n", 0),
        ("canon in --dedup", "clues > 80", "line\n", 0),
        ("solve lines", "rest == 'hard'", "line\n2\n", 0),
        ("check pairs", "not (answer != '') and of == 'b'", "line\n3\n", 1),
    ] {
        let ran = folder.line(&format!("{command} -q --columns line --where \"{condition}\""));
        assert_eq!((&*ran.rows, ran.status), (rows, status), "{command} {condition}");
    }
}

/// A name that the input shares with a computed column of any command is refused where it is written,
/// in all formats; with a prefix, it refers to either column.
#[test]
fn shared_names_are_refused() {
    let folder = Folder::new();
    // No command that reads inputs computes the last two.
    let others = [Column::Puzzle, Column::Id, Column::Seed];
    let shared = Column::ALL.into_iter().filter(|column| !others.contains(column));
    let mut inputs = Vec::new();
    for name in shared.map(Column::name) {
        let keys = [name.to_owned(), name.to_uppercase()];
        let key = &keys[inputs.len() % 2];
        let json = format!("{{\"puzzle\":\"{CLASSIC}\",\"{key}\":7}}");
        let (input, text) = match inputs.len() % 4 {
            0 => ("csv", format!("puzzle,{key}\n{CLASSIC},7\n")),
            1 => ("tsv", format!("puzzle\t{key}\n{CLASSIC}\t7\n")),
            2 => ("jsonl", json),
            _ => ("json", format!("[{json}]")),
        };
        let input = format!("{name}.{input}");
        folder.file(&input, text);
        inputs.push((name, input));
    }
    #[cfg(feature = "parquet")]
    for (name, input) in inputs.clone().into_iter().take(4) {
        let line = format!("canon {input} -q --columns * -o {name}.parquet");
        assert_eq!(folder.line(&line).status, 0);
        inputs.push((name, format!("{name}.parquet")));
    }
    let uses =
        ["solve {i} --columns line,{n}", "split {i} --seed 1 --shares 90,10 -o a,b --where {n}==7"];
    for ((name, input), use_of_name) in inputs.iter().zip(uses.iter().cycle()) {
        let line = use_of_name.replace("{i}", input).replace("{n}", name);
        let ran = folder.line(&line);
        assert_eq!(ran.status, 2, "{line}: {ran:?}");
        assert!(ran.messages.contains(&format!("input_{name}")), "{line}: {ran:?}");
        // The other name is offered where it exists.
        let is_computed = line.starts_with("solve")
            && Column::OF_SOLVE.iter().any(|column| column.name() == *name);
        let is_offered = ran.messages.contains(&format!("computed_{name}"));
        assert_eq!(is_offered, is_computed, "{line}: {ran:?}");
    }
    folder.file("in.csv", format!("puzzle,solution\n{CLASSIC},7\n"));
    folder.assert_refused(&[("augment in.csv --seed 1 --columns solution", "input_solution")]);
}

/// With a condition, rows are those of files that contain only the selected records.
#[test]
fn conditions_select_what_smaller_files_have() {
    let folder = Folder::new();
    let puzzles = Generator::new().puzzles(&bulkdoku::generate::Recipe::default(), 5, 0..400);
    // Each puzzle occurs twice, and some are in both sets.
    for (name, ids) in [("a", 0..600_usize), ("b", 300..800)] {
        let row = |id: usize| format!("{id},{},{}\n", id % 3, puzzles[id / 2]);
        let table = |rows: String| format!("key,third,puzzle\n{rows}");
        folder.file(name, table(ids.clone().map(row).collect()));
        let some = ids.filter(|id| id % 3 == 0).map(row);
        folder.file(&format!("some-{name}"), table(some.collect()));
    }
    for (line, outputs) in [
        ("split {}a --shares 2,1,1 --seed 1", &["x", "y", "z"][..]),
        ("split {}a --shares 70,30 --seed 1 --by grid", &["x", "y"]),
        ("canon {}b --dedup --by puzzle", &["out"]),
        ("canon {}b --against a --by puzzle", &["out"]),
        ("augment {}a --seed 1 --times 0 --original", &["out"]),
    ] {
        let rows = |prefix: &str, condition: &str| {
            let line =
                format!("{} -q --force -o {}", line.replace("{}", prefix), outputs.join(","));
            let ran = folder.line(&format!("{line} {condition}"));
            assert!([0, 1].contains(&ran.status), "{line}: {ran:?}");
            outputs.iter().map(|name| folder.read(name)).collect::<Vec<_>>()
        };
        let found = rows("", "--where third==0");
        assert_eq!(found, rows("some-", ""), "{line}");
        assert!(found[0].lines().count() > 20 && found != rows("", ""), "{line}");
    }
    // With --by grid, records are solved before they are selected.
    folder.file("several", format!("{}\n{CLASSIC}\n", ".".repeat(81)));
    let ran = folder.line("canon several --dedup --by grid --columns line --where status=='ok'");
    assert_eq!(ran.rows, "line\n2\n", "{ran:?}");
}

#[test]
fn errors_point_at_the_character() {
    let folder = Folder::new();
    folder.file("in", format!("{CLASSIC}\n"));
    let ran = folder.solve(&["in", "--where", "ü == 'x"], "");
    assert!(ran.messages.contains("\n  ü == 'x\n         ^"), "{ran:?}");
    let ran = folder.solve(&["in", "--where", &"(".repeat(10_000)], "");
    assert!(ran.messages.contains("character 101: too many"), "{ran:?}");
}
