//! Memory that is reused from page to page, and the features of the last page.

use super::main_text::MainTextScratch;
use super::tree::Tree;

/// One feature of a page's structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Feature {
    /// The hash of its text.
    pub hash: u64,
    /// Its weight: 1, or a sum of decays in steps of 2^-20.
    pub weight: i64,
}

/// Memory that is reused from page to page; keep one a thread.
#[derive(Debug, Default, Clone)]
pub struct PageScratch {
    pub(super) tree: Tree,
    pub(super) seen: Vec<(u64, u32)>,
    pub(super) features: Vec<Feature>,
    pub(super) room: MainTextScratch,
}

impl PageScratch {
    /// The features of the last call of [`dom_features`](super::dom_features).
    pub fn features(&self) -> &[Feature] {
        &self.features
    }
}
