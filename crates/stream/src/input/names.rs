//! The common column names of puzzle files, compared without case, whitespace, and quotes.

/// Names of puzzle columns. (`clues` usually means the number of clues.)
pub const PUZZLES: &[&str] = &[
    "puzzle",
    "puzzles",
    "quiz",
    "quizzes",
    "question",
    "questions",
    "sudoku",
    "sudokus",
    "board",
    "grid",
    "unsolved",
];

/// Names of solution columns, most likely first (`solutions` may be their number).
pub(crate) const SOLUTIONS: &[&str] = &["solution", "solutions", "answer", "answers", "solved"];

/// Further names of solution columns, where solutions are required. Elsewhere, such columns often
/// contain something else.
const ANSWERS: &[&str] = &["response", "completion", "prediction", "label", "output"];

/// Returns whether this is the name of a puzzle column.
pub fn is_puzzles(name: &[u8]) -> bool {
    is_one_of(PUZZLES, name)
}

/// Returns whether this is the name of a puzzle column that may have prompts.
pub(crate) fn is_questions(name: &[u8]) -> bool {
    is_one_of(&["question", "questions"], name)
}

pub(crate) fn is_solutions(name: &[u8]) -> bool {
    is_one_of(SOLUTIONS, name)
}

/// Returns whether this is the name of a column of puzzles, solutions, or canonical forms.
pub(crate) fn is_cells(name: &[u8]) -> bool {
    [PUZZLES, SOLUTIONS, ANSWERS, &["canonical"]].iter().any(|names| is_one_of(names, name))
}

/// Returns the names of solution columns, most likely first.
pub fn of_solutions(are_required: bool) -> impl Iterator<Item = &'static str> {
    let others = if are_required { ANSWERS } else { &[] };
    SOLUTIONS.iter().chain(others).copied()
}

/// Returns the index of a name in [`of_solutions`]. Smaller means more likely.
pub fn solutions(name: &str, are_required: bool) -> Option<usize> {
    of_solutions(are_required).position(|known| is_one_of(&[known], name.as_bytes()))
}

/// Returns whether a line consists of column names, one of which is for puzzles:
/// `quizzes,solutions`.
pub(crate) fn looks_like_header(line: &[u8]) -> bool {
    line.split(|byte| matches!(byte, b',' | b';' | b'\t')).any(is_puzzles)
}

fn is_one_of(names: &[&str], name: &[u8]) -> bool {
    let name = name.trim_ascii();
    let bare = name.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")).unwrap_or(name);
    names.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(bare.trim_ascii()))
}
