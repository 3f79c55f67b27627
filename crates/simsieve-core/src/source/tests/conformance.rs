//! What every kind of source keeps to: one suite over all of them.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use proptest::prelude::*;
use tempfile::TempDir;

use super::{add_texts, file, gzip, zstd};
use crate::base::context::Context;
use crate::source::kinds::memory::MemorySource;
use crate::source::{Identity, RowSpool, Source, SourceSpec, Sources, announce};

/// Records of up to this many bytes are loaded whole.
const LIMIT: u64 = 40;

/// The kinds of source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Plain,
    Gzip,
    Zstd,
    Wide,
    Stdin,
    StdinFile,
    Folder,
    Memory,
    Rows,
}

const KINDS: [Kind; 9] = [
    Kind::Plain,
    Kind::Gzip,
    Kind::Zstd,
    Kind::Wide,
    Kind::Stdin,
    Kind::StdinFile,
    Kind::Folder,
    Kind::Memory,
    Kind::Rows,
];

/// Those whose records stay in files that others can write to.
const IN_PLACE: [Kind; 2] = [Kind::Plain, Kind::Folder];

impl Kind {
    fn limit(self) -> u64 {
        if self == Self::Memory { u64::MAX } else { LIMIT }
    }

    /// Puts texts without line breaks where a source of this kind reads them.
    fn put(self, folder: &Path, texts: &[String]) -> PathBuf {
        let lines: String = texts.iter().flat_map(|text| [text.as_str(), "\n"]).collect();
        let (name, bytes) = match self {
            Self::Gzip => ("in.txt.gz", gzip(lines.as_bytes())),
            Self::Zstd => ("in.txt.zst", zstd(lines.as_bytes())),
            Self::Wide => (
                "in.txt",
                lines.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>(),
            ),
            Self::Folder => {
                let root = folder.join("in");
                let _ = fs::remove_dir_all(&root);
                fs::create_dir(&root).unwrap();
                for (place, text) in texts.iter().enumerate() {
                    fs::write(root.join(format!("{place:04}.txt")), text).unwrap();
                }
                return root;
            }
            _ => ("in.txt", lines.into_bytes()),
        };
        let path = folder.join(name);
        fs::write(&path, bytes).unwrap();
        path
    }

    /// Opens the source at a path, or of texts where it has none.
    fn open(self, path: &Path, texts: &[String]) -> Arc<dyn Source> {
        let ctx = Context::silent(1);
        let spec = SourceSpec {
            encoding: if self == Self::Wide { "utf-16le" } else { "utf-8" }.parse().unwrap(),
            ..SourceSpec::new(path)
        };
        let from_stdin = super::spec_of_text("-");
        let sources = match self {
            Self::Memory => return Arc::new(MemorySource::of(texts, false)),
            Self::Rows => return rows(texts),
            Self::Stdin => Sources::open_with(&[from_stdin], LIMIT, (&mut File::open(path).unwrap(), None), &ctx),
            Self::StdinFile => {
                let file = File::open(path).unwrap();
                Sources::open_with(&[from_stdin], LIMIT, (&mut &file, file.try_clone().ok()), &ctx)
            }
            _ => Sources::open_with(&[spec], LIMIT, (&mut &b""[..], None), &ctx),
        };
        Arc::clone(sources.unwrap().iter().next().unwrap())
    }

    /// The bytes of a text as this kind has them in a record.
    fn bytes(self, text: &str) -> Vec<u8> {
        match self {
            Self::Rows => format!("{{\"text\":{}}}", serde_json::Value::from(text)).into_bytes(),
            _ => text.as_bytes().to_vec(),
        }
    }
}

fn rows(texts: &[String]) -> Arc<dyn Source> {
    let mut spool = RowSpool::new(&["text".to_owned()], LIMIT, None).unwrap();
    // A source of its own before it: the rows do not begin where the spool does.
    for texts in [&["another".to_owned()][..], texts] {
        spool.begin("table");
        add_texts(&mut spool, texts);
    }
    Arc::clone(spool.finish().unwrap().iter().nth(1).unwrap())
}

