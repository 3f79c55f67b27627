//! How rare features are, counted on a sample of texts.

use crate::base::error::Result;
use crate::storage::column::with_room;

const MIN_SLOT_BITS: u32 = 12;
const MAX_SLOT_BITS: u32 = 24;

/// Slots whose counts are in memory at one time.
const COUNTED_AT_ONCE: usize = 1 << 22;

/// Classes of counts: four for each doubling, and one for features that were not counted.
const CLASSES: usize = 128;

/// The units of a weight in one: weights are integers, so that they are the same on every machine.
const UNIT: f64 = 256.0;

/// The weights of features by their rarity: `ln(n / df + 1)^2`, where `df` of `n` sampled texts have the feature. A feature
/// that the sample does not have has the `df` 1.
///
/// Counts are kept by a part of the hash, so two features can count as one. Then both count as commoner than they are.
#[derive(Debug, Clone, PartialEq)]
pub struct Rarity {
    /// A class by hash slot; the number of slots is a power of two.
    classes: Vec<u8>,
    /// The weight of each class, and one through it: 64 divisions a text are a twentieth of its encoding.
    weights: [u32; CLASSES],
    inverse: [f64; CLASSES],
    /// The mean weight of the features of the sampled texts.
    mean: f64,
}

impl Rarity {
    /// The class of a count.
    fn class_of(count: u32) -> u8 {
        if count == 0 {
            return 0;
        }
        let doublings = count.ilog2();
        let quarter = ((u64::from(count) << 2) >> doublings) & 3;
        (4 * doublings + quarter as u32).min(CLASSES as u32 - 1) as u8
    }

    /// The least count of a class.
    fn least_of(class: u8) -> u64 {
        let (doublings, quarter) = (class / 4, u64::from(class % 4));
        if class == 0 {
            0
        } else {
            ((4 + quarter) << doublings).div_ceil(4)
        }
    }

    /// Counts the features of texts; each text has each of its features once. There are `total` features.
    ///
    /// The slots are counted in parts of at most [`COUNTED_AT_ONCE`], each in a pass over all features, so that the counts take little
    /// memory beside the classes.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::base::error::Error::Memory) where there is no memory for the counts.
    pub fn count<'a>(texts: &(impl ExactSizeIterator<Item = &'a [u64]> + Clone), total: usize) -> Result<Self> {
        let bits = (2 * total).max(1).ilog2().clamp(MIN_SLOT_BITS, MAX_SLOT_BITS);
        let slots = 1_usize << bits;
        let n = texts.len() as f64;
        let mut weights = [0; CLASSES];
        for (class, weight) in weights.iter_mut().enumerate() {
            let rarity = libm::log(n / (Self::least_of(class as u8).max(1) as f64) + 1.0);
            *weight = (UNIT * rarity * rarity).max(1.0) as u32;
        }
        let part = slots.min(COUNTED_AT_ONCE);
        let mut counts: Vec<u32> = with_room(part)?;
        let mut classes: Vec<u8> = with_room(slots)?;
        let mut all = 0.0;
        while classes.len() < slots {
            let first = classes.len();
            counts.clear();
            counts.resize(part, 0);
            for &hash in texts.clone().flatten() {
                let at = slot(hash, slots).wrapping_sub(first);
                if let Some(count) = counts.get_mut(at) {
                    *count += 1;
                }
            }
            for &count in &counts {
                let class = Self::class_of(count);
                classes.push(class);
                all += f64::from(count) * f64::from(weights[usize::from(class)]);
            }
        }
        Ok(Self {
            classes,
            inverse: inverse(&weights),
            weights,
            mean: if total == 0 { UNIT } else { all / total as f64 },
        })
    }

    /// The most bytes that [`Rarity::count`] holds, for this many features.
    pub fn held_bytes(features: f64) -> f64 {
        let slots = (2.0 * features).clamp(f64::from(1 << MIN_SLOT_BITS), f64::from(1 << MAX_SLOT_BITS));
        slots + 4.0 * slots.min(COUNTED_AT_ONCE as f64)
    }

    /// Weights from their parts; `None` where these are not [`Rarity::classes`], [`Rarity::weights`] and [`Rarity::mean`] of any.
    pub fn of_parts(classes: Vec<u8>, weights: &[u32], mean: f64) -> Option<Self> {
        let weights = weights.try_into().ok()?;
        classes.len().is_power_of_two().then_some(Self {
            classes,
            inverse: inverse(&weights),
            weights,
            mean,
        })
    }

    /// The weight of each class.
    pub const fn weights(&self) -> &[u32] {
        &self.weights
    }

    /// The weight of a feature, at least 1.
    #[inline]
    pub fn weight(&self, hash: u64) -> u32 {
        self.weight_and_inverse(hash).0
    }

    /// [`Rarity::weight`], and one through it.
    #[inline]
    pub(super) fn weight_and_inverse(&self, hash: u64) -> (u32, f64) {
        let class = usize::from(self.class(hash) & (CLASSES - 1) as u8);
        (self.weights[class], self.inverse[class])
    }

    /// The largest weight: that of features which the sample does not have.
    pub const fn most(&self) -> u32 {
        self.weights[0]
    }

    /// The mean weight of the features of the sampled texts.
    pub const fn mean(&self) -> f64 {
        self.mean
    }

    /// The class of a feature: higher for commoner features.
    #[inline]
    fn class(&self, hash: u64) -> u8 {
        self.classes[slot(hash, self.classes.len())]
    }

    /// The classes by slot.
    pub fn classes(&self) -> &[u8] {
        &self.classes
    }
}

