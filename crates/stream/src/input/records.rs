//! The records of a block, and the positions of their fields.

use std::borrow::Cow;
use std::mem;
use std::ops::{Deref, Range};

use memchr::memchr;

use super::{RecordList, lines, names};
use bulkdoku_core::forms::{self, Form, symbols};
use bulkdoku_core::marks::{self, Marks};
use bulkdoku_core::prefetch::prefetch_all;
use bulkdoku_core::puzzle::{CELLS, Malformed, Puzzle};
use bulkdoku_core::simd::vectors::Simd;
use bulkdoku_core::text::{Line, read, read_cells};

/// The position of a field, without its quotes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Field {
    /// The offset of the first byte.
    pub start: u32,
    /// The offset of the end.
    pub end: u32,
    /// How the field is written.
    pub form: FieldForm,
}

/// How a field is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FieldForm {
    /// Without quotes.
    #[default]
    Plain,
    /// Quoted as in CSV, with doubled quotes.
    Quoted,
    /// A JSON string, possibly with escapes.
    JsonString,
    /// Another JSON value.
    JsonValue,
    /// Missing: the key does not exist, or its value is `null`.
    Missing,
    /// A null of a Parquet file, which is read as an empty field.
    Null,
    /// Stored in `Records::texts` instead of the block.
    Own,
}

impl Field {
    /// Creates a field at these offsets.
    pub fn new(range: Range<usize>, form: FieldForm) -> Self {
        Self { start: range.start as u32, end: range.end as u32, form }
    }

    pub(crate) const MISSING: Self = Self { start: 0, end: 0, form: FieldForm::Missing };

    /// Returns the raw bytes.
    pub fn of(self, bytes: &[u8]) -> &[u8] {
        &bytes[self.start as usize..self.end as usize]
    }

    /// Returns the text with quotes and escapes decoded.
    pub fn text(self, bytes: &[u8]) -> Cow<'_, [u8]> {
        let raw = self.of(bytes);
        match self.form {
            FieldForm::Quoted if memchr(b'"', raw).is_some() => undoubled(raw),
            FieldForm::JsonString if memchr(b'\\', raw).is_some() => {
                let quoted = &bytes[self.start as usize - 1..=self.end as usize];
                // A lone surrogate cannot be decoded and remains escaped.
                let text = serde_json::from_slice::<String>(quoted);
                text.map_or(Cow::Borrowed(raw), |text| Cow::Owned(text.into_bytes()))
            }
            _ => Cow::Borrowed(raw),
        }
    }

    /// Returns the field moved by `by` bytes.
    #[must_use]
    pub fn moved(self, by: u32) -> Self {
        Self { start: self.start + by, end: self.end + by, ..self }
    }
}

fn undoubled(raw: &[u8]) -> Cow<'_, [u8]> {
    let mut text = Vec::with_capacity(raw.len());
    let mut pieces = raw.split_inclusive(|&byte| byte == b'"');
    while let Some(piece) = pieces.next() {
        text.extend_from_slice(piece);
        if piece.ends_with(b"\"") {
            // The second quote of a pair.
            pieces.next();
        }
    }
    Cow::Owned(text)
}

/// A record of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// The number of lines before the record in its block.
    pub line: u32,
    /// The offset of the puzzle in the block, or of the invalid line of a malformed record.
    pub start: u32,
    /// The 81 cells or 729 marks as written. For a malformed record, all of it without the line
    /// end; for a malformed grid, the invalid line. The form is [`FieldForm::Own`] if the cells are
    /// not contiguous in the block, or not written as they are output.
    pub text: Field,
    /// The number of bytes of the puzzle as written in the block, if its text is
    /// [`FieldForm::Own`]; 0 if it is written with escapes.
    pub written: u32,
    /// The puzzle, or the index of the error in [`Records::malformed`].
    pub(crate) puzzle: Result<PuzzleRef, u32>,
}

/// What the numbers of records count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unit {
    /// The lines of a text, of which a record may have several.
    #[default]
    Line,
    /// The elements of a JSON array.
    Element,
    /// The rows of columns. The texts of all records are their own.
    Row,
}

