//! `--format` and `--columns`, which are checked before anything is read.

use std::collections::HashSet;
use std::path::Path;

use bulkdoku::condition::{self, computed_column, shared_name};
use bulkdoku::input::csv::Delimiter;
use bulkdoku::input::{KeptCells, LayoutKind, OtherKeys};
use bulkdoku::output::{
    self, Column, ColumnSource, CsvRows, JsonRows, NpyRows, OutputColumn, PrintedPages,
    input_lines, judge_grids, labeled_grids, lines, puzzle_grids,
};
use bulkdoku::pipeline::visible;
#[cfg(feature = "parquet")]
use bulkdoku_arrow::parquet::{ParquetRows, kept_types};
use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::format::RowFormat;
use super::inputs::Inputs;
use super::task::Task;
use super::{Failure, WITH_COLUMNS};

/// The format and columns of rows. Each subcommand has separate help for these options.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Output")]
pub struct RowArgs {
    /// Format of the rows
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<RowFormat>,

    /// Columns of csv, tsv, jsonl and parquet, in order; * is the input's
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    columns: Option<Vec<String>>,
}

/// The title of pages.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Output")]
pub struct PageArgs {
    /// With html: the title of each page
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum NamedColumn {
    Computed(Column),
    Input(String),
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
    pub name: &'static str,
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

    pub fn documented(&self, command: clap::Command) -> clap::Command {
        let all = RowFormat::value_variants().iter().filter(|format| (self.is_written)(**format));
        let formats = PossibleValuesParser::new(all.filter_map(ValueEnum::to_possible_value));
        let formats = formats.try_map(|name| RowFormat::from_str(&name, false));
        let or = if self.appended.is_some() { "as the input is, or " } else { "" };
        let default = format!("as the output's name says (.tsv, .jsonl.gz, …), or else {or}");
        let is_lines = self.default_format == RowFormat::Lines;
        let csv = if is_lines { ", but csv with --columns" } else { "" };
        let name = self.default_format.name();
        let long = format!("Format of the rows\n\nBy default {default}{name}{csv}.");
        command
            .mut_arg("format", |format| format.value_parser(formats).long_help(long))
            .mut_arg("columns", |columns| columns.long_help(self.columns_help()))
    }

    fn columns_help(&self) -> String {
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
             if it is named, rest, the text after the cells; grids have puzzle. [default: {default}]",
            names(self.columns),
        )
    }
}

/// The checked format and columns of a run.
#[derive(Clone, Debug)]
pub struct RowPlan {
    pub format: RowFormat,
    follows_input: bool,
    chosen: Option<Vec<NamedColumn>>,
    /// The chosen names that are ambiguous if an input has them.
    shared_names: Vec<String>,
    pages: PrintedPages,
    rules: RowRules,
}

impl RowArgs {
    /// Chooses the format and the columns. Rejects those that the subcommand does not write.
    pub fn plan(&self, rules: &RowRules, output: Option<&Path>) -> Result<RowPlan, Failure> {
        let (mut format, mut follows_input) = RowFormat::choose(self.format, output, rules)?;
        if follows_input && format == RowFormat::Lines && self.columns.is_some() {
            (format, follows_input) = (RowFormat::Csv, false);
        }
        let chosen = self
            .columns
            .as_ref()
            .map(|names| names.iter().map(|name| NamedColumn::of(name, rules)).collect::<Vec<_>>());
        let shared_names =
            self.columns.iter().flatten().filter_map(|name| shared_name(name)).collect();
        let pages = PrintedPages::default();
        let plan = RowPlan { format, follows_input, chosen, shared_names, pages, rules: *rules };
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
            refuse!("--columns: no column {name:?}{}", column_hint(name, &[], rules.columns));
        }
        if plan.passes_rows()
            && let Some(name) = plan.input_columns().first()
        {
            refuse!("--columns: * has all columns of the input, also {}", visible(name));
        }
        Ok(plan)
    }
}

