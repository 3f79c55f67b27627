//! The tokens of custom schemes.

use std::sync::Arc;

use super::functions::{Functions, UserFeature};
use super::step::Step;
use super::tokens::Tokens;
use super::word_options::WordOptions;
use super::{elements, lines, token_filter, token_list, words};
use crate::base::hash::xxh3_64;
use crate::base::message::Message;
use crate::encode::hash::MOST_WORDS;
use crate::encode::input::pattern::Pattern;
use crate::encode::unusable_text::UnusableText;
use crate::text::html;
use crate::text::{Fold, NORMALISER, UNICODE_VERSION};

/// What a custom scheme has for features.
#[derive(Debug, Clone)]
pub(crate) enum CustomFeatures {
    /// Windows of this many characters; a shorter text is one feature.
    Chars(usize),
    /// Windows of this many words; fewer words are one feature.
    Words(usize),
    /// Lines that are not empty.
    Lines,
    /// What the user's function gives, this many in a row.
    Called(usize, Arc<dyn Functions>),
    /// What the document lists, this many in a row.
    Tokens(usize),
    /// Elements of the page that the text is; the rule of their hash is the scheme's.
    Elements(html::Options),
}

/// What a function or a document gives with each feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GivenFeatures {
    /// A text.
    Texts,
    /// A text and a weight.
    Weights,
    /// A hash of at most this many bits, and a weight.
    Hashes(u32),
}

/// How a custom scheme takes the tokens of a text.
#[derive(Debug, Clone)]
pub(crate) struct CustomTokens {
    /// The name of the scheme, for messages.
    pub(crate) name: Box<str>,
    /// The description of the features, for the digests of features and scheme.
    pub(crate) described: String,
    /// What is done to a text, in order.
    pub(crate) steps: Vec<Step>,
    /// What the features are.
    pub(crate) features: CustomFeatures,
    /// Which words there are, and stop words.
    pub(crate) words: WordOptions,
    /// Of all tokens those stay that this pattern matches from their beginning.
    pub(crate) filter: Option<Pattern>,
    /// What comes with the features of a function or a document.
    pub(crate) given: GivenFeatures,
}

impl CustomTokens {
    /// All folds among the steps in one: exact copies are then known after it.
    pub(crate) fn fold(&self) -> Option<Fold> {
        let has = |fold: &Fold| self.steps.contains(&Step::Fold(*fold));
        let widest = [Fold::WORDS, Fold::CHARACTERS].into_iter().find(has);
        let fold = Fold {
            script: widest.and_then(|fold| fold.script),
            numerals: has(&Fold::NUMERALS),
            marks: has(&Fold::MARKS),
        };
        (fold.script.is_some() || fold.numerals || fold.marks).then_some(fold)
    }

    /// All that can change a feature, in words.
    pub(crate) fn canonical(&self) -> String {
        let segmenter = match self.features {
            CustomFeatures::Words(_) => format!(", {}", self.words.segmenter_canonical()),
            CustomFeatures::Elements(_) => format!(", elements {}", html::RULES),
            _ => String::new(),
        };
        let filter = self.filter.as_ref().map_or_else(String::new, Pattern::canonical);
        canonical_of(&self.described, &segmenter, &self.words, self.fold()) + &filter
    }

    /// Takes the tokens of a text, and what they are known by.
    pub(super) fn take(
        &self,
        tokens: &mut Tokens,
        text: &str,
        page: &mut html::PageScratch,
    ) -> Result<(), UnusableText> {
        let stepped = self.steps.iter().try_fold(None, |text_now: Option<String>, step| {
            step.apply(text_now.as_deref().unwrap_or(text)).map(Some)
        })?;
        let text = stepped.as_deref().unwrap_or(text);
        match &self.features {
            CustomFeatures::Chars(n) => match &self.filter {
                Some(pattern) => tokens.take_characters(&token_filter::characters(pattern, text), *n),
                None => tokens.take_characters(text, *n),
            },
            CustomFeatures::Words(n) => {
                words::take_words(tokens, text, &self.words);
                self.filter(tokens);
                tokens.join(*n);
            }
            CustomFeatures::Lines => {
                lines::take_whole(tokens, text, &self.words);
                self.filter(tokens);
            }
            CustomFeatures::Called(n, functions) => {
                let all = functions.features(text).map_err(UnusableText::new)?;
                self.take_given(all, *n, tokens)?;
            }
            CustomFeatures::Tokens(n) => self.take_given(self.weighted(token_list::tokens(text)?), *n, tokens)?,
            CustomFeatures::Elements(options) => elements::take(tokens, &self.name, text, options, &self.words, page)?,
        }
        if matches!(self.given, GivenFeatures::Hashes(_)) {
            tokens.known.clear();
            let known = tokens.given.iter().map(|(bits, _)| known_by(bits));
            tokens.known.extend(known);
        } else {
            tokens.hash();
        }
        Ok(())
    }

