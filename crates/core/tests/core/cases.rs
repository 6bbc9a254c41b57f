//! Puzzles and pencil marks with the numbers of their solutions, and random ones.

use bulkdoku::Puzzle;
use bulkdoku::marks::{Digits, Marks};
use bulkdoku::puzzle::CELLS;
use proptest::prelude::*;

use crate::common::{
    CLASSIC, CONTRADICTORY, EMPTY, HARDEST, NONE, SEVENTEEN, SEVENTEEN_SOLVED, SOLVED, TWO,
    full_grid, puzzle,
};

/// A puzzle or marks, and the number of solutions up to a limit.
pub struct Case<G> {
    pub name: &'static str,
    pub given: G,
    pub limit: u32,
    pub solutions: u32,
    /// The solution, if it is unique.
    pub solution: Option<&'static str>,
}

fn case<G>(name: &'static str, given: G, limit: u32, solutions: u32) -> Case<G> {
    Case { name, given, limit, solutions, solution: None }
}

/// Creates a case with exactly one solution.
fn unique<G>(name: &'static str, given: G, solution: &'static str) -> Case<G> {
    Case { name, given, limit: 2, solutions: 1, solution: Some(solution) }
}

pub fn puzzles() -> Vec<Case<Puzzle>> {
    let unique = |name, text, solution| unique(name, puzzle(text), solution);
    let case = |name, text, limit, solutions| case(name, puzzle(text), limit, solutions);
    #[rustfmt::skip]
    let mut cases = vec![
        unique("naked singles suffice", CLASSIC, SOLVED),
        unique("17 clues", SEVENTEEN, SEVENTEEN_SOLVED),
        unique("a full valid grid", SOLVED, SOLVED),
        unique("one blank",
            "53467891267219534819834256785976142342685379171392485696153728428741963534528617.", SOLVED),
        unique("a blank row",
            "534678912672195348198342567859761423.........713924856961537284287419635345286179", SOLVED),
        unique("many guesses", HARDEST,
            "812753649943682175675491283154237896369845721287169534521974368438526917796318452"),
        case("the first only", CLASSIC, 1, 1),
        case("more than there are", CLASSIC, 1000, 1),
        case("two solutions, the first", TWO, 1, 1),
        case("two solutions, proof", TWO, 2, 2),
        case("two solutions, all", TWO, 10, 2),
        // A branch after a sweep that has left no choice must not count its solution twice.
        case("15 solutions",
            "..9.862...4.....8......7.6.1....8.....5.42.7...3671.58....3.425..28....7...725...", 20, 15),
        case("the empty grid, 1", EMPTY, 1, 1),
        case("the empty grid, 2", EMPTY, 2, 2),
        case("the empty grid, 10", EMPTY, 10, 10),
        case("the empty grid, 1000", EMPTY, 1000, 1000),
        case("one clue, 1",
            "........................................7........................................", 1, 1),
        case("one clue, 1000",
            "........................................7........................................", 1000, 1000),
        case("two rows given",
            "534678912672195348...............................................................", 1000, 1000),
        case("no solution: legal clues, a long search", NONE, 2, 0),
        case("no solution: a cell without candidates",
            "12345678.........9...............................................................", 2, 0),
        case("no solution: a digit without a place in a row",
            "234567.........1.................................................................", 2, 0),
        case("no solution: a digit without a place in a column",
            "2........3........4........5........6........7.........1.........................", 2, 0),
        case("no solution: a digit without a place in a box",
            "234..........1...........1.......................................................", 2, 0),
        case("contradictory: a full grid with two digits exchanged",
            "354678912672195348198342567859761423426853791713924856961537284287419635345286179", 2, 0),
        case("contradictory: all ones",
            "111111111111111111111111111111111111111111111111111111111111111111111111111111111", 2, 0),
        case("contradictory: row", CONTRADICTORY, 2, 0),
    ];
    // Two pairs of digits can be swapped in two rectangles of this grid.
    let without_four = SOLVED.replace(['1', '2', '3', '4'], ".");
    let all = 1584;
    for limit in [1, 2, 3, all - 1, all, all + 1, u32::MAX] {
        cases.push(case("1584 solutions", &without_four, limit, limit.min(all)));
    }
    cases
}

