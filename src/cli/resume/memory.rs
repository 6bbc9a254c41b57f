//! Files in memory whose operations fail on demand, to test every point at which a run can end.

use std::sync::{Arc, Mutex, MutexGuard};

use super::*;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum InjectedFailure {
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
    pub fn is_damaged(self, record: u64) -> bool {
        matches!(self, Self::Damage { verified, records } if (verified..records).contains(&record))
    }
}

/// The size of a journal in bytes that [`InjectedFailure`] counts. It is replaced atomically, so its
/// other bytes make no difference.
const JOURNAL_BYTES: usize = 2;

/// Files in memory, which persist between runs.
#[derive(Debug, Default)]
pub struct Files {
    /// The files that have their names.
    pub named: Vec<Option<Vec<u8>>>,
    pub temporary: Vec<Option<Vec<u8>>>,
    /// The parts of the journal.
    pub journal: [Option<Vec<u8>>; 2],
    pub written: usize,
    /// How often the journal was saved.
    pub saves: usize,
    pub is_over: bool,
}

impl Files {
    /// Returns the contents of all files that have their names.
    pub fn contents(&self) -> Vec<Vec<u8>> {
        self.named.iter().map(|file| file.clone().unwrap_or_default()).collect()
    }
}

#[derive(Clone, Debug)]
pub struct MemoryStorage {
    pub files: Arc<Mutex<Files>>,
    pub fails: InjectedFailure,
    pub kind: OutputKind,
    /// The time that saving the journal takes.
    pub saving_takes: Duration,
    /// Whether files are opened under their temporary names.
    pub opens_temporary: bool,
}

impl MemoryStorage {
    pub fn files(&self) -> MutexGuard<'_, Files> {
        self.files.lock().unwrap()
    }

    /// Starts a run with another failure.
    pub fn with(&self, fails: InjectedFailure) -> Self {
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
        let is_saved =
            files.journal[0].is_some() || matches!(self.fails, InjectedFailure::Fault(_));
        assert!(count == 0 || is_saved || self.is_temporary(), "the journal is saved before");
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

    fn save(&mut self, part: Part, bytes: &[u8]) -> io::Result<()> {
        std::thread::sleep(self.saving_takes);
        let mut files = self.files();
        files.saves += 1;
        let (_, written) = self.write(&mut files, JOURNAL_BYTES);
        written?;
        files.journal[part as usize] = Some(bytes.to_vec());
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

    fn keep(&mut self) {}

    fn discard(&mut self) {
        if let Ok(mut files) = self.check() {
            files.temporary.fill(None);
        }
    }

    fn finish(&mut self) -> io::Result<()> {
        // Names are synced.
        drop(self.operation()?);
        for part in [Part::Run, Part::Position] {
            if self.files().journal[part as usize].is_some() {
                self.operation()?.journal[part as usize] = None;
            }
        }
        Ok(())
    }
}

/// How outputs of rows are named.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OutputKind {
    /// By name: one, or several parts.
    Named,
    /// With temporary names until all are complete.
    Temporary,
}
