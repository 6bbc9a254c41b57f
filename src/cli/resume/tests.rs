use std::fs;
use std::path::{Path, PathBuf};

use bulkdoku::pipeline::MessageFormat;
use indicatif::ProgressBar;
use tempfile::TempDir;

use super::super::outputs::Destinations;
use super::super::typed::RunIdentity;
use super::journal::{HEAD, decode, encode};
use super::*;

/// Failures on demand of the operations of this thread.
pub mod injected {
    use std::cell::RefCell;
    use std::io;
    use std::thread;
    use std::time::Duration;

    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub enum InjectedFailure {
        #[default]
        Never,
        /// The process ends after this many bytes and operations.
        Crash(usize),
        /// The disk is full after this many bytes.
        FullDisk(usize),
        /// The operation after this many bytes and operations fails, and later ones succeed.
        Fault(usize),
    }

    #[derive(Clone, Copy, Debug, Default)]
    pub struct State {
        pub fails: InjectedFailure,
        pub written: usize,
        pub is_over: bool,
        /// How often the journal was saved, and the time that this takes.
        pub saves: usize,
        pub saving_takes: Duration,
    }

    thread_local! {
        static STATE: RefCell<State> = RefCell::default();
    }

    /// Starts a run with this state, and returns that of the last one.
    pub fn start(state: State) -> State {
        STATE.replace(state)
    }

    pub fn bytes(count: usize) -> io::Result<usize> {
        STATE.with_borrow_mut(|state| {
            let left = match state.fails {
                _ if state.is_over => 0,
                InjectedFailure::Crash(at) | InjectedFailure::FullDisk(at) => at - state.written,
                InjectedFailure::Fault(at) if at >= state.written => at - state.written,
                _ => usize::MAX,
            };
            let written = count.min(left);
            state.written += written;
            if written > 0 || count == 0 && !state.is_over {
                return Ok(written);
            }
            state.is_over |= matches!(state.fails, InjectedFailure::Crash(_));
            state.written += usize::from(matches!(state.fails, InjectedFailure::Fault(_)));
            Err(io::ErrorKind::StorageFull.into())
        })
    }

    pub fn operation() -> io::Result<()> {
        let needs_space = STATE.with_borrow(|it| matches!(it.fails, InjectedFailure::FullDisk(_)));
        if needs_space { Ok(()) } else { bytes(1).map(drop) }
    }

    /// The other bytes of a file that is replaced atomically make no difference.
    pub fn atomic() -> io::Result<()> {
        thread::sleep(STATE.with_borrow(|state| state.saving_takes));
        STATE.with_borrow_mut(|state| state.saves += 1);
        (0..2).try_for_each(|_| bytes(1).map(drop))
    }
}

use injected::{InjectedFailure, State, start};

#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "all combinations are possible")]
struct Case {
    /// The number of outputs of rows.
    outputs: u8,
    /// Whether files have temporary names until all are complete. Their header has the number of
    /// rows, and is replaced at the end.
    is_whole: bool,
    /// Whether the run replaces older files.
    is_forced: bool,
    has_header: bool,
    /// Whether every checkpoint is saved, or only the last one.
    saves_all: bool,
}

const CASES: [Case; 10] = [
    case(1, [false, false, true, true]),
    case(1, [false, false, false, true]),
    case(1, [false, true, true, false]),
    case(4, [false, false, true, true]),
    case(4, [false, false, false, false]),
    case(4, [false, true, true, true]),
    case(1, [true, false, true, true]),
    case(1, [true, true, true, true]),
    case(4, [true, false, true, true]),
    case(4, [true, true, true, true]),
];

const fn case(outputs: u8, [is_whole, is_forced, has_header, saves_all]: [bool; 4]) -> Case {
    Case { outputs, is_whole, is_forced, has_header, saves_all }
}

const RECORDS: u64 = 8;
const RECORDS_PER_BLOCK: u64 = 2;

/// The contents of the outputs of rows, and of messages.
type Contents = Vec<Option<Vec<u8>>>;

/// The files of a case, in memory if the system supports it.
struct Files {
    folder: TempDir,
    paths: Vec<PathBuf>,
}

impl Files {
    fn contents(&self) -> Contents {
        self.paths.iter().map(|path| fs::read(path).ok()).collect()
    }

