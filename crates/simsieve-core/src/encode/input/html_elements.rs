//! Pages whose elements are the features, hashed and weighed as the page is parsed.

use crate::encode::tokenize::tokens::Tokens;
use crate::encode::tokenize::windows::Features;
use crate::encode::unusable_text::UnusableText;
use crate::encode::weight::depth::scaled;
use crate::text::html::{self, Options, dom_features};

/// Takes the elements of a page as features with their weights, divided by a power of two, which is given.
///
/// Complexity: linear in the length of the page.
pub(crate) fn take(
    page: &str,
    rule: &Options,
    counted: bool,
    scratch: &mut html::PageScratch,
    tokens: &mut Tokens,
    features: &mut Features,
    weights: &mut Vec<u32>,
) -> Result<u32, UnusableText> {
    let found = dom_features(page, rule, scratch).map_err(|error| UnusableText::new(error.message()))?;
    tokens.known.clear();
    tokens.known.extend(found.iter().map(|feature| feature.hash));
    weights.clear();
    features.collect_hashes(&tokens.known, counted);
    Ok(if counted {
        scaled(found.iter().map(|feature| feature.weight), weights)
    } else {
        0
    })
}

/// The features of a page, each with its text and its weight, in the order of the texts.
pub(crate) fn named(page: &str, rule: &Options) -> crate::base::error::Result<Vec<(String, u64, u32)>> {
    let named = html::dom_named(page, rule, &mut html::PageScratch::default())?;
    let (texts, found): (Vec<String>, Vec<html::Feature>) = named.into_iter().unzip();
    let mut weights = Vec::new();
    scaled(found.iter().map(|feature| feature.weight), &mut weights);
    let rows = texts.into_iter().zip(found).zip(weights);
    Ok(rows
        .map(|((text, feature), weight)| (text, feature.hash, weight))
        .collect())
}
