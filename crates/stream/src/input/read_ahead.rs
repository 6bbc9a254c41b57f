//! Reads a stream ahead on separate threads.
//!
//! A worker that reads an input holds a lock that all workers need. Reading a plain stream is only
//! a copy, but decompression takes longer than solving the puzzles. Several threads decode parts of
//! a stream that do not depend on each other.

use std::collections::VecDeque;
use std::io::{self, Cursor, ErrorKind, Read};
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// The number of bytes read at a time: about two blocks. With half of it, gz files take 4% longer.
const PIECE_BYTES: usize = 240 * 1024;
/// The number of queued pieces per thread. When solving and decompression take about the same time,
/// a short queue cannot keep both busy.
const QUEUED_PIECES: usize = 12;
/// The number of queued pieces of the part that is read, even if later parts fill the queue.
const FIRST_PIECES: usize = 2;
/// The maximum number of threads, which together with their queue take less than 64 MB.
const MAX_THREADS: usize = 8;

/// A stream that may have independent parts.
pub(super) trait Split: Read + Send {
    /// Splits off the next part if it can be decoded independently of the rest. Otherwise, the
    /// stream itself must be read before the next call.
    ///
    /// # Errors
    /// Fails if the stream cannot be read, or if it is interrupted.
    fn split(&mut self, _: Turn) -> io::Result<Option<Box<dyn Read + Send>>> {
        Ok(None)
    }
}

/// The place of a part in its stream.
#[derive(Debug)]
#[cfg_attr(not(feature = "parquet"), allow(dead_code))]
pub(super) struct Turn {
    queue: Arc<Queue>,
    number: usize,
}

#[cfg(feature = "parquet")]
impl Turn {
    /// Waits until all earlier parts have been read.
    pub(super) fn wait(&self) {
        drop(self.queue.wait(|state| state.first < self.number));
    }
}

/// The bytes of a stream, read on threads.
///
/// A read returns bytes of one piece, and blocks only if there is none. Errors keep their position
/// in the stream and end it, except [`ErrorKind::Interrupted`].
#[derive(Debug)]
pub(super) struct ReadAhead {
    queue: Arc<Queue>,
    piece: Cursor<Vec<u8>>,
    is_over: bool,
}

impl ReadAhead {
    /// Starts a thread, and up to `threads` of them as parts are split off. They end with the
    /// stream or when this is dropped. Returns the stream if no thread can be started.
    pub(super) fn spawn<S: Split + 'static>(stream: S, threads: usize) -> Result<Self, S> {
        let queue = Arc::<Queue>::default();
        let unstarted = threads.clamp(1, MAX_THREADS);
        let source = Mutex::new(Source { stream, unstarted, is_over: false });
        let decoders = Arc::new(Decoders { source, queue: Arc::clone(&queue) });
        let is_started = decoders.source.lock().is_ok_and(|mut source| decoders.start(&mut source));
        if is_started {
            return Ok(Self { queue, piece: Cursor::default(), is_over: false });
        }
        let Decoders { source, .. } = Arc::into_inner(decoders).expect("no thread was started");
        Err(source.into_inner().unwrap_or_else(PoisonError::into_inner).stream)
    }
}

impl Read for ReadAhead {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let is_used_up = self.piece.position() == self.piece.get_ref().len() as u64;
        if is_used_up && !self.is_over && !into.is_empty() {
            let piece = self.queue.pop();
            self.is_over = is_last(&piece);
            self.piece = Cursor::default();
            self.piece = Cursor::new(piece?);
        }
        self.piece.read(into)
    }
}

impl Drop for ReadAhead {
    fn drop(&mut self) {
        self.queue.close(false);
    }
}

/// The state of all threads. The one that holds the lock of the source splits off the next part, or
/// reads the stream itself.
struct Decoders<S> {
    source: Mutex<Source<S>>,
    queue: Arc<Queue>,
}

struct Source<S> {
    stream: S,
    /// The number of threads that may still be started.
    unstarted: usize,
    is_over: bool,
}

