//! Schemes: how a text becomes features, weights and a fingerprint, under one name and one digest.
//!
//! A scheme is written `name` or `name:option=value,option=value`: `chars128`, `chars64:n=3,weights=log`. Its digest
//! covers everything that can move a bit; fingerprints of different digests are not comparable.

mod cut;
mod entropy;
mod known;
mod models;
pub mod own;
mod refusal;
mod sketched;
mod token_hash;
mod tokens;
pub mod words;

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use crate::MAX_TEXT_BYTES;
use crate::error::{Error, Result};
use crate::features::{Features, Window};
use crate::fingerprint::Sums;
use crate::hash::xxh3_128;
use crate::kernel::Kernel;
use crate::model::{Idf, Model};
use crate::rule::WINDOW_LIMIT;
use crate::text::{Compact, NORMALISER, Normaliser, UNICODE_VERSION};
use crate::weights::Weights;

pub use crate::rule::FeatureRule;
use known::OPTIONS;
pub use known::{DEFAULT, Described, TABLE};
pub use refusal::Refusal;
pub(crate) use refusal::first_refused;
pub use token_hash::TokenHash;

/// One scheme, checked and ready.
#[derive(Debug, Clone)]
pub struct Scheme {
    width: u32,
    features: FeatureRule,
    weights: Weights,
    /// What a scheme has whose features are no windows; equal texts are then still those that `features` makes equal.
    tokens: Option<tokens::TokenRule>,
    /// The model that the spec names by its digest.
    wanted: Option<String>,
    /// The model that is used; none where the weights take none, or while it is missing.
    idf: Option<Arc<Idf>>,
}

/// What the options of a spec say, before they are put together.
struct Parts {
    window: Window,
    weights: Weights,
    punctuation: bool,
    model: Option<String>,
}

impl Scheme {
    /// Reads a scheme as the user writes it.
    ///
    /// ```
    /// use simsieve_core::scheme::Scheme;
    /// let scheme = Scheme::parse("chars64:weights=log,n=3").unwrap();
    /// assert_eq!((scheme.width(), scheme.spec().as_str()), (64, "chars64:n=3,weights=log"));
    /// ```
    ///
    /// # Errors
    /// [`Error::Config`] that says what is unknown and what there is.
    pub fn parse(spec: &str) -> Result<Self> {
        if let Some(scheme) = Self::parse_tokens(spec) {
            return scheme;
        }
        let (name, options) = spec.split_once(':').unwrap_or((spec, ""));
        let width = match name {
            "chars64" => 64,
            "chars128" => 128,
            "chars256" => 256,
            _ => {
                let names: Vec<_> = TABLE.iter().map(|row| row.name).collect();
                return Err(Error::Config(format!(
                    "unknown scheme {name:?}; there are {}; `simsieve schemes` describes them",
                    names.join(", ")
                )));
            }
        };
        let mut parts = Parts {
            window: Window::Units(6),
            weights: Weights::Once,
            punctuation: false,
            model: None,
        };
        let mut seen = Vec::new();
        for option in options.split(',').filter(|option| !option.is_empty()) {
            let key = parts.set(spec, option)?;
            if seen.contains(&key) || (matches!(key, "n" | "units") && seen.iter().any(|k| matches!(*k, "n" | "units")))
            {
                return Err(Error::Config(format!(
                    "scheme {spec:?}: {key} is given twice, or beside its other form"
                )));
            }
            seen.push(key);
        }
        let scheme = Self {
            width,
            features: FeatureRule::new(parts.window, parts.punctuation),
            weights: parts.weights,
            tokens: None,
            wanted: None,
            idf: None,
        };
        match parts.model {
            Some(_) if !scheme.weights.needs_model() => Err(Error::Config(format!(
                "scheme {spec:?}: weights={} take no model; leave it out, or give weights=idf or weights=log-idf",
                scheme.weights.name()
            ))),
            Some(digest) if is_digest(&digest) => Ok(Self {
                wanted: Some(digest),
                ..scheme
            }),
            Some(path) => scheme.with_model(Arc::new(Model::load(Path::new(&path))?)),
            None => Ok(scheme),
        }
    }

