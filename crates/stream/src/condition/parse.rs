//! Parses conditions by recursive descent.

use std::fmt::Write as _;

use super::{ColumnName, Expression, Literal, LocatedError, Operand, Operator};

/// The maximum nesting of parentheses, which bounds the recursion depth.
const MAX_DEPTH: usize = 100;

/// The maximum number of characters that are shown before and after an error.
const SHOWN: usize = 60;

const RESERVED: [&str; 5] = ["and", "or", "not", "in", "has"];

const OPERATORS: [(&str, Operator); 6] = [
    ("==", Operator::Equal),
    ("!=", Operator::NotEqual),
    ("<=", Operator::AtMost),
    (">=", Operator::AtLeast),
    ("<", Operator::Less),
    (">", Operator::Greater),
];

type Parsed<T> = Result<T, LocatedError>;

/// Parses a condition. Errors are at a byte offset of the text.
pub(super) fn parse(text: &str) -> Parsed<Expression<ColumnName>> {
    let mut parser = Parser { text, at: 0, depth: 0 };
    parser.skip(0);
    let parsed = parser.any_of()?;
    match parser.rest() {
        "" => Ok(parsed),
        rest if rest.starts_with('=') => parser.error("expected == instead of ="),
        _ => parser.error("expected an operator such as == or <, `and`, `or`, or the end"),
    }
}

/// Formats an error message that points at the character at this byte offset.
pub(super) fn point(text: &str, (offset, what): &LocatedError) -> String {
    let (before, after) = text.split_at(*offset);
    let characters = before.chars().count();
    let mut message = format!("character {}: {what}", characters + 1);
    if !text.contains(char::is_control) {
        let start = before.char_indices().rev().take(SHOWN).last().map_or(*offset, |(at, _)| at);
        let end = after.char_indices().nth(SHOWN).map_or(text.len(), |(at, _)| offset + at);
        let [left, right] = [start > 0, end < text.len()].map(|cut| if cut { "…" } else { "" });
        let width = characters.min(SHOWN) + left.chars().count();
        let _ = write!(message, "\n  {left}{}{right}\n  {:width$}^", &text[start..end], "");
    }
    message
}

struct Parser<'t> {
    text: &'t str,
    /// The offset of the next token.
    at: usize,
    /// The number of open parentheses.
    depth: usize,
}

