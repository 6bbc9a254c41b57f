//! `--format` and `--columns`, which are checked before anything is read.

use bulkdoku::input::ColumnType;
#[cfg(feature = "parquet")]
use bulkdoku::output::ParquetRows;
use bulkdoku::output::{
    self, Column, ColumnSource, CsvRows, InputLines, JsonRows, JudgeGrids, LabeledGrids, Lines,
    Needs, NpyRows, OutputColumn, PrintedPages, PuzzleGrids, Subcommand, TsvRows, unique_names,
};
use clap::ValueEnum;

use super::condition::{offered, shared_name};
use super::format::RowFormat;
use super::input_args::repeated;
use super::outputs::Destinations;
use super::{Failure, extensions};

/// The format and columns of rows. Each subcommand has separate help for these options.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Output")]
pub struct RowArgs {
    /// Format of the rows
    #[arg(long, value_name = "FORMAT", hide_possible_values = true)]
    pub format: Option<RowFormat>,

    /// Columns of csv, tsv, jsonl and parquet, in order
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    columns: Option<Vec<String>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum NamedColumn {
    Computed(Column),
    /// A column of the input, if it exists.
    Input(String),
}

impl NamedColumn {
    /// Finds a column that the subcommand computes, or otherwise of the input.
    fn of(name: &str, subcommand: Subcommand) -> Self {
        offered(name, subcommand).map_or_else(|| Self::Input(name.into()), Self::Computed)
    }
}

/// Appends columns to the rows of the input.
#[derive(Clone, Debug, clap::Args)]
pub struct AppendArgs {
    /// Write the input's rows with these columns appended
    ///
    /// The columns of the input keep their names, order, and text.
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        help_heading = "Output",
        conflicts_with_all = ["columns", "keep"]
    )]
    append: Option<Vec<Column>>,
}

/// The formats and columns that a subcommand supports.
#[derive(Clone, Copy, Debug)]
pub struct RowRules {
    pub subcommand: Subcommand,
    pub default_format: RowFormat,
    pub is_written: fn(RowFormat) -> bool,
    /// The default columns, unless rows are rows of the input.
    pub default_columns: &'static [Column],
    /// The columns appended to those of the input, if rows are rows of the input by default.
    pub appended: Option<&'static [Column]>,
    /// Whether the puzzle and the solution of a row differ from those of the input.
    pub changes_cells: bool,
    /// The column written by formats without columns.
    pub single: Column,
}

impl RowRules {
    pub fn columns_help(&self) -> String {
        let names = |columns: &[Column]| {
            columns.iter().map(|column| column.name()).collect::<Vec<_>>().join(", ")
        };
        let all = Column::ALL.into_iter().filter(|column| column.is_offered_by(self.subcommand));
        let default = match self.appended {
            None => names(self.default_columns),
            Some([]) => "those of the input".into(),
            Some(appended) => format!("those of the input, {}", names(appended)),
        };
        format!(
            "The columns of csv, tsv, jsonl and parquet, in order: names of columns of the input, \
             and {} [default: {default}]",
            names(&all.collect::<Vec<_>>()),
        )
    }
}

/// The checked format and columns of a run.
#[derive(Clone, Debug)]
pub struct RowPlan {
    pub format: RowFormat,
    /// Whether the format is that of the input.
    follows_input: bool,
    /// Whether each input has an output, so that rows do not name it.
    has_output_per_input: bool,
    chosen: Option<Vec<NamedColumn>>,
    /// The chosen names that are ambiguous if an input has them.
    shared_names: Vec<String>,
    /// The columns appended to those of the input, if rows are rows of the input.
    appended: Option<Vec<Column>>,
    rules: RowRules,
    /// The value of a blank cell in arrays.
    npy_offset: u8,
}

/// The properties of inputs that affect rows.
#[derive(Clone, Debug, Default)]
pub struct InputRows {
    /// The names of the kept fields.
    pub kept: Vec<String>,
    /// The names as written in the header of a table; `None` without a header.
    pub header: Option<Vec<String>>,
    /// The types of the kept fields, if they come from Parquet files.
    pub types: Vec<Option<ColumnType>>,
    /// The positions of the puzzle and its solution among the kept fields.
    pub cells: [Option<usize>; 2],
    pub kind: InputKind,
    /// Whether each cell has a column.
    pub have_cells_in_columns: bool,
    /// Whether the inputs have solutions.
    pub have_answers: bool,
    pub are_several: bool,
}

/// The format of all inputs of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InputKind {
    Lines,
    /// Tables with this separator.
    Table(u8),
    Objects,
    /// One array of objects.
    Document,
    /// Another format, or several formats.
    #[default]
    Other,
}

