//! Weights by parts of speech: factors of the weights of words.

use super::rule::Weights;
use crate::base::error::{Error, Result};
use crate::encode::model::Idf;
use crate::encode::tokenize::tokens::Tokens;
use crate::encode::tokenize::windows::Features;
use crate::encode::unusable_text::UnusableText;
use crate::text::segment::parts::Tags;

/// A rule of weights with the factors of parts of speech, where these weigh; rules that make weights with the features have
/// them as they are.
///
/// # Errors
/// [`Error::Config`] where the rule takes no factors.
pub fn with_factors(rule: Weights, tags: &Tags) -> Result<Weights> {
    if !tags.weigh() || matches!(rule, Weights::TfIdf | Weights::TfIdfOfModel | Weights::Own(_)) {
        return Ok(rule);
    }
    rule.tagged().ok_or_else(|| {
        Error::Config(msg!(
            "pos={spec}: weights by {name} take no factors; leave them out",
            spec = tags.spec(),
            name = rule.name()
        ))
    })
}

/// The mean factor of each feature's tokens; 1 where parts of speech do not weigh.
pub(crate) fn mean_factors(tokens: &Tokens, features: &Features) -> impl Fn(usize) -> f64 + use<> {
    let means: Vec<f64> = if tokens.factors.is_empty() {
        Vec::new()
    } else {
        let sums = features.sums(&tokens.known, &tokens.factors);
        let counts = features.counts().iter();
        sums.into_iter()
            .zip(counts)
            .map(|(sum, &count)| sum / f64::from(count))
            .collect()
    };
    move |at| means.get(at).copied().unwrap_or(1.0)
}

/// Weighs the features by `rule` times the mean factor of their tokens, under the idf of a model where the rule has one;
/// rounded once, half to even.
///
/// # Errors
/// An [`UnusableText`] where a weight is 65,536 or more.
pub(crate) fn weigh(
    rule: Weights,
    idf: Option<&Idf>,
    tokens: &Tokens,
    features: &Features,
    out: &mut Vec<u32>,
) -> Result<(), UnusableText> {
    /// 2^16, as [`Weights::Tagged`] says.
    const UNIT: f64 = 65_536.0;
    let mean = mean_factors(tokens, features);
    for (at, (&hash, &count)) in features.hashes().iter().zip(features.counts()).enumerate() {
        let exact = rule.exact(count, idf.map_or(1.0, |idf| idf.of_feature(hash))) * mean(at);
        let whole = (UNIT * exact).round_ties_even();
        if whole > f64::from(u32::MAX) {
            return Err(UnusableText::new(msg!(
                "a word that occurs {count} times weighs {exact}, and weights by parts of speech are below \
                 65,536; take weights=log, or smaller factors"
            )));
        }
        out.push(whole as u32);
    }
    Ok(())
}
