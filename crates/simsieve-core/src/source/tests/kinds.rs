//! Sources of other kinds than lines in UTF-8: folders, rows, other encodings; and texts of several fields.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use encoding_rs::{BIG5, Encoding, GB18030, SHIFT_JIS, UTF_16BE, UTF_16LE};
use proptest::prelude::*;
use tempfile::TempDir;

use super::{assert_changed, file, gzip, parsed, records};
use crate::base::context::Context;
use crate::source::{
    ArrowColumn, ColumnType, EncodingChoice, FieldKind, Fields, Location, RowSpool, SourceSpec, Sources,
};

fn open_as(path: &Path, encoding: EncodingChoice) -> crate::base::error::Result<Sources> {
    let spec = SourceSpec {
        encoding,
        ..SourceSpec::new(path)
    };
    Sources::open(&[spec], 1 << 20, &Context::silent(1))
}

fn texts(store: &Sources) -> Vec<String> {
    let all = (0..store.len()).map(|position| parsed(store, position, &Fields::default()).unwrap().0);
    all.collect()
}

fn utf16(text: &str, big: bool) -> Vec<u8> {
    text.encode_utf16()
        .flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() })
        .collect()
}

/// Several fields are one text, in the order in which they are named; a record may lack some, but not all.
#[test]
fn several_fields_are_joined() {
    let fields = Fields {
        text: vec!["title".to_owned(), "body.plain".to_owned()],
        ..Fields::default()
    };
    let folder = TempDir::new().unwrap();
    let lines = concat!(
        "{\"body\":{\"plain\":\"b\"},\"title\":\"t\",\"id\":1}\n",
        "{\"title\":\"t\"}\n{\"title\":null,\"body\":{\"plain\":\"b\\n\"}}\n{\"body\":{}}\n{\"title\":7,\"body\":{\"plain\":\"b\"}}\n",
        "{\"title\":\"t\",\"body.plain\":\"dots\"}\n"
    );
    let store = open_as(&file(&folder, "x.jsonl", lines.as_bytes()), EncodingChoice::Utf8).unwrap();
    let text = |position| parsed(&store, position, &fields);
    assert_eq!(text(0).unwrap(), ("t\nb".to_owned(), Some("1".to_owned())));
    assert_eq!(text(1).unwrap().0, "t");
    assert_eq!(text(2).unwrap().0, "b\n");
    assert!(text(3).unwrap_err().1.contains("no field \"title\" or \"body.plain\""));
    assert!(text(4).unwrap_err().1.contains("field \"title\" is a number 7"));
    assert_eq!(text(5).unwrap().0, "t\ndots");

    let table = file(&folder, "x.csv", b"body.plain,id,title\nb,1,t\n,2,t\n");
    let store = open_as(&table, EncodingChoice::Utf8).unwrap();
    assert_eq!(parsed(&store, 0, &fields).unwrap().0, "t\nb");
    assert_eq!(parsed(&store, 1, &fields).unwrap().0, "t\n");
}

