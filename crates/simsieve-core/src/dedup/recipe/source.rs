//! Where candidate pairs come from.

/// The agreement filter, and the recall sampler's, lose a near pair with at most this probability.
pub const AGREEMENT_MISS: f64 = 1e-6;
/// The longest sketch, in bytes.
pub const MAX_SKETCH: usize = 1024;

/// How candidates are found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// Every pair: for small collections.
    Brute,
    /// Pairs that agree in all `rows` bytes of one of `bands` bands of the sketch.
    Bands {
        /// The number of bands.
        bands: usize,
        /// Bytes a band.
        rows: usize,
    },
    /// Pairs whose fingerprints agree in all bits of one of these masks (row-major, `words` a mask): by the pigeonhole,
    /// every pair within the distance does.
    Blocks {
        /// The masks, one a table.
        masks: Vec<Vec<u64>>,
    },
}
