//! Sources: from files, pipes, rows and texts in memory to numbered records.
//!
//! In come [`SourceSpec`]s (or texts, or rows); out go positions 0, 1, 2, ... over all sources, each with the span of its
//! bytes, and on request the bytes and the [`Record`] they hold. A run opens [`Sources`] once, reads them block by block
//! from several threads, and passes them to [`crate::sink`] so that kept records come out byte for byte.
//!
//! - A record ends with `\n` or `\r\n`. The ending belongs to its span but not to the bytes that are parsed. A last line
//!   without an ending is a record without an ending.
//! - A UTF-8 byte order mark at the start of a source belongs to no record. Other byte order marks are refused.
//! - In JSON lines, lines of white space only are no records. They are counted, and no sink receives them. In text, each
//!   line is a document, the empty ones too. A newline at the end starts no further line.
//! - In a table (CSV, TSV) the first row is the header and no record. Line breaks inside quotes belong to their record, and
//!   empty lines are no records. The rules are those of [`format`]'s `quotes` and `csv`.
//! - In a folder each file whose name ends as a text's is a record. It has no terminator.
//! - Records in other encodings than UTF-8 stay as they are and are decoded when they are parsed. UTF-16 is made UTF-8 first.
//! - Plain regular files are read in place. Everything else (pipes, stdin, `.gz`, `.zst`) is decompressed and copied to a spool of
//!   blocks: each is compressed again and has a checksum.
//! - A file that changes while it is read in place, or while it is spooled, ends the run with an error.
//!
//! Rooms; each imports only those above it: `failure`, `spans`, `identity`, `spool` (compressed copies);
//! [`format`] (records and their fields); `error`, `profile`; `reading` (a pass over a file, and the search of folders); `kinds`
//! ([`Source`], and a file, a folder or texts in memory as one); `opening`; `sources` ([`Sources`]: all of a run); `derived` (a
//! part of a source, or one with cuts); `bson`; `columns`.

mod bson;
mod columns;
mod derived;
mod error;
mod failure;
pub mod format;
mod identity;
mod kinds;
mod opening;
mod profile;
mod reading;
mod sources;
mod spans;
mod spool;
#[cfg(test)]
mod tests;

pub use crate::text::FieldKind;
pub use bson::documents::{BsonError, BsonField, BsonForm, cursor_number};
pub use bson::packed::{PackedValue, array_of, packed_values};
pub use bson::resent::unchanged;
pub use columns::{ArrowColumn, ColumnType, RowSpool};
pub use derived::cut::{Cuts, cut, text_places};
pub use derived::part::{joined, sizes};
pub use failure::{FAILURE_CODES, Failure};
pub use format::encoding::EncodingChoice;
pub use format::record::{Fields, Record};
pub use format::value::Value;
pub use format::{Format, PaperText, Papers, Pattern, Quoting, ReadPaper, SourceSpec};
pub use identity::{Identity, Inode};
pub use kinds::block::{Block, Fetched};
pub use kinds::source::Source;
pub use profile::{FileRecord, LeftOut, Location, Profile};
pub use sources::announce::announce;
pub use sources::collection::Sources;
pub use sources::nearby::RecordBuffer;
pub use spans::Spans;

pub(crate) use format::encoding::{BOM, SourceEncoding, ToUtf16};
pub(crate) use format::scan::Terminator;
pub(crate) use format::{ENDINGS, Header, NamedFormat, RecordFormat, format_of_name};
pub(crate) use kinds::source::is_near;

/// The longest record that is parsed where the caller names no limit: 256 MiB.
pub const DEFAULT_MAX_RECORD_BYTES: u64 = 256 << 20;
