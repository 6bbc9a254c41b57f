//! Runs a pipeline with a custom sink, which counts the rows of each status. Rows arrive in input
//! order.
//!
//! `cargo run --release --example sink -- [FILE]`

use std::collections::BTreeMap;
use std::error::Error;
use std::fs::File;
use std::io;

use bulkdoku::bundled::BUNDLED;
use bulkdoku::output::{Column, CsvRows};
use bulkdoku::pipeline::Sink;
use bulkdoku::{Pipeline, Progress, Source};

/// Counts equal rows.
#[derive(Default)]
struct Tally(BTreeMap<String, u64>);

impl Sink for Tally {
    fn header(&mut self, _: u8, _: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn rows(&mut self, _: u8, rows: &[u8]) -> io::Result<()> {
        for row in String::from_utf8_lossy(rows).lines() {
            *self.0.entry(row.to_owned()).or_default() += 1;
        }
        Ok(())
    }

    fn messages(&mut self, messages: &[u8]) -> io::Result<()> {
        eprint!("{}", String::from_utf8_lossy(messages));
        Ok(())
    }

    fn finish(&mut self, _: bool) -> io::Result<()> {
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let source = match std::env::args().nth(1) {
        Some(path) => Source::new(path.clone(), File::open(path)?),
        None => Source::new("easy", BUNDLED[0].text.as_bytes()),
    };
    let format = Box::new(CsvRows::new([Column::Status, Column::Solutions]));
    let pipeline = Pipeline { format, ..Pipeline::default() };
    let mut tally = Tally::default();
    let report = pipeline.run_into(&mut tally, [source], &Progress::default())?;
    println!("{:?} for {:?}", report.wall, tally.0);
    Ok(())
}
