//! Which rows are written, and to which file: options of `solve` and `check`.

use std::num::NonZeroU32;

use bulkdoku::Status;
use bulkdoku::output::{Column, Decision, Needs, Row};
use bulkdoku::pipeline::Filter;
use bulkdoku::rating::Level;
use clap::ValueEnum;

use super::format::Format;
use super::outputs::Destinations;
use super::row_args::RowPlan;
use super::{Failure, help, numbers};

/// The selection of rows.
#[derive(Clone, Debug, clap::Args)]
pub struct SelectArgs {
    /// Only rows with one of these statuses
    ///
    /// Exit status, messages and counts cover all records.
    #[arg(long, value_name = "STATUS,…", help_heading = "Output", value_delimiter = ',')]
    only: Option<Vec<Status>>,

    /// Split rows into files by status or level: -o 'DIR/{}.csv'
    #[arg(
        long,
        value_name = "WHAT",
        help_heading = "Output",
        requires = "output",
        hide_possible_values = true,
        long_help = help::values::<SplitBy>(
            "Rows go into several files: in the name of the output, {} stands for the status or \
             the level. No file is made for a status or level without rows:"
        )
    )]
    split_by: Option<SplitBy>,

    /// Column rating: geometric mean over this many isomorphs
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SplitBy {
    /// unique, multiple, malformed, …
    Status,
    /// 0 to 3, and none for records without a level
    Level,
}

impl SplitBy {
    /// The values of {}, in the order of the outputs.
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
    /// Names all outputs of rows in `destinations`.
    pub fn name_outputs(&self, destinations: &mut Destinations) -> Result<(), Failure> {
        let Some(by) = self.split_by else { return Ok(()) };
        if !destinations.parts.is_empty() {
            refuse!("--split-by cannot be combined with --layout, which names its files");
        }
        let Some(pattern) = destinations.output.as_deref().and_then(|path| path.to_str()) else {
            refuse!("--split-by needs -o 'DIR/{{}}.csv'");
        };
        if pattern == "-" {
            refuse!("--split-by writes files; -o names them");
        }
        if pattern.matches("{}").count() != 1 {
            refuse!("{pattern}: has to have {{}} once, which stands for the status or level");
        }
        let names = by.names().into_iter();
        destinations.parts = names.map(|name| pattern.replace("{}", &name).into()).collect();
        Ok(())
    }

    /// The first of these options or columns that needs one row for each record.
    pub fn needs_single_rows(&self, columns: &[Column]) -> Option<String> {
        let options =
            [("--only", self.only.is_some()), ("--split-by", self.split_by.is_some())].into_iter();
        let given = options.filter(|(_, is_given)| *is_given).map(|(option, _)| option.to_owned());
        let of_puzzle = |column: &&Column| {
            **column == Column::Clues
                || !matches!(column.needs(), Needs::NONE | Needs::CONTRADICTION)
        };
        let columns = columns.iter().filter(of_puzzle);
        given.chain(columns.map(|column| format!("the column {column}"))).next()
    }

    /// Refuses options without effect, and columns that need a proof if the option
    /// `without_proof` leaves it out.
    pub fn check(&self, rows: &RowPlan, without_proof: Option<&str>) -> Result<(), Failure> {
        if self.split_by.is_some() && (rows.format == Format::Npy || rows.format.is_parquet()) {
            refuse!("--split-by writes any format but npy and parquet");
        }
        if self.rating_over.is_some() && !rows.shows(Column::Rating) {
            refuse!("--rating-over does nothing: no column shows it; --columns …,rating does");
        }
        let of_proof = [Column::Minimal, Column::Rating].into_iter().find(|of| rows.shows(*of));
        if let Some((column, option)) = of_proof.zip(without_proof) {
            refuse!("the column {column} needs the proof, which {option} leaves out");
        }
        Ok(())
    }

    /// The number of isomorphs over which ratings are averaged; 0 rates the puzzle itself.
    pub fn rating_isomorphs(&self) -> u32 {
        self.rating_over.map_or(0, NonZeroU32::get)
    }

    /// The filters that decide which rows are written, and to which output.
    pub fn filters(&self) -> Vec<Filter<'_>> {
        let only = self.only.as_ref().map(|only| {
            Filter::Local(
                Needs::NONE,
                Box::new(|row| {
                    let is_kept = only.contains(&row.status());
                    Ok(if is_kept { Decision::Keep } else { Decision::Drop })
                }),
            )
        });
        let split_by = self.split_by.map(|by| {
            let needs = if by == SplitBy::Level { Needs::LEVEL } else { Needs::NONE };
            Filter::Local(needs, Box::new(move |row| Ok(Decision::To(by.output(row)))))
        });
        only.into_iter().chain(split_by).collect()
    }
}
