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
    use std::arch::x86_64::{_mm512_cmplt_epu64_mask, _mm512_set1_epi64};

    let bounds = _mm512_set1_epi64(most as i64);
    let (eights, rest) = hashes.as_chunks::<8>();
    for (block, eight) in eights.iter().enumerate() {
        let mut found = _mm512_cmplt_epu64_mask(draws_avx512(eight, seed), bounds);
        while found != 0 {
            places.push(8 * block as u32 + found.trailing_zeros());
            found &= found - 1;
        }
    }
    below_from(hashes, seed, most, hashes.len() - rest.len(), places);
}

/// As [`draw`], of eight features.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq")]
#[inline]
fn draws_avx512(hashes: &[u64; 8], seed: u64) -> std::arch::x86_64::__m512i {
    use std::arch::x86_64::{
        _mm512_loadu_si512, _mm512_mullo_epi64, _mm512_set1_epi64, _mm512_srli_epi64, _mm512_xor_si512,
    };

    use crate::base::hash::{MIX_1, MIX_2};

    // SAFETY: eight hashes are 64 bytes.
    let x = unsafe { _mm512_loadu_si512(hashes.as_ptr().cast()) };
    // As `mix`.
    let x = _mm512_xor_si512(x, _mm512_set1_epi64(seed as i64));
    let x = _mm512_mullo_epi64(
        _mm512_xor_si512(x, _mm512_srli_epi64(x, 30)),
        _mm512_set1_epi64(MIX_1 as i64),
    );
    let x = _mm512_mullo_epi64(
        _mm512_xor_si512(x, _mm512_srli_epi64(x, 27)),
        _mm512_set1_epi64(MIX_2 as i64),
    );
    _mm512_srli_epi64(_mm512_xor_si512(x, _mm512_srli_epi64(x, 31)), 32)
}

/// Calls `found` with the place and the priority of each feature whose priority is below `most`: its draw times `inverse`.
pub(super) fn priorities(
    kernel: Kernel,
    hashes: &[u64],
    inverse: &[f64],
    seed: u64,
    most: f64,
    mut found: impl FnMut(usize, f64),
) {
    let done = match kernel {
        #[cfg(target_arch = "x86_64")]
        Kernel::Avx512 => priorities_of_eights(hashes, inverse, seed, most, &mut found),
        _ => 0,
    };
    for at in done..hashes.len() {
        let priority = draw(hashes[at], seed) as f64 * inverse[at];
        if priority < most {
            found(at, priority);
        }
    }
}

/// [`priorities`] of as many features as make blocks of eight; their number.
#[cfg(target_arch = "x86_64")]
fn priorities_of_eights(
    hashes: &[u64],
    inverse: &[f64],
    seed: u64,
    most: f64,
    found: &mut impl FnMut(usize, f64),
) -> usize {
    let mut done = 0;
    for (hashes, inverse) in hashes.as_chunks::<8>().0.iter().zip(inverse.as_chunks::<8>().0) {
        let mut priorities = [0.0; 8];
        // SAFETY: the kernel is only handed out where the machine has the features (Kernel::is_available).
        let mut below = unsafe { priorities_avx512(hashes, inverse, seed, most, &mut priorities) };
        while below != 0 {
            let at = below.trailing_zeros() as usize;
            found(done + at, priorities[at]);
            below &= below - 1;
        }
        done += 8;
    }
    done
}

/// The priorities of eight features, and which of them are below `most`.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq")]
fn priorities_avx512(hashes: &[u64; 8], inverse: &[f64; 8], seed: u64, most: f64, out: &mut [f64; 8]) -> u8 {
    use std::arch::x86_64::{
        _CMP_LT_OQ, _mm512_cmp_pd_mask, _mm512_cvtepu64_pd, _mm512_loadu_pd, _mm512_mul_pd, _mm512_set1_pd,
        _mm512_storeu_pd,
    };

    let draws = _mm512_cvtepu64_pd(draws_avx512(hashes, seed));
    // SAFETY: both are eight numbers of 8 bytes.
    unsafe {
        let priorities = _mm512_mul_pd(draws, _mm512_loadu_pd(inverse.as_ptr()));
        _mm512_storeu_pd(out.as_mut_ptr(), priorities);
        _mm512_cmp_pd_mask::<_CMP_LT_OQ>(priorities, _mm512_set1_pd(most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kernel_finds_the_same_priorities() {
        let hashes: Vec<u64> = (0..61).map(mix).collect();
        // A feature without weight has no priority below infinity.
        let inverse: Vec<f64> = (0..61).map(|at| 1.0 / f64::from(at % 7)).collect();
        for n in [0, 1, 7, 8, 9, 61] {
            for most in [0.0, 1e6, 1e9, 1e10, f64::INFINITY] {
                let priority = |at: usize| draw(hashes[at], 77) as f64 * inverse[at];
                let plain: Vec<(usize, f64)> = (0..n).map(|at| (at, priority(at))).filter(|it| it.1 < most).collect();
                for kernel in Kernel::available() {
                    let mut found = Vec::new();
                    priorities(kernel, &hashes[..n], &inverse[..n], 77, most, |at, priority| {
                        found.push((at, priority));
                    });
                    assert_eq!(found, plain, "{kernel:?} {n} {most}");
                }
            }
        }
    }

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
