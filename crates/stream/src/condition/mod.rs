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

use crate::output::{Column, ColumnSource, Kind, Needs, Row, Value};
use bulkdoku_core::Status;
use bulkdoku_logic::{Difficulty, Technique};

use early::Known;
pub(crate) use names::input_names;
pub use names::{computed_column, shared_name, similar};

/// A parsed condition. It can be evaluated once the columns of the input are known.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    text: String,
    parsed: Expression<ColumnName>,
}

/// What is wrong with a condition, and where.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct ConditionError(pub(crate) String);

/// A condition that can be evaluated.
#[derive(Clone, Debug)]
pub struct Predicate(Expression<ColumnSource>);

/// The name of a column, and its offset in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ColumnName {
    text: String,
    at: usize,
}

/// A condition over columns of the type `C`.
#[derive(Clone, Debug, PartialEq)]
enum Expression<C> {
    Any(Vec<Self>),
    All(Vec<Self>),
    Not(Box<Self>),
    Compare(Operand<C>, Operator, Operand<C>),
    In(Operand<C>, Vec<(Literal, usize)>),
    /// Whether techniques with the number of their steps include one, and its offset in the text.
    Has(Operand<C>, String, usize),
    Truth(Operand<C>),
}

#[derive(Clone, Debug, PartialEq)]
enum Operand<C> {
    Column(C),
    /// A value, and its offset in the text.
    Literal(Literal, usize),
}

#[derive(Clone, Debug, PartialEq)]
enum Literal {
    Number(f64),
    Text(String),
    Truth(bool),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Equal,
    NotEqual,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

/// An offset in the text, and the error there.
type LocatedError = (usize, String);

impl FromStr for Condition {
    type Err = ConditionError;

    fn from_str(text: &str) -> Result<Self, ConditionError> {
        let parsed =
            parse::parse(text).map_err(|error| ConditionError(parse::point(text, &error)))?;
        Ok(Self { text: text.into(), parsed })
    }
}

impl Condition {
    /// Returns the computed columns in the condition, among these.
    pub fn computed(&self, computed: &[Column]) -> Vec<Column> {
        let mut columns = Vec::new();
        self.parsed.visit(&mut |name| columns.extend(computed_column(&name.text, computed)));
        columns
    }

    /// Returns the names of input columns in the condition: all that are not computed.
    pub fn input_columns(&self, computed: &[Column]) -> Vec<String> {
        let mut names = Vec::new();
        self.parsed.visit(&mut |name| names.extend(input_names(&name.text, computed)));
        names
    }

