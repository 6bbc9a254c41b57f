//! The options of searches: engine, SIMD level, and limits.

use std::num::{NonZeroU32, NonZeroU64};
use std::sync::Arc;

use bulkdoku::pipeline::Solve;
use bulkdoku::{EngineKind, Limits, SimdLevel};

use super::run_args::RunArgs;
use super::{Failure, help, numbers};

/// The search options of all subcommands that solve whole inputs.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Search")]
pub struct EngineArgs {
    /// Give up on a puzzle after this many nodes
    ///
    /// A node is a state of the search. The limit ends the same searches on every machine.
    #[arg(long, value_name = "N", value_parser = numbers::at_least_1::<NonZeroU64>)]
    max_nodes: Option<NonZeroU64>,

    /// The engine [default: lanes]
    #[arg(long, value_name = "NAME", value_parser = help::engines())]
    engine: Option<EngineKind>,

    /// avx512, avx2, sse4.2, sse2, neon or portable
    ///
    /// This vector level is used instead of the machine's best. --version lists those of the machine.
    #[arg(long, value_name = "LEVEL", value_parser = SimdLevel::by_name)]
    simd: Option<SimdLevel>,

    #[command(flatten)]
    pub run: RunArgs,
}

/// The number of solutions at which a search ends.
#[derive(Clone, Copy, Debug, clap::Args)]
#[command(next_help_heading = "Search")]
pub struct LimitArgs {
    /// Stop at the first solution, without proof
    ///
    /// No second solution is searched for: the status is solved.
    #[arg(long, conflicts_with = "limit")]
    pub first: bool,

    /// Count solutions up to this many [default: 2]
    #[arg(long, value_name = "N", value_parser = numbers::at_least_1::<NonZeroU32>)]
    pub limit: Option<NonZeroU32>,
}

impl LimitArgs {
    pub fn solutions(self) -> NonZeroU32 {
        self.limit.unwrap_or(if self.first { Limits::FIRST } else { Limits::PROOF }.solutions)
    }

    /// Returns the option that ends searches before they prove uniqueness.
    pub fn without_proof(self) -> Option<&'static str> {
        let option = if self.first { "--first" } else { "--limit 1" };
        (self.solutions() == Limits::FIRST.solutions).then_some(option)
    }
}

impl EngineArgs {
    pub fn engine(&self) -> EngineKind {
        self.engine.unwrap_or_default()
    }

    pub fn check_simd(&self) -> Result<(), Failure> {
        check_simd(self.simd.is_some(), &[self.engine()])
    }

    /// Returns the job that solves, with the node limit; of several solutions, the first is the
    /// smallest if `smallest`.
    pub fn solve(&self, limits: Limits, smallest: bool, rating_isomorphs: u32) -> Solve {
        let (engine, simd) = (self.engine(), self.simd());
        Solve {
            limits: self.max_nodes.map_or(limits, |nodes| limits.with_nodes(nodes)),
            engine: Arc::new(move || {
                if smallest { Box::new(engine.build_lex_first(simd)) } else { engine.build(simd) }
            }),
            rating_isomorphs,
        }
    }

    pub fn simd(&self) -> SimdLevel {
        self.simd.unwrap_or_else(SimdLevel::best)
    }
}

/// Rejects `--simd` if no engine has vector code.
pub fn check_simd(is_given: bool, engines: &[EngineKind]) -> Result<(), Failure> {
    let uses_vectors = |engine: &EngineKind| engine.uses(SimdLevel::best()).is_some();
    match engines.first() {
        Some(engine) if is_given && !engines.iter().any(uses_vectors) => {
            refuse!("--simd does nothing: the engine {engine} uses no vectors")
        }
        _ => Ok(()),
    }
}
