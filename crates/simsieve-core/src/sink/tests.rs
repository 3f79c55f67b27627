//! Sinks of every kind, and that what goes in comes out.

use std::fs;
use std::io::Read;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use proptest::prelude::*;
use tempfile::TempDir;

use super::{Decision, FailedSink, Sink, check_sinks, kept_sink, write_kept, write_through};
use crate::base::context::Context;
use crate::base::error::{Error, Result};
use crate::source::{Failure, Fields, Format, SourceSpec, Sources};
use crate::storage::atomic::AtomicFile;

fn open(paths: &[PathBuf]) -> Arc<Sources> {
    open_limited(paths, 1 << 20)
}

fn open_limited(paths: &[PathBuf], limit: u64) -> Arc<Sources> {
    let specs: Vec<_> = paths.iter().map(SourceSpec::new).collect();
    Arc::new(Sources::open(&specs, limit, &Context::silent(1)).unwrap())
}

/// Packs bytes as a name's ending says, through the sink itself.
fn put(path: &Path, bytes: &[u8]) {
    let mut sink = AtomicFile::create(path).unwrap();
    sink.append(bytes).unwrap();
    sink.commit().unwrap();
}

/// A file's bytes, unpacked by its ending.
fn get(path: &Path) -> Vec<u8> {
    let bytes = fs::read(path).unwrap();
    let mut unpacked = Vec::new();
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("gz") => flate2::read::MultiGzDecoder::new(&bytes[..])
            .read_to_end(&mut unpacked)
            .map(|_| ())
            .unwrap(),
        Some("zst") => unpacked = zstd::decode_all(&bytes[..]).unwrap(),
        _ => unpacked = bytes,
    }
    unpacked
}

/// Decisions that keep what `keep` says.
pub(super) fn decisions(store: &Sources, keep: impl Fn(usize) -> bool) -> Vec<Decision> {
    let decision = |position| {
        if keep(position) {
            Decision::Kept
        } else {
            Decision::Dropped
        }
    };
    (0..store.new_len()).map(decision).collect()
}

/// Makes sure that a sink can hold the kept records.
pub(super) fn check_kept_sink(store: &Sources, sink: &Path, format: Option<Format>) -> Result<()> {
    kept_sink(store, sink, format, false).map(drop)
}

fn keep(store: &Arc<Sources>, keep: impl Fn(usize) -> bool, path: &Path) -> Result<()> {
    write_kept(store, &decisions(store, keep), path, None, false, &Context::silent(1))
}

fn names(folder: &TempDir) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// All kept is the input again, byte for byte, in every packing of source and sink.
#[test]
fn all_kept_is_the_input() {
    let cases: &[&[u8]] = &[
        b"",
        b"\n",
        b"a",
        b"a\nb\n",
        b"a\r\nb\r\n\r\nc",
        b"\xEF\xBB\xBFa\nb",
        b"\xEF\xBB\xBF",
        b"\xFF\0\n\n\n",
        b"{\"text\": 1, \"x\": [\"\\u00e9\"]}  \r\n",
    ];
    let folder = TempDir::new().unwrap();
    for bytes in cases {
        for packed in ["in.txt", "in.txt.gz", "in.txt.zst"] {
            let source = folder.path().join(packed);
            put(&source, bytes);
            for name in ["out.txt", "out.TXT.gz", "out.txt.zst", "no ending"] {
                let sink = folder.path().join(name);
                keep(&open(std::slice::from_ref(&source)), |_| true, &sink).unwrap();
                assert_eq!(get(&sink), *bytes, "{packed} {name}");
            }
        }
    }
    assert_eq!(names(&folder).len(), 7);
}

