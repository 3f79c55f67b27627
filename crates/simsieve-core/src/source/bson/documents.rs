//! Documents of `MongoDB`: from BSON to lines of JSON.
//!
//! In come documents as the server sends them, one after another; out goes a line a document, with the fields that are wanted.
//! A field that a document lacks is left out, so that parsing reports it like that of any other record.

use std::io::{self, Write};
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bson::raw::{RawBsonRef, RawDocument, RawDocumentBuf, RawElement};
use bson::{Bson, spec::ElementType};

use crate::base::error::Error;
use crate::base::message::Message;
use crate::source::error::source_error;

/// How deep a document may be. A server takes 180 levels.
const MOST_LEVELS: usize = 200;

/// The only key of a packed value's document.
const PACKED_KEY: &bson::raw::CStr = bson::raw::cstr!("v");

/// How a value is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BsonForm {
    /// As a text: strings and whole numbers in plain JSON, all else in canonical extended JSON.
    Text,
    /// As keep rules compare it. Numbers, strings and truth values are plain JSON. A date is its milliseconds since
    /// 1970, and an object id its digits. All else is canonical extended JSON.
    Value,
    /// As a label: a string in plain JSON, all else in canonical extended JSON.
    Label,
    /// Its bytes in base64, from which [`unpacked`] makes it again.
    Packed,
}

/// A field that is wanted of every document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BsonField {
    /// Its name; dots reach into documents, and not into arrays.
    pub name: String,
    /// How its value is written.
    pub form: BsonForm,
}

/// Why bytes are no document.
pub type BsonError = bson::error::Error;

/// The error for bytes of a server that are no document.
pub(in crate::source) fn no_document(path: &Path, error: &BsonError) -> Error {
    source_error(
        path,
        msg!(
            "the server sent what is no document ({error}); check the server",
            error = error.to_string()
        ),
    )
}

/// The names of fields as keys of a line's object.
pub(in crate::source) fn keys_of(names: &[String]) -> Vec<Vec<u8>> {
    let key = |name: &String| serde_json::Value::from(name.as_str()).to_string().into_bytes();
    names.iter().map(key).collect()
}

/// Cuts a batch into its documents.
pub(in crate::source) fn documents(batch: &[u8]) -> impl Iterator<Item = Result<&RawDocument, BsonError>> {
    let mut rest = batch;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        // What is too short for a length is refused by the parser, and nothing follows it.
        let length = rest.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes)) as usize;
        let (now, behind) = rest.split_at(if length < 5 { rest.len() } else { length.min(rest.len()) });
        rest = behind;
        Some(RawDocument::from_bytes(now))
    })
}

/// The documents of a reply: of the array `firstBatch` of the cursor's document.
pub(in crate::source) fn sent(
    cursor: &[u8],
) -> Result<impl Iterator<Item = Result<&RawDocument, BsonError>>, BsonError> {
    let array = RawDocument::from_bytes(cursor)?.get_array("firstBatch")?;
    Ok(array.into_iter().map(|value| match value? {
        RawBsonRef::Document(document) => Ok(document),
        _ => Err(BsonError::from(io::Error::other("a batch holds documents"))),
    }))
}

/// The number of a reply's cursor, which is 0 where the server has no more documents to send.
///
/// # Errors
/// Where the bytes are no cursor's document.
pub fn cursor_number(cursor: &[u8]) -> Result<i64, BsonError> {
    RawDocument::from_bytes(cursor)?.get_i64("id")
}

/// Whether two documents have the same `_id`, of the same type.
pub(in crate::source) fn have_one_id(one: &RawDocument, other: &RawDocument) -> Result<bool, BsonError> {
    Ok(packed_id(one)? == packed_id(other)?)
}

/// The bytes of a document's `_id`, with its type.
pub(in crate::source) fn packed_id(document: &RawDocument) -> Result<Option<Vec<u8>>, BsonError> {
    Ok(document.get("_id")?.map(packed))
}

/// A document's `_id` as canonical extended JSON.
pub(in crate::source) fn shown_id(document: &RawDocument) -> String {
    let id = document.get("_id").ok().flatten();
    let id = id.and_then(|id| Bson::try_from(id).ok());
    id.map_or_else(|| "none".to_owned(), |id| id.into_canonical_extjson().to_string())
}

/// Appends a document as an object, without a line end. `keys` are the fields' names as they are written.
pub(in crate::source) fn write_line(
    line: &mut Vec<u8>,
    keys: &[Vec<u8>],
    fields: &[BsonField],
    document: &RawDocument,
) -> Result<(), BsonError> {
    line.push(b'{');
    let start = line.len();
    let mut has_text = false;
    for (key, field) in keys.iter().zip(fields) {
        let Some(element) = found(document, &field.name)? else {
            continue;
        };
        has_text |= field.form == BsonForm::Text;
        if line.len() > start {
            line.push(b',');
        }
        line.extend_from_slice(key);
        line.push(b':');
        write_value(line, &element, field.form)?;
    }
    if !has_text && fields.iter().any(|field| field.form == BsonForm::Text) {
        let rest = line.split_off(start);
        let failure = serde_json::json!(["no_text_field", lacking(fields, document)]);
        print(
            line,
            format_args!("\"failure\":{failure}{}", if rest.is_empty() { "" } else { "," }),
        );
        line.extend_from_slice(&rest);
    }
    line.push(b'}');
    Ok(())
}

