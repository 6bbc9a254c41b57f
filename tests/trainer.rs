//! The layout that HRM and TRM load, read like their loader
//! (<https://github.com/sapientinc/HRM/blob/main/puzzle_dataset.py>) by an array reader that is
//! independent of the writer.

use std::collections::HashSet;

use bulkdoku::{Grid, Puzzle};
use serde_json::Value;

use crate::common::command::{CLASSIC, Folder, SOLVED};

/// An array with its type, shape, and bytes.
struct Array {
    descr: String,
    shape: Vec<usize>,
    data: Vec<u8>,
}

fn array(folder: &Folder, name: &str) -> Array {
    let bytes = std::fs::read(folder.path(name)).unwrap();
    assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00", "{name}");
    let end = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    assert_eq!(end % 64, 0);
    let header = std::str::from_utf8(&bytes[10..end]).unwrap();
    let after = |key: &str| header.split_once(key).unwrap().1;
    let descr = after("'descr': '").split('\'').next().unwrap().to_owned();
    assert!(header.contains("'fortran_order': False"), "{header}");
    let shape = after("'shape': (").split(')').next().unwrap().split(',');
    let shape: Vec<usize> = shape.filter_map(|length| length.trim().parse().ok()).collect();
    let data = bytes[end..].to_vec();
    let item = if descr == "<i4" { 4 } else { 1 };
    assert_eq!(data.len(), item * shape.iter().product::<usize>(), "{name}: {header}");
    Array { descr, shape, data }
}

fn indices(folder: &Folder, name: &str) -> Vec<usize> {
    let array = array(folder, name);
    assert_eq!((&*array.descr, array.shape.len()), ("<i4", 1));
    let (numbers, _) = array.data.as_chunks();
    numbers.iter().map(|bytes| i32::from_le_bytes(*bytes) as usize).collect()
}

fn json(folder: &Folder, name: &str) -> Value {
    serde_json::from_str(&folder.read(name)).unwrap()
}

/// Returns the groups of a set, each with pairs of a puzzle and its solution.
fn load(folder: &Folder, set: &str) -> Vec<Vec<(Puzzle, Puzzle)>> {
    let metadata = json(folder, &format!("{set}/dataset.json"));
    for (key, value) in [
        ("pad_id", 0),
        ("ignore_label_id", 0),
        ("blank_identifier_id", 0),
        ("vocab_size", 11),
        ("seq_len", 81),
        ("num_puzzle_identifiers", 1),
        ("mean_puzzle_examples", 1),
    ] {
        assert_eq!(metadata[key].as_f64(), Some(f64::from(value)), "{key}");
    }
    assert_eq!(metadata["sets"], serde_json::json!(["all"]));
    let [inputs, labels] =
        ["inputs", "labels"].map(|part| array(folder, &format!("{set}/all__{part}.npy")));
    let [puzzles, groups, identifiers] = ["puzzle_indices", "group_indices", "puzzle_identifiers"]
        .map(|part| indices(folder, &format!("{set}/all__{part}.npy")));
    let count = inputs.shape[0];
    for array in [&inputs, &labels] {
        assert_eq!((&*array.descr, &array.shape), ("|u1", &vec![count, 81]));
    }
    assert_eq!(identifiers, vec![0; count]);
    assert_eq!(puzzles, (0..=count).collect::<Vec<_>>());
    assert_eq!((groups[0], *groups.last().unwrap()), (0, count));
    assert_eq!(metadata["total_groups"], groups.len() - 1);
    assert_eq!(metadata["total_puzzles"], groups.len() - 1);
    let board = |array: &Array, row: usize| {
        let tokens = &array.data[81 * row..81 * (row + 1)];
        Puzzle::from_cells(std::array::from_fn(|cell| tokens[cell] - 1)).unwrap()
    };
    let group = |ends: &[usize]| {
        assert!(ends[0] < ends[1], "empty group");
        (ends[0]..ends[1]).map(|row| (board(&inputs, row), board(&labels, row))).collect()
    };
    groups.windows(2).map(group).collect()
}

fn solves(solution: &Puzzle, puzzle: &Puzzle) -> bool {
    Grid::try_from(*solution.cells()).is_ok_and(|grid| grid.solves(puzzle))
}

/// Creates a table of 60 puzzles with solutions.
fn solved(folder: &Folder) -> Vec<(Puzzle, Puzzle)> {
    let line = "generate -n 60 --seed 4 --columns puzzle,solution -o in.csv";
    assert_eq!(folder.line(line).status, 0);
    let text = folder.read("in.csv");
    let pairs = text.lines().skip(1).map(|line| line.split_once(',').unwrap());
    pairs.map(|(puzzle, solution)| (puzzle.parse().unwrap(), solution.parse().unwrap())).collect()
}

