//! Verification of candidates on their features.

pub mod losses;
pub(crate) mod many;
pub(crate) mod orders;

use std::collections::HashSet;

use crate::base::error::Result;
use crate::collection::relation::NO_FLOOR;
use crate::dedup::verify::losses::{Losses, NOT_MEASURED};
pub(crate) use crate::dedup::verify::orders::{AS_GIVEN, BOTH_ORDERS, Orders, REVERSED};
use crate::encode::scheme::Scratch;
use crate::encode::similarity::{
    FeatureList, FeatureOverlap, Products, contained_at_least, cosine_at_least, jaccard_at_least, overlap,
};
use crate::encode::weight::Weights;
use crate::hamming;
use crate::recipe::Threshold;
use crate::search::candidates::{Edge, Rows};
use crate::search::documents::SchemeDocuments;
use crate::search::features::{Features, LISTED_LIMIT, SourceFeatures};
use crate::source::RecordBuffer;

/// Compares rows of a run by their texts; one for each thread.
pub struct Verifier<'a> {
    documents: SchemeDocuments<'a>,
    rows: &'a Rows,
    pub(crate) features: SourceFeatures<'a>,
    /// For texts under the first scheme, where this is another.
    buffer: RecordBuffer,
    /// Whether features are windows that count once; the rows that were compared without a list of theirs, and their features.
    has_sets: bool,
    compared: HashSet<u32>,
    compared_features: usize,
    /// A pair is near if it is so in one of its two orders.
    either_order: bool,
    /// Verifiers under the other schemes that must agree.
    also: Vec<Self>,
    /// What is lost of the texts; `None` where it is neither asked for nor bounded.
    losses: Option<Losses>,
}

/// How near a pair is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Nearness {
    /// The pair is not near.
    Far,
    /// The fingerprints are within the distance; no similarity is computed.
    Within,
    /// The features have this similarity, which is at least the threshold.
    Similar(f64),
}

impl Nearness {
    /// Whether the pair is near.
    pub const fn is_near(self) -> bool {
        !matches!(self, Self::Far)
    }

    /// The similarity of a near pair, where it is computed.
    pub const fn similarity(self) -> Option<f64> {
        match self {
            Self::Similar(similarity) => Some(similarity),
            Self::Far | Self::Within => None,
        }
    }
}

/// Compares the features of the text in `scratch` with a list. Under a distance the features are not compared.
pub(crate) fn near_lists(threshold: Threshold, scratch: &Scratch, list: &FeatureList) -> Nearness {
    let similarity = match threshold {
        Threshold::Similarity(least) => cosine_at_least(scratch, list, least),
        Threshold::Jaccard(least) => jaccard_at_least(scratch, list, least),
        Threshold::Containment { least, .. } => contained_at_least(scratch, list, least),
        Threshold::Distance(_) => return Nearness::Within,
    };
    similarity.map_or(Nearness::Far, Nearness::Similar)
}

/// A near candidate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Near {
    pub(crate) edge: Edge,
    /// Its similarity if that was computed.
    pub(crate) similarity: Option<f64>,
    /// The orders in which it is near; none where a verdict alone joins it.
    pub(crate) orders: Orders,
    /// As in [`Answer`].
    pub(crate) lost: [u32; 2],
}

impl Near {
    /// A candidate with the answer of its verification; `None` if it is not near.
    pub(crate) fn of(edge: Edge, answer: Answer) -> Option<Self> {
        answer.nearness.is_near().then(|| Self::joined(edge, answer))
    }

    /// A candidate that is near whatever its verification says.
    pub(crate) fn joined(edge: Edge, answer: Answer) -> Self {
        Self {
            edge,
            similarity: answer.nearness.similarity(),
            orders: answer.orders,
            lost: answer.lost,
        }
    }
}

/// The answer of a verification.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Answer {
    /// How near the pair is.
    pub nearness: Nearness,
    /// The orders in which it is near.
    pub(crate) orders: Orders,
    /// What is lost of the first text if the second stays, and the other way round, as [`units`](losses::units) and
    /// [`has_conflict`](losses::has_conflict) tell; [`NOT_MEASURED`] where that is not known.
    pub lost: [u32; 2],
}

impl Answer {
    /// What is not near.
    pub(crate) const FAR: Self = Self::of(Nearness::Far, 0);

