//! What every source can do, and the arithmetic of its reads.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::block::{Block, Fetched};
use crate::base::error::{Error, Result};
use crate::source::identity::{Identity, Inode};
use crate::source::profile::{FileRecord, Profile};
use crate::source::spans::Spans;

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
pub(in crate::source) fn read_from(end: u64, span: &Range<u64>) -> u64 {
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
pub(in crate::source) fn check_ascending(positions: &[usize], len: usize) -> Result<()> {
    let ascend = positions.windows(2).all(|pair| pair[0] < pair[1]);
    if ascend && positions.last().is_none_or(|last| *last < len) {
        return Ok(());
    }
    Err(Error::Config(msg!(
        "the positions to fetch do not ascend, or are beyond the {len} records"
    )))
}

pub(in crate::source) fn not_a_block(range: &Range<usize>) -> Error {
    Error::Config(msg!(
        "positions {start} to {end} are not one block: they span sources or hold a record beyond the limit",
        start = range.start,
        end = range.end
    ))
}