impl RowArgs {
    /// Creates the default columns of a format.
    pub fn of_format(format: Option<RowFormat>) -> Self {
        Self { format, columns: None }
    }

    /// Returns whether columns were requested.
    pub fn names_columns(&self) -> bool {
        self.columns.is_some()
    }

    /// Chooses the format: as requested, by the output's name, or the default. Rejects formats and
    /// columns that the subcommand does not write, and side outputs whose names imply another
    /// format.
    pub fn plan(
        &self,
        rules: &RowRules,
        append: Option<&AppendArgs>,
        destinations: &Destinations,
    ) -> Result<RowPlan, Failure> {
        destinations.check_sides()?;
        let output = destinations.output.as_deref();
        output.map_or(Ok(()), extensions::check)?;
        let format = match (self.format, output) {
            (None, Some(path)) => RowFormat::of_name(path)?,
            (format, _) => format,
        };
        let (follows_input, format) = (format.is_none(), format.unwrap_or(rules.default_format));
        if !(rules.is_written)(format) {
            let all = RowFormat::value_variants().iter().copied();
            let written: Vec<_> =
                all.filter(|it| (rules.is_written)(*it)).map(RowFormat::name).collect();
            let (subcommand, written) = (rules.subcommand.name(), written.join(", "));
            refuse!("{subcommand} writes {written}, but not {}", format.name());
        }
        format.check_output(output)?;
        let append = append.and_then(|args| args.append.clone());
        let is_offered = |column: &&Column| column.is_offered_by(rules.subcommand);
        if let Some(column) = append.iter().flatten().find(|column| !is_offered(column)) {
            refuse!("--append: {column} is a column of bulkdoku {}", owner(*column));
        }
        if let Some(column) = append.as_deref().and_then(repeated) {
            refuse!("--append has {column} twice; the names of columns must differ");
        }
        let chosen = self.columns.as_ref().map(|names| {
            names.iter().map(|name| NamedColumn::of(name, rules.subcommand)).collect::<Vec<_>>()
        });
        let shared_names =
            self.columns.iter().flatten().filter_map(|name| shared_name(name)).collect();
        let appended = append
            .or_else(|| rules.appended.filter(|_| self.columns.is_none()).map(<[Column]>::to_vec));
        let (rules, npy_offset, has_output_per_input) = (*rules, 0, false);
        let plan = RowPlan {
            format,
            follows_input,
            has_output_per_input,
            chosen,
            shared_names,
            appended,
            rules,
            npy_offset,
        };
        if let Some(format) = plan.is_without_columns() {
            refuse!(
                "--columns goes with --format csv, tsv, jsonl and parquet; {} has none",
                format.name()
            );
        }
        if format == RowFormat::Npy {
            plan.array()?;
        }
        if let (Subcommand::Generate, Some(name)) = (rules.subcommand, plan.input_columns().first())
        {
            refuse!("--columns: no column {name:?}; {}", column_hint(name));
        }
        Ok(plan)
    }
}

/// Returns a hint about a column that neither the subcommand nor its inputs have.
pub fn column_hint(name: &str) -> String {
    let names = Column::ALL.map(Column::name);
    match (name.parse(), similar(name, names)) {
        (Ok(column), _) => format!("{name} is a column of bulkdoku {}", owner(column)),
        (Err(_), Some(column)) => format!("did you mean {column}?"),
        (Err(_), None) => format!("computed columns are {}", names.join(", ")),
    }
}

/// Returns the name that is most similar to a misspelled one, if any is.
pub fn similar<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let scores = names.into_iter().map(|other| (strsim::jaro(name, other), other));
    let best = scores.filter(|(score, _)| *score > 0.7).max_by(|(a, _), (b, _)| a.total_cmp(b));
    best.map(|(_, other)| other)
}

/// Returns the first subcommand whose rows have this column.
fn owner(column: Column) -> &'static str {
    let owner = Subcommand::ALL.into_iter().find(|subcommand| column.is_offered_by(*subcommand));
    owner.map_or("", Subcommand::name)
}

impl RowPlan {
    /// Returns the computed columns in `--columns`.
    pub fn chosen(&self) -> impl Iterator<Item = Column> {
        self.chosen.iter().flatten().filter_map(|column| match column {
            NamedColumn::Computed(column) => Some(*column),
            NamedColumn::Input(_) => None,
        })
    }

    /// Returns the input columns in `--columns`.
    pub fn input_columns(&self) -> Vec<String> {
        let named = self.chosen.iter().flatten().filter_map(|column| match column {
            NamedColumn::Input(name) => {
                let own = name.strip_prefix("input_").filter(|name| name.parse::<Column>().is_ok());
                Some(own.unwrap_or(name).to_owned())
            }
            NamedColumn::Computed(_) => None,
        });
        named.collect()
    }

