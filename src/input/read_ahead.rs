//! Reads a stream ahead on a separate thread.
//!
//! A worker that reads an input holds a lock that all workers need. Reading a plain stream is only
//! a copy, but decompression takes longer than solving the puzzles.

use std::io::{self, Cursor, ErrorKind, Read};
use std::thread;

use crossbeam_channel::{Receiver, bounded};

/// The number of bytes read at a time: about two blocks. With half of it, gz files take 4% longer.
const PIECE_BYTES: usize = 240 * 1024;
/// The number of queued pieces. When solving and decompression take about the same time, a short
/// queue cannot keep both busy.
const QUEUED_PIECES: usize = 12;

/// The bytes of a stream, read on a thread.
///
/// A read returns bytes of one piece, and blocks only if there is none. Errors keep their position
/// in the stream and end it, except [`ErrorKind::Interrupted`].
#[derive(Debug)]
pub(super) struct ReadAhead {
    /// The result of each read; an empty piece marks the end of the stream.
    pieces: Receiver<io::Result<Vec<u8>>>,
    piece: Cursor<Vec<u8>>,
    is_over: bool,
}

impl ReadAhead {
    /// Starts the thread, which ends with the stream or when this is dropped. Returns the stream if
    /// no thread can be started.
    pub(super) fn spawn<R: Read + Send + 'static>(stream: R) -> Result<Self, R> {
        let (sender, pieces) = bounded(QUEUED_PIECES);
        let (give, take) = bounded::<R>(1);
        let read_all = move || {
            let Ok(mut stream) = take.recv() else { return };
            loop {
                let piece = read_piece(&mut stream);
                let is_last = is_last(&piece);
                if sender.send(piece).is_err() || is_last {
                    break;
                }
            }
        };
        if thread::Builder::new().name("read-ahead".into()).spawn(read_all).is_err() {
            return Err(stream);
        }
        give.send(stream).map_err(|unsent| unsent.0)?;
        Ok(Self { pieces, piece: Cursor::default(), is_over: false })
    }
}

impl Read for ReadAhead {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let is_used_up = self.piece.position() == self.piece.get_ref().len() as u64;
        if is_used_up && !self.is_over && !into.is_empty() {
            let died = || Err(io::Error::other("the thread that reads ahead has died"));
            let piece = self.pieces.recv().unwrap_or_else(|_| died());
            self.is_over = is_last(&piece);
            self.piece = Cursor::default();
            self.piece = Cursor::new(piece?);
        }
        self.piece.read(into)
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

    #[derive(Clone, Debug)]
    enum ReadResult {
        Gives(Vec<u8>),
        Interrupts,
    }

    /// Follows a script, then ends, possibly after an error.
    #[derive(Debug)]
    struct Scripted {
        acts: std::vec::IntoIter<ReadResult>,
        fails: bool,
    }

    impl Read for Scripted {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            match self.acts.next() {
                Some(ReadResult::Gives(bytes)) => {
                    into[..bytes.len()].copy_from_slice(&bytes);
                    Ok(bytes.len())
                }
                Some(ReadResult::Interrupts) => Err(ErrorKind::Interrupted.into()),
                None if std::mem::take(&mut self.fails) => Err(io::Error::other("dry")),
                None => Ok(0),
            }
        }
    }

    fn ahead<R: Read + Send + 'static>(stream: R) -> ReadAhead {
        ReadAhead::spawn(stream).ok().expect("a thread can be started")
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

    fn act() -> impl Strategy<Value = ReadResult> {
        let gives = prop::collection::vec(any::<u8>(), 1..100).prop_map(ReadResult::Gives);
        prop_oneof![4 => gives, 1 => Just(ReadResult::Interrupts)]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn reading_ahead_returns_the_same_bytes(
            acts in prop::collection::vec(act(), 0..40),
            fails in any::<bool>(),
            piece in 1_usize..300,
        ) {
            let stream = || Scripted { acts: acts.clone().into_iter(), fails };
            let expected = read_all(stream(), 100);
            prop_assert_eq!(read_all(ahead(stream()), piece), expected);
        }
    }

    /// Sends a message when it is dropped.
    struct Endless(mpsc::Sender<()>);

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
    fn the_thread_ends_when_the_reader_is_dropped() {
        let (sender, receiver) = mpsc::channel();
        let mut stream = ahead(Endless(sender));
        stream.read_exact(&mut [0; 16]).unwrap();
        drop(stream);
        receiver.recv_timeout(Duration::from_secs(60)).expect("the thread has ended");
    }

    struct PanicsOnSecondRead(bool);

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
