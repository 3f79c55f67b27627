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
use super::near::{Near, PairSink, Span, one_row};
use crate::base::kernel::Kernel;

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
    if kernel == Kernel::Neon {
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
        for row in span.rows.clone() {
            one_row(
                planes,
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
