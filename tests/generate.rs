//! Tests `bulkdoku generate`.

use std::collections::HashSet;
use std::fs;
use std::io::{BufRead, BufReader};

use bulkdoku::logic::Difficulty;

use crate::common::command::{CLASSIC, Folder, Ran};
use crate::common::{SEVENTEEN, form};

fn generate(options: &str) -> Ran {
    Folder::new().line(&format!("generate {options}"))
}

fn lines(ran: &Ran) -> Vec<String> {
    ran.rows.lines().map(String::from).collect()
}

#[test]
fn only_puzzles_with_one_solution_have_it() {
    for (kind, solutions) in [("several", "2"), ("unsolvable", "0"), ("minimal", "1")] {
        let columns = "--format csv --columns solution,solutions";
        let ran = generate(&format!("-n 20 -s 1 -k {kind} {columns}"));
        for row in ran.records() {
            let (solution, count) = row.split_once(',').unwrap();
            assert_eq!((solution.len() == 81, count), (kind == "minimal", solutions), "{row}");
        }
    }
}

#[test]
fn the_bundled_sets_are_made_by_their_commands() {
    for set in ["easy", "minimal", "several"] {
        // The default is minimal.
        let kind = if set == "minimal" { "" } else { &format!("--kind {set}") };
        let made = lines(&generate(&format!("--count 100 --seed 1 {kind}")));
        let path = format!("{}/datasets/{set}.txt", env!("CARGO_MANIFEST_DIR"));
        let bundled = fs::read_to_string(path).expect("it is there");
        assert!(bundled.lines().take(made.len()).eq(&made), "{set}");
    }
}

#[test]
fn without_a_seed_one_is_drawn_and_printed() {
    let drawn = generate("--count 3");
    let seed = drawn.messages.lines().next().unwrap().strip_prefix("seed ").expect("a seed");
    assert_eq!(generate(&format!("--count 3 --seed {seed}")).rows, drawn.rows);
    assert_ne!(generate("--count 3").rows, drawn.rows);
}

#[test]
fn parts_make_the_whole() {
    let columns = "id,puzzle,solution,status,seed";
    let options = format!("--seed 5 --format csv --columns {columns}");
    let whole = lines(&generate(&format!("--count 1500 {options}")));
    assert_eq!(whole[0], columns);
    for (i, row) in whole[1..].iter().enumerate() {
        let fields: Vec<_> = row.split(',').collect();
        assert_eq!([fields[0], fields[3], fields[4]], [&i.to_string(), "unique", "5"], "{row}");
    }
    let part = lines(&generate(&format!("--skip 1111 --count 20 {options}")));
    assert_eq!(part[1..], whole[1112..1132]);
}

#[test]
fn all_levels_and_numbers_of_threads_make_the_same_bytes() {
    let kinds = "--kind minimal;--kind easy;--kind several;--kind unsolvable;--kind solved;\
                 --clues 22..23;--symmetry rot180;--grids uniform;--where guesses>=3;\
                 --where difficulty=='medium';--kind hard;--kind hard --objective score";
    for (number, what) in kinds.split(';').enumerate() {
        let line = format!("generate --count 4 --seed 9 {what}");
        let folder = Folder::new();
        let one = folder.line(&format!("{line} -j 1"));
        assert_eq!((one.status, lines(&one).len()), (0, 4), "{what}");
        let levels = bulkdoku::SimdLevel::available();
        let level = levels[number % levels.len()];
        let other = folder.line(&format!("{line} -j 3 --simd {}", level.name()));
        assert_eq!(other.rows, one.rows, "{what} {level}");
    }
}

#[test]
fn formats_show_what_is_made() {
    let made = |format: &str| generate(&format!("--count 2 --seed 1 --format {format}"));
    let puzzles = lines(&made("lines"));
    for (i, (row, puzzle)) in made("jsonl").objects().iter().zip(&puzzles).enumerate() {
        assert_eq!((&row["id"], &row["puzzle"]), (&i.into(), &puzzle.as_str().into()));
    }
    let grid = lines(&made("grid"));
    assert_eq!(grid[0], "# row 0 of seed 1");
    assert_eq!(grid[1..10].concat(), puzzles[0]);
    let facts = made("csv --columns puzzle,clues,difficulty,minimal,canonical");
    for (row, puzzle) in lines(&facts)[1..].iter().zip(&puzzles) {
        let fields: Vec<_> = row.split(',').collect();
        let clues = (81 - puzzle.matches('.').count()).to_string();
        assert_eq!(fields[..2], [puzzle.as_str(), &clues]);
        assert!(fields[2].parse::<Difficulty>().is_ok());
        assert_eq!(fields[4], form(puzzle));
    }
    for row in &lines(&made("csv --kind solved"))[1..] {
        let fields: Vec<_> = row.split(',').collect();
        assert_eq!(fields[1], fields[2], "a grid is its own solution");
    }
}

