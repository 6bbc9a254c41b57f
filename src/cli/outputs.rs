//! Outputs: all are opened before work starts, and no file is overwritten by accident.

use std::collections::HashSet;
use std::fs;
use std::mem;
use std::path::{Path, PathBuf};

use bulkdoku::Compression;
use bulkdoku::output::Needs;
use bulkdoku::pipeline::MessageFormat;

use super::identity::{Identity, STDIN, stored};
use super::out::{OpenOutput, OutputTarget, replaced_message};
use super::platform::FileId;
use super::resume::{Disk, JournalFile, remove_unused};
use super::{Failure, extensions};

/// The files that a run writes.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Output")]
pub struct Destinations {
    /// Where the rows go [default: standard output]
    ///
    /// A name that ends with .gz or .zst compresses them.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Write a histogram of latencies: .csv .hgrm .hlog
    ///
    /// By the name: .hgrm has percentiles, .hlog is an interval log, both in the forms of the HDR
    /// histogram library; any other name has all buckets as CSV.
    #[arg(long, value_name = "FILE")]
    pub latency: Option<PathBuf>,

    /// Write the summary as JSON
    #[arg(long, value_name = "FILE")]
    pub summary_json: Option<PathBuf>,

    /// Write a page with charts of the run, as HTML
    ///
    /// Techniques, levels, clues, and guesses, statuses, latency, and throughput over time, in one
    /// file that needs no other. Techniques and levels are computed for it.
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,

    /// Replace output files that exist
    #[arg(long)]
    pub force: bool,

    /// Resume a run that was ended, with the same options
    ///
    /// Inputs and options have to be the same. Without an earlier run this one starts; if the
    /// output is complete, nothing is done.
    #[arg(long, requires = "output", conflicts_with = "force")]
    pub resume: bool,

    /// Write every message about an invalid record
    ///
    /// Standard error shows the first few only. A name that ends with .jsonl or .ndjson has a JSON
    /// object for each, with the keys file, line, column, status, reason and text; others have the
    /// text that standard error shows.
    #[arg(long, value_name = "FILE")]
    pub errors: Option<PathBuf>,

    /// The outputs of rows, if there are several. The journal is next to `output`.
    #[arg(skip)]
    pub parts: Vec<PathBuf>,

    /// Whether all files have temporary names until the rows are complete.
    #[arg(skip)]
    pub is_temporary: bool,
}

impl Destinations {
    /// Rejects names of side outputs with extensions that do not match their contents.
    pub fn check_sides(&self) -> Result<(), Failure> {
        let sides = [
            ("--latency", &self.latency, &["csv", "hgrm", "hlog"][..]),
            ("--errors", &self.errors, &["err", "errors", "jsonl", "ndjson"]),
            ("--summary-json", &self.summary_json, &["json"]),
            ("--report", &self.report, &["html", "htm"]),
        ];
        for (flag, path, known) in sides {
            let Some(path) = path else { continue };
            if let Some(compression) = Compression::of_name(path) {
                let (name, plain) = (path.display(), path.with_extension(""));
                refuse!(
                    "{flag} {name}: what is written there is never compressed, only rows are; \
                     leave out .{}: {}",
                    compression.name(),
                    plain.display()
                );
            }
            let extension =
                extensions::of(path).filter(|extension| !known.contains(&extension.as_str()));
            if let Some(extension) = extension {
                return Err(extensions::refused(
                    path,
                    &extension,
                    &format!("the output of {flag}"),
                    known,
                    "",
                ));
            }
            extensions::check(path)?;
        }
        Ok(())
    }
}

/// The treatment of output files that exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing<'a> {
    /// Do not start the run.
    Refused,
    /// Replace them.
    Replaced,
    /// Keep files with these paths, and empty ones, until their contents are checked, because an
    /// earlier run may have written them. Reject other files.
    Kept(&'a [String]),
}

