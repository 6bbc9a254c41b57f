//! `bulkdoku bench` as a user runs it.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use assert_cmd::Command;
use bulkdoku::{EngineKind, SimdLevel};
use serde_json::Value;
use tempfile::TempDir;

const CLASSIC: &str =
    "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
const SOLVED: &str =
    "534678912672195348198342567859761423426853791713924856961537284287419635345286179";

/// `bulkdoku bench` with rounds that take no time.
fn bench() -> Command {
    let mut command = Command::cargo_bin("bulkdoku").unwrap();
    command.args(["bench", "--rounds", "3", "--rows", "50", "--round-time", "0.01"]);
    command
}

fn stdout(command: &mut Command) -> String {
    String::from_utf8(command.assert().success().get_output().stdout.clone()).unwrap()
}

fn json(command: &mut Command) -> Vec<Value> {
    serde_json::from_str(&stdout(command.args(["--format", "json"]))).unwrap()
}

/// A folder with a small set `puzzles.txt`.
fn folder() -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("puzzles.txt");
    fs::write(&path, format!("# two\n\n{CLASSIC}\n{SOLVED},more\n")).unwrap();
    (folder, path)
}

/// Standard error and the exit status.
fn refused(command: &mut Command) -> (String, Option<i32>) {
    let output = command.assert().failure().get_output().clone();
    (String::from_utf8(output.stderr).unwrap(), output.status.code())
}

#[test]
fn the_table_has_a_line_for_each_measurement() {
    let (_folder, path) = folder();
    let text = stdout(bench().arg(&path));
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 2, "{text}");
    assert!(lines[0].starts_with("set ") && lines[0].contains(" ns/puzzle "), "{text}");
    assert!(lines[1].starts_with("puzzles ") && lines[1].contains(" proof "), "{text}");
}

#[test]
fn markdown_and_csv_have_a_heading() {
    let (_folder, path) = folder();
    let text = stdout(bench().arg(&path).args(["--format", "markdown"]));
    assert!(text.starts_with("| set | engine |") && text.lines().count() == 3, "{text}");

    let text = stdout(bench().arg(&path).args(["--format", "csv", "--first"]));
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let headers = reader.headers().unwrap().clone();
    let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
    let at = |name| headers.iter().position(|header| header == name).unwrap();
    assert_eq!(rows.len(), 1);
    assert_eq!(&rows[0][at("mode")], "first");
    assert!(rows[0][at("ns_per_puzzle")].parse::<f64>().unwrap() > 0.0);
}

#[test]
fn json_has_every_field() {
    let (_folder, path) = folder();
    let measured = json(bench().arg(&path).args(["--seed", "7", "--batch", "9"]));
    assert_eq!(measured.len(), 1);
    let first = &measured[0];
    assert_eq!(first["set"], "puzzles");
    assert_eq!(first["engine"], EngineKind::default().name());
    assert_eq!((first["threads"].as_u64(), first["batch"].as_u64()), (Some(1), Some(9)));
    assert_eq!((&first["mode"], &first["rounds"]), (&"proof".into(), &3.into()));
    assert_eq!((&first["permuted"], &first["seed"]), (&true.into(), &7.into()));
    assert!(first["rows"].as_u64().unwrap() <= 50);
    let number = |field: &str| first[field].as_f64().unwrap_or_else(|| panic!("{field}: {first}"));
    assert!(number("ns_min") > 0.0);
    assert!(number("ns_min") <= number("ns_per_puzzle"));
    assert!(number("ns_per_puzzle") <= number("ns_max"));
    assert!(number("nodes_per_puzzle") >= 1.0);
    assert!(number("guesses_per_puzzle") >= 0.0);
    assert!((0.0..=1.0).contains(&number("share_without_guess")));
    assert!(number("latency_p50_ns") <= number("latency_p99_ns"));
    assert!(number("latency_p99_ns") <= number("latency_max_ns"));
    let per_second = number("puzzles_per_second") * number("ns_per_puzzle");
    assert!((per_second / 1e9 - 1.0).abs() < 1e-9);
}

