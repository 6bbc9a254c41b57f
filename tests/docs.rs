//! Links between documents, the contents of the book, and the commands in documents.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::{env, fs};

use bulkdoku::logic::{Definition, Technique};

use crate::common::command::Folder;

/// Returns text without code blocks.
fn prose(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    text.split("```").step_by(2).collect()
}

/// Returns the anchors of headings, as GitHub and mdBook derive them.
fn anchors(path: &Path) -> HashSet<String> {
    let prose = prose(path);
    let headings = prose.lines().filter(|line| line.starts_with('#'));
    let anchor = |heading: &str| {
        let text = heading.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
        text.chars().filter(|c| c.is_alphanumeric() || "-_".contains(*c)).collect()
    };
    headings.map(anchor).collect()
}

/// Returns the relative targets of links and images in a document.
fn links(path: &Path) -> Vec<String> {
    let prose = prose(path);
    let targets = prose.split("](").skip(1).map(|rest| rest.split(')').next().unwrap());
    // The book is built next to the pages of `cargo doc`.
    let is_checked =
        |target: &&str| !target.contains("://") && !target.contains("../doc/bulkdoku/");
    targets.filter(is_checked).map(str::to_owned).collect()
}

fn documents() -> Vec<PathBuf> {
    let files = ["docs", "."].map(|folder| fs::read_dir(folder).unwrap());
    let files = files.into_iter().flatten().map(|file| file.unwrap().path());
    files.filter(|path| path.extension().is_some_and(|extension| extension == "md")).collect()
}

#[test]
fn links_lead_to_documents_and_headings() {
    let mut count = 0;
    for document in documents() {
        for link in links(&document) {
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = match file {
                "" => document.clone(),
                _ => document.parent().unwrap().join(file),
            };
            assert!(target.exists(), "{}: {link}", document.display());
            let has_anchor = anchor.is_empty() || anchors(&target).contains(anchor);
            assert!(has_anchor, "{}: no heading for {link}", document.display());
            count += 1;
        }
    }
    assert!(count > 50, "{count} links");
}

#[test]
fn the_book_contains_every_document() {
    let summary = Path::new("docs/SUMMARY.md");
    let listed: HashSet<_> =
        links(summary).iter().map(|link| Path::new("docs").join(link)).collect();
    for document in documents().iter().filter(|path| path.starts_with("docs") && *path != summary) {
        assert!(listed.contains(document), "{} is not in the summary", document.display());
    }
}

/// The page of techniques is generated: with `WRITE_DOCS`, this test writes it.
#[test]
fn the_page_of_techniques_is_that_of_the_crate() {
    let path = "docs/techniques.md";
    let text = fs::read_to_string(path).unwrap();
    let mut page = text.split("\n## ").next().unwrap().to_owned();
    let examples: Vec<_> = Technique::all().filter_map(Technique::example).collect();
    let folder = Folder::new();
    folder.file("examples", examples.join("\n"));
    let paths = folder.line("show examples --path").rows;
    let mut paths = paths.split("# examples:").skip(1);
    page.extend(Technique::all().map(|technique| {
        entry(technique, technique.example().and_then(|_| paths.next()).unwrap_or_default())
    }));
    if env::var_os("WRITE_DOCS").is_some() {
        return fs::write(path, page).unwrap();
    }
    assert!(text == page, "{path} is not that of the crate; WRITE_DOCS=1 cargo test writes it");
}

/// Returns the entry of a technique, with a step of the path of its example.
fn entry(technique: Technique, path: &str) -> String {
    let Definition { name, se, score, .. } = technique.definition();
    let difficulty = technique.difficulty();
    let description = technique.description();
    let start = format!("\n## {name}\n\n{description}\n\nDifficulty {difficulty}, score {score}");
    let mut parts = vec![start];
    if *se > 0 {
        parts.push(format!(", Sudoku Explainer {}.{}", se / 10, se % 10));
    }
    for (program, name) in ["HoDoKu", "sudokuwiki.org"].iter().zip(technique.other_names()) {
        parts.push(match name {
            "" => format!(". Not in {program}"),
            name => format!(". {program}: {name}"),
        });
    }
    parts.push(".\n".into());
    if let Some(puzzle) = technique.example() {
        let (_, path) = path.split_once('\n').unwrap();
        let blocks: Vec<_> = path.split("\n\n").collect();
        let is_step = |block: &&str| block.starts_with(&format!("{name}: "));
        let at = blocks.iter().position(is_step).unwrap_or_else(|| panic!("{name}: {path}"));
        let sentence = blocks[at].lines().next().unwrap().split_once(": ").unwrap().1;
        let board = blocks[at + 1];
        parts.push(format!("\n```text\n{puzzle}\n{sentence}\n\n{board}\n```\n"));
    }
    parts.concat()
}

/// The commands in documents, run by a shell.
#[cfg(unix)]
mod commands {
    use std::env;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::Path;
    use std::process::{Command, Output, Stdio};

    use crate::common::command::{BULKDOKU, Folder};

    struct Block {
        /// The words after the fence, such as `console,ignore`.
        info: String,
        text: String,
    }

    fn blocks(path: &Path) -> Vec<Block> {
        let text = fs::read_to_string(path).unwrap();
        let parts: Vec<_> = text.split("```").collect();
        let block = |pair: &[&str]| {
            let (info, code) = pair[1].split_once('\n').unwrap();
            // A block within a list is indented.
            let indent = pair[0].rsplit('\n').next().unwrap();
            let lines = code.lines().map(|line| line.strip_prefix(indent).unwrap_or(line));
            Block { info: info.to_owned(), text: lines.map(|l| format!("{l}\n")).collect() }
        };
        parts.chunks_exact(2).map(block).collect()
    }

