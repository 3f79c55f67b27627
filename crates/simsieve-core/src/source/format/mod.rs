//! The formats of records: from bytes to records, and from a record's bytes to its fields.
//!
//! A name gives a [`Format`]; `scan` finds the records in a source's bytes; [`Layout`] parses one record. Nothing here knows
//! where bytes come from.
//!
//! Modules; each imports only those above it: `array`, `encoding`, `value`, `record`, `quotes`, `scan`, `pick`, `inside`; `jsonl`,
//! `csv`, `text` (one format each); `parse`; `place`; `spec`, `sniff`, `detect`.

pub(super) mod array;
pub(super) mod csv;
pub(super) mod detect;
pub(super) mod encoding;
mod inside;
mod jsonl;
mod parse;
mod pick;
pub(super) mod place;
pub(super) mod quotes;
pub(super) mod quoting;
pub(super) mod record;
pub(super) mod scan;
pub(super) mod sniff;
mod spec;
mod text;
pub(super) mod value;

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

pub(crate) use csv::Header;
pub(super) use parse::Layout;
pub use spec::{PaperText, Papers, Pattern, Quoting, ReadPaper, SourceSpec};
pub(super) use text::{FileKind, encoding_of_file, parse_file};

use crate::base::error::{Error, Result};
use crate::storage::compression::{Compression, ending};

/// How the records of a source are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// JSON lines: one object a line (`.jsonl`, `.ndjson`).
    Jsonl,
    /// A JSON list: one object an item (`.json`). Its items are copied to lines.
    Json,
    /// Text: one document a line (`.txt`).
    Text,
    /// A table with commas or another sign between its fields: a header, then a record a row (`.csv`).
    Csv,
    /// A table with tabs, read as one with commas is (`.tsv`).
    Tsv,
}

/// The names of the formats, the usual one of each first; all but the last are endings of files too.
const NAMES: [(&str, Format); 7] = [
    ("jsonl", Format::Jsonl),
    ("ndjson", Format::Jsonl),
    ("json", Format::Json),
    ("txt", Format::Text),
    ("csv", Format::Csv),
    ("tsv", Format::Tsv),
    ("text", Format::Text),
];

impl FromStr for Format {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let found = NAMES.iter().find(|(known, _)| name.eq_ignore_ascii_case(known));
        found.map(|(_, format)| *format).ok_or_else(|| {
            Error::Config(msg!(
                "format {name:?} is not known; allowed are jsonl (or ndjson), json, txt (or text), csv and tsv"
            ))
        })
    }
}

impl fmt::Display for Format {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        NAMES
            .iter()
            .filter(|(_, format)| format == self)
            .take(1)
            .try_for_each(|(name, _)| out.write_str(name))
    }
}

/// How a source's records are laid out, documents in memory included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RecordFormat {
    /// A record is a line.
    Lines(Format),
    /// A record is a text that was given in memory. It may hold line breaks and has no terminator.
    Raw,
    /// A record is a row that was given column by column, as a line of JSON.
    Row,
    /// A record is a file of a folder.
    File,
}

impl RecordFormat {
    /// The bytes of a record's span without the terminator at their end.
    pub(super) fn strip(self, bytes: &[u8]) -> &[u8] {
        if matches!(self, Self::Raw | Self::File) {
            return bytes;
        }
        let Some(line) = bytes.strip_suffix(b"\n") else {
            return bytes;
        };
        line.strip_suffix(b"\r").unwrap_or(line)
    }
}

/// The endings that name a format, for messages.
pub(crate) const ENDINGS: &str = ".jsonl, .ndjson, .json, .txt, .csv and .tsv, each also with .gz or .zst after it";

/// The format that a name's ending gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NamedFormat {
    Known(Format),
    /// An ending that names no format.
    Unknown(String),
    /// No ending.
    None,
}

/// The format that a name's ending gives, whether `.gz` or `.zst` follows it or not.
pub(crate) fn format_of_name(path: &Path) -> NamedFormat {
    let inner = match Compression::of_name(path) {
        Compression::Plain => path.to_path_buf(),
        Compression::Gzip | Compression::Zstd => path.with_extension(""),
    };
    match ending(&inner) {
        None => NamedFormat::None,
        Some(ending) => match NAMES[..NAMES.len() - 1].iter().find(|(known, _)| ending == *known) {
            Some((_, format)) => NamedFormat::Known(*format),
            None => NamedFormat::Unknown(ending),
        },
    }
}
