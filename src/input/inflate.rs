//! Compressed inputs, known by their first bytes and read through as if they were not compressed.
//!
//! A plain stream goes from its source straight into the hands of whoever reads; only its first
//! bytes, four at most, take another way. Several gz members or zst frames, one behind the other,
//! are one stream.

use std::fmt;
use std::io::{self, ErrorKind, Read};

use flate2::{Decompress, FlushDecompress, Status};
use zstd::stream::raw::{Decoder, InBuffer, Operation, OutBuffer};

use crate::compression::{Beginning, Compression};

/// How many compressed bytes one read asks for.
const COMPRESSED: usize = 128 * 1024;

/// The bytes of a stream, decompressed if need be.
///
/// A read fills as much as the compressed bytes at hand yield, and asks for more of them only if
/// they yield nothing: a slow pipe's lines come out as soon as they are in. Errors of the source
/// are passed on and leave everything as it was, so that a read that was interrupted can be done
/// again. A stream that is cut off or damaged is an error that says so, after all that came out of
/// it before.
#[derive(Debug)]
pub struct Inflate<R> {
    source: R,
    state: State,
}

#[derive(Debug)]
enum State {
    /// It is not known yet what the stream is.
    Beginning(Head),
    /// Nothing to be done, once these bytes are handed on.
    Plain(Head),
    /// Compressed.
    Compressed(Box<Compressed>),
}

impl<R: Read> Inflate<R> {
    /// Reads nothing yet.
    pub fn new(source: R) -> Self {
        Self { source, state: State::Beginning(Head::default()) }
    }

    /// Whether it is compressed, as far as that is known: it is not before the first read.
    pub fn is_compressed(&self) -> bool {
        matches!(self.state, State::Compressed(_))
    }
}

impl<R: Read> Read for Inflate<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if let State::Beginning(head) = &mut self.state {
            self.state = match head.fill_until_known(&mut self.source)? {
                Some(compression) => {
                    State::Compressed(Box::new(Compressed::new(compression, head.as_slice())?))
                }
                None => State::Plain(*head),
            };
        }
        match &mut self.state {
            State::Compressed(stream) => stream.read(&mut self.source, into),
            State::Plain(head) if head.length > 0 => Ok(head.take(into)),
            State::Plain(_) | State::Beginning(_) => self.source.read(into),
        }
    }
}

/// The first bytes of a stream.
#[derive(Clone, Copy, Debug, Default)]
struct Head {
    bytes: [u8; Beginning::ENOUGH],
    length: usize,
}

impl Head {
    fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    /// Reads until it is known whether the stream is compressed, and how.
    fn fill_until_known(&mut self, source: &mut impl Read) -> io::Result<Option<Compression>> {
        loop {
            match Beginning::of(self.as_slice()) {
                Beginning::Plain => return Ok(None),
                Beginning::Compressed(compression) => return Ok(Some(compression)),
                Beginning::TooShort => match source.read(&mut self.bytes[self.length..])? {
                    0 => return Ok(None),
                    got => self.length += got,
                },
            }
        }
    }

    /// Hands on as many bytes as there is room for.
    fn take(&mut self, into: &mut [u8]) -> usize {
        let count = self.length.min(into.len());
        into[..count].copy_from_slice(&self.bytes[..count]);
        self.bytes.copy_within(count.., 0);
        self.length -= count;
        count
    }
}

/// A compressed stream.
#[derive(Debug)]
struct Compressed {
    compression: Compression,
    decoder: Member,
    /// Compressed bytes; those from `start` to `end` are not used yet.
    bytes: Box<[u8]>,
    start: usize,
    end: usize,
    /// How many compressed bytes were used in all.
    used: u64,
    /// How many of them are of the member that is not at its end.
    of_member: u64,
    /// What ended the stream; there is nothing behind it.
    failure: Option<Failure>,
}

