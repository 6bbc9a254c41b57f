//! Conditions on records, over computed columns and columns of the input: `--where`.
//!
//! A comparison with a missing value is false; an empty field is missing. A field of the input is
//! compared as a number if the other operand is a number, or if both are fields that are numbers;
//! otherwise it is compared as text.
//!
//! ```
//! use bulkdoku_stream::condition::Condition;
//! use bulkdoku_stream::output::Column;
//!
//! let condition: Condition = "technique >= 'x-wing' and clues < 24".parse()?;
//! let predicate = condition.resolve(Column::OF_GENERATE, &[])?;
//! assert!(predicate.check(&[]).is_ok());
//! assert!("clues <".parse::<Condition>().is_err());
//! # Ok::<_, bulkdoku_stream::condition::ConditionError>(())
//! ```

mod bounds;
mod early;
mod names;
mod parse;

use std::cmp::Ordering;
use std::str::FromStr;

use thiserror::Error;

use crate::output::{Column, ColumnSource, Kind, Needs, Row};
use bulkdoku_core::Status;
use bulkdoku_logic::{Difficulty, Technique};

use early::Known;
pub(crate) use names::input_names;
pub use names::{column_hint, computed_column, shared_name};

/// A parsed condition. It can be evaluated once the columns of the input are known.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    text: String,
    expression: Expression,
    /// The columns to which the expression refers by index.
    names: Vec<Located<String>>,
}

/// What is wrong with a condition, and where.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct ConditionError(pub(crate) String);

/// A condition that can be evaluated.
#[derive(Clone, Debug)]
pub struct Predicate {
    expression: Expression,
    /// The columns to which the expression refers by index.
    columns: Vec<ColumnSource>,
}

/// A part of a condition, after its byte offset in the text.
type Located<T> = (usize, T);

#[derive(Clone, Debug, PartialEq)]
enum Expression {
    Any(Vec<Self>),
    All(Vec<Self>),
    Not(Box<Self>),
    /// Whether the order of two values is one of these.
    Compare(Located<Operand>, &'static [Ordering], Located<Operand>),
    /// Whether techniques with the number of their steps include one.
    Has(Located<Operand>, Located<String>),
    Truth(Located<Operand>),
}

#[derive(Clone, Debug, PartialEq)]
enum Operand {
    /// The column at this index.
    Column(usize),
    Number(f64),
    Text(String),
    Truth(bool),
}

impl FromStr for Condition {
    type Err = ConditionError;

    fn from_str(text: &str) -> Result<Self, ConditionError> {
        let parsed = parse::parse(text);
        let (expression, names) =
            parsed.map_err(|error| ConditionError(parse::point(text, &error)))?;
        Ok(Self { text: text.into(), expression, names })
    }
}

impl Condition {
    /// Returns the computed columns in the condition, among these.
    pub fn computed(&self, computed: &[Column]) -> Vec<Column> {
        self.names.iter().filter_map(|(_, name)| computed_column(name, computed)).collect()
    }

    /// Returns the names of input columns in the condition: all that are not computed.
    pub fn input_columns(&self, computed: &[Column]) -> Vec<String> {
        self.names.iter().flat_map(|(_, name)| input_names(name, computed)).collect()
    }

    /// Returns the names of computed columns that an input may have as well.
    pub fn shared_names(&self) -> Vec<String> {
        self.names.iter().filter_map(|(_, name)| shared_name(name)).collect()
    }

