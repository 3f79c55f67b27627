//! Texts as they are: a line, a text in memory, a file of a folder.

use std::borrow::Cow;
use std::io::Read;

use encoding_rs::UTF_8;

use super::encoding::{BOM, EncodingChoice, FromUtf16, SourceEncoding, decode, decode_as, utf16_cause, utf16_of};
use super::record::{Fields, Record, nul_at};
use super::value::Value;
use crate::source::failure::Cause;
use crate::text::{encoding, html};

/// How the text of a file is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::source) enum FileKind {
    /// The file is a text.
    Text,
    /// The file is a page, which may name its encoding.
    Html,
    /// The file is of another program; its text was read by other means.
    Paper,
}

/// Parses a line that is a text.
pub(super) fn parse_line<'a>(line: &'a str, fields: &Fields) -> Result<Record<'a>, Cause> {
    match memchr::memchr(0, line.as_bytes()) {
        None => Ok(plain(line, fields)),
        Some(at) => Err(("nul", nul_at(at))),
    }
}

/// Parses a file of a folder: its whole text, without a label.
pub(in crate::source) fn parse_file<'a>(
    bytes: &'a [u8],
    kind: FileKind,
    choice: EncodingChoice,
    fields: &Fields,
) -> Result<Record<'a>, Cause> {
    let text = match kind {
        FileKind::Paper => simdutf8::basic::from_utf8(bytes)
            .map(Cow::Borrowed)
            .map_err(|_| invalid_utf8(bytes, false))?,
        // A zero byte in a page is one that browsers leave out.
        FileKind::Html => {
            let charset = match choice {
                EncodingChoice::Named(encoding) => Some(encoding.name()),
                EncodingChoice::Utf8 | EncodingChoice::Auto => None,
            };
            let decoded = html::decode(bytes, charset);
            decoded.map_err(|error| ("not_text", error.message()))?.0
        }
        FileKind::Text => {
            let text = file_text(bytes, choice)?;
            if let Some(at) = memchr::memchr(0, text.as_bytes()) {
                return Err(("nul", nul_at(at)));
            }
            text
        }
    };
    Ok(Record {
        text,
        ..plain("", fields)
    })
}

/// A document that is nothing but its text.
pub(super) fn plain<'a>(text: &'a str, fields: &Fields) -> Record<'a> {
    Record {
        text: Cow::Borrowed(text),
        id: None,
        values: vec![Value::Missing; fields.values.len()],
        group: 0,
        facts: vec![None; fields.facts.len()],
    }
}

/// The text of a whole file, its byte order mark left out.
fn file_text(bytes: &[u8], choice: EncodingChoice) -> Result<Cow<'_, str>, Cause> {
    if let Some(encoding) = utf16_of(&bytes[..bytes.len().min(4096)], choice) {
        let mut text = Vec::new();
        // Reading from memory does not fail.
        let _ = FromUtf16::new(bytes, encoding).read_to_end(&mut text);
        let text = String::from_utf8(text).map_err(|error| utf16_cause(error.as_bytes(), encoding))?;
        return Ok(Cow::Owned(
            text.strip_prefix('\u{FEFF}').map(str::to_owned).unwrap_or(text),
        ));
    }
    let bytes = bytes.strip_prefix(BOM).unwrap_or(bytes);
    match choice {
        EncodingChoice::Named(encoding) => decode(bytes, encoding).map(Cow::Owned),
        EncodingChoice::Utf8 | EncodingChoice::Auto => simdutf8::basic::from_utf8(bytes)
            .map(Cow::Borrowed)
            .map_err(|_| invalid_utf8(bytes, false)),
    }
}

/// Finds the encoding of a whole file. Lines that it does not have are a failure of the file.
pub(in crate::source) fn encoding_of_file(bytes: &[u8]) -> Result<EncodingChoice, Cause> {
    if let Some(encoding) = utf16_of(&bytes[..bytes.len().min(4096)], EncodingChoice::Auto) {
        return Ok(EncodingChoice::Named(encoding));
    }
    if bytes.starts_with(BOM) {
        return Ok(EncodingChoice::Utf8);
    }
    let encoding = encoding::of_file(bytes).map_err(|why| ("undecodable", why))?;
    if encoding == UTF_8 {
        return Ok(EncodingChoice::Utf8);
    }
    for line in bytes.split(|&byte| byte == b'\n') {
        decode_as(line, SourceEncoding::detected(encoding))?;
    }
    Ok(EncodingChoice::Named(encoding))
}

/// Why bytes are no UTF-8, and what to do; of a column where packed bytes are meant, perhaps.
pub(super) fn invalid_utf8(bytes: &[u8], packed: bool) -> Cause {
    let at = std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
    let seen: Vec<_> = bytes[at..].iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    let seen = seen.join(" ");
    let message = if packed {
        msg!(
            "not valid UTF-8 at byte {at} (bytes {seen}), so it is no text; for a column of packed bytes give \
             format=bytes, such as external64:format=bytes"
        )
    } else {
        msg!(
            "not valid UTF-8 at byte {at} (bytes {seen}); fix the record, or convert the file to UTF-8, for example \
             with iconv"
        )
    };
    ("invalid_utf8", message)
}
