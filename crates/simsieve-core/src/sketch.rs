//! Min-wise sketches of feature sets: the feature keys that near pairs meet by.
//!
//! Fast similarity sketching (Dahlgaard, Knudsen and Thorup, FOCS 2017, algorithm 1): every feature is thrown into one
//! of `t` bins with a value, the least value of a bin wins; where bins stay empty, all features are thrown again, and
//! in the last `t` rounds round `i` fills bin `i`. Two sketches agree in a bin with probability equal to the Jaccard
//! similarity of the sets, at a cost of about one step a feature instead of `t`.
//!
//! A bin is kept as one byte of its winner's value, so unrelated bins agree by chance once in 256.

use crate::hash::mix;

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
}

const EMPTY: u32 = u32::MAX;

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
        assert_eq!(out.len(), self.length, "one byte a bin");
        out.fill(0);
        if hashes.is_empty() {
            return;
        }
        bins.values.clear();
        bins.values.resize(self.length, EMPTY);
        let values = &mut bins.values[..];
        for &hash in hashes {
            let (bin, value) = self.throw(hash, 0);
            values[bin] = values[bin].min(value);
        }
        settle(values, out);
        let mut round = 1;
        while values.contains(&EMPTY) {
            self.fill(hashes, round, values, out);
            round += 1;
        }
    }

    /// One more round: bins filled before stay as they are.
    fn fill(&self, hashes: &[u64], round: usize, values: &mut [u32], out: &mut [u8]) {
        if round >= self.length {
            let bin = round - self.length;
            if values[bin] == EMPTY {
                values[bin] = hashes.iter().map(|&hash| self.throw(hash, round).1).min().unwrap_or(0);
                out[bin] = values[bin] as u8;
            }
            return;
        }
        let filled: Vec<bool> = values.iter().map(|&value| value != EMPTY).collect();
        for &hash in hashes {
            let (bin, value) = self.throw(hash, round);
            if !filled[bin] {
                values[bin] = values[bin].min(value);
                out[bin] = values[bin] as u8;
            }
        }
    }

    /// Where a feature falls in a round, and its value there (below [`EMPTY`]).
    #[inline]
    fn throw(&self, hash: u64, round: usize) -> (usize, u32) {
        let thrown = hash.wrapping_mul(self.rounds[round]);
        let thrown = (thrown ^ (thrown >> 32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let bin = ((thrown >> 32) * self.length as u64) >> 32;
        // The high half chose the bin; the low half, mixed once more, is the value.
        let value = (thrown ^ (thrown >> 29)) as u32;
        (bin as usize, value.min(EMPTY - 1))
    }
}

fn settle(values: &[u32], out: &mut [u8]) {
    for (out, &value) in out.iter_mut().zip(values) {
        *out = value as u8;
    }
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
}
