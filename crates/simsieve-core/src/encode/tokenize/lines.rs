//! Lines of a text: as documents of words, or as tokens.

use super::tokens::Tokens;
use super::word_options::WordOptions;
use super::words::{add_word, take_words, utf8};
use crate::text::Normaliser;

const LINE_ENDS: [char; 5] = ['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'];

/// Takes the words of each line.
pub(super) fn take(tokens: &mut Tokens, text: &str, words: &WordOptions) {
    let normaliser = Normaliser::new(false).folding(words.fold());
    let mut lines = 0;
    let mut normalised = std::mem::take(&mut tokens.line);
    for line in text.split(LINE_ENDS) {
        normaliser.run(line, &mut normalised);
        let before = tokens.spans.len();
        take_words(tokens, utf8(&normalised), words);
        // A line without words is no document.
        if tokens.spans.len() > before {
            tokens.lines.resize(tokens.spans.len(), lines);
            lines += 1;
        }
    }
    tokens.line = normalised;
}

/// Takes the lines that are not empty, as they are.
pub(super) fn take_whole(tokens: &mut Tokens, text: &str, words: &WordOptions) {
    for line in text.split(LINE_ENDS).filter(|line| !line.is_empty()) {
        add_word(tokens, line, words);
    }
}
