//! Output that is compressed if its name asks for it.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use bulkdoku::Compression;
use bulkdoku::output::Packer;

/// How much is compressed at once: the file depends on what is written, not on how.
const PIECE: usize = 64 * 1024;

/// Buffers what is written, and compresses it if it is to be.
#[derive(Debug)]
pub enum Packed<W: Write> {
    /// As it is.
    Plain(BufWriter<W>),
    /// Each piece is a stream of its own; streams joined end to end are one.
    Compressed {
        /// Where it goes.
        out: W,
        /// What compresses it.
        packer: Packer,
        /// What waits for the rest of a piece.
        piece: Vec<u8>,
        /// Whether nothing is written yet.
        is_empty: bool,
    },
}

impl<W: Write> Packed<W> {
    /// Writes to `out`, whose name is `path`.
    pub fn new(out: W, path: Option<&Path>) -> Self {
        match path.and_then(Compression::of_name) {
            None => Self::Plain(BufWriter::new(out)),
            Some(compression) => {
                let packer = Packer::new(compression);
                Self::Compressed { out, packer, piece: Vec::new(), is_empty: true }
            }
        }
    }

    /// Writes what is left. Nothing, compressed, is a stream, too.
    pub fn finish(mut self) -> io::Result<()> {
        match &mut self {
            Self::Compressed { piece, is_empty: false, .. } if piece.is_empty() => {}
            Self::Compressed { .. } => self.write_piece()?,
            Self::Plain(_) => {}
        }
        self.flush()
    }

    fn write_piece(&mut self) -> io::Result<()> {
        let Self::Compressed { out, packer, piece, is_empty } = self else { return Ok(()) };
        let length = piece.len().min(PIECE);
        let mut compressed = Vec::new();
        packer.pack(&piece[..length], &mut compressed);
        out.write_all(&compressed)?;
        piece.drain(..length);
        *is_empty = false;
        Ok(())
    }
}

impl<W: Write> Write for Packed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(out) => return out.write(bytes),
            Self::Compressed { piece, .. } => piece.extend_from_slice(bytes),
        }
        while matches!(self, Self::Compressed { piece, .. } if piece.len() >= PIECE) {
            self.write_piece()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(out) => out.flush(),
            Self::Compressed { out, .. } => out.flush(),
        }
    }
}
