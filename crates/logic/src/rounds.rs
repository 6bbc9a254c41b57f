//! Paths by rounds.

use bulkdoku_core::bands::{Bands, Singles};

use super::basic::{locked, report_singles, singles};
use super::{Changed, Evidence, Found, Memory, Position, Technique, Techniques, find};
use crate::board::{ALL, Board, Candidates, Cells};

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
}

impl Path {
    /// The length of the longest [`Path::counts_text`].
    pub const MAX_COUNTS_TEXT: usize = 48 * Technique::COUNT;

    /// Returns the counts as text, such as `hidden-single-box:40 naked-pair:2`.
    pub fn counts_text(&self) -> String {
        let counts = Technique::all().zip(&self.counts).filter(|(_, count)| **count > 0);
        let counts: Vec<_> =
            counts.map(|(technique, count)| format!("{technique}:{count}")).collect();
        counts.join(" ")
    }
}

/// A step of a path: an instance of a technique.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Step {
    /// The technique.
    pub technique: Technique,
    /// The round, from 0. All steps of a round are found on the same board.
    pub round: u32,
    /// The placed digit (from 0) and its cell.
    pub placed: Option<(usize, usize)>,
    /// The removed candidates, without those that a placement implies.
    pub removed: Candidates,
    /// Why it is an instance.
    pub evidence: Evidence,
}

/// Returns the path of a puzzle, or of pencil marks, that have exactly one solution.
pub fn rate(given: impl Into<Bands>) -> Path {
    Rater::new(Techniques::ALL).rate(given)
}

/// Rates puzzles, reusing its memory.
#[derive(Debug)]
pub struct Rater {
    techniques: Techniques,
    /// The techniques that need a [`Position`].
    advanced: Vec<Technique>,
    /// What has changed since each of these was last tried. A technique that has been tried passes
    /// its changes on to the next one. Longer chains may remain after the shortest ones.
    pending: Vec<Changed>,
    position: Position,
    memory: Memory,
    instances: Instances,
}

impl Rater {
    /// Returns a rater that uses these techniques.
    pub fn new(techniques: Techniques) -> Self {
        let advanced = Technique::all().filter(|&t| t > Technique::Claiming);
        let advanced: Vec<_> = advanced.filter(|&t| techniques.contains(t)).collect();
        let pending = vec![Changed::ALL; advanced.len() + 1];
        let position = Position::of(&Board { digits: [ALL; 9], placed: 0 });
        let easier = Technique::all().filter(|&technique| {
            technique <= Technique::HiddenQuad && !technique.assumes_uniqueness()
        });
        let lacks_easier = easier.into_iter().all(|technique| techniques.contains(technique));
        let memory = Memory { lacks_easier, ..Memory::default() };
        let instances = Instances::default();
        Self { techniques, advanced, pending, position, memory, instances }
    }

    /// Returns the path of a puzzle, or of pencil marks, that have exactly one solution.
    ///
    /// In pencil marks, cells with one candidate are clues.
    pub fn rate(&mut self, given: impl Into<Bands>) -> Path {
        self.run::<false>(given.into(), |_| {})
    }

    /// Returns the path of a puzzle, or of pencil marks, that have exactly one solution, and visits
    /// its steps.
    pub fn trace(&mut self, given: impl Into<Bands>, visit: impl FnMut(&Step)) -> Path {
        self.run::<true>(given.into(), visit)
    }

    fn run<const EVIDENCE: bool>(&mut self, given: Bands, mut visit: impl FnMut(&Step)) -> Path {
        let mut path = Path::EMPTY;
        let mut progress = self.start(given);
        while let Some(technique) = self.find_round::<EVIDENCE>(&mut progress) {
            path.add(technique, self.instances.count);
            self.instances.steps.iter().for_each(&mut visit);
            // Without evidence, singles are counted only.
            if EVIDENCE || technique > Technique::NakedSingle {
                self.instances.clear();
            }
            self.instances.count = 0;
        }
        path.finish(progress.bands.is_full() && progress.bands.is_solved());
        path
    }

    /// Starts a path.
    #[inline(always)]
    pub(super) fn start(&mut self, given: Bands) -> Progress {
        self.pending.fill(Changed::NONE);
        Progress { bands: given, found: Singles::NONE, changed: Changed::ALL, rounds: 0 }
    }

    /// Finds and applies the next round. Its instances must be cleared before the following one.
    #[inline(always)]
    fn find_round<const EVIDENCE: bool>(&mut self, progress: &mut Progress) -> Option<Technique> {
        let Progress { bands, found, changed, rounds } = progress;
        if bands.is_full() {
            return None;
        }
        let mut technique = self.find_basic::<EVIDENCE>(bands, found, *rounds);
        if technique.is_none() {
            let board = bands.board();
            if *changed != Changed::ALL {
                *changed = difference(&self.position.board, &board);
            }
            self.position.board = board;
            self.position.update(*changed);
            technique = self.find_advanced::<EVIDENCE>(*changed, *rounds);
            *changed = Changed::NONE;
            bands.apply(&self.instances.removed, &self.instances.placed);
        }
        *rounds += 1;
        technique
    }

