//! Cutting by AVX2: 64 bytes become masks of character starts and unit ends, and these become lists, eight bits at a time.
//!
//! The masks are those of `cut_avx512`. A list has each number twice as large, so that its lowest bit can say that a unit is the first
//! of its character: no instruction is needed that moves the bits of one mask by those of another, which is slow before Zen 3.

use std::arch::x86_64::{
    __m128i, __m256i, _mm_add_epi16, _mm_cvtepu8_epi16, _mm_cvtsi64_si128, _mm_loadu_si128, _mm_movemask_epi8,
    _mm_mullo_epi16, _mm_packs_epi16, _mm_set1_epi16, _mm_setzero_si128, _mm_shuffle_epi8, _mm_slli_epi16,
    _mm_srli_epi16, _mm_storeu_si128, _mm256_add_epi8, _mm256_and_si256, _mm256_castsi256_si128, _mm256_cmpeq_epi8,
    _mm256_extracti128_si256, _mm256_max_epu8, _mm256_min_epu8, _mm256_set1_epi8, _mm256_set1_epi32,
    _mm256_set1_epi64x, _mm256_shuffle_epi8, _mm256_sub_epi8,
};
use std::sync::LazyLock;

use super::block::{BLOCK_BYTES, BlockScratch, dense_of};
use crate::base::simd::{PICKED, eights, load_32, mask};
use crate::text::is_dense;

/// For each low half of a lead byte of three, the least and the greatest second byte of some characters, each table twice.
struct Rows {
    least: [u8; 32],
    most: [u8; 32],
}

/// The characters of [`super::block::is_of_dense_row`].
static DENSE: Rows = Rows::new(&[
    (0x3, 0x81, 0x83),
    (0x4, 0xB8, 0xBF),
    (0x5, 0x80, 0xBF),
    (0x6, 0x80, 0xBF),
    (0x7, 0x80, 0xBF),
    (0x8, 0x80, 0xBF),
    (0x9, 0x80, 0xBF),
    (0xA, 0xB0, 0xBF),
    (0xB, 0x80, 0xBF),
    (0xC, 0x80, 0xBF),
    (0xD, 0x80, 0x9E),
]);

/// Those among which there are dense ones: they are looked at one by one.
static ASKED: LazyLock<Rows> = LazyLock::new(|| {
    let has_dense = |lead: u32, second: u32| (0..64).any(|third| is_dense(lead << 12 | second << 6 | third));
    let of = |lead: u32| {
        let seconds = || {
            (0..64)
                .filter(|&second| has_dense(lead, second))
                .map(|second| 0x80 | second as u8)
        };
        Some((lead as usize, seconds().min()?, seconds().max()?))
    };
    Rows::new(&(0..16).filter_map(of).collect::<Vec<_>>())
});

impl Rows {
    const fn new(rows: &[(usize, u8, u8)]) -> Self {
        let (mut least, mut most) = ([0xFF; 32], [0; 32]);
        let mut at = 0;
        while at < rows.len() {
            let (lead, first, last) = rows[at];
            (least[lead], least[lead + 16]) = (first, first);
            (most[lead], most[lead + 16]) = (last, last);
            at += 1;
        }
        Self { least, most }
    }
}

/// 64 bytes.
#[derive(Clone, Copy)]
struct Chunk([__m256i; 2]);

impl Chunk {
    #[inline]
    #[target_feature(enable = "avx2")]
    fn load(bytes: &[u8; 64]) -> Self {
        let (halves, _) = bytes.as_chunks();
        Self([load_32(&halves[0]), load_32(&halves[1])])
    }