impl Compressed {
    /// `head` are the first bytes of the stream.
    fn new(compression: Compression, head: &[u8]) -> io::Result<Self> {
        let decoder = match compression {
            Compression::Gz => Member::Gz(Decompress::new_gzip(15)),
            Compression::Zst => Member::Zst(Frames { decoder: Decoder::new()?, wanted: 1 }),
        };
        let mut bytes = vec![0; COMPRESSED].into_boxed_slice();
        bytes[..head.len()].copy_from_slice(head);
        let (used, of_member, failure) = (0, 0, None);
        Ok(Self {
            compression,
            decoder,
            bytes,
            start: 0,
            end: head.len(),
            used,
            of_member,
            failure,
        })
    }

    fn read(&mut self, source: &mut impl Read, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() {
            return Ok(0);
        }
        loop {
            let made = self.inflate(into);
            if made > 0 {
                return Ok(made);
            }
            if let Some(failure) = &self.failure {
                return Err(failure.error(self.compression));
            }
            let got = source.read(&mut self.bytes)?;
            (self.start, self.end) = (0, got);
            if got == 0 {
                if self.of_member == 0 {
                    return Ok(0);
                }
                self.failure = Some(Failure::CutOff { at: self.used });
            }
        }
    }

    /// Fills `into` as far as the bytes at hand go; returns how far. Afterwards they are used up,
    /// or `into` is full, or the stream has failed.
    fn inflate(&mut self, into: &mut [u8]) -> usize {
        let mut made = 0;
        while made < into.len() && self.failure.is_none() {
            let bytes = &self.bytes[self.start..self.end];
            if self.is_between_members() && Beginning::of(bytes) == Beginning::Plain {
                self.failure = Some(Failure::SomethingElse { at: self.used });
                break;
            }
            let step = self.decoder.step(bytes, &mut into[made..]);
            made += step.made;
            self.start += step.used;
            self.used += step.used as u64;
            self.of_member += step.used as u64;
            match step.end {
                Ok(true) => self.of_member = 0,
                Ok(false) if step.used == 0 && step.made == 0 => break,
                Ok(false) => {}
                Err(what) => self.failure = Some(Failure::Damaged { at: self.used, what }),
            }
        }
        made
    }

    fn is_between_members(&self) -> bool {
        self.of_member == 0
    }
}

/// What decompresses one member or frame after the other.
enum Member {
    Gz(Decompress),
    Zst(Frames),
}

/// Zstandard frames.
struct Frames {
    decoder: Decoder<'static>,
    /// How many bytes complete the next block; never 0.
    wanted: usize,
}

/// What one call did.
struct Step {
    /// Compressed bytes used.
    used: usize,
    /// Bytes that came out.
    made: usize,
    /// Whether the member is at its end, or what is wrong with it.
    end: Result<bool, String>,
}

impl Member {
    fn step(&mut self, bytes: &[u8], into: &mut [u8]) -> Step {
        match self {
            Self::Gz(decoder) => inflate_gz(decoder, bytes, into),
            Self::Zst(frames) => frames.inflate(bytes, into),
        }
    }
}

fn inflate_gz(decoder: &mut Decompress, bytes: &[u8], into: &mut [u8]) -> Step {
    let before = (decoder.total_in(), decoder.total_out());
    let status = decoder.decompress(bytes, into, FlushDecompress::None);
    let used = (decoder.total_in() - before.0) as usize;
    let made = (decoder.total_out() - before.1) as usize;
    let end = match status {
        Ok(Status::StreamEnd) => {
            decoder.reset(true);
            Ok(true)
        }
        Ok(Status::Ok | Status::BufError) => Ok(false),
        Err(error) => Err(error.message().unwrap_or("it cannot be decompressed").into()),
    };
    Step { used, made, end }
}

impl Frames {
    /// Decompresses one block at most: if the one behind it is damaged, a call that did both would
    /// not say what came out of the first.
    fn inflate(&mut self, bytes: &[u8], into: &mut [u8]) -> Step {
        let mut bytes = InBuffer::around(&bytes[..self.wanted.min(bytes.len())]);
        let mut into = OutBuffer::around(into);
        let end = match self.decoder.run(&mut bytes, &mut into) {
            Ok(wanted) => {
                self.wanted = wanted.max(1);
                Ok(wanted == 0)
            }
            Err(error) => Err(error.to_string()),
        };
        Step { used: bytes.pos(), made: into.pos(), end }
    }
}

