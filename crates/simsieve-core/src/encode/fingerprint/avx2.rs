//! The kernels for AVX2: a hash's word is spread over the lanes, and a comparison makes each lane all ones or zero.

use std::arch::x86_64::{
    __m256i, _mm256_add_epi8, _mm256_add_epi16, _mm256_and_si256, _mm256_cmpeq_epi8, _mm256_cmpeq_epi16,
    _mm256_permute4x64_epi64, _mm256_set1_epi8, _mm256_set1_epi16, _mm256_set1_epi64x, _mm256_setr_epi8,
    _mm256_setr_epi16, _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_sub_epi8,
};

use super::portable;
use crate::base::hash::forms::word_of;
use crate::base::hash::word;
use crate::base::lanes::{Avx2, Lanes};

/// Adds 1 to `ones[bit]` for every hash whose word `k` has that bit.
///
/// Four hashes are in a register. Eight registers are added by full adders (Harley and Seal): their eights are spread, a byte for
/// each bit; the ones, twos and fours stay in planes.
#[target_feature(enable = "avx2")]
pub(super) fn count_ones(hashes: &[u64], k: usize, ones: &mut [u64]) {
    // A byte counts the eights of 63 blocks of 32 hashes: up to 4 of a block.
    for hashes in hashes.chunks(63 * 32) {
        let (blocks, rest) = hashes.as_chunks::<32>();
        let mut planes = [Avx2::splat(0); 3];
        let mut counts = [[_mm256_setzero_si256(); 2]; 4];
        for block in blocks {
            let mut x = [Avx2::splat(0); 8];
            for (x, hashes) in x.iter_mut().zip(block.as_chunks::<4>().0) {
                *x = word_of(Avx2::load(hashes), k);
            }
            let [a, b, c, d, e, f, g, h] = x;
            let [one, two, four] = planes;
            let (one, two_a) = one.add_bits(a, b);
            let (one, two_b) = one.add_bits(c, d);
            let (one, two_c) = one.add_bits(e, f);
            let (one, two_d) = one.add_bits(g, h);
            let (two, four_a) = two.add_bits(two_a, two_b);
            let (two, four_b) = two.add_bits(two_c, two_d);
            let (four, eights) = four.add_bits(four_a, four_b);
            planes = [one, two, four];
            spread(eights, &mut counts[3]);
        }
        for (plane, counts) in planes.into_iter().zip(&mut counts) {
            spread(plane, counts);
        }
        for &hash in rest {
            spread_word(_mm256_set1_epi64x(word(hash, k) as i64), &mut counts[0]);
        }
        let [one, two, four, eight] = counts.map(bytes);
        for (bit, sum) in ones.iter_mut().enumerate() {
            let [one, two, four, eight] = [one[bit], two[bit], four[bit], eight[bit]].map(u64::from);
            *sum += one + 2 * two + 4 * four + 8 * eight;
        }
    }
}

/// Adds the bits of four words to byte lanes.
#[inline]
#[target_feature(enable = "avx2")]
fn spread(words: Avx2, lanes: &mut [__m256i; 2]) {
    spread_word(_mm256_permute4x64_epi64::<0b00_00_00_00>(words.0), lanes);
    spread_word(_mm256_permute4x64_epi64::<0b01_01_01_01>(words.0), lanes);
    spread_word(_mm256_permute4x64_epi64::<0b10_10_10_10>(words.0), lanes);
    spread_word(_mm256_permute4x64_epi64::<0b11_11_11_11>(words.0), lanes);
}

/// Adds the bits of a word, which is in each lane of `all`, to byte lanes.
#[inline]
#[target_feature(enable = "avx2")]
fn spread_word(all: __m256i, lanes: &mut [__m256i; 2]) {
    // Byte `i` of a vector takes byte `i / 8` of the word, or `i / 8 + 4`, and looks at its bit `i % 8`.
    let low = _mm256_setr_epi8(
        0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3,
    );
    let high = _mm256_add_epi8(low, _mm256_set1_epi8(4));
    let bit = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64 as i64);
    for (lanes, places) in lanes.iter_mut().zip([low, high]) {
        let own = _mm256_and_si256(_mm256_shuffle_epi8(all, places), bit);
        // The comparison gives -1 for a set bit.
        *lanes = _mm256_sub_epi8(*lanes, _mm256_cmpeq_epi8(own, bit));
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

fn bytes(lanes: [__m256i; 2]) -> [u8; 64] {
    // SAFETY: both types are 64 bytes without padding, and every bit pattern is valid in both.
    unsafe { std::mem::transmute(lanes) }
}

fn pairs(lanes: __m256i) -> [u16; 16] {
    // SAFETY: as in `bytes`.
    unsafe { std::mem::transmute(lanes) }
}