#[test]
fn isomorphs_of_a_puzzle_are_a_group_of_the_layout() {
    let folder = Folder::new();
    let originals = solved(&folder);
    for (copies, options) in [(40, " -j 1"), (700, " -j 7")] {
        let line = format!(
            "augment in.csv --times {copies} --original --seed 1 --layout hrm -o out --force"
        );
        let ran = folder.line(&(line + options));
        assert_eq!(ran.status, 0, "{ran:?}");
        assert_eq!(json(&folder, "out/identifiers.json"), serde_json::json!(["<blank>"]));
        let groups = load(&folder, "out/train");
        assert_eq!(groups.len(), 60);
        for (group, original) in groups.iter().zip(&originals) {
            assert_eq!((group.len(), group[0]), (copies + 1, *original));
            let different: HashSet<_> = group.iter().map(|(puzzle, _)| *puzzle).collect();
            assert_eq!(different.len(), group.len());
            assert!(group.iter().all(|(puzzle, solution)| solves(solution, puzzle)));
            let form = original.0.canonical().unwrap().form;
            for (puzzle, _) in group.iter().step_by(17) {
                assert_eq!(puzzle.canonical().unwrap().form, form);
            }
        }
    }
    let files = |name: &str| std::fs::read(folder.path(name)).unwrap();
    let before = files("out/train/all__inputs.npy");
    let same = "augment in.csv --times 700 --original --seed 1 --layout hrm -o out -j 2";
    assert_eq!(folder.line(same).status, 2, "it exists");
    assert_eq!(folder.line(&format!("{same} --force")).status, 0);
    assert!(files("out/train/all__inputs.npy") == before);
    assert_eq!(folder.names(), ["in.csv", "out"], "no temporary file is left");
}

#[test]
fn hints_are_cells_of_the_solution() {
    let folder = Folder::new();
    let originals = solved(&folder);
    let line = "augment in.csv --times 30 --seed 1 --hints 2..5 --layout hrm -o out";
    assert_eq!(folder.line(line).status, 0);
    let mut counts = [0; 7];
    for (group, (original, _)) in load(&folder, "out/train").iter().zip(&originals) {
        assert_eq!(group.iter().collect::<HashSet<_>>().len(), 30);
        for (puzzle, solution) in group {
            assert!(solves(solution, puzzle));
            counts[puzzle.clues() - original.clues()] += 1;
        }
    }
    assert_eq!((counts[..2].iter().sum::<i32>(), counts[6]), (0, 0));
    assert!(counts[2..6].iter().all(|count| (350..550).contains(count)), "{counts:?}");
    folder.assert_refused(&[
        ("augment in.csv --seed 1 --hints 5..2 -o a.csv", "5 is more than 2"),
        ("augment in.csv --column 1 --seed 1 --layout hrm -o out", "exists"),
    ]);
}

#[test]
fn solved_and_generated_puzzles_are_groups_of_one() {
    let folder = Folder::new();
    let originals = solved(&folder);
    let lines: String = originals.iter().map(|(puzzle, _)| format!("{puzzle}\n")).collect();
    let several = CLASSIC.replace('3', ".");
    folder.file("in", format!("{lines}bad\n{several}\n{CLASSIC}\n"));
    let ran = folder.line("solve in --layout hrm --subset test -o out");
    assert_eq!(ran.status, 1);
    let groups = load(&folder, "out/test");
    let found: Vec<_> = groups.concat();
    let classic = (CLASSIC.parse().unwrap(), SOLVED.parse().unwrap());
    assert_eq!(found, [&originals[..], &[classic]].concat());
    assert!(groups.iter().all(|group| group.len() == 1));
    // Each run adds a set to the folder.
    assert_eq!(folder.line("generate -n 60 --seed 4 --layout hrm -o out").status, 0);
    assert_eq!(load(&folder, "out/train").concat(), originals);
    assert_eq!(load(&folder, "out/test").concat(), found);
    assert_eq!(folder.line("solve in --layout hrm --subset val -o out -q").status, 1);
    assert_eq!(load(&folder, "out/val").concat(), found);
    // A set without puzzles is valid.
    assert_eq!(folder.line("generate -n 0 --seed 4 --layout hrm -o none").status, 0);
    assert_eq!(load(&folder, "none/train").len(), 0);
    folder.file("p.csv", format!("puzzle\n{CLASSIC}\n"));
    folder.assert_refused(&[
        ("solve in --layout hrm --format csv -o x", "cannot be combined with --format"),
        ("solve in --layout hrm --columns puzzle -o x", "cannot be combined with --columns"),
        ("solve in --layout hrm -o -", "name a folder"),
        ("solve in --layout hrm -o in", "name a folder"),
        ("solve in --layout hrm --solutions 3 -o x", "cannot be combined with --layout"),
        ("solve in --subset test -o x", "--layout"),
        ("solve in --layout hrm --subset ../x -o x", "expected a name"),
        ("augment p.csv --seed 1 --layout hrm -o x", "needs solutions"),
        ("augment p.csv --seed 1 --hints 3 -o x.csv", "needs solutions"),
    ]);
}