    /// An answer without measured losses.
    pub(crate) const fn of(nearness: Nearness, orders: Orders) -> Self {
        Self {
            nearness,
            orders,
            lost: [NOT_MEASURED; 2],
        }
    }
}

/// As [`near_lists`], by products that are known.
fn near_products(threshold: Threshold, products: Products) -> Nearness {
    let similarity = match threshold {
        Threshold::Similarity(least) => products.cosine_at_least(least),
        Threshold::Jaccard(least) => products
            .overlap()
            .map(FeatureOverlap::jaccard)
            .filter(|&it| it >= least),
        Threshold::Containment { least, .. } => products
            .overlap()
            .map(FeatureOverlap::containment)
            .filter(|&it| it >= least),
        Threshold::Distance(_) => return Nearness::Within,
    };
    similarity.map_or(Nearness::Far, Nearness::Similar)
}

/// As [`near_lists`] where the order of the two texts is open. The similarity is the share of the smaller text.
fn contained_in_either_order(threshold: Threshold, found: Option<FeatureOverlap>) -> Answer {
    let Some(found) = found else {
        return Answer::FAR;
    };
    let near = |later: u128, earlier: u128, order: Orders| {
        let share = found.shared as f64 / later as f64;
        let allowed = threshold.least_cosine_of_sizes(later as u32, earlier as u32).is_some();
        if allowed && threshold.similarity().is_some_and(|least| share >= least) {
            order
        } else {
            0
        }
    };
    let orders = near(found.a, found.b, AS_GIVEN) | near(found.b, found.a, REVERSED);
    if orders == 0 {
        return Answer::FAR;
    }
    let share = found.shared as f64 / found.a.min(found.b) as f64;
    Answer::of(Nearness::Similar(share), orders)
}

/// An answer with the orders in which it holds, where the order of the two texts is given.
fn in_orders(threshold: Threshold, nearness: Nearness) -> Answer {
    match threshold {
        _ if !nearness.is_near() => Answer::FAR,
        Threshold::Containment { .. } => Answer::of(nearness, AS_GIVEN),
        _ => Answer::of(nearness, BOTH_ORDERS),
    }
}

impl<'a> Verifier<'a> {
    /// A verifier with an empty cache.
    pub fn new(documents: SchemeDocuments<'a>, rows: &'a Rows) -> Self {
        Self {
            documents,
            rows,
            features: SourceFeatures::new(documents, rows),
            buffer: RecordBuffer::default(),
            has_sets: documents.encoding.scheme.has_windows() && documents.encoding.scheme.weights() == Weights::Once,
            compared: HashSet::new(),
            compared_features: 0,
            either_order: false,
            also: documents
                .must_agree()
                .into_iter()
                .map(|also| Verifier::new(also, rows).without_losses())
                .collect(),
            losses: Losses::bounded(documents.run),
        }
    }

    /// Forgets the features that it has; buffers stay.
    pub(crate) fn forget(&mut self) {
        self.features.forget();
        self.compared.clear();
        self.compared_features = 0;
        self.also.iter_mut().for_each(Self::forget);
    }

    /// The same verifier, which measures what is lost of every near pair.
    pub(crate) fn with_losses(mut self) -> Self {
        self.losses = self.losses.or_else(|| Losses::unbounded(self.documents.run));
        self
    }

    /// The same verifier, for which it is no matter what is lost.
    fn without_losses(mut self) -> Self {
        self.losses = None;
        self
    }

    /// The same verifier, for pairs whose order is open.
    pub(crate) fn in_either_order(mut self) -> Self {
        self.either_order = true;
        self.also = self.also.into_iter().map(Self::in_either_order).collect();
        self
    }

    /// Whether two rows are near under every scheme that must agree, the later one in the keep order first. Under a distance the bits
    /// have decided already.
    pub fn near(&mut self, row: u32, other: u32) -> Result<Answer> {
        // Bits and values that are known cost less than features, so they are tested first.
        if !self.also.iter().all(|also| also.within(row, other)) || self.are_apart(row, other) {
            return Ok(Answer::FAR);
        }
        let found = self.near_alone(row, other, self.sure_threshold(row, other))?;
        self.near_under_all(row, other, found)
    }

