use std::io::{Cursor, Write};
use std::sync::Mutex;

use bzip2::write::BzEncoder;
use flate2::write::{GzEncoder, ZlibEncoder};
use lz4_flex::frame::{BlockMode, BlockSize, FrameEncoder, FrameInfo};
use proptest::prelude::*;

use super::*;
use crate::input::Stream;

type Encode = fn(&[u8]) -> Vec<u8>;

const ENCODERS: [(&str, Encode); 5] =
    [("gz", gz), ("zst", zst), ("zlib", zlib), ("bz2", bz2), ("lz4", lz4)];

fn gz(bytes: &[u8]) -> Vec<u8> {
    let encoder = GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoded(encoder, bytes, GzEncoder::finish)
}

fn zst(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
    encoder.include_checksum(true).unwrap();
    encoded(encoder, bytes, zstd::Encoder::finish)
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let encoder = ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    encoded(encoder, bytes, ZlibEncoder::finish)
}

/// Compresses in blocks of at most 100 KB.
fn bz2(bytes: &[u8]) -> Vec<u8> {
    let encoder = BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoded(encoder, bytes, BzEncoder::finish)
}

/// Compresses in linked blocks of 64 KB, with all checksums.
fn lz4(bytes: &[u8]) -> Vec<u8> {
    let info = FrameInfo::new()
        .block_size(BlockSize::Max64KB)
        .block_mode(BlockMode::Linked)
        .block_checksums(true)
        .content_checksum(true);
    let encoder = FrameEncoder::with_frame_info(info, Vec::new());
    encoded(encoder, bytes, |encoder| Ok(encoder.finish()?))
}

fn encoded<E: Write>(
    mut encoder: E,
    bytes: &[u8],
    finish: impl FnOnce(E) -> io::Result<Vec<u8>>,
) -> Vec<u8> {
    encoder.write_all(bytes).unwrap();
    finish(encoder).unwrap()
}

/// Streams written by other tools, from the first 60 lines of `hard.txt`.
const PACKED: [&str; 7] = [
    "puzzles.xz",
    "blocks.xz",
    "sha256.xz",
    "puzzles.bz2",
    "puzzles.lz4",
    "checked.lz4",
    "puzzles.zlib",
];

/// The root of the repository.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn made(name: &str) -> Vec<u8> {
    std::fs::read(format!("{ROOT}/tests/packed/{name}")).unwrap()
}

fn packed_text() -> Vec<u8> {
    let all = std::fs::read(format!("{ROOT}/datasets/hard.txt")).unwrap();
    all.split_inclusive(|&byte| byte == b'\n').take(60).collect::<Vec<_>>().concat()
}

/// Returns text of `length` bytes that compresses moderately.
fn text(length: usize) -> Vec<u8> {
    let mut state = 1_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        b"123456789.\n"[(state >> 24) as usize % 11]
    };
    (0..length).map(|_| next()).collect()
}

/// Returns all output, and the final error.
fn read_all(source: impl Read + Send + 'static, piece: usize) -> (Vec<u8>, Option<io::Error>) {
    let mut stream = Stream::new(source);
    let (mut all, mut buffer) = (Vec::new(), vec![0; piece]);
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => return (all, None),
            Ok(got) => all.extend_from_slice(&buffer[..got]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return (all, Some(error)),
        }
    }
}

/// Returns the output and the final message, except the codec's details, after checking that other
/// sizes of pieces and reads yield the same, except for output before damage.
fn read_in_all_pieces(packed: &[u8]) -> (Vec<u8>, String) {
    let read = |source: Slow, piece| {
        let (found, error) = read_all(source, piece);
        let message = error.map_or(String::new(), |error| error.to_string());
        (found, message.split(" near byte ").next().unwrap_or_default().to_owned())
    };
    let mut longest = read(Slow::new(packed, vec![1 << 20]), 1 << 20);
    for (size, piece) in [(1, 100), (1000, 37), (1 << 20, 1000)] {
        let found = read(Slow::new(packed, vec![size]), piece);
        // The zst library does not check all limits of blocks if frames are received in pieces.
        let is_lenient =
            packed.starts_with(MAGICS[1]) && (found.1.is_empty() || longest.1.is_empty());
        assert!(found.1 == longest.1 || is_lenient, "{size} {piece}: {} {}", found.1, longest.1);
        assert!(!found.1.is_empty() || found.0.len() >= longest.0.len(), "{size} {piece}");
        let length = found.0.len().min(longest.0.len());
        assert!(found.0[..length] == longest.0[..length], "{size} {piece}");
        if found.0.len() > length {
            longest = found;
        }
    }
    longest
}

