//! Sources of every kind, good and bad, through [`Sources`].

mod bson;
mod collection;
mod conformance;
mod csv;
mod kinds;
mod papers;
mod parse;
mod row_state;
mod spans;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::base::context::Context;
use crate::base::error::Error;
use crate::base::progress::Progress;
use crate::source::{
    ArrowColumn, ColumnType, DEFAULT_MAX_RECORD_BYTES, Fields, Format, Quoting, RowSpool, SourceSpec, Sources,
};

const LIMIT: u64 = DEFAULT_MAX_RECORD_BYTES;

pub(super) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(super) fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).unwrap()
}

pub(super) fn file(folder: &TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join(name);
    fs::write(&path, bytes).unwrap();
    path
}

pub(super) fn open_limited(paths: &[PathBuf], limit: u64) -> crate::base::error::Result<Sources> {
    // The quotes of tables are those of the format: what `auto` makes of them has tests of its own.
    let spec = |path| SourceSpec {
        quoting: Quoting::Minimal,
        ..SourceSpec::new(path)
    };
    let specs: Vec<_> = paths.iter().map(spec).collect();
    Sources::open(&specs, limit, &Context::silent(1))
}

/// Opens one file of the given name and content.
pub(super) fn open(name: &str, bytes: &[u8]) -> crate::base::error::Result<Sources> {
    let folder = TempDir::new().unwrap();
    open_limited(&[file(&folder, name, bytes)], LIMIT)
}

fn stdin(bytes: &[u8], format: Option<Format>) -> crate::base::error::Result<Sources> {
    let spec = SourceSpec {
        format,
        ..SourceSpec::new("-")
    };
    Sources::open_with(&[spec], LIMIT, (&mut { bytes }, None), &Context::silent(1))
}

/// Adds a column of texts to rows.
pub(super) fn add_texts(rows: &mut RowSpool, texts: &[String]) {
    let ends = texts.iter().scan(0, |end, text| {
        *end += text.len() as i64;
        Some(*end)
    });
    let offsets: Vec<i64> = std::iter::once(0).chain(ends).collect();
    let bytes = texts.concat();
    let column = ArrowColumn {
        offsets: &offsets,
        bytes: bytes.as_bytes(),
        valid: None,
        values: ColumnType::Texts,
    };
    rows.add(texts.len(), &[column]).unwrap();
}

/// The text and the label of a record, or the code and the message of one that fails.
pub(super) type Parsed = Result<(String, Option<String>), (&'static str, String)>;

/// What a record becomes.
pub(super) fn parsed(store: &Sources, position: usize, fields: &Fields) -> Parsed {
    let mut buffer = Vec::new();
    let bytes = store.read_record(position, &mut buffer).unwrap();
    let record = store.parse(position, bytes, fields);
    let record = record.map_err(|failure| (failure.code, failure.message.to_string()))?;
    let id = record.id.map(|id| String::from_utf8(id.into_owned()).unwrap());
    Ok((record.text.into_owned(), id))
}

/// The true length of a record beyond the limit.
pub(super) fn overlong(sources: &Sources, position: usize) -> Option<u64> {
    let mut first = 0;
    for source in sources.iter() {
        if position - first < source.spans().len() {
            return source.spans().overlong(position - first);
        }
        first += source.spans().len();
    }
    None
}

/// Asserts that a store is refused, and a record of it, because their source has changed.
fn assert_changed(store: &Sources, position: usize) {
    let mut line = Vec::new();
    let read = store.read_record(position, &mut line);
    for refused in [store.check_unchanged().unwrap_err(), read.unwrap_err()] {
        assert!(refused.to_string().contains("changed while it was read"), "{refused}");
    }
}

/// All records, read one by one and in blocks, which must agree.
pub(super) fn records(store: &Sources) -> Vec<Vec<u8>> {
    let mut buffer = Vec::new();
    let single: Vec<_> = (0..store.len())
        .map(|position| store.read_record(position, &mut buffer).unwrap().to_vec())
        .collect();
    for max_bytes in [1, 7, 1 << 20] {
        let mut together = Vec::new();
        for range in store.blocks(max_bytes) {
            let block = store.read(range.clone(), &mut buffer).unwrap();
            together.extend(range.map(|position| block.record(position).to_vec()));
        }
        assert_eq!(single, together);
    }
    single
}

fn message(result: crate::base::error::Result<Sources>) -> String {
    match result {
        Ok(store) => panic!("opened, with {} records", store.len()),
        Err(error) => error.to_string(),
    }
}

/// Line endings, blank lines and byte order marks mean what the module's page says, in every packing.
#[test]
fn records_of_every_shape() {
    // Name, bytes, records, blank lines.
    type Case = (&'static str, &'static [u8], &'static [&'static [u8]], u64);
    let cases: &[Case] = &[
        ("none.txt", b"", &[], 0),
        ("one newline.txt", b"\n", &[b""], 0),
        ("no newline.txt", b"a", &[b"a"], 0),
        ("newline.txt", b"a\n", &[b"a"], 0),
        ("empty lines.txt", b"\n\na\n\n", &[b"", b"", b"a", b""], 0),
        ("crlf.txt", b"a\r\nb\r\n\r\nc", &[b"a", b"b", b"", b"c"], 0),
        ("lone cr.txt", b"a\rb\nc\r", &[b"a\rb", b"c\r"], 0),
        ("two cr.txt", b"a\r\r\n", &[b"a\r"], 0),
        ("bom.txt", b"\xEF\xBB\xBFa\nb\n", &[b"a", b"b"], 0),
        ("only bom.txt", b"\xEF\xBB\xBF", &[], 0),
        ("bom inside.txt", b"a\n\xEF\xBB\xBFb\n", &[b"a", b"\xEF\xBB\xBFb"], 0),
        ("none.jsonl", b"", &[], 0),
        ("blank.jsonl", b"\n \t\r\n\n", &[], 3),
        (
            "blanks between.jsonl",
            b"\n{}\n\n  \n{}\r\n \n1",
            &[b"{}", b"{}", b"1"],
            4,
        ),
        ("blank at end.ndjson", b"{}\n   ", &[b"{}"], 1),
    ];
    for (name, bytes, expected, blank) in cases {
        for (ending, packed) in [("", bytes.to_vec()), (".gz", gzip(bytes)), (".ZST", zstd(bytes))] {
            let store = open(&format!("{name}{ending}"), &packed).unwrap();

            assert_eq!(records(&store), *expected, "{name}{ending}");
            assert_eq!(store.blank_lines(), *blank, "{name}{ending}");
            assert_eq!(store.bytes_read(), bytes.len() as u64, "{name}{ending}");
            assert_eq!(store.has_bom(), bytes.starts_with(crate::source::BOM), "{name}{ending}");
        }
    }
}

