//! Runs with fewer threads and less memory than requested.

use std::process::{Command, Output};

use crate::common::command::{BULKDOKU, CLASSIC, Folder, Ran, SOLVED};

/// Runs `solve` in a shell with `limits`, on a valid and an invalid line from a pipe, so that their
/// number is not known.
fn solve_under(limits: &str, args: &str) -> Ran {
    let folder = Folder::new();
    let input = folder.file("in", format!("{CLASSIC}\nbad\n"));
    let script = format!(
        "cat {} | ({limits} exec {} solve --columns line,solution,status {args})",
        input.display(),
        BULKDOKU
    );
    let output: Output = Command::new("sh").args(["-c", &script]).output().unwrap();
    output.into()
}

fn assert_solved(ran: &Ran) {
    assert_eq!(ran.status, 1, "{ran:?}");
    assert_eq!(ran.rows, format!("line,solution,status\n1,{SOLVED},unique\n2,,malformed\n"));
}

#[test]
fn fewer_threads_start_if_memory_is_limited() {
    for kilobytes in [60_000, 400_000] {
        let ran = solve_under(&format!("ulimit -v {kilobytes};"), "-j 1024");
        assert_solved(&ran);
        let why = " of 1024 threads (the operating system provides no more threads or memory)";
        assert!(ran.messages.contains(why), "{ran:?}");
    }
}

/// With any memory limit, the command works or fails with a message (below 20 MB, of the system).
#[test]
fn too_little_memory_is_reported_before_the_run() {
    let mut reported = 0;
    for kilobytes in (20_000..44_000).step_by(3_500) {
        for more in ["", "--progress always", "-o /dev/null"] {
            let args = format!("-j 2 {more}");
            let ran = solve_under(&format!("ulimit -c 0; ulimit -v {kilobytes};"), &args);
            match ran.status {
                1 if more.starts_with("-o") => {}
                1 => assert_solved(&ran),
                127 => assert!(ran.messages.contains("shared"), "{kilobytes} {more}: {ran:?}"),
                _ => {
                    assert_eq!(ran.status, 3, "{kilobytes} {more}: {ran:?}");
                    assert!(ran.messages.contains("of memory are required"), "{ran:?}");
                    reported += 1;
                }
            }
        }
    }
    assert!(reported > 0);
}

#[test]
fn many_threads_without_input_end_immediately() {
    let ran = Folder::new().solve(&["-j", "999"], "");
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(ran.messages.contains(" of 999 threads (more would not be faster)"), "{ran:?}");
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

/// Rows with many fields and with long fields, in every format that keeps fields.
#[test]
#[cfg(target_os = "linux")]
fn memory_is_bounded_for_rows_with_many_or_long_fields() {
    use crate::common::command::peak_memory;
    use std::fmt::Write;
    use std::thread;
    use std::time::Duration;

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
            let output = format!("out.{ending}");
            let args = ["-q", "-j", "2", "--columns", "*", "--force", name, "-o", &output];
            let mut child = folder.spawn("solve", &args);
            let mut peak = 0;
            while child.try_wait().unwrap().is_none() {
                peak = peak_memory(child.id()).unwrap_or(peak);
                thread::sleep(Duration::from_millis(1));
            }
            assert_eq!(child.wait().unwrap().code(), Some(0), "{name} to {ending}");
            assert!(peak > 1 << 20 && peak < 80 << 20, "{name} to {ending}: {peak} bytes");
        }
    }
}

/// Many short objects after one with many keys, which are columns of every row.
#[test]
#[cfg(target_os = "linux")]
fn memory_is_bounded_for_objects_with_many_keys() {
    use crate::common::command::peak_memory;
    use std::thread;
    use std::time::Duration;

    let folder = Folder::new();
    let key = |number: usize| -> String {
        let digit =
            |at: u32| char::from_digit((number / 36_usize.pow(at) % 36) as u32, 36).unwrap();
        (0..3).map(digit).collect()
    };
    let keys: String = (0..8016).map(|number| format!(",\"{}\":1", key(number))).collect();
    let short = format!("{{\"puzzle\":\"{CLASSIC}\"}}\n").repeat(900);
    folder.file("in.jsonl", format!("{{\"puzzle\":\"{CLASSIC}\"{keys}}}\n{short}"));
    // Empty fields with long names.
    let names: String = (0..100).map(|key| format!(",{}{key}", "n".repeat(600))).collect();
    let rows = format!("{CLASSIC}{}\n", ",".repeat(100)).repeat(1300);
    folder.file("in.csv", format!("puzzle{names}\n{rows}"));
    for line in [
        "canon in.jsonl --columns *,status -o out.jsonl",
        "canon in.jsonl --columns *,status -o out.csv",
        "augment in.jsonl --times 3 --seed 1 -o out.jsonl",
        "augment in.csv --times 1 --seed 1 -o out.jsonl",
        "solve in.csv --columns *,status -o out.jsonl",
    ] {
        let (command, args) = line.split_once(' ').unwrap();
        let args: Vec<_> = args.split(' ').chain(["-q", "-j", "8", "--force"]).collect();
        let mut child = folder.spawn(command, &args);
        let mut peak = 0;
        while child.try_wait().unwrap().is_none() {
            peak = peak_memory(child.id()).unwrap_or(peak);
            thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(child.wait().unwrap().code(), Some(0), "{line}");
        assert!(peak > 1 << 20 && peak < 64 << 20, "{line}: {peak} bytes");
    }
}

/// Commands whose memory grows with the input end with a message if there is too little.
#[test]
fn too_little_memory_for_the_input_is_reported() {
    let folder = Folder::new();
    // Different puzzles without contradictions.
    let line = |number: usize| {
        let cell = |(at, digit)| if at < 24 && number >> at & 1 == 1 { '.' } else { digit };
        SOLVED.chars().enumerate().map(cell).chain(['\n']).collect::<String>()
    };
    folder.file("in", (0..60_000).map(line).collect::<String>());
    folder.file("few", CLASSIC);
    let (mut reported, mut complete) = (0, 0);
    for kilobytes in [26_000, 50_000, 74_000] {
        for args in [
            "sample --count 60000 --seed 1 in",
            "split --shares 90,10 --by puzzle --seed 1 in -o a.csv,b.csv --force",
            "canon --dedup --by puzzle in",
            "canon --against in --by puzzle few",
            "overlap --by puzzle in few",
            "solve --sort line:desc --columns line,puzzle in --max-nodes 1",
        ] {
            let script = format!(
                "ulimit -c 0; ulimit -v {kilobytes}; exec {BULKDOKU} {args} -j 1 -q > rows"
            );
            let mut command = Command::new("sh");
            let output =
                command.current_dir(folder.path("")).args(["-c", &script]).output().unwrap();
            let ran = Ran::from(output);
            match ran.status {
                0 | 1 => complete += 1,
                127 => assert!(ran.messages.contains("shared"), "{kilobytes} {args}: {ran:?}"),
                _ => {
                    assert_eq!(ran.status, 3, "{kilobytes} {args}: {ran:?}");
                    assert!(ran.messages.contains("memory"), "{kilobytes} {args}: {ran:?}");
                    reported += 1;
                }
            }
        }
    }
    assert!(reported > 0 && complete > 0, "{reported} {complete}");
}
