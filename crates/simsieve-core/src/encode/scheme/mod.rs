//! Schemes: how a text becomes features, weights and a fingerprint, under one name and one digest.
//!
//! A scheme is written `name` or `name:option=value,option=value`: `chars128`, `chars64:n=3,weights=log`. Its digest
//! covers everything that can move a bit; fingerprints of different digests are not comparable.

pub mod custom;
mod cut;
mod elements;
mod entropy;
mod extracted;
pub mod feature_rule;
mod given;
mod hash_cache;
mod known;
mod model_compat;
mod models;
mod names;
mod pos_weights;
mod sample_text;
mod structure;
mod token_filter;
mod token_hash;
mod token_options;
mod tokens;
mod unspaced_scripts;
mod weighted_minhash;
mod windows;
pub mod words;
#[cfg(test)]
mod words_tests;

use std::fmt::Write as _;
use std::sync::Arc;

use crate::base::error::Result;
use crate::base::hash::xxh3_128;
use crate::base::kernel::Kernel;
use crate::encode::fingerprint::Sums;
use crate::encode::model::Idf;
use crate::encode::tokenize::windows::{Features, Window};
use crate::encode::weight::Weights;
use crate::text::FieldKind;
use crate::text::MAX_TEXT_BYTES;
use crate::text::html;
use crate::text::{Compact, NORMALISER, Normaliser, UNICODE_VERSION};

pub use crate::encode::unusable_text::UnusableText;
pub(crate) use crate::encode::unusable_text::first_unusable;
pub use feature_rule::FeatureRule;
pub use known::{DEFAULT, Described, TABLE};
pub use token_hash::TokenHash;

/// One scheme, checked and ready.
#[derive(Debug, Clone)]
pub struct Scheme {
    width: u32,
    features: FeatureRule,
    weights: Weights,
    /// What a scheme has whose features are no windows; equal texts are then still those that `features` makes equal.
    tokens: Option<tokens::TokenRule>,
    /// What a record's text is taken for.
    reading: Reading,
    /// The model that the spec names by its digest.
    wanted: Option<String>,
    /// The model that is used; none where the weights take none, or while it is missing.
    idf: Option<Arc<Idf>>,
}

/// What a record's text is taken for.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Reading {
    /// A text, whose features are counted.
    Text,
    /// A page, the features of whose text are counted.
    Extracted(extracted::Extract),
    /// A page, whose elements are the features.
    Structure(html::Options),
    /// A fingerprint that the user brings.
    Given(given::Given),
}

impl Scheme {
    /// Reads a scheme as the user writes it.
    ///
    /// ```
    /// use simsieve_core::encode::scheme::Scheme;
    /// let scheme = Scheme::parse("chars64:weights=log,n=3").unwrap();
    /// assert_eq!((scheme.width(), scheme.spec().as_str()), (64, "chars64:n=3,weights=log"));
    /// ```
    ///
    /// # Errors
    /// [`Error::Config`] that says what is unknown and what there is.
    pub fn parse(spec: &str) -> Result<Self> {
        let (spec, extract) = extracted::without_extract(spec)?;
        Self::parse_reading(&spec).and_then(|scheme| scheme.on_pages(extract))
    }

    /// Reads a scheme whose texts are taken as they are.
    fn parse_reading(spec: &str) -> Result<Self> {
        let other = Self::parse_tokens(spec).or_else(|| Self::parse_given(spec));
        if let Some(scheme) = other.or_else(|| Self::parse_structure(spec)) {
            return scheme;
        }
        Self::parse_windows(spec)
    }

    /// The scheme in its shortest spelling, options in a fixed order.
    pub fn spec(&self) -> String {
        let (name, mut options) = match (&self.reading, &self.tokens) {
            (Reading::Given(given), _) => (format!("external{}", self.width), given.options()),
            (Reading::Structure(rule), _) => (format!("dom{}", self.width), structure::options(rule)),
            (_, Some(rule)) => {
                let mut options = rule.options(self.weights);
                options.extend(self.model_digest().map(|digest| format!("model={digest}")));
                (rule.title(self.width), options)
            }
            (_, None) => (format!("chars{}", self.width), self.window_options()),
        };
        let own = self.tokens.as_ref().is_some_and(|rule| rule.custom_rule().is_some());
        if let (Reading::Extracted(extract), false) = (self.reading, own) {
            options.push(format!("extract={}", extract.name()));
        }
        let colon = if options.is_empty() { "" } else { ":" };
        format!("{name}{colon}{}", options.join(","))
    }

