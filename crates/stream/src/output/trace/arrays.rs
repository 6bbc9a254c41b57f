//! Solving paths as arrays: the order in which cells are solved, and all states of the candidates.
//!
//! The first array has the layout of Shah et al., "Causal language modeling can elicit search and
//! reasoning capabilities on logic puzzles" (<https://arxiv.org/abs/2409.10502>).

use std::io;

use super::super::npy::header;
use super::super::{Assembler, Emit, Files, Format, Needs, Row, RowBuffer, RowEncoder};
use super::trace;
use crate::board::Board;
use crate::logic::{Rater, Technique, Techniques};
use crate::puzzle::CELLS;

/// The names of the files of [`trace_arrays`].
pub const TRACE_ARRAYS: [&str; 3] = ["paths.npy", "states.npy", "offsets.npy"];

/// Returns the format of three arrays. All rows must have exactly one solution.
pub fn trace_arrays() -> Files {
    Files(Files::of([Part::Paths, Part::States, Part::Offsets]).collect())
}

/// An array with one entry per record, or per step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// `uint8` of shape (n, 325): the number of clues, then row, column (from 0), value, and
    /// strategy of each cell, clues first, then in the order of solving.
    Paths,
    /// `uint16` of shape (m, 81): the candidates of each cell (bit d − 1 for digit d), of each
    /// puzzle and after each of its steps.
    States,
    /// `int64` of shape (n + 1,): the index of each puzzle's first state, and the number of states.
    Offsets,
}

/// The length of a row of [`Part::Paths`].
const PATH: usize = 1 + 4 * CELLS;
/// The strategy of a clue.
const CLUE: u8 = 0;

/// Returns the number of a technique in [`Part::Paths`]: that of Shah et al. if they have one,
/// otherwise its index among all techniques, from 16.
pub(super) fn strategy(technique: Technique) -> u8 {
    use Technique as T;
    match technique {
        T::NakedSingle => 2,
        T::FullHouse | T::HiddenSingleBox | T::HiddenSingleLine => 3,
        T::NakedPair => 4,
        T::NakedTriple => 5,
        T::Pointing | T::Claiming => 6,
        T::XYWing => 7,
        T::UniqueRectangle1 | T::UniqueRectangle2 | T::UniqueRectangle3 | T::UniqueRectangle4 => 8,
        other => 16 + other as u8,
    }
}

impl Part {
    /// The size of an entry in bytes.
    const fn bytes(self) -> usize {
        match self {
            Self::Paths => PATH,
            Self::States => 2 * CELLS,
            Self::Offsets => size_of::<u64>(),
        }
    }

    fn header_of(self, entries: u64) -> Vec<u8> {
        match self {
            Self::Paths => header("|u1", &format!("({entries}, {PATH})")),
            Self::States => header("<u2", &format!("({entries}, {CELLS})")),
            Self::Offsets => header("<i8", &format!("({entries},)")),
        }
    }
}

impl Format for Part {
    fn needs(&self) -> Needs {
        if *self == Self::Offsets { Needs::PATH } else { Needs::NONE }
    }

    fn header(&self) -> Vec<u8> {
        self.header_of(0)
    }

    fn row_encoder(&self) -> Box<RowEncoder<'_>> {
        let mut rater = Rater::new(Techniques::ALL);
        match self {
            Self::Paths => Box::new(move |row, out| push_path(&mut rater, row, out)),
            Self::States => Box::new(move |row, out| push_states(&mut rater, row, out)),
            Self::Offsets => Box::new(|row, out| {
                let states = row.path().map_or(0, |path| u64::from(path.steps) + 1);
                out.append(&states.to_le_bytes());
            }),
        }
    }

    fn assembler(&self) -> io::Result<Option<Box<dyn Assembler>>> {
        Ok(Some(Box::new(Entries { part: *self, count: 0, states: 0 })))
    }
}

fn push_path(rater: &mut Rater, row: &Row<'_>, out: &mut RowBuffer) {
    let puzzle = row.marks().map(|marks| marks.clues()).unwrap_or_default();
    let mut bytes = vec![puzzle.clues() as u8];
    let mut add = |cell: usize, digit: u8, strategy: u8| {
        bytes.extend([(cell / 9) as u8, (cell % 9) as u8, digit, strategy]);
    };
    let clues = puzzle.cells().iter().enumerate().filter(|(_, digit)| **digit != 0);
    clues.for_each(|(cell, &digit)| add(cell, digit, CLUE));
    // The hardest technique since the previous placement led to the next one.
    let mut hardest = None;
    trace(rater, row, |step| {
        hardest = hardest.max(Some(step.technique));
        if let Some((digit, cell)) = step.placed {
            add(cell, digit as u8 + 1, strategy(hardest.take().unwrap_or(step.technique)));
        }
    });
    bytes.resize(PATH, 0);
    out.append(&bytes);
}

fn push_states(rater: &mut Rater, row: &Row<'_>, out: &mut RowBuffer) {
    let Some(mut board) = row.board().map(|bands| bands.board()) else { return };
    let mut bytes = Vec::new();
    let mut push = |board: &Board| {
        bytes.extend((0..CELLS).flat_map(|cell| board.mask(cell).to_le_bytes()));
    };
    push(&board);
    trace(rater, row, |step| {
        board.remove(&step.removed);
        if let Some((digit, cell)) = step.placed {
            let mut placed = [0; 9];
            placed[digit] = 1 << cell;
            board.place(&placed);
        }
        push(&board);
    });
    out.append(&bytes);
}

/// Counts entries, and turns numbers of states into offsets.
struct Entries {
    part: Part,
    count: u64,
    states: u64,
}

impl Assembler for Entries {
    fn add(&mut self, encoded: &[u8], emit: &mut Emit<'_>) -> io::Result<()> {
        self.count += (encoded.len() / self.part.bytes()) as u64;
        if self.part != Part::Offsets {
            return emit(encoded);
        }
        let mut offsets = Vec::with_capacity(encoded.len());
        for states in encoded.as_chunks().0 {
            offsets.extend(self.states.to_le_bytes());
            self.states += u64::from_le_bytes(*states);
        }
        emit(&offsets)
    }

    fn finish(&mut self, emit: &mut Emit<'_>) -> io::Result<()> {
        if self.part == Part::Offsets {
            self.count += 1;
            emit(&self.states.to_le_bytes())?;
        }
        Ok(())
    }

    fn final_header(&self) -> Option<Vec<u8>> {
        Some(self.part.header_of(self.count))
    }
}
