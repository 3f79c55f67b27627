//! Schemes on tokens: those of other programs, bit for bit, and those on words.

use super::custom::CustomRule;
use super::cut::{Cut, Form};
use super::entropy::EntropyRule;
use super::names;
use super::pos_weights;
use super::token_hash::{MOST_WORDS, TokenHash};
use super::windows::is_digest;
use super::words::WordOptions;
use super::{Reading, Scheme, Scratch, UnusableText};
use crate::base::error::{Error, Result};
use crate::encode::model::{Idf, Model};
use crate::encode::scheme::feature_rule::FeatureRule;
use crate::encode::weight::{self, Weights};
use std::path::Path;
use std::sync::Arc;

/// What a scheme on tokens has in place of windows.
#[derive(Debug, Clone)]
pub(super) struct TokenRule {
    name: &'static str,
    pub(super) cut: Cut,
    pub(super) words: WordOptions,
    pub(super) entropy: Option<EntropyRule>,
    /// What a user put together; the rest then says nothing of tokens.
    own: Option<Arc<CustomRule>>,
    pub(super) hash: TokenHash,
    /// The least sum that gives a 1.
    pub(super) least: i64,
    /// The weights without an option.
    pub(super) usual: Weights,
}

/// A weight by TF-IDF is at most 14 x 2^24, under a model 46 x 2^24, and those of a text sum to as much, so their squares stay below 2^60.
const TF_IDF_UNIT: f64 = 16_777_216.0;

impl TokenRule {
    fn new(name: &'static str, cut: Cut, hash: TokenHash, usual: Weights) -> Self {
        let least = i64::from(!matches!(name, "gemantic" | "mfonda"));
        Self {
            name,
            cut,
            words: WordOptions::default(),
            entropy: (name == "esimhash").then_some(EntropyRule::USUAL),
            own: None,
            hash,
            least,
            usual,
        }
    }

    /// The scheme that a name without options stands for, with its width; `None` where it is none on tokens.
    fn named(name: &str) -> Option<(Self, u32)> {
        let (family, width) = names::apart(name)?;
        let (tf, tf_idf) = (Weights::Tf, Weights::TfIdf);
        let (cut, hash, weights) = match family {
            "words" => (Cut::Words(1), TokenHash::Xxh3, Weights::Once),
            "simhash" => (Cut::Shingles, TokenHash::Md5, tf),
            "gemantic" => (Cut::Spaces, TokenHash::Units, tf),
            "mfonda" => (Cut::AsciiWords, TokenHash::Fnv1, tf),
            "esimhash_baseline" => (Cut::Segments, TokenHash::Md5, tf),
            "esimhash" => (Cut::Words(1), TokenHash::Md5, Weights::Entropy),
            "angelo" => (Cut::HanSegments, TokenHash::Md5Digits, tf),
            "keywords" => (Cut::Keywords(30), TokenHash::Xxh3, tf_idf),
            "lines_tfidf" => (Cut::Lines, TokenHash::Fnv1, tf_idf),
            _ => return None,
        };
        let rule = Self::new(family, cut, hash, weights);
        Some((rule, width))
    }

    /// What a user put together.
    pub(super) fn custom_rule(&self) -> Option<&CustomRule> {
        self.own.as_deref()
    }

    /// The options that differ from what the name alone says.
    pub(super) fn options(&self, weights: Weights) -> Vec<String> {
        let mut options = Vec::new();
        if self.own.is_some() {
            return options;
        }
        match self.cut {
            Cut::Words(n) if n != 1 => options.push(format!("n={n}")),
            Cut::Keywords(top) if top != 30 => options.push(format!("top={top}")),
            Cut::LetterWords(form) => {
                let name = Form::ALL
                    .iter()
                    .find(|(_, known)| *known == form)
                    .map_or("", |(name, _)| name);
                options.push(format!("words={name}"));
            }
            _ => {}
        }
        // Keywords have a model, or jieba's table.
        let weights = weights.untagged();
        if weights != self.usual && weights != Weights::TfIdfOfModel {
            options.push(format!("weights={}", weights.name()));
        }
        if let Some(rule) = &self.entropy {
            if self.cut == Cut::Segments {
                options.push("tokens=all".to_owned());
            }
            options.extend(rule.options(false));
        }
        options.extend(self.words.options());
        options
    }

