//! The guide's instructions for reading rows, which `scripts/readers-test` runs.

const GUIDE: &str = include_str!("../docs/guide.md");

/// Returns the lines of the code block in the guide after this heading that begins with this fence.
fn block(heading: &str, fence: &str) -> Vec<&'static str> {
    let (_, section) = GUIDE.split_once(heading).unwrap();
    let (_, block) = section.split_once(fence).unwrap();
    block.lines().skip(1).take_while(|line| *line != "```").collect()
}

#[test]
fn the_guide_has_a_line_for_each_reader() {
    let lines = block("## Reading rows back", "```python");
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
