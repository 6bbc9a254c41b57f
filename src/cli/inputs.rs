//! Inputs: looked at before work starts, opened when their turn comes.

use std::fs::{self, File};
use std::io::{self, Cursor, IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

#[cfg(feature = "parquet")]
use bulkdoku::input::ParquetText;
use bulkdoku::input::{
    Inflate, InputFormat, InputOptions, Layout, Position, ReadAhead, Sniffed, StreamOptions,
};
use bulkdoku::marks;
use bulkdoku::puzzle::{BLANKS, CELLS};
use bulkdoku::{Marks, Source};

use super::platform::{self, Pipe};
use super::run::InputState;
use super::{Failure, input_args};

/// The name of standard input on the command line.
pub const STDIN: &str = "-";

/// The bytes of an input, decompressed if need be, then read ahead.
pub type Reader = ReadAhead<Start>;

/// The same, of which the first ones may have been looked at.
type Start = Sniffed<Inflate<Input>>;

/// The text of an input that is no file, but puzzles that were typed as arguments.
type Typed = Option<Arc<[u8]>>;

/// Inputs that can be read, as far as one can tell without reading them.
#[derive(Debug)]
pub struct Inputs {
    paths: Vec<PathBuf>,
    /// For each, what was typed.
    typed: Vec<Typed>,
    /// How records lie in each.
    layouts: Vec<Layout>,
    /// What was found out about them, a line each.
    findings: Vec<String>,
    /// For each, its reader if it has been looked at and cannot be opened again.
    looked_at: Vec<Option<Start>>,
    bytes: Arc<AtomicU64>,
    /// How those are read that are no text.
    stream: StreamOptions,
}

impl Inputs {
    /// Checks what was typed; nothing means standard input. All are taken for lines.
    pub fn check(arguments: Vec<PathBuf>) -> Result<Self, Failure> {
        let (mut paths, mut typed) = by_kind(arguments);
        if paths.is_empty() {
            paths.push(STDIN.into());
            typed.push(None);
        }
        if paths.iter().filter(|path| is_stdin(path)).count() > 1 {
            return Err(Failure::Usage("standard input (-) can be read only once".into()));
        }
        if paths.iter().any(|path| is_stdin(path)) {
            platform::check_stdin()?;
        }
        let files = paths.iter().zip(&typed).filter(|(_, typed)| typed.is_none());
        for (path, _) in files.filter(|(path, _)| !is_stdin(path)) {
            check_file(path)?;
        }
        let layouts = vec![Layout::default(); paths.len()];
        let looked_at = paths.iter().map(|_| None).collect();
        let (findings, bytes, stream) = (Vec::new(), Arc::default(), StreamOptions::default());
        Ok(Self { paths, typed, layouts, findings, looked_at, bytes, stream })
    }

    /// Looks at the start of each input to find out how records lie in it, unless `stop` is set
    /// while one of them has nothing to look at yet.
    pub fn look(&mut self, expected: &InputOptions, stop: &AtomicBool) -> Result<(), Failure> {
        self.stream = expected.stream;
        for (i, path) in self.paths.iter().enumerate() {
            let typed = self.typed[i].as_ref();
            let can_be_opened_again = !is_stdin(path)
                && (typed.is_some() || fs::metadata(path).is_ok_and(|found| found.is_file()));
            // What will be read again counts then.
            let uncounted = Arc::default();
            let counter = if can_be_opened_again { &uncounted } else { &self.bytes };
            let mut reader = open(path, typed, counter, (self.stream, None));
            let layout = reader.layout(expected, || stop.load(Ordering::Relaxed));
            let layout = layout.map_err(|error| input_args::refused(&name(path), &error))?;
            let Some(layout) = layout else { return Ok(()) };
            if layout.kept() != self.layouts[0].kept() && i > 0 {
                let first = (name(&self.paths[0]), self.layouts[0].kept());
                return Err(unlike(first, (name(path), layout.kept())));
            }
            if let Some(finding) = finding(&layout, expected) {
                self.findings.push(format!("{}: {finding}", name(path)));
            }
            self.layouts[i] = layout;
            if !can_be_opened_again {
                self.looked_at[i] = Some(reader);
            }
        }
        Ok(())
    }

    /// What was found out about inputs that are more than lines, a line each.
    pub fn findings(&self) -> &[String] {
        &self.findings
    }

    /// The names of the columns that are carried into the output, the same of all inputs.
    pub fn kept(&self) -> Vec<String> {
        self.layouts[0].kept()
    }

    /// Whether rows of all of them have columns.
    pub fn are_tables(&self) -> bool {
        self.layouts.iter().all(|layout| matches!(layout, Layout::Csv(_) | Layout::Jsonl(_)))
    }

    /// Whether one of them gives solutions.
    pub fn have_answers(&self) -> bool {
        self.layouts.iter().any(Layout::has_answers)
    }

    /// The paths, `-` for standard input.
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// The names that messages and rows give them.
    pub fn names(&self) -> Vec<String> {
        self.paths.iter().map(|path| name(path)).collect()
    }

    /// What tells them from others, when a run is resumed.
    pub fn states(&self) -> Vec<InputState> {
        let state = |(path, typed): (&PathBuf, &Typed)| match typed {
            Some(text) => InputState {
                name: String::from_utf8_lossy(text).into(),
                bytes: None,
                modified: None,
            },
            None => InputState::of(name(path), on_disk(path)),
        };
        self.paths.iter().zip(&self.typed).map(state).collect()
    }

    /// How many bytes were read, as they lie in the inputs: compressed ones if they are.
    pub fn bytes(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.bytes)
    }

    /// All bytes that will be read, where every input is a file.
    pub fn size(&self) -> Option<u64> {
        (0..self.paths.len()).map(|number| self.size_of(number)).sum()
    }

    /// The bytes of one input, if it is a file.
    fn size_of(&self, number: usize) -> Option<u64> {
        if let Some(text) = &self.typed[number] {
            return Some(text.len() as u64);
        }
        let metadata = fs::metadata(on_disk(&self.paths[number])).ok()?;
        metadata.is_file().then_some(metadata.len())
    }

    /// Whether puzzles are expected to be typed.
    pub fn wait_for_typing(&self) -> bool {
        self.paths.iter().any(|path| is_stdin(path)) && io::stdin().is_terminal()
    }

    /// The inputs in order, from a place in one of them on, to be read once.
    pub fn sources_from(
        &mut self,
        (first, position): (usize, Position),
    ) -> impl Iterator<Item = Source<Reader>> + Send + use<> {
        let passed: u64 = (0..first).filter_map(|number| self.size_of(number)).sum();
        self.bytes.fetch_add(passed, Ordering::Relaxed);
        self.sources().enumerate().skip(first).map(move |(number, source)| {
            if number == first { source.from(position) } else { source }
        })
    }

    /// The inputs in order, up to a number of bytes of one of them.
    pub fn sources_until(
        &mut self,
        (last, bytes): (usize, u64),
    ) -> impl Iterator<Item = Source<io::Take<Reader>>> + Send + use<> {
        self.sources().enumerate().take(last + 1).map(move |(number, source)| {
            let Source { name, layout, position, skip, reader } = source;
            let reader = reader.take(if number == last { bytes } else { u64::MAX });
            Source { name, layout, position, skip, reader }
        })
    }

    /// The inputs in order, to be read once.
    pub fn sources(&mut self) -> impl Iterator<Item = Source<Reader>> + Send + use<> {
        let all = self.paths.iter().zip(&self.typed).zip(&self.layouts).zip(&mut self.looked_at);
        let sources: Vec<_> = all
            .map(|(((path, typed), layout), looked_at)| {
                let how = || (self.stream, layout.columns());
                let open = || open(path, typed.as_ref(), &self.bytes, how());
                let start = looked_at.take().unwrap_or_else(open);
                let is_decoded = |start: &Start| {
                    let inflate = start.get_ref();
                    inflate.is_compressed() || inflate.get_ref().is_decoded()
                };
                let reader = ReadAhead::new(start, is_decoded);
                Source { layout: layout.clone(), ..Source::new(name(path), reader) }
            })
            .collect();
        sources.into_iter()
    }
}

