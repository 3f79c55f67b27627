//! Where candidate pairs come from.

/// How candidates are found.
#[derive(Debug, Clone, PartialEq)]
pub enum Source {
    /// Every pair: for small collections.
    Brute,
    /// Pairs that have a key in common: a path of chosen features ([`crate::encode::paths`]).
    Paths(PathOptions),
    /// Pairs whose fingerprints agree in all bits of one of these masks (row-major, `words` a mask): by the pigeonhole,
    /// every pair within the distance does.
    Blocks {
        /// The masks, one a table.
        masks: Vec<Vec<u64>>,
    },
}

/// How paths are made of a collection.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathOptions {
    /// Features that a text selects at the first level, in the mean.
    pub first: f64,
    /// Features that a text selects for each path that is split, in the mean.
    pub further: f64,
    /// A path of more texts than this is split.
    pub bucket: u32,
    /// One text of `2^sample_log2` is in the sample; of fewer where the sample would have too many features.
    pub sample_log2: u32,
}
