//! Min-wise sketches of feature sets: the keys by which near pairs meet.
//!
//! Fast similarity sketching (Dahlgaard, Knudsen and Thorup, FOCS 2017, algorithm 1): every feature is thrown into one
//! of `t` bins with a value, the least value of a bin wins. While bins are empty, all features are thrown again; in the
//! last `t` rounds, round `i` fills bin `i`. Two sketches agree in a bin with probability equal to the Jaccard
//! similarity of the sets, at a cost of about one step a feature instead of `t`.
//!
//! A bin is kept as one byte of its winner's value, so unrelated bins agree by chance once in 256.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod bin;

use crate::base::hash::mix;
use crate::base::kernel::Kernel;
use bin::{EMPTY, throw};

/// Makes sketches of one length.
#[derive(Debug, Clone)]
pub struct Sketcher {
    length: usize,
    /// One odd multiplier for each round.
    rounds: Vec<u64>,
}

/// Memory for making sketches; keep one a thread.
#[derive(Debug, Default, Clone)]
pub struct Bins {
    /// The least throw of each bin: the round in the upper half, so an earlier round always wins; the value in the
    /// lower.
    least: Vec<u64>,
}

impl Sketcher {
    /// Sketches of `length` bytes. The seed chooses among unrelated families of sketches.
    ///
    /// # Panics
    /// If `length` is 0.
    pub fn new(length: usize, seed: u64) -> Self {
        assert!(length > 0, "a sketch has at least one bin");
        let rounds = (0..2 * length as u64)
            .map(|round| mix(mix(seed).wrapping_add(round)) | 1)
            .collect();
        Self { length, rounds }
    }

    /// Bytes of a sketch.
    pub const fn length(&self) -> usize {
        self.length
    }

    /// Writes the sketch of a set of feature hashes; zeros for the empty set, which is near nothing.
    ///
    /// Complexity: `hashes.len()` for many more features than bins, else about `length * ln(length)`.
    ///
    /// # Panics
    /// If `out` is not [`Sketcher::length`] long.
    pub fn write(&self, hashes: &[u64], bins: &mut Bins, out: &mut [u8]) {
        self.write_by(Kernel::active(), hashes, bins, out);
    }

    /// [`Sketcher::write`] with the given kernel.
    ///
    /// # Panics
    /// If `out` is not [`Sketcher::length`] long, or this machine cannot run the kernel.
    pub fn write_by(&self, kernel: Kernel, hashes: &[u64], bins: &mut Bins, out: &mut [u8]) {
        assert!(kernel.is_available(), "{kernel:?} is no kernel of this machine");
        assert_eq!(out.len(), self.length, "one byte a bin");
        out.fill(0);
        if hashes.is_empty() {
            return;
        }
        let Bins { least } = bins;
        least.clear();
        least.resize(self.length, EMPTY);
        for round in 0..self.length {
            self.throw_all(kernel, hashes, round, least);
            // Fewer throws than bins leave at least one bin empty.
            if (round + 1) * hashes.len() < self.length {
                continue;
            }
            #[cfg(target_arch = "x86_64")]
            if fill_empty(
                kernel,
                hashes,
                &self.rounds[round + 1..self.length],
                round as u64 + 1,
                least,
            ) {
                break;
            }
            if !least.contains(&EMPTY) {
                break;
            }
        }
        // The last rounds: bins still empty take the least value of all features.
        for (bin, least) in least.iter_mut().enumerate().filter(|(_, least)| **least == EMPTY) {
            let values = hashes.iter().map(|&hash| self.throw(hash, self.length + bin).1);
            *least = values.min().map_or(0, u64::from);
        }
        for (out, &least) in out.iter_mut().zip(&*least) {
            *out = least as u8;
        }
    }

