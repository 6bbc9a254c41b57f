//! The columns of a row: one table for all formats, filters, and help texts.
//!
//! To add a column, add an entry to the table, and to add a property of puzzles, one to the table of
//! `pipeline::properties`.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use super::{Needs, Row, Value};
use crate::input::FieldForm;
use bulkdoku_core::Status;
use bulkdoku_core::named::named_enum;
use bulkdoku_logic::{Difficulty, Technique};

/// The type of a column's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// 64-bit integers.
    Number,
    /// Floating-point numbers.
    Double,
    /// `true` or `false`.
    Truth,
    /// Text.
    Text,
    /// The name of a [`Status`](bulkdoku_core::Status).
    Status,
    /// The name of a [`Technique`](bulkdoku_logic::Technique).
    Technique,
    /// The name of a [`Difficulty`](bulkdoku_logic::Difficulty).
    Difficulty,
}

struct Definition {
    kind: Kind,
    /// The smallest and the largest value; names and truth values are numbers, by their order.
    range: RangeInclusive<u64>,
    /// The properties that `value` reads.
    needs: Needs,
    /// The subcommands whose rows can have the column, as a sum of bits.
    of: u8,
    value: for<'a> fn(&Row<'a>) -> Value<'a>,
}

const SOLVE: u8 = 1;
const CHECK: u8 = 2;
const CANON: u8 = 4;
const AUGMENT: u8 = 8;
const GENERATE: u8 = 16;
const NEIGHBORS: u8 = 32;
/// Isomorphs and neighbors.
const DERIVED: u8 = AUGMENT | NEIGHBORS;
/// The subcommands that solve the puzzles of rows.
const SOLVED: u8 = SOLVE | CHECK | GENERATE;

const MAX: u64 = u64::MAX;
/// The largest value of a count of 32 bits.
const MAX_32: u64 = u32::MAX as u64;

