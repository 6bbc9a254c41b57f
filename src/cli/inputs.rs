//! Inputs: checked and opened before work starts, read when their turn comes.

use std::fs::{self, File};
use std::io::{self, Cursor, IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use bulkdoku::input::{InputFormat, InputOptions, Layout, Position, Stream, StreamOptions};
use bulkdoku::marks;
use bulkdoku::puzzle::{BLANKS, CELLS};
use bulkdoku::{Marks, Source};

use super::platform::{self, Pipe};
use super::run::InputState;
use super::{Failure, input_args};

/// The name of standard input on the command line.
pub const STDIN: &str = "-";

/// The bytes of an input.
pub type Reader = Stream<'static>;

/// How many files stay open from the check of the command line to their turn. Others are opened
/// again, so that any number of them can be named.
const KEPT_OPEN: usize = 16;

/// Inputs that can be read, as far as one can tell without reading them: at least one.
#[derive(Debug)]
pub struct Inputs {
    all: Vec<Input>,
    paths: Vec<PathBuf>,
    /// What was found out about them, a line each.
    findings: Vec<String>,
    bytes: Arc<AtomicU64>,
    /// How those are read that are no text.
    options: StreamOptions,
}

/// One of them.
#[derive(Debug)]
struct Input {
    origin: Origin,
    /// How records lie in it.
    layout: Layout,
    /// It is open, and nothing of it is read but for its layout.
    opened: Option<Reader>,
}

/// Where an input comes from.
#[derive(Clone, Debug)]
enum Origin {
    Stdin,
    /// A file, or a pipe or device with a name.
    Path(PathBuf),
    /// Puzzles that were typed as arguments, a line each.
    Typed(Arc<[u8]>),
}

impl Inputs {
    /// Checks what was typed; nothing means standard input. All are taken for lines.
    pub fn check(arguments: Vec<PathBuf>) -> Result<Self, Failure> {
        let mut origins = Origin::of_all(arguments);
        if origins.is_empty() {
            origins.push(Origin::Stdin);
        }
        match origins.iter().filter(|origin| matches!(origin, Origin::Stdin)).count() {
            0 => {}
            1 => platform::check_stdin()?,
            _ => return Err(Failure::Usage("standard input (-) can be read only once".into())),
        }
        let mut all = Vec::with_capacity(origins.len());
        for origin in origins {
            let opened = origin.check()?.filter(|_| all.len() < KEPT_OPEN);
            all.push(Input { origin, layout: Layout::default(), opened });
        }
        let paths = all.iter().map(|input| input.origin.path().into()).collect();
        let (findings, bytes, options) = (Vec::new(), Arc::default(), StreamOptions::default());
        Ok(Self { all, paths, findings, bytes, options })
    }

    /// Finds out from the first bytes of each input how records lie in it. If `stop` is set while
    /// one of them has no bytes yet, those behind it are not looked at.
    pub fn look(&mut self, expected: &InputOptions, stop: &AtomicBool) -> Result<(), Failure> {
        self.options = expected.stream;
        self.findings.clear();
        for number in 0..self.all.len() {
            let Input { origin, opened, .. } = &mut self.all[number];
            let is_kept = opened.is_some() || origin.can_be_opened_once() || number < KEPT_OPEN;
            let mut stream = opened.take().unwrap_or_else(|| origin.open_or_fail());
            let layout = stream.layout(expected, || stop.load(Ordering::Relaxed));
            let (name, is_parquet) = (origin.name(), stream.is_parquet());
            *opened = Some(stream).filter(|_| is_kept);
            let layout = layout.map_err(|error| input_args::refused(&name, &error))?;
            let Some(layout) = layout else { return Ok(()) };
            let first = &self.all[0];
            if layout.kept() != first.layout.kept() && number > 0 {
                let first = (first.origin.name(), first.layout.kept());
                return Err(unlike(first, (name, layout.kept())));
            }
            if let Some(finding) = finding(&layout, is_parquet, expected) {
                self.findings.push(format!("{name}: {finding}"));
            }
            self.all[number].layout = layout;
        }
        Ok(())
    }

    /// What was found out about inputs that are more than lines, a line each.
    pub fn findings(&self) -> &[String] {
        &self.findings
    }

    /// The names of the columns that are carried into the output, the same of all inputs.
    pub fn kept(&self) -> Vec<String> {
        self.all[0].layout.kept()
    }

    /// How records lie in each.
    pub fn layouts(&self) -> impl Iterator<Item = &Layout> {
        self.all.iter().map(|input| &input.layout)
    }

    /// Whether rows of all of them have columns.
    pub fn are_tables(&self) -> bool {
        self.layouts().all(|layout| matches!(layout, Layout::Csv(_) | Layout::Jsonl(_)))
    }

    /// Whether one of them gives solutions.
    pub fn have_answers(&self) -> bool {
        self.layouts().any(Layout::has_answers)
    }

    /// The paths, `-` for standard input.
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// The names that messages and rows give them.
    pub fn names(&self) -> Vec<String> {
        self.all.iter().map(|input| input.origin.name()).collect()
    }

    /// What tells them from others, when a run is resumed.
    pub fn states(&self) -> Vec<InputState> {
        let state = |Input { origin, .. }: &Input| match origin {
            Origin::Typed(text) => InputState {
                name: String::from_utf8_lossy(text).into(),
                bytes: None,
                modified: None,
            },
            _ => InputState::of(origin.name(), origin.on_disk()),
        };
        self.all.iter().map(state).collect()
    }

    /// How many bytes were read, as they lie in the inputs: compressed ones if they are.
    pub fn bytes(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.bytes)
    }

    /// All bytes that will be read, where every input is a file.
    pub fn size(&self) -> Option<u64> {
        self.all.iter().map(|input| input.origin.size()).sum()
    }

    /// Whether puzzles are expected to be typed.
    pub fn wait_for_typing(&self) -> bool {
        let has_stdin = self.all.iter().any(|input| matches!(input.origin, Origin::Stdin));
        has_stdin && io::stdin().is_terminal()
    }

    /// The inputs in order, from a place in one of them on, to be read once.
    pub fn sources_from(
        &mut self,
        (first, position): (usize, Position),
    ) -> impl Iterator<Item = Source<Reader>> + Send + use<> {
        let passed: u64 = self.all[..first].iter().filter_map(|input| input.origin.size()).sum();
        self.bytes.fetch_add(passed, Ordering::Relaxed);
        self.sources_behind(first)
            .enumerate()
            .map(move |(number, source)| if number == 0 { source.from(position) } else { source })
    }

    /// The inputs in order, up to a number of bytes of one of them.
    pub fn sources_until(
        &mut self,
        (last, bytes): (usize, u64),
    ) -> impl Iterator<Item = Source<io::Take<Reader>>> + Send + use<> {
        self.sources().enumerate().take(last + 1).map(move |(number, source)| {
            source.map(|reader| reader.take(if number == last { bytes } else { u64::MAX }))
        })
    }

    /// The inputs in order, to be read once. Those that are not open are opened when their turn
    /// comes.
    pub fn sources(&mut self) -> impl Iterator<Item = Source<Reader>> + Send + use<> {
        self.sources_behind(0)
    }

    /// The same without the first ones.
    fn sources_behind(
        &mut self,
        passed: usize,
    ) -> impl Iterator<Item = Source<Reader>> + Send + use<> {
        let copy = |Input { origin, layout, opened }: &mut Input| Input {
            origin: origin.clone(),
            layout: layout.clone(),
            opened: opened.take(),
        };
        let inputs: Vec<_> = self.all[passed..].iter_mut().map(copy).collect();
        let (bytes, options) = (self.bytes(), self.options);
        inputs.into_iter().map(move |input| input.source(&bytes, options))
    }
}

