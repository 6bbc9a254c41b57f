//! Engines that are kept from call to call: building one takes longer than a puzzle.

use std::sync::Mutex;

use bulkdoku::{Batch, Engine, EngineKind, Limits, Outcome, SimdLevel, StopFlag};

use crate::block::Block;

/// Rows that are solved at once: they and their outcomes stay in the second-level cache.
pub const BLOCK_ROWS: usize = 1400;

/// The most engines of a kind that wait for a call.
const MOST_KEPT: usize = 64;

/// An engine and the room that it needs.
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

    /// Solves the puzzles of the block; `false` if it was stopped.
    pub fn solve(&mut self, limits: Limits) -> bool {
        let Self { engine, block, outcomes } = self;
        let count = block.puzzles.len();
        if outcomes.len() < count {
            outcomes.resize(count, Outcome::NONE);
        }
        engine.solve(Batch::Puzzles(&block.puzzles), limits, &mut outcomes[..count]) == count
    }
}

/// Engines of one kind that nothing uses at the moment.
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

    /// Takes one, or makes one.
    ///
    /// It never waits: in a process that was forked another thread may have held the lock for ever.
    pub fn take(&self, stop: &StopFlag) -> Taken<'_> {
        let kept = self.free.try_lock().ok().and_then(|mut free| free.pop());
        let mut bench = kept.unwrap_or_else(|| Bench::new(self.kind));
        bench.engine.stop_at(stop.clone());
        Taken { bench: Some(bench), home: self }
    }
}

/// An engine in use, which returns to where it is kept.
pub struct Taken<'a> {
    bench: Option<Bench>,
    home: &'a Engines,
}

impl Taken<'_> {
    pub fn bench(&mut self) -> &mut Bench {
        self.bench.as_mut().expect("it is there until the end")
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

/// The engines of all calls of functions.
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
