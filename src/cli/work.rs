//! How records are worked on: by which engine, in how many threads, up to which limits.

use std::num::{NonZeroU64, NonZeroUsize};

use bulkdoku::{EngineKind, Limits, SimdLevel};

use super::parse_threads;

/// What every subcommand takes that puts whole inputs through an engine.
#[derive(Debug, clap::Args)]
pub struct WorkArgs {
    /// Give up on a puzzle after this many nodes of its search.
    #[arg(long, value_name = "N")]
    max_nodes: Option<NonZeroU64>,

    /// Workers; 0 takes all cores.
    #[arg(short = 'j', long, value_name = "N", default_value = "0", value_parser = parse_threads)]
    pub threads: NonZeroUsize,

    /// The engine that solves.
    #[arg(long, value_name = "NAME", default_value_t)]
    pub engine: EngineKind,

    /// Use this vector level and not the best that the machine has.
    #[arg(long, value_name = "LEVEL", value_parser = SimdLevel::by_name)]
    simd: Option<SimdLevel>,

    /// Say nothing about bad records and print no summary.
    #[arg(short, long)]
    pub quiet: bool,
}

impl WorkArgs {
    /// The options that shape rows, as far as they were given or have defaults.
    pub fn settings(&self) -> [(&'static str, Option<String>); 2] {
        let Self { max_nodes, threads: _, engine, simd: _, quiet: _ } = self;
        [("--max-nodes", max_nodes.map(|n| n.to_string())), ("--engine", Some(engine.to_string()))]
    }

    /// The same limits, and that of the nodes.
    pub fn limits(&self, limits: Limits) -> Limits {
        self.max_nodes.map_or(limits, |nodes| limits.with_nodes(nodes))
    }

    /// The vector level that engines are built for.
    pub fn simd(&self) -> SimdLevel {
        self.simd.unwrap_or_else(SimdLevel::best)
    }
}
