//! What a search found: candidate pairs, and the members of large buckets.

use bytemuck::{Pod, Zeroable};

use crate::storage::column::{Column, Element};

/// The distance of a pair of which one has no fingerprint: greater than any other.
pub const NO_DISTANCE: u32 = u32::MAX;

/// A candidate pair of rows; `earlier` precedes in keep order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub struct Edge {
    /// The row that would be dropped.
    pub later: u32,
    /// Bits in which the fingerprints differ.
    pub distance: u32,
    /// The row that would represent it.
    pub earlier: u32,
}

impl Element for Edge {
    const NAME: &'static str = "edge";

    fn append_to(self, bytes: &mut Vec<u8>) {
        for number in [self.later, self.distance, self.earlier] {
            number.append_to(bytes);
        }
    }

    fn of_bytes(bytes: &[u8]) -> Option<Self> {
        let (numbers, []) = bytes.as_chunks::<4>() else {
            return None;
        };
        let &[later, distance, earlier] = numbers else {
            return None;
        };
        Some(Self {
            later: u32::from_le_bytes(later),
            distance: u32::from_le_bytes(distance),
            earlier: u32::from_le_bytes(earlier),
        })
    }
}

/// A row of a large bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub struct Member {
    /// The row.
    pub row: u32,
    /// The number of the bucket.
    pub bucket: u32,
}

impl Element for Member {
    const NAME: &'static str = "member";

    fn append_to(self, bytes: &mut Vec<u8>) {
        self.row.append_to(bytes);
        self.bucket.append_to(bytes);
    }

    fn of_bytes(bytes: &[u8]) -> Option<Self> {
        let (row, bucket) = bytes.split_at_checked(4)?;
        Some(Self {
            row: u32::of_bytes(row)?,
            bucket: u32::of_bytes(bucket)?,
        })
    }
}

/// What the search found: the pairs of small buckets, and the members of the large ones.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Candidates {
    /// In order of (later, distance, earlier), each pair once.
    pub edges: Column<Edge>,
    /// The similarity of each edge, where pairs were verified as they were found: all edges are near then. Else empty.
    pub similarities: Vec<f64>,
    /// Of each edge the units that are lost of the later text, where similarities are.
    pub lost: Vec<u32>,
    /// In order of (row, bucket): the large buckets that a row is in.
    pub memberships: Column<Member>,
    /// The number of large buckets.
    pub heavy_buckets: u32,
    /// Pairs that were tested.
    pub tested: u64,
    /// Search keys of all rows; 0 where the search has none.
    pub keys: u64,
}

impl Candidates {
    /// Whether edges and memberships are in order and of this many rows.
    pub fn fit(&self, rows: usize) -> bool {
        let fits = |member: &Member| (member.row as usize) < rows && member.bucket < self.heavy_buckets;
        edges_fit(&self.edges, rows)
            && self.memberships.iter().all(fits)
            && self.memberships.is_sorted()
            && self.heavy_buckets as usize <= self.memberships.len().max(1)
    }
}

/// Whether edges are in order and of this many rows.
pub fn edges_fit(edges: &[Edge], rows: usize) -> bool {
    let fits = |edge: &Edge| edge.earlier < edge.later && (edge.later as usize) < rows;
    edges.is_sorted() && edges.iter().all(fits)
}