    /// The scheme in its shortest spelling, options in a fixed order.
    pub fn spec(&self) -> String {
        let (name, options) = match &self.tokens {
            Some(rule) => {
                let mut options = rule.options(self.weights);
                options.extend(self.model_digest().map(|digest| format!("model={digest}")));
                (rule.title(self.width), options)
            }
            None => (format!("chars{}", self.width), self.window_options()),
        };
        let colon = if options.is_empty() { "" } else { ":" };
        format!("{name}{colon}{}", options.join(","))
    }

    fn window_options(&self) -> Vec<String> {
        let mut options = Vec::new();
        match self.features.window() {
            Window::Units(6) => {}
            Window::Units(size) => options.push(format!("units={size}")),
            Window::Chars(size) => options.push(format!("n={size}")),
        }
        if self.weights != Weights::Once {
            options.push(format!("weights={}", self.weights.name()));
        }
        options.extend(self.model_digest().map(|digest| format!("model={digest}")));
        if self.features.punctuation() {
            options.push("punctuation=keep".to_owned());
        }
        options
    }

    /// All that can move a bit, in words: what [`Scheme::digest`] is made of.
    pub fn canonical(&self) -> String {
        let mut out = String::from("simsieve scheme 1\n");
        if let Some(rule) = &self.tokens {
            let sign = match rule.least {
                0 => ">= 0".to_owned(),
                least => format!("> {}", least - 1),
            };
            let _ = write!(
                out,
                "{}width {}\nsign {sign}\n",
                rule.canonical(self.weights),
                self.width
            );
            self.tell_model(&mut out);
            return out;
        }
        let window = match self.features.window() {
            Window::Units(size) => format!("units {size}"),
            Window::Chars(size) => format!("characters {size}"),
        };
        let _ = write!(
            out,
            "normaliser {NORMALISER}\nunicode {UNICODE_VERSION}\npunctuation {}\nwindow {window}\nweights {}, {} fraction bits\n\
             hash xxh3-64, words mixed by splitmix64\nwidth {}\nsign > 0\n",
            if self.features.punctuation() { "keep" } else { "drop" },
            self.weights.name(),
            self.weights.fraction_bits(),
            self.width,
        );
        self.tell_model(&mut out);
        out
    }

    /// 32 hex digits that stand for everything that can move a bit.
    pub fn digest(&self) -> String {
        format!("{:032x}", xxh3_128(self.canonical().as_bytes()))
    }

    /// Bits of a fingerprint.
    pub const fn width(&self) -> u32 {
        self.width
    }

    /// 64-bit words of a fingerprint.
    pub const fn words(&self) -> usize {
        self.width.div_ceil(64) as usize
    }

    /// How features are weighted.
    pub const fn weights(&self) -> Weights {
        self.weights
    }

    /// How features are cut from texts.
    pub const fn features(&self) -> &FeatureRule {
        &self.features
    }

    /// How features are cut.
    pub const fn window(&self) -> Window {
        self.features.window()
    }

    /// How texts are normalised.
    pub const fn normaliser(&self) -> &Normaliser {
        self.features.normaliser()
    }
}

/// Room for the work on one text after another; keep one a thread.
#[derive(Debug, Default, Clone)]
pub struct Scratch {
    /// The two forms of the text.
    pub text: Compact,
    /// Its features.
    pub features: Features,
    /// Their weights; empty where every weight is 1.
    pub weights: Vec<u32>,
    sums: Sums,
    copies: Vec<u64>,
    marks: Vec<u32>,
    tokens: cut::Tokens,
    /// What each token is known by.
    known: Vec<u64>,
    /// The hashes of a scheme whose bits are not mixed from what features are known by: word after word of all features.
    planes: Vec<u64>,
    entropy: entropy::Room,
    own: own::Room,
}