/// The place of the puzzle, or of its solution, among the kept fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptCells {
    /// The index of the field.
    pub field: usize,
    /// The keys of inner objects in that field, with dots between them; empty without any.
    pub path: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PuzzleRef {
    /// An index into [`Records::puzzles`].
    Puzzle(u32),
    /// An index into [`Records::marks`].
    Marks(u32),
}

#[derive(Clone, Copy)]
pub(super) struct LinePosition {
    pub(super) line: u32,
    pub(super) start: u32,
    /// The number of bytes of the line before the cells.
    pub(super) indent: u32,
}

impl LinePosition {
    /// Returns the field of the cells, written in this many bytes.
    #[inline(always)]
    pub(super) fn cells(self, bytes: usize) -> Field {
        let start = (self.start + self.indent) as usize;
        Field::new(start..start + bytes, FieldForm::Plain)
    }

    #[inline(always)]
    fn record(self, text: Field, puzzle: PuzzleRef) -> Record {
        let Self { line, start, indent } = self;
        Record { line, start: start + indent, text, written: 0, puzzle: Ok(puzzle) }
    }
}

/// The number of puzzles between one that is written and one that is prefetched.
const PREFETCH_DISTANCE: usize = 8;

/// Puzzles that are removed all at once. Old ones stay in memory, so that a slot need not be cleared
/// before cells are written to it.
#[derive(Debug, Default)]
pub struct Puzzles {
    /// The first `length` ones belong to the list.
    all: Vec<Puzzle>,
    length: usize,
}

impl Puzzles {
    /// Appends the puzzle that `write` leaves in a slot, if it returns `true`.
    #[inline(always)]
    fn push_if(&mut self, write: impl FnOnce(&mut Puzzle) -> bool) -> bool {
        let is_written = write(self.slot(self.length));
        self.length += usize::from(is_written);
        is_written
    }

    /// Appends the puzzles that `write` leaves in slots while it returns `true`; counts them.
    #[inline(always)]
    fn push_while(&mut self, mut write: impl FnMut(&mut Puzzle) -> bool) -> usize {
        let mut length = self.length;
        while write(self.slot(length)) {
            length += 1;
        }
        length - mem::replace(&mut self.length, length)
    }

    #[inline(always)]
    fn slot(&mut self, length: usize) -> &mut Puzzle {
        if length == self.all.len() {
            self.all.push(Puzzle::EMPTY);
        }
        prefetch_all(self.all.get(length + PREFETCH_DISTANCE));
        &mut self.all[length]
    }
}

impl Deref for Puzzles {
    type Target = [Puzzle];

    fn deref(&self) -> &[Puzzle] {
        &self.all[..self.length]
    }
}

/// The records of a block, and counts of other lines. Reused for each block.
#[derive(Debug, Default)]
pub struct Records {
    /// All records, in order.
    pub all: RecordList,
    /// The puzzles, in order.
    pub puzzles: Puzzles,
    /// The errors of malformed records, stored here so that clearing the records frees nothing.
    pub malformed: Vec<Malformed>,
    /// The texts of records and solutions that are not contiguous in the block.
    pub texts: Vec<u8>,
    /// The fields copied to the output, the same number for each record
    /// ([`Layout::kept`](super::Layout::kept)).
    pub kept: Vec<Field>,
    /// The solutions of the records, possibly empty, if solutions are read
    /// ([`Layout::has_answers`](super::Layout::has_answers)).
    pub answers: Vec<Field>,
    /// Solutions in `texts` with their fields in the block.
    pub(crate) written_answers: Vec<(Field, Field)>,
    /// The pencil marks, in order.
    pub marks: Vec<Marks>,
    /// The given cells of records in which other cells are solved as well, with their indices.
    pub givens: Vec<(u32, Puzzle)>,
    /// The number of lines of whitespace.
    pub blank_lines: u64,
    /// The number of lines that start with `#`, labels of grids, and sections of other programs.
    pub comments: u64,
    /// The number of records with a typographic ellipsis in their cells.
    pub dotted: u64,
    /// Whether JSON values may contain `NaN` or `Infinity`, which are not JSON.
    pub has_nan: bool,
    /// The places of the puzzle and of its solution among the kept fields.
    pub kept_cells: [Option<KeptCells>; 2],
    /// The number of bytes of the names of the kept fields, with punctuation, which some formats
    /// write for each record.
    pub name_bytes: usize,
    /// What counts as a line.
    pub unit: Unit,
    /// The first record with a key that cannot be written: the number of lines before it, and why.
    pub refused: Option<(u32, String)>,
}

