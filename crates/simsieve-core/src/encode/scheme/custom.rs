//! Schemes that a user puts together: steps of normalising, features, weights, hash, width and sign.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use icu_casemap::CaseMapper;
use icu_locale_core::LanguageIdentifier;
use icu_properties::props::{GeneralCategory, GeneralCategoryGroup};

use super::cut::{Form, Tokens, category};
use super::entropy::EntropyRule;
use super::token_hash::{MOST_WORDS, TokenHash};
use super::words::WordOptions;
use super::{Scratch, UnusableText, pos_weights};
use crate::base::hash;
use crate::encode::model::Idf;
use crate::encode::weight::Weights;
use crate::text::html;
use crate::text::{Class, Compact, Fold, NORMALISER, Normaliser, UNICODE_VERSION, class_of};

/// A step on a text's way to its features.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The visible text of a page.
    Markup,
    /// The normalised text, as every other scheme has it.
    Usual,
    /// The same without spaces and punctuation.
    Compact,
    /// A Unicode normal form.
    Form(Form),
    /// Full case folding.
    Casefold,
    /// Lower case.
    Lower,
    /// Runs of white space become one space, none at the ends.
    Spaces,
    /// Without white space.
    NoSpaces,
    /// Without punctuation (what the compact text leaves out, but for white space).
    NoPunctuation,
    /// Without decimal digits.
    NoDigits,
    /// Traditional Chinese made Simplified.
    Fold(Fold),
}

impl Step {
    /// Every step by its name.
    pub const ALL: [(&'static str, Self); 15] = [
        ("markup", Self::Markup),
        ("usual", Self::Usual),
        ("compact", Self::Compact),
        ("nfc", Self::Form(Form::Nfc)),
        ("nfd", Self::Form(Form::Nfd)),
        ("nfkc", Self::Form(Form::Nfkc)),
        ("nfkd", Self::Form(Form::Nfkd)),
        ("casefold", Self::Casefold),
        ("lower", Self::Lower),
        ("spaces", Self::Spaces),
        ("no-spaces", Self::NoSpaces),
        ("no-punctuation", Self::NoPunctuation),
        ("no-digits", Self::NoDigits),
        ("t2s", Self::Fold(Fold::Characters)),
        ("tw2sp", Self::Fold(Fold::Words)),
    ];

    fn apply(self, text: &str) -> Result<String, UnusableText> {
        let normalised = |keep_all: bool| {
            let mut out = Compact::default();
            Normaliser::new(keep_all).run(text, &mut out);
            String::from_utf8(out.compact().to_vec()).expect("the normaliser writes UTF-8")
        };
        let case = CaseMapper::new();
        let without = |drop: &dyn Fn(char) -> bool| text.chars().filter(|&c| !drop(c)).collect();
        Ok(match self {
            Self::Markup => {
                let mut out = String::new();
                let read = html::text(text, &mut html::Scratch::default(), &mut out);
                read.map_err(|error| UnusableText::new(error.to_string()))?;
                out
            }
            Self::Usual => normalised(true),
            Self::Compact => normalised(false),
            Self::Form(form) => form.of(text),
            Self::Casefold => case.fold_string(text).into_owned(),
            Self::Lower => case
                .lowercase_to_string(text, &LanguageIdentifier::UNKNOWN)
                .into_owned(),
            Self::Spaces => text.split_whitespace().collect::<Vec<_>>().join(" "),
            Self::NoSpaces => without(&char::is_whitespace),
            Self::NoPunctuation => {
                without(&|c| GeneralCategoryGroup::Punctuation.contains(category(c)) && class_of(c) != Class::Plain)
            }
            Self::NoDigits => without(&|c| category(c) == GeneralCategory::DecimalNumber),
            Self::Fold(fold) => fold.apply(text),
        })
    }
}

/// What an own scheme has for features.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// So many characters in a row; a shorter text is one.
    Chars(usize),
    /// So many words in a row; fewer are one.
    Words(usize),
    /// Lines that are not empty.
    Lines,
    /// What the user's function gives, so many in a row.
    Called(usize),
    /// Elements of the page that the text is; the rule of their hash is the scheme's.
    Elements(html::Options),
}