impl<S: Split + 'static> Decoders<S> {
    /// Starts another thread if there may be more; returns whether it was started.
    fn start(self: &Arc<Self>, source: &mut Source<S>) -> bool {
        if source.unstarted == 0 {
            return false;
        }
        source.unstarted -= 1;
        let decoders = Arc::clone(self);
        let decode = move || {
            let decode = || while decoders.decode() {};
            if panic::catch_unwind(AssertUnwindSafe(decode)).is_err() {
                decoders.queue.close(true);
            }
        };
        let is_started = thread::Builder::new().name("read-ahead".into()).spawn(decode).is_ok();
        if is_started {
            self.queue.lock().room += QUEUED_PIECES;
        }
        is_started
    }

    /// Decodes the next part; returns `false` at the end.
    fn decode(self: &Arc<Self>) -> bool {
        let Ok(mut source) = self.source.lock() else { return false };
        if source.is_over {
            return false;
        }
        let Some(number) = self.queue.begin() else { return false };
        let turn = Turn { queue: Arc::clone(&self.queue), number };
        let piece = match source.stream.split(turn) {
            Ok(Some(mut part)) => {
                self.start(&mut source);
                drop(source);
                loop {
                    let piece = read_piece(&mut part);
                    let is_end = matches!(&piece, Ok(bytes) if bytes.is_empty());
                    let is_last = is_last(&piece);
                    if !is_end && !self.queue.push(number, piece) {
                        return false;
                    }
                    if is_last {
                        self.queue.finish(number);
                        return true;
                    }
                }
            }
            Ok(None) => read_piece(&mut source.stream),
            Err(error) => Err(error),
        };
        source.is_over = is_last(&piece);
        let is_open = self.queue.push(number, piece);
        self.queue.finish(number);
        is_open
    }
}

/// The decoded pieces of all parts, in order.
#[derive(Debug, Default)]
struct Queue {
    state: Mutex<QueueState>,
    has_piece: Condvar,
    has_room: Condvar,
}

#[derive(Debug, Default)]
struct QueueState {
    /// The parts that have not been read completely, and the number of those before them.
    parts: VecDeque<Part>,
    first: usize,
    /// The number of pieces of all parts, and how many of them are allowed.
    pieces: usize,
    room: usize,
    is_closed: bool,
    has_panicked: bool,
}