    fn text(&self) -> String {
        let rows: Vec<_> = self.contents().into_iter().flatten().collect();
        String::from_utf8(rows.concat()).unwrap()
    }

    fn has_journal(&self) -> bool {
        self.folder.path().join("0.resume").exists()
    }

    fn position(&self) -> Option<Position> {
        decode(&fs::read(self.folder.path().join("0.resume.at")).ok()?)
    }

    /// Returns whether there are only outputs, complete ones, and perhaps locks.
    fn are_only(&self, expected: &Contents) -> bool {
        let names = fs::read_dir(self.folder.path()).unwrap().map(|it| it.unwrap().file_name());
        let others = names.filter(|name| Path::new(name).extension() != Some("lock".as_ref()));
        self.contents() == *expected && others.count() == self.paths.len()
    }
}

impl Case {
    /// Returns the contents of the files before the first run.
    fn old(self) -> Contents {
        let old = |file: u8| self.is_forced.then(|| format!("old {file}\n").into_bytes());
        (0..=self.outputs).map(old).collect()
    }

    /// Creates the files before the first run.
    fn files(self) -> Files {
        let memory = Path::new("/dev/shm");
        let folder =
            if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
        let folder = folder.unwrap();
        let paths = (0..=self.outputs).map(|file| folder.path().join(file.to_string()));
        let paths: Vec<_> = paths.collect();
        for (path, old) in paths.iter().zip(self.old()) {
            old.into_iter().for_each(|old| fs::write(path, old).unwrap());
        }
        Files { folder, paths }
    }

    fn header(self, rows: u64) -> Vec<u8> {
        match self {
            Self { has_header: false, .. } => Vec::new(),
            Self { is_whole: false, .. } => b"a,b\n".to_vec(),
            Self { is_whole: true, .. } => format!("of rows:{rows}\n").into_bytes(),
        }
    }

    /// Writes the row of a record to its output. With several outputs, all rows go to output 1 at
    /// first, and output 3 has none.
    fn write(self, record: u64, into: &mut impl Sink) -> io::Result<()> {
        let output = if record < 3 { 1 } else { record % 3 } as u8 % self.outputs;
        into.rows(output, format!("r{record}\n").as_bytes())?;
        if record % 4 == 3 {
            into.messages(format!("m{record}\n").as_bytes())?;
        }
        Ok(())
    }

    /// Opens the outputs of a run, which resumes an earlier one that has begun.
    fn open(self, files: &Files) -> Result<(RowFiles, Option<Checkpoint>), Failure> {
        let resume = files.has_journal() || files.contents() != self.old();
        let (messages, rows) = files.paths.split_last().unwrap();
        let destinations = Destinations {
            output: rows.to_vec(),
            errors: Some(messages.clone()),
            force: self.is_forced && !resume,
            resume,
            ..Destinations::default()
        };
        let claim = destinations.claim(&[])?;
        let messages = Messages::new(ProgressBar::hidden(), true, false, MessageFormat::Text);
        claim.open(RunIdentity::default(), self.header(0), self.is_whole, messages)
    }

    /// Runs until the end or a failure. Returns the number of rows written.
    fn run(self, files: &Files, fails: InjectedFailure) -> Result<u64, Failure> {
        start(State { fails, ..State::default() });
        let (mut into, start) = match self.open(files) {
            Err(Failure::Complete(_)) => return Ok(0),
            opened => opened?,
        };
        if self.saves_all {
            (into.interval, into.pauses, into.due) = (Duration::ZERO, 0, Instant::now());
        }
        if start.is_some() {
            into.truncate_to_start()?;
        }
        let mut at = start.clone().unwrap_or_default();
        let begin = at.position.offset;
        let mut work = || {
            if start.is_none() {
                (0..self.outputs).try_for_each(|output| into.header(output, &self.header(0)))?;
            }
            while at.position.offset < RECORDS {
                for record in at.position.offset..at.position.offset + RECORDS_PER_BLOCK {
                    self.write(record, &mut into)?;
                }
                at.position.offset += RECORDS_PER_BLOCK;
                into.checkpoint(&at, false)?;
            }
            into.checkpoint(&at, true)?;
            if self.is_whole {
                into.header(0, &self.header(RECORDS))?;
            }
            into.finish(true)
        };
        work()?;
        if into.is_incomplete() {
            return Err(Failure::Io("messages are missing".into()));
        }
        into.complete(false)?;
        Ok(at.position.offset - begin)
    }

