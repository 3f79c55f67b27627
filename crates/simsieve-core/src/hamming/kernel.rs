//! Comparing runs of fingerprints with themselves: the inner loops.
//!
//! In: the words of the rows as planes (word 0 of all rows, then word 1, ...), and spans to compare. Out: every pair of
//! a span within the distance, once its table has the right to report it ([`Near`]), to a [`Sink`]. Called by
//! [`super::engine`]. Each kernel reports the same pairs, in an order of its own.

use crate::kernel::Kernel;
use std::ops::Range;

/// Where the pairs go. `i` and `j` are places in the planes, `i < j`.
pub(super) trait Sink {
    /// One pair.
    fn near(&mut self, i: usize, j: usize, distance: u32);

    /// The pairs of `i` with `j + b` for every set bit `b` of `lanes`.
    fn near_lanes(&mut self, i: usize, j: usize, lanes: u8, distances: &[u64; 8]) {
        let mut left = lanes;
        while left != 0 {
            let lane = left.trailing_zeros() as usize;
            self.near(i, j + lane, distances[lane] as u32);
            left &= left - 1;
        }
    }

    /// Called after every span.
    fn settle(&mut self);
}

/// When a pair is reported: within the distance, equal in every bit of `agree`, unequal in each mask of `differ`.
#[derive(Debug, Clone)]
pub(super) struct Near<const W: usize> {
    /// Inclusive.
    pub max_distance: u32,
    /// The bits of the table's blocks.
    pub agree: [u64; W],
    /// The blocks before the table's last one that are not its own: where a pair agreed in one of them, an earlier
    /// table has reported it.
    pub differ: Vec<[u64; W]>,
}

impl<const W: usize> Near<W> {
    fn reports(&self, xor: &[u64; W]) -> bool {
        let touches = |mask: &[u64; W]| (0..W).any(|w| xor[w] & mask[w] != 0);
        !touches(&self.agree) && self.differ.iter().all(touches)
    }
}

/// Rows to compare with columns: each row with the columns behind it.
#[derive(Debug, Clone)]
pub(super) struct Span {
    pub rows: Range<u32>,
    pub columns: Range<u32>,
}

/// Compares the rows of every span with its columns (those after the row) and reports to `sink`.
///
/// Complexity: the sum of rows x columns, halved where they are the same range. Panics if a span leaves the planes.
pub(super) fn scan<const W: usize, S: Sink>(
    kernel: Kernel,
    planes: &[&[u64]; W],
    spans: &[Span],
    near: &Near<W>,
    sink: &mut S,
) {
    #[cfg(target_arch = "x86_64")]
    {
        if kernel == Kernel::Avx512 {
            // SAFETY: `or_portable` gives `Avx512` only where the CPU has both features.
            return unsafe { scan_avx512(planes, spans, near, sink) };
        }
        if is_x86_feature_detected!("popcnt") {
            // SAFETY: the CPU has the feature.
            return unsafe { scan_popcnt(planes, spans, near, sink) };
        }
    }
    let _ = kernel;
    scan_plain(planes, spans, near, sink);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt")]
fn scan_popcnt<const W: usize, S: Sink>(planes: &[&[u64]; W], spans: &[Span], near: &Near<W>, sink: &mut S) {
    scan_plain(planes, spans, near, sink);
}

#[expect(
    clippy::inline_always,
    reason = "the copy inside scan_popcnt must be compiled with its instruction"
)]
#[inline(always)]
fn scan_plain<const W: usize, S: Sink>(planes: &[&[u64]; W], spans: &[Span], near: &Near<W>, sink: &mut S) {
    for span in spans {
        let to = span.columns.end as usize;
        for row in span.rows.clone() {
            let i = row as usize;
            let value: [u64; W] = std::array::from_fn(|w| planes[w][i]);
            // Cut here, so that the loop needs no bounds checks.
            let planes: [&[u64]; W] = std::array::from_fn(|w| &planes[w][..to]);
            let from = to.min(span.columns.start.max(row + 1) as usize);
            #[expect(clippy::needless_range_loop, reason = "every plane is indexed, not the first alone")]
            for j in from..to {
                let xor: [u64; W] = std::array::from_fn(|w| value[w] ^ planes[w][j]);
                let distance: u32 = xor.iter().map(|word| word.count_ones()).sum();
                if distance <= near.max_distance && near.reports(&xor) {
                    sink.near(i, j, distance);
                }
            }
        }
        sink.settle();
    }
}

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{
    __m512i, __mmask8, _mm512_add_epi64, _mm512_mask_cmple_epu64_mask, _mm512_mask_test_epi64_mask,
    _mm512_mask_testn_epi64_mask, _mm512_maskz_loadu_epi64, _mm512_min_epu64, _mm512_popcnt_epi64, _mm512_set1_epi64,
    _mm512_setzero_si512, _mm512_storeu_si512, _mm512_xor_si512,
};

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vpopcntdq")]
fn scan_avx512<const W: usize, S: Sink>(planes: &[&[u64]; W], spans: &[Span], near: &Near<W>, sink: &mut S) {
    for span in spans {
        let columns = span.columns.start as usize..span.columns.end as usize;
        let (mut i, end) = (span.rows.start as usize, span.rows.end as usize);
        while i + 4 <= end {
            rows_avx512::<W, 4, S>(planes, i, &columns, near, sink);
            i += 4;
        }
        while i < end {
            rows_avx512::<W, 1, S>(planes, i, &columns, near, sink);
            i += 1;
        }
        sink.settle();
    }
}