    /// Returns the names of computed columns that an input may have as well.
    pub fn shared_names(&self) -> Vec<String> {
        let mut names = Vec::new();
        self.parsed.visit(&mut |name| names.extend(shared_name(&name.text)));
        names
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
        let find = |name: &ColumnName| {
            names::find_column(&name.text, computed, read).map_err(|what| (name.at, what))
        };
        let resolved = self.parsed.resolve(&find);
        resolved.map(Predicate).map_err(|error| ConditionError(parse::point(&self.text, &error)))
    }
}

impl<C> Expression<C> {
    fn visit(&self, visit: &mut impl FnMut(&C)) {
        let mut operand = |operand: &Operand<C>| {
            if let Operand::Column(column) = operand {
                visit(column);
            }
        };
        match self {
            Self::Compare(left, _, right) => [left, right].into_iter().for_each(operand),
            Self::In(left, _) | Self::Has(left, ..) | Self::Truth(left) => operand(left),
            Self::Any(all) | Self::All(all) => all.iter().for_each(|one| one.visit(visit)),
            Self::Not(one) => one.visit(visit),
        }
    }
}

impl Expression<ColumnName> {
    fn resolve(
        &self,
        find: &impl Fn(&ColumnName) -> Result<ColumnSource, LocatedError>,
    ) -> Result<Expression<ColumnSource>, LocatedError> {
        let all = |all: &[Self]| all.iter().map(|one| one.resolve(find)).collect::<Result<_, _>>();
        Ok(match self {
            Self::Any(any) => Expression::Any(all(any)?),
            Self::All(conditions) => Expression::All(all(conditions)?),
            Self::Not(one) => Expression::Not(Box::new(one.resolve(find)?)),
            Self::Compare(left, operator, right) => {
                let (resolved, other) = (left.resolve(find)?, right.resolve(find)?);
                let is_order = !matches!(operator, Operator::Equal | Operator::NotEqual);
                let types = [resolved.kind(), other.kind()];
                if is_order && types.contains(&Some(Kind::Truth)) {
                    return Err((left.at(), "true and false have no order".into()));
                }
                check_types((&resolved, left.at()), (&other, right.at()))?;
                Expression::Compare(resolved, *operator, other)
            }
            Self::In(left, list) => {
                let resolved = left.resolve(find)?;
                for (literal, at) in list {
                    let literal = Operand::Literal(literal.clone(), *at);
                    check_types((&resolved, left.at()), (&literal, *at))?;
                }
                Expression::In(resolved, list.clone())
            }
            Self::Has(left, name, at) => {
                let resolved = left.resolve(find)?;
                if !matches!(
                    resolved,
                    Operand::Column(
                        ColumnSource::Computed(Column::Techniques) | ColumnSource::Input(_)
                    )
                ) {
                    return Err((left.at(), "only techniques can have one".into()));
                }
                check_technique(name, *at)?;
                Expression::Has(resolved, name.clone(), *at)
            }
            Self::Truth(operand) => {
                let resolved = operand.resolve(find)?;
                if resolved.kind() != Some(Kind::Truth) {
                    let what = "a comparison is expected here, such as clues < 24";
                    return Err((operand.at(), what.into()));
                }
                Expression::Truth(resolved)
            }
        })
    }
}

fn check_technique(name: &str, at: usize) -> Result<(), LocatedError> {
    if name.parse::<Technique>().is_ok() {
        return Ok(());
    }
    let hint = names::similar(name, Technique::all().map(Technique::name));
    let hint = hint.map_or(String::new(), |name| format!("; did you mean \"{name}\"?"));
    Err((at, format!("unknown technique \"{name}\"{hint}")))
}

/// Rejects comparisons that would always be false.
fn check_types(
    (one, one_at): (&Operand<ColumnSource>, usize),
    (other, other_at): (&Operand<ColumnSource>, usize),
) -> Result<(), LocatedError> {
    for (column, literal, at) in [(one, other, other_at), (other, one, one_at)] {
        let Operand::Literal(Literal::Text(name), _) = literal else { continue };
        match column.kind() {
            Some(Kind::Status) => {
                name.parse::<Status>().map_err(|error| (at, error.to_string()))?;
            }
            Some(Kind::Technique) => check_technique(name, at)?,
            Some(Kind::Difficulty) => {
                name.parse::<Difficulty>().map_err(|error| (at, error.to_string()))?;
            }
            _ => {}
        }
    }
    let name = |kind| match kind {
        Kind::Number | Kind::Double => "a number",
        Kind::Truth => "true or false",
        Kind::Text | Kind::Bytes | Kind::Status | Kind::Technique | Kind::Difficulty => "a text",
    };
    let (Some(one), Some(other)) = (one.kind(), other.kind()) else { return Ok(()) };
    match [one, other].map(name) {
        [one, other] if one == other => Ok(()),
        [one, other] => Err((other_at, format!("{one} is compared with {other}"))),
    }
}

impl Operand<ColumnName> {
    fn at(&self) -> usize {
        match self {
            Self::Column(name) => name.at,
            Self::Literal(_, at) => *at,
        }
    }

    fn resolve(
        &self,
        find: &impl Fn(&ColumnName) -> Result<ColumnSource, LocatedError>,
    ) -> Result<Operand<ColumnSource>, LocatedError> {
        Ok(match self {
            Self::Column(name) => Operand::Column(find(name)?),
            Self::Literal(literal, at) => Operand::Literal(literal.clone(), *at),
        })
    }
}

impl Operand<ColumnSource> {
    /// Returns the type of the values; `None` for a column of the input.
    fn kind(&self) -> Option<Kind> {
        Some(match self {
            Self::Column(ColumnSource::Input(_)) => return None,
            Self::Column(ColumnSource::Computed(column)) => match column.kind() {
                Kind::Double => Kind::Number,
                Kind::Bytes => Kind::Text,
                kind => kind,
            },
            Self::Literal(Literal::Number(_), _) => Kind::Number,
            Self::Literal(Literal::Text(_), _) => Kind::Text,
            Self::Literal(Literal::Truth(_), _) => Kind::Truth,
        })
    }
}

impl Literal {
    fn value(&self) -> Value<'_> {
        match self {
            Self::Number(number) => Value::Decimal(*number),
            Self::Text(text) => Value::Text(text.as_bytes()),
            Self::Truth(is) => Value::Truth(*is),
        }
    }
}