/// A folder gives its texts in the order of their paths, and what cannot be read as records that fail.
#[test]
fn folders() {
    let folder = TempDir::new().unwrap();
    let root = folder.path().join("in");
    fs::create_dir_all(root.join("b/c")).unwrap();
    let put = |name: &str, bytes: &[u8]| fs::write(root.join(name), bytes).unwrap();
    put("z.txt", b"last");
    put("b/a.md", b"\xEF\xBB\xBFwith a mark");
    put("b/c/page.HTML", b"<meta charset=gbk><p>\xd6\xd0");
    put("a.txt", b"");
    put("b/picture.png", b"\x89PNG");
    put(".hidden.txt", b"hidden");
    put("nul.txt", b"a\0b");
    put("bad.txt", b"caf\xe9");
    put("binary.htm", &[1_u8; 100]);
    symlink("z.txt", root.join("link.txt")).unwrap();
    symlink("nowhere", root.join("broken.txt")).unwrap();
    symlink("nowhere", root.join("broken")).unwrap();
    symlink("..", root.join("b/loop")).unwrap();
    symlink("self", root.join("self")).unwrap();
    let store = open_as(&root, EncodingChoice::Utf8).unwrap();

    let seen: Vec<_> = (0..store.len())
        .map(|position| match parsed(&store, position, &Fields::default()) {
            Ok((text, id)) => format!("{}: {text}", id.unwrap()),
            Err((code, message)) => {
                let name = message.strip_prefix(&format!("{}/", root.display())).unwrap();
                format!("{code}: {}", name.split(": ").next().unwrap())
            }
        })
        .collect();
    assert_eq!(
        seen,
        [
            "\"a.txt\": ",
            "\"b/a.md\": with a mark",
            "\"b/c/page.HTML\": <meta charset=gbk><p>中",
            "invalid_utf8: bad.txt",
            "not_text: binary.htm",
            "unreadable: broken.txt",
            "nul: nul.txt",
            "unreadable: self",
            "\"z.txt\": last",
        ]
    );
    let left_out = store.left_out();
    assert_eq!(left_out.others.values().sum::<u64>(), 3);
    // The link to a file, and the loop of links.
    assert_eq!(left_out.same, 2);
    assert_eq!(records(&store).concat().len() as u64, store.bytes_read());
    store.check_unchanged().unwrap();
    put("z.txt", b"longer now");
    assert_changed(&store, 8);
    let message = open_as(&root.join("nowhere"), EncodingChoice::Utf8)
        .unwrap_err()
        .to_string();
    assert!(message.contains("does not exist"), "{message}");
}

/// A file beyond the limit fails, and an empty folder has no records.
#[test]
fn large_files_and_empty_folders() {
    let folder = TempDir::new().unwrap();
    assert!(open_as(folder.path(), EncodingChoice::Utf8).unwrap().is_empty());
    file(&folder, "a.txt", &[b'a'; 50]);
    file(&folder, "b.txt", b"b");
    let store = Sources::open(&[SourceSpec::new(folder.path())], 10, &Context::silent(1)).unwrap();
    assert_eq!(parsed(&store, 0, &Fields::default()).unwrap_err().0, "too_long");
    assert_eq!(parsed(&store, 1, &Fields::default()).unwrap().0, "b");
    assert_eq!(store.read_head(0, 7, &mut Vec::new()).unwrap(), (&b"aaaaaaa"[..], 50));
}

/// Bytes become base64, whether they are text or not.
#[test]
fn bytes_handed_over() {
    let mut rows = RowSpool::new(&["text".to_owned()], 60, None).unwrap();
    rows.begin("one");
    let column = ArrowColumn {
        offsets: &[0, 2, 2, 4],
        bytes: b"ab\xff\0",
        valid: Some(&[true, false, true]),
        values: ColumnType::Bytes,
    };
    rows.add(3, &[column]).unwrap();
    let store = rows.finish().unwrap();
    let text = |position| parsed(&store, position, &Fields::default()).map(|(text, _)| text);
    assert_eq!(text(0).unwrap(), "YWI=");
    assert_eq!(text(1).unwrap_err().0, "text_not_string");
    assert_eq!(text(2).unwrap(), "/wA=");
}