/// Defines all columns: documentation, name, type, range, needs, subcommands, and value of each.
macro_rules! columns {
    ($(
        $(#[$doc:meta])*
        $column:ident = $name:literal, $kind:ident, $range:expr, $needs:expr, $of:expr, $value:expr;
    )*) => {
        named_enum! {
            /// A computed column.
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            #[non_exhaustive]
            pub enum Column {
                $($(#[$doc])* $column = $name,)*
            }

            /// A column that does not exist.
            UnknownColumn = "no column {0:?}; there are {names}"
        }

        /// The definitions of all columns, in the order of [`Column::ALL`].
        static TABLE: [Definition; Column::ALL.len()] = [
            $(Definition {
                kind: Kind::$kind,
                range: $range,
                needs: $needs,
                of: $of,
                value: $value,
            },)*
        ];
    };
}

columns! {
    /// The name of the input.
    File = "file", Text, 0..=MAX, Needs::NONE, SOLVE | CHECK | CANON | DERIVED,
        |row| Value::Text(row.file().as_bytes());
    /// The physical line number in the input, from 1.
    Line = "line", Number, 1..=MAX, Needs::NONE, SOLVE | CHECK | CANON | DERIVED,
        |row| Value::Number(row.line());
    /// The index of a generated puzzle, from 0.
    Id = "id", Number, 0..=MAX, Needs::NONE, GENERATE,
        |row| Value::Number(row.line());
    /// The seed of generated puzzles.
    Seed = "seed", Number, 0..=MAX, Needs::NONE, GENERATE,
        |row| row.rows.results.seed.map_or(Value::None, Value::Number);
    /// The cells or marks as written; the whole line of a malformed record.
    Puzzle = "puzzle", Text, 0..=MAX, Needs::NONE, SOLVE | CHECK | CANON | DERIVED | GENERATE,
        |row| Value::of_text(row.text(), row.record.puzzle.is_ok());
    /// 81 digits; empty for a puzzle without a solution.
    Solution = "solution", Text, 0..=MAX, Needs::SEARCH, SOLVED | DERIVED,
        |row| row.solution().map_or(Value::None, Value::Grid);
    /// The input's solution as written, if it is checked.
    Answer = "answer", Text, 0..=MAX, Needs::NONE, CHECK,
        |row| Value::of_text(row.answer(), row.status() == Status::Ok);
    /// The canonical form, with `.` for blank cells.
    Canonical = "canonical", Text, 0..=MAX, Needs::FORM, SOLVE | CHECK | CANON | GENERATE,
        |row| row.properties().form.as_ref()
            .map_or(Value::None, |canonical| Value::Form(&canonical.form));
    /// The number of automorphisms.
    Automorphisms = "automorphisms", Number, 1..=2 * 6_u64.pow(8), Needs::FORM, SOLVE | CHECK | CANON | GENERATE,
        |row| row.properties().form.as_ref()
            .map_or(Value::None, |canonical| Value::Number(canonical.automorphisms.into()));
    /// One of [`Status::ALL`](bulkdoku_core::Status::ALL).
    Status = "status", Status, 0..=Status::ALL.len() as u64 - 1, Needs::NONE, SOLVED | CANON | NEIGHBORS,
        |row| Value::Status(row.status());
    /// What is wrong with the record, if the status alone is not sufficient.
    Reason = "reason", Text, 0..=MAX, Needs::NONE, SOLVE | CHECK,
        |row| match row.reason() {
            Cow::Borrowed("") => Value::None,
            Cow::Borrowed(reason) => Value::Text(reason.as_bytes()),
            Cow::Owned(reason) => Value::Field(reason.into_bytes().into(), FieldForm::Plain),
        };
    /// The number of solutions found, up to the limit.
    Solutions = "solutions", Number, 0..=MAX_32, Needs::SEARCH, SOLVED,
        |row| Value::Number(row.outcome_or_none().solutions.into());
    /// The number of guesses of the search.
    Guesses = "guesses", Number, 0..=MAX, Needs::SEARCH, SOLVED,
        |row| Value::Number(row.outcome_or_none().guesses);
    /// The number of nodes of the search.
    Nodes = "nodes", Number, 0..=MAX, Needs::SEARCH, SOLVED,
        |row| Value::Number(row.outcome_or_none().nodes);
    /// Nanoseconds from the puzzle's entry into the engine to its outcome.
    LatencyNs = "latency_ns", Number, 0..=MAX, Needs::SEARCH, SOLVE | CHECK,
        |row| Value::Number(row.outcome_or_none().latency_ns);
    /// The number of clues.
    Clues = "clues", Number, 0..=81, Needs::NONE, SOLVED | CANON | NEIGHBORS,
        |row| row.clues().map_or(Value::None, |clues| Value::Number(clues as u64));
    /// The hardest technique of the path by rounds: [`Technique`](bulkdoku_logic::Technique).
    Technique = "technique", Technique, 0..=Technique::COUNT as u64 - 1, Needs::PATH, SOLVED,
        |row| row.properties().path.as_deref().and_then(|path| path.hardest)
            .map_or(Value::None, Value::Technique);
    /// The difficulty of that technique: [`Difficulty`](bulkdoku_logic::Difficulty).
    Difficulty = "difficulty", Difficulty, 0..=Difficulty::ALL.len() as u64 - 1, Needs::PATH, SOLVED,
        |row| row.properties().path.as_deref().and_then(|path| path.hardest)
            .map_or(Value::None, |hardest| Value::Difficulty(hardest.difficulty()));
    /// The sum of the scores of all steps of that path.
    Score = "score", Number, 0..=MAX_32, Needs::PATH, SOLVED,
        |row| row.properties().path.as_deref().map_or(Value::None, |path| Value::Number(path.score.into()));
    /// The number of steps of that path.
    Steps = "steps", Number, 0..=MAX_32, Needs::PATH, SOLVED,
        |row| row.properties().path.as_deref().map_or(Value::None, |path| Value::Number(path.steps.into()));
    /// The number of steps of each technique.
    Techniques = "techniques", Text, 0..=MAX, Needs::PATH, SOLVED,
        |row| row.properties().path.as_deref().map_or(Value::None, Value::Counts);
    // No step exceeds 10.5 and what its chain adds, 0.1 each time that its length grows by a third or a
    // half. All nested chains have fewer than 2^29 assertions.
    /// The rating of Sudoku Explainer 1.2.1.
    Se121 = "se121", Double, 1..=16, Needs::SE, SOLVED,
        |row| row.properties().se_rating.map_or(Value::None, |se| Value::Tenths(se.er));
    /// That rating up to the first placement.
    Se121Ep = "se121_ep", Double, 1..=16, Needs::SE, SOLVED,
        |row| row.properties().se_rating.map_or(Value::None, |se| Value::Tenths(se.ep));
    /// That rating of the first step.
    Se121Ed = "se121_ed", Double, 1..=16, Needs::SE, SOLVED,
        |row| row.properties().se_rating.map_or(Value::None, |se| Value::Tenths(se.ed));
    /// The guesses of the proof, or their geometric mean over isomorphs.
    GuessRating = "guess_rating", Double, 0..=MAX, Needs::RATING, SOLVED,
        |row| row.properties().guess_rating.map_or(Value::None, Value::Decimal);
    /// Whether the puzzle is minimal.
    Minimal = "minimal", Truth, 0..=1, Needs::MINIMAL, SOLVED | NEIGHBORS,
        |row| row.minimal().map_or(Value::None, Value::Truth);
    /// The index of an isomorph or a neighbor of the record; 0 for the record itself.
    Copy = "copy", Number, 0..=MAX, Needs::NONE, DERIVED,
        |row| row.copy().map_or(Value::None, |copy| Value::Number(copy.into()));
    /// The number of open cells in which the input's solution has the digit of the only solution.
    CorrectCells = "correct_cells", Number, 0..=81, Needs::SEARCH, CHECK,
        |row| row.score().map_or(Value::None, |score| Value::Number(score.correct.into()));
    /// The number of open cells in which it has another digit.
    WrongCells = "wrong_cells", Number, 0..=81, Needs::SEARCH, CHECK,
        |row| row.score().map_or(Value::None, |score| Value::Number(score.wrong.into()));
    /// The number of open cells in which it has none.
    BlankCells = "blank_cells", Number, 0..=81, Needs::NONE, CHECK,
        |row| row.score().map_or(Value::None, |score| Value::Number(score.blank.into()));
    /// The number of clues that the input's solution keeps.
    CluesKept = "clues_kept", Number, 0..=81, Needs::NONE, CHECK,
        |row| row.score().map_or(Value::None, |score| Value::Number(score.clues_kept.into()));
    /// The number of rows, columns, and boxes in which the input's solution has a digit twice.
    BrokenUnits = "broken_units", Number, 0..=27, Needs::NONE, CHECK,
        |row| row.score().map_or(Value::None, |score| Value::Number(score.broken_units.into()));
    /// Whether the input's solution is a complete grid, keeps the clues, and obeys the rules.
    Solved = "solved", Truth, 0..=1, Needs::NONE, CHECK,
        |row| Value::Truth(row.score().is_some_and(|score| score.solved));
}

const fn count_of(subcommand: u8) -> usize {
    let (mut count, mut index) = (0, 0);
    while index < TABLE.len() {
        count += (TABLE[index].of & subcommand != 0) as usize;
        index += 1;
    }
    count
}

/// Returns the columns of a subcommand, in the order of the table.
const fn columns_of<const COUNT: usize>(subcommand: u8) -> [Column; COUNT] {
    let mut columns = [Column::File; COUNT];
    let (mut count, mut index) = (0, 0);
    while index < TABLE.len() {
        if TABLE[index].of & subcommand != 0 {
            columns[count] = Column::ALL[index];
            count += 1;
        }
        index += 1;
    }
    columns
}

impl Column {
    /// The columns of solved records.
    pub const OF_SOLVE: &[Self] = &columns_of::<{ count_of(SOLVE) }>(SOLVE);

    /// The columns of records whose solutions are checked.
    pub const OF_CHECK: &[Self] = &columns_of::<{ count_of(CHECK) }>(CHECK);

    /// The columns of records with canonical forms.
    pub const OF_CANON: &[Self] = &columns_of::<{ count_of(CANON) }>(CANON);

    /// The columns of isomorphs.
    pub const OF_AUGMENT: &[Self] = &columns_of::<{ count_of(AUGMENT) }>(AUGMENT);

    /// The columns of neighbors.
    pub const OF_NEIGHBORS: &[Self] = &columns_of::<{ count_of(NEIGHBORS) }>(NEIGHBORS);

    /// The columns of generated puzzles.
    pub const OF_GENERATE: &[Self] = &columns_of::<{ count_of(GENERATE) }>(GENERATE);

    /// The default columns. With several inputs, [`Column::File`] precedes them.
    pub const DEFAULT: [Self; 7] = [
        Self::Line,
        Self::Puzzle,
        Self::Solution,
        Self::Status,
        Self::Solutions,
        Self::Guesses,
        Self::LatencyNs,
    ];

    /// The default columns when the input's solutions are checked.
    pub const DEFAULT_OF_CHECK: [Self; 5] =
        [Self::Line, Self::Puzzle, Self::Answer, Self::Status, Self::Reason];

    /// The default columns of canonical forms.
    pub const DEFAULT_OF_CANON: [Self; 5] =
        [Self::Line, Self::Puzzle, Self::Canonical, Self::Automorphisms, Self::Status];

    /// The default columns of generated puzzles.
    pub const DEFAULT_OF_GENERATE: [Self; 3] = [Self::Id, Self::Puzzle, Self::Solution];

    /// Returns the type of the values.
    pub const fn kind(self) -> Kind {
        TABLE[self as usize].kind
    }

    /// Returns the smallest and the largest value; names and truth values are numbers, by their order.
    pub(crate) fn range(self) -> RangeInclusive<u64> {
        TABLE[self as usize].range.clone()
    }

    /// Returns whether the column is computed for records, not only for generated puzzles.
    pub(crate) const fn is_of_records(self) -> bool {
        TABLE[self as usize].of & !GENERATE != 0
    }

    /// Returns the properties needed for the values.
    pub const fn needs(self) -> Needs {
        TABLE[self as usize].needs
    }

    /// Returns the value in a row.
    #[inline(always)]
    pub fn value<'a>(self, row: &Row<'a>) -> Value<'a> {
        (TABLE[self as usize].value)(row)
    }
}

/// A column of an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputColumn {
    /// The name in the output.
    pub name: String,
    /// The source of the values.
    pub source: ColumnSource,
}

