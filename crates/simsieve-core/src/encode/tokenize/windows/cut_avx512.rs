//! Cutting by AVX-512: 64 bytes become masks of character starts and unit ends, compressed to lists.

use std::arch::x86_64::{
    __m512i, _bzhi_u64, _mm256_loadu_si256, _mm512_add_epi8, _mm512_add_epi16, _mm512_and_si512,
    _mm512_castsi512_si256, _mm512_cmpeq_epi8_mask, _mm512_cvtepu8_epi16, _mm512_cvtepu16_epi32,
    _mm512_extracti64x4_epi64, _mm512_loadu_si512, _mm512_mask_add_epi8, _mm512_maskz_compress_epi8,
    _mm512_maskz_compress_epi16, _mm512_or_si512, _mm512_set1_epi8, _mm512_set1_epi16, _mm512_slli_epi32,
    _mm512_storeu_si512, _pext_u64,
};

use crate::base::simd::load;
use std::sync::LazyLock;

use super::block::{BLOCK_BYTES, BlockScratch, MOST_UNITS, dense_of};
use crate::text::is_dense;
use crate::text::normalise::Blocks;

/// Blocks whose characters are all dense; blocks with some dense characters, which are checked one by one.
static DENSE: LazyLock<[Blocks; 2]> = LazyLock::new(|| {
    let dense = |code: usize| is_dense(code as u32);
    [
        Blocks::new(|mut codes| codes.all(dense)),
        Blocks::new(|mut codes| codes.clone().any(dense) && !codes.all(dense)),
    ]
});

/// The numbers 1 to 64: the end of a character whose last byte is here.
const NEXT: [u8; 64] = {
    let mut out = [0; 64];
    let mut i = 0;
    while i < 64 {
        out[i] = i as u8 + 1;
        i += 1;
    }
    out
};

/// Chunks of 64 bytes in a block, with those after it.
const MOST_CHUNKS: usize = MOST_UNITS / 64;

/// See [`super::cut`]; `padded` has at least 64 bytes after the `len` bytes of text.
///
/// # Safety
/// The machine has AVX-512 F, BW, VBMI and VBMI2, BMI1, BMI2, LZCNT and POPCNT.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,bmi1,bmi2,popcnt,lzcnt")]
pub(super) unsafe fn cut(
    padded: &[u8],
    len: usize,
    size: usize,
    by_units: bool,
    scratch: &mut BlockScratch,
    marks: &mut [u32],
) -> usize {
    assert!(padded.len() >= len + 64 && marks.len() >= BLOCK_BYTES);
    let tables = &*DENSE;
    let ends = load(&NEXT);
    let begins = _mm512_add_epi8(ends, splat(0xFF));
    // For every chunk, which of its units are their characters' first, and how many units it has.
    let mut chunks = [(0_u64, 0_usize); MOST_CHUNKS];
    let (mut at, mut chunk, mut units, mut begun) = (0, 0, 0, 0);
    let mut wanted = usize::MAX;
    // Carried over from the preceding chunk: first units of two, and whether its last unit was one.
    let (mut late, mut open) = (0, 0);
    while at < len && units < wanted {
        let valid = _bzhi_u64(u64::MAX, (len - at).min(64) as u32);
        let vector = load(&padded[at..]);
        let further = load(&padded[at + 1..]);
        let lead = valid & !is(_mm512_and_si512(vector, splat(0xC0)), 0x80);
        // A character's last byte is before a lead byte or the text's end.
        let text_end = if len - at <= 64 { 1 << (len - at - 1) } else { 0 };
        let last = valid & (!is(_mm512_and_si512(further, splat(0xC0)), 0x80) | text_end);
        // The first of two units is the last byte but one.
        let mut first_of_two = late;
        late = 0;
        if by_units {
            let triple = lead & is(_mm512_and_si512(vector, splat(0xF0)), 0xE0);
            let dense =
                triple & tables[0].has(vector, further) | dense_of(padded, at, triple & tables[1].has(vector, further));
            first_of_two |= dense << 1;
            late |= dense >> 63;
            let dense = dense_of(padded, at, lead & is(_mm512_and_si512(vector, splat(0xF8)), 0xF0));
            first_of_two |= dense << 2;
            late |= dense >> 62;
        }
        let all = last | first_of_two;
        let first = all & !(first_of_two << 1 | open);
        open = first_of_two >> 63;
        let end = _mm512_mask_add_epi8(ends, first_of_two, ends, splat(1));
        store_wide(&mut scratch.ends, units, _mm512_maskz_compress_epi8(all, end), at);
        let number = all.count_ones() as usize;
        chunks[chunk] = (_pext_u64(first, all), number);
        units += number;
        if at < BLOCK_BYTES {
            store_wide(&mut scratch.begins, begun, _mm512_maskz_compress_epi8(lead, begins), at);
            begun += lead.count_ones() as usize;
        } else if wanted == usize::MAX {
            // All units of the block's last character are counted now.
            wanted = units + size;
        }
        at += 64;
        chunk += 1;
    }
    // Only windows with all units that start in the block.
    let mut left = (units + 1).saturating_sub(size);
    let (mut base, mut ended) = (size - 1, 0);
    for &(first, number) in &chunks[..chunk] {
        let first = _bzhi_u64(first, left.min(64) as u32);
        for (half, from) in [(first as u32, base), ((first >> 32) as u32, base + 32)] {
            if half != 0 {
                let ends = load_units(&scratch.ends, from);
                store_units(&mut scratch.window_ends, ended, _mm512_maskz_compress_epi16(half, ends));
                ended += half.count_ones() as usize;
            }
        }
        base += number;
        left = left.saturating_sub(number);
    }
    let windows = ended.min(begun);
    for at in (0..windows).step_by(16) {
        let end = _mm512_slli_epi32(widen(&scratch.window_ends, at), 16);
        store_marks(marks, at, _mm512_or_si512(widen(&scratch.begins, at), end));
    }
    windows
}

