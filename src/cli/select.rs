//! Options of `solve` and `check` that select rows and their files.

use std::num::NonZeroU32;
use std::str::FromStr;

use bulkdoku::Status;
use bulkdoku::output::{self, Column, ColumnSource, Decision, Needs, Row, SortKey, Sorted};
use bulkdoku::pipeline::Filter;
use bulkdoku::rating::Level;

use super::condition::{Condition, find_column};
use super::format::RowFormat;
use super::help::{ColumnChoice, ColumnChoices};
use super::inputs::Inputs;
use super::row_args::{RowPlan, RowRules};
use super::task::Task;
use super::{Failure, help, numbers};

/// A column name with an optional direction: `clues` or `clues:asc`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Order {
    column: String,
    /// Whether the smallest values come first.
    is_ascending: bool,
}

impl FromStr for Order {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (column, is_ascending) = match text.rsplit_once(':') {
            Some((column, "asc")) => (column, true),
            Some((column, "desc")) => (column, false),
            _ => (text, true),
        };
        if column.is_empty() {
            return Err("expected the name of a column, such as clues or clues:asc".into());
        }
        Ok(Self { column: column.into(), is_ascending })
    }
}

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

/// The selection of rows.
#[derive(Clone, Debug, clap::Args)]
pub struct SelectArgs {
    /// Sort rows by a column: clues, or clues:desc
    ///
    /// The column is one that --columns offers or the input has, as in --where. It is sorted as numbers
    /// if all its values are numbers, else as text. Missing values come last, rows with equal values in
    /// the order of the input. Rows may be csv, tsv, jsonl, parquet, npy, or lines. Memory: 256 MB; beyond
    /// it, temporary files in the folder that TMPDIR names. Such a run cannot be resumed.
    #[arg(long, value_name = "COLUMN", help_heading = "Output")]
    sort: Option<Order>,

    /// Write a file per status or level: -o 'DIR/{}.csv'
    ///
    /// In the name of the output, {} is replaced by the status or the level. No file is created for
    /// a status or level without rows.
    #[arg(
        long,
        value_name = "WHAT",
        help_heading = "Output",
        hide_possible_values = true,
        value_parser = help::one_column_of(SPLIT_BY)
    )]
    split_by: Option<ColumnChoice<SplitBy>>,

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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SplitBy {
    Status,
    Level,
}

#[rustfmt::skip]
const SPLIT_BY: ColumnChoices<SplitBy> = &[
    (["status", "computed_status"], SplitBy::Status, "unique, multiple, malformed, …"),
    (["level", "computed_level"], SplitBy::Level, "0 to 3, and none for records without a level"),
];

impl SplitBy {
    /// Returns the values of `{}`, in the order of the outputs.
    fn names(self) -> Vec<String> {
        match self {
            Self::Status => Status::ALL.iter().map(|status| status.name().into()).collect(),
            Self::Level => {
                let levels = Level::ALL.iter().map(ToString::to_string);
                levels.chain(["none".into()]).collect()
            }
        }
    }

    fn output(self, row: &Row<'_>) -> u8 {
        match self {
            Self::Status => row.status() as u8,
            Self::Level => row.level().map_or(Level::ALL.len() as u8, Level::number),
        }
    }
}

impl SelectArgs {
    /// Names the columns that options read, and all outputs of rows.
    pub fn plan(&self, task: &mut Task<'_>) -> Result<(), Failure> {
        task.named.extend(self.sort.iter().map(|order| order.column.clone()));
        let destinations = &mut task.destinations;
        let Some(ColumnChoice { value: by, shared_name }) = self.split_by else {
            return Ok(());
        };
        task.ambiguous.extend(shared_name.map(String::from));
        let Some(pattern) = destinations.output.as_deref().and_then(|path| path.to_str()) else {
            refuse!("--split-by needs -o 'DIR/{{}}.csv'");
        };
        if pattern == "-" {
            refuse!("--split-by writes files; -o names them");
        }
        if pattern.matches("{}").count() != 1 {
            refuse!("{pattern}: must contain {{}} once, which is replaced by the status or level");
        }
        let names = by.names().into_iter();
        destinations.parts = names.map(|name| pattern.replace("{}", &name).into()).collect();
        destinations.is_template = true;
        Ok(())
    }

    /// Rejects options without effect, and columns that need the proof omitted by `without_proof`.
    pub fn check(
        &self,
        rows: &RowPlan,
        task: &Task<'_>,
        without_proof: Option<&str>,
    ) -> Result<(), Failure> {
        let uses = |column: &Column| rows.shows(*column) || task.reads(*column);
        let format = rows.format;
        let is_whole = format == RowFormat::Npy || format.is_parquet() || format.has_pages();
        if self.split_by.is_some() && is_whole {
            refuse!("--split-by supports all formats except npy, parquet, html, and svg");
        }
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

    /// Creates the format of rows, which sorts them if requested.
    pub fn sorted(
        &self,
        rows: &RowPlan,
        rules: &RowRules,
        inputs: &Inputs,
    ) -> Result<Box<dyn output::Format>, Failure> {
        let format = rows.format(inputs)?;
        let Some(order) = &self.sort else { return Ok(format) };
        let has_rows =
            rows.format.has_columns() || matches!(rows.format, RowFormat::Lines | RowFormat::Npy);
        if !has_rows {
            let other = rows.format.name();
            refuse!("--sort writes csv, tsv, jsonl, parquet, npy and lines, but not {other}");
        }
        let column = find_column(&order.column, rules, &inputs.read())
            .map_err(|what| Failure::Usage(format!("--sort: {what}")))?;
        let is_ascending = order.is_ascending;
        let is_text = matches!(column, ColumnSource::Input(index) if inputs.is_text(index));
        let key = move |row: &Row<'_>, key: &mut SortKey| {
            column.value(row).push_key(is_ascending, is_text, key);
        };
        Ok(Box::new(Sorted { format, key: Box::new(key), needs: column.needs() }))
    }

    /// Returns the number of isomorphs over which ratings are averaged; 0 rates the puzzle itself.
    pub fn rating_isomorphs(&self) -> u32 {
        self.rating_over.map_or(0, NonZeroU32::get)
    }

    /// Returns the filter that chooses the output of a row, if there are several.
    pub fn filter(&self) -> Option<Filter<'static>> {
        self.split_by.map(|ColumnChoice { value: by, .. }| {
            let needs = if by == SplitBy::Level { Needs::LEVEL } else { Needs::NONE };
            Filter::Local(needs, Box::new(move |row| Ok(Decision::To(by.output(row)))))
        })
    }
}
