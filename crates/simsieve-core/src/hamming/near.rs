//! Which pairs of fingerprints are near, one pair at a time: the rule that every kernel follows.

use std::ops::Range;

/// Receives the pairs. `i` and `j` are places in the planes, `i < j`.
pub(super) trait PairSink {
    /// One pair.
    fn near(&mut self, i: usize, j: usize, distance: u32);

    /// The pairs of `i` with `j + b` for every set bit `b` of `lanes`.
    #[cfg_attr(
        not(target_arch = "x86_64"),
        expect(dead_code, reason = "what a vector holds goes here at once")
    )]
    fn near_lanes(&mut self, i: usize, j: usize, lanes: u8, distances: &[u64; 8]) {
        let mut left = lanes;
        while left != 0 {
            let lane = left.trailing_zeros() as usize;
            self.near(i, j + lane, distances[lane] as u32);
            left &= left - 1;
        }
    }

    /// Called after every span.
    fn flush(&mut self);
}

/// A block of bits, and how many of them may differ.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block<const W: usize> {
    pub mask: [u64; W],
    pub radius: u32,
}

impl<const W: usize> Block<W> {
    fn is_within(&self, xor: &[u64; W]) -> bool {
        let differing: u32 = (0..W).map(|w| (xor[w] & self.mask[w]).count_ones()).sum();
        differing <= self.radius
    }
}

/// When a pair is reported: within the distance, within the radius of the table's own block, and beyond the radius of
/// each block whose table reports it earlier.
#[derive(Debug, Clone)]
pub(super) struct Near<const W: usize> {
    /// Inclusive.
    pub max_distance: u32,
    /// The bits of the table; no bits: every pair.
    pub own: Block<W>,
    /// If a pair is within the radius of one of these, an earlier table has reported it.
    pub earlier: Vec<Block<W>>,
}

impl<const W: usize> Near<W> {
    /// Every pair within the distance.
    pub fn everywhere(max_distance: u32) -> Self {
        Self {
            max_distance,
            own: Block {
                mask: [0; W],
                radius: 0,
            },
            earlier: Vec::new(),
        }
    }

    /// Whether this table reports a pair within the distance.
    pub fn reports(&self, xor: &[u64; W]) -> bool {
        self.own.is_within(xor) && !self.earlier.iter().any(|block| block.is_within(xor))
    }

    /// This table alone reports pairs, and reports all: the distance alone decides.
    #[cfg_attr(
        not(target_arch = "x86_64"),
        expect(dead_code, reason = "only a kernel of vectors asks this")
    )]
    pub fn is_everywhere(&self) -> bool {
        self.own.mask == [0; W] && self.earlier.is_empty()
    }
}

/// Rows to compare with columns: each row with the columns after it.
#[derive(Debug, Clone)]
pub(super) struct Span {
    pub rows: Range<u32>,
    pub columns: Range<u32>,
}

/// Compares a row with columns, one by one.
#[expect(
    clippy::inline_always,
    reason = "the copy inside a kernel must be compiled with its instructions"
)]
#[inline(always)]
pub(super) fn one_row<const W: usize, S: PairSink>(
    planes: &[&[u64]; W],
    i: usize,
    columns: Range<usize>,
    near: &Near<W>,
    sink: &mut S,
) {
    let value: [u64; W] = std::array::from_fn(|w| planes[w][i]);
    // Cut here, so that the loop needs no bounds checks. The row may be behind the columns.
    let planes: [&[u64]; W] = std::array::from_fn(|w| &planes[w][..columns.end]);
    for j in columns {
        let xor: [u64; W] = std::array::from_fn(|w| value[w] ^ planes[w][j]);
        let distance: u32 = xor.iter().map(|word| word.count_ones()).sum();
        if distance <= near.max_distance && near.reports(&xor) {
            sink.near(i, j, distance);
        }
    }
}
