//! Tests `bulkdoku bench --solver`.

use rustix::process::{Pid, test_kill_process};
use serde_json::Value;

use crate::common::HARDEST;
use crate::common::command::{BULKDOKU, Folder, Ran, wait_until};
use crate::common::process::Signal;

/// Measures commands. In them, `SOLVE` stands for one that solves.
fn bench(folder: &Folder, solvers: &[(&str, &str)], args: &[&str]) -> Ran {
    let command = |(name, command): &(&str, &str)| {
        let command = command.replace("SOLVE", "BULKDOKU solve --quiet --format lines");
        let command = command.replace("BULKDOKU", BULKDOKU);
        format!("--solver={name}={command}")
    };
    let solvers: Vec<_> = solvers.iter().map(command).collect();
    let solvers: Vec<_> = solvers.iter().map(String::as_str).collect();
    let quick = ["in", "--rounds", "1", "--rows", "40", "-o", "out.json", "--force"];
    folder.run("bench", &[&quick, &solvers[..], args].concat(), "")
}

/// Slow puzzles need few rows until start-up is a small part of the time.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.file("in", format!("{HARDEST}\n"));
    folder
}

/// Returns the measurements of the last run.
fn json(folder: &Folder) -> Vec<Value> {
    serde_json::from_str(&folder.read("out.json")).unwrap()
}

#[test]
fn commands_are_measured_next_to_engines() {
    let folder = folder();
    let solvers = [
        ("text", "BULKDOKU solve -q --columns puzzle,solution | sed '1d;s/$/ in 12 ms/'"),
        ("file", "SOLVE {} -j {threads}"),
    ];
    let args = ["--engine", "scalar", "-j", "1,2"];
    let ran = bench(&folder, &solvers, &args);
    assert_eq!(ran.status, 0, "{ran:?}");
    let measured = json(&folder);
    let name = |of: &Value| format!("{} {}", of["engine"].as_str().unwrap(), of["threads"]);
    let names: Vec<_> = measured.iter().map(name).collect();
    let own = ["bulkdoku, piped 1", "bulkdoku, piped 2"];
    let expected = ["text 1", "file 1", "file 2"];
    assert_eq!(names, [&["scalar 1", "scalar 2"][..], &own, &expected].concat());
    for of in &measured[2..] {
        let rows = of["rows"].as_u64().unwrap();
        assert!((16..=40).contains(&rows) && of["invalid"].is_null(), "{of}");
        assert!(of["ns_min"].as_f64().unwrap() > 0.0, "{of}");
    }
    assert!(measured[0]["nodes_per_puzzle"].is_f64() && measured[2]["nodes_per_puzzle"].is_null());
    // Comparing with a baseline.
    folder.file("before.json", folder.read("out.json"));
    let args = ["--engine", "scalar", "--baseline", "before.json"];
    let ran = bench(&folder, &solvers[..1], &args);
    assert!(ran.status == 0 && json(&folder).len() == 3, "{ran:?}");
    assert!(ran.messages.contains(" of 3 changed beyond the spread"), "{ran:?}");
    let ran = bench(&folder, &[("new", "SOLVE")], &args);
    ran.expect(2, "in new, 1 thread, proof");
}

#[test]
fn wrong_answers_are_named_and_do_not_end_the_run() {
    let folder = folder();
    let keeps = "cat > kept; n=$(wc -l < kept); [ -f kept$n ] || SOLVE kept > kept$n; cat kept$n";
    let solvers = [
        ("wrong", "SOLVE | sed '3y/12/21/'", "line 3 is wrong"),
        ("echoes", "cat", "line 1 is without a solution, but its puzzle has one"),
        ("prose", "sed 's/.*/none/'", "line 1 is without a solution"),
        ("ends", "SOLVE | head -n 14", "line 15 is missing"),
        ("order", "SOLVE | sed -n '1!G;h;$p'", "line 1 is out of order"),
        ("twice", "SOLVE | sed '$p'", "line 17 is extra"),
        ("dies", "SOLVE; printf '\\033[1moops\\n\\n' >&2; exit 3", r"exit status 3: \u{1b}[1moops"),
        ("crashes", "kill -SEGV $$", "signal 11"),
        ("endless", "exec yes", "signal 25"),
        ("nothing", "true", "line 1 is missing"),
        ("keeps", keeps, "round 1: line 1 is out of order"),
        ("absent", "./absent", "exit status 127: "),
    ];
    let commands: Vec<_> = solvers.iter().map(|(name, command, _)| (*name, *command)).collect();
    let ran = bench(&folder, &commands, &["--report", "page.html"]);
    assert_eq!(ran.status, 1, "{ran:?}");
    let measured = json(&folder);
    assert_eq!(measured.len(), 2 + solvers.len());
    // The others are measured.
    assert!(measured[..2].iter().all(|of| of["ns_per_puzzle"].is_f64() && of["invalid"].is_null()));
    for ((name, _, reason), of) in solvers.iter().zip(&measured[2..]) {
        let found = of["invalid"].as_str().unwrap_or_else(|| panic!("{name}: {of}"));
        assert!(found.starts_with(reason), "{name}: {found}");
        assert!(of["ns_per_puzzle"].is_null(), "{of}");
        let message = format!("in {name}, 1 thread, proof: invalid: {reason}");
        assert!(ran.messages.contains(&message), "{message}: {}", ran.messages);
    }
    assert!(folder.read("page.html").contains("\"invalid\":\"line 3 is wrong\""));
    // Rejected solvers have no baseline.
    folder.file("before.json", folder.read("out.json"));
    let ran = bench(&folder, &[("wrong", "SOLVE")], &["--baseline", "before.json"]);
    ran.expect(2, "in wrong, 1 thread");
}

#[test]
fn commands_that_hang_are_stopped() {
    let folder = folder();
    let solvers = [("hangs", "SOLVE; exec >&-; sleep 600"), ("waits", "sleep 600 & wait")];
    let ran = bench(&folder, &solvers, &["--timeout", "200ms"]);
    assert_eq!(ran.status, 1, "{ran:?}");
    for of in &json(&folder)[2..] {
        assert_eq!(of["invalid"], "stopped after 200ms", "{of}");
    }
}

#[test]
fn a_signal_ends_the_command_that_hangs() {
    let folder = folder();
    for command in ["exec sleep 600", "sleep 600 & echo $! > pid; wait", "cat {} > rows; sleep 600"]
    {
        let line =
            format!("bench in --rounds 1 --rows 9 \"--solver=hangs=echo $$ > pid; {command}\"");
        let process = || std::fs::read_to_string(folder.path("pid")).ok()?.trim().parse().ok();
        let ran = folder.stopped(&line, "", Signal::INT, |_| process().is_some());
        assert_eq!(ran.status, 130, "{command}: {ran:?}");
        let process = Pid::from_raw(process().unwrap()).unwrap();
        wait_until(|| test_kill_process(process).is_err());
        std::fs::remove_file(folder.path("pid")).unwrap();
    }
}

#[test]
fn start_up_is_told_from_work() {
    let folder = folder();
    let ran = bench(&folder, &[("starts", "sleep 0.02; SOLVE")], &[]);
    assert_eq!(ran.status, 0, "{ran:?}");
    let of = &json(&folder)[2];
    let ns = |field: &str| of[field].as_f64().unwrap();
    assert!(0.0 < ns("ns_min") && ns("ns_max") < 20e6 / 16.0, "{of}");
    // No time is left for work.
    let ran = bench(&folder, &[("starts", "sleep 1.1; SOLVE")], &["--timeout", "8s"]);
    ran.expect(1, "too short to measure");
}
