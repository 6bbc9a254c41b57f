//! Which rows are written, and in which file: what `solve` and `check` share.

use std::fs;
use std::num::{NonZeroU8, NonZeroU32};
use std::path::PathBuf;

use bulkdoku::Status;
use bulkdoku::output::Column;
use bulkdoku::pipeline::{Rated, RequestedFacts, Route};
use bulkdoku::rating::Level;
use clap::ValueEnum;

use super::format::Format;
use super::outputs::Destinations;
use super::{Failure, help, numbers};

/// The selection of rows.
#[derive(Clone, Debug, clap::Args)]
pub struct SelectArgs {
    /// Only rows with one of these statuses
    ///
    /// Exit status, messages and counts are about all records.
    #[arg(
        long,
        value_name = "STATUS,…",
        help_heading = "Output",
        value_delimiter = ',',
        value_parser = parse_status
    )]
    only: Option<Vec<Status>>,

    /// Rows in files by status or level: -o 'DIR/{}.csv'
    #[arg(
        long,
        value_name = "WHAT",
        help_heading = "Output",
        requires = "output",
        conflicts_with = "resume",
        hide_possible_values = true,
        long_help = help::values::<SplitBy>(
            "Rows go into several files: in the name of the output {} stands for the status, or for the \
             level. A file that would have no row is not made:"
        )
    )]
    split_by: Option<SplitBy>,

    /// Column rating: geometric mean over this many isomorphs
    ///
    /// They are drawn from the canonical form, so that all isomorphs of a puzzle have the same
    /// rating. It is the mean of guesses and 1, less 1.
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
    /// 0 to 3, and none for records that have no level
    Level,
}

impl SplitBy {
    /// What {} stands for, in the order of the outputs.
    fn names(self) -> Vec<String> {
        match self {
            Self::Status => Status::ALL.iter().map(|status| status.name().into()).collect(),
            Self::Level => {
                let levels = Level::ALL.iter().map(ToString::to_string);
                levels.chain(["none".into()]).collect()
            }
        }
    }

    fn output(self, status: Status, level: Option<Level>) -> u8 {
        match self {
            Self::Status => status as u8,
            Self::Level => level.map_or(Level::ALL.len() as u8, Level::number),
        }
    }
}

fn parse_status(name: &str) -> Result<Status, String> {
    let found = Status::ALL.into_iter().find(|status| status.name() == name);
    found
        .ok_or_else(|| format!("no status; there are {}", Status::ALL.map(Status::name).join(", ")))
}

impl SelectArgs {
    /// Whether rows go into several files.
    pub fn splits(&self) -> bool {
        self.split_by.is_some()
    }

    /// Refuses a format that goes to one file alone.
    pub fn check_format(&self, format: Format) -> Result<(), Failure> {
        if self.splits() && (format == Format::Npy || format.is_parquet()) {
            let hint = "--split-by writes any format but npy and parquet";
            return Err(Failure::Usage(hint.into()));
        }
        Ok(())
    }

    /// How many outputs there are.
    pub fn count(&self) -> NonZeroU8 {
        let count = self.split_by.map_or(1, |by| by.names().len() as u8);
        NonZeroU8::new(count).expect("there is at least one")
    }

    /// Names the first output in `destinations`; returns the names of the others.
    pub fn outputs(&self, destinations: &mut Destinations) -> Result<Vec<PathBuf>, Failure> {
        let Some(by) = self.split_by else { return Ok(Vec::new()) };
        let Some(pattern) = destinations.output.as_deref().and_then(|path| path.to_str()) else {
            return Err(Failure::Usage("--split-by needs -o 'DIR/{}.csv'".into()));
        };
        if pattern.matches("{}").count() != 1 {
            let hint = "has to have {} once, which stands for the status or level";
            return Err(Failure::Usage(format!("{pattern}: {hint}")));
        }
        let names = by.names().into_iter().map(|name| PathBuf::from(pattern.replace("{}", &name)));
        let mut names = names.collect::<Vec<_>>().into_iter();
        destinations.output = names.next();
        let folder = destinations.output.as_deref().and_then(|path| path.parent());
        if let Some(folder) = folder.filter(|folder| !folder.as_os_str().is_empty()) {
            fs::create_dir_all(folder).map_err(|error| Failure::at(folder, error))?;
        }
        Ok(names.collect())
    }

    /// The first of these options, or of columns, that says something about a record with one row.
    pub fn option(&self, columns: Option<&[Column]>) -> Option<String> {
        let options = [("--only", self.only.is_some()), ("--split-by", self.splits())].into_iter();
        let given = options.filter(|(_, is_given)| *is_given).map(|(option, _)| option.to_owned());
        let of_facts = |column: &&Column| column.is_about_facts() || column.is_about_canon();
        let columns = columns.unwrap_or_default().iter().filter(of_facts);
        given.chain(columns.map(|column| format!("the column {column}"))).next()
    }

    /// Refuses what would change nothing, or cannot be known; `first` says that no proof is looked
    /// for.
    pub fn check(
        &self,
        columns: Option<&[Column]>,
        first: bool,
        destinations: &Destinations,
    ) -> Result<(), Failure> {
        let has = |column| columns.is_some_and(|columns| columns.contains(&column));
        if self.rating_over.is_some() && !has(Column::Rating) {
            let hint = "no column shows it; --columns …,rating does";
            return Err(Failure::Usage(format!("--rating-over does nothing: {hint}")));
        }
        let of_proof = [Column::Minimal, Column::Rating].into_iter().find(|column| has(*column));
        if let Some(column) = of_proof.filter(|_| first) {
            let hint = "is about the proof, which --first leaves out";
            return Err(Failure::Usage(format!("the column {column} {hint}")));
        }
        let is_stdout = destinations.output.as_deref().is_some_and(|path| path.as_os_str() == "-");
        if self.splits() && is_stdout {
            return Err(Failure::Usage("--split-by writes files; -o names them".into()));
        }
        Ok(())
    }

    /// The facts that these columns and files need.
    pub fn facts(&self, columns: &[Column]) -> RequestedFacts {
        let has = |column| columns.contains(&column);
        let rated = self.rating_over.map_or(Rated::Itself, Rated::Isomorphs);
        RequestedFacts {
            clues: has(Column::Clues),
            level: has(Column::Level) || self.split_by == Some(SplitBy::Level),
            rating: has(Column::Rating).then_some(rated),
            minimal: has(Column::Minimal),
            form: columns.iter().any(|column| column.is_about_canon()),
        }
    }

    /// Where rows go.
    pub fn route(&self) -> Option<Route> {
        let (only, split_by) = (self.only.clone(), self.split_by);
        if only.is_none() && split_by.is_none() {
            return None;
        }
        Some(Box::new(move |status, level| {
            let is_wanted = only.as_ref().is_none_or(|only| only.contains(&status));
            is_wanted.then(|| split_by.map_or(0, |by| by.output(status, level)))
        }))
    }

    /// The options that shape rows.
    pub fn settings(&self) -> [(&'static str, Option<String>); 3] {
        let Self { only, split_by, rating_over } = self;
        let names = |statuses: &Vec<Status>| {
            statuses.iter().map(|status| status.name()).collect::<Vec<_>>().join(",")
        };
        [
            ("--only", only.as_ref().map(names)),
            ("--split-by", split_by.map(|by| format!("{by:?}").to_lowercase())),
            ("--rating-over", rating_over.map(|count| count.to_string())),
        ]
    }
}