/// The name of puzzles that were typed, in rows and messages.
const TYPED: &str = "<arguments>";

/// Tells files from puzzles among arguments. Puzzles that stand together are one input, a line each.
fn by_kind(arguments: Vec<PathBuf>) -> (Vec<PathBuf>, Vec<Typed>) {
    let (mut paths, mut typed) = (Vec::new(), Vec::<Typed>::new());
    for argument in arguments {
        let line = typed_puzzle(&argument).map(String::into_bytes);
        match (line, typed.last_mut()) {
            (Some(line), Some(Some(text))) => *text = [text, &line[..]].concat().into(),
            (Some(line), _) => {
                paths.push(TYPED.into());
                typed.push(Some(line.into()));
            }
            (None, _) => {
                paths.push(argument);
                typed.push(None);
            }
        }
    }
    (paths, typed)
}

/// The puzzle that was typed instead of a file's name, on a line of its own: as it was typed if that
/// is one line without blanks, else its cells or marks.
fn typed_puzzle(argument: &Path) -> Option<String> {
    let text = argument.to_str().filter(|_| !argument.exists())?;
    let marks: Marks = text.parse().ok()?;
    let text = text.trim();
    let is_line = text.len() == CELLS || text.len() == marks::TEXT;
    Some(match marks.puzzle() {
        _ if is_line => format!("{text}\n"),
        Some(puzzle) => format!("{puzzle}\n"),
        None => format!("{marks}\n"),
    })
}

/// Refuses what cannot be read, as far as one can tell without reading it.
fn check_file(path: &Path) -> Result<(), Failure> {
    let metadata = fs::metadata(path).map_err(|error| match cells(path) {
        Some(count) if count != CELLS => {
            let hint = format!("no such file; and a puzzle has {CELLS} cells, this {count}");
            Failure::Usage(format!("{}: {hint}", path.display()))
        }
        _ => Failure::at(path, error),
    })?;
    if metadata.is_dir() {
        return Err(Failure::at(path, "is a directory; name its files"));
    }
    // A pipe may be opened only once.
    if metadata.is_file() {
        File::open(path).map_err(|error| Failure::at(path, error))?;
    }
    Ok(())
}

