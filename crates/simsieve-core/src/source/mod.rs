//! Sources: from files, pipes and texts in memory to numbered records.
//!
//! In come [`SourceSpec`]s (or texts); out go positions 0, 1, 2, ... over all sources, each with the span of its bytes,
//! and on request the bytes themselves and the [`Record`] they hold. The pipeline opens a [`Store`] once, reads it block
//! by block from several threads, and hands it to [`crate::sink`] so that kept records come out byte for byte.
//!
//! What is defined here, so that nobody has to guess:
//!
//! - A record ends with `\n` or `\r\n`; the ending belongs to its span but not to the bytes that are parsed. A last line
//!   without an ending is a record without an ending.
//! - A UTF-8 byte order mark at the start of a source belongs to no record. Other byte order marks are refused.
//! - In JSON lines, lines of white space only are no records; they are counted, and no sink receives them. In text, each
//!   line is a document, the empty ones too; a newline at the end starts no further line.
//! - In a table (CSV, TSV) the first row is the header and no record, line breaks inside quotes belong to their record, and
//!   empty lines are no records; the rules are those of `quotes` and `csv`.
//! - In a folder each file whose name ends as a text's is a record; it has no terminator.
//! - Records in other encodings than UTF-8 stay as they are and are decoded when they are parsed; UTF-16 is made UTF-8 first.
//! - Plain regular files are read in place. Everything else (pipes, stdin, `.gz`, `.zst`) is spooled, decompressed, to a
//!   temporary file that has no name.

mod about;
mod csv;
mod encoding;
mod failure;
mod folder;
mod format;
mod open;
mod parse;
mod quotes;
mod rows;
mod scan;
mod stamp;
mod store;
mod value;
mod walk;

#[cfg(test)]
mod csv_tests;
#[cfg(test)]
mod kinds_tests;
#[cfg(test)]
mod parse_tests;
#[cfg(test)]
mod span_tests;
#[cfg(test)]
mod tests;

pub use encoding::Asked;
pub use failure::{FAILURE_CODES, Failure};
pub use format::{Format, SourceSpec};
pub use parse::{Fields, Record, Takes};
pub use rows::{Column, Holds, RowSpool};
pub use stamp::{SourceStamp, Stamp};
pub use store::{Block, Location, Store};
pub use value::Value;

pub(crate) use encoding::{Decided, ToUtf16};
pub(crate) use format::{ENDINGS, NameSays, format_of_name};
pub(crate) use open::unreadable;
pub(crate) use scan::Terminator;
pub(crate) use store::RecordFormat;

/// The longest record that is parsed where the caller names no limit: 256 MiB.
pub const DEFAULT_MAX_RECORD_BYTES: u64 = 256 << 20;

/// How much of a record that is too long is ever loaded, and kept in the spool.
pub(crate) const OVERLONG_HEAD_BYTES: u64 = 64 << 10;

/// The UTF-8 byte order mark.
pub(crate) const BOM: &[u8] = b"\xEF\xBB\xBF";