    /// How a spec begins: the name with the width, or what the user called the scheme.
    pub(super) fn title(&self, width: u32) -> String {
        match &self.own {
            Some(own) => format!("own:{}", own.name),
            None => format!("{}{width}", self.name),
        }
    }

    /// What [`Scheme::canonical`] says of tokens, weights and hash.
    pub(super) fn canonical(&self, weights: Weights, width: u32) -> String {
        let told = match (&self.own, &self.entropy) {
            (Some(own), _) => format!(" {}", own.told_weights),
            (_, Some(rule)) => format!(
                " of {}, words unknown to the model in 0 documents and of entropy 0",
                rule.options(true).join(", ")
            ),
            _ => String::new(),
        };
        format!(
            "tokens {}\nweights {}{told}{}, {} fraction bits\nhash {}\n",
            self.tokens_canonical(),
            weights.name(),
            self.factors_canonical(),
            weights.fraction_bits(),
            self.hash.name(width)
        )
    }

    fn tokens_canonical(&self) -> String {
        if let Some(own) = &self.own {
            return own.canonical();
        }
        let words = match self.cut {
            Cut::Words(_) | Cut::Lines => self.words.canonical(),
            _ => self.words.canonical_of_segments(),
        };
        format!("{}{words}", self.cut.canonical(self.words.segmenter()))
    }

    fn factors_canonical(&self) -> String {
        let words = self.own.as_deref().map_or(&self.words, |own| &own.words);
        words.canonical_factors()
    }

    /// Whether a model may count these tokens.
    pub(super) const fn takes_model(&self) -> bool {
        matches!(self.cut, Cut::Words(_) | Cut::Keywords(_)) || self.entropy.is_some() || self.own.is_some()
    }

    /// What a model of these tokens counts.
    pub(super) fn counted_features(&self) -> FeatureRule {
        let name = match self.cut {
            _ if self.own.is_some() => "own".to_owned(),
            Cut::Words(n) => format!("words,n={n}"),
            Cut::Keywords(_) => {
                // Whatever may become a keyword, by any table of frequencies.
                let segmenter = self.words.segmenter().digest();
                let told = format!("keywords, segmenter {segmenter}{}", self.words.canonical_of_segments());
                return FeatureRule::of_tokens("keywords", &told, false);
            }
            _ => "segments".to_owned(),
        };
        FeatureRule::of_tokens(&name, &self.tokens_canonical(), self.usual == Weights::Entropy)
    }

    /// Takes the tokens of `text` as features: known by the XXH3-64 of their UTF-8, whatever hash their bits are of.
    ///
    /// # Errors
    /// A [`UnusableText`] where the scheme cannot use the text.
    fn take(
        &self,
        cut: Cut,
        text: &str,
        counted: bool,
        idf: Option<&Idf>,
        scratch: &mut Scratch,
    ) -> Result<(), UnusableText> {
        scratch.weights.clear();
        scratch.shift = 0;
        scratch.entropy.clear();
        if let Some(own) = &self.own {
            return own.take(self.hash, text, counted, scratch);
        }
        let Scratch {
            tokens,
            known,
            features,
            ..
        } = scratch;
        tokens.take(cut, &self.words, idf, text, &scratch.text);
        tokens.hash(known);
        features.collect_hashes(known, counted);
        Ok(())
    }

    /// Takes what a model counts of `text`: all that may be a keyword, and not the heaviest alone.
    ///
    /// # Errors
    /// As [`TokenRule::extract`].
    pub(super) fn take_counted(&self, text: &str, scratch: &mut Scratch) -> Result<(), UnusableText> {
        let cut = match self.cut {
            Cut::Keywords(_) => Cut::Keywords(0),
            cut => cut,
        };
        self.take(cut, text, false, None, scratch)
    }

