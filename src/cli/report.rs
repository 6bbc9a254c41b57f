//! The page of `--report`: a static file that draws the JSON in it.

use std::io::{self, Write};

use bulkdoku::pipeline::visible_json;
use serde::Serialize;

const PAGE: &str = include_str!("report.html");

/// Writes the page with a summary of a run, or with measurements.
pub fn write(data: &impl Serialize, mut out: impl Write) -> io::Result<()> {
    // `<` could end the element of the data.
    let json = visible_json(&serde_json::to_string(data)?).replace('<', r"\u003c");
    let page = PAGE.replacen("{{DATA}}", &json, 1);
    out.write_all(page.as_bytes())?;
    out.flush()
}