fn all(source: &dyn Source) -> Vec<Vec<u8>> {
    let mut buffer = Vec::new();
    let one = |position: usize, buffer: &mut Vec<u8>| {
        source
            .read(position..position + 1, buffer)
            .map(|block| block.record(position).to_vec())
    };
    (0..source.spans().len())
        .map(|position| one(position, &mut buffer).unwrap())
        .collect()
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    // Some are beyond the limit, and some longer than what is read along between two records.
    let text = prop_oneof![8 => "[a-z\"]{0,12}", 1 => "[a-z]{60,80}", 1 => Just("x".repeat(5000))];
    prop::collection::vec(text, 0..30)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Blocks of any size have all records once and in order; each record reads the same by block, by itself, and fetched
    /// with any others.
    #[test]
    fn records_read_the_same_every_way(texts in texts(), chosen in prop::collection::vec(any::<bool>(), 30), size in 1..200_u64) {
        let folder = TempDir::new().unwrap();
        for kind in KINDS {
            let path = kind.put(folder.path(), &texts);
            let source = kind.open(&path, &texts);
            let records = all(&*source);
            prop_assert_eq!(records.len(), texts.len(), "{:?}", kind);
            for (position, text) in texts.iter().enumerate() {
                let expected = kind.bytes(text);
                let is_overlong = expected.len() as u64 > kind.limit();
                prop_assert_eq!(source.spans().overlong(position), is_overlong.then_some(expected.len() as u64));
                if is_overlong {
                    prop_assert!(expected.starts_with(&records[position]), "{:?}", kind);
                } else {
                    prop_assert_eq!(&records[position], &expected, "{:?}", kind);
                }
            }

            let mut buffer = Vec::new();
            for max_bytes in [1, size, u64::MAX] {
                let mut next = 0;
                for range in source.blocks(max_bytes) {
                    prop_assert!(range.start == next && !range.is_empty(), "{:?}", kind);
                    next = range.end;
                    let block = source.read(range.clone(), &mut buffer).unwrap();
                    for position in range {
                        prop_assert_eq!(block.record(position), &records[position][..], "{:?}", kind);
                    }
                }
                prop_assert_eq!(next, records.len());
            }

            let positions: Vec<usize> = (0..records.len()).filter(|position| chosen[*position]).collect();
            for position in &positions {
                source.announce(source.spans().span(*position));
            }
            source.announce(0..size);
            for batch in [1, 3, positions.len().max(1)] {
                for positions in positions.chunks(batch) {
                    let fetched = source.fetch(positions, &mut buffer).unwrap();
                    prop_assert_eq!(fetched.len(), positions.len());
                    for (place, position) in positions.iter().enumerate() {
                        prop_assert_eq!(fetched.record(place), &records[*position][..], "{:?}", kind);
                    }
                }
            }
            prop_assert!(source.fetch(&[records.len()], &mut buffer).is_err());
            prop_assert!(records.len() < 2 || source.fetch(&[1, 0], &mut buffer).is_err());
            source.check_unchanged().unwrap();
        }
    }

    /// A collection fetches as its sources do, whatever the batch.
    #[test]
    fn fetches_go_over_all_sources(texts in texts(), chosen in prop::collection::vec(any::<bool>(), 90), max_bytes in 1..300_u64) {
        let folder = TempDir::new().unwrap();
        let path = Kind::Plain.put(folder.path(), &texts);
        let open = |kind: Kind| kind.open(&path, &texts);
        let sources = Sources::of(vec![open(Kind::Plain), open(Kind::Memory), open(Kind::Rows)]);
        let mut buffer = Vec::new();
        let positions: Vec<usize> = (0..sources.len()).filter(|position| chosen[*position]).collect();
        let mut seen = Vec::new();
        sources
            .fetch(&positions, max_bytes, &mut buffer, |position, bytes| {
                seen.push((position, bytes.to_vec()));
                Ok(())
            })
            .unwrap();
        let expected: Vec<_> = positions.iter().map(|&position| (position, sources.read_record(position, &mut buffer).unwrap().to_vec())).collect();
        prop_assert_eq!(seen, expected);
        announce(&sources, &positions.iter().map(|&position| position as u32).collect::<Vec<_>>());
        prop_assert!(sources.fetch(&[sources.len()], 1, &mut buffer, |_, _| Ok(())).is_err());
    }
}

fn some_texts() -> Vec<String> {
    ["one", "two", "three"].map(str::to_owned).to_vec()
}