    /// Leaves the tokens that the user's pattern takes, where there is one.
    fn filter(&self, tokens: &mut Tokens) {
        if let Some(pattern) = &self.filter {
            token_filter::tokens(pattern, tokens);
        }
    }

    /// Tokens of a list; where weights are given, one without a weight weighs 1.
    fn weighted(&self, mut all: Vec<UserFeature>) -> Vec<UserFeature> {
        if self.given == GivenFeatures::Weights {
            for given in &mut all {
                if let UserFeature::Text(_, weight @ None) = given {
                    *weight = Some(1.0);
                }
            }
        }
        all
    }

    /// Takes the features that a function or a document gives, `n` in a row.
    fn take_given(&self, mut all: Vec<UserFeature>, n: usize, tokens: &mut Tokens) -> Result<(), UnusableText> {
        let refuse = |what: Message| Err(UnusableText::new(msg!("scheme {name:?}: {what}", name = self.name)));
        if let Some(pattern) = &self.filter {
            all = token_filter::features(pattern, all);
        }
        for (at, given) in all.into_iter().enumerate() {
            match (given, self.given) {
                (UserFeature::Hash(bits, _), GivenFeatures::Hashes(width)) if beyond(&bits, width) => {
                    return refuse(msg!(
                        "the hash 0x{hash} of feature {at} is wider than {width} bits: give hashes below \
                         2^{width}, or a greater width",
                        hash = hex(&bits).trim_start_matches('0')
                    ));
                }
                (UserFeature::Hash(bits, weight), GivenFeatures::Hashes(_)) => {
                    tokens.add(&hex(&bits));
                    tokens.given.push((bits, weight));
                }
                (UserFeature::Text(token, None), GivenFeatures::Texts) => words::add_word(tokens, &token, &self.words),
                (UserFeature::Text(token, Some(weight)), GivenFeatures::Weights) => {
                    if !self.words.is_stop_word(&token) {
                        tokens.add(&token);
                        tokens.given.push(([0; MOST_WORDS], weight));
                    }
                }
                _ => {
                    let wanted = match self.given {
                        GivenFeatures::Hashes(_) => "pairs (hash, weight), since hash=\"given\"",
                        GivenFeatures::Weights => "pairs (text, weight), since weights=\"given\"",
                        GivenFeatures::Texts => "texts; for pairs give weights=\"given\"",
                    };
                    let items = match self.features {
                        CustomFeatures::Tokens(_) => "a list's",
                        _ => "the function's",
                    };
                    return refuse(msg!("feature {at} is of another kind; {items} items are {wanted}"));
                }
            }
        }
        tokens.join(n);
        Ok(())
    }
}

/// [`CustomTokens::canonical`] of `n` words of the normalised text, as the built-in schemes have them.
pub(crate) fn canonical_of_words(n: usize, words: &WordOptions) -> String {
    let segmenter = format!(", {}", words.segmenter_canonical());
    canonical_of(&described_words(n), &segmenter, words, None)
}

/// The description of `n` words of the normalised text.
pub(crate) fn described_words(n: usize) -> String {
    format!(r#"{{"kind": "words", "n": {n}, "steps": ["usual"], "version": ""}}"#)
}

fn canonical_of(described: &str, segmenter: &str, words: &WordOptions, fold: Option<Fold>) -> String {
    let fold = fold.map_or_else(String::new, |fold| format!(", {}", fold.canonical()));
    format!(
        "own, {described}{segmenter}{}{fold}, unicode {UNICODE_VERSION}, {NORMALISER}",
        words.canonical()
    )
}

/// A hash as 64 hex digits.
fn hex(bits: &[u64; MOST_WORDS]) -> String {
    let [first, second, third, last] = bits;
    format!("{last:016x}{third:016x}{second:016x}{first:016x}")
}

/// Whether a hash has bits beyond the lowest `width`.
fn beyond(bits: &[u64; MOST_WORDS], width: u32) -> bool {
    let from = |first: u32| u64::MAX.checked_shl(width.saturating_sub(first)).unwrap_or(0);
    (0..).step_by(64).zip(bits).any(|(first, word)| word & from(first) != 0)
}

/// What a feature is known by that is a hash.
fn known_by(bits: &[u64; MOST_WORDS]) -> u64 {
    let mut bytes = [0; 8 * MOST_WORDS];
    for (place, word) in bytes.chunks_exact_mut(8).zip(bits) {
        place.copy_from_slice(&word.to_le_bytes());
    }
    xxh3_64(&bytes)
}
