//! The draws of features: 32 bits of each under a seed, and which of them are below a bound.
#![cfg_attr(
    target_arch = "x86_64",
    expect(
        clippy::inline_always,
        reason = "the copies inside the kernels must be compiled with their instructions"
    )
)]

#[cfg(target_arch = "x86_64")]
use crate::base::hash::forms::mixed;
use crate::base::hash::mix;
use crate::base::kernel::Kernel;
#[cfg(target_arch = "x86_64")]
use crate::base::lanes::{Avx2, Avx512, Register};

/// The draw of a feature under a seed: 32 bits.
#[inline]
pub(super) const fn draw(hash: u64, seed: u64) -> u64 {
    mix(hash ^ seed) >> 32
}

/// Appends the places of the features whose draw is below `most`.
pub(super) fn below(kernel: Kernel, hashes: &[u64], seed: u64, most: u64, places: &mut Vec<u32>) {
    let done = match kernel {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: this kernel is only handed out where the machine has the features (Kernel::is_available).
        Kernel::Avx512 => unsafe { below_avx512(hashes, seed, most, places) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Kernel::Avx2 => unsafe { below_avx2(hashes, seed, most, places) },
        _ => 0,
    };
    for (at, &hash) in (done as u32..).zip(&hashes[done..]) {
        if draw(hash, seed) < most {
            places.push(at);
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq")]
fn below_avx512(hashes: &[u64], seed: u64, most: u64, places: &mut Vec<u32>) -> usize {
    below_in::<Avx512>(hashes, seed, most, places)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn below_avx2(hashes: &[u64], seed: u64, most: u64, places: &mut Vec<u32>) -> usize {
    below_in::<Avx2>(hashes, seed, most, places)
}

/// [`below`] of as many features as fill registers; their number.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn below_in<R: Register>(hashes: &[u64], seed: u64, most: u64, places: &mut Vec<u32>) -> usize {
    // All draws are below 2^32.
    let (seeds, bounds) = (R::splat(seed), R::splat(most.min(1 << 32)));
    let mut done = 0;
    for hashes in hashes.chunks_exact(R::COUNT) {
        let draws = mixed(R::load(hashes) ^ seeds) >> 32;
        let mut found = R::bits(draws.less(bounds));
        while found != 0 {
            places.push(done as u32 + found.trailing_zeros());
            found &= found - 1;
        }
        done += R::COUNT;
    }
    done
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
        // SAFETY: this kernel is only handed out where the machine has the features (Kernel::is_available).
        Kernel::Avx512 => unsafe { priorities_avx512(hashes, inverse, seed, most, &mut found) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Kernel::Avx2 => unsafe { priorities_avx2(hashes, inverse, seed, most, &mut found) },
        _ => 0,
    };
    for at in done..hashes.len() {
        let priority = draw(hashes[at], seed) as f64 * inverse[at];
        if priority < most {
            found(at, priority);
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq")]
fn priorities_avx512(
    hashes: &[u64],
    inverse: &[f64],
    seed: u64,
    most: f64,
    found: &mut impl FnMut(usize, f64),
) -> usize {
    priorities_in::<Avx512>(hashes, inverse, seed, most, found)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn priorities_avx2(hashes: &[u64], inverse: &[f64], seed: u64, most: f64, found: &mut impl FnMut(usize, f64)) -> usize {
    priorities_in::<Avx2>(hashes, inverse, seed, most, found)
}

/// [`priorities`] of as many features as fill registers; their number.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn priorities_in<R: Register>(
    hashes: &[u64],
    inverse: &[f64],
    seed: u64,
    most: f64,
    found: &mut impl FnMut(usize, f64),
) -> usize {
    let seeds = R::splat(seed);
    let mut done = 0;
    for (hashes, inverse) in hashes.chunks_exact(R::COUNT).zip(inverse.chunks_exact(R::COUNT)) {
        let mut priorities = [0.0; 8];
        let draws = mixed(R::load(hashes) ^ seeds) >> 32;
        let mut below = draws.scaled(inverse, most, &mut priorities);
        while below != 0 {
            let at = below.trailing_zeros() as usize;
            found(done + at, priorities[at]);
            below &= below - 1;
        }
        done += R::COUNT;
    }
    done
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