fn inverse(weights: &[u32; CLASSES]) -> [f64; CLASSES] {
    weights.map(|weight| 1.0 / f64::from(weight))
}

/// The slot of a feature in a table of `slots`, a power of two.
#[inline]
fn slot(hash: u64, slots: usize) -> usize {
    hash as usize & (slots - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::hash::mix;

    #[test]
    fn classes_ascend_and_hold_their_least_count() {
        let mut last = 0;
        for count in (0..5000).chain([1 << 20, u32::MAX]) {
            let class = Rarity::class_of(count);
            assert!(class >= last && usize::from(class) < CLASSES);
            assert!(Rarity::least_of(class) <= u64::from(count), "{count}");
            last = class;
        }
    }

    #[test]
    fn the_classes_are_those_of_counts_of_all_slots_at_once() {
        const TOTAL: usize = 1 << 23;
        let texts: Vec<Vec<u64>> = (0..400)
            .map(|text| (0..100).map(|at| mix(mix(at) % (1 + text * at))).collect())
            .collect();
        let rarity = Rarity::count(&texts.iter().map(Vec::as_slice), TOTAL).unwrap();
        let slots = rarity.classes().len();
        assert!(slots > 2 * COUNTED_AT_ONCE, "{slots}");
        let mut counts = vec![0; slots];
        texts.iter().flatten().for_each(|&hash| counts[slot(hash, slots)] += 1);
        let classes: Vec<u8> = counts.iter().map(|&count| Rarity::class_of(count)).collect();
        assert_eq!(rarity.classes(), classes);
        let weighed = counts.iter().zip(&classes);
        let weighed =
            weighed.map(|(&count, &class)| f64::from(count) * f64::from(rarity.weights()[usize::from(class)]));
        let mean = weighed.sum::<f64>() / TOTAL as f64;
        assert_eq!(rarity.mean().to_bits(), mean.to_bits());
    }

    #[test]
    fn weights_are_those_of_the_formula() {
        // One feature is in all of 100 texts, the others in one each.
        let texts: Vec<Vec<u64>> = (0..100).map(|text| vec![mix(7), mix(1000 + text)]).collect();
        let rarity = Rarity::count(&texts.iter().map(Vec::as_slice), 200).unwrap();
        let weight = |df: f64| (256.0 * (100.0_f64 / df + 1.0).ln().powi(2)) as u32;
        assert_eq!(rarity.weight(mix(7)), weight(96.0));
        assert_eq!(rarity.most(), weight(1.0));
        assert!(rarity.mean() > f64::from(weight(96.0)) && rarity.mean() < f64::from(weight(1.0)));
    }
}
