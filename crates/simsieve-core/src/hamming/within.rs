//! One fingerprint against some that are contiguous, and pairs of rows from anywhere.

use crate::base::fetch::fetch_soon;
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
    let Some(own) = own.first_chunk::<8>() else { return };
    let own = load_512(own);
    let rows = others.as_chunks::<8>().0.iter();
    each(rows.map(|row| distance_512(own, load_512(row))), most, out);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
#[inline]
fn load_512(words: &[u64; 8]) -> std::arch::x86_64::__m512i {
    // SAFETY: the pointer is to 64 bytes that can be read; the load needs no alignment.
    unsafe { std::arch::x86_64::_mm512_loadu_si512(std::ptr::from_ref(words).cast()) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vpopcntdq")]
#[inline]
fn distance_512(a: std::arch::x86_64::__m512i, b: std::arch::x86_64::__m512i) -> u32 {
    use std::arch::x86_64::{_mm512_popcnt_epi64, _mm512_reduce_add_epi64, _mm512_xor_si512};
    _mm512_reduce_add_epi64(_mm512_popcnt_epi64(_mm512_xor_si512(a, b))) as u32
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

/// Puts into `out` the distance of each pair: a row of `ours` and a row of `others`, both of 512 bits.
///
/// Rows are anywhere in memory, so those of `others` are fetched some pairs before they are compared.
///
/// Complexity: linear in the pairs.
///
/// # Panics
/// Where there is no such row.
pub(crate) fn distances_of(
    kernel: Kernel,
    (ours, others): (&[u64], &[u64]),
    pairs: impl Iterator<Item = (u32, u32)> + Clone,
    out: &mut Vec<u32>,
) {
    out.clear();
    let (ours, others) = (ours.as_chunks::<8>().0, others.as_chunks::<8>().0);
    let mut later = pairs.clone().map(|(_, b)| &others[b as usize]);
    later.by_ref().take(PAIRS_AHEAD).for_each(|row| fetch_soon(Some(row)));
    let rows = pairs.map(|(a, b)| (&ours[a as usize], &others[b as usize]));
    match kernel {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: this kernel is only handed out where the machine has the features (Kernel::is_available).
        Kernel::Avx512 => unsafe { distances_512(rows, later, out) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as in `within`.
        Kernel::Avx2 => unsafe { distances_popcnt(rows, later, out) },
        _ => distances_plain(rows, later, out),
    }
}

/// The row of a pair is fetched this many pairs ahead.
const PAIRS_AHEAD: usize = 16;

/// Two rows of 512 bits.
type Two<'a> = (&'a [u64; 8], &'a [u64; 8]);

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vpopcntdq")]
fn distances_512<'a>(
    rows: impl Iterator<Item = Two<'a>>,
    mut later: impl Iterator<Item = &'a [u64; 8]>,
    out: &mut Vec<u32>,
) {
    out.extend(rows.map(|(a, b)| {
        fetch_soon(later.next());
        distance_512(load_512(a), load_512(b))
    }));
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt")]
fn distances_popcnt<'a>(
    rows: impl Iterator<Item = Two<'a>>,
    later: impl Iterator<Item = &'a [u64; 8]>,
    out: &mut Vec<u32>,
) {
    distances_plain(rows, later, out);
}

#[expect(
    clippy::inline_always,
    reason = "the copy inside distances_popcnt must be compiled with its instruction"
)]
#[inline(always)]
fn distances_plain<'a>(
    rows: impl Iterator<Item = Two<'a>>,
    mut later: impl Iterator<Item = &'a [u64; 8]>,
    out: &mut Vec<u32>,
) {
    // A closure would be compiled without the instruction.
    for (a, b) in rows {
        fetch_soon(later.next());
        let mut distance = 0;
        for (a, b) in a.iter().zip(b) {
            distance += (a ^ b).count_ones();
        }
        out.push(distance);
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
        _mm512_add_epi64, _mm512_and_si512, _mm512_popcnt_epi64, _mm512_reduce_add_epi64, _mm512_setzero_si512,
    };
    let mut sum = _mm512_setzero_si512();
    for (a, b) in a.as_chunks::<8>().0.iter().zip(b.as_chunks::<8>().0) {
        sum = _mm512_add_epi64(sum, _mm512_popcnt_epi64(_mm512_and_si512(load_512(a), load_512(b))));
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
    fn distances_of_pairs_are_those_of_every_kernel() {
        let column = |seed: u64| {
            (0..24)
                .map(|at| crate::base::hash::mix(seed + at))
                .collect::<Vec<u64>>()
        };
        let (ours, others) = (column(1), column(100));
        let pairs: Vec<(u32, u32)> = (0..45).map(|at| (at / 3 % 3, at % 3)).collect();
        let row = |rows: &[u64], at: u32| rows[at as usize * 8..][..8].to_vec();
        let expected: Vec<u32> = pairs
            .iter()
            .map(|&(a, b)| distance(&row(&ours, a), &row(&others, b)))
            .collect();
        for kernel in Kernel::available() {
            let mut found = vec![7];
            distances_of(kernel, (&ours, &others), pairs.iter().copied(), &mut found);
            assert_eq!(found, expected, "{kernel:?}");
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