impl Existing<'_> {
    /// Creates the treatment requested by `--force`.
    pub fn or_force(force: bool) -> Self {
        if force { Self::Replaced } else { Self::Refused }
    }

    /// Rejects a file that must not be overwritten.
    fn allow(self, target: OutputTarget<'_>) -> Result<(), Failure> {
        let Some(path) = target.regular() else { return Ok(()) };
        let Ok(found) = fs::metadata(path) else { return Ok(()) };
        let is_allowed = match self {
            Self::Refused => false,
            Self::Replaced => true,
            Self::Kept(paths) => found.len() == 0 || paths.contains(&stored(path)),
        };
        if is_allowed { Ok(()) } else { Err(refuse(path)) }
    }

    /// Rejects an open and locked file that another run has written or removed in the meantime.
    fn recheck(self, target: OutputTarget<'_>, out: &OpenOutput) -> Result<(), Failure> {
        if let Some(message) = replaced_message(out) {
            refuse!("{message}");
        }
        match self {
            Self::Refused if out.length().is_ok_and(|length| length > Some(0)) => {
                Self::Refused.allow(target)
            }
            Self::Refused | Self::Replaced => Ok(()),
            Self::Kept(_) => self.allow(target),
        }
    }
}

impl Destinations {
    /// Returns the format of messages, by the extension of their file.
    pub fn message_format(&self) -> MessageFormat {
        match self.errors.as_deref().and_then(extensions::of).as_deref() {
            Some("jsonl" | "ndjson") => MessageFormat::Json,
            _ => MessageFormat::Text,
        }
    }

    /// Returns the properties counted for the report and the summary. Levels take longer than most
    /// searches, so they are computed only for the report.
    pub fn statistics(&self) -> Option<Needs> {
        let of_page = self.report.is_some().then_some(Needs::LEVEL.union(Needs::PATH));
        of_page.or(self.summary_json.is_some().then_some(Needs::NONE))
    }