/// `R` rows, each broadcast, against the columns behind them, eight at a time: a vector of columns is loaded once for
/// four rows, and one branch answers for 32 pairs.
///
/// One row against four vectors of columns needs four times the loads, most of them across a cache line, and has longer
/// tails in a bucket of 150 rows; it took as long as this shape did while that one still spilled its registers.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vpopcntdq")]
#[inline]
fn rows_avx512<const W: usize, const R: usize, S: Sink>(
    planes: &[&[u64]; W],
    i: usize,
    columns: &Range<usize>,
    near: &Near<W>,
    sink: &mut S,
) {
    let mut values = [[_mm512_setzero_si512(); W]; R];
    for w in 0..W {
        assert!(columns.end <= planes[w].len(), "a span stays inside the planes");
        for r in 0..R {
            values[r][w] = _mm512_set1_epi64(planes[w][i + r] as i64);
        }
    }
    // In the first vector a later row meets itself and those before it; the last one may be cut off.
    let mut j = columns.start.max(i + 1);
    if j < columns.end {
        block_avx512::<W, R, true, S>(planes, &values, (i, j), columns.end, near, sink);
        j += 8;
    }
    while j + 8 <= columns.end {
        block_avx512::<W, R, false, S>(planes, &values, (i, j), columns.end, near, sink);
        j += 8;
    }
    if j < columns.end {
        block_avx512::<W, R, true, S>(planes, &values, (i, j), columns.end, near, sink);
    }
}

