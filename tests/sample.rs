//! Tests `bulkdoku sample`.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use bulkdoku::generate::{Generator, Kind};

use crate::common::command::Folder;
use crate::common::contents::{gz, table};

/// Creates a table of this many puzzles from three sources, with one invalid record.
fn set(folder: &Folder, count: u64) {
    let mut generator = Generator::new();
    let row = |index: u64| {
        if index == 5 {
            return "5,bad,small".to_owned();
        }
        let other = ["a", "\"b, c\""][index as usize % 2];
        let source = if index.is_multiple_of(50) { "small" } else { other };
        let kind = if index.is_multiple_of(3) { Kind::Several } else { Kind::Minimal };
        format!("{index},{},{source}", generator.puzzle(kind, 1, index))
    };
    let rows: Vec<_> = (0..count).map(row).collect();
    folder.file("in.csv", format!("id,puzzle,source\n{}\n", rows.join("\n")));
}

fn ids(rows: &str) -> Vec<usize> {
    table(rows).iter().map(|row| row["id"].parse().unwrap()).collect()
}

#[test]
fn samples_are_reproducible_in_order_and_without_repetition() {
    let folder = Folder::new();
    set(&folder, 200);
    folder.file("in.csv.gz", gz(folder.read("in.csv")));
    let sample = |input: &str, more: &str| {
        let ran = folder.line(&format!("sample {input} -q --fail-on none {more}"));
        assert_eq!(ran.status, 0, "{ran:?}");
        ids(&ran.rows)
    };
    let drawn = sample("in.csv", "--count 40 --seed 1");
    assert_eq!(drawn.len(), 40);
    assert!(drawn.is_sorted_by(|a, b| a < b) && !drawn.contains(&5), "{drawn:?}");
    assert_eq!(sample("in.csv", "--count 40 --seed 1 -j 1"), drawn);
    assert_eq!(sample("in.csv.gz", "--count 40 --seed 1 -j 7"), drawn);
    assert_ne!(sample("in.csv", "--count 40 --seed 2"), drawn);
    // A smaller sample is a subset of a larger one.
    assert!(sample("in.csv", "--count 10 --seed 1").iter().all(|id| drawn.contains(id)));
    assert_eq!(sample("in.csv", "--count 1000 --seed 1").len(), 199);
    let both = sample("in.csv in.csv.gz", "--count 398 --seed 1");
    assert_eq!(both.iter().collect::<BTreeSet<_>>().len(), 199);
    assert_eq!(both.len(), 398);
}

#[test]
fn each_stratum_has_its_records_and_short_ones_are_reported() {
    let folder = Folder::new();
    set(&folder, 200);
    let ran = folder.line("sample in.csv --per source=20 --seed 3");
    assert_eq!(ran.status, 1, "{ran:?}");
    let mut counts = BTreeMap::new();
    for row in table(&ran.rows) {
        *counts.entry(row["source"].clone()).or_insert(0) += 1;
    }
    assert_eq!(
        counts,
        [("a", 20), ("b, c", 20), ("small", 4)].map(|(name, n)| (name.into(), n)).into()
    );
    assert!(ran.messages.contains("source small: 4 records (short of 20)"), "{}", ran.messages);
    assert!(ran.messages.contains("source a: 20 records\n"), "{}", ran.messages);
    // Compare with the levels of all records.
    let all = table(&folder.line("solve in.csv -q --columns level,status,id").rows);
    let level: BTreeMap<_, _> =
        all.iter().map(|row| (row["id"].clone(), row["level"].clone())).collect();
    let ran = folder.line("sample in.csv --per level=6 --seed 3");
    let (mut expected, mut found) = (BTreeMap::new(), BTreeMap::new());
    level
        .iter()
        .filter(|(id, _)| *id != "5")
        .for_each(|(_, level)| *expected.entry(level).or_insert(0) += 1);
    expected.values_mut().for_each(|count: &mut i32| *count = (*count).min(6));
    ids(&ran.rows).iter().for_each(|id| *found.entry(&level[&id.to_string()]).or_insert(0) += 1);
    assert!(expected.len() > 2, "{expected:?}");
    assert_eq!(found, expected);
    assert!(ran.messages.contains("level (none): 6 records"), "{}", ran.messages);
}

