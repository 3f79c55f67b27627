//! JSON lines: from a line to the fields that are wanted.
//!
//! Only what is wanted is built. The rest is checked to be JSON and skipped (by `pick`). What exactly is wrong with a bad
//! record is found out off the fast path.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::inside::{Unreached, texts_inside};
use super::pick::{FieldValue, Slots, keys_of, string_of, walk};
use super::record::{Fields, Record, group_of, joined, text_of};
use super::value::{Value, plain_number};
use crate::source::failure::{Cause, shorten};
use crate::text::FieldKind;

/// How many characters of a value a message shows.
const SHOWN_CHARS: usize = 80;

/// How many of a record's field names a message lists.
const SHOWN_KEYS: usize = 8;

/// What a record is in rows that are handed over. Its label stays as it is: that of a document of `MongoDB` is extended JSON of any type.
pub(super) const ROW: &str = "row";

/// How deep an object may be that is a label in canonical form.
const LABEL_DEPTH: usize = 64;

/// Parses a record; `unit` is what it is in its file, such as a line.
pub(super) fn parse_json<'a>(line: &'a str, fields: &Fields, unit: &str) -> Result<Record<'a>, Cause> {
    // Files with marks that were put together have one at the start of a line.
    let line = line.strip_prefix('\u{FEFF}').unwrap_or(line);
    let mut slots = Slots::new(fields, false);
    if walk(line, &mut slots, 0).is_err() {
        // Perhaps only the text is no string: take it as written and see.
        slots = Slots::new(fields, true);
        walk(line, &mut slots, 0).map_err(|error| diagnose(line, unit, &error))?;
    }
    let texts = if fields.takes == FieldKind::Parts {
        apart(&mut slots, fields, line, unit)?
    } else {
        together(&mut slots, fields, line, unit)?
    };
    let text = text_of(texts, fields.takes);
    let id = match slots.id.found {
        FieldValue::Raw(raw) if raw.starts_with('{') => {
            let number = plain_number(raw).filter(|_| unit != ROW);
            Some(Cow::Owned(
                number.map_or_else(|| label_of_object(raw), String::into_bytes),
            ))
        }
        FieldValue::Raw(raw) if !raw.starts_with(['n', '[']) => Some(Cow::Borrowed(raw.as_bytes())),
        _ => None,
    };
    let values = slots
        .values
        .iter()
        .map(|slot| value_of(&slot.found))
        .collect::<Result<_, _>>();
    let values = values.map_err(|error| diagnose(line, unit, &error))?;
    let mut plain = slots.equal.iter().map(|slot| plain_value(&slot.found));
    let group = group_of(plain.by_ref().take(fields.equal.len()));
    let facts = plain.collect();
    Ok(Record {
        text,
        id,
        values,
        group,
        facts,
    })
}

/// The texts of fields that are joined: those that a record has.
fn together<'a>(
    slots: &mut Slots<'_, 'a>,
    fields: &Fields,
    line: &str,
    unit: &str,
) -> Result<Vec<Cow<'a, str>>, Cause> {
    // Where fields are compared besides, a record may lack the text.
    let several = slots.texts.len() > 1 || !fields.facts.is_empty();
    let mut texts = Vec::with_capacity(slots.texts.len());
    for (slot, name) in slots.texts.iter_mut().zip(&fields.text) {
        match std::mem::replace(&mut slot.found, FieldValue::Nothing) {
            FieldValue::Text(text) => texts.push(text),
            FieldValue::Raw(raw) if raw.starts_with('"') => {
                texts.push(string_of(raw).map_err(|error| diagnose(line, unit, &error))?);
            }
            FieldValue::Raw(raw) if fields.takes == FieldKind::Numbers && kind_of(raw) == "a number" => {
                texts.push(Cow::Borrowed(raw));
            }
            FieldValue::Raw(raw) if fields.takes == FieldKind::Tokens && raw.starts_with(['[', '{']) => {
                texts.push(Cow::Borrowed(raw));
            }
            // Of several fields a record may lack some.
            FieldValue::Raw("null") | FieldValue::List("null", _) if several => {}
            FieldValue::List(raw, rest) => match reached(raw, name, rest) {
                Ok(items) => texts.push(joined(items)),
                Err(Unreached::Empty(_) | Unreached::Nothing(_)) if several => {}
                Err(Unreached::Json(error)) => return Err(diagnose(line, unit, &error)),
                Err(unreached) => return Err(unreached_text(name, &unreached)),
            },
            FieldValue::Raw(raw) => return Err(text_not_string(name, raw, fields.takes)),
            FieldValue::Nothing => {}
        }
    }
    if texts.is_empty() && fields.facts.is_empty() {
        return Err(no_text_field(&fields.text, line));
    }
    Ok(texts)
}