impl Input {
    /// The input, its bytes counted, decoded ahead if they are compressed.
    fn source(self, bytes: &Arc<AtomicU64>, options: StreamOptions) -> Source<Reader> {
        let Self { origin, layout, opened } = self;
        let stream = opened.unwrap_or_else(|| origin.open_or_fail());
        let mut stream = stream.with_options(options).read_ahead();
        if let Err(error) = stream.decode_only(&layout) {
            stream = Stream::new(Fails(Some(error)));
        }
        stream.count_into(bytes);
        Source { layout, ..Source::new(origin.name(), stream) }
    }
}

/// What could not be opened: it fails when it is read.
struct Fails(Option<io::Error>);

impl Read for Fails {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

impl Origin {
    /// Tells files from puzzles among arguments. Puzzles that stand together are one input.
    fn of_all(arguments: Vec<PathBuf>) -> Vec<Self> {
        let mut all = Vec::new();
        for argument in arguments {
            let line = typed_puzzle(&argument).map(String::into_bytes);
            match (line, all.last_mut()) {
                (Some(line), Some(Self::Typed(text))) => *text = [text, &line[..]].concat().into(),
                (Some(line), _) => all.push(Self::Typed(line.into())),
                (None, _) if is_stdin(&argument) => all.push(Self::Stdin),
                (None, _) => all.push(Self::Path(argument)),
            }
        }
        all
    }

