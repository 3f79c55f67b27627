//! The tests of `identity.rs`.

use serde_json::json;

use super::*;

/// The difference of what a run was made of from what it is made of now.
fn told(known: &[(&str, Value)], now: &[(&str, Value)]) -> Option<String> {
    let known: Vec<(String, Value)> = known
        .iter()
        .map(|(name, value)| ((*name).to_owned(), value.clone()))
        .collect();
    let now: Vec<(&str, &Value)> = now.iter().map(|(name, value)| (*name, value)).collect();
    difference(&known, &now).map(|text| text.to_string())
}

fn source(digest: &str) -> Value {
    json!({"bytes": 10, "modified": 5, "digest": digest})
}

#[test]
fn what_is_equal_has_no_difference_in_any_order() {
    let known = [
        ("seed", json!(7)),
        ("source 1 (a.jsonl)", source("00")),
        ("keep", json!("first")),
    ];
    let mut now = known.clone();
    now.reverse();
    assert_eq!(told(&known, &now), None);
    assert_eq!(told(&[], &[]), None);
}

#[test]
fn sources_come_before_settings() {
    let known = [("seed", json!(7)), ("source 1 (a.jsonl)", source("00"))];
    let now = [("seed", json!(8)), ("source 1 (a.jsonl)", source("11"))];
    let text = told(&known, &now).unwrap();
    assert!(
        text.starts_with("the digest of source 1 (a.jsonl) was \"00\" when"),
        "{text}"
    );
    let text = told(&known[..1], &now[..1]).unwrap();
    assert!(
        text.starts_with("seed was 7 when this run began, and is 8 now;"),
        "{text}"
    );
}

#[test]
fn sources_that_are_missing_new_or_moved_are_named() {
    let (one, two) = (
        ("source 1 (a.jsonl)", source("00")),
        ("source 2 (b.jsonl)", source("11")),
    );
    let moved = [
        ("source 1 (b.jsonl)", source("11")),
        ("source 2 (a.jsonl)", source("00")),
    ];
    let both = [one.clone(), two];
    for (known, now, expected) in [
        (
            &both[..],
            std::slice::from_ref(&one),
            "b.jsonl was a source when this run began, and is none now;",
        ),
        (
            std::slice::from_ref(&one),
            &both[..],
            "b.jsonl is a source now, and was none when this run began;",
        ),
        (
            &both[..],
            &moved[..],
            "the sources were a.jsonl, b.jsonl when this run began, and are b.jsonl, a.jsonl now;",
        ),
    ] {
        let text = told(known, now).unwrap();
        assert!(text.starts_with(expected), "{text}");
    }
}

#[test]
fn the_parts_of_a_file_have_words() {
    let changed = |name: &str| {
        let mut other = source("00");
        other[name] = json!(6);
        told(&[("source 1 (a)", source("00"))], &[("source 1 (a)", other)]).unwrap()
    };
    assert!(changed("bytes").starts_with("the size in bytes of source 1 (a) was 10 when"));
    assert!(changed("modified").starts_with("the time of change of source 1 (a) was 5 when"));
    assert!(changed("digest").starts_with("the digest of source 1 (a) was \"00\" when"));
}

#[test]
fn what_one_run_lacks_is_nothing() {
    let with = [("verdicts", json!("00ff"))];
    let text = told(&with, &[]).unwrap();
    assert!(
        text.starts_with("the digest of verdicts was \"00ff\" when this run began, and is nothing now;"),
        "{text}"
    );
    let text = told(&[], &with).unwrap();
    assert!(
        text.starts_with("the digest of verdicts was nothing when this run began, and is \"00ff\" now;"),
        "{text}"
    );
}

#[test]
fn only_numbered_names_are_of_sources() {
    assert_eq!(source_path("source 12 (a (b).jsonl)"), Some("a (b).jsonl"));
    for name in [
        "source (a)",
        "source x (a)",
        "source 1 (a",
        "source 1 a)",
        "scheme",
        "the source 1 (a)",
    ] {
        assert_eq!(source_path(name), None, "{name}");
    }
    let shown = ["records", "seed", "text_field", "same"].map(|name| label(name).to_string());
    assert_eq!(
        shown,
        ["the number of records", "seed", "text_field", "the setting `same`"]
    );
}
