//! The summary of a run, as text and JSON.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

use bulkdoku::pipeline::Report;
use bulkdoku::stats::{Latencies, human_time};
use bulkdoku::{EngineKind, Limits, SimdLevel, Status};
use indicatif::HumanCount;
use serde_json::{Map, Value, json};

use super::engine_args::EngineArgs;
use super::numbers::counted;
use super::platform::Interruption;
use super::run_args::RunArgs;
use super::{Exit, shown};

#[derive(Debug)]
pub struct Summary {
    pub text: String,
    /// See `docs/schemas/`.
    pub json: Map<String, Value>,
    pub exit: Exit,
    pub resume_options: String,
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
    pub limits: Option<Limits>,
    pub check: bool,
}

impl Method {
    pub fn finding(finds: &'static str) -> Self {
        Self { finds, ..Self::default() }
    }

    pub fn solving(args: &EngineArgs, limits: Limits) -> Self {
        let engine = args.engine();
        let (simd, limits) = (engine.uses(args.simd()), Some(limits));
        Self { engine: Some(engine), simd, limits, ..Self::default() }
    }

    fn text(&self, threads: &str) -> String {
        if self.checks_without_proof() {
            return format!("no engine, {threads}, solutions checked without proof");
        }
        let Some((engine, limits)) = self.engine.zip(self.limits) else {
            return format!("{}, {threads}", self.finds);
        };
        let simd = self.simd.map_or(String::new(), |simd| format!(" ({simd})"));
        let mode = match limits.solutions.get() {
            1 => "first solution".into(),
            2 => "proof of uniqueness".into(),
            n => format!("up to {n} solutions"),
        };
        let nodes = limits.nodes.map_or(String::new(), |nodes| format!(", at most {nodes} nodes"));
        format!("engine {engine}{simd}, {threads}, {mode}{nodes}")
    }

    fn checks_without_proof(&self) -> bool {
        self.check && self.limits.is_some_and(|limits| limits.solutions.get() == 1)
    }
}

impl Summary {
    /// Summarizes a run over records. `outputs` are those of rows, if there are several; `shift` is by
    /// how many records most answers are shifted, positive if the right ones are later; `verdict`
    /// answers the question of the run, if it has read all records.
    pub fn of_records(
        report: &Report,
        inputs: &[String],
        method: Method,
        args: &RunArgs,
        outputs: &[PathBuf],
        shift: Option<isize>,
        verdict: Option<String>,
    ) -> Self {
        let (counts, asked) = (&report.counts, args.threads);
        let (records, before) = (counts.records(), report.records_before);
        let interrupted = Interruption::of_run(report.stopped);
        let verdict = verdict.filter(|_| interrupted.is_none() && report.failures.is_empty());
        let shift = shift.filter(|_| 2 * counts.of(Status::Mismatch) > records);
        let fewer = (report.threads < asked.get()).then_some(if report.threads_refused {
            "the operating system provides no more threads or memory"
        } else {
            "more would not be faster"
        });
        let threads = match fewer {
            Some(why) => format!("{} of {asked} threads ({why})", report.threads),
            None => counted(report.threads as u64, "thread"),
        };
        let (pace, latency_ns) = (Pace::of(report), latencies_json(&report.latencies));

        let mut text = verdict.iter().fold(String::new(), |text, verdict| text + verdict + "\n");
        pace.write(&mut text, "record", "");
        for status in Status::ALL.into_iter().filter(|status| counts.of(*status) > 0) {
            let count = HumanCount(counts.of(status)).to_string();
            let _ = writeln!(text, "  {:<15}{count:>12}", status.name());
        }
        for (name, count) in [
            ("blank lines", counts.blank_lines),
            ("comments", counts.comments),
            ("with … as three dots", counts.dotted),
        ] {
            if count > 0 {
                let width = 25 - name.chars().count();
                let _ = writeln!(text, "  ({name}){:>width$}", HumanCount(count).to_string());
            }
        }
        if let Some(shift) = shift {
            let (by, place) = (shift.unsigned_abs(), if shift > 0 { "later" } else { "earlier" });
            let question = format!("are all answers shifted by {by}?");
            let _ = writeln!(text, "{question} those of most records are {by} {place}");
        }
        let all_rows = report.rows.iter().sum::<u64>().max(1) as f64;
        for (output, rows) in outputs.iter().zip(&report.rows) {
            let (share, count) = (100.0 * *rows as f64 / all_rows, counted(*rows, "record"));
            let _ = writeln!(text, "{}: {count} ({share:.2}%)", shown(output));
        }
        text += &method.text(&threads);
        if report.latencies.count() > 0 && !method.checks_without_proof() {
            let _ = write!(text, "\nlatency {}", percentiles(&latency_ns));
        }

        let statuses = Status::ALL.map(|it| (it.name().to_owned(), counts.of(it).into()));
        let statuses: Map<String, Value> = statuses.into_iter().collect();
        let part = |(output, rows): (&PathBuf, &u64)| json!({ "output": output.display().to_string(), "rows": rows });
        let parts: Vec<_> = outputs.iter().zip(&report.rows).map(part).collect();
        let failures: Vec<_> = report.failures.iter().map(ToString::to_string).collect();
        let json = object([
            json!({ "inputs": inputs }),
            verdict.map_or(Value::Null, |verdict| json!({ "verdict": verdict })),
            shift.map_or(Value::Null, |shift| json!({ "answers_shifted_by": shift })),
            json!({ "records": records, "statuses": statuses }),
            if parts.is_empty() { Value::Null } else { json!({ "parts": parts }) },
            json!({
                "blank_lines": counts.blank_lines,
                "comments": counts.comments,
                "dotted": counts.dotted,
                "records_before": before,
                "interrupted": interrupted,
                "wall_seconds": pace.seconds,
                "puzzles_per_second": pace.rate,
                "check": method.check,
                "canon": method.is_canon,
                "engine": method.engine.map(EngineKind::name),
                "simd": method.simd.map(SimdLevel::name),
                "threads": report.threads,
                "threads_asked": asked,
                "threads_fewer": fewer,
                "solution_limit": method.limits.map(|limits| limits.solutions),
                "node_limit": method.limits.and_then(|limits| limits.nodes),
                "latency_ns": latency_ns,
            }),
            json!(report.statistics),
            json!({ "failures": failures }),
        ]);
        let exit = if args.fails(counts) { Exit::SomeRecords } else { Exit::Done };
        Self { text, json, exit, resume_options: "--resume".into() }
    }
}