    /// Throws every feature once. Without a branch for empty bins, because the least round wins.
    fn throw_all(&self, kernel: Kernel, hashes: &[u64], round: usize, least: &mut [u64]) {
        match kernel {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `write_by` checked that the machine has the features.
            Kernel::Avx512 => unsafe { avx512::throw_all(hashes, self.rounds[round], round as u64, least) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Kernel::Avx2 => unsafe { avx2::throw_all(hashes, self.rounds[round], round as u64, least) },
            _ => {
                for &hash in hashes {
                    let (bin, value) = self.throw(hash, round);
                    least[bin] = least[bin].min((round as u64) << 32 | u64::from(value));
                }
            }
        }
    }

    /// The throw of a feature in a round: its bin and value.
    #[inline]
    fn throw(&self, hash: u64, round: usize) -> (usize, u32) {
        throw(hash, self.rounds[round], self.length)
    }
}

/// Continues with the rounds from number `round` on if the kernel has a faster way; returns whether it has.
#[cfg(target_arch = "x86_64")]
fn fill_empty(kernel: Kernel, hashes: &[u64], multipliers: &[u64], round: u64, least: &mut [u64]) -> bool {
    match kernel {
        // SAFETY: `write_by` checked that the machine has the features.
        Kernel::Avx512 if least.len() <= avx512::MOST_MARKED => unsafe {
            avx512::fill_empty(hashes, multipliers, round, least);
        },
        // SAFETY: as above.
        Kernel::Avx2 if least.len() <= avx2::MOST_MARKED => unsafe {
            avx2::fill_empty(hashes, multipliers, round, least);
        },
        _ => return false,
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agreement(shared: u64, own: u64, length: usize, seed: u64) -> f64 {
        let sketcher = Sketcher::new(length, seed);
        let base = seed * 1_000_003;
        let a: Vec<u64> = (0..shared + own).map(|i| mix(base + i)).collect();
        let b: Vec<u64> = (0..shared)
            .chain(1 << 40..(1 << 40) + own)
            .map(|i| mix(base + i))
            .collect();
        let (mut x, mut y) = (vec![0; length], vec![0; length]);
        sketcher.write(&a, &mut Bins::default(), &mut x);
        sketcher.write(&b, &mut Bins::default(), &mut y);
        x.iter().zip(&y).filter(|(x, y)| x == y).count() as f64 / length as f64
    }

    #[test]
    fn sketches_agree_as_often_as_the_sets_are_similar() {
        for (shared, own) in [(1, 1), (3, 1), (6, 4), (20, 20), (100, 10), (500, 700), (2000, 300)] {
            let jaccard = shared as f64 / (shared + 2 * own) as f64;
            let expected = jaccard + (1.0 - jaccard) / 256.0;
            let mean = (1..=60).map(|seed| agreement(shared, own, 150, seed)).sum::<f64>() / 60.0;
            // 9,000 bins: a deviation of 0.03 is more than five standard errors.
            assert!(
                (mean - expected).abs() < 0.03,
                "{shared} shared, {own} own: {mean:.3}, not {expected:.3}"
            );
        }
    }

    /// Algorithm 1 literally: round after round, a bin keeps the least value of the round that filled it.
    fn plain(sketcher: &Sketcher, hashes: &[u64]) -> Vec<u8> {
        let length = sketcher.length;
        let mut bins: Vec<Option<u32>> = vec![None; length];
        for round in 0..length {
            let mut thrown = vec![None; length];
            for &hash in hashes {
                let (bin, value) = sketcher.throw(hash, round);
                thrown[bin] = Some(thrown[bin].map_or(value, |least: u32| least.min(value)));
            }
            for (bin, thrown) in bins.iter_mut().zip(thrown) {
                *bin = bin.or(thrown);
            }
        }
        let last = |bin: usize| hashes.iter().map(|&hash| sketcher.throw(hash, length + bin).1).min();
        bins.iter()
            .enumerate()
            .map(|(at, bin)| bin.or_else(|| last(at)).unwrap_or(0) as u8)
            .collect()
    }

    #[test]
    fn sketches_are_those_of_the_plain_algorithm() {
        for (length, n) in [
            (1, 1),
            (7, 3),
            (64, 1),
            (192, 2),
            (192, 11),
            (192, 63),
            (192, 64),
            (192, 200),
            (300, 1500),
        ] {
            let sketcher = Sketcher::new(length, 3);
            let hashes: Vec<u64> = (0..n).map(|i| mix(i + 1000 * n)).collect();
            for kernel in Kernel::available() {
                let mut out = vec![1; length];
                sketcher.write_by(kernel, &hashes, &mut Bins::default(), &mut out);
                assert_eq!(
                    out,
                    plain(&sketcher, &hashes),
                    "{kernel:?}: {n} features, {length} bins"
                );
            }
        }
    }

    #[test]
    fn the_order_of_features_changes_nothing() {
        let sketcher = Sketcher::new(64, 7);
        for n in [1_u64, 2, 5, 40, 1000] {
            let mut hashes: Vec<u64> = (0..n).map(mix).collect();
            let (mut x, mut y) = (vec![0; 64], vec![0; 64]);
            sketcher.write(&hashes, &mut Bins::default(), &mut x);
            hashes.reverse();
            sketcher.write(&hashes, &mut Bins::default(), &mut y);
            assert_eq!(x, y);
        }
    }

    #[test]
    fn every_kernel_writes_the_same_sketch() {
        let mut bins = Bins::default();
        for length in [1, 7, 64, 150, 256, 257, 300, 512, 513] {
            let sketcher = Sketcher::new(length, 3);
            for n in (0..40).chain([200, 463, 1500]) {
                let hashes: Vec<u64> = (0..n).map(mix).collect();
                let mut first = vec![0; length];
                sketcher.write_by(Kernel::Portable, &hashes, &mut bins, &mut first);
                for kernel in Kernel::available() {
                    let mut other = vec![1; length];
                    sketcher.write_by(kernel, &hashes, &mut bins, &mut other);
                    assert_eq!(first, other, "{kernel:?}, {n} features, {length} bins");
                }
            }
        }
    }
}
