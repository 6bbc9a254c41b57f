//! Parquet files, read and written.

use std::fmt::Write;
use std::fs;

use serde_json::Value;

use crate::common::command::{CLASSIC, Folder, SOLVED};

/// Returns a table with a label for each row; the last row is malformed.
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
    let line = "solve -q --columns line,solution,status,guesses,clues,name,weight";
    let expected = folder.with_input(line, table(rows));
    let ran = folder.with_input(&format!("{line} -o out.parquet"), table(rows));
    assert_eq!((ran.status, expected.status), (1, 1), "{ran:?}");
    let bytes = fs::read(folder.path("out.parquet")).unwrap();
    assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
    assert!(!folder.path("out.parquet.resume").exists());

    // Its rows are a table with all columns; solutions are solved puzzles.
    let kept = "input_status,input_guesses,input_clues,name,weight";
    let columns = format!("--columns computed_line,computed_solution,{kept} --column solution");
    let again = folder.line(&format!("solve -q {columns} out.parquet"));
    assert_eq!(again.rows.lines().count(), rows + 2);
    assert_eq!(again.rows.replace("input_", ""), expected.rows);
}

#[test]
fn rows_that_arrive_one_by_one_are_all_written() {
    let folder = Folder::new();
    for (line, puzzle) in [
        ("solve -q --solutions 40 --columns line,solution", &*".".repeat(81)),
        ("augment -q --times 50 --seed 1 --columns line,copy,puzzle", CLASSIC),
    ] {
        let input = format!("{puzzle}\n").repeat(3);
        let expected = folder.with_input(line, &input);
        let ran = folder.with_input(&format!("{line} -o x.parquet --force"), &input);
        assert_eq!(ran.status, expected.status, "{ran:?}");
        let last = line.rsplit(',').next().unwrap();
        let again = folder.line(&format!("solve -q x.parquet --columns * --column {last}"));
        assert!(expected.records().len() > 100, "{expected:?}");
        assert_eq!(again.records().len(), expected.records().len(), "{again:?}");
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
    ran.expect(3, "the Parquet file cannot be read");
    // The codec is known before any row is read.
    let ran = folder.solve(&["-q", &packed("brotli")], "");
    ran.expect(3, "it is compressed with brotli; write it with zstd");
    assert!(ran.records().is_empty(), "{ran:?}");
    folder.file("short.parquet", &whole[..whole.len() - 3]);
    let ran = folder.solve(&["-q", "short.parquet"], "");
    ran.expect(3, "looks like a Parquet file");
}

/// Returns the path of a file that is damaged or written by another program.
fn packed(name: &str) -> String {
    format!("{}/tests/packed/{name}.parquet", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn nulls_and_empty_texts_of_a_single_column_have_rows() {
    let folder = Folder::new();
    let solve = |options| folder.line(&format!("solve {options} -q {}", packed("nulls")));
    let statuses = ["unique", "malformed", "unique", "malformed", "malformed"];
    let ran = solve("--columns line,status");
    let rows = (2..).zip(statuses).map(|(line, status)| format!("{line},{status}\n"));
    assert_eq!(ran.rows, format!("line,status\n{}", rows.collect::<String>()));
    let lines = solve("--format lines");
    assert_eq!(lines.rows, format!("{SOLVED}\n\n{SOLVED}\n\n\n"));
}

/// The kept columns of `types.parquet`, which pyarrow wrote: those that keep their types in Parquet
/// rows, and others.
const VALUES: &str =
    "u64,u32,i8,f64,f32,f16,b,s,bin,date,tms,tns,ts_ms,ts_us,ts_ns,ts_utc,dec,dec38,nan";
const OTHERS: &str = "dec256,li,ls,lf,ld";

#[test]
fn kept_columns_of_parquet_files_keep_their_types() {
    let folder = Folder::new();
    let types = packed("types");
    let jsonl = |input: &str, keep: &str| {
        folder.line(&format!("solve -q {input} --columns line,{keep} --format jsonl")).rows
    };
    let first = r#"{"line":2,"u64":18446744073709551615,"u32":4294967295,"i8":-128,"f64":0.1,"f32":0.1,"f16":0.099975586,"b":true,"s":"a,\"b\"\n","bin":"xy","date":"2020-01-01","tms":"23:59:59.123","tns":"23:59:59.999999999","ts_ms":"2020-01-01T01:02:03.004","ts_us":"2020-01-01T01:02:03.000004","ts_ns":"2020-01-01T01:02:03.000000001","ts_utc":"2020-01-01T01:02:03.000004Z","dec":-12.34,"dec38":-12345678901234567890123456789012.345678,"nan":null}"#;
    let last = r#"{"line":4,"u64":0,"u32":1,"i8":1,"f64":-1.5,"f32":-1.5,"f16":-1.5,"b":false,"s":"","bin":"","date":"1900-02-28","tms":"00:00:00","tns":"00:00:00","ts_ms":"1950-01-01T00:00:00","ts_us":"1950-01-01T00:00:00","ts_ns":"1969-12-31T23:59:59.999999999","ts_utc":"1950-01-01T00:00:00Z","dec":0.05,"dec38":1.000000,"nan":null}"#;
    let rows = jsonl(&types, VALUES);
    let lines: Vec<_> = rows.lines().collect();
    assert_eq!((lines[0], lines[2]), (first, last));
    assert_eq!(lines[1].matches(":null").count(), 19, "{}", lines[1]);
    let others = r#"{"line":2,"dec256":-123456789012345678901234567890123456789012.34,"li":[1,null,3],"ls":["a\"",null,"b,"],"lf":[1.5,"NaN"],"ld":["2020-01-01"]}
{"line":3,"dec256":null,"li":null,"ls":null,"lf":null,"ld":null}
{"line":4,"dec256":1.00,"li":[],"ls":[],"lf":[],"ld":[]}
"#;
    assert_eq!(jsonl(&types, OTHERS), others);

    // A Parquet file that is made of it has the same values of the same types, and NaN.
    let line = format!("solve -q {types} --columns puzzle,{VALUES} -o out.parquet");
    assert_eq!(folder.line(&line).status, 0);
    assert_eq!(jsonl("out.parquet", VALUES), rows);
    let nan = folder.line("solve -q out.parquet --columns line,s,nan");
    assert_eq!(nan.rows, "line,s,nan\n2,\"a,\"\"b\"\"\n\",NaN\n3,,inf\n4,,\n");
    // With a table that has text in the same column, values are written as each input has them.
    folder.file("text.csv", format!("puzzle,i8\n{CLASSIC},x\n"));
    let line = format!("solve -q {types} text.csv --columns line,i8 --format jsonl");
    let mixed = folder.line(&line).rows;
    assert!(mixed.contains(r#""i8":-128"#) && mixed.contains(r#""i8":"x""#), "{mixed}");
}

/// The type of a column excludes puzzles before anything is written.
#[test]
fn columns_of_other_types_are_refused() {
    let folder = Folder::new();
    for (column, data_type) in [("f64", "Float64"), ("b", "Boolean"), ("date", "Date32")] {
        let args = ["-q", &packed("types"), "--column", column, "-o", "out.csv"];
        let ran = folder.solve(&args, "");
        let what = format!("column \"{column}\" is {data_type}, not texts, bytes, or lists");
        assert!(ran.status == 3 && ran.messages.contains(&what), "{ran:?}");
        assert!(folder.names().is_empty(), "{:?}", folder.names());
    }
}

/// `nested.parquet`, which pyarrow wrote, has puzzles, solutions, and other lists, structs, and maps.
#[test]
fn nested_columns_are_json_and_stay_nested_in_parquet_files() {
    let folder = Folder::new();
    let nested = packed("nested");
    let others = "ints,bytes,floats,dates,decimals,lists,struct,structs,map,rows";
    let json = |input: &str, column: &str, keep: &str| {
        let columns = format!("--columns line,{keep} --column {column}");
        folder.line(&format!("solve -q {columns} --format jsonl {input}")).rows
    };
    let rows = json(&nested, "puzzle", others);
    let lines: Vec<_> = rows.lines().collect();
    let first = r#"{"line":2,"ints":[1,null,-3],"bytes":[[255,0],"ab"],"floats":[1.5,"NaN","-inf"],"dates":["2020-01-01",null],"decimals":[1.23,null],"lists":[[1,2],[],null,[3]],"struct":{"a":1,"b":{"c":"x","d":[1,2]}},"structs":[{"t":"x","n":true},null,{"t":null,"n":false}],"map":[{"key":"k","value":[1]},{"key":"l","value":null}],"rows":["53..7....",""#;
    assert!(lines[0].starts_with(first), "{}", lines[0]);
    let second = r#"{"line":3,"ints":[],"bytes":[""],"floats":null,"dates":[],"decimals":[],"lists":[],"struct":null,"structs":[],"map":[],"#;
    assert!(lines[1].starts_with(second), "{}", lines[1]);
    let third = r#"{"line":4,"ints":null,"bytes":null,"floats":[],"dates":null,"decimals":null,"lists":null,"struct":{"a":null,"b":null},"structs":null,"map":null,"rows":[]}"#;
    assert_eq!(lines[2], third);
    let inner = json(&nested, "puzzle", "struct.a,struct.b.d");
    assert!(inner.starts_with("{\"line\":2,\"struct.a\":1,\"struct.b.d\":[1,2]}\n"), "{inner}");

    // Files made of it have the same values.
    let line = format!("solve -q --columns status,{others} {nested} -o out.parquet");
    assert_eq!(folder.line(&line).status, 1);
    assert_eq!(json("out.parquet", "status", others), rows);
    let line = format!("canon -q --columns * --where status=='ok' {nested} -o ok.parquet");
    assert_eq!(folder.line(&line).status, 1);
    let all = format!("{others},puzzle,solution");
    let expected: String = json(&nested, "rows", &all).split_inclusive('\n').take(3).collect();
    assert_eq!(json("ok.parquet", "rows", &all), expected);
}

/// Isomorphs of puzzles in lists are lists, with the blank of their record.
#[test]
fn derived_puzzles_are_lists_as_those_of_the_input() {
    let folder = Folder::new();
    let nested = packed("nested");
    let ran = folder.line(&format!("augment -q --seed 1 --original {nested} -o out.parquet"));
    assert_eq!(ran.status, 1);
    let line = "solve -q --column rows --columns line,* --format jsonl out.parquet";
    let rows = folder.line(line).objects();
    let blanks = [0, -1].map(Value::from).into_iter().chain([Value::Null]);
    let blanks: Vec<_> = blanks.flat_map(|blank| [blank.clone(), blank]).collect();
    assert_eq!(rows.len(), blanks.len());
    for (row, blank) in rows.iter().zip(blanks) {
        let [puzzle, solution] =
            ["puzzle", "solution"].map(|name| row[name].as_array().unwrap().clone());
        let blanks = puzzle.iter().filter(|cell| **cell == blank);
        assert_eq!((puzzle.len(), solution.len(), blanks.count()), (81, 81, 51), "{row}");
        let agree = |(cell, digit): (&Value, &Value)| *cell == blank || cell == digit;
        assert!(puzzle.iter().zip(&solution).all(agree), "{row}");
    }
}

/// `bytes.parquet`, which pyarrow wrote, has bytes from 0 to 9 as cells, and lists of lists of texts.
#[test]
fn raw_bytes_and_lists_of_texts_are_cells() {
    let folder = Folder::new();
    let bytes = packed("bytes");
    let ran = folder.line(&format!("check {bytes} --columns puzzle,input_solution,status -q"));
    let cells: Vec<_> = SOLVED.chars().map(String::from).collect();
    let row = format!("{},\"[{}]\",ok\n", CLASSIC.replace('.', "0"), cells.join(","));
    assert!(ran.rows.ends_with(&row), "{row} {ran:?}");
    let of_texts = "--column rows --solution-column grid";
    let ran = folder.line(&format!("check {bytes} {of_texts} --columns status -q"));
    assert_eq!(ran.rows, "status\nok\n", "{ran:?}");
    for columns in ["", of_texts] {
        for name in ["parquet", "csv", "jsonl"] {
            let name = format!("{}.{name}", columns.len());
            let line = format!("augment {bytes} {columns} --seed 1 -o {name}");
            assert_eq!(folder.line(&line).status, 0, "{line}");
            let ran = folder.line(&format!("check {name} {columns} --columns status -q"));
            assert_eq!(ran.rows, "status\nok\n", "{name}: {ran:?}");
        }
    }
}

/// The values of structs are columns with dots, as the keys of inner objects are.
#[test]
fn structs_have_columns_with_dots() {
    let folder = Folder::new();
    let structs = packed("structs");
    let columns = "status,metadata.difficulty.name,metadata.difficulty.clues,metadata.tags";
    let line = format!("solve --columns computed_{columns} --format jsonl -q {structs}");
    let expected = r#"{"status":"unique","metadata.difficulty.name":"easy","metadata.difficulty.clues":30,"metadata.tags":["x","y"]}
{"status":"unique","metadata.difficulty.name":null,"metadata.difficulty.clues":null,"metadata.tags":[]}
{"status":"malformed","metadata.difficulty.name":null,"metadata.difficulty.clues":null,"metadata.tags":null}
{"status":"malformed","metadata.difficulty.name":"hard","metadata.difficulty.clues":null,"metadata.tags":null}
"#;
    assert_eq!(folder.line(&line).rows, expected);
    let condition = "--where \"`metadata.source` == 'b'\" --column metadata.puzzle";
    let ran = folder.line(&format!("solve {condition} --columns line,solution -q {structs}"));
    assert_eq!(ran.rows, format!("line,solution\n3,{SOLVED}\n"), "{ran:?}");
    let columns = "puzzle,metadata.source,metadata.difficulty.clues";
    let ran = folder.line(&format!("solve --columns {columns} -q -o out.parquet {structs}"));
    assert_eq!(ran.status, 1, "{ran:?}");
    let columns = "--columns line,metadata.difficulty.clues";
    let ran = folder.line(&format!("solve {columns} --format jsonl -q out.parquet"));
    assert!(ran.rows.starts_with("{\"line\":2,\"metadata.difficulty.clues\":30}\n"), "{ran:?}");
    let ran = folder.run("check", &["-q", "--columns", "status", &structs], "");
    assert_eq!(ran.rows, "status\nok\nok\nmalformed\nmalformed\n", "{ran:?}");
}

/// A kept struct would keep the cells of the original.
#[test]
fn isomorphs_have_no_structs_with_cells() {
    let folder = Folder::new();
    let structs = packed("structs");
    let line = format!("augment --seed 1 -q --column metadata.puzzle {structs} --columns");
    let message = "is in the column \"metadata\", which is copied as it is; \
                   use --columns without it, such as --columns metadata.puzzle";
    folder.assert_refused(&[(&format!("{line} *"), message)]);
    let ran = folder.line(&format!("{line} puzzle,metadata.source"));
    assert!(ran.status == 1 && ran.rows.starts_with("puzzle,metadata.source\n"), "{ran:?}");
}

#[test]
fn long_values_are_read_and_long_puzzles_refused_with_their_row() {
    let folder = Folder::new();
    let solve = |name, options| folder.line(&format!("solve {options} {}", packed(name)));
    // 60 puzzles of 1.6 MB each, and a note of that length in row 64.
    let ran = solve("repeated", "-q --columns line,status,note --errors errors");
    assert_eq!((ran.status, ran.rows.matches(",malformed,").count()), (1, 60), "{}", ran.messages);
    assert!(ran.rows.ends_with('y') || ran.rows.ends_with("y\n"), "the long note is kept");
    let errors = folder.read("errors");
    assert!(errors.contains("repeated.parquet:5:82: malformed: 1600000 cells, 81 expected"));

    let ran = solve("page", "--columns line,status");
    ran.expect(3, "more than 32 MiB of memory; write it as CSV");
}

#[test]
fn a_file_on_which_the_reader_panics_or_does_not_end_is_damaged() {
    let folder = Folder::new();
    for name in ["panic-decode", "panic-open", "endless"] {
        for threads in ["1", "2"] {
            let ran = folder.solve(&["-q", "--columns", "*", "-j", threads, &packed(name)], "");
            assert!(ran.status == 3 && ran.rows.lines().count() <= 1, "{ran:?}");
            let named = format!("{name}.parquet: the Parquet file ");
            assert!(ran.messages.lines().last().unwrap().contains(&named), "{ran:?}");
        }
    }
}

#[test]
fn a_damaged_start_is_not_read_as_text() {
    let folder = Folder::new();
    let mut bytes = fs::read(packed("nulls")).unwrap();
    bytes[0] ^= 1;
    folder.file("damaged.parquet", bytes);
    let ran = folder.solve(&["-q", "damaged.parquet", "--columns", "line"], "");
    assert_eq!(ran.rows, "line\n2\n3\n4\n5\n6\n");
}

/// Thousands of columns, so that a block has few rows.
#[test]
fn thousands_of_columns_are_kept() {
    let folder = Folder::new();
    let names = (0..3000).map(|column| format!("c{column}")).collect::<Vec<_>>().join(",");
    let row = |row: usize| {
        (0..3000).map(|column| (row * column).to_string()).collect::<Vec<_>>().join(",")
    };
    let rows = |start: &dyn Fn(usize) -> String| {
        (0..20).map(|number| start(number) + &row(number) + "\n").collect::<String>()
    };
    let table = format!("puzzle,{names}\n{}", rows(&|_| format!("{CLASSIC},")));
    assert_eq!(folder.with_input("solve -q --columns * -o x.parquet", table).status, 0);
    let ran = folder.line(&format!("solve -q x.parquet --columns line,status,{names}"));
    let expected = rows(&|number| format!("{},unique,", number + 2));
    assert!(ran.rows == format!("line,status,{names}\n{expected}"), "{}", ran.messages);
    let ran = folder.line("solve -q x.parquet --columns line,c2999,c0");
    let expected = (0..20).map(|number| format!("{},{},0", number + 2, number * 2999));
    assert_eq!(ran.records(), expected.collect::<Vec<_>>());
}

#[test]
fn concatenated_files_are_refused() {
    let folder = Folder::new();
    for (one, other) in [("nulls", "pages"), ("pages2", "pages2"), ("deltas", "nulls")] {
        folder.file("both", [one, other].map(|name| fs::read(packed(name)).unwrap()).concat());
        folder.line("solve both").expect(3, "several concatenated files");
    }
}
