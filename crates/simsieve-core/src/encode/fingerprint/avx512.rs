//! The kernels for AVX-512: a hash's word is a mask, so one masked addition serves 64 bits at once.

use std::arch::x86_64::{
    __m512i, _mm512_add_epi8, _mm512_add_epi32, _mm512_castsi512_si256, _mm512_cvtepu16_epi32,
    _mm512_extracti64x4_epi64, _mm512_mask_add_epi8, _mm512_mask_add_epi16, _mm512_mask_add_epi32, _mm512_set1_epi8,
    _mm512_set1_epi16, _mm512_set1_epi32, _mm512_setzero_si512,
};

use crate::base::hash::forms::word_of;
use crate::base::hash::word;
use crate::base::lanes::{Avx512, Lanes};

/// Adds 1 to `ones[bit]` for every hash whose word `k` has that bit.
///
/// # Safety
/// The machine has AVX-512 F, BW and DQ.
#[target_feature(enable = "avx512f,avx512bw,avx512dq")]
pub(super) unsafe fn count_ones(hashes: &[u64], k: usize, ones: &mut [u64]) {
    let one = _mm512_set1_epi8(1);
    // A byte lane holds 255; two accumulators of 127 each make additions independent.
    for block in hashes.chunks(254) {
        let mut even = _mm512_setzero_si512();
        let mut odd = _mm512_setzero_si512();
        let pairs = block.chunks_exact(2);
        if let [last] = pairs.remainder() {
            even = _mm512_mask_add_epi8(even, word(*last, k), even, one);
        }
        // Words beyond the first are mixed one at a time: eight in a vector, then moved to masks, are 4 % slower.
        for pair in pairs {
            even = _mm512_mask_add_epi8(even, word(pair[0], k), even, one);
            odd = _mm512_mask_add_epi8(odd, word(pair[1], k), odd, one);
        }
        let lanes = bytes(_mm512_add_epi8(even, odd));
        for (ones, lane) in ones.iter_mut().zip(lanes) {
            *ones += u64::from(lane);
        }
    }
}

/// Word `k` of up to eight hashes, zeros after them.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq")]
fn eight_words(hashes: &[u64], k: usize) -> [u64; 8] {
    let Some(eight) = hashes.first_chunk::<8>() else {
        let mut out = [0; 8];
        for (out, &hash) in out.iter_mut().zip(hashes) {
            *out = word(hash, k);
        }
        return out;
    };
    if k == 0 {
        return *eight;
    }
    let mut out = [0; 8];
    word_of(Avx512::load(eight), k).store(&mut out);
    out
}

/// Adds `weights[i]` to `ones[bit]` for every hash `i` whose word `k` has that bit.
///
/// # Safety
/// The machine has AVX-512 F, BW and DQ.
#[target_feature(enable = "avx512f,avx512bw,avx512dq")]
pub(super) unsafe fn add_weights(hashes: &[u64], weights: &[u32], k: usize, ones: &mut [u64]) {
    let heaviest = weights.iter().copied().max().unwrap_or(0).max(1);
    if heaviest > u32::from(u16::MAX) {
        return add_heavy_weights(hashes, weights, k, ones, heaviest);
    }
    // As many additions as 16 bits hold before the lanes are emptied, in multiples of eight if possible.
    let block = (u32::from(u16::MAX) / heaviest).min(1 << 12) as usize;
    let block = if block > 8 { block / 8 * 8 } else { block };
    // As many blocks as 32 bits hold.
    for (hashes, weights) in hashes.chunks(block << 16).zip(weights.chunks(block << 16)) {
        let mut sums = [_mm512_setzero_si512(); 4];
        for (hashes, weights) in hashes.chunks(block).zip(weights.chunks(block)) {
            let mut lanes = [_mm512_setzero_si512(); 2];
            for (hashes, weights) in hashes.chunks(8).zip(weights.chunks(8)) {
                for (bits, &weight) in eight_words(hashes, k).into_iter().zip(weights) {
                    let weight = _mm512_set1_epi16(weight as i16);
                    lanes[0] = _mm512_mask_add_epi16(lanes[0], bits as u32, lanes[0], weight);
                    lanes[1] = _mm512_mask_add_epi16(lanes[1], (bits >> 32) as u32, lanes[1], weight);
                }
            }
            for (i, lane) in lanes.into_iter().enumerate() {
                let (low, high) = (_mm512_castsi512_si256(lane), _mm512_extracti64x4_epi64(lane, 1));
                sums[2 * i] = _mm512_add_epi32(sums[2 * i], _mm512_cvtepu16_epi32(low));
                sums[2 * i + 1] = _mm512_add_epi32(sums[2 * i + 1], _mm512_cvtepu16_epi32(high));
            }
        }
        empty(sums, ones);
    }
}

/// [`add_weights`] for weights of up to 32 bits.
#[target_feature(enable = "avx512f,avx512bw")]
fn add_heavy_weights(hashes: &[u64], weights: &[u32], k: usize, ones: &mut [u64], heaviest: u32) {
    let block = (u32::MAX / heaviest) as usize;
    for (hashes, weights) in hashes.chunks(block).zip(weights.chunks(block)) {
        let mut lanes = [_mm512_setzero_si512(); 4];
        for (&hash, &weight) in hashes.iter().zip(weights) {
            let bits = word(hash, k);
            let weight = _mm512_set1_epi32(weight as i32);
            lanes[0] = _mm512_mask_add_epi32(lanes[0], bits as u16, lanes[0], weight);
            lanes[1] = _mm512_mask_add_epi32(lanes[1], (bits >> 16) as u16, lanes[1], weight);
            lanes[2] = _mm512_mask_add_epi32(lanes[2], (bits >> 32) as u16, lanes[2], weight);
            lanes[3] = _mm512_mask_add_epi32(lanes[3], (bits >> 48) as u16, lanes[3], weight);
        }
        empty(lanes, ones);
    }
}

/// Adds the lanes of 32 bits to the sums.
fn empty(lanes: [__m512i; 4], ones: &mut [u64]) {
    for (lane, ones) in lanes.into_iter().zip(ones.chunks_exact_mut(16)) {
        for (ones, value) in ones.iter_mut().zip(words(lane)) {
            *ones += u64::from(value);
        }
    }
}

fn bytes(lanes: __m512i) -> [u8; 64] {
    // SAFETY: both types are 64 bytes without padding, and every bit pattern is valid in both.
    unsafe { std::mem::transmute(lanes) }
}

fn words(lanes: __m512i) -> [u32; 16] {
    // SAFETY: as in `bytes`.
    unsafe { std::mem::transmute(lanes) }
}
