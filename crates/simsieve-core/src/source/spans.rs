//! Where the records of one source are in its body.

use std::collections::BTreeMap;
use std::ops::Range;

/// How much of a record beyond the limit is loaded, and kept in a spool.
pub(crate) const OVERLONG_HEAD_BYTES: u64 = 64 << 10;

/// What twelve bytes cannot hold of a record.
#[derive(Debug, Clone, Copy)]
struct Long {
    /// Bytes of the span in the body, with the terminator.
    stored: u64,
    /// Bytes of the record as it is in the source, without the terminator.
    true_bytes: u64,
    /// The record is beyond the limit: it is never loaded whole.
    overlong: bool,
}

/// The spans of a source's records, by position in the source. A record takes twelve bytes.
#[derive(Debug, Default, Clone)]
pub struct Spans {
    offsets: Vec<u64>,
    /// `u32::MAX` refers to `long`.
    lengths: Vec<u32>,
    long: BTreeMap<usize, Long>,
}

impl Spans {
    /// How many records there are.
    pub fn len(&self) -> usize {
        self.offsets.len()
    }

    /// Whether there is no record at all.
    pub fn is_empty(&self) -> bool {
        self.offsets.is_empty()
    }

    /// The span of a record in the body, terminator included.
    pub fn span(&self, position: usize) -> Range<u64> {
        let start = self.offsets[position];
        match self.lengths[position] {
            u32::MAX => start..start + self.long.get(&position).map_or(0, |long| long.stored),
            length => start..start + u64::from(length),
        }
    }

    /// The true length of a record in bytes if it is beyond the limit.
    pub fn overlong(&self, position: usize) -> Option<u64> {
        if self.lengths[position] != u32::MAX {
            return None;
        }
        let long = self.long.get(&position).filter(|long| long.overlong);
        long.map(|long| long.true_bytes)
    }

    /// The part of a span that may be loaded: all of it, or the head of a record beyond the limit.
    pub(super) fn loaded(&self, position: usize) -> Range<u64> {
        let Range { start, end } = self.span(position);
        match self.overlong(position) {
            Some(_) => start..end.min(start + OVERLONG_HEAD_BYTES),
            None => start..end,
        }
    }

    /// Adds an ordinary record; `stored` is the length of its span.
    pub(super) fn push(&mut self, offset: u64, stored: u64) {
        match u32::try_from(stored) {
            Ok(length) if length != u32::MAX => {
                self.offsets.push(offset);
                self.lengths.push(length);
            }
            _ => self.push_long(
                offset,
                Long {
                    stored,
                    true_bytes: stored,
                    overlong: false,
                },
            ),
        }
    }

    /// Adds a record beyond the limit; `stored` of its bytes are in the body.
    pub(super) fn push_overlong(&mut self, offset: u64, stored: u64, true_bytes: u64) {
        let overlong = true;
        self.push_long(
            offset,
            Long {
                stored,
                true_bytes,
                overlong,
            },
        );
    }

    fn push_long(&mut self, offset: u64, long: Long) {
        self.long.insert(self.offsets.len(), long);
        self.offsets.push(offset);
        self.lengths.push(u32::MAX);
    }

    /// Position, length in the body and true length of each record beyond the limit.
    pub(super) fn all_overlong(&self) -> impl Iterator<Item = (usize, u64, u64)> {
        let overlong = self.long.iter().filter(|(_, long)| long.overlong);
        overlong.map(|(position, long)| (*position, long.stored, long.true_bytes))
    }

    /// The spans of the first `count` records.
    pub(super) fn first(&self, count: usize) -> Self {
        let count = count.min(self.len());
        Self {
            offsets: self.offsets[..count].to_vec(),
            lengths: self.lengths[..count].to_vec(),
            long: self.long.range(..count).map(|(at, long)| (*at, *long)).collect(),
        }
    }

    /// Gives back the room that no record takes.
    pub(super) fn shrink(&mut self) {
        self.offsets.shrink_to_fit();
        self.lengths.shrink_to_fit();
    }
}
