//! The laws of the format: written values are read back, and any other file is refused.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Artifact, ArtifactKind, Packing, Writer};
use crate::base::error::{Error, Result};
use crate::storage::atomic::AtomicFile;
use crate::storage::column::{Bytes, Column};

const BOX: ArtifactKind = ArtifactKind {
    name: "box",
    version: 7,
    oldest: 7,
    has_pieces: false,
    noun: "box of numbers",
    instead: "name a box",
    renew: "fill it anew",
    repair: "copy it again",
};

/// Columns of every type.
#[derive(Debug, Clone, PartialEq, Default)]
struct Content {
    bytes: Vec<u8>,
    bools: Vec<bool>,
    words: Vec<u32>,
    longs: Vec<u64>,
    hashes: Vec<u128>,
    numbers: Vec<f64>,
}

fn content() -> impl Strategy<Value = Content> {
    let numbers = proptest::collection::vec(proptest::num::f64::NORMAL, 0..40);
    let all = (
        any::<Vec<u8>>(),
        any::<Vec<bool>>(),
        any::<Vec<u32>>(),
        any::<Vec<u64>>(),
        any::<Vec<u128>>(),
        numbers,
    );
    all.prop_map(|(bytes, bools, words, longs, hashes, numbers)| Content {
        bytes,
        bools,
        words,
        longs,
        hashes,
        numbers,
    })
}

fn packing() -> impl Strategy<Value = Packing> {
    prop_oneof![Just(Packing::Plain), (1..4).prop_map(Packing::Zstd)]
}

fn written(content: &Content, packing: Packing, header: &Value) -> Vec<u8> {
    let mut out = Writer::new(Vec::new(), Path::new("box"), &BOX).unwrap();
    let all = |out: &mut Writer<'_, _>| -> Result<()> {
        out.column("bytes", packing, content.bytes.iter().copied(), &mut |_| Ok(()))?;
        out.column("bools", packing, content.bools.iter().copied(), &mut |_| Ok(()))?;
        out.column("words", packing, content.words.iter().copied(), &mut |_| Ok(()))?;
        out.column("longs", packing, content.longs.iter().copied(), &mut |_| Ok(()))?;
        out.column("hashes", packing, content.hashes.iter().copied(), &mut |_| Ok(()))?;
        out.column("numbers", packing, content.numbers.iter().copied(), &mut |_| Ok(()))
    };
    all(&mut out).unwrap();
    out.finish(header).unwrap()
}

fn opened(bytes: Vec<u8>) -> Result<Artifact> {
    Artifact::of_bytes(Path::new("box"), &BOX, Bytes::from(bytes), &mut |_, _| Ok(()))
}

fn read(artifact: &Artifact) -> Result<Content> {
    Ok(Content {
        bytes: artifact.column("bytes", ..)?.to_vec(),
        bools: artifact.column("bools", ..)?.to_vec(),
        words: artifact.column("words", ..)?.to_vec(),
        longs: artifact.column("longs", ..)?.to_vec(),
        hashes: artifact.column("hashes", ..)?.to_vec(),
        numbers: artifact.column("numbers", ..)?.to_vec(),
    })
}

fn refusal(bytes: Vec<u8>) -> String {
    let error = opened(bytes).and_then(|artifact| read(&artifact)).unwrap_err();
    assert!(matches!(error, Error::Source { .. }), "{error:?}");
    error.to_string()
}

proptest! {
    #[test]
    fn what_was_written_comes_back(content in content(), packing in packing(), name in ".{0,8}", number in any::<i64>()) {
        let header = json!({"name": name, "list": [number, null, {"é": true}]});
        let file = written(&content, packing, &header);
        let artifact = opened(file.clone()).unwrap();
        prop_assert_eq!(artifact.header(), &header);
        prop_assert_eq!(read(&artifact).unwrap(), content.clone());
        prop_assert_eq!(written(&content, packing, &header), file, "one content, one file");
    }

    #[test]
    fn any_changed_byte_is_found(content in content(), packing in packing(), at in any::<prop::sample::Index>(), bits in 1..=255_u8) {
        let mut file = written(&content, packing, &json!({}));
        let at = at.index(file.len());
        file[at] ^= bits;
        let message = refusal(file);
        let known = match at {
            0..16 => "is not a box of numbers; name a box",
            16..20 => "layout",
            20..32 => "is a simsieve file of kind",
            32..36 => "of version",
            _ => "cut off or damaged",
        };
        prop_assert!(message.contains(known), "{}: {}", at, message);
    }

    #[test]
    fn any_cut_is_found(content in content(), packing in packing(), at in any::<prop::sample::Index>(), more in any::<Vec<u8>>()) {
        let file = written(&content, packing, &json!({}));
        let at = at.index(file.len());
        let message = refusal(file[..at].to_vec());
        let known = if at == 0 { "is not a box" } else { "cut off or damaged" };
        prop_assert!(message.contains(known), "{}: {}", at, message);
        if !more.is_empty() {
            prop_assert!(refusal([file, more].concat()).contains("cut off or damaged"));
        }
    }
}