/// The rows from `i` on against the eight columns from `j` on; `EDGE`: some of these pairs are not to be compared.
///
/// Nothing but the place leaves this function when a pair is near: handing the vectors on kept them in memory instead
/// of registers. With that and the sizes' order (see `Groups`) mended, 10^7 rows went from 1.24 s to 0.97 s.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vpopcntdq")]
#[inline]
fn block_avx512<const W: usize, const R: usize, const EDGE: bool, S: Sink>(
    planes: &[&[u64]; W],
    values: &[[__m512i; W]; R],
    (i, j): (usize, usize),
    end: usize,
    near: &Near<W>,
    sink: &mut S,
) {
    let limit = _mm512_set1_epi64(i64::from(near.max_distance));
    let present = if EDGE { present(j, end) } else { 0xff };
    let mut distances = [_mm512_setzero_si512(); R];
    for w in 0..W {
        // SAFETY: only the lanes before `end`, which lies inside the plane, are read.
        let column = unsafe { load(planes[w], j, present) };
        for r in 0..R {
            let bits = _mm512_popcnt_epi64(_mm512_xor_si512(values[r][w], column));
            distances[r] = if w == 0 {
                bits
            } else {
                _mm512_add_epi64(distances[r], bits)
            };
        }
    }
    let mut any = 0;
    if EDGE {
        for (r, distance) in distances.into_iter().enumerate() {
            any |= _mm512_mask_cmple_epu64_mask(present & behind(i + r, j), distance, limit);
        }
    } else {
        let mut least = distances[0];
        for distance in &distances[1..] {
            least = _mm512_min_epu64(least, *distance);
        }
        any = _mm512_mask_cmple_epu64_mask(0xff, least, limit);
    }
    if any != 0 {
        for r in 0..R {
            report_avx512(planes, (i + r, j), present & behind(i + r, j), near, sink);
        }
    }
}

/// The lanes of the columns from `j` on that come before `end`.
#[cfg(target_arch = "x86_64")]
fn present(j: usize, end: usize) -> __mmask8 {
    if end - j < 8 { (1 << (end - j)) - 1 } else { 0xff }
}

/// The lanes of the columns from `j` on that come after row `i`, which is at most seven places behind `j`.
#[cfg(target_arch = "x86_64")]
fn behind(i: usize, j: usize) -> __mmask8 {
    0xff << (i + 1).saturating_sub(j)
}

/// Compares one row with eight columns once more, drops the pairs that another table reports, hands on the rest. By
/// vectors, not by lanes: where nearly all pairs are near, counting them costs 0.9 ns each, against 0.06 where few are.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vpopcntdq")]
#[inline(never)]
fn report_avx512<const W: usize, S: Sink>(
    planes: &[&[u64]; W],
    (i, j): (usize, usize),
    compared: __mmask8,
    near: &Near<W>,
    sink: &mut S,
) {
    let mut xor = [_mm512_setzero_si512(); W];
    let mut distances = _mm512_setzero_si512();
    for w in 0..W {
        // SAFETY: the caller has compared these lanes, so they lie inside the plane; the others are not read.
        let column = unsafe { load(planes[w], j, compared) };
        xor[w] = _mm512_xor_si512(_mm512_set1_epi64(planes[w][i] as i64), column);
        distances = _mm512_add_epi64(distances, _mm512_popcnt_epi64(xor[w]));
    }
    let limit = _mm512_set1_epi64(i64::from(near.max_distance));
    let mut lanes = _mm512_mask_cmple_epu64_mask(compared, distances, limit);
    for (&xor, &mask) in xor.iter().zip(&near.agree) {
        lanes = _mm512_mask_testn_epi64_mask(lanes, xor, _mm512_set1_epi64(mask as i64));
    }
    for block in &near.differ {
        let mut differs = 0;
        for (&xor, &mask) in xor.iter().zip(block) {
            differs |= _mm512_mask_test_epi64_mask(lanes, xor, _mm512_set1_epi64(mask as i64));
        }
        lanes = differs;
    }
    if lanes != 0 {
        let mut stored = [0_u64; 8];
        // SAFETY: the array is as long as the vector, and the store needs no alignment.
        unsafe { _mm512_storeu_si512(stored.as_mut_ptr().cast(), distances) };
        sink.near_lanes(i, j, lanes, &stored);
    }
}

/// The lanes `present` of the eight words from `j` on; zero elsewhere.
///
/// # Safety
/// `j + b` lies inside the plane for every set bit `b` of `present`.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
#[inline]
unsafe fn load(plane: &[u64], j: usize, present: __mmask8) -> __m512i {
    // SAFETY: masked-out lanes are not touched (no fault is raised for them); the others are the caller's promise.
    unsafe { _mm512_maskz_loadu_epi64(present, plane.as_ptr().wrapping_add(j).cast()) }
}