impl Operator {
    fn holds(self, ordering: Ordering) -> bool {
        match self {
            Self::Equal => ordering.is_eq(),
            Self::NotEqual => ordering.is_ne(),
            Self::Less => ordering.is_lt(),
            Self::AtMost => ordering.is_le(),
            Self::Greater => ordering.is_gt(),
            Self::AtLeast => ordering.is_ge(),
        }
    }
}

impl Predicate {
    /// Returns whether a record meets the condition.
    pub fn holds(&self, row: &Row<'_>) -> bool {
        self.0.decided(&|source| Known::Value(source.value(row))) == Some(true)
    }

    /// Returns the properties required for evaluation.
    pub fn needs(&self) -> Needs {
        let mut needs = Needs::NONE;
        self.0.visit(&mut |column| needs = needs.union(column.needs()));
        needs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_point_at_the_character() {
        for (text, at, expected) in [
            ("", 1, "the name of a column"),
            ("clues >= ", 10, "the name of a column"),
            ("clues = 2", 7, "== instead of ="),
            ("clues >= 2 and", 15, "the name of a column"),
            ("clues >= 2 clues < 4", 12, "an operator such as =="),
            ("(clues >= 2", 12, "an operator, `and`"),
            ("clues in 2", 10, "a list such as"),
            ("techniques has 3", 16, "the name of a technique"),
            ("clues in (2, x)", 14, "a number or a text"),
            ("clues in (2", 12, "a comma or the end"),
            ("ü == \"x", 8, "the closing quote"),
            ("20 < clues < 24", 12, "an operator such as =="),
            ("not", 4, "the name of a column"),
        ] {
            let error = text.parse::<Condition>().unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("character {at}: expected {expected}")),
                "{text}: {error}"
            );
            assert!(error.ends_with(&format!("\n  {text}\n  {}^", " ".repeat(at - 1))), "{error}");
        }
        let error = "(".repeat(10_000).parse::<Condition>().unwrap_err().to_string();
        assert!(error.starts_with("character 101: too many"), "{error}");
    }

    #[test]
    fn columns_and_types_are_checked() {
        let refused = |text: &str| {
            let condition: Condition = text.parse().unwrap();
            let read = ["source".into(), "clues".into(), "my col".into()];
            let resolved = condition.resolve(Column::OF_SOLVE, &read);
            resolved.map(drop).map_err(|error| error.to_string())
        };
        for fine in [
            "clues >= 2 and clues < 24 and source == \"forum\"",
            "input_clues == 3 or source in ('a', 'b') and not minimal",
            "status in (\"unique\", 'multiple') and `my col` != ''",
            "source < 3 and minimal == true and SOURCE not in (1, -2.5e3)",
        ] {
            assert_eq!(refused(fine), Ok(()), "{fine}");
        }
        for (text, at, what) in [
            ("clues < 24 and sorce == 1", 16, "no column \"sorce\""),
            ("clues == \"x\"", 10, "a number is compared with a text"),
            ("\"x\" == clues", 8, "a text is compared with a number"),
            ("clues in (1, 'x')", 14, "a number is compared with a text"),
            ("status == \"uniqe\"", 11, "unknown status"),
            ("minimal < true", 1, "no order"),
            ("clues and clues == 1", 1, "a comparison is expected"),
            ("techniques has 'x-wings'", 16, "did you mean \"x-wing\"?"),
            ("technique has 'x-wing'", 1, "only techniques can have one"),
            ("copy == 1", 1, "no column \"copy\""),
        ] {
            let error = refused(text).unwrap_err();
            assert!(error.starts_with(&format!("character {at}: ")), "{text}: {error}");
            assert!(error.contains(what), "{text}: {error}");
        }
    }
}
