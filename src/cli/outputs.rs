//! Outputs: all are locked before any input is opened, and no file is overwritten by accident.

use std::collections::HashSet;
use std::fs;
use std::mem;
use std::path::{Path, PathBuf};

use bulkdoku::output::Needs;
use bulkdoku::pipeline::{Checkpoint, MessageFormat};
use clap::ArgAction;

use super::identity::{Identity, STDIN, hidden, stored};
use super::lock::{Lock, lock_all};
use super::log::Messages;
use super::out::{self, OpenOutput, STDOUT, TEMPORARY};
use super::platform::FileId;
use super::resume::{Earlier, Journal, JournalFile, OutputFiles, RowFiles, Side};
use super::typed::RunIdentity;
use super::{Failure, extensions, paths, shown};

/// The files that a run writes.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Output")]
pub struct Destinations {
    /// Where the rows go [default: standard output]
    ///
    /// A name that ends with .gz or .zst compresses them.
    #[arg(short, long, value_name = "FILE", value_parser = paths::parser(), action = ArgAction::Set)]
    pub output: Vec<PathBuf>,

    /// Write a latency histogram, as CSV
    #[arg(long, value_name = "FILE")]
    pub latency: Option<PathBuf>,

    /// Write the summary as JSON
    #[arg(long, value_name = "FILE")]
    pub summary_json: Option<PathBuf>,

    /// Write a page with charts of the run, as HTML
    ///
    /// The summary as charts and tables, in one file that needs no other. Levels are computed for
    /// it; techniques are shown if the run computes them.
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
}

impl Destinations {
    fn check_sides(&self) -> Result<(), Failure> {
        let sides = [
            ("--latency", &self.latency, &["csv"][..]),
            ("--errors", &self.errors, &["err", "errors", "jsonl", "ndjson"]),
            ("--summary-json", &self.summary_json, &["json"]),
            ("--report", &self.report, &["html", "htm"]),
        ];
        for (flag, path, known) in sides {
            let Some(path) = path else { continue };
            extensions::check_one_of(path, &format!("the output of {flag}"), known)?;
        }
        Ok(())
    }

    pub fn message_format(&self) -> MessageFormat {
        match self.errors.as_deref().and_then(extensions::of).as_deref() {
            Some("jsonl" | "ndjson") => MessageFormat::Json,
            _ => MessageFormat::Text,
        }
    }

    /// Returns the properties counted for the report and the summary, besides those of rows.
    pub fn statistics(&self) -> Option<Needs> {
        (self.report.is_some() || self.summary_json.is_some()).then_some(Needs::NONE)
    }

    /// Returns the outputs of rows if they are parts of a set.
    pub fn parts(&self) -> &[PathBuf] {
        if self.output.len() > 1 { &self.output } else { &[] }
    }

    pub fn path(&self) -> Option<&Path> {
        self.output.first().map(PathBuf::as_path)
    }

    /// Returns the output of rows, or the first one, which names the run in messages.
    pub fn rows(&self) -> &Path {
        self.path().unwrap_or(Path::new(STDOUT))
    }

    fn all_rows(&self) -> impl Iterator<Item = &Path> + Clone {
        let stdout = self.output.is_empty().then_some(Path::new(STDOUT));
        stdout.into_iter().chain(self.output.iter().map(PathBuf::as_path))
    }

    fn sides(&self) -> impl Iterator<Item = (Side, &Path)> {
        let all = [
            (Side::Latencies, &self.latency),
            (Side::Summary, &self.summary_json),
            (Side::Page, &self.report),
        ];
        all.into_iter().filter_map(|(side, path)| Some((side, path.as_deref()?)))
    }

    /// Returns all outputs: of rows, of messages, and those that are written at the end.
    fn all(&self) -> impl Iterator<Item = &Path> {
        self.all_rows().chain(self.errors.as_deref()).chain(self.sides().map(|(_, path)| path))
    }

    fn regular(&self) -> impl Iterator<Item = &Path> {
        self.all().filter(|path| out::is_regular(path))
    }

    pub fn refuse_reads(&self, reads: &[PathBuf]) -> Result<(), Failure> {
        let files = files_in_use(self)?;
        for path in reads {
            let identity = if path.as_os_str() == STDIN {
                FileId::of_stdin().map(Identity::Existing)
            } else {
                Identity::of(path)
            };
            let input = shown(path);
            let same = files.iter().find(|(other, ..)| Some(other) == identity.as_ref());
            let Some((_, name, is_journal)) = same else { continue };
            if *is_journal {
                refuse!(
                    "{input}: is an input, but the journal of the rows needs this path; name \
                     another output"
                );
            }
            refuse!("{name}: is the input {input}; name another file");
        }
        Ok(())
    }

