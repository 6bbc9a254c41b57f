//! Parses conditions.

use std::fmt::Write as _;

use winnow::ascii::{digit1, multispace0};
use winnow::combinator::{alt, cut_err, delimited, opt, preceded, repeat, separated, terminated};
use winnow::error::{ContextError, ErrMode, StrContext, StrContextValue};
use winnow::prelude::*;
use winnow::stream::LocatingSlice;
use winnow::token::{one_of, take_till, take_while};

use super::{ColumnName, Expression, Literal, Operand, Operator};

type ConditionText<'i> = LocatingSlice<&'i str>;
type ParseError = ErrMode<ContextError>;
type ParsedCondition = Expression<ColumnName>;

/// The maximum nesting of parentheses, which bounds the recursion depth.
const MAX_DEPTH: i32 = 100;

/// Parses a condition.
///
/// # Errors
/// Fails with a message that points at the unexpected character.
pub fn parse(text: &str) -> Result<ParsedCondition, String> {
    let mut depth = 0;
    for (at, character) in text.char_indices() {
        depth += i32::from(character == '(') - i32::from(character == ')');
        if depth > MAX_DEPTH {
            return Err(point(text, at, "too many parentheses inside each other"));
        }
    }
    preceded(multispace0, any_of).parse(LocatingSlice::new(text)).map_err(|error| {
        let expected = error.inner().context().find_map(|context| match context {
            StrContext::Expected(StrContextValue::Description(what)) => Some(*what),
            _ => None,
        });
        let expected = expected.unwrap_or("an operator such as == or <, `and`, `or`, or the end");
        point(text, error.offset(), &format!("expected {expected}"))
    })
}

/// The maximum number of characters that are shown before and after an error.
const SHOWN: usize = 60;

/// Formats an error message that points at the character at this byte offset.
pub fn point(text: &str, offset: usize, what: &str) -> String {
    let (before, after) = text.split_at(offset);
    let characters = before.chars().count();
    let mut message = format!("character {}: {what}", characters + 1);
    if !text.contains(['\n', '\t']) {
        let start = before.char_indices().rev().take(SHOWN).last().map_or(offset, |(at, _)| at);
        let end = after.char_indices().nth(SHOWN).map_or(text.len(), |(at, _)| offset + at);
        let [left, right] = [start > 0, end < text.len()].map(|cut| if cut { "…" } else { "" });
        let width = characters.min(SHOWN) + left.chars().count();
        let _ = write!(message, "\n  {left}{}{right}\n  {:width$}^", &text[start..end], "");
    }
    message
}

fn expected(what: &'static str) -> StrContext {
    StrContext::Expected(StrContextValue::Description(what))
}

/// Skips whitespace after a parser.
fn token<'i, O>(
    parser: impl Parser<ConditionText<'i>, O, ParseError>,
) -> impl Parser<ConditionText<'i>, O, ParseError> {
    terminated(parser, multispace0)
}

fn is_of_name(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// Parses a keyword.
fn word<'i>(word: &'static str) -> impl Parser<ConditionText<'i>, &'i str, ParseError> {
    token(take_while(1.., is_of_name)).verify(move |found: &str| found.eq_ignore_ascii_case(word))
}

fn any_of(input: &mut ConditionText<'_>) -> ModalResult<ParsedCondition> {
    let mut any: Vec<_> = separated(1.., all_of, word("or")).parse_next(input)?;
    Ok(if any.len() == 1 { any.remove(0) } else { Expression::Any(any) })
}

fn all_of(input: &mut ConditionText<'_>) -> ModalResult<ParsedCondition> {
    let mut all: Vec<_> = separated(1.., negated, word("and")).parse_next(input)?;
    Ok(if all.len() == 1 { all.remove(0) } else { Expression::All(all) })
}

fn negated(input: &mut ConditionText<'_>) -> ModalResult<ParsedCondition> {
    let negations: usize =
        repeat(0.., word("not")).fold(|| 0, |count, _| count + 1).parse_next(input)?;
    let inner = cut_err(alt((in_parentheses, comparison))).parse_next(input)?;
    Ok(if negations % 2 == 1 { Expression::Not(Box::new(inner)) } else { inner })
}

