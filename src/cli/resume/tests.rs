use std::fs;
use std::os::unix::fs::symlink;
use std::sync::{Arc, Mutex, MutexGuard};

use bulkdoku::input::Position;
use bulkdoku::pipeline::MessageFormat;
use indicatif::ProgressBar;

use super::super::typed::RunIdentity;
use super::journal::HEAD;
use super::*;

#[derive(Clone, Copy, Debug, PartialEq)]
enum InjectedFailure {
    Never,
    /// The process ends after this many bytes and operations.
    Crash(usize),
    /// The disk is full after this many bytes.
    FullDisk(usize),
    /// The operation after this many bytes and operations fails, and later ones succeed.
    Fault(usize),
    /// The run is stopped after the row of this record, within a block.
    Stop(u64),
    /// The input fails after a number of records. The last ones are damaged and not verified.
    Damage {
        verified: u64,
        records: u64,
    },
}

impl InjectedFailure {
    fn is_damaged(self, record: u64) -> bool {
        matches!(self, Self::Damage { verified, records } if (verified..records).contains(&record))
    }
}

/// The size of a journal in bytes that [`InjectedFailure`] counts. It is replaced atomically, so its other
/// bytes make no difference.
const JOURNAL_BYTES: usize = 2;

/// Files in memory, which persist between runs.
#[derive(Debug, Default)]
struct Files {
    /// The files that have their names.
    named: Vec<Option<Vec<u8>>>,
    temporary: Vec<Option<Vec<u8>>>,
    journal: Option<Vec<u8>>,
    written: usize,
    is_over: bool,
}

impl Files {
    /// Returns the contents of all files that have their names.
    fn contents(&self) -> Vec<Vec<u8>> {
        self.named.iter().map(|file| file.clone().unwrap_or_default()).collect()
    }
}

#[derive(Clone, Debug)]
struct MemoryStorage {
    files: Arc<Mutex<Files>>,
    fails: InjectedFailure,
    kind: OutputKind,
    /// Whether files are opened under their temporary names.
    opens_temporary: bool,
}

impl MemoryStorage {
    fn files(&self) -> MutexGuard<'_, Files> {
        self.files.lock().unwrap()
    }

    /// Starts a run with another failure.
    fn with(&self, fails: InjectedFailure) -> Self {
        let mut files = self.files();
        (files.written, files.is_over) = (0, false);
        Self { files: Arc::clone(&self.files), fails, ..*self }
    }

    /// Returns how many of these bytes can be written, and an error if not all.
    fn write(&self, files: &mut Files, bytes: usize) -> (usize, io::Result<()>) {
        let left = match self.fails {
            _ if files.is_over => 0,
            InjectedFailure::Crash(at) | InjectedFailure::FullDisk(at) => at - files.written,
            InjectedFailure::Fault(at) if at >= files.written => at - files.written,
            _ => usize::MAX,
        };
        let count = bytes.min(left);
        files.written += count;
        if count == bytes && !files.is_over {
            return (count, Ok(()));
        }
        files.is_over |= matches!(self.fails, InjectedFailure::Crash(_));
        if let InjectedFailure::Fault(_) = self.fails {
            files.written += 1;
        }
        (count, Err(io::ErrorKind::StorageFull.into()))
    }

    fn check(&self) -> io::Result<MutexGuard<'_, Files>> {
        let files = self.files();
        if files.is_over { Err(io::Error::other("the process has ended")) } else { Ok(files) }
    }

    /// Starts an operation that needs no space, but may fail.
    fn operation(&self) -> io::Result<MutexGuard<'_, Files>> {
        let mut files = self.check()?;
        if !matches!(self.fails, InjectedFailure::FullDisk(_)) {
            self.write(&mut files, 1).1?;
        }
        Ok(files)
    }

    /// Calls `work` with an open file.
    fn with_file<T>(
        &self,
        files: &mut Files,
        file: usize,
        work: impl FnOnce(&mut Vec<u8>) -> T,
    ) -> T {
        let has_temporary = self.opens_temporary && files.temporary[file].is_some();
        let from = if has_temporary { &mut files.temporary } else { &mut files.named };
        work(from[file].as_mut().expect("the file is open"))
    }
}

