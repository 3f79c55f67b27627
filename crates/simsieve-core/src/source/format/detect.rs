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
        (None, NamedFormat::Unknown(_) | NamedFormat::None) => Err(Error::Config(msg!(
            "{path}: the name gives no format that can be read; allowed are {endings}, and .parquet and .warc \
             (.warc.gz, .warc.wet); convert the file or, where its name misleads, give the format \
             ({@input_format} jsonl, json, txt, csv or tsv); for a text give {@`each`} file or line",
            path = spec.path.display(),
            endings = ENDINGS
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
        Compression::Plain => msg!(
            "begins like a {word} file but its name does not end in {suffix}; rename it, or decompress it",
            word = seen.word(),
            suffix = seen.suffix()
        ),
        _ if head.is_empty() => msg!(
            "is empty, which no {word} file is; it was probably cut off: fetch or write it again",
            word = named.word()
        ),
        _ => msg!(
            "is named {suffix} but does not begin like a {word} file (its first bytes are {value}); rename it, \
             or fetch it again",
            suffix = named.suffix(),
            word = named.word(),
            value = hex(&head[..head.len().min(4)])
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
            message: msg!(
                "begins with a byte order mark of UTF-8, and {@`encoding`} is {name}; leave that out, \
                 or give auto",
                name = encoding.name()
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
        message: msg!(
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