/// The texts of fields that are compared apart, each there: empty where a record lacks it. A list counts as a set, so its items are
/// sorted, and a number is taken as it is written.
fn apart<'a>(slots: &mut Slots<'_, 'a>, fields: &Fields, line: &str, unit: &str) -> Result<Vec<Cow<'a, str>>, Cause> {
    let mut has_text = !fields.facts.is_empty();
    let mut texts = Vec::with_capacity(slots.texts.len());
    for (slot, name) in slots.texts.iter_mut().zip(&fields.text) {
        let items = match std::mem::replace(&mut slot.found, FieldValue::Nothing) {
            FieldValue::Nothing | FieldValue::Raw("null") | FieldValue::List("null", _) => {
                texts.push(Cow::Borrowed(""));
                continue;
            }
            FieldValue::Text(text) => Ok(vec![text]),
            FieldValue::List(raw, rest) => reached(raw, name, rest),
            FieldValue::Raw(raw) => match raw.as_bytes()[0] {
                b'"' => string_of(raw).map(|text| vec![text]).map_err(Unreached::Json),
                b'[' => reached(raw, &format!("{name}.*"), name.len() + 1),
                b'{' => return Err(text_not_string(name, raw, fields.takes)),
                _ => Ok(vec![Cow::Borrowed(raw)]),
            },
        };
        let mut items = match items {
            Ok(items) => items,
            Err(Unreached::Empty(_) | Unreached::Nothing(_)) => Vec::new(),
            Err(Unreached::Json(error)) => return Err(diagnose(line, unit, &error)),
            Err(unreached) => return Err(unreached_text(name, &unreached)),
        };
        has_text = true;
        items.sort_unstable();
        texts.push(if items.is_empty() {
            Cow::Borrowed("")
        } else {
            joined(items)
        });
    }
    if has_text {
        Ok(texts)
    } else {
        Err(no_text_field(&fields.text, line))
    }
}

/// A value that must be equal in two records: a string's text, or canonical JSON.
fn plain_value<'a>(found: &FieldValue<'a>) -> Option<Cow<'a, str>> {
    let FieldValue::Raw(raw) = *found else { return None };
    match raw.as_bytes().first() {
        Some(b'n') => None,
        Some(b'"') => Some(string_of(raw).unwrap_or(Cow::Borrowed(raw))),
        Some(b'{' | b'[') => {
            let mut canonical = String::new();
            let written = write_canonical(raw, 0, &mut canonical);
            Some(written.map_or(Cow::Borrowed(raw), |()| Cow::Owned(canonical)))
        }
        _ => Some(Cow::Borrowed(raw)),
    }
}

/// The label that an object makes, such as `{"$oid": "65"}`: its canonical JSON as a string. One that is too deep stays as
/// it is written.
fn label_of_object(raw: &str) -> Vec<u8> {
    let mut canonical = String::with_capacity(raw.len());
    if write_canonical(raw, 0, &mut canonical).is_err() {
        raw.clone_into(&mut canonical);
    }
    serde_json::Value::String(canonical).to_string().into_bytes()
}

