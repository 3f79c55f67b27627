//! What a search found: candidate pairs, and the members of large buckets.

/// The distance of a pair of which one has no fingerprint: greater than any other.
pub const NO_DISTANCE: u32 = u32::MAX;

/// A candidate pair of rows; `earlier` precedes in keep order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// The row that would be dropped.
    pub later: u32,
    /// Bits in which the fingerprints differ.
    pub distance: u32,
    /// The row that would represent it.
    pub earlier: u32,
}

/// What the search found: the pairs of small buckets, and the members of the large ones.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Candidates {
    /// In order of (later, distance, earlier), each pair once.
    pub edges: Vec<Edge>,
    /// In order of (row, bucket): the large buckets that a row is in.
    pub memberships: Vec<(u32, u32)>,
    /// The number of large buckets.
    pub heavy_buckets: u32,
    /// Pairs that were tested.
    pub tested: u64,
}