/// Returns the marks of the puzzles, in their order, and other marks.
pub fn marks() -> Vec<Case<Marks>> {
    let nothing = Marks::from_cells([Digits::default(); CELLS]);
    let mut shifted_only = two_in_each_cell();
    shifted_only.set(80, Digits::one(1));
    let without_place = (36..45).fold(Marks::ALL, |mut marks, cell| {
        marks.set(cell, set(1..=8));
        marks
    });
    let mut cases: Vec<Case<Marks>> = puzzles()
        .into_iter()
        .map(|Case { name, given, limit, solutions, solution }| Case {
            name,
            given: Marks::from(&given),
            limit,
            solutions,
            solution,
        })
        .collect();
    #[rustfmt::skip]
    cases.extend([
        unique("one of two, by a candidate less", less(TWO, &[(4, 6, "3")]), SOLVED),
        unique("the other of two", less(TWO, &[(4, 6, "1")]), TWO_CHANGED),
        unique("one of two, by another cell", less(TWO, &[(5, 9, "124567")]), TWO_CHANGED),
        case("none of two", less(TWO, &[(4, 6, "1"), (5, 9, "3")]), 10, 0),
        case("a solution's candidate is missing", less(CLASSIC, &[(1, 3, "4")]), 2, 0),
        case("two candidates a cell", two_in_each_cell(), 10, 2),
        case("two candidates a cell, the first", two_in_each_cell(), 1, 1),
        unique("two candidates a cell, one settled", shifted_only, SHIFTED),
        case("a cell without candidates", less(CLASSIC, &[(9, 1, "123456789")]), 2, 0),
        case("a cell without candidates in an empty grid", less(EMPTY, &[(5, 5, "123456789")]), 2, 0),
        case("no candidate at all", nothing, 2, 0),
        case("a digit without a place in a row", without_place, 2, 0),
        case("two equal singles in a row", less(EMPTY, &[(3, 1, "12345678"), (3, 9, "12345678")]), 2, 0),
        case("two equal singles in a box", less(EMPTY, &[(4, 4, "23456789"), (6, 6, "23456789")]), 2, 0),
    ]);
    cases
}

/// The other solution of [`TWO`].
const TWO_CHANGED: &str =
    "534678912672195348198342567859763421426851793713924856961537284287419635345286179";

/// Returns the marks of a puzzle without some candidates: `(row, column, digits)`, counted from 1.
pub fn less(text: &str, taken: &[(usize, usize, &str)]) -> Marks {
    let mut marks = Marks::from(&puzzle(text));
    for &(row, column, digits) in taken {
        let cell = (row - 1) * 9 + column - 1;
        let is_taken = |digit: u8| digits.contains(char::from(b'0' + digit));
        marks.set(cell, set(marks.of_cell(cell).into_iter().filter(|&digit| !is_taken(digit))));
    }
    marks
}

fn set(digits: impl IntoIterator<Item = u8>) -> Digits {
    let mut set = Digits::default();
    digits.into_iter().for_each(|digit| set.insert(digit));
    set
}

/// Returns marks with the digit of [`SOLVED`] and the next digit in each cell. If one cell of a row
/// has its next digit, all cells of the row must, and likewise for columns, so there are two
/// solutions: [`SOLVED`] and [`SHIFTED`].
pub fn two_in_each_cell() -> Marks {
    Marks::from_cells(puzzle(SOLVED).cells().map(|digit| set([digit, digit % 9 + 1])))
}

pub const SHIFTED: &str =
    "645789123783216459219453678961872534537964812824135967172648395398521746456397281";

/// Generates puzzles of all types from a complete grid: nearly empty, several solutions, one
/// solution, redundant clues, complete. Then some cells are set at random, which makes most puzzles
/// unsolvable and many contradictory.
pub fn any_puzzle() -> impl Strategy<Value = Puzzle> {
    let clues = prop_oneof![0..12_usize, 17..26_usize, 24..32_usize, 32..81_usize, Just(81)];
    let damage = prop_oneof![4 => Just(0), 2 => 1..3_usize, 1 => 3..12_usize];
    let order = Just((0..CELLS).collect::<Vec<_>>()).prop_shuffle();
    (full_grid(), order, clues, damage, prop::collection::vec((0..CELLS, 1..=9_u8), 12)).prop_map(
        |(mut cells, order, clues, damage, changes)| {
            order[clues..].iter().for_each(|&cell| cells[cell] = 0);
            changes[..damage].iter().for_each(|&(cell, digit)| cells[cell] = digit);
            Puzzle::from_cells(cells).expect("digits up to 9")
        },
    )
}

/// Generates marks that contain a grid, with few or many candidates. Then some cells are changed at
/// random, which makes many of them unsolvable.
pub fn any_marks() -> impl Strategy<Value = Marks> {
    let share = 0..=100_u8;
    let damage = prop_oneof![3 => Just(0), 2 => 1..3_usize, 1 => 3..12_usize];
    let changes = prop::collection::vec((0..CELLS, 0..0x200_u16), 12);
    let chances = prop::collection::vec(0..100_u8, CELLS * 9);
    (full_grid(), share, chances, damage, changes).prop_map(
        |(grid, share, chances, damage, changes)| {
            let is_marked = |cell: usize, digit: u8| {
                grid[cell] == digit || chances[cell * 9 + usize::from(digit) - 1] < share
            };
            let of_cell = |cell| set((1..=9).filter(|&digit| is_marked(cell, digit)));
            let mut marks = Marks::from_cells(std::array::from_fn(of_cell));
            for &(cell, mask) in &changes[..damage] {
                marks.set(cell, set((1..=9).filter(|digit| mask >> (digit - 1) & 1 != 0)));
            }
            marks
        },
    )
}