impl<'t> Parser<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn error<T>(&self, what: &str) -> Parsed<T> {
        Err((self.at, what.into()))
    }

    /// Skips a token of this length and the white space after it.
    fn skip(&mut self, length: usize) {
        self.at += length;
        self.at = self.text.len() - self.rest().trim_start_matches([' ', '\t', '\r', '\n']).len();
    }

    fn symbol(&mut self, symbol: &str) -> bool {
        let is_next = self.rest().starts_with(symbol);
        if is_next {
            self.skip(symbol.len());
        }
        is_next
    }

    /// Returns the word at the start of the rest, which may be empty.
    fn next_word(&self) -> &'t str {
        let is_of_name = |character: char| character.is_alphanumeric() || character == '_';
        let rest = self.rest();
        &rest[..rest.find(|character| !is_of_name(character)).unwrap_or(rest.len())]
    }

    fn keyword(&mut self, word: &str) -> bool {
        let is_next = self.next_word().eq_ignore_ascii_case(word);
        if is_next {
            self.skip(word.len());
        }
        is_next
    }

    fn any_of(&mut self) -> Parsed<Expression<ColumnName>> {
        let mut any = vec![self.all_of()?];
        while self.keyword("or") {
            any.push(self.all_of()?);
        }
        Ok(if any.len() == 1 { any.remove(0) } else { Expression::Any(any) })
    }

    fn all_of(&mut self) -> Parsed<Expression<ColumnName>> {
        let mut all = vec![self.negated()?];
        while self.keyword("and") {
            all.push(self.negated()?);
        }
        Ok(if all.len() == 1 { all.remove(0) } else { Expression::All(all) })
    }

    fn negated(&mut self) -> Parsed<Expression<ColumnName>> {
        let is_negated = self.keyword("not");
        let is_nested = self.rest().starts_with('(');
        let inner = if is_nested { self.in_parentheses() } else { self.comparison() }?;
        Ok(if is_negated { Expression::Not(Box::new(inner)) } else { inner })
    }

    fn in_parentheses(&mut self) -> Parsed<Expression<ColumnName>> {
        if self.depth == MAX_DEPTH {
            return self.error("too many parentheses inside each other");
        }
        self.depth += 1;
        self.skip(1);
        let inner = self.any_of()?;
        if !self.symbol(")") {
            return self.error("expected an operator, `and`, `or`, or )");
        }
        self.depth -= 1;
        Ok(inner)
    }

    fn comparison(&mut self) -> Parsed<Expression<ColumnName>> {
        let left = self.operand()?;
        if let Some((_, operator)) = OPERATORS.into_iter().find(|(symbol, _)| self.symbol(symbol)) {
            return Ok(Expression::Compare(left, operator, self.operand()?));
        }
        let start = self.at;
        let is_negated = self.keyword("not");
        let found = if self.keyword("in") {
            Expression::In(left, self.list()?)
        } else if self.keyword("has") {
            let at = self.at;
            match self.literal()? {
                Some(Literal::Text(name)) => Expression::Has(left, name, at),
                _ => return Err((at, "expected the name of a technique in quotes".into())),
            }
        } else {
            self.at = start;
            return Ok(Expression::Truth(left));
        };
        Ok(if is_negated { Expression::Not(Box::new(found)) } else { found })
    }

    /// Parses literals between parentheses.
    fn list(&mut self) -> Parsed<Vec<(Literal, usize)>> {
        if !self.symbol("(") {
            return self.error("expected a list such as (1, 2)");
        }
        let mut list = Vec::new();
        loop {
            let at = self.at;
            let Some(literal) = self.literal()? else {
                return self.error("expected a number or a text in quotes");
            };
            list.push((literal, at));
            if self.symbol(")") {
                return Ok(list);
            }
            if !self.symbol(",") {
                return self.error("expected a comma or the end of the list");
            }
        }
    }

    fn operand(&mut self) -> Parsed<Operand<ColumnName>> {
        let at = self.at;
        if let Some(literal) = self.literal()? {
            return Ok(Operand::Literal(literal, at));
        }
        if let Some(text) = self.quoted('`')? {
            return Ok(Operand::Column(ColumnName { text, at }));
        }
        let word = self.next_word();
        if word.is_empty() || RESERVED.iter().any(|other| word.eq_ignore_ascii_case(other)) {
            return self.error("expected the name of a column, a number, or a text in quotes");
        }
        self.skip(word.len());
        Ok(Operand::Column(ColumnName { text: word.into(), at }))
    }

    fn literal(&mut self) -> Parsed<Option<Literal>> {
        for quote in ['"', '\''] {
            if let Some(text) = self.quoted(quote)? {
                return Ok(Some(Literal::Text(text)));
            }
        }
        let length = number_length(self.rest());
        if length > 0 {
            let number = self.rest()[..length].parse().expect("it is a number");
            self.skip(length);
            return Ok(Some(Literal::Number(number)));
        }
        let truth = [true, false].into_iter().find(|is| self.keyword(&is.to_string()));
        Ok(truth.map(Literal::Truth))
    }

    /// Parses a text between two of these quotes, if one is next.
    fn quoted(&mut self, quote: char) -> Parsed<Option<String>> {
        let Some(rest) = self.rest().strip_prefix(quote) else { return Ok(None) };
        let Some(length) = rest.find(quote) else {
            return Err((self.text.len(), "expected the closing quote".into()));
        };
        self.skip(length + 2);
        Ok(Some(rest[..length].into()))
    }
}

/// Returns the length of the number at the start of a text; 0 if there is none.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |at: usize| {
        bytes[at.min(bytes.len())..].iter().take_while(|byte| byte.is_ascii_digit()).count()
    };
    let mut length = usize::from(text.starts_with('-'));
    match digits(length) {
        0 => return 0,
        count => length += count,
    }
    if bytes.get(length) == Some(&b'.') && digits(length + 1) > 0 {
        length += 1 + digits(length + 1);
    }
    if let Some(b'e' | b'E') = bytes.get(length) {
        let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
        match digits(length + 1 + sign) {
            0 => {}
            count => length += 1 + sign + count,
        }
    }
    length
}
