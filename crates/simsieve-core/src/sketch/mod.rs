//! Min-wise sketches of feature sets: the feature keys that near pairs meet by.
//!
//! Fast similarity sketching (Dahlgaard, Knudsen and Thorup, FOCS 2017, algorithm 1): every feature is thrown into one
//! of `t` bins with a value, the least value of a bin wins; where bins stay empty, all features are thrown again, and
//! in the last `t` rounds round `i` fills bin `i`. Two sketches agree in a bin with probability equal to the Jaccard
//! similarity of the sets, at a cost of about one step a feature instead of `t`.
//!
//! A bin is kept as one byte of its winner's value, so unrelated bins agree by chance once in 256.

#[cfg(target_arch = "x86_64")]
mod avx512;

use crate::hash::mix;
use crate::kernel::Kernel;

/// Makes sketches of one length.
#[derive(Debug, Clone)]
pub struct Sketcher {
    length: usize,
    /// An odd multiplier a round.
    rounds: Vec<u64>,
}

/// Room for making sketches; keep one a thread.
#[derive(Debug, Default, Clone)]
pub struct Bins {
    values: Vec<u32>,
    /// Those of one further round.
    later: Vec<u32>,
    /// The round in which a bin was filled; for sets of few features.
    filled: Vec<u16>,
}

const EMPTY: u32 = u32::MAX;
/// Sets of fewer features than this are thrown one feature at a time.
const FEW: usize = 64;

impl Sketcher {
    /// Sketches of `length` bytes. The seed chooses among unrelated families of sketches.
    ///
    /// # Panics
    /// Where `length` is 0.
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

    /// Writes the sketch of a set of feature hashes; zeros for the empty set, which is near to nothing.
    ///
    /// Complexity: `hashes.len()` where there are many more features than bins, about `length * ln(length)` else.
    ///
    /// # Panics
    /// Where `out` is not [`Sketcher::length`] long.
    pub fn write(&self, hashes: &[u64], bins: &mut Bins, out: &mut [u8]) {
        self.write_by(Kernel::active(), hashes, bins, out);
    }

    /// [`Sketcher::write`] with a kernel of one's choice.
    ///
    /// # Panics
    /// Where `out` is not [`Sketcher::length`] long, or this machine cannot run the kernel.
    pub fn write_by(&self, kernel: Kernel, hashes: &[u64], bins: &mut Bins, out: &mut [u8]) {
        assert!(kernel.is_available(), "{kernel:?} is no kernel of this machine");
        assert_eq!(out.len(), self.length, "one byte a bin");
        out.fill(0);
        if hashes.is_empty() {
            return;
        }
        if hashes.len() < FEW {
            self.fill_one_by_one(hashes, bins);
        } else {
            self.fill_by_rounds(kernel, hashes, bins);
        }
        for (out, &value) in out.iter_mut().zip(&bins.values) {
            *out = value as u8;
        }
    }

    /// Many features fill most bins in the first round: whole rounds are thrown apart and merged.
    fn fill_by_rounds(&self, kernel: Kernel, hashes: &[u64], bins: &mut Bins) {
        let Bins { values, later, .. } = bins;
        self.throw_all(kernel, hashes, 0, values);
        let mut round = 1;
        while values.contains(&EMPTY) {
            if round < self.length {
                // Bins filled before stay as they are. All features are thrown again into bins of their own: to ask for
                // each whether its bin is still wanted costs as much as the throw.
                self.throw_all(kernel, hashes, round, later);
                for (value, &later) in values.iter_mut().zip(&*later) {
                    *value = if *value == EMPTY { later } else { *value };
                }
            } else {
                self.fill_last(hashes, values);
            }
            round += 1;
        }
    }

    /// Few features take many rounds: then a bin remembers its round, and nothing is cleared or merged between them.
    /// 300,000 texts of 10 to 40 letters took 32 us each by whole rounds.
    fn fill_one_by_one(&self, hashes: &[u64], bins: &mut Bins) {
        let Bins { values, filled, .. } = bins;
        values.clear();
        values.resize(self.length, EMPTY);
        filled.clear();
        filled.resize(self.length, 0);
        let mut empty = self.length;
        for round in 0..self.length {
            if empty == 0 {
                return;
            }
            for &hash in hashes {
                let (bin, value) = self.throw(hash, round);
                if values[bin] == EMPTY {
                    (values[bin], filled[bin]) = (value, round as u16);
                    empty -= 1;
                } else if usize::from(filled[bin]) == round {
                    values[bin] = values[bin].min(value);
                }
            }
        }
        self.fill_last(hashes, values);
    }

    /// The last rounds: what is still empty takes the least value of all features.
    fn fill_last(&self, hashes: &[u64], values: &mut [u32]) {
        for (bin, value) in values.iter_mut().enumerate().filter(|(_, value)| **value == EMPTY) {
            let least = hashes.iter().map(|&hash| self.throw(hash, self.length + bin).1).min();
            *value = least.unwrap_or(0);
        }
    }

    /// The least value of every bin in one round.
    fn throw_all(&self, kernel: Kernel, hashes: &[u64], round: usize, values: &mut Vec<u32>) {
        values.clear();
        values.resize(self.length, EMPTY);
        match kernel {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `write_by` asked whether the machine has the features.
            Kernel::Avx512 => unsafe { avx512::throw_all(hashes, self.rounds[round], values) },
            _ => {
                for &hash in hashes {
                    let (bin, value) = self.throw(hash, round);
                    values[bin] = values[bin].min(value);
                }
            }
        }
    }

    /// Where a feature falls in a round, and its value there (below [`EMPTY`]).
    #[inline]
    fn throw(&self, hash: u64, round: usize) -> (usize, u32) {
        throw(hash, self.rounds[round], self.length)
    }
}

/// The odd multiplier that mixes a throw once more.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

#[inline]
fn throw(hash: u64, multiplier: u64, length: usize) -> (usize, u32) {
    let thrown = hash.wrapping_mul(multiplier);
    let thrown = (thrown ^ (thrown >> 32)).wrapping_mul(SPREAD);
    let bin = ((thrown >> 32) * length as u64) >> 32;
    // The high half chose the bin; the low half, mixed once more, is the value.
    let value = (thrown ^ (thrown >> 29)) as u32;
    (bin as usize, value.min(EMPTY - 1))
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

    #[test]
    fn few_and_many_are_filled_by_one_rule() {
        let sketcher = Sketcher::new(192, 3);
        for n in [1_u64, 2, 3, 11, 40, 63, 64, 200] {
            let hashes: Vec<u64> = (0..n).map(|i| mix(i + 1000 * n)).collect();
            let (mut one_by_one, mut by_rounds) = (Bins::default(), Bins::default());
            sketcher.fill_one_by_one(&hashes, &mut one_by_one);
            sketcher.fill_by_rounds(Kernel::Portable, &hashes, &mut by_rounds);
            assert_eq!(one_by_one.values, by_rounds.values, "{n} features");
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
        for length in [1, 7, 64, 150, 300] {
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
