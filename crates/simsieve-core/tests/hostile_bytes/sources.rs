//! Sources: what is read is described record by record, and what is written of them reads as it did.

use std::sync::Arc;

use serde_json::Value;
use simsieve_core::base::context::Context;
use simsieve_core::sink::{Decision, write_kept};
use simsieve_core::source::{EncodingChoice, FAILURE_CODES, Fields, Quoting, Record, SourceSpec, Sources};

use super::{ROOM, Room, choose, refused};

pub const JSON_WORDS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "\"",
    "\\",
    "\n",
    "\r\n",
    "\r",
    "\u{feff}",
    "\"text\"",
    "\"id\"",
    "\"a.b\"",
    "{\"a\":{\"b\":\"c\"}}",
    "{\"text\": \"x\"}\n",
    "null",
    "true",
    "\\ud83d",
    "\\ude00",
    "\\u0000",
    "\\u4e2d",
    "1e999",
    "-0",
    "123456789012345678901234567890",
    " ",
    "\t",
];

pub const TABLE_WORDS: &[&str] = &[
    "\"",
    "\"\"",
    ",",
    "\t",
    "\n",
    "\r\n",
    "\r",
    "text,id\n",
    "id\ttext\n",
    "\u{feff}",
    "a,\"b\nc\"\n",
    "\0",
    " ",
    "\u{4e2d}",
    "\n\n",
    "\"x\"y",
];

/// Limits of a record's length: so small that records exceed it, and so large that none does.
const LIMITS: [u64; 2] = [1 << 20, 24];

/// What of a record does not depend on its place.
#[derive(Debug, PartialEq)]
struct Seen {
    bytes: Vec<u8>,
    record: Result<Record<'static>, &'static str>,
}

fn fields() -> Fields {
    Fields {
        values: vec!["a.b".to_owned()],
        equal: vec!["a".to_owned()],
        ..Fields::default()
    }
}

/// Every record of a store; blocks of any size say the same of them.
fn records(store: &Sources) -> Vec<Seen> {
    let (mut buffer, fields) = (Vec::new(), fields());
    let mut seen = Vec::new();
    for position in 0..store.len() {
        let bytes = store.read_record(position, &mut buffer).unwrap().to_vec();
        let record = match store.parse(position, &bytes, &fields) {
            Ok(Record {
                text,
                id,
                values,
                group,
                facts,
            }) => Ok(Record {
                text: text.into_owned().into(),
                id: id.map(|id| id.into_owned().into()),
                values,
                group,
                facts: facts
                    .into_iter()
                    .map(|fact| fact.map(|fact| fact.into_owned().into()))
                    .collect(),
            }),
            Err(failure) => {
                assert!(
                    FAILURE_CODES.iter().any(|(code, _)| *code == failure.code),
                    "{failure:?}"
                );
                assert!(
                    failure.message.to_string().len() > 10 && failure.message.to_string().len() < 4096,
                    "{failure:?}"
                );
                Err(failure.code)
            }
        };
        seen.push(Seen { bytes, record });
    }
    for size in [1, 50, u64::MAX] {
        let mut at = 0;
        for block in store.blocks(size) {
            assert_eq!(block.start, at);
            at = block.end;
            let block = store.read(block, &mut buffer).unwrap();
            for position in block.positions() {
                assert_eq!(
                    block.record(position),
                    seen[position].bytes,
                    "record {position} in blocks of {size}"
                );
            }
        }
        assert_eq!(at, store.len());
    }
    seen
}

