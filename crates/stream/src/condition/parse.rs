//! Parses conditions by recursive descent.

use std::cmp::Ordering::{self, Equal, Greater, Less};
use std::fmt::Write as _;

use super::{Expression, Located, Operand};

/// The maximum nesting of parentheses, which bounds the recursion depth.
const MAX_DEPTH: usize = 100;

const RESERVED: [&str; 5] = ["and", "or", "not", "in", "has"];

/// The operators, and the orders of two values for which they hold.
const OPERATORS: [(&str, &[Ordering]); 6] = [
    ("==", &[Equal]),
    ("!=", &[Less, Greater]),
    ("<=", &[Less, Equal]),
    (">=", &[Greater, Equal]),
    ("<", &[Less]),
    (">", &[Greater]),
];

type Parsed<T> = Result<T, Located<String>>;

/// Parses a condition, and the names of its columns.
pub(super) fn parse(text: &str) -> Parsed<(Expression, Vec<Located<String>>)> {
    let mut parser = Parser { text, at: 0, depth: 0, names: Vec::new() };
    parser.skip(0);
    let parsed = parser.any_of()?;
    match parser.rest() {
        "" => Ok((parsed, parser.names)),
        rest if rest.starts_with("=>") => parser.error("expected >= instead of =>"),
        rest if rest.starts_with("=<") => parser.error("expected <= instead of =<"),
        rest if rest.starts_with('=') => parser.error("expected == instead of ="),
        _ => parser.error("expected an operator such as == or <, `and`, `or`, or the end"),
    }
}

/// Formats an error message that points at the character at this byte offset.
pub(super) fn point(text: &str, (offset, what): &Located<String>) -> String {
    let characters = text[..*offset].chars().count();
    let mut message = format!("character {}: {what}", characters + 1);
    if !text.contains(char::is_control) {
        let _ = write!(message, "\n  {text}\n  {:characters$}^", "");
    }
    message
}

struct Parser<'t> {
    text: &'t str,
    /// The offset of the next token.
    at: usize,
    /// The number of open parentheses.
    depth: usize,
    /// The columns so far.
    names: Vec<Located<String>>,
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

    fn any_of(&mut self) -> Parsed<Expression> {
        let mut any = vec![self.all_of()?];
        while self.keyword("or") {
            any.push(self.all_of()?);
        }
        Ok(if any.len() == 1 { any.remove(0) } else { Expression::Any(any) })
    }

    fn all_of(&mut self) -> Parsed<Expression> {
        let mut all = vec![self.negated()?];
        while self.keyword("and") {
            all.push(self.negated()?);
        }
        Ok(if all.len() == 1 { all.remove(0) } else { Expression::All(all) })
    }

    fn negated(&mut self) -> Parsed<Expression> {
        let is_negated = self.keyword("not");
        let is_nested = self.rest().starts_with('(');
        let inner = if is_nested { self.in_parentheses() } else { self.comparison() }?;
        Ok(if is_negated { Expression::Not(Box::new(inner)) } else { inner })
    }

    fn in_parentheses(&mut self) -> Parsed<Expression> {
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

    fn comparison(&mut self) -> Parsed<Expression> {
        let left = self.operand()?;
        if let Some((_, orderings)) = OPERATORS.into_iter().find(|(symbol, _)| self.symbol(symbol))
        {
            return Ok(Expression::Compare(left, orderings, self.operand()?));
        }
        let start = self.at;
        let is_negated = self.keyword("not");
        let found = if self.keyword("in") {
            let equal = |literal| Expression::Compare(left.clone(), &[Equal], literal);
            Expression::Any(self.list()?.into_iter().map(equal).collect())
        } else if self.keyword("has") {
            match (self.at, self.literal()?) {
                (at, Some(Operand::Text(name))) => Expression::Has(left, (at, name)),
                (at, _) => return Err((at, "expected the name of a technique in quotes".into())),
            }
        } else {
            self.at = start;
            return Ok(Expression::Truth(left));
        };
        Ok(if is_negated { Expression::Not(Box::new(found)) } else { found })
    }

    /// Parses literals between parentheses.
    fn list(&mut self) -> Parsed<Vec<Located<Operand>>> {
        if !self.symbol("(") {
            return self.error("expected a list such as (1, 2)");
        }
        let mut list = Vec::new();
        loop {
            let at = self.at;
            let Some(literal) = self.literal()? else {
                return self.error("expected a number or a text in quotes");
            };
            list.push((at, literal));
            if self.symbol(")") {
                return Ok(list);
            }
            if !self.symbol(",") {
                return self.error("expected a comma or the end of the list");
            }
        }
    }

    fn operand(&mut self) -> Parsed<Located<Operand>> {
        let at = self.at;
        if let Some(literal) = self.literal()? {
            return Ok((at, literal));
        }
        let name = match self.quoted('`')? {
            Some(name) => name,
            None => self.next_word().to_owned(),
        };
        if self.at == at {
            if name.is_empty() || RESERVED.iter().any(|word| name.eq_ignore_ascii_case(word)) {
                return self.error("expected the name of a column, a number, or a text in quotes");
            }
            self.skip(name.len());
        }
        let known = self.names.iter().position(|(_, known)| *known == name);
        let index = known.unwrap_or(self.names.len());
        if known.is_none() {
            self.names.push((at, name));
        }
        Ok((at, Operand::Column(index)))
    }

    fn literal(&mut self) -> Parsed<Option<Operand>> {
        for quote in ['"', '\''] {
            if let Some(text) = self.quoted(quote)? {
                return Ok(Some(Operand::Text(text)));
            }
        }
        let length = number_length(self.rest());
        if length > 0 {
            let number = self.rest()[..length].parse().expect("it is a number");
            self.skip(length);
            return Ok(Some(Operand::Number(number)));
        }
        let truth = [true, false].into_iter().find(|is| self.keyword(&is.to_string()));
        Ok(truth.map(Operand::Truth))
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
    if !text.strip_prefix('-').unwrap_or(text).starts_with(|first: char| first.is_ascii_digit()) {
        return 0;
    }
    let is_of_number =
        |character: char| matches!(character, '0'..='9' | '-' | '+' | '.' | 'e' | 'E');
    let longest = text.find(|character| !is_of_number(character)).unwrap_or(text.len());
    (1..=longest).rev().find(|&length| text[..length].parse::<f64>().is_ok()).unwrap_or(0)
}
