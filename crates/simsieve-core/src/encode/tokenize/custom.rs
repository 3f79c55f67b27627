//! Custom schemes: steps of normalising, tokens, weights and hash as a user put them together.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use super::functions::{Functions, UserFeature};
use super::step::Step;
use super::tokens::Tokens;
use super::word_options::WordOptions;
use super::{elements, lines, token_filter, token_list, words};
use crate::base::hash::xxh3_64;
use crate::base::message::Message;
use crate::encode::hash::{MOST_WORDS, TokenHash};
use crate::encode::input::pattern::Pattern;
use crate::encode::unusable_text::UnusableText;
use crate::text::html;
use crate::text::{Fold, NORMALISER, UNICODE_VERSION};

/// What a custom scheme has for features.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// Windows of this many characters; a shorter text is one feature.
    Chars(usize),
    /// Windows of this many words; fewer words are one feature.
    Words(usize),
    /// Lines that are not empty.
    Lines,
    /// What the user's function gives, this many in a row.
    Called(usize),
    /// What the document lists, this many in a row.
    Tokens(usize),
    /// Elements of the page that the text is; the rule of their hash is the scheme's.
    Elements(html::Options),
}

/// How features weigh.
#[derive(Clone)]
pub enum Weigh {
    /// By a rule that built-in schemes have too.
    Rule,
    /// By the user's function.
    Called,
    /// By a table, with a weight for what it does not have.
    Table(Arc<HashMap<Box<str>, f64>>, f64),
    /// As the features say.
    Given,
}

/// The rule of a scheme that a user put together.
#[derive(Clone)]
pub struct CustomRule {
    /// What it is called.
    pub name: String,
    /// The description of the features, for the digest of features and of the scheme.
    pub described: String,
    /// The description of weights and hash.
    pub described_weights: String,
    /// What is done to a text, in order.
    pub steps: Vec<Step>,
    /// What the features are.
    pub kind: Kind,
    /// Which words there are, and stop words.
    pub words: WordOptions,
    /// Of all tokens those stay that this pattern matches from their beginning.
    pub filter: Option<Pattern>,
    /// How they weigh.
    pub weigh: Weigh,
    /// Fraction bits of weights that the user gives.
    pub fraction_bits: u32,
    /// Whether the user's function hashes.
    pub hash_called: bool,
    /// Bits of a fingerprint.
    pub width: u32,
    /// The user's functions; none where there are none.
    pub functions: Option<Arc<dyn Functions>>,
}

impl fmt::Debug for CustomRule {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.described)
    }
}

impl CustomRule {
    /// Whether the features are a page's elements.
    pub(crate) fn has_elements(&self) -> bool {
        matches!(self.kind, Kind::Elements(_))
    }

    /// Whether a document is a list of tokens.
    pub(crate) fn has_tokens(&self) -> bool {
        matches!(self.kind, Kind::Tokens(_))
    }

    pub(crate) fn functions(&self) -> &dyn Functions {
        self.functions
            .as_deref()
            .expect("a scheme that calls functions has them")
    }

    /// The farthest fold among the steps: exact copies are then known after it.
    pub(crate) fn fold(&self) -> Option<Fold> {
        let has = |fold| self.steps.contains(&Step::Fold(fold)).then_some(fold);
        has(Fold::Words).or_else(|| has(Fold::Characters))
    }

    /// All that can change a feature, in words.
    pub(crate) fn canonical(&self) -> String {
        let filter = self.filter.as_ref().map_or_else(String::new, Pattern::canonical);
        Self::canonical_of(&self.described, self.kind, &self.words, self.fold()) + &filter
    }

    /// [`CustomRule::canonical`] of a rule of these parts.
    pub(crate) fn canonical_of(described: &str, kind: Kind, words: &WordOptions, fold: Option<Fold>) -> String {
        let segmenter = match kind {
            Kind::Words(_) => format!(", {}", words.segmenter_canonical()),
            Kind::Elements(_) => format!(", elements {}", html::RULES),
            _ => String::new(),
        };
        let fold = fold.map_or_else(String::new, |fold| format!(", {}", fold.canonical()));
        format!(
            "own, {described}{segmenter}{}{fold}, unicode {UNICODE_VERSION}, {NORMALISER}",
            words.canonical()
        )
    }

