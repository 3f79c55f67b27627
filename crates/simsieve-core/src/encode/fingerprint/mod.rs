//! From features and weights to a fingerprint (Charikar, STOC 2002, section 3). For each bit the weight is added if the
//! feature's hash has a 1, else subtracted; the sign of the sum is the bit.
//!
//! Sums are exact: a kernel adds only the ones (`S`), the total weight `W` is known, and the sum is `2 S - W`.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
pub mod blocks;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;

use crate::base::error::{Error, Result};
use crate::base::hash::word;
use crate::base::kernel::Kernel;

/// Exact sums for the bits of one text, lowest bit first.
#[derive(Debug, Default, Clone)]
pub struct Sums {
    ones: Vec<u64>,
    total: u64,
    rest_hashes: Vec<u64>,
    rest_weights: Vec<u32>,
    most_hashes: Vec<u64>,
}

impl Sums {
    /// Sums `width` bits over features of weight 1.
    ///
    /// Complexity: `hashes.len() * width / 64` masked vector additions on AVX-512.
    pub fn once(&mut self, kernel: Kernel, hashes: &[u64], width: u32) {
        self.begin(width, hashes.len() as u64);
        count_ones(kernel, hashes, &mut self.ones);
    }

    /// Sums `width` bits over weighted features. `most` is the expected weight of most features: these are counted
    /// instead of added, which is three times as fast.
    pub fn weighted(&mut self, kernel: Kernel, hashes: &[u64], weights: &[u32], most: u32, width: u32) {
        assert_eq!(hashes.len(), weights.len(), "a weight a feature");
        self.begin(width, weights.iter().map(|&w| u64::from(w)).sum());
        if kernel == Kernel::Avx512 {
            // Here adding is as fast as counting, and saves the split by weight, which cost 8 % of the whole.
            add_weights(kernel, hashes, weights, &mut self.ones);
            return;
        }
        for list in [&mut self.rest_hashes, &mut self.most_hashes] {
            list.clear();
        }
        self.rest_weights.clear();
        for (&hash, &weight) in hashes.iter().zip(weights) {
            if weight == most {
                self.most_hashes.push(hash);
            } else {
                self.rest_hashes.push(hash);
                self.rest_weights.push(weight);
            }
        }
        count_ones(kernel, &self.most_hashes, &mut self.ones);
        for ones in &mut self.ones {
            *ones *= u64::from(most);
        }
        add_weights(kernel, &self.rest_hashes, &self.rest_weights, &mut self.ones);
    }

    /// Sums `width` bits over `n` features with given hash words: word 0 of all features, then word 1 of all, and so
    /// on. Without `weights` each weight is 1.
    pub fn planes(&mut self, kernel: Kernel, planes: &[u64], n: usize, weights: &[u32], width: u32) {
        let total = if weights.is_empty() {
            n as u64
        } else {
            weights.iter().map(|&w| u64::from(w)).sum()
        };
        self.begin(width, total);
        assert_eq!(planes.len() * 64, n * self.ones.len(), "a word a feature and plane");
        if n == 0 {
            return;
        }
        for (plane, ones) in planes.chunks_exact(n).zip(self.ones.chunks_exact_mut(64)) {
            if weights.is_empty() {
                count_ones(kernel, plane, ones);
            } else {
                add_weights(kernel, plane, weights, ones);
            }
        }
    }

    fn begin(&mut self, width: u32, total: u64) {
        self.ones.clear();
        self.ones.resize(width.div_ceil(64) as usize * 64, 0);
        self.total = total;
    }

    /// The sum of bit `bit`: positive if the ones outweigh the zeros.
    ///
    /// # Panics
    /// If `bit` is not below the width.
    pub fn sum(&self, bit: usize) -> i64 {
        // Weights are below 2^32 and features fewer than 2^31, so twice the ones stays below 2^64; the difference fits.
        (self.ones[bit] * 2).wrapping_sub(self.total) as i64
    }

    /// The sign of each sum, as little-endian words of 64 bits: a sum of at least `least` gives 1. Returns `false` if
    /// all weights are zero: there is no fingerprint.
    pub fn write(&self, width: u32, least: i64, words: &mut [u64]) -> bool {
        words.fill(0);
        for bit in 0..width as usize {
            words[bit / 64] |= u64::from(self.sum(bit) >= least) << (bit % 64);
        }
        self.total > 0
    }
}

fn count_ones(kernel: Kernel, hashes: &[u64], ones: &mut [u64]) {
    for (k, ones) in ones.chunks_exact_mut(64).enumerate() {
        match kernel {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: this kernel is only handed out where the machine has the features (Kernel::is_available).
            Kernel::Avx512 => unsafe { avx512::count_ones(hashes, k, ones) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Kernel::Avx2 => unsafe { avx2::count_ones(hashes, k, ones) },
            #[cfg(target_arch = "aarch64")]
            // SAFETY: as above.
            Kernel::Neon => unsafe { neon::count_ones(hashes, k, ones) },
            _ => portable::count_ones(hashes, k, ones),
        }
    }
}

fn add_weights(kernel: Kernel, hashes: &[u64], weights: &[u32], ones: &mut [u64]) {
    for (k, ones) in ones.chunks_exact_mut(64).enumerate() {
        match kernel {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as in `count_ones`.
            Kernel::Avx512 => unsafe { avx512::add_weights(hashes, weights, k, ones) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as in `count_ones`.
            Kernel::Avx2 => unsafe { avx2::add_weights(hashes, weights, k, ones) },
            _ => portable::add_weights(hashes, weights, k, ones),
        }
    }
}

/// The fingerprint of features given as (hash, weight) in its simplest form: the oracle of [`Sums`], and the path for
/// external features. Bits beyond 64 come from [`word`].
pub fn plain_sums(features: impl IntoIterator<Item = (u64, u32)>, width: u32) -> Vec<i64> {
    let mut sums = vec![0_i64; width as usize];
    for (hash, weight) in features {
        for (bit, sum) in sums.iter_mut().enumerate() {
            let one = word(hash, bit / 64) >> (bit % 64) & 1 == 1;
            *sum += if one { i64::from(weight) } else { -i64::from(weight) };
        }
    }
    sums
}

/// The fingerprint of external features, given as (hash, weight), in little-endian words; `None` without features or if
/// all weights are zero.
///
/// # Errors
/// [`Error::Config`] for a width outside 1 to 256.
pub fn fold(features: &[(u64, u32)], width: u32) -> Result<Option<Vec<u64>>> {
    if !(1..=256).contains(&width) {
        return Err(Error::Config(msg!("width {width} is not allowed; allowed: 1 to 256")));
    }
    if features.iter().all(|(_, weight)| *weight == 0) {
        return Ok(None);
    }
    let mut words = vec![0; width.div_ceil(64) as usize];
    for (bit, sum) in plain_sums(features.iter().copied(), width).into_iter().enumerate() {
        words[bit / 64] |= u64::from(sum > 0) << (bit % 64);
    }
    Ok(Some(words))
}

#[cfg(test)]
mod tests;
