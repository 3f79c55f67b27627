//! The filter of a custom scheme: tokens that its pattern does not match from their beginning are removed.

use super::functions::UserFeature;
use super::tokens::Tokens;
use crate::encode::input::pattern::Pattern;

/// The characters of `text` that the pattern keeps.
pub(super) fn characters(pattern: &Pattern, text: &str) -> String {
    let ends = text.char_indices().map(|(at, c)| &text[at..at + c.len_utf8()]);
    ends.filter(|character| pattern.begins(character)).collect()
}

/// Keeps the tokens that the pattern keeps.
pub(super) fn tokens(pattern: &Pattern, tokens: &mut Tokens) {
    let all: Vec<String> = tokens.iter().map(str::to_owned).collect();
    // Empty where parts of speech do not weigh.
    let factors = std::mem::take(&mut tokens.factors);
    tokens.begin();
    for (at, token) in all.iter().enumerate() {
        if pattern.begins(token) {
            tokens.add(token);
            tokens.factors.extend(factors.get(at));
        }
    }
}

/// Keeps the features that the pattern keeps. A hash is kept.
pub(super) fn features(pattern: &Pattern, mut given: Vec<UserFeature>) -> Vec<UserFeature> {
    given.retain(|given| !matches!(given, UserFeature::Text(text, _) if !pattern.begins(text)));
    given
}