#[inline]
#[target_feature(enable = "avx512f")]
fn splat(byte: u8) -> __m512i {
    _mm512_set1_epi8(byte as i8)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn is(vector: __m512i, byte: u8) -> u64 {
    _mm512_cmpeq_epi8_mask(vector, splat(byte))
}

/// Writes 64 small numbers, `base` added, as numbers of 16 bits from `to` on.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn store_wide(list: &mut [u16], to: usize, numbers: __m512i, base: usize) {
    let base = _mm512_set1_epi16(base as i16);
    let low = _mm512_cvtepu8_epi16(_mm512_castsi512_si256(numbers));
    let high = _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(numbers, 1));
    store_units(list, to, _mm512_add_epi16(low, base));
    store_units(list, to + 32, _mm512_add_epi16(high, base));
}

#[inline]
#[target_feature(enable = "avx512f")]
fn store_units(list: &mut [u16], to: usize, numbers: __m512i) {
    let place = &mut list[to..to + 32];
    // SAFETY: 64 bytes are there, and the store asks for no alignment.
    unsafe { _mm512_storeu_si512(place.as_mut_ptr().cast(), numbers) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load_units(list: &[u16], from: usize) -> __m512i {
    let place = &list[from..from + 32];
    // SAFETY: 64 bytes are there, and the load asks for no alignment.
    unsafe { _mm512_loadu_si512(place.as_ptr().cast()) }
}

/// Sixteen numbers from `from` on, made 32 bits wide.
#[inline]
#[target_feature(enable = "avx512f")]
fn widen(list: &[u16], from: usize) -> __m512i {
    let place = &list[from..from + 16];
    // SAFETY: 32 bytes are there, and the load asks for no alignment.
    _mm512_cvtepu16_epi32(unsafe { _mm256_loadu_si256(place.as_ptr().cast()) })
}

#[inline]
#[target_feature(enable = "avx512f")]
fn store_marks(marks: &mut [u32], to: usize, numbers: __m512i) {
    let place = &mut marks[to..to + 16];
    // SAFETY: 64 bytes are there, and the store asks for no alignment.
    unsafe { _mm512_storeu_si512(place.as_mut_ptr().cast(), numbers) }
}
