//! Why a record cannot be used.
//!
//! Parsing makes a [`Failure`]. A run counts it against `max_failed`, and [`crate::sink::FailedSink`] keeps the record with
//! it. The codes are part of the contract: they are the `reason` of a failed record's decision.

use std::fmt;

use crate::base::message::Message;

/// A record that could not be read. The run goes on without it.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// One of [`FAILURE_CODES`].
    pub code: &'static str,
    /// The file and line, the value, what is allowed, and what to do next.
    pub message: Message,
}

impl Failure {
    /// A failure of the given code.
    pub fn new(code: &'static str, message: Message) -> Self {
        Self { code, message }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.message)
    }
}

/// Every code a record can fail with, and what it means.
pub const FAILURE_CODES: &[(&str, &str)] = &[
    (
        "not_json",
        "The line is not one whole JSON value, or something follows it.",
    ),
    ("not_object", "The line is JSON but not an object."),
    (
        "no_text_field",
        "The object has no field of the name that holds the text.",
    ),
    (
        "text_not_string",
        "The text field holds null, a number, a boolean, a list or an object instead of a string.",
    ),
    (
        "lone_surrogate",
        "A string that is needed has half of a surrogate pair, which is no character.",
    ),
    ("invalid_utf8", "The line is not valid UTF-8."),
    (
        "undecodable",
        "The record is not valid in the encoding that was named or found.",
    ),
    (
        "bad_quotes",
        "In a row of a table a quote is not closed, or something is between a closing quote and the next delimiter.",
    ),
    (
        "ragged_row",
        "The row of a table has more or fewer fields than its header.",
    ),
    (
        "nul",
        "A line of a text file or table has a zero byte, as UTF-16 and binary files have.",
    ),
    (
        "unreadable",
        "A file or folder in a folder cannot be read, or is no regular file.",
    ),
    ("bad_name", "The name of a file in a folder is not UTF-8."),
    ("not_text", "A file in a folder is named as a page but is no text."),
    ("too_long", "The record is longer than the limit and was not loaded."),
    (
        "bad_date",
        "The field of the date is missing, or what it holds is no date or an ambiguous one.",
    ),
    (
        "unusable_text",
        "The scheme cannot use the text: it is not what the scheme takes its features from.",
    ),
];

/// A failure's code and its message without the place.
pub(super) type Cause = (&'static str, Message);

/// At most `limit` characters of a value, with a mark where something was left out.
pub(super) fn shorten(value: &str, limit: usize) -> String {
    match value.char_indices().nth(limit) {
        None => value.to_owned(),
        Some((end, _)) => format!("{}...", &value[..end]),
    }
}