    /// As [`Verifier::near`] under a similarity, by the products of the rows under this scheme.
    pub(crate) fn near_by_products(&mut self, row: u32, other: u32, products: Products) -> Result<Answer> {
        let is_within = self.also.iter().all(|also| also.within(row, other));
        if !is_within || !self.sizes_allow(row, other) || self.are_apart(row, other) {
            return Ok(Answer::FAR);
        }
        let found = self.near_in_orders(products, self.sure_threshold(row, other));
        self.near_under_all(row, other, found)
    }

    /// What is found under this scheme, if the other schemes agree and no more is lost than may be.
    fn near_under_all(&mut self, row: u32, other: u32, mut found: Answer) -> Result<Answer> {
        let mean = self.documents.run.collection.relation.bounds.mean.as_ref();
        let mut each = Vec::new();
        each.extend(mean.map(|_| found.nearness.similarity()));
        for also in &mut self.also {
            if found.orders == 0 {
                break;
            }
            let answer = if also.lacks_text(row, other) {
                Answer::of(Nearness::Within, BOTH_ORDERS)
            } else {
                also.near_alone(row, other, also.documents.recipe.threshold)?
            };
            let is_free = answer.orders == 0 && mean.is_some() && also.has_no_floor();
            let answer = if is_free {
                Answer::of(Nearness::Similar(0.0), BOTH_ORDERS)
            } else {
                answer
            };
            found.orders &= answer.orders;
            each.extend(mean.map(|_| answer.nearness.similarity()));
        }
        if let Some(mean) = mean.filter(|_| found.orders != 0) {
            found.nearness = match mean.of(&each) {
                similarity if similarity >= mean.least => Nearness::Similar(similarity),
                _ => return Ok(Answer::FAR),
            };
        }
        if found.orders != 0 && !self.is_sure(row, other, found.nearness) {
            return Ok(Answer::FAR);
        }
        if found.orders != 0 && self.losses.is_some() {
            found.lost = self.lost(row, other)?;
            found.orders &= self
                .losses
                .as_mut()
                .map_or(BOTH_ORDERS, |losses| losses.allowed(found.lost));
        }
        Ok(
            if found.orders == 0 || !self.either_order && found.orders & AS_GIVEN == 0 {
                Answer::FAR
            } else {
                found
            },
        )
    }

    fn is_sure(&self, row: u32, other: u32, nearness: Nearness) -> bool {
        let [row, other] = [row, other].map(|row| self.rows.positions[row as usize]);
        let relation = &self.documents.run.collection.relation;
        relation.is_sure(row, other, nearness.similarity())
    }

    /// What is lost of the texts of two rows, as in [`Answer`]; that of the other one only where the order is open.
    pub(crate) fn lost(&mut self, row: u32, other: u32) -> Result<[u32; 2]> {
        let Some(mut losses) = self.losses.take() else {
            return Ok([NOT_MEASURED; 2]);
        };
        let lost = self
            .texts_for(&mut losses, [row, other])
            .map(|()| losses.of_texts(self.either_order));
        self.losses = Some(losses);
        lost
    }

    /// Hands over the compact texts of two rows. They are those of the first scheme, so that it is no matter which scheme is searched.
    fn texts_for(&mut self, losses: &mut Losses, rows: [u32; 2]) -> Result<()> {
        let collection = &self.documents.run.collection;
        let is_first = self.documents.at == 0;
        for (side, row) in rows.into_iter().enumerate() {
            if let Some(text) = self.features.normalised(row).filter(|_| is_first) {
                losses.take(side, row.into(), text);
            } else {
                let scheme = &collection.encodings[0].scheme;
                collection.with_usable_text(self.rows.positions[row as usize], &mut self.buffer, |text| {
                    losses.read(side, row.into(), scheme, text)
                })?;
            }
        }
        Ok(())
    }

    /// Whether values that are known keep two rows apart.
    fn are_apart(&self, row: u32, other: u32) -> bool {
        self.losses
            .as_ref()
            .is_some_and(|losses| losses.are_apart([row, other]))
    }

    /// Whether the bits of two rows are within the distance, if there is one.
    fn within(&self, row: u32, other: u32) -> bool {
        let Threshold::Distance(bits) = self.documents.recipe.threshold else {
            return true;
        };
        let [x, y] = [row, other].map(|row| self.documents.encoding.fingerprint(self.rows.positions[row as usize]));
        hamming::distance(x, y) <= bits || self.lacks_text(row, other)
    }