/// Rows that are handed over are records of JSON; a value that is no text, too long or null fails by itself.
#[test]
fn rows_handed_over() {
    let mut rows = RowSpool::new(&["text".to_owned(), "a.b".to_owned()], 60, None).unwrap();
    let column = |offsets, bytes, valid, values| ArrowColumn {
        offsets,
        bytes,
        valid,
        values,
    };
    let long = [b"q\"\n\xff".as_slice(), &[b'x'; 60]].concat();
    rows.begin("one");
    let text = column(
        &[0, 3, 3, 4, 64],
        &long,
        Some(&[true, false, true, true]),
        ColumnType::Texts,
    );
    let id = column(&[0, 1, 2, 3, 4], b"1234", None, ColumnType::Json);
    rows.add(4, &[text, id]).unwrap();
    rows.begin("two");
    rows.add(
        1,
        &[
            column(&[1, 2], b"abc", None, ColumnType::Texts),
            column(&[0, 0], b"", Some(&[false]), ColumnType::Json),
        ],
    )
    .unwrap();
    let bad = rows.add(
        2,
        &[
            column(&[0, 1], b"a", None, ColumnType::Texts),
            column(&[0, 1, 2], b"ab", None, ColumnType::Texts),
        ],
    );
    assert!(bad.is_err());
    let store = rows.finish().unwrap();
    let fields = Fields {
        id: "a.b".to_owned(),
        ..Fields::default()
    };
    assert_eq!(
        parsed(&store, 0, &fields).unwrap(),
        ("q\"\n".to_owned(), Some("1".to_owned()))
    );
    let codes: Vec<_> = (1..4)
        .map(|position| parsed(&store, position, &fields).unwrap_err().0)
        .collect();
    assert_eq!(codes, ["text_not_string", "invalid_utf8", "too_long"]);
    let digits = Fields {
        takes: FieldKind::Digits,
        ..fields.clone()
    };
    let (code, message) = parsed(&store, 2, &digits).unwrap_err();
    assert_eq!(code, "invalid_utf8");
    assert!(
        message.contains("so it is no text; for a column of packed bytes give format=bytes"),
        "{message}"
    );
    assert_eq!(parsed(&store, 4, &fields).unwrap(), ("b".to_owned(), None));
    let Location { line, unit, .. } = store.locate(4);
    assert_eq!(
        (line, unit, store.locate(1).to_string()),
        (1, "row", "one row 2".to_owned())
    );
}

/// Records in other encodings are decoded one by one and stay as they are; a bad one fails alone.
#[test]
fn encodings() {
    let folder = TempDir::new().unwrap();
    let text = "今天天氣很好我們去公園玩\n第二行寫著別的東西\n";
    for encoding in [GB18030, BIG5] {
        let bytes = encoding.encode(text).0.into_owned();
        for (name, packed) in [("x.txt", bytes.clone()), ("x.txt.gz", gzip(&bytes))] {
            for asked in [EncodingChoice::Named(encoding), EncodingChoice::Auto] {
                let store = open_as(&file(&folder, name, &packed), asked).unwrap();
                assert_eq!(texts(&store).join("\n"), text.trim_end(), "{}", encoding.name());
                assert_eq!([records(&store).join(&b'\n'), b"\n".to_vec()].concat(), bytes);
            }
        }
    }
    let bytes = [GB18030.encode("好的一行").0.as_ref(), b"\nab\xff\xffcd\n\"\n"].concat();
    let store = open_as(&file(&folder, "x.txt", &bytes), EncodingChoice::Named(GB18030)).unwrap();
    let (code, message) = parsed(&store, 1, &Fields::default()).unwrap_err();
    assert_eq!(code, "undecodable");
    assert!(
        message.contains("x.txt line 2: not valid gb18030 at byte 2 (bytes ff ff 63 64)"),
        "{message}"
    );
    assert_eq!(parsed(&store, 2, &Fields::default()).unwrap().0, "\"");

    // The second byte of this character is a backslash in Shift_JIS.
    let line = SHIFT_JIS.encode("{\"text\":\"表示\"}").0.into_owned();
    let store = open_as(&file(&folder, "x.jsonl", &line), EncodingChoice::Named(SHIFT_JIS)).unwrap();
    assert_eq!(texts(&store), ["表示"]);
    let table = GB18030.encode("编号,text\n1,正文\n").0.into_owned();
    let store = open_as(&file(&folder, "x.csv", &table), EncodingChoice::Named(GB18030)).unwrap();
    assert_eq!(store.header(0).unwrap().names(), ["编号", "text"]);
    assert_eq!(texts(&store), ["正文"]);

    let marked = file(&folder, "m.txt", b"\xEF\xBB\xBFa");
    let message = open_as(&marked, EncodingChoice::Named(BIG5)).unwrap_err().to_string();
    assert!(
        message.contains("byte order mark of UTF-8, and the setting `encoding` is Big5"),
        "{message}"
    );
    assert_eq!(texts(&open_as(&marked, EncodingChoice::Auto).unwrap()), ["a"]);
    for name in ["", "utf-9", "iso-2022-jp"] {
        assert!(
            name.parse::<EncodingChoice>()
                .unwrap_err()
                .to_string()
                .contains("is not known; give auto"),
            "{name}"
        );
    }
    for (name, asked) in [
        ("UTF-8", EncodingChoice::Utf8),
        ("utf_8", EncodingChoice::Utf8),
        (" AUTO", EncodingChoice::Auto),
        ("shift_jis", EncodingChoice::Named(SHIFT_JIS)),
        ("utf_16", EncodingChoice::Named(UTF_16LE)),
        ("utf-16-be", EncodingChoice::Named(UTF_16BE)),
    ] {
        assert_eq!(name.parse::<EncodingChoice>().unwrap(), asked, "{name}");
    }
}

