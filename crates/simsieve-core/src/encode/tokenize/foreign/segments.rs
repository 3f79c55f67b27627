//! All words of the segmenter, and those that `angelo_tools` takes.

use crate::encode::tokenize::tokens::Tokens;
use crate::encode::tokenize::word_options::WordOptions;

/// Takes all that the segmenter gives.
pub(super) fn take(tokens: &mut Tokens, text: &str, words: &WordOptions) {
    take_segments(tokens, &words.folded(text), words, |_| true);
}

/// Takes what begins with one of U+4E00 to U+9FA5.
pub(super) fn take_han(tokens: &mut Tokens, text: &str, words: &WordOptions) {
    take_segments(tokens, text, words, |c| ('\u{4E00}'..='\u{9FA5}').contains(&c));
}

fn take_segments(tokens: &mut Tokens, text: &str, words: &WordOptions, kept: impl Fn(char) -> bool) {
    let (spans, factors, segmenter) = (&mut tokens.spans, &mut tokens.factors, words.segmenter());
    let is_kept =
        |word: &str| word.chars().next().is_some_and(&kept) && !(words.has_stop_words() && words.is_stop_word(word));
    if words.by_tag() {
        segmenter.tag(text, words.hmm(), &mut tokens.segment, |place, tag| {
            if let Some(factor) = words.tags().factor(tag)
                && is_kept(&text[place.clone()])
            {
                spans.push((place.start, place.end));
                if words.tags().weigh() {
                    factors.push(factor);
                }
            }
        });
    } else {
        segmenter.cut(text, words.mode(), words.hmm(), &mut tokens.segment, |place| {
            if is_kept(&text[place.clone()]) {
                spans.push((place.start, place.end));
            }
        });
    }
    tokens.text.push_str(text);
}
