//! Outputs: no file is overwritten by accident, and all are open before work starts.

use std::fs;
use std::mem;
use std::path::{Path, PathBuf};

use bulkdoku::Compression;

use super::identity::{Identity, STDIN};
use super::out::{Out, Target};
use super::platform::FileId;
use super::{Failure, extensions, journal};

/// The files that a run writes.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Destinations {
    /// Where the rows go [default: standard output]
    ///
    /// A name that ends with .gz or .zst compresses them.
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub output: Option<PathBuf>,

    /// Write the histogram of latencies: .csv, .hgrm, .hlog
    ///
    /// By the name: .hgrm has percentiles, .hlog is an interval log, both in the forms of the HDR
    /// histogram library; any other name has all buckets as CSV.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub latency: Option<PathBuf>,

    /// Write the summary as JSON
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub summary_json: Option<PathBuf>,

    /// Write a page with charts of the run, as HTML
    ///
    /// Latency, throughput over time, statuses, clues and guesses, in one file that needs no other.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub report: Option<PathBuf>,

    /// Replace output files that exist
    #[arg(long, help_heading = "Output")]
    pub force: bool,

    /// Resume a run that was ended, with the same options
    ///
    /// Inputs and options have to be the same; without an earlier run this one starts.
    #[arg(long, help_heading = "Output", requires = "output", conflicts_with = "force")]
    pub resume: bool,

    /// All messages about bad records.
    #[arg(skip)]
    pub errors: Option<PathBuf>,

    /// The manifest of a corpus.
    #[arg(skip)]
    pub manifest: Option<PathBuf>,

    /// The outputs of rows after the first.
    #[arg(skip)]
    pub others: Vec<PathBuf>,

    /// Whether outputs of rows that stay empty are removed.
    #[arg(skip)]
    pub drops_empty: bool,
}

impl Destinations {
    /// Refuses names of side outputs that promise what is not written to them.
    pub fn check_sides(&self) -> Result<(), Failure> {
        let sides = [
            ("--latency", &self.latency, &["csv", "hgrm", "hlog"][..]),
            ("--errors", &self.errors, &["err", "errors"]),
            ("--summary-json", &self.summary_json, &["json"]),
            ("--report", &self.report, &["html", "htm"]),
            ("--manifest", &self.manifest, &["json"]),
        ];
        for (flag, path, known) in sides {
            let Some(path) = path else { continue };
            if let Some(compression) = Compression::of_name(path) {
                let (name, plain) = (path.display(), path.with_extension(""));
                return Err(Failure::Usage(format!(
                    "{flag} {name}: what is written there is never compressed, only rows are; leave \
                     out .{}: {}",
                    compression.name(),
                    plain.display()
                )));
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
        }
        Ok(())
    }
}

/// The files that a run over records writes.
#[derive(Clone, Debug, clap::Args)]
pub struct RecordDestinations {
    #[command(flatten)]
    all: Destinations,

    /// Write every message about a bad record
    ///
    /// Standard error shows the first few only.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    errors: Option<PathBuf>,
}

impl RecordDestinations {
    /// All of them, unless a name promises what is not written.
    pub fn checked(&self) -> Result<Destinations, Failure> {
        let all = Destinations { errors: self.errors.clone(), ..self.all.clone() };
        all.check_sides()?;
        Ok(all)
    }
}

/// What happens to output files that exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing<'a> {
    /// They stay, and the run does not start.
    Refused,
    /// They are replaced.
    Replaced,
    /// Files with these names, and empty ones, are left by an earlier run. They stay until their
    /// contents are checked. Other files are refused.
    Kept(&'a [String]),
}

impl Existing<'_> {
    /// By `--force`.
    pub fn or_force(force: bool) -> Self {
        if force { Self::Replaced } else { Self::Refused }
    }

    fn allow(self, target: Target<'_>) -> Result<(), Failure> {
        let Some(path) = target.regular() else { return Ok(()) };
        let Ok(found) = fs::metadata(path) else { return Ok(()) };
        let is_allowed = match self {
            Self::Refused => false,
            Self::Replaced => true,
            Self::Kept(names) => found.len() == 0 || names.contains(&target.name()),
        };
        if is_allowed { Ok(()) } else { Err(refuse(path)) }
    }
}