#[test]
fn clues_follow_a_pattern() {
    let folder = Folder::new();
    let mask = CLASSIC.replace(|cell| cell != '.', "#");
    folder.file("mask.txt", &mask);
    let made = folder.line("generate -n 20 --seed 1 --pattern mask.txt");
    assert_eq!(lines(&made).len(), 20, "{made:?}");
    let is_exact = |line: &String| line.replace(|cell| cell != '.', "#") == mask;
    assert!(lines(&made).iter().all(is_exact), "{made:?}");
    assert!(made.messages.contains("of kind unique"), "{made:?}");
    let few = ".796..5.....7....4..635..8..5...6.......9..431.........4..72.6....1......35.....9";
    let line = format!(
        "generate -n 1 --seed 1 --kind minimal --pattern {few} --columns clues,minimal --format csv"
    );
    assert_eq!(folder.line(&line).rows, "clues,minimal\n24,true\n");
}

/// In uniform grids, all digits and cells are clues equally often. The chi-square bounds hold in
/// 999 of 1000 cases.
#[test]
fn digits_and_cells_are_equally_often_clues() {
    let made = lines(&generate("--count 2000 --seed 77 --grids uniform"));
    let mut digits = [0.0; 9];
    let mut cells = [0.0; 81];
    for line in &made {
        for (cell, byte) in line.bytes().enumerate().filter(|(_, byte)| *byte != b'.') {
            digits[usize::from(byte - b'1')] += 1.0;
            cells[cell] += 1.0;
        }
    }
    // 8 and 80 degrees of freedom.
    for (counts, bound) in [(&digits[..], 26.1), (&cells, 124.8)] {
        let mean = counts.iter().sum::<f64>() / counts.len() as f64;
        let chi_square: f64 = counts.iter().map(|n| (n - mean) * (n - mean) / mean).sum();
        assert!(chi_square < bound, "{counts:?}: {chi_square}");
    }
    let mean = digits.iter().sum::<f64>() / made.len() as f64;
    assert!((24.2..24.6).contains(&mean), "{mean}");
}

#[test]
fn hard_puzzles_are_minimal_and_of_distinct_classes_and_have_the_ratings_of_solve() {
    let folder = Folder::new();
    folder.file("pool", format!("{SEVENTEEN}\n{CLASSIC}\n"));
    for (options, rating, least, count) in [
        ("--at-least 10 -n 30", "guess_rating", 10.0, 30),
        ("--at-least 10 -n 9 --where guess_rating>14", "guess_rating", 14.0, 9),
        ("--at-least 5 -n 20 --from pool", "guess_rating", 5.0, 20),
        ("--at-least 4 -n 5 --skip 7", "guess_rating", 4.0, 5),
        ("--objective se121 --at-least 7.1 -n 5", "se121", 7.1, 5),
        ("--objective score --at-least 3000 -n 5", "score", 3000.0, 5),
    ] {
        let columns = "--columns guess_rating,se121,score,status,minimal,canonical,puzzle";
        let made = folder.line(&format!("generate -q --kind hard --seed 5 {options} {columns}"));
        let puzzles = column(&made, "puzzle").join("\n");
        let solved = folder.with_input(&format!("solve -q - --rating-over 8 {columns}"), &puzzles);
        assert_eq!(made.rows, solved.rows, "{options}");
        assert_eq!(made.rows.matches(",unique,true,").count(), count, "{options}");
        let mut ratings = column(&made, rating).into_iter().map(|it| it.parse::<f64>().unwrap());
        assert!(ratings.all(|rating| rating >= least), "{options}: {made:?}");
        assert_eq!(HashSet::<_>::from_iter(column(&made, "canonical")).len(), count, "{options}");
        assert!(!puzzles.contains(SEVENTEEN), "{options}");
    }
}

/// Returns the values of a column of CSV without quotes.
fn column(ran: &Ran, name: &str) -> Vec<String> {
    let lines = lines(ran);
    let place = lines[0].split(',').position(|column| column == name).expect("the column is there");
    lines[1..].iter().map(|row| row.split(',').nth(place).unwrap().into()).collect()
}