    /// The description of `n` words of the normalised text, as the built-in schemes have them.
    pub(crate) fn described_words(n: usize) -> String {
        format!(r#"{{"kind": "words", "n": {n}, "steps": ["usual"], "version": ""}}"#)
    }

    /// Takes the tokens of a text, and what they are known by.
    pub(super) fn take(
        &self,
        tokens: &mut Tokens,
        hash: TokenHash,
        text: &str,
        page: &mut html::Scratch,
    ) -> Result<(), UnusableText> {
        let stepped = self.steps.iter().try_fold(None, |text_now: Option<String>, step| {
            step.apply(text_now.as_deref().unwrap_or(text)).map(Some)
        })?;
        let text = stepped.as_deref().unwrap_or(text);
        match self.kind {
            Kind::Chars(n) => match &self.filter {
                Some(pattern) => tokens.take_characters(&token_filter::characters(pattern, text), n),
                None => tokens.take_characters(text, n),
            },
            Kind::Words(n) => {
                words::take_words(tokens, text, &self.words);
                self.filter(tokens);
                tokens.join(n);
            }
            Kind::Lines => {
                lines::take_whole(tokens, text, &self.words);
                self.filter(tokens);
            }
            Kind::Called(n) => {
                let all = self.functions().features(text).map_err(UnusableText::new)?;
                self.take_given(hash, all, n, tokens)?;
            }
            Kind::Tokens(n) => self.take_given(hash, self.weighted(token_list::tokens(text)?), n, tokens)?,
            Kind::Elements(options) => elements::take(tokens, &self.name, text, &options, &self.words, page)?,
        }
        if hash == TokenHash::Given {
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
        if matches!(self.weigh, Weigh::Given) {
            for given in &mut all {
                if let UserFeature::Text(_, weight @ None) = given {
                    *weight = Some(1.0);
                }
            }
        }
        all
    }

    fn take_given(
        &self,
        hash: TokenHash,
        mut all: Vec<UserFeature>,
        n: usize,
        tokens: &mut Tokens,
    ) -> Result<(), UnusableText> {
        let refuse = |what: Message| Err(UnusableText::new(msg!("scheme {name:?}: {what}", name = self.name)));
        if let Some(pattern) = &self.filter {
            all = token_filter::features(pattern, all);
        }
        let (hashes, weights) = (hash == TokenHash::Given, matches!(self.weigh, Weigh::Given));
        for (at, given) in all.into_iter().enumerate() {
            match given {
                UserFeature::Hash(bits, _) if hashes && beyond(&bits, self.width) => {
                    return refuse(msg!(
                        "the hash 0x{value} of feature {at} is wider than {width} bits: give hashes below \
                         2^{width}, or a greater width",
                        value = hex(&bits).trim_start_matches('0'),
                        width = self.width
                    ));
                }
                UserFeature::Hash(bits, weight) if hashes => {
                    tokens.add(&hex(&bits));
                    tokens.given.push((bits, weight));
                }
                UserFeature::Text(token, weight) if !hashes && weight.is_some() == weights => {
                    if !self.words.is_stop_word(&token) {
                        tokens.add(&token);
                        tokens.given.extend(weight.map(|weight| ([0; MOST_WORDS], weight)));
                    }
                }
                _ => {
                    let wanted = match (hashes, weights) {
                        (true, _) => "pairs (hash, weight), since hash=\"given\"",
                        (false, true) => "pairs (text, weight), since weights=\"given\"",
                        (false, false) => "texts; for pairs give weights=\"given\"",
                    };
                    let items = if self.has_tokens() {
                        "a list's"
                    } else {
                        "the function's"
                    };
                    return refuse(msg!("feature {at} is of another kind; {items} items are {wanted}"));
                }
            }
        }
        tokens.join(n);
        Ok(())
    }
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