#[test]
fn the_layout_stays() {
    let mut out = Writer::new(Vec::new(), Path::new("box"), &BOX).unwrap();
    out.column("words", Packing::Plain, [1_u32, 2], &mut |_| Ok(()))
        .unwrap();
    let file = out.finish(&json!({"b": 1, "a": "é"})).unwrap();
    let directory = "{\"header\":{\"a\":\"é\",\"b\":1},\"sections\":[{\"bytes\":8,\"length\":2,\"name\":\"words\",\"offset\":64,\
        \"type\":\"u32\",\"xxh3_128\":\"9cb99f86ae035f85657ce6e8d8ff657f\",\"zstd\":false}]}";
    let zeros = |count: usize| vec![0; count];
    let expected = [
        &b"simsieve file\r\n\x1a\x01\0\0\0box\0\0\0\0\0\0\0\0\0\x07\0\0\0"[..],
        &zeros(28),
        b"\x01\0\0\0\x02\0\0\0",
        &zeros(56),
        directory.as_bytes(),
        b"\x80\0\0\0\0\0\0\0",
        &0xf510_2f77_1573_be3e_2961_85c8_71a9_dd30_u128.to_le_bytes(),
        b"simsieve end.\r\n\n",
    ]
    .concat();
    assert_eq!(file.escape_ascii().to_string(), expected.escape_ascii().to_string());
}

/// A file with valid checksums and a directory that may be wrong.
fn forged(sections: &[u8], directory: &str) -> Vec<u8> {
    let mut file = [&BOX.preamble(7)[..], sections].concat();
    file.resize(file.len().next_multiple_of(64), 0);
    let offset = file.len() as u64;
    let checksum = crate::base::hash::xxh3_128(&[&BOX.preamble(7)[..], directory.as_bytes()].concat());
    [
        &file[..],
        directory.as_bytes(),
        &offset.to_le_bytes(),
        &checksum.to_le_bytes(),
        super::END_MARK,
    ]
    .concat()
}

#[test]
fn a_wrong_directory_is_refused() {
    let column = [1, 0, 0, 0, 2, 0, 0, 0];
    let zstd = zstd::encode_all(&[0; 8][..], 1).unwrap();
    let hash = |bytes: &[u8]| format!("{:032x}", crate::base::hash::xxh3_128(bytes));
    let section = |changed: &[(&str, Value)], bytes: &[u8]| {
        let mut section = json!({"name": "words", "type": "u32", "length": 2, "offset": 64, "bytes": bytes.len(),
            "zstd": false, "xxh3_128": hash(bytes)});
        for (key, value) in changed {
            section[*key] = value.clone();
        }
        forged(bytes, &json!({"header": {}, "sections": [section]}).to_string())
    };
    let words = |bytes: Vec<u8>| opened(bytes).and_then(|artifact| artifact.column::<u32>("words", 2..=2));
    assert_eq!(*words(section(&[], &column)).unwrap(), [1, 2]);
    let packed = |length: u64| section(&[("zstd", true.into()), ("length", length.into())], &zstd);
    assert_eq!(*words(packed(2)).unwrap(), [0, 0]);

    let huge = u64::MAX - 63;
    let cases: [(Vec<u8>, &str); 15] = [
        (section(&[("offset", 0.into())], &column), "out of its place"),
        (section(&[("offset", 128.into())], &column), "out of its place"),
        (section(&[("offset", huge.into())], &column), "out of its place"),
        (section(&[("bytes", 1.into())], &column), "is not empty"),
        (section(&[("bytes", huge.into())], &column), "out of its place"),
        (section(&[("bytes", 65.into())], &column), "out of its place"),
        (
            section(&[("length", 1.into())], &column),
            "\"words\" (an unexpected length of 1)",
        ),
        (section(&[("length", huge.into())], &column), "an unexpected length"),
        (section(&[("length", (-1).into())], &column), "not one of the format"),
        (
            section(&[("name", "letters".into())], &column),
            "\"words\" (there is none)",
        ),
        (
            section(&[("type", "u64".into())], &column),
            "elements of type u64, not u32",
        ),
        (
            section(&[("xxh3_128", hash(b"").into())], &column),
            "\"words\" has another checksum",
        ),
        (section(&[("zstd", true.into())], &column), "not 2 values of type u32"),
        (forged(&column, "{"), "not one of the format"),
        (
            forged(&[], "{\"header\": 1, \"sections\": [[]]}"),
            "not one of the format",
        ),
    ];
    for (file, part) in cases {
        let message = words(file).unwrap_err().to_string();
        assert!(
            message.starts_with("box: ") && message.contains(part),
            "{part}: {message}"
        );
    }
}