#[test]
fn rows_meet_a_condition() {
    type Holds = fn(&str, usize) -> bool;
    let conditions: [(&str, Holds); 4] = [
        ("technique == 'xy-wing'", |technique, _| technique == "xy-wing"),
        ("technique in ('naked-pair', 'pointing') and clues <= 23", |technique, clues| {
            ["naked-pair", "pointing"].contains(&technique) && clues <= 23
        }),
        ("not (technique > 'hidden-single-line')", |technique, _| {
            technique.starts_with("hidden-single")
        }),
        ("clues == 23 or technique == 'pointing'", |technique, clues| {
            technique == "pointing" || clues == 23
        }),
    ];
    for (condition, holds) in conditions {
        let made = |options: &str| {
            let columns = "--format csv --columns id,puzzle,technique,clues";
            generate(&format!("--seed 3 {options} --where \"{condition}\" {columns}"))
        };
        let ran = made("-n 12 -j 1");
        assert_eq!(ran.status, 0, "{ran:?}");
        assert!(ran.messages.contains(" drawn, ") && ran.messages.contains(" per row"), "{ran:?}");
        let clues = column(&ran, "clues").into_iter().map(|clues| clues.parse().unwrap());
        for (technique, clues) in column(&ran, "technique").iter().zip(clues) {
            assert!(holds(technique, clues), "{condition}: {technique} {clues}");
        }
        let puzzles: HashSet<_> = column(&ran, "puzzle").into_iter().collect();
        assert_eq!(puzzles.len(), 12, "{condition}");
        let ids: Vec<_> = (0..12).map(|id| id.to_string()).collect();
        assert_eq!(column(&ran, "id"), ids);
        assert_eq!(made("-n 12 -j 3").rows, ran.rows, "{condition}");
        assert_eq!(lines(&made("-n 5 -j 2")), lines(&ran)[..6], "{condition}");
    }
}

#[test]
fn a_row_that_meets_the_condition_at_once_is_that_of_the_corpus() {
    let plain = lines(&generate("--count 40 --seed 3"));
    let chosen = lines(&generate("--count 40 --seed 3 --where clues<=24"));
    let clues = |puzzle: &str| 81 - puzzle.matches('.').count();
    for (plain, chosen) in plain.iter().zip(&chosen) {
        assert_eq!(plain == chosen, clues(plain) <= 24);
        assert!(clues(chosen) <= 24);
    }
}

#[test]
fn many_draws_without_a_row_are_noted() {
    let folder = Folder::new();
    let mut run = folder.start("generate --count 1 --seed 1 --kind solved --where puzzle=='x'");
    let mut messages = BufReader::new(run.stderr.take().unwrap()).lines().map(Result::unwrap);
    let note = messages.find(|message| message.contains("so far"));
    run.kill().unwrap();
    run.wait().unwrap();
    let note = note.expect("the run does not end by itself");
    assert!(
        note.starts_with("no row from 1") && note.contains(" drawn puzzles so far: few fit"),
        "{note}"
    );
}

#[test]
fn pages_have_six_puzzles_and_the_solutions_at_the_end() {
    let folder = Folder::new();
    for (count, options) in [
        (13, "-o pages.html"),
        (13, "-o rows.csv --columns puzzle,solution"),
        (13, "-o looks.html --title \"A & B\""),
        (1, "-o several.html -k several"),
    ] {
        assert_eq!(folder.line(&format!("generate -n {count} -s 1 -q {options}")).status, 0);
    }
    let digits = |page: &str| -> String {
        let texts = page.split("font-size=\".7\">").skip(1);
        texts.map(|text| text.split('<').next().unwrap()).collect()
    };
    let rows = folder.read("rows.csv");
    let of_rows = |column: usize| -> String {
        let rows = rows.lines().skip(1);
        rows.map(|row| row.split(',').nth(column).unwrap().replace('.', "")).collect()
    };
    let all = of_rows(0) + &of_rows(1);
    let grids = |text: &str| -> Vec<usize> {
        let pages = text.split("<svg class=\"page\"").skip(1);
        pages.map(|page| page.matches("#grid").count()).collect()
    };
    let text = folder.read("pages.html");
    assert_eq!((grids(&text), digits(&text)), (vec![6, 6, 1, 12, 1], all.clone()));
    assert!(text.contains(">1 · easy</text>"), "{text}");
    let text = folder.read("looks.html");
    assert_eq!((grids(&text), text.matches(">A &amp; B<").count()), (vec![6, 6, 1, 12, 1], 6));
    assert!(folder.read("several.html").contains(">1 · several solutions<"));
}
