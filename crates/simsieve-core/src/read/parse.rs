//! From a record's bytes to the fields that are wanted.
//!
//! In come the bytes of one record and the names of the [`Fields`]; out comes a [`Record`] that borrows from them, or a
//! [`Failure`]. The pipeline calls [`Store::parse`] on every record, so only what is wanted is built; the rest is checked
//! to be JSON and skipped (by `walk`). What exactly is wrong with a bad record is found out off the fast path.

use std::borrow::Cow;

use serde::de::IgnoredAny;

use super::failure::shorten;
use super::store::RecordFormat;
use super::walk::{Found, Slots, keys_of, string_of, walk};
use super::{Failure, Format, Store, Value};

/// How many characters of a value a message shows.
const SHOWN_CHARS: usize = 80;

/// How many of a record's field names a message lists.
const SHOWN_KEYS: usize = 8;

/// The fields that are wanted of a JSON record.
///
/// A name is looked up as a key first, dots and all; failing that, what stands before its first dot is the key of an
/// object in which the rest is looked up in the same way. Where a key stands twice in an object, the last one counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fields {
    /// The field that holds the text.
    pub text: String,
    /// The field that holds the label; a record may lack it.
    pub id: String,
    /// The fields that keep rules compare.
    pub values: Vec<String>,
    /// Whether the text may also be a number, which is taken as it is written.
    pub numbers: bool,
}

impl Default for Fields {
    /// The text in `text`, the label in `id`, no values.
    fn default() -> Self {
        Self {
            text: "text".to_owned(),
            id: "id".to_owned(),
            values: Vec::new(),
            numbers: false,
        }
    }
}

/// What is wanted of one record.
#[derive(Debug, Clone, PartialEq)]
pub struct Record<'a> {
    /// The document's text.
    pub text: Cow<'a, str>,
    /// The label as it is written in JSON: a string with its quotes, a number or a boolean. Null, a list or an object is
    /// no label.
    pub id: Option<&'a [u8]>,
    /// The values of [`Fields::values`], in their order.
    pub values: Vec<Value>,
}

/// A failure's code and its message without the place.
type Cause = (&'static str, String);

impl Store {
    /// Parses the record at `position`, whose bytes the caller has read (see [`super::Block::record`]).
    pub fn parse<'a>(&self, position: usize, bytes: &'a [u8], fields: &Fields) -> Result<Record<'a>, Failure> {
        self.parse_bytes(position, bytes, fields)
            .map_err(|(code, message)| Failure::new(code, format!("{}: {message}", self.locate(position))))
    }

    fn parse_bytes<'a>(&self, position: usize, bytes: &'a [u8], fields: &Fields) -> Result<Record<'a>, Cause> {
        if let Some(length) = self.overlong(position) {
            let limit = self.limit();
            let message = format!(
                "the record has {length} bytes and the limit is {limit}; split it, or raise the limit with \
                 --max-record-bytes"
            );
            return Err(("too_long", message));
        }
        let line = simdutf8::basic::from_utf8(bytes).map_err(|_| invalid_utf8(bytes))?;
        match self.format_of(position) {
            RecordFormat::Lines(Format::Jsonl) => parse_json(line, fields),
            RecordFormat::Lines(Format::Text) => match memchr::memchr(0, bytes) {
                None => Ok(plain(line, fields)),
                Some(at) => Err((
                    "nul",
                    format!(
                        "zero byte at byte {at}; is the file UTF-16 or binary? Convert it to UTF-8 text, or leave it out"
                    ),
                )),
            },
            RecordFormat::Raw => Ok(plain(line, fields)),
        }
    }
}

/// A document that is nothing but its text.
fn plain<'a>(text: &'a str, fields: &Fields) -> Record<'a> {
    Record {
        text: Cow::Borrowed(text),
        id: None,
        values: vec![Value::Missing; fields.values.len()],
    }
}

fn parse_json<'a>(line: &'a str, fields: &Fields) -> Result<Record<'a>, Cause> {
    let mut slots = Slots::new(fields, false);
    if walk(line, &mut slots, 0).is_err() {
        // Perhaps only the text is no string: take it as written and see.
        slots = Slots::new(fields, true);
        walk(line, &mut slots, 0).map_err(|error| diagnose(line, &error))?;
    }
    let text = match slots.text.found {
        Found::Text(text) => text,
        Found::Raw(raw) if raw.starts_with('"') => string_of(raw).map_err(|error| diagnose(line, &error))?,
        Found::Raw(raw) if fields.numbers && kind_of(raw) == "a number" => Cow::Borrowed(raw),
        Found::Raw(raw) => return Err(text_not_string(&fields.text, raw)),
        Found::Nothing => return Err(no_text_field(&fields.text, line)),
    };
    let id = match slots.id.found {
        Found::Raw(raw) if !raw.starts_with(['n', '[', '{']) => Some(raw.as_bytes()),
        _ => None,
    };
    let values = slots
        .values
        .iter()
        .map(|slot| value_of(&slot.found))
        .collect::<Result<_, _>>();
    let values = values.map_err(|error| diagnose(line, &error))?;
    Ok(Record { text, id, values })
}