/// How many cells an argument has, if it is nothing but cells, and more than a name has.
fn cells(argument: &Path) -> Option<usize> {
    let text = argument.to_str()?.as_bytes();
    let is_cell = |byte: &u8| byte.is_ascii_digit() || BLANKS.contains(byte);
    (text.len() > 2 * 9 && text.iter().all(is_cell)).then_some(text.len())
}

/// Opens an input: everything that reads one comes through here. Of a table that is no text, only the
/// columns that are wanted need be decoded.
fn open(
    path: &Path,
    typed: Option<&Arc<[u8]>>,
    bytes: &Arc<AtomicU64>,
    (options, wanted): (StreamOptions, Option<Vec<usize>>),
) -> Start {
    let stream = match typed {
        Some(text) => Stream::Typed(Cursor::new(Arc::clone(text))),
        None => Stream::Named(path.into(), wanted),
    };
    let input = Input { stream, bytes: Arc::clone(bytes) };
    Sniffed::new(Inflate::with_options(input, options))
}

/// What is worth telling about a layout that was not named.
fn finding(layout: &Layout, expected: &InputOptions) -> Option<String> {
    match layout {
        Layout::Csv(table) => Some(table.to_string()),
        Layout::Jsonl(objects) => Some(objects.to_string()),
        Layout::Grid | Layout::GridAndLabel if expected.format == InputFormat::Auto => {
            Some("grids of nine lines".into())
        }
        _ => None,
    }
}

/// Two inputs, named, differ in the columns that would be carried into the output.
fn unlike(one: (String, Vec<String>), other: (String, Vec<String>)) -> Failure {
    let [one, other] = [one, other].map(|(name, columns)| {
        let columns: Vec<_> = columns.iter().map(|column| format!("{column:?}")).collect();
        format!("{name} has {}", columns.join(", "))
    });
    Failure::Usage(format!("--keep wants the same columns of all inputs: {one}; {other}"))
}

/// Whether inputs can be read more than once: there are some, all of them files.
pub fn are_files(paths: &[PathBuf]) -> bool {
    let is_file = |path: &PathBuf| !is_stdin(path) && path.is_file();
    !paths.is_empty() && paths.iter().all(is_file)
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == STDIN
}

/// Where the system tells about an input.
fn on_disk(path: &Path) -> &Path {
    if is_stdin(path) { Path::new("/dev/stdin") } else { path }
}

fn name(path: &Path) -> String {
    if is_stdin(path) { "<stdin>".into() } else { path.display().to_string() }
}

/// The bytes of one input as they lie there, counted.
#[derive(Debug)]
pub struct Input {
    stream: Stream,
    bytes: Arc<AtomicU64>,
}

/// A file is opened at its first read, so that any number of them can be named.
#[derive(Debug)]
enum Stream {
    Named(PathBuf, Option<Vec<usize>>),
    /// What was typed.
    Typed(Cursor<Arc<[u8]>>),
    /// A file.
    Open(File),
    /// A Parquet file, as text.
    #[cfg(feature = "parquet")]
    Parquet(Box<ParquetText>),
    /// A pipe or a device.
    Pipe(Pipe),
}

impl Stream {
    #[cfg_attr(not(feature = "parquet"), allow(unused_variables))]
    fn open(path: &Path, wanted: Option<&[usize]>) -> io::Result<Self> {
        let opened = if is_stdin(path) { Pipe::stdin()? } else { Pipe::open(path)? };
        match opened {
            #[cfg(feature = "parquet")]
            Ok(file) if ParquetText::is_one(&file) => {
                Ok(Self::Parquet(Box::new(ParquetText::open(file, wanted)?)))
            }
            opened => Ok(opened.map_or_else(Self::Pipe, Self::Open)),
        }
    }

    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Named(path, wanted) => {
                *self = Self::open(path, wanted.as_deref())?;
                self.read(into)
            }
            Self::Typed(text) => text.read(into),
            Self::Open(file) => file.read(into),
            #[cfg(feature = "parquet")]
            Self::Parquet(table) => table.read(into),
            Self::Pipe(pipe) => pipe.read(into),
        }
    }

    /// How many bytes of the input were taken for a read that gave this many.
    fn taken(&mut self, got: usize) -> u64 {
        match self {
            #[cfg(feature = "parquet")]
            Self::Parquet(table) => table.take_bytes(),
            _ => got as u64,
        }
    }
}

impl Read for Input {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let got = self.stream.read(into)?;
        self.bytes.fetch_add(self.stream.taken(got), Ordering::Relaxed);
        Ok(got)
    }
}

impl Input {
    /// Whether its bytes are made from what lies there, which takes a while.
    #[cfg_attr(not(feature = "parquet"), allow(clippy::unused_self))]
    fn is_decoded(&self) -> bool {
        #[cfg(feature = "parquet")]
        if matches!(self.stream, Stream::Parquet(_)) {
            return true;
        }
        false
    }
}
