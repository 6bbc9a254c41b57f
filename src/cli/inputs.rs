//! Inputs, which are checked and opened before work starts and read one after another.

use std::any::Any;
use std::io::{self, IsTerminal};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use bulkdoku::Source;
use bulkdoku::input::{
    ColumnFile, InputFormat, InputOptions, Keep, KeptCells, Layout, LayoutKind, OtherKeys,
    Position, Stream, plain_lines,
};
use bulkdoku::output::Column;

use super::numbers::counted;
use super::origin::Origin;
use super::typed::FileState;
use super::{Failure, input_args};

/// The number of files kept open between the check and the read. Others are opened twice, so any
/// number of files can be named.
const KEPT_OPEN: usize = 16;

/// The inputs of a run. All are readable as far as can be determined without reading them.
#[derive(Debug, Default)]
pub struct Inputs {
    all: Vec<Input>,
    /// The maximum number of columns kept in the output.
    shown: usize,
    /// Messages about detected layouts, each with the first input and the number of the others.
    findings: Vec<(String, String, usize)>,
    bytes: Arc<AtomicU64>,
    max_record: usize,
    /// The option that selects the column of the puzzles, for messages.
    pub column_option: Option<&'static str>,
    /// The columns that the subcommand computes, for messages.
    pub computed: &'static [Column],
}

#[derive(Debug)]
struct Input {
    origin: Origin,
    layout: Arc<dyn Layout>,
    types: Option<Arc<dyn Any + Send + Sync>>,
    /// The open input, of which only the first bytes have been read.
    opened: Option<Stream>,
}

impl Inputs {
    /// Checks and opens files and puzzles, as named by arguments.
    pub fn open_named(arguments: Vec<PathBuf>) -> Result<Self, Failure> {
        let mut origins = Vec::new();
        arguments.into_iter().for_each(|argument| Origin::add(&mut origins, argument));
        Self::open(origins)
    }

    /// Checks and opens inputs, by default standard input. Layouts are detected later.
    pub fn open(mut origins: Vec<Origin>) -> Result<Self, Failure> {
        if origins.is_empty() {
            origins.push(Origin::Stdin);
        }
        if origins.iter().filter(|origin| matches!(origin, Origin::Stdin)).count() > 1 {
            refuse!("standard input (-) can be read only once");
        }
        let mut all = Vec::with_capacity(origins.len());
        for origin in origins {
            let opened = origin.check()?.filter(|_| all.len() < KEPT_OPEN);
            all.push(Input { origin, layout: plain_lines(), types: None, opened });
        }
        Ok(Self { all, ..Self::default() })
    }

    /// Detects the layout of each input from its first bytes. Rejects inputs with different columns to
    /// keep. If `stop` is set while waiting for an input, this and later inputs are omitted.
    pub fn detect(&mut self, options: &InputOptions, stop: &AtomicBool) -> Result<(), Failure> {
        self.max_record = options.max_record;
        self.shown = match &options.keep {
            None => 0,
            Some(Keep::Only(names)) => names.len(),
            Some(Keep::Row) => usize::MAX,
        };
        self.findings.clear();
        let (option, computed) = (self.column_option, self.computed);
        for number in 0..self.all.len() {
            let Input { origin, types, opened, .. } = &mut self.all[number];
            // Texts in a folder are not taken for malformed lines.
            let needs_puzzles = matches!(origin, Origin::Found(_));
            let is_kept = opened.is_some() || origin.can_be_opened_once() || number < KEPT_OPEN;
            let mut stream = opened.take().unwrap_or_else(|| origin.open_or_fail());
            let options = InputOptions { needs_puzzles, ..options.clone() };
            let layout = stream.layout(&options, || stop.load(Ordering::Relaxed));
            *types = stream.columns().map(ColumnFile::types);
            let (name, is_parquet) = (origin.shown_name(), types.is_some());
            *opened = Some(stream).filter(|_| is_kept);
            let layout = layout.map_err(|error| {
                input_args::refused(&name, &error, option, (&options, computed))
            })?;
            let Some(mut layout) = layout else { return Ok(()) };
            if number > 0 {
                let first = &self.all[0];
                // Objects may have other keys.
                if options.keep == Some(Keep::Row)
                    && let Some((objects, first)) = layout.objects().zip(first.layout.objects())
                    && let Some(objects) = objects.keeping_as(first)
                {
                    layout = Arc::new(objects);
                }
                check_alike((&first.origin.shown_name(), &*first.layout), (&name, &*layout))?;
            }
            if let Some(finding) = finding(&*layout, is_parquet, &options) {
                let same = self.findings.iter_mut().find(|(other, ..)| *other == finding);
                match same {
                    Some((.., others)) => *others += 1,
                    None => self.findings.push((finding, name, 0)),
                }
            }
            self.all[number].layout = layout;
        }
        Ok(())
    }

