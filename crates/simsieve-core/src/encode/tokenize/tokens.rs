//! The tokens of one text, and room for finding them.

use crate::base::hash::Place;
use crate::base::hash::batch::hash_places;
use crate::base::kernel::Kernel;
use crate::encode::hash::MOST_WORDS;
use crate::text::Compact;
use crate::text::normalise::ascii::Joined;
use crate::text::segment;

/// The tokens of one text, and room for finding them.
#[derive(Debug, Default, Clone)]
pub struct Tokens {
    pub(super) text: String,
    pub(super) spans: Vec<Place>,
    /// The XXH3-64 of each token, by which its feature is known.
    pub(crate) known: Vec<u64>,
    /// The line of every token, where lines are documents.
    pub(crate) lines: Vec<u32>,
    /// The weight of every token, of keywords.
    pub(crate) weights: Vec<f64>,
    /// The factor of every token's part of speech, where those weigh; of several words in a row the mean.
    pub(crate) factors: Vec<f64>,
    /// The depth of the element of every token, of the elements of a page.
    pub(crate) depths: Vec<u32>,
    /// What the user's function gave with each token: a hash, a weight.
    pub(crate) given: Vec<([u64; MOST_WORDS], f64)>,
    pub(super) segment: segment::CutScratch,
    pub(super) line: Compact,
    pub(super) joined: Joined,
}

impl Tokens {
    /// The tokens in the order of the text; keywords the heaviest first.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.spans.iter().map(|&(begin, end)| &self.text[begin..end])
    }

    /// Each token with the hash that it is known by.
    pub(crate) fn known_tokens(&self) -> impl Iterator<Item = (&str, u64)> {
        self.iter().zip(self.known.iter().copied())
    }

    /// Makes the XXH3-64 of each token.
    pub(crate) fn hash(&mut self) {
        hash_places(Kernel::active(), self.text.as_bytes(), &self.spans, &mut self.known);
    }

    /// Forgets the last text.
    pub(crate) fn begin(&mut self) {
        self.text.clear();
        self.spans.clear();
        self.lines.clear();
        self.weights.clear();
        self.factors.clear();
        self.depths.clear();
        self.given.clear();
    }

    /// Takes every `n` characters in a row; a text of fewer is one token.
    pub(crate) fn take_characters(&mut self, text: &str, n: usize) {
        self.text.push_str(text);
        let begins: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        if begins.len() > n {
            self.spans
                .extend(begins.windows(n + 1).map(|window| (window[0], window[n])));
        } else if !text.is_empty() {
            self.spans.push((0, text.len()));
        }
    }

    /// Makes tokens of `n` tokens in a row, with a space between.
    pub(crate) fn join(&mut self, n: usize) {
        if n > 1 && !self.spans.is_empty() {
            let n = n.min(self.spans.len());
            let left = self.spans.len() - n + 1;
            for at in 0..left {
                self.spans[at].1 = self.spans[at + n - 1].1;
            }
            self.spans.truncate(left);
            if !self.factors.is_empty() {
                let means = self.factors.windows(n).map(|row| row.iter().sum::<f64>() / n as f64);
                self.factors = means.collect();
            }
        }
    }

    pub(crate) fn add(&mut self, token: &str) {
        if !self.text.is_empty() {
            self.text.push(' ');
        }
        self.spans.push((self.text.len(), self.text.len() + token.len()));
        self.text.push_str(token);
    }
}
