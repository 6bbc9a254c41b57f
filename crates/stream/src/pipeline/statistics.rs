//! The numbers of puzzles by difficulty.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::output::Rows;
use bulkdoku_logic::Technique;

/// The numbers of puzzles by difficulty ([`Options::statistics`]).
///
/// Guesses and their ratings are counted in classes of doubling width (0, 1, 2 to 3, 4 to 7, …), whose
/// keys are their smallest numbers.
///
/// [`Options::statistics`]: super::Options::statistics
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Statistics {
    /// Counts by the hardest technique, where it is computed.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub techniques: BTreeMap<Technique, u64>,
    /// Counts by the rating of Sudoku Explainer in tenths, where it is computed.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub se121: BTreeMap<u64, u64>,
    /// Counts by the number of clues.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub clues: BTreeMap<u64, u64>,
    /// Counts by the guesses of the search, if puzzles are solved.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub guesses: BTreeMap<u64, u64>,
    /// Counts by the rating in guesses, rounded down, where it is computed.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub guess_ratings: BTreeMap<u64, u64>,
}

impl Statistics {
    pub(super) fn of(rows: &Rows<'_>) -> Self {
        // The smallest number of the class of a number.
        let least = |number: u64| number.checked_ilog2().map_or(0, |log| 1 << log);
        let mut of = Self::default();
        for row in rows.records() {
            let (Some(clues), Ok(outcome)) = (row.clues(), row.outcome()) else { continue };
            let properties = row.properties();
            let hardest = properties.path.as_deref().and_then(|path| path.hardest);
            let guesses = rows.results.are_timed.then_some(outcome.guesses);
            count(&mut of.techniques, hardest);
            count(&mut of.se121, properties.se_rating.map(|rating| rating.er.into()));
            count(&mut of.clues, Some(clues as u64));
            count(&mut of.guesses, guesses.map(least));
            count(
                &mut of.guess_ratings,
                properties.guess_rating.map(|rating| least(rating as u64)),
            );
        }
        of
    }

    pub(super) fn add_all(&mut self, other: &Self) {
        add_counts(&mut self.techniques, &other.techniques);
        add_counts(&mut self.se121, &other.se121);
        add_counts(&mut self.clues, &other.clues);
        add_counts(&mut self.guesses, &other.guesses);
        add_counts(&mut self.guess_ratings, &other.guess_ratings);
    }
}

fn add_counts<K: Copy + Ord>(all: &mut BTreeMap<K, u64>, other: &BTreeMap<K, u64>) {
    other.iter().for_each(|(&key, count)| *all.entry(key).or_default() += count);
}

fn count<K: Ord>(counts: &mut BTreeMap<K, u64>, key: Option<K>) {
    key.into_iter().for_each(|key| *counts.entry(key).or_default() += 1);
}