#[test]
fn lists_are_measured_against_each_other() {
    let (_folder, path) = folder();
    let lists = ["--engine", "all", "--simd", "all", "--threads", "1,2"];
    let measured = json(bench().arg(&path).args(lists));
    for engine in EngineKind::ALL {
        let of_engine: Vec<_> = measured.iter().filter(|m| m["engine"] == engine.name()).collect();
        let threads: Vec<_> = of_engine.iter().map(|m| m["threads"].as_u64().unwrap()).collect();
        assert!(threads.contains(&1) && threads.contains(&2), "{engine}: {threads:?}");
        let most = 2 * SimdLevel::available().len();
        assert!((2..=most).contains(&of_engine.len()), "{engine}: {of_engine:?}");
    }
    // An engine without vectors is measured once for each number of threads.
    let scalar = measured.iter().filter(|m| m["engine"] == "scalar");
    assert_eq!(scalar.clone().count(), 2);
    assert!(scalar.clone().all(|m| m["simd"].is_null()));
    assert_eq!(json(bench().args(["--engine", "scalar,scalar"]).arg(&path)).len(), 1);
}

#[test]
fn without_input_the_bundled_sets_are_measured() {
    let measured = json(&mut bench());
    let sets: Vec<_> = measured.iter().map(|m| m["set"].as_str().unwrap()).collect();
    let bundled: Vec<_> = bulkdoku::bundled::BUNDLED.iter().map(|set| set.name).collect();
    assert_eq!(sets, bundled);
}

#[test]
fn standard_input_is_a_set() {
    let measured = json(bench().args(["-", "--no-permute"]).write_stdin(CLASSIC));
    assert_eq!((&measured[0]["permuted"], &measured[0]["seed"]), (&false.into(), &Value::Null));
}

#[test]
fn a_baseline_is_compared_with() {
    let (folder, path) = folder();
    let before = folder.path().join("before.json");
    bench().arg(&path).args(["--format", "json", "-o"]).arg(&before).assert().success();
    let text = fs::read_to_string(&before).unwrap();
    let mut earlier: Vec<Value> = serde_json::from_str(&text).unwrap();
    for field in ["ns_per_puzzle", "ns_min", "ns_max"] {
        earlier[0][field] = (1e12).into();
    }
    fs::write(&before, serde_json::to_vec(&earlier).unwrap()).unwrap();
    let compared = bench().arg(&path).arg("--baseline").arg(&before).assert().success();
    let errors = String::from_utf8_lossy(&compared.get_output().stderr).into_owned();
    assert!(errors.contains("1 changed beyond the spread"), "{errors}");
    assert!(errors.contains("faster"), "{errors}");
}

