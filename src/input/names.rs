//! The usual names of the columns of puzzle files.
//!
//! Comparison ignores case, surrounding white space and quotation marks.

/// Columns that hold puzzles. (`clues` is not one: files use it for the number of clues.)
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

/// Columns that hold solutions, the likeliest first (`solutions` may be their number).
pub const SOLUTIONS: &[&str] = &["solution", "solutions", "answer", "answers", "solved"];

/// Whether a column of this name holds puzzles.
pub fn is_puzzles(name: &[u8]) -> bool {
    is_one_of(PUZZLES, name)
}

/// Whether a column of this name holds solutions.
pub fn is_solutions(name: &[u8]) -> bool {
    is_one_of(SOLUTIONS, name)
}

/// The place of a name in [`SOLUTIONS`]: the smaller, the likelier the column holds solutions.
pub fn solutions(name: &str) -> Option<usize> {
    SOLUTIONS.iter().position(|known| is_one_of(&[known], name.as_bytes()))
}

/// Whether a line names columns, one of which holds puzzles: `quizzes,solutions`.
pub fn looks_like_header(line: &[u8]) -> bool {
    line.split(|byte| matches!(byte, b',' | b';' | b'\t')).any(is_puzzles)
}

fn is_one_of(names: &[&str], name: &[u8]) -> bool {
    let name = name.trim_ascii();
    let bare = name.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")).unwrap_or(name);
    names.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(bare.trim_ascii()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_known_files_are_recognized() {
        for header in [
            "quizzes,solutions",
            "puzzle,solution",
            "id,puzzle,solution,clues,difficulty",
            "source,question,answer,rating",
            "\"Puzzle\" ; \"Solution\"\r",
            "id\tSudoku",
            "puzzle",
        ] {
            assert!(looks_like_header(header.as_bytes()), "{header}");
        }
        for other in ["", "53..7", "id,solution", "Grid 01", "puzzles of May, first part", "\""] {
            assert!(!looks_like_header(other.as_bytes()), "{other}");
        }
    }

    #[test]
    fn a_column_holds_puzzles_or_solutions() {
        assert!(is_puzzles(b" QUIZ ") && !is_solutions(b"quiz"));
        assert!(is_solutions(b"\"answer\"") && !is_puzzles(b"answer"));
        assert!(!is_puzzles(b"clues"));
    }
}
