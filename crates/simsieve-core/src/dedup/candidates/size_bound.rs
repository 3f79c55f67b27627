//! The bound of the bits under a containment, by the sizes of a pair.
//!
//! A text that a much larger one contains has a low cosine with it, so the bound that holds for all pairs is loose. The sizes of
//! a pair say which cosine it must have: texts of one size that of the threshold.

use crate::base::stats::binomial_quantile;
use crate::dedup::recipe::{Recipe, Threshold};
use crate::encode::sketch::SKETCH_BITS;

/// Least cosines are rounded down to this many steps.
const STEPS: usize = 64;
/// With fewer features sketches differ in more bits than the cosine says. Then the bound for all pairs counts.
const FEW: u32 = 48;

/// The most bits in which the sketches of a near pair differ, by its sizes.
#[derive(Debug, Clone, Copy)]
pub(super) struct SizeBound {
    threshold: Threshold,
    /// By the step of the least cosine.
    bits: [u16; STEPS + 1],
}

impl SizeBound {
    /// The bound at the probability to lose a near pair that the recipe has.
    pub(super) fn new(recipe: &Recipe) -> Self {
        Self::at_miss(recipe.bounding_threshold(), recipe.filter_miss(false))
    }

    /// The bound at this probability to lose a near pair.
    pub(super) fn at_miss(threshold: Threshold, miss: f64) -> Self {
        let bits = |step: usize| {
            let cosine = step as f64 / STEPS as f64;
            binomial_quantile(SKETCH_BITS, libm::acos(cosine) / std::f64::consts::PI, miss) as u16
        };
        Self {
            threshold,
            bits: std::array::from_fn(bits),
        }
    }

    /// The most bits for a later and an earlier text of these sizes, not above `most`; `None` where such texts are not near.
    #[inline]
    pub(super) fn max_bits(&self, later: u32, earlier: u32, most: u32) -> Option<u32> {
        let cosine = self.threshold.least_cosine_of_sizes(later, earlier)?;
        if later.min(earlier) < FEW {
            return Some(most);
        }
        // A step less allows for the rounding of the sizes' root.
        let step = ((cosine - 1e-9).max(0.0) * STEPS as f64) as usize;
        Some(most.min(u32::from(self.bits[step.min(STEPS)])))
    }
}