impl Records {
    /// Allocates for the records of a block of `bytes` bytes of well-formed lines.
    pub(crate) fn for_blocks_of(bytes: usize) -> Self {
        let records = bytes / (CELLS + 1) + 1;
        Self {
            all: RecordList::with_capacity(records),
            puzzles: Puzzles { all: Vec::with_capacity(records), length: 0 },
            ..Self::default()
        }
    }

    /// Adds the puzzle or pencil marks of a text, which is not written as it is output, but in this
    /// many bytes of the block.
    pub(super) fn push_form(
        &mut self,
        place: LinePosition,
        written: usize,
        form: &Form,
        text: &[u8],
    ) {
        match form {
            Form::Cells(cells) => {
                let puzzle_ref = PuzzleRef::Puzzle(self.puzzles.len() as u32);
                let is_read = |puzzle: &mut Puzzle| read(cells, puzzle.cells_mut());
                assert!(self.puzzles.push_if(is_read), "all cells are valid");
                self.push_own(place, written, cells, puzzle_ref);
            }
            Form::Marks(marks) => {
                let puzzle_ref = PuzzleRef::Marks(self.marks.len() as u32);
                self.marks.push(**marks);
                self.push_own(place, written, marks.to_string().as_bytes(), puzzle_ref);
            }
            Form::Placed { state, givens } => {
                self.givens.push((self.all.len() as u32, *givens));
                return self.push_form(place, written, state, text);
            }
        }
        self.dotted += u64::from(symbols::has_ellipsis(text));
    }

    fn push_own(&mut self, place: LinePosition, written: usize, text: &[u8], puzzle: PuzzleRef) {
        let text = self.own(text);
        let record = Record { written: written as u32, ..place.record(text, puzzle) };
        self.all.push(record);
    }

    pub(super) fn own(&mut self, text: &[u8]) -> Field {
        let start = self.texts.len();
        self.texts.extend_from_slice(text);
        Field::new(start..self.texts.len(), FieldForm::Own)
    }

    /// Stores a solution that is written as an array, or with escapes.
    pub(super) fn own_answer(&mut self, text: &[u8], written: Field) -> Field {
        let field = self.own(text);
        self.written_answers.push((field, written));
        field
    }

    /// Returns the solution of the record at this index; empty if there is none.
    pub fn answer<'a>(&'a self, record: usize, block: &'a [u8]) -> &'a [u8] {
        self.answers.get(record).map_or(&[], |answer| self.bytes_of(*answer, block))
    }

    #[inline(always)]
    pub(crate) fn text<'a>(&'a self, record: &Record, block: &'a [u8]) -> &'a [u8] {
        self.bytes_of(record.text, block)
    }

    #[inline(always)]
    fn bytes_of<'a>(&'a self, field: Field, block: &'a [u8]) -> &'a [u8] {
        field.of(if field.form == FieldForm::Own { &self.texts } else { block })
    }

    pub(crate) fn kept_fields(&self, record: usize) -> &[Field] {
        let per_record = self.kept.len() / self.all.len();
        &self.kept[record * per_record..(record + 1) * per_record]
    }

    /// Returns the number of bytes of the kept fields of the record at this index, and their names.
    pub(crate) fn kept_bytes(&self, record: usize, block: &[u8]) -> usize {
        let fields = self.kept_fields(record).iter().map(|field| field.of(block).len());
        self.name_bytes + fields.sum::<usize>()
    }

    /// Returns the puzzle, unless it is pencil marks that clues cannot express.
    pub(crate) fn puzzle(&self, puzzle_ref: PuzzleRef) -> Option<Puzzle> {
        match puzzle_ref {
            PuzzleRef::Puzzle(index) => Some(self.puzzles[index as usize]),
            PuzzleRef::Marks(index) => self.marks[index as usize].puzzle(),
        }
    }

