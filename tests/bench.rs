//! Tests `bulkdoku bench`.

use bulkdoku::{EngineKind, SimdLevel};
use serde_json::Value;

use crate::common::HARDEST;
use crate::common::command::{CLASSIC, Folder, Ran, SOLVED, grid};
use crate::common::contents::gz;

/// Runs `bulkdoku bench` with one round of few puzzles.
fn bench(folder: &Folder, args: &[&str], input: impl AsRef<[u8]>) -> Ran {
    folder.run("bench", &[&["--rounds", "1", "--rows", "50"], args].concat(), input)
}

/// Returns the measurements as JSON.
fn json(folder: &Folder, args: &[&str], input: impl AsRef<[u8]>) -> Vec<Value> {
    let ran = bench(folder, &[args, &["-o", "out.json", "--force"]].concat(), input);
    assert_eq!(ran.status, 0, "{ran:?}");
    serde_json::from_str(&folder.read("out.json")).unwrap()
}

/// Creates a folder with a small set `puzzles.txt`.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.file("puzzles.txt", format!("# two\n\n{CLASSIC}\n{SOLVED},more\n"));
    folder
}

#[test]
fn the_table_has_a_line_for_each_measurement() {
    let text = bench(&folder(), &["puzzles.txt"], "").rows;
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 2, "{text}");
    assert!(lines[0].starts_with(" ns/puzzle "), "{text}");
    assert!(
        lines[1].ends_with(", 1 thread, proof") && lines[1].contains("  puzzles.txt "),
        "{text}"
    );
}

/// `docs/schemas/bench.schema.json` has all fields.
#[test]
fn the_fields_of_json_agree() {
    let measured = json(&folder(), &["puzzles.txt", "--seed", "7", "--batch", "9"], "");
    assert_eq!(measured.len(), 1);
    let first = &measured[0];
    let default = EngineKind::default().name();
    for (field, value) in [("set", "puzzles.txt"), ("engine", default), ("mode", "proof")] {
        assert_eq!(first[field], value);
    }
    for (field, value) in [("threads", 1), ("batch", 9), ("rounds", 1), ("seed", 7)] {
        assert_eq!(first[field], value);
    }
    assert!(first["rows"].as_u64().unwrap() <= 50);
    let number = |field: &str| first[field].as_f64().unwrap_or_else(|| panic!("{field}: {first}"));
    assert!(number("ns_min") > 0.0 && number("nodes_per_puzzle") >= 1.0);
    for (less, more) in [
        ("ns_min", "ns_per_puzzle"),
        ("ns_per_puzzle", "ns_max"),
        ("guesses_per_puzzle", "nodes_per_puzzle"),
    ] {
        assert!(number(less) <= number(more), "{less} {more}: {first}");
    }
    assert!((0.0..=1.0).contains(&number("share_without_guess")));
    let machine = &first["machine"];
    assert!(machine["cores"].as_u64().unwrap() >= 1);
    assert_eq!(machine["arch"], std::env::consts::ARCH);
    assert_eq!(machine["simd"].as_array().unwrap().len(), SimdLevel::available().len());
}

#[test]
fn lists_are_measured_against_each_other() {
    let levels = SimdLevel::available();
    let levels = &levels[..levels.len().min(2)];
    let names: Vec<_> = levels.iter().map(|level| level.name()).collect();
    let (engines, names) = ("lanes,scalar", names.join(","));
    let lists = ["puzzles.txt", "--engine", engines, "--simd", &names, "--threads", "1,2"];
    let measured = json(&folder(), &lists, "");
    assert_eq!(measured.len(), 2 * (levels.len() + 1));
    // An engine without vector code is measured once for each number of threads.
    let scalar = measured.iter().filter(|m| m["engine"] == "scalar");
    assert_eq!(scalar.clone().count(), 2);
    assert!(scalar.clone().all(|m| m["simd"].is_null()));
    assert_eq!(json(&folder(), &["--engine", "scalar,scalar", "puzzles.txt"], "").len(), 1);
}

#[test]
fn without_input_the_bundled_sets_are_measured() {
    let measured = json(&Folder::new(), &[], "");
    let sets: Vec<_> = measured.iter().map(|m| m["set"].as_str().unwrap()).collect();
    let bundled: Vec<_> = bulkdoku::bundled::BUNDLED.iter().map(|set| set.name).collect();
    assert_eq!(sets, bundled);
}

