//! Chance from a seed, in integers and exactly rounded operations only: the same bytes on every machine.

/// A stream of random numbers (the mixing of `SplitMix64`).
pub struct Chance(u64);

/// Mix the bits of a number.
pub fn mix(number: u64) -> u64 {
    let mut bits = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

impl Chance {
    /// The stream of one purpose: equal numbers give equal streams.
    pub fn of(numbers: &[u64]) -> Self {
        Self(numbers.iter().fold(0, |state, number| mix(state ^ mix(*number))))
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mix(self.0)
    }

    /// A number from 0 to `n - 1`.
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(n)) >> 64) as u64
    }

    /// A number from `least` to `most`.
    pub fn between(&mut self, least: u64, most: u64) -> u64 {
        least + self.below(most - least + 1)
    }

    /// True in `share` of 1,000 cases.
    pub fn happens(&mut self, share: u64) -> bool {
        self.below(1000) < share
    }
}

/// Draws ranks by the law of Zipf and Mandelbrot: rank r has a weight of `1 / (r + shift)`.
pub struct Zipf(Vec<u32>);

impl Zipf {
    const DRAWS: usize = 1 << 16;

    /// A table for ranks from 0 to `n - 1`.
    pub fn new(n: u32, shift: f64) -> Self {
        let total: f64 = (0..n).map(|rank| 1.0 / (f64::from(rank) + shift)).sum();
        let mut table = Vec::with_capacity(Self::DRAWS);
        let (mut rank, mut reached) = (0, 1.0 / shift);
        for draw in 0..Self::DRAWS {
            let wanted = (draw as f64 + 0.5) / Self::DRAWS as f64 * total;
            while reached < wanted && rank + 1 < n {
                rank += 1;
                reached += 1.0 / (f64::from(rank) + shift);
            }
            table.push(rank);
        }
        Self(table)
    }

    /// The rank of some random bits.
    pub fn rank(&self, bits: u64) -> u32 {
        self.0[(bits >> 48) as usize]
    }
}