fn in_parentheses(input: &mut ConditionText<'_>) -> ModalResult<ParsedCondition> {
    let close = cut_err(token(')').context(expected("an operator, `and`, `or`, or )")));
    delimited(token('('), any_of, close).parse_next(input)
}

fn comparison(input: &mut ConditionText<'_>) -> ModalResult<ParsedCondition> {
    let left = operand.parse_next(input)?;
    if let Some(operator) = opt(operator).parse_next(input)? {
        let right = cut_err(operand).parse_next(input)?;
        return Ok(Expression::Compare(left, operator, right));
    }
    let is_in = opt(alt((word("in").value(true), (word("not"), word("in")).value(false))))
        .parse_next(input)?;
    let Some(is_in) = is_in else { return Ok(Expression::Truth(left)) };
    let list = cut_err(list).parse_next(input)?;
    let found = Expression::In(left, list);
    Ok(if is_in { found } else { Expression::Not(Box::new(found)) })
}

fn operator(input: &mut ConditionText<'_>) -> ModalResult<Operator> {
    token(alt((
        "==".value(Operator::Equal),
        "!=".value(Operator::NotEqual),
        "<=".value(Operator::AtMost),
        ">=".value(Operator::AtLeast),
        "<".value(Operator::Less),
        ">".value(Operator::Greater),
    )))
    .parse_next(input)
}

/// Parses literals between parentheses or brackets.
fn list(input: &mut ConditionText<'_>) -> ModalResult<Vec<(Literal, usize)>> {
    let mut open = token(one_of(['(', '['])).context(expected("a list such as (1, 2)"));
    let close = if open.parse_next(input)? == '(' { ')' } else { ']' };
    let literal = cut_err(located(literal).context(expected("a number or a text in quotes")));
    let literals = separated(1.., literal, token(',')).parse_next(input)?;
    cut_err(token(close).context(expected("a comma or the end of the list"))).parse_next(input)?;
    Ok(literals)
}

/// Adds the offset in the text.
fn located<'i, O>(
    parser: impl Parser<ConditionText<'i>, O, ParseError>,
) -> impl Parser<ConditionText<'i>, (O, usize), ParseError> {
    parser.with_span().map(|(value, span)| (value, span.start))
}

fn operand(input: &mut ConditionText<'_>) -> ModalResult<Operand<ColumnName>> {
    let literal = located(literal).map(|(literal, at)| Operand::Literal(literal, at));
    let name = located(name).map(|(text, at)| Operand::Column(ColumnName { text, at }));
    alt((literal, name))
        .context(expected("the name of a column, a number, or a text in quotes"))
        .parse_next(input)
}

fn literal(input: &mut ConditionText<'_>) -> ModalResult<Literal> {
    let fraction = opt(('.', digit1));
    let exponent = opt((one_of(['e', 'E']), opt(one_of(['+', '-'])), digit1));
    let number = (opt('-'), digit1, fraction, exponent).take().parse_to();
    alt((
        token(number).map(Literal::Number),
        token(in_quotes('"')).map(Literal::Text),
        token(in_quotes('\'')).map(Literal::Text),
        word("true").value(Literal::Truth(true)),
        word("false").value(Literal::Truth(false)),
    ))
    .parse_next(input)
}

fn in_quotes<'i>(quote: char) -> impl Parser<ConditionText<'i>, String, ParseError> {
    let end = cut_err(quote.context(expected("the closing quote")));
    delimited(quote, take_till(0.., quote), end).map(String::from)
}

fn name(input: &mut ConditionText<'_>) -> ModalResult<String> {
    const RESERVED: [&str; 4] = ["and", "or", "not", "in"];
    let plain = take_while(1.., is_of_name);
    let plain =
        plain.verify(|name: &str| !RESERVED.iter().any(|word| name.eq_ignore_ascii_case(word)));
    token(alt((in_quotes('`'), plain.map(String::from)))).parse_next(input)
}
