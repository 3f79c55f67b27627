//! The inner loops: compare runs of fingerprints with one another.
//!
//! In: the words of the rows as planes (word 0 of all rows, then word 1, ...), and spans to compare. Out: to a
//! [`PairSink`], every pair of a span within the distance that its table reports ([`Near`]); or the number of pairs; or the
//! columns near one value. Called by [`super::engine`] and [`super::index`]. Each kernel reports the same pairs, in its
//! own order.

#[cfg(target_arch = "x86_64")]
mod avx512;
mod blocks;

use std::ops::Range;

#[cfg(target_arch = "x86_64")]
use self::avx512::{has_avx512, probe_avx512, scan_avx512};
use crate::base::kernel::Kernel;

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
    fn is_everywhere(&self) -> bool {
        self.own.mask == [0; W] && self.earlier.is_empty()
    }
}

/// Rows to compare with columns: each row with the columns after it.
#[derive(Debug, Clone)]
pub(super) struct Span {
    pub rows: Range<u32>,
    pub columns: Range<u32>,
}

/// Compares the rows of every span with its columns (those after the row) and reports to `sink`.
///
/// Complexity: the sum of rows x columns, halved if they are the same range. Panics if a span leaves the planes.
pub(super) fn scan<const W: usize, S: PairSink>(
    kernel: Kernel,
    planes: &[&[u64]; W],
    spans: &[Span],
    near: &Near<W>,
    sink: &mut S,
) {
    #[cfg(target_arch = "x86_64")]
    {
        if kernel == Kernel::Avx512 && has_avx512() {
            // SAFETY: the CPU has both features.
            return unsafe { scan_avx512(planes, spans, near, sink) };
        }
        if kernel == Kernel::Avx2 {
            // SAFETY: this kernel is only handed out where the machine has the features (Kernel::is_available).
            return unsafe { blocks::scan_avx2(planes, spans, near, sink) };
        }
        if is_x86_feature_detected!("popcnt") {
            // SAFETY: the CPU has the feature.
            return unsafe { scan_popcnt(planes, spans, near, sink) };
        }
    }
    let _ = kernel;
    if cfg!(target_arch = "aarch64") {
        // Every such processor counts the bits of a vector.
        return blocks::scan_blocks(planes, spans, near, sink);
    }
    scan_plain(planes, spans, near, sink);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt")]
fn scan_popcnt<const W: usize, S: PairSink>(planes: &[&[u64]; W], spans: &[Span], near: &Near<W>, sink: &mut S) {
    scan_plain(planes, spans, near, sink);
}

#[expect(
    clippy::inline_always,
    reason = "the copy inside scan_popcnt must be compiled with its instruction"
)]
#[inline(always)]
fn scan_plain<const W: usize, S: PairSink>(planes: &[&[u64]; W], spans: &[Span], near: &Near<W>, sink: &mut S) {
    for span in spans {
        let to = span.columns.end as usize;
        // Cut here, so that the loop needs no bounds checks.
        let planes: [&[u64]; W] = std::array::from_fn(|w| &planes[w][..to]);
        for row in span.rows.clone() {
            one_row(
                &planes,
                row as usize,
                span.columns.start.max(row + 1) as usize..to,
                near,
                sink,
            );
        }
        sink.flush();
    }
}

/// Counts the pairs of rows that [`scan`] would report. Place `p` means the rows from `starts[p]` to before
/// `starts[p + 1]` (empty: one row each).
///
/// If nearly all pairs are near, reporting them one by one costs 0.9 ns a pair; this only counts.
///
/// Complexity: that of [`scan`]. Panics if a span leaves the planes.
pub(super) fn count<const W: usize>(
    kernel: Kernel,
    planes: &[&[u64]; W],
    spans: &[Span],
    near: &Near<W>,
    starts: &[u32],
) -> u64 {
    let size = |place: usize| u64::from(starts[place + 1] - starts[place]);
    let mut pairs = 0;
    for span in spans {
        for row in span.rows.clone() {
            let i = row as usize;
            let value: [u64; W] = std::array::from_fn(|w| planes[w][i]);
            let columns = span.columns.start.max(row + 1) as usize..span.columns.end as usize;
            let mut met = 0_u64;
            probe(kernel, planes, &value, columns, near, |j, lanes, _| {
                met += if starts.is_empty() {
                    u64::from(lanes.count_ones())
                } else {
                    let met = (0..8).filter(|lane| lanes >> lane & 1 == 1);
                    met.map(|lane| size(j + lane)).sum()
                };
            });
            pairs += if starts.is_empty() { met } else { met * size(i) };
        }
    }
    pairs
}

/// Compares one value with columns; `hit` receives (column, lanes, distances): the columns `column + b` for every set
/// bit `b` of `lanes` are near and reported by this table.
///
/// Complexity: linear in the columns. Panics if they leave the planes.
pub(super) fn probe<const W: usize>(
    kernel: Kernel,
    planes: &[&[u64]; W],
    value: &[u64; W],
    columns: Range<usize>,
    near: &Near<W>,
    mut hit: impl FnMut(usize, u8, &[u64; 8]),
) {
    #[cfg(target_arch = "x86_64")]
    {
        if kernel == Kernel::Avx512 && has_avx512() {
            // SAFETY: the CPU has both features.
            return unsafe { probe_avx512(planes, value, columns, near, hit) };
        }
        if is_x86_feature_detected!("popcnt") {
            // SAFETY: the CPU has the feature.
            return unsafe { probe_popcnt(planes, value, columns, near, hit) };
        }
    }
    let _ = kernel;
    probe_plain(planes, value, columns, near, &mut hit);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt")]
fn probe_popcnt<const W: usize>(
    planes: &[&[u64]; W],
    value: &[u64; W],
    columns: Range<usize>,
    near: &Near<W>,
    mut hit: impl FnMut(usize, u8, &[u64; 8]),
) {
    probe_plain(planes, value, columns, near, &mut hit);
}

#[expect(
    clippy::inline_always,
    reason = "the copy inside probe_popcnt must be compiled with its instruction"
)]
#[inline(always)]
fn probe_plain<const W: usize>(
    planes: &[&[u64]; W],
    value: &[u64; W],
    columns: Range<usize>,
    near: &Near<W>,
    hit: &mut impl FnMut(usize, u8, &[u64; 8]),
) {
    let planes: [&[u64]; W] = std::array::from_fn(|w| &planes[w][..columns.end]);
    for j in columns {
        let xor: [u64; W] = std::array::from_fn(|w| value[w] ^ planes[w][j]);
        let distance: u32 = xor.iter().map(|word| word.count_ones()).sum();
        if distance <= near.max_distance && near.reports(&xor) {
            hit(j, 1, &[u64::from(distance); 8]);
        }
    }
}

#[expect(
    clippy::inline_always,
    reason = "the copy inside a kernel must be compiled with its instructions"
)]
#[inline(always)]
fn one_row<const W: usize, S: PairSink>(
    planes: &[&[u64]; W],
    i: usize,
    columns: Range<usize>,
    near: &Near<W>,
    sink: &mut S,
) {
    let value: [u64; W] = std::array::from_fn(|w| planes[w][i]);
    for j in columns {
        let xor: [u64; W] = std::array::from_fn(|w| value[w] ^ planes[w][j]);
        let distance: u32 = xor.iter().map(|word| word.count_ones()).sum();
        if distance <= near.max_distance && near.reports(&xor) {
            sink.near(i, j, distance);
        }
    }
}
