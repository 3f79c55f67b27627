//! Looks up inverse document frequencies, in a few nanoseconds each.

use std::sync::{Arc, OnceLock};

use super::Model;
use super::neighbours::Neighbours;
use crate::base::error::{Error, Result};
use crate::base::hash::index::Index;
use crate::encode::weight::idf;

/// The inverse document frequencies of a model.
#[derive(Debug, Clone)]
pub struct Idf {
    model: Arc<Model>,
    index: Index,
    /// The idf of small frequencies.
    small: Vec<f64>,
    mean_square: f64,
    median: OnceLock<f64>,
    /// The mean entropy of every word of a model that counts neighbours, by the words' first bits.
    entropies: Vec<(u64, f64)>,
    entropies_index: Index,
}

const TABLED: usize = 4096;

impl Idf {
    /// The idfs of a model.
    ///
    /// # Errors
    /// [`Error::Config`] if the model has no documents, so no weight can be computed.
    pub fn new(model: Arc<Model>) -> Result<Self> {
        if model.documents() == 0 {
            return Err(Error::Config(msg!(
                "model {digest} has 0 documents; fit it on texts that have features",
                digest = model.digest()
            )));
        }
        Ok(Self::of(model))
    }

    /// As [`Idf::new`] for a model of the same documents that it will weigh: an empty model is allowed.
    pub fn of(model: Arc<Model>) -> Self {
        let small: Vec<f64> = (0..TABLED as u64)
            .map(|frequency| idf(model.documents, frequency))
            .collect();
        let (bits, entropies) = model
            .neighbours
            .as_ref()
            .map_or_else(Default::default, Neighbours::mean_entropies);
        let mut made = Self {
            index: Index::of(&model.entries, model.bits),
            small,
            mean_square: 1.0,
            median: OnceLock::new(),
            entropies_index: Index::of(&entropies, bits),
            entropies,
            model,
        };
        made.mean_square = made.find_mean_square();
        made
    }

    /// The model.
    pub const fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// The idf of a feature; the greatest for an unknown feature.
    #[inline]
    pub fn of_feature(&self, hash: u64) -> f64 {
        self.of_frequency(self.frequency_of(hash))
    }

    /// The idf of a feature; the (upper) median of all known features for an unknown one.
    pub fn of_feature_or_median(&self, hash: u64) -> f64 {
        match self.frequency_of(hash) {
            0 => *self.median.get_or_init(|| self.find_median()),
            frequency => self.of_frequency(frequency),
        }
    }

    fn find_median(&self) -> f64 {
        let mut counts: Vec<u64> = self.model.entries.iter().map(|entry| entry.1).collect();
        if counts.is_empty() {
            return self.of_frequency(0);
        }
        // The greater the count, the less the idf.
        let at = counts.len() / 2;
        let (_, count, _) = counts.select_nth_unstable_by(at, |a, b| b.cmp(a));
        self.of_frequency(*count)
    }

    /// The model's document frequency of the feature.
    fn frequency_of(&self, hash: u64) -> u64 {
        let found = self.index.find(&self.model.entries, hash);
        found.unwrap_or(0).min(self.model.documents)
    }

    /// Calls `take` with the idf of each of `hashes`, in their order.
    pub fn each(&self, hashes: &[u64], mut take: impl FnMut(f64)) {
        self.index.each(&self.model.entries, hashes, |frequency| {
            take(self.of_frequency(frequency.unwrap_or(0)));
        });
    }

    /// Calls `take` with the document frequency of each of `hashes`, in their order.
    pub fn each_frequency(&self, hashes: &[u64], mut take: impl FnMut(u64)) {
        let documents = self.model.documents;
        self.index.each(&self.model.entries, hashes, |frequency| {
            take(frequency.unwrap_or(0).min(documents));
        });
    }

    /// Calls `take` with the mean entropy of each of `hashes`, in their order. It is half the sum of the entropies of
    /// the left and right neighbours, in bits. It is 0 for an unknown word and for one without neighbours.
    pub fn each_entropy(&self, hashes: &[u64], mut take: impl FnMut(f64)) {
        self.entropies_index
            .each(&self.entropies, hashes, |entropy| take(entropy.unwrap_or(0.0)));
    }

    #[inline]
    fn of_frequency(&self, frequency: u64) -> f64 {
        match self.small.get(frequency as usize) {
            Some(&idf) => idf,
            None => idf(self.model.documents, frequency),
        }
    }

    /// The mean of the squared idf over the features of the model's documents; 1 without features.
    pub const fn mean_square(&self) -> f64 {
        self.mean_square
    }

    fn find_mean_square(&self) -> f64 {
        let (mut squares, mut all) = (0.0, 0.0);
        for &(_, count) in &self.model.entries {
            let idf = self.of_frequency(count);
            squares += count as f64 * idf * idf;
            all += count as f64;
        }
        if all > 0.0 { squares / all } else { 1.0 }
    }
}
