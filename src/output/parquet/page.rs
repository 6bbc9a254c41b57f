//! Pages: encoded and compressed values with their header.

use std::io;
use std::mem;

use parquet::basic::Encoding;
use parquet::column::page::{CompressedPage, Page, PageWriter};
use parquet::file::writer::{SerializedPageWriter, TrackedWrite};
use zstd::bulk::Compressor;
use zstd::zstd_safe::compress_bound;

use super::Kind;
use super::piece::Piece;
use crate::status::Status;

/// Higher levels gain little on rows and cost much.
pub(super) const ZSTD_LEVEL: i32 = 1;

#[derive(Default)]
pub(super) struct Pages {
    zstd: Option<Compressor<'static>>,
    /// Reused buffers: for the content of a page, and for the same compressed.
    room: Vec<u8>,
    packed: Vec<u8>,
}

/// A page as in the file.
#[derive(Debug, Default)]
pub(super) struct Written {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Its uncompressed size.
    pub plain: usize,
}

impl Pages {
    /// The page of a finished piece of a column.
    ///
    /// # Errors
    /// When memory is short.
    pub(super) fn data(&mut self, kind: Kind, piece: &mut Piece) -> io::Result<Written> {
        let num_values = piece.rows;
        let mut room = mem::take(&mut self.room);
        let plain = piece.in_page(kind, &mut room);
        let (buf, plain) = (self.compress(plain)?.into(), plain.len());
        self.room = room;
        let encoding = match kind {
            Kind::Status => Encoding::RLE_DICTIONARY,
            _ => Encoding::PLAIN,
        };
        let page = Page::DataPage {
            buf,
            num_values,
            encoding,
            def_level_encoding: Encoding::RLE,
            rep_level_encoding: Encoding::RLE,
            statistics: None,
        };
        write(page, plain)
    }

    /// The dictionary page with the names of statuses.
    ///
    /// # Errors
    /// When memory is short.
    pub(super) fn names(&mut self) -> io::Result<Written> {
        let mut plain = Vec::new();
        for status in Status::ALL {
            let name = status.name().as_bytes();
            plain.extend_from_slice(&(name.len() as u32).to_le_bytes());
            plain.extend_from_slice(name);
        }
        let page = Page::DictionaryPage {
            buf: self.compress(&plain)?.into(),
            num_values: Status::ALL.len() as u32,
            encoding: Encoding::PLAIN,
            is_sorted: false,
        };
        write(page, plain.len())
    }

    fn compress(&mut self, plain: &[u8]) -> io::Result<Vec<u8>> {
        let zstd = match &mut self.zstd {
            Some(zstd) => zstd,
            none => none.insert(Compressor::new(ZSTD_LEVEL)?),
        };
        self.packed.clear();
        self.packed.reserve(compress_bound(plain.len()));
        zstd.compress_to_buffer(plain, &mut self.packed)?;
        Ok(self.packed.clone())
    }
}

/// Adds the header to a page of this uncompressed size.
fn write(page: Page, plain: usize) -> io::Result<Written> {
    let mut bytes = TrackedWrite::new(Vec::with_capacity(page.buffer().len() + 64));
    let page = CompressedPage::new(page, plain);
    let spec = SerializedPageWriter::new(&mut bytes).write_page(page);
    let plain = spec.map_err(io::Error::other)?.uncompressed_size;
    Ok(Written { bytes: bytes.into_inner().map_err(io::Error::other)?, plain })
}
