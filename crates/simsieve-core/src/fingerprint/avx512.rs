//! The kernels for AVX-512: a hash's word is a mask, so one masked addition serves 64 bits at once.

use std::arch::x86_64::{
    __m512i, _mm512_add_epi8, _mm512_mask_add_epi8, _mm512_mask_add_epi32, _mm512_set1_epi8, _mm512_set1_epi32,
    _mm512_setzero_si512,
};

use crate::hash::word;

/// Adds 1 to `ones[bit]` for every hash whose word `k` has that bit.
///
/// # Safety
/// The machine has AVX-512 F and BW.
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) unsafe fn count_ones(hashes: &[u64], k: usize, ones: &mut [u64]) {
    let one = _mm512_set1_epi8(1);
    // A byte lane holds 255; two accumulators of 127 each keep additions from waiting for one another.
    for block in hashes.chunks(254) {
        let mut even = _mm512_setzero_si512();
        let mut odd = _mm512_setzero_si512();
        let pairs = block.chunks_exact(2);
        if let [last] = pairs.remainder() {
            even = _mm512_mask_add_epi8(even, word(*last, k), even, one);
        }
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

/// Adds `weights[i]` to `ones[bit]` for every hash `i` whose word `k` has that bit.
///
/// # Safety
/// The machine has AVX-512 F and BW.
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) unsafe fn add_weights(hashes: &[u64], weights: &[u32], k: usize, ones: &mut [u64]) {
    let heaviest = weights.iter().copied().max().unwrap_or(0).max(1);
    // As many additions as 32 bits hold before the lanes are emptied.
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
        for (lane, ones) in lanes.into_iter().zip(ones.chunks_exact_mut(16)) {
            for (ones, value) in ones.iter_mut().zip(words(lane)) {
                *ones += u64::from(value);
            }
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
