//! The heaviest keywords of a text, each once and with its weight.

use std::sync::LazyLock;

use super::tokens::Tokens;
use super::word_options::WordOptions;
use crate::encode::model::Idf;
use crate::text::segment::keywords::{self, Keywords};

/// Takes keywords, the heaviest first; they weigh by `idf`, or by jieba's document frequencies where it is none.
pub(super) fn take(tokens: &mut Tokens, text: &str, words: &WordOptions, idf: Option<&Idf>, top: usize) {
    static KEYWORDS: LazyLock<Keywords> = LazyLock::new(Keywords::builtin);
    let is_stop_word = |word: &str| words.is_stop_word(word);
    let of_model = |hash: u64| idf.map_or(0.0, |idf| idf.of_feature_or_median(hash));
    let own = keywords::Own {
        is_stop_word: words.has_stop_words().then_some(&is_stop_word),
        idf: idf.is_some().then_some(&of_model),
    };
    for (word, weight) in KEYWORDS.find_as(words.segmenter(), text, top, words.tags(), &own, &mut tokens.segment) {
        tokens.add(word);
        tokens.weights.push(weight);
    }
}