    /// Returns the identities of the files that the run writes, except its journal.
    pub fn identities(&self) -> HashSet<Identity> {
        self.regular().filter_map(Identity::of).collect()
    }

    /// Returns the paths of the outputs of rows, and then that of messages.
    fn stored_outputs(&self) -> Vec<String> {
        self.all_rows().chain(self.errors.as_deref()).map(out::stored).collect()
    }

    /// Returns the paths of the files that are written at the end.
    pub fn stored_sides(&self) -> Vec<String> {
        self.sides().map(|(_, path)| out::stored(path)).collect()
    }

    fn journal(&self) -> Option<JournalFile> {
        self.all_rows().find(|path| out::is_regular(path)).map(JournalFile::of)
    }

    /// Returns whether all outputs of rows are files. If only some are, the journal marks them as
    /// incomplete, but the run cannot be resumed.
    fn can_be_resumed(&self) -> bool {
        self.all_rows().all(out::is_regular)
    }

    /// Claims all outputs for a run, before it opens any input. Rejects outputs that are the same
    /// file, that exist, or that are files in `reads`. If a resumed run is already complete, fails
    /// with [`Failure::Complete`].
    pub fn claim(self, reads: &[PathBuf]) -> Result<Claim, Failure> {
        self.check_sides()?;
        if self.resume && !self.can_be_resumed() {
            refuse!("--resume needs a file of rows, not {}", out::name(self.rows()));
        }
        self.refuse_reads(reads)?;
        let locks = lock_all(self.regular().collect())?;
        let journal = self.journal();
        let earlier = journal.as_ref().map_or(Ok(None), |file| file.load(self.resume))?;
        let claim = Claim { destinations: self, journal, earlier, locks };
        claim.refuse_existing()?;
        Ok(claim)
    }
}

/// The outputs of a run, which no other run can write until this is dropped.
#[derive(Debug)]
pub struct Claim {
    pub destinations: Destinations,
    journal: Option<JournalFile>,
    earlier: Option<Earlier>,
    locks: Vec<Lock>,
}

impl Claim {
    fn resumed(&self) -> Option<&Earlier> {
        self.earlier.as_ref().filter(|_| self.destinations.resume)
    }

    /// Rejects files that must not be overwritten, and outputs of which some are missing.
    fn refuse_existing(&self) -> Result<(), Failure> {
        let Destinations { resume, force, .. } = self.destinations;
        if resume && self.earlier.is_none() {
            self.refuse_complete()?;
        }
        let written: HashSet<_> =
            self.resumed().into_iter().flat_map(|(journal, _)| journal.paths()).collect();
        for path in self.destinations.regular() {
            let Ok(found) = fs::metadata(path) else { continue };
            // An earlier run may have written it, which is checked later.
            let is_kept = resume && (found.len() == 0 || written.contains(&*stored(path)));
            if !force && !is_kept {
                return Err(self.refuse(path));
            }
        }
        Ok(())
    }

    /// Rejects parts of which only some exist, and complete outputs: rows exist without a journal, or
    /// none of them has rows, but a file that is written after them exists.
    fn refuse_complete(&self) -> Result<(), Failure> {
        let length = |path: &Path| {
            let is_regular = out::is_regular(path);
            fs::metadata(path).ok().filter(|_| is_regular).map(|found| found.len())
        };
        let rows = self.destinations.all_rows();
        let lengths = rows.clone().map(length);
        let ends = self.destinations.sides().filter_map(|(_, path)| length(path));
        let has_end = ends.into_iter().any(|length| length > 0);
        let has_all = lengths.clone().all(|length| length.is_some());
        let has_rows = lengths.clone().flatten().any(|length| length > 0);
        if !(has_rows || has_end && has_all) {
            return Ok(());
        }
        let name = out::name(self.destinations.rows());
        if has_all {
            return Err(Failure::Complete(name));
        }
        let missing = rows.zip(lengths).filter(|(_, length)| length.is_none());
        let missing: Vec<_> = missing.map(|(path, _)| out::name(path)).collect();
        let missing = missing.join(", ");
        refuse!(
            "{name}: is not complete and has no journal: without {missing}; --force starts over"
        )
    }

    fn refuse(&self, path: &Path) -> Failure {
        let is_listed = |(journal, _): &Earlier| journal.paths().any(|it| it == stored(path));
        let is_own = self.earlier.as_ref().is_some_and(is_listed);
        Failure::Usage(if is_own || JournalFile::of(path).exists() {
            let hint = "--resume continues it, --force starts over";
            format!("{}: exists and is not complete; {hint}", shown(path))
        } else {
            format!("{}: exists; --force replaces it", shown(path))
        })
    }

