//! From a record's bytes to the fields that are wanted.
//!
//! In come the bytes of one record and the names of the [`Fields`]; out comes a [`Record`] that borrows from them, or a
//! [`Failure`]. The pipeline calls [`Store::parse`] on every record, so only what is wanted is built; the rest is checked
//! to be JSON and skipped (by `walk`). What exactly is wrong with a bad record is found out off the fast path.

use std::borrow::Cow;

use serde::de::IgnoredAny;

use super::encoding::{Finder, FromUtf16, decode, utf16_cause, utf16_of};
use super::failure::shorten;
use super::folder::Kind;
use super::store::{Body, RecordFormat};
use super::walk::{Found, Slots, keys_of, string_of, walk};
use super::{Asked, Failure, Format, Store, Value};
use crate::text::html;

/// How many characters of a value a message shows.
const SHOWN_CHARS: usize = 80;

/// How many of a record's field names a message lists.
const SHOWN_KEYS: usize = 8;

/// The fields that are wanted of a JSON record or of a row of a table.
///
/// In a table a name is a column's. In JSON a name is looked up as a key first, dots and all; failing that, what stands before its first dot is the key of an
/// object in which the rest is looked up in the same way. Where a key stands twice in an object, the last one counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fields {
    /// The fields that hold the text, in the order in which they are joined; at least one.
    pub text: Vec<String>,
    /// The field that holds the label; a record may lack it.
    pub id: String,
    /// The fields that keep rules compare.
    pub values: Vec<String>,
    /// What the text may be besides a string.
    pub takes: Takes,
}

/// What a text field may hold besides texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Takes {
    /// Nothing.
    #[default]
    Texts,
    /// Nothing, and the texts are fingerprints in digits.
    Digits,
    /// Fingerprints as numbers, which are taken as they are written.
    Numbers,
    /// Fingerprints as bytes, where a source has bytes.
    Bytes,
}

impl Default for Fields {
    /// The text in `text`, the label in `id`, no values.
    fn default() -> Self {
        Self {
            text: vec!["text".to_owned()],
            id: "id".to_owned(),
            values: Vec::new(),
            takes: Takes::Texts,
        }
    }
}

/// What is wanted of one record; see [`Store::parse`].
#[derive(Debug, Clone, PartialEq)]
pub struct Record<'a> {
    /// The document's text.
    pub text: Cow<'a, str>,
    /// The label as it is written in JSON: a string with its quotes, a number or a boolean. Null, a list or an object is
    /// no label, nor is an empty field of a table.
    pub id: Option<Cow<'a, [u8]>>,
    /// The values of [`Fields::values`], in their order.
    pub values: Vec<Value>,
}

/// A failure's code and its message without the place.
pub(super) type Cause = (&'static str, String);

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
        let source = self.source_at(position);
        if source.format == RecordFormat::File {
            return self.parse_file(position, bytes, fields);
        }
        if !source.decided.is_utf8_inside() {
            let line = decode(bytes, source.decided.encoding)?;
            return self.parse_line(position, &line, fields).map(Record::into_owned);
        }
        let invalid = |_| {
            if source.decided.is_utf16() {
                utf16_cause(bytes, source.decided.encoding)
            } else if source.format == RecordFormat::Row && fields.takes != Takes::Texts {
                invalid_utf8(
                    bytes,
                    ", so it is no text; for a column of packed bytes give format=bytes, such as external64:format=bytes",
                )
            } else {
                invalid_utf8(bytes, MEND)
            }
        };
        let line = simdutf8::basic::from_utf8(bytes).map_err(invalid)?;
        self.parse_line(position, line, fields)
    }

    fn parse_line<'a>(&self, position: usize, line: &'a str, fields: &Fields) -> Result<Record<'a>, Cause> {
        match self.format_of(position) {
            RecordFormat::Lines(Format::Jsonl) | RecordFormat::Row => parse_json(line, fields),
            RecordFormat::Lines(Format::Csv | Format::Tsv) => self.parse_row(position, line, fields),
            RecordFormat::Lines(Format::Text) => match memchr::memchr(0, line.as_bytes()) {
                None => Ok(plain(line, fields)),
                Some(at) => Err(("nul", nul_at(at))),
            },
            RecordFormat::Raw | RecordFormat::File => Ok(plain(line, fields)),
        }
    }

    /// A file of a folder: its text whole, labelled with its path from the folder on.
    fn parse_file<'a>(&self, position: usize, bytes: &'a [u8], fields: &Fields) -> Result<Record<'a>, Cause> {
        let source = self.source_at(position);
        let Body::Folder(folder) = &source.body else {
            return Ok(plain("", fields));
        };
        let entry = &folder.entries[position - source.first];
        if let Some(Failure { code, message }) = &entry.trouble {
            return Err((*code, message.clone()));
        }
        let text = match (entry.kind, source.asked) {
            (Kind::Html, asked) => {
                let charset = match asked {
                    Asked::Named(encoding) => Some(encoding.name()),
                    Asked::Utf8 | Asked::Auto => None,
                };
                html::decode(bytes, charset)
                    .map_err(|error| ("not_text", error.to_string()))?
                    .0
            }
            (Kind::Text, asked) => file_text(bytes, asked)?,
        };
        if let Some(at) = memchr::memchr(0, text.as_bytes()) {
            return Err(("nul", nul_at(at)));
        }
        // A name that is no UTF-8 has failed above.
        let name = entry.name.to_string_lossy();
        Ok(Record {
            text,
            id: Some(Cow::Owned(serde_json::Value::from(&*name).to_string().into_bytes())),
            values: vec![Value::Missing; fields.values.len()],
        })
    }
}

