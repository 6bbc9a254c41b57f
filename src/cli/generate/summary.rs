//! The summary of a corpus.

use std::fmt::Write;

use bulkdoku::generate::Symmetry;
use bulkdoku::pipeline::{Generate, Report};
use indicatif::HumanFloatCount;
use serde_json::{Value, json};

use super::super::Exit;
use super::super::numbers::counted;
use super::super::platform::Interruption;
use super::super::summary::{Pace, Summary, latencies_json, object};
use super::GenerateArgs;

impl Summary {
    pub fn of_corpus(report: &Report, job: &Generate, args: &GenerateArgs) -> Self {
        let (skip, seed, simd, is_hard) = (args.skip, job.seed, args.simd(), args.is_hard());
        let (rows, before) = (report.counts.records(), report.records_before);
        let pace = Pace::of(report);
        let kind = if is_hard { "hard".to_owned() } else { job.recipe.kind.to_string() };
        let symmetry = Some(job.recipe.symmetry).filter(|it| *it != Symmetry::None);
        let symmetry = symmetry.map(|it| format!(" within the symmetry {it}")).unwrap_or_default();
        let drawn = (job.condition.is_some() && !is_hard).then(|| job.yields.counts().0);

        let mut text = String::new();
        pace.write(&mut text, "row", &format!(" of kind {kind}{symmetry}"));
        if let Some(drawn) = drawn {
            let each = match rows - before {
                0 => "none met the condition".into(),
                new => format!("{:.1} per row", HumanFloatCount(drawn as f64 / new as f64)),
            };
            let _ = writeln!(text, "{} drawn, {each}", counted(drawn, "puzzle"));
        }
        let corpus = if is_hard {
            format!("from island {skip}")
        } else {
            format!("rows {skip} to {}", skip + rows.saturating_sub(1))
        };
        let threads = counted(report.threads as u64, "thread");
        let _ = write!(text, "seed {seed}, {corpus}; engine lanes ({simd}), {threads}");

        let json = object([
            json!({
                "kind": kind,
                "skip": skip,
                "rows": rows,
                "rows_before": before,
                "interrupted": Interruption::of_run(report.stopped),
                "wall_seconds": pace.seconds,
                "rows_per_second": pace.rate,
                "threads": report.threads,
                "simd": simd.name(),
            }),
            drawn.map_or(Value::Null, |drawn| json!({ "drawn": drawn })),
            json!(report.statistics),
            json!({ "latency_ns": latencies_json(&report.latencies) }),
        ]);
        let resume_options = format!("--resume --seed {seed}");
        Self { text, json, exit: Exit::Done, resume_options }
    }
}