    /// Returns the names in `--columns` that are ambiguous if an input has them.
    pub fn shared_names(&self) -> &[String] {
        &self.shared_names
    }

    /// Writes one output per input. All have the same format, which their names show.
    pub fn write_per_input(&mut self) {
        (self.follows_input, self.has_output_per_input) = (false, true);
    }

    /// Returns whether rows are rows of the input, possibly with appended columns.
    pub fn passes_rows(&self) -> bool {
        self.appended.is_some()
    }

    /// Sets the value of a blank cell in arrays.
    pub fn set_npy_offset(&mut self, npy_offset: u8) {
        self.npy_offset = npy_offset;
    }

    /// Makes rows consist of computed columns and those that `--keep` names.
    pub fn has_own_columns(&mut self) {
        self.appended = None;
    }

    /// Returns the computed columns in effect. A format without columns has one.
    fn computed(&self) -> Vec<Column> {
        match (&self.chosen, &self.appended) {
            (Some(_), _) => self.chosen().collect(),
            _ if !self.format.has_columns() => vec![self.rules.single],
            (None, Some(appended)) => appended.clone(),
            (None, None) => self.rules.default_columns.to_vec(),
        }
    }

    pub fn shows(&self, column: Column) -> bool {
        self.computed().contains(&column)
    }

    /// Returns the properties required for rows.
    pub fn needs(&self) -> Needs {
        OutputColumn::needs(&OutputColumn::list(&self.computed(), &[]))
    }

    fn is_without_columns(&self) -> Option<RowFormat> {
        let has_none = self.format != RowFormat::Npy && !self.format.has_columns();
        (has_none && self.chosen.is_some()).then_some(self.format)
    }

    /// Creates the format for rows of these inputs. With `with_file`, rows name their input.
    pub fn format(
        &self,
        inputs: &InputRows,
        with_file: bool,
    ) -> Result<Box<dyn output::Format>, Failure> {
        let with_file = with_file && inputs.are_several && !self.has_output_per_input;
        let passes_table = self.passes_rows() && !inputs.kept.is_empty();
        let list = if passes_table {
            self.appended_to(inputs, with_file)
        } else {
            self.own_columns(inputs, with_file)?
        };
        let format = self.format_for(inputs);
        if passes_table && self.rules.changes_cells && inputs.have_cells_in_columns {
            refuse!("the input has a column for each cell; --columns puzzle writes puzzles in one")
        }
        let has_names = !matches!(inputs.kind, InputKind::Lines | InputKind::Other);
        if passes_table && self.rules.changes_cells && has_names && inputs.cells[0].is_none() {
            refuse!("the puzzle is in an inner object; --columns puzzle writes it as a column")
        }
        let copied = if passes_table { inputs.kept.len() } else { 0 };
        let of_table = |separator| match inputs.kind {
            InputKind::Table(own) if own == separator && !self.rules.changes_cells => copied,
            _ => 0,
        };
        // Rows of a table without a header have no header.
        let is_table = matches!(inputs.kind, InputKind::Table(_));
        let has_header = !(passes_table && is_table && inputs.header.is_none());
        Ok(match format {
            RowFormat::Csv => {
                Box::new(CsvRows::of(list).copying(of_table(b',')).headed(has_header))
            }
            RowFormat::Tsv => {
                Box::new(TsvRows::of(list).copying(of_table(b'\t')).headed(has_header))
            }
            RowFormat::Jsonl => {
                let copied = if inputs.kind == InputKind::Objects { copied } else { 0 };
                let mut types = inputs.types.clone();
                inputs.cells.iter().flatten().for_each(|cells| types[*cells] = None);
                let rows = JsonRows::of(unique(list)).copying(copied).typed(&types);
                let replaced = if self.rules.changes_cells { inputs.cells } else { [None; 2] };
                Box::new(rows.replacing(replaced))
            }
            #[cfg(feature = "parquet")]
            RowFormat::Parquet => {
                let types = &inputs.types;
                Box::new(ParquetRows::of(unique(list)).typed(types, inputs.cells))
            }
            #[cfg(not(feature = "parquet"))]
            RowFormat::Parquet => {
                refuse!("{}", bulkdoku::features::missing("parquet").unwrap_or_default())
            }
            RowFormat::Npy => Box::new(self.array()?),
            RowFormat::Lines if self.copies_lines(inputs) => Box::new(InputLines),
            RowFormat::Lines => Box::new(Lines(self.rules.single)),
            RowFormat::Grid if self.rules.single == Column::Puzzle => Box::new(PuzzleGrids),
            RowFormat::Grid => Box::new(LabeledGrids { with_file }),
            RowFormat::Html => Box::new(PrintedPages::Html),
            RowFormat::Svg => Box::new(PrintedPages::Svg),
            RowFormat::Boj2580 => Box::new(JudgeGrids::Spaced),
            RowFormat::Boj2239 => Box::new(JudgeGrids::Plain),
        })
    }

