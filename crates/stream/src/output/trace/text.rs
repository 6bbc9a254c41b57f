//! Solving paths as text, such as that on which language models are trained.

use std::str::FromStr;

use bulkdoku_core::board::Board;
use bulkdoku_core::named::named_enum;
use bulkdoku_core::puzzle::cell_name;
use bulkdoku_core::{Status, StopFlag};
use bulkdoku_logic::{Candidate, Explained, Step, steps};

use crate::output::{FormatError, Row, TextRows};

/// The text of a step, with fields in braces. It parses from text such as `"{sentence}.\n{board}\n"`,
/// which is the default, in which `{{` and `}}` are braces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// The fields, each with the text before it.
    fields: Vec<(String, TemplateField)>,
    /// The text after the last field.
    end: String,
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

impl Default for Template {
    fn default() -> Self {
        "{sentence}.\n{board}\n".parse().expect("these are fields")
    }
}

impl FromStr for Template {
    type Err = FormatError;

    fn from_str(text: &str) -> Result<Self, FormatError> {
        let (mut fields, mut plain, mut rest) = (Vec::new(), String::new(), text);
        while let Some(at) = rest.find(['{', '}']) {
            plain += &rest[..at];
            let (brace, after) = rest[at..].split_at(1);
            if let Some(after) = after.strip_prefix(brace) {
                plain += brace;
                rest = after;
                continue;
            }
            let field = (brace == "{").then(|| after.split_once('}')).flatten();
            let error = "a brace that is not part of a field is written twice, as in {{ or }}";
            let (name, after) = field.ok_or_else(|| FormatError(error.into()))?;
            let field = name.parse().map_err(|error: UnknownField| FormatError(error.to_string()));
            fields.push((std::mem::take(&mut plain), field?));
            rest = after;
        }
        Ok(Self { fields, end: plain + rest })
    }
}

impl Template {
    /// Appends the text of a step, whose number is from 1.
    fn push(&self, number: usize, explained: &Explained, out: &mut String) {
        let step = &explained.step;
        for (before, field) in &self.fields {
            *out += before;
            *out += &match field {
                TemplateField::Board => {
                    let mut board = explained.board;
                    step.apply(&mut board);
                    board_text(&board)
                }
                TemplateField::Sentence => step.explained(cell_name),
                TemplateField::Technique => step.technique.name().into(),
                TemplateField::Cells => joined(changes(step).map(|it| it.cell), cell_name),
                TemplateField::Digit => {
                    joined(changes(step).map(|it| it.digit), |it| it.to_string())
                }
                TemplateField::Step => number.to_string(),
            };
        }
        *out += &self.end;
    }
}

/// Returns the candidate that a step places, or those that it eliminates.
fn changes(step: &Step) -> impl Iterator<Item = &Candidate> {
    let eliminated = if step.placed.is_some() { &[][..] } else { &step.eliminated };
    step.placed.iter().chain(eliminated)
}

/// Returns nine lines with the placed digits.
fn board_text(board: &Board) -> String {
    let digit = |cell: usize| match board.placed >> cell & 1 {
        0 => '.',
        _ => (b'1' + board.mask(cell).trailing_zeros() as u8) as char,
    };
    let line = |row: usize| (9 * row..9 * row + 9).map(digit).collect::<String>();
    (0..9).map(line).collect::<Vec<_>>().join("\n")
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
    let (stop, mut text) = (stop.clone(), String::new());
    TextRows::new(move |row, out| {
        text.clear();
        push_path_text(row, &template, &stop, &mut text);
        text.push('\n');
        out.append(text.as_bytes());
    })
}
