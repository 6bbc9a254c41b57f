//! The rows of a subcommand: `--format` and `--columns`, checked before anything is read.

#[cfg(feature = "parquet")]
use bulkdoku::output::ParquetRows;
use bulkdoku::output::{
    self, Column, CsvRows, JsonRows, JudgeGrids, LabelledGrids, Lines, Needs, NpyRows,
    OutputColumn, PuzzleGrids, Subcommand, TsvRows,
};
use clap::ValueEnum;

use super::Failure;
use super::format::Format;
use super::outputs::Destinations;

/// How rows are written. Each subcommand has its own help for both options.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Output")]
pub struct RowArgs {
    /// Format of the rows
    #[arg(long, value_name = "FORMAT", hide_possible_values = true)]
    pub format: Option<Format>,

    /// Columns of csv, tsv, jsonl and parquet, in order
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    columns: Option<Vec<Column>>,
}

/// What the rows of a subcommand can be.
#[derive(Clone, Copy, Debug)]
pub struct RowRules {
    pub subcommand: Subcommand,
    pub default_format: Format,
    pub is_written: fn(Format) -> bool,
    pub default_columns: &'static [Column],
    /// The column that formats without columns show.
    pub single: Column,
}

impl RowRules {
    /// The help of `--columns`.
    pub fn columns_help(&self) -> String {
        let names = |columns: &[Column]| {
            columns.iter().map(|column| column.name()).collect::<Vec<_>>().join(", ")
        };
        let all = Column::ALL.into_iter().filter(|column| column.is_offered_by(self.subcommand));
        format!(
            "The columns of csv, tsv, jsonl and parquet, in order: {} [default: {}]",
            names(&all.collect::<Vec<_>>()),
            names(self.default_columns)
        )
    }
}

/// The rows of a run, checked.
#[derive(Clone, Debug)]
pub struct RowPlan {
    pub format: Format,
    chosen: Option<Vec<Column>>,
    default: &'static [Column],
    single: Column,
    /// The value of a blank in arrays.
    npy_offset: u8,
}

impl RowArgs {
    /// The default columns in this format, or that of the output's name.
    pub fn of_format(format: Option<Format>) -> Self {
        Self { format, columns: None }
    }

    /// The columns that were named.
    pub fn chosen(&self) -> &[Column] {
        self.columns.as_deref().unwrap_or_default()
    }

    /// Chooses the format: as given, else by the output's name, else the default. Refuses formats
    /// and columns that the subcommand does not write, and names of side outputs that promise
    /// another format.
    pub fn plan(&self, rules: &RowRules, destinations: &Destinations) -> Result<RowPlan, Failure> {
        destinations.check_sides()?;
        let output = destinations.output.as_deref();
        let format = match (self.format, output) {
            (Some(format), _) => format,
            (None, Some(path)) => Format::of_name(path)?.unwrap_or(rules.default_format),
            (None, None) => rules.default_format,
        };
        if !(rules.is_written)(format) {
            let all = Format::value_variants().iter().copied();
            let written: Vec<_> =
                all.filter(|it| (rules.is_written)(*it)).map(Format::name).collect();
            let (subcommand, written) = (rules.subcommand.name(), written.join(", "));
            refuse!("{subcommand} writes {written}, but not {}", format.name());
        }
        format.check_output(output)?;
        if let Some(column) =
            self.chosen().iter().find(|column| !column.is_offered_by(rules.subcommand))
        {
            refuse!("--columns: {column} is a column of bulkdoku {}", owner(*column));
        }
        let plan = RowPlan {
            format,
            chosen: self.columns.clone(),
            default: rules.default_columns,
            single: rules.single,
            npy_offset: 0,
        };
        plan.format(false, &[])?;
        Ok(plan)
    }
}

/// The first subcommand whose rows have this column.
fn owner(column: Column) -> &'static str {
    let owner = Subcommand::ALL.into_iter().find(|subcommand| column.is_offered_by(*subcommand));
    owner.map_or("", Subcommand::name)
}

impl RowPlan {
    /// The same with other default columns.
    pub fn with_default(&self, default: &'static [Column]) -> Self {
        Self { default, ..self.clone() }
    }

    /// The same with another value of blanks in arrays.
    pub fn with_npy_offset(self, npy_offset: u8) -> Self {
        Self { npy_offset, ..self }
    }

    /// The columns in effect; of a format without columns the one that it shows.
    fn columns(&self) -> &[Column] {
        match &self.chosen {
            Some(chosen) => chosen,
            None if self.format.has_columns() => self.default,
            None => std::slice::from_ref(&self.single),
        }
    }

    /// Whether rows show a column.
    pub fn shows(&self, column: Column) -> bool {
        self.columns().contains(&column)
    }

    /// The properties of puzzles that rows show.
    pub fn needs(&self) -> Needs {
        OutputColumn::needs(&OutputColumn::list(self.columns(), &[]))
    }

    /// Creates the format. Rows of several inputs name their file; `kept` columns of the input come
    /// last.
    pub fn format(
        &self,
        several_inputs: bool,
        kept: &[String],
    ) -> Result<Box<dyn output::Format>, Failure> {
        let format = self.format;
        if format != Format::Npy && self.chosen.is_some() && !format.has_columns() {
            refuse!(
                "--columns goes with --format csv, tsv, jsonl and parquet; the others have none"
            );
        }
        let file = (several_inputs && self.chosen.is_none()).then_some(Column::File);
        let columns: Vec<_> = file.iter().chain(self.columns()).copied().collect();
        let is_repeated = |i: &usize| columns[..*i].contains(&columns[*i]);
        if let Some(i) = (0..columns.len()).find(is_repeated) {
            refuse!("--columns has {} twice; each column has its own name", columns[i]);
        }
        let list = OutputColumn::list(&columns, kept);
        Ok(match format {
            Format::Csv => Box::new(CsvRows::of(list)),
            Format::Tsv => Box::new(TsvRows::of(list)),
            Format::Jsonl => Box::new(JsonRows::of(list)),
            #[cfg(feature = "parquet")]
            Format::Parquet => Box::new(ParquetRows::of(list)),
            Format::Npy => Box::new(self.array()?),
            Format::Lines => Box::new(Lines(self.single)),
            Format::Grid if self.single == Column::Puzzle => Box::new(PuzzleGrids),
            Format::Grid => Box::new(LabelledGrids { with_file: several_inputs }),
            Format::Boj2580 => Box::new(JudgeGrids::Spaced),
            Format::Boj2239 => Box::new(JudgeGrids::Plain),
        })
    }

    /// The array of one column.
    fn array(&self) -> Result<NpyRows, Failure> {
        if let [column] = self.columns()
            && let Some(rows) = NpyRows::of(*column)
        {
            return Ok(rows.with_offset(self.npy_offset));
        }
        refuse!("--columns of npy is one of puzzle, solution and canonical: an array has no others")
    }
}