#[test]
fn every_record_is_drawn_equally_often() {
    let folder = Folder::new();
    set(&folder, 40);
    let mut drawn = [0_u32; 40];
    for seed in 0..60 {
        let ran = folder.line(&format!("sample in.csv -q --count 13 --seed {seed}"));
        ids(&ran.rows).iter().for_each(|&id| drawn[id] += 1);
    }
    // 20 of 60 on average, with a standard deviation of 3.7.
    let valid = drawn.iter().enumerate().filter(|(id, _)| *id != 5).map(|(_, count)| *count);
    assert!(valid.clone().all(|count| (4..37).contains(&count)), "{drawn:?}");
    assert_eq!(valid.sum::<u32>(), 60 * 13);
}

#[test]
fn options_of_a_sample_are_checked() {
    let folder = Folder::new();
    set(&folder, 3);
    folder.assert_refused(&[
        ("sample in.csv --count 3", "--seed"),
        ("sample in.csv", "--count"),
        ("sample in.csv --per level --seed 1", "level=1000"),
        ("sample in.csv --per color=3 --seed 1", "--per: the input has no column"),
        ("sample - --count 3 --seed 1", "inputs are read twice"),
        ("sample in.csv --count 3 --seed 1 --where x=1", "character 2"),
    ]);
}

#[test]
fn a_sample_is_resumed_in_every_format() {
    let folder = Folder::new();
    set(&folder, 300);
    for name in ["out.csv", "out.jsonl.gz", "out.lines"] {
        let ran = folder.line(&format!("sample in.csv -q --count 50 --seed 1 -o whole-{name}"));
        assert_eq!(ran.status, 1, "{ran:?}");
        let again =
            folder.line(&format!("sample in.csv -q --count 50 --seed 1 -o {name} --resume"));
        assert_eq!(again.status, 1, "{again:?}");
        let bytes = |name: &str| std::fs::read(folder.path(name)).unwrap();
        assert_eq!(bytes(name), bytes(&format!("whole-{name}")));
    }
    let puzzles = folder.line("sample in.csv -q --count 50 --seed 1 --format lines").rows;
    assert_eq!(puzzles.lines().filter(|line| line.len() == 81).count(), 50);
}

#[test]
fn techniques_are_strata_and_conditions() {
    let folder = Folder::new();
    set(&folder, 150);
    let columns = "solve in.csv -q --fail-on none --columns id,puzzle,technique,clues -o rated.csv";
    assert_eq!(folder.line(columns).status, 0);
    let rated = table(&folder.read("rated.csv"));
    let technique = |id: usize| rated.iter().find(|row| row["id"] == id.to_string()).unwrap();
    let ran = folder.line("sample in.csv --per technique=2 --seed 1 --fail-on none");
    let mut counts = BTreeMap::new();
    for id in ids(&ran.rows) {
        *counts.entry(technique(id)["technique"].clone()).or_insert(0) += 1;
    }
    let mut all = BTreeMap::new();
    for row in rated.iter().filter(|row| row["puzzle"].len() == 81) {
        *all.entry(row["technique"].clone()).or_insert(0) += 1;
    }
    assert!(all.len() > 5, "{all:?}");
    for (technique, count) in all {
        assert_eq!(counts.get(&technique), Some(&count.min(2)), "{technique}");
    }
    let args = ["in.csv", "-q", "--fail-on", "none", "--count", "99", "--seed", "1", "--where"];
    let condition = "technique == \"hidden-single-line\" and clues <= 24";
    let ran = folder.run("sample", &[&args[..], &[condition]].concat(), "");
    let meets = |row: &&HashMap<String, String>| {
        row["technique"] == "hidden-single-line" && row["clues"].parse::<u8>().unwrap() <= 24
    };
    let expected: Vec<usize> =
        rated.iter().filter(meets).map(|row| row["id"].parse().unwrap()).collect();
    assert!(!expected.is_empty());
    assert_eq!(ids(&ran.rows), expected);
}
