//! From documents to candidate pairs, as a [`Recipe`](crate::recipe::Recipe) defines them.
//!
//! Each distinct normalised text with features is a *row*. Rows are in keep order, so the lower of two rows precedes.
//! Rows that have a key in common are a bucket. Small buckets give their pairs at once. Of large buckets only the memberships are
//! kept: the decisions later compare their rows with kept documents alone, so the cost does not grow with the square of a family.

pub(crate) mod buckets;
pub(crate) mod feature_lists;
pub(crate) mod filter;
mod find;
mod joined;
pub mod overlap;
pub(crate) mod size_bound;
mod sort;

pub use crate::search::found::{Candidates, Edge, Member, NO_DISTANCE};
pub(crate) use buckets::Buckets;
pub use buckets::SMALL_BUCKET;
pub use filter::Filter;
pub use find::all_pairs;
pub(crate) use find::{Met, candidates, masked_key};
pub(crate) use sort::sort_by_key;

use crate::base::bits::BitSet;
use crate::base::error::Result;
use crate::collection::Collection;
use crate::storage::column::Column;
use crate::storage::run_dir::ScratchColumn;

/// The rows of a run: positions of the documents that are compared, in keep order.
#[derive(Debug, Clone)]
pub struct Rows {
    /// One position for each row.
    pub positions: Column<u32>,
    /// The first rows are old, this many: they are kept and not compared with one another.
    pub old: u32,
    /// Which old rows have exact copies among the new documents.
    with_new_copies: Vec<bool>,
}

impl Rows {
    /// Rows for the documents that are first among their exact copies and can be near others.
    ///
    /// # Errors
    /// As [`ScratchColumn::push`].
    pub fn of(collection: &Collection) -> Result<Self> {
        let copy_of = &*collection.copies;
        let mut positions = ScratchColumn::new(collection.run_dir(), "rows", collection.order.len())?;
        for (at, &position) in collection.order.iter().enumerate() {
            if copy_of[at] as usize == at && collection.is_compared(position) {
                positions.push(position)?;
            }
        }
        let positions = positions.finish()?;
        let old = positions.partition_point(|&position| collection.is_old(position)) as u32;
        let mut copied = BitSet::below(if old == 0 { 0 } else { collection.len() });
        if old > 0 {
            let new = collection
                .order
                .iter()
                .zip(copy_of)
                .filter(|(position, _)| !collection.is_old(**position));
            for (_, &first) in new {
                copied.insert(collection.order[first as usize] as usize);
            }
        }
        let with_new_copies = positions[..old as usize]
            .iter()
            .map(|&position| copied.contains(position as usize))
            .collect();
        Ok(Self {
            positions,
            old,
            with_new_copies,
        })
    }

    /// The same rows, of which the first ones are old.
    pub(crate) fn after_old(self, old: u32) -> Self {
        Self { old, ..self }
    }

    /// The first positions as rows, all of them new.
    pub(crate) fn all(count: u32) -> Self {
        Self::plain((0..count).collect::<Vec<u32>>())
    }

    /// Rows at these positions, all of them new.
    pub(crate) fn plain(positions: Vec<u32>) -> Self {
        Self {
            positions: positions.into(),
            old: 0,
            with_new_copies: Vec::new(),
        }
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Whether a row is old and has exact copies among the new documents.
    pub(crate) fn has_new_copy(&self, row: u32) -> bool {
        self.with_new_copies.get(row as usize) == Some(&true)
    }
}