/// Several members or frames in a file are one source; empty ones among them are fine.
#[test]
fn members_and_frames() {
    let parts: [&[u8]; 4] = [b"a\nb", b"", b"c\r", b"\nd"];
    for (name, pack) in [("x.txt.gz", gzip as fn(&[u8]) -> Vec<u8>), ("x.txt.zst", zstd)] {
        let packed: Vec<u8> = parts.iter().flat_map(|part| pack(part)).collect();

        assert_eq!(records(&open(name, &packed).unwrap()), [&b"a"[..], b"bc", b"d"]);
    }
}

/// A file cut off anywhere, or changed anywhere in its data, is refused and says after how many bytes.
#[test]
fn cut_off_and_corrupt() {
    let text: Vec<u8> = (0..20_000)
        .flat_map(|n| format!("line {}\n", n * n % 7919).into_bytes())
        .collect();
    for (name, word, packed) in [("x.txt.gz", "gzip", gzip(&text)), ("x.txt.zst", "zstd", zstd(&text))] {
        for cut in [4, 9, 11, 100, packed.len() / 2, packed.len() - 9, packed.len() - 1] {
            let said = message(open(name, &packed[..cut]));

            assert!(
                said.contains(&format!("{word} data is cut off after ")),
                "{name} at {cut}: {said}"
            );
            assert!(said.contains("fetch or write the file again"), "{said}");
        }
        let mut changed = packed.clone();
        changed.truncate(packed.len() / 2);
        changed.extend(std::iter::repeat_n(0xFF, 300_000));
        let said = message(open(name, &changed));
        assert!(said.contains(&format!("{word} data is corrupt")), "{said}");

        let mut garbage = packed.clone();
        garbage.extend(b"garbage after the end");
        assert!(message(open(name, &garbage)).contains("data is corrupt"));
    }
    let said = message(open("x.txt.gz", b""));
    assert!(said.contains("is empty, which no gzip file is"), "{said}");
}

/// What the name says and what the file is must agree.
#[test]
fn names_that_mislead() {
    let (packed, framed) = (gzip(b"a"), zstd(b"a"));
    let cases: [(&str, &[u8], &str); 12] = [
        (
            "x.jsonl.gz",
            b"{\"text\":1}",
            "is named .gz but does not begin like a gzip file (its first bytes are 7b 22",
        ),
        (
            "x.jsonl.zst",
            &packed,
            "is named .zst but does not begin like a zstd file",
        ),
        (
            "x.jsonl",
            &packed,
            "begins like a gzip file but its name does not end in .gz",
        ),
        (
            "x.txt",
            &framed,
            "begins like a zstd file but its name does not end in .zst",
        ),
        (
            "x.xlsx",
            b"a",
            "allowed are .jsonl, .ndjson, .json, .txt, .csv and .tsv",
        ),
        ("x.json", b"a", "it begins with 'a' and not with ["),
        ("x", b"a", "give the format"),
        ("x.gz", &packed, "give the format"),
        (
            "x.txt",
            b"\xFF\xFEa\0",
            "byte order mark of UTF-16LE; UTF-8 is read by default",
        ),
        ("x.txt", b"\xFF\xFE\0\0", "UTF-32LE, which is not read"),
        ("x.jsonl.gz", &gzip(b"\xFE\xFF\0a"), "UTF-16BE"),
        ("x.jsonl", b"\0\0\xFE\xFF", "UTF-32BE"),
    ];
    for (name, bytes, expected) in cases {
        let said = message(open(name, bytes));
        assert!(said.contains(expected) && said.contains(name), "{name}: {said}");
    }
    let folder = TempDir::new().unwrap();
    let path = file(&folder, "dump", b"a\nb\n");
    let store = Sources::open(&[spec_of_text(path)], LIMIT, &Context::silent(1)).unwrap();
    assert_eq!(records(&store), [b"a", b"b"]);
}

