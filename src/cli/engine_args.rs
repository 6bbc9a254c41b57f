//! How records are worked on: by which engine, in how many threads, up to which limits.

use std::num::NonZeroU64;

use bulkdoku::{EngineKind, Limits, SimdLevel};

use super::run_args::RunArgs;
use super::{Failure, help, numbers};

/// What every subcommand takes that puts whole inputs through an engine.
#[derive(Debug, clap::Args)]
pub struct EngineArgs {
    /// Give up on a puzzle after this many nodes
    ///
    /// A node is a state that the search looks at; the limit ends the same searches on every
    /// machine.
    #[arg(
        long,
        value_name = "N",
        help_heading = "Search",
        value_parser = numbers::at_least_1::<NonZeroU64>
    )]
    max_nodes: Option<NonZeroU64>,

    /// lanes, scalar, propagate, backtrack-{scan,flags,mask}
    #[arg(long, value_name = "NAME", help_heading = "Search", long_help = help::engines())]
    engine: Option<EngineKind>,

    /// avx512, avx2, sse4.2, sse2, neon or portable
    #[arg(
        long,
        value_name = "LEVEL",
        help_heading = "Search",
        value_parser = SimdLevel::by_name,
        long_help = "Use this vector level and not the best that the machine has: avx512, avx2, \
                     sse4.2, sse2, neon or portable; --version lists those that it has"
    )]
    simd: Option<SimdLevel>,

    #[command(flatten)]
    pub run: RunArgs,
}

impl EngineArgs {
    /// The options that shape rows, as far as they were given or have defaults.
    pub fn settings(&self) -> [(&'static str, Option<String>); 2] {
        let Self { max_nodes, engine: _, simd: _, run: _ } = self;
        let engine = self.engine().to_string();
        [("--max-nodes", max_nodes.map(|n| n.to_string())), ("--engine", Some(engine))]
    }

    /// Which engine solves.
    pub fn engine(&self) -> EngineKind {
        self.engine.unwrap_or_default()
    }

    /// Refuses a vector level for an engine that uses none.
    pub fn check_simd(&self) -> Result<(), Failure> {
        check_simd(self.simd.is_some(), &[self.engine()])
    }

    /// The first option that says something about an engine, if one was given.
    pub fn about_engine(&self) -> Option<&'static str> {
        let options = [("--engine", self.engine.is_some()), ("--simd", self.simd.is_some())];
        options.iter().find(|(_, is_given)| *is_given).map(|(option, _)| *option)
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

/// Refuses `--simd`, if it is given, where none of the engines uses vectors.
pub fn check_simd(is_given: bool, engines: &[EngineKind]) -> Result<(), Failure> {
    let uses_vectors = |engine: &EngineKind| engine.uses(SimdLevel::best()).is_some();
    match engines.first() {
        Some(engine) if is_given && !engines.iter().any(uses_vectors) => {
            Err(Failure::Usage(format!("--simd does nothing: the engine {engine} uses no vectors")))
        }
        _ => Ok(()),
    }
}
