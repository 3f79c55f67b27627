//! Models of document frequencies: in how many documents of a collection each feature occurs.
//!
//! A model belongs to the features of a scheme (normaliser, punctuation, window, hash) and serves every width and every
//! rule of weights. It is bounded: a feature is identified by the top `bits` bits of its hash. `bits` starts at 64 and
//! is lowered whenever there would be more prefixes than `limit`. A prefix counts each document once for each of the
//! document's features with this prefix. So a model is a pure function of the documents, in any order, and `bits` is
//! the largest number with which they fit. Two merged models are the model of both collections. Models of words can
//! count neighbours too, bounded in the same way (`neighbours`).

pub(crate) mod feature_rule;
mod file;
mod lookup;
#[cfg(test)]
mod neighbour_tests;
pub(crate) mod neighbours;
#[cfg(test)]
mod tests;

use std::fmt;

use rayon::prelude::*;

use crate::base::error::{Error, Result};
use crate::base::hash::{mask, xxh3_64};
use crate::encode::tokenize::windows::windows;
use crate::text::Compact;

pub use feature_rule::FeatureRule;
pub use lookup::Idf;
pub use neighbours::Side;
use neighbours::{Neighbours, PAIRS_A_FEATURE};

/// Default limit of prefixes: 64 MiB.
pub const DEFAULT_LIMIT: usize = 1 << 22;
/// The greatest limit: 1 GiB.
pub const MOST_LIMIT: usize = 1 << 26;
/// The bits of a hash.
const WHOLE: u32 = 64;

/// How many documents of a collection have each feature.
#[derive(Clone, PartialEq, Eq)]
pub struct Model {
    rule: FeatureRule,
    bits: u32,
    limit: usize,
    documents: u64,
    /// (prefix, count) in ascending order; a prefix is in the upper `bits` bits, zeros below.
    entries: Vec<(u64, u64)>,
    /// If the rule counts them.
    neighbours: Option<Neighbours>,
    digest: u128,
}

impl Model {
    fn new(
        rule: FeatureRule,
        (bits, entries): (u32, Vec<(u64, u64)>),
        limit: usize,
        documents: u64,
        neighbours: Option<Neighbours>,
    ) -> Self {
        let mut model = Self {
            rule,
            bits,
            limit,
            documents,
            entries,
            neighbours,
            digest: 0,
        };
        model.digest = model.content_digest();
        model
    }

    /// The features it counts.
    pub const fn rule(&self) -> &FeatureRule {
        &self.rule
    }

    /// Bits of a feature's hash that identify it, 0 to 64.
    pub const fn bits(&self) -> u32 {
        self.bits
    }

    /// The most prefixes it keeps.
    pub const fn limit(&self) -> usize {
        self.limit
    }

    /// Documents with at least one feature.
    pub const fn documents(&self) -> u64 {
        self.documents
    }

    /// Distinct features, or prefixes where they are fewer.
    pub fn features(&self) -> usize {
        self.entries.len()
    }

    /// 32 hex digits that identify the model's content.
    pub fn digest(&self) -> String {
        format!("{:032x}", self.digest)
    }

    /// How many documents have the feature: exact while [`Model::bits`] is 64. With fewer bits it is an upper bound,
    /// because features of one prefix are counted together.
    pub fn frequency(&self, hash: u64) -> u64 {
        let prefix = hash & mask(self.bits);
        let found = self.entries.binary_search_by_key(&prefix, |entry| entry.0);
        found.map_or(0, |at| self.entries[at].1.min(self.documents))
    }

    /// The entropies, in bits, of a word's left and right neighbours; 0 without any. `None` if the model counts no
    /// neighbours.
    pub fn entropies(&self, word: &str) -> Option<(f64, f64)> {
        let (neighbours, hash) = (self.neighbours.as_ref()?, xxh3_64(word.as_bytes()));
        Some((
            neighbours.entropy(hash, Side::Left),
            neighbours.entropy(hash, Side::Right),
        ))
    }

