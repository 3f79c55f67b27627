//! Verification on texts that are read again: features are recomputed and cached.

use std::collections::HashMap;
use std::rc::Rc;

use crate::base::error::Result;
use crate::dedup::candidates::Rows;
use crate::dedup::candidates::overlap::{Profile, Profiles};
use crate::dedup::documents::SchemeDocuments;
use crate::dedup::recipe::Threshold;
use crate::encode::scheme::Scratch;
use crate::encode::similarity::{
    FeatureList, contained_at_least, cosine_at_least, features_of, jaccard_at_least, overlap,
};
use crate::encode::weight::Weights;
use crate::hamming;

/// Compares rows of a run by their texts; one for each thread.
pub struct Verifier<'a> {
    documents: SchemeDocuments<'a>,
    rows: &'a Rows,
    buffer: Vec<u8>,
    scratch: Scratch,
    /// The row whose features are in `scratch`.
    held: Option<u32>,
    spare: Scratch,
    /// Recently used lists, in two generations: if the younger is full, the older is dropped.
    lists: HashMap<u32, Rc<FeatureList>>,
    older: HashMap<u32, Rc<FeatureList>>,
    listed: usize,
    /// A pair is near if it is so in one of its two orders.
    either_order: bool,
    /// Verifiers under the other schemes that must agree.
    also: Vec<Self>,
}

/// The similarity of the text in `scratch` and of another's features if they are near; else `None`. Under a distance there is none.
#[expect(
    clippy::option_option,
    reason = "near or not; and where it is, measured or not: as `Verifier::near`"
)]
pub(crate) fn near_lists(threshold: Threshold, scratch: &Scratch, list: &FeatureList) -> Option<Option<f64>> {
    match threshold {
        Threshold::Similarity(least) => cosine_at_least(scratch, list, least).map(Some),
        Threshold::Jaccard(least) => jaccard_at_least(scratch, list, least).map(Some),
        Threshold::Containment { least, .. } => contained_at_least(scratch, list, least).map(Some),
        Threshold::Distance(_) => Some(None),
    }
}

/// The orders in which two texts are near, as bits: as given, and the other way round.
pub(crate) type Orders = u8;
pub(crate) const AS_GIVEN: Orders = 1;
pub(crate) const REVERSED: Orders = 2;
pub(crate) const BOTH_ORDERS: Orders = AS_GIVEN | REVERSED;

/// A near pair: its similarity, if that was measured, and the orders in which it is near.
type NearIn = (Option<f64>, Orders);

/// As [`near_lists`] where the order of the two texts is open. The similarity is the share of the smaller text.
fn contained_in_either_order(threshold: Threshold, scratch: &Scratch, list: &FeatureList) -> Option<NearIn> {
    let found = overlap(scratch, list)?;
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
    (orders > 0).then(|| (Some(found.shared as f64 / found.a.min(found.b) as f64), orders))
}

/// Most features cached by one verifier in each of two generations: 16 MiB of hashes.
pub(crate) const LISTED_LIMIT: usize = 2 << 20;

impl<'a> Verifier<'a> {
    /// A verifier with an empty cache.
    pub fn new(documents: SchemeDocuments<'a>, rows: &'a Rows) -> Self {
        Self {
            documents,
            rows,
            buffer: Vec::new(),
            scratch: Scratch::default(),
            held: None,
            spare: Scratch::default(),
            lists: HashMap::new(),
            older: HashMap::new(),
            listed: 0,
            either_order: false,
            also: documents
                .must_agree()
                .into_iter()
                .map(|also| Verifier::new(also, rows))
                .collect(),
        }
    }

    /// The same verifier, for pairs whose order is open.
    pub(crate) fn in_either_order(mut self) -> Self {
        self.either_order = true;
        self.also = self.also.into_iter().map(Self::in_either_order).collect();
        self
    }

    /// The similarity of two rows if they are near, the later one in the keep order first; else `None`. Under a distance bits have
    /// decided already, and there is no similarity.
    pub fn near(&mut self, row: u32, other: u32) -> Result<Option<Option<f64>>> {
        Ok(self.near_in(row, other)?.map(|(similarity, _)| similarity))
    }

