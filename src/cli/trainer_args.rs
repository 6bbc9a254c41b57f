//! `--layout`: training files.

use std::path::PathBuf;

use bulkdoku::output::{self, Decision, Needs, entries, hrm_files, hrm_names};
use bulkdoku::pipeline::Filter;
use bulkdoku::{Compression, Status};

use super::format::RowFormat;
use super::outputs::Destinations;
use super::row_args::{RowArgs, RowPlan, RowRules};
use super::{Failure, help};

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Output")]
pub struct TrainerArgs {
    /// Write the files that a trainer loads: hrm or reasoning-gym
    ///
    /// Records without exactly one solution have no rows.
    ///
    /// hrm: for HRM, TRM and their successors. -o names a folder. Its subfolder train (or that of
    /// --subset) gets `all__inputs.npy` and `all__labels.npy`, uint8 of shape (n, 81) with 1 for a
    /// blank and 2 to 10 for digits, three arrays of indices and dataset.json. All rows of a record
    /// are one group.
    ///
    /// reasoning-gym: an entry per line, as JSON, with question, answer, and metadata. Its difficulty has
    /// the technique, score, and steps of the puzzle.
    #[arg(
        long,
        value_name = "LAYOUT",
        hide_possible_values = true,
        value_parser = help::one_of(LAYOUTS)
    )]
    layout: Option<Layout>,

    /// With --layout: train, test, val, … [default: train]
    ///
    /// The name of the subfolder, which the trainer's configuration names.
    #[arg(long, value_name = "NAME", value_parser = parse_subset)]
    subset: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    Hrm,
    ReasoningGym,
}

const LAYOUTS: &[(&str, Layout, &str)] =
    &[("hrm", Layout::Hrm, ""), ("reasoning-gym", Layout::ReasoningGym, "")];

/// Parses the name of a subfolder.
fn parse_subset(text: &str) -> Result<String, String> {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    if text.is_empty() || text.starts_with('.') || !text.bytes().all(is_allowed) {
        return Err("expected a name of letters, digits, and . _ -, such as val".into());
    }
    Ok(text.into())
}

impl TrainerArgs {
    pub fn is_given(&self) -> bool {
        self.layout.is_some()
    }

    /// Checks the rows and names the files of the layout, if there is one.
    pub fn plan(
        &self,
        rows: &RowArgs,
        rules: &RowRules,
        destinations: &mut Destinations,
    ) -> Result<RowPlan, Failure> {
        let (Some(layout), Some(folder)) = (self.layout, destinations.output.clone()) else {
            return rows.plan(rules, destinations.output.as_deref());
        };
        if layout == Layout::ReasoningGym {
            let plan = RowArgs::of_format(Some(RowFormat::Jsonl)).plan(rules, Some(&folder))?;
            return Ok(plan.of_trainer(TrainerLayout::ReasoningGym));
        }
        if folder.as_os_str() == "-" || Compression::of_name(&folder).is_some() || folder.is_file()
        {
            refuse!("-o {}: --layout writes several files; name a folder", folder.display());
        }
        let set = self.subset.clone().unwrap_or_else(|| "train".into());
        let names = hrm_names(&set);
        destinations.parts = names.iter().map(|name| folder.join(name)).collect();
        let output = destinations.parts.first().map(PathBuf::as_path);
        let plan = RowArgs::of_format(Some(RowFormat::Npy)).plan(rules, output)?;
        Ok(plan.of_trainer(TrainerLayout::Hrm(set)))
    }
}

/// A layout of files for a trainer.
#[derive(Clone, Debug)]
pub enum TrainerLayout {
    /// The files of a set, such as `train`.
    Hrm(String),
    ReasoningGym,
}

impl TrainerLayout {
    pub fn format(&self) -> Box<dyn output::Format> {
        match self {
            Self::Hrm(set) => Box::new(hrm_files(set)),
            Self::ReasoningGym => Box::new(entries()),
        }
    }

    /// Drops records without exactly one solution.
    pub fn filter() -> Filter<'static> {
        let decide = |row: &output::Row<'_>| {
            let has_one = matches!(row.status(), Status::Unique | Status::Solved);
            Ok(if has_one { Decision::Keep } else { Decision::Drop })
        };
        Filter::Local(Needs::NONE, Box::new(decide))
    }
}