    /// Returns the files of an uninterrupted run.
    fn expected(self) -> Contents {
        let files = self.files();
        self.run(&files, InjectedFailure::Never).unwrap();
        let expected = files.contents();
        assert!(files.are_only(&expected) && expected.iter().all(Option::is_some));
        let headers = if self.header(0).is_empty() { 0 } else { usize::from(self.outputs) };
        let rows = files.text().lines().filter(|line| !line.starts_with('m')).count();
        assert_eq!(rows, RECORDS as usize + headers, "{self:?}");
        expected
    }

    /// Rejects files that look complete, but are not.
    fn check(self, files: &Files, expected: &Contents) {
        if !files.has_journal() {
            let (left, old) = (files.contents(), self.old());
            let is_empty = |file: &Option<Vec<u8>>| file.as_ref().is_none_or(Vec::is_empty);
            let is_old = left == old || !self.is_forced && left.iter().all(is_empty);
            assert!(left == *expected || is_old, "{self:?}: {left:?}");
        }
    }
}

/// Wherever a run and its resumption fail, the final outputs are those of an uninterrupted run. A full
/// disk leaves complete rows, and a run whose journal cannot be saved changes nothing.
#[test]
fn runs_that_fail_at_any_byte_are_resumed_to_the_same_bytes() {
    // Without `PROPTEST_CASES`, every fifth byte, which still reaches each combination below.
    let step = if std::env::var_os("PROPTEST_CASES").is_some() { 1 } else { 5 };
    for case in CASES {
        let expected = case.expected();
        let (mut at, mut was_shorter) = (0, false);
        loop {
            let mut is_over = true;
            let other =
                if at % 3 == 0 { InjectedFailure::FullDisk } else { InjectedFailure::Fault };
            let crash: fn(usize) -> InjectedFailure = InjectedFailure::Crash;
            let second = if at % 2 == 0 { at % 13 } else { at + 7 };
            for (fails, second) in [(crash, second), (other, 2 * at / 3)] {
                let files = case.files();
                let first = case.run(&files, fails(at));
                is_over &= start(State::default()).written < at;
                case.check(&files, &expected);
                assert!(at > 0 || files.contents() == case.old(), "{case:?}: no journal is saved");
                let is_full = matches!(fails(at), InjectedFailure::FullDisk(_));
                for output in files.contents().iter().flatten().filter(|_| is_full) {
                    assert!(output.is_empty() || output.ends_with(b"\n"), "{case:?} {at}");
                }
                let second_fails = first.is_err() && {
                    let second = case.run(&files, fails(second));
                    case.check(&files, &expected);
                    second.is_err()
                };
                if second_fails {
                    let left = case.run(&files, InjectedFailure::Never).unwrap();
                    was_shorter |= left < RECORDS;
                }
                assert!(files.are_only(&expected), "{case:?} {:?} {second}", fails(at));
            }
            if is_over {
                break;
            }
            at += step;
        }
        assert!(at > 30, "{at}");
        assert!(was_shorter || !case.saves_all || case.is_whole, "{case:?}");
    }
}

/// If an input is damaged, the rows of earlier ones are kept, despite many later positions.
#[test]
fn the_last_position_in_an_earlier_input_is_kept() {
    let mut position = Position::default();
    for (source, offset) in [(0, 1), (0, 2), (1, 1), (1, 2), (2, 1)] {
        for more in 0..20 {
            let offset = 100 * offset + more;
            let at = bulkdoku::input::Position { offset, ..Default::default() };
            let checkpoint = Checkpoint { source, position: at, ..Checkpoint::default() };
            position.add(Entry { checkpoint, outputs: Vec::new() });
        }
    }
    for is_changed in [true, false] {
        assert_eq!(position.rewind((2, 90)), is_changed);
        let last = &position.last.as_ref().unwrap().checkpoint;
        assert_eq!((last.source, last.position.offset), (1, 219));
        assert_eq!((position.earlier.as_ref(), position.failed), (None, Some((2, 90))));
    }
    assert!(position.rewind((0, 0)) && !position.rewind((1, 0)));
    assert_eq!((position.last, position.failed), (None, Some((0, 0))));
}