#[test]
fn a_baseline_decides_the_exit_status() {
    let (folder, path) = folder();
    let before = folder.path().join("before.json");
    bench().arg(&path).arg("-o").arg(&before).assert().success();
    let mut earlier: Vec<Value> =
        serde_json::from_str(&fs::read_to_string(&before).unwrap()).unwrap();
    let with_times = |ns: f64| {
        let mut earlier = earlier.clone();
        for field in ["ns_per_puzzle", "ns_min", "ns_max"] {
            earlier[0][field] = ns.into();
        }
        fs::write(&before, serde_json::to_vec(&earlier).unwrap()).unwrap();
    };
    let compared = |options: &[&str]| {
        let mut command = bench();
        let output = command.arg(&path).arg("--baseline").arg(&before).args(options).output();
        let output = output.unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    with_times(1e-6);
    let (status, errors) = compared(&["--fail-above", "5%"]);
    assert_eq!(status, 1, "{errors}");
    assert!(errors.contains("slower by ") && errors.contains("more than 5 %"), "{errors}");
    assert_eq!(compared(&[]).0, 0);
    with_times(1e12);
    let (status, errors) = compared(&["--fail-above", "0"]);
    assert_eq!((status, errors.contains("another machine")), (0, false), "{errors}");
    earlier[0]["machine"]["cpu"] = "Abacus".into();
    fs::write(&before, serde_json::to_vec(&earlier).unwrap()).unwrap();
    assert!(compared(&[]).1.contains("on another machine: Abacus, "));
    // A baseline of an earlier version has none of the new fields.
    for field in ["machine", "version", "commit", "date", "ns_rounds", "bad_records"] {
        earlier[0].as_object_mut().unwrap().remove(field).unwrap();
    }
    fs::write(&before, serde_json::to_vec(&earlier).unwrap()).unwrap();
    assert_eq!(compared(&[]).0, 0);

    // What the baseline lacks is named before anything is measured.
    for options in [&["--first"][..], &["--threads", "1,2"], &["--engine", "all"]] {
        let (status, errors) = compared(options);
        assert_eq!(status, 2, "{errors}");
        assert!(errors.contains("has no measurement of\n  puzzles "), "{errors}");
    }
    // Nor is it overwritten.
    let was = fs::read(&before).unwrap();
    let (status, errors) = compared(&["-o", before.to_str().unwrap(), "--force"]);
    assert_eq!((status, fs::read(&before).unwrap()), (2, was), "{errors}");
    let (errors, status) = refused(bench().arg(&path).args(["--fail-above", "5%"]));
    assert_eq!((status, errors.contains("--baseline")), (Some(2), true), "{errors}");
    let (errors, status) =
        refused(bench().arg(&path).arg("--baseline").arg(&before).args(["--fail-above", "-5%"]));
    assert_eq!(status, Some(2), "{errors}");
}

#[test]
fn json_says_where_it_comes_from_and_has_every_round() {
    let (_folder, path) = folder();
    let first = &json(bench().arg(&path))[0];
    assert_eq!(first["version"], env!("CARGO_PKG_VERSION"));
    let date = first["date"].as_str().unwrap();
    assert!(date.starts_with("20") && date.ends_with('Z') && date.len() == 20, "{date}");
    let machine = &first["machine"];
    assert!(machine["cores"].as_u64().unwrap() >= 1);
    assert_eq!(machine["arch"], std::env::consts::ARCH);
    assert_eq!(machine["simd"].as_array().unwrap().len(), SimdLevel::available().len());
    let rounds: Vec<f64> =
        first["ns_rounds"].as_array().unwrap().iter().map(|ns| ns.as_f64().unwrap()).collect();
    assert_eq!(rounds.len(), 3);
    let least = rounds.iter().copied().fold(f64::MAX, f64::min);
    assert_eq!(least.to_bits(), first["ns_min"].as_f64().unwrap().to_bits());
}

#[test]
fn sets_are_read_in_every_form_that_solve_reads() {
    let (folder, _) = folder();
    let rows =
        |cells: &str| (0..9).map(|i| format!("{}\n", &cells[9 * i..9 * i + 9])).collect::<String>();
    let grids: String = [CLASSIC, SOLVED].map(rows).join("\n");
    let packed = {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packer.write_all(format!("{CLASSIC}\n").as_bytes()).unwrap();
        packer.finish().unwrap()
    };
    for (name, text, options) in [
        ("grids.txt", grids.into_bytes(), &[][..]),
        ("table.csv", format!("id,puzzle\n1,{CLASSIC}\n2,{SOLVED}\n").into_bytes(), &[]),
        ("two.csv", format!("a,b\n{CLASSIC},{CLASSIC}\n").into_bytes(), &["--column", "b"]),
        ("packed.gz", packed, &[]),
    ] {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        let measured = json(bench().arg(&path).args(options));
        assert_eq!((measured.len(), measured[0]["rows"].as_u64()), (1, Some(50)), "{name}");
    }
    // Pencil marks that say no more than clues are a puzzle.
    let puzzle = bulkdoku::Marks::from(&CLASSIC.parse().unwrap()).to_string();
    let measured = json(bench().arg("-").write_stdin(puzzle));
    assert_eq!(measured[0]["set"], "<stdin>");
    // Others are a set of their own, beside the puzzles of the same input: cells with some of
    // the candidates.
    let mut marks = bulkdoku::Marks::from(&CLASSIC.parse().unwrap());
    marks.set(2, bulkdoku::marks::Digits::one(4));
    marks.set(3, bulkdoku::marks::Digits::ALL.above(5).below(8));
    let text = format!("{marks}\n{CLASSIC}\nbad\n{marks}\n");
    let options = ["--engine", "lanes,scalar", "-"];
    let measured = json(bench().args(options).write_stdin(text));
    let sets: Vec<_> = measured.iter().map(|m| m["set"].as_str().unwrap()).collect();
    assert_eq!(sets, ["<stdin>", "<stdin>", "<stdin> (marks)", "<stdin> (marks)"]);
    let bad: Vec<_> = measured.iter().map(|m| m["bad_records"].as_u64().unwrap()).collect();
    assert_eq!(bad, [1, 1, 0, 0]);
}

#[test]
fn wrong_usage_is_refused() {
    let (folder, path) = folder();
    let bad: [&[&str]; 8] = [
        &["--engine", "fastest"],
        &["--simd", "mmx"],
        &["--threads", "1,many"],
        &["--threads", "1000000"],
        &["--rounds", "0"],
        &["--round-time", "0"],
        &["--first", "--limit", "3"],
        &["--format", "html"],
    ];
    for options in bad {
        let (errors, status) = refused(bench().arg(&path).args(options));
        assert_eq!(status, Some(2), "{options:?}: {errors}");
        assert!(errors.contains(options[0]), "{options:?}: {errors}");
    }
    let (errors, status) = refused(bench().arg(&path).arg("--baseline").arg(&path));
    assert_eq!((status, errors.contains("--format json")), (Some(2), true), "{errors}");
    let empty = folder.path().join("empty.txt");
    fs::write(&empty, "# nothing\n").unwrap();
    let (errors, status) = refused(bench().arg(&empty));
    assert_eq!((status, errors.contains("no puzzle")), (Some(2), true), "{errors}");
}

#[test]
fn bad_records_are_named_and_counted_and_the_others_measured() {
    let (folder, _) = folder();
    let path = folder.path().join("bad.txt");
    let mut text = format!("{CLASSIC}\n{}\n# comment\n{SOLVED}\n", &CLASSIC[1..]);
    text.extend((0..1199).map(|_| "bad\n"));
    fs::write(&path, text).unwrap();
    let output = bench().arg(&path).args(["--format", "json"]).output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{errors}");
    assert!(errors.contains("bad.txt:2:81: malformed: 80 cells"), "{errors}");
    assert!(errors.contains("bad.txt: 1,200 records are not measured"), "{errors}");
    assert_eq!(errors.lines().count(), 21, "{errors}");
    let measured: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(measured[0]["bad_records"], 1200);

    fs::write(&path, "bad\n").unwrap();
    let (errors, status) = refused(bench().arg(&path));
    assert_eq!((status, errors.contains("no puzzle")), (Some(2), true), "{errors}");
}

#[test]
fn an_endless_input_is_read_as_far_as_rows_are_wanted() {
    let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin("bulkdoku"));
    command.args(["bench", "-", "--rows", "50", "--rounds", "1", "--round-time", "0.01"]);
    command.stdin(Stdio::piped()).stdout(Stdio::null());
    let mut child = command.spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    // Ends when the command has.
    let line = format!("{CLASSIC}\n");
    while pipe.write_all(line.as_bytes()).is_ok() {}
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn files_that_cannot_be_used_are_found_before_anything_is_measured() {
    let (folder, path) = folder();
    let (errors, status) = refused(bench().arg(folder.path().join("missing.txt")));
    assert_eq!((status, errors.contains("missing.txt")), (Some(3), true), "{errors}");
    let (errors, status) = refused(bench().arg(&path).args(["--baseline", "missing.json"]));
    assert_eq!((status, errors.contains("missing.json")), (Some(3), true), "{errors}");
    let into = |output: &Path| refused(bench().arg(&path).arg("-o").arg(output));
    let (errors, status) = into(&path);
    assert_eq!(status, Some(2), "{errors}");
    let (errors, status) = into(&folder.path().join("no/such/folder.json"));
    assert_eq!(status, Some(3), "{errors}");
    assert!(fs::read_to_string(&path).unwrap().contains(CLASSIC));
}
