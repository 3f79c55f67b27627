//! The fields that are wanted of a record, and the record.

use std::borrow::Cow;

use super::value::Value;
use crate::base::hash::xxh3_128;
use crate::base::message::Message;
use crate::text::{FieldKind, fields};

/// What keep rules can compare of records that are texts alone: these are of their file.
pub(super) const FILE_KEYS: [&str; 3] = ["mtime", "path", "name_length"];

/// The fields that are wanted of a JSON record or of a row of a table.
///
/// In a table a name is a column's. In JSON a name is looked up as a key first, dots and all. Failing that, what precedes its
/// first dot is the key of an object in which the rest is looked up in the same way. Of equal keys in an object the last one
/// counts. In the name of a text `*` is every item of a list, whose texts are joined, and a number is one of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fields {
    /// The fields that hold the text, in the order in which they are joined; at least one.
    pub text: Vec<String>,
    /// The field that holds the label; a record may lack it.
    pub id: String,
    /// The fields that keep rules compare.
    pub values: Vec<String>,
    /// The fields that must be equal in two records that may be near.
    pub equal: Vec<String>,
    /// The fields whose values are given as they are written. Where there are some, a record may lack the text.
    pub facts: Vec<String>,
    /// What the text may be besides a string.
    pub takes: FieldKind,
}

impl Fields {
    /// The text alone.
    pub fn of_text(text: &[String], takes: FieldKind) -> Self {
        Self {
            text: text.to_vec(),
            id: String::new(),
            values: Vec::new(),
            equal: Vec::new(),
            facts: Vec::new(),
            takes,
        }
    }
}

impl Default for Fields {
    /// The text in `text`, the label in `id`, nothing else.
    fn default() -> Self {
        Self {
            text: vec!["text".to_owned()],
            id: "id".to_owned(),
            values: Vec::new(),
            equal: Vec::new(),
            facts: Vec::new(),
            takes: FieldKind::Texts,
        }
    }
}

/// What is wanted of one record; see [`crate::source::Sources::parse`].
#[derive(Debug, Clone, PartialEq)]
pub struct Record<'a> {
    /// The document's text.
    pub text: Cow<'a, str>,
    /// The label as it is written in JSON: a string with its quotes, a number or a boolean. An object is its canonical JSON
    /// as a string. Null or a list is no label, nor is an empty field of a table.
    pub id: Option<Cow<'a, [u8]>>,
    /// The values of [`Fields::values`], in their order.
    pub values: Vec<Value>,
    /// A hash of the values of [`Fields::equal`]; 0 where none are named.
    pub group: u128,
    /// The values of [`Fields::facts`], in their order: strings by their text, other values by their canonical JSON.
    pub facts: Vec<Option<Cow<'a, str>>>,
}

/// The group of a record by its values of [`Fields::equal`]: strings by their text, other values by their canonical JSON. Null, an
/// empty field of a table and a missing field are equal.
pub(super) fn group_of<'v>(values: impl Iterator<Item = Option<Cow<'v, str>>>) -> u128 {
    let mut bytes = Vec::new();
    for value in values {
        let value = value.unwrap_or_default();
        bytes.extend_from_slice(&(value.len() as u64).to_le_bytes());
        bytes.extend_from_slice(value.as_bytes());
    }
    if bytes.is_empty() { 0 } else { xxh3_128(&bytes) }
}

impl Record<'_> {
    /// The same record, nothing of it lent.
    pub(super) fn into_owned<'a>(self) -> Record<'a> {
        Record {
            text: Cow::Owned(self.text.into_owned()),
            id: self.id.map(|id| Cow::Owned(id.into_owned())),
            values: self.values,
            group: self.group,
            facts: self
                .facts
                .into_iter()
                .map(|fact| fact.map(|fact| Cow::Owned(fact.into_owned())))
                .collect(),
        }
    }
}

/// The texts of a record's fields as one.
pub(super) fn text_of(texts: Vec<Cow<'_, str>>, takes: FieldKind) -> Cow<'_, str> {
    match takes {
        FieldKind::Parts => Cow::Owned(fields::joined(&texts)),
        _ => joined(texts),
    }
}

/// Several texts as one, a line break between them.
pub(super) fn joined(mut texts: Vec<Cow<'_, str>>) -> Cow<'_, str> {
    if texts.len() == 1 {
        texts.remove(0)
    } else {
        Cow::Owned(texts.join("\n"))
    }
}

/// What a message says of a zero byte.
pub(super) fn nul_at(at: usize) -> Message {
    msg!("zero byte at byte {at}; is the file UTF-16 or binary? Convert it to UTF-8 text, or leave it out")
}
