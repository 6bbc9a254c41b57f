use std::io::{Cursor, Write};
use std::sync::Mutex;

use flate2::write::GzEncoder;
use proptest::prelude::*;

use super::*;
use crate::input::Stream;

type Encode = fn(&[u8]) -> Vec<u8>;

const ENCODERS: [(&str, Encode); 2] = [("gz", gz), ("zst", zst)];

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

const MAGICS: [&[u8]; 2] = [b"\x1F\x8B\x08\0", b"\x28\xB5\x2F\xFD"];

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
    for (name, pack) in ENCODERS {
        let packed = pack(&text);
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
        let (found, error) = read_all(Cursor::new(damaged), 1000);
        let error = error.expect("it is damaged").to_string();
        assert!(error.starts_with(&format!("the {name} stream is damaged near byte ")), "{error}");
        // gz has one checksum, at its end.
        assert!(found.starts_with(&text[..100_000]), "{name}: {}", found.len());
        // Damage the checksum at the end.
        let mut damaged = packed;
        let at = damaged.len() - if name == "gz" { 8 } else { 4 };
        damaged[at] ^= 1;
        let (found, error) = read_all(Cursor::new(damaged), 1000);
        let error = error.expect("it is damaged").to_string();
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
fn unsupported_streams_are_refused_with_the_reason() {
    let zst_dictionary = b"\x28\xB5\x2F\xFD\x01\x00\x05\x01\0\0".to_vec();
    let zst_window = b"\x28\xB5\x2F\xFD\x00\x90\x01\0\0".to_vec();
    for (packed, message) in [
        (zst_dictionary, "the zst stream needs a dictionary"),
        (zst_window, "the zst stream needs a window of more than 128 MiB"),
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