/// A feature as the user's function gives it.
#[derive(Debug, Clone, PartialEq)]
pub enum Given {
    /// A text, with a weight of its own or not.
    Text(String, Option<f64>),
    /// A hash with a weight.
    Hash([u64; MOST_WORDS], f64),
}

/// The user's functions. What they say where they fail is the refusal of the text.
pub trait Functions: Send + Sync {
    /// The features of a text.
    fn features(&self, text: &str) -> Result<Vec<Given>, String>;
    /// Which tokens the pattern of interest takes.
    fn interests(&self, tokens: &[&str]) -> Result<Vec<bool>, String>;
    /// The weights of a text's distinct features, with their counts.
    fn weights(&self, features: &[&str], counts: &[u32]) -> Result<Vec<f64>, String>;
    /// The hashes of features, lowest word first.
    fn hashes(&self, features: &[&str]) -> Result<Vec<[u64; MOST_WORDS]>, String>;
}

/// How features weigh that have no rule of [`Weights`] alone.
#[derive(Clone)]
pub enum Weigh {
    /// By the rule of the scheme.
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
    /// What the user said of features, in words, for the digest of features and of the scheme.
    pub told: String,
    /// What the user said of weights and hash.
    pub told_weights: String,
    /// What is done to a text, in order.
    pub steps: Vec<Step>,
    /// What the features are.
    pub kind: Kind,
    /// Which words there are, and stop words.
    pub words: WordOptions,
    /// Whether of all tokens those stay that the user's pattern takes.
    pub by_interest: bool,
    /// How they weigh.
    pub weigh: Weigh,
    /// Bits behind the point of weights that the user gives.
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
        out.write_str(&self.told)
    }
}

/// The least sum of whole weights that is above `threshold`; `None` where that is no number below 2^62.
///
/// ```
/// use simsieve_core::encode::{scheme::custom::least_above, weight::Weights};
/// assert_eq!(least_above(0.0, Weights::Once), Some(1));
/// assert_eq!(least_above(-0.5, Weights::Own(20)), Some(1 - (1 << 19)));
/// ```
pub fn least_above(threshold: f64, weights: Weights) -> Option<i64> {
    let least = (threshold * f64::from(1_u32 << weights.fraction_bits())).floor() + 1.0;
    (least.abs() < 2.0_f64.powi(62)).then_some(least as i64)
}

/// Room for one text after another.
#[derive(Debug, Default, Clone)]
pub(super) struct Room {
    /// What each feature weighs or is hashed to, in the order of the text, where the features say it.
    given: Vec<([u64; MOST_WORDS], f64)>,
    /// How deep the element of each token stands.
    pub(super) depths: Vec<u32>,
    /// The hashes of the distinct features, where they are not made here.
    pub(super) hashes: Vec<[u64; MOST_WORDS]>,
}

impl CustomRule {
    /// Whether the features are a page's elements.
    pub(super) fn has_elements(&self) -> bool {
        matches!(self.kind, Kind::Elements(_))
    }

    pub(super) fn functions(&self) -> &dyn Functions {
        self.functions
            .as_deref()
            .expect("a scheme that calls functions has them")
    }

    /// Whether features come as hashes.
    fn hashes_given(hash: TokenHash) -> bool {
        hash == TokenHash::Given
    }

    /// The farthest fold among the steps: exact copies are then told after it.
    pub(super) fn fold(&self) -> Option<Fold> {
        let has = |fold| self.steps.contains(&Step::Fold(fold)).then_some(fold);
        has(Fold::Words).or_else(|| has(Fold::Characters))
    }

    /// All that can change a feature, in words.
    pub(super) fn canonical(&self) -> String {
        Self::canonical_of(&self.told, self.kind, &self.words, self.fold())
    }

    /// [`CustomRule::canonical`] of a rule of these parts.
    pub(super) fn canonical_of(told: &str, kind: Kind, words: &WordOptions, fold: Option<Fold>) -> String {
        let segmenter = match kind {
            Kind::Words(_) => format!(", segmenter {}", words.segmenter().digest()),
            Kind::Elements(_) => format!(", elements {}", html::RULES),
            _ => String::new(),
        };
        let fold = fold.map_or_else(String::new, |fold| format!(", {}", fold.canonical()));
        format!(
            "own, {told}{segmenter}{}{fold}, unicode {UNICODE_VERSION}, {NORMALISER}",
            words.canonical()
        )
    }

