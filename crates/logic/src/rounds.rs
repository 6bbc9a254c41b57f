//! Paths by rounds.

use std::ops::ControlFlow;

use bulkdoku_core::StopFlag;
use bulkdoku_core::bands::{Bands, Singles};

use super::basic::{locked, report_singles, singles};
use super::instances::{Collect, Instances};
use super::position::{Changed, Tracker};
use super::unrated::{Unrated, check_unique};
use super::{Memory, Step, Technique, Techniques, find};
use crate::board::Board;

/// The path of a puzzle by rounds.
///
/// A round applies the easiest technique that has an instance, with all its instances on the same
/// board. Instances with the same placements and eliminations count once. Isomorphs have the same
/// path.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Path {
    /// The hardest technique, or `None` if there was no step.
    pub hardest: Option<Technique>,
    /// The sum of the scores of all steps.
    pub score: u32,
    /// The number of instances.
    pub steps: u32,
    /// The number of rounds.
    pub rounds: u32,
    /// The number of instances of each technique.
    pub counts: [u32; Technique::COUNT],
    /// Whether the path ends in a solution.
    pub solved: bool,
}

impl Path {
    const EMPTY: Self = Self {
        hardest: None,
        score: 0,
        steps: 0,
        rounds: 0,
        counts: [0; Technique::COUNT],
        solved: false,
    };

    /// Adds a round.
    #[inline(always)]
    fn add(&mut self, technique: Technique, count: u32) {
        self.counts[technique as usize] += count;
        self.rounds += 1;
    }

    /// Computes what depends on the counts.
    fn finish(&mut self, solved: bool) {
        for (&count, technique) in self.counts.iter().zip(Technique::all()) {
            if count > 0 {
                self.hardest = Some(technique);
                self.score += count * u32::from(technique.definition().score);
                self.steps += count;
            }
        }
        self.solved = solved;
    }

    /// Returns the counts as text, such as `hidden-single-box:40 naked-pair:2`.
    pub fn counts_text(&self) -> String {
        let counts = Technique::all().zip(&self.counts).filter(|(_, count)| **count > 0);
        let counts: Vec<_> =
            counts.map(|(technique, count)| format!("{technique}:{count}")).collect();
        counts.join(" ")
    }
}

/// Returns the path of a puzzle or of pencil marks.
///
/// # Errors
/// When there is not exactly one solution, or no technique leads to it.
pub fn rate(given: impl Into<Bands>) -> Result<Path, Unrated> {
    let path = Rater::new(Techniques::ALL).rate(given)?;
    if path.solved { Ok(path) } else { Err(Unrated::Beyond) }
}

/// Rates puzzles, reusing its memory.
#[derive(Debug)]
pub struct Rater {
    techniques: Techniques,
    /// The techniques that need a [`Position`](super::position::Position).
    advanced: Vec<Technique>,
    bands: Bands,
    /// Memory for singles.
    singles: Singles,
    tracker: Tracker,
    memory: Memory,
    /// The instances of the last round, unless it placed singles and no steps are collected.
    instances: Instances,
    rounds: u32,
}

impl Rater {
    /// Returns a rater that uses these techniques.
    pub fn new(techniques: Techniques) -> Self {
        let advanced = Technique::all().filter(|&t| t > Technique::Claiming);
        let advanced: Vec<_> = advanced.filter(|&t| techniques.contains(t)).collect();
        let mut easier = Technique::all().filter(|&technique| {
            technique <= Technique::HiddenQuad && !technique.assumes_uniqueness()
        });
        let lacks_easier = easier.all(|technique| techniques.contains(technique));
        Self {
            techniques,
            bands: Bands::NONE,
            singles: Singles::NONE,
            tracker: Tracker::new(advanced.len()),
            advanced,
            memory: Memory { lacks_easier, ..Memory::default() },
            instances: Instances::new(Collect::Distinct),
            rounds: 0,
        }
    }

    /// Ends all searches when `stop` is requested.
    pub fn stop_at(&mut self, stop: StopFlag) {
        let lacks_easier = self.memory.lacks_easier;
        self.memory = Memory { stop, lacks_easier, ..Memory::default() };
    }

    /// Returns the path of a puzzle or of pencil marks. It ends where no technique applies.
    ///
    /// # Errors
    /// When there is not exactly one solution, or the search is stopped.
    pub fn rate(&mut self, given: impl Into<Bands>) -> Result<Path, Unrated> {
        let given = given.into();
        check_unique(&given)?;
        self.rate_unique(given).ok_or(Unrated::Stopped)
    }

