//! The summary of a run, as text and JSON.

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use bulkdoku::pipeline::{Report, Statistics};
use bulkdoku::stats::{Counts, Latencies, human_time};
use bulkdoku::{EngineKind, Limits, SimdLevel, Status};
use indicatif::HumanCount;
use serde::Serialize;
use serde_json::{Map, Value};

use super::Exit;
use super::engine_args::EngineArgs;
use super::numbers::counted;
use super::platform::Interruption;
use super::run::RunSummary;
use super::run_args::RunArgs;

/// The summary, printable (`Display`) and serializable to JSON.
#[derive(Debug, Serialize)]
pub struct RecordSummary {
    inputs: Vec<String>,
    /// The answer to the question of the run, if it has read all records.
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<String>,
    /// By how many records most answers are shifted; positive if the right ones are later.
    #[serde(skip_serializing_if = "Option::is_none")]
    answers_shifted_by: Option<isize>,
    records: u64,
    statuses: Map<String, Value>,
    /// The outputs of rows, if there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parts: Vec<PartSummary>,
    blank_lines: u64,
    comments: u64,
    /// The number of records with an ellipsis, which is read as three dots.
    dotted: u64,
    /// The number of records whose rows were written by earlier runs.
    records_before: u64,
    /// The reason that the run was stopped early.
    interrupted: Option<Interruption>,
    /// The time of this run.
    wall_seconds: f64,
    /// The rate of this run.
    puzzles_per_second: f64,
    /// Whether the inputs' solutions were checked.
    check: bool,
    /// Whether canonical forms were computed instead of solutions.
    canon: bool,
    #[serde(skip)]
    exit: Exit,
    #[serde(skip)]
    finds: &'static str,
    engine: Option<&'static str>,
    simd: Option<&'static str>,
    threads: NonZeroUsize,
    threads_asked: NonZeroUsize,
    /// The reason for fewer threads than requested.
    threads_fewer: Option<&'static str>,
    solution_limit: Option<u32>,
    node_limit: Option<u64>,
    latency_ns: LatencySummary,
    /// The number of puzzles by difficulty.
    #[serde(flatten)]
    statistics: Statistics,
    failures: Vec<String>,
}

/// An output of rows.
#[derive(Debug, Serialize)]
struct PartSummary {
    output: String,
    rows: u64,
}

/// Percentiles of latencies in nanoseconds.
#[derive(Debug, Serialize)]
pub struct LatencySummary {
    count: u64,
    min: u64,
    mean: f64,
    p50: u64,
    p90: u64,
    p99: u64,
    p99_9: u64,
    max: u64,
    /// Counts by the least latency of each bucket, a twentieth of a power of ten.
    buckets: BTreeMap<u64, u64>,
}

/// The buckets of a summary per power of ten.
const BUCKETS_PER_DECADE: f64 = 20.0;

impl LatencySummary {
    pub fn new(latencies: &Latencies) -> Self {
        let mut buckets = BTreeMap::new();
        for bucket in latencies.buckets() {
            let place = (bucket.lowest_ns.max(1) as f64).log10() * BUCKETS_PER_DECADE;
            let least = 10_f64.powf(place.floor() / BUCKETS_PER_DECADE).ceil() as u64;
            *buckets.entry(least).or_default() += bucket.count;
        }
        Self {
            count: latencies.count(),
            min: latencies.min(),
            mean: latencies.mean(),
            p50: latencies.quantile(0.5),
            p90: latencies.quantile(0.9),
            p99: latencies.quantile(0.99),
            p99_9: latencies.quantile(0.999),
            max: latencies.max(),
            buckets,
        }
    }
}

/// The engine of a run, or what it does without one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Method {
    /// The name of the task without an engine.
    pub finds: &'static str,
    /// Whether canonical forms are computed instead of solutions.
    pub is_canon: bool,
    pub engine: Option<EngineKind>,
    /// The SIMD level, if the engine has vector code.
    pub simd: Option<SimdLevel>,
    /// The limits of searches, if records are solved or their solutions checked.
    pub limits: Option<Limits>,
    /// Whether the inputs' solutions are checked.
    pub check: bool,
}

impl Method {
    /// Finds something without an engine.
    pub fn finding(finds: &'static str) -> Self {
        Self { finds, ..Self::default() }
    }

    /// Solves within these limits.
    pub fn solving(args: &EngineArgs, limits: Limits) -> Self {
        let engine = args.engine();
        let (simd, limits) = (engine.uses(args.simd()), Some(limits));
        Self { engine: Some(engine), simd, limits, ..Self::default() }
    }
}

impl RunSummary for RecordSummary {
    fn exit(&self) -> Exit {
        self.exit
    }
}