fn value_of(found: &Found<'_>) -> serde_json::Result<Value> {
    let raw = match found {
        Found::Raw(raw) => *raw,
        // A slot for a value is never filled with a text that was read already.
        Found::Text(_) | Found::Nothing => return Ok(Value::Missing),
    };
    Ok(match raw.as_bytes().first() {
        Some(b'"') => Value::Text(string_of(raw)?.into_owned()),
        Some(b't') => Value::Int(1),
        Some(b'f') => Value::Int(0),
        Some(b'-' | b'0'..=b'9') => Value::of_number(raw),
        _ => Value::Missing,
    })
}

fn text_not_string(field: &str, raw: &str) -> Cause {
    let kind = kind_of(raw);
    let shown = if kind == "null" {
        kind.to_owned()
    } else {
        format!("{kind} {}", shorten(raw, SHOWN_CHARS))
    };
    let message = format!(
        "field {field:?} is {shown}; a string is needed; mend the record or name another field with --text-field"
    );
    ("text_not_string", message)
}

fn no_text_field(field: &str, line: &str) -> Cause {
    // The line has been walked once without an error, so its keys are there.
    let keys = keys_of(line).unwrap_or_default();
    let shown: Vec<_> = keys
        .iter()
        .take(SHOWN_KEYS)
        .map(|key| format!("{:?}", shorten(key, SHOWN_CHARS)))
        .collect();
    let more = keys.len().saturating_sub(SHOWN_KEYS);
    let has = match (shown.is_empty(), more) {
        (true, _) => "no fields at all".to_owned(),
        (false, 0) => format!("the fields {}", shown.join(", ")),
        (false, more) => format!("the fields {} and {more} more", shown.join(", ")),
    };
    let message = format!(
        "no field {field:?}; the record has {has}; mend the record or name the field that holds the text with \
         --text-field"
    );
    ("no_text_field", message)
}

fn invalid_utf8(bytes: &[u8]) -> Cause {
    let at = std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
    let seen: Vec<_> = bytes[at..].iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    let message = format!(
        "not valid UTF-8 at byte {at} (bytes {}); mend the record, or convert the file to UTF-8, for example with iconv",
        seen.join(" ")
    );
    ("invalid_utf8", message)
}

/// Why a line could not be walked, or a string of it not be read.
fn diagnose(line: &str, error: &serde_json::Error) -> Cause {
    let shown = shorten(line, SHOWN_CHARS);
    if let Err(error) = serde_json::from_str::<IgnoredAny>(line) {
        // The message ends with the place; its line is 1 always, and misleads beside the line of the file.
        let what = error.to_string();
        let what = what.split(" at line ").next().unwrap_or_default();
        let message = format!(
            "not JSON ({what} at column {}): {shown}; each line must be one JSON object and nothing else; mend the record",
            error.column()
        );
        return ("not_json", message);
    }
    let value = line.trim_ascii_start();
    if !value.starts_with('{') {
        let message = format!(
            "the record is {} ({shown}); each line must be a JSON object; mend the record",
            kind_of(value)
        );
        return ("not_object", message);
    }
    match lone_surrogate(line) {
        Some((at, escape)) => {
            let message = format!(
                "the escape {escape} at byte {at} is half of a surrogate pair and no character; mend the record: write \
                 both halves, or \\ufffd in its place"
            );
            ("lone_surrogate", message)
        }
        // Whole JSON, an object, and every string sound: nothing is known that would come here.
        None => ("not_json", format!("not readable ({error}): {shown}; mend the record")),
    }
}

/// The first half of a surrogate pair that stands alone, in a line that is JSON: where and how it is written.
fn lone_surrogate(line: &str) -> Option<(usize, &str)> {
    let unit = |at: usize| -> Option<u16> {
        let digits = line.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let mut at = 0;
    // In valid JSON a backslash stands in strings only, so no strings need to be told apart.
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
