//! Answers from another input, attached to the records of a block.

use std::sync::Arc;

use crate::input::{Field, FieldForm, Records};

/// The rest of a longer text, which is no solution, is dropped.
const LONGEST: usize = 729;

/// The answers to the records of a block.
#[derive(Debug, Default)]
pub(super) struct Attached {
    file: Arc<str>,
    text: Vec<u8>,
    fields: Vec<Field>,
    /// The line of each; `None` after the end of the input.
    lines: Vec<Option<u64>>,
}

impl Attached {
    /// The place of the answer to a record: `file:line`, or the file if it had ended.
    pub fn place(&self, record: usize) -> String {
        match self.lines.get(record) {
            Some(Some(line)) => format!("{}:{line}", self.file),
            _ => self.file.to_string(),
        }
    }

    /// Whether the input had ended before the answer to a record.
    pub fn has_ended(&self, record: usize) -> bool {
        self.lines.get(record).is_some_and(Option::is_none)
    }

    /// Adds the answers to the records of the block.
    pub fn add_to(&self, records: &mut Records) {
        let before = records.texts.len() as u32;
        records.texts.extend_from_slice(&self.text);
        records.answers.clear();
        records.answers.extend(self.fields.iter().map(|field| field.moved(before)));
    }

    /// Drops all answers. The next ones are from this input.
    pub fn begin(&mut self, file: &Arc<str>) {
        self.text.clear();
        self.fields.clear();
        self.lines.clear();
        self.file = Arc::clone(file);
    }

    /// Adds the answer to the next record; `line` is `None` after the end of the input.
    pub fn push(&mut self, answer: &[u8], line: Option<u64>) {
        let start = self.text.len() as u32;
        self.text.extend_from_slice(&answer[..answer.len().min(LONGEST)]);
        let end = self.text.len() as u32;
        self.fields.push(Field { start, end, form: FieldForm::Own });
        self.lines.push(line);
    }
}
