//! Computes properties of puzzles that filters or columns read.

use std::io;

use super::jobs::stopped;
use super::{Solver, Work};
use crate::condition::Predicate;
use crate::output::Row;
use bulkdoku_core::generate::islands::{Explorer, Neighbor};
use bulkdoku_core::rating::isomorphs;
use bulkdoku_core::{Batch, Canonical, Grid, Limits, Outcome, Puzzle, SimdLevel, StopFlag};
use bulkdoku_logic::{Explainer, Path, Rater, SeRating, Techniques};

/// Defines the properties: documentation, name in [`Needs`], bit, field and type, and whether one
/// takes much longer than solving the puzzle. A method of `Computation` with the name of the field
/// computes it, after those before it in the table, which it may read.
macro_rules! properties {
    ($($(#[$doc:meta])* $need:ident = $bit:literal, $field:ident: $type:ty, $is_slow:literal;)*) => {
        /// A set of properties that must be computed because a column or filter reads them.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Needs(u16);

        impl Needs {
            /// Nothing.
            pub const NONE: Self = Self(0);
            $($(#[$doc])* pub const $need: Self = Self(1 << $bit);)*
            /// The outcome of the search by an engine, which a job has or does not have.
            pub const SEARCH: Self = Self(1 << 15);
            const SLOW: u16 = 0 $(| ($is_slow as u16) << $bit)*;
        }

        /// The properties of a record's puzzle: those that are computed and that it has.
        #[derive(Clone, Debug, Default)]
        pub(crate) struct Properties {
            $($(#[$doc])* pub $field: Option<$type>,)*
        }

        impl Properties {
            /// No properties.
            pub const NONE: Self = Self { $($field: None,)* };
        }

        impl Computation<'_> {
            /// Computes all properties that are needed and missing.
            fn add_all(&mut self) -> io::Result<()> {
                $(self.add(Needs::$need, Self::$field, |of, value| of.$field = value)?;)*
                Ok(())
            }
        }
    };
}

properties! {
    /// The canonical form.
    FORM = 0, form: Canonical<Puzzle>, false;
    /// The canonical form of the only solution.
    GRID = 1, grid: Grid, false;
    /// The path by rounds, if there is one solution.
    PATH = 2, path: Box<Path>, true;
    /// The rating of Sudoku Explainer, if there is one solution.
    SE = 3, se_rating: SeRating, true;
    /// The guesses of the proof, or their mean over isomorphs, if there is one solution.
    RATING = 4, guess_rating: f64, true;
    /// Whether a puzzle with one solution is minimal.
    MINIMAL = 5, minimal: bool, true;
}

impl Needs {
    /// Returns whether all properties of `other` are in this set.
    pub const fn include(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns whether computing the properties of a puzzle takes much longer than solving it.
    pub const fn are_slow(self) -> bool {
        self.0 & Self::SLOW != 0
    }

    /// Returns the properties of both sets.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// The records of a block whose properties are computed, and a solver if there is one.
struct Computation<'a> {
    solver: Option<&'a mut Solver>,
    needs: Needs,
    early: Option<Early<'a>>,
    work: &'a mut Work,
}

/// A condition that ends paths and ratings of records as soon as it is decided.
#[derive(Clone, Copy)]
pub(super) struct Early<'a> {
    pub(super) condition: &'a Predicate,
    /// The hardest techniques with which puzzles can meet it.
    pub(super) techniques: Techniques,
    /// The properties that are read for records that meet the condition.
    pub(super) read: Needs,
}

/// Computes the required properties that are still missing, for records that have rows.
///
/// Grids, paths, ratings, and minimality require exactly one solution, which a search for one
/// solution does not prove. Ratings and minimality are computed only with a solver.
pub(super) fn compute(
    solver: Option<&mut Solver>,
    needs: Needs,
    early: Option<Early<'_>>,
    work: &mut Work,
) -> io::Result<()> {
    Computation { solver, needs, early, work }.add_all()?;
    work.results.computed = work.results.computed.union(needs);
    Ok(())
}

impl Computation<'_> {
    /// Computes a property, if it is needed and missing, and sets its values.
    fn add<T>(
        &mut self,
        need: Needs,
        compute: impl FnOnce(&mut Self) -> io::Result<Vec<T>>,
        set: impl Fn(&mut Properties, T),
    ) -> io::Result<()> {
        if self.needs.include(need) && !self.work.results.computed.include(need) {
            let values = compute(self)?;
            let Work { records, results, .. } = &mut *self.work;
            results.properties.resize_with(records.all.len(), Properties::default);
            results.properties.iter_mut().zip(values).for_each(|(of, value)| set(of, value));
            results.computed = results.computed.union(need);
        }
        Ok(())
    }

    /// Returns whether searches prove that a solution is the only one.
    fn proves(&self) -> bool {
        self.solver.as_ref().is_some_and(|it| it.job.limits.solutions > Limits::FIRST.solutions)
    }

    /// Returns one value per record, `None` for records without rows.
    fn per_record<T>(&self, mut value: impl FnMut(&Row<'_>) -> Option<T>) -> Vec<Option<T>> {
        let rows = self.work.rows();
        let has_rows = |row: &Row<'_>| rows.results.destination(row.index).is_some();
        rows.records().map(|row| if has_rows(&row) { value(&row) } else { None }).collect()
    }

    /// Returns one value per record with exactly one solution, if searches prove that.
    fn per_unique<T>(&self, mut value: impl FnMut(&Row<'_>) -> Option<T>) -> Vec<Option<T>> {
        let proves = self.proves();
        self.per_record(|row| {
            let is_unique = proves && has_one_solution(row.outcome_or_none());
            if is_unique { value(row) } else { None }
        })
    }
}

/// The properties: one value per record each, or none if they need a solver and there is none.
#[expect(clippy::unnecessary_wraps, reason = "a search for a property may be stopped")]
impl Computation<'_> {
    fn form(&mut self) -> io::Result<Vec<Option<Canonical<Puzzle>>>> {
        Ok(self.per_record(|row| row.puzzle()?.canonical().ok()))
    }

    fn grid(&mut self) -> io::Result<Vec<Option<Grid>>> {
        let canonical = |row: &Row<'_>| row.outcome_or_none().grid.canonical().ok();
        Ok(self.per_unique(|row| canonical(row).map(|canonical| canonical.form)))
    }

    /// If a condition excludes the hardest techniques, puzzles that need them have no path.
    fn path(&mut self) -> io::Result<Vec<Option<Box<Path>>>> {
        let hardest = self.early.and_then(|it| it.techniques.iter().last());
        let techniques = hardest.map_or(Techniques::ALL, |hardest| Techniques::ALL.up_to(hardest));
        let mut rater = Rater::new(techniques);
        rater.stop_at(self.stop());
        self.unless_stopped(self.per_unique(|row| {
            let path = rater.rate_unique(row.board()?)?;
            (path.solved || techniques == Techniques::ALL).then(|| Box::new(path))
        }))
    }

    /// Ratings that a condition has ended are those of the steps so far.
    fn se_rating(&mut self) -> io::Result<Vec<Option<SeRating>>> {
        let mut rater = Explainer::default();
        rater.stop_at(self.stop());
        let computed = self.work.results.computed.union(Needs::SEARCH);
        let goes_on = |row: &Row<'_>, so_far: SeRating| {
            self.early.is_none_or(|Early { condition, read, .. }| {
                let holds = condition.decided_early(row, so_far, computed);
                holds.is_none_or(|holds| holds && read.include(Needs::SE))
            })
        };
        self.unless_stopped(self.per_unique(|row| {
            let puzzle = row.puzzle()?;
            let rating = rater.rate_while(&puzzle, |so_far| goes_on(row, so_far));
            let SeRating { er, ep, ed } = rating.ok()?;
            Some(SeRating { er, ep: if ep == 0 { er } else { ep }, ed })
        }))
    }

    fn stop(&self) -> StopFlag {
        self.solver.as_ref().map(|it| it.stop.clone()).unwrap_or_default()
    }

    /// Returns these values, unless a search may have been stopped.
    fn unless_stopped<T>(&self, values: Vec<T>) -> io::Result<Vec<T>> {
        if self.stop().is_requested() {
            return Err(stopped());
        }
        Ok(values)
    }

    fn guess_rating(&mut self) -> io::Result<Vec<Option<f64>>> {
        if self.solver.as_ref().is_some_and(|solver| solver.job.rating_isomorphs == 0) {
            return Ok(self.per_unique(|row| Some(row.outcome_or_none().guesses as f64)));
        }
        let forms = self.per_unique(|row| row.puzzle()?.canonical().ok());
        match &mut self.solver {
            Some(solver) => solver.rate(&forms),
            None => Ok(Vec::new()),
        }
    }

    fn minimal(&mut self) -> io::Result<Vec<Option<bool>>> {
        let mut tested = self
            .per_unique(|row| Some(Neighbor::new(row.puzzle()?, row.outcome_or_none().grid, true)));
        let records = &self.work.records;
        let givens = self.per_record(|row| {
            let is_solved = has_one_solution(row.outcome_or_none());
            records.givens(row.index).filter(|_| is_solved).copied()
        });
        let Some(solver) = &mut self.solver else { return Ok(Vec::new()) };
        // Puzzles of which some cells are solved are replaced by their givens.
        let puzzles: Vec<_> = givens.iter().flatten().copied().collect();
        let mut proved = solver.prove(&puzzles)?.into_iter();
        for (tested, givens) in tested.iter_mut().zip(givens) {
            if let Some((givens, outcome)) =
                givens.and_then(|givens| Some((givens, proved.next()?)))
            {
                let neighbor = Neighbor::new(givens, outcome.grid, true);
                *tested = has_one_solution(&outcome).then_some(neighbor);
            }
        }
        let mut minimized: Vec<_> = tested.iter().flatten().copied().collect();
        let stop = &solver.stop;
        let explorer =
            solver.explorer.get_or_insert_with(|| Explorer::new(SimdLevel::best(), stop));
        explorer.minimize(&mut minimized, false).ok_or_else(stopped)?;
        let mut minimized = minimized.iter();
        let is_minimal =
            |tested: Option<Neighbor>| Some(tested?.puzzle == minimized.next()?.puzzle);
        Ok(tested.into_iter().map(is_minimal).collect())
    }
}

/// Returns whether a search has found one solution, which is the only one if the search continued.
fn has_one_solution(outcome: &Outcome) -> bool {
    outcome.solutions == 1 && !outcome.gave_up
}

impl Solver {
    /// Searches for up to two solutions of each puzzle.
    fn prove(&mut self, puzzles: &[Puzzle]) -> io::Result<Vec<Outcome>> {
        let mut outcomes = vec![Outcome::NONE; puzzles.len()];
        let limits = Limits { nodes: self.job.limits.nodes, ..Limits::PROOF };
        let solved = self.engine.solve(Batch::Puzzles(puzzles), limits, &mut outcomes);
        if solved < puzzles.len() {
            return Err(stopped());
        }
        Ok(outcomes)
    }

    /// Rates puzzles by the geometric mean of guesses + 1, minus 1, over isomorphs of their
    /// canonical forms, so all isomorphs of a puzzle have the same rating.
    fn rate(&mut self, forms: &[Option<Canonical<Puzzle>>]) -> io::Result<Vec<Option<f64>>> {
        let count = self.job.rating_isomorphs;
        let mut sums = vec![0.0; forms.iter().flatten().count()];
        for permutation in isomorphs().take(count as usize) {
            let isomorph = |canonical: &Canonical<Puzzle>| permutation.puzzle(&canonical.form);
            let puzzles: Vec<_> = forms.iter().flatten().map(isomorph).collect();
            for (sum, outcome) in sums.iter_mut().zip(self.prove(&puzzles)?) {
                *sum += if outcome.gave_up { f64::NAN } else { (outcome.guesses as f64).ln_1p() };
            }
        }
        let mut means = sums.iter().map(|sum: &f64| (sum / f64::from(count)).exp_m1());
        let ratings = forms.iter().map(|form| form.as_ref().and_then(|_| means.next()));
        Ok(ratings.map(|mean| mean.filter(|mean| mean.is_finite())).collect())
    }
}