impl Scratch {
    /// What each token of the text is known by, in the order of the text; of schemes on tokens.
    pub(crate) fn known(&self) -> &[u64] {
        &self.known
    }
}

impl Scheme {
    /// Makes the normalised text of `text` in `scratch`, by which exact copies are known, and nothing else.
    ///
    /// # Errors
    /// As [`Scheme::extract`].
    pub fn normalise(&self, text: &str, scratch: &mut Scratch) -> Result<(), Refusal> {
        self.normaliser().run(text, &mut scratch.text);
        if scratch.text.compact().len() > MAX_TEXT_BYTES {
            return Err(Refusal::too_long());
        }
        Ok(())
    }

    /// Normalises `text` and takes its features and weights into `scratch`.
    ///
    /// # Errors
    /// A [`Refusal`] where the scheme cannot use the text; what is in `scratch` is then of no text.
    ///
    /// # Panics
    /// Where the scheme is not [`Scheme::ready`].
    pub fn extract(&self, text: &str, scratch: &mut Scratch) -> Result<(), Refusal> {
        if let Some(rule) = &self.tokens {
            self.normalise(text, scratch)?;
            return rule.extract(text, self.weights, self.idf.as_deref(), self.words(), scratch);
        }
        self.take_features(text, scratch)?;
        if !self.weights.needs_model() {
            if self.weights.counted() {
                self.weights.write(scratch.features.counts(), &mut scratch.weights);
            }
            return Ok(());
        }
        let idf = self.idf.as_deref().expect("a scheme is made ready before it is used");
        let (features, weights) = (&scratch.features, &mut scratch.weights);
        let mut counts = features.counts().iter();
        idf.each(features.hashes(), |idf| {
            let count = counts.next().copied().unwrap_or(1);
            weights.push(self.weights.with_idf_of(count, idf));
        });
        Ok(())
    }

    /// Normalises `text` and takes its features into `scratch`; no weights.
    ///
    /// # Errors
    /// As [`Scheme::extract`].
    pub fn take_features(&self, text: &str, scratch: &mut Scratch) -> Result<(), Refusal> {
        self.normalise(text, scratch)?;
        if let Some(rule) = &self.tokens {
            return rule.take(text, false, scratch);
        }
        scratch
            .features
            .collect(&scratch.text, self.window(), self.weights.counted(), &mut scratch.marks);
        scratch.weights.clear();
        Ok(())
    }

    /// The integer weight of a feature that occurs `count` times in a text.
    ///
    /// # Panics
    /// Where the scheme is not [`Scheme::ready`].
    pub fn weight(&self, hash: u64, count: u32) -> u32 {
        if !self.weights.needs_model() {
            return self.weights.of(count);
        }
        let idf = self.idf.as_deref().expect("a scheme is made ready before it is used");
        self.weights.with_idf_of(count, idf.of_feature(hash))
    }

    /// The fingerprint of what [`Scheme::extract`] left in `scratch`, as little-endian words; `false` where the text
    /// has no features, and so no fingerprint.
    ///
    /// # Panics
    /// Where `words` is not [`Scheme::words`] long.
    pub fn fingerprint(&self, kernel: Kernel, scratch: &mut Scratch, words: &mut [u64]) -> bool {
        self.sum(kernel, scratch);
        let least = self.tokens.as_ref().map_or(1, |rule| rule.least);
        scratch.sums.write(self.width, least, words)
    }

    /// The exact sums, lowest bit first, of what [`Scheme::extract`] left in `scratch`: their sizes are the margins.
    pub fn sums(&self, kernel: Kernel, scratch: &mut Scratch) -> Vec<i64> {
        self.sum(kernel, scratch);
        (0..self.width as usize).map(|bit| scratch.sums.sum(bit)).collect()
    }

