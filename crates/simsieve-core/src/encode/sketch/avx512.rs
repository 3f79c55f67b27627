//! The kernel for AVX-512, of features that all weigh the same: one register holds the counts of 64 bits.

use std::arch::x86_64::{
    __m512i, _mm512_add_epi16, _mm512_add_epi64, _mm512_castsi512_si256, _mm512_cmpge_epu8_mask,
    _mm512_cmpge_epu16_mask, _mm512_cvtepu8_epi16, _mm512_extracti64x4_epi64, _mm512_mask_add_epi8,
    _mm512_mask_mov_epi64, _mm512_mullo_epi64, _mm512_set1_epi8, _mm512_set1_epi16, _mm512_set1_epi64,
    _mm512_setr_epi64, _mm512_setzero_si512, _mm512_srli_epi64, _mm512_storeu_si512, _mm512_xor_si512,
};

use crate::base::hash::{MIX_1, MIX_2, WORD_STEP};

/// Words of a sketch.
const WORDS: usize = 8;

/// Most features that the counts of 16 bits hold.
pub(super) const MOST: usize = u16::MAX as usize;
/// Most features that the counts of 8 bits hold.
const BLOCK: usize = u8::MAX as usize;

/// Writes the signs: a bit is 1 where more than half of the features have it.
///
/// # Safety
/// The machine has AVX-512 F, BW and DQ.
///
/// # Panics
/// With more than [`MOST`] features.
#[target_feature(enable = "avx512f,avx512bw,avx512dq")]
pub(super) unsafe fn write(hashes: &[u64], words: &mut [u64; WORDS]) {
    assert!(hashes.len() <= MOST, "as many features as counts hold");
    let least = hashes.len() / 2 + 1;
    if hashes.len() <= BLOCK {
        let counts = count(hashes);
        let least = _mm512_set1_epi8(least as u8 as i8);
        for (word, counts) in words.iter_mut().zip(counts) {
            *word = _mm512_cmpge_epu8_mask(counts, least);
        }
        return;
    }
    let mut sums = [[_mm512_setzero_si512(); 2]; WORDS];
    for block in hashes.chunks(BLOCK) {
        for (sums, counts) in sums.iter_mut().zip(count(block)) {
            let halves = [_mm512_castsi512_si256(counts), _mm512_extracti64x4_epi64(counts, 1)];
            for (sum, half) in sums.iter_mut().zip(halves) {
                *sum = _mm512_add_epi16(*sum, _mm512_cvtepu8_epi16(half));
            }
        }
    }
    let least = _mm512_set1_epi16(least as u16 as i16);
    for (word, [low, high]) in words.iter_mut().zip(sums) {
        let halves = [low, high].map(|half| u64::from(_mm512_cmpge_epu16_mask(half, least)));
        *word = halves[0] | halves[1] << 32;
    }
}

/// How many of up to [`BLOCK`] features have each bit.
#[target_feature(enable = "avx512f,avx512bw,avx512dq")]
fn count(hashes: &[u64]) -> [__m512i; WORDS] {
    let one = _mm512_set1_epi8(1);
    let mut counts = [_mm512_setzero_si512(); WORDS];
    for &hash in hashes {
        for (counts, bits) in counts.iter_mut().zip(words_of(hash)) {
            *counts = _mm512_mask_add_epi8(*counts, bits, *counts, one);
        }
    }
    counts
}

/// The words of a feature: [`crate::base::hash::word`] in eight lanes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq")]
fn words_of(hash: u64) -> [u64; WORDS] {
    let step = |k: u64| k.wrapping_mul(WORD_STEP) as i64;
    let steps = _mm512_setr_epi64(0, step(1), step(2), step(3), step(4), step(5), step(6), step(7));
    let multiply = |x: __m512i, by: u64| _mm512_mullo_epi64(x, _mm512_set1_epi64(by as i64));
    let first = _mm512_set1_epi64(hash as i64);
    let x = _mm512_add_epi64(first, steps);
    let x = multiply(_mm512_xor_si512(x, _mm512_srli_epi64(x, 30)), MIX_1);
    let x = multiply(_mm512_xor_si512(x, _mm512_srli_epi64(x, 27)), MIX_2);
    let x = _mm512_xor_si512(x, _mm512_srli_epi64(x, 31));
    // Word 0 is the hash itself.
    let x = _mm512_mask_mov_epi64(x, 1, first);
    let mut words = [0; WORDS];
    // SAFETY: the array has the 64 bytes that are written.
    unsafe { _mm512_storeu_si512((&raw mut words).cast(), x) };
    words
}