/// A mark at the head of a record is a character of its text: it stays one where that record becomes the first.
#[test]
fn a_record_that_begins_as_a_mark_does_keeps_that() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.txt");
    fs::write(&path, "1\n\u{FEFF}2\n\u{FEFF}3").unwrap();
    let store = open(&[path]);
    let sink = folder.path().join("out.txt");
    let kept = |store: &Arc<Sources>, first: usize| {
        keep(store, |position| position >= first, &sink).unwrap();
        String::from_utf8(get(&sink)).unwrap()
    };
    assert_eq!(kept(&store, 0), "1\n\u{FEFF}2\n\u{FEFF}3");
    assert_eq!(kept(&store, 1), "\u{FEFF}\u{FEFF}2\n\u{FEFF}3");
    assert_eq!(kept(&store, 2), "\u{FEFF}\u{FEFF}3");
    let written = folder.path().join("b.txt");
    fs::rename(&sink, &written).unwrap();
    assert_eq!(kept(&open(&[written]), 0), "\u{FEFF}\u{FEFF}3");
    let path = folder.path().join("a.csv");
    fs::write(&path, "\n\u{FEFF}\"text\n1\n").unwrap();
    let table = folder.path().join("out.csv");
    keep(&open(&[path]), |_| true, &table).unwrap();
    assert_eq!(String::from_utf8(get(&table)).unwrap(), "\u{FEFF}\u{FEFF}\"text\n1\n");
    let texts = Arc::new(Sources::from_texts(["\u{FEFF}1", "\u{FEFF}2"]));
    assert_eq!(kept(&texts, 1), "\u{FEFF}\u{FEFF}2\n");
}

/// What is kept of several sources: endings as they were, one put between where it is missing, one mark at most.
#[test]
fn some_kept_of_several_sources() {
    let folder = TempDir::new().unwrap();
    let paths: Vec<_> = [
        ("a.jsonl", "\u{FEFF}1\r\n\r\n2\r\n3"),
        ("b.jsonl", "\u{FEFF}4\n \n5"),
        ("c.jsonl", "6"),
    ]
    .map(|(name, text)| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path
    })
    .into();
    let store = open(&paths);
    let sink = folder.path().join("out.jsonl");
    let kept = |positions: &[usize]| {
        keep(&store, |position| positions.contains(&position), &sink).unwrap();
        String::from_utf8(get(&sink)).unwrap()
    };
    assert_eq!(kept(&[0, 1, 2, 3, 4, 5]), "\u{FEFF}1\r\n2\r\n3\r\n4\n5\n6");
    assert_eq!(kept(&[2, 5]), "\u{FEFF}3\r\n6");
    assert_eq!(kept(&[0, 4]), "\u{FEFF}1\r\n5");
    assert_eq!(kept(&[5]), "\u{FEFF}6");
    assert_eq!(kept(&[]), "\u{FEFF}");
    assert_eq!(kept(&[3]), "\u{FEFF}4\n");
}

/// Long records are copied in parts; one that was cut while it was spooled is refused.
#[test]
fn long_records() {
    let folder = TempDir::new().unwrap();
    let bytes = [&vec![b'a'; 9 << 20][..], b"\nb\n", &vec![b'c'; 5 << 20]].concat();
    let sink = folder.path().join("out.txt");
    let plain = folder.path().join("in.txt");
    put(&plain, &bytes);
    keep(&open(std::slice::from_ref(&plain)), |_| true, &sink).unwrap();
    assert!(get(&sink) == bytes);

    let packed = folder.path().join("in.txt.zst");
    put(&packed, &bytes);
    let store = open(std::slice::from_ref(&packed));
    let error = keep(&store, |_| true, &folder.path().join("other.txt"))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("in.txt.zst line 1: the record is beyond the limit"),
        "{error}"
    );
    keep(&store, |position| position == 1, &sink).unwrap();
    assert_eq!(get(&sink), b"b\n");
    assert_eq!(names(&folder), ["in.txt", "in.txt.zst", "out.txt"]);
}

