//! What a scheme that has all it needs makes of a text: weighted features, sums, a fingerprint.

use super::scheme::{Label, Scheme};
use super::scratch::Scratch;
use crate::base::error::Result;
use crate::base::kernel::Kernel;
use crate::encode::hash::{MOST_WORDS, TokenHash};
use crate::encode::input::html_elements;
use crate::encode::tokenize::Tokenizer;
use crate::encode::unusable_text::UnusableText;
use crate::encode::weight::entropy::Hashes;
use crate::encode::weight::{Weighting, custom, depth, lines, pos};
use crate::text::html;

impl Scheme {
    /// Normalises `text` and takes its features and weights into `scratch`.
    ///
    /// # Errors
    /// An [`UnusableText`] where the scheme cannot use the text; what is in `scratch` is then of no text.
    pub fn extract(&self, text: &str, scratch: &mut Scratch) -> Result<(), UnusableText> {
        match &self.tokenizer {
            Tokenizer::Windows(rule) => {
                self.normalise(text, scratch)?;
                self.take_windows(rule, scratch);
                if let Weighting::Rule(rule) = &self.weighting {
                    rule.weigh(&scratch.features, &mut scratch.weights);
                }
                Ok(())
            }
            Tokenizer::Elements(rule) => {
                self.normalise(text, scratch)?;
                let Scratch {
                    page,
                    tokens,
                    features,
                    weights,
                    ..
                } = scratch;
                let counted = self.weights().counted();
                scratch.shift = html_elements::take(text, rule, counted, page, tokens, features, weights)?;
                Ok(())
            }
            Tokenizer::Nothing => {
                scratch.features.collect_hashes(&[], false);
                scratch.weights.clear();
                self.normalise(text, scratch)
            }
            tokenizer => self.with_extracted(text, scratch, |text, scratch| {
                self.normalise_extracted(text, scratch)?;
                let Scratch {
                    tokens,
                    page,
                    text: normalised,
                    ..
                } = scratch;
                let idf = match &self.weighting {
                    Weighting::Keywords(idf) => idf.as_deref(),
                    _ => None,
                };
                tokenizer.take(tokens, (text, normalised), self.hash, idf, page)?;
                Self::collect(scratch, self.weights().counted());
                self.weigh(scratch)?;
                self.write_planes(scratch)
            }),
        }
    }

    /// Weighs the tokens in `scratch`.
    fn weigh(&self, scratch: &mut Scratch) -> Result<(), UnusableText> {
        let Scratch {
            tokens,
            features,
            weights: out,
            hashes,
            ..
        } = scratch;
        match &self.weighting {
            Weighting::Rule(rule) => rule.weigh(features, out),
            Weighting::Pos(rule) => {
                let idf = rule.model().map(|idf| &**idf);
                pos::weigh(rule.weights(), idf, tokens, features, out)?;
            }
            Weighting::Entropy(rule, idf) if self.custom_rule().is_none() => {
                let hashes = Hashes {
                    hash: self.hash,
                    words: self.words(),
                    cache: &mut hashes.cache,
                    planes: &mut hashes.planes,
                    rows: &mut hashes.rows,
                };
                rule.apply(idf, tokens, features, hashes, out);
            }
            Weighting::Entropy(rule, idf) => {
                rule.weigh(idf, tokens.known.len(), features, &mut hashes.rows, out);
            }
            Weighting::Lines => {
                let by_factors = self.tokenizer.words().is_some_and(|words| words.tags().weigh());
                lines::weigh(tokens, features, by_factors, out);
            }
            Weighting::Keywords(_) => out.extend(tokens.weights.iter().map(|weight| lines::tf_idf(*weight))),
            Weighting::Depth(rule) => scratch.shift = depth::weigh(*rule, tokens, features, out),
            Weighting::Custom(rule, _) => custom::weigh(rule, tokens, features, out)?,
            Weighting::Nothing => {}
        }
        Ok(())
    }

