//! Weights by the depths of a page's elements.

use std::cmp::Ordering;

use crate::encode::tokenize::tokens::Tokens;
use crate::encode::tokenize::windows::Features;
use crate::text::html::{Weight, weigh as weigh_depths};

/// The whole weights of a text stay below this in sum, so that their squares sum to less than 2^63.
const MOST_TOTAL_BITS: u32 = 31;

/// Whole weights as numbers of 32 bits: divided, all of a text alike, by the least power of two that takes their sum
/// below 2^31, and rounded half to even. A cosine has no scale, so this changes it by rounding only. A text below some
/// 2,000 units of weight, which few pages reach, keeps its weights. Gives the power.
pub(crate) fn scaled(weights: impl Iterator<Item = i64> + Clone, out: &mut Vec<u32>) -> u32 {
    let total: u128 = weights.clone().map(|weight| u128::from(weight.unsigned_abs())).sum();
    let shift = (u128::BITS - total.leading_zeros()).saturating_sub(MOST_TOTAL_BITS);
    out.extend(weights.map(|weight| {
        let weight = u128::from(weight.unsigned_abs());
        let (whole, rest) = (weight >> shift, weight & ((1 << shift) - 1));
        let up = match (2 * rest).cmp(&(1 << shift)) {
            Ordering::Less => 0,
            Ordering::Equal => whole & 1,
            Ordering::Greater => 1,
        };
        (whole + up) as u32
    }));
    shift
}

/// Weighs each feature by the depths of its elements; gives the power of two that weights were divided by.
pub(crate) fn weigh(rule: Weight, tokens: &Tokens, features: &Features, out: &mut Vec<u32>) -> u32 {
    let place = |hash: &u64| features.place(*hash).expect("every element is a feature");
    let mut seen: Vec<(usize, u32)> = tokens
        .known
        .iter()
        .map(place)
        .zip(tokens.depths.iter().copied())
        .collect();
    seen.sort_unstable();
    let weights: Vec<i64> = seen
        .chunk_by(|a, b| a.0 == b.0)
        .map(|same| weigh_depths(rule, same.iter().map(|&(_, depth)| depth)))
        .collect();
    scaled(weights.into_iter(), out)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn weights_are_scaled_by_one_power_of_two(weights in prop::collection::vec(0_i64..1 << 60, 1..20)) {
            let mut found = Vec::new();
            scaled(weights.iter().copied(), &mut found);
            let total: i128 = weights.iter().map(|&weight| i128::from(weight)).sum();
            let unit = (0..64).map(|shift| 1_i128 << shift).find(|unit| total / unit < 1 << 31).unwrap();
            for (&weight, &found) in weights.iter().zip(&found) {
                let off = 2 * (i128::from(found) * unit - i128::from(weight));
                prop_assert!(off.abs() < unit || (off.abs() == unit && found % 2 == 0), "{} by {}", weight, unit);
            }
        }
    }
}
