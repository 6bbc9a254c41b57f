//! `--log-format json`: every line on standard error is an object.

use serde_json::Value;

use crate::common::command::{CLASSIC, Folder};

/// Parses all lines, checks their times, and returns them with the names of their events.
fn events(messages: &str) -> Vec<(String, Value)> {
    let parse = |line: &str| {
        let event: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"));
        let time = event["time"].as_str().unwrap();
        assert!(humantime::parse_rfc3339(time).is_ok(), "{line}");
        (event["event"].as_str().unwrap().to_owned(), event)
    };
    messages.lines().map(parse).collect()
}

#[test]
fn every_line_is_an_event_in_order() {
    let folder = Folder::new();
    folder.file("in.csv", format!("puzzle\n{CLASSIC}\nbad\n"));
    for file in ["errors.txt", "errors.jsonl"] {
        let line = format!("solve in.csv --log-format json --progress 1h --errors {file}");
        let ran = folder.line(&line);
        assert_eq!(ran.status, 1, "{ran:?}");
        let events = events(&ran.messages);
        let names: Vec<_> = events.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["note", "message", "progress", "summary", "end"], "{ran:?}");
        let fields: Vec<_> = events.iter().map(|(_, fields)| fields).collect();
        assert!(fields[0]["text"].as_str().unwrap().starts_with("in.csv: CSV"), "{ran:?}");
        assert_eq!((&fields[1]["line"], &fields[1]["status"]), (&3.into(), &"malformed".into()));
        assert_eq!((&fields[2]["percent"], &fields[2]["puzzles"]), (&100.0.into(), &2.into()));
        assert_eq!(
            (&fields[3]["records"], &fields[3]["statuses"]["unique"]),
            (&2.into(), &1.into())
        );
        assert_eq!((&fields[4]["exit"], &fields[4]["interrupted"]), (&1.into(), &Value::Null));
        // The file of messages has the format of its name.
        let is_json = folder.read(file).starts_with('{');
        assert_eq!(is_json, file.ends_with("jsonl"), "{}", folder.read(file));
        assert_eq!(folder.read(file).lines().count(), 1);
    }
}

#[test]
fn failures_and_interruptions_have_events() {
    let folder = Folder::new();
    folder.file("in", format!("{CLASSIC}\n"));
    for (line, exit, error) in [
        ("solve missing", 3, "missing: No such file"),
        ("check in", 2, "in: no line has a solution"),
        ("canon in --against missing", 3, "missing: No such file"),
    ] {
        let ran = folder.line(&format!("{line} --log-format json"));
        let events = events(&ran.messages);
        let [(error_name, fields), (end, ended)] = &events[..] else { panic!("{ran:?}") };
        assert_eq!((error_name.as_str(), end.as_str()), ("error", "end"), "{ran:?}");
        assert!(fields["text"].as_str().unwrap().starts_with(error), "{ran:?}");
        assert_eq!((ran.status, &ended["exit"]), (exit, &exit.into()), "{ran:?}");
    }
    let ran = folder.line("generate -n 1e9 --seed 1 --timeout 0s --log-format json -q");
    let events = events(&ran.messages);
    let (end, fields) = events.last().unwrap();
    assert_eq!((end.as_str(), &fields["interrupted"]), ("end", &"timeout".into()), "{ran:?}");
    assert_eq!((ran.status, &fields["exit"]), (124, &124.into()), "{ran:?}");
}
