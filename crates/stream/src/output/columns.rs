//! The columns of a row: one table for all formats, filters, and help texts.

use std::collections::HashSet;

use super::results::Needs;
use super::row::Row;
use super::value::Value;
use crate::named::named_enum;

named_enum! {
    /// A computed column.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum Column {
        /// The name of the input.
        File = "file",
        /// The physical line number in the input, from 1.
        Line = "line",
        /// The index of a generated puzzle, from 0.
        Id = "id",
        /// The seed of generated puzzles.
        Seed = "seed",
        /// The cells or marks as written; the whole line of a malformed record.
        Puzzle = "puzzle",
        /// 81 digits; empty for a puzzle without a solution.
        Solution = "solution",
        /// The input's solution as written, if it is checked.
        Answer = "answer",
        /// The canonical form, with `.` for blank cells.
        Canonical = "canonical",
        /// The number of automorphisms.
        Automorphisms = "automorphisms",
        /// One of [`Status::ALL`](crate::Status::ALL).
        Status = "status",
        /// What is wrong with the record, if the status alone is not sufficient.
        Reason = "reason",
        /// The number of solutions found, up to the limit.
        Solutions = "solutions",
        /// The number of guesses of the search.
        Guesses = "guesses",
        /// The number of nodes of the search.
        Nodes = "nodes",
        /// Nanoseconds from the puzzle's entry into the engine to its outcome.
        LatencyNs = "latency_ns",
        /// The number of clues.
        Clues = "clues",
        /// The hardest rule needed: [`Level`](crate::rating::Level).
        Level = "level",
        /// The hardest technique of the path by rounds: [`Technique`](crate::logic::Technique).
        Technique = "technique",
        /// The sum of the scores of all steps of that path.
        Score = "score",
        /// The number of steps of that path.
        Steps = "steps",
        /// The number of steps of each technique.
        Techniques = "techniques",
        /// The rating of Sudoku Explainer 1.2.1.
        Se121 = "se121",
        /// That rating up to the first placement.
        Se121Ep = "se121_ep",
        /// That rating of the first step.
        Se121Ed = "se121_ed",
        /// The guesses of the proof, or their geometric mean over isomorphs.
        GuessRating = "guess_rating",
        /// Whether the puzzle is minimal.
        Minimal = "minimal",
        /// The index of an isomorph of the record; 0 for the record itself.
        Copy = "copy",
        /// The number of cells of the input's solution that equal the only solution.
        CorrectCells = "correct_cells",
        /// The number of clues that the input's solution keeps.
        CluesKept = "clues_kept",
        /// The number of rows, columns, and boxes in which the input's solution has a digit twice.
        BrokenUnits = "broken_units",
    }

    /// A column that does not exist.
    UnknownColumn = "no column {0:?}; there are {names}"
}

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
    /// Bytes that may not be valid text.
    Bytes,
    /// The name of a [`Status`](crate::Status).
    Status,
    /// The name of a [`Technique`](crate::logic::Technique).
    Technique,
}

/// What formats, filters, and subcommands need to know about a column.
struct Definition {
    column: Column,
    kind: Kind,
    /// The properties that `value` reads.
    needs: Needs,
    value: for<'a> fn(&Row<'a>) -> Value<'a>,
}

const fn column(
    column: Column,
    kind: Kind,
    needs: Needs,
    value: for<'a> fn(&Row<'a>) -> Value<'a>,
) -> Definition {
    Definition { column, kind, needs, value }
}