    /// Takes the tokens of `text` with their weights and hashes.
    ///
    /// Complexity: linear in the length of the text.
    ///
    /// # Errors
    /// A [`UnusableText`] where the scheme cannot use the text.
    pub(super) fn extract(
        &self,
        text: &str,
        weights: Weights,
        idf: Option<&Idf>,
        words: usize,
        scratch: &mut Scratch,
    ) -> Result<(), UnusableText> {
        self.take(self.cut, text, weights.counted(), idf, scratch)?;
        if let Some(rule) = &self.entropy {
            let idf = idf.expect("a scheme is made ready before it is used");
            rule.apply(idf, self.hash, words, scratch);
            return Ok(());
        }
        if let Some(own) = &self.own {
            own.weigh(weights, self.hash, idf, scratch)?;
            self.write_planes(words, scratch);
            return Ok(());
        }
        if let Weights::Tagged(rule) = weights {
            pos_weights::weigh(*rule, idf, scratch)?;
            self.write_planes(words, scratch);
            return Ok(());
        }
        let Scratch {
            tokens,
            known,
            features,
            weights: out,
            ..
        } = scratch;
        match self.cut {
            Cut::Keywords(_) => out.extend(tokens.weights.iter().map(|weight| tf_idf(*weight))),
            Cut::Lines => {
                // In how many lines a word stands; a line's tokens come one after another.
                let mut seen = vec![(0_u64, u32::MAX); features.len()];
                for (hash, &line) in known.iter().zip(&tokens.lines) {
                    let seen = &mut seen[features.place(*hash).expect("every token is a feature")];
                    if seen.1 != line {
                        *seen = (seen.0 + 1, line);
                    }
                }
                let lines = tokens.lines.last().map_or(0, |line| u64::from(*line) + 1);
                // Words count as often as the factors of their parts of speech say.
                let (times, total): (Vec<f64>, f64) = if self.words.tags().weigh() {
                    (features.sums(known, &tokens.factors), tokens.factors.iter().sum())
                } else {
                    (
                        features.counts().iter().map(|&count| f64::from(count)).collect(),
                        known.len() as f64,
                    )
                };
                let weight = |(times, (lines_with, _)): (f64, (u64, u32))| {
                    tf_idf(times / total * weight::idf(lines, lines_with))
                };
                out.extend(times.into_iter().zip(seen).map(weight));
            }
            _ if weights.needs_model() => {
                let idf = idf.expect("a scheme is made ready before it is used");
                let mut counts = features.counts().iter();
                idf.each(features.hashes(), |idf| {
                    out.push(weights.with_idf_of(counts.next().copied().unwrap_or(1), idf));
                });
            }
            _ if weights.counted() => weights.write(features.counts(), out),
            _ => {}
        }
        self.write_planes(words, scratch);
        Ok(())
    }

    /// Writes the hashes of the features, word after word, where they are not mixed from what features are known by.
    fn write_planes(&self, words: usize, scratch: &mut Scratch) {
        if self.hash == TokenHash::Xxh3 {
            return;
        }
        let n = scratch.features.len();
        scratch.planes.clear();
        scratch.planes.resize(words * n, 0);
        if matches!(self.hash, TokenHash::Called | TokenHash::Given) {
            for (at, bits) in scratch.own.hashes.iter().enumerate() {
                for (k, word) in bits[..words].iter().enumerate() {
                    scratch.planes[k * n + at] = *word;
                }
            }
            return;
        }
        self.each_first(scratch, |place, bits, planes| {
            for (k, word) in bits[..words].iter().enumerate() {
                planes[k * n + place] = *word;
            }
        });
    }

    fn each_first(&self, scratch: &mut Scratch, mut each: impl FnMut(usize, [u64; MOST_WORDS], &mut [u64])) {
        let Scratch {
            tokens,
            known,
            features,
            planes,
            memo,
            ..
        } = scratch;
        let tokens = tokens
            .iter()
            .zip(known)
            .map(|(token, &mut known)| ((token, known), known));
        for (place, (token, known)) in features.firsts(tokens).enumerate() {
            each(place, memo.hash(self.hash, token, known), planes);
        }
    }
}

fn tf_idf(weight: f64) -> u32 {
    (TF_IDF_UNIT * weight).round_ties_even() as u32
}

impl Scheme {
    /// Reads a scheme on tokens; `None` where the name is that of none.
    pub(super) fn parse_tokens(spec: &str) -> Option<Result<Self>> {
        let (name, options) = spec.split_once(':').unwrap_or((spec, ""));
        let (rule, width) = TokenRule::named(name)?;
        Some(Self::of_tokens(spec, rule, width, options))
    }