impl Storage for MemoryStorage {
    fn name(&self, file: usize) -> String {
        file.to_string()
    }

    fn path(&self, file: usize) -> String {
        file.to_string()
    }

    fn count(&self) -> usize {
        self.files().named.len()
    }

    fn is_temporary(&self) -> bool {
        self.kind == OutputKind::Temporary
    }

    fn open(&mut self, opening: Opening<'_>) -> Result<(), Failure> {
        self.opens_temporary = self.is_temporary();
        for file in 0..self.count() {
            let mut files = self.check()?;
            let slot = if self.opens_temporary { &files.temporary } else { &files.named };
            let is_missing = slot[file].is_none();
            match opening {
                Opening::New { replaces: false } | Opening::Kept if is_missing => {
                    self.write(&mut files, 1).1?;
                }
                Opening::New { replaces: true } => self.write(&mut files, 1).1?,
                Opening::New { .. } | Opening::Kept | Opening::Complete(_) => {}
            }
            let slot = if self.opens_temporary {
                &mut files.temporary[file]
            } else {
                &mut files.named[file]
            };
            match opening {
                Opening::New { replaces } => {
                    // A run on disk has removed temporary files.
                    let is_empty = slot.as_ref().is_none_or(Vec::is_empty);
                    assert!(replaces || self.opens_temporary || is_empty, "{slot:?}");
                    *slot = Some(Vec::new());
                }
                Opening::Kept => drop(slot.get_or_insert_default()),
                Opening::Complete(_) => {}
            }
        }
        Ok(())
    }

    fn append(&mut self, output: usize, bytes: &[u8]) -> io::Result<()> {
        let mut files = self.files();
        let (count, written) = self.write(&mut files, bytes.len());
        let is_saved = files.journal.is_some() || matches!(self.fails, InjectedFailure::Fault(_));
        assert!(count == 0 || is_saved, "the journal is saved before");
        self.with_file(&mut files, output, |file| file.extend(&bytes[..count]));
        written
    }

    fn replace_start(&mut self, output: usize, bytes: &[u8]) -> io::Result<()> {
        let mut files = self.operation()?;
        self.with_file(&mut files, output, |file| file[..bytes.len()].copy_from_slice(bytes));
        Ok(())
    }

    fn length(&self, file: usize) -> io::Result<Option<u64>> {
        Ok(Some(self.with_file(&mut *self.check()?, file, |file| file.len() as u64)))
    }

    fn read_before(&self, file: usize, end: u64, count: u64) -> io::Result<Vec<u8>> {
        let place = (end - count) as usize..end as usize;
        Ok(self.with_file(&mut *self.check()?, file, |file| file[place].to_vec()))
    }

    fn truncate(&mut self, output: usize, length: u64) -> io::Result<()> {
        let mut files = self.operation()?;
        self.with_file(&mut files, output, |file| file.truncate(length as usize));
        Ok(())
    }

    fn has_journal(&self) -> bool {
        true
    }

    fn save(&mut self, journal: &[u8]) -> io::Result<()> {
        let mut files = self.files();
        let (_, written) = self.write(&mut files, JOURNAL_BYTES);
        written?;
        files.journal = Some(journal.to_vec());
        Ok(())
    }

    fn remove_replaced(&mut self, file: usize) -> io::Result<()> {
        let mut files = self.operation()?;
        if files.temporary[file].is_some() {
            files.named[file] = None;
        }
        Ok(())
    }

    fn rename(&mut self, file: usize, replaces: bool) -> io::Result<()> {
        let mut files = self.operation()?;
        if let Some(complete) = files.temporary[file].take() {
            assert!(replaces || files.named[file].is_none());
            files.named[file] = Some(complete);
        }
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        if self.kind == OutputKind::Template {
            let mut files = self.operation()?;
            let rows = files.named.len() - 1;
            files.named[..rows].iter_mut().for_each(|file| {
                file.take_if(|file| file.is_empty());
            });
        }
        // Names are synced.
        drop(self.operation()?);
        self.operation()?.journal = None;
        Ok(())
    }
}

/// How outputs of rows are named.
#[derive(Clone, Copy, Debug, PartialEq)]
enum OutputKind {
    /// By name: one, or several parts.
    Named,
    /// By a template. Those without rows are not created.
    Template,
    /// With temporary names until all are complete.
    Temporary,
}

