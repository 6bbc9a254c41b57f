//! The records of a block: what is found in it.

use std::ops::Range;

use super::field::{Field, FieldForm};
use super::{RecordList, ReusableVec};
use crate::marks::{self, Marks};
use crate::puzzle::{CELLS, Malformed, Puzzle};
use crate::text::{Line, read};

/// One record of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Lines between the block's first line and this record's.
    pub line: u32,
    /// Bytes of its line before the cells.
    pub indent: u32,
    /// Lines between the first line of a malformed grid and the one that is at fault.
    pub fault: u32,
    /// The 81 cells or 729 marks as they were written, or for a malformed record the whole of it
    /// without its end, for a malformed grid the line that is at fault.
    pub text: Text,
    /// What is to be solved, or the place of what was wrong with it in [`Records::malformed`].
    pub puzzle: Result<PuzzleRef, u32>,
}

/// What a record gives to be solved: its place among those of its block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PuzzleRef {
    /// In [`Records::puzzles`].
    Puzzle(u32),
    /// In [`Records::marks`].
    Marks(u32),
}

/// Where a record's text is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Text {
    /// In the block, in one piece.
    Block(Range<u32>),
    /// In [`Records::texts`]: its cells stand apart in the block, or in another way than they are
    /// shown.
    Own {
        /// Where among the texts.
        text: Range<u32>,
        /// Where in the block what was read begins.
        start: u32,
    },
}

/// Where in a block a line is.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// Lines before it.
    pub(super) line: u32,
    /// Bytes before it.
    pub(super) start: u32,
    /// Bytes of the line before its cells.
    pub(super) indent: u32,
}

/// The records of one block, and what else its lines were. Kept and filled again.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Records {
    /// Every record, in order.
    pub all: RecordList,
    /// The puzzles of those that are one, in order.
    pub puzzles: ReusableVec<Puzzle>,
    /// What was wrong with the others, in order. (Here, so that nothing has to be freed when
    /// records are forgotten.)
    pub malformed: Vec<Malformed>,
    /// The texts of records whose cells do not stand in one piece, and of such solutions.
    pub texts: Vec<u8>,
    /// The fields of the records that are carried into the output, as many for each
    /// ([`Layout::kept`](super::Layout::kept)).
    pub kept: Vec<Field>,
    /// The solution that each record itself gives, or nothing, where they are wanted
    /// ([`Layout::has_answers`](super::Layout::has_answers)).
    pub answers: Vec<Field>,
    /// The pencil marks of those that have them, in order.
    pub marks: Vec<Marks>,
    /// Lines with nothing but white space.
    pub blank_lines: u64,
    /// Lines that start with `#`, labels of grids, and what is meant for other programs.
    pub comments: u64,
    /// Records with a typographic ellipsis among their cells.
    pub dotted: u64,
    /// Records with keys that are not carried into the output, where all are that the first has.
    pub unkept: u64,
}

impl Records {
    /// The most records that `bytes` bytes of well-formed lines hold.
    pub(crate) fn most_in(bytes: usize) -> usize {
        bytes / (CELLS + 1) + 1
    }

    /// Room for the records of a block of `bytes` bytes of well-formed lines.
    pub fn for_blocks_of(bytes: usize) -> Self {
        let records = Self::most_in(bytes);
        Self {
            all: RecordList::with_capacity(records),
            puzzles: ReusableVec::with_room(records, Puzzle::EMPTY),
            ..Self::default()
        }
    }

    /// Adds a record that is a puzzle whose cells, 81 of them, do not stand in one piece.
    pub(super) fn push_cells(&mut self, place: Place, cells: &Line, puzzle: Puzzle) {
        let given = PuzzleRef::Puzzle(self.puzzles.len() as u32);
        self.puzzles.push(puzzle);
        self.push_own(place, cells, given);
    }

    /// Adds a record that has pencil marks which are not written as they are shown.
    pub(super) fn push_drawn_marks(&mut self, place: Place, marks: Marks) {
        let given = PuzzleRef::Marks(self.marks.len() as u32);
        self.marks.push(marks);
        self.push_own(place, marks.to_string().as_bytes(), given);
    }

    pub(super) fn push_own(&mut self, place: Place, text: &[u8], given: PuzzleRef) {
        let Place { line, start, indent } = place;
        let text = Text::Own { text: self.own(text), start: start + indent };
        self.all.push(Record { line, indent, fault: 0, text, puzzle: Ok(given) });
    }

    /// Keeps a text.
    pub(super) fn own(&mut self, text: &[u8]) -> Range<u32> {
        let start = self.texts.len() as u32;
        self.texts.extend_from_slice(text);
        start..self.texts.len() as u32
    }

    /// The solution that a record itself gives, by its number; nothing if there is none.
    pub fn answer<'a>(&'a self, record: usize, block: &'a [u8]) -> &'a [u8] {
        match self.answers.get(record) {
            Some(field) if field.form == FieldForm::Own => field.of(&self.texts),
            Some(field) => field.of(block),
            None => &[],
        }
    }

