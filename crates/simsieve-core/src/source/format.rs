//! Which format and which compression a source or sink has: by its name, and checked against its first bytes.
//!
//! In comes a path, out goes a [`Format`] and a [`Compression`]. `open` calls it for sources, `write` for sinks.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::Asked;
use crate::base::error::{Error, Result};
use crate::storage::compression::{Compression, ending};

/// How the records of a source are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// JSON lines: one object a line (`.jsonl`, `.ndjson`).
    Jsonl,
    /// Text: one document a line (`.txt`).
    Text,
    /// A table with commas: a header, then a record a row (`.csv`).
    Csv,
    /// A table with tabs, read as one with commas is (`.tsv`).
    Tsv,
}

impl Format {
    /// What parts the fields of a table; nothing else has one.
    pub(crate) fn delimiter(self) -> Option<u8> {
        match self {
            Self::Jsonl | Self::Text => None,
            Self::Csv => Some(b','),
            Self::Tsv => Some(b'\t'),
        }
    }
}

impl FromStr for Format {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match name.to_ascii_lowercase().as_str() {
            "jsonl" | "ndjson" => Ok(Self::Jsonl),
            "txt" | "text" => Ok(Self::Text),
            "csv" => Ok(Self::Csv),
            "tsv" => Ok(Self::Tsv),
            _ => Err(Error::Config(format!(
                "format {name:?} is not known; allowed are jsonl (or ndjson), txt (or text), csv and tsv"
            ))),
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Jsonl => "jsonl",
            Self::Text => "txt",
            Self::Csv => "csv",
            Self::Tsv => "tsv",
        })
    }
}

/// One source as the user names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceSpec {
    /// The file, or `-` for standard input.
    pub path: PathBuf,
    /// The format where the user gave one; otherwise the name decides, and standard input is JSON lines.
    pub format: Option<Format>,
    /// The encoding of its bytes.
    pub encoding: Asked,
}

impl SourceSpec {
    /// A source whose format its name tells.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            format: None,
            encoding: Asked::Utf8,
        }
    }

    /// A source of a given format, whatever its name.
    pub fn with_format(path: impl Into<PathBuf>, format: Format) -> Self {
        Self {
            path: path.into(),
            format: Some(format),
            encoding: Asked::Utf8,
        }
    }
}

/// The endings that name a format, for messages.
pub(crate) const ENDINGS: &str = ".jsonl, .ndjson, .txt, .csv and .tsv, each also with .gz or .zst behind it";

/// What a name says about the format of the records in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NameSays {
    Format(Format),
    /// An ending that names no format of ours.
    Other(String),
    Nothing,
}

/// The format that a name's ending tells, with `.gz` or `.zst` behind it or not.
pub(crate) fn format_of_name(path: &Path) -> NameSays {
    let inner = match Compression::of_name(path) {
        Compression::Plain => path.to_path_buf(),
        Compression::Gzip | Compression::Zstd => path.with_extension(""),
    };
    match ending(&inner) {
        None => NameSays::Nothing,
        Some(ending) => match ending.as_str() {
            "jsonl" | "ndjson" => NameSays::Format(Format::Jsonl),
            "txt" => NameSays::Format(Format::Text),
            "csv" => NameSays::Format(Format::Csv),
            "tsv" => NameSays::Format(Format::Tsv),
            _ => NameSays::Other(ending),
        },
    }
}

/// The format of a source that is a file: the one given, or the one that its name tells.
pub(super) fn format_of_file(spec: &SourceSpec) -> Result<Format> {
    match (spec.format, format_of_name(&spec.path)) {
        (Some(format), _) | (None, NameSays::Format(format)) => Ok(format),
        (None, NameSays::Other(_) | NameSays::Nothing) => Err(Error::Config(format!(
            "{}: the name tells no format that can be read; allowed are {ENDINGS}; convert the file or, where its name \
             misleads, give the format (--input-format jsonl, txt, csv or tsv)",
            spec.path.display()
        ))),
    }
}

/// Refuses a file whose first bytes contradict its name; `head` are its first bytes, before decompression.
pub(super) fn check_magic(path: &Path, named: Compression, head: &[u8]) -> Result<()> {
    let seen = Compression::of_magic(head);
    if seen == named {
        return Ok(());
    }
    let message = match named {
        Compression::Plain => format!(
            "begins like a {} file but its name does not end in {}; rename it, or decompress it",
            seen.word(),
            seen.suffix()
        ),
        _ if head.is_empty() => format!(
            "is empty, which no {} file is; it was probably cut off: fetch or write it again",
            named.word()
        ),
        _ => format!(
            "is named {} but does not begin like a {} file (its first bytes are {}); rename it, or fetch it again",
            named.suffix(),
            named.word(),
            hex(&head[..head.len().min(4)])
        ),
    };
    Err(Error::Source {
        path: path.to_path_buf(),
        message,
    })
}

/// Refuses text that a byte order mark shows to be in another encoding than is asked for; `head` are its first bytes,
/// decompressed.
pub(super) fn check_encoding(path: &Path, head: &[u8], asked: Asked) -> Result<()> {
    if let (Asked::Named(encoding), [0xEF, 0xBB, 0xBF, ..]) = (asked, head) {
        return Err(Error::Source {
            path: path.to_path_buf(),
            message: format!(
                "begins with a byte order mark of UTF-8, and --encoding is {}; leave that out, or give auto",
                encoding.name()
            ),
        });
    }
    // UTF-32LE begins as UTF-16LE does, so the longer mark is asked for first.
    let encoding = match head {
        [0xFF, 0xFE, 0, 0, ..] => "UTF-32LE",
        [0, 0, 0xFE, 0xFF, ..] => "UTF-32BE",
        [0xFF, 0xFE, ..] => "UTF-16LE",
        [0xFE, 0xFF, ..] => "UTF-16BE",
        _ => return Ok(()),
    };
    let what = if encoding.starts_with("UTF-32") {
        ", which is not read: convert the file"
    } else {
        "; UTF-8 is read where nothing else is said: give --encoding auto, or convert the file"
    };
    Err(Error::Source {
        path: path.to_path_buf(),
        message: format!(
            "begins with a byte order mark of {encoding}{what}, for example with iconv -f {encoding} -t UTF-8"
        ),
    })
}

/// The last ending of a name, in lower case, without its dot.
fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect::<Vec<_>>()
        .join(" ")
}