impl Record<'_> {
    /// The same record, nothing of it lent.
    fn into_owned<'a>(self) -> Record<'a> {
        Record {
            text: Cow::Owned(self.text.into_owned()),
            id: self.id.map(|id| Cow::Owned(id.into_owned())),
            values: self.values,
        }
    }
}

/// The text of a whole file, its byte order mark left out.
fn file_text(bytes: &[u8], asked: Asked) -> Result<Cow<'_, str>, Cause> {
    if let Some(encoding) = utf16_of(&bytes[..bytes.len().min(4096)], asked) {
        let mut text = Vec::new();
        // Reading from memory does not fail.
        let _ = std::io::Read::read_to_end(&mut FromUtf16::new(bytes, encoding), &mut text);
        let text = String::from_utf8(text).map_err(|error| utf16_cause(error.as_bytes(), encoding))?;
        return Ok(Cow::Owned(
            text.strip_prefix('\u{FEFF}').map(str::to_owned).unwrap_or(text),
        ));
    }
    let bytes = bytes.strip_prefix(super::BOM).unwrap_or(bytes);
    let mut finder = Finder::new(asked);
    finder.feed(bytes);
    let decided = finder.finish();
    if decided.is_utf8_inside() {
        return simdutf8::basic::from_utf8(bytes)
            .map(Cow::Borrowed)
            .map_err(|_| invalid_utf8(bytes, MEND));
    }
    decode(bytes, decided.encoding).map(Cow::Owned)
}

pub(super) fn nul_at(at: usize) -> String {
    format!("zero byte at byte {at}; is the file UTF-16 or binary? Convert it to UTF-8 text, or leave it out")
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
    let several = slots.texts.len() > 1;
    let mut texts = Vec::with_capacity(slots.texts.len());
    for (slot, name) in slots.texts.iter_mut().zip(&fields.text) {
        match std::mem::replace(&mut slot.found, Found::Nothing) {
            Found::Text(text) => texts.push(text),
            Found::Raw(raw) if raw.starts_with('"') => {
                texts.push(string_of(raw).map_err(|error| diagnose(line, &error))?);
            }
            Found::Raw(raw) if fields.takes == Takes::Numbers && kind_of(raw) == "a number" => {
                texts.push(Cow::Borrowed(raw));
            }
            // Of several fields a record may lack some.
            Found::Raw("null") if several => {}
            Found::Raw(raw) => return Err(text_not_string(name, raw, fields.takes)),
            Found::Nothing => {}
        }
    }
    if texts.is_empty() {
        return Err(no_text_field(&fields.text, line));
    }
    let text = joined(texts);
    let id = match slots.id.found {
        Found::Raw(raw) if !raw.starts_with(['n', '[', '{']) => Some(Cow::Borrowed(raw.as_bytes())),
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

/// Several texts as one, a line break between them.
pub(super) fn joined(mut texts: Vec<Cow<'_, str>>) -> Cow<'_, str> {
    if texts.len() == 1 {
        texts.remove(0)
    } else {
        Cow::Owned(texts.join("\n"))
    }
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

fn text_not_string(field: &str, raw: &str, takes: Takes) -> Cause {
    let kind = kind_of(raw);
    let shown = if kind == "null" {
        kind.to_owned()
    } else {
        format!("{kind} {}", shorten(raw, SHOWN_CHARS))
    };
    let needed = match takes {
        Takes::Digits | Takes::Bytes if kind == "a number" => {
            "under this format a string is needed; give format=int for whole numbers, such as external64:format=int, or"
        }
        Takes::Numbers => "a whole number or a string of digits is needed;",
        _ => "a string is needed;",
    };
    let message =
        format!("field {field:?} is {shown}; {needed} mend the record or name another field with --text-field");
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
        (true, _) => "no fields at all".to_owned(),
        (false, 0) => format!("the fields {}", shown.join(", ")),
        (false, more) => format!("the fields {} and {more} more", shown.join(", ")),
    };
    let wanted: Vec<_> = fields.iter().map(|field| format!("{field:?}")).collect();
    let wanted = wanted.join(" or ");
    let message = format!(
        "no field {wanted}; the record has {has}; mend the record or name the field that holds the text with \
         --text-field"
    );
    ("no_text_field", message)
}

/// What to do with bytes that are no UTF-8, in most cases.
const MEND: &str = "; mend the record, or convert the file to UTF-8, for example with iconv";

fn invalid_utf8(bytes: &[u8], advice: &str) -> Cause {
    let at = std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
    let seen: Vec<_> = bytes[at..].iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    let message = format!("not valid UTF-8 at byte {at} (bytes {}){advice}", seen.join(" "));
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