#[derive(Debug, Default)]
struct Part {
    /// The results of reads; an empty piece marks the end of the stream.
    pieces: VecDeque<io::Result<Vec<u8>>>,
    is_complete: bool,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits while the queue is open and `is_full`. Returns its state if it is open.
    fn wait(
        &self,
        is_full: impl Fn(&mut QueueState) -> bool,
    ) -> Option<MutexGuard<'_, QueueState>> {
        let waits = |state: &mut QueueState| !state.is_closed && is_full(state);
        let state = self.has_room.wait_while(self.lock(), waits);
        Some(state.unwrap_or_else(PoisonError::into_inner)).filter(|state| !state.is_closed)
    }

    /// Begins the next part, and returns its number; returns `None` if the queue is closed.
    fn begin(&self) -> Option<usize> {
        let mut state = self.wait(|state| state.pieces >= state.room)?;
        state.parts.push_back(Part::default());
        Some(state.first + state.parts.len() - 1)
    }

    /// Appends a piece to a part; returns `false` if the queue is closed.
    fn push(&self, number: usize, piece: io::Result<Vec<u8>>) -> bool {
        let is_full = |state: &mut QueueState| {
            let is_allowed = number == state.first && state.parts[0].pieces.len() < FIRST_PIECES;
            state.pieces >= state.room && !is_allowed
        };
        let Some(mut state) = self.wait(is_full) else { return false };
        state.pieces += 1;
        let place = number - state.first;
        state.parts[place].pieces.push_back(piece);
        self.has_piece.notify_one();
        true
    }

    fn finish(&self, number: usize) {
        let mut state = self.lock();
        let place = number - state.first;
        if let Some(part) = state.parts.get_mut(place) {
            part.is_complete = true;
            self.has_piece.notify_one();
        }
    }

    /// Removes the next piece, and waits for it if necessary.
    fn pop(&self) -> io::Result<Vec<u8>> {
        let mut state = self.lock();
        loop {
            while state.parts.front().is_some_and(|part| part.is_complete && part.pieces.is_empty())
            {
                state.parts.pop_front();
                state.first += 1;
                self.has_room.notify_all();
            }
            if let Some(piece) = state.parts.front_mut().and_then(|part| part.pieces.pop_front()) {
                state.pieces -= 1;
                self.has_room.notify_all();
                return piece;
            }
            if state.has_panicked {
                return Err(io::Error::other("the thread that reads ahead has died"));
            }
            state = self.has_piece.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Ends all threads. Pieces that were decoded before a panic can still be read.
    fn close(&self, has_panicked: bool) {
        let mut state = self.lock();
        state.is_closed = true;
        state.has_panicked |= has_panicked;
        if !has_panicked {
            state.parts.clear();
        }
        self.has_room.notify_all();
        self.has_piece.notify_one();
    }
}

fn read_piece(stream: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut piece = vec![0; PIECE_BYTES];
    let got = stream.read(&mut piece)?;
    piece.truncate(got);
    Ok(piece)
}

fn is_last(piece: &io::Result<Vec<u8>>) -> bool {
    match piece {
        Ok(bytes) => bytes.is_empty(),
        Err(error) => error.kind() != ErrorKind::Interrupted,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;

    fn ahead<S: Split + 'static>(stream: S) -> ReadAhead {
        ReadAhead::spawn(stream, 3).ok().expect("a thread can be started")
    }

    /// Returns all bytes, the number of interruptions, and the final error.
    fn read_all(mut stream: impl Read, piece: usize) -> (Vec<u8>, usize, Option<String>) {
        let (mut all, mut interrupted, mut buffer) = (Vec::new(), 0, vec![0; piece]);
        loop {
            match stream.read(&mut buffer) {
                Ok(0) => return (all, interrupted, None),
                Ok(got) => all.extend_from_slice(&buffer[..got]),
                Err(error) if error.kind() == ErrorKind::Interrupted => interrupted += 1,
                Err(error) => {
                    assert_eq!(stream.read(&mut buffer).unwrap(), 0, "nothing behind an error");
                    return (all, interrupted, Some(error.to_string()));
                }
            }
        }
    }

    /// Parts of a stream in order: whether each is split off, its bytes, and the error after them.
    struct Parts(VecDeque<(bool, Vec<u8>, Option<ErrorKind>)>);

    impl Split for Parts {
        fn split(&mut self, _: Turn) -> io::Result<Option<Box<dyn Read + Send>>> {
            let is_split = self.0.front().is_some_and(|(is_split, ..)| *is_split);
            let part = if is_split { self.0.pop_front() } else { None };
            Ok(part.map(|part| Box::new(Self([part].into())) as _))
        }
    }

    impl Read for Parts {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let Some((_, bytes, error)) = self.0.front_mut() else { return Ok(0) };
            let length = bytes.len().min(into.len());
            into[..length].copy_from_slice(&bytes[..length]);
            bytes.drain(..length);
            if length > 0 {
                return Ok(length);
            }
            let error = *error;
            self.0.pop_front();
            if error == Some(ErrorKind::Other) {
                self.0.clear();
            }
            error.map_or_else(|| self.read(into), |kind| Err(kind.into()))
        }
    }

    fn end() -> impl Strategy<Value = Option<ErrorKind>> {
        let errors = [Some(ErrorKind::Other), Some(ErrorKind::Interrupted)];
        prop_oneof![18 => Just(None), 2 => prop::sample::select(errors.to_vec())]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn parts_are_read_in_order(
            parts in prop::collection::vec((any::<bool>(), 0_usize..9, end()), 0..30),
            threads in 1_usize..5,
            piece in prop_oneof![1_000_usize..2_000, Just(100_000)],
        ) {
            let parts = parts.into_iter().zip(0..).map(|((is_split, size, error), number)| {
                (is_split, vec![number; size * size * size * 3000], error)
            });
            let parts: Vec<_> = parts.collect();
            let stream = || Parts(parts.clone().into());
            let ahead = ReadAhead::spawn(stream(), threads).ok().unwrap();
            let (found, expected) = (read_all(ahead, piece), read_all(stream(), piece));
            prop_assert!(found == expected, "{:?}, not {:?}", found.2, expected.2);
        }
    }

    /// Sends a message when it is dropped.
    #[derive(Clone)]
    struct Endless(mpsc::Sender<()>);

    /// Consists of endless parts.
    struct EndlessParts(Endless);

    impl Split for EndlessParts {
        fn split(&mut self, _: Turn) -> io::Result<Option<Box<dyn Read + Send>>> {
            Ok(Some(Box::new(self.0.clone())))
        }
    }

    impl Read for EndlessParts {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            unreachable!("it consists of parts");
        }
    }

    impl Split for Endless {}

    impl Read for Endless {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            Ok(into.len())
        }
    }

    impl Drop for Endless {
        fn drop(&mut self) {
            let _ = self.0.send(());
        }
    }

    #[test]
    fn all_threads_end_when_the_reader_is_dropped() {
        let (sender, receiver) = mpsc::channel();
        let endless = Endless(sender);
        for mut stream in [ahead(endless.clone()), ahead(EndlessParts(endless))] {
            stream.read_exact(&mut [0; 16]).unwrap();
        }
        let dropped = || receiver.recv_timeout(Duration::from_secs(60));
        let end = std::iter::repeat_with(dropped).find_map(Result::err);
        assert_eq!(end, Some(mpsc::RecvTimeoutError::Disconnected));
    }

    struct PanicsOnSecondRead(bool);

    impl Split for PanicsOnSecondRead {}

    impl Read for PanicsOnSecondRead {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            assert!(!self.0, "the second read");
            self.0 = true;
            into[0] = 0;
            Ok(1)
        }
    }

    #[test]
    fn a_panic_on_the_thread_is_an_error() {
        let (all, _, error) = read_all(ahead(PanicsOnSecondRead(false)), 10);
        assert_eq!(
            (all.len(), error.unwrap().as_str()),
            (1, "the thread that reads ahead has died")
        );
    }
}