/// Returns a hint about a column that is neither in the input nor among the computed ones. An option
/// for a column of the input has no computed ones.
pub fn column_hint(name: &str, read: &[String], computed: &[Column]) -> String {
    let plain = name.strip_prefix("computed_").unwrap_or(name);
    let hint = match plain.parse() {
        Ok(column) if !computed.is_empty() => {
            format!("{plain} is a column of bulkdoku {}", owner(column))
        }
        _ => {
            let read = read.iter().map(|column| column.trim_matches('"'));
            condition::column_hint(name, computed, read)
        }
    };
    if computed.is_empty() && !hint.ends_with('?') { String::new() } else { format!("; {hint}") }
}

/// Returns the first subcommand whose rows have this column.
pub fn owner(column: Column) -> &'static str {
    let owner = WITH_COLUMNS.iter().find(|rules| rules.columns.contains(&column));
    owner.map_or("", |rules| rules.name)
}

impl RowPlan {
    pub fn with_pages(self, args: &PageArgs) -> Result<Self, Failure> {
        let Some(title) = args.title.clone() else { return Ok(self) };
        if self.format != RowFormat::Html {
            refuse!("--title goes with --format html");
        }
        Ok(Self { pages: PrintedPages { title }, ..self })
    }

    /// Returns the computed columns in `--columns`.
    pub fn chosen(&self) -> impl Iterator<Item = Column> {
        self.chosen.iter().flatten().filter_map(|column| match column {
            NamedColumn::Computed(column) => Some(*column),
            NamedColumn::Input(_) | NamedColumn::All => None,
        })
    }

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

    /// Returns whether rows are those of the input, in a format with columns or as lines.
    pub fn passes_rows(&self) -> bool {
        match &self.chosen {
            Some(chosen) => chosen.contains(&NamedColumn::All),
            None => self.rules.appended.is_some(),
        }
    }