    /// Returns the requested format, or that of the inputs.
    fn format_for(&self, inputs: &InputRows) -> RowFormat {
        match inputs.kind {
            _ if !self.follows_input || !self.passes_rows() => self.format,
            InputKind::Table(b'\t') => RowFormat::Tsv,
            InputKind::Objects | InputKind::Document if !inputs.kept.is_empty() => RowFormat::Jsonl,
            InputKind::Lines
                if self.appended.as_deref() == Some(&[]) && self.copies_lines(inputs) =>
            {
                RowFormat::Lines
            }
            _ => self.format,
        }
    }

    /// Returns whether rows without columns are lines of the input.
    fn copies_lines(&self, inputs: &InputRows) -> bool {
        inputs.kind == InputKind::Lines && self.passes_rows() && !self.rules.changes_cells
    }

    /// Returns the columns of the input and the appended ones.
    fn appended_to(&self, inputs: &InputRows, with_file: bool) -> Vec<OutputColumn> {
        let is_separated = matches!(self.format_for(inputs), RowFormat::Csv | RowFormat::Tsv);
        let header = inputs.header.as_ref().filter(|_| is_separated).unwrap_or(&inputs.kept);
        let fields = header.iter().cloned().enumerate();
        let mut list: Vec<_> = fields.map(|(at, name)| OutputColumn::input(at, name)).collect();
        if self.rules.changes_cells {
            for (place, column) in inputs.cells.iter().zip([Column::Puzzle, Column::Solution]) {
                if let Some(place) = *place {
                    list[place].source = ColumnSource::Computed(column);
                }
            }
        }
        let appended = self.appended.iter().flatten().copied();
        let adds_file = with_file
            && self
                .appended
                .as_ref()
                .is_some_and(|appended| !appended.is_empty() && !appended.contains(&Column::File));
        for column in appended.chain(adds_file.then_some(Column::File)) {
            let mut column = OutputColumn::from(column);
            while list.iter().any(|other| other.name == column.name) {
                column.name.insert_str(0, "new_");
            }
            list.push(column);
        }
        list
    }

    /// Returns the requested or default columns, and the kept ones not among them.
    fn own_columns(
        &self,
        inputs: &InputRows,
        with_file: bool,
    ) -> Result<Vec<OutputColumn>, Failure> {
        let file = (with_file && self.chosen.is_none()).then_some(Column::File);
        let default: Vec<_> = match &self.chosen {
            Some(chosen) => chosen.clone(),
            None if !self.format.has_columns() => vec![NamedColumn::Computed(self.rules.single)],
            None => {
                let mut default = self.rules.default_columns.to_vec();
                if self.rules.changes_cells && inputs.have_answers {
                    default.push(Column::Solution);
                }
                default.into_iter().map(NamedColumn::Computed).collect()
            }
        };
        let columns: Vec<_> = file.into_iter().map(NamedColumn::Computed).chain(default).collect();
        if let Some(column) = repeated(&columns) {
            let name = match column {
                NamedColumn::Computed(column) => column.name(),
                NamedColumn::Input(name) => name,
            };
            refuse!("--columns has {name} twice; the names of columns must differ");
        }
        // The requested input columns are the first kept ones.
        let mut kept = 0..inputs.kept.len();
        let list = columns.iter().map(|column| match column {
            NamedColumn::Computed(column) => OutputColumn::from(*column),
            NamedColumn::Input(name) => {
                OutputColumn::input(kept.next().unwrap_or_default(), name.clone())
            }
        });
        let mut list: Vec<_> = list.collect();
        let others = &inputs.kept[kept.start..];
        let names = unique_names(list.iter().map(|column| column.name.as_str()), others);
        list.extend(kept.zip(names).map(|(at, name)| OutputColumn::input(at, name)));
        Ok(list)
    }

    /// Creates an array of one column.
    fn array(&self) -> Result<NpyRows, Failure> {
        if let [column] = self.computed()[..]
            && self.input_columns().is_empty()
            && let Some(rows) = NpyRows::of(column)
        {
            return Ok(rows.with_offset(self.npy_offset));
        }
        refuse!("an npy array has one column: puzzle, solution, or canonical")
    }
}

/// Makes the names of columns unique, as formats with keys require.
fn unique(list: Vec<OutputColumn>) -> Vec<OutputColumn> {
    let names: Vec<_> = list.iter().map(|column| column.name.clone()).collect();
    let names = unique_names([], &names);
    list.into_iter().zip(names).map(|(column, name)| OutputColumn { name, ..column }).collect()
}