/// All outputs of a run, open.
#[derive(Debug)]
pub struct Outputs {
    /// The rows.
    pub rows: Out,
    /// The outputs of rows after the first.
    pub others: Vec<Out>,
    /// All messages about bad records.
    pub errors: Option<Out>,
    pub sides: SideOutputs,
}

/// The outputs that are written after all rows.
#[derive(Debug)]
pub struct SideOutputs {
    /// The histogram of latencies.
    pub latency: Option<Out>,
    /// The summary as JSON.
    pub summary_json: Option<Out>,
    /// The page with charts.
    pub report: Option<Out>,
    /// The manifest of a corpus, which the subcommand writes if the rows are complete.
    pub manifest: Option<Out>,
}

impl SideOutputs {
    /// Removes files that were made for this run.
    pub fn discard(self) {
        let all = [self.latency, self.summary_json, self.report, self.manifest];
        all.into_iter().flatten().for_each(Out::discard);
    }
}

impl Destinations {
    /// Where the rows go.
    pub fn rows(&self) -> Target<'_> {
        self.output.as_deref().map_or(Target::Stdout, Target::of)
    }

    /// The side outputs that were asked for.
    fn sides(&self) -> [Option<Target<'_>>; 5] {
        [&self.errors, &self.latency, &self.summary_json, &self.report, &self.manifest]
            .map(|path| path.as_deref().map(Target::of))
    }

    /// The names of the rows' first output and the side outputs.
    pub fn names(&self) -> Vec<String> {
        let sides = self.sides().into_iter().flatten();
        [self.rows()].into_iter().chain(sides).map(Target::name).collect()
    }

    /// Refuses outputs that are inputs or exist, before long reading. [`Self::open`] does so, too.
    pub fn refuse_existing(&self, inputs: &[PathBuf]) -> Result<(), Failure> {
        for target in self.claim(inputs)?.into_iter().flatten() {
            if !self.resume {
                Existing::or_force(self.force).allow(target)?;
            }
        }
        Ok(())
    }

    /// Refuses `--latency` where no engine is used.
    pub fn refuse_latency(&self) -> Result<(), Failure> {
        match self.latency {
            Some(_) => Err(Failure::Usage("--latency does nothing: no engine is used".into())),
            None => Ok(()),
        }
    }

    /// All outputs: that of the rows, the side outputs, then the other outputs of rows. Refuses
    /// inputs and outputs that are the same file.
    fn claim(&self, inputs: &[PathBuf]) -> Result<Vec<Option<Target<'_>>>, Failure> {
        let mut claims = Claims::of_inputs(inputs);
        let others = self.others.iter().map(|path| Some(Target::of(path)));
        let all: Vec<_> =
            [Some(self.rows())].into_iter().chain(self.sides()).chain(others).collect();
        claims.output(self.rows())?;
        claims.journal(self.rows())?;
        all[1..].iter().flatten().try_for_each(|target| claims.output(*target))?;
        Ok(all)
    }

    /// Opens all outputs. If one is an input, or must not be overwritten, or two are the same, no
    /// file is made or changed.
    pub fn open(&self, inputs: &[PathBuf], existing: Existing<'_>) -> Result<Outputs, Failure> {
        let targets = self.claim(inputs)?;
        let mut opened = open_all(&targets, existing)?.into_iter();
        let mut next = || opened.next().flatten();
        let rows = next().expect("there is always one for rows");
        let [errors, latency, summary_json, report, manifest] = std::array::from_fn(|_| next());
        let others = opened.flatten().collect();
        let sides = SideOutputs { latency, summary_json, report, manifest };
        Ok(Outputs { rows, others, errors, sides })
    }
}

/// Opens the only output of a run, by default standard output.
pub fn create(output: Option<&Path>, force: bool) -> Result<Out, Failure> {
    let output = output.map(Path::to_owned);
    let destinations = Destinations { output, force, ..Destinations::default() };
    Ok(destinations.open(&[], Existing::or_force(force))?.rows)
}

