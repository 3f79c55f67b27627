//! The rows, contexts and searches of the tests of this module.

use super::{Rows, Search};
use crate::base::context::Context;
use crate::base::kernel::Kernel;

pub(super) const KERNELS: [Kernel; 4] = Kernel::ALL;
pub(super) const WIDTHS: [u32; 10] = [1, 7, 32, 33, 64, 65, 100, 128, 200, 256];

/// Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014.
pub(super) struct SplitMix(pub u64);

impl SplitMix {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(n)) >> 64) as u64
    }
}

/// A collection with its width.
#[derive(Debug)]
pub(super) struct Collection {
    pub values: Vec<u64>,
    pub words: usize,
    pub width: u32,
    pub valid: Vec<bool>,
}

impl Collection {
    /// Rows of `width` random bits; `constant` percent of the bits are the same in all rows; then `planted` copies of
    /// random rows with `flips` different bits flipped.
    pub fn new(seed: u64, n: usize, width: u32, constant: u64, planted: usize, flips: &[u32]) -> Self {
        let mut random = SplitMix(seed);
        let words = width.div_ceil(64) as usize;
        let inside = |w: usize| u64::MAX >> (64 - (width - 64 * w as u32).min(64));
        let mut free = vec![0; words];
        for bit in 0..width as usize {
            free[bit / 64] |= u64::from(random.below(100) >= constant) << (bit % 64);
        }
        let base: Vec<u64> = (0..words).map(|w| random.next() & inside(w)).collect();
        let mut values: Vec<u64> = (0..n * words)
            .map(|at| base[at % words] ^ (random.next() & free[at % words]))
            .collect();
        for (at, value) in values.iter_mut().enumerate() {
            *value &= inside(at % words);
        }
        for plant in 0..planted.min(n * planted) {
            let from = random.below(n as u64) as usize * words;
            let mut row = values[from..from + words].to_vec();
            let mut left = flips[plant % flips.len()].min(width);
            let original = row.clone();
            while left > 0 {
                let bit = random.below(u64::from(width)) as usize;
                if (row[bit / 64] ^ original[bit / 64]) >> (bit % 64) & 1 == 0 {
                    row[bit / 64] ^= 1 << (bit % 64);
                    left -= 1;
                }
            }
            values.extend(row);
        }
        let valid = (0..values.len() / words).map(|_| random.below(8) != 0).collect();
        Self {
            values,
            words,
            width,
            valid,
        }
    }

    pub fn rows(&self, masked: bool) -> Rows<'_> {
        Rows {
            values: &self.values,
            valid: masked.then_some(&self.valid),
            words: self.words,
            width: self.width,
        }
    }
}

/// A silent context of this many threads with this kernel.
pub(super) fn with(threads: usize, kernel: Kernel) -> Context<'static> {
    Context::silent(threads).with_kernel(kernel)
}

pub(super) fn search(max_distance: u32) -> Search {
    Search {
        max_distance,
        max_pairs: u64::MAX,
    }
}