    /// Writes the hashes of the features, word after word, where they are not mixed from what features are known by.
    fn write_planes(&self, scratch: &mut Scratch) -> Result<(), UnusableText> {
        let (n, words) = (scratch.features.len(), self.words());
        let Scratch {
            tokens,
            features,
            hashes,
            ..
        } = scratch;
        if let Label::Custom(rule) = &self.label {
            custom::hashes(rule, self.hash, tokens, features, &mut hashes.brought)?;
        } else {
            hashes.brought.clear();
        }
        // Words in several places have rows of their own, which are written already.
        if self.hash == TokenHash::Xxh3
            || matches!(
                (&self.weighting, &self.label),
                (Weighting::Entropy(..), Label::BuiltIn(_))
            )
        {
            return Ok(());
        }
        hashes.planes.clear();
        hashes.planes.resize(words * n, 0);
        let mut put = |place: usize, bits: [u64; MOST_WORDS]| {
            for (k, word) in bits[..words].iter().enumerate() {
                hashes.planes[k * n + place] = *word;
            }
        };
        if matches!(self.hash, TokenHash::Called | TokenHash::Given) {
            for (place, bits) in hashes.brought.iter().enumerate() {
                put(place, *bits);
            }
        } else {
            let tokens = tokens.known_tokens().map(|(token, known)| ((token, known), known));
            for (place, (token, known)) in features.firsts(tokens).enumerate() {
                put(place, hashes.cache.hash(self.hash, token, known));
            }
        }
        Ok(())
    }

    /// The integer weight of a feature that occurs `count` times in a text.
    pub fn weight(&self, hash: u64, count: u32) -> u32 {
        let weights = self.weights();
        match self.weighting.model() {
            Some(idf) => weights.with_idf_of(count, idf.of_feature(hash)),
            None => weights.of(count),
        }
    }

    /// The fingerprint of what [`Scheme::extract`] left in `scratch`, as little-endian words; `false` where the text
    /// has no features, and so no fingerprint.
    ///
    /// # Panics
    /// Where `words` is not [`SchemeOf::words`] long.
    pub fn fingerprint(&self, kernel: Kernel, scratch: &mut Scratch, words: &mut [u64]) -> bool {
        match self.tokenizer {
            Tokenizer::Nothing => {
                words.copy_from_slice(&scratch.given[..self.words()]);
                true
            }
            Tokenizer::Elements(_) => {
                // The whole weights, which may be beyond 32 bits, and not those that similarity is told by.
                words.fill(0);
                for (bit, sum) in self.sums(kernel, scratch).into_iter().enumerate() {
                    words[bit / 64] |= u64::from(sum > 0) << (bit % 64);
                }
                !scratch.page.features().is_empty()
            }
            _ => {
                self.sum(kernel, scratch);
                scratch.sums.write(self.width, self.sign.0, words)
            }
        }
    }

    /// The exact sums, lowest bit first, of what [`Scheme::extract`] left in `scratch`: their sizes are the margins.
    pub fn sums(&self, kernel: Kernel, scratch: &mut Scratch) -> Vec<i64> {
        if let Tokenizer::Elements(_) = self.tokenizer {
            return html::dom_sums(scratch.page.features(), self.width);
        }
        self.sum(kernel, scratch);
        (0..self.width as usize).map(|bit| scratch.sums.sum(bit)).collect()
    }

    fn sum(&self, kernel: Kernel, scratch: &mut Scratch) {
        let features = scratch.features.hashes();
        if self.hash != TokenHash::Xxh3 {
            let hashes = &scratch.hashes;
            let rows = hashes.rows.rows();
            let (rows, weights) = if rows > 0 {
                (rows, &hashes.rows.row_weights)
            } else {
                (features.len(), &scratch.weights)
            };
            scratch.sums.planes(kernel, &hashes.planes, rows, weights, self.width);
            return;
        }
        let weights = self.weights();
        if weights.counted() {
            scratch
                .sums
                .weighted(kernel, features, &scratch.weights, weights.of(1), self.width);
        } else {
            scratch.sums.once(kernel, features, self.width);
        }
    }

    /// The distinct tokens of the text in `scratch` with the low 64 bits of their hash, as features stand there.
    pub(crate) fn distinct_tokens(&self, scratch: &Scratch) -> Vec<(String, u64)> {
        let brought = &scratch.hashes.brought;
        let hash = |at: usize, token: &str| brought.get(at).map_or_else(|| self.hash.of(token)[0], |bits| bits[0]);
        let distinct = scratch.features.firsts(scratch.tokens.known_tokens()).enumerate();
        distinct
            .map(|(at, token)| (token.to_owned(), hash(at, token)))
            .collect()
    }

    /// The features of a page as [`Scheme::extract`] takes them, each with its text, in the order of the texts; `None` where
    /// the scheme takes no elements as the page is parsed.
    pub(crate) fn named_structure(&self, page: &str) -> Option<Result<Vec<(String, u64, u32)>>> {
        match &self.tokenizer {
            Tokenizer::Elements(rule) => Some(html_elements::named(page, rule)),
            _ => None,
        }
    }
}
