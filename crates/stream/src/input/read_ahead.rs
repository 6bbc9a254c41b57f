//! Reads a stream ahead on a thread.
//!
//! A worker that reads an input holds a lock that all workers need. Reading a plain stream is only
//! a copy, but decompression takes longer than solving the puzzles.

use std::io::{self, ErrorKind, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};

/// The number of bytes read at a time: about two blocks. The first piece is smaller, because many
/// streams may be open of which only the first bytes are needed.
const PIECE_BYTES: usize = 240 * 1024;
const FIRST_PIECE_BYTES: usize = 16 * 1024;

/// The number of queued pieces. When solving and decompression take about the same time, a short
/// queue cannot keep both busy.
const QUEUED_PIECES: usize = 8;

/// How long a read waits before it is interrupted, so that its caller can stop.
const PATIENCE: Duration = Duration::from_millis(50);

/// The bytes of a stream, read on a thread.
///
/// A read returns the bytes that are available, and waits only if there are none. Errors keep their
/// position in the stream and end it.
pub(super) struct ReadAhead {
    /// Bytes in order; none at the end of the stream.
    pieces: Receiver<io::Result<Vec<u8>>>,
    /// The current piece, of which the first bytes have been read.
    piece: Vec<u8>,
    read: usize,
    /// The error after the bytes that have been read.
    failed: Option<io::Error>,
    is_over: bool,
    is_dropped: Arc<AtomicBool>,
}

impl ReadAhead {
    /// Starts a thread, which ends with the stream or when this is dropped. Then `is_dropped` is set.
    ///
    /// # Errors
    /// Fails if no thread can be started.
    pub(super) fn spawn(
        stream: impl Read + Send + 'static,
        is_dropped: Arc<AtomicBool>,
    ) -> io::Result<Self> {
        let (sender, pieces) = bounded(QUEUED_PIECES);
        let read = move || read_pieces(stream, &sender);
        thread::Builder::new().name("read-ahead".into()).spawn(read)?;
        Ok(Self { pieces, piece: Vec::new(), read: 0, failed: None, is_over: false, is_dropped })
    }

    fn wait(&mut self) -> io::Result<Vec<u8>> {
        self.pieces.recv_timeout(PATIENCE).unwrap_or_else(|error| match error {
            RecvTimeoutError::Timeout => Err(ErrorKind::Interrupted.into()),
            RecvTimeoutError::Disconnected => {
                Err(io::Error::other("the thread that reads ahead has died"))
            }
        })
    }
}

fn read_pieces(mut stream: impl Read, pieces: &Sender<io::Result<Vec<u8>>>) {
    let mut bytes = FIRST_PIECE_BYTES;
    loop {
        let mut piece = vec![0; bytes];
        bytes = (2 * bytes).min(PIECE_BYTES);
        let read = stream.read(&mut piece);
        let is_last = !matches!(read, Ok(1..));
        let piece = read.map(|length| {
            piece.truncate(length);
            piece
        });
        if pieces.send(piece).is_err() || is_last {
            return;
        }
    }
}

impl Read for ReadAhead {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut made = 0;
        while made < into.len() && !self.is_over {
            if self.read == self.piece.len() {
                let next = match self.failed.take() {
                    Some(error) => Err(error),
                    None if made == 0 => self.wait(),
                    None => match self.pieces.try_recv() {
                        Ok(next) => next,
                        Err(_) => break,
                    },
                };
                match next {
                    Ok(piece) => {
                        self.is_over = piece.is_empty();
                        (self.piece, self.read) = (piece, 0);
                    }
                    Err(error) if made > 0 => {
                        self.failed = Some(error);
                        break;
                    }
                    Err(error) => {
                        self.is_over = error.kind() != ErrorKind::Interrupted;
                        return Err(error);
                    }
                }
            }
            let rest = &self.piece[self.read..];
            let count = rest.len().min(into.len() - made);
            into[made..made + count].copy_from_slice(&rest[..count]);
            self.read += count;
            made += count;
        }
        Ok(made)
    }
}

impl Drop for ReadAhead {
    fn drop(&mut self) {
        self.is_dropped.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::sync::mpsc;

    use proptest::prelude::*;

    use super::*;

    /// Pieces of a stream, and the error after them.
    struct Pieces(VecDeque<Vec<u8>>, Option<ErrorKind>);

    impl Read for Pieces {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let Some(piece) = self.0.front_mut() else {
                return self.1.take().map_or(Ok(0), |kind| Err(kind.into()));
            };
            let length = piece.len().min(into.len());
            into[..length].copy_from_slice(&piece[..length]);
            piece.drain(..length);
            if piece.is_empty() {
                self.0.pop_front();
            }
            Ok(length)
        }
    }

    /// Returns all bytes, and the final error.
    fn read_all(mut stream: impl Read, room: usize) -> (Vec<u8>, Option<ErrorKind>) {
        let (mut all, mut buffer) = (Vec::new(), vec![0; room]);
        loop {
            match stream.read(&mut buffer) {
                Ok(0) => return (all, None),
                Ok(got) => all.extend_from_slice(&buffer[..got]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    assert_eq!(stream.read(&mut buffer).unwrap(), 0, "nothing after an error");
                    return (all, Some(error.kind()));
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn pieces_are_read_in_order(
            sizes in prop::collection::vec(1_usize..70, 0..30),
            error in prop::option::of(Just(ErrorKind::Other)),
            room in prop_oneof![1_000_usize..2_000, Just(100_000)],
        ) {
            let pieces = sizes.iter().zip(0..).map(|(size, number)| vec![number; size * size * 100]);
            let pieces: VecDeque<_> = pieces.collect();
            let expected = (pieces.iter().flatten().copied().collect(), error);
            let stream = Pieces(pieces, error);
            let ahead = ReadAhead::spawn(stream, Arc::default()).unwrap();
            prop_assert!(read_all(ahead, room) == expected);
        }
    }

    /// An endless stream, which drops its sender with it.
    struct Endless(#[expect(dead_code, reason = "only its end is observed")] mpsc::Sender<()>);

    impl Read for Endless {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            Ok(into.len())
        }
    }

    #[test]
    fn the_thread_ends_when_the_reader_is_dropped() {
        let (sender, receiver) = mpsc::channel();
        let is_dropped = Arc::<AtomicBool>::default();
        let mut ahead = ReadAhead::spawn(Endless(sender), Arc::clone(&is_dropped)).unwrap();
        ahead.read_exact(&mut [0; 16]).unwrap();
        drop(ahead);
        let end = receiver.recv_timeout(Duration::from_secs(60));
        assert_eq!(end, Err(mpsc::RecvTimeoutError::Disconnected));
        assert!(is_dropped.load(Ordering::Relaxed));
    }

    struct Panics;

    impl Read for Panics {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            panic!("a fault in a decoder");
        }
    }

    #[test]
    fn a_panic_of_the_thread_is_an_error() {
        let ahead = ReadAhead::spawn(Panics, Arc::default()).unwrap();
        assert_eq!(read_all(ahead, 10), (Vec::new(), Some(ErrorKind::Other)));
    }
}
