//! What a run is made of, compared with what it was made of when it began.
//!
//! In: names and values of both. Out: the first difference as a text, by names that the user knows.

use crate::base::message::Message;
use serde_json::Value;

const AGAIN: &str = "go on with what it was, or remove the folder and begin again";

/// The first difference; the sources come first, because all else depends on them.
pub(super) fn difference(known: &[(String, Value)], now: &[(&str, &Value)]) -> Option<Message> {
    let was = |name: &str| known.iter().find(|(known, _)| known == name).map(|(_, value)| value);
    let is = |name: &str| now.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
    let before: Vec<&str> = known.iter().map(|(name, _)| &**name).collect();
    let after: Vec<&str> = now.iter().map(|(name, _)| *name).collect();
    if let Some(text) = of_paths(&before, &after) {
        return Some(text);
    }
    let mut names = after.iter().chain(&before);
    let is_source = |name: &str| source_path(name).is_some();
    let of_source = (names.clone()).find(|name| is_source(name) && was(name) != is(name));
    let name = of_source.or_else(|| names.find(|name| was(name) != is(name)))?;
    let shown = |value: Option<&Value>| value.map_or_else(|| "nothing".to_owned(), Value::to_string);
    let (mut label, mut before, mut after) = (label(name), was(name), is(name));
    if let (Some(Value::Object(one)), Some(Value::Object(other))) = (before, after) {
        // Of a file the first part that differs says enough.
        if let Some((part, value)) = one.iter().find(|(part, value)| other.get(*part) != Some(*value)) {
            let what = match part.as_str() {
                "bytes" => "size in bytes",
                "modified" => "time of change",
                part => part,
            };
            label = msg!("the {what} of {label}");
            (before, after) = (Some(value), other.get(part));
        }
    }
    Some(msg!(
        "{label} was {before} when this run began, and is {after} now; {again}",
        before = shown(before),
        after = shown(after),
        again = AGAIN
    ))
}

/// The first source that is missing, new or at another place.
fn of_paths(before: &[&str], after: &[&str]) -> Option<Message> {
    let paths = |names: &[&str]| -> Vec<String> {
        let paths = names.iter().filter_map(|name| source_path(name));
        paths.map(str::to_owned).collect()
    };
    let (before, after) = (paths(before), paths(after));
    if before == after {
        return None;
    }
    if let Some(path) = before.iter().find(|path| !after.contains(path)) {
        return Some(msg!(
            "{path} was a source when this run began, and is none now; put it back, or remove the folder and \
             begin again"
        ));
    }
    if let Some(path) = after.iter().find(|path| !before.contains(path)) {
        return Some(msg!(
            "{path} is a source now, and was none when this run began; leave it out, or remove the folder and \
             begin again"
        ));
    }
    Some(msg!(
        "the sources were {before} when this run began, and are {after} now; {again}",
        again = AGAIN
    ))
}

/// The path in the name of a source, `source NUMBER (PATH)`.
fn source_path(name: &str) -> Option<&str> {
    let (number, path) = name.strip_prefix("source ")?.split_once(" (")?;
    number.parse::<u64>().ok()?;
    path.strip_suffix(')')
}

/// A name as the user gave it, where the log has another. The log keeps its names, so that earlier runs go on.
fn label(name: &str) -> Message {
    match name {
        "records" => msg!("the number of records"),
        "equal fields" => msg!("{@block_by} and {@differ}"),
        "same" => msg!("{@`same`}"),
        "normaliser" => msg!("the version of the normaliser"),
        "verdicts" => msg!("the digest of verdicts"),
        "search" => msg!("the search by similarity, recall and seed"),
        // A setting of several words is named as the user gives it.
        name if name.contains('_') && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_') => {
            Message::new(format!("{{@{name}}}"), Vec::new())
        }
        name => Message::text(name),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The difference between the recorded identity of a run and its present one.
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
}
