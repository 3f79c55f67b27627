//! The features of the Python package simhash (1e0ng).

use icu_casemap::CaseMapper;
use icu_locale_core::LanguageIdentifier;

use crate::encode::tokenize::characters::is_python_word;
use crate::encode::tokenize::tokens::Tokens;

/// Lower-cases the text and drops all but letters, numbers and underscores. Takes every 4 consecutive characters of the
/// rest; a shorter rest is one token.
pub(super) fn take(tokens: &mut Tokens, text: &str) {
    const WIDTH: usize = 4;
    // Without a language: Python's `lower`, the final sigma included.
    let lower = CaseMapper::new().lowercase_to_string(text, &LanguageIdentifier::UNKNOWN);
    let mut begins = Vec::new();
    for c in lower.chars().filter(|&c| is_python_word(c)) {
        begins.push(tokens.text.len());
        tokens.text.push(c);
    }
    begins.push(tokens.text.len());
    if begins.len() <= WIDTH {
        tokens
            .spans
            .extend((!tokens.text.is_empty()).then_some((0, tokens.text.len())));
    } else {
        tokens
            .spans
            .extend(begins.windows(WIDTH + 1).map(|window| (window[0], window[WIDTH])));
    }
}