    /// Adds a record that is no puzzle: the text that shows it, and how many lines below its first
    /// one that stands.
    pub(super) fn push_bad(&mut self, place: Place, fault: u32, text: Range<u32>, why: Malformed) {
        let Place { line, indent, .. } = place;
        let text = Text::Block(text);
        let puzzle = Err(self.malformed.len() as u32);
        self.malformed.push(why);
        self.all.push(Record { line, indent, fault, text, puzzle });
    }

    /// Adds a record that is a puzzle, if `read` says that these characters are cells.
    #[inline(always)]
    pub(super) fn push_puzzle(
        &mut self,
        place: Place,
        cells: &Line,
        read: impl FnOnce(&Line, &mut Puzzle) -> bool,
    ) -> bool {
        let puzzle = self.puzzles.len();
        if !self.puzzles.push_if(Puzzle::EMPTY, |puzzle| read(cells, puzzle)) {
            return false;
        }
        let Place { line, start, indent } = place;
        let start = start + indent;
        let text = Text::Block(start..start + CELLS as u32);
        let given = PuzzleRef::Puzzle(puzzle as u32);
        self.all.push(Record { line, indent, fault: 0, text, puzzle: Ok(given) });
        true
    }

    /// Adds records that are puzzles and fill their lines but for this end, from this place on, as
    /// many as stand together and `read` says are cells; returns how many bytes and lines these
    /// are.
    #[inline(always)]
    pub(super) fn push_puzzles(
        &mut self,
        place: Place,
        lines: &[u8],
        end: &'static [u8],
        mut read: impl FnMut(&Line, &mut Puzzle) -> bool,
    ) -> (usize, u32) {
        let line_bytes = CELLS + end.len();
        let mut lines = lines.chunks_exact(line_bytes);
        let first = self.puzzles.len() as u32;
        let count = self.puzzles.push_while(
            Puzzle::EMPTY,
            #[inline(always)]
            |puzzle| match lines.next().and_then(|line| line.split_first_chunk()) {
                Some((cells, behind)) if behind == end => read(cells, puzzle),
                _ => false,
            },
        );
        let Place { line, start, .. } = place;
        let text = Text::Block(start..start + CELLS as u32);
        let puzzle = Ok(PuzzleRef::Puzzle(first));
        self.all.push_lines(Record { line, indent: 0, fault: 0, text, puzzle }, count, line_bytes);
        (count * line_bytes, count as u32)
    }

    /// Adds a record that has this text, 81 cells or 729 characters of pencil marks.
    ///
    /// # Errors
    /// What is wrong with the text; nothing is added then.
    pub(super) fn push_text(&mut self, place: Place, text: &[u8]) -> Result<(), Malformed> {
        if text.len() == marks::TEXT {
            self.push_marks(place, Marks::parse(text)?);
            return Ok(());
        }
        let is_puzzle = text.try_into().is_ok_and(|cells| {
            self.push_puzzle(place, cells, |line, puzzle| read(line, puzzle.cells_mut()))
        });
        is_puzzle.then_some(()).ok_or_else(|| Malformed::new(text))
    }

    /// Adds a record that has pencil marks.
    pub(super) fn push_marks(&mut self, place: Place, marks: Marks) {
        let Place { line, start, indent } = place;
        let start = start + indent;
        let text = Text::Block(start..start + marks::TEXT as u32);
        let given = PuzzleRef::Marks(self.marks.len() as u32);
        self.marks.push(marks);
        self.all.push(Record { line, indent, fault: 0, text, puzzle: Ok(given) });
    }

    /// The same as marks, whichever it is.
    pub fn as_marks(&self, given: PuzzleRef) -> Marks {
        match given {
            PuzzleRef::Puzzle(place) => Marks::from(&self.puzzles[place as usize]),
            PuzzleRef::Marks(place) => self.marks[place as usize],
        }
    }

    /// Adds a record that is none; its text is the whole line.
    pub(super) fn push_malformed(&mut self, place: Place, length: usize, malformed: Malformed) {
        let end = place.start + length as u32;
        self.push_bad(place, 0, place.start..end, malformed);
    }

    /// Room for `count` kept fields of the last record, empty ones so far.
    pub(super) fn kept_room(&mut self, count: usize) -> &mut [Field] {
        let start = self.kept.len();
        self.kept.resize(start + count, Field::default());
        &mut self.kept[start..]
    }

    /// Forgets everything but keeps the room.
    pub fn clear(&mut self) {
        self.all.clear();
        self.puzzles.clear();
        self.malformed.clear();
        self.texts.clear();
        self.kept.clear();
        self.answers.clear();
        self.marks.clear();
        self.blank_lines = 0;
        self.comments = 0;
        self.dotted = 0;
        self.unkept = 0;
    }
}