    /// Returns the output of rows, or the common name of several outputs.
    pub fn rows(&self) -> OutputTarget<'_> {
        self.output.as_deref().map_or(OutputTarget::Stdout, OutputTarget::of)
    }

    pub fn all_rows(&self) -> Vec<OutputTarget<'_>> {
        if self.parts.is_empty() {
            return vec![self.rows()];
        }
        self.parts.iter().map(|path| OutputTarget::of(path)).collect()
    }

    /// Returns the requested side outputs, starting with messages.
    fn sides(&self) -> [Option<OutputTarget<'_>>; 4] {
        [&self.errors, &self.latency, &self.summary_json, &self.report]
            .map(|path| path.as_deref().map(OutputTarget::of))
    }

    /// Returns the identities of the files that the run writes, except its journal.
    pub fn identities(&self) -> HashSet<Identity> {
        let files = self.all_rows().into_iter().chain(self.sides().into_iter().flatten());
        files.filter_map(|target| Identity::of(target.regular()?)).collect()
    }

    /// Returns the paths of the outputs of rows, and then that of messages.
    pub fn stored_outputs(&self) -> Vec<String> {
        let all = self.all_rows().into_iter().chain(self.sides()[0]);
        all.map(OutputTarget::stored).collect()
    }

    /// Returns the paths of the files that are written at the end.
    pub fn stored_sides(&self) -> Vec<String> {
        self.sides()[1..].iter().flatten().map(|target| target.stored()).collect()
    }

    /// Returns the journal, if rows can be resumed.
    pub fn journal(&self) -> Option<JournalFile> {
        let is_file = self.all_rows().into_iter().all(|target| target.regular().is_some());
        self.journal_base().filter(|_| is_file && !self.is_temporary).map(JournalFile::of)
    }

    /// Returns the file next to the journal: the output, or the first of several if the folder name
    /// contains `{}`, because the folder `{}` does not exist.
    fn journal_base(&self) -> Option<&Path> {
        let output = self.output.as_deref()?;
        let first = self.parts.first().filter(|first| first.parent() != output.parent());
        Some(first.map_or(output, PathBuf::as_path))
    }

    /// Rejects outputs that exist or are read, before the first pass over inputs. Exits if a
    /// resumed run is already complete. [`Self::open`] checks again.
    pub fn refuse_existing(&self, reads: &[PathBuf]) -> Result<(), Failure> {
        for target in self.claim(reads)?.into_iter().flatten() {
            if !self.resume {
                Existing::or_force(self.force).allow(target)?;
            }
        }
        if self.resume { self.refuse_complete() } else { Ok(()) }
    }

    /// Exits if a resumed run is already complete: its rows exist without a journal.
    pub fn refuse_complete(&self) -> Result<(), Failure> {
        let name = self.rows().name();
        let files: Option<Vec<_>> =
            self.all_rows().into_iter().map(OutputTarget::regular).collect();
        let Some((files, beside)) = files.zip(self.journal_base()) else {
            refuse!("--resume needs a file of rows, not {name}");
        };
        let has_rows = |path: &&Path| fs::metadata(path).is_ok_and(|found| found.len() > 0);
        if files.iter().any(has_rows) && !JournalFile::of(beside).exists() {
            return Err(Failure::Complete(name));
        }
        Ok(())
    }

    /// Rejects `--latency` without an engine.
    pub fn refuse_latency(&self) -> Result<(), Failure> {
        match self.latency {
            Some(_) => refuse!("--latency does nothing: no engine is used"),
            None => Ok(()),
        }
    }

    /// Returns all outputs, starting with those of rows. Rejects files that the run reads, and
    /// outputs that are the same file.
    fn claim(&self, reads: &[PathBuf]) -> Result<Vec<Option<OutputTarget<'_>>>, Failure> {
        let mut claims = FilesInUse::of_inputs(reads);
        let (rows, sides) = (self.all_rows(), self.sides());
        rows.iter().try_for_each(|target| claims.output(*target))?;
        if let Some(journal) = self.journal() {
            claims.journal(&journal)?;
        }
        sides.iter().flatten().try_for_each(|target| claims.output(*target))?;
        Ok(rows.into_iter().map(Some).chain(sides).collect())
    }

    /// Opens all outputs. If any is rejected, no file is created or changed.
    pub fn open(&self, reads: &[PathBuf], existing: Existing<'_>) -> Result<Disk, Failure> {
        let targets = self.claim(reads)?;
        let mut folders = Vec::new();
        for folder in self.parts.iter().filter_map(|path| path.parent()) {
            let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
            let missing: Vec<_> = folder.ancestors().take_while(is_missing).collect();
            folders.extend(missing.into_iter().rev().map(Path::to_path_buf));
            fs::create_dir_all(folder).map_err(|error| Failure::at(folder, error))?;
        }
        let rows = self.all_rows().len();
        let opened = open_all(&targets, existing, self.is_temporary);
        let mut opened = opened.inspect_err(|_| remove_unused(&folders))?.into_iter();
        let outs = opened.by_ref().take(rows + 1).flatten().collect();
        let sides = std::array::from_fn(|_| opened.next().flatten());
        Ok(Disk::new(outs, rows, sides, folders, self.force))
    }
}

/// Opens the only output of a run, by default standard output.
pub fn create(output: Option<&Path>, force: bool) -> Result<OpenOutput, Failure> {
    let target = Some(output.map_or(OutputTarget::Stdout, OutputTarget::of));
    let opened = open_all(&[target], Existing::or_force(force), false)?;
    Ok(opened.into_iter().flatten().next().expect("one was opened"))
}

/// Opens outputs, optionally under temporary names. If one cannot be opened, nothing is changed.
fn open_all(
    targets: &[Option<OutputTarget<'_>>],
    existing: Existing<'_>,
    is_temporary: bool,
) -> Result<Vec<Option<OpenOutput>>, Failure> {
    for target in targets.iter().flatten() {
        existing.allow(*target)?;
    }
    let mut opened: Vec<_> = targets.iter().map(|_| None).collect();
    // A signal may end the run while it opens a named pipe; no file must have been created then.
    for is_file in [false, true] {
        for (target, out) in targets.iter().zip(&mut opened) {
            let of_kind = target.filter(|target| target.regular().is_some() == is_file);
            let open = |target: OutputTarget<'_>| match target.regular() {
                Some(path) if is_temporary => OpenOutput::temporary(path),
                _ => OpenOutput::open(target),
            };
            match of_kind.map(open).transpose() {
                Ok(None) => {}
                Ok(found) => *out = found,
                Err(failure) => {
                    opened.into_iter().flatten().for_each(OpenOutput::discard);
                    return Err(failure);
                }
            }
        }
    }
    let all =
        || targets.iter().zip(&opened).filter_map(|(target, out)| (*target).zip(out.as_ref()));
    if let Err(failure) = all().try_for_each(|(target, out)| existing.recheck(target, out)) {
        opened.into_iter().flatten().for_each(OpenOutput::discard);
        return Err(failure);
    }
    if existing == Existing::Replaced {
        for out in opened.iter().flatten() {
            out.truncate(0)?;
        }
    }
    Ok(opened)
}

