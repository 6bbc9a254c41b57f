//! The task of a subcommand over records: what its arguments ask for, before any file is opened.

use std::fmt::Display;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use bulkdoku::condition::Condition;
use bulkdoku::input::{Answers, InputOptions, Keep};
use bulkdoku::output::Column;

use super::input_args::InputArgs;
use super::inputs::Inputs;
use super::outputs::Destinations;
use super::paths::InputPaths;
use super::row_args::{RowPlan, RowRules};
use super::run::{Run, Settings};
use super::run_args::RunArgs;
use super::typed::Typed;
use super::{Failure, log, platform};

/// The arguments of all subcommands over records.
#[derive(Debug, clap::Args)]
pub struct RecordArgs {
    #[command(flatten)]
    pub input: InputPaths,

    #[command(flatten)]
    pub layout: InputArgs,

    #[command(flatten)]
    pub destinations: Destinations,

    /// Only rows that meet a condition, as 'clues < 24'
    ///
    /// It has names of columns that --columns offers or the input has, numbers, texts in quotes,
    /// true and false, == != < <= > >=, in (…), not in (…), and, or, not, and parentheses. A name
    /// with other characters is written between backticks. If the input has a column with the name
    /// of a computed one, `input_NAME` or `computed_NAME` is required. Comparisons with a missing value
    /// are false. Exit status, messages and counts cover all records.
    #[arg(long = "where", value_name = "CONDITION", help_heading = "Output")]
    pub condition: Option<Condition>,
}

/// What a run over records does, before any file is opened. [`Self::open`] is the next step.
pub struct Task<'a> {
    pub args: &'a RecordArgs,
    pub settings: Settings,
    /// Where the inputs have solutions.
    pub answers: Answers,
    /// The format and columns of the rows, unless they are steps.
    pub rows: Option<&'a RowPlan>,
    /// Where the count of solutions ends.
    pub limit: Option<NonZeroU32>,
    /// The rules of the subcommand whose computed columns the condition can name.
    rules: &'static RowRules,
}

impl<'a> Task<'a> {
    pub fn new(args: &'a RecordArgs, run: RunArgs, typed: Typed, rules: &'static RowRules) -> Self {
        let settings = Settings::new(typed, run);
        Self { args, settings, answers: Answers::Unwanted, rows: None, limit: None, rules }
    }

    pub fn computed(&self) -> impl Iterator<Item = Column> {
        let condition = self.args.condition.iter();
        condition.flat_map(|condition| condition.computed(self.rules.columns))
    }

    pub fn reads(&self, column: Column) -> bool {
        self.computed().any(|read| read == column)
    }

    /// Claims the outputs, and then opens the inputs, detects their layouts, and finds the columns of
    /// the condition among them. Rejects a condition that no row can meet.
    pub fn open(self) -> Result<Run, Failure> {
        let origins = self.args.input.expand(&self.args.destinations)?;
        let options = self.options()?;
        let settings = self.settings;
        let reads = origins.iter().map(|origin| origin.path().to_owned());
        let reads: Vec<_> = reads.chain(settings.others.iter().cloned()).collect();
        let claim = self.args.destinations.clone().claim(&reads)?;
        let mut inputs = Inputs::open(origins)?;
        inputs.column_option = Some("--column");
        inputs.computed = self.rules.columns;
        if inputs.wait_for_typing() && !settings.only_rows {
            log::note("reading puzzles from the terminal; Ctrl-D ends");
        }
        let progress = Arc::new(platform::new_progress());
        let (test, answers, shifts, comparison) = (None, None, None, None);
        let mut run = Run { settings, claim, inputs, test, answers, shifts, comparison, progress };
        run.inputs.detect(&options, &run.progress.stop)?;
        if !run.settings.is_quiet() {
            run.inputs.findings().for_each(log::note);
        }
        if run.progress.stop.load(Ordering::Relaxed) {
            return Err(Failure::Stopped);
        }
        if let Some(condition) = &self.args.condition {
            let failed = |error: &dyn Display| Failure::Usage(format!("--where: {error}"));
            let predicate = condition.resolve(self.rules.columns, &run.inputs.read());
            let predicate = predicate.map_err(|error| failed(&error))?;
            predicate.check(&[]).map_err(|error| failed(&error))?;
            let counted = self.limit.map(|limit| (Column::Solutions, 0..=limit.get().into()));
            predicate.check(counted.as_slice()).map_err(|error| {
                failed(&format_args!("{error}; bulkdoku solve --limit N counts more solutions"))
            })?;
            run.test = Some(predicate);
        }
        Ok(run)
    }

    fn options(&self) -> Result<InputOptions, Failure> {
        let mut options = self.args.layout.options(self.answers.clone())?;
        if let Some(rows) = self.rows {
            let named = rows.input_columns();
            let only = (!named.is_empty()).then_some(Keep::Only(named));
            options.keep = if rows.keeps_rows() { Some(Keep::Row) } else { only };
            options.computed = rows.shared_names().to_vec();
        }
        if let Some(condition) = &self.args.condition {
            options.also_read = condition.input_columns(self.rules.columns);
            options.computed.extend(condition.shared_names());
        }
        Ok(options)
    }
}
