//! What a run did, for people and for programs.

use std::fmt;
use std::num::NonZeroUsize;

use bulkdoku::pipeline::Report;
use bulkdoku::stats::{HumanTime, Latencies};
use bulkdoku::{EngineKind, Limits, SimdLevel, Status};
use indicatif::HumanCount;
use serde::Serialize;
use serde_json::{Map, Value};

/// How the puzzles were solved.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    /// The engine, if one is asked.
    pub engine: Option<EngineKind>,
    /// Its vector level, if it uses one.
    pub simd: Option<SimdLevel>,
    /// Workers that were asked for.
    pub threads: NonZeroUsize,
    /// Where each search ended.
    pub limits: Limits,
    /// Whether the inputs' own solutions were checked.
    pub check: bool,
    /// Whether canonical forms were found instead of solutions.
    pub canon: bool,
    /// What was found, where no engine was asked.
    pub finds: &'static str,
}

/// The summary, ready to print (`Display`) or to write as JSON (`Serialize`).
#[derive(Debug, Serialize)]
pub struct Summary {
    inputs: Vec<String>,
    records: u64,
    statuses: Map<String, Value>,
    blank_lines: u64,
    comments: u64,
    /// Records with an ellipsis that is read as three dots.
    dotted: u64,
    /// Records with keys that are not carried along, where all are that the first record has.
    unkept: u64,
    /// Of all records, those of earlier runs that this one went on with.
    records_before: u64,
    /// Whether a signal ended the run before the end of the inputs.
    interrupted: bool,
    /// Of this run.
    wall_seconds: f64,
    /// Of this run.
    puzzles_per_second: f64,
    /// Whether the inputs' own solutions were checked.
    check: bool,
    /// Whether canonical forms were found instead of solutions.
    canon: bool,
    #[serde(skip)]
    finds: &'static str,
    engine: Option<&'static str>,
    simd: Option<&'static str>,
    threads: NonZeroUsize,
    threads_asked: NonZeroUsize,
    /// Why there are fewer, if there are.
    threads_fewer: Option<&'static str>,
    solution_limit: Option<u32>,
    node_limit: Option<u64>,
    latency_ns: LatencySummary,
    failures: Vec<String>,
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
}

impl LatencySummary {
    /// That of these.
    pub fn new(latencies: &Latencies) -> Self {
        Self {
            count: latencies.count(),
            min: latencies.min(),
            mean: latencies.mean(),
            p50: latencies.quantile(0.5),
            p90: latencies.quantile(0.9),
            p99: latencies.quantile(0.99),
            p99_9: latencies.quantile(0.999),
            max: latencies.max(),
        }
    }
}

impl Summary {
    /// Sums up a run.
    pub fn new(inputs: Vec<String>, setup: Setup, report: &Report) -> Self {
        let statuses =
            Status::ALL.map(|status| (status.name().into(), report.counts.of(status).into()));
        let records = report.counts.records();
        let wall_seconds = report.wall.as_secs_f64();
        Self {
            inputs,
            records,
            statuses: statuses.into_iter().collect(),
            blank_lines: report.counts.blank_lines,
            comments: report.counts.comments,
            dotted: report.counts.dotted,
            unkept: report.counts.unkept,
            wall_seconds,
            records_before: report.records_before,
            puzzles_per_second: (records - report.records_before) as f64 / wall_seconds,
            interrupted: report.stopped,
            check: setup.check,
            canon: setup.canon,
            finds: setup.finds,
            engine: setup.engine.map(EngineKind::name),
            simd: setup.simd.map(SimdLevel::name),
            threads: report.threads,
            threads_asked: setup.threads,
            threads_fewer: (report.threads < setup.threads).then_some(if report.threads_refused {
                "the system gives no more threads or memory"
            } else {
                "more would gain nothing"
            }),
            solution_limit: (!setup.canon).then(|| setup.limits.solutions.get()),
            node_limit: setup.limits.nodes.map(Into::into),
            latency_ns: LatencySummary::new(&report.latencies),
            failures: report.failures.iter().map(ToString::to_string).collect(),
        }
    }
}

impl Summary {
    fn threads_in_words(&self) -> String {
        let (threads, asked) = (self.threads, self.threads_asked);
        if let Some(why) = self.threads_fewer {
            return format!("{threads} of {asked} threads ({why})");
        }
        format!("{threads} thread{}", if threads.get() == 1 { "" } else { "s" })
    }
}

impl Summary {
    /// Which engine on how many threads found what.
    pub fn means(&self) -> String {
        let simd = self.simd.map_or(String::new(), |simd| format!(" ({simd})"));
        let threads = self.threads_in_words();
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
}

fn records(count: u64) -> String {
    format!("{} record{}", HumanCount(count), if count == 1 { "" } else { "s" })
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rate = HumanCount(self.puzzles_per_second as u64);
        let wall = HumanTime::of_ns(self.wall_seconds * 1e9);
        let here = records(self.records - self.records_before);
        writeln!(f, "{here} in {wall}, {rate} a second")?;
        if self.records_before > 0 {
            let all = records(self.records);
            writeln!(f, "with those of earlier runs {all}, which are what follows:")?;
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
            ("with keys not kept", self.unkept),
        ] {
            if count > 0 {
                let width = 25 - name.chars().count();
                writeln!(f, "  ({name}){:>width$}", HumanCount(count).to_string())?;
            }
        }
        write!(f, "{}", self.means())?;
        let asks_engine = !(self.check && self.solution_limit == Some(1));
        if asks_engine && self.latency_ns.count > 0 {
            write!(f, "\nlatency {}", self.latency_ns)?;
        }
        Ok(())
    }
}

impl fmt::Display for LatencySummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [min, mean, p50] = [self.min as f64, self.mean, self.p50 as f64].map(HumanTime::of_ns);
        let [p90, p99, p99_9, max] =
            [self.p90, self.p99, self.p99_9, self.max].map(|ns| HumanTime::of_ns(ns as f64));
        write!(
            f,
            "min {min}, mean {mean}, p50 {p50}, p90 {p90}, p99 {p99}, p99.9 {p99_9}, max {max}"
        )
    }
}

impl Summary {
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
