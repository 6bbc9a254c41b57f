//! The instructions of the guide and the help for reading rows back. `scripts/readers-test` runs
//! them.

use crate::common::command::Folder;

const GUIDE: &str = include_str!("../docs/guide.md");

/// The lines of the block of the guide that follows this heading and begins with this fence.
fn block(heading: &str, fence: &str) -> Vec<&'static str> {
    let (_, section) = GUIDE.split_once(heading).unwrap();
    let (_, block) = section.split_once(fence).unwrap();
    block.lines().skip(1).take_while(|line| *line != "```").collect()
}

#[test]
fn the_help_has_the_lines_of_the_guide_for_each_reader() {
    let help = Folder::new().run("solve", &["--help"], "").rows;
    let lines = block("### Reading rows back", "```python");
    let section: Vec<_> =
        help.lines().map(|line| line.strip_prefix("  ").unwrap_or(line)).collect();
    assert!(section.windows(lines.len()).any(|window| window == lines), "{help}");
    for (reader, format) in [
        ("csv.", "csv"),
        ("json.", "jsonl"),
        ("pandas.read_csv", "csv"),
        ("pandas.read_json", "jsonl"),
        ("polars.read_csv", "csv"),
        ("polars.read_ndjson", "jsonl"),
        ("pyarrow.csv.read_csv", "csv"),
        ("pyarrow.json.read_json", "jsonl"),
        ("duckdb.read_csv", "csv"),
        ("duckdb.read_json", "jsonl"),
    ] {
        let file = format!("\"results.{format}\"");
        let is_there = lines.iter().any(|line| line.contains(reader) && line.contains(&file));
        assert!(is_there, "{reader} {file}");
    }
}