    /// All that can move a bit, in words: what [`Scheme::digest`] is made of.
    pub fn canonical(&self) -> String {
        let mut out = String::from("simsieve scheme 1\n");
        match &self.reading {
            Reading::Given(given) => return out + &given.canonical(),
            Reading::Structure(rule) => return rule.canonical(self.width),
            Reading::Extracted(extract) => out.push_str(&extract.canonical()),
            Reading::Text => {}
        }
        if let Some(rule) = &self.tokens {
            let sign = match rule.least {
                0 => ">= 0".to_owned(),
                least => format!("> {}", least - 1),
            };
            let _ = write!(
                out,
                "{}width {}\nsign {sign}\n",
                rule.canonical(self.weights, self.width),
                self.width
            );
            self.tell_model(&mut out);
            return out;
        }
        let fold = self.features.fold();
        let fold = fold.map_or_else(String::new, |fold| fold.canonical() + "\n");
        let window = match self.features.window() {
            Window::Units(size) => format!("units {size}"),
            Window::Chars(size) => format!("characters {size}"),
        };
        let _ = write!(
            out,
            "normaliser {NORMALISER}\nunicode {UNICODE_VERSION}\n{fold}punctuation {}\nwindow {window}\nweights {}, {} fraction bits\n\
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

    /// What a record's text field may hold besides a text.
    pub const fn takes(&self) -> FieldKind {
        match self.reading {
            Reading::Given(given) => given.takes(),
            _ => FieldKind::Texts,
        }
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
    /// By which power of two the weights of a page were divided; 0 of texts.
    pub(crate) shift: u32,
    sums: Sums,
    copies: Vec<u64>,
    marks: Vec<u32>,
    tokens: cut::Tokens,
    /// What each token is known by.
    known: Vec<u64>,
    /// The hashes of a scheme whose bits are not mixed from what features are known by: word after word of all features.
    planes: Vec<u64>,
    entropy: entropy::Room,
    memo: hash_cache::HashCache,
    own: custom::Room,
    /// The fingerprint that was given.
    given: [u64; 4],
    /// Room for pages; the last one's structure.
    page: html::Scratch,
    /// What was extracted of the last page.
    extracted: String,
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
    pub fn normalise(&self, text: &str, scratch: &mut Scratch) -> Result<(), UnusableText> {
        self.with_extracted(text, scratch, |text, scratch| self.normalise_extracted(text, scratch))
    }

    fn normalise_extracted(&self, text: &str, scratch: &mut Scratch) -> Result<(), UnusableText> {
        if let Reading::Given(given) = &self.reading {
            scratch.given = given.read(text)?;
            self.normaliser().run(&given.uniform(&scratch.given), &mut scratch.text);
            return Ok(());
        }
        self.normaliser().run(text, &mut scratch.text);
        if scratch.text.compact().len() > MAX_TEXT_BYTES {
            return Err(UnusableText::too_long());
        }
        Ok(())
    }

    /// Normalises `text` and takes its features and weights into `scratch`.
    ///
    /// # Errors
    /// A [`UnusableText`] where the scheme cannot use the text; what is in `scratch` is then of no text.
    ///
    /// # Panics
    /// Where the scheme is not [`Scheme::ready`].
    pub fn extract(&self, text: &str, scratch: &mut Scratch) -> Result<(), UnusableText> {
        match (&self.reading, &self.tokens) {
            (Reading::Given(_), _) => {
                scratch.features.collect_hashes(&[], false);
                scratch.weights.clear();
                return self.normalise(text, scratch);
            }
            (Reading::Structure(rule), _) => return self.extract_structure(rule, text, scratch),
            (_, Some(rule)) => {
                return self.with_extracted(text, scratch, |text, scratch| {
                    self.normalise_extracted(text, scratch)?;
                    rule.extract(text, self.weights, self.idf.as_deref(), self.words(), scratch)
                });
            }
            (_, None) => self.take_features(text, scratch)?,
        }
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
    pub fn take_features(&self, text: &str, scratch: &mut Scratch) -> Result<(), UnusableText> {
        if let Some(rule) = &self.tokens {
            return self.with_extracted(text, scratch, |text, scratch| {
                self.normalise_extracted(text, scratch)?;
                rule.take_counted(text, scratch)
            });
        }
        self.normalise(text, scratch)?;
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
        if let Reading::Given(_) = self.reading {
            words.copy_from_slice(&scratch.given[..self.words()]);
            return true;
        }
        if let Reading::Structure(_) = self.reading {
            // The whole weights, which may be beyond 32 bits, and not those that similarity is told by.
            words.fill(0);
            for (bit, sum) in self.sums(kernel, scratch).into_iter().enumerate() {
                words[bit / 64] |= u64::from(sum > 0) << (bit % 64);
            }
            return !scratch.page.features().is_empty();
        }
        self.sum(kernel, scratch);
        let least = self.tokens.as_ref().map_or(1, |rule| rule.least);
        scratch.sums.write(self.width, least, words)
    }

    /// The exact sums, lowest bit first, of what [`Scheme::extract`] left in `scratch`: their sizes are the margins.
    pub fn sums(&self, kernel: Kernel, scratch: &mut Scratch) -> Vec<i64> {
        if let Reading::Structure(_) = self.reading {
            return html::dom_sums(scratch.page.features(), self.width);
        }
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
            "chars64:fold=t2s",
            "chars64:fold=tw2sp",
            "words64:fold=t2s",
            "words64:fold=tw2sp",
            "keywords64:fold=t2s",
            "lines_tfidf64:fold=t2s",
        ];
        let mut digests: Vec<_> = different.map(digest).into();
        digests.sort();
        digests.dedup();
        assert_eq!(digests.len(), different.len());
    }

    #[test]
    fn bad_schemes_say_what_there_is() {
        for (spec, part) in [
            ("shingles", "there are chars64, chars128, chars256, words64"),
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