    /// Bits that identify a pair of neighbours, 0 to 96. 65 bits distinguish words; 96 also their neighbours, by 31
    /// bits of their hash. With fewer bits neighbours count together, and entropies are lower.
    pub fn neighbour_bits(&self) -> Option<u32> {
        self.neighbours.as_ref().map(Neighbours::bits)
    }

    /// [`Model::frequency`] of a feature given as text: a window is normalised by its scheme, a token is not.
    ///
    /// # Errors
    /// [`Error::Config`] if the text has no feature, or more than one.
    pub fn frequency_of(&self, feature: &str) -> Result<u64> {
        if !self.rule.has_windows() {
            return Ok(self.frequency(xxh3_64(feature.as_bytes())));
        }
        let mut text = Compact::default();
        self.rule.normaliser().run(feature, &mut text);
        let mut hashes = Vec::new();
        windows(&text, self.rule.window(), &mut Vec::new(), |bytes| {
            hashes.push(xxh3_64(bytes));
        });
        match hashes[..] {
            [hash] => Ok(self.frequency(hash)),
            _ => Err(Error::Config(msg!(
                "{feature:?} has {count} features, not one; a feature is a window of {spec}",
                count = hashes.len(),
                spec = self.rule.spec()
            ))),
        }
    }

    /// The model of both collections, under the smaller of the two limits.
    ///
    /// # Errors
    /// [`Error::Config`] if the two models count different features.
    pub fn merge(&self, other: &Self) -> Result<Self> {
        if self.rule != other.rule {
            return Err(Error::Config(msg!(
                "a model of {words} cannot be merged with one of {words_2}; fit both with one scheme",
                words = self.rule.words(),
                words_2 = other.rule.words()
            )));
        }
        let bits = self.bits.min(other.bits);
        let documents = self.documents.saturating_add(other.documents);
        let entries = merged(&folded(&self.entries, bits), &folded(&other.entries, bits));
        let limit = self.limit.min(other.limit);
        let neighbours = self.neighbours.as_ref().zip(other.neighbours.as_ref());
        let neighbours = neighbours.map(|(own, other)| own.merge(other, limit * PAIRS_A_FEATURE));
        let entries = within(bits, limit, entries);
        Ok(Self::new(self.rule.clone(), entries, limit, documents, neighbours))
    }
}

impl fmt::Debug for Model {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Millions of entries are useless in debug output.
        out.debug_struct("Model")
            .field("rule", &self.rule.spec())
            .field("bits", &self.bits)
            .field("documents", &self.documents)
            .field("features", &self.entries.len())
            .field("digest", &self.digest())
            .finish_non_exhaustive()
    }
}

/// A model under construction.
#[derive(Debug)]
pub struct Counter {
    rule: FeatureRule,
    bits: u32,
    limit: usize,
    documents: u64,
    entries: Vec<(u64, u64)>,
    /// Features of documents that are not yet in the entries.
    pending: Vec<u64>,
    neighbours: Option<Neighbours>,
    pending_pairs: Vec<u128>,
}

/// Least number of pending features that are sorted and merged at once; fewer would make merging dominate.
const LEAST_PENDING: usize = 1 << 21;

impl Counter {
    /// An empty model of these features that will keep at most `limit` prefixes.
    ///
    /// # Errors
    /// [`Error::Config`] for a limit outside 1 to [`MOST_LIMIT`].
    pub fn new(rule: FeatureRule, limit: usize) -> Result<Self> {
        if !(1..=MOST_LIMIT).contains(&limit) {
            return Err(Error::Config(msg!(
                "{@max_features} {limit} is not allowed; allowed: 1 to {most_limit}",
                most_limit = MOST_LIMIT
            )));
        }
        Ok(Self {
            neighbours: rule.has_neighbours().then(Neighbours::new),
            rule,
            bits: WHOLE,
            limit,
            documents: 0,
            entries: Vec::new(),
            pending: Vec::new(),
            pending_pairs: Vec::new(),
        })
    }

