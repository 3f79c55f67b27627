//! Spans: of records beyond the limit, of bombs, and of any bytes at all.

use std::io::Read;

use proptest::prelude::*;
use tempfile::TempDir;

use super::{file, gzip, open, open_limited, overlong, records, zstd};
use crate::source::kinds::file::Body;
use crate::source::opening::spooled::{Input, spool};
use crate::source::reading::pass::ReadProgress;
use crate::source::{Fields, Format, SourceSpec};
use crate::storage::compression::Compression;

/// A record beyond the limit is flagged and never loaded, and of a spooled one only the head reaches the disk.
#[test]
fn overlong_records() {
    let bytes = [
        &b"{}\n"[..],
        &vec![b'x'; 200_000],
        b"\r\n[]\r\n",
        &[b'y'; 99],
        b"\n",
        &[b'z'; 100],
        b"\r\n",
    ]
    .concat();
    let folder = TempDir::new().unwrap();
    let paths = [
        file(&folder, "x.jsonl", &bytes),
        file(&folder, "x.jsonl.gz", &gzip(&bytes)),
        file(&folder, "x.jsonl.zst", &zstd(&bytes)),
    ];
    for limit in [99, 100, 70_000] {
        let store = open_limited(&paths, limit).unwrap();
        let mut buffer = Vec::new();
        assert_eq!(store.len(), 15);
        for start in [0, 5, 10] {
            let failure = store.parse(start + 1, b"", &Fields::default()).unwrap_err();
            assert_eq!(failure.code, "too_long");
            assert!(
                failure
                    .message
                    .to_string()
                    .contains("line 2: the record has 200000 bytes and the limit is"),
                "{failure}"
            );
            assert!(store.blocks(1 << 20).contains(&(start + 1..start + 2)));
            assert!(store.read_record(start + 1, &mut buffer).unwrap().len() <= 1 << 16);
            assert_eq!(
                store.read_head(start + 1, 50, &mut buffer).unwrap(),
                (&[b'x'; 50][..], 200_000)
            );
            assert_eq!(store.read_record(start, &mut buffer).unwrap(), b"{}");
            assert_eq!(store.read_record(start + 2, &mut buffer).unwrap(), b"[]");
            assert_eq!(store.read_record(start + 3, &mut buffer).unwrap(), [b'y'; 99]);
            assert_eq!(overlong(&store, start + 4), (limit == 99).then_some(100));
            assert_eq!(overlong(&store, start + 3), None);
        }
        assert!(store.read(0..3, &mut buffer).is_err());
    }
}

/// A bomb of many times the limit of a record fills neither the memory nor the disk.
#[test]
fn bombs() {
    bombs_of(32 << 20);
}

#[test]
#[ignore = "slow"]
fn bombs_of_300_megabytes() {
    bombs_of(300 << 20);
}

fn bombs_of(size: u64) {
    for (byte, records) in [(0, 1), (b'\n', 0), (b' ', 0)] {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::copy(&mut std::io::repeat(byte).take(size), &mut encoder).unwrap();
        let packed = encoder.finish().unwrap();
        let input = Input {
            stream: &mut &packed[..],
            file: None,
            named: Some(Compression::Gzip),
        };
        let progress = ReadProgress::new(&|_| Ok(()));
        let spec = SourceSpec::new("bomb.jsonl.gz");
        let source = spool(&spec, Format::Jsonl, input, 1 << 20, &progress).unwrap();

        assert_eq!(source.spans.len(), records);
        assert_eq!(source.profile.bytes_read, size);
        let Body::Spooled(spooled) = &source.body else {
            panic!("a bomb is spooled")
        };
        let spooled = spooled.bytes_on_disk();
        assert!(spooled <= 1 << 16, "{spooled}");
    }
}

proptest! {
    /// The spans of a text partition it, whatever its bytes, its packing, and the limit.
    #[test]
    fn spans_partition_the_source(bytes in prop::collection::vec(prop::sample::select(b"a\n\r \xC3".to_vec()), 0..200)) {
        let mut lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
        let open_end = lines.pop().filter(|last| !last.is_empty());
        let expected: Vec<Vec<u8>> = lines
            .into_iter()
            .map(|line| line.strip_suffix(b"\r").unwrap_or(line).to_vec())
            .chain(open_end.map(<[u8]>::to_vec))
            .collect();
        for (name, packed) in [("x.txt", bytes.clone()), ("x.txt.gz", gzip(&bytes))] {
            let store = open(name, &packed).unwrap();
            let mut end = 0;
            for position in 0..store.len() {
                let span = store.whole_span(position).unwrap();
                prop_assert_eq!(span.start, end);
                end = span.end;
            }
            prop_assert_eq!(end, bytes.len() as u64);
            prop_assert_eq!(records(&store), expected.clone());
        }
    }
}
