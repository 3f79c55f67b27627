//! Throws features into bins by AVX-512: eight at a time are mixed, then each lowers its bin.

use std::arch::x86_64::{
    __m512i, _mm512_and_si512, _mm512_andnot_si512, _mm512_loadu_si512, _mm512_mask_test_epi64_mask,
    _mm512_maskz_compress_epi64, _mm512_maskz_loadu_epi64, _mm512_min_epu64, _mm512_mul_epu32, _mm512_mullo_epi64,
    _mm512_or_si512, _mm512_permutexvar_epi64, _mm512_set1_epi64, _mm512_srli_epi64, _mm512_srlv_epi64,
    _mm512_storeu_si512, _mm512_xor_si512,
};

use super::bin::{MOST_VALUE, SPREAD, lower, marks, throw};

/// The longest sketch whose empty bins, one bit each, fit a register.
pub(super) const MOST_MARKED: usize = 512;

/// Features thrown before their bins are lowered.
const AT_A_TIME: usize = 128;

/// One round of throws, eight features at a time.
struct Round {
    multiplier: __m512i,
    spread: __m512i,
    length: __m512i,
    low: __m512i,
    most: __m512i,
}

impl Round {
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    fn new(multiplier: u64, length: usize) -> Self {
        let splat = |value: u64| _mm512_set1_epi64(value as i64);
        Self {
            multiplier: splat(multiplier),
            spread: splat(SPREAD),
            length: splat(length as u64),
            low: splat(u64::from(u32::MAX)),
            most: splat(u64::from(MOST_VALUE)),
        }
    }

    /// Eight throws: the bins in the high halves, the values in the low ones.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    fn throw(&self, hashes: __m512i) -> __m512i {
        let x = _mm512_mullo_epi64(hashes, self.multiplier);
        let x = _mm512_mullo_epi64(_mm512_xor_si512(x, _mm512_srli_epi64(x, 32)), self.spread);
        let bin = _mm512_andnot_si512(self.low, _mm512_mul_epu32(_mm512_srli_epi64(x, 32), self.length));
        let value = _mm512_and_si512(_mm512_xor_si512(x, _mm512_srli_epi64(x, 29)), self.low);
        _mm512_or_si512(bin, _mm512_min_epu64(value, self.most))
    }
}

/// Lowers every bin to the least value thrown into it: the round above 32 bits, the value below.
///
/// # Safety
/// The machine has AVX-512 F and DQ.
#[target_feature(enable = "avx512f,avx512dq")]
pub(super) unsafe fn throw_all(hashes: &[u64], multiplier: u64, round: u64, least: &mut [u64]) {
    let (eights, rest) = hashes.as_chunks::<8>();
    let throws = Round::new(multiplier, least.len());
    for eight in eights {
        // SAFETY: 64 bytes are there, and the load asks for no alignment.
        let hash = unsafe { _mm512_loadu_si512(eight.as_ptr().cast()) };
        for thrown in lanes(throws.throw(hash)) {
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
/// The machine has AVX-512 F and DQ.
///
/// # Panics
/// If there are more than [`MOST_MARKED`] bins.
#[target_feature(enable = "avx512f,avx512dq,popcnt")]
pub(super) unsafe fn fill_empty(hashes: &[u64], multipliers: &[u64], round: u64, least: &mut [u64]) {
    let mut empty: [u64; MOST_MARKED / 64] = marks(least);
    let one = _mm512_set1_epi64(1);
    // First all hits, then their bins: a loop of varying length after every eight throws would be mispredicted.
    let mut wanted = [0; AT_A_TIME + 8];
    for (round, &multiplier) in (round..).zip(multipliers) {
        if empty == [0; 8] {
            return;
        }
        // SAFETY: 64 bytes are there, and the load asks for no alignment.
        let marks = unsafe { _mm512_loadu_si512(empty.as_ptr().cast()) };
        let throws = Round::new(multiplier, least.len());
        for some in hashes.chunks(AT_A_TIME) {
            let mut count = 0;
            for eight in some.chunks(8) {
                let there = u8::MAX >> (8 - eight.len());
                // SAFETY: no more words are read than there are.
                let hash = unsafe { _mm512_maskz_loadu_epi64(there, eight.as_ptr().cast()) };
                let thrown = throws.throw(hash);
                let bin = _mm512_srli_epi64(thrown, 32);
                // The word of each bin, and the bin's bit in it.
                let words = _mm512_permutexvar_epi64(_mm512_srli_epi64(bin, 6), marks);
                let bits = _mm512_srlv_epi64(words, _mm512_and_si512(bin, _mm512_set1_epi64(63)));
                let hit = _mm512_mask_test_epi64_mask(there, bits, one);
                // Compressed in a register: some processors take a hundred cycles to compress into memory.
                let hits = lanes(_mm512_maskz_compress_epi64(hit, thrown));
                wanted[count..count + 8].copy_from_slice(&hits);
                count += hit.count_ones() as usize;
            }
            for &thrown in &wanted[..count] {
                lower(thrown, round, least);
                let bin = (thrown >> 32) as usize;
                empty[bin / 64] &= !(1 << (bin % 64));
            }
        }
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn lanes(vector: __m512i) -> [u64; 8] {
    let mut out = [0; 8];
    // SAFETY: 64 bytes are there, and the store asks for no alignment.
    unsafe { _mm512_storeu_si512(out.as_mut_ptr().cast(), vector) };
    out
}