impl fmt::Debug for Member {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Gz(_) => "Gz",
            Self::Zst(_) => "Zst",
        })
    }
}

/// Why a compressed stream cannot be read on; `at` counts its compressed bytes.
#[derive(Debug)]
enum Failure {
    CutOff { at: u64 },
    Damaged { at: u64, what: String },
    SomethingElse { at: u64 },
}

impl Failure {
    fn error(&self, compression: Compression) -> io::Error {
        let name = compression.name();
        let (kind, message) = match self {
            Self::CutOff { at } => {
                (ErrorKind::UnexpectedEof, format!("the {name} stream is cut off after byte {at}"))
            }
            Self::Damaged { at, what } => (
                ErrorKind::InvalidData,
                format!("the {name} stream is damaged near byte {at}: {what}"),
            ),
            Self::SomethingElse { at } => (
                ErrorKind::InvalidData,
                format!("the {name} stream ends at byte {at}, but something else follows"),
            ),
        };
        io::Error::new(kind, message)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::write::GzEncoder;
    use proptest::prelude::*;

    use super::*;

    fn gz(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zst(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
        encoder.include_checksum(true).unwrap();
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    /// Text that does not compress to nothing, `length` bytes.
    fn text(length: usize) -> Vec<u8> {
        let mut state = 1_u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            b"123456789.\n"[(state >> 24) as usize % 11]
        };
        (0..length).map(|_| next()).collect()
    }

    /// Everything that comes out, and the error at the end.
    fn read_all(source: impl Read, piece: usize) -> (Vec<u8>, Option<io::Error>) {
        let mut inflate = Inflate::new(source);
        let (mut all, mut buffer) = (Vec::new(), vec![0; piece]);
        loop {
            match inflate.read(&mut buffer) {
                Ok(0) => return (all, None),
                Ok(got) => all.extend_from_slice(&buffer[..got]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    let again = inflate.read(&mut buffer).unwrap_err();
                    assert_eq!(again.to_string(), error.to_string());
                    return (all, Some(error));
                }
            }
        }
    }

    /// Gives pieces of these sizes, and is interrupted before each of them.
    struct Slow<'a> {
        bytes: &'a [u8],
        sizes: Vec<usize>,
        reads: usize,
    }

    impl Read for Slow<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            self.reads += 1;
            if self.reads % 2 == 1 {
                return Err(ErrorKind::Interrupted.into());
            }
            let size = self.sizes[self.reads / 2 % self.sizes.len()];
            let size = size.min(into.len()).min(self.bytes.len());
            let (now, later) = self.bytes.split_at(size);
            into[..size].copy_from_slice(now);
            self.bytes = later;
            Ok(size)
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn whatever_the_sizes_of_reads_what_went_in_comes_out(
            lengths in prop::collection::vec(0_usize..100_000, 0..4),
            sizes in prop::collection::vec(1_usize..50_000, 1..4),
            piece in prop_oneof![1_usize..5, 1000_usize..300_000],
            packing in 0..3,
        ) {
            let parts: Vec<_> = lengths.into_iter().map(text).collect();
            let packed = parts.iter().flat_map(|part| match packing {
                0 => part.clone(),
                1 => gz(part),
                _ => zst(part),
            }).collect::<Vec<u8>>();
            let source = Slow { bytes: &packed, sizes, reads: 0 };
            let (all, error) = read_all(source, piece);
            prop_assert!(error.is_none(), "{error:?}");
            prop_assert!(all == parts.concat());
        }

        #[test]
        fn random_bytes_do_no_harm(
            gz in any::<bool>(),
            bytes in prop::collection::vec(any::<u8>(), 0..300),
        ) {
            let magic: &[u8] = if gz { b"\x1F\x8B\x08\0" } else { b"\x28\xB5\x2F\xFD" };
            read_all(magic.chain(bytes.as_slice()), 1000);
        }
    }