/// A source has the identity of its bytes: opened again it is the same, and other bytes of the same number have another.
#[test]
fn identities() {
    let folder = TempDir::new().unwrap();
    let identity = |kind: Kind, path: &Path, texts: &[String]| *kind.open(path, texts).identity();
    for kind in KINDS {
        let texts = some_texts();
        let path = kind.put(folder.path(), &texts);
        let first = identity(kind, &path, &texts);
        assert_eq!(first, identity(kind, &path, &texts), "{kind:?}");
        let mut others = texts.clone();
        others[1] = "owt".to_owned();
        let path = kind.put(folder.path(), &others);
        assert_ne!(first, identity(kind, &path, &others), "{kind:?}");
        let mut longer = texts;
        longer.push("four".to_owned());
        let path = kind.put(folder.path(), &longer);
        assert_ne!(first, identity(kind, &path, &longer), "{kind:?}");
    }
}

/// The identity of memory and rows depends on where their texts end, too.
#[test]
fn identities_know_the_ends_of_texts() {
    let [one, other] = [["ab", "c"], ["a", "bc"]].map(|texts| texts.map(str::to_owned));
    for kind in [Kind::Memory, Kind::Rows] {
        let identity = |texts: &[String]| *kind.open(Path::new(""), texts).identity();
        assert_ne!(identity(&one), identity(&other), "{kind:?}");
    }
}

/// Both ends of a long file are digested, and what is between is not.
#[test]
fn both_ends_of_a_file_are_digested() {
    let folder = TempDir::new().unwrap();
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    let identity = |bytes: &[u8]| {
        let file = File::open(file(&folder, "in.bin", bytes)).unwrap();
        file.set_modified(time).unwrap();
        Identity::of_file(&file).unwrap().unwrap()
    };
    for length in [1_usize, 65_536, 65_537, 100_000, 131_072, 131_073, 300_000] {
        let bytes = vec![b'a'; length];
        let first = identity(&bytes);
        assert_eq!((first, first.size), (identity(&bytes), length as u64));
        for at in [0, length / 2, length - 1] {
            let mut other = bytes.clone();
            other[at] = b'b';
            let is_digested = at < 65_536 || at + 65_536 >= length;
            assert_eq!(first != identity(&other), is_digested, "{at} of {length}");
        }
    }
    assert!(Identity::of_file(&File::open("/dev/null").unwrap()).unwrap().is_none());
}

/// Where records are read in place a change of size, time or content is seen. A source that was copied, or is in memory,
/// gives the records it had.
#[test]
fn changes_are_seen() {
    type Change = fn(&Path);
    let longer: Change = |path| {
        OpenOptions::new()
            .append(true)
            .open(path)
            .unwrap()
            .write_all(b"more")
            .unwrap();
    };
    let shorter: Change = |path| OpenOptions::new().write(true).open(path).unwrap().set_len(1).unwrap();
    let touched: Change = |path| {
        let time = SystemTime::now() + Duration::from_secs(5);
        OpenOptions::new()
            .write(true)
            .open(path)
            .unwrap()
            .set_modified(time)
            .unwrap();
    };
    let overwritten: Change = |path| {
        let time = fs::metadata(path).unwrap().modified().unwrap();
        let mut file = OpenOptions::new().write(true).open(path).unwrap();
        file.write_all(b"O").unwrap();
        file.set_modified(time).unwrap();
    };
    let folder = TempDir::new().unwrap();
    for (name, change) in [
        ("longer", longer),
        ("shorter", shorter),
        ("touched", touched),
        ("overwritten", overwritten),
    ] {
        for kind in KINDS {
            let texts = some_texts();
            let path = kind.put(folder.path(), &texts);
            let source = kind.open(&path, &texts);
            let before = all(&*source);
            change(&if kind == Kind::Folder {
                path.join("0000.txt")
            } else {
                path
            });
            // The files of a folder are compared by size and time alone.
            let is_seen = IN_PLACE.contains(&kind) && (kind, name) != (Kind::Folder, "overwritten");
            match source.check_unchanged() {
                Ok(()) => assert!(!is_seen, "{kind:?} {name}"),
                Err(error) => assert!(
                    is_seen && error.to_string().contains("changed while it was read"),
                    "{error}"
                ),
            }
            if !IN_PLACE.contains(&kind) {
                assert_eq!(all(&*source), before, "{kind:?} {name}");
            }
        }
    }
}