/// Appends a JSON value without white space, keys in their order as texts; of equal keys the last one counts. Numbers stay as
/// they are written.
fn write_canonical(raw: &str, depth: usize, out: &mut String) -> serde_json::Result<()> {
    if depth > LABEL_DEPTH {
        return Err(serde::de::Error::custom("too deep"));
    }
    match raw.as_bytes().first() {
        Some(b'{') => {
            let entries: BTreeMap<String, &RawValue> = serde_json::from_str(raw)?;
            out.push('{');
            for (place, (key, value)) in entries.into_iter().enumerate() {
                out.push_str(if place == 0 { "" } else { "," });
                out.push_str(&serde_json::to_string(&key)?);
                out.push(':');
                write_canonical(value.get(), depth + 1, out)?;
            }
            out.push('}');
        }
        Some(b'[') => {
            let values: Vec<&RawValue> = serde_json::from_str(raw)?;
            out.push('[');
            for (place, value) in values.into_iter().enumerate() {
                out.push_str(if place == 0 { "" } else { "," });
                write_canonical(value.get(), depth + 1, out)?;
            }
            out.push(']');
        }
        Some(b'"') => out.push_str(&serde_json::to_string(&string_of(raw)?)?),
        _ => out.push_str(raw),
    }
    Ok(())
}

fn value_of(found: &FieldValue<'_>) -> serde_json::Result<Value> {
    let raw = match found {
        FieldValue::Raw(raw) => *raw,
        // A slot for a value is never filled with a text that was read already.
        FieldValue::Text(_) | FieldValue::List(..) | FieldValue::Nothing => return Ok(Value::Missing),
    };
    Ok(match raw.as_bytes().first() {
        Some(b'"') => Value::of_text(&string_of(raw)?),
        Some(b'{') => Value::of_object(raw),
        Some(b't') => Value::Int(1),
        Some(b'f') => Value::Int(0),
        Some(b'-' | b'0'..=b'9') => Value::of_number(raw),
        _ => Value::Missing,
    })
}

/// The texts of a list; the name is looked for in it from byte `rest` on.
fn reached<'a>(raw: &'a str, name: &str, rest: usize) -> Result<Vec<Cow<'a, str>>, Unreached<'a>> {
    let mut texts = Vec::new();
    texts_inside(raw, Some(&name[rest..]), &name[..rest - 1], &mut texts)?;
    Ok(texts)
}

fn unreached_text(name: &str, unreached: &Unreached<'_>) -> Cause {
    let (code, what) = match unreached {
        Unreached::Nothing(place) => ("no_text_field", msg!("there is no {place:?}")),
        Unreached::Empty(place) => ("no_text_field", msg!("the list {place:?} is empty")),
        Unreached::Value(place, raw) => ("text_not_string", msg!("{place:?} is {raw}", raw = shown(raw))),
        Unreached::Json(error) => ("not_json", msg!("{error}")),
    };
    let message = msg!(
        "field {name:?}: {what}; a string is needed at each place; fix the record or name another path with \
         {@text_field}"
    );
    (code, message)
}

/// A value for a message: its kind, and how it begins.
fn shown(raw: &str) -> String {
    match kind_of(raw) {
        "null" => "null".to_owned(),
        kind => format!("{kind} {}", shorten(raw, SHOWN_CHARS)),
    }
}

/// The path into a list that reaches texts, if its first item is one or has one: the longest is meant.
fn path_into(raw: &str) -> Option<String> {
    match serde_json::from_str::<Vec<serde_json::Value>>(raw)
        .ok()?
        .into_iter()
        .next()?
    {
        serde_json::Value::String(_) => Some("*".to_owned()),
        serde_json::Value::Object(item) => {
            let texts = item
                .iter()
                .filter_map(|(key, value)| Some((value.as_str()?.len(), key)));
            texts.max().map(|(_, key)| format!("*.{key}"))
        }
        _ => None,
    }
}

