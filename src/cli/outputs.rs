//! Outputs: all are locked before any input is opened, and no file is overwritten by accident.

use std::array;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::iter;
use std::mem;
use std::path::{Path, PathBuf};

use bulkdoku::Compression;
use bulkdoku::output::Needs;
use bulkdoku::pipeline::MessageFormat;

use super::identity::{Identity, STDIN, hidden, stored};
use super::lock::Lock;
use super::out::{OpenOutput, OutputTarget, TEMPORARY};
use super::platform::FileId;
use super::resume::{Disk, Journal, JournalFile};
use super::{Failure, extensions, shown};

/// The files that a run writes.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Output")]
pub struct Destinations {
    /// Where the rows go [default: standard output]
    ///
    /// A name that ends with .gz or .zst compresses them.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Write a latency histogram, as .csv or .hgrm
    ///
    /// By the name: .hgrm has percentiles, in the form of the HDR histogram library; any other name
    /// has all buckets as CSV.
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
    #[arg(long)]
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

    /// Whether parts without rows are not created, so that any number of them is complete.
    #[arg(skip)]
    pub is_template: bool,
}

impl Destinations {
    /// Rejects names of side outputs with extensions that do not match their contents.
    fn check_sides(&self) -> Result<(), Failure> {
        let sides = [
            ("--latency", &self.latency, &["csv", "hgrm"][..]),
            ("--errors", &self.errors, &["err", "errors", "jsonl", "ndjson"]),
            ("--summary-json", &self.summary_json, &["json"]),
            ("--report", &self.report, &["html", "htm"]),
        ];
        for (flag, path, known) in sides {
            let Some(path) = path else { continue };
            if let Some(compression) = Compression::of_name(path) {
                let (name, plain) = (shown(path), path.with_extension(""));
                refuse!(
                    "{flag} {name}: what is written there is never compressed, only rows are; \
                     leave out .{}: {}",
                    compression.name(),
                    shown(&plain)
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
        let of_page = self.report.is_some().then_some(Needs::LEVEL);
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

    /// Returns the output of messages, if it is requested.
    fn messages(&self) -> Option<OutputTarget<'_>> {
        self.errors.as_deref().map(OutputTarget::of)
    }

    /// Returns the requested outputs that are written at the end.
    fn sides(&self) -> Sides<OutputTarget<'_>> {
        let [latency, summary, page] = [&self.latency, &self.summary_json, &self.report]
            .map(|path| path.as_deref().map(OutputTarget::of));
        Sides { latency, summary, page }
    }

    /// Returns all outputs: of rows, of messages, and those that are written at the end.
    fn all(&self) -> impl Iterator<Item = OutputTarget<'_>> {
        self.all_rows().into_iter().chain(self.messages()).chain(self.sides())
    }

    /// Rejects files that the run reads and writes.
    pub fn refuse_reads(&self, reads: &[PathBuf]) -> Result<(), Failure> {
        FilesInUse::of(self)?.refuse_reads(reads)
    }

    /// Returns the identities of the files that the run writes, except its journal.
    pub fn identities(&self) -> HashSet<Identity> {
        self.all().filter_map(|target| Identity::of(target.regular()?)).collect()
    }

    /// Returns the paths of the outputs of rows, and then that of messages.
    pub fn stored_outputs(&self) -> Vec<String> {
        self.all_rows().into_iter().chain(self.messages()).map(OutputTarget::stored).collect()
    }

    /// Returns the paths of the files that are written at the end.
    pub fn stored_sides(&self) -> Vec<String> {
        self.sides().into_iter().map(OutputTarget::stored).collect()
    }

    /// Returns the journal, if an output of rows is a file.
    fn journal(&self) -> Option<JournalFile> {
        self.base().map(JournalFile::of)
    }

    /// Returns whether all outputs of rows are files. If only some are, the journal marks them as
    /// incomplete, but the run cannot be resumed.
    fn can_be_resumed(&self) -> bool {
        self.all_rows().into_iter().all(|target| target.regular().is_some())
    }

    /// Returns the path next to the journal and the lock of all parts: the output, or the first part
    /// that is a file if the output is none or is in another folder, because the folder `{}` does not
    /// exist.
    fn base(&self) -> Option<&Path> {
        let output = self.output.as_deref()?;
        let first = self.parts.first().filter(|first| first.parent() != output.parent());
        let parts = self.parts.iter().map(PathBuf::as_path);
        let mut files = iter::once(first.map_or(output, PathBuf::as_path)).chain(parts);
        files.find(|path| OutputTarget::of(path).regular().is_some())
    }

    /// Returns the paths to lock: of all files, but only one for a template.
    fn locked(&self) -> Vec<&Path> {
        let rows = self.all_rows().into_iter().filter_map(OutputTarget::regular);
        let is_common = self.parts.first().is_some_and(|first| Some(first) != self.output.as_ref());
        let base = self.base().filter(|_| is_common);
        let rows: Vec<_> = base.map_or_else(|| rows.collect(), |base| vec![base]);
        let others = self.messages().into_iter().chain(self.sides());
        rows.into_iter().chain(others.filter_map(OutputTarget::regular)).collect()
    }

    /// Claims all outputs for a run, before it opens any input. Rejects outputs that are the same
    /// file, that exist, or that are files in `reads`. If a resumed run is already complete, this is
    /// the error.
    pub fn claim(self, reads: &[PathBuf]) -> Result<Claim, Failure> {
        self.check_sides()?;
        if self.resume && !self.can_be_resumed() {
            refuse!("--resume needs a file of rows, not {}", self.rows().name());
        }
        let mut held = Held::default();
        held.create_folders(&self.parts)?;
        let files = FilesInUse::of(&self)?;
        files.refuse_reads(reads)?;
        held.lock(self.locked())?;
        let journal = self.journal();
        let earlier = match &journal {
            Some(file) => file.load()?.map(|bytes| file.decode(&bytes)).transpose(),
            None => Ok(None),
        };
        // Other runs only remove what it lists.
        let earlier = if self.resume { earlier? } else { earlier.unwrap_or_default() };
        let claim = Claim { destinations: self, journal, earlier, held };
        claim.refuse_existing()?;
        Ok(claim)
    }
}

/// The outputs that are written at the end of a run.
#[derive(Debug)]
pub struct Sides<T> {
    pub latency: Option<T>,
    pub summary: Option<T>,
    pub page: Option<T>,
}

impl<T> Sides<T> {
    pub fn as_ref(&self) -> Sides<&T> {
        let Self { latency, summary, page } = self;
        Sides { latency: latency.as_ref(), summary: summary.as_ref(), page: page.as_ref() }
    }