    /// What is told of `n` words of the normalised text, as the built-in schemes have them.
    pub(super) fn told_of_words(n: usize) -> String {
        format!(r#"{{"kind": "words", "n": {n}, "steps": ["usual"], "version": ""}}"#)
    }

    /// Takes the tokens of a text, as [`super::tokens::TokenRule::take`] does.
    pub(super) fn take(
        &self,
        hash: TokenHash,
        text: &str,
        counted: bool,
        scratch: &mut Scratch,
    ) -> Result<(), UnusableText> {
        let stepped = self.steps.iter().try_fold(None, |text_now: Option<String>, step| {
            step.apply(text_now.as_deref().unwrap_or(text)).map(Some)
        })?;
        let text = stepped.as_deref().unwrap_or(text);
        let Scratch {
            tokens,
            known,
            features,
            own,
            page,
            ..
        } = scratch;
        own.given.clear();
        known.clear();
        match self.kind {
            Kind::Chars(n) if self.by_interest => tokens.take_characters(&self.interesting_characters(text)?, n),
            Kind::Chars(n) => tokens.take_characters(text, n),
            Kind::Words(n) => {
                tokens.take_own_words(text, &self.words);
                self.keep_interesting(tokens)?;
                tokens.join(n);
            }
            Kind::Lines => {
                tokens.take_own_lines(text, &self.words);
                self.keep_interesting(tokens)?;
            }
            Kind::Called(n) => self.take_called(hash, text, n, tokens, own)?,
            Kind::Elements(options) => self.take_elements(text, &options, tokens, own, page)?,
        }
        if Self::hashes_given(hash) {
            known.extend(own.given.iter().map(|(bits, _)| known_by(bits)));
        } else {
            tokens.hash(known);
        }
        features.collect_hashes(known, counted);
        Ok(())
    }

    fn take_called(
        &self,
        hash: TokenHash,
        text: &str,
        n: usize,
        tokens: &mut Tokens,
        own: &mut Room,
    ) -> Result<(), UnusableText> {
        let refuse = |what: String| Err(UnusableText::new(format!("scheme {:?}: {what}", self.name)));
        let all = self.functions().features(text).map_err(UnusableText::new)?;
        let all = self.keep_interesting_given(all)?;
        tokens.begin();
        let (hashes, weights) = (Self::hashes_given(hash), matches!(self.weigh, Weigh::Given));
        for (at, given) in all.into_iter().enumerate() {
            match given {
                Given::Hash(bits, _) if hashes && beyond(&bits, self.width) => {
                    return refuse(format!(
                        "the hash 0x{} of feature {at} is wider than {} bits: give hashes below 2^{}, or a greater width",
                        hex(&bits).trim_start_matches('0'),
                        self.width,
                        self.width
                    ));
                }
                Given::Hash(bits, weight) if hashes => {
                    tokens.add(&hex(&bits));
                    own.given.push((bits, weight));
                }
                Given::Text(token, weight) if !hashes && weight.is_some() == weights => {
                    if !self.words.is_stop_word(&token) {
                        tokens.add(&token);
                        own.given.extend(weight.map(|weight| ([0; MOST_WORDS], weight)));
                    }
                }
                _ => {
                    let wanted = match (hashes, weights) {
                        (true, _) => "pairs (hash, weight), since hash=\"given\"",
                        (false, true) => "pairs (text, weight), since weights=\"given\"",
                        (false, false) => "texts; for pairs give weights=\"given\"",
                    };
                    return refuse(format!(
                        "feature {at} is of another kind; the function's items are {wanted}"
                    ));
                }
            }
        }
        tokens.join(n);
        Ok(())
    }

    /// Weighs the features in `scratch` and hashes those that are not hashed by name.
    pub(super) fn weigh(
        &self,
        weights: Weights,
        hash: TokenHash,
        idf: Option<&Idf>,
        scratch: &mut Scratch,
    ) -> Result<(), UnusableText> {
        if let (Weigh::Rule, Weights::Tagged(rule)) = (&self.weigh, weights) {
            pos_weights::weigh(*rule, idf, scratch)?;
        }
        let names = self.needs_names().then(|| distinct(scratch));
        let names: Vec<&str> = names.iter().flatten().map(String::as_str).collect();
        let factor = pos_weights::mean_factors(scratch);
        let Scratch {
            known,
            features,
            weights: out,
            own,
            entropy,
            shift,
            ..
        } = scratch;
        match &self.weigh {
            Weigh::Rule if weights != weights.untagged() => {}
            Weigh::Rule if weights == Weights::Entropy => {
                let idf = idf.expect("a scheme is made ready before it is used");
                EntropyRule::WEIGHTS.weigh(idf, known.len(), features, entropy, out);
            }
            Weigh::Rule if weights.needs_model() => {
                let idf = idf.expect("a scheme is made ready before it is used");
                let mut counts = features.counts().iter();
                idf.each(features.hashes(), |idf| {
                    out.push(weights.with_idf_of(counts.next().copied().unwrap_or(1), idf));
                });
            }
            Weigh::Rule if weights == Weights::Decayed => *shift = self.decay(known, features, own, out),
            Weigh::Rule if weights.counted() => weights.write(features.counts(), out),
            Weigh::Rule => {}
            Weigh::Called => {
                let made = self
                    .functions()
                    .weights(&names, features.counts())
                    .map_err(UnusableText::new)?;
                for (at, weight) in made.into_iter().enumerate() {
                    out.push(self.whole(weight * factor(at), || format!("{:?}", names[at]))?);
                }
            }
            Weigh::Table(table, other) => {
                for (at, (name, &count)) in names.iter().zip(features.counts()).enumerate() {
                    let weight = table.get(*name).unwrap_or(other) * f64::from(count) * factor(at);
                    out.push(self.whole(weight, || format!("{name:?}"))?);
                }
            }
            Weigh::Given => {
                let mut sums = vec![0.0; features.len()];
                for (known, (_, weight)) in known.iter().zip(&own.given) {
                    // Each by itself: what is refused must not vanish in a sum.
                    self.whole(*weight, || "a feature".to_owned())?;
                    sums[features.place(*known).unwrap_or(0)] += weight;
                }
                for weight in sums {
                    out.push(self.whole(weight, || "a feature and its repetitions".to_owned())?);
                }
            }
        }
        own.hashes.clear();
        if Self::hashes_given(hash) {
            own.hashes.resize(features.len(), [0; MOST_WORDS]);
            for (known, (bits, _)) in known.iter().zip(&own.given) {
                own.hashes[features.place(*known).unwrap_or(0)] = *bits;
            }
        } else if self.hash_called {
            own.hashes = self.functions().hashes(&names).map_err(UnusableText::new)?;
        }
        Ok(())
    }

    fn needs_names(&self) -> bool {
        self.hash_called || matches!(self.weigh, Weigh::Called | Weigh::Table(..))
    }

    /// A weight as a whole number, rounded once, half to even.
    fn whole(&self, weight: f64, of: impl Fn() -> String) -> Result<u32, UnusableText> {
        let most = 1_u64 << (32 - self.fraction_bits);
        if !(0.0..most as f64).contains(&weight) {
            return Err(UnusableText::new(format!(
                "scheme {:?}: {} has weight {weight}; a weight is a finite number from 0 to below {most}, which fraction_bits = {} sets",
                self.name,
                of(),
                self.fraction_bits
            )));
        }
        // What would be rounded up to the bound becomes the number below it.
        let units = f64::from(1_u32 << self.fraction_bits);
        Ok((weight * units).round_ties_even() as u32)
    }
}

/// The distinct tokens, in the order of their first occurrence.
fn distinct(scratch: &Scratch) -> Vec<String> {
    let mut rest = scratch.features.hashes().iter().peekable();
    let tokens = scratch.tokens.iter().zip(&scratch.known);
    tokens
        .filter(|(_, known)| rest.next_if_eq(known).is_some())
        .map(|(token, _)| token.to_owned())
        .collect()
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
    hash::xxh3_64(&bytes)
}