    /// Returns the given cells of the record at this index, if others are solved as well.
    pub fn givens(&self, record: usize) -> Option<&Puzzle> {
        let index = self.givens.binary_search_by_key(&(record as u32), |(record, _)| *record);
        index.ok().map(|index| &self.givens[index].1)
    }

    /// Returns the number of clues of the record at this index, except solved cells.
    pub(crate) fn clues(&self, record: usize, puzzle_ref: PuzzleRef) -> usize {
        if let Some(givens) = self.givens(record) {
            return givens.clues();
        }
        match puzzle_ref {
            PuzzleRef::Puzzle(index) => self.puzzles[index as usize].clues(),
            PuzzleRef::Marks(index) => self.marks[index as usize].clues().clues(),
        }
    }

    /// Returns the place of the next record that has no place in the block.
    fn next_row(&self) -> LinePosition {
        LinePosition { line: self.all.len() as u32, start: 0, indent: 0 }
    }

    /// Adds a puzzle without text if `read` writes its cells; returns whether it does.
    #[inline(always)]
    pub fn push_cells(&mut self, read: impl FnOnce(&mut Line) -> bool) -> bool {
        let puzzle = PuzzleRef::Puzzle(self.puzzles.len() as u32);
        let is_puzzle = self.puzzles.push_if(|puzzle| read(puzzle.cells_mut()));
        if is_puzzle {
            self.all.push(self.next_row().record(Field::default(), puzzle));
        }
        is_puzzle
    }

    /// Adds a puzzle in any form, from the caller's memory.
    ///
    /// # Errors
    /// Fails if the text is malformed; nothing is added then.
    #[doc(hidden)]
    pub fn push_any_form(&mut self, text: &[u8]) -> Result<(), Malformed> {
        self.push_decoded(self.next_row(), 0, text)
    }

    /// Adds the puzzle, in any form, of a row of columns. It is malformed if it cannot be read.
    pub fn push_row(&mut self, text: &[u8]) {
        if let Err(malformed) = self.push_any_form(text) {
            self.push_malformed_row(text, malformed);
        }
    }

    /// Adds a malformed row of columns. A text that would be a puzzle is put in quotes.
    pub fn push_malformed_row(&mut self, text: &[u8], malformed: Malformed) {
        let quoted = lines::quoted_puzzle(text);
        let text = self.own(quoted.as_deref().unwrap_or(text));
        self.push_bad(self.all.len() as u32, 0, text, malformed);
    }

    /// Adds the answer to the next record, from the caller's memory.
    pub fn push_answer(&mut self, answer: &[u8]) {
        let answer = self.own(answer);
        self.answers.push(answer);
    }

    /// Adds a malformed record at this line, whose invalid line starts at this offset.
    fn push_bad(&mut self, line: u32, start: u32, text: Field, why: Malformed) {
        let puzzle = Err(self.malformed.len() as u32);
        self.malformed.push(why);
        self.all.push(Record { line, start, text, written: 0, puzzle });
    }

    /// Adds a puzzle if `read` accepts its characters as cells; returns whether it does.
    #[inline(always)]
    pub(super) fn push_puzzle(
        &mut self,
        place: LinePosition,
        cells: &Line,
        read: impl FnOnce(&Line, &mut Puzzle) -> bool,
    ) -> bool {
        let puzzle = self.puzzles.len();
        if !self.puzzles.push_if(|puzzle| read(cells, puzzle)) {
            return false;
        }
        self.all.push(place.record(place.cells(CELLS), PuzzleRef::Puzzle(puzzle as u32)));
        true
    }

    /// Adds the puzzles of consecutive lines of 81 cells and this line end; returns the number of
    /// bytes and lines.
    #[inline(always)]
    pub(super) fn push_puzzles<S: Simd>(
        &mut self,
        simd: S,
        place: LinePosition,
        lines: &[u8],
        end: &'static [u8],
    ) -> (usize, u32) {
        let line_bytes = CELLS + end.len();
        let mut lines = lines.chunks_exact(line_bytes);
        let first = self.puzzles.len() as u32;
        let count = self.puzzles.push_while(
            #[inline(always)]
            |puzzle| match lines.next().and_then(|line| line.split_first_chunk()) {
                Some((cells, behind)) if behind == end => {
                    read_cells(simd, cells, puzzle.cells_mut())
                }
                _ => false,
            },
        );
        let record = place.record(place.cells(CELLS), PuzzleRef::Puzzle(first));
        self.all.push_lines(record, count, line_bytes);
        (count * line_bytes, count as u32)
    }

