//! The smallest solution, lists of solutions, and the formats of judge problems.

use crate::common::SMALLEST;
use crate::common::command::Folder;
use crate::common::forms::rows_of;

/// The example of BOJ 2580, and its solution.
const EXAMPLE: [&str; 2] = [
    ".354692787821.56.9.6.278135321.468978.49135.659682.413917652.8.6.37.195225839476.",
    "135469278782135649469278135321546897874913526596827413917652384643781952258394761",
];

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
    let [example, solved] = EXAMPLE.map(|cells| grid(cells, " "));
    let expected = (solved.clone(), String::new(), 0);
    assert_eq!(solve(options, &example), expected);
    // Without the last line feed, and several puzzles in one stream.
    assert_eq!(solve(options, example.trim_end()), expected);
    let (rows, messages, status) = solve(options, &example.repeat(2000));
    assert_eq!((rows, messages.as_str(), status), (solved.repeat(2000), "", 0));
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
