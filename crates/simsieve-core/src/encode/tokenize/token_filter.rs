//! The filter of a custom scheme: tokens that it does not keep are removed.

use std::collections::HashSet;

use super::functions::{Functions, UserFeature};
use super::tokens::Tokens;
use crate::encode::unusable_text::UnusableText;

/// The tokens that the filter keeps; it is called once with the distinct tokens.
fn kept_tokens<'a>(
    functions: &dyn Functions,
    tokens: impl Iterator<Item = &'a str>,
) -> Result<HashSet<&'a str>, UnusableText> {
    let mut asked = HashSet::new();
    let distinct: Vec<&str> = tokens.filter(|token| asked.insert(*token)).collect();
    let kept = functions.filter_tokens(&distinct).map_err(UnusableText::new)?;
    let rows = distinct.into_iter().zip(kept);
    Ok(rows.filter_map(|(token, keep)| keep.then_some(token)).collect())
}

/// The characters of `text` that the filter keeps.
pub(super) fn characters(functions: &dyn Functions, text: &str) -> Result<String, UnusableText> {
    let ends = text.char_indices().map(|(at, c)| &text[at..at + c.len_utf8()]);
    let kept = kept_tokens(functions, ends.clone())?;
    Ok(ends.filter(|character| kept.contains(character)).collect())
}

/// Keeps the tokens that the filter keeps.
pub(super) fn tokens(functions: &dyn Functions, tokens: &mut Tokens) -> Result<(), UnusableText> {
    let all: Vec<String> = tokens.iter().map(str::to_owned).collect();
    let kept = kept_tokens(functions, all.iter().map(String::as_str))?;
    // Empty where parts of speech do not weigh.
    let factors = std::mem::take(&mut tokens.factors);
    tokens.begin();
    for (at, token) in all.iter().enumerate() {
        if kept.contains(token.as_str()) {
            tokens.add(token);
            tokens.factors.extend(factors.get(at));
        }
    }
    Ok(())
}

/// Keeps the features that the filter keeps. A hash is kept.
pub(super) fn features(functions: &dyn Functions, given: Vec<UserFeature>) -> Result<Vec<UserFeature>, UnusableText> {
    let text = |given: &UserFeature| match given {
        UserFeature::Text(text, _) => Some(text.clone()),
        UserFeature::Hash(..) => None,
    };
    let texts: Vec<String> = given.iter().filter_map(text).collect();
    let kept = kept_tokens(functions, texts.iter().map(String::as_str))?;
    let stays = |given: &UserFeature| !matches!(given, UserFeature::Text(text, _) if !kept.contains(text.as_str()));
    Ok(given.into_iter().filter(stays).collect())
}
