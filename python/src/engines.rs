//! Engines that later calls reuse: building one takes longer than solving a puzzle.

use std::sync::Mutex;

use bulkdoku::{Engine, EngineKind, Outcome, Query, SimdLevel, StopFlag};

/// The most idle engines.
const MAX_IDLE: usize = 64;

static IDLE: Mutex<Vec<Reused>> = Mutex::new(Vec::new());

/// An engine that becomes idle when it is dropped, unless it has panicked.
struct Reused {
    kind: EngineKind,
    /// `None` during a search, so that no engine is kept that has panicked.
    engine: Option<Box<dyn Engine>>,
}

/// Takes an idle engine, or builds one.
///
/// It never waits: in a forked process, the lock may be held forever by a thread that does not
/// exist.
pub fn take(kind: EngineKind) -> Box<dyn Engine> {
    if let Ok(mut idle) = IDLE.try_lock()
        && let Some(place) = idle.iter().rposition(|engine| engine.kind == kind)
    {
        return Box::new(idle.swap_remove(place));
    }
    Box::new(Reused { kind, engine: Some(kind.build(SimdLevel::best())) })
}

impl Reused {
    fn with<T>(&mut self, search: impl FnOnce(&mut dyn Engine) -> T) -> T {
        let mut engine = self.engine.take().expect("an engine that has panicked is not used");
        let result = search(&mut *engine);
        self.engine = Some(engine);
        result
    }
}

impl Engine for Reused {
    fn name(&self) -> &'static str {
        self.kind.name()
    }

    fn stop_at(&mut self, stop: StopFlag) {
        self.with(|engine| engine.stop_at(stop));
    }

    fn search(&mut self, query: &Query<'_>, outcomes: &mut [Outcome]) -> usize {
        self.with(|engine| engine.search(query, outcomes))
    }
}

impl Drop for Reused {
    fn drop(&mut self) {
        if let Some(engine) = self.engine.take()
            && let Ok(mut idle) = IDLE.try_lock()
            && idle.len() < MAX_IDLE
        {
            idle.push(Self { kind: self.kind, engine: Some(engine) });
        }
    }
}
