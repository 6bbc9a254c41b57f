//! Reads a stream ahead on a thread.
//!
//! A worker that reads an input holds a lock that all workers need. Reading a plain stream is only
//! a copy, but decompression takes longer than solving the puzzles.

use std::io::{self, Cursor, ErrorKind, Read};
use std::mem;
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
    /// The current piece, or the error after the bytes that have been read.
    piece: io::Result<Cursor<Vec<u8>>>,
    /// Whether it is the last one.
    is_over: bool,
    is_dropped: Arc<AtomicBool>,
}

impl ReadAhead {
    /// Starts a thread, which ends with the stream or when this is dropped. Then `is_dropped` is set.
    pub(super) fn spawn(
        stream: impl Read + Send + 'static,
        is_dropped: Arc<AtomicBool>,
    ) -> io::Result<Self> {
        let (sender, pieces) = bounded(QUEUED_PIECES);
        let read = move || read_pieces(stream, &sender);
        thread::Builder::new().name("read-ahead".into()).spawn(read)?;
        Ok(Self { pieces, piece: Ok(Cursor::default()), is_over: false, is_dropped })
    }

    fn wait(&mut self) -> io::Result<io::Result<Vec<u8>>> {
        self.pieces.recv_timeout(PATIENCE).map_err(|error| match error {
            RecvTimeoutError::Timeout => ErrorKind::Interrupted.into(),
            RecvTimeoutError::Disconnected => {
                io::Error::other("the thread that reads ahead has died")
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
        loop {
            match &mut self.piece {
                Ok(piece) => made += piece.read(&mut into[made..])?,
                Err(_) if made > 0 => return Ok(made),
                failed => return mem::replace(failed, Ok(Cursor::default())).map(|_| 0),
            }
            if made == into.len() || self.is_over {
                return Ok(made);
            }
            let next = match self.pieces.try_recv() {
                Ok(next) => next,
                Err(_) if made > 0 => return Ok(made),
                Err(_) => self.wait()?,
            };
            self.is_over = !next.as_ref().is_ok_and(|bytes| !bytes.is_empty());
            self.piece = next.map(Cursor::new);
        }
    }
}

impl Drop for ReadAhead {
    fn drop(&mut self) {
        self.is_dropped.store(true, Ordering::Relaxed);
    }
}
