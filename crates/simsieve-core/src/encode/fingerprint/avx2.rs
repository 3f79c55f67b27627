//! The kernels for AVX2: a hash's word is spread over the lanes, and a comparison makes each lane all ones or zero.

use std::arch::x86_64::{
    __m256i, _mm256_add_epi8, _mm256_add_epi16, _mm256_and_si256, _mm256_cmpeq_epi8, _mm256_cmpeq_epi16,
    _mm256_set1_epi8, _mm256_set1_epi16, _mm256_set1_epi64x, _mm256_setr_epi8, _mm256_setr_epi16, _mm256_setzero_si256,
    _mm256_shuffle_epi8, _mm256_sub_epi8,
};

use super::portable;
use crate::base::hash::word;

/// Adds 1 to `ones[bit]` for every hash whose word `k` has that bit.
#[target_feature(enable = "avx2")]
pub(super) fn count_ones(hashes: &[u64], k: usize, ones: &mut [u64]) {
    // Byte `i` of a vector takes byte `i / 8` of the word, or `i / 8 + 4`, and looks at its bit `i % 8`.
    let low = _mm256_setr_epi8(
        0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3,
    );
    let high = _mm256_add_epi8(low, _mm256_set1_epi8(4));
    let bit = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64 as i64);
    // A byte lane holds 255.
    for block in hashes.chunks(255) {
        let mut lanes = [_mm256_setzero_si256(); 2];
        for &hash in block {
            let all = _mm256_set1_epi64x(word(hash, k) as i64);
            for (lanes, spread) in lanes.iter_mut().zip([low, high]) {
                let own = _mm256_and_si256(_mm256_shuffle_epi8(all, spread), bit);
                // The comparison gives -1 for a set bit.
                *lanes = _mm256_sub_epi8(*lanes, _mm256_cmpeq_epi8(own, bit));
            }
        }
        for (lanes, ones) in lanes.into_iter().zip(ones.chunks_exact_mut(32)) {
            for (ones, lane) in ones.iter_mut().zip(bytes(lanes)) {
                *ones += u64::from(lane);
            }
        }
    }
}

/// Adds `weights[i]` to `ones[bit]` for every hash `i` whose word `k` has that bit.
#[target_feature(enable = "avx2")]
pub(super) fn add_weights(hashes: &[u64], weights: &[u32], k: usize, ones: &mut [u64]) {
    let heaviest = weights.iter().copied().max().unwrap_or(0).max(1);
    if heaviest > u32::from(u16::MAX) {
        return portable::add_weights(hashes, weights, k, ones);
    }
    let bit = _mm256_setr_epi16(
        1,
        1 << 1,
        1 << 2,
        1 << 3,
        1 << 4,
        1 << 5,
        1 << 6,
        1 << 7,
        1 << 8,
        1 << 9,
        1 << 10,
        1 << 11,
        1 << 12,
        1 << 13,
        1 << 14,
        i16::MIN,
    );
    // As many additions as 16 bits hold before the lanes are emptied.
    let block = (u32::from(u16::MAX) / heaviest) as usize;
    for (hashes, weights) in hashes.chunks(block).zip(weights.chunks(block)) {
        let mut lanes = [_mm256_setzero_si256(); 4];
        for (&hash, &weight) in hashes.iter().zip(weights) {
            let bits = word(hash, k);
            let weight = _mm256_set1_epi16(weight as i16);
            for (quarter, lanes) in lanes.iter_mut().enumerate() {
                let own = _mm256_and_si256(_mm256_set1_epi16((bits >> (16 * quarter)) as i16), bit);
                *lanes = _mm256_add_epi16(*lanes, _mm256_and_si256(_mm256_cmpeq_epi16(own, bit), weight));
            }
        }
        for (lanes, ones) in lanes.into_iter().zip(ones.chunks_exact_mut(16)) {
            for (ones, lane) in ones.iter_mut().zip(pairs(lanes)) {
                *ones += u64::from(lane);
            }
        }
    }
}

fn bytes(lanes: __m256i) -> [u8; 32] {
    // SAFETY: both types are 32 bytes without padding, and every bit pattern is valid in both.
    unsafe { std::mem::transmute(lanes) }
}

fn pairs(lanes: __m256i) -> [u16; 16] {
    // SAFETY: as in `bytes`.
    unsafe { std::mem::transmute(lanes) }
}