    pub fn as_mut(&mut self) -> Sides<&mut T> {
        let Self { latency, summary, page } = self;
        Sides { latency: latency.as_mut(), summary: summary.as_mut(), page: page.as_mut() }
    }
}

impl<T> Default for Sides<T> {
    fn default() -> Self {
        Self { latency: None, summary: None, page: None }
    }
}

impl<T> IntoIterator for Sides<T> {
    type Item = T;
    type IntoIter = iter::Flatten<array::IntoIter<Option<T>, 3>>;

    fn into_iter(self) -> Self::IntoIter {
        [self.latency, self.summary, self.page].into_iter().flatten()
    }
}

/// The outputs of a run, which no other run can write until this is dropped.
#[derive(Debug)]
pub struct Claim {
    pub destinations: Destinations,
    journal: Option<JournalFile>,
    /// The journal of an earlier run with the same output.
    pub earlier: Option<Journal>,
    held: Held,
}

impl Claim {
    /// Returns whether rows can be resumed, if their format can be continued.
    pub fn has_journal(&self) -> bool {
        self.journal.is_some()
    }

    /// Returns the journal of the run to resume, if there is one.
    pub fn resumed(&self) -> Option<&Journal> {
        self.earlier.as_ref().filter(|_| self.destinations.resume)
    }

    /// Rejects files that must not be overwritten, and sets of which files are missing.
    fn refuse_existing(&self) -> Result<(), Failure> {
        let Destinations { resume, force, .. } = self.destinations;
        if resume && self.earlier.is_none() {
            self.refuse_complete()?;
        }
        let written = self.resumed().map(Journal::written).unwrap_or_default();
        for path in self.destinations.all().filter_map(OutputTarget::regular) {
            let Ok(found) = fs::metadata(path) else { continue };
            // An earlier run may have written it, which is checked later.
            let is_kept = resume && (found.len() == 0 || written.contains(&stored(path)));
            if !force && !is_kept {
                return Err(self.refuse(path));
            }
        }
        Ok(())
    }