/// The source of a column's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnSource {
    /// A computed column.
    Computed(Column),
    /// The kept field of the input at this index.
    Input(usize),
}

impl ColumnSource {
    /// Returns the properties needed for the values.
    pub fn needs(self) -> Needs {
        match self {
            Self::Computed(column) => column.needs(),
            Self::Input(_) => Needs::NONE,
        }
    }

    /// Returns the value in a row.
    pub fn value<'a>(self, row: &Row<'a>) -> Value<'a> {
        match self {
            Self::Computed(column) => column.value(row),
            Self::Input(index) => {
                let (text, form) = row.field(index);
                Value::Field(text, form)
            }
        }
    }
}

impl From<Column> for OutputColumn {
    fn from(column: Column) -> Self {
        Self { name: column.name().into(), source: ColumnSource::Computed(column) }
    }
}

impl OutputColumn {
    /// Returns computed columns.
    pub fn list(columns: &[Column]) -> Vec<Self> {
        columns.iter().copied().map(Self::from).collect()
    }

    /// Returns the kept field of the input at this index.
    pub fn input(index: usize, name: String) -> Self {
        Self { name, source: ColumnSource::Input(index) }
    }

    /// Returns the type of the values.
    pub fn kind(&self) -> Kind {
        match self.source {
            ColumnSource::Computed(column) => column.kind(),
            ColumnSource::Input(_) => Kind::Text,
        }
    }

    /// Returns the properties needed for these columns.
    pub fn needs(columns: &[Self]) -> Needs {
        columns.iter().fold(Needs::NONE, |needs, column| needs.union(column.source.needs()))
    }
}