/// Reads a file, writes what can be used of it, and reads that: the records are the same, in the same order.
fn read_and_written(room: &Room, name: &str, limit: u64, asked: EncodingChoice, bytes: &[u8]) -> Vec<Seen> {
    let spec = |path| SourceSpec {
        encoding: asked,
        ..SourceSpec::new(path)
    };
    let store = match Sources::open(&[spec(room.write(name, bytes))], limit, &Context::silent(1)) {
        Ok(store) => Arc::new(store),
        Err(error) => {
            refused(&error);
            return Vec::new();
        }
    };
    let seen = records(&store);
    for step in [1, 2] {
        let keep = |position: usize| seen[position].record.is_ok() && position.is_multiple_of(step);
        let sink = room.path(&format!("kept-{name}"));
        let decisions: Vec<_> = (0..seen.len())
            .map(|at| if keep(at) { Decision::Kept } else { Decision::Dropped })
            .collect();
        if let Err(error) = write_kept(&store, &decisions, &sink, None, false, &Context::silent(1)) {
            refused(&error);
            continue;
        }
        let wanted: Vec<_> = (0..seen.len()).filter(|&at| keep(at)).map(|at| &seen[at]).collect();
        // Fewer records may look like another encoding or another table, so what was found of either is given.
        let found = match asked {
            EncodingChoice::Auto => store.encodings().next().unwrap().1.parse().unwrap(),
            asked => asked,
        };
        let again = SourceSpec {
            encoding: found,
            delimiter: store.delimiters().next().map(|(_, sign)| sign),
            quoting: match store.quotes().next() {
                Some((_, true, ..)) => Quoting::Minimal,
                Some((_, false, ..)) => Quoting::None,
                None => Quoting::Auto,
            },
            ..SourceSpec::new(&sink)
        };
        let again = match Sources::open(&[again], limit, &Context::silent(1)) {
            Ok(again) => records(&again),
            Err(error) => {
                // In an encoding without marks a first record may begin with the bytes of one.
                let written = std::fs::read(&sink).unwrap();
                let marks: [&[u8]; 3] = [b"\xEF\xBB\xBF", b"\xFF\xFE", b"\xFE\xFF"];
                assert!(
                    found != EncodingChoice::Utf8 && marks.iter().any(|mark| written.starts_with(mark)),
                    "{error}"
                );
                refused(&error);
                continue;
            }
        };
        assert_eq!(again.iter().collect::<Vec<_>>(), wanted, "every {step}. record");
    }
    seen
}

/// JSON lines: as [`read_and_written`], and a line that serde has for an object with a text has that text here.
pub fn jsonl(bytes: &[u8]) {
    let (limit, bytes) = choose(bytes, &LIMITS);
    check_objects(ROOM.with(|room| read_and_written(room, "in.jsonl", limit, EncodingChoice::Utf8, bytes)));
}

/// Lists: as [`jsonl`]; and what serde has for a list is one here, with as many items.
pub fn lists(bytes: &[u8]) {
    let (limit, bytes) = choose(bytes, &LIMITS);
    let seen = ROOM.with(|room| read_and_written(room, "in.json", limit, EncodingChoice::Utf8, bytes));
    if let Ok(Value::Array(items)) = serde_json::from_slice(bytes) {
        assert_eq!(seen.len(), items.len());
    }
    check_objects(seen);
}

fn check_objects(seen: Vec<Seen>) {
    for Seen { bytes, record } in seen {
        if record == Err("too_long") {
            continue;
        }
        match serde_json::from_slice(&bytes) {
            Ok(Value::Object(object)) => match object.get("text") {
                Some(Value::String(text)) => assert_eq!(record.unwrap().text, *text),
                Some(_) => assert_eq!(record, Err("text_not_string")),
                None => assert_eq!(record, Err("no_text_field")),
            },
            Ok(_) => assert_eq!(record, Err("not_object")),
            // Such a line may be taken all the same where what serde refuses is not needed: a number beyond a double, half of a pair.
            Err(_) => assert!(record.is_err() || std::str::from_utf8(&bytes).is_ok()),
        }
    }
}

/// Tables and texts by line.
pub fn tables(bytes: &[u8]) {
    let (limit, bytes) = choose(bytes, &LIMITS);
    let (name, bytes) = choose(bytes, &["in.csv", "in.tsv", "in.txt"]);
    ROOM.with(|room| read_and_written(room, name, limit, EncodingChoice::Utf8, bytes));
}

const ENCODINGS: [&str; 11] = [
    "auto",
    "utf-8",
    "gb18030",
    "gbk",
    "big5",
    "shift_jis",
    "euc-jp",
    "euc-kr",
    "utf-16le",
    "utf-16be",
    "windows-1252",
];