#[derive(Clone, Copy, Debug)]
enum HeaderKind {
    None,
    Text,
    /// The number of rows, replaced at the end.
    Count,
}

#[derive(Clone, Copy, Debug)]
struct Case {
    /// The number of outputs of rows.
    outputs: u8,
    kind: OutputKind,
    /// Whether the run replaces older files.
    is_forced: bool,
    header: HeaderKind,
    /// Whether every checkpoint is saved, or only the last one.
    saves_all: bool,
}

const RECORDS: u64 = 8;
const RECORDS_PER_BLOCK: u64 = 2;

impl Case {
    fn all() -> impl Iterator<Item = Self> {
        let headers = [HeaderKind::None, HeaderKind::Text, HeaderKind::Count];
        let pairs = headers.into_iter().flat_map(|header| [(header, true), (header, false)]);
        let outputs = [
            (1, OutputKind::Named),
            (4, OutputKind::Named),
            (4, OutputKind::Template),
            (1, OutputKind::Temporary),
            (4, OutputKind::Temporary),
        ];
        let all = pairs.flat_map(move |(header, saves_all)| {
            let forced = outputs.into_iter().flat_map(|kind| [(kind, false), (kind, true)]);
            forced.map(move |((outputs, kind), is_forced)| Self {
                outputs,
                kind,
                is_forced,
                header,
                saves_all,
            })
        });
        all.filter(|case| {
            let has_text = matches!(case.header, HeaderKind::Text);
            (has_text || !case.is_forced) && (case.saves_all || case.kind != OutputKind::Temporary)
        })
    }

    /// Returns the cases whose rows are continued.
    fn continued() -> impl Iterator<Item = Self> {
        Self::all().filter(|case| case.kind != OutputKind::Temporary)
    }

    /// Returns the files before the first run.
    fn files(self) -> MemoryStorage {
        let count = usize::from(self.outputs) + 1;
        let old = |file: usize| self.is_forced.then(|| format!("old {file}\n").into_bytes());
        let named = (0..count).map(old).collect();
        let files = Files { named, temporary: vec![None; count], ..Files::default() };
        MemoryStorage {
            files: Arc::new(Mutex::new(files)),
            fails: InjectedFailure::Never,
            kind: self.kind,
            opens_temporary: false,
        }
    }

    fn header(self, rows: u64) -> Vec<u8> {
        match self.header {
            HeaderKind::None => Vec::new(),
            HeaderKind::Text => b"a,b\n".to_vec(),
            HeaderKind::Count => format!("of rows:{rows}\n").into_bytes(),
        }
    }

    /// Writes the row of a record to its output. With several outputs, all rows go to output 1 at
    /// first, and output 3 has none.
    fn write(self, record: u64, is_damaged: bool, into: &mut impl Sink) -> io::Result<()> {
        let output = if record < 3 { 1 } else { record % 3 } as u8 % self.outputs;
        let damage = if is_damaged { "?" } else { "" };
        into.rows(output, format!("r{record}{damage}\n").as_bytes())?;
        if record % 4 == 3 {
            into.messages(format!("m{record}{damage}\n").as_bytes())?;
        }
        Ok(())
    }