/// Opens outputs. If one cannot be opened, nothing is changed.
fn open_all(
    targets: &[Option<Target<'_>>],
    existing: Existing<'_>,
) -> Result<Vec<Option<Out>>, Failure> {
    for target in targets.iter().flatten() {
        existing.allow(*target)?;
    }
    let mut opened = Vec::new();
    for target in targets {
        match target.map(Out::open).transpose() {
            Ok(out) => opened.push(out),
            Err(failure) => {
                opened.into_iter().flatten().for_each(Out::discard);
                return Err(failure);
            }
        }
    }
    if existing == Existing::Replaced {
        for out in opened.iter().flatten() {
            out.cut(0).map_err(|error| out.failed(error))?;
        }
    }
    Ok(opened)
}

/// Says that an output exists.
fn refuse(path: &Path) -> Failure {
    let name = path.display();
    Failure::Usage(if journal::is_beside(path) {
        format!("{name}: exists and is not complete; --resume continues it, --force starts over")
    } else {
        format!("{name}: exists; --force replaces it")
    })
}

/// What a file is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    Input,
    Output,
    Journal,
}

/// The files in use.
struct Claims {
    /// Each with its name in messages.
    files: Vec<(Identity, Use, String)>,
    stdout_is_taken: bool,
}

impl Claims {
    fn of_inputs(inputs: &[PathBuf]) -> Self {
        let claim = |path: &PathBuf| {
            let identity = if path.as_os_str() == STDIN {
                FileId::of_stdin().map(Identity::Existing)
            } else {
                Identity::of(path)
            };
            identity.map(|identity| (identity, Use::Input, path.display().to_string()))
        };
        Self { files: inputs.iter().filter_map(claim).collect(), stdout_is_taken: false }
    }

    fn output(&mut self, target: Target<'_>) -> Result<(), Failure> {
        let name = target.name();
        let identity = match target {
            Target::Stdout if mem::replace(&mut self.stdout_is_taken, true) => {
                return Err(twice(&name));
            }
            Target::Stdout => FileId::of_stdout().map(Identity::Existing),
            Target::File(path) => Identity::of(path),
        };
        let Some(identity) = identity else { return Ok(()) };
        let is_messages =
            || FileId::of_stderr().map(Identity::Existing).as_ref() == Some(&identity);
        if target != Target::Stdout && target.regular().is_some() && is_messages() {
            let hint = "standard error goes there; name another file";
            return Err(Failure::Usage(format!("{name}: {hint}")));
        }
        self.take(identity, Use::Output, name)
    }

    /// Claims the journal beside the rows.
    fn journal(&mut self, rows: Target<'_>) -> Result<(), Failure> {
        let Some(rows) = rows.regular() else { return Ok(()) };
        for path in journal::places(rows) {
            if let Some(identity) = Identity::of(&path) {
                self.take(identity, Use::Journal, path.display().to_string())?;
            }
        }
        journal::check_places(rows)
    }

    fn take(&mut self, identity: Identity, used: Use, name: String) -> Result<(), Failure> {
        let other = self.files.iter().find(|(other, ..)| *other == identity);
        let what = match other {
            None => {
                self.files.push((identity, used, name));
                return Ok(());
            }
            Some((_, Use::Input, input)) if used == Use::Journal => {
                format!("{input}: is an input, and where the journal of the rows would be")
            }
            Some((_, Use::Input, input)) if name == Target::Stdout.name() => {
                format!("{name} is the input {input}")
            }
            Some((_, Use::Input, input)) => format!("{name}: is the input {input}"),
            Some((_, Use::Output, _)) if used == Use::Output => return Err(twice(&name)),
            Some((_, Use::Output | Use::Journal, _)) => {
                format!("{name}: is where the journal of the rows would be")
            }
        };
        Err(Failure::Usage(format!("{what}; name another file")))
    }
}

fn twice(name: &str) -> Failure {
    Failure::Usage(format!("{name}: named for two outputs; name two files"))
}
