//! Manifests: how the rows of a file are made, and how to verify them.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use bulkdoku::Progress;
use bulkdoku::pipeline::{OutputFailure, Report};
use clap::Parser;
use indicatif::HumanCount;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::super::progress::{Meter, Progressed};
use super::super::{Exit, Failure, platform};
use super::{Args, Plan};

const PROGRAM: &str = env!("CARGO_PKG_NAME");
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// How the rows of a file are made, and what they are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    program: String,
    version: String,
    /// The arguments of `bulkdoku generate` that make the same bytes.
    arguments: Vec<String>,
    seed: u64,
    skip: u64,
    rows: u64,
    /// The name of the file, which decides whether its rows are compressed.
    output: String,
    bytes: u64,
    sha256: String,
    /// The number of puzzles with each number of clues.
    clues: BTreeMap<usize, u64>,
    /// The number of puzzles of each level.
    levels: BTreeMap<u8, u64>,
}

impl Manifest {
    /// Reads complete rows from their file.
    pub fn read(plan: &Plan<'_>, path: &Path, report: &Report) -> io::Result<Self> {
        let mut hash = Hash::default();
        io::copy(&mut File::open(path)?, &mut hash)?;
        Ok(Self::new(plan, path, report, &hash))
    }

    fn new(plan: &Plan<'_>, path: &Path, report: &Report, hash: &Hash) -> Self {
        let settings = plan.settings();
        Self {
            program: PROGRAM.into(),
            version: VERSION.into(),
            arguments: settings.into_iter().flat_map(|(name, value)| [name, value]).collect(),
            seed: plan.corpus.seed,
            skip: plan.corpus.rows.start,
            rows: report.counts.records(),
            output: path.display().to_string(),
            bytes: hash.bytes,
            sha256: hash.hex(),
            clues: report.tally.clues.clone(),
            levels: report.tally.levels.clone(),
        }
    }

    /// The first difference between this manifest and rows that were made again.
    fn difference(&self, made: &Self) -> Option<String> {
        let differences = [
            ("rows", self.rows.to_string(), made.rows.to_string()),
            ("bytes", self.bytes.to_string(), made.bytes.to_string()),
            ("SHA-256", self.sha256.clone(), made.sha256.clone()),
            ("clues", format!("{:?}", self.clues), format!("{:?}", made.clues)),
            ("levels", format!("{:?}", self.levels), format!("{:?}", made.levels)),
        ];
        let mut differences = differences.into_iter().filter(|(_, listed, made)| listed != made);
        let (what, listed, made) = differences.next()?;
        let version = if self.version == VERSION {
            String::new()
        } else {
            format!("; it was made by version {}, this is {VERSION}", self.version)
        };
        Some(format!("{what} differ: the manifest has {listed}, made again {made}{version}"))
    }
}

/// Counts and hashes bytes.
#[derive(Default)]
struct Hash {
    sha256: Sha256,
    bytes: u64,
}

impl Hash {
    fn hex(&self) -> String {
        self.sha256.clone().finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl Write for Hash {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.sha256.update(bytes);
        self.bytes += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The arguments in a manifest.
#[derive(Parser)]
#[command(no_binary_name = true)]
struct ManifestArgs {
    #[command(flatten)]
    args: Args,
}

/// Makes the rows of a manifest again, and compares them.
pub fn verify(path: &Path, args: &Args) -> Result<Exit, Failure> {
    let text = fs::read(path).map_err(|error| Failure::at(path, error))?;
    let manifest: Manifest = serde_json::from_slice(&text)
        .map_err(|error| Failure::Usage(format!("{}: is no manifest: {error}", path.display())))?;
    let mut parsed = ManifestArgs::try_parse_from(&manifest.arguments)
        .map_err(|error| Failure::Usage(format!("{}: its arguments: {error}", path.display())))?;
    parsed.args.destinations.output = Some(manifest.output.as_str().into());
    // With a manifest, levels are counted.
    parsed.args.manifest = Some("levels.json".into());
    (parsed.args.run.threads, parsed.args.simd) = (args.run.threads, args.simd);
    let plan = Plan::new(&parsed.args)?;
    let progress = Progress::default();
    platform::stop_at_signal(&progress.stop, args.run.quiet)?;
    let meter = Meter::new(args.run.progress, Some(manifest.rows), args.run.quiet);
    let progressed = || Progressed::of_rows(0, &progress);
    let mut made = (Hash::default(), io::sink());
    let pipeline = plan.pipeline()?;
    let ran =
        meter.watch(progressed, || pipeline.make_into(&plan.corpus, None, &mut made, &progress));
    let report = ran.map_err(|OutputFailure { error, .. }| Failure::Io(error.to_string()))?;
    if report.stopped {
        return Ok(Exit::Interrupted);
    }
    let made = Manifest::new(&plan, Path::new(&manifest.output), &report, &made.0);
    if let Some(difference) = manifest.difference(&made) {
        return Err(Failure::Wrong(format!("{}: {difference}", path.display())));
    }
    if !args.run.quiet {
        let (rows, sum) = (HumanCount(made.rows), &made.sha256);
        let _ = writeln!(io::stderr(), "the same: {rows} rows, SHA-256 {sum}");
    }
    Ok(Exit::Done)
}
