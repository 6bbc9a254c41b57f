//! The options as typed, and the identity of a run, which must be the same to resume it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::SystemTime;

use clap::ArgMatches;
use clap::parser::ValueSource;
use serde::{Deserialize, Serialize};

use super::Failure;
use super::identity::{STDIN, lossless, stored};

/// The program and its version. Another version may write different rows.
const PROGRAM: &str = concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION"));

/// The options that cannot change rows. All others must be the same when a run is resumed. The
/// output is identified by its path.
pub const WITHOUT_EFFECT_ON_ROWS: &[&str] = &[
    "--color",
    "--fail-on",
    "--files-from",
    "--force",
    "--latency",
    "--output",
    "--progress",
    "--quiet",
    "--report",
    "--resume",
    "--simd",
    "--summary-json",
    "--threads",
    "--timeout",
];

pub type TypedOptions = BTreeMap<String, Vec<String>>;

/// The command line of a subcommand.
#[derive(Clone, Debug, Default)]
pub struct Typed {
    pub subcommand: String,
    pub options: TypedOptions,
    pub seed: Option<u64>,
}

impl Typed {
    /// Collects the options typed for a subcommand from the matches of the whole command.
    pub fn of(command: &clap::Command, matches: &ArgMatches) -> Self {
        let Some((subcommand, matches)) = matches.subcommand() else { return Self::default() };
        let arguments = command.find_subcommand(subcommand).into_iter();
        let typed = |argument: &&clap::Arg| {
            let source = matches.try_contains_id(argument.get_id().as_str());
            source.is_ok()
                && matches.value_source(argument.get_id().as_str())
                    == Some(ValueSource::CommandLine)
        };
        let option = |argument: &clap::Arg| {
            let id = argument.get_id().as_str();
            let name = argument.get_long().map_or_else(|| id.into(), |long| format!("--{long}"));
            let values = matches.get_raw(id).into_iter().flatten();
            let has_values = argument.get_action().takes_values();
            (name, values.filter(|_| has_values).map(lossless).collect())
        };
        let options = arguments.flat_map(clap::Command::get_arguments).filter(typed).map(option);
        Self { subcommand: subcommand.into(), options: options.collect(), ..Self::default() }
    }

    pub fn refuse(&self, options: &[&str], why: &str) -> Result<(), Failure> {
        match options.iter().find(|option| self.options.contains_key(**option)) {
            Some(option) => refuse!("{option} does nothing: {why}"),
            None => Ok(()),
        }
    }

    pub fn set_seed(&mut self, seed: u64) {
        self.seed = Some(seed);
        self.options.insert("--seed".into(), vec![seed.to_string()]);
    }

    /// Returns the identity of a run over these inputs and `others`.
    pub fn run(&self, inputs: Vec<FileState>, others: &[impl AsRef<Path>]) -> RunIdentity {
        let is_identity = |name: &String| {
            name.starts_with("--") && !WITHOUT_EFFECT_ON_ROWS.contains(&name.as_str())
        };
        let mut options = self.options.clone();
        options.retain(|name, _| is_identity(name));
        let others = others.iter().map(|path| {
            let path = path.as_ref();
            let on_disk = if path.as_os_str() == STDIN { Path::new("/dev/stdin") } else { path };
            FileState::of(path.display().to_string(), on_disk)
        });
        let program = format!("{PROGRAM} {}", self.subcommand);
        let others = others.collect();
        RunIdentity { program, inputs, others, options }
    }
}

/// The properties that must be the same to resume a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunIdentity {
    program: String,
    pub inputs: Vec<FileState>,
    others: Vec<FileState>,
    options: TypedOptions,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileState {
    /// The name in messages and rows.
    name: String,
    path: Option<String>,
    bytes: Option<u64>,
    modified: Option<SystemTime>,
}

impl FileState {
    pub fn of(name: String, path: &Path) -> Self {
        let file = fs::metadata(path).ok().filter(fs::Metadata::is_file);
        Self {
            name,
            path: file.as_ref().map(|_| stored(path)),
            bytes: file.as_ref().map(fs::Metadata::len),
            modified: file.as_ref().and_then(|file| file.modified().ok()),
        }
    }
}

impl RunIdentity {
    /// Returns the name of a file that cannot be compared between runs, if there is one: a pipe
    /// read in addition to the inputs.
    pub fn not_comparable(&self) -> Option<&str> {
        self.others.iter().find(|other| other.path.is_none()).map(|other| &*other.name)
    }

    /// Returns the first difference from an earlier run, if there is one. Only the first `compared`
    /// inputs, and the other files if `compares_others`, must be unchanged; of the rest, only the
    /// names count.
    pub fn difference(
        &self,
        before: &Self,
        compared: usize,
        compares_others: bool,
    ) -> Option<String> {
        if self.program != before.program {
            return Some(format!("it was {} before, this is {}", before.program, self.program));
        }
        let names = |run: &Self| {
            let names: Vec<_> = run.inputs.iter().map(|input| &*input.name).collect();
            names.join(", ")
        };
        if names(self) != names(before) {
            return Some(format!("the inputs were {} before", names(before)));
        }
        let keys = self.options.keys().chain(before.options.keys());
        let mut changed = keys.filter(|&key| self.options.get(key) != before.options.get(key));
        if let Some(key) = changed.next() {
            let value = |run: &Self| match run.options.get(key) {
                None => "not given".to_owned(),
                Some(values) if values.is_empty() => "given".into(),
                Some(values) => values.join(","),
            };
            return Some(format!("{key} was {} before, is {} now", value(before), value(self)));
        }
        let inputs = self.inputs.iter().zip(&before.inputs).take(compared);
        let others = self.others.iter().zip(&before.others).filter(|_| compares_others);
        let mut files = inputs.chain(others);
        let changed = files.find(|(now, before)| now != before);
        changed.map(|(now, _)| format!("the input {} has changed since", now.name))
    }
}