    /// Finds and applies the next round. Returns its steps; there are none if no technique applies.
    pub(super) fn next_round(&mut self, progress: &mut Progress) -> Vec<Step> {
        self.find_round::<true>(progress);
        let steps = std::mem::take(&mut self.instances.steps);
        self.instances.clear();
        self.instances.count = 0;
        steps
    }

    /// Finds and applies the easiest basic technique that has an instance.
    #[inline(always)]
    fn find_basic<const EVIDENCE: bool>(
        &mut self,
        bands: &mut Bands,
        found: &mut Singles,
        round: u32,
    ) -> Option<Technique> {
        // The array is a constant, so the loop is unrolled and each technique inlined.
        for technique in Technique::BASIC {
            let mut sink = Sink::<EVIDENCE> { technique, round, instances: &mut self.instances };
            if !self.techniques.contains(technique) {
                continue;
            }
            if technique >= Technique::Pointing {
                locked(bands, technique, &mut sink);
                if self.instances.count > 0 {
                    bands.apply(&self.instances.removed, &[0; 9]);
                    return Some(technique);
                }
            } else if singles(bands, technique, found) {
                if EVIDENCE {
                    report_singles(bands, technique, found, &mut sink);
                }
                self.instances.count = bands.place(found);
                return Some(technique);
            }
        }
        None
    }

    /// Finds the easiest advanced technique that has an instance.
    fn find_advanced<const EVIDENCE: bool>(
        &mut self,
        changed: Changed,
        round: u32,
    ) -> Option<Technique> {
        self.pending[0].add(changed);
        for (i, &technique) in self.advanced.iter().enumerate() {
            let changed = std::mem::replace(&mut self.pending[i], Changed::NONE);
            self.pending[i + 1].add(changed);
            let mut sink = Sink::<EVIDENCE> { technique, round, instances: &mut self.instances };
            find(technique, &self.position, changed, &mut self.memory, &mut sink);
            if self.instances.count > 0 {
                if technique.takes_shortest() {
                    self.pending[i] = Changed::ALL;
                }
                return Some(technique);
            }
        }
        None
    }
}

/// The board of a path after some rounds.
#[derive(Clone, Debug)]
pub(super) struct Progress {
    bands: Bands,
    /// Memory for singles.
    found: Singles,
    /// All if the position is not that of an earlier board of the path, otherwise nothing.
    changed: Changed,
    rounds: u32,
}

/// Returns the digits and cells in which two boards differ.
pub(super) fn difference(before: &Board, after: &Board) -> Changed {
    let mut changed = Changed { digits: 0, cells: before.placed ^ after.placed };
    for digit in 0..9 {
        let cells = before.open(digit) ^ after.open(digit);
        changed.digits |= u16::from(cells != 0) << digit;
        changed.cells |= cells;
    }
    changed
}

/// The distinct instances of a round.
#[derive(Debug, Default)]
pub(super) struct Instances {
    count: u32,
    placed: Candidates,
    removed: Candidates,
    /// The eliminations of each instance.
    distinct: Vec<Candidates>,
    /// The instances, if there is a trace.
    pub(super) steps: Vec<Step>,
}

impl Instances {
    fn clear(&mut self) {
        self.placed = [0; 9];
        self.removed = [0; 9];
        self.distinct.clear();
        self.steps.clear();
    }
}

/// Collects the instances of a round.
pub(super) struct Sink<'a, const EVIDENCE: bool> {
    pub(super) technique: Technique,
    pub(super) round: u32,
    pub(super) instances: &'a mut Instances,
}

impl<const EVIDENCE: bool> Sink<'_, EVIDENCE> {
    fn add(
        &mut self,
        placed: Option<(usize, usize)>,
        removed: &Candidates,
        evidence: impl FnOnce() -> Evidence,
    ) {
        self.instances.count += 1;
        if EVIDENCE {
            let (technique, round) = (self.technique, self.round);
            let (removed, evidence) = (*removed, evidence());
            self.instances.steps.push(Step { technique, round, placed, removed, evidence });
        }
    }
}

impl<const EVIDENCE: bool> Found for Sink<'_, EVIDENCE> {
    const EVIDENCE: bool = EVIDENCE;

    #[inline(always)]
    fn place(&mut self, digit: usize, cell: usize, evidence: impl FnOnce() -> Evidence) {
        let bit: Cells = 1 << cell;
        if self.instances.placed[digit] & bit == 0 {
            self.instances.placed[digit] |= bit;
            self.add(Some((digit, cell)), &[0; 9], evidence);
        }
    }

    fn remove(&mut self, removed: &Candidates, evidence: impl FnOnce() -> Evidence) {
        if !self.instances.distinct.contains(removed) {
            self.instances.distinct.push(*removed);
            for (all, cells) in self.instances.removed.iter_mut().zip(removed) {
                *all |= cells;
            }
            self.add(None, removed, evidence);
        }
    }
}
