//! `--format` and `--columns`, which are checked before anything is read.

use std::path::Path;

use bulkdoku::condition::{computed_column, shared_name, similar};
#[cfg(feature = "parquet")]
use bulkdoku::output::ParquetRows;
use bulkdoku::output::{
    self, Column, ColumnSource, CsvRows, JsonRows, Lines, Needs, NpyRows, OutputColumn,
    PrintedPages, TsvRows, input_lines, judge_grids, labeled_grids, puzzle_grids, unique_names,
};
use clap::ValueEnum;

use super::format::RowFormat;
use super::inputs::{InputKind, Inputs};
use super::{Failure, WITH_COLUMNS, extensions};

/// The format and columns of rows. Each subcommand has separate help for these options.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Output")]
pub struct RowArgs {
    /// Format of the rows
    #[arg(long, value_name = "FORMAT", hide_possible_values = true)]
    pub format: Option<RowFormat>,

    /// Columns of csv, tsv, jsonl and parquet, in order; * is the input's
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    columns: Option<Vec<String>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum NamedColumn {
    Computed(Column),
    /// A column of the input, if it exists.
    Input(String),
    /// All columns of the input.
    All,
}

impl NamedColumn {
    /// Finds a column that the subcommand computes, or otherwise of the input.
    fn of(name: &str, rules: &RowRules) -> Self {
        match computed_column(name, rules.columns) {
            Some(column) => Self::Computed(column),
            None if name == "*" => Self::All,
            None => Self::Input(name.into()),
        }
    }
}

/// The formats and columns that a subcommand supports.
#[derive(Clone, Copy, Debug)]
pub struct RowRules {
    /// The name of the subcommand.
    pub name: &'static str,
    /// The columns that it computes.
    pub columns: &'static [Column],
    pub default_format: RowFormat,
    pub is_written: fn(RowFormat) -> bool,
    /// The default columns, unless rows are rows of the input.
    pub default_columns: &'static [Column],
    /// The columns appended to those of the input, if rows are rows of the input by default.
    pub appended: Option<&'static [Column]>,
    /// Whether the puzzle and the solution of a row differ from those of the input.
    pub changes_cells: bool,
    /// Whether rows name their input by default, if there are several.
    pub names_file: bool,
    /// The column written by formats without columns.
    pub single: Column,
}

impl RowRules {
    /// Rows of the input, or puzzles only.
    pub const OF_INPUT: Self = Self {
        name: "",
        columns: &[Column::Puzzle],
        default_format: RowFormat::Csv,
        is_written: |format| {
            format.has_columns() || matches!(format, RowFormat::Lines | RowFormat::Npy)
        },
        default_columns: &[Column::Puzzle],
        appended: Some(&[]),
        changes_cells: false,
        names_file: false,
        single: Column::Puzzle,
    };

    pub fn columns_help(&self) -> String {
        let names = |columns: &[Column]| {
            columns.iter().map(|column| column.name()).collect::<Vec<_>>().join(", ")
        };
        let default = match self.appended {
            None => names(self.default_columns),
            Some([]) => "those of the input".into(),
            Some(appended) => format!("those of the input, {}", names(appended)),
        };
        format!(
            "The columns of csv, tsv, jsonl and parquet, in order: * for all columns of the input, as \
             they are, names of some of them, and {}. Puzzle lines have the column puzzle and, \
             if it is named, rest, the text after the cells; grids have puzzle and label, the line \
             above. [default: {default}]",
            names(self.columns),
        )
    }
}

/// The checked format and columns of a run.
#[derive(Clone, Debug)]
pub struct RowPlan {
    pub format: RowFormat,
    /// Whether the format is that of the input.
    follows_input: bool,
    chosen: Option<Vec<NamedColumn>>,
    /// The chosen names that are ambiguous if an input has them.
    shared_names: Vec<String>,
    rules: RowRules,
}

impl RowArgs {
    /// Chooses the format: as requested, by the output's name, or the default. Rejects formats and
    /// columns that the subcommand does not write.
    pub fn plan(&self, rules: &RowRules, output: Option<&Path>) -> Result<RowPlan, Failure> {
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
            let (subcommand, written) = (rules.name, written.join(", "));
            refuse!("{subcommand} writes {written}, but not {}", format.name());
        }
        format.check_output(output)?;
        let chosen = self
            .columns
            .as_ref()
            .map(|names| names.iter().map(|name| NamedColumn::of(name, rules)).collect::<Vec<_>>());
        let shared_names =
            self.columns.iter().flatten().filter_map(|name| shared_name(name)).collect();
        let plan = RowPlan { format, follows_input, chosen, shared_names, rules: *rules };
        if let Some(format) = plan.is_without_columns() {
            refuse!(
                "--columns goes with --format csv, tsv, jsonl and parquet; {} has none",
                format.name()
            );
        }
        if format == RowFormat::Npy {
            plan.array()?;
        }
        if let ("generate", Some(name)) = (rules.name, plan.input_columns().first()) {
            refuse!("--columns: no column {name:?}; {}", column_hint(name));
        }
        if plan.passes_rows()
            && let Some(name) = plan.input_columns().first()
        {
            refuse!("--columns: * has all columns of the input, also {name}");
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

/// Returns the first subcommand whose rows have this column.
fn owner(column: Column) -> &'static str {
    let owner = WITH_COLUMNS.iter().find(|rules| rules.columns.contains(&column));
    owner.map_or("", |rules| rules.name)
}

impl RowPlan {
    /// Returns the computed columns in `--columns`.
    pub fn chosen(&self) -> impl Iterator<Item = Column> {
        self.chosen.iter().flatten().filter_map(|column| match column {
            NamedColumn::Computed(column) => Some(*column),
            NamedColumn::Input(_) | NamedColumn::All => None,
        })
    }

