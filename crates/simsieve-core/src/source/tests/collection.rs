//! New and old sources as one.

use std::fs;

use super::overlong;
use crate::base::context::Context;
use crate::source::{SourceSpec, Sources, joined, sizes};

fn files(folder: &tempfile::TempDir, named: &[(&str, &str)]) -> Sources {
    let spec = |(name, content): &(&str, &str)| {
        let path = folder.path().join(name);
        fs::write(&path, content).unwrap();
        SourceSpec::new(path)
    };
    let specs: Vec<_> = named.iter().map(spec).collect();
    Sources::open(&specs, 20, &Context::silent(1)).unwrap()
}

fn records(store: &Sources, positions: std::ops::Range<usize>) -> Vec<String> {
    let mut buffer = Vec::new();
    positions
        .map(|position| String::from_utf8(store.read_record(position, &mut buffer).unwrap().to_vec()).unwrap())
        .collect()
}

#[test]
fn records_of_both_are_where_they_were() {
    let folder = tempfile::TempDir::new().unwrap();
    let new = files(&folder, &[("a.jsonl", "1\n\n2"), ("b.jsonl", "")]);
    let long = "3".repeat(50);
    let old = files(&folder, &[("c.jsonl", ""), ("d.jsonl", &format!("\n4\n\n{long}\n5\n"))]);
    let both = new.against(&old);

    assert_eq!((both.len(), both.new_len(), both.is_against()), (5, 2, true));
    assert_eq!(records(&both, 0..2), records(&new, 0..2));
    assert_eq!(records(&both, 2..5), records(&old, 0..3));
    assert_eq!((overlong(&both, 3), overlong(&both, 2)), (Some(50), None));
    let line = |position| both.locate(position).line;
    assert_eq!([0, 1, 2, 3, 4].map(line), [1, 3, 2, 4, 5]);
    assert_eq!(both.locate(4).path, folder.path().join("d.jsonl"));
    assert_eq!((both.source_names().count(), both.formats().count()), (2, 2));
    assert_eq!(both.bytes_read(), new.bytes_read() + old.bytes_read());
    let blocks: Vec<_> = both.blocks(1 << 20);
    assert_eq!(blocks, [0..2, 2..3, 3..4, 4..5]);
}

#[test]
fn nothing_old_is_against_all_the_same() {
    let new = Sources::from_texts(["a", "b"]);
    assert_eq!((new.is_against(), new.new_len()), (false, 2));
    let both = new.against(&Sources::from_texts([""; 0]));
    assert_eq!((both.is_against(), both.new_len(), both.len()), (true, 2, 2));
}

/// Once the records that are wanted are found, no more of a file is read: plain, compressed, in a list, with quotes.
#[test]
fn reading_stops_at_the_records_that_are_wanted() {
    let folder = tempfile::TempDir::new().unwrap();
    let records: Vec<String> = (0..20_000)
        .map(|at| format!("{{\"id\": {at}, \"text\": \"a text of its own {at}\"}}"))
        .collect();
    let rows: Vec<String> = (0..20_000)
        .map(|at| format!("{at},\"a text\nof {at} words\""))
        .collect();
    let zstd = |bytes: &[u8]| zstd::encode_all(bytes, 1).unwrap();
    let files = [
        ("a.jsonl", records.join("\n").into_bytes()),
        ("a.jsonl.zst", zstd(records.join("\n").as_bytes())),
        ("a.json", format!("[{}]", records.join(",")).into_bytes()),
        ("a.csv", format!("id,text\n{}\n", rows.join("\n")).into_bytes()),
        ("a.txt", records.join("\n").into_bytes()),
    ];
    for (name, bytes) in files {
        let path = folder.path().join(name);
        fs::write(&path, &bytes).unwrap();
        let whole = Sources::open(&[SourceSpec::new(&path)], 1 << 20, &Context::silent(1)).unwrap();
        for most in [1, 999, 20_000, usize::MAX] {
            let spec = SourceSpec {
                most_records: most,
                ..SourceSpec::new(&path)
            };
            let some = Sources::open(&[spec], 1 << 20, &Context::silent(1)).unwrap();
            assert!(some.len() >= most.min(20_000), "{name} {most}: {}", some.len());
            assert!(most > 1000 || some.bytes_read() <= 512 << 10, "{name} {most}");
            some.check_unchanged().unwrap();
            let (one, other) = (some.first(most), whole.first(most));
            assert_eq!(one.len(), other.len());
            let (mut buffer, mut again) = (Vec::new(), Vec::new());
            for at in (0..one.len()).step_by(7919).chain(one.len().checked_sub(1)) {
                let bytes = one.read_record(at, &mut buffer).unwrap();
                assert_eq!(bytes, other.read_record(at, &mut again).unwrap(), "{name} {most} {at}");
            }
        }
    }
}

#[test]
fn one_source_alone_has_its_records_from_0_on() {
    let folder = tempfile::TempDir::new().unwrap();
    let all = files(&folder, &[("a.jsonl", "1\n2"), ("b.jsonl", ""), ("c.jsonl", "3\n4\n5")]);
    let alone = |sources: &Sources, source| sources.only(source).map(|one| records(&one, 0..one.len()));

    assert_eq!(alone(&all, 0), Some(vec!["1".to_owned(), "2".to_owned()]));
    assert_eq!((alone(&all, 1), alone(&all, 3)), (Some(vec![]), None));
    assert_eq!(alone(&all.first(4), 2), Some(vec!["3".to_owned(), "4".to_owned()]));
    let old = files(&folder, &[("d.jsonl", "6\n")]);
    assert!(!all.against(&old).only(2).unwrap().is_against());
}

#[test]
fn joined_sources_follow_one_another() {
    let folder = tempfile::TempDir::new().unwrap();
    let (one, other) = (files(&folder, &[("a.jsonl", "1\n2")]), Sources::from_texts(["x", "y"]));
    let both = joined(&[&one, &other]);

    assert_eq!(records(&both, 0..4), ["1", "2", "x", "y"]);
    assert_eq!(both.bytes_read(), 5);
    assert_eq!(sizes(&both, &[0, 1, 3]).unwrap(), [2, 1, 1]);
    assert_eq!(both.locate(1).line, 2);
}