#[test]
fn arrays_are_written_with_the_offset_with_which_they_are_read() {
    let folder = Folder::new();
    let originals = solved(&folder);
    let cells = |name: &str| array(&folder, name).data;
    assert_eq!(folder.line("canon in.csv --columns puzzle -o plain.npy -q").status, 0);
    assert_eq!(folder.line("canon in.csv --columns puzzle --npy-offset 1 -o one.npy").status, 0);
    let shifted: Vec<u8> = cells("plain.npy").iter().map(|cell| cell + 1).collect();
    assert!(cells("one.npy") == shifted);
    assert_eq!(folder.line("solve one.npy --npy-offset 1 --columns puzzle -o two.npy").status, 0);
    assert!(cells("two.npy") == shifted);
    let first: Vec<u8> = originals[0].0.cells().iter().map(|cell| cell + 1).collect();
    assert_eq!(shifted[..81], first);
}

#[test]
fn wrong_solutions_are_mismatches_and_are_not_copied() {
    let folder = Folder::new();
    let pairs = solved(&folder);
    let [right, other] = [pairs[0].1, pairs[1].1].map(|solution| solution.to_string());
    let puzzle = pairs[0].0;
    let incomplete = format!(".{}", &right[1..]);
    folder.file(
        "bad.csv",
        format!(
            "puzzle,solution\n{puzzle},{other}\n{puzzle},{right}\n{puzzle},{incomplete}\n\
             {puzzle},\n{puzzle},12\n"
        ),
    );
    let ran = folder.line("augment bad.csv --times 2 --seed 1 --columns line");
    assert_eq!((&*ran.rows, ran.status), ("line\n3\n3\n5\n5\n", 1));
    for line in ["bad.csv:2:", "bad.csv:4:", "bad.csv:6:"] {
        assert!(ran.messages.contains(line), "{}", ran.messages);
    }
    for what in ["a clue is changed", "not complete", "mismatch                  3"] {
        assert!(ran.messages.contains(what), "{what}: {}", ran.messages);
    }
    // check finds the same mismatches, and the missing solution.
    let checked = folder.line("check bad.csv --columns line,status --where status=='mismatch'");
    assert_eq!(checked.rows.lines().count(), 1 + 4);
    // The layout requires labels.
    let ran = folder.line("augment bad.csv --times 2 --seed 1 --layout hrm -o out");
    assert!(ran.status == 1 && ran.messages.contains("mismatch                  4"), "{ran:?}");
    assert_eq!(load(&folder, "out/train").len(), 1);
}

#[test]
fn entries_of_reasoning_gym_have_question_answer_and_difficulty() {
    let folder = Folder::new();
    folder.file("in.txt", format!("{CLASSIC}\n{}\n{SOLVED}\n", ".".repeat(81)));
    let ran = folder.line("solve in.txt --layout reasoning-gym -o entries.jsonl -q --fail-on none");
    assert_eq!(ran.status, 0, "{ran:?}");
    let text = folder.read("entries.jsonl");
    let entries: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(entries.len(), 2, "{text}");
    let lines = |cells: &str| {
        let row =
            |row: &[u8]| row.iter().map(|&cell| char::from(cell).to_string()).collect::<Vec<_>>();
        let rows = cells.as_bytes().chunks(9).map(|cells| row(cells).join(" "));
        rows.collect::<Vec<_>>().join("\n")
    };
    let nested = |cells: &str| -> Value {
        let row = |row: &[u8]| row.iter().map(|cell| cell - b'0').collect::<Vec<_>>();
        cells.as_bytes().chunks(9).map(row).collect()
    };
    let (puzzle, entry) = (CLASSIC.replace('.', "_"), &entries[0]);
    let question = entry["question"].as_str().unwrap();
    assert!(
        question.starts_with(&format!("Solve this Sudoku puzzle:\n{}\nRespond", lines(&puzzle)))
    );
    assert_eq!(entry["answer"], lines(SOLVED));
    let metadata = &entry["metadata"];
    assert_eq!(metadata["puzzle"], nested(&CLASSIC.replace('.', "0")));
    assert_eq!(metadata["solution"], nested(SOLVED));
    assert_eq!(metadata["num_empty"], 51);
    let columns = "solve in.txt --columns technique,score,steps --format jsonl -q --fail-on none";
    let ran = folder.line(columns);
    let mut difficulty: Value = serde_json::from_str(ran.rows.lines().next().unwrap()).unwrap();
    difficulty["num_empty"] = 51.into();
    assert_eq!(metadata["difficulty"], difficulty);
    folder.assert_refused(&[(
        "solve in.txt --layout reasoning-gym --subset test -o x.jsonl",
        "--subset cannot be combined with --layout reasoning-gym",
    )]);
}
