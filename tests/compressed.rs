//! Compressed inputs and outputs of the command.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::command::{BULKDOKU, CLASSIC, Folder, Ran};
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
fn files_of_other_tools_are_read() {
    let folder = Folder::new();
    let hard = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets/hard.txt")).unwrap();
    let plain = &hard[..60 * 82];
    let expected = folder.solve(&COLUMNS, plain);
    let names = [
        "puzzles.zlib",
        #[cfg(feature = "full")]
        "puzzles.xz",
        #[cfg(feature = "full")]
        "blocks.xz",
        #[cfg(feature = "full")]
        "puzzles.bz2",
        #[cfg(feature = "full")]
        "puzzles.lz4",
        #[cfg(feature = "full")]
        "checked.lz4",
    ];
    for name in names {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/packed").join(name);
        let packed = fs::read(&path).unwrap();
        assert!(
            folder.solve(&[&COLUMNS[..], &[path.to_str().unwrap()]].concat(), "") == expected,
            "{name}"
        );
        assert!(folder.solve(&COLUMNS, &packed) == expected, "{name} at standard input");
        let ran = folder.solve(&COLUMNS, &packed[..packed.len() - 5]);
        assert!(ran.status == 3 && expected.rows.starts_with(&ran.rows), "{name}: {ran:?}");
        assert!(ran.messages.contains("stream is cut off after byte"), "{name}: {ran:?}");
        // Tapes and block devices pad streams with zeros.
        for zeros in [1, 4, 70_000] {
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
fn compressed_text_may_have_any_line_ends_and_byte_order_marks() {
    for &kind in Kind::ALL {
        let input = kind.pack(format!("\u{FEFF}{CLASSIC}\r\n\r\n{CLASSIC}"));
        let ran = Folder::new().solve(&["-q", "--columns", "line,status"], input);
        assert_eq!(ran.rows, "line,status\n1,unique\n3,unique\n");
        let ran = Folder::new().solve(&["-q"], kind.pack(b"\xFF\xFE1\0\n\0"));
        assert_eq!((ran.status, ran.rows.as_str()), (3, ""));
        assert!(ran.messages.contains("<stdin>: looks like UTF-16"), "{ran:?}");
    }
}

#[test]
fn a_compressed_empty_input_has_no_rows() {
    for &kind in Kind::ALL {
        let ran = Folder::new().solve(&["-q", "--columns", "line"], kind.pack(""));
        assert_eq!(ran, Ran { rows: "line\n".into(), messages: String::new(), status: 0 });
    }
}

#[test]
fn a_stream_cut_off_anywhere_keeps_the_rows_before_it() {
    let folder = Folder::new();
    let plain = puzzles();
    let expected = folder.solve(&COLUMNS, plain.clone()).rows;
    for &kind in Kind::ALL {
        let packed = kind.pack(&plain);
        let mut longest = 0;
        let cuts = [4, 10, 100].into_iter().chain((1..8).map(|i| packed.len() * i / 8));
        for cut in cuts.chain([packed.len() - 9, packed.len() - 1]) {
            let ran = folder.solve(&COLUMNS, &packed[..cut]);
            assert_eq!(ran.status, 3, "{kind:?} {cut}");
            let message =
                format!("<stdin>: the {} stream is cut off after byte {cut}", kind.name());
            assert!(ran.messages.contains(&message), "{}", ran.messages);
            assert!(expected.starts_with(&ran.rows), "{kind:?} {cut}");
            assert!(ran.rows.ends_with('\n') && ran.rows.len() >= longest);
            longest = ran.rows.len();
        }
        // A zst block of 128 KiB is decoded as a whole, and the checksum follows it.
        assert!(longest > expected.len() / 3, "{kind:?}: {longest}");
    }
}

#[test]
fn a_damaged_stream_keeps_the_rows_before_it_and_other_inputs_are_read() {
    let folder = Folder::new();
    let plain = puzzles();
    let expected = folder.solve(&COLUMNS, plain.clone()).rows;
    folder.file("good", CLASSIC);
    for &kind in Kind::ALL {
        let mut packed = kind.pack(&plain);
        // In the second of two blocks of zst.
        let at = packed.len() * 15 / 16;
        packed[at..at + 20].fill(0xFF);
        folder.file("bad", &packed);
        let columns = "line,puzzle,solution,status";
        let ran = folder.solve(&["-q", "--columns", columns, "bad", "good"], "");
        assert_eq!(ran.status, 3);
        let message = format!("bad: the {} stream is damaged near byte ", kind.name());
        assert!(ran.messages.contains(&message), "{}", ran.messages);
        let same = ran.rows.lines().zip(expected.lines()).take_while(|(a, b)| a == b).count();
        // A call of the decoder that fails loses its output, up to 64 KiB.
        assert!(same > 700, "{kind:?}: {same}");
        assert!(ran.rows.lines().last().unwrap().starts_with(&format!("1,{CLASSIC}")));
    }
}

#[test]
fn other_bytes_after_the_end_are_an_error() {
    for &kind in Kind::ALL {
        let packed = kind.pack(format!("{CLASSIC}\n"));
        let end = packed.len();
        let ran = Folder::new().solve(&COLUMNS, [packed.as_slice(), b"more"].concat());
        assert_eq!((ran.rows.lines().count(), ran.status), (2, 3));
        let message = format!("stream ends at byte {end}, but other data follows");
        assert!(ran.messages.contains(&message), "{ran:?}");
    }
}

#[test]
fn a_slow_compressed_pipe_gets_its_rows_while_it_waits() {
    for &kind in Kind::ALL {
        let mut child = Command::new(BULKDOKU)
            .args(["solve", "-q", "--columns", "line,status"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let pipe = child.stdin.take().unwrap();
        let mut rows = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut input: Box<dyn Write> = match kind {
            Gz => Box::new(GzEncoder::new(pipe, flate2::Compression::default())),
            #[cfg(feature = "full")]
            Zst => Box::new(zstd::Encoder::new(pipe, 3).unwrap().auto_finish()),
        };
        for line in 1..=3 {
            writeln!(input, "{CLASSIC}").unwrap();
            input.flush().unwrap();
            if line == 1 {
                // The start of an input is inspected before anything is written.
                assert_eq!(rows.next().unwrap().unwrap(), "line,status");
            }
            // The input remains open: the row must not wait for its end.
            assert_eq!(rows.next().unwrap().unwrap(), format!("{line},unique"));
        }
        drop(input);
        assert!(child.wait().unwrap().success());
    }
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
fn results_do_not_depend_on_threads_when_compressed() {
    let folder = Folder::new();
    folder.file("in", puzzles().repeat(5));
    for &kind in Kind::ALL {
        let run = |threads| {
            let name = format!("{threads}.csv.{}", kind.name());
            folder.solve(&[&COLUMNS[..], &["in", "-j", threads, "-o", &name]].concat(), "");
            bytes(&folder, &name)
        };
        assert!(run("1") == run("2"));
    }
}