    /// The bytes whose bits `of` are `to`.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn equal(self, of: u8, to: u8) -> u64 {
        let (of, to) = (_mm256_set1_epi8(of as i8), _mm256_set1_epi8(to as i8));
        let is = |half: __m256i| u64::from(mask(_mm256_cmpeq_epi8(_mm256_and_si256(half, of), to)));
        is(self.0[0]) | is(self.0[1]) << 32
    }

    /// The lead bytes of three whose second byte, in `further`, is in the rows.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn within(self, further: Self, rows: &Rows) -> u64 {
        let is = |lead: __m256i, second: __m256i| {
            let low = _mm256_and_si256(lead, _mm256_set1_epi8(0xF));
            let least = _mm256_shuffle_epi8(load_32(&rows.least), low);
            let most = _mm256_shuffle_epi8(load_32(&rows.most), low);
            let bound = _mm256_min_epu8(_mm256_max_epu8(second, least), most);
            u64::from(mask(_mm256_cmpeq_epi8(bound, second)))
        };
        is(self.0[0], further.0[0]) | is(self.0[1], further.0[1]) << 32
    }
}

/// See [`super::cut`]; `padded` has at least 64 bytes after the `len` bytes of text.
#[target_feature(enable = "avx2,popcnt")]
pub(super) fn cut(
    padded: &[u8],
    len: usize,
    size: usize,
    by_units: bool,
    scratch: &mut BlockScratch,
    marks: &mut [u32],
) -> usize {
    assert!(padded.len() >= len + 64 && marks.len() >= BLOCK_BYTES);
    let asked = &*ASKED;
    let (mut at, mut units, mut begun, mut wanted) = (0, 0, 0, usize::MAX);
    // Carried over from the preceding chunk: first units of two, and whether its last unit was one.
    let (mut late, mut open) = (0, 0);
    while at < len && units < wanted {
        let valid = u64::MAX >> (64 - (len - at).min(64));
        let [chunk, further] = [at, at + 1].map(|at| Chunk::load(padded[at..].first_chunk().expect("the padding")));
        let lead = valid & !chunk.equal(0xC0, 0x80);
        // A character's last byte is before a lead byte or the text's end.
        let text_end = if len - at <= 64 { 1 << (len - at - 1) } else { 0 };
        let last = valid & (!further.equal(0xC0, 0x80) | text_end);
        // The first of two units is the last byte but one.
        let mut first_of_two = late;
        late = 0;
        if by_units {
            let triple = lead & chunk.equal(0xF0, 0xE0);
            let of_row = triple & chunk.within(further, &DENSE);
            let dense = of_row | dense_of(padded, at, triple & !of_row & chunk.within(further, asked));
            first_of_two |= dense << 1;
            late |= dense >> 63;
            let dense = dense_of(padded, at, lead & chunk.equal(0xF8, 0xF0));
            first_of_two |= dense << 2;
            late |= dense >> 62;
        }
        let all = last | first_of_two;
        let first = all & !(first_of_two << 1 | open);
        open = first_of_two >> 63;
        units = write(&mut scratch.ends, units, [all, first_of_two, first], at + 1);
        if at < BLOCK_BYTES {
            begun = write(&mut scratch.begins, begun, [lead, 0, 0], at);
        } else if wanted == usize::MAX {
            // All units of the block's last character are counted now.
            wanted = units + size;
        }
        at += 64;
    }
    // Only windows with all units that start in the block.
    let left = (units + 1).saturating_sub(size);
    let mut ended = 0;
    for unit in (0..left).step_by(8) {
        let firsts = _mm_slli_epi16(eight(&scratch.ends, unit), 15);
        let firsts = _mm_movemask_epi8(_mm_packs_epi16(firsts, _mm_setzero_si128())) as usize;
        let chosen = firsts & (0xFF >> (8 - (left - unit).min(8)));
        let ends = _mm_srli_epi16(eight(&scratch.ends, unit + size - 1), 1);
        // Byte `2 i` and the next one for each chosen number `i`.
        let picked = _mm_cvtepu8_epi16(_mm_cvtsi64_si128(PICKED[chosen] as i64));
        let places = _mm_add_epi16(_mm_mullo_epi16(picked, _mm_set1_epi16(0x0202)), _mm_set1_epi16(0x0100));
        store_eight(&mut scratch.window_ends, ended, _mm_shuffle_epi8(ends, places));
        ended += chosen.count_ones() as usize;
    }
    let windows = ended.min(begun);
    let begins_and_ends = scratch.begins.iter().zip(&scratch.window_ends);
    for (mark, (&twice, &end)) in marks[..windows].iter_mut().zip(begins_and_ends) {
        *mark = u32::from(twice >> 1) | u32::from(end) << 16;
    }
    windows
}

