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
        let mut clues = [0; 82];
        // Indexed by the number of binary digits.
        let (mut guesses, mut ratings) = ([0; 65], [0; 65]);
        let (mut techniques, mut se121) = (BTreeMap::new(), BTreeMap::new());
        let digits = |number: u64| (u64::BITS - number.leading_zeros()) as usize;
        for row in rows.records() {
            let (Some(count), Ok(outcome)) = (row.clues(), row.outcome()) else { continue };
            clues[count] += 1;
            guesses[digits(outcome.guesses)] += u64::from(rows.results.are_timed);
            let properties = row.properties();
            if let Some(hardest) = properties.path.as_deref().and_then(|path| path.hardest) {
                *techniques.entry(hardest).or_default() += 1;
            }
            if let Some(rating) = properties.se_rating {
                *se121.entry(rating.er.into()).or_default() += 1;
            }
            properties
                .guess_rating
                .into_iter()
                .for_each(|rating| ratings[digits(rating as u64)] += 1);
        }
        let least = |digits: u64| if digits == 0 { 0 } else { 1 << (digits - 1) };
        Self {
            techniques,
            se121,
            clues: counted(&clues, |clues| clues),
            guesses: counted(&guesses, least),
            guess_ratings: counted(&ratings, least),
        }
    }

    pub(super) fn add_all(&mut self, other: &Self) {
        for (all, other) in [
            (&mut self.se121, &other.se121),
            (&mut self.clues, &other.clues),
            (&mut self.guesses, &other.guesses),
            (&mut self.guess_ratings, &other.guess_ratings),
        ] {
            add_counts(all, other);
        }
        add_counts(&mut self.techniques, &other.techniques);
    }
}

fn add_counts<K: Copy + Ord>(all: &mut BTreeMap<K, u64>, other: &BTreeMap<K, u64>) {
    other.iter().for_each(|(&key, count)| *all.entry(key).or_default() += count);
}

/// Returns the counts that are not 0, by the keys of their indices.
fn counted(counts: &[u64], key: impl Fn(u64) -> u64) -> BTreeMap<u64, u64> {
    (0..).zip(counts).filter(|(_, count)| **count > 0).map(|(i, &count)| (key(i), count)).collect()
}
