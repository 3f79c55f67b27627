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
//!   blocks, which are compressed again and each of which has a checksum.
//! - A file that changes while it is read in place, or while it is spooled, ends the run with an error.
//!
//! Modules, each of which imports only those above it: `failure`, `error`, `spans`, `spool`, `identity`, `bson`, `row_state`; [`format`] (records
//! and their fields); `profile`, `block`; [`Source`]; `reading`; `search`; `file`, `folder`, `memory` (one implementation each);
//! `waiting`, `spooled`, `open`, `open_all`; `member`, `collection`; `columns`, `cut`, `packed`, `part`, `resent`.

mod announce;
mod block;
mod bson;
mod collection;
mod columns;
mod cut;
mod error;
mod failure;
mod file;
mod folder;
pub mod format;
mod identity;
mod member;
mod memory;
mod nearby;
mod open;
mod open_all;
mod packed;
mod part;
mod profile;
mod reading;
mod resent;
mod row_state;
mod search;
mod spans;
mod spool;
mod spooled;
mod waiting;

#[cfg(test)]
mod bson_tests;
#[cfg(test)]
mod collection_tests;
#[cfg(test)]
mod conformance_tests;
#[cfg(test)]
mod csv_tests;
#[cfg(test)]
mod kinds_tests;
#[cfg(test)]
mod papers_tests;
#[cfg(test)]
mod parse_tests;
#[cfg(test)]
mod row_state_tests;
#[cfg(test)]
mod span_tests;
#[cfg(test)]
mod tests;

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

pub use crate::text::FieldKind;
pub use announce::announce;
pub use block::{Block, Fetched};
pub use bson::{BsonError, BsonField, BsonForm, cursor_number};
pub use collection::Sources;
pub use columns::{ArrowColumn, ColumnType, RowSpool};
pub use cut::{Cuts, cut, text_places};
pub use failure::{FAILURE_CODES, Failure};
pub use format::encoding::EncodingChoice;
pub use format::record::{Fields, Record};
pub use format::value::Value;
pub use format::{Format, PaperText, Papers, Pattern, Quoting, ReadPaper, SourceSpec};
pub use identity::{Identity, Inode};
pub use nearby::RecordBuffer;
pub use packed::{PackedValue, array_of, packed_values};
pub use part::{joined, sizes};
pub use profile::{FileRecord, LeftOut, Location, Profile};
pub use resent::unchanged;
pub use spans::Spans;

pub(crate) use format::encoding::{BOM, SourceEncoding, ToUtf16};
pub(crate) use format::scan::Terminator;
pub(crate) use format::{ENDINGS, Header, NamedFormat, RecordFormat, format_of_name};

use crate::base::error::{Error, Result};

/// The longest record that is parsed where the caller names no limit: 256 MiB.
pub const DEFAULT_MAX_RECORD_BYTES: u64 = 256 << 20;

/// Bytes between two records that are read along with them: they cost less than a read of their own.
const GAP_BYTES: u64 = 16 << 10;

/// One source, read to its end once. Its records have positions 0, 1, 2, ... of their own, and their bytes can be read again
/// from several threads at a time.
pub trait Source: fmt::Debug + Send + Sync {
    /// What distinguishes it from another source, and from a later version of itself. Taken before the first byte is
    /// read.
    fn identity(&self) -> &Identity;

    /// What is known of it besides the places of its records.
    fn profile(&self) -> &Arc<Profile>;

    /// Where its records are.
    fn spans(&self) -> &Arc<Spans>;

    /// Reads bytes of the body from `start` on.
    ///
    /// # Errors
    /// [`Error::Source`] where they cannot be read, or are not there any more.
    fn read_exact_at(&self, buffer: &mut [u8], start: u64) -> Result<()>;

    /// Says that bytes of the body are read soon, where that can be of use.
    fn announce(&self, span: Range<u64>) {
        let _ = span;
    }

    /// The whole body where it is in memory, so that nothing is copied.
    fn lent(&self) -> Option<&[u8]> {
        None
    }

    /// The files that are read.
    fn inodes(&self) -> Vec<Inode> {
        Inode::of_file(self.profile().path()).into_iter().collect()
    }

