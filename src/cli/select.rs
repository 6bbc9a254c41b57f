//! The options `--where` and `--rating-over`.

use std::num::NonZeroU32;

use bulkdoku::condition::Condition;
use bulkdoku::output::Column;

use super::row_args::RowPlan;
use super::task::Task;
use super::{Failure, numbers};

#[derive(Clone, Debug, clap::Args)]
pub struct WhereArgs {
    /// Only rows that meet a condition, as 'clues < 24'
    ///
    /// It has names of columns that --columns offers or the input has, numbers, texts in quotes,
    /// true and false, == != < <= > >=, in (…), not in (…), and, or, not, and parentheses. A name
    /// with other characters is written between backticks. If the input has a column with the name
    /// of a computed one, `input_NAME` or `computed_NAME` is required. Comparisons with a missing value
    /// are false. Exit status, messages and counts cover all records.
    #[arg(long = "where", value_name = "CONDITION", help_heading = "Output")]
    pub condition: Option<Condition>,
}

/// How guesses are rated.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct RatingArgs {
    /// Rate guesses by their geometric mean over K isomorphs
    ///
    /// They are drawn from the canonical form, so all isomorphs of a puzzle have the same rating.
    /// It is the geometric mean of guesses + 1, minus 1.
    #[arg(
        long,
        value_name = "K",
        help_heading = "Search",
        value_parser = |text: &str| numbers::up_to::<NonZeroU32>(text, 10_000)
    )]
    rating_over: Option<NonZeroU32>,
}

impl RatingArgs {
    /// Rejects options without effect, and columns that need the proof omitted by `without_proof`.
    pub fn check(
        self,
        rows: &RowPlan,
        task: &Task<'_>,
        without_proof: Option<&str>,
    ) -> Result<(), Failure> {
        let uses = |column: &Column| rows.shows(*column) || task.reads(*column);
        if self.rating_over.is_some() && !uses(&Column::GuessRating) {
            refuse!(
                "--rating-over does nothing: no column shows it; --columns …,guess_rating does"
            );
        }
        let of_proof = [Column::Minimal, Column::GuessRating].into_iter().find(uses);
        if let Some((column, option)) = of_proof.zip(without_proof) {
            refuse!("the column {column} needs the proof, which {option} leaves out");
        }
        Ok(())
    }

    /// Returns the number of isomorphs over which ratings are averaged; 0 rates the puzzle itself.
    pub fn rating_isomorphs(self) -> u32 {
        self.rating_over.map_or(0, NonZeroU32::get)
    }
}
