//! Engines that are reused by later calls: building one takes longer than solving a puzzle.

use std::sync::Mutex;

use bulkdoku::{Batch, Engine, EngineKind, Limits, Outcome, SimdLevel, StopFlag};

use crate::block::Block;

/// The number of rows that are solved together: they and their outcomes fit in the second-level
/// cache.
pub const BLOCK_ROWS: usize = 1400;

/// The most idle engines of a kind.
const MOST_KEPT: usize = 64;

/// An engine and its buffers.
pub struct Bench {
    pub engine: Box<dyn Engine>,
    pub block: Block,
    pub outcomes: Vec<Outcome>,
}

impl Bench {
    fn new(kind: EngineKind) -> Self {
        Self {
            engine: kind.build(SimdLevel::best()),
            block: Block::default(),
            outcomes: Vec::new(),
        }
    }

    /// Solves the puzzles of the block; returns `false` if stopped.
    pub fn solve(&mut self, limits: Limits) -> bool {
        let Self { engine, block, outcomes } = self;
        let count = block.puzzles.len();
        if outcomes.len() < count {
            outcomes.resize(count, Outcome::NONE);
        }
        engine.solve(Batch::Puzzles(&block.puzzles), limits, &mut outcomes[..count]) == count
    }
}

/// The idle engines of one kind.
pub struct Engines {
    kind: EngineKind,
    free: Mutex<Vec<Bench>>,
}

impl Engines {
    pub const fn new(kind: EngineKind) -> Self {
        Self { kind, free: Mutex::new(Vec::new()) }
    }

    pub const fn kind(&self) -> EngineKind {
        self.kind
    }

    /// Takes an idle engine, or builds one.
    ///
    /// It never waits: in a forked process, the lock may be held forever by a thread that does not
    /// exist.
    pub fn take(&self, stop: &StopFlag) -> Taken<'_> {
        let kept = self.free.try_lock().ok().and_then(|mut free| free.pop());
        let mut bench = kept.unwrap_or_else(|| Bench::new(self.kind));
        bench.engine.stop_at(stop.clone());
        Taken { bench: Some(bench), home: self }
    }
}

/// An engine in use, which returns to the idle ones when dropped.
pub struct Taken<'a> {
    bench: Option<Bench>,
    home: &'a Engines,
}

impl Taken<'_> {
    pub fn bench(&mut self) -> &mut Bench {
        self.bench.as_mut().expect("it is there until it is dropped")
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        // After a panic an engine must not be used again.
        if std::thread::panicking() {
            return;
        }
        if let (Some(bench), Ok(mut free)) = (self.bench.take(), self.home.free.try_lock())
            && free.len() < MOST_KEPT
        {
            free.push(bench);
        }
    }
}

/// The engines that all functions share.
pub fn shared(kind: EngineKind) -> &'static Engines {
    static ALL: [Engines; 6] = [
        Engines::new(EngineKind::Lanes),
        Engines::new(EngineKind::Scalar),
        Engines::new(EngineKind::Propagate),
        Engines::new(EngineKind::BacktrackScan),
        Engines::new(EngineKind::BacktrackFlags),
        Engines::new(EngineKind::BacktrackMask),
    ];
    ALL.iter().find(|engines| engines.kind == kind).expect("every kind is there")
}
