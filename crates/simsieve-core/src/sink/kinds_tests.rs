//! Sinks for records of other kinds than lines: tables, JSON lines of anything, lists of files, folders, UTF-16.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::TempDir;

use super::tests::{check_kept_sink, decisions};
use super::{Decided, FolderSink, Sink, check_folder, write_kept, write_through};
use crate::base::context::Context;
use crate::base::error::Result;
use crate::source::{EncodingChoice, Format, SourceSpec, Sources};

fn open(folder: &TempDir, files: &[(&str, &[u8])], encoding: EncodingChoice) -> Arc<Sources> {
    let spec = |(name, bytes): &(&str, &[u8])| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        SourceSpec {
            encoding,
            ..SourceSpec::new(path)
        }
    };
    let specs: Vec<_> = files.iter().map(spec).collect();
    Arc::new(Sources::open(&specs, 1 << 20, &Context::silent(1)).unwrap())
}

fn kept(store: &Arc<Sources>, sink: &Path, format: Option<Format>, keep: impl Fn(usize) -> bool) -> Result<Vec<u8>> {
    check_kept_sink(store, sink, format)?;
    write_kept(store, &decisions(store, keep), sink, format, false, &Context::silent(1))?;
    Ok(fs::read(sink).unwrap())
}

/// Rows come out byte for byte under the header of the first table; tables of other columns do not go together.
#[test]
fn tables() {
    let folder = TempDir::new().unwrap();
    let sink = folder.path().join("out.csv");
    let all = [
        ("a.csv", &b"\xEF\xBB\xBFid,text\r\n1,\"a\nb\"\r\n\n2,b"[..]),
        ("b.csv", b"id,\"text\"\n3,c\n4,d"),
    ];
    let store = open(&folder, &all, EncodingChoice::Utf8);
    let out = kept(&store, &sink, None, |position| position != 2).unwrap();
    assert_eq!(out, b"\xEF\xBB\xBFid,text\r\n1,\"a\nb\"\r\n2,b\r\n4,d");
    assert_eq!(
        kept(&store, &sink, None, |_| false).unwrap(),
        b"\xEF\xBB\xBFid,text\r\n"
    );
    let header_only = open(&folder, &[("h.csv", b"text")], EncodingChoice::Utf8);
    assert_eq!(kept(&header_only, &sink, None, |_| true).unwrap(), b"text");
    let both = open(
        &folder,
        &[("h.csv", b"text"), ("i.csv", b"text\na")],
        EncodingChoice::Utf8,
    );
    assert_eq!(kept(&both, &sink, None, |_| true).unwrap(), b"text\na");

    let others = open(
        &folder,
        &[("a.csv", b"id,text\n"), ("c.csv", b"text,id\nx,1\n")],
        EncodingChoice::Utf8,
    );
    let message = check_kept_sink(&others, &sink, None).unwrap_err().to_string();
    assert!(message.contains("different columns"), "{message}");
    let lines = folder.path().join("out.jsonl");
    assert_eq!(
        kept(&others, &lines, None, |_| true).unwrap(),
        b"{\"text\":\"x\",\"id\":\"1\"}\n"
    );
}

/// JSON lines hold records of every format; other sinks only their own.
#[test]
fn formats_together() {
    let folder = TempDir::new().unwrap();
    let files = [
        ("a.jsonl", &b"{\"text\": 1}\r\n{ }"[..]),
        ("b.txt", b"a \"line\"\n"),
        ("c.tsv", b"text\tn\n\"q\"\"\"\t1\n"),
    ];
    let store = open(&folder, &files, EncodingChoice::Utf8);
    let sink = folder.path().join("out");
    let expected = "{\"text\": 1}\n{ }\n{\"text\":\"a \\\"line\\\"\"}\n{\"text\":\"q\\\"\",\"n\":\"1\"}\n";
    let out = kept(&store, &sink, Some(Format::Jsonl), |_| true).unwrap();
    assert_eq!(String::from_utf8(out).unwrap(), expected);
    for (name, format) in [("out", None), ("out.txt", None), ("out.jsonl", Some(Format::Csv))] {
        let message = check_kept_sink(&store, Path::new(name), format)
            .unwrap_err()
            .to_string();
        assert!(message.contains("are of different formats"), "{message}");
    }
    let lines = open(&folder, &[("b.txt", b"x\n")], EncodingChoice::Utf8);
    let message = check_kept_sink(&lines, Path::new("o.csv"), None)
        .unwrap_err()
        .to_string();
    assert!(
        message.contains("is named csv, but the kept records come out"),
        "{message}"
    );
    let message = check_kept_sink(&lines, Path::new("-"), Some(Format::Tsv))
        .unwrap_err()
        .to_string();
    assert!(message.contains("is to be tsv"), "{message}");
}

