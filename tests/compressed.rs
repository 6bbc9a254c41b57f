//! Compressed inputs and outputs of the command.

use std::fs;
use std::io::{Read, Write};
use std::path::Path;

use crate::common::command::{CLASSIC, Folder, Ran};
use flate2::write::GzEncoder;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Gz,
    #[cfg(feature = "full")]
    Zst,
}
use Kind::Gz;
#[cfg(feature = "full")]
use Kind::Zst;

impl Kind {
    /// The compressions supported by this build.
    const ALL: &[Self] = &[
        Gz,
        #[cfg(feature = "full")]
        Zst,
    ];

    fn name(self) -> &'static str {
        match self {
            Gz => "gz",
            #[cfg(feature = "full")]
            Zst => "zst",
        }
    }

    fn pack(self, bytes: impl AsRef<[u8]>) -> Vec<u8> {
        let bytes = bytes.as_ref();
        match self {
            Gz => {
                let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::default());
                encoder.write_all(bytes).unwrap();
                encoder.finish().unwrap()
            }
            #[cfg(feature = "full")]
            Zst => {
                let mut encoder = zstd::Encoder::new(Vec::new(), 3).unwrap();
                encoder.include_checksum(true).unwrap();
                encoder.write_all(bytes).unwrap();
                encoder.finish().unwrap()
            }
        }
    }

    fn unpack(self, bytes: &[u8]) -> Vec<u8> {
        let mut all = Vec::new();
        match self {
            Gz => flate2::read::MultiGzDecoder::new(bytes).read_to_end(&mut all),
            #[cfg(feature = "full")]
            Zst => zstd::Decoder::new(bytes).unwrap().read_to_end(&mut all),
        }
        .unwrap();
        all
    }
}

fn bytes(folder: &Folder, name: &str) -> Vec<u8> {
    fs::read(folder.path(name)).unwrap()
}

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
    for &kind in Kind::ALL {
        // The name does not matter.
        for (name, bytes) in [
            ("a", kind.pack(&plain)),
            ("two members.txt", [kind.pack(halves.0), kind.pack(halves.1)].concat()),
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
    for kind in Kind::ALL {
        let (name, packed) = (kind.name(), kind.pack(plain));
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
fn plain_and_compressed_inputs_are_one_stream() {
    let folder = Folder::new();
    folder.file("a.gz", Gz.pack(format!("{CLASSIC}\n")));
    folder.file("b.txt", format!("# b\n{CLASSIC}\n"));
    folder.file("c", Kind::ALL[Kind::ALL.len() - 1].pack("\n12\n"));
    let ran = folder.solve(&["-q", "--columns", "file,line,status", "a.gz", "b.txt", "c"], "");
    assert_eq!(ran.rows, "file,line,status\na.gz,1,unique\nb.txt,2,unique\nc,2,malformed\n");
}

#[test]
fn outputs_are_compressed_by_their_names() {
    let folder = Folder::new();
    // Several blocks, some of them without rows.
    let comments = "# no record, but long enough to fill blocks of its own\n".repeat(20_000);
    let input = [&puzzles()[..], comments.as_bytes(), &puzzles()].concat();
    folder.file("in", &input);
    let expected = folder.solve(&[&COLUMNS[..], &["in"]].concat(), "").rows;
    for &kind in Kind::ALL {
        let name = format!("out.csv.{}", kind.name());
        let ran = folder.solve(&[&COLUMNS[..], &["in", "-o", &name]].concat(), "");
        assert_eq!(ran, Ran { rows: String::new(), messages: String::new(), status: 0 });
        let packed = bytes(&folder, &name);
        assert!(packed.len() * 2 < expected.len());
        assert!(kind.unpack(&packed) == expected.as_bytes());
        // Decompressed by the command itself.
        let args = ["-q", "--format", "lines", "-o", "-"];
        let lines = kind.unpack(&{
            let name = format!("solutions.lines.{}", kind.name());
            folder.solve(&["-q", "in", "-o", &name], "");
            bytes(&folder, &name)
        });
        let again = folder.solve(&args, kind.pack(&lines));
        assert!(again.rows.as_bytes() == lines && again.status == 0);
    }

    let kind = Kind::ALL[Kind::ALL.len() - 1];
    let name = format!("out.jsonl.{}", kind.name());
    folder.solve(&["-q", "in", "-o", &name], "");
    let rows = String::from_utf8(kind.unpack(&bytes(&folder, &name))).unwrap();
    let first: serde_json::Value = serde_json::from_str(rows.lines().next().unwrap()).unwrap();
    assert_eq!((rows.lines().count(), &first["status"]), (4000, &"unique".into()));
}

#[test]
fn the_header_is_a_separate_member_and_a_run_without_rows_is_a_valid_stream() {
    let folder = Folder::new();
    let args = |name| ["-q", "--columns", "line,status", "-o", name];
    folder.solve(&args("a.gz"), CLASSIC);
    let packed = bytes(&folder, "a.gz");
    let mut header = String::new();
    flate2::bufread::GzDecoder::new(packed.as_slice()).read_to_string(&mut header).unwrap();
    assert_eq!(header, "line,status\n");
    assert_eq!(Gz.unpack(&packed), b"line,status\n1,unique\n");

    for &kind in Kind::ALL {
        let name = format!("empty.lines.{}", kind.name());
        assert_eq!(folder.solve(&["-q", "-o", &name], "# nothing\n").status, 0);
        let packed = bytes(&folder, &name);
        assert!(!packed.is_empty() && kind.unpack(&packed).is_empty());
    }
}

#[test]
fn a_stream_that_ends_inside_an_overlong_line_is_a_failure() {
    let folder = Folder::new();
    let text = format!("{CLASSIC}\n{}\n{CLASSIC}\n", "x".repeat(3_000_000));
    for kind in Kind::ALL {
        let packed = kind.pack(&text);
        let cut = packed.len() / 2;
        folder.file("cut", &packed[..cut]);
        let ran = folder.line("solve cut -q --columns line,status");
        assert_eq!(ran.status, 3, "{ran:?}");
        assert!(ran.messages.contains(&format!("is cut off after byte {cut}")), "{ran:?}");
        assert!(ran.rows.starts_with("line,status\n1,unique\n"));
    }
}