/// Returns pieces of these sizes, each after an interruption.
struct Slow {
    bytes: Cursor<Vec<u8>>,
    sizes: Vec<usize>,
    reads: usize,
}

impl Slow {
    fn new(bytes: &[u8], sizes: Vec<usize>) -> Self {
        Self { bytes: Cursor::new(bytes.to_vec()), sizes, reads: 0 }
    }
}

impl Read for Slow {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.reads += 1;
        if self.reads % 2 == 1 {
            return Err(ErrorKind::Interrupted.into());
        }
        let size = self.sizes[self.reads / 2 % self.sizes.len()];
        let size = size.min(into.len());
        self.bytes.read(&mut into[..size])
    }
}

const MAGICS: [&[u8]; 7] = [
    b"\x1F\x8B\x08\0",
    b"\x28\xB5\x2F\xFD",
    b"x\x9C",
    b"\xFD7zXZ\0\0\x04",
    b"BZh91AY&SY",
    b"\x04\x22\x4D\x18",
    b"\x04\x22\x4D\x18\x64\x40\xA7",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn decompression_does_not_depend_on_the_sizes_of_reads(
        lengths in prop::collection::vec(0_usize..100_000, 0..4),
        sizes in prop::collection::vec(1_usize..50_000, 1..4),
        piece in prop_oneof![1_usize..5, 1000_usize..300_000],
        pack in prop::sample::select(ENCODERS.map(|(_, pack)| pack).to_vec()),
    ) {
        let parts: Vec<_> = lengths.into_iter().map(text).collect();
        let packed: Vec<u8> = parts.iter().flat_map(|part| pack(part)).collect();
        let (all, error) = read_all(Slow::new(&packed, sizes), piece);
        prop_assert!(error.is_none(), "{error:?}");
        prop_assert!(all == parts.concat());
    }

    #[test]
    fn random_bytes_do_not_panic(
        magic in prop::sample::select(MAGICS.to_vec()),
        bytes in prop::collection::vec(any::<u8>(), 0..300),
    ) {
        read_all(magic.chain(Cursor::new(bytes)), 1000);
    }
}

#[test]
fn a_truncated_stream_is_an_error_after_its_data() {
    let text = text(400_000);
    let own = ENCODERS.map(|(name, pack)| (name, pack(&text), text.clone()));
    let packed = PACKED.map(|name| (name, made(name), packed_text()));
    for (name, packed, text) in own.into_iter().chain(packed) {
        let mut longest = 0;
        let step = packed.len() / 20;
        for cut in (12..20).chain((20..packed.len()).step_by(step)).chain([packed.len() - 1]) {
            let (found, error) = read_all(Cursor::new(packed[..cut].to_vec()), 64 * 1024);
            assert!(text.starts_with(&found), "{name} {cut}");
            longest = longest.max(found.len());
            let error = error.expect("it is cut off");
            assert_eq!(error.kind(), ErrorKind::UnexpectedEof);
            assert!(error.to_string().ends_with(&format!("is cut off after byte {cut}")));
        }
        // A zst block holds at most 128 KiB.
        assert!(longest + 128 * 1024 > text.len(), "{name}: {longest}");
    }
}

#[test]
fn damage_is_an_error_after_the_data_before_it() {
    let text = text(400_000);
    for (name, pack) in ENCODERS {
        let packed = pack(&text);
        let mut damaged = packed.clone();
        let at = packed.len() - 20_000;
        damaged[at..at + 40].fill(0xFF);
        let (found, error) = read_in_all_pieces(&damaged);
        assert_eq!(error, format!("the {name} stream is damaged"));
        assert!(found.len() > 100_000, "{name}: {}", found.len());
        // Damage the checksum at the end.
        let mut damaged = packed;
        let at = damaged.len() - if name == "gz" { 8 } else { 4 };
        damaged[at] ^= 1;
        let (found, error) = read_in_all_pieces(&damaged);
        assert!(text.starts_with(&found) && error.contains("damaged"), "{name}: {error}");
    }
}