    /// Sets the use of JSON keys that the first object lacks, if all are kept.
    pub fn set_other_keys(&mut self, others: &OtherKeys) {
        if self.shown == usize::MAX {
            for input in &mut self.all {
                if let Some(objects) = input.layout.objects() {
                    input.layout = Arc::new(objects.clone().with_other_keys(others.clone()));
                }
            }
        }
    }

    /// Returns messages about the detected layouts other than lines.
    pub fn findings(&self) -> impl Iterator<Item = String> {
        self.findings.iter().map(|(finding, first, others)| match others {
            0 => format!("{first}: {finding}"),
            _ => format!("{first} and {}: {finding}", counted(*others as u64, "other")),
        })
    }

    /// Returns the layout of the first input, or that of lines without inputs.
    fn first(&self) -> Arc<dyn Layout> {
        self.all.first().map_or_else(plain_lines, |input| Arc::clone(&input.layout))
    }

    /// Returns the kind of the layouts of all inputs, if it is the same.
    pub fn kind(&self) -> Option<LayoutKind> {
        let first = self.first().kind();
        self.layouts().all(|layout| layout.kind() == first).then_some(first)
    }

    /// Returns the names of the kept columns as written in the header of a table; `None` without a
    /// header.
    pub fn header(&self) -> Option<Vec<String>> {
        let mut header = self.first().header()?;
        header.truncate(self.shown);
        Some(header)
    }

    /// Returns the places of the puzzle and its solution among the kept columns.
    pub fn kept_cells(&self) -> [Option<KeptCells>; 2] {
        self.first().kept_cells()
    }

    /// Returns the name of a puzzle or solution inside a kept column of a file of columns, which is
    /// copied as a whole, the name of that column, and a list of the puzzle and the solution.
    pub fn cells_in_kept(&self) -> Option<[String; 3]> {
        let kept = self.kept();
        let inside = |name: &String, all: &[String]| {
            let holds = |kept: &&String| {
                name.strip_prefix(kept.as_str()).is_some_and(|rest| rest.starts_with('.'))
            };
            let kept = kept.iter().find(holds)?.clone();
            Some([name.clone(), kept, all.join(",")])
        };
        let files = self.all.iter().filter(|input| input.types.is_some());
        files.filter_map(|input| input.layout.table()).find_map(|table| {
            let cells = [Some(table.puzzle), table.answer].into_iter().flatten();
            let all: Vec<_> = cells.map(|column| table.name(column)).collect();
            all.iter().find_map(|name| inside(name, &all))
        })
    }

    pub fn have_answers(&self) -> bool {
        self.layouts().any(Layout::has_answers)
    }

    pub fn are_several(&self) -> bool {
        self.all.len() > 1
    }

    pub fn can_be_read_twice(&self) -> bool {
        !self.all.iter().any(|input| input.origin.can_be_opened_once())
    }

    /// Returns the names of the columns kept in the output, which are the same for all inputs.
    pub fn kept(&self) -> Vec<String> {
        let mut kept = self.read();
        kept.truncate(self.shown);
        kept
    }

    pub fn have_columns(&self) -> bool {
        self.all.iter().any(|input| input.types.is_some())
    }

    /// Returns the layouts, each with the types of its columns, if the input is a file of columns.
    #[cfg(feature = "parquet")]
    pub fn types(&self) -> impl Iterator<Item = (&dyn Layout, Option<&(dyn Any + Send + Sync)>)> {
        self.all.iter().map(|input| (&*input.layout, input.types.as_deref()))
    }

    /// Returns the names of the columns kept in the output and of those that are only read.
    pub fn read(&self) -> Vec<String> {
        self.first().kept()
    }

    pub fn layouts(&self) -> impl Iterator<Item = &dyn Layout> {
        self.all.iter().map(|input| &*input.layout)
    }

    pub fn names(&self) -> Vec<String> {
        self.all.iter().map(|input| input.origin.name()).collect()
    }

    /// Returns the file states that must be unchanged when a run is resumed.
    pub fn states(&self) -> Vec<FileState> {
        let state = |Input { origin, .. }: &Input| {
            let name = match origin {
                Origin::Typed(text) => String::from_utf8_lossy(text).into(),
                _ => origin.name(),
            };
            FileState::of(name, origin.on_disk())
        };
        self.all.iter().map(state).collect()
    }

