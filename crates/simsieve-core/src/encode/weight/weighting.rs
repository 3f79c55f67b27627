//! How a scheme weighs features, with the model that it needs.

use std::sync::Arc;

use super::custom::CustomRule;
use super::entropy::{Cap, EntropyRule};
use super::rule::Weights;
use crate::encode::model::Idf;
use crate::encode::tokenize::windows::Features;
use crate::text::html;

/// A rule on counts, alone or with a model `M` of document frequencies.
#[derive(Debug, Clone)]
pub enum Rule<M> {
    /// Once, or a function of the count.
    Counts(Weights),
    /// The same times the inverse document frequency.
    Idf(Weights, M),
}

/// How a scheme weighs features. `M` is the model of those that need one: there, or only asked for.
#[derive(Debug, Clone)]
pub enum Weighting<M> {
    /// By counts and document frequencies.
    Rule(Rule<M>),
    /// The same, times the factors of parts of speech.
    Pos(Rule<M>),
    /// By document frequencies and the entropy of a word's neighbours.
    Entropy(EntropyRule, M),
    /// By TF-IDF, whose documents are the lines of the text.
    Lines,
    /// As the keywords weigh, by jieba's table or a model, and at most the ceiling.
    Keywords(Cap, Option<M>),
    /// By the depths of a page's elements.
    Depth(html::Weight),
    /// As a user says.
    Custom(CustomRule),
    /// There is nothing to weigh.
    Nothing,
}

impl<M> Rule<M> {
    /// The rule of a name, whose model is `model` where it needs one.
    pub(crate) fn new(weights: Weights, model: impl FnOnce() -> M) -> Self {
        if weights.needs_model() {
            Self::Idf(weights, model())
        } else {
            Self::Counts(weights)
        }
    }

    /// Its name.
    pub(crate) const fn weights(&self) -> Weights {
        match self {
            Self::Counts(weights) | Self::Idf(weights, _) => *weights,
        }
    }

    /// Its model.
    pub(crate) const fn model(&self) -> Option<&M> {
        match self {
            Self::Counts(_) => None,
            Self::Idf(_, model) => Some(model),
        }
    }

    fn map<N, E>(self, map: impl FnOnce(M) -> Result<N, E>) -> Result<Rule<N>, E> {
        Ok(match self {
            Self::Counts(weights) => Rule::Counts(weights),
            Self::Idf(weights, model) => Rule::Idf(weights, map(model)?),
        })
    }
}

impl Rule<Arc<Idf>> {
    /// Weighs the features; features that count once have no weights.
    #[inline]
    pub(crate) fn weigh(&self, features: &Features, out: &mut Vec<u32>) {
        match self {
            Self::Counts(weights) => {
                if weights.counted() {
                    weights.write(features.counts(), out);
                }
            }
            Self::Idf(weights, idf) => {
                let mut counts = features.counts().iter();
                idf.each(features.hashes(), |idf| {
                    out.push(weights.with_idf_of(counts.next().copied().unwrap_or(1), idf));
                });
            }
        }
    }
}

impl<M> Weighting<M> {
    /// The name of its rule.
    pub(crate) fn weights(&self) -> Weights {
        match self {
            Self::Rule(rule) => rule.weights(),
            Self::Pos(rule) => rule.weights().tagged().unwrap_or(rule.weights()),
            Self::Entropy(..) => Weights::Entropy,
            Self::Lines | Self::Keywords(_, None) => Weights::TfIdf,
            Self::Keywords(_, Some(_)) => Weights::TfIdfOfModel,
            Self::Depth(html::Weight::Once) | Self::Nothing => Weights::Once,
            Self::Depth(_) => Weights::Decayed,
            Self::Custom(rule) => Weights::Own(rule.fraction_bits as u8),
        }
    }

    /// The model of those that need one.
    pub(crate) const fn model(&self) -> Option<&M> {
        match self {
            Self::Rule(rule) | Self::Pos(rule) => rule.model(),
            Self::Entropy(_, model) | Self::Keywords(_, Some(model)) => Some(model),
            _ => None,
        }
    }

    /// The same with another model.
    pub(crate) fn map<N, E>(self, map: impl FnOnce(M) -> Result<N, E>) -> Result<Weighting<N>, E> {
        Ok(match self {
            Self::Rule(rule) => Weighting::Rule(rule.map(map)?),
            Self::Pos(rule) => Weighting::Pos(rule.map(map)?),
            Self::Entropy(rule, model) => Weighting::Entropy(rule, map(model)?),
            Self::Lines => Weighting::Lines,
            Self::Keywords(cap, model) => Weighting::Keywords(cap, model.map(map).transpose()?),
            Self::Depth(weight) => Weighting::Depth(weight),
            Self::Custom(rule) => Weighting::Custom(rule),
            Self::Nothing => Weighting::Nothing,
        })
    }

    /// The rule that also weighs by a model, which is `model` where it has none; `None` where there is no such rule.
    pub(crate) fn with_idf(self, model: M) -> Option<Self> {
        Some(match self {
            Self::Rule(Rule::Counts(weights)) => Self::Rule(Rule::Idf(weights.with_idf()?, model)),
            Self::Pos(Rule::Counts(weights)) => Self::Pos(Rule::Idf(weights.with_idf()?, model)),
            Self::Keywords(cap, None) => Self::Keywords(cap, Some(model)),
            same @ (Self::Rule(_) | Self::Pos(_) | Self::Entropy(..) | Self::Keywords(_, Some(_))) => same,
            Self::Lines | Self::Depth(_) | Self::Custom(..) | Self::Nothing => return None,
        })
    }
}
