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
#[path = "identity_tests.rs"]
mod tests;