/// Joins the members of objects; null has none.
pub fn object(parts: impl IntoIterator<Item = Value>) -> Map<String, Value> {
    let members = parts.into_iter().filter_map(|part| match part {
        Value::Object(members) => Some(members),
        _ => None,
    });
    members.flatten().collect()
}

pub struct Pace {
    count: u64,
    before: u64,
    pub seconds: f64,
    pub rate: f64,
}

impl Pace {
    pub fn of(report: &Report) -> Self {
        let (count, before) = (report.counts.records(), report.records_before);
        let seconds = report.wall.as_secs_f64();
        Self { count, before, seconds, rate: (count - before) as f64 / seconds }
    }

    pub fn write(&self, text: &mut String, noun: &str, of: &str) {
        let here = counted(self.count - self.before, noun);
        let (wall, rate) = (human_time(self.seconds * 1e9), HumanCount(self.rate as u64));
        let _ = writeln!(text, "{here}{of} in {wall}, {rate} per second");
        if self.before > 0 {
            let all = counted(self.count, noun);
            let _ = writeln!(text, "{all} with those of earlier runs, which are counted below:");
        }
    }
}

const BUCKETS_PER_DECADE: f64 = 20.0;

fn percentiles(latency_ns: &Value) -> String {
    let names = ["min", "mean", "p50", "p90", "p99", "p99_9", "max"];
    let [min, mean, p50, p90, p99, p99_9, max] =
        names.map(|name| human_time(latency_ns[name].as_f64().unwrap_or_default()));
    format!("min {min}, mean {mean}, p50 {p50}, p90 {p90}, p99 {p99}, p99.9 {p99_9}, max {max}")
}

/// Returns the percentiles in nanoseconds, and counts by the least latency of each bucket.
pub fn latencies_json(of: &Latencies) -> Value {
    let mut buckets = BTreeMap::<u64, u64>::new();
    for (lowest, _, count) in of.buckets() {
        let place = (lowest.max(1) as f64).log10() * BUCKETS_PER_DECADE;
        let least = 10_f64.powf(place.floor() / BUCKETS_PER_DECADE).ceil() as u64;
        *buckets.entry(least).or_default() += count;
    }
    json!({
        "count": of.count(),
        "min": of.min(),
        "mean": of.mean(),
        "p50": of.quantile(0.5),
        "p90": of.quantile(0.9),
        "p99": of.quantile(0.99),
        "p99_9": of.quantile(0.999),
        "max": of.max(),
        "buckets": buckets,
    })
}