    /// As [`Verifier::near`], with the orders in which the rows are near.
    pub(crate) fn near_in(&mut self, row: u32, other: u32) -> Result<Option<NearIn>> {
        // Bits cost less than features, so they are tested first.
        if !self.also.iter().all(|also| also.within(row, other)) {
            return Ok(None);
        }
        let Some((similarity, mut orders)) = self.near_alone(row, other)? else {
            return Ok(None);
        };
        for also in &mut self.also {
            orders &= also.near_alone(row, other)?.map_or(0, |(_, orders)| orders);
            if orders == 0 {
                return Ok(None);
            }
        }
        Ok(Some((similarity, orders)))
    }

    /// Whether the bits of two rows are within the distance, if there is one.
    fn within(&self, row: u32, other: u32) -> bool {
        let Threshold::Distance(bits) = self.documents.recipe.threshold else {
            return true;
        };
        let [x, y] = [row, other].map(|row| self.documents.encoding.fingerprint(self.rows.positions[row as usize]));
        hamming::distance(x, y) <= bits
    }

    /// As [`Verifier::near_in`] under this scheme alone.
    fn near_alone(&mut self, row: u32, other: u32) -> Result<Option<NearIn>> {
        let threshold = self.documents.recipe.threshold;
        if !threshold.by_similarity() {
            return Ok(Some((None, BOTH_ORDERS)));
        }
        let size = |row: u32| self.documents.encoding.sizes[self.rows.positions[row as usize] as usize];
        let allowed = |later: u32, earlier: u32| threshold.least_cosine_of_sizes(size(later), size(earlier)).is_some();
        if self.documents.encoding.scheme.weights() == Weights::Once
            && !(allowed(row, other) || self.either_order && allowed(other, row))
        {
            return Ok(None);
        }
        let list = self.list(other)?;
        self.hold(row)?;
        if self.either_order && threshold.is_directed() {
            return Ok(contained_in_either_order(threshold, &self.scratch, &list));
        }
        let orders = if threshold.is_directed() { AS_GIVEN } else { BOTH_ORDERS };
        Ok(near_lists(threshold, &self.scratch, &list).map(|similarity| (similarity, orders)))
    }

    fn hold(&mut self, row: u32) -> Result<()> {
        if self.held != Some(row) {
            self.held = None;
            let position = self.rows.positions[row as usize];
            self.documents.extract(position, &mut self.buffer, &mut self.scratch)?;
            self.held = Some(row);
        }
        Ok(())
    }

    /// The features of a row, from the cache.
    pub fn list(&mut self, row: u32) -> Result<Rc<FeatureList>> {
        if let Some(list) = self.lists.get(&row) {
            return Ok(Rc::clone(list));
        }
        if let Some(list) = self.older.remove(&row) {
            self.keep(row, &list);
            return Ok(list);
        }
        let position = self.rows.positions[row as usize];
        self.documents.extract(position, &mut self.buffer, &mut self.spare)?;
        let list = Rc::new(FeatureList::of(&self.spare));
        self.keep(row, &list);
        Ok(list)
    }

    /// The profile of a row that is compared with others next: its features are held.
    pub fn profile(&mut self, row: u32, profiles: &Profiles) -> Result<Profile> {
        self.hold(row)?;
        Ok(profiles.of(features_of(&self.scratch)))
    }

    /// The profile of a row. Its features are not cached: a row of a large bucket is seldom used again.
    pub fn profile_of_other(&mut self, row: u32, profiles: &Profiles) -> Result<Profile> {
        if let Some(list) = self.lists.get(&row) {
            return Ok(profiles.of(list.iter()));
        }
        let position = self.rows.positions[row as usize];
        self.documents.extract(position, &mut self.buffer, &mut self.spare)?;
        Ok(profiles.of(features_of(&self.spare)))
    }

    fn keep(&mut self, row: u32, list: &Rc<FeatureList>) {
        if self.listed + list.len() > LISTED_LIMIT {
            self.older = std::mem::take(&mut self.lists);
            self.listed = 0;
        }
        self.listed += list.len();
        self.lists.insert(row, Rc::clone(list));
    }
}