#[test]
fn a_baseline_is_compared_with_and_decides_the_exit_status() {
    let folder = folder();
    assert_eq!(bench(&folder, &["puzzles.txt", "-o", "before.json"], "").status, 0);
    let mut earlier: Vec<Value> = serde_json::from_str(&folder.read("before.json")).unwrap();
    let write =
        |earlier: &[Value]| folder.file("before.json", serde_json::to_vec(earlier).unwrap());
    let with_times = |ns: f64| {
        let mut earlier = earlier.clone();
        for field in ["ns_per_puzzle", "ns_min", "ns_max"] {
            earlier[0][field] = ns.into();
        }
        write(&earlier)
    };
    let compared = |options: &[&str]| {
        let ran =
            bench(&folder, &[&["puzzles.txt", "--baseline", "before.json"], options].concat(), "");
        (ran.status, ran.messages)
    };
    with_times(1e-6);
    let (status, errors) = compared(&["--fail-above", "5%"]);
    assert_eq!(status, 1, "{errors}");
    assert!(errors.contains("slower by ") && errors.contains("more than 5 %"), "{errors}");
    assert_eq!(compared(&[]).0, 0);
    with_times(1e12);
    let (status, errors) = compared(&["--fail-above", "1"]);
    assert_eq!((status, errors.contains("another machine")), (0, false), "{errors}");
    assert!(errors.contains("1 of 1 changed beyond the spread"), "{errors}");
    assert!(errors.contains(": 1000000000000.0 ns per puzzle before, now "), "{errors}");
    earlier[0]["machine"]["cpu"] = "Abacus".into();
    write(&earlier);
    assert!(compared(&[]).1.contains("on another machine."));
    // Baselines of earlier versions lack the new fields.
    for field in ["machine", "version", "date", "bad_records"] {
        earlier[0].as_object_mut().unwrap().remove(field).unwrap();
    }
    write(&earlier);
    assert_eq!(compared(&[]).0, 0);

    // Measurements missing in the baseline are reported before anything is measured.
    for options in [&["--first"][..], &["--threads", "1,2"], &["--engine", "lanes,scalar"]] {
        let (status, errors) = compared(options);
        assert_eq!(status, 2, "{errors}");
        assert!(errors.contains("has no measurement of\n  puzzles.txt "), "{errors}");
    }
    // The baseline is not overwritten.
    let was = folder.read("before.json");
    assert_eq!(compared(&["-o", "before.json", "--force"]).0, 2);
    assert_eq!(folder.read("before.json"), was);
    assert_eq!(compared(&["--fail-above", "-5%"]).0, 2);
}

#[test]
fn sets_are_read_in_every_form_that_solve_reads() {
    let folder = folder();
    for (name, text, options) in [
        ("two.csv", format!("a,b\n{CLASSIC},{CLASSIC}\n").into_bytes(), &["--column", "b"][..]),
        ("packed.gz", gz([CLASSIC, SOLVED].map(grid).join("\n")), &[]),
    ] {
        folder.file(name, text);
        let measured = json(&folder, &[&[name], options].concat(), "");
        assert_eq!((measured.len(), measured[0]["rows"].as_u64()), (1, Some(50)), "{name}");
    }
    // Pencil marks that clues can express are a puzzle.
    let puzzle = bulkdoku::Marks::from(&CLASSIC.parse().unwrap()).to_string();
    assert_eq!(json(&folder, &["-"], puzzle)[0]["set"], "<stdin>");
    // Other pencil marks are not measured.
    let mut marks = bulkdoku::Marks::from(&CLASSIC.parse().unwrap());
    marks.set(2, bulkdoku::marks::Digits::one(4));
    let mut digits = bulkdoku::marks::Digits::one(6);
    digits.insert(7);
    marks.set(3, digits);
    let text = format!("{marks}\n{CLASSIC}\nbad\n{marks}\n");
    let measured = json(&folder, &["--engine", "lanes,scalar", "-"], text);
    let bad: Vec<_> = measured.iter().map(|m| m["bad_records"].as_u64().unwrap()).collect();
    assert_eq!(bad, [3, 3]);
}

#[test]
fn bad_records_are_named_and_counted_and_the_others_measured() {
    let folder = Folder::new();
    let text = format!("{CLASSIC}\n{}\n# comment\n{SOLVED}\n", &CLASSIC[1..]);
    folder.file("bad.txt", text + &"bad\n".repeat(1199));
    let ran = bench(&folder, &["bad.txt", "-o", "out.json"], "");
    ran.expect(0, "bad.txt:2:81: malformed: 80 cells");
    ran.expect(0, "bad.txt: 1,200 records not used");
    ran.expect(0, "… and 1,180 more\n");
    assert_eq!(ran.messages.lines().count(), 22, "{ran:?}");
    let measured: Vec<Value> = serde_json::from_str(&folder.read("out.json")).unwrap();
    assert_eq!(measured[0]["bad_records"], 1200);
    folder.file("bad.txt", "bad\n");
    folder.assert_refused(&[("bench bad.txt", "no puzzle")]);
}

#[test]
fn a_sample_is_drawn_from_all_of_a_pipe() {
    let puzzles = format!("{CLASSIC}\n").repeat(500) + &format!("{HARDEST}\n").repeat(500);
    let measured = json(&Folder::new(), &["-"], puzzles);
    assert_eq!(measured[0]["rows"], 50, "{measured:?}");
    // Only the second half of the puzzles needs guesses.
    let share = measured[0]["share_without_guess"].as_f64().unwrap();
    assert!(share > 0.0 && share < 1.0, "{measured:?}");
}