    /// Rejects a set of which only some files exist, and one that is complete: its rows exist
    /// without a journal, or none of them has rows, but a file that is written after them exists.
    fn refuse_complete(&self) -> Result<(), Failure> {
        let rows = self.destinations.all_rows();
        let length = |target: &OutputTarget<'_>| Some(fs::metadata(target.regular()?).ok()?.len());
        let (name, lengths) = (self.destinations.rows().name(), rows.iter().map(length));
        let ends = self.destinations.sides().into_iter();
        let has_end = ends.filter_map(|end| length(&end)).any(|length| length > 0);
        let has_all = lengths.clone().all(|length| length.is_some());
        let has_rows = lengths.clone().flatten().any(|length| length > 0);
        if !(has_rows || has_end && has_all) {
            return Ok(());
        }
        let missing = rows.iter().zip(lengths).filter(|(_, length)| length.is_none());
        let missing: Vec<_> = missing.map(|(target, _)| target.name()).collect();
        if !missing.is_empty() && !self.destinations.is_template {
            let missing = missing.join(", ");
            refuse!(
                "{name}: is not complete and has no journal: without {missing}; --force starts over"
            );
        }
        Err(Failure::Complete(name))
    }

    /// Returns the error for an existing output.
    fn refuse(&self, path: &Path) -> Failure {
        let name = shown(path);
        let is_listed = |earlier: &Journal| earlier.paths().any(|listed| listed == stored(path));
        let is_own = self.earlier.as_ref().is_some_and(is_listed);
        let other = JournalFile::of(path);
        let journal = self.journal.as_ref().filter(|_| is_own).unwrap_or(&other);
        Failure::Usage(if self.destinations.can_be_resumed() && journal.can_be_resumed() {
            format!(
                "{name}: exists and is not complete; --resume continues it, --force starts over"
            )
        } else if journal.exists() {
            format!("{name}: exists and is not complete; --force starts over")
        } else {
            format!("{name}: exists; --force replaces it")
        })
    }

    /// Prepares the files of a run, and opens pipes and devices. Removes files with temporary names
    /// that an earlier run has left, unless it is resumed and they are complete.
    pub fn prepare(&mut self, is_temporary: bool) -> Result<Disk, Failure> {
        let complete = self.resumed().is_some_and(|earlier| !earlier.complete.is_empty());
        let earlier = self.earlier.as_ref().filter(|earlier| earlier.is_temporary && !complete);
        for path in earlier.iter().flat_map(|earlier| earlier.paths()) {
            self.held.remove_temporary(Path::new(path))?;
        }
        if let Some(journal) = &mut self.journal {
            journal.take_over();
        }
        let new = |target: OutputTarget<'_>| {
            let temporary = target.regular().map(|path| hidden(path, TEMPORARY));
            match temporary.filter(|path| is_temporary && !complete && path.exists()) {
                Some(path) => refuse!("{}: is in the way of the output; move it", shown(&path)),
                None => OpenOutput::new(target),
            }
        };
        let rows = self.destinations.all_rows();
        let count = rows.len();
        let rows = rows.into_iter().chain(self.destinations.messages()).map(new);
        let outs = rows.collect::<Result<_, _>>()?;
        let sides = self.destinations.sides();
        let open = |target: Option<_>| target.map(new).transpose();
        let (latency, summary) = (open(sides.latency)?, open(sides.summary)?);
        let sides = Sides { latency, summary, page: open(sides.page)? };
        let journal = self.journal.take();
        let held = mem::take(&mut self.held);
        let is_template = self.destinations.is_template;
        Ok(Disk::new((outs, count), sides, journal, held, is_temporary, is_template))
    }
}

/// The locks and folders of a run. Folders that remain empty are removed.
#[derive(Debug, Default)]
pub struct Held {
    locks: Vec<Lock>,
    /// The folders created for outputs of rows, outermost first.
    folders: Vec<PathBuf>,
}