    /// The record as a file, where the source is a folder.
    fn file(&self, position: usize) -> Option<FileRecord<'_>> {
        let _ = position;
        None
    }

    /// Makes sure that what the records are read from is what it was when the source was opened.
    ///
    /// # Errors
    /// [`Error::Source`] where size, time or content is another.
    fn check_unchanged(&self) -> Result<()>;

    /// Cuts the positions into consecutive blocks of about `max_bytes`, with at least one record each. A record beyond the
    /// limit is a block of its own.
    fn blocks(&self, max_bytes: u64) -> Vec<Range<usize>> {
        let spans = self.spans();
        let mut blocks = Vec::new();
        let mut start = 0;
        while start < spans.len() {
            let from = spans.span(start).start;
            let fits = |at: usize| spans.overlong(at).is_none() && spans.span(at).end - from <= max_bytes;
            let mut stop = start + 1;
            if spans.overlong(start).is_none() {
                while stop < spans.len() && fits(stop) {
                    stop += 1;
                }
            }
            blocks.push(start..stop);
            start = stop;
        }
        blocks
    }

    /// Reads one of [`Source::blocks`], or a part of one, in a single read.
    ///
    /// # Errors
    /// [`Error::Config`] where the range is no part of a block; [`Error::Source`] as [`Source::read_exact_at`].
    fn read<'b>(&'b self, range: Range<usize>, buffer: &'b mut Vec<u8>) -> Result<Block<'b>> {
        let (spans, format) = (self.spans(), self.profile().layout.format);
        if range.is_empty() {
            return Ok(Block::new(spans, format, range, 0, &[]));
        }
        let is_block = range.end <= spans.len()
            && (range.len() == 1 || range.clone().all(|position| spans.overlong(position).is_none()));
        if !is_block {
            return Err(not_a_block(&range));
        }
        let span = spans.span(range.start).start..spans.loaded(range.end - 1).end;
        let base = span.start;
        Ok(Block::new(spans, format, range, base, self.read_span(span, buffer)?))
    }

    /// Reads records by ascending positions. Neighbours are read together, and so are records with little between them.
    /// The buffer takes the bytes of all of them, so the caller bounds their number.
    ///
    /// # Errors
    /// [`Error::Config`] where the positions do not ascend or are none of this source; [`Error::Source`] as
    /// [`Source::read_exact_at`].
    fn fetch<'b>(&'b self, positions: &[usize], buffer: &'b mut Vec<u8>) -> Result<Fetched<'b>> {
        let (spans, format) = (self.spans(), self.profile().layout.format);
        check_ascending(positions, spans.len())?;
        let mut places = Vec::with_capacity(positions.len());
        if let Some(bytes) = self.lent() {
            let place = |position: &usize| spans.span(*position);
            places.extend(
                positions
                    .iter()
                    .map(place)
                    .map(|span| span.start as usize..span.end as usize),
            );
            return Ok(Fetched { format, bytes, places });
        }
        let mut reads: Vec<Range<u64>> = Vec::new();
        let mut before = 0;
        for &position in positions {
            let span = spans.loaded(position);
            match reads.last_mut() {
                Some(read) if read_from(read.end, &span) == read.end => read.end = span.end,
                last => {
                    before += last.map_or(0, |read| read.end - read.start);
                    reads.push(span.clone());
                }
            }
            // The read that is being put together begins at `before` of the buffer.
            let base = reads.last().map_or(0, |read| read.start);
            let place = |at: u64| (before + at - base) as usize;
            places.push(place(span.start)..place(span.end));
        }
        let length = before + reads.last().map_or(0, |read| read.end - read.start);
        grow(buffer, length as usize);
        let mut rest = &mut buffer[..length as usize];
        for read in reads {
            let (now, behind) = rest.split_at_mut((read.end - read.start) as usize);
            self.read_exact_at(now, read.start)?;
            rest = behind;
        }
        let bytes = &buffer[..length as usize];
        Ok(Fetched { format, bytes, places })
    }

    /// Reads bytes of the body; those in memory are lent, not copied.
    ///
    /// # Errors
    /// As [`Source::read_exact_at`].
    fn read_span<'b>(&'b self, span: Range<u64>, buffer: &'b mut Vec<u8>) -> Result<&'b [u8]> {
        if let Some(bytes) = self.lent() {
            return Ok(&bytes[span.start as usize..span.end as usize]);
        }
        let length = (span.end - span.start) as usize;
        grow(buffer, length);
        self.read_exact_at(&mut buffer[..length], span.start)?;
        Ok(&buffer[..length])
    }
}

/// Where the read of a record begins behind a read that ends here: there, if little is between them.
fn read_from(end: u64, span: &Range<u64>) -> u64 {
    if is_near(end, span) { end } else { span.start }
}

/// Whether little is between a read that ends here and a span, so that one read of both costs less than two.
pub(crate) fn is_near(end: u64, span: &Range<u64>) -> bool {
    span.start >= end && span.start - end <= GAP_BYTES
}

/// Makes a buffer at least this long. It never shrinks: clearing it would fill it with zeros before each read.
fn grow(buffer: &mut Vec<u8>, length: usize) {
    if buffer.len() < length {
        buffer.resize(length, 0);
    }
}

/// Refuses positions that do not ascend, or are beyond the records.
fn check_ascending(positions: &[usize], len: usize) -> Result<()> {
    let ascend = positions.windows(2).all(|pair| pair[0] < pair[1]);
    if ascend && positions.last().is_none_or(|last| *last < len) {
        return Ok(());
    }
    Err(Error::Config(msg!(
        "the positions to fetch do not ascend, or are beyond the {len} records"
    )))
}

fn not_a_block(range: &Range<usize>) -> Error {
    Error::Config(msg!(
        "positions {start} to {end} are not one block: they span sources or hold a record beyond the limit",
        start = range.start,
        end = range.end
    ))
}