/// Texts in memory become lines, if they can.
#[test]
fn texts_in_memory() {
    let folder = TempDir::new().unwrap();
    let (jsonl, text) = (folder.path().join("out.jsonl"), folder.path().join("out.txt"));
    let store = Arc::new(Sources::from_texts(["a\"\n", "b", "c\r"]));
    keep(&store, |_| true, &jsonl).unwrap();
    assert_eq!(
        get(&jsonl),
        b"{\"text\":\"a\\\"\\n\"}\n{\"text\":\"b\"}\n{\"text\":\"c\\r\"}\n"
    );
    keep(&store, |position| position == 1, &text).unwrap();
    assert_eq!(get(&text), b"b\n");
    for position in [0, 2] {
        let error = keep(&store, |kept| kept == position, &text).unwrap_err();
        assert!(
            matches!(&error, Error::Config(said) if said.to_string().contains("has a line break")),
            "{error}"
        );
    }
    assert_eq!(get(&text), b"b\n");
}

/// Without a commit nothing is left; with one, permissions and links stay as they were.
#[test]
fn whole_or_not_at_all() {
    let folder = TempDir::new().unwrap();
    let (target, link) = (folder.path().join("out.txt"), folder.path().join("link.txt"));
    let mut sink = AtomicFile::create(&target).unwrap();
    sink.append(b"x").unwrap();
    let part = names(&folder).remove(0);
    assert!(part.starts_with(".out.txt.") && Path::new(&part).extension().is_some_and(|ending| ending == "part"));
    drop(sink);
    assert!(names(&folder).is_empty());

    put(&target, b"old");
    fs::File::create(folder.path().join("plain")).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
    assert_eq!(mode(&target), mode(&folder.path().join("plain")));
    fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("out.txt", &link).unwrap();
    let mut sink = AtomicFile::create(&link).unwrap();
    sink.append(b"new").unwrap();
    assert_eq!(get(&target), b"old");
    sink.commit().unwrap();
    assert_eq!((get(&target), mode(&target)), (b"new".to_vec(), 0o640));
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());

    fs::remove_file(&target).unwrap();
    put(&link, b"through a link to nothing");
    assert_eq!(get(&target), b"through a link to nothing");
    assert_eq!(names(&folder), ["link.txt", "out.txt", "plain"]);

    put(Path::new("/dev/null"), b"gone");
    put(&folder.path().join("n".repeat(255)), b"a long name");
    let full = AtomicFile::create(Path::new("/dev/full")).and_then(|mut sink| {
        sink.append(b"x")?;
        sink.commit()
    });
    assert!(full.unwrap_err().to_string().contains("no room is left"));
}

/// Sinks that cannot be written, or would destroy something, are refused before the work.
#[test]
fn sinks_that_are_refused() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    put(&path("a.txt"), b"a");
    put(&path("locked.txt"), b"a");
    fs::set_permissions(path("locked.txt"), fs::Permissions::from_mode(0o444)).unwrap();
    fs::hard_link(path("a.txt"), path("hard.txt")).unwrap();
    symlink(path("a.txt"), path("soft.txt")).unwrap();
    symlink(path("new.txt"), path("dangling.txt")).unwrap();
    fs::create_dir(path("folder")).unwrap();
    let same = path("folder").join("../new.txt");
    let source = [path("a.txt"), PathBuf::from("-")];
    let dash = PathBuf::from("-");
    for (sinks, expected) in [
        (vec![path("a.txt")], "sources are never overwritten"),
        (vec![path("hard.txt")], "sources are never overwritten"),
        (vec![path("soft.txt")], "sources are never overwritten"),
        (vec![path("new.txt"), same], "are the same file; give each its own"),
        (vec![path("new.txt"), path("dangling.txt")], "are the same file"),
        (vec![dash.clone(), dash.clone()], "are the same file"),
        (vec![path("none").join("x.txt")], "none does not exist; make it"),
        (vec![path("folder")], "is a folder"),
        (vec![path("locked.txt")], "is write-protected"),
        (vec![path("a.txt").join("x.txt")], "is no folder"),
    ] {
        let error = check_sinks(&source, &sinks).unwrap_err().to_string();
        assert!(error.contains(expected), "{sinks:?}: {error}");
    }
    let null = PathBuf::from("/dev/null");
    check_sinks(&source, &[path("new.txt"), dash, path("other.txt"), null.clone(), null]).unwrap();
    check_sinks(&[path("missing.txt")], &[path("new.txt")]).unwrap();
    for sink in [path("none").join("x.txt"), path("folder"), path("a.txt").join("x.txt")] {
        assert!(
            matches!(AtomicFile::create(&sink), Err(Error::Sink { .. })),
            "{}",
            sink.display()
        );
    }
}

