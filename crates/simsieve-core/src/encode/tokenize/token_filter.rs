//! The pattern of interest of a custom scheme: only what the pattern takes stays.

use std::collections::HashSet;

use super::functions::{Functions, Given};
use super::tokens::Tokens;
use crate::encode::unusable_text::UnusableText;

/// Which of these tokens are of interest; the function is asked once for each distinct one.
fn interesting<'a>(
    functions: &dyn Functions,
    tokens: impl Iterator<Item = &'a str>,
) -> Result<HashSet<&'a str>, UnusableText> {
    let mut asked = HashSet::new();
    let distinct: Vec<&str> = tokens.filter(|token| asked.insert(*token)).collect();
    let kept = functions.interests(&distinct).map_err(UnusableText::new)?;
    let rows = distinct.into_iter().zip(kept);
    Ok(rows.filter_map(|(token, keep)| keep.then_some(token)).collect())
}

/// The characters of `text` that are of interest.
pub(super) fn characters(functions: &dyn Functions, text: &str) -> Result<String, UnusableText> {
    let ends = text.char_indices().map(|(at, c)| &text[at..at + c.len_utf8()]);
    let kept = interesting(functions, ends.clone())?;
    Ok(ends.filter(|character| kept.contains(character)).collect())
}

/// Keeps the tokens that are of interest.
pub(super) fn tokens(functions: &dyn Functions, tokens: &mut Tokens) -> Result<(), UnusableText> {
    let all: Vec<String> = tokens.iter().map(str::to_owned).collect();
    let kept = interesting(functions, all.iter().map(String::as_str))?;
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

/// Keeps the features that are of interest; what is no text stays.
pub(super) fn features(functions: &dyn Functions, given: Vec<Given>) -> Result<Vec<Given>, UnusableText> {
    let text = |given: &Given| match given {
        Given::Text(text, _) => Some(text.clone()),
        Given::Hash(..) => None,
    };
    let texts: Vec<String> = given.iter().filter_map(text).collect();
    let kept = interesting(functions, texts.iter().map(String::as_str))?;
    let stays = |given: &Given| !matches!(given, Given::Text(text, _) if !kept.contains(text.as_str()));
    Ok(given.into_iter().filter(stays).collect())
}
