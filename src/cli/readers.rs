//! How rows are read back: the lines of docs/guide.md, which scripts/readers-test runs.

/// A section of the help.
pub const READERS: &str = r#"Reading rows back:
  A solution is text. Readers that guess types make a number of its digits, unless they are told:

  text = ["puzzle", "solution"]  # also "answer" of check, and what --keep carries along

  # Python
  csv.DictReader(open("results.csv", newline="", encoding="utf-8", errors="replace"))
  map(json.loads, open("results.jsonl", encoding="utf-8"))
  # pandas
  pandas.read_csv("results.csv", dtype=dict.fromkeys(text, str), keep_default_na=False,
                  encoding_errors="replace")
  pandas.read_json("results.jsonl", lines=True, dtype=False)
  # polars
  polars.read_csv("results.csv", schema_overrides=dict.fromkeys(text, polars.String),
                  encoding="utf8-lossy")
  polars.read_ndjson("results.jsonl", infer_schema_length=None)
  # pyarrow
  types = dict.fromkeys(text, pyarrow.string())
  pyarrow.csv.read_csv("results.csv",
      convert_options=pyarrow.csv.ConvertOptions(column_types=types),
      parse_options=pyarrow.csv.ParseOptions(newlines_in_values=True))
  pyarrow.json.read_json("results.jsonl",
      parse_options=pyarrow.json.ParseOptions(explicit_schema=pyarrow.schema(types)))
  # DuckDB
  duckdb.read_csv("results.csv", dtype=dict.fromkeys(text, "VARCHAR"), header=True, sep=",",
                  quotechar='"', escapechar='"')
  duckdb.read_json("results.jsonl")"#;
