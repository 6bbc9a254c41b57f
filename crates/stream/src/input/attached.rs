//! Answers from another input, attached to the records of a block.

use std::sync::Arc;

use super::{Field, FieldForm, Records};

/// The longest stored answer in bytes. A longer text is not a solution and is truncated.
const MAX_BYTES: usize = 4096;

#[derive(Debug, Default)]
pub(crate) struct AttachedAnswers {
    file: Arc<str>,
    text: Vec<u8>,
    /// The field of each answer, and its line; `None` after the end of the input.
    answers: Vec<(Field, Option<u64>)>,
}

impl AttachedAnswers {
    /// Returns the location of an answer: `file:line`, or the file if it had ended.
    pub(crate) fn place(&self, record: usize) -> String {
        match self.answers.get(record) {
            Some((_, Some(line))) => format!("{}:{line}", self.file),
            _ => self.file.to_string(),
        }
    }

    /// Returns whether the input had ended before the answer to a record.
    pub(crate) fn has_ended(&self, record: usize) -> bool {
        self.answers.get(record).is_some_and(|(_, line)| line.is_none())
    }

    /// Replaces the answers of `records` with these.
    pub(crate) fn add_to(&self, records: &mut Records) {
        let before = records.texts.len() as u32;
        records.texts.extend_from_slice(&self.text);
        records.answers.clear();
        records.answers.extend(self.answers.iter().map(|(field, _)| field.moved(before)));
    }

    pub(crate) fn clear(&mut self, file: &Arc<str>) {
        self.text.clear();
        self.answers.clear();
        self.file.clone_from(file);
    }

    /// Appends the answer to the next record; `line` is `None` after the end of the input.
    pub(crate) fn push(&mut self, answer: &[u8], line: Option<u64>) {
        let start = self.text.len();
        self.text.extend_from_slice(&answer[..answer.len().min(MAX_BYTES)]);
        self.answers.push((Field::new(start..self.text.len(), FieldForm::Own), line));
    }
}
