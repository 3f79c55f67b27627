//! Weights and hashes that a user brings.

use std::collections::HashMap;
use std::sync::Arc;

use super::pos::mean_factors;
use super::rule::Weights;
use crate::base::message::Message;
use crate::encode::hash::MOST_WORDS;
use crate::encode::tokenize::functions::Functions;
use crate::encode::tokenize::tokens::Tokens;
use crate::encode::tokenize::windows::Features;
use crate::encode::unusable_text::UnusableText;

/// Weights that are no rule of built-in schemes.
#[derive(Debug, Clone)]
pub enum CustomWeights {
    /// By the user's function.
    Called(Arc<dyn Functions>),
    /// By a table, with a weight for the features that it does not have.
    Table(Arc<HashMap<Box<str>, f64>>, f64),
    /// As the features say.
    Given,
}

/// How a custom scheme weighs features by its own weights.
#[derive(Debug, Clone)]
pub struct CustomRule {
    /// The name of the scheme, for messages.
    pub(crate) name: Box<str>,
    pub(crate) weights: CustomWeights,
    pub(crate) fraction_bits: u32,
}

/// The least sum of whole weights that is above `threshold`; `None` where that is no number below 2^62.
///
/// ```
/// use simsieve_core::encode::weight::{Weights, custom::least_above};
/// assert_eq!(least_above(0.0, Weights::Once), Some(1));
/// assert_eq!(least_above(-0.5, Weights::Own(20)), Some(1 - (1 << 19)));
/// ```
pub fn least_above(threshold: f64, weights: Weights) -> Option<i64> {
    let least = (threshold * f64::from(1_u32 << weights.fraction_bits())).floor() + 1.0;
    (least.abs() < 2.0_f64.powi(62)).then_some(least as i64)
}

/// Weighs the features of a text as the user's function, table or features say.
///
/// # Errors
/// An [`UnusableText`] where a function fails, or a weight is not allowed.
pub(crate) fn weigh(
    rule: &CustomRule,
    tokens: &Tokens,
    features: &Features,
    out: &mut Vec<u32>,
) -> Result<(), UnusableText> {
    let factor = mean_factors(tokens, features);
    match &rule.weights {
        CustomWeights::Called(functions) => {
            let names = distinct(tokens, features);
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let made = functions
                .weights(&names, features.counts())
                .map_err(UnusableText::new)?;
            for (at, weight) in made.into_iter().enumerate() {
                out.push(whole(rule, weight * factor(at), || msg!("{name:?}", name = names[at]))?);
            }
        }
        CustomWeights::Table(table, other) => {
            let names = distinct(tokens, features);
            for (at, (name, &count)) in names.iter().zip(features.counts()).enumerate() {
                let weight = table.get(name.as_str()).unwrap_or(other) * f64::from(count) * factor(at);
                out.push(whole(rule, weight, || msg!("{name:?}"))?);
            }
        }
        CustomWeights::Given => {
            let mut sums = vec![0.0; features.len()];
            for (known, (_, weight)) in tokens.known.iter().zip(&tokens.given) {
                // Each by itself: what is refused must not vanish in a sum.
                whole(rule, *weight, || msg!("a feature"))?;
                sums[features.place(*known).unwrap_or(0)] += weight;
            }
            for weight in sums {
                out.push(whole(rule, weight, || msg!("a feature and its repetitions"))?);
            }
        }
    }
    Ok(())
}

/// The hashes of the distinct features: those that `function` makes, or that came with the features where they are `given`.
///
/// # Errors
/// An [`UnusableText`] where the function fails.
pub(crate) fn hashes(
    function: Option<&dyn Functions>,
    given: bool,
    tokens: &Tokens,
    features: &Features,
    hashes: &mut Vec<[u64; MOST_WORDS]>,
) -> Result<(), UnusableText> {
    hashes.clear();
    if given {
        hashes.resize(features.len(), [0; MOST_WORDS]);
        for (known, (bits, _)) in tokens.known.iter().zip(&tokens.given) {
            hashes[features.place(*known).unwrap_or(0)] = *bits;
        }
    } else if let Some(function) = function {
        let names = distinct(tokens, features);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        *hashes = function.hashes(&names).map_err(UnusableText::new)?;
    }
    Ok(())
}

/// A weight as a whole number, rounded once, half to even.
fn whole(rule: &CustomRule, weight: f64, of: impl Fn() -> Message) -> Result<u32, UnusableText> {
    let most = 1_u64 << (32 - rule.fraction_bits);
    if !(0.0..most as f64).contains(&weight) {
        return Err(UnusableText::new(msg!(
            "scheme {name:?}: {of} has weight {weight}; a weight is a finite number from 0 to below {most}, \
             which fraction_bits = {fraction_bits} sets",
            name = rule.name,
            of = of(),
            fraction_bits = rule.fraction_bits
        )));
    }
    // What would be rounded up to the bound becomes the number below it.
    let units = f64::from(1_u32 << rule.fraction_bits);
    Ok((weight * units).round_ties_even() as u32)
}

/// The distinct tokens, in the order of their first occurrence.
fn distinct(tokens: &Tokens, features: &Features) -> Vec<String> {
    let mut rest = features.hashes().iter().peekable();
    let first = |(_, known): &(&str, u64)| rest.next_if_eq(&known).is_some();
    tokens
        .known_tokens()
        .filter(first)
        .map(|(token, _)| token.to_owned())
        .collect()
}
