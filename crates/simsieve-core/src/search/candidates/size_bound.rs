//! The bound of the bits by the sizes of a pair: under a containment, and in large collections.
//!
//! A text that a much larger one contains has a low cosine with it, and sketches of texts of few features differ in more bits than the
//! cosine says. So the bound that holds for all pairs is loose. The sizes of a pair say which cosine it must have: texts of one size
//! that of the threshold.

use std::sync::LazyLock;

use crate::base::stats::binomial_quantile;
use crate::encode::sketch::SKETCH_BITS;
use crate::recipe::{Recipe, SKETCH_MISS, STRICT_MISS, Threshold};

/// Least cosines are rounded down to this many steps.
const STEPS: usize = 64;
/// With fewer features sketches differ in more bits than the cosine says. Then the bound for all pairs counts.
const FEW: u32 = 48;

/// The most bits of a near pair, by the step of its least cosine.
type Bits = [u16; STEPS + 1];

/// The bits at the two probabilities to lose a near pair that filters have.
static LOOSE: LazyLock<Bits> = LazyLock::new(|| bits_at(SKETCH_MISS));
static STRICT: LazyLock<Bits> = LazyLock::new(|| bits_at(STRICT_MISS));

fn bits_at(miss: f64) -> Bits {
    std::array::from_fn(|step| {
        let cosine = step as f64 / STEPS as f64;
        binomial_quantile(SKETCH_BITS, libm::acos(cosine) / std::f64::consts::PI, miss) as u16
    })
}

/// The most bits in which the sketches of a near pair differ, by its sizes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SizeBound {
    threshold: Threshold,
    bits: &'static Bits,
}

impl SizeBound {
    /// The bound at the probability to lose a near pair that the recipe has; `None` where sizes are no matter.
    pub(crate) fn new(recipe: &Recipe) -> Option<Self> {
        let loose = recipe.filter_miss(false) >= SKETCH_MISS;
        Some(Self {
            threshold: recipe.bounding_threshold()?,
            bits: if loose { &LOOSE } else { &STRICT },
        })
    }

    /// The bound that seldom loses a near pair, for the sampler of the recall.
    pub(crate) fn strict(threshold: Threshold) -> Self {
        Self {
            threshold,
            bits: &STRICT,
        }
    }

    /// The most bits for a later and an earlier text of these sizes, not above `most`; `None` where such texts are not near.
    #[inline]
    pub(crate) fn max_bits(&self, later: u32, earlier: u32, most: u32) -> Option<u32> {
        let cosine = self.threshold.least_cosine_of_sizes(later, earlier)?;
        if later.min(earlier) < FEW {
            return Some(most);
        }
        Some(most.min(self.at(cosine)))
    }

    /// The most bits for a text of this size and any that can be near it, not above `most`.
    pub(crate) fn most_of(&self, size: u32, most: u32) -> u32 {
        let smaller = self.threshold.least_share().unwrap_or(0.0) * f64::from(size);
        match self.threshold.least_cosine() {
            Some(cosine) if !self.threshold.is_directed() && smaller > f64::from(FEW) => most.min(self.at(cosine)),
            _ => most,
        }
    }

    fn at(&self, cosine: f64) -> u32 {
        // A step less allows for the rounding of the sizes' root.
        let step = ((cosine - 1e-9).max(0.0) * STEPS as f64) as usize;
        u32::from(self.bits[step.min(STEPS)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::stats::binomial_tail;
    use crate::encode::scheme::Scheme;
    use crate::encode::sketch::chance_to_differ;

    fn recipe(threshold: Threshold, n: u64) -> Recipe {
        Recipe::new(&Scheme::parse("chars128").unwrap(), threshold, 0.98, 0, n).unwrap()
    }

    #[test]
    fn of_near_pairs_sizes_lose_no_more_than_the_filter_may() {
        let mut most_lost = 0.0_f64;
        for threshold in [
            Threshold::Similarity(0.6),
            Threshold::Similarity(0.8),
            Threshold::Jaccard(0.43),
        ] {
            let recipe = recipe(threshold, 1 << 20);
            let sizes = SizeBound::new(&recipe).unwrap();
            for (a, b) in [
                (48, 48),
                (48, 49),
                (49, 83),
                (64, 65),
                (65, 110),
                (135, 136),
                (300, 300),
                (300, 510),
            ] {
                let Some(cosine) = threshold.least_cosine_of_sizes(a, b) else {
                    continue;
                };
                let shared = libm::ceil(cosine * f64::from(a * b).sqrt() - 1e-9) as u32;
                let bits = sizes.max_bits(a, b, recipe.max_bits).unwrap();
                assert!(bits <= recipe.max_bits, "{threshold} {a} {b}");
                assert!(sizes.most_of(a, recipe.max_bits) >= bits && sizes.most_of(b, recipe.max_bits) >= bits);
                let lost = binomial_tail(SKETCH_BITS, chance_to_differ(shared, a - shared, b - shared), bits + 1);
                most_lost = most_lost.max(lost);
            }
        }
        println!("sizes lose a pair at the threshold with a probability of {most_lost:.1e} at most");
        assert!((1e-6..SKETCH_MISS).contains(&most_lost), "{most_lost}");
    }

    #[test]
    fn sizes_bound_bits_in_large_collections_and_under_a_containment() {
        let contained = Threshold::Containment {
            least: 0.8,
            max_ratio: 4.0,
        };
        for (threshold, n, bounds) in [
            (Threshold::Similarity(0.6), (1 << 20) - 1, false),
            (Threshold::Similarity(0.6), 1 << 20, true),
            (contained, 1 << 14, true),
            (Threshold::Distance(6), 1 << 30, false),
        ] {
            assert_eq!(
                SizeBound::new(&recipe(threshold, n)).is_some(),
                bounds,
                "{threshold} {n}"
            );
        }
        let counted = Scheme::parse("chars128:weights=log").unwrap();
        let recipe = Recipe::new(&counted, Threshold::Similarity(0.6), 0.98, 0, 1 << 22).unwrap();
        assert!(SizeBound::new(&recipe).is_none());
    }
}