/// The definitions of all columns, in the order of [`Column::ALL`].
static TABLE: [Definition; Column::ALL.len()] = {
    use Kind::{Double, Number, Text, Truth};
    use Needs as N;
    [
        column(Column::File, Text, N::NONE, |row| Value::Text(row.file().as_bytes())),
        column(Column::Line, Number, N::NONE, |row| Value::Number(row.line())),
        column(Column::Id, Number, N::NONE, |row| Value::Number(row.line())),
        column(Column::Seed, Number, N::NONE, |row| {
            row.results().seed.map_or(Value::None, Value::Number)
        }),
        column(Column::Puzzle, Text, N::NONE, |row| {
            Value::of_text(row.text(), row.record.puzzle.is_ok())
        }),
        column(Column::Solution, Text, N::NONE, |row| {
            row.solution().map_or(Value::None, Value::Grid)
        }),
        column(Column::Answer, Text, N::NONE, |row| {
            Value::of_text(row.answer(), row.status() == crate::Status::Ok)
        }),
        column(Column::Canonical, Text, N::FORM, |row| {
            let form = row.results().forms[row.index].as_ref();
            form.map_or(Value::None, |canonical| Value::Form(&canonical.form))
        }),
        column(Column::Automorphisms, Number, N::FORM, |row| {
            let form = row.results().forms[row.index].as_ref();
            form.map_or(Value::None, |canonical| Value::Number(canonical.automorphisms.into()))
        }),
        column(Column::Status, Kind::Status, N::NONE, |row| Value::Status(row.status())),
        column(Column::Reason, Text, N::CONTRADICTION, |row| match row.reason() {
            "" => Value::None,
            reason => Value::Text(reason.as_bytes()),
        }),
        column(Column::Solutions, Number, N::NONE, |row| {
            Value::Number(row.outcome_or_none().solutions.into())
        }),
        column(Column::Guesses, Number, N::NONE, |row| {
            Value::Number(row.outcome_or_none().guesses)
        }),
        column(Column::Nodes, Number, N::NONE, |row| Value::Number(row.outcome_or_none().nodes)),
        column(Column::LatencyNs, Number, N::NONE, |row| {
            Value::Number(row.outcome_or_none().latency_ns)
        }),
        column(Column::Clues, Number, N::NONE, |row| {
            row.clues().map_or(Value::None, |clues| Value::Number(clues as u64))
        }),
        column(Column::Level, Number, N::LEVEL, |row| {
            row.level().map_or(Value::None, |level| Value::Number(level.number().into()))
        }),
        column(Column::Technique, Kind::Technique, N::PATH, |row| {
            row.path().and_then(|path| path.hardest).map_or(Value::None, Value::Technique)
        }),
        column(Column::Score, Number, N::PATH, |row| {
            row.path().map_or(Value::None, |path| Value::Number(path.score.into()))
        }),
        column(Column::Steps, Number, N::PATH, |row| {
            row.path().map_or(Value::None, |path| Value::Number(path.steps.into()))
        }),
        column(Column::Techniques, Text, N::PATH, |row| {
            row.path().map_or(Value::None, Value::Counts)
        }),
        column(Column::Se121, Double, N::SE, |row| {
            row.se_rating().map_or(Value::None, |rating| Value::Tenths(rating.er))
        }),
        column(Column::Se121Ep, Double, N::SE, |row| {
            row.se_rating().map_or(Value::None, |rating| Value::Tenths(rating.ep))
        }),
        column(Column::Se121Ed, Double, N::SE, |row| {
            row.se_rating().map_or(Value::None, |rating| Value::Tenths(rating.ed))
        }),
        column(Column::GuessRating, Double, N::RATING, |row| {
            row.guess_rating().map_or(Value::None, Value::Decimal)
        }),
        column(Column::Minimal, Truth, N::MINIMAL, |row| {
            row.results().minimal[row.index].map_or(Value::None, Value::Truth)
        }),
        column(Column::Copy, Number, N::NONE, |row| {
            row.copy().map_or(Value::None, |copy| Value::Number(copy.into()))
        }),
        column(Column::CorrectCells, Number, N::NONE, |row| {
            row.score().map_or(Value::None, |score| Value::Number(score.correct.into()))
        }),
        column(Column::CluesKept, Number, N::NONE, |row| {
            row.score().map_or(Value::None, |score| Value::Number(score.clues_kept.into()))
        }),
        column(Column::BrokenUnits, Number, N::NONE, |row| {
            row.score().map_or(Value::None, |score| Value::Number(score.rules_broken.into()))
        }),
    ]
};

const _: () = {
    let mut index = 0;
    while index < TABLE.len() {
        assert!(TABLE[index].column as usize == index, "the table has the order of the enum");
        index += 1;
    }
};

/// The columns of solved records, with columns about answers after the solution and at the end.
macro_rules! of_solving {
    ([$($answer:ident),*], [$($score:ident),*]) => {
        &[
            Self::File,
            Self::Line,
            Self::Puzzle,
            Self::Solution,
            $(Self::$answer,)*
            Self::Canonical,
            Self::Automorphisms,
            Self::Status,
            Self::Reason,
            Self::Solutions,
            Self::Guesses,
            Self::Nodes,
            Self::LatencyNs,
            Self::Clues,
            Self::Level,
            Self::Technique,
            Self::Score,
            Self::Steps,
            Self::Techniques,
            Self::Se121,
            Self::Se121Ep,
            Self::Se121Ed,
            Self::GuessRating,
            Self::Minimal,
            $(Self::$score,)*
        ]
    };
}