/// Writes the numbers of the bits of `chosen`, from `base` on and one more where `later` has the bit, times two, and one more where
/// `flagged` has it. Returns where they end.
#[inline]
#[target_feature(enable = "avx2,popcnt")]
fn write(list: &mut [u16], mut to: usize, [chosen, later, flagged]: [u64; 3], base: usize) -> usize {
    let base = _mm_set1_epi16(2 * base as i16);
    for (half, numbers) in NUMBERS.iter().enumerate() {
        let part = |mask: u64| (mask >> (32 * half)) as u32;
        let more = spread(part(later));
        let less = _mm256_add_epi8(_mm256_add_epi8(more, more), spread(part(flagged)));
        let numbers = _mm256_sub_epi8(load_32(numbers), less);
        let chosen = part(chosen);
        let quarters = [_mm256_castsi256_si128(numbers), _mm256_extracti128_si256(numbers, 1)];
        for (quarter, chosen) in quarters.into_iter().zip([chosen as u16, (chosen >> 16) as u16]) {
            for (eight, chosen) in eights(quarter, chosen).into_iter().zip([chosen & 0xFF, chosen >> 8]) {
                let wide = _mm_cvtepu8_epi16(_mm_cvtsi64_si128(eight as i64));
                store_eight(list, to, _mm_add_epi16(wide, base));
                to += chosen.count_ones() as usize;
            }
        }
    }
    to
}

/// Twice the numbers 0 to 63.
const NUMBERS: [[u8; 32]; 2] = {
    let mut out = [[0; 32]; 2];
    let mut i = 0;
    while i < 64 {
        out[i / 32][i % 32] = 2 * i as u8;
        i += 1;
    }
    out
};

/// All ones in the bytes whose bits are in the mask.
#[inline]
#[target_feature(enable = "avx2")]
fn spread(mask: u32) -> __m256i {
    let bytes = _mm256_shuffle_epi8(_mm256_set1_epi32(mask as i32), load_32(&EIGHTHS));
    let bit = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64 as i64);
    _mm256_cmpeq_epi8(_mm256_and_si256(bytes, bit), bit)
}

/// The byte of a mask of 32 bits that has the bit of each byte.
const EIGHTHS: [u8; 32] = {
    let mut out = [0; 32];
    let mut i = 0;
    while i < 32 {
        out[i] = i as u8 / 8;
        i += 1;
    }
    out
};

#[inline]
#[target_feature(enable = "sse2")]
fn eight(list: &[u16], from: usize) -> __m128i {
    let place = &list[from..from + 8];
    // SAFETY: 16 bytes are there, and the load asks for no alignment.
    unsafe { _mm_loadu_si128(place.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "sse2")]
fn store_eight(list: &mut [u16], to: usize, numbers: __m128i) {
    let place = &mut list[to..to + 8];
    // SAFETY: 16 bytes are there, and the store asks for no alignment.
    unsafe { _mm_storeu_si128(place.as_mut_ptr().cast(), numbers) }
}

#[cfg(test)]
mod tests {
    use super::super::block::is_of_dense_row;
    use super::*;

    #[test]
    fn rows_are_those_of_the_plain_test() {
        for lead in 0xE0..=0xEF_u8 {
            for second in 0x80..=0xBF_u8 {
                let at = usize::from(lead & 0xF);
                let is = |rows: &Rows| (rows.least[at]..=rows.most[at]).contains(&second);
                assert_eq!(is(&DENSE), is_of_dense_row([lead, second, 0x80]), "{lead:x} {second:x}");
                let codes = (u32::from(lead & 0xF) << 12 | u32::from(second & 0x3F) << 6)..;
                assert!(is(&ASKED) || !codes.take(64).any(is_dense), "{lead:x} {second:x}");
            }
        }
    }
}