    /// Adds a record with this text if it is 81 cells or 729 characters of pencil marks; returns
    /// whether it is.
    pub(super) fn push_plain(&mut self, place: LinePosition, text: &[u8]) -> bool {
        if text.len() == marks::TEXT {
            let puzzle_ref = PuzzleRef::Marks(self.marks.len() as u32);
            let Ok(marks) = Marks::parse(text) else { return false };
            self.marks.push(marks);
            self.all.push(place.record(place.cells(marks::TEXT), puzzle_ref));
            return true;
        }
        text.try_into().is_ok_and(|cells| {
            self.push_puzzle(place, cells, |line, puzzle| read(line, puzzle.cells_mut()))
        })
    }

    /// Adds a record with this text: a puzzle in any form, at this place. If the text is malformed,
    /// fails and adds nothing.
    pub(super) fn push_text(
        &mut self,
        mut place: LinePosition,
        text: &[u8],
    ) -> Result<(), Malformed> {
        let trimmed = forms::trimmed(text);
        let before = trimmed.as_ptr().addr() - text.as_ptr().addr();
        place.indent += before as u32;
        if self.push_plain(place, trimmed) {
            return Ok(());
        }
        self.push_decoded(place, text.len() - before, text)
    }

    /// Adds a record with this text, which is not contiguous in the block, but written in this many
    /// bytes. If the text is malformed, fails and adds nothing.
    pub(super) fn push_decoded(
        &mut self,
        place: LinePosition,
        written: usize,
        text: &[u8],
    ) -> Result<(), Malformed> {
        let form = forms::read(text).map_err(|malformed| {
            if names::looks_like_header(text) { lines::header_between() } else { malformed }
        })?;
        self.push_form(place, written, &form, text);
        Ok(())
    }

    /// Replaces solutions with the grids in them, if they have one.
    pub(crate) fn find_grids_in_answers(&mut self, block: &[u8]) {
        for index in 0..self.answers.len() {
            let answer = self.answer(index, block);
            // Most answers are nothing else than a complete grid.
            let is_grid = answer.len() == CELLS && answer.iter().all(u8::is_ascii_digit);
            if let Some(cells) = (!is_grid).then(|| forms::answer(answer)).flatten() {
                self.answers[index] = self.own(&cells);
            }
        }
    }

    pub(crate) fn as_marks(&self, puzzle_ref: PuzzleRef) -> Marks {
        match puzzle_ref {
            PuzzleRef::Puzzle(place) => Marks::from(&self.puzzles[place as usize]),
            PuzzleRef::Marks(place) => self.marks[place as usize],
        }
    }

    /// Adds a malformed record whose text is the whole line.
    pub(super) fn push_malformed(
        &mut self,
        place: LinePosition,
        length: usize,
        malformed: Malformed,
    ) {
        let text = LinePosition { indent: 0, ..place }.cells(length);
        self.push_bad(place.line, text.start, text, malformed);
    }

    /// Adds a malformed record of a layout other than lines, whose text is all of it. A text that
    /// would be a puzzle on a line of its own is put in quotes.
    pub(super) fn push_malformed_text(
        &mut self,
        place: LinePosition,
        (bytes, text): (&[u8], Field),
        malformed: Malformed,
    ) {
        let start = text.start;
        let text = lines::quoted_puzzle(text.of(bytes)).map_or(text, |quoted| self.own(&quoted));
        self.push_bad(place.line, start, text, malformed);
    }

    /// Removes everything, but keeps the memory.
    pub fn clear(&mut self) {
        self.all.clear();
        self.puzzles.length = 0;
        self.malformed.clear();
        self.texts.clear();
        self.kept.clear();
        self.answers.clear();
        self.written_answers.clear();
        self.marks.clear();
        self.givens.clear();
        self.blank_lines = 0;
        self.comments = 0;
        self.dotted = 0;
        self.has_nan = false;
        self.kept_cells = [None, None];
        self.name_bytes = 0;
        self.unit = Unit::Line;
        self.refused = None;
    }
}
