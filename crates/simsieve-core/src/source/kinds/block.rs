//! Bytes of records that were read together.

use std::ops::Range;

use crate::source::format::RecordFormat;
use crate::source::spans::Spans;

/// The bytes of consecutive records of one source.
#[derive(Debug)]
pub struct Block<'b> {
    spans: &'b Spans,
    format: RecordFormat,
    /// The first record's position in the source.
    local: usize,
    /// The positions as the caller counts them.
    positions: Range<usize>,
    /// Where `bytes` begins in the body.
    base: u64,
    bytes: &'b [u8],
}

impl<'b> Block<'b> {
    /// The records `range` of a source, whose bytes from `base` of the body on are given.
    pub(in crate::source) fn new(
        spans: &'b Spans,
        format: RecordFormat,
        range: Range<usize>,
        base: u64,
        bytes: &'b [u8],
    ) -> Self {
        Self {
            spans,
            format,
            local: range.start,
            positions: range,
            base,
            bytes,
        }
    }

    /// The same block, its positions counted from `first` of the source on.
    pub(in crate::source) fn from(mut self, first: usize) -> Self {
        self.positions = self.positions.start + first..self.positions.end + first;
        self
    }

    /// The positions in the block.
    pub fn positions(&self) -> Range<usize> {
        self.positions.clone()
    }

    /// The bytes of the record at a position, without its terminator; of a record beyond the limit only the head.
    ///
    /// # Panics
    ///
    /// If the position is not in the block.
    pub fn record(&self, position: usize) -> &'b [u8] {
        assert!(
            self.positions.contains(&position),
            "position {position} is not in the block {:?}",
            self.positions
        );
        let span = self.spans.span(position - self.positions.start + self.local);
        let start = (span.start - self.base) as usize;
        let end = ((span.end - self.base) as usize).min(self.bytes.len());
        self.format.strip(&self.bytes[start..end])
    }
}

/// The bytes of records at chosen positions of one source.
#[derive(Debug)]
pub struct Fetched<'b> {
    pub(in crate::source) format: RecordFormat,
    pub(in crate::source) bytes: &'b [u8],
    /// Where each record is in `bytes`.
    pub(in crate::source) places: Vec<Range<usize>>,
}

impl<'b> Fetched<'b> {
    /// How many records there are.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there is no record at all.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The bytes of the record at the position that was given in this place, without its terminator; of a record beyond
    /// the limit only the head.
    ///
    /// # Panics
    ///
    /// If there are not that many records.
    pub fn record(&self, place: usize) -> &'b [u8] {
        self.format.strip(&self.bytes[self.places[place].clone()])
    }
}