/// Sources in other encodings than UTF-8, and compressed ones.
pub fn encodings(bytes: &[u8]) {
    let (encoding, bytes) = choose(bytes, &ENCODINGS);
    let (name, bytes) = choose(
        bytes,
        &["in.jsonl", "in.csv", "in.tsv", "in.txt", "in.jsonl.gz", "in.csv.zst"],
    );
    ROOM.with(|room| read_and_written(room, name, 1 << 20, encoding.parse().unwrap(), bytes));
}

fn chosen(choices: &[u8], text: &[u8]) -> Vec<u8> {
    [choices, text].concat()
}

pub fn jsonl_seeds() -> Vec<Vec<u8>> {
    [
        "{\"id\": 1, \"text\": \"The gate opens at nine.\"}\n{\"id\": \"b\", \"text\": \"\\u4e2d\\ud83d\\ude00\\n\"}\r\n\n{\"text\": null}",
        "\u{feff}{\"a\": {\"b\": -1.5e3}, \"text\": \"x\", \"text\": \"y\"}\n[1, 2]\nnot json\n{\"text\": \"\\ud83d\"}\n",
        "{\"a.b\": true, \"text\": [[[{}]]], \"id\": null} \n{\"text\": \"\"}",
    ]
    .map(|text| chosen(&[0], text.as_bytes()))
    .to_vec()
}

pub fn list_seeds() -> Vec<Vec<u8>> {
    [
        "[{\"id\": 1, \"text\": \"The gate opens at nine.\"} , {\"text\": null},\r\n[1, 2], 3]\n",
        "\u{feff}[\n  {\n    \"text\": \"a,]\\\"}\",\n    \"a.b\": [{}]\n  }\n]",
        "[\u{feff}{\"text\": \"x\"}, {\"text\": \"two\nlines\"}, not json]",
    ]
    .map(|text| chosen(&[0], text.as_bytes()))
    .to_vec()
}

pub fn table_seeds() -> Vec<Vec<u8>> {
    vec![
        chosen(
            &[0, 0],
            b"id,text,a.b\n1,\"a \"\"b\"\", c\",3\r\n2,plain,\n\n3,\"two\nlines\",x\nshort\n\"open",
        ),
        chosen(&[0, 1], b"\xEF\xBB\xBFtext\tid\na b\t1\n\"a\tb\"\t2"),
        chosen(
            &[1, 2],
            b"first line\r\n\nthird line that is long enough to be refused\nwith \0\n\xff",
        ),
        chosen(&[0, 2], b"\xff\n\xEF\xBB\xBFbegins as a mark\n"),
        chosen(&[0, 1], b"\n\n\xEF\xBB\xBF\"a\ttext\n\nb\tc\n"),
    ]
}

pub fn encoding_seeds() -> Vec<Vec<u8>> {
    let wide = |big: bool, text: &str| -> Vec<u8> {
        let units = text
            .encode_utf16()
            .map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() });
        units.flatten().collect()
    };
    vec![
        chosen(&[0, 0], "{\"text\": \"caf\u{e9}\"}\n".as_bytes()),
        chosen(&[2, 1], b"id,text\n1,\xd6\xd0\xce\xc4\n2,\x816\xec3\n"),
        chosen(&[2, 3], b"\xff\n\xEF\xBB\xBFx\n"),
        chosen(&[5, 3], b"\x93\xfa\x96{\n\x83\\\n"),
        chosen(
            &[8, 0],
            &wide(false, "\u{feff}{\"text\": \"\u{4e2d}\u{1f600}\"}\r\n{\"text\": 1}\n"),
        ),
        chosen(&[9, 1], &wide(true, "id,text\n1,\"a\nb\"\n")),
        chosen(&[0, 2], &wide(false, "id\ttext\n1\tsome words of English\n")),
        chosen(&[1, 5], &zstd::encode_all(&b"id,text\n1,a\n"[..], 1).unwrap()),
    ]
}