    /// Returns whether rows have all columns of the input.
    pub fn keeps_rows(&self) -> bool {
        self.passes_rows() && self.format.has_columns()
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

    fn is_without_columns(&self) -> Option<RowFormat> {
        let has_none = self.format != RowFormat::Npy && !self.format.has_columns();
        (has_none && self.chosen.is_some()).then_some(self.format)
    }

    /// Creates the format for rows of these inputs, whose reading depends on it.
    pub fn format(&self, inputs: &mut Inputs) -> Result<Box<dyn output::Format>, Failure> {
        let format = self.format_for(inputs);
        if format.has_columns() {
            return self.format_of_columns(format, inputs);
        }
        Ok(match format {
            RowFormat::Npy => Box::new(self.array()?),
            RowFormat::Lines if self.copies_lines(inputs) => Box::new(input_lines()),
            RowFormat::Grid if self.rules.single == Column::Puzzle => Box::new(puzzle_grids()),
            RowFormat::Grid => Box::new(labeled_grids(self.names_file(inputs))),
            RowFormat::Html => Box::new(self.pages.clone()),
            RowFormat::Boj2580 => Box::new(judge_grids(true)),
            RowFormat::Boj2239 => Box::new(judge_grids(false)),
            _ => Box::new(lines(self.rules.single)),
        })
    }

    fn format_of_columns(
        &self,
        format: RowFormat,
        inputs: &mut Inputs,
    ) -> Result<Box<dyn output::Format>, Failure> {
        let fields = self.fields(format, inputs);
        let named = self.named(inputs);
        let copied = if named.first() == Some(&NamedColumn::All) { fields.len() } else { 0 };
        let list = resolve(named, &fields, &inputs.kept())?;
        if self.rules.changes_cells
            && let Some([cells, kept, all]) = inputs.cells_in_kept()
        {
            refuse!(
                "{cells:?} is in the column {kept:?}, which is copied as it is; use --columns \
                 without it, such as --columns {all}"
            );
        }
        let cells = inputs.kept_cells();
        #[cfg(feature = "parquet")]
        let direct = cells.each_ref().map(|cells| {
            cells.as_ref().filter(|cells| cells.path.is_empty()).map(|cells| cells.field)
        });
        // Rows of a table without a header have no header.
        let is_table = matches!(inputs.kind(), Some(LayoutKind::Table(Delimiter::Byte(_))));
        let has_header = fields.is_empty() || !is_table || inputs.header().is_some();
        let mut others = OtherKeys::Refused;
        let rows: Box<dyn output::Format> = match format {
            RowFormat::Tsv => CsvRows::of(list).tabbed().copying(copied).headed(has_header).boxed(),
            RowFormat::Jsonl => {
                let is_object = inputs.kind() == Some(LayoutKind::Json);
                let copied = if is_object { copied } else { 0 };
                let replaced = if self.rules.changes_cells { cells } else { [None, None] };
                let rows =
                    JsonRows::of(with_unique_names(list)).copying(copied).replacing(replaced);
                others = rows.other_keys();
                Box::new(rows)
            }
            #[cfg(feature = "parquet")]
            RowFormat::Parquet => Box::new(ParquetRows::new(
                with_unique_names(list),
                &kept_types(inputs.types()),
                direct,
            )),
            #[cfg(not(feature = "parquet"))]
            RowFormat::Parquet => {
                refuse!("{}", bulkdoku::features::missing("parquet").unwrap_or_default())
            }
            _ => CsvRows::of(list).copying(copied).headed(has_header).boxed(),
        };
        inputs.set_other_keys(&others);
        Ok(rows)
    }

    fn names_file(&self, inputs: &Inputs) -> bool {
        self.rules.names_file && inputs.are_several()
    }

    fn format_for(&self, inputs: &Inputs) -> RowFormat {
        match inputs.kind() {
            _ if !self.follows_input || !self.passes_rows() => self.format,
            Some(LayoutKind::Table(Delimiter::Byte(b'\t'))) => RowFormat::Tsv,
            Some(LayoutKind::Json | LayoutKind::JsonDocument) if !inputs.kept().is_empty() => {
                RowFormat::Jsonl
            }
            Some(LayoutKind::Lines) if self.computed().is_empty() && self.copies_lines(inputs) => {
                RowFormat::Lines
            }
            _ => self.format,
        }
    }

    /// Returns whether rows without columns are lines of the input.
    fn copies_lines(&self, inputs: &Inputs) -> bool {
        inputs.kind() == Some(LayoutKind::Lines) && self.passes_rows() && !self.rules.changes_cells
    }

    /// Returns the requested columns, or the default ones.
    fn named(&self, inputs: &Inputs) -> Vec<NamedColumn> {
        let file = if self.names_file(inputs) { &[Column::File][..] } else { &[] };
        let computed = |columns: &[&[Column]]| -> Vec<_> {
            columns.concat().into_iter().map(NamedColumn::Computed).collect()
        };
        match (&self.chosen, self.rules.appended) {
            (Some(chosen), _) => chosen.clone(),
            (None, Some(appended)) if !inputs.kept().is_empty() => {
                let names_file = appended.is_empty() || appended.contains(&Column::File);
                let file = if names_file { &[] } else { file };
                // The solution replaces that of the input.
                let is_first = appended.first() == Some(&Column::Solution);
                let is_replaced = is_first && inputs.kept_cells()[1].is_some();
                let appended = &appended[usize::from(is_replaced)..];
                [vec![NamedColumn::All], computed(&[appended, file])].concat()
            }
            _ => {
                let default = self.rules.default_columns;
                let has_solution = self.rules.changes_cells && inputs.have_answers();
                let is_added = has_solution && !default.contains(&Column::Solution);
                let solution = if is_added { &[Column::Solution][..] } else { &[] };
                computed(&[file, default, solution])
            }
        }
    }

    /// Returns the columns that `*` stands for: the fields of the input, in which changed cells are
    /// replaced. None for an input without fields.
    fn fields(&self, format: RowFormat, inputs: &Inputs) -> Vec<OutputColumn> {
        let (kept, cells) = (inputs.kept(), inputs.kept_cells());
        if !self.passes_rows() || kept.is_empty() {
            return Vec::new();
        }
        let is_separated = matches!(format, RowFormat::Csv | RowFormat::Tsv);
        let names = inputs.header().filter(|_| is_separated).unwrap_or(kept).into_iter();
        let mut fields: Vec<_> =
            names.enumerate().map(|(at, name)| OutputColumn::input(at, name)).collect();
        if self.rules.changes_cells {
            // A solution keeps its form, except in a Parquet file, whose columns are copied.
            let has_columns = inputs.have_columns();
            for (cells, column) in cells.iter().zip([Column::Puzzle, Column::Solution]) {
                if let Some(KeptCells { field, path }) = cells
                    && path.is_empty()
                    && (column == Column::Puzzle || has_columns)
                {
                    fields[*field].source = ColumnSource::Computed(column);
                }
            }
        }
        fields
    }

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

/// Returns the columns of rows. The requested input columns are the first `kept` ones. A computed
/// column whose name a field has is `computed_NAME`.
fn resolve(
    named: Vec<NamedColumn>,
    fields: &[OutputColumn],
    kept: &[String],
) -> Result<Vec<OutputColumn>, Failure> {
    let (mut list, mut places): (Vec<OutputColumn>, _) = (Vec::new(), 0..);
    for column in named {
        let mut column = match column {
            NamedColumn::All if fields.iter().any(|field| list.contains(field)) => {
                refuse!("--columns has * twice; the names of columns must differ");
            }
            NamedColumn::All if !fields.is_empty() => {
                list.extend_from_slice(fields);
                continue;
            }
            NamedColumn::All => OutputColumn::from(Column::Puzzle),
            NamedColumn::Computed(column) => OutputColumn::from(column),
            NamedColumn::Input(name) => {
                let at = places.next().unwrap_or_default();
                let is_number = name.bytes().all(|byte| byte.is_ascii_digit());
                let name = kept.get(at).filter(|_| is_number).cloned().unwrap_or(name);
                OutputColumn::input(at, name)
            }
        };
        let is_taken =
            |list: &[OutputColumn], name: &str| list.iter().any(|other| other.name == name);
        if is_taken(fields, &column.name) {
            column.name.insert_str(0, "computed_");
        }
        if is_taken(fields, &column.name) || is_taken(&list, &column.name) {
            let name = visible(&column.name);
            refuse!("--columns has {name} twice; the names of columns must differ");
        }
        list.push(column);
    }
    Ok(list)
}

/// Makes the names of columns unique, as formats with keys require: a name that is already taken is
/// prefixed with `input_` until it is unique.
fn with_unique_names(mut list: Vec<OutputColumn>) -> Vec<OutputColumn> {
    let mut taken = HashSet::new();
    let are_own: Vec<bool> = list.iter().map(|column| taken.insert(column.name.clone())).collect();
    for (column, is_own) in list.iter_mut().zip(are_own) {
        while !is_own && !taken.insert(column.name.clone()) {
            column.name.insert_str(0, "input_");
        }
    }
    list
}

/// Rejects columns that need the proof omitted by `without_proof`.
pub fn check_proof(
    rows: &RowPlan,
    task: &Task<'_>,
    without_proof: Option<&str>,
) -> Result<(), Failure> {
    let uses = |column: &Column| rows.shows(*column) || task.reads(*column);
    let of_proof = [Column::Minimal, Column::GuessRating].into_iter().find(uses);
    match of_proof.zip(without_proof) {
        Some((column, option)) => {
            refuse!("the column {column} needs the proof, which {option} leaves out")
        }
        None => Ok(()),
    }
}