    fn sum(&self, kernel: Kernel, scratch: &mut Scratch) {
        let hashes = scratch.features.hashes();
        if self
            .tokens
            .as_ref()
            .is_some_and(|rule| rule.hash != token_hash::TokenHash::Xxh3)
        {
            let rows = scratch.entropy.rows();
            let (rows, weights) = if rows > 0 {
                (rows, &scratch.entropy.row_weights)
            } else {
                (hashes.len(), &scratch.weights)
            };
            scratch.sums.planes(kernel, &scratch.planes, rows, weights, self.width);
        } else if self.weights.counted() {
            scratch
                .sums
                .weighted(kernel, hashes, &scratch.weights, self.weights.of(1), self.width);
        } else {
            scratch.sums.once(kernel, hashes, self.width);
        }
    }
}

impl Parts {
    fn set(&mut self, spec: &str, option: &str) -> Result<&'static str> {
        let refuse = |what: &str, allowed: &str| {
            Error::Config(format!(
                "scheme {spec:?}: {what} in {option:?} is not allowed; {allowed}"
            ))
        };
        let (key, value) = option
            .split_once('=')
            .ok_or_else(|| refuse("a missing value", "options are key=value"))?;
        match key {
            "units" | "n" => {
                let size = value
                    .parse()
                    .ok()
                    .filter(|size| (1..=WINDOW_LIMIT).contains(size))
                    .ok_or_else(|| refuse("the size", &format!("it is a whole number from 1 to {WINDOW_LIMIT}")))?;
                if key == "n" {
                    self.window = Window::Chars(size);
                    Ok("n")
                } else {
                    self.window = Window::Units(size);
                    Ok("units")
                }
            }
            "weights" => {
                let rule = Weights::ALL.iter().find(|(name, _)| *name == value);
                self.weights = rule
                    .ok_or_else(|| refuse("the rule", "there are once, tf, log, idf, log-idf"))?
                    .1;
                Ok("weights")
            }
            "model" if value.is_empty() => Err(refuse(
                "the model",
                "give the file that `simsieve fit` wrote, or a digest",
            )),
            "model" => {
                self.model = Some(value.to_owned());
                Ok("model")
            }
            "punctuation" => {
                self.punctuation = match value {
                    "drop" => false,
                    "keep" => true,
                    _ => return Err(refuse("the choice", "there are drop and keep")),
                };
                Ok("punctuation")
            }
            _ => Err(refuse("the option", &format!("there are {OPTIONS}"))),
        }
    }
}

/// Whether a model is named by its digest.
fn is_digest(name: &str) -> bool {
    name.len() == 32 && name.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scheme_of_the_table_can_be_made() {
        for row in TABLE {
            assert_eq!(Scheme::parse(row.name).unwrap().spec(), row.name);
        }
        assert!(TABLE.iter().any(|row| row.name == DEFAULT));
    }

    #[test]
    fn spellings_of_one_scheme_have_one_digest() {
        let digest = |spec| Scheme::parse(spec).unwrap().digest();
        assert_eq!(digest("chars64:n=3,weights=log"), digest("chars64:weights=log,n=3"));
        assert_eq!(digest("chars64"), digest("chars64:units=6,punctuation=drop"));
        let different = [
            "chars64",
            "chars128",
            "chars64:n=6",
            "chars64:units=5",
            "chars64:weights=tf",
            "chars64:punctuation=keep",
        ];
        let mut digests: Vec<_> = different.map(digest).into();
        digests.sort();
        digests.dedup();
        assert_eq!(digests.len(), different.len());
    }

    #[test]
    fn bad_schemes_say_what_there_is() {
        for (spec, part) in [
            ("chars65", "there are chars64, chars128, chars256, words64"),
            ("chars64:n=0", "from 1 to 64"),
            ("chars64:weights=bm25", "once, tf, log, idf, log-idf"),
            ("chars64:colour=red", "units=6 | n=characters"),
            ("chars64:n", "key=value"),
            ("chars64:n=3,units=4", "its other form"),
            ("chars64:punctuation=maybe", "drop and keep"),
        ] {
            let message = Scheme::parse(spec).unwrap_err().to_string();
            assert!(
                message.contains(part) && message.contains(spec.split(':').next().unwrap()),
                "{message}"
            );
        }
    }
}