    /// Adds `documents` documents; `hashes` are the distinct features of each, concatenated in any order.
    ///
    /// Complexity: a sort of the hashes, and at times a walk over all entries.
    pub fn add(&mut self, documents: u64, hashes: &[u64]) {
        self.add_with_pairs(documents, hashes, &[]);
    }

    /// As [`Counter::add`], with the pairs of neighbours of the documents.
    pub(crate) fn add_with_pairs(&mut self, documents: u64, hashes: &[u64], pairs: &[u128]) {
        self.documents += documents;
        self.pending.extend_from_slice(hashes);
        self.pending_pairs.extend_from_slice(pairs);
        if let Some(neighbours) = &mut self.neighbours
            && self.pending_pairs.len() >= LEAST_PENDING.max(self.limit / 2)
        {
            neighbours.add(&mut self.pending_pairs, self.limit * PAIRS_A_FEATURE);
        }
        if self.pending.len() >= LEAST_PENDING.max(self.limit / 2) {
            self.flush();
        }
    }

    /// The model of the added documents.
    pub fn finish(mut self) -> Model {
        self.flush();
        if let Some(neighbours) = &mut self.neighbours {
            neighbours.add(&mut self.pending_pairs, self.limit * PAIRS_A_FEATURE);
        }
        let entries = (self.bits, self.entries);
        Model::new(self.rule, entries, self.limit, self.documents, self.neighbours)
    }

    fn flush(&mut self) {
        self.pending.par_sort_unstable();
        let entries = merged(&self.entries, &counted(&self.pending, self.bits));
        self.pending.clear();
        (self.bits, self.entries) = within(self.bits, self.limit, entries);
    }
}

/// Entries of sorted features.
fn counted(hashes: &[u64], bits: u32) -> Vec<(u64, u64)> {
    let mask = mask(bits);
    let equal = |a: &u64, b: &u64| a & mask == b & mask;
    hashes
        .chunk_by(equal)
        .map(|run| (run[0] & mask, run.len() as u64))
        .collect()
}

/// Entries of shorter prefixes; the counts of merged entries are added.
fn folded(entries: &[(u64, u64)], bits: u32) -> Vec<(u64, u64)> {
    let mask = mask(bits);
    let equal = |a: &(u64, u64), b: &(u64, u64)| a.0 & mask == b.0 & mask;
    let sum = |run: &[(u64, u64)]| run.iter().fold(0_u64, |sum, entry| sum.saturating_add(entry.1));
    entries.chunk_by(equal).map(|run| (run[0].0 & mask, sum(run))).collect()
}

/// Two lists of entries as one.
fn merged(a: &[(u64, u64)], b: &[(u64, u64)]) -> Vec<(u64, u64)> {
    if a.is_empty() || b.is_empty() {
        return [a, b].concat();
    }
    let mut out = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        let (x, y) = (a[i], b[j]);
        out.push(match x.0.cmp(&y.0) {
            std::cmp::Ordering::Less => x,
            std::cmp::Ordering::Greater => y,
            std::cmp::Ordering::Equal => (x.0, x.1.saturating_add(y.1)),
        });
        i += usize::from(x.0 <= y.0);
        j += usize::from(y.0 <= x.0);
    }
    out.extend_from_slice(&a[i..]);
    out.extend_from_slice(&b[j..]);
    out
}

/// The entries under the most bits, at most `bits`, that respect the limit.
fn within(bits: u32, limit: usize, entries: Vec<(u64, u64)>) -> (u32, Vec<(u64, u64)>) {
    if entries.len() <= limit {
        return (bits, entries);
    }
    // Two neighbours that share their first n bits are one entry under n bits and fewer.
    let mut shared = [0_usize; WHOLE as usize];
    for pair in entries.windows(2) {
        shared[(pair[0].0 ^ pair[1].0).leading_zeros() as usize] += 1;
    }
    // Under n bits there are 1 + (pairs that share fewer than n) entries.
    let (mut fewer, mut n) = (0, 0);
    while n < bits && 1 + fewer + shared[n as usize] <= limit {
        fewer += shared[n as usize];
        n += 1;
    }
    let entries = folded(&entries, n);
    (n, entries)
}