/// UTF-16 is read with a mark and without, and half of a pair fails with its place.
#[test]
fn wide_encodings() {
    let folder = TempDir::new().unwrap();
    for (encoding, big) in [(UTF_16LE, false), (UTF_16BE, true)] {
        for mark in ["", "\u{FEFF}"] {
            let text = format!("{mark}一行, \"a\" 😀\r\nthe second\n");
            for asked in [EncodingChoice::Auto, EncodingChoice::Named(encoding)] {
                let store = open_as(&file(&folder, "x.txt", &utf16(&text, big)), asked).unwrap();
                assert_eq!(texts(&store), ["一行, \"a\" 😀", "the second"], "{}", encoding.name());
                assert_eq!(store.has_bom(), !mark.is_empty());
            }
        }
    }
    let mut bytes = utf16("ab\ncd", false);
    bytes.splice(8..8, [0x3D, 0xD8]);
    bytes.push(0x41);
    let store = open_as(&file(&folder, "x.txt", &bytes), EncodingChoice::Named(UTF_16LE)).unwrap();
    assert_eq!(parsed(&store, 0, &Fields::default()).unwrap().0, "ab");
    let (code, message) = parsed(&store, 1, &Fields::default()).unwrap_err();
    assert_eq!(code, "undecodable");
    assert!(
        message.contains("not valid UTF-16LE at byte 2: half of a surrogate pair"),
        "{message}"
    );
}

fn any_encoding() -> impl Strategy<Value = &'static Encoding> {
    prop::sample::select(vec![UTF_16LE, UTF_16BE, GB18030])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Any text comes through any encoding that values it, wherever the pieces that are read end.
    #[test]
    fn texts_come_through(lines in prop::collection::vec("[^\\x00\r\n\u{FEFF}]{0,20}", 1..20), encoding in any_encoding()) {
        let text = lines.join("\n") + "\n";
        let bytes = match encoding.name() {
            "UTF-16LE" => utf16(&text, false),
            "UTF-16BE" => utf16(&text, true),
            _ => encoding.encode(&text).0.into_owned(),
        };
        let folder = TempDir::new().unwrap();
        let store = open_as(&file(&folder, "x.txt", &bytes), EncodingChoice::Named(encoding)).unwrap();
        // Some private characters have no place of their own in gb18030: what comes back is what was written there.
        let written: Vec<_> = match encoding.name() {
            "gb18030" => GB18030.decode(&bytes).0.lines().map(str::to_owned).collect(),
            _ => lines,
        };
        prop_assert_eq!(texts(&store), written);
    }
}

/// A header that is not of the encoding asked for is an error that names this encoding.
#[test]
fn a_header_names_the_encoding_that_was_tried() {
    let folder = TempDir::new().unwrap();
    let path = file(&folder, "x.csv", b"a\x00\x00\xd8\n\x00b\x00\n\x00");
    let message = open_as(&path, EncodingChoice::Named(UTF_16LE)).unwrap_err().to_string();
    assert!(
        message.contains("its header is not valid UTF-16LE at byte 1"),
        "{message}"
    );
}