impl Column {
    /// The columns of solved records.
    pub const OF_SOLVE: &[Self] = of_solving!([], []);

    /// The columns of records whose solutions are checked.
    pub const OF_CHECK: &[Self] = of_solving!([Answer], [CorrectCells, CluesKept, BrokenUnits]);

    /// The columns of records with canonical forms.
    pub const OF_CANON: &[Self] = &[
        Self::File,
        Self::Line,
        Self::Puzzle,
        Self::Canonical,
        Self::Automorphisms,
        Self::Status,
        Self::LatencyNs,
        Self::Clues,
    ];

    /// The columns of isomorphs.
    pub const OF_AUGMENT: &[Self] =
        &[Self::File, Self::Line, Self::Puzzle, Self::Solution, Self::Copy];

    /// The columns of generated puzzles.
    pub const OF_GENERATE: &[Self] = &[
        Self::Id,
        Self::Seed,
        Self::Puzzle,
        Self::Solution,
        Self::Canonical,
        Self::Automorphisms,
        Self::Status,
        Self::Solutions,
        Self::Guesses,
        Self::Nodes,
        Self::Clues,
        Self::Level,
        Self::Technique,
        Self::Score,
        Self::Steps,
        Self::Techniques,
        Self::Se121,
        Self::Se121Ep,
        Self::Se121Ed,
        Self::GuessRating,
        Self::Minimal,
    ];

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

    /// The default columns of overlaps between sets.
    pub const DEFAULT_OF_OVERLAP: [Self; 4] =
        [Self::File, Self::Line, Self::Puzzle, Self::Canonical];

    /// The default columns of generated puzzles.
    pub const DEFAULT_OF_GENERATE: [Self; 3] = [Self::Id, Self::Puzzle, Self::Solution];

    /// Returns the type of the values.
    pub const fn kind(self) -> Kind {
        TABLE[self as usize].kind
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

    /// Returns whether the column has values only if an engine solves the records.
    pub const fn is_about_solving(self) -> bool {
        use Column::{CorrectCells, Guesses, LatencyNs, Nodes, Solution, Solutions};
        matches!(self, Solution | Solutions | Guesses | Nodes | LatencyNs | CorrectCells)
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
    /// Returns computed columns, followed by all kept fields of the input with [`unique_names`].
    pub fn list(columns: &[Column], kept: &[String]) -> Vec<Self> {
        let computed = columns.iter().map(|column| column.name());
        let names = unique_names(computed, kept).into_iter().enumerate();
        let kept = names.map(|(index, name)| Self::input(index, name));
        columns.iter().copied().map(Self::from).chain(kept).collect()
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

/// Returns names for kept fields that differ from each other and from the `computed` names. A name
/// that is already taken is prefixed with `input_` until it is unique.
pub fn unique_names<'a>(
    computed: impl IntoIterator<Item = &'a str>,
    kept: &[String],
) -> Vec<String> {
    let mut taken: HashSet<String> = computed.into_iter().map(String::from).collect();
    let is_own: Vec<bool> = kept.iter().map(|field| taken.insert(field.clone())).collect();
    let unique = |(field, is_own): (&String, bool)| {
        let mut name = field.clone();
        while !is_own && !taken.insert(name.clone()) {
            name.insert_str(0, "input_");
        }
        name
    };
    kept.iter().zip(is_own).map(unique).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn column_names_are_read_back_and_others_refused() {
        for column in Column::ALL {
            assert_eq!(column.name().parse(), Ok(column));
        }
        let error = "time".parse::<Column>().unwrap_err().to_string();
        assert!(error.contains("time") && error.contains("latency_ns"), "{error}");
    }

    #[test]
    fn a_field_whose_name_is_taken_is_renamed() {
        for (kept, expected) in [
            (&["id", "status"][..], &["id", "input_status"][..]),
            (&["status", "input_status"], &["input_input_status", "input_status"]),
            (&["input_status", "status"], &["input_status", "input_input_status"]),
            (
                &["a", "a", "a", "input_a"],
                &["a", "input_input_a", "input_input_input_a", "input_a"],
            ),
            (&["status", "status"], &["input_status", "input_input_status"]),
        ] {
            let kept: Vec<_> = kept.iter().map(ToString::to_string).collect();
            let list = OutputColumn::list(&[Column::Status], &kept);
            let names: Vec<_> = list.iter().map(|column| column.name.as_str()).collect();
            assert_eq!((names[0], &names[1..]), ("status", expected));
        }
    }
}
