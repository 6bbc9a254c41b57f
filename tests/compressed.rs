//! Compressed inputs and outputs of the command.

use std::fs;
use std::path::Path;

use crate::common::command::{CLASSIC, Folder, Ran};
use crate::common::contents::{PACKS, objects};

/// Returns 2,000 different puzzles.
fn puzzles() -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets/minimal.txt");
    fs::read(path).unwrap()
}

const COLUMNS: [&str; 3] = ["-q", "--columns", "line,puzzle,solution,status"];

#[test]
fn compressed_inputs_yield_the_rows_of_their_content() {
    let folder = Folder::new();
    let plain = puzzles();
    let expected = folder.solve(&COLUMNS, plain.clone());
    assert_eq!(expected.rows.lines().count(), 2001);
    let halves = plain.split_at(plain.len() / 2);
    for (_, pack) in PACKS {
        // The name does not matter.
        for (name, bytes) in [
            ("a", pack(&plain)),
            ("two members.txt", [pack(halves.0), pack(halves.1)].concat()),
            ("plain.gz", plain.clone()),
            ("plain.zst", plain.clone()),
        ] {
            folder.file(name, &bytes);
            assert!(folder.solve(&[&COLUMNS[..], &[name]].concat(), "") == expected, "{name}");
            assert!(folder.solve(&COLUMNS, bytes) == expected, "{name} at standard input");
        }
    }
}

#[test]
fn truncated_and_padded_streams_are_recognized() {
    let folder = Folder::new();
    let hard = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets/hard.txt")).unwrap();
    let plain = &hard[..60 * 82];
    let expected = folder.solve(&COLUMNS, plain);
    for (name, pack) in PACKS {
        let packed = pack(plain);
        folder.file("packed", &packed);
        assert!(folder.solve(&[&COLUMNS[..], &["packed"]].concat(), "") == expected, "{name}");
        let ran = folder.solve(&COLUMNS, &packed[..packed.len() - 5]);
        assert!(ran.status == 3 && expected.rows.starts_with(&ran.rows), "{name}: {ran:?}");
        assert!(ran.messages.contains("stream is cut off after byte"), "{name}: {ran:?}");
        // Tapes and block devices pad streams with zeros.
        for zeros in [3, 70_000] {
            let padded = [&packed[..], &vec![0; zeros]].concat();
            assert!(folder.solve(&COLUMNS, padded) == expected, "{name} and {zeros} zeros");
        }
        let ran = folder.solve(&COLUMNS, [&packed[..], &[0; 4], b"x"].concat());
        assert_eq!((ran.status, &ran.rows), (3, &expected.rows), "{name}: {ran:?}");
    }
}

#[test]
fn outputs_are_compressed_by_their_names() {
    let folder = Folder::new();
    // Several blocks, some of them without rows.
    let comments = "# no record, but long enough to fill blocks of its own\n".repeat(20_000);
    folder.file("in", [&puzzles()[..], comments.as_bytes(), &puzzles()].concat());
    let expected = folder.solve(&[&COLUMNS[..], &["in"]].concat(), "").rows;
    for (kind, pack) in PACKS {
        let name = format!("out.csv.{kind}");
        let ran = folder.solve(&[&COLUMNS[..], &["in", "-o", &name]].concat(), "");
        assert_eq!(ran, Ran { rows: String::new(), messages: String::new(), status: 0 });
        assert!(fs::metadata(folder.path(&name)).unwrap().len() * 2 < expected.len() as u64);
        assert!(folder.unpacked(&name) == expected);
        // Decompressed by the command itself.
        let name = format!("solutions.lines.{kind}");
        folder.line(&format!("solve -q in -o {name}"));
        let lines = folder.unpacked(&name);
        let again = folder.with_input("solve -q --format lines -o -", pack(lines.as_bytes()));
        assert!(again.rows == lines && again.status == 0);
        let name = format!("out.jsonl.{kind}");
        folder.line(&format!("solve -q in -o {name}"));
        let rows = objects(&folder.unpacked(&name));
        assert_eq!((rows.len(), &rows[0]["status"]), (4000, &"unique".into()));
        // The file depends only on the puzzles.
        let bytes = ["x", "y"].map(|name| {
            let name = format!("{name}.{kind}");
            folder.line(&format!("generate -n 2000 -s 1 -k easy -o {name}"));
            fs::read(folder.path(&name)).unwrap()
        });
        assert!(bytes[0] == bytes[1]);
    }
}

#[test]
fn a_stream_that_ends_inside_an_overlong_line_is_a_failure() {
    let folder = Folder::new();
    let text = format!("{CLASSIC}\n{}\n{CLASSIC}\n", "x".repeat(3_000_000));
    for (_, pack) in PACKS {
        let packed = pack(text.as_bytes());
        let cut = packed.len() / 2;
        folder.file("cut", &packed[..cut]);
        let ran = folder.line("solve cut -q --columns line,status");
        ran.expect(3, &format!("is cut off after byte {cut}"));
        assert!(ran.rows.starts_with("line,status\n1,unique\n"));
    }
}

#[test]
#[cfg(feature = "full")]
fn frames_of_zst_without_data_are_skipped_and_unsupported_ones_refused() {
    let folder = Folder::new();
    let skippable =
        [&b"\x53\x2A\x4D\x18\x03\0\0\0abc"[..], &PACKS[1].1(CLASSIC.as_bytes())].concat();
    let ran = folder.solve(
        &["--columns", "line,status", "-q"],
        [&skippable[..], b"\x53\x2A\x4D\x18\0\0\0\0"].concat(),
    );
    assert_eq!((ran.status, &*ran.rows), (0, "line,status\n1,unique\n"), "{ran:?}");
    for (packed, message) in [
        (&b"\x28\xB5\x2F\xFD\x01\x00\x05\x01\0\0"[..], "the zst stream needs a dictionary"),
        (&b"\x28\xB5\x2F\xFD\x00\x90\x01\0\0"[..], "needs a window of more than 128 MiB"),
        (&skippable[..10], "the zst stream is cut off after byte 10"),
    ] {
        folder.solve(&[], packed).expect(3, message);
    }
}