    /// Returns the input columns in `--columns`.
    pub fn input_columns(&self) -> Vec<String> {
        let named = self.chosen.iter().flatten().filter_map(|column| match column {
            NamedColumn::Input(name) => {
                let own = name.strip_prefix("input_").filter(|name| name.parse::<Column>().is_ok());
                Some(own.unwrap_or(name).to_owned())
            }
            NamedColumn::Computed(_) | NamedColumn::All => None,
        });
        named.collect()
    }

    /// Returns the names in `--columns` that are ambiguous if an input has them.
    pub fn shared_names(&self) -> &[String] {
        &self.shared_names
    }

    /// Returns whether rows have all columns of the input.
    pub fn passes_rows(&self) -> bool {
        match &self.chosen {
            Some(chosen) => chosen.contains(&NamedColumn::All),
            None => self.rules.appended.is_some(),
        }
    }

    /// Returns the computed columns in effect. A format without columns has one.
    fn computed(&self) -> Vec<Column> {
        match self.rules.appended {
            _ if self.chosen.is_some() => self.chosen().collect(),
            _ if !self.format.has_columns() => vec![self.rules.single],
            appended => appended.unwrap_or(self.rules.default_columns).to_vec(),
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

    /// Creates the format for rows of these inputs.
    pub fn format(&self, inputs: &Inputs) -> Result<Box<dyn output::Format>, Failure> {
        let with_file = self.rules.names_file && inputs.are_several();
        let (kind, kept, cells) = (inputs.kind(), inputs.kept(), inputs.kept_cells());
        let passes_table = self.passes_rows() && !kept.is_empty();
        let named = self.named(inputs, with_file);
        let begins_with_fields = named.first() == Some(&NamedColumn::All);
        let list = self.columns(inputs, named)?;
        let format = self.format_for(inputs);
        let has_names = !matches!(kind, InputKind::Lines | InputKind::Other);
        if passes_table && self.rules.changes_cells && has_names && cells[0].is_none() {
            refuse!("the puzzle is in an inner object; --columns puzzle writes it as a column")
        }
        let copied = if passes_table && begins_with_fields { kept.len() } else { 0 };
        let of_table = |separator| match kind {
            InputKind::Table(own) if own == separator && !self.rules.changes_cells => copied,
            _ => 0,
        };
        // Rows of a table without a header have no header.
        let is_table = matches!(kind, InputKind::Table(_));
        let has_header = !(passes_table && is_table && inputs.header().is_none());
        Ok(match format {
            RowFormat::Csv => {
                Box::new(CsvRows::of(list).copying(of_table(b',')).headed(has_header))
            }
            RowFormat::Tsv => {
                Box::new(TsvRows::of(list).copying(of_table(b'\t')).headed(has_header))
            }
            RowFormat::Jsonl => {
                let copied = if kind == InputKind::Objects { copied } else { 0 };
                let mut types = inputs.types();
                cells.iter().flatten().for_each(|place| types[*place] = None);
                let rows = JsonRows::of(unique(list)).copying(copied).typed(&types);
                let replaced = if self.rules.changes_cells { cells } else { [None; 2] };
                Box::new(rows.replacing(replaced))
            }
            #[cfg(feature = "parquet")]
            RowFormat::Parquet => {
                Box::new(ParquetRows::of(unique(list)).typed(&inputs.types(), cells))
            }
            #[cfg(not(feature = "parquet"))]
            RowFormat::Parquet => {
                refuse!("{}", bulkdoku::features::missing("parquet").unwrap_or_default())
            }
            RowFormat::Npy => Box::new(self.array()?.with_offset(inputs.npy_blank())),
            RowFormat::Lines if self.copies_lines(inputs) => Box::new(input_lines()),
            RowFormat::Lines => Box::new(Lines(self.rules.single)),
            RowFormat::Grid if self.rules.single == Column::Puzzle => Box::new(puzzle_grids()),
            RowFormat::Grid => Box::new(labeled_grids(with_file)),
            RowFormat::Html => Box::new(PrintedPages),
            RowFormat::Boj2580 => Box::new(judge_grids(true)),
            RowFormat::Boj2239 => Box::new(judge_grids(false)),
        })
    }

    /// Returns the requested format, or that of the inputs.
    fn format_for(&self, inputs: &Inputs) -> RowFormat {
        match inputs.kind() {
            _ if !self.follows_input || !self.passes_rows() => self.format,
            InputKind::Table(b'\t') => RowFormat::Tsv,
            InputKind::Objects | InputKind::Document if !inputs.kept().is_empty() => {
                RowFormat::Jsonl
            }
            InputKind::Lines if self.computed().is_empty() && self.copies_lines(inputs) => {
                RowFormat::Lines
            }
            _ => self.format,
        }
    }

    /// Returns whether rows without columns are lines of the input.
    fn copies_lines(&self, inputs: &Inputs) -> bool {
        inputs.kind() == InputKind::Lines && self.passes_rows() && !self.rules.changes_cells
    }

    /// Returns the requested columns, or the default ones.
    fn named(&self, inputs: &Inputs, with_file: bool) -> Vec<NamedColumn> {
        let computed = |columns: &[Column]| -> Vec<_> {
            columns.iter().copied().map(NamedColumn::Computed).collect()
        };
        let file = if with_file { &[Column::File][..] } else { &[] };
        match (&self.chosen, self.rules.appended) {
            (Some(chosen), _) => chosen.clone(),
            _ if !self.format.has_columns() => computed(&[self.rules.single]),
            (None, Some(appended)) if !inputs.kept().is_empty() => {
                let names_file = appended.is_empty() || appended.contains(&Column::File);
                let file = if names_file { &[] } else { file };
                [vec![NamedColumn::All], computed(appended), computed(file)].concat()
            }
            _ => {
                let has_solution = self.rules.changes_cells && inputs.have_answers();
                let solution = if has_solution { &[Column::Solution][..] } else { &[] };
                computed(&[file, self.rules.default_columns, solution].concat())
            }
        }
    }

    /// Returns the columns of rows. A computed column whose name a field has is `computed_NAME`.
    fn columns(
        &self,
        inputs: &Inputs,
        named: Vec<NamedColumn>,
    ) -> Result<Vec<OutputColumn>, Failure> {
        let is_separated = matches!(self.format_for(inputs), RowFormat::Csv | RowFormat::Tsv);
        let kept = inputs.kept();
        let fields = match inputs.header().filter(|_| is_separated) {
            _ if !named.contains(&NamedColumn::All) => Vec::new(),
            Some(header) => header,
            None => kept.clone(),
        };
        // The requested input columns are the first kept ones.
        let mut places = 0..;
        let mut list = Vec::new();
        for column in named {
            match column {
                NamedColumn::All if !fields.is_empty() => {
                    list.extend(self.fields(&fields, inputs.kept_cells()));
                    continue;
                }
                NamedColumn::All => list.push(OutputColumn::from(Column::Puzzle)),
                NamedColumn::Computed(column) => list.push(OutputColumn::from(column)),
                NamedColumn::Input(name) => {
                    let at = places.next().unwrap_or_default();
                    let is_number = name.bytes().all(|byte| byte.is_ascii_digit());
                    let name = kept.get(at).filter(|_| is_number).cloned().unwrap_or(name);
                    list.push(OutputColumn::input(at, name));
                }
            }
            let (last, others) = list.split_last_mut().expect("a column was pushed");
            if fields.contains(&last.name) {
                last.name.insert_str(0, "computed_");
            }
            if fields.contains(&last.name) || others.iter().any(|other| other.name == last.name) {
                refuse!("--columns has {} twice; the names of columns must differ", last.name);
            }
        }
        Ok(list)
    }

    /// Returns the fields of the input, in which changed cells are replaced.
    fn fields(&self, names: &[String], cells: [Option<usize>; 2]) -> Vec<OutputColumn> {
        let mut fields: Vec<_> = names
            .iter()
            .cloned()
            .enumerate()
            .map(|(at, name)| OutputColumn::input(at, name))
            .collect();
        if self.rules.changes_cells {
            for (place, column) in cells.iter().zip([Column::Puzzle, Column::Solution]) {
                if let Some(place) = *place {
                    fields[place].source = ColumnSource::Computed(column);
                }
            }
        }
        fields
    }

    /// Creates an array of one column.
    fn array(&self) -> Result<NpyRows, Failure> {
        if let [column] = self.computed()[..]
            && self.input_columns().is_empty()
            && let Some(rows) = NpyRows::of(column)
        {
            return Ok(rows);
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
