//! Help, completions, color, and progress.

use std::sync::LazyLock;

use bulkdoku::SimdLevel;

use crate::common::command::{CLASSIC, Folder, Ran};

fn run(words: &[&str]) -> Ran {
    Folder::new().run(words[0], &words[1..], "")
}

/// The subcommands that the help lists, except `help`, with their short and long help.
static SUBCOMMANDS: LazyLock<Vec<(String, [String; 2])>> = LazyLock::new(|| {
    let help = run(&["--help"]).rows;
    let (_, list) = help.split_once("\nCommands:\n").unwrap();
    let (list, _) = list.split_once("\n\n").unwrap();
    // The continuation of a description is indented further.
    let lines = list.lines().filter_map(|line| line.strip_prefix("  "));
    let names =
        lines.filter(|line| !line.starts_with(' ')).filter_map(|line| line.split(' ').next());
    let pages = |name: &str| {
        [[name, "-h"], [name, "--help"]].map(|words| {
            let ran = run(&words);
            assert_eq!(ran.status, 0, "{ran:?}");
            ran.rows
        })
    };
    names.filter(|&name| name != "help").map(|name| (name.to_owned(), pages(name))).collect()
});

fn help_of(subcommand: &str) -> &'static [String; 2] {
    &SUBCOMMANDS.iter().find(|(name, _)| name == subcommand).unwrap().1
}

#[test]
fn help_is_short_on_request_and_wrapped_once() {
    assert_eq!(run(&["help", "solve"]).rows, help_of("solve")[1]);
    for (_, [short, long]) in &*SUBCOMMANDS {
        assert!(short.lines().count() <= 80, "{short}");
        let is_text = |line: &str| line.starts_with(char::is_alphanumeric) && !line.ends_with(':');
        let lines: Vec<_> = long.lines().collect();
        for pair in lines.windows(2).filter(|pair| pair.iter().all(|line| is_text(line))) {
            let next = pair[1].split(' ').next().unwrap_or_default();
            let length = pair[0].chars().count() + 1 + next.chars().count();
            assert!(length > 100, "this line could take the next word: {}", pair[0]);
        }
    }
}

#[test]
fn options_are_in_groups() {
    let of_records = ["Input", "Output", "Search", "Run"];
    for (subcommand, groups) in [
        ("solve", &of_records[..]),
        ("check", &of_records),
        ("trace", &of_records),
        ("bench", &["Input", "Output", "Solvers", "Search", "Run"]),
        ("canon", &["Input", "Output", "Run"]),
        ("split", &["Input", "Output", "Parts", "Run"]),
        ("augment", &["Input", "Output", "Isomorphs", "Run"]),
        ("generate", &["Corpus", "Output", "Run"]),
    ] {
        for help in help_of(subcommand) {
            let headings = help.lines().filter_map(|line| line.strip_suffix(':'));
            let others = ["Arguments", "Options", "Examples", "Statuses", "Columns"];
            let is_group = |line: &&str| !line.contains(' ') && !others.contains(line);
            assert!(headings.filter(is_group).eq(groups.iter().copied()), "{subcommand}: {help}");
        }
    }
}

#[cfg(feature = "full")]
#[test]
fn shells_get_completions() {
    for (shell, part) in [
        ("bash", "complete -F _bulkdoku"),
        ("zsh", "#compdef bulkdoku"),
        ("fish", "complete -c bulkdoku"),
        ("powershell", "Register-ArgumentCompleter"),
        ("elvish", "edit:completion"),
    ] {
        let script = run(&["completions", shell]);
        assert_eq!(script.status, 0, "{script:?}");
        for part in [part, "generate", "max-nodes"] {
            assert!(script.rows.contains(part), "{shell}: {part}");
        }
    }
    assert_eq!(run(&["completions", "tcsh"]).status, 2);
}

#[test]
fn the_long_version_lists_the_vector_levels() {
    let name = format!("bulkdoku {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!((run(&["-V"]).rows, run(&["-V"]).status), (name.clone(), 0));
    let levels: Vec<_> = SimdLevel::available().iter().map(|level| level.name()).collect();
    let long = format!("{name}vector levels: {}\n", levels.join(", "));
    assert_eq!(run(&["--version"]).rows, long);
}

#[test]
fn color_is_shown_on_request() {
    let bold = "\u{1b}[1m";
    assert!(!run(&["show", CLASSIC]).rows.contains(bold));
    assert!(run(&["show", "--color", "always", CLASSIC]).rows.contains(bold));
    assert!(!run(&["show", "--color", "never", CLASSIC]).rows.contains(bold));
    // The option may precede the subcommand, and affects messages.
    assert!(run(&["--color=always", "show", CLASSIC]).rows.contains(bold));
    assert!(run(&["solve", "none", "--color=always"]).messages.contains("\u{1b}["));
    assert!(!run(&["solve", "none"]).messages.contains('\u{1b}'));
    assert_eq!(run(&["show", "--color", "pink", CLASSIC]).status, 2);
}

#[test]
fn progress_is_shown_on_request() {
    let folder = Folder::new();
    folder.file("in", format!("{CLASSIC}\n").repeat(3));
    for (line, part) in [
        ("solve in -q", "100%, "),
        ("check in --solutions in --first -q", "3 puzzles"),
        ("generate -n 5 -s 1", "5 puzzles"),
    ] {
        let with = |when: &str| folder.line(&format!("{line} --progress {when}")).messages;
        let shown = with("always");
        assert!(shown.contains("progress: ") && shown.contains(part), "{line}: {shown}");
        assert!(with("10s").contains("progress: "), "{line}");
        assert!(!with("never").contains("progress: "));
    }
}