/// A source of lines of text, whatever its name.
fn spec_of_text(path: impl Into<PathBuf>) -> SourceSpec {
    SourceSpec {
        format: Some(Format::Text),
        ..SourceSpec::new(path)
    }
}

/// Standard input is JSON lines unless a format is given; its first bytes give its packing.
#[test]
fn standard_input() {
    let text = b"{\"text\":\"a\"}\n\n{\"text\":\"b\"}";
    for packed in [text.to_vec(), gzip(text), zstd(text)] {
        let store = stdin(&packed, None).unwrap();

        assert_eq!(records(&store), [&text[..12], &text[14..]]);
        assert_eq!(store.locate(1).to_string(), "standard input line 3");
    }
    assert_eq!(
        records(&stdin(b"a\n\nb", Some(Format::Text)).unwrap()),
        [&b"a"[..], b"", b"b"]
    );
    assert!(message(stdin(&gzip(text)[..20], None)).contains("-: the gzip data is cut off after"));
    assert!(stdin(b"", None).unwrap().is_empty());
}

/// Positions run on over sources, blocks never do, and lines are counted in each source by itself.
#[test]
fn several_sources() {
    let folder = TempDir::new().unwrap();
    let names: Vec<_> = [
        ("a.txt", "1\n2\n"),
        ("empty.txt", ""),
        ("b.jsonl", "\n\n1\n2\n\n3"),
        ("last.txt", ""),
    ]
    .map(|(name, text)| file(&folder, name, text.as_bytes()))
    .into();
    let store = open_limited(&names, LIMIT).unwrap();

    assert_eq!(records(&store), [b"1", b"2", b"1", b"2", b"3"]);
    assert_eq!(store.blocks(1 << 20), [0..2, 2..5]);
    let lines: Vec<_> = (0..5).map(|position| store.locate(position).line).collect();
    assert_eq!(lines, [1, 2, 3, 4, 6]);
    assert_eq!(store.locate(2).path, names[2]);
    assert_eq!(store.source_names().collect::<Vec<&Path>>(), names);
    assert!(store.read(1..3, &mut Vec::new()).is_err());
}

/// Texts in memory are records as they are.
#[test]
fn texts_in_memory() {
    let store = Sources::from_texts(["a\n\r\n", "", "\u{FEFF}\0"]);

    assert_eq!(records(&store), ["a\n\r\n".as_bytes(), b"", "\u{FEFF}\0".as_bytes()]);
    assert_eq!(
        store
            .parse(2, "\u{FEFF}\0".as_bytes(), &Fields::default())
            .unwrap()
            .text,
        "\u{FEFF}\0"
    );
}

/// A file that shrinks or grows after it was opened is noticed.
#[test]
fn changed_files() {
    let folder = TempDir::new().unwrap();
    let path = file(&folder, "x.txt", b"a\nb\n");
    let store = open_limited(std::slice::from_ref(&path), LIMIT).unwrap();
    store.check_unchanged().unwrap();
    fs::OpenOptions::new()
        .write(true)
        .open(&path)
        .unwrap()
        .set_len(3)
        .unwrap();

    assert_changed(&store, 1);
    assert_eq!(store.read_record(0, &mut Vec::new()).unwrap(), b"a");
}

/// A monitor can stop the reading.
#[test]
fn stops_when_asked() {
    struct Stop;
    impl Progress for Stop {
        fn tick(&mut self, _stage: &'static str, _done: u64, _total: u64) -> crate::base::error::Result<()> {
            Err(Error::Interrupted)
        }
    }
    let folder = TempDir::new().unwrap();
    for (name, bytes) in [("x.txt", b"a\n".to_vec()), ("x.txt.gz", gzip(b"a\n"))] {
        let specs = [SourceSpec::new(file(&folder, name, &bytes))];
        assert!(matches!(
            Sources::open(&specs, LIMIT, &Context::new(1, Stop).unwrap()),
            Err(Error::Interrupted)
        ));
    }
}

/// Threads may read at the same time.
#[test]
fn reads_concurrently() {
    let text: Vec<u8> = (0..5_000).flat_map(|n| format!("{n}\n").into_bytes()).collect();
    let folder = TempDir::new().unwrap();
    let store = open_limited(&[file(&folder, "x.txt", &text)], LIMIT).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(records(&store)[4_321], b"4321"));
        }
    });
}
