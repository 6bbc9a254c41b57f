//! The smallest solution, lists of solutions, and the formats of judge problems.

use crate::common::SMALLEST;
use crate::common::command::Folder;
use crate::common::forms::rows_of;

/// The example of BOJ 2580.
const EXAMPLE: &str = "\
0 3 5 4 6 9 2 7 8
7 8 2 1 0 5 6 0 9
0 6 0 2 7 8 1 3 5
3 2 1 0 4 6 8 9 7
8 0 4 9 1 3 5 0 6
5 9 6 8 2 0 4 1 3
9 1 7 6 5 2 0 8 0
6 0 3 7 0 1 9 5 2
2 5 8 3 9 4 7 6 0
";

const EXAMPLE_SOLVED: &str = "\
1 3 5 4 6 9 2 7 8
7 8 2 1 3 5 6 4 9
4 6 9 2 7 8 1 3 5
3 2 1 5 4 6 8 9 7
8 7 4 9 1 3 5 2 6
5 9 6 8 2 7 4 1 3
9 1 7 6 5 2 3 8 4
6 4 3 7 8 1 9 5 2
2 5 8 3 9 4 7 6 1
";

/// Returns standard output, standard error, and the exit status.
fn solve(options: &str, input: &str) -> (String, String, i32) {
    let ran = Folder::new().with_input(&format!("solve {options}"), input);
    (ran.rows, ran.messages, ran.status)
}

/// Formats nine lines of digits, separated by `between`.
fn grid(cells: &str, between: &str) -> String {
    rows_of(cells, between, "0").join("\n") + "\n"
}

#[test]
fn the_example_of_boj_2580() {
    let options = "--input-format boj2580 --format boj2580";
    let expected = (EXAMPLE_SOLVED.to_owned(), String::new(), 0);
    assert_eq!(solve(options, EXAMPLE), expected);
    // Without the last line feed, and several puzzles in one stream.
    assert_eq!(solve(options, EXAMPLE.trim_end()), expected);
    let (rows, messages, status) = solve(options, &EXAMPLE.repeat(2000));
    assert_eq!((rows, messages.as_str(), status), (EXAMPLE_SOLVED.repeat(2000), "", 0));
}

#[test]
fn boj_2239_outputs_the_smallest_solution() {
    let options = "--input-format boj2239 --format boj2239";
    let input = SMALLEST.map(|[puzzle, _]| grid(puzzle, "")).concat();
    let expected = SMALLEST.map(|[_, solution]| grid(solution, "")).concat();
    assert_eq!(solve(options, &input), (expected, String::new(), 0));
}

#[test]
fn without_a_solution_there_is_only_a_message() {
    for (format, between) in [("boj2580", " "), ("boj2239", "")] {
        let options = format!("--input-format {format} --format {format}");
        let contradictory = format!("5.5{}", ".".repeat(78));
        let unsolvable = format!("12345678.........9{}", ".".repeat(63));
        for (puzzle, reason) in [
            (&contradictory, "5 occurs twice in row 1"),
            (&unsolvable, "unsolvable: there is no solution"),
        ] {
            let (rows, messages, status) = solve(&options, &grid(puzzle, between));
            assert_eq!((rows.as_str(), status), ("", 1), "{messages}");
            assert!(messages.contains(reason), "{messages}");
            assert_eq!(messages.lines().count(), 1, "{messages}");
        }
        let (rows, messages, status) = solve(&options, "12\n");
        assert_eq!((rows.as_str(), status), ("", 1), "{messages}");
        assert!(messages.starts_with("<stdin>:1:3: malformed: "), "{messages}");
    }
}
