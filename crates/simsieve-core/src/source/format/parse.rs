//! From a record's bytes to the fields that are wanted, whatever its format.

use std::path::Path;
use std::sync::Arc;

use super::csv::Header;
use super::encoding::{EncodingChoice, SourceEncoding, decode_as, utf16_cause};
use super::record::{FILE_KEYS, Fields, Record};
use super::text::{invalid_utf8, parse_line, plain};
use super::{Format, RecordFormat, jsonl};
use crate::base::error::{Error, Result};
use crate::base::message::Message;
use crate::source::failure::{Cause, FAILURE_CODES};
use crate::text::FieldKind;

/// Why a row fails whose first field is `failure` with a code and a message: whoever handed it over could not use it. A value of a
/// column is never a list, so no other row is taken for one.
fn failed_row(line: &str) -> Option<Cause> {
    let rest = line
        .strip_prefix(r#"{"failure":"#)
        .filter(|rest| rest.starts_with('['))?;
    let mut values = serde_json::Deserializer::from_str(rest).into_iter::<(String, serde_json::Value)>();
    let (code, message) = values.next()?.ok()?;
    let (code, _) = FAILURE_CODES.iter().find(|(known, _)| *known == code)?;
    Some((code, Message::from_json(&message)?))
}

/// How the records of a source are laid out, and how they are encoded.
#[derive(Debug)]
pub(in crate::source) struct Layout {
    pub(in crate::source) format: RecordFormat,
    /// The encoding that the caller chose.
    pub(in crate::source) choice: EncodingChoice,
    /// The encoding of the records.
    pub(in crate::source) encoding: SourceEncoding,
    /// The first row of a table.
    pub(in crate::source) header: Option<Arc<Header>>,
    /// The longest record that is parsed, in bytes.
    pub(in crate::source) limit: u64,
}

impl Layout {
    /// Records in UTF-8 without a header.
    pub(in crate::source) fn new(format: RecordFormat, limit: u64) -> Self {
        Self {
            format,
            choice: EncodingChoice::Utf8,
            encoding: SourceEncoding::UTF8,
            header: None,
            limit,
        }
    }

    /// Makes sure that a table has the columns that are wanted, and that texts need no other fields. Values that keep rules compare
    /// are needed where the records are `ordered`.
    pub(in crate::source) fn check_fields(&self, fields: &Fields, ordered: bool, path: &Path) -> Result<()> {
        let texts = RecordFormat::Lines(Format::Text);
        let of_texts = [texts, RecordFormat::Raw, RecordFormat::File].contains(&self.format);
        let has = |name: &&String| self.format != RecordFormat::Raw && FILE_KEYS.contains(&name.as_str());
        if let (true, Some(name)) = (of_texts && ordered, fields.values.iter().find(|name| !has(name))) {
            return Err(Error::Config(if self.format == RecordFormat::Raw {
                msg!(
                    "texts in memory have no field {name:?} for {@`keep`} or {@date_field} to compare; give records \
                     with fields, or first, last, longest or shortest"
                )
            } else {
                msg!(
                    "{path}: its records are texts and have no field {name:?} for {@`keep`} or {@date_field} to \
                     compare; of their files there are max:mtime, min:mtime, path and shortest-name, and of \
                     texts longest and shortest",
                    path = path.display()
                )
            }));
        }
        match (&self.header, fields.equal.first()) {
            (Some(header), _) => header.check(fields, ordered, path),
            (None, Some(name)) if of_texts => Err(Error::Config(msg!(
                "{path}: its records are texts and have no field {name:?}; the settings {`block_by`} and \
                 {`differ`} need records with fields, such as JSON lines or a table",
                path = path.display()
            ))),
            _ => Ok(()),
        }
    }

    /// Why a record of this many bytes is not parsed.
    pub(in crate::source) fn too_long(&self, length: u64) -> Cause {
        let message = msg!(
            "the record has {length} bytes and the limit is {limit}; split it, or raise the limit with \
             {@max_record_bytes}",
            limit = self.limit
        );
        ("too_long", message)
    }

    /// Parses the bytes of a record that is no file.
    pub(in crate::source) fn parse<'a>(
        &self,
        bytes: &'a [u8],
        fields: &Fields,
    ) -> std::result::Result<Record<'a>, Cause> {
        if !self.encoding.is_utf8_inside() {
            let line = decode_as(bytes, self.encoding)?;
            return self.parse_text(&line, fields).map(Record::into_owned);
        }
        let invalid = |_| {
            if self.encoding.is_utf16() {
                utf16_cause(bytes, self.encoding.encoding)
            } else {
                invalid_utf8(
                    bytes,
                    self.format == RecordFormat::Row && fields.takes != FieldKind::Texts,
                )
            }
        };
        let line = simdutf8::basic::from_utf8(bytes).map_err(invalid)?;
        self.parse_text(line, fields)
    }

    fn parse_text<'a>(&self, line: &'a str, fields: &Fields) -> std::result::Result<Record<'a>, Cause> {
        match self.format {
            RecordFormat::Lines(Format::Json) => jsonl::parse_json(line, fields, "item of the list"),
            RecordFormat::Lines(Format::Jsonl) => jsonl::parse_json(line, fields, "line"),
            RecordFormat::Row => match failed_row(line) {
                Some(cause) => Err(cause),
                None => jsonl::parse_json(line, fields, jsonl::ROW),
            },
            RecordFormat::Lines(Format::Csv | Format::Tsv) => match &self.header {
                Some(header) => header.parse(line, fields),
                // A source with rows has a header: it is the first of them.
                None => Err(("ragged_row", msg!("the row has no header above it"))),
            },
            RecordFormat::Lines(Format::Text) => parse_line(line, fields),
            RecordFormat::Raw | RecordFormat::File => Ok(plain(line, fields)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::failed_row;

    #[test]
    fn a_row_that_fails_has_a_code_and_a_message() {
        let line = r#"{"failure":["not_text","it is an image"],"id":"a","text":null}"#;
        assert_eq!(failed_row(line), Some(("not_text", msg!("it is an image"))));
    }

    #[test]
    fn no_other_row_is_taken_for_one() {
        for line in [
            r#"{"failure":null,"text":"a"}"#,
            r#"{"failure":"not_text","text":"a"}"#,
            r#"{"failure":["no such code","why"]}"#,
            r#"{"failure":["not_text"]}"#,
            r#"{"failure":["#,
            r#"{"text":"a","failure":["not_text","why"]}"#,
        ] {
            assert_eq!(failed_row(line), None, "{line}");
        }
    }
}
