//! Throws features into bins by AVX2: eight at a time are mixed. Most rounds then process only throws into empty bins.

use std::arch::x86_64::{
    __m256i, _mm256_add_epi64, _mm256_and_si256, _mm256_andnot_si256, _mm256_castps_si256, _mm256_castsi256_ps,
    _mm256_min_epu32, _mm256_movemask_ps, _mm256_mul_epu32, _mm256_or_si256, _mm256_permute4x64_epi64,
    _mm256_permutevar8x32_epi32, _mm256_set1_epi32, _mm256_set1_epi64x, _mm256_shuffle_ps, _mm256_slli_epi64,
    _mm256_sllv_epi32, _mm256_srli_epi32, _mm256_srli_epi64, _mm256_storeu_si256, _mm256_xor_si256,
};

use super::bin::{MOST_VALUE, SPREAD, lower, marks, throw};
use crate::base::simd::{PICKED, load_words};

/// The longest sketch whose empty bins, one bit each, fit a register.
pub(super) const MOST_MARKED: usize = 256;

/// Features thrown before their bins are lowered; their numbers are bytes.
const AT_A_TIME: usize = 128;

/// A product of 64 bits by one factor for all lanes.
#[derive(Clone, Copy)]
struct Factor {
    low: __m256i,
    high: __m256i,
}

impl Factor {
    #[inline]
    #[target_feature(enable = "avx2")]
    fn new(factor: u64) -> Self {
        Self {
            low: _mm256_set1_epi64x(factor as i64),
            high: _mm256_set1_epi64x((factor >> 32) as i64),
        }
    }

    /// The low 64 bits of the products.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn times(self, x: __m256i) -> __m256i {
        let across = _mm256_add_epi64(
            _mm256_mul_epu32(_mm256_srli_epi64(x, 32), self.low),
            _mm256_mul_epu32(x, self.high),
        );
        _mm256_add_epi64(_mm256_mul_epu32(x, self.low), _mm256_slli_epi64(across, 32))
    }
}

/// One round of throws, four features at a time.
struct Round {
    multiplier: Factor,
    spread: Factor,
    length: __m256i,
}

impl Round {
    #[inline]
    #[target_feature(enable = "avx2")]
    fn new(multiplier: u64, length: usize) -> Self {
        Self {
            multiplier: Factor::new(multiplier),
            spread: Factor::new(SPREAD),
            length: _mm256_set1_epi64x(length as i64),
        }
    }

    /// The products that choose the bins and the values.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn mix(&self, hashes: __m256i) -> __m256i {
        let x = self.multiplier.times(hashes);
        self.spread.times(_mm256_xor_si256(x, _mm256_srli_epi64(x, 32)))
    }

    /// The bins in the high halves; the low halves are arbitrary.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn bins(&self, mixed: __m256i) -> __m256i {
        _mm256_mul_epu32(_mm256_srli_epi64(mixed, 32), self.length)
    }
}

/// Lowers every bin to the least value thrown into it: the round above 32 bits, the value below.
///
/// # Safety
/// The machine has AVX2.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn throw_all(hashes: &[u64], multiplier: u64, round: u64, least: &mut [u64]) {
    let (fours, rest) = hashes.as_chunks::<4>();
    let throws = Round::new(multiplier, least.len());
    let low = _mm256_set1_epi64x(i64::from(u32::MAX));
    let most = _mm256_set1_epi32(MOST_VALUE as i32);
    for four in fours {
        let mixed = throws.mix(load_words(four));
        let value = _mm256_min_epu32(_mm256_xor_si256(mixed, _mm256_srli_epi64(mixed, 29)), most);
        let bin = _mm256_slli_epi64(_mm256_srli_epi64(throws.bins(mixed), 32), 32);
        let thrown = _mm256_or_si256(bin, _mm256_and_si256(value, low));
        let mut lanes = [0; 4];
        // SAFETY: 32 bytes are there, and the store asks for no alignment.
        unsafe { _mm256_storeu_si256(lanes.as_mut_ptr().cast(), thrown) };
        for thrown in lanes {
            lower(thrown, round, least);
        }
    }
    for &hash in rest {
        let (bin, value) = throw(hash, multiplier, least.len());
        least[bin] = least[bin].min(round << 32 | u64::from(value));
    }
}

/// Continues with the rounds from number `round` on, with the given multipliers, until no bin is empty. A round changes
/// only bins that were empty before it, so only throws into these are processed.
///
/// # Safety
/// The machine has AVX2.
///
/// # Panics
/// If there are more than [`MOST_MARKED`] bins.
#[target_feature(enable = "avx2,popcnt")]
pub(super) unsafe fn fill_empty(hashes: &[u64], multipliers: &[u64], round: u64, least: &mut [u64]) {
    let mut empty: [u64; MOST_MARKED / 64] = marks(least);
    let length = least.len();
    // First all hits, then their bins: a loop of varying length after every eight throws would be mispredicted.
    let mut wanted = [0_u8; AT_A_TIME + 8];
    for (round, &multiplier) in (round..).zip(multipliers) {
        if empty == [0; MOST_MARKED / 64] {
            return;
        }
        let marks = load_words(&empty);
        let throws = Round::new(multiplier, length);
        for some in hashes.chunks(AT_A_TIME) {
            let mut count = 0;
            let (eights, rest) = some.as_chunks::<8>();
            for (at, eight) in eights.iter().enumerate() {
                count += hits(&throws, marks, eight, u8::MAX, 8 * at, &mut wanted[count..]);
            }
            if !rest.is_empty() {
                let mut eight = [0; 8];
                eight[..rest.len()].copy_from_slice(rest);
                let there = u8::MAX >> (8 - rest.len());
                count += hits(&throws, marks, &eight, there, 8 * eights.len(), &mut wanted[count..]);
            }
            for &at in &wanted[..count] {
                let (bin, value) = throw(some[usize::from(at)], multiplier, length);
                least[bin] = least[bin].min(round << 32 | u64::from(value));
                empty[bin / 64] &= !(1 << (bin % 64));
            }
        }
    }
}

/// Writes the numbers, from `first` on, of those of eight features that fall into marked bins, and returns how many do.
#[inline]
#[target_feature(enable = "avx2,popcnt")]
fn hits(throws: &Round, marks: __m256i, eight: &[u64; 8], there: u8, first: usize, out: &mut [u8]) -> usize {
    let (fours, _) = eight.as_chunks::<4>();
    let [a, b] = [&fours[0], &fours[1]].map(|four| throws.bins(throws.mix(load_words(four))));
    // The high halves of both, side by side, and in order.
    let bins = _mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), 0b11_01_11_01);
    let bins = _mm256_permute4x64_epi64(_mm256_castps_si256(bins), 0b11_01_10_00);
    // The word of each bin, with the bin's bit moved to the top.
    let words = _mm256_permutevar8x32_epi32(marks, _mm256_srli_epi32(bins, 5));
    let below_top = _mm256_andnot_si256(bins, _mm256_set1_epi32(31));
    let hit = _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_sllv_epi32(words, below_top))) as u8 & there;
    let numbers = PICKED[usize::from(hit)] + first as u64 * 0x0101_0101_0101_0101;
    out[..8].copy_from_slice(&numbers.to_le_bytes());
    hit.count_ones() as usize
}