    /// The pages whose `sh` blocks `python/tests` runs, with the tools that they need.
    const OF_PYTHON: [&str; 2] = ["docs/recipes.md", "docs/scale.md"];

    /// Creates a folder with the bundled datasets and a command `bulkdoku` that runs `script`.
    fn folder(script: &str) -> Folder {
        let folder = Folder::new();
        symlink(fs::canonicalize("datasets").unwrap(), folder.path("datasets")).unwrap();
        fs::create_dir(folder.path("bin")).unwrap();
        let command = folder.file("bin/bulkdoku", format!("#!/bin/sh\n{script}\n"));
        fs::set_permissions(command, fs::Permissions::from_mode(0o755)).unwrap();
        folder
    }

    fn shell(folder: &Folder, line: &str) -> Output {
        let path = format!("{}:{}", folder.path("bin").display(), env::var("PATH").unwrap());
        let mut command = Command::new("sh");
        command.args(["-c", line]).current_dir(folder.path(".")).env("PATH", path);
        command.stdin(Stdio::null()).output().unwrap()
    }

    /// Replaces everything that differs between runs: times, rates, threads, and the SIMD level.
    fn without_measurements(line: &str) -> String {
        const UNITS: &[&str] = &["ns", "µs", "ms", "s", "a", "per", "thread", "threads"];
        let words: Vec<_> = line.split(' ').collect();
        let is_unit = |word: &str| UNITS.contains(&word.trim_end_matches(','));
        let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
        let is_measured = |i: usize| {
            is_number(words[i]) && words.get(i + 1).is_some_and(|&next| is_unit(next))
                || i > 0 && is_unit(words[i]) && is_number(words[i - 1])
                || words[i].starts_with('(') && words[i].ends_with("),")
        };
        let kept = (0..words.len()).map(|i| if is_measured(i) { "*" } else { words[i] });
        kept.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn blocks_run_and_print_what_documents_show() {
        let (mut commands, mut scripts) = (0, 0);
        for document in super::documents() {
            let folder = folder(&format!("exec '{BULKDOKU}' \"$@\""));
            let is_of_python = OF_PYTHON.iter().any(|page| document == Path::new(page));
            for block in blocks(&document) {
                match &*block.info {
                    "console" => commands += run_console(&document, &folder, &block.text),
                    "sh" if !is_of_python => {
                        let output = shell(&folder, &format!("set -e\n{}", block.text));
                        let has_succeeded = output.status.success();
                        assert!(has_succeeded, "{}: {}{output:?}", document.display(), block.text);
                        scripts += 1;
                    }
                    _ => {}
                }
            }
        }
        assert!(commands >= 15 && scripts >= 3, "{commands} commands, {scripts} scripts");
    }

    /// Runs the commands of a block; returns their number.
    fn run_console(document: &Path, folder: &Folder, block: &str) -> usize {
        let text = format!("\n{}", block.replace("\\\n", ""));
        let steps = text.split("\n$ ").skip(1);
        let run = |step: &str| {
            let (line, expected) = step.split_once('\n').unwrap_or((step, ""));
            // `cat` of a file that does not exist yet defines its contents.
            match line.strip_prefix("cat ").filter(|name| !folder.path(name).exists()) {
                Some(name) => _ = folder.file(name, format!("{}\n", expected.trim_end())),
                None => assert_prints(document, folder, line, expected),
            }
        };
        steps.map(run).count()
    }

    fn assert_prints(document: &Path, folder: &Folder, line: &str, expected: &str) {
        let output = shell(folder, line);
        let printed = [output.stdout, output.stderr].concat();
        let printed = String::from_utf8(printed).unwrap();
        let lines =
            |text: &str| text.trim_end().lines().map(without_measurements).collect::<Vec<_>>();
        let is_shown = is_shown(&lines(expected), &lines(&printed));
        assert!(is_shown, "{}: {line}\n{printed}", document.display());
    }

    /// Returns whether `printed` matches a document, in which a line `...` matches any lines.
    fn is_shown(shown: &[String], printed: &[String]) -> bool {
        match shown.split_first() {
            None => printed.is_empty(),
            Some((dots, others)) if dots == "..." => {
                (0..=printed.len()).any(|from| is_shown(others, &printed[from..]))
            }
            Some((line, others)) => {
                printed.first() == Some(line) && is_shown(others, &printed[1..])
            }
        }
    }

    /// These blocks take long, or need files, signals at the right moment, or a full disk. With
    /// `--help` as the last word, commands still report errors in the words before it.
    #[test]
    fn ignored_blocks_have_valid_options() {
        let (mut checked, mut ignored) = (0, 0);
        for document in super::documents() {
            let check = format!("echo >> checked; exec '{BULKDOKU}' \"$@\" --help 2>> errors");
            let folder = folder(&check);
            for block in blocks(&document).iter().filter(|block| block.info.ends_with(",ignore")) {
                ignored += 1;
                let text = block.text.replace("\\\n", " ");
                let lines = text.lines().map(|line| line.trim_start_matches("$ "));
                for line in lines.filter(|line| line.starts_with("bulkdoku ")) {
                    shell(&folder, line);
                }
            }
            if folder.path("checked").exists() {
                let errors = folder.read("errors");
                assert!(errors.is_empty(), "{}: {errors}", document.display());
                checked += folder.read("checked").lines().count();
            }
        }
        // Whoever ignores another block changes this number.
        assert_eq!(ignored, 21);
        assert!(checked >= 5, "{checked} commands");
    }
}