    fn of_tokens(spec: &str, mut rule: TokenRule, width: u32, options: &str) -> Result<Self> {
        let (mut weights, mut model) = (rule.usual, None);
        let mut seen: Vec<&str> = Vec::new();
        // First of all: the words of files are folded as they are read.
        for value in options.split(',').filter_map(|option| option.strip_prefix("fold=")) {
            rule.set_fold(spec, value)?;
        }
        for option in options.split(',').filter(|option| !option.is_empty()) {
            let (key, value) = option.split_once('=').unwrap_or((option, ""));
            if key == "model" && rule.takes_model() && !value.is_empty() {
                model = Some(value);
            } else if key != "fold" || !option.contains('=') {
                rule.set(&mut weights, spec, option)?;
            }
            if seen.contains(&key) {
                return Err(Error::Config(format!("scheme {spec:?}: {key} is given twice")));
            }
            seen.push(key);
        }
        let refuse = |what: &str| Error::Config(format!("scheme {spec:?}: {what}"));
        rule.words.check().map_err(|error| refuse(&error.to_string()))?;
        if model.is_some() && weights == Weights::TfIdf {
            weights = Weights::TfIdfOfModel;
        }
        weights = rule
            .words
            .weights(weights)
            .map_err(|error| refuse(&error.to_string()))?;
        let scheme = Self {
            width,
            features: FeatureRule::usual().folding(rule.words.fold()),
            weights,
            tokens: Some(rule),
            reading: Reading::Text,
            wanted: model.filter(|name| is_digest(name)).map(str::to_owned),
            idf: None,
        };
        match model {
            Some(_) if !weights.needs_model() => Err(Error::Config(format!(
                "scheme {spec:?}: weights={} take no model; leave it out, or give weights=idf, log-idf or tf-idf",
                weights.name()
            ))),
            Some(path) if scheme.wanted.is_none() => scheme.with_model(Arc::new(Model::load(Path::new(path))?)),
            _ => Ok(scheme),
        }
    }

    /// A scheme that a user put together; `least` is the least sum of whole weights that gives a 1.
    ///
    /// # Errors
    /// [`Error::Config`] for a width outside 1 to 256 or above what the hash has.
    pub fn custom(rule: CustomRule, weights: Weights, hash: TokenHash, least: i64) -> Result<Self> {
        hash.check_width(&rule.name, rule.width)?;
        Ok(Self {
            width: rule.width,
            features: FeatureRule::usual().folding(rule.fold()),
            weights,
            tokens: Some(TokenRule {
                least,
                own: Some(Arc::new(rule)),
                ..TokenRule::new("own", Cut::Lines, hash, weights)
            }),
            reading: Reading::Text,
            wanted: None,
            idf: None,
        })
    }

    /// The features that a model of this scheme counts.
    pub(crate) fn counted_features(&self) -> FeatureRule {
        let tokens = self.tokens.as_ref();
        tokens.map_or_else(|| self.features.clone(), TokenRule::counted_features)
    }

    /// Whether models may count the features: those of other programs' schemes have weights of their own.
    pub(crate) fn takes_model(&self) -> bool {
        match &self.tokens {
            Some(rule) => rule.takes_model(),
            None => self.has_windows(),
        }
    }

    /// Whether features are windows of characters.
    pub const fn has_windows(&self) -> bool {
        self.tokens.is_none() && matches!(self.reading, Reading::Text | Reading::Extracted(_))
    }

    /// The distinct tokens of the text in `scratch` with the low 64 bits of their hash, as features stand there.
    pub(crate) fn distinct_tokens(&self, scratch: &Scratch) -> Vec<(String, u64)> {
        let own = &scratch.own.hashes;
        let hash = |at: usize, token: &str| {
            let made = || self.tokens.as_ref().map_or(0, |rule| rule.hash.of(token)[0]);
            own.get(at).map_or_else(made, |bits| bits[0])
        };
        let tokens = scratch.tokens.iter().zip(scratch.known.iter().copied());
        let distinct = scratch.features.firsts(tokens).enumerate();
        distinct
            .map(|(at, token)| (token.to_owned(), hash(at, token)))
            .collect()
    }
}