/// Saving takes at most a twentieth of the time, even if it is slow.
#[test]
fn slow_saves_are_rare() {
    let saving_takes = Duration::from_millis(5);
    for interval in [Duration::ZERO, Duration::from_secs(1000)] {
        let case = CASES[0];
        start(State { saving_takes, ..State::default() });
        let begin = Instant::now();
        let (mut into, _) = case.open(&case.files()).unwrap();
        into.interval = interval;
        while begin.elapsed() < 35 * saving_takes {
            into.checkpoint(&Checkpoint::default(), false).unwrap();
        }
        let pause = 19 * saving_takes;
        let most = 2 + (begin.elapsed().as_millis() / pause.as_millis()) as usize;
        let saves = start(State::default()).saves;
        assert!((1..=most).contains(&saves), "{saves} saves, expected at most {most}");
    }
}

/// A file written by another program is rejected and not changed.
#[test]
fn foreign_and_modified_files_are_refused() {
    let is_checked = |case: &Case| !case.is_whole && !case.is_forced && case.saves_all;
    for case in CASES.into_iter().filter(is_checked) {
        let mut refused = [0; 2];
        for at in 0..120 {
            for output in 0..=usize::from(case.outputs) {
                let files = case.files();
                let ran = case.run(&files, InjectedFailure::Crash(at));
                let position = files.position();
                let is_begun = position.is_some();
                let is_unchecked = !is_begun && output == usize::from(case.outputs);
                if ran.is_ok() || !files.has_journal() || is_unchecked {
                    continue;
                }
                let last = position.and_then(|position| position.last);
                let marked = last.map_or(0, |last| last.outputs[output].bytes) as usize;
                if !is_begun && !case.header(0).is_empty() {
                    fs::write(&files.paths[output], "mine\n").unwrap();
                } else if marked > 1 {
                    let mut bytes = fs::read(&files.paths[output]).unwrap();
                    bytes[marked - 2] ^= 1;
                    fs::write(&files.paths[output], bytes).unwrap();
                } else {
                    continue;
                }
                let before = files.text();
                refused[usize::from(is_begun)] += 1;
                let resumed = case.run(&files, InjectedFailure::Never);
                let message = resumed.unwrap_err().to_string();
                assert!(message.contains("has been modified"), "{case:?} {at}: {message}");
                assert_eq!(files.text(), before);
            }
        }
        let has_header = !case.header(0).is_empty();
        assert!((refused[0] > 0) == has_header && refused[1] > 0, "{case:?}");
    }
}

#[test]
fn damaged_journals_and_other_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("rows");
    let [path, at, new] =
        ["rows.resume", "rows.resume.at", "rows.resume.new"].map(|name| folder.path().join(name));
    let journal = Journal { run: RunIdentity::default(), ..Journal::default() };
    let bytes = encode(&journal).unwrap();
    let mut file = JournalFile::of(&output);
    file.save(Part::Run, &bytes).unwrap();
    assert_eq!(file.load(true).unwrap(), Some((journal, None)));
    file.save(Part::Position, &encode(&Position::default()).unwrap()).unwrap();
    assert!(file.exists() && !new.exists());
    for part in [&path, &at] {
        let bytes = fs::read(part).unwrap();
        assert!(file.load(true).unwrap().is_some());
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            fs::write(part, &changed).unwrap();
            let what = if at < HEAD.len() { "is not a journal" } else { "is damaged" };
            let error = file.load(true).unwrap_err().to_string();
            assert!(error.contains(what), "{at}: {error}");
            assert_eq!(fs::read(part).unwrap(), changed);
        }
        for length in HEAD.len()..bytes.len() {
            fs::write(part, &bytes[..length]).unwrap();
            assert_eq!(file.load(false).unwrap(), None, "{length}");
        }
        fs::write(part, &bytes).unwrap();
    }
    file.remove().unwrap();
    assert!(!path.exists() && !at.exists());

    // Files of a killed run are replaced, and others are not (see `tests/outputs.rs`).
    for text in [&b""[..], &HEAD[..9], &bytes[..HEAD.len() + 20]] {
        fs::write(&new, text).unwrap();
        let mut file = JournalFile::of(&output);
        file.check().and_then(|()| Ok(file.save(Part::Run, &bytes)?)).unwrap();
        file.remove().unwrap();
    }
}