    /// Refuses what cannot be read, as far as one can tell without reading it. Opens a file; a pipe
    /// may be opened only once, so not here.
    fn check(&self) -> Result<Option<Reader>, Failure> {
        let Self::Path(path) = self else { return Ok(None) };
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
        if !metadata.is_file() {
            return Ok(None);
        }
        let file = File::open(path).map_err(|error| Failure::at(path, error))?;
        // A table that cannot be read fails when it is its turn.
        Ok(Some(Stream::of_file(file).unwrap_or_else(|error| Stream::new(Fails(Some(error))))))
    }

    /// Whether a second opening would not find the same bytes.
    fn can_be_opened_once(&self) -> bool {
        match self {
            Self::Stdin => true,
            Self::Path(path) => !path.is_file(),
            Self::Typed(_) => false,
        }
    }

    fn open(&self) -> io::Result<Reader> {
        let opened = match self {
            Self::Typed(text) => return Ok(Stream::new(Cursor::new(Arc::clone(text)))),
            Self::Stdin => Pipe::stdin()?,
            Self::Path(path) => Pipe::open(path)?,
        };
        opened.map_or_else(|pipe| Ok(Stream::new(pipe)), Stream::of_file)
    }

    fn open_or_fail(&self) -> Reader {
        self.open().unwrap_or_else(|error| Stream::new(Fails(Some(error))))
    }

    /// What stands for it among the paths.
    fn path(&self) -> &Path {
        match self {
            Self::Stdin => Path::new(STDIN),
            Self::Path(path) => path,
            Self::Typed(_) => Path::new(TYPED),
        }
    }

    /// Where the system tells about it.
    fn on_disk(&self) -> &Path {
        if let Self::Stdin = self { Path::new("/dev/stdin") } else { self.path() }
    }

    /// Its name in rows and messages.
    fn name(&self) -> String {
        if let Self::Stdin = self { "<stdin>".into() } else { self.path().display().to_string() }
    }

    /// Its bytes, if it is a file.
    fn size(&self) -> Option<u64> {
        if let Self::Typed(text) = self {
            return Some(text.len() as u64);
        }
        let metadata = fs::metadata(self.on_disk()).ok()?;
        metadata.is_file().then_some(metadata.len())
    }
}

/// The name of puzzles that were typed, in rows and messages.
const TYPED: &str = "<arguments>";

/// The puzzle that was typed instead of a file's name, on a line of its own: as it was typed if
/// that is one line without blanks, else its cells or marks.
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

/// How many cells an argument has, if it is nothing but cells, and more than a name has.
fn cells(argument: &Path) -> Option<usize> {
    let text = argument.to_str()?.as_bytes();
    let is_cell = |byte: &u8| byte.is_ascii_digit() || BLANKS.contains(byte);
    (text.len() > 2 * 9 && text.iter().all(is_cell)).then_some(text.len())
}

/// What is worth telling about a layout that was not named.
fn finding(layout: &Layout, is_parquet: bool, expected: &InputOptions) -> Option<String> {
    match layout {
        // It is read as CSV is.
        Layout::Csv(table) if is_parquet => Some(table.to_string().replacen("CSV", "Parquet", 1)),
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
