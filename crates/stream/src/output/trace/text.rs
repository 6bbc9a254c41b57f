//! Solving paths as text, such as that on which language models are trained.

use std::fmt::Write;
use std::str::FromStr;
use std::sync::Arc;

use bulkdoku_core::board::Board;
use bulkdoku_core::named::named_enum;
use bulkdoku_core::puzzle::cell_name;
use bulkdoku_core::solver::StopFlag;
use bulkdoku_core::status::Status;
use bulkdoku_logic::{Candidate, Explained, Step, steps};
use thiserror::Error;

use crate::output::{Row, RowBuffer, TextRows};

/// The text of a step, with fields in braces. It parses from text such as `"{sentence}.\n{board}\n"`,
/// which is the default, in which `{{` and `}}` are braces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template(Vec<Part>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    Field(TemplateField),
}

named_enum! {
    /// A field of a [`Template`].
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum TemplateField {
        /// The board after the step, nine lines with `.` for open cells, without the last line end.
        Board = "board",
        /// The step in words, with the implications of forcing chains and nets, without a period.
        Sentence = "sentence",
        /// The name of the technique.
        Technique = "technique",
        /// The cells that get a digit or lose candidates, such as `r1c1, r1c2`.
        Cells = "cells",
        /// The digit that is placed, or the digits that are eliminated.
        Digit = "digit",
        /// The number of the step, from 1.
        Step = "step",
    }

    /// A field that does not exist.
    UnknownField = "no field {{{0}}}; there are {names}"
}

/// What is wrong with a template.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TemplateError {
    /// A field is unknown.
    #[error(transparent)]
    Field(#[from] UnknownField),
    /// A brace is not one of a field.
    #[error("a brace that is not part of a field is written twice, as in {{{{ or }}}}")]
    Brace,
}

impl Default for Template {
    fn default() -> Self {
        use TemplateField::{Board, Sentence};
        let text = |text: &str| Part::Text(text.into());
        Self(vec![Part::Field(Sentence), text(".\n"), Part::Field(Board), text("\n")])
    }
}

impl FromStr for Template {
    type Err = TemplateError;

    fn from_str(text: &str) -> Result<Self, TemplateError> {
        let (mut parts, mut plain, mut rest) = (Vec::new(), String::new(), text);
        while let Some(at) = rest.find(['{', '}']) {
            plain += &rest[..at];
            let (brace, after) = rest[at..].split_at(1);
            if let Some(after) = after.strip_prefix(brace) {
                plain += brace;
                rest = after;
                continue;
            }
            let field = (brace == "{").then(|| after.split_once('}')).flatten();
            let (name, after) = field.ok_or(TemplateError::Brace)?;
            parts.push(Part::Text(std::mem::take(&mut plain)));
            parts.push(Part::Field(name.parse()?));
            rest = after;
        }
        parts.push(Part::Text(plain + rest));
        parts.retain(|part| *part != Part::Text(String::new()));
        Ok(Self(parts))
    }
}

impl Template {
    /// Appends the text of a step, whose number is from 1.
    fn push(&self, number: usize, explained: &Explained, out: &mut String) {
        let step = &explained.step;
        for part in &self.0 {
            let _ = match part {
                Part::Text(text) => out.write_str(text),
                Part::Field(TemplateField::Board) => {
                    let mut board = explained.board;
                    step.apply(&mut board);
                    push_board(&board, out);
                    Ok(())
                }
                Part::Field(TemplateField::Sentence) => out.write_str(&step.explained(cell_name)),
                Part::Field(TemplateField::Technique) => out.write_str(step.technique.name()),
                Part::Field(TemplateField::Cells) => {
                    out.write_str(&joined(changes(step).map(|it| it.cell), cell_name))
                }
                Part::Field(TemplateField::Digit) => {
                    out.write_str(&joined(changes(step).map(|it| it.digit), |it| it.to_string()))
                }
                Part::Field(TemplateField::Step) => write!(out, "{number}"),
            };
        }
    }
}

/// Returns the candidate that a step places, or those that it eliminates.
fn changes(step: &Step) -> impl Iterator<Item = &Candidate> {
    let eliminated = if step.placed.is_some() { &[][..] } else { &step.eliminated };
    step.placed.iter().chain(eliminated)
}

/// Appends nine lines.
fn push_board(board: &Board, out: &mut String) {
    for cell in 0..81 {
        let is_placed = board.placed >> cell & 1 != 0;
        let digit = is_placed.then(|| board.mask(cell).trailing_zeros());
        out.push(digit.map_or('.', |digit| (b'1' + digit as u8) as char));
        if cell % 9 == 8 && cell < 80 {
            out.push('\n');
        }
    }
}

/// Returns each value once, in order.
fn joined<T: Ord>(values: impl Iterator<Item = T>, text: impl Fn(T) -> String) -> String {
    let mut values: Vec<_> = values.collect();
    values.sort_unstable();
    values.dedup();
    values.into_iter().map(text).collect::<Vec<_>>().join(", ")
}

/// Appends the text of the path of a row, up to a stop; nothing unless its puzzle has exactly one
/// solution.
pub fn push_path_text(row: &Row<'_>, template: &Template, stop: &StopFlag, out: &mut String) {
    let board = (row.status() == Status::Unique).then(|| row.board()).flatten();
    let steps = board.map(|board| steps(board).until(stop).explained());
    for (number, explained) in (1..).zip(steps.into_iter().flatten()) {
        template.push(number, &explained, out);
    }
}

/// Returns the format of paths as text, with an empty line after each record.
pub fn path_text(template: Template, stop: &StopFlag) -> TextRows {
    let (template, stop) = (Arc::new(template), stop.clone());
    TextRows::new(move || {
        let (template, stop, mut text) = (Arc::clone(&template), stop.clone(), String::new());
        move |row: &Row<'_>, out: &mut RowBuffer| {
            text.clear();
            push_path_text(row, &template, &stop, &mut text);
            text.push('\n');
            out.append(text.as_bytes());
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use bulkdoku_core::puzzle::Puzzle;

    #[test]
    fn templates_have_fields_and_braces() {
        let default: Template = "{sentence}.\n{board}\n".parse().unwrap();
        assert_eq!(default, Template::default());
        let error = |text: &str| text.parse::<Template>().unwrap_err().to_string();
        let names = "board, sentence, technique, cells, digit, step";
        assert_eq!(
            error("{step}. {sentense}"),
            format!("no field {{sentense}}; there are {names}")
        );
        for text in ["{step", "step}", "{", "}", "{}}"] {
            assert!(text.parse::<Template>().is_err(), "{text}");
        }
        let puzzle: Puzzle =
            "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79"
                .parse()
                .unwrap();
        let first = steps(&puzzle).explained().next().unwrap();
        let template: Template = "{{{step}}} {cells}={digit} {technique}|{board}".parse().unwrap();
        let mut text = String::new();
        template.push(7, &first, &mut text);
        let (start, board) = text.split_once('|').unwrap();
        assert_eq!(start, "{7} r3c7=5 hidden-single-box");
        assert_eq!(board.lines().nth(2), Some(".98...56."));
        assert_eq!((board.lines().count(), board.len()), (9, 89));
    }
}
