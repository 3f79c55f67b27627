//! Paths into lists: the texts that a name such as `messages.*.content` reaches.
//!
//! In come the JSON of a list and the rest of the path; out go the texts, in order, or the first value that is none. `*` is every item
//! of a list, and a number is one, from 0.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::value::RawValue;

use super::pick::{Item, item_of, string_of};

/// Why a path reaches no text.
#[derive(Debug)]
pub(super) enum Unreached<'a> {
    /// There is nothing at this place.
    Nothing(String),
    /// The list at this place has no item.
    Empty(String),
    /// The value at this place is no text, or has nothing inside.
    Value(String, &'a str),
    Json(serde_json::Error),
}

impl From<serde_json::Error> for Unreached<'_> {
    fn from(error: serde_json::Error) -> Self {
        Self::Json(error)
    }
}

/// Appends the texts that `path` reaches from a value; no path means the value itself, and `place` names it. As deep as the path.
pub(super) fn texts_inside<'a>(
    raw: &'a str,
    path: Option<&str>,
    place: &str,
    texts: &mut Vec<Cow<'a, str>>,
) -> Result<(), Unreached<'a>> {
    let Some(path) = path else {
        return match raw.as_bytes().first() {
            Some(b'"') => {
                texts.push(string_of(raw)?);
                Ok(())
            }
            _ => Err(Unreached::Value(place.to_owned(), raw)),
        };
    };
    let (first, rest) = path
        .split_once('.')
        .map_or((path, None), |(first, rest)| (first, Some(rest)));
    let inner = |step: &str| format!("{place}.{step}");
    match raw.as_bytes().first() {
        Some(b'[') => {
            let items: Vec<&'a RawValue> = serde_json::from_str(raw)?;
            match item_of(first) {
                Some(Item::Each) if items.is_empty() => Err(Unreached::Empty(place.to_owned())),
                Some(Item::Each) => (items.iter().enumerate())
                    .try_for_each(|(at, item)| texts_inside(item.get(), rest, &inner(&at.to_string()), texts)),
                Some(Item::At(at)) => match items.get(at) {
                    Some(item) => texts_inside(item.get(), rest, &inner(first), texts),
                    None => Err(Unreached::Nothing(inner(first))),
                },
                None => Err(Unreached::Value(place.to_owned(), raw)),
            }
        }
        Some(b'{') => {
            // As everywhere, a whole key wins over steps, and the last of equal keys counts.
            let entries: BTreeMap<String, &'a RawValue> = serde_json::from_str(raw)?;
            match (entries.get(path), entries.get(first)) {
                (Some(value), _) => texts_inside(value.get(), None, &inner(path), texts),
                (None, Some(value)) if rest.is_some() => texts_inside(value.get(), rest, &inner(first), texts),
                _ if first == "*" => Err(Unreached::Value(place.to_owned(), raw)),
                _ => Err(Unreached::Nothing(inner(first))),
            }
        }
        _ => Err(Unreached::Value(place.to_owned(), raw)),
    }
}

#[cfg(test)]
#[path = "inside_tests.rs"]
mod tests;