    /// Resolves the names of columns, among the computed ones and those read from the input.
    ///
    /// # Errors
    /// Fails if there is no such column, or if values that are compared have different types.
    pub fn resolve(
        &self,
        computed: &[Column],
        read: &[String],
    ) -> Result<Predicate, ConditionError> {
        let find = |(at, name): &Located<String>| {
            names::find_column(name, computed, read).map_err(|what| (*at, what))
        };
        let columns: Result<Vec<_>, _> = self.names.iter().map(find).collect();
        let resolved = columns.and_then(|columns| {
            self.expression.check_types(&columns)?;
            Ok(Predicate { expression: self.expression.clone(), columns })
        });
        resolved.map_err(|error| ConditionError(parse::point(&self.text, &error)))
    }
}

impl Expression {
    /// Rejects comparisons that would always be false.
    fn check_types(&self, columns: &[ColumnSource]) -> Result<(), Located<String>> {
        match self {
            Self::Any(all) | Self::All(all) => {
                all.iter().try_for_each(|one| one.check_types(columns))
            }
            Self::Not(one) => one.check_types(columns),
            Self::Compare(left, orderings, right) => {
                let kinds = [left, right].map(|(_, operand)| operand.kind(columns));
                let is_order =
                    orderings.contains(&Ordering::Less) != orderings.contains(&Ordering::Greater);
                if is_order && kinds.contains(&Some(Kind::Truth)) {
                    return Err((left.0, "true and false have no order".into()));
                }
                check_name(right, kinds[0])?;
                check_name(left, kinds[1])?;
                let [Some(one), Some(other)] = kinds.map(|kind| kind.map(type_name)) else {
                    return Ok(());
                };
                if one == other {
                    return Ok(());
                }
                Err((right.0, format!("{one} is compared with {other}")))
            }
            Self::Has((at, operand), (name_at, name)) => match operand.column(columns) {
                Some(ColumnSource::Computed(Column::Techniques) | ColumnSource::Input(_)) => {
                    check_technique(name, *name_at)
                }
                _ => Err((*at, "only techniques can have one".into())),
            },
            Self::Truth((_, operand)) if operand.kind(columns) == Some(Kind::Truth) => Ok(()),
            Self::Truth((at, _)) => {
                Err((*at, "a comparison is expected here, such as clues < 24".into()))
            }
        }
    }
}

impl Operand {
    fn column(&self, columns: &[ColumnSource]) -> Option<ColumnSource> {
        if let Self::Column(index) = self { Some(columns[*index]) } else { None }
    }

    /// Returns the type of the values; `None` for a column of the input.
    fn kind(&self, columns: &[ColumnSource]) -> Option<Kind> {
        match self {
            Self::Column(index) => match columns[*index] {
                ColumnSource::Computed(column) => Some(column.kind()),
                ColumnSource::Input(_) => None,
            },
            Self::Number(_) => Some(Kind::Number),
            Self::Text(_) => Some(Kind::Text),
            Self::Truth(_) => Some(Kind::Truth),
        }
    }
}

fn type_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Number | Kind::Double => "a number",
        Kind::Truth => "true or false",
        Kind::Text | Kind::Status | Kind::Technique | Kind::Difficulty => "a text",
    }
}

/// Checks a text that is compared with names.
fn check_name((at, operand): &Located<Operand>, kind: Option<Kind>) -> Result<(), Located<String>> {
    let Operand::Text(name) = operand else { return Ok(()) };
    let unknown = match kind {
        Some(Kind::Status) => name.parse::<Status>().err().map(|error| error.to_string()),
        Some(Kind::Difficulty) => name.parse::<Difficulty>().err().map(|error| error.to_string()),
        Some(Kind::Technique) => return check_technique(name, *at),
        _ => None,
    };
    unknown.map_or(Ok(()), |what| Err((*at, what)))
}

fn check_technique(name: &str, at: usize) -> Result<(), Located<String>> {
    if name.parse::<Technique>().is_ok() {
        return Ok(());
    }
    let hint = names::similar(name, Technique::all().map(Technique::name));
    let hint = hint.map_or(String::new(), |name| format!("; did you mean \"{name}\"?"));
    Err((at, format!("unknown technique \"{name}\"{hint}")))
}

impl Predicate {
    /// Returns whether a record meets the condition.
    pub fn holds(&self, row: &Row<'_>) -> bool {
        self.decided(&|source| Known::Value(source.value(row))) == Some(true)
    }

    /// Returns the properties required for evaluation.
    pub fn needs(&self) -> Needs {
        self.columns.iter().fold(Needs::NONE, |needs, column| needs.union(column.needs()))
    }
}
