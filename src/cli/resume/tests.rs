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
    /// The process ends after this many bytes.
    Crash(usize),
    /// The disk is full after this many bytes.
    FullDisk(usize),
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
    outputs: Vec<Vec<u8>>,
    journal: Option<Vec<u8>>,
    written: usize,
    is_over: bool,
}

#[derive(Clone, Debug)]
struct MemoryStorage {
    files: Arc<Mutex<Files>>,
    fails: InjectedFailure,
}

impl MemoryStorage {
    fn files(&self) -> MutexGuard<'_, Files> {
        self.files.lock().unwrap()
    }

    /// Starts a run with another failure.
    fn with(&self, fails: InjectedFailure) -> Self {
        let mut files = self.files();
        (files.written, files.is_over) = (0, false);
        Self { files: Arc::clone(&self.files), fails }
    }

    /// Returns how many of these bytes can be written, and an error if not all.
    fn write(&self, files: &mut Files, bytes: usize) -> (usize, io::Result<()>) {
        let left = match self.fails {
            _ if files.is_over => 0,
            InjectedFailure::Never | InjectedFailure::Stop(_) | InjectedFailure::Damage { .. } => {
                usize::MAX
            }
            InjectedFailure::Crash(at) | InjectedFailure::FullDisk(at) => at - files.written,
        };
        let count = bytes.min(left);
        files.written += count;
        if count == bytes && !files.is_over {
            return (count, Ok(()));
        }
        files.is_over |= matches!(self.fails, InjectedFailure::Crash(_));
        (count, Err(io::ErrorKind::StorageFull.into()))
    }

    fn check(&self) -> io::Result<MutexGuard<'_, Files>> {
        let files = self.files();
        if files.is_over { Err(io::Error::other("the process has ended")) } else { Ok(files) }
    }
}

impl Storage for MemoryStorage {
    fn name(&self, output: usize) -> String {
        output.to_string()
    }

    fn append(&mut self, output: usize, bytes: &[u8]) -> io::Result<()> {
        let mut files = self.files();
        let (count, written) = self.write(&mut files, bytes.len());
        assert!(count == 0 || files.journal.is_some(), "the journal is saved before");
        files.outputs[output].extend(&bytes[..count]);
        written
    }

    fn replace_start(&mut self, output: usize, bytes: &[u8]) -> io::Result<()> {
        self.check()?.outputs[output][..bytes.len()].copy_from_slice(bytes);
        Ok(())
    }

    fn length(&self, output: usize) -> io::Result<Option<u64>> {
        Ok(Some(self.check()?.outputs[output].len() as u64))
    }

    fn read_before(&self, output: usize, end: u64, count: u64) -> io::Result<Vec<u8>> {
        Ok(self.check()?.outputs[output][(end - count) as usize..end as usize].to_vec())
    }

    fn truncate(&mut self, output: usize, length: u64) -> io::Result<()> {
        self.check()?.outputs[output].truncate(length as usize);
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

    fn complete(&mut self) -> io::Result<()> {
        self.check()?.journal = None;
        Ok(())
    }
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
        pairs.flat_map(|(header, saves_all)| {
            [1, 4].map(|outputs| Self { outputs, header, saves_all })
        })
    }

    fn files(self) -> MemoryStorage {
        let outputs = vec![Vec::new(); usize::from(self.outputs) + 1];
        let files = Files { outputs, ..Files::default() };
        MemoryStorage { files: Arc::new(Mutex::new(files)), fails: InjectedFailure::Never }
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
        let journal = storage.files().journal.clone();
        let rows = usize::from(self.outputs);
        let fails = storage.fails;
        let is_resumed = journal.is_some();
        let names = (0..=rows).map(|output| output.to_string()).collect();
        let journal = journal.map_or_else(
            || Journal::new(RunIdentity::default(), names),
            |journal| Journal::decode(&journal).unwrap(),
        );
        let mut into = RowFiles::new(storage, journal, rows, messages);
        let start = is_resumed.then(|| into.resume()).transpose()?;
        if is_resumed {
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
        into.complete()?;
        Ok(at.position.offset - begin)
    }

    /// Returns the outputs of an uninterrupted run.
    fn expected(self) -> Vec<Vec<u8>> {
        let files = self.files();
        self.run(files.clone()).unwrap();
        let outputs = files.files().outputs.clone();
        let counts = |rows: &Vec<u8>| memchr::memchr_iter(b'\n', rows).count();
        let headers = if self.header(0).is_empty() { 0 } else { self.outputs.min(3) };
        let rows: usize = outputs[..usize::from(self.outputs)].iter().map(counts).sum();
        assert_eq!(rows, RECORDS as usize + usize::from(headers), "{self:?}");
        assert!(self.outputs == 1 || outputs[3].is_empty(), "an output without rows has no header");
        outputs
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
            for fails in [InjectedFailure::Crash, InjectedFailure::FullDisk] {
                for second in [2 * at / 3, at + 7] {
                    let files = case.files();
                    let first = case.run(files.with(fails(at)));
                    is_over &= first.is_ok();
                    if first.is_err() && case.run(files.with(fails(second))).is_err() {
                        let left = case.run(files.with(InjectedFailure::Never)).unwrap();
                        was_shorter |= left < RECORDS;
                    }
                    let files = files.files();
                    assert_eq!(files.outputs, expected, "{case:?} {:?} {second}", fails(at));
                    assert_eq!(files.journal, None);
                }
            }
            if is_over {
                break;
            }
            at += 1;
        }
        assert!(at > 30, "{at}");
        assert_eq!(was_shorter, case.saves_all, "{case:?}");
    }
}