    /// Whether texts under this scheme may have nothing in common, where a mean decides.
    fn has_no_floor(&self) -> bool {
        self.documents
            .recipe
            .threshold
            .similarity()
            .is_some_and(|least| least <= NO_FLOOR)
    }

    /// Whether this scheme is of a field that one of two rows lacks, which is no difference.
    fn lacks_text(&self, row: u32, other: u32) -> bool {
        self.documents.encoding.scheme.is_optional() && (self.size(row) == 0 || self.size(other) == 0)
    }

    /// The threshold at which two rows are sure in each order: the share that counts in one may be less than that of the other.
    fn sure_threshold(&self, row: u32, other: u32) -> Threshold {
        let relation = &self.documents.run.collection.relation;
        match (self.documents.recipe.threshold, &relation.sure) {
            (Threshold::Containment { least, max_ratio }, Some(sure))
                if !self.is_sure(row, other, Nearness::Similar(0.0)) =>
            {
                let least = least.max(sure.similarity);
                Threshold::Containment { least, max_ratio }
            }
            (threshold, _) => threshold,
        }
    }

    /// As [`Verifier::near`] under this scheme alone, at a threshold.
    fn near_alone(&mut self, row: u32, other: u32, threshold: Threshold) -> Result<Answer> {
        if !threshold.by_similarity() {
            return Ok(Answer::of(Nearness::Within, BOTH_ORDERS));
        }
        if !self.sizes_allow(row, other) {
            return Ok(Answer::FAR);
        }
        if self.has_sets && self.is_new(other) {
            let products = self.count_shared(row, other)?;
            return Ok(self.near_in_orders(products, threshold));
        }
        let list = self.features.list(other)?;
        let held = self.features.held(row)?;
        if self.either_order && threshold.is_directed() {
            return Ok(contained_in_either_order(threshold, overlap(held, &list)));
        }
        Ok(in_orders(threshold, near_lists(threshold, held, &list)))
    }

    /// The answer by the products of a row and another one under this scheme.
    fn near_in_orders(&self, products: Products, threshold: Threshold) -> Answer {
        if self.either_order && threshold.is_directed() {
            contained_in_either_order(threshold, products.overlap())
        } else {
            in_orders(threshold, near_products(threshold, products))
        }
    }

    /// Whether rows of these sizes may be near; `true` where sizes say nothing.
    fn sizes_allow(&self, row: u32, other: u32) -> bool {
        let threshold = self.documents.recipe.threshold;
        let allowed = |later: u32, earlier: u32| {
            let least = threshold.least_cosine_of_sizes(self.size(later), self.size(earlier));
            least.is_some()
        };
        self.documents.encoding.scheme.weights() != Weights::Once
            || allowed(row, other)
            || self.either_order && allowed(other, row)
    }

    /// The similarity of two rows under this scheme, near or not, the later one in the keep order first; `None` under a distance.
    pub(crate) fn similarity(&mut self, row: u32, other: u32) -> Result<Option<f64>> {
        let list = self.features.list(other)?;
        let held = self.features.held(row)?;
        Ok(match self.documents.recipe.threshold {
            Threshold::Similarity(_) => cosine_at_least(held, &list, 0.0),
            Threshold::Jaccard(_) => jaccard_at_least(held, &list, 0.0),
            Threshold::Containment { .. } => contained_at_least(held, &list, 0.0),
            Threshold::Distance(_) => None,
        })
    }

    fn size(&self, row: u32) -> u32 {
        self.documents.encoding.sizes[self.rows.positions[row as usize] as usize]
    }

    /// Whether a row is compared for the first time since as many features were as the cache holds: most rows are not compared again so
    /// soon, and a list of their features would not be used.
    fn is_new(&mut self, row: u32) -> bool {
        if self.features.is_listed(row) {
            return false;
        }
        if self.compared_features > LISTED_LIMIT {
            (self.compared, self.compared_features) = (HashSet::new(), 0);
        }
        let is_new = self.compared.insert(row);
        self.compared_features += if is_new { self.size(row) as usize } else { 0 };
        is_new
    }

    /// What two rows share whose features are windows that count once. The number of the features of `other` is known.
    fn count_shared(&mut self, row: u32, other: u32) -> Result<Products> {
        let (shared, held) = self.features.shared(row, other)?;
        Ok(Products {
            dot: shared as u128,
            a: held.features.len() as u128,
            b: u128::from(self.size(other)),
        })
    }
}
