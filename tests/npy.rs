//! `NumPy` arrays, read and written.

use std::fs;

use crate::common::command::{CLASSIC, Folder, Ran, SOLVED};

/// Returns an array as written by numpy.save.
fn array(descr: &str, shape: &str, elements: &[u8]) -> Vec<u8> {
    let text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    let text = format!("{text:<117}\n");
    let length = (text.len() as u16).to_le_bytes();
    [b"\x93NUMPY\x01\0", &length[..], text.as_bytes(), elements].concat()
}

/// Returns cells as numbers, with 0 for blank cells.
fn numbers(line: &str) -> Vec<u8> {
    line.bytes().map(|byte| if byte == b'.' { 0 } else { byte - b'0' }).collect()
}

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
    let input = array("|u1", "(2, 81)", &shifted);
    assert!(solve(&folder, &["--npy-offset", "1"], &input) == expected);
    let ran = solve(&folder, &[], &input);
    assert_eq!((ran.status, ran.rows.matches(",malformed").count()), (1, 2), "{ran:?}");
    // 0 is not a cell then.
    let ran = solve(&folder, &["--npy-offset", "1"], &array("|u1", "(1, 81)", &numbers(CLASSIC)));
    assert!(ran.status == 1 && ran.messages.contains("r1c3: 0-1 is not a cell"), "{ran:?}");
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
fn arrays_are_written_with_the_offset_with_which_they_are_read() {
    let folder = Folder::new();
    let both = [numbers(CLASSIC), numbers(SOLVED)].concat();
    let shifted: Vec<u8> = both.iter().map(|cell| cell + 1).collect();
    folder.file("in", format!("{CLASSIC}\n{SOLVED}\n"));
    let line = "canon in --columns puzzle --npy-offset 1 -o one.npy -q";
    assert_eq!(folder.line(line).status, 0);
    let line = "solve one.npy --npy-offset 1 --columns puzzle -o two.npy -q";
    assert_eq!(folder.line(line).status, 0);
    for name in ["one.npy", "two.npy"] {
        let written = fs::read(folder.path(name)).unwrap();
        assert_eq!(written, array("|u1", "(2, 81)", &shifted), "{name}");
    }
}

#[test]
fn impossible_arrays_are_refused() {
    let folder = Folder::new();
    for (args, message) in [
        (&["--format", "npy"][..], "npy goes to a file"),
        (&["-o", "x.npy.gz"], "npy goes to a file"),
        (&["-o", "x.npy", "--columns", "puzzle,solution"], "an npy array has one column"),
        (&["-o", "x.npy", "--columns", "line"], "an npy array has one column"),
        (&["-o", "x.npy", "--columns", "*"], "an npy array has one column"),
    ] {
        let ran = folder.solve(args, CLASSIC);
        assert!(ran.status == 2 && ran.messages.contains(message), "{args:?}: {ran:?}");
        assert!(!folder.path("x.npy").exists());
    }
}