    pub fn bytes(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.bytes)
    }

    /// Returns the total size, if every input is a file.
    pub fn size(&self) -> Option<u64> {
        self.all.iter().map(|input| input.origin.size()).sum()
    }

    /// Returns the number of threads, but not more than one per `bytes_per_thread` bytes, because a
    /// thread with little work only takes time to start.
    pub fn useful_threads(&self, threads: NonZeroUsize, bytes_per_thread: usize) -> NonZeroUsize {
        let is_plain = |input: &Input| input.opened.as_ref().is_none_or(Stream::is_plain);
        let bytes = self.size().filter(|_| self.all.iter().all(is_plain));
        let blocks = bytes.map(|bytes| bytes as usize / bytes_per_thread + self.all.len());
        blocks.and_then(NonZeroUsize::new).map_or(threads, |blocks| blocks.min(threads))
    }

    pub fn wait_for_typing(&self) -> bool {
        let has_stdin = self.all.iter().any(|input| matches!(input.origin, Origin::Stdin));
        has_stdin && io::stdin().is_terminal()
    }

    pub fn sources_from(
        &mut self,
        (first, position): (usize, Position),
    ) -> impl Iterator<Item = Source<'static>> + Send + use<> {
        let skipped: u64 = self.all[..first].iter().filter_map(|input| input.origin.size()).sum();
        self.bytes.fetch_add(skipped, Ordering::Relaxed);
        self.sources_after(first)
            .enumerate()
            .map(move |(number, source)| if number == 0 { source.from(position) } else { source })
    }

    /// Returns the inputs in order, up to a number of bytes in one of them.
    pub fn sources_until(
        &mut self,
        (last, bytes): (usize, u64),
    ) -> impl Iterator<Item = Source<'static>> + Send + use<> {
        self.sources().enumerate().take(last + 1).map(move |(number, source)| Source {
            end: (number == last).then_some(bytes),
            ..source
        })
    }

    /// Returns the inputs in order. Each is opened when it is read, unless it is already open.
    pub fn sources(&mut self) -> impl Iterator<Item = Source<'static>> + Send + use<> {
        self.sources_after(0)
    }

    fn sources_after(
        &mut self,
        skipped: usize,
    ) -> impl Iterator<Item = Source<'static>> + Send + use<> {
        let copy = |Input { origin, layout, types, opened }: &mut Input| Input {
            origin: origin.clone(),
            layout: Arc::clone(layout),
            types: types.clone(),
            opened: opened.take(),
        };
        let inputs: Vec<_> = self.all[skipped..].iter_mut().map(copy).collect();
        let (bytes, max_record) = (self.bytes(), self.max_record);
        inputs.into_iter().map(move |input| input.source(&bytes, max_record))
    }
}

impl Input {
    fn source(self, bytes: &Arc<AtomicU64>, max_record: usize) -> Source<'static> {
        let Self { origin, layout, opened, .. } = self;
        let stream = opened.unwrap_or_else(|| origin.open_or_fail());
        Source::of_stream(origin.name(), stream, layout, max_record, bytes)
    }
}

/// Returns the message about a detected layout, if it is notable.
fn finding(layout: &dyn Layout, is_parquet: bool, options: &InputOptions) -> Option<String> {
    if layout.kind() == LayoutKind::Grids && options.format == InputFormat::Auto {
        return Some("grids of nine lines".into());
    }
    let description = layout.description()?;
    Some(if is_parquet { description.replacen("CSV", "Parquet", 1) } else { description })
}

/// Rejects an input whose columns to keep, or those of puzzles among them, are not those of the first.
fn check_alike(first: (&str, &dyn Layout), other: (&str, &dyn Layout)) -> Result<(), Failure> {
    let columns = |(_, layout): (&str, &dyn Layout)| (layout.kept(), layout.kept_cells());
    if columns(first) == columns(other) {
        return Ok(());
    }
    let [first, other] = [first, other].map(|(name, layout)| {
        let columns: Vec<_> = layout.kept().iter().map(|column| format!("{column:?}")).collect();
        let none = if columns.is_empty() { "none" } else { "" };
        format!("{name} has {}{none}", columns.join(", "))
    });
    refuse!(
        "all inputs need the same columns: {first}; {other}; name those of the rows, such as \
         --columns puzzle, or run bulkdoku once per file"
    )
}