/// UTF-16 comes out as it came in; encodings do not mix, but ASCII goes with all that hold it.
#[test]
fn encodings_come_out() {
    let folder = TempDir::new().unwrap();
    let sink = folder.path().join("out.txt");
    let wide = |text: &str| text.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<u8>>();
    let store = open(
        &folder,
        &[("a.txt", &wide("\u{FEFF}一\r\n😀\r\nc"))],
        EncodingChoice::Auto,
    );
    assert_eq!(
        kept(&store, &sink, None, |position| position != 1).unwrap(),
        wide("\u{FEFF}一\r\nc")
    );

    let gbk = encoding_rs::GBK.encode("中文的一行文字").0.into_owned();
    let store = open(&folder, &[("a.txt", b"ascii"), ("b.txt", &gbk)], EncodingChoice::Auto);
    assert_eq!(
        kept(&store, &sink, None, |_| true).unwrap(),
        [b"ascii\n", gbk.as_slice()].concat()
    );
    let store = open(
        &folder,
        &[("a.txt", "中".as_bytes()), ("b.txt", &gbk)],
        EncodingChoice::Auto,
    );
    let message = check_kept_sink(&store, &sink, None).unwrap_err().to_string();
    assert!(message.contains("are in different encodings"), "{message}");
    let lines = kept(&store, &folder.path().join("o.jsonl"), None, |_| true).unwrap();
    assert_eq!(
        String::from_utf8(lines).unwrap(),
        "{\"text\":\"中\"}\n{\"text\":\"中文的一行文字\"}\n"
    );
}

fn tree(folder: &TempDir) -> (PathBuf, Arc<Sources>) {
    let root = folder.path().join("in");
    fs::create_dir_all(root.join("b")).unwrap();
    for (name, text) in [("a.txt", "first"), ("b/b.md", "second"), ("c.txt", "third")] {
        fs::write(root.join(name), text).unwrap();
    }
    let store = Sources::open(&[SourceSpec::new(&root)], 1 << 20, &Context::silent(1)).unwrap();
    (root, Arc::new(store))
}

fn write_folder(store: &Arc<Sources>, keep: impl Fn(usize) -> bool, path: &Path, link: bool) -> Result<()> {
    let sink: Box<dyn Sink<Decided<'_>>> = Box::new(FolderSink::new(path, link));
    let decisions = decisions(store, keep);
    write_through(sink, store, |sink| {
        sink.write(&Decided {
            first: 0,
            decisions: &decisions,
        })
    })
}

/// Files of folders come out as a list, or as copies or links in a folder that is there whole or not at all.
#[test]
fn folders() {
    let folder = TempDir::new().unwrap();
    let (root, store) = tree(&folder);
    let keep = |position| position != 0;
    let list = kept(&store, &folder.path().join("list.txt"), None, keep).unwrap();
    assert_eq!(
        String::from_utf8(list).unwrap(),
        format!("{0}/b/b.md\n{0}/c.txt\n", root.display())
    );
    let list = kept(&store, &folder.path().join("list.jsonl"), None, |position| {
        position == 2
    })
    .unwrap();
    assert_eq!(
        String::from_utf8(list).unwrap(),
        format!(
            "{{\"id\":\"c.txt\",\"path\":\"{}/c.txt\",\"text\":\"third\"}}\n",
            root.display()
        )
    );

    for (name, link) in [("copies", false), ("links", true)] {
        let sink = folder.path().join(name);
        write_folder(&store, keep, &sink, link).unwrap();
        assert_eq!(fs::read_dir(&sink).unwrap().count(), 2);
        assert!(!sink.join("a.txt").exists());
        assert_eq!(fs::read(sink.join("b/b.md")).unwrap(), b"second");
        let same = fs::metadata(sink.join("c.txt")).unwrap().ino() == fs::metadata(root.join("c.txt")).unwrap().ino();
        assert_eq!(same, link);
        let message = check_folder(&[], &sink).unwrap_err().to_string();
        assert!(message.contains("with something in it"), "{message}");
    }
    let other = folder.path().join("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("c.txt"), "another file of that name").unwrap();
    let twice = Sources::open(
        &[SourceSpec::new(&root), SourceSpec::new(&other)],
        1 << 20,
        &Context::silent(1),
    )
    .unwrap();
    let (twice, sink) = (Arc::new(twice), folder.path().join("twice"));
    let message = write_folder(&twice, |_| true, &sink, false).unwrap_err().to_string();
    assert!(message.contains("would have the same name"), "{message}");
    fs::write(root.join("c.txt"), "changed meanwhile").unwrap();
    assert!(write_folder(&store, keep, &sink, false).is_err());
    assert!(!sink.exists());
    let left: Vec<_> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left.len(), 6, "{left:?}");
}