#[test]
fn a_length_beyond_all_memory_takes_none() {
    // 16 MiB of zeros in a few hundred bytes; the directory claims more than any machine's memory.
    let zstd = zstd::encode_all(&vec![0; 16 << 20][..], 1).unwrap();
    let section = json!({"name": "longs", "type": "u64", "length": u64::MAX / 8, "offset": 64, "bytes": zstd.len(), "zstd": true,
        "xxh3_128": format!("{:032x}", crate::base::hash::xxh3_128(&zstd))});
    let file = forged(&zstd, &json!({"header": {}, "sections": [section]}).to_string());
    let artifact = opened(file).unwrap();
    let message = artifact.column::<u64>("longs", ..).unwrap_err().to_string();
    assert!(
        message.contains("not 2305843009213693951 values of type u64"),
        "{message}"
    );
    let message = artifact.column::<u64>("longs", ..=9).unwrap_err().to_string();
    assert!(message.contains("an unexpected length"), "{message}");
}

#[test]
fn booleans_are_0_or_1() {
    for packing in [Packing::Plain, Packing::Zstd(1)] {
        let mut out = Writer::new(Vec::new(), Path::new("box"), &BOX).unwrap();
        out.column("bools", packing, [0_u8, 2], &mut |_| Ok(())).unwrap();
        let file = out.finish(&Value::Null).unwrap();
        let bytes = opened(file.clone()).unwrap().column::<u8>("bools", ..).unwrap();
        assert_eq!(*bytes, [0, 2]);
        let directory = file.iter().rposition(|&byte| byte == b'}').unwrap() + 1;
        let begin = file.windows(9).position(|window| window == b"{\"header\"").unwrap();
        let lie = String::from_utf8(file[begin..directory].to_vec()).unwrap();
        let message = opened(forged(&file[64..begin], &lie.replace("\"u8\"", "\"bool\""))).unwrap();
        let message = message.column::<bool>("bools", ..).unwrap_err().to_string();
        assert!(message.contains("not 2 values of type bool"), "{message}");
    }
}

#[test]
fn files_are_mapped_and_outlive_their_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.box");
    let save = |words: &[u32]| {
        let out = AtomicFile::create_as_is(&path).unwrap();
        let mut out = Writer::new(out, &path, &BOX).unwrap();
        out.column("plain", Packing::Plain, words.iter().copied(), &mut |_| Ok(()))
            .unwrap();
        out.column("packed", Packing::Zstd(3), words.iter().copied(), &mut |_| Ok(()))
            .unwrap();
        out.finish(&json!({"count": words.len()})).unwrap().commit().unwrap();
    };
    let open = || Artifact::open(&path, &BOX, &mut |_, _| Ok(())).unwrap();
    let first: Vec<u32> = (0..100_000).collect();
    save(&first);
    let plain: Column<u32> = open().column("plain", 100_000..=100_000).unwrap();
    let packed: Column<u32> = open().column("packed", ..).unwrap();
    assert_eq!(
        (plain.is_viewed(), packed.is_viewed()),
        (cfg!(target_endian = "little"), false)
    );
    save(&[9]);
    assert_eq!(*open().column::<u32>("plain", ..).unwrap(), [9]);
    fs::remove_file(&path).unwrap();
    assert!(plain == packed && *plain == first[..]);
}

#[test]
fn another_file_is_refused_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.box");
    let open = || Artifact::open(&path, &BOX, &mut |_, _| Ok(()));
    let message = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        open().unwrap_err().to_string()
    };
    let whole = written(&Content::default(), Packing::Plain, &json!({}));
    let other = ArtifactKind { name: "crate", ..BOX };
    let crated = Writer::new(Vec::new(), &path, &other)
        .unwrap()
        .finish(&Value::Null)
        .unwrap();
    let mut newer = whole.clone();
    newer[32] = 8;
    for (bytes, part) in [
        (&b""[..], "is not a box of numbers; name a box"),
        (b"{\"text\": 1}\n", "is not a box of numbers; name a box"),
        (
            &whole[..9],
            "cut off or damaged (it ends in its first 64 bytes); copy it again",
        ),
        (
            &crated,
            "is a simsieve file of kind \"crate\", not a box of numbers; name a box",
        ),
        (
            &newer,
            "is a box of numbers of version 8, and this simsieve reads version 7; fill it anew",
        ),
    ] {
        let message = message(bytes);
        assert!(
            message.starts_with(&format!("{}: {part}", path.display())) || message.contains(part),
            "{message}"
        );
    }
    fs::remove_file(&path).unwrap();
    assert!(open().unwrap_err().to_string().contains("does not exist; name a box"));
    fs::create_dir(&path).unwrap();
    assert!(open().unwrap_err().to_string().contains("is not a file; name a box"));
}

#[test]
fn work_stops_where_the_caller_says() {
    let mut out = Writer::new(Vec::new(), Path::new("box"), &BOX).unwrap();
    let mut stop = |_| Err(Error::Interrupted);
    let stopped = out.column("bytes", Packing::Plain, [1_u8], &mut stop);
    assert!(matches!(stopped, Err(Error::Interrupted)));
    let file = written(
        &Content {
            bytes: vec![1],
            ..Content::default()
        },
        Packing::Plain,
        &json!({}),
    );
    let opened = Artifact::of_bytes(Path::new("box"), &BOX, Bytes::from(file), &mut |_, _| {
        Err(Error::Interrupted)
    });
    assert!(matches!(opened, Err(Error::Interrupted)));
}