/// The rows of a stopped block are removed, even if a resumed run has just begun.
#[test]
fn runs_that_are_stopped_within_a_block_are_resumed_to_the_same_bytes() {
    for case in Case::all() {
        let expected = case.expected();
        // The messages of a block follow all of its rows.
        let stops = |from| (from..RECORDS).step_by(RECORDS_PER_BLOCK as usize);
        for (first, second) in stops(0).flat_map(|first| stops(first).map(move |at| (first, at))) {
            let files = case.files();
            for at in [first, second] {
                assert!(case.run(files.with(InjectedFailure::Stop(at))).is_err());
                let rows = &files.files().outputs[..usize::from(case.outputs)];
                let rows = String::from_utf8(rows.concat()).unwrap();
                let last = rows.lines().filter_map(|row| row.strip_prefix('r')).max();
                assert_eq!(last, at.checked_sub(1).map(|last| last.to_string()).as_deref());
            }
            case.run(files.with(InjectedFailure::Never)).unwrap();
            assert_eq!(files.files().outputs, expected, "{case:?} {first} {second}");
        }
    }
}

/// Rows of damaged records are replaced, and no other rows are written again.
#[test]
fn runs_whose_input_is_damaged_are_resumed_where_it_is_verified() {
    for case in Case::all() {
        let expected = case.expected();
        let ends = (RECORDS_PER_BLOCK..=RECORDS).step_by(RECORDS_PER_BLOCK as usize);
        for (records, verified) in ends.flat_map(|end| (0..=end.min(7)).map(move |at| (end, at))) {
            let files = case.files();
            let damage = InjectedFailure::Damage { verified, records };
            for _ in 0..2 {
                assert!(case.run(files.with(damage)).is_err());
                let rows = files.files().outputs.concat();
                let is_written = String::from_utf8(rows).unwrap().contains("r7");
                assert!(is_written, "{case:?} {damage:?}: later rows are written");
            }
            let left = case.run(files.with(InjectedFailure::Never)).unwrap();
            let kept = verified - verified % RECORDS_PER_BLOCK;
            let is_kept = case.saves_all || verified == records;
            assert_eq!(left, RECORDS - if is_kept { kept } else { 0 }, "{case:?} {damage:?}");
            assert_eq!(files.files().outputs, expected, "{case:?} {damage:?}");
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
    for case in Case::all() {
        for at in 0..80 {
            let files = case.files();
            if case.run(files.with(InjectedFailure::FullDisk(at))).is_ok() {
                continue;
            }
            for output in &files.files().outputs {
                assert!(output.is_empty() || output.ends_with(b"\n"), "{case:?} {at}: {output:?}");
            }
        }
    }
}

/// A file written by another program is rejected and not changed.
#[test]
fn foreign_and_modified_files_are_refused() {
    for case in Case::all() {
        let mut refused = [0; 2];
        for at in 0..80 {
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
                    let outputs = &mut files.files().outputs;
                    if !is_begun {
                        outputs[output] = b"mine\n".to_vec();
                    } else if marked > header {
                        outputs[output][marked - 2] ^= 1;
                    } else {
                        continue;
                    }
                    outputs.clone()
                };
                refused[usize::from(is_begun)] += 1;
                let resumed = case.run(files.with(InjectedFailure::Never));
                let message = resumed.unwrap_err().to_string();
                assert!(message.contains("has been modified"), "{case:?} {at}: {message}");
                assert_eq!(files.files().outputs, before);
            }
        }
        assert!(refused[0] > 0, "{case:?}");
        assert_eq!(refused[1] > 0, case.saves_all, "{case:?}");
    }
}

/// A journal that cannot be saved does not end the run.
#[test]
fn a_run_without_journal_is_complete() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("rows");
    let mut file = JournalFile::of(&output);
    fs::create_dir(folder.path().join("rows.resume.new")).unwrap();
    assert!(file.save(b"journal").is_err());
    assert!(!folder.path().join("rows.resume").exists());
}

#[test]
fn damaged_journals_and_other_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("rows");
    let [path, new] = ["rows.resume", "rows.resume.new"].map(|name| folder.path().join(name));
    let bytes = Journal::new(RunIdentity::default(), vec!["rows".into()]).encode().unwrap();
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