#[test]
fn frames_without_data_are_skipped() {
    let skippable = [&b"\x53\x2A\x4D\x18\x03\0\0\0abc"[..], &zst(b"1\n")].concat();
    let twice = skippable.repeat(2);
    assert_eq!(read_all(Cursor::new(twice), 100).0, b"1\n1\n");
    let begin = |length: usize| Cursor::new(skippable[..length].to_vec());
    assert!(read_all(begin(11), 100).1.is_none());
    assert!(read_all(begin(10), 100).1.is_some());
}

#[test]
fn streams_of_other_tools_are_read_and_damage_is_noticed() {
    let text = packed_text();
    for name in PACKED {
        let packed = made(name);
        // Concatenated streams; xz allows zeros between them.
        let padding = if name.ends_with("xz") { &[0; 4][..] } else { &[] };
        let (found, error) = read_in_all_pieces(&[&packed, padding, &packed].concat());
        assert!(error.is_empty() && found == text.repeat(2), "{name}: {error}");
        for at in (12..packed.len()).step_by(61) {
            let mut damaged = packed.clone();
            damaged[at] ^= 0x55;
            let (found, error) = read_in_all_pieces(&damaged);
            // Without checksums, damage may go undetected.
            let is_noticed = !error.is_empty() || name == "puzzles.lz4";
            assert!(found == text || is_noticed, "{name} {at}");
        }
    }
}

#[test]
fn damage_to_any_byte_is_found_however_bytes_arrive() {
    let runs = [&text(300)[..], &b"1".repeat(3000), b"\n", &text(300)].concat();
    let own = ENCODERS.map(|(_, pack)| pack(&runs));
    // A raw block and a run-length block, with lengths and the header of the next block.
    let plain = b"\x28\xB5\x2F\xFD\x60\x54\0\x28\0\0.....\x0A\x08\x001\x01\0\0".to_vec();
    for packed in own.into_iter().chain(PACKED.map(made)).chain([plain]) {
        for at in (0..packed.len()).step_by(1 + packed.len() / 20) {
            for damage in [0x01, 0x80, 0xFF] {
                let mut damaged = packed.clone();
                damaged[at] ^= damage;
                read_in_all_pieces(&damaged);
            }
        }
    }
}

#[test]
fn unsupported_streams_are_refused_with_the_reason() {
    let zst_dictionary = b"\x28\xB5\x2F\xFD\x01\x00\x05\x01\0\0".to_vec();
    let zst_window = b"\x28\xB5\x2F\xFD\x00\x90\x01\0\0".to_vec();
    // A dictionary of 256 MiB, and the checksum of that header.
    let mut xz_dictionary = made("dictionary.xz");
    xz_dictionary[16] = 0x20;
    xz_dictionary[20..24].copy_from_slice(b"\x09\x88\xA5\x76");
    for (packed, message) in [
        (zst_dictionary, "the zst stream needs a dictionary"),
        (zst_window, "the zst stream needs a window of more than 32 MiB"),
        (xz_dictionary, "the xz stream needs a window of more than 32 MiB"),
    ] {
        let (found, error) = read_all(Cursor::new(packed), 1000);
        assert_eq!(found, b"");
        assert!(error.is_some_and(|error| error.to_string().starts_with(message)), "{message}");
    }
}

/// Records the buffer size of each read.
struct Counted(Cursor<Vec<u8>>, Arc<Mutex<Vec<usize>>>);

impl Read for Counted {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.1.lock().unwrap().push(into.len());
        self.0.read(into)
    }
}

#[test]
fn a_plain_stream_is_read_straight_into_the_buffer() {
    let counts = Arc::<Mutex<_>>::default();
    let mut stream = Stream::new(Counted(Cursor::new(text(100_000)), Arc::clone(&counts)));
    let mut buffer = vec![0; 60_000];
    let sizes: Vec<_> = (0..4).map(|_| stream.read(&mut buffer).unwrap()).collect();
    assert_eq!(sizes, [60_000, 40_000, 0, 0]);
    assert_eq!(*counts.lock().unwrap(), [60_000; 4]);
}