    /// Opens the outputs of a run, or those of an earlier one, and returns where that ended. With
    /// `is_whole`, files have temporary names until they are complete.
    pub fn open(
        mut self,
        run: RunIdentity,
        header: Vec<u8>,
        is_whole: bool,
        messages: Messages,
    ) -> Result<(RowFiles, Option<Checkpoint>), Failure> {
        self.refuse_other(&run)?;
        let journal = Journal {
            run,
            outputs: self.destinations.stored_outputs(),
            sides: self.destinations.stored_sides(),
            replaces: self.destinations.force,
        };
        let (rows, resume) = (self.destinations.all_rows().count(), self.destinations.resume);
        let files = self.prepare(is_whole)?;
        let earlier = self.earlier.take_if(|_| resume);
        let mut outputs = RowFiles::new(files, journal, header, rows, messages);
        let start = outputs.open(earlier).inspect_err(|_| outputs.files.discard_sides())?;
        Ok((outputs, start))
    }

    fn refuse_other(&self, run: &RunIdentity) -> Result<(), Failure> {
        let Some((journal, position)) = self.resumed() else { return Ok(()) };
        let name = out::name(self.destinations.rows());
        let failed = position.as_ref().and_then(|position| position.failed);
        if let Some(difference) =
            journal.difference(run, &self.destinations.stored_outputs(), failed)
        {
            refuse!(
                "{name}: another run: {difference}; name another output, or --force starts over"
            );
        }
        if let Some(other) = run.not_comparable() {
            refuse!(
                "{name}: cannot be resumed: {other} is not a file, so it may not be the same; \
                 --force starts over"
            );
        }
        Ok(())
    }

    /// Prepares the files of a run, and opens pipes and devices. Removes files with temporary names
    /// that a killed run has left.
    pub fn prepare(&mut self, is_whole: bool) -> Result<OutputFiles, Failure> {
        if let Some(journal) = &mut self.journal {
            let resumes = self.destinations.resume;
            journal.take_over(resumes).map_err(|error| Failure::at(&journal.paths[1], error))?;
        }
        let written = self.earlier.iter().flat_map(|(journal, _)| journal.paths());
        let written: HashSet<_> = written.collect();
        for path in self.destinations.regular() {
            let temporary = hidden(path, TEMPORARY);
            if written.contains(&*stored(path)) && temporary.is_file() {
                fs::remove_file(&temporary).map_err(|error| Failure::at(&temporary, error))?;
            }
        }
        let rows = self.destinations.all_rows().chain(self.destinations.errors.as_deref());
        let outs = rows.map(OpenOutput::new).collect::<Result<_, _>>()?;
        let sides = self.destinations.sides();
        let sides = sides.map(|(side, path)| Ok((side, OpenOutput::new(path)?)));
        let sides = sides.collect::<Result<_, Failure>>()?;
        let (journal, locks) = (self.journal.take(), mem::take(&mut self.locks));
        Ok(OutputFiles { outs, sides, journal, is_whole, _locks: locks })
    }
}

/// Creates a single file without a journal. Rejects one of the files in `reads`.
pub fn create(output: &Path, force: bool, reads: &[PathBuf]) -> Result<OutputFiles, Failure> {
    let destinations =
        Destinations { output: vec![output.to_owned()], force, ..Destinations::default() };
    let mut files = destinations.claim(reads)?.prepare(false)?;
    files.open_new(force)?;
    Ok(files)
}

/// Returns the files that a run writes: the identity of each, its name, and whether it belongs to the
/// journal. Rejects outputs that are the same file.
fn files_in_use(destinations: &Destinations) -> Result<Vec<(Identity, String, bool)>, Failure> {
    if destinations.all().filter(|path| *path == Path::new(STDOUT)).count() > 1 {
        return Err(named_twice(&out::name(Path::new(STDOUT))));
    }
    let stderr = FileId::of_stderr().map(Identity::Existing);
    let is_stderr = |path: &&Path| stderr.is_some() && Identity::of(path) == stderr;
    if let Some(path) = destinations.regular().find(is_stderr) {
        refuse!("{}: standard error is written there; name another file", shown(path));
    }
    let journal = destinations.journal();
    let journal = journal.iter().flat_map(|file| &file.paths);
    let journal = journal.map(|path| (Identity::of(path), shown(path), true));
    let outputs = destinations.all().map(|path| (out::identity(path), out::name(path), false));
    let mut files = Vec::<(Identity, String, bool)>::new();
    for (identity, name, is_journal) in outputs.chain(journal) {
        let Some(identity) = identity else { continue };
        match files.iter().find(|(other, ..)| *other == identity) {
            None => files.push((identity, name, is_journal)),
            Some(_) if !is_journal => return Err(named_twice(&name)),
            Some((_, other, _)) => {
                refuse!("{other}: the journal of the rows needs this path; name another file")
            }
        }
    }
    Ok(files)
}

fn named_twice(name: &str) -> Failure {
    Failure::Usage(format!("{name}: used for two outputs; name two files"))
}
