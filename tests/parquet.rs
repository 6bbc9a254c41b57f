//! Parquet files, read and written.

use std::fmt::Write;
use std::fs;

use crate::common::command::{CLASSIC, Folder, SOLVED};

/// A table with a label for each row; the last row is malformed.
fn table(rows: usize) -> String {
    let mut table = "name,quizzes,weight\n".to_owned();
    for row in 0..rows {
        writeln!(table, "\"a, {row}\",{CLASSIC},{row}").unwrap();
    }
    table + "last,bad,\n"
}

#[test]
fn written_files_are_read_back() {
    let folder = Folder::new();
    let rows = 3000;
    let args = ["-q", "--columns", "solution,status,guesses,clues", "--keep", "name,weight"];
    let expected = folder.solve(&args, table(rows));
    let ran = folder.solve(&[&args[..], &["-o", "out.parquet"]].concat(), table(rows));
    assert_eq!((ran.status, expected.status), (1, 1), "{ran:?}");
    let bytes = fs::read(folder.path("out.parquet")).unwrap();
    assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
    assert!(!folder.path("out.parquet.resume").exists());

    // Its rows are a table with all columns; solutions are solved puzzles.
    let kept = "status,guesses,clues,name,weight";
    let args = ["-q", "--columns", "solution", "--column", "solution", "--keep", kept];
    let again = folder.solve(&[&args[..], &["out.parquet"]].concat(), "");
    assert_eq!(again.rows.lines().count(), rows + 2);
    assert_eq!(again.rows, expected.rows);
}

#[test]
fn statuses_and_answers_are_those_of_csv() {
    let folder = Folder::new();
    let pairs = format!("puzzle,solution\n{CLASSIC},{SOLVED}\n{CLASSIC},{CLASSIC}\n");
    folder.file("pairs.csv", &pairs);
    let columns = ["-q", "--columns", "puzzle,answer,status,reason"];
    let of_csv = folder.run("check", &[&columns[..], &["pairs.csv"]].concat(), "");
    let args = ["-q", "--columns", "puzzle", "--keep", "solution", "pairs.csv", "-o", "p.parquet"];
    assert_eq!(folder.solve(&args, "").status, 0);
    let of_parquet = folder.run("check", &[&columns[..], &["p.parquet"]].concat(), "");
    assert!(of_parquet == of_csv, "{of_parquet:?} {of_csv:?}");
    // Standard input is a file, too.
    let ran = folder.run(
        "check",
        &[&columns[..], &["-"]].concat(),
        fs::read(folder.path("p.parquet")).unwrap(),
    );
    assert_eq!(ran.status, 3, "a pipe has no end to begin with: {ran:?}");
    assert!(ran.messages.contains("looks like a Parquet file; name it"), "{ran:?}");
}

#[test]
fn parquet_files_are_reported() {
    let folder = Folder::new();
    folder.file("a.csv", table(2));
    let args = ["-q", "--columns", "puzzle", "--keep", "name", "a.csv", "-o", "a.parquet"];
    folder.solve(&args, "");
    for (name, found) in [
        ("a.csv", "a.csv: CSV, puzzles in column \"quizzes\" (2 of 3)"),
        ("a.parquet", "a.parquet: Parquet, puzzles in column \"puzzle\" (1 of 2)"),
    ] {
        let ran = folder.solve(&[name], "");
        assert!(ran.messages.contains(found), "{ran:?}");
    }
}

#[test]
fn rows_that_come_one_by_one_are_all_there() {
    let folder = Folder::new();
    let listed = ["-q", "--solutions", "40", "--columns", "line,solution"];
    let augmented = ["-q", "--times", "50", "--seed", "1", "--columns", "line,copy,puzzle"];
    for (command, args, puzzle) in
        [("solve", &listed[..], &*".".repeat(81)), ("augment", &augmented[..], CLASSIC)]
    {
        let input = format!("{puzzle}\n").repeat(3);
        let expected = folder.run(command, args, &input);
        let ran = folder.run(command, &[args, &["-o", "x.parquet", "--force"]].concat(), &input);
        assert_eq!(ran.status, expected.status, "{ran:?}");
        let last = if command == "solve" { "solution" } else { "puzzle" };
        let read = ["-q", "x.parquet", "--columns", "puzzle", "--column", last, "--keep"];
        let again = folder.solve(&read, "");
        let rows = |text: &str| text.lines().skip(1).count();
        assert!(rows(&expected.rows) > 100, "{expected:?}");
        assert_eq!(rows(&again.rows), rows(&expected.rows), "{again:?}");
    }
}

#[test]
fn a_damaged_file_is_named() {
    let folder = Folder::new();
    assert_eq!(folder.solve(&["-q", "-o", "out.parquet"], format!("{CLASSIC}\n")).status, 0);
    let whole = fs::read(folder.path("out.parquet")).unwrap();
    let mut damaged = whole.clone();
    let middle = whole.len() - 30;
    damaged[middle..middle + 10].fill(0xFF);
    folder.file("damaged.parquet", &damaged);
    let ran = folder.solve(&["-q", "damaged.parquet"], "");
    assert!(ran.status == 3 && ran.messages.contains("Parquet file is damaged"), "{ran:?}");
    folder.file("short.parquet", &whole[..whole.len() - 3]);
    let ran = folder.solve(&["-q", "short.parquet"], "");
    assert!(ran.status == 3 && ran.messages.contains("looks like a Parquet file"), "{ran:?}");
}

#[test]
fn impossible_parquet_files_are_refused() {
    let folder = Folder::new();
    for (args, message) in [
        (&["-o", "x.parquet.gz"][..], "parquet is compressed within"),
        (
            &["-o", "x.parquet", "--columns", "line,line"],
            "--columns has line twice; a Parquet file",
        ),
        (&["-o", "{}.parquet", "--split-by", "status"], "--split-by writes any format but"),
    ] {
        let ran = folder.solve(args, CLASSIC);
        assert!(ran.status == 2 && ran.messages.contains(message), "{args:?}: {ran:?}");
        assert!(!folder.path("x.parquet").exists());
    }
}