    /// Returns the path of a puzzle or of pencil marks, and visits its steps until the visitor
    /// breaks, where the path ends.
    ///
    /// # Errors
    /// When there is not exactly one solution, or the search is stopped.
    pub fn trace(
        &mut self,
        given: impl Into<Bands>,
        visit: impl FnMut(&Step) -> ControlFlow<()>,
    ) -> Result<Path, Unrated> {
        let given = given.into();
        check_unique(&given)?;
        self.trace_unique(given, visit).ok_or(Unrated::Stopped)
    }

    /// Returns the path of a puzzle or of pencil marks with exactly one solution, which is not
    /// checked, or `None` if the search is stopped.
    pub fn rate_unique(&mut self, given: impl Into<Bands>) -> Option<Path> {
        self.start(given.into(), Collect::Distinct);
        self.run(&mut |_| ControlFlow::Continue(()))
    }

    /// Does the work of [`Rater::trace`] for a puzzle or pencil marks with exactly one solution,
    /// which is not checked. Returns `None` if the search is stopped.
    pub fn trace_unique(
        &mut self,
        given: impl Into<Bands>,
        mut visit: impl FnMut(&Step) -> ControlFlow<()>,
    ) -> Option<Path> {
        self.start(given.into(), Collect::DistinctSteps);
        self.run(&mut visit)
    }

    fn run(&mut self, visit: &mut dyn FnMut(&Step) -> ControlFlow<()>) -> Option<Path> {
        let mut path = Path::EMPTY;
        while let Some(technique) = self.find_round() {
            path.add(technique, self.instances.count);
            if self.instances.steps.iter().try_for_each(&mut *visit).is_break() {
                break;
            }
        }
        let solved = self.bands.is_full();
        if !solved && self.memory.stop.is_requested() {
            return None;
        }
        path.finish(solved && self.bands.is_solved());
        Some(path)
    }

    /// Starts a path.
    pub(super) fn start(&mut self, given: Bands, collect: Collect) {
        self.bands = given;
        self.tracker.start();
        self.instances.start(Technique::FullHouse, 0);
        self.instances.collect = collect;
        self.rounds = 0;
    }

    pub(super) fn board(&self) -> Board {
        self.bands.board()
    }

    /// Finds and applies the next round. Returns its steps; there are none if no technique applies.
    pub(super) fn next_round(&mut self) -> Vec<Step> {
        match self.find_round() {
            Some(_) => std::mem::take(&mut self.instances.steps),
            None => Vec::new(),
        }
    }

    /// Finds and applies the next round.
    #[inline(always)]
    fn find_round(&mut self) -> Option<Technique> {
        if self.bands.is_full() {
            return None;
        }
        self.rounds += 1;
        self.find_singles().or_else(|| self.find_locked()).or_else(|| self.find_advanced())
    }

    /// Places the singles of the easiest technique that has any.
    #[inline(always)]
    fn find_singles(&mut self) -> Option<Technique> {
        let Self { bands, singles: found, instances, .. } = self;
        // The array is a constant, so the loop is unrolled and each technique inlined.
        for technique in Technique::SINGLES {
            if self.techniques.contains(technique) && singles(bands, technique, found) {
                if instances.has_steps() {
                    instances.start(technique, self.rounds);
                    report_singles(bands, technique, found, instances);
                }
                instances.count = bands.place(found);
                return Some(technique);
            }
        }
        None
    }

    /// Applies the locked candidates of the easiest kind that has any.
    #[inline(always)]
    fn find_locked(&mut self) -> Option<Technique> {
        for technique in [Technique::Pointing, Technique::Claiming] {
            if self.techniques.contains(technique) {
                self.instances.start(technique, self.rounds);
                locked(&self.bands, technique, &mut self.instances);
                if self.instances.count > 0 {
                    self.bands.apply(&self.instances.removed, &[0; 9]);
                    return Some(technique);
                }
            }
        }
        None
    }

    /// Applies the easiest advanced technique that has an instance.
    fn find_advanced(&mut self) -> Option<Technique> {
        if self.memory.stop.is_requested() {
            return None;
        }
        let Self { tracker, instances, .. } = self;
        tracker.update(&self.bands.board());
        for (i, &technique) in self.advanced.iter().enumerate() {
            tracker.select(i);
            instances.start(technique, self.rounds);
            find(technique, &tracker.position, &mut self.memory, instances);
            if instances.count > 0 {
                if technique.takes_shortest() {
                    tracker.pending[i] = Changed::ALL;
                }
                self.bands.apply(&instances.removed, &instances.placed);
                return Some(technique);
            }
        }
        None
    }
}
