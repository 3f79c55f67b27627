//! What the rows of large buckets share: which earlier rows can be near, without a comparison of the features of each.
//!
//! The cosine of two texts is a sum over their shared features. Rare features have postings: a walk over those of a row adds up
//! its part with every other row. Features that many rows have would have long postings. So each of these *common* features has
//! a bit, and the bits of two rows bound what they share. Where weights differ, the bound is that of Cauchy and Schwarz: the
//! product of the common parts of both norms. Rows whose bound is below the threshold are not near, for any choice of the common
//! features and any weights. (Counting with the long lists apart: Li, Lu and Lu, ICDE 2008, section 4.)
//!
//! Two rows that share no rare feature can only be near if the product of their common parts reaches the threshold. So of the rows
//! that share none, only those with a large enough common part are looked at: mostly none.

mod common;
mod index;
mod posted;
mod repeated;

pub use common::Common;
pub use index::{MAX_POSTINGS, OverlapIndex};
pub use posted::{PostedBatch, PostedRows};
pub use repeated::Repeated;

use crate::base::hash::mix;
use crate::base::kernel::Kernel;
use crate::hamming;

/// The features of one row, for insertion and query.
#[derive(Debug, Default, Clone)]
pub struct Profile {
    /// The rare features.
    entries: Vec<Entry>,
    /// The bits of the common ones.
    bitmap: Vec<u64>,
    shape: Shape,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    key: u32,
    /// The feature's part of the norm, rounded up to units of 2^-15.
    mass: u16,
}

/// How much of a row its features are.
#[derive(Debug, Default, Clone, Copy)]
struct Shape {
    /// The common features' part of the norm, rounded up.
    common: f32,
    /// The part of the norm of one feature of weight 1, rounded up.
    unit: f32,
    /// Common features that share their bit with another one of the row.
    without_bit: u32,
}

/// What is known of another row's part of a cosine.
#[derive(Debug, Clone, Copy)]
struct Other<'a> {
    shape: Shape,
    bitmap: &'a [u64],
    /// The part of the cosine by shared rare features, in units of 2^-30.
    sum: u32,
}

impl Profile {
    /// The bound on the cosine with another row has two summands: the shared rare features, which are counted, and a bound for the
    /// common ones.
    #[inline]
    fn may_be_near(&self, profiles: &Profiles, other: Other<'_>, kernel: Kernel) -> bool {
        let missing = profiles.missing(other.sum);
        if self.shape.common * other.shape.common < missing {
            return false;
        }
        if !profiles.once {
            return true;
        }
        // Each shared common feature has a bit in both bitmaps, except those that share a bit with another feature of the row.
        let bits = hamming::shared_bits(kernel, &self.bitmap, other.bitmap);
        let shared = bits + self.shape.without_bit.min(other.shape.without_bit);
        shared as f32 * self.shape.unit * other.shape.unit >= missing
    }

    /// The common part of the norm that a row needs at least to be near by common features alone.
    fn least_common(&self, profiles: &Profiles) -> f32 {
        // Less by the rounding of this quotient and of products.
        profiles.threshold / self.shape.common * (1.0 - 1e-6)
    }
}

/// Makes profiles under one threshold.
#[derive(Debug)]
pub struct Profiles {
    common: Common,
    threshold: f32,
    /// Every weight is 1.
    once: bool,
    /// Features of at least two texts; others make no entries.
    repeated: Option<Repeated>,
}

/// What a cosine may lack by the rounding of sums.
const ROUNDING: f64 = 1e-5;

/// Rounded up, with room for the rounding of a product.
fn up(value: f64) -> f32 {
    (value * (1.0 + 1e-6)) as f32
}

impl Profiles {
    /// Profiles that find every pair with a cosine of at least `threshold`. `once` says that every weight is 1.
    pub fn new(common: Common, threshold: f64, once: bool) -> Self {
        Self {
            common,
            threshold: (threshold - ROUNDING) as f32,
            once,
            repeated: None,
        }
    }

    /// The part of the threshold that shared rare features leave, whose part of the cosine is given in units of 2^-30.
    #[inline]
    fn missing(&self, sum: u32) -> f32 {
        self.threshold - sum as f32 / 1_073_741_824.0
    }

    /// From now on omits features that are not in at least two of all inserted and queried texts. Earlier profiles have
    /// some more entries and are correct too.
    pub fn leave_out_unshared(&mut self, repeated: Repeated) {
        self.repeated = Some(repeated);
    }

    /// The profile of a text, of its distinct features with their weights.
    pub fn of(&self, features: impl Iterator<Item = (u64, u32)> + Clone) -> Profile {
        let square = |weight: u32| u128::from(weight) * u128::from(weight);
        let (mut whole, mut len) = (0, 0);
        for (_, weight) in features.clone() {
            whole += square(weight);
            len += 1;
        }
        let norm = (whole.max(1) as f64).sqrt();
        let mut profile = Profile {
            entries: Vec::with_capacity(len),
            bitmap: vec![0; self.common.words()],
            shape: Shape {
                unit: up(1.0 / norm),
                ..Shape::default()
            },
        };
        let (mut common, mut rare) = (0, Vec::with_capacity(len));
        for (hash, weight) in features {
            let Some(bit) = self.common.bit(hash) else {
                rare.push((hash, weight));
                continue;
            };
            common += square(weight);
            let (word, bit) = (&mut profile.bitmap[bit / 64], 1 << (bit % 64));
            profile.shape.without_bit += u32::from(*word & bit != 0);
            *word |= bit;
        }
        profile.shape.common = up((common as f64).sqrt() / norm);
        if let Some(repeated) = &self.repeated {
            // All look-ups first, without dependencies: many fetches at a time.
            let mut kept: Vec<bool> = Vec::with_capacity(rare.len());
            kept.extend(rare.iter().map(|(hash, _)| repeated.contains(*hash)));
            let mut kept = kept.into_iter();
            rare.retain(|_| kept.next() == Some(true));
        }
        let entry = |(hash, weight)| Entry {
            key: (mix(hash) >> 32) as u32,
            mass: (f64::from(weight) / norm * 32_768.0).ceil().min(32_768.0) as u16,
        };
        profile.entries.extend(rare.into_iter().map(entry));
        profile
    }
}

#[cfg(test)]
mod tests;
