//! Help, completions, manual pages, color, and progress.

use crate::common::command::{CLASSIC, Folder, Ran};

fn run(words: &[&str]) -> Ran {
    Folder::new().run(words[0], &words[1..], "")
}

/// Returns the subcommands that the help lists, except `help`.
fn subcommands() -> Vec<String> {
    let help = run(&["--help"]).rows;
    let (_, list) = help.split_once("\nCommands:\n").unwrap();
    let (list, _) = list.split_once("\n\n").unwrap();
    // The continuation of a description is indented further.
    let lines = list.lines().filter_map(|line| line.strip_prefix("  "));
    let names =
        lines.filter(|line| !line.starts_with(' ')).filter_map(|line| line.split(' ').next());
    names.filter(|&name| name != "help").map(str::to_owned).collect()
}

#[test]
fn short_help_has_a_line_for_each_common_option() {
    for subcommand in subcommands() {
        let help = run(&[&subcommand, "-h"]);
        assert_eq!(help.status, 0);
        assert!(help.rows.lines().count() <= 50, "{}", help.rows);
        for line in help.rows.lines() {
            // A continuation line would be indented further.
            assert!(!line.starts_with(&" ".repeat(9)) && line.chars().count() <= 100, "{line}");
        }
    }
}

#[test]
fn options_are_in_groups() {
    for (subcommand, groups) in [
        ("solve", &["Input", "Output", "Search", "Run"][..]),
        ("check", &["Input", "Output", "Search", "Run"]),
        ("bench", &["Input", "Output", "Solvers", "Search", "Run"]),
        ("canon", &["Input", "Output", "Run"]),
        ("split", &["Input", "Output", "Parts", "Run"]),
        ("augment", &["Input", "Output", "Isomorphs", "Run"]),
        ("trace", &["Input", "Output", "Search", "Run"]),
        ("generate", &["Corpus", "Output", "Run"]),
    ] {
        for flag in ["-h", "--help"] {
            let help = run(&[subcommand, flag]).rows;
            let is_group =
                |line: &&str| !line.starts_with(' ') && line.ends_with(':') && !line.contains(' ');
            let found: Vec<_> = help.lines().filter(is_group).collect();
            let mut expected = vec!["Arguments:".to_owned()];
            expected.extend(groups.iter().map(|group| format!("{group}:")));
            let others = ["Arguments:", "Examples:", "Statuses:", "Columns:"];
            let found: Vec<_> =
                found.into_iter().filter(|line| !others[1..].contains(line)).collect();
            let start = usize::from(subcommand == "generate");
            assert_eq!(found, expected[start..], "{subcommand} {flag}: {help}");
        }
    }
    let help = run(&["solve", "--help"]).rows;
    let group = |name: &str| {
        let (_, rest) = help.split_once(&format!("\n{name}:\n")).unwrap();
        let end = rest.find("\n\n\n").or(rest.find("Examples:")).unwrap_or(rest.len());
        let next = ["Output", "Search", "Run"]
            .iter()
            .filter_map(|next| rest.find(&format!("\n{next}:\n")).filter(|at| *at < end));
        rest[..next.min().unwrap_or(end)].to_owned()
    };
    assert!(group("Input").contains("--column") && !group("Input").contains("--limit"));
    assert!(group("Search").contains("--limit") && group("Search").contains("--engine"));
    assert!(group("Output").contains("--resume") && group("Run").contains("--threads"));
}

#[test]
fn help_lists_the_values_of_options() {
    let help = run(&["help", "solve"]).rows;
    for value in [
        "boj2580",
        "boj2239",
        "jsonl",
        "ndjson",
        "grid",
        "lines",
        "lanes",
        "scalar",
        "propagate",
        "backtrack-scan",
        "backtrack-flags",
        "backtrack-mask",
        "avx512",
        "sse4.2",
        "portable",
        "lex-first",
    ] {
        assert!(help.contains(value), "{value}: {help}");
    }
    let short = run(&["solve", "-h"]).rows;
    for value in ["boj2239", "jsonl", "backtrack", "lex-first"] {
        assert!(short.contains(value), "{value}: {short}");
    }
}

#[test]
fn long_help_is_at_most_120_lines_and_wrapped_once() {
    for subcommand in subcommands() {
        let help = run(&[&subcommand, "--help"]).rows;
        assert!(help.lines().count() <= 120, "{help}");
        let is_text = |line: &str| line.starts_with(char::is_alphanumeric) && !line.ends_with(':');
        let lines: Vec<_> = help.lines().collect();
        for pair in lines.windows(2).filter(|pair| pair.iter().all(|line| is_text(line))) {
            let next = pair[1].split(' ').next().unwrap_or_default();
            let length = pair[0].chars().count() + 1 + next.chars().count();
            assert!(length > 100, "this line could take the next word: {}", pair[0]);
        }
        // The full help has more details.
        let full = run(&["help", &subcommand]).rows;
        assert!(full.lines().count() >= help.lines().count(), "{subcommand}");
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

#[cfg(feature = "full")]
#[test]
fn every_subcommand_has_a_manual_page() {
    let folder = Folder::new();
    let main = folder.run("man", &[], "");
    assert!(main.rows.contains(".TH bulkdoku 1") && main.rows.contains("solve"), "{}", main.rows);
    std::fs::create_dir(folder.path("man1")).unwrap();
    assert_eq!(folder.run("man", &["--dir", "man1"], "").status, 0);
    for subcommand in subcommands() {
        let page = folder.run("man", &[&subcommand], "");
        assert_eq!(page.status, 0, "{page:?}");
        assert!(page.rows.contains(&format!(".TH bulkdoku-{subcommand} 1")), "{}", page.rows);
        assert_eq!(folder.read(&format!("man1/bulkdoku-{subcommand}.1")), page.rows);
    }
    assert_eq!(folder.read("man1/bulkdoku.1"), main.rows);
    // Existing pages are not overwritten.
    assert_eq!(folder.run("man", &["--dir", "man1"], "").status, 2);
    assert_eq!(folder.run("man", &["--dir", "man1", "--force"], "").status, 0);
    assert_eq!(folder.run("man", &["sing"], "").status, 2);
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
    let bench = ["bench", "in", "--rounds", "1", "--rows", "9", "--round-time", "10ms"];
    for (words, part) in [
        (&["solve", "in", "-q"][..], "100%, "),
        (&["check", "in", "--solutions", "in", "--first", "-q"], "3 puzzles"),
        (&["generate", "-n", "5", "-s", "1"], "5 puzzles"),
        (&bench, "100%, "),
    ] {
        let with = |when: &str| {
            let ran = folder.run(words[0], &[&words[1..], &["--progress", when]].concat(), "");
            ran.messages
        };
        let shown = with("always");
        assert!(shown.contains("progress: ") && shown.contains(part), "{words:?}: {shown}");
        assert!(with("10s").contains("progress: "), "{words:?}");
        assert!(!with("never").contains("progress: "));
    }
    let refused = [
        ("solve in --progress 1ms", "at least 100ms"),
        ("solve in --progress often", "auto, always, never, or an interval such as 30s"),
    ];
    folder.assert_refused(&refused);
}