    #[test]
    fn a_stream_cut_off_anywhere_is_an_error_after_what_came_before() {
        let text = text(400_000);
        for packed in [gz(&text), zst(&text)] {
            let mut longest = 0;
            for cut in (4..20).chain((20..packed.len()).step_by(997)).chain([packed.len() - 1]) {
                let (found, error) = read_all(&packed[..cut], 64 * 1024);
                assert!(text.starts_with(&found) && found.len() >= longest);
                longest = found.len();
                let error = error.expect("it is cut off");
                assert_eq!(error.kind(), ErrorKind::UnexpectedEof);
                assert!(error.to_string().ends_with(&format!("is cut off after byte {cut}")));
            }
            // A zst block holds at most 128 KiB.
            assert!(longest > text.len() - 128 * 1024, "{longest}");
        }
    }

    #[test]
    fn damage_is_named_after_what_came_before() {
        let text = text(400_000);
        for (mut packed, name) in [(gz(&text), "gz"), (zst(&text), "zst")] {
            let at = packed.len() - 20_000;
            packed[at..at + 40].fill(0xFF);
            let (found, error) = read_all(packed.as_slice(), 1 << 20);
            let error = error.unwrap().to_string();
            assert!(
                error.starts_with(&format!("the {name} stream is damaged near byte ")),
                "{error}"
            );
            let same = found.iter().zip(&text).take_while(|(a, b)| a == b).count();
            assert!(same > 200_000, "{name}: {same}");
        }
        // All of it, with another check sum at the end.
        for (mut packed, from_end) in [(gz(&text), 8), (zst(&text), 4)] {
            let at = packed.len() - from_end;
            packed[at] ^= 1;
            let (found, error) = read_all(packed.as_slice(), 1 << 20);
            assert!(found == text);
            assert_eq!(error.unwrap().kind(), ErrorKind::InvalidData);
        }
    }

    #[test]
    fn something_else_behind_the_end_is_an_error_that_says_where() {
        for (packed, name) in [(gz(b"1\n"), "gz"), (zst(b"1\n"), "zst")] {
            let end = packed.len();
            let (found, error) = read_all(packed.chain(&b"2\n"[..]), 100);
            assert_eq!(found, b"1\n");
            let expected =
                format!("the {name} stream ends at byte {end}, but something else follows");
            assert_eq!(error.unwrap().to_string(), expected);
        }
    }

    #[test]
    fn frames_without_data_are_passed_over() {
        let skippable = [&b"\x53\x2A\x4D\x18\x03\0\0\0abc"[..], &zst(b"1\n")].concat();
        let twice = skippable.repeat(2);
        assert_eq!(read_all(twice.as_slice(), 100).0, b"1\n1\n");
        assert!(read_all(&skippable[..11], 100).1.is_none());
        assert!(read_all(&skippable[..10], 100).1.is_some());
    }

    /// Counts reads, and says how large the last one's buffer was.
    struct Counted<'a>(&'a [u8], Vec<usize>);

    impl Read for Counted<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            self.1.push(into.len());
            self.0.read(into)
        }
    }

    #[test]
    fn a_plain_stream_is_read_straight_into_the_buffer_it_is_wanted_in() {
        let text = text(100_000);
        let mut inflate = Inflate::new(Counted(&text, Vec::new()));
        let mut buffer = vec![0; 60_000];
        let sizes: Vec<_> = (0..4).map(|_| inflate.read(&mut buffer).unwrap()).collect();
        assert_eq!(sizes, [4, 60_000, 39_996, 0]);
        assert_eq!(inflate.source.1, [4, 60_000, 60_000, 60_000]);
    }

    #[test]
    fn no_more_is_read_while_what_is_at_hand_yields_anything() {
        let text = text(100_000);
        for packed in [gz(&text), zst(&text)] {
            assert!(packed.len() < COMPRESSED);
            let mut inflate = Inflate::new(Counted(&packed, Vec::new()));
            let mut buffer = vec![0; 60_000];
            // The four bytes that tell, and the rest in one.
            assert_eq!(inflate.read(&mut buffer).unwrap(), 60_000);
            assert_eq!(inflate.read(&mut buffer).unwrap(), 40_000);
            assert_eq!(inflate.source.1, [4, COMPRESSED]);
            assert_eq!(inflate.read(&mut buffer).unwrap(), 0);
        }
    }
}
