//! The number of threads, and memory.

#[cfg(target_os = "linux")]
use std::thread;
#[cfg(target_os = "linux")]
use std::time::Duration;

#[cfg(target_os = "linux")]
use crate::common::command::peak_memory;
use crate::common::command::{CLASSIC, Folder};

#[test]
fn many_threads_without_input_end_immediately() {
    let ran = Folder::new().solve(&["-j", "999"], "");
    ran.expect(0, " of 999 threads (more would not be faster)");
}

#[test]
fn threads_have_at_least_a_block_each() {
    let (folder, few, many) = (Folder::new(), CLASSIC, format!("{CLASSIC}\n").repeat(1_000));
    for (text, count) in [(few, "1 of 3 threads (more would not be faster)"), (&many, "3 threads")]
    {
        let input = folder.file("in", text);
        let ran = folder.solve(&["-j", "3", input.to_str().unwrap()], "");
        assert!(ran.messages.contains(&format!(", {count}, ")), "{ran:?}");
    }
}

/// Runs a line of words to its end, and returns the peak memory.
#[cfg(target_os = "linux")]
fn peak_of(folder: &Folder, line: &str) -> u64 {
    let mut child = folder.start(line);
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        peak = peak_memory(child.id()).unwrap_or(peak);
        thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(child.wait().unwrap().code(), Some(0), "{line}");
    assert!(peak > 1 << 20, "{line}: {peak} bytes");
    peak
}

/// Rows with many fields and with long fields, in every format that keeps fields.
#[test]
#[cfg(target_os = "linux")]
fn memory_is_bounded_for_rows_with_many_or_long_fields() {
    use std::fmt::Write;

    let folder = Folder::new();
    let names: String = (0..10_000).map(|column| format!(",c{column}")).collect();
    let row = |row: usize| (0..10_000).map(|at| format!(",{}", row * at % 999)).collect::<String>();
    let many = (0..150).map(|at| format!("{CLASSIC}{}\n", row(at))).collect::<String>();
    folder.file("many.csv", format!("puzzle{names}\n{many}"));
    // Long fields, one column after another, which are hardly compressible.
    let mut long = "puzzle,a,b,c,d\n".to_owned();
    for at in 0..3000 {
        let number = |n: usize| (1000 * at + n).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let text: String = (0..1000).map(|n| format!("{:016x}", number(n))).collect();
        let before = ",".repeat(at / 750);
        let after = ",".repeat(3 - at / 750);
        writeln!(long, "{CLASSIC},{before}{text}{after}").unwrap();
    }
    folder.file("long.csv", long);
    for name in ["many.csv", "long.csv"] {
        let mut endings = vec!["csv", "jsonl"];
        if name == "many.csv" {
            endings.push("tsv.gz");
        }
        if cfg!(feature = "full") {
            endings.extend(["jsonl.zst", "parquet"]);
        }
        for ending in endings {
            let line = format!("solve -q -j 2 --columns * --force {name} -o out.{ending}");
            let peak = peak_of(&folder, &line);
            // A Parquet file has a writer for each of 10,000 columns.
            let most = if ending == "parquet" { 160 } else { 80 };
            assert!(peak < most << 20, "{line}: {peak} bytes");
        }
    }
}

/// Many short objects after one with many keys, which are columns of every row.
#[test]
#[cfg(target_os = "linux")]
fn memory_is_bounded_for_objects_with_many_keys() {
    let folder = Folder::new();
    let key = |number: usize| -> String {
        let digit =
            |at: u32| char::from_digit((number / 36_usize.pow(at) % 36) as u32, 36).unwrap();
        (0..3).map(digit).collect()
    };
    let keys: String = (0..8016).map(|number| format!(",\"{}\":1", key(number))).collect();
    let short = format!("{{\"puzzle\":\"{CLASSIC}\"}}\n").repeat(300);
    folder.file("in.jsonl", format!("{{\"puzzle\":\"{CLASSIC}\"{keys}}}\n{short}"));
    // Empty fields with long names.
    let names: String = (0..100).map(|key| format!(",{}{key}", "n".repeat(600))).collect();
    let rows = format!("{CLASSIC}{}\n", ",".repeat(100)).repeat(1300);
    folder.file("in.csv", format!("puzzle{names}\n{rows}"));
    // Short malformed lines, each with a message.
    folder.file("in.txt", "x\n".repeat(150_000));
    for line in [
        "canon in.jsonl --columns *,status -o out.jsonl",
        "canon in.jsonl --columns *,status -o out.csv",
        "augment in.jsonl --times 3 --seed 1 -o out.jsonl",
        "augment in.csv --times 1 --seed 1 -o out.jsonl",
        "solve in.csv --columns *,status -o out.jsonl",
        "solve in.txt --errors errors --fail-on none -o out.csv",
    ] {
        let peak = peak_of(&folder, &format!("{line} -q -j 8 --force"));
        assert!(peak < 64 << 20, "{line}: {peak} bytes");
    }
}
