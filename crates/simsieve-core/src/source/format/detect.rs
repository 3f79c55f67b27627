//! Whether a source is what its name or the caller says, by its first bytes.

use std::path::Path;

use super::encoding::EncodingChoice;
use super::spec::SourceSpec;
use super::{ENDINGS, Format, NamedFormat, format_of_name};
use crate::base::error::{Error, Result};
use crate::storage::compression::Compression;

/// The format of a source that is a file: the one given, or that of its name.
pub(in crate::source) fn format_of_file(spec: &SourceSpec) -> Result<Format> {
    match (spec.format, format_of_name(&spec.path)) {
        (Some(format), _) | (None, NamedFormat::Known(format)) => Ok(format),
        (None, NamedFormat::Unknown(_) | NamedFormat::None) => Err(Error::Config(format!(
            "{}: the name gives no format that can be read; allowed are {ENDINGS}, and .parquet and .warc (.warc.gz, .warc.wet); \
             convert the file or, where its name misleads, give the format (input_format jsonl, json, txt, csv or tsv); for a text \
             give the setting `each` file or line",
            spec.path.display()
        ))),
    }
}

/// Refuses a file whose first bytes contradict its name; `head` are its first bytes, before decompression.
pub(in crate::source) fn check_magic(path: &Path, named: Compression, head: &[u8]) -> Result<()> {
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
pub(in crate::source) fn check_encoding(path: &Path, head: &[u8], choice: EncodingChoice) -> Result<()> {
    if let (EncodingChoice::Named(encoding), [0xEF, 0xBB, 0xBF, ..]) = (choice, head) {
        return Err(Error::Source {
            path: path.to_path_buf(),
            message: format!(
                "begins with a byte order mark of UTF-8, and the setting `encoding` is {}; leave that out, or give auto",
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
        "; UTF-8 is read by default: give the setting `encoding` auto, or convert the file"
    };
    Err(Error::Source {
        path: path.to_path_buf(),
        message: format!(
            "begins with a byte order mark of {encoding}{what}, for example with iconv -f {encoding} -t UTF-8"
        ),
    })
}

/// Bytes in hexadecimal digits.
fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect::<Vec<_>>()
        .join(" ")
}
