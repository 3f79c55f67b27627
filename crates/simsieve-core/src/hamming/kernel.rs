//! The inner loops: compare runs of fingerprints with one another.
//!
//! In: the words of the rows as planes (word 0 of all rows, then word 1, ...), and spans to compare. Out: to a
//! [`PairSink`], every pair of a span within the distance that its table reports ([`Near`]); or the number of pairs; or the
//! columns near one value. Called by [`super::engine`] and [`super::index`]. Each kernel reports the same pairs, in its
//! own order.

use crate::base::kernel::Kernel;
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
        if is_x86_feature_detected!("popcnt") {
            // SAFETY: the CPU has the feature.
            return unsafe { scan_popcnt(planes, spans, near, sink) };
        }
    }
    let _ = kernel;
    scan_plain(planes, spans, near, sink);
}

/// Whether the CPU has the features of the kernel below; the standard library caches the answer.
#[cfg(target_arch = "x86_64")]
fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vpopcntdq")
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
        sink.flush();
    }
}

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{
    __m512i, __mmask8, _mm512_add_epi64, _mm512_and_si512, _mm512_mask_cmple_epu64_mask, _mm512_maskz_loadu_epi64,
    _mm512_min_epu64, _mm512_popcnt_epi64, _mm512_set1_epi64, _mm512_setzero_si512, _mm512_storeu_si512,
    _mm512_xor_si512,
};

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vpopcntdq")]
fn scan_avx512<const W: usize, S: PairSink>(planes: &[&[u64]; W], spans: &[Span], near: &Near<W>, sink: &mut S) {
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
#[cfg(target_arch = "x86_64")]
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
#[cfg(target_arch = "x86_64")]
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
#[cfg(target_arch = "x86_64")]
fn present(j: usize, end: usize) -> __mmask8 {
    if end - j < 8 { (1 << (end - j)) - 1 } else { 0xff }
}

/// The lanes of the columns from `j` on that come after row `i`, which is at most seven places after `j`.
#[cfg(target_arch = "x86_64")]
fn behind(i: usize, j: usize) -> __mmask8 {
    0xff << (i + 1).saturating_sub(j)
}

/// Compares one row with eight columns again, drops the pairs that another table reports, and passes on the rest.
#[cfg(target_arch = "x86_64")]
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

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
#[inline]
fn stored(vector: __m512i) -> [u64; 8] {
    let mut stored = [0_u64; 8];
    // SAFETY: the array is as long as the vector, and the store needs no alignment.
    unsafe { _mm512_storeu_si512(stored.as_mut_ptr().cast(), vector) };
    stored
}

/// The columns among the eight from `j` on that are near a row and reported by this table, with all eight distances.
#[cfg(target_arch = "x86_64")]
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
#[cfg(target_arch = "x86_64")]
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

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vpopcntdq")]
fn probe_avx512<const W: usize>(
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
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
#[inline]
unsafe fn load(plane: &[u64], j: usize, present: __mmask8) -> __m512i {
    // SAFETY: masked-out lanes are not touched (no fault is raised for them); the caller guarantees the others.
    unsafe { _mm512_maskz_loadu_epi64(present, plane.as_ptr().wrapping_add(j).cast()) }
}
