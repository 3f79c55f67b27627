//! From documents to candidate pairs, as a [`Recipe`](crate::dedup::recipe::Recipe) defines them.
//!
//! Each distinct normalised text with features is a *row*. Rows are in keep order, so the lower of two rows precedes.
//! For each table of the recipe the rows are sorted by their key; rows of one key are a bucket. Small buckets give
//! their pairs at once. For large buckets only the memberships are kept: the decisions later compare their rows with
//! kept documents alone, so the cost does not grow with the square of a family.

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
    /// One position for each row.
    pub positions: Vec<u32>,
    /// The first rows are old, this many: they are kept and not compared with one another.
    pub old: u32,
}

impl Rows {
    /// Rows for the documents that are first among their exact copies and have a fingerprint under at least one scheme.
    pub fn of(collection: &Collection, copy_of: &[u32]) -> Self {
        let first = |(at, position): (usize, &u32)| {
            (copy_of[at] as usize == at && collection.has_fingerprint(*position)).then_some(*position)
        };
        let positions: Vec<u32> = collection.order.iter().enumerate().filter_map(first).collect();
        let old = positions.partition_point(|&position| collection.is_old(position)) as u32;
        Self { positions, old }
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }
}