impl Held {
    fn create_folders(&mut self, parts: &[PathBuf]) -> Result<(), Failure> {
        for folder in parts.iter().filter_map(|path| path.parent()) {
            let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
            let missing: Vec<_> = folder.ancestors().take_while(is_missing).collect();
            self.folders.extend(missing.into_iter().rev().map(Path::to_path_buf));
            fs::create_dir_all(folder).map_err(|error| Failure::at(folder, error))?;
        }
        Ok(())
    }

    /// Locks paths, all runs in the same order.
    fn lock(&mut self, mut paths: Vec<&Path>) -> Result<(), Failure> {
        paths.sort_by_cached_key(|path| stored(path));
        for path in paths {
            self.locks.extend(Lock::take(path)?);
        }
        Ok(())
    }

    /// Locks another path, unless it is locked already.
    pub fn lock_more(&mut self, path: &Path) -> Result<(), Failure> {
        if !self.locks.iter().any(|lock| lock.is_of(path)) {
            self.locks.extend(Lock::take(path)?);
        }
        Ok(())
    }

    /// Removes the file with the temporary name of an output, which it locks.
    fn remove_temporary(&mut self, path: &Path) -> Result<(), Failure> {
        let temporary = hidden(path, TEMPORARY);
        if !temporary.is_file() {
            return Ok(());
        }
        self.lock_more(path)?;
        fs::remove_file(&temporary).map_err(|error| Failure::at(&temporary, error))
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // They are in these folders.
        self.locks.clear();
        for folder in self.folders.iter().rev() {
            let _ = fs::remove_dir(folder);
        }
    }
}

/// Creates a single file without a journal.
#[cfg(feature = "pages")]
pub fn create(output: &Path, force: bool) -> Result<Disk, Failure> {
    let output = Some(output.to_owned());
    let destinations = Destinations { output, force, ..Destinations::default() };
    let mut disk = destinations.claim(&[])?.prepare(false)?;
    disk.open_new(force)?;
    Ok(disk)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileUse {
    Output,
    Journal,
}

/// The files that a run writes, to detect conflicts.
#[derive(Debug, Default)]
struct FilesInUse {
    /// Each file with its name in messages.
    files: HashMap<Identity, (FileUse, String)>,
    stdout_is_taken: bool,
}

impl FilesInUse {
    /// Rejects outputs that are the same file.
    fn of(destinations: &Destinations) -> Result<Self, Failure> {
        let mut files = Self::default();
        destinations.all_rows().into_iter().try_for_each(|target| files.output(target))?;
        if let Some(journal) = destinations.journal() {
            files.journal(&journal)?;
        }
        let mut others = destinations.messages().into_iter().chain(destinations.sides());
        others.try_for_each(|target| files.output(target))?;
        Ok(files)
    }

    /// Rejects inputs that are outputs.
    fn refuse_reads(&self, reads: &[PathBuf]) -> Result<(), Failure> {
        for path in reads {
            let identity = if path.as_os_str() == STDIN {
                FileId::of_stdin().map(Identity::Existing)
            } else {
                Identity::of(path)
            };
            let input = shown(path);
            let what = match identity.and_then(|identity| self.files.get(&identity)) {
                None => continue,
                Some((FileUse::Journal, _)) => {
                    format!("{input}: is an input, but the journal of the rows needs this path")
                }
                Some((FileUse::Output, name)) if *name == OutputTarget::Stdout.name() => {
                    format!("{name} is the input {input}")
                }
                Some((FileUse::Output, name)) => format!("{name}: is the input {input}"),
            };
            refuse!("{what}; name another file");
        }
        Ok(())
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
                self.take(identity, FileUse::Journal, shown(path))?;
            }
        }
        Ok(())
    }

    fn take(&mut self, identity: Identity, used: FileUse, name: String) -> Result<(), Failure> {
        match self.files.get(&identity) {
            None => {
                self.files.insert(identity, (used, name));
                Ok(())
            }
            Some((FileUse::Output, _)) if used == FileUse::Output => Err(named_twice(&name)),
            Some(_) => {
                refuse!("{name}: the journal of the rows needs this path; name another file")
            }
        }
    }
}

fn named_twice(name: &str) -> Failure {
    Failure::Usage(format!("{name}: used for two outputs; name two files"))
}
