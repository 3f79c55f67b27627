//! The bound of the bits under a containment, by the sizes of a pair.
//!
//! A text that a much larger one contains has a low cosine with it. So the bound that holds for all pairs is loose. The
//! sizes of a pair say which cosine it must have: texts of one size that of the threshold.

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
    /// The bound at the probability to lose a near pair that the recipe has.
    pub(crate) fn new(recipe: &Recipe) -> Self {
        let loose = recipe.filter_miss(false) >= SKETCH_MISS;
        Self {
            threshold: recipe.bounding_threshold(),
            bits: if loose { &LOOSE } else { &STRICT },
        }
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
        // A step less allows for the rounding of the sizes' root.
        let step = ((cosine - 1e-9).max(0.0) * STEPS as f64) as usize;
        Some(most.min(u32::from(self.bits[step.min(STEPS)])))
    }
}
