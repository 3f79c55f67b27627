//! From documents to candidate pairs, as a [`Recipe`](crate::dedup::recipe::Recipe) defines them.
//!
//! Documents that can be near anything stand in *rows*: one a distinct normalised text with features, in keep order, so
//! that of two rows the lower one precedes. For each table of the recipe the rows are sorted by their key; rows of one
//! key are a bucket. Small buckets give their pairs at once; of the large ones only the memberships are kept, so that
//! the decisions meet them later with kept documents alone and a family of a million costs no million squared.

pub mod agree;
mod feature_lists;
mod filter;
pub mod prefix;
mod sort;
pub mod stream;
mod tables;

pub use filter::Filter;
pub use tables::{Candidates, Edge, SMALL_BUCKET, all_pairs, candidates, keys_of};

use crate::dedup::collection::Collection;

/// The rows of a run: positions of the documents that are compared, in keep order.
#[derive(Debug, Clone)]
pub struct Rows {
    /// A position a row.
    pub positions: Vec<u32>,
    /// So many rows are old, and they are the first: kept as they are, and not compared with one another.
    pub old: u32,
}

impl Rows {
    /// Rows for the documents that stand first among their exact copies and have a fingerprint under one scheme at least.
    pub fn of(collection: &Collection, copy_of: &[u32]) -> Self {
        let first = |(at, position): (usize, &u32)| {
            (copy_of[at] as usize == at && collection.has_fingerprint(*position)).then_some(*position)
        };
        let positions: Vec<u32> = collection.order.iter().enumerate().filter_map(first).collect();
        let old = positions.partition_point(|&position| collection.is_old(position)) as u32;
        Self { positions, old }
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }
}