impl RecordSummary {
    pub fn new(inputs: Vec<String>, method: Method, args: &RunArgs, report: &Report) -> Self {
        let threads = args.threads;
        let statuses =
            Status::ALL.map(|status| (status.name().into(), report.counts.of(status).into()));
        let records = report.counts.records();
        let Method { finds, is_canon, engine, simd, limits, check } = method;
        let wall_seconds = report.wall.as_secs_f64();
        Self {
            inputs,
            verdict: None,
            answers_shifted_by: None,
            records,
            statuses: statuses.into_iter().collect(),
            parts: Vec::new(),
            blank_lines: report.counts.blank_lines,
            comments: report.counts.comments,
            dotted: report.counts.dotted,
            wall_seconds,
            records_before: report.records_before,
            puzzles_per_second: (records - report.records_before) as f64 / wall_seconds,
            interrupted: Interruption::of_run(report.stopped),
            check,
            canon: is_canon,
            exit: if args.fails(&report.counts) { Exit::SomeRecords } else { Exit::Done },
            finds,
            engine: engine.map(EngineKind::name),
            simd: simd.map(SimdLevel::name),
            threads: report.threads,
            threads_asked: threads,
            threads_fewer: (report.threads < threads).then_some(if report.threads_refused {
                "the operating system provides no more threads or memory"
            } else {
                "more would not be faster"
            }),
            solution_limit: limits.map(|limits| limits.solutions.get()),
            node_limit: limits.and_then(|limits| limits.nodes).map(Into::into),
            latency_ns: LatencySummary::new(&report.latencies),
            statistics: report.statistics.clone(),
            failures: report.failures.iter().map(ToString::to_string).collect(),
        }
    }

    /// Adds the numbers of rows of several outputs.
    pub fn with_parts(self, outputs: &[PathBuf], rows: &[u64]) -> Self {
        let part = |(path, rows): (&PathBuf, &u64)| PartSummary {
            output: path.display().to_string(),
            rows: *rows,
        };
        Self { parts: outputs.iter().zip(rows).map(part).collect(), ..self }
    }

    /// Adds the shift of answers, if most records have a wrong one.
    pub fn with_shift(self, shift: Option<isize>, counts: &Counts) -> Self {
        let are_wrong = 2 * counts.of(Status::Mismatch) > counts.records();
        Self { answers_shifted_by: shift.filter(|_| are_wrong), ..self }
    }

    /// Adds the answer to the question of a run, unless it has not read all records.
    pub fn with_verdict(self, verdict: Option<String>) -> Self {
        let is_complete = self.interrupted.is_none() && self.failures.is_empty();
        Self { verdict: verdict.filter(|_| is_complete), ..self }
    }

    /// Returns the engine with its threads and mode.
    pub fn method(&self) -> String {
        let simd = self.simd.map_or(String::new(), |simd| format!(" ({simd})"));
        let threads = match self.threads_fewer {
            Some(why) => format!("{} of {} threads ({why})", self.threads, self.threads_asked),
            None => counted(self.threads.get() as u64, "thread"),
        };
        if self.check && self.solution_limit == Some(1) {
            return format!("no engine, {threads}, solutions checked without proof");
        }
        match (self.engine, self.solution_limit) {
            (Some(engine), Some(limit)) => {
                format!("engine {engine}{simd}, {threads}, {}", self.mode(limit))
            }
            _ => format!("{}, {threads}", self.finds),
        }
    }

    fn mode(&self, solution_limit: u32) -> String {
        let mode = match solution_limit {
            1 => "first solution".into(),
            2 => "proof of uniqueness".into(),
            n => format!("up to {n} solutions"),
        };
        match self.node_limit {
            Some(nodes) => format!("{mode}, at most {nodes} nodes"),
            None => mode,
        }
    }
}

impl fmt::Display for RecordSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rate = HumanCount(self.puzzles_per_second as u64);
        let wall = human_time(self.wall_seconds * 1e9);
        if let Some(verdict) = &self.verdict {
            writeln!(f, "{verdict}")?;
        }
        let here = counted(self.records - self.records_before, "record");
        writeln!(f, "{here} in {wall}, {rate} per second")?;
        if self.records_before > 0 {
            let all = counted(self.records, "record");
            writeln!(f, "{all} with those of earlier runs, which are counted below:")?;
        }
        for (status, count) in &self.statuses {
            match count.as_u64() {
                Some(count) if count > 0 => {
                    writeln!(f, "  {status:<15}{:>12}", HumanCount(count).to_string())?;
                }
                _ => {}
            }
        }
        for (name, count) in [
            ("blank lines", self.blank_lines),
            ("comments", self.comments),
            ("with … as three dots", self.dotted),
        ] {
            if count > 0 {
                let width = 25 - name.chars().count();
                writeln!(f, "  ({name}){:>width$}", HumanCount(count).to_string())?;
            }
        }
        if let Some(shift) = self.answers_shifted_by {
            let place = if shift > 0 { "later" } else { "earlier" };
            let by = shift.unsigned_abs();
            writeln!(f, "are all answers shifted by {by}? those of most records are {by} {place}")?;
        }
        let in_parts = self.parts.iter().map(|part| part.rows).sum::<u64>().max(1) as f64;
        for PartSummary { output, rows } in &self.parts {
            let share = 100.0 * *rows as f64 / in_parts;
            writeln!(f, "{output}: {} ({share:.2}%)", counted(*rows, "record"))?;
        }
        write!(f, "{}", self.method())?;
        let asks_engine = !(self.check && self.solution_limit == Some(1));
        if asks_engine && self.latency_ns.count > 0 {
            write!(f, "\nlatency {}", self.latency_ns)?;
        }
        Ok(())
    }
}

impl fmt::Display for LatencySummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [min, mean, p50] = [self.min as f64, self.mean, self.p50 as f64].map(human_time);
        let [p90, p99, p99_9, max] =
            [self.p90, self.p99, self.p99_9, self.max].map(|ns| human_time(ns as f64));
        write!(
            f,
            "min {min}, mean {mean}, p50 {p50}, p90 {p90}, p99 {p99}, p99.9 {p99_9}, max {max}"
        )
    }
}
