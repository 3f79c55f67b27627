//! The features of rows, for the candidates of a row and for their verification.

use std::collections::HashMap;
use std::sync::Arc;

use crate::base::error::Result;
use crate::encode::scheme::Scratch;
use crate::encode::similarity::{FeatureList, features_of};
use crate::search::candidates::Rows;
use crate::search::candidates::overlap::{Profile, Profiles};
use crate::search::documents::SchemeDocuments;
use crate::source::RecordBuffer;
use crate::text::Compact;

/// Where the features of rows come from.
pub trait Features {
    /// A row that is compared with others next, with its features and their weights.
    fn held(&mut self, row: u32) -> Result<&Scratch>;

    /// Another row. Its features are not cached: a row of a large bucket is seldom used again.
    fn other(&mut self, row: u32) -> Result<&Scratch>;

    /// The features of a row, where they are cached.
    fn cached(&self, row: u32) -> Option<&FeatureList>;

    /// The profile of a row that is compared with others next.
    fn profile(&mut self, row: u32, profiles: &Profiles) -> Result<Profile> {
        Ok(profiles.of(features_of(self.held(row)?)))
    }

    /// The profile of another row.
    fn profile_of_other(&mut self, row: u32, profiles: &Profiles) -> Result<Profile> {
        if let Some(list) = self.cached(row) {
            return Ok(profiles.of(list.iter()));
        }
        Ok(profiles.of(features_of(self.other(row)?)))
    }
}

/// Features of texts that are read again from their sources.
pub struct SourceFeatures<'a> {
    documents: SchemeDocuments<'a>,
    rows: &'a Rows,
    held: ListSlot,
    /// For texts that come in any order.
    other: ListSlot,
    /// Recently used lists, in two generations: if the younger is full, the older is dropped.
    lists: HashMap<u32, Arc<FeatureList>>,
    older: HashMap<u32, Arc<FeatureList>>,
    listed: usize,
}

/// A row's text and features.
#[derive(Default)]
struct ListSlot {
    row: Option<u32>,
    buffer: RecordBuffer,
    scratch: Scratch,
}

/// Most features cached in each of two generations: 16 MiB of hashes.
pub(crate) const LISTED_LIMIT: usize = 2 << 20;

impl ListSlot {
    fn extract(&mut self, row: u32, documents: SchemeDocuments<'_>, rows: &Rows) -> Result<&Scratch> {
        self.row = None;
        documents.extract(rows.positions[row as usize], &mut self.buffer, &mut self.scratch)?;
        self.row = Some(row);
        Ok(&self.scratch)
    }
}

impl<'a> SourceFeatures<'a> {
    /// An empty cache.
    pub(crate) fn new(documents: SchemeDocuments<'a>, rows: &'a Rows) -> Self {
        Self {
            documents,
            rows,
            held: ListSlot::default(),
            other: ListSlot::default(),
            lists: HashMap::new(),
            older: HashMap::new(),
            listed: 0,
        }
    }

    /// Empties the cache.
    pub(crate) fn forget(&mut self) {
        self.lists.clear();
        self.older.clear();
        self.listed = 0;
    }

    /// The features of a row, from the cache.
    pub(crate) fn list(&mut self, row: u32) -> Result<Arc<FeatureList>> {
        if let Some(list) = self.lists.get(&row) {
            return Ok(Arc::clone(list));
        }
        let list = match self.older.remove(&row) {
            Some(list) => list,
            None => Arc::new(FeatureList::of(self.other(row)?)),
        };
        if self.listed + list.len() > LISTED_LIMIT {
            self.older = std::mem::take(&mut self.lists);
            self.listed = 0;
        }
        self.listed += list.len();
        self.lists.insert(row, Arc::clone(&list));
        Ok(list)
    }

    /// How many windows of another row the row at hand has too.
    pub(crate) fn shared(&mut self, row: u32, other: u32) -> Result<(usize, &Scratch)> {
        self.held(row)?;
        let (collection, scheme) = (&self.documents.run.collection, &self.documents.encoding.scheme);
        let (position, spare) = (self.rows.positions[other as usize], &mut self.other);
        spare.row = None;
        let shared = collection.with_usable_text(position, &mut spare.buffer, |text| {
            scheme.normalise(text, &mut spare.scratch)?;
            Ok(spare.scratch.count_shared(scheme.window(), &self.held.scratch))
        })?;
        spare.row = Some(other);
        Ok((shared, &self.held.scratch))
    }

    /// Whether the features of a row are in the cache.
    pub(crate) fn is_listed(&self, row: u32) -> bool {
        self.lists.contains_key(&row) || self.older.contains_key(&row)
    }

    /// The normalised text of a row, where it was used last.
    pub(crate) fn normalised(&self, row: u32) -> Option<&Compact> {
        let slot = [&self.held, &self.other].into_iter().find(|slot| slot.row == Some(row));
        slot.map(|slot| &slot.scratch.text)
    }
}

impl Features for SourceFeatures<'_> {
    fn held(&mut self, row: u32) -> Result<&Scratch> {
        if self.held.row == Some(row) {
            return Ok(&self.held.scratch);
        }
        self.held.extract(row, self.documents, self.rows)
    }

    fn other(&mut self, row: u32) -> Result<&Scratch> {
        self.other.extract(row, self.documents, self.rows)
    }

    fn cached(&self, row: u32) -> Option<&FeatureList> {
        self.lists.get(&row).map(|list| &**list)
    }
}