/// Returns the error for an existing output.
fn refuse(path: &Path) -> Failure {
    let name = path.display();
    let journal = JournalFile::of(path);
    Failure::Usage(if journal.can_be_resumed() {
        format!("{name}: exists and is not complete; --resume continues it, --force starts over")
    } else if journal.exists() {
        format!("{name}: exists and is not complete; --force starts over")
    } else {
        format!("{name}: exists; --force replaces it")
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileUse {
    Input,
    Output,
    Journal,
}

/// The files in use, to detect conflicts.
struct FilesInUse {
    /// Each file with its name in messages.
    files: Vec<(Identity, FileUse, String)>,
    stdout_is_taken: bool,
}

impl FilesInUse {
    fn of_inputs(inputs: &[PathBuf]) -> Self {
        let claim = |path: &PathBuf| {
            let identity = if path.as_os_str() == STDIN {
                FileId::of_stdin().map(Identity::Existing)
            } else {
                Identity::of(path)
            };
            identity.map(|identity| (identity, FileUse::Input, path.display().to_string()))
        };
        Self { files: inputs.iter().filter_map(claim).collect(), stdout_is_taken: false }
    }

    fn output(&mut self, target: OutputTarget<'_>) -> Result<(), Failure> {
        let name = target.name();
        let identity = match target {
            OutputTarget::Stdout if mem::replace(&mut self.stdout_is_taken, true) => {
                return Err(named_twice(&name));
            }
            OutputTarget::Stdout => FileId::of_stdout().map(Identity::Existing),
            OutputTarget::File(path) => Identity::of(path),
        };
        let Some(identity) = identity else { return Ok(()) };
        let is_messages =
            || FileId::of_stderr().map(Identity::Existing).as_ref() == Some(&identity);
        if target != OutputTarget::Stdout && target.regular().is_some() && is_messages() {
            refuse!("{name}: standard error is written there; name another file");
        }
        self.take(identity, FileUse::Output, name)
    }

    /// Claims the paths of the journal.
    fn journal(&mut self, journal: &JournalFile) -> Result<(), Failure> {
        for path in journal.paths() {
            if let Some(identity) = Identity::of(path) {
                self.take(identity, FileUse::Journal, path.display().to_string())?;
            }
        }
        journal.check()
    }

    fn take(&mut self, identity: Identity, used: FileUse, name: String) -> Result<(), Failure> {
        let other = self.files.iter().find(|(other, ..)| *other == identity);
        let what = match other {
            None => {
                self.files.push((identity, used, name));
                return Ok(());
            }
            Some((_, FileUse::Input, input)) if used == FileUse::Journal => {
                format!("{input}: is an input, but the journal of the rows needs this path")
            }
            Some((_, FileUse::Input, input)) if name == OutputTarget::Stdout.name() => {
                format!("{name} is the input {input}")
            }
            Some((_, FileUse::Input, input)) => format!("{name}: is the input {input}"),
            Some((_, FileUse::Output, _)) if used == FileUse::Output => {
                return Err(named_twice(&name));
            }
            Some((_, FileUse::Output | FileUse::Journal, _)) => {
                format!("{name}: the journal of the rows needs this path")
            }
        };
        Err(Failure::Usage(format!("{what}; name another file")))
    }
}

fn named_twice(name: &str) -> Failure {
    Failure::Usage(format!("{name}: used for two outputs; name two files"))
}
