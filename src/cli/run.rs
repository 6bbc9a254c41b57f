//! The identity of a run: only the same run is resumed.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

/// An option that shapes rows, with its value if it was given or has a default.
pub type Setting = (&'static str, Option<String>);

/// The options that have a value.
pub fn settings(all: impl IntoIterator<Item = Setting>) -> BTreeMap<String, String> {
    all.into_iter().filter_map(|(name, value)| Some((name.into(), value?))).collect()
}

/// The value of a flag.
pub fn flag(is_given: bool) -> Option<String> {
    is_given.then(|| "given".into())
}

/// What has to be the same for a run to be resumed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// The program and its version.
    pub program: String,
    /// The inputs, in order.
    pub inputs: Vec<InputState>,
    /// The options that shape rows, by their names.
    pub options: BTreeMap<String, String>,
}

/// The identity of an input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputState {
    /// Its name.
    pub name: String,
    /// Its size in bytes, if it is a file.
    pub bytes: Option<u64>,
    /// When it was modified, if it is a file.
    pub modified: Option<SystemTime>,
}

impl InputState {
    /// Reads the state of an input.
    pub fn of(name: String, path: &Path) -> Self {
        let file = fs::metadata(path).ok().filter(fs::Metadata::is_file);
        Self {
            name,
            bytes: file.as_ref().map(fs::Metadata::len),
            modified: file.as_ref().and_then(|file| file.modified().ok()),
        }
    }
}

impl Run {
    /// The first difference from an earlier run, if there is one. Only the first `compared` inputs
    /// must be unchanged; of the others only the names count.
    pub fn difference(&self, before: &Self, compared: usize) -> Option<String> {
        if self.program != before.program {
            return Some(format!("it was {} before, this is {}", before.program, self.program));
        }
        let names = |run: &Self| {
            let names: Vec<_> = run.inputs.iter().map(|input| input.name.clone()).collect();
            names.join(", ")
        };
        if names(self) != names(before) {
            return Some(format!("the inputs were {} before", names(before)));
        }
        let mut inputs = self.inputs.iter().zip(&before.inputs).take(compared);
        if let Some((now, _)) = inputs.find(|(now, before)| now != before) {
            return Some(format!("the input {} has been changed since", now.name));
        }
        let keys = self.options.keys().chain(before.options.keys());
        let mut changed = keys.filter(|&key| self.options.get(key) != before.options.get(key));
        changed.next().map(|key| {
            let value = |run: &Self| run.options.get(key).cloned().unwrap_or("not given".into());
            format!("{key} was {} before, is {} now", value(before), value(self))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(name: &str, bytes: u64, limit: &str) -> Run {
        Run {
            program: "x 1".into(),
            inputs: vec![InputState { name: name.into(), bytes: Some(bytes), modified: None }],
            options: [("--limit".to_owned(), limit.to_owned())].into(),
        }
    }

    #[test]
    fn another_run_is_told_from_the_same_one() {
        let before = run("a", 1, "2");
        assert_eq!(run("a", 1, "2").difference(&before, 1), None);
        let difference = |now: Run| now.difference(&before, 1).unwrap();
        assert_eq!(difference(run("b", 1, "2")), "the inputs were a before");
        assert_eq!(difference(run("a", 2, "2")), "the input a has been changed since");
        assert_eq!(run("a", 2, "2").difference(&before, 0), None);
        assert_eq!(difference(run("a", 1, "3")), "--limit was 2 before, is 3 now");
        let more = Run { options: BTreeMap::new(), ..run("a", 1, "2") };
        assert_eq!(difference(more), "--limit was 2 before, is not given now");
    }
}