    /// Runs until the end or a failure. Returns the number of rows written.
    fn run(self, storage: MemoryStorage) -> Result<u64, Failure> {
        let messages = Messages::new(ProgressBar::hidden(), true, false, MessageFormat::Text);
        let earlier = storage.files().journal.clone();
        let earlier = earlier.map(|journal| Journal::decode(&journal).unwrap());
        let rows = usize::from(self.outputs);
        let fails = storage.fails;
        let listed = (0..=rows).map(|output| {
            let header = if output < rows { self.header(0) } else { Vec::new() };
            ListedOutput { path: output.to_string(), header, is_begun: false }
        });
        let mut journal = Journal::new(RunIdentity::default(), listed.collect());
        journal.replaces = self.is_forced && earlier.is_none();
        let is_template = self.kind == OutputKind::Template;
        let mut into = RowFiles::new(storage, journal, (rows, is_template), messages);
        let start = match into.open(earlier)? {
            Begin::New => None,
            Begin::At(start) => Some(*start),
            Begin::Complete => return Ok(0),
        };
        if start.is_some() {
            into.truncate_to_start()?;
        }
        if self.saves_all {
            into.interval = Duration::ZERO;
        }
        let mut at = start.clone().unwrap_or_default();
        let begin = at.position.offset;
        let mut work = || {
            if start.is_none() {
                (0..self.outputs).try_for_each(|output| into.header(output, &self.header(0)))?;
            }
            while at.position.offset < RECORDS {
                for record in at.position.offset..at.position.offset + RECORDS_PER_BLOCK {
                    let is_damaged = fails.is_damaged(record);
                    self.write(record, is_damaged, &mut into)?;
                    if fails == InjectedFailure::Stop(record) {
                        into.checkpoint(&at, true)?;
                        into.finish(false)?;
                        return Err(io::ErrorKind::Interrupted.into());
                    }
                }
                at.position.offset += RECORDS_PER_BLOCK;
                if let InjectedFailure::Damage { verified, records } = fails
                    && at.position.offset >= records
                {
                    at.failed = Some((0, verified));
                }
                into.checkpoint(&at, false)?;
            }
            into.checkpoint(&at, true)?;
            if self.outputs == 1 {
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
    fn expected(self) -> Vec<Option<Vec<u8>>> {
        let files = self.files();
        self.run(files.clone()).unwrap();
        let named = files.files().named.clone();
        let rows = usize::from(self.outputs);
        let is_missing = named.iter().map(Option::is_none).collect::<Vec<_>>();
        let without_rows = self.kind == OutputKind::Template;
        assert_eq!(
            is_missing,
            (0..=rows).map(|file| without_rows && file == 3).collect::<Vec<_>>()
        );
        let counts = |rows: &Vec<u8>| memchr::memchr_iter(b'\n', rows).count();
        let with_header = is_missing[..rows].iter().filter(|is_missing| !**is_missing).count();
        let headers = if self.header(0).is_empty() { 0 } else { with_header };
        let lines: usize = named[..rows].iter().flatten().map(counts).sum();
        assert_eq!(lines, RECORDS as usize + headers, "{self:?}");
        named
    }

    /// Rejects files that look complete, but are not, and a set with files of two runs.
    fn check(self, files: &Files, expected: &[Option<Vec<u8>>]) {
        let old = self.files();
        let old = &old.files().named;
        if files.journal.is_none() {
            let is_empty = |file: &Option<Vec<u8>>| file.as_ref().is_none_or(Vec::is_empty);
            let is_new = files.named.iter().zip(expected).all(|(file, new)| file == new);
            let is_old = files.named == *old || !self.is_forced && files.named.iter().all(is_empty);
            assert!(is_new || is_old, "{self:?}: {files:?}");
        }
        if self.kind == OutputKind::Temporary {
            let is_of = |set: &[Option<Vec<u8>>]| {
                let mut files = files.named.iter().zip(set);
                files.all(|(file, of_set)| file.is_none() || file == of_set)
            };
            assert!(is_of(old) || is_of(expected), "{self:?}: {files:?}");
        }
    }
}

/// Wherever a run and its resumption fail, the final outputs are those of an uninterrupted run.
#[test]
fn runs_that_fail_at_any_byte_are_resumed_to_the_same_bytes() {
    for case in Case::all() {
        let expected = case.expected();
        let (mut at, mut was_shorter) = (0, false);
        loop {
            let mut is_over = true;
            for fails in [InjectedFailure::Crash, InjectedFailure::FullDisk, InjectedFailure::Fault]
            {
                for second in [at % 13, 2 * at / 3, at + 7] {
                    let storage = case.files();
                    let first = case.run(storage.with(fails(at)));
                    is_over &= storage.files().written < at;
                    case.check(&storage.files(), &expected);
                    let second_fails = first.is_err() && {
                        let second = case.run(storage.with(fails(second)));
                        case.check(&storage.files(), &expected);
                        second.is_err()
                    };
                    if second_fails {
                        let left = case.run(storage.with(InjectedFailure::Never)).unwrap();
                        was_shorter |= left < RECORDS;
                    }
                    let files = storage.files();
                    assert_eq!(files.named, expected, "{case:?} {:?} {second}", fails(at));
                    assert_eq!(files.journal, None);
                    assert!(files.temporary.iter().all(Option::is_none));
                }
            }
            if is_over {
                break;
            }
            at += 1;
        }
        assert!(at > 30, "{at}");
        assert!(was_shorter, "{case:?}");
    }
}

/// The rows of a stopped block are removed, even if a resumed run has just begun.
#[test]
fn runs_that_are_stopped_within_a_block_are_resumed_to_the_same_bytes() {
    for case in Case::continued() {
        let expected = case.expected();
        // The messages of a block follow all of its rows.
        let stops = |from| (from..RECORDS).step_by(RECORDS_PER_BLOCK as usize);
        for (first, second) in stops(0).flat_map(|first| stops(first).map(move |at| (first, at))) {
            let files = case.files();
            for at in [first, second] {
                assert!(case.run(files.with(InjectedFailure::Stop(at))).is_err());
                let rows = &files.files().contents()[..usize::from(case.outputs)];
                let rows = String::from_utf8(rows.concat()).unwrap();
                let last = rows.lines().filter_map(|row| row.strip_prefix('r')).max();
                assert_eq!(last, at.checked_sub(1).map(|last| last.to_string()).as_deref());
            }
            case.run(files.with(InjectedFailure::Never)).unwrap();
            assert_eq!(files.files().named, expected, "{case:?} {first} {second}");
        }
    }
}

/// Rows of damaged records are replaced, and no other rows are written again.
#[test]
fn runs_whose_input_is_damaged_are_resumed_where_it_is_verified() {
    for case in Case::continued() {
        let expected = case.expected();
        let ends = (RECORDS_PER_BLOCK..=RECORDS).step_by(RECORDS_PER_BLOCK as usize);
        for (records, verified) in ends.flat_map(|end| (0..=end.min(7)).map(move |at| (end, at))) {
            let files = case.files();
            let damage = InjectedFailure::Damage { verified, records };
            for _ in 0..2 {
                assert!(case.run(files.with(damage)).is_err());
                let rows = files.files().contents().concat();
                let is_written = String::from_utf8(rows).unwrap().contains("r7");
                assert!(is_written, "{case:?} {damage:?}: later rows are written");
            }
            let left = case.run(files.with(InjectedFailure::Never)).unwrap();
            let kept = verified - verified % RECORDS_PER_BLOCK;
            let is_kept = case.saves_all || verified == records;
            assert_eq!(left, RECORDS - if is_kept { kept } else { 0 }, "{case:?} {damage:?}");
            assert_eq!(files.files().named, expected, "{case:?} {damage:?}");
        }
    }
}

/// If an input is damaged, the rows of earlier ones are kept, despite many later entries.
#[test]
fn the_last_entry_of_an_earlier_input_is_kept() {
    let mut journal = Journal::new(RunIdentity::default(), Vec::new());
    for (source, offset) in [(0, 1), (0, 2), (1, 1), (1, 2), (2, 1)] {
        for more in 0..20 {
            let position = Position { offset: 100 * offset + more, ..Position::default() };
            let checkpoint = Checkpoint { source, position, ..Checkpoint::default() };
            journal.add(JournalEntry { checkpoint, marks: Vec::new() });
        }
    }
    assert!(journal.entries.len() < 10);
    for _ in 0..2 {
        journal.rewind((2, 90));
        let last = &journal.entries.last().unwrap().checkpoint;
        assert_eq!((last.source, last.position.offset, last.failed), (1, 219, Some((2, 90))));
    }
    assert!(!journal.rewind((2, 90)) && journal.rewind((0, 0)));
    assert_eq!(journal.entries.len(), 1);
}

/// A full disk leaves no incomplete row.
#[test]
fn a_full_disk_leaves_complete_rows() {
    for case in Case::continued() {
        for at in 0..80 {
            let files = case.files();
            if case.run(files.with(InjectedFailure::FullDisk(at))).is_ok() {
                continue;
            }
            for output in &files.files().contents() {
                assert!(output.is_empty() || output.ends_with(b"\n"), "{case:?} {at}: {output:?}");
            }
        }
    }
}

/// A file written by another program is rejected and not changed.
#[test]
fn foreign_and_modified_files_are_refused() {
    for case in Case::continued().filter(|case| !case.is_forced) {
        let mut refused = [0; 2];
        for at in 0..120 {
            for output in 0..=usize::from(case.outputs) {
                let files = case.files();
                if case.run(files.with(InjectedFailure::Crash(at))).is_ok()
                    || files.files().journal.is_none()
                {
                    continue;
                }
                let journal = Journal::decode(files.files().journal.as_ref().unwrap()).unwrap();
                let marked = journal.entries.last().unwrap().marks[output].bytes as usize;
                let is_begun = journal.outputs[output].is_begun;
                let header = journal.outputs[output].header.len();
                let before = {
                    let files = &mut files.files();
                    if !is_begun {
                        files.named[output] = Some(b"mine\n".to_vec());
                    } else if marked > header {
                        files.named[output].as_mut().unwrap()[marked - 2] ^= 1;
                    } else {
                        continue;
                    }
                    files.contents()
                };
                refused[usize::from(is_begun)] += 1;
                let resumed = case.run(files.with(InjectedFailure::Never));
                let message = resumed.unwrap_err().to_string();
                assert!(message.contains("has been modified"), "{case:?} {at}: {message}");
                assert_eq!(files.files().contents(), before);
            }
        }
        assert!(refused[0] > 0 && refused[1] > 0, "{case:?}");
    }
}

/// Without a journal, incomplete rows would look complete.
#[test]
fn a_run_whose_journal_cannot_be_saved_changes_nothing() {
    for case in Case::all() {
        let files = case.files();
        let before = files.files().contents();
        case.run(files.with(InjectedFailure::Fault(0))).unwrap_err();
        assert_eq!(files.files().contents(), before, "{case:?}");
        assert!(files.files().journal.is_none());
        assert_eq!(case.run(files.with(InjectedFailure::Never)).unwrap(), RECORDS);
    }
}

#[test]
fn damaged_journals_and_other_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("rows");
    let [path, new] = ["rows.resume", "rows.resume.new"].map(|name| folder.path().join(name));
    let bytes =
        Journal::new(RunIdentity::default(), vec![ListedOutput::default()]).encode().unwrap();
    let mut file = JournalFile::of(&output);
    file.save(&bytes).unwrap();
    assert_eq!(file.load().unwrap().unwrap(), bytes);
    assert!(file.decode(&bytes).is_ok() && file.exists() && !new.exists());
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        fs::write(&path, &changed).unwrap();
        let loaded = file.load().and_then(|bytes| file.decode(&bytes.unwrap()));
        let expected = if at < HEAD.len() { "is not a journal" } else { "is damaged" };
        assert!(loaded.unwrap_err().to_string().contains(expected), "{at}");
        assert_eq!(fs::read(&path).unwrap(), changed);
    }
    for length in HEAD.len()..bytes.len() {
        assert!(file.decode(&bytes[..length]).is_err(), "{length}");
    }
    fs::remove_file(&path).unwrap();

    // Files of a killed run are replaced, unlike other files and links.
    let other = folder.path().join("other");
    for (at, text, is_fine) in [
        (&path, &b"mine"[..], false),
        (&path, b"", false),
        (&new, b"mine", false),
        (&new, b"", true),
        (&new, &HEAD[..9], true),
        (&new, &bytes[..HEAD.len() + 20], true),
    ] {
        fs::write(at, text).unwrap();
        let mut file = JournalFile::of(&output);
        assert_eq!(file.check().is_ok(), is_fine, "{at:?} {text:?}");
        assert_eq!(file.save(&bytes).is_ok(), is_fine, "{at:?} {text:?}");
        file.remove().unwrap();
        if !is_fine {
            assert_eq!(fs::read(at).unwrap(), text);
            fs::remove_file(at).unwrap();
        }
        fs::write(&other, &bytes).unwrap();
        symlink(&other, at).unwrap();
        let mut file = JournalFile::of(&output);
        assert!(file.check().is_err() && file.save(b"x").is_err());
        assert_eq!(fs::read(&other).unwrap(), bytes);
        fs::remove_file(at).unwrap();
    }
}
