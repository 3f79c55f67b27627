//! The loops for AVX-512: eight columns are a vector.

use std::arch::x86_64::{
    __m512i, __mmask8, _mm512_add_epi64, _mm512_and_si512, _mm512_mask_cmple_epu64_mask, _mm512_maskz_loadu_epi64,
    _mm512_min_epu64, _mm512_popcnt_epi64, _mm512_set1_epi64, _mm512_setzero_si512, _mm512_storeu_si512,
    _mm512_xor_si512,
};
use std::ops::Range;

use crate::hamming::near::{Block, Near, PairSink, Span};

/// Whether the CPU has the features of these kernels; the standard library caches the answer.
pub(super) fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vpopcntdq")
}

#[target_feature(enable = "avx512f,avx512vpopcntdq")]
pub(super) fn scan_avx512<const W: usize, S: PairSink>(
    planes: &[&[u64]; W],
    spans: &[Span],
    near: &Near<W>,
    sink: &mut S,
) {
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
        sink.flush();
    }
}

/// `R` broadcast rows against the later columns, eight at a time: a vector of columns is loaded once for four rows, and
/// one branch covers 32 pairs.
///
/// One row against four vectors of columns needs four times the loads, most of them across a cache line. It has longer
/// tails in a bucket of 150 rows. It took as long as an earlier form of this loop that spilled registers.
#[target_feature(enable = "avx512f,avx512vpopcntdq")]
#[inline]
fn rows_avx512<const W: usize, const R: usize, S: PairSink>(
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
    // In the first vector a row meets itself and earlier rows; the last vector may be cut off.
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
/// For a near pair this function returns only the place: returning the vectors kept them in memory instead of
/// registers. With this and the order of sizes (see `Groups`) 10^7 rows took 0.97 s instead of 1.24 s.
#[target_feature(enable = "avx512f,avx512vpopcntdq")]
#[inline]
fn block_avx512<const W: usize, const R: usize, const EDGE: bool, S: PairSink>(
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
        // SAFETY: only the lanes before `end`, which is inside the plane, are read.
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
fn present(j: usize, end: usize) -> __mmask8 {
    if end - j < 8 { (1 << (end - j)) - 1 } else { 0xff }
}

/// The lanes of the columns from `j` on that come after row `i`, which is at most seven places after `j`.
fn behind(i: usize, j: usize) -> __mmask8 {
    0xff << (i + 1).saturating_sub(j)
}

/// Compares one row with eight columns again, drops the pairs that another table reports, and passes on the rest.
#[target_feature(enable = "avx512f,avx512vpopcntdq")]
#[inline(never)]
fn report_avx512<const W: usize, S: PairSink>(
    planes: &[&[u64]; W],
    (i, j): (usize, usize),
    compared: __mmask8,
    near: &Near<W>,
    sink: &mut S,
) {
    let value: [__m512i; W] = std::array::from_fn(|w| _mm512_set1_epi64(planes[w][i] as i64));
    let (lanes, distances) = meet_avx512::<W>(planes, &value, j, compared, near);
    if lanes != 0 {
        sink.near_lanes(i, j, lanes, &stored(distances));
    }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn stored(vector: __m512i) -> [u64; 8] {
    let mut stored = [0_u64; 8];
    // SAFETY: the array is as long as the vector, and the store needs no alignment.
    unsafe { _mm512_storeu_si512(stored.as_mut_ptr().cast(), vector) };
    stored
}

/// The columns among the eight from `j` on that are near a row and reported by this table, with all eight distances.
#[target_feature(enable = "avx512f,avx512vpopcntdq")]
#[inline]
fn meet_avx512<const W: usize>(
    planes: &[&[u64]; W],
    value: &[__m512i; W],
    j: usize,
    compared: __mmask8,
    near: &Near<W>,
) -> (__mmask8, __m512i) {
    let mut xor = [_mm512_setzero_si512(); W];
    let mut distances = _mm512_setzero_si512();
    for w in 0..W {
        // SAFETY: the callers' spans end inside the planes (asserted there), and later lanes are not read.
        let column = unsafe { load(planes[w], j, compared) };
        xor[w] = _mm512_xor_si512(value[w], column);
        distances = _mm512_add_epi64(distances, _mm512_popcnt_epi64(xor[w]));
    }
    let limit = _mm512_set1_epi64(i64::from(near.max_distance));
    let mut lanes = _mm512_mask_cmple_epu64_mask(compared, distances, limit);
    if lanes != 0 && !near.is_everywhere() {
        lanes = within_avx512(lanes, &xor, &near.own);
        for block in &near.earlier {
            lanes &= !within_avx512(lanes, &xor, block);
        }
    }
    (lanes, distances)
}

/// The `lanes` that differ in at most `radius` bits of the block.
#[target_feature(enable = "avx512f,avx512vpopcntdq")]
#[inline]
fn within_avx512<const W: usize>(lanes: __mmask8, xor: &[__m512i; W], block: &Block<W>) -> __mmask8 {
    let mut differing = _mm512_setzero_si512();
    for (&xor, &mask) in xor.iter().zip(&block.mask) {
        let bits = _mm512_and_si512(xor, _mm512_set1_epi64(mask as i64));
        differing = _mm512_add_epi64(differing, _mm512_popcnt_epi64(bits));
    }
    _mm512_mask_cmple_epu64_mask(lanes, differing, _mm512_set1_epi64(i64::from(block.radius)))
}

#[target_feature(enable = "avx512f,avx512vpopcntdq")]
pub(super) fn probe_avx512<const W: usize>(
    planes: &[&[u64]; W],
    value: &[u64; W],
    columns: Range<usize>,
    near: &Near<W>,
    mut hit: impl FnMut(usize, u8, &[u64; 8]),
) {
    for plane in planes {
        assert!(columns.end <= plane.len(), "the columns lie inside the planes");
    }
    let value: [__m512i; W] = std::array::from_fn(|w| _mm512_set1_epi64(value[w] as i64));
    for j in columns.clone().step_by(8) {
        let (lanes, distances) = meet_avx512::<W>(planes, &value, j, present(j, columns.end), near);
        if lanes != 0 {
            hit(j, lanes, &stored(distances));
        }
    }
}

/// The lanes `present` of the eight words from `j` on; zero elsewhere.
///
/// # Safety
/// `j + b` is inside the plane for every set bit `b` of `present`.
#[target_feature(enable = "avx512f")]
#[inline]
unsafe fn load(plane: &[u64], j: usize, present: __mmask8) -> __m512i {
    // SAFETY: masked-out lanes are not touched (no fault is raised for them); the caller guarantees the others.
    unsafe { _mm512_maskz_loadu_epi64(present, plane.as_ptr().wrapping_add(j).cast()) }
}
