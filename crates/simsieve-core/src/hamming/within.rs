//! One fingerprint against some that are contiguous.

use crate::base::kernel::Kernel;

/// Adds to `out` which of `others` (row-major, of the width of `own`) differ from `own` in at most `most` bits.
///
/// Complexity: linear in the words of `others`.
///
/// # Panics
/// Where `own` has no words, or `others` is no multiple of them.
pub fn within(kernel: Kernel, own: &[u64], others: &[u64], most: u32, out: &mut Vec<u32>) {
    assert!(
        !own.is_empty() && others.len().is_multiple_of(own.len()),
        "fingerprints of one width"
    );
    match kernel {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: this kernel is only handed out where the machine has the features (Kernel::is_available).
        Kernel::Avx512 if own.len() == 8 => unsafe { within_512_bits(own, others, most, out) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: these kernels are only handed out where the machine has the instruction to count bits
        // (Kernel::is_available).
        Kernel::Avx2 | Kernel::Avx512 => unsafe { within_popcnt(own, others, most, out) },
        _ => within_plain(own, others, most, out),
    }
}

/// [`within`] for 512 bits: a row is one register.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vpopcntdq")]
fn within_512_bits(own: &[u64], others: &[u64], most: u32, out: &mut Vec<u32>) {
    use std::arch::x86_64::{_mm512_loadu_si512, _mm512_popcnt_epi64, _mm512_reduce_add_epi64, _mm512_xor_si512};
    // SAFETY: both pointers are to 64 bytes that can be read; the load needs no alignment.
    let load = |words: &[u64; 8]| unsafe { _mm512_loadu_si512(std::ptr::from_ref(words).cast()) };
    let Some(own) = own.first_chunk::<8>() else { return };
    let own = load(own);
    let rows = others.as_chunks::<8>().0.iter();
    let distance =
        |row: &[u64; 8]| _mm512_reduce_add_epi64(_mm512_popcnt_epi64(_mm512_xor_si512(own, load(row)))) as u32;
    each(rows.map(distance), most, out);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt")]
fn within_popcnt(own: &[u64], others: &[u64], most: u32, out: &mut Vec<u32>) {
    within_plain(own, others, most, out);
}

#[expect(
    clippy::inline_always,
    reason = "the copy inside within_popcnt must be compiled with its instruction"
)]
#[inline(always)]
fn within_plain(own: &[u64], others: &[u64], most: u32, out: &mut Vec<u32>) {
    match own {
        [a] => each(others.iter().map(|x| (a ^ x).count_ones()), most, out),
        [a, b] => {
            let (pairs, _) = others.as_chunks::<2>();
            each(
                pairs.iter().map(|[x, y]| (a ^ x).count_ones() + (b ^ y).count_ones()),
                most,
                out,
            );
        }
        &[a, b, c, d, e, f, g, h] => {
            let own = [a, b, c, d, e, f, g, h];
            let rows = others.as_chunks::<8>().0.iter();
            let distance = |row: &[u64; 8]| own.iter().zip(row).map(|(a, b)| (a ^ b).count_ones()).sum();
            each(rows.map(distance), most, out);
        }
        _ => each(
            others.chunks(own.len()).map(|other| super::distance(own, other)),
            most,
            out,
        ),
    }
}

#[expect(
    clippy::inline_always,
    reason = "the copy inside within_popcnt must be compiled with its instruction"
)]
#[inline(always)]
fn each(distances: impl Iterator<Item = u32>, most: u32, out: &mut Vec<u32>) {
    for (at, distance) in distances.enumerate() {
        if distance <= most {
            out.push(at as u32);
        }
    }
}

/// The number of bits that two rows of one width both have.
///
/// # Panics
/// Where the widths differ.
#[inline]
pub fn shared_bits(kernel: Kernel, a: &[u64], b: &[u64]) -> u32 {
    assert_eq!(a.len(), b.len(), "rows of one width");
    match kernel {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: this kernel is only handed out where the machine has the features (Kernel::is_available).
        Kernel::Avx512 if a.len().is_multiple_of(8) => unsafe { shared_512(a, b) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as in `within`.
        Kernel::Avx2 | Kernel::Avx512 => unsafe { shared_popcnt(a, b) },
        _ => shared_plain(a, b),
    }
}

/// [`shared_bits`] for multiples of 512 bits.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vpopcntdq")]
fn shared_512(a: &[u64], b: &[u64]) -> u32 {
    use std::arch::x86_64::{
        _mm512_add_epi64, _mm512_and_si512, _mm512_loadu_si512, _mm512_popcnt_epi64, _mm512_reduce_add_epi64,
        _mm512_setzero_si512,
    };
    // SAFETY: the pointer is to 64 bytes that can be read; the load needs no alignment.
    let load = |words: &[u64; 8]| unsafe { _mm512_loadu_si512(std::ptr::from_ref(words).cast()) };
    let mut sum = _mm512_setzero_si512();
    for (a, b) in a.as_chunks::<8>().0.iter().zip(b.as_chunks::<8>().0) {
        sum = _mm512_add_epi64(sum, _mm512_popcnt_epi64(_mm512_and_si512(load(a), load(b))));
    }
    _mm512_reduce_add_epi64(sum) as u32
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt")]
fn shared_popcnt(a: &[u64], b: &[u64]) -> u32 {
    shared_plain(a, b)
}

#[expect(
    clippy::inline_always,
    reason = "the copy inside shared_popcnt must be compiled with its instruction"
)]
#[inline(always)]
fn shared_plain(a: &[u64], b: &[u64]) -> u32 {
    a.iter().zip(b).map(|(a, b)| (a & b).count_ones()).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::hamming::distance;

    proptest! {
        #[test]
        fn what_is_found_is_what_is_within(words in 1..10_usize, n in 0..20_usize, most in 0..40_u32, seed in any::<u64>()) {
            // Bits are mostly 0, so that distances are about the bound.
            let word = |at: usize| crate::base::hash::mix(seed ^ at as u64) & crate::base::hash::mix(!seed ^ at as u64);
            let own: Vec<u64> = (0..words).map(word).collect();
            let others: Vec<u64> = (0..n * words).map(|at| word(at + 1000)).collect();
            let expected: Vec<u32> = (0..n)
                .filter(|at| distance(&own, &others[at * words..][..words]) <= most)
                .map(|at| at as u32)
                .collect();
            for kernel in Kernel::available() {
                let mut found = Vec::new();
                within(kernel, &own, &others, most, &mut found);
                prop_assert_eq!(&found, &expected, "{:?}", kernel);
            }
        }
    }

    #[test]
    fn shared_bits_are_those_of_every_kernel() {
        let word = |at: u64| crate::base::hash::mix(at);
        for words in [0, 1, 7, 8, 16, 128] {
            let (a, b): (Vec<u64>, Vec<u64>) = (0..words).map(|at| (word(at), word(at + 1000))).unzip();
            let expected: u32 = a.iter().zip(&b).map(|(a, b)| (a & b).count_ones()).sum();
            for kernel in Kernel::available() {
                assert_eq!(shared_bits(kernel, &a, &b), expected, "{kernel:?} {words}");
            }
        }
    }
}
