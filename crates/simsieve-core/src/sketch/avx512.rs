//! Throwing features into bins by AVX-512: eight at a time are mixed, one at a time find their bins.

use std::arch::x86_64::{
    __m512i, _mm512_and_si512, _mm512_andnot_si512, _mm512_loadu_si512, _mm512_min_epu64, _mm512_mul_epu32,
    _mm512_mullo_epi64, _mm512_or_si512, _mm512_set1_epi64, _mm512_srli_epi64, _mm512_storeu_si512, _mm512_xor_si512,
};

use super::{MOST_VALUE, SPREAD, throw};

/// Lowers every bin to the least that falls into it: the round above 32 bits, the value below.
///
/// # Safety
/// The machine has AVX-512 F and DQ.
#[target_feature(enable = "avx512f,avx512dq")]
pub(super) unsafe fn throw_all(hashes: &[u64], multiplier: u64, round: u64, least: &mut [u64]) {
    let length = least.len();
    let splat = |value: u64| _mm512_set1_epi64(value as i64);
    let (low, most) = (splat(u64::from(u32::MAX)), splat(u64::from(MOST_VALUE)));
    let eights = hashes.chunks_exact(8);
    let rest = eights.remainder();
    for eight in eights {
        // SAFETY: 64 bytes are there, and the load asks for no alignment.
        let hash = unsafe { _mm512_loadu_si512(eight.as_ptr().cast()) };
        let x = _mm512_mullo_epi64(hash, splat(multiplier));
        let x = _mm512_mullo_epi64(_mm512_xor_si512(x, _mm512_srli_epi64(x, 32)), splat(SPREAD));
        // The bin in the high half, the value in the low one.
        let bin = _mm512_andnot_si512(low, _mm512_mul_epu32(_mm512_srli_epi64(x, 32), splat(length as u64)));
        let value = _mm512_and_si512(_mm512_xor_si512(x, _mm512_srli_epi64(x, 29)), low);
        for thrown in lanes(_mm512_or_si512(bin, _mm512_min_epu64(value, most))) {
            let least = &mut least[(thrown >> 32) as usize];
            *least = (*least).min(round << 32 | (thrown & u64::from(u32::MAX)));
        }
    }
    for &hash in rest {
        let (bin, value) = throw(hash, multiplier, length);
        least[bin] = least[bin].min(round << 32 | u64::from(value));
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
