//! Where sketches say little of a pair: at low thresholds, and of few features that are counted. There bits of features say more.

use crate::encode::feature_bits::BIT_WORDS;
use crate::recipe::Recipe;

/// Where weights differ, the sum of a bit is often 0, or changes its sign by one weight. With fewer features than this,
/// sketches differ in more bits than the cosine says.
pub(crate) const FEW_COUNTED: u32 = 48;

/// Below this cosine sketches let so many pairs pass that bits of all rows pay. At 0.5, a million questions take 11.3 CPU seconds
/// with them and 12.2 without; at 0.55 it is 11.7 and 8.8.
const WEAK_COSINE: f64 = 0.55;
/// Features of a text in the mean: of longer texts too many bits are set.
const MOST_FEATURES: usize = 192;

/// Bits for each feature of a longer text.
const BITS_A_FEATURE: f64 = 8.0;
/// Words of a row of bits at most.
const MOST_WORDS: usize = 1024;

/// Words of the bits by which a walk rules candidates out, for texts of so many features in the mean.
pub(crate) fn known_words(features: f64) -> usize {
    if features <= MOST_FEATURES as f64 {
        return BIT_WORDS;
    }
    let words = (features * BITS_A_FEATURE / 64.0) as usize;
    words.clamp(BIT_WORDS, MOST_WORDS).next_multiple_of(8)
}

/// Whether sketches let many pairs pass.
pub(crate) fn is_weak(recipe: &Recipe) -> bool {
    let weak = |cosine: f64| cosine < WEAK_COSINE;
    recipe.threshold.by_similarity() && recipe.threshold.least_cosine().is_some_and(weak)
}

/// Whether rows have feature bits, for texts of so many features in the mean; `counted` where features do not count once each.
pub(crate) fn has_feature_rows(recipe: &Recipe, counted: bool, features: f64) -> bool {
    is_weak(recipe) && are_short(counted, features)
}

/// Whether bits say much of texts of so many features in the mean; `counted` where features do not count once each.
pub(crate) fn are_short(counted: bool, features: f64) -> bool {
    !counted && features <= MOST_FEATURES as f64
}
