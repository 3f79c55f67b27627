//! Where the records of one source are in its body.

use std::collections::BTreeMap;
use std::ops::Range;

/// How much of a record beyond the limit is loaded, and kept in a spool.
pub(crate) const OVERLONG_HEAD_BYTES: u64 = 64 << 10;

/// What two bytes cannot hold of a record.
#[derive(Debug, Clone, Copy)]
struct Long {
    /// Bytes of the span in the body, with the terminator.
    stored: u64,
    /// Bytes of the record as it is in the source, without the terminator.
    true_bytes: u64,
    /// The record is beyond the limit: it is never loaded whole.
    overlong: bool,
}

/// Records whose place is found from one stored place: the lengths between are added up.
const BLOCK: usize = 32;

/// The spans of a source's records, by position in the source, in ascending order. A record takes 2.25 bytes, two more where
/// bytes between records belong to none, and some fifty where it has 64 KiB and more.
#[derive(Debug, Default, Clone)]
pub struct Spans {
    /// Where every [`BLOCK`]-th record begins.
    starts: Vec<u64>,
    /// Bytes of each record; `u16::MAX` refers to `long`.
    lengths: Vec<u16>,
    long: BTreeMap<usize, Long>,
    /// Bytes before each record that belong to none, as after an empty line; `u16::MAX` refers to `wide`. Empty as long as there are
    /// none but before the first record.
    gaps: Vec<u16>,
    wide: BTreeMap<usize, u64>,
    /// Where the last record ends.
    end: u64,
}

impl Spans {
    /// How many records there are.
    pub fn len(&self) -> usize {
        self.lengths.len()
    }

    /// Whether there is no record at all.
    pub fn is_empty(&self) -> bool {
        self.lengths.is_empty()
    }

    /// The span of a record in the body, terminator included.
    ///
    /// Complexity: a sum of at most 31 lengths.
    pub fn span(&self, position: usize) -> Range<u64> {
        let first = position - position % BLOCK;
        let lengths = &self.lengths[first..position];
        let mut start = self.starts[position / BLOCK];
        if self.long.is_empty() {
            start += u64::from(lengths.iter().map(|&length| u32::from(length)).sum::<u32>());
        } else {
            start += (first..position).map(|at| self.stored(at)).sum::<u64>();
        }
        if !self.gaps.is_empty() {
            start += (first + 1..=position).map(|at| self.gap(at)).sum::<u64>();
        }
        start..start + self.stored(position)
    }

    /// The true length of a record in bytes if it is beyond the limit.
    pub fn overlong(&self, position: usize) -> Option<u64> {
        if self.lengths[position] != u16::MAX {
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

    /// Adds an ordinary record after the others; `stored` is the length of its span.
    pub(super) fn push(&mut self, offset: u64, stored: u64) {
        match u16::try_from(stored) {
            Ok(length) if length != u16::MAX => self.push_place(offset, stored, length),
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
        self.long.insert(self.len(), long);
        self.push_place(offset, long.stored, u16::MAX);
    }

    fn push_place(&mut self, offset: u64, stored: u64, length: u16) {
        let at = self.len();
        assert!(at == 0 || offset >= self.end, "records are added in order");
        if at.is_multiple_of(BLOCK) {
            self.starts.push(offset);
        }
        let gap = if at == 0 { 0 } else { offset - self.end };
        if gap > 0 && self.gaps.is_empty() {
            self.gaps = vec![0; at];
        }
        if gap > 0 || !self.gaps.is_empty() {
            let short = u16::try_from(gap).unwrap_or(u16::MAX);
            if short == u16::MAX {
                self.wide.insert(at, gap);
            }
            self.gaps.push(short);
        }
        self.lengths.push(length);
        self.end = offset + stored;
    }

    fn stored(&self, position: usize) -> u64 {
        match self.lengths[position] {
            u16::MAX => self.long.get(&position).map_or(0, |long| long.stored),
            length => length.into(),
        }
    }

    fn gap(&self, position: usize) -> u64 {
        match self.gaps[position] {
            u16::MAX => self.wide.get(&position).copied().unwrap_or(0),
            gap => gap.into(),
        }
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
            starts: self.starts[..count.div_ceil(BLOCK)].to_vec(),
            lengths: self.lengths[..count].to_vec(),
            long: self.long.range(..count).map(|(at, long)| (*at, *long)).collect(),
            gaps: self.gaps[..count.min(self.gaps.len())].to_vec(),
            wide: self.wide.range(..count).map(|(at, gap)| (*at, *gap)).collect(),
            end: if count == 0 { 0 } else { self.span(count - 1).end },
        }
    }

    /// Gives back the room that no record takes.
    pub(super) fn shrink(&mut self) {
        self.starts.shrink_to_fit();
        self.lengths.shrink_to_fit();
        self.gaps.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_short_record_takes_two_bytes_and_a_quarter() {
        let mut spans = Spans::default();
        for at in 0..64 * BLOCK as u64 {
            spans.push(at * 70, 70);
        }
        let bytes = size_of_val(&spans.starts[..]) + size_of_val(&spans.lengths[..]) + size_of_val(&spans.gaps[..]);
        assert_eq!(4 * bytes, 9 * spans.len());
    }

    proptest! {
        #[test]
        fn spans_are_those_that_were_added(
            start in 0..200_000_u64,
            records in prop::collection::vec((prop_oneof![9 => Just(0_u64), 1 => 1..200_000_u64], 0..200_000_u64, 0..3_u8), 0..150),
            count in 0..200_usize,
        ) {
            let (mut spans, mut expected, mut at) = (Spans::default(), Vec::new(), start);
            for (gap, stored, kind) in records {
                at += gap;
                let stored = if kind == 0 { stored } else { stored % 70 };
                if kind == 2 {
                    spans.push_overlong(at, stored, stored + 7);
                } else {
                    spans.push(at, stored);
                }
                expected.push((at..at + stored, (kind == 2).then_some(stored + 7)));
                at += stored;
            }
            let first = spans.first(count);
            prop_assert_eq!((spans.len(), first.len()), (expected.len(), count.min(expected.len())));
            for (at, (span, overlong)) in expected.iter().enumerate() {
                prop_assert_eq!((&spans.span(at), spans.overlong(at)), (span, *overlong));
                if at < first.len() {
                    prop_assert_eq!((&first.span(at), first.overlong(at)), (span, *overlong));
                }
            }
            let mut more = first;
            more.push(at, 3);
            prop_assert_eq!(more.span(more.len() - 1), at..at + 3);
        }
    }
}
