//! `NumPy` arrays, read and written.

use std::fs;

use crate::common::command::{CLASSIC, Folder, Ran, SOLVED};
use crate::common::contents::{npy as array, numbers};

fn solve(folder: &Folder, args: &[&str], input: &[u8]) -> Ran {
    folder.solve(&[&["-q", "--columns", "line,solution,status"], args].concat(), input)
}

#[test]
fn arrays_are_read_like_lines() {
    let folder = Folder::new();
    let expected = solve(&folder, &[], format!("{CLASSIC}\n{SOLVED}\n").as_bytes());
    let both = [numbers(CLASSIC), numbers(SOLVED)].concat();
    let wide: Vec<u8> = both.iter().flat_map(|&cell| [cell, 0, 0, 0, 0, 0, 0, 0]).collect();
    for input in [
        array("|u1", "(2, 81)", &both),
        array("|i1", "(2, 9, 9)", &both),
        array("<i8", "(2, 81)", &wide),
    ] {
        assert!(solve(&folder, &[], &input) == expected, "standard input");
        folder.file("in.npy", &input);
        assert!(solve(&folder, &["in.npy"], b"") == expected, "a file");
    }
    let shifted: Vec<u8> = both.iter().map(|cell| cell + 1).collect();
    let ran = solve(&folder, &[], &array("|u1", "(2, 81)", &shifted));
    assert_eq!((ran.status, ran.rows.matches(",malformed").count()), (1, 2), "{ran:?}");
}

#[test]
fn solutions_are_written_as_an_array() {
    let folder = Folder::new();
    let input = format!("{CLASSIC}\nbad\n{SOLVED}\n");
    let ran = folder.solve(&["-q", "-o", "out.npy"], &input);
    assert_eq!(ran.status, 1);
    let solved = numbers(SOLVED);
    let expected = array("|u1", "(3, 81)", &[&solved[..], &[0; 81], &solved].concat());
    assert_eq!(fs::read(folder.path("out.npy")).unwrap(), expected);

    let ran = folder.solve(&["-q", "-o", "p.npy", "--columns", "puzzle"], &input);
    assert_eq!(ran.status, 1);
    let expected = array("|u1", "(3, 81)", &[numbers(CLASSIC), vec![0; 81], solved].concat());
    assert_eq!(fs::read(folder.path("p.npy")).unwrap(), expected);

    let ran = folder.run("generate", &["-n", "50", "--seed", "5", "-q", "-o", "g.npy"], "");
    assert_eq!(ran.status, 0, "{ran:?}");
    let lines = folder.run("generate", &["-n", "50", "--seed", "5", "-q"], "");
    let of_lines = solve(&folder, &[], lines.rows.as_bytes());
    assert!(solve(&folder, &["g.npy"], b"") == of_lines);
}

#[test]
fn numbers_of_any_type_and_shape_are_cells() {
    let folder = Folder::new();
    let read = |descr: &str, shape: &str, first: [f64; 3]| {
        let of = |number: f64| match descr {
            "<f4" => (number as f32).to_le_bytes().to_vec(),
            "<i2" => (number as i16).to_le_bytes().to_vec(),
            _ => number.to_le_bytes().to_vec(),
        };
        let row: Vec<u8> = first.into_iter().chain([1.0; 78]).flat_map(of).collect();
        folder.solve(&["-q", "--columns", "puzzle"], array(descr, shape, &row)).rows
    };
    let ones = "1".repeat(78);
    for shape in ["(1, 9, 9, 1)", "(1, 1, 9, 9)", "(1, 81, 1)", "(81,)", "(9, 9)", "(9, 9, 1)"] {
        let found = read("<f8", shape, [5.0, -1.0, f64::NAN]);
        assert_eq!(found, format!("puzzle\n5..{ones}\n"), "{shape}");
    }
    for descr in ["<f4", "<i2"] {
        let found = read(descr, "(1, 81)", [9.0, 0.0, -1.0]);
        assert_eq!(found, format!("puzzle\n9..{ones}\n"), "{descr}");
        let found = read(descr, "(1, 81)", [9.0, -2.0, 11.0]);
        assert!(found.contains("[9 -2 11 1 1"), "{descr}: {found}");
    }
    for (descr, shape, message) in [
        ("<U81", "(2,)", "numbers such as int8 as elements, not strings ('<U81'): numpy.savetxt"),
        (">u2", "(2, 81)", "not big-endian numbers ('>u2'): numpy.save(NEW"),
        ("<f16", "(2, 81)", "not this type ('<f16'): numpy.save(NEW"),
        ("<f2", "(2, 81)", "not halves ('<f2')"),
        ("|u1", "(2, 80)", "the shape (n, 81) or (n, 9, 9), not (2, 80)"),
        ("|u1", "", "the shape"),
    ] {
        folder.solve(&[], array(descr, shape, &[])).expect(3, message);
    }
}