/// What a message says of a document without a text, in the words of its collection.
fn lacking(fields: &[BsonField], document: &RawDocument) -> Message {
    let texts = fields.iter().filter(|field| field.form == BsonForm::Text);
    let wanted: Vec<_> = texts.map(|field| format!("{:?}", field.name)).collect();
    msg!(
        "the document with _id {id} has no field {wanted}; fix the document or name the field that holds the \
         text with {@text_field}",
        id = shown_id(document),
        wanted = wanted.join(" or ")
    )
}

/// The element of a name; the last one of equal names does not matter here, since a server's index has the first.
fn found<'d>(document: &'d RawDocument, name: &str) -> Result<Option<RawElement<'d>>, BsonError> {
    let (first, rest) = name
        .split_once('.')
        .map_or((name, None), |(first, rest)| (first, Some(rest)));
    for element in document.iter_elements() {
        let element = element?;
        if element.key().as_str() != first {
            continue;
        }
        return match (rest, element.element_type()) {
            (None, _) => Ok(Some(element)),
            (Some(rest), ElementType::EmbeddedDocument) => match element.value()? {
                RawBsonRef::Document(inner) => found(inner, rest),
                _ => Ok(None),
            },
            (Some(_), _) => Ok(None),
        };
    }
    Ok(None)
}

fn write_value(line: &mut Vec<u8>, element: &RawElement<'_>, form: BsonForm) -> Result<(), BsonError> {
    let Ok(value) = element.value() else {
        // A string that is no UTF-8. A byte that is no UTF-8 either makes the record fail.
        let lossy = element.value_utf8_lossy()?;
        let text = lossy.as_str().unwrap_or_default();
        write_string(line, text);
        line.pop();
        line.extend_from_slice(b"\xff\"");
        return Ok(());
    };
    match (form, value) {
        (BsonForm::Packed, value) => {
            line.push(b'"');
            line.extend_from_slice(STANDARD.encode(packed(value)).as_bytes());
            line.push(b'"');
        }
        (_, RawBsonRef::String(text)) => write_string(line, text),
        (BsonForm::Text | BsonForm::Value, RawBsonRef::Int32(number)) => print(line, format_args!("{number}")),
        (BsonForm::Text | BsonForm::Value, RawBsonRef::Int64(number)) => print(line, format_args!("{number}")),
        (BsonForm::Value, RawBsonRef::Double(number)) if number.is_finite() => print(line, format_args!("{number:?}")),
        (BsonForm::Value, RawBsonRef::Boolean(truth)) => print(line, format_args!("{truth}")),
        (BsonForm::Value, RawBsonRef::DateTime(date)) => print(line, format_args!("{}", date.timestamp_millis())),
        (BsonForm::Value, RawBsonRef::ObjectId(id)) => write_string(line, &id.to_hex()),
        (BsonForm::Value, RawBsonRef::Decimal128(number)) => {
            let digits = number.to_string();
            let is_number = serde_json::from_str::<serde_json::Number>(&digits).is_ok();
            line.extend_from_slice(if is_number { digits.as_bytes() } else { b"null" });
        }
        (BsonForm::Label, RawBsonRef::ObjectId(id)) => {
            print(line, format_args!("{{\"$oid\":\"{}\"}}", id.to_hex()));
        }
        (_, RawBsonRef::Null | RawBsonRef::Undefined) => line.extend_from_slice(b"null"),
        (_, value) => {
            check_depth(value, MOST_LEVELS)?;
            let extended = Bson::try_from(value)?.into_canonical_extjson();
            print(line, format_args!("{extended}"));
        }
    }
    Ok(())
}

/// A value as a document of its own.
fn packed(value: RawBsonRef<'_>) -> Vec<u8> {
    let mut document = RawDocumentBuf::new();
    document.append(PACKED_KEY, value);
    document.into_bytes()
}

/// A packed value, as the only value of a document.
///
/// # Errors
/// Where the text is no packed value.
pub(in crate::source) fn unpacked(text: &[u8]) -> Result<RawDocumentBuf, Message> {
    let bytes = STANDARD.decode(text).map_err(Message::of)?;
    let document = RawDocumentBuf::from_bytes(bytes).map_err(Message::of)?;
    document.get(PACKED_KEY.as_str()).map_err(Message::of)?;
    Ok(document)
}

/// The value of a document that [`unpacked`] made.
pub(in crate::source) fn value_of(document: &RawDocument) -> RawBsonRef<'_> {
    let value = document.get(PACKED_KEY.as_str());
    value.ok().flatten().unwrap_or(RawBsonRef::Null)
}

/// Refuses what is too deep for the conversion, which goes a level of the stack down at each.
fn check_depth(value: RawBsonRef<'_>, left: usize) -> Result<(), BsonError> {
    let inner = match value {
        RawBsonRef::Document(document) => document,
        RawBsonRef::Array(array) => RawDocument::from_bytes(array.as_bytes())?,
        RawBsonRef::JavaScriptCodeWithScope(code) => code.scope,
        _ => return Ok(()),
    };
    for element in inner.iter_elements() {
        match left.checked_sub(1) {
            Some(left) => check_depth(element?.value()?, left)?,
            None => return Err(BsonError::from(io::Error::other("the document is too deep"))),
        }
    }
    Ok(())
}

fn write_string(line: &mut Vec<u8>, text: &str) {
    serde_json::to_writer(line, text).expect("memory takes every string");
}

fn print(line: &mut Vec<u8>, what: std::fmt::Arguments<'_>) {
    line.write_fmt(what).expect("memory takes every text");
}