fn text_not_string(field: &str, raw: &str, takes: FieldKind) -> Cause {
    let kind = kind_of(raw);
    let shown = shown(raw);
    let needed = match takes {
        FieldKind::Digits | FieldKind::Bytes if kind == "a number" => {
            "under this format a string is needed; give format=int for whole numbers, such as external64:format=int, or"
        }
        FieldKind::Numbers => "a whole number or a string of digits is needed;",
        FieldKind::Tokens => "a list of tokens, or an object of weights, is needed;",
        _ => "a string is needed;",
    };
    let inner = path_into(raw).filter(|_| kind == "a list" && takes == FieldKind::Texts);
    let other = inner.map_or_else(
        || msg!("another field"),
        |path| msg!("the texts in the list, \"{field}.{path}\","),
    );
    let message = msg!("field {field:?} is {shown}; {needed} fix the record or name {other} with {@text_field}");
    ("text_not_string", message)
}

fn no_text_field(fields: &[String], line: &str) -> Cause {
    // The line has been walked once without an error, so its keys are there.
    let keys = keys_of(line).unwrap_or_default();
    let shown: Vec<_> = keys
        .iter()
        .take(SHOWN_KEYS)
        .map(|key| format!("{:?}", shorten(key, SHOWN_CHARS)))
        .collect();
    let more = keys.len().saturating_sub(SHOWN_KEYS);
    let has = match (shown.is_empty(), more) {
        (true, _) => msg!("no fields at all"),
        (false, 0) => msg!("the fields {shown}"),
        (false, more) => msg!("the fields {shown} and {more} more"),
    };
    let wanted: Vec<_> = fields.iter().map(|field| format!("{field:?}")).collect();
    let wanted = wanted.join(" or ");
    let message = msg!(
        "no field {wanted}; the record has {has}; fix the record or name the field that holds the text with \
         {@text_field}"
    );
    ("no_text_field", message)
}

/// Why a line could not be walked, or a string of it not be read.
fn diagnose(line: &str, unit: &str, error: &serde_json::Error) -> Cause {
    let shown = shorten(line, SHOWN_CHARS);
    if let Err(error) = serde_json::from_str::<IgnoredAny>(line) {
        // The message ends with the place; its line is 1 always, and misleads beside the line of the file.
        let what = error.to_string();
        let what = what.split(" at line ").next().unwrap_or_default();
        let message = msg!(
            "not JSON ({what} at column {column}): {shown}; each {unit} must be one JSON object and nothing \
             else; fix the record",
            column = error.column()
        );
        return ("not_json", message);
    }
    let value = line.trim_ascii_start();
    if !value.starts_with('{') {
        let message = msg!(
            "the record is {value} ({shown}); each {unit} must be a JSON object; fix the record",
            value = kind_of(value)
        );
        return ("not_object", message);
    }
    match lone_surrogate(line) {
        Some((at, escape)) => {
            let message = msg!(
                "the escape {escape} at byte {at} is half of a surrogate pair and no character; fix the \
                 record: write both halves, or \\ufffd in its place"
            );
            ("lone_surrogate", message)
        }
        // Whole JSON, an object, and every string sound: nothing is known that would come here.
        None => ("not_json", msg!("not readable ({error}): {shown}; fix the record")),
    }
}

/// The first half of a surrogate pair without its other half, in a line that is JSON: where it is and how it is written.
fn lone_surrogate(line: &str) -> Option<(usize, &str)> {
    let unit = |at: usize| -> Option<u16> {
        let digits = line.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let mut at = 0;
    // In valid JSON a backslash is in strings only, so strings need not be found.
    while let Some(step) = memchr::memchr(b'\\', &line.as_bytes()[at..]) {
        at += step;
        at += match unit(at) {
            None => 2,
            Some(0xD800..=0xDBFF) if matches!(unit(at + 6), Some(0xDC00..=0xDFFF)) => 12,
            Some(0xD800..=0xDFFF) => return Some((at, &line[at..at + 6])),
            Some(_) => 6,
        };
    }
    None
}

/// The kind of a JSON value by its first byte.
fn kind_of(raw: &str) -> &'static str {
    match raw.as_bytes().first() {
        Some(b'"') => "a string",
        Some(b'{') => "an object",
        Some(b'[') => "a list",
        Some(b't' | b'f') => "a boolean",
        Some(b'n') => "null",
        _ => "a number",
    }
}
