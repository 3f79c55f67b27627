//! The folds.

/// What is made Simplified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fold {
    /// Single characters.
    Characters,
    /// Characters and their forms in Taiwan, then words of Taiwan that differ on the mainland, the longest first.
    Words,
}
