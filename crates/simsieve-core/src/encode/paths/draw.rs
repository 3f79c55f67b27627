//! The draws of features: 32 bits of each under a seed, and which of them are below a bound.

use crate::base::hash::mix;
use crate::base::kernel::Kernel;

/// The draw of a feature under a seed: 32 bits.
#[inline]
pub(super) const fn draw(hash: u64, seed: u64) -> u64 {
    mix(hash ^ seed) >> 32
}

/// Appends the places of the features whose draw is below `most`.
pub(super) fn below(kernel: Kernel, hashes: &[u64], seed: u64, most: u64, places: &mut Vec<u32>) {
    match kernel {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: this kernel is only handed out where the machine has the features (Kernel::is_available).
        Kernel::Avx512 => unsafe { below_avx512(hashes, seed, most, places) },
        // Four multiplications of 64 bits at once cost AVX2 what they cost one by one.
        _ => below_from(hashes, seed, most, 0, places),
    }
}

/// The same from a place on.
fn below_from(hashes: &[u64], seed: u64, most: u64, from: usize, places: &mut Vec<u32>) {
    for (at, &hash) in (from as u32..).zip(&hashes[from..]) {
        if draw(hash, seed) < most {
            places.push(at);
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq")]
fn below_avx512(hashes: &[u64], seed: u64, most: u64, places: &mut Vec<u32>) {
    use std::arch::x86_64::{
        _mm512_cmplt_epu64_mask, _mm512_loadu_si512, _mm512_mullo_epi64, _mm512_set1_epi64, _mm512_srli_epi64,
        _mm512_xor_si512,
    };

    use crate::base::hash::{MIX_1, MIX_2};

    let (seeds, bounds) = (_mm512_set1_epi64(seed as i64), _mm512_set1_epi64(most as i64));
    let (multiplier_1, multiplier_2) = (_mm512_set1_epi64(MIX_1 as i64), _mm512_set1_epi64(MIX_2 as i64));
    let (eights, rest) = hashes.as_chunks::<8>();
    for (block, eight) in eights.iter().enumerate() {
        // SAFETY: eight hashes are 64 bytes.
        let x = unsafe { _mm512_loadu_si512(eight.as_ptr().cast()) };
        // As `mix`.
        let x = _mm512_xor_si512(x, seeds);
        let x = _mm512_mullo_epi64(_mm512_xor_si512(x, _mm512_srli_epi64(x, 30)), multiplier_1);
        let x = _mm512_mullo_epi64(_mm512_xor_si512(x, _mm512_srli_epi64(x, 27)), multiplier_2);
        let x = _mm512_xor_si512(x, _mm512_srli_epi64(x, 31));
        let mut found = _mm512_cmplt_epu64_mask(_mm512_srli_epi64(x, 32), bounds);
        while found != 0 {
            places.push(8 * block as u32 + found.trailing_zeros());
            found &= found - 1;
        }
    }
    below_from(hashes, seed, most, hashes.len() - rest.len(), places);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kernel_finds_the_same_places() {
        let hashes: Vec<u64> = (0..1003).map(mix).collect();
        for n in [0, 1, 7, 8, 9, 64, 1003] {
            for most in [0, 1 << 20, 1 << 28, 1 << 31, 1 << 32, u64::MAX] {
                let plain: Vec<u32> = (0..n as u32)
                    .filter(|&at| draw(hashes[at as usize], 77) < most)
                    .collect();
                for kernel in Kernel::available() {
                    let mut places = vec![9];
                    below(kernel, &hashes[..n], 77, most, &mut places);
                    assert_eq!(places[1..], plain, "{kernel:?} {n} {most}");
                }
            }
        }
    }
}