/// Failed records are kept with their bytes, their true length and the reason.
#[test]
fn failed_records() {
    let folder = TempDir::new().unwrap();
    let source = folder.path().join("in.jsonl.gz");
    let long = "\u{4e2d}".repeat(700_000);
    put(
        &source,
        &[b"{\"a\":1}\r\n\n\xFF\xFE\n".to_vec(), long.into_bytes(), b"\n".to_vec()].concat(),
    );
    for (limit, shown) in [(1 << 30, (1 << 20) / 3), (1_000_000, (64 << 10) / 3)] {
        let store = open_limited(std::slice::from_ref(&source), limit);
        let mut buffer = Vec::new();
        let failures: Vec<(usize, Failure)> = (0..3)
            .map(|position| {
                let bytes = store.read_record(position, &mut buffer).unwrap();
                (position, store.parse(position, bytes, &Fields::default()).unwrap_err())
            })
            .collect();
        let path = folder.path().join("failed.jsonl");
        let sink: Box<dyn Sink<[(usize, Failure)]>> = Box::new(FailedSink::new(&path));
        write_through(sink, &store, |sink| sink.write(&failures)).unwrap();
        let text = String::from_utf8(get(&path)).unwrap();
        let rows: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();

        assert_eq!(rows[0]["record"], "{\"a\":1}");
        assert_eq!(
            (&rows[0]["code"], &rows[0]["bytes"]),
            (&"no_text_field".into(), &7.into())
        );
        assert_eq!(
            (&rows[0]["truncated"], rows[0].get("record_base64")),
            (&false.into(), None)
        );
        assert_eq!(rows[0]["source"], source.to_str().unwrap());
        assert_eq!(
            (&rows[1]["record_base64"], rows[1].get("record")),
            (&"//4=".into(), None)
        );
        assert_eq!((&rows[1]["line"], &rows[1]["position"]), (&3.into(), &1.into()));
        assert_eq!(
            (&rows[2]["bytes"], &rows[2]["truncated"]),
            (&2_100_000.into(), &true.into())
        );
        assert_eq!(rows[2]["record"].as_str().unwrap().chars().count(), shown);
        assert!(text.starts_with("{\"position\":0,\"source\":"));
    }
}

fn lines_of_any_length() -> impl Strategy<Value = String> {
    let lengths = prop::sample::select(vec![0, 0, 0, 3000, 17 << 10, 600 << 10]);
    ("[a-c]{0,3}", lengths).prop_map(|(text, more)| text + &"x".repeat(more))
}

proptest! {
    // Every case syncs a few files to the disk.
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever lines are kept, they come out as they went in, in their order. Lines between kept ones may be shorter or
    /// longer than what is read along, and kept ones together longer than one read.
    #[test]
    fn kept_lines_come_out(
        lines in prop::collection::vec((lines_of_any_length(), prop::sample::select(vec!["\n", "\r\n"]), any::<bool>()), 0..20),
        packed in prop::sample::select(vec!["in.txt", "in.txt.zst"]),
    ) {
        let folder = TempDir::new().unwrap();
        let (source, sink) = (folder.path().join(packed), folder.path().join("out.txt"));
        let text = |all: bool| -> String {
            let wanted = lines.iter().filter(|line| all || line.2);
            wanted.flat_map(|(text, end, _)| [text.as_str(), end]).collect()
        };
        put(&source, text(true).as_bytes());
        keep(&open(&[source]), |position| lines[position].2, &sink).unwrap();
        prop_assert!(get(&sink) == text(false).as_bytes());
    }
}
