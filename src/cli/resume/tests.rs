use std::fs;
use std::os::unix::fs::symlink;
use std::sync::{Arc, Mutex};

use bulkdoku::pipeline::MessageFormat;
use indicatif::ProgressBar;

use super::super::typed::RunIdentity;
use super::journal::{HEAD, decode, encode};
use super::memory::{Files, InjectedFailure, MemoryStorage, OutputKind};
use super::*;

#[derive(Clone, Copy, Debug)]
enum HeaderKind {
    None,
    Text,
    /// The number of rows, replaced at the end. Such files have temporary names.
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
            let is_temporary = case.kind == OutputKind::Temporary;
            match case.header {
                HeaderKind::None => !case.is_forced && (case.saves_all || !is_temporary),
                HeaderKind::Text => case.saves_all || !is_temporary,
                HeaderKind::Count => !case.is_forced && case.saves_all && is_temporary,
            }
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
            saving_takes: Duration::ZERO,
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

    /// Returns the outputs of a run, which are not open yet.
    fn row_files(self, storage: MemoryStorage) -> RowFiles<MemoryStorage> {
        let messages = Messages::new(ProgressBar::hidden(), true, false, MessageFormat::Text);
        let outputs = (0..=self.outputs).map(|output| output.to_string()).collect();
        let replaces = self.is_forced && storage.files().journal[0].is_none();
        let journal = Journal { outputs, replaces, ..Journal::default() };
        RowFiles::new(storage, journal, vec![self.header(0); self.outputs.into()], messages)
    }

    /// Runs until the end or a failure. Returns the number of rows written.
    fn run(self, storage: MemoryStorage) -> Result<u64, Failure> {
        let [journal, position] = storage.files().journal.clone();
        if journal.is_none() && position.is_some() {
            // The files are complete.
            storage.files().journal[1] = None;
            return Ok(0);
        }
        let position = position.map(|bytes| decode(&bytes).unwrap());
        let earlier = journal.map(|bytes| (decode(&bytes).unwrap(), position));
        let fails = storage.fails;
        let mut into = self.row_files(storage);
        if self.saves_all {
            (into.interval, into.pauses) = (Duration::ZERO, 0);
        }
        let start = match into.open(earlier) {
            Err(Failure::Complete(_)) => return Ok(0),
            opened => opened?,
        };
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
        assert!(named.iter().all(Option::is_some));
        let counts = |rows: &Vec<u8>| memchr::memchr_iter(b'\n', rows).count();
        let headers = if self.header(0).is_empty() { 0 } else { rows };
        let lines: usize = named[..rows].iter().flatten().map(counts).sum();
        assert_eq!(lines, RECORDS as usize + headers, "{self:?}");
        named
    }

    /// Rejects files that look complete, but are not, and a set with files of two runs.
    fn check(self, files: &Files, expected: &[Option<Vec<u8>>]) {
        let old = self.files();
        let old = &old.files().named;
        if files.journal[0].is_none() {
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
                    assert_eq!(files.journal, [None, None]);
                    assert!(files.temporary.iter().all(Option::is_none));
                }
            }
            if is_over {
                break;
            }
            at += 1;
        }
        assert!(at > 30, "{at}");
        assert!(was_shorter || !case.saves_all, "{case:?}");
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

/// Rows of damaged records are replaced.
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
            // The last saved position precedes the last block.
            let last = records - RECORDS_PER_BLOCK;
            let is_kept = case.saves_all && last <= verified;
            assert_eq!(left, RECORDS - if is_kept { last } else { 0 }, "{case:?} {damage:?}");
            assert_eq!(files.files().named, expected, "{case:?} {damage:?}");
        }
    }
}

/// If an input is damaged, the rows of earlier ones are kept, despite many later positions.
#[test]
fn the_last_position_in_an_earlier_input_is_kept() {
    let mut position = journal::Position::default();
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
    let takes = Duration::from_millis(20);
    for interval in [Duration::ZERO, Duration::from_secs(1000)] {
        let case = Case::all().next().unwrap();
        let storage = MemoryStorage { saving_takes: takes, ..case.files() };
        let mut into = case.row_files(storage.clone());
        into.interval = interval;
        let start = Instant::now();
        into.open(None).unwrap();
        while start.elapsed() < 35 * takes {
            into.checkpoint(&Checkpoint::default(), false).unwrap();
        }
        let pause = interval.max(19 * takes);
        let most = 1 + (start.elapsed().as_millis() / pause.as_millis()) as usize;
        let saves = storage.files().saves;
        assert!((1..=most).contains(&saves), "{saves} saves, expected at most {most}");
    }
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
    for case in Case::continued().filter(|case| !case.is_forced && case.saves_all) {
        let mut refused = [0; 2];
        for at in 0..120 {
            for output in 0..=usize::from(case.outputs) {
                let files = case.files();
                if case.run(files.with(InjectedFailure::Crash(at))).is_ok()
                    || files.files().journal[0].is_none()
                {
                    continue;
                }
                let position = files.files().journal[1].clone();
                let position = position.map(|bytes| decode::<journal::Position>(&bytes).unwrap());
                let is_begun = position.is_some() || output < usize::from(case.outputs);
                let last = position.and_then(|position| position.last);
                let marked = last.map_or(0, |last| last.outputs[output].bytes) as usize;
                let before = {
                    let files = &mut files.files();
                    if !is_begun {
                        files.named[output] = Some(b"mine\n".to_vec());
                    } else if marked > 1 {
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
        assert_eq!(files.files().journal, [None, None]);
        assert_eq!(case.run(files.with(InjectedFailure::Never)).unwrap(), RECORDS);
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
    assert_eq!(file.load().unwrap(), Some(Some((journal, None))));
    file.save(Part::Position, &encode(&journal::Position::default()).unwrap()).unwrap();
    assert!(file.exists() && !new.exists());
    for part in [&path, &at] {
        let bytes = fs::read(part).unwrap();
        assert!(file.load().unwrap().unwrap().is_some());
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            fs::write(part, &changed).unwrap();
            match file.load() {
                Err(error) if at < HEAD.len() => {
                    assert!(error.to_string().contains("is not a journal"), "{at}");
                }
                loaded => assert_eq!(loaded.unwrap(), Some(None), "{at}"),
            }
            assert_eq!(fs::read(part).unwrap(), changed);
        }
        for length in HEAD.len()..bytes.len() {
            fs::write(part, &bytes[..length]).unwrap();
            assert_eq!(file.load().unwrap(), Some(None), "{length}");
        }
        fs::write(part, &bytes).unwrap();
    }
    file.remove().unwrap();
    assert!(!path.exists() && !at.exists());

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
        assert_eq!(file.save(Part::Run, &bytes).is_ok(), is_fine, "{at:?} {text:?}");
        file.remove().unwrap();
        if !is_fine {
            assert_eq!(fs::read(at).unwrap(), text);
            fs::remove_file(at).unwrap();
        }
        fs::write(&other, &bytes).unwrap();
        symlink(&other, at).unwrap();
        let mut file = JournalFile::of(&output);
        assert!(file.check().is_err() && file.save(Part::Run, b"x").is_err());
        assert_eq!(fs::read(&other).unwrap(), bytes);
        fs::remove_file(at).unwrap();
    }
}
