//! Memory that is reused from text to text.

use super::trie::Cell;
use crate::base::hash::Place;
use crate::base::hash::distinct::DistinctHashes;

/// Memory that is reused from text to text; keep one a thread.
#[derive(Debug, Default, Clone)]
pub struct CutScratch {
    /// The symbols of the block.
    pub(super) symbols: Vec<u16>,
    /// The start of each character of the block in the text, and the end of the last.
    pub(super) offsets: Vec<u32>,
    /// For each character of the block but the last: the cell where the node of it and the next one would be.
    pub(super) seconds: Vec<Cell>,
    /// For each character of the block: the likelihood of the best path to the block's end, and the end of its first
    /// word.
    pub(super) route: Vec<(f64, u32)>,
    /// For each character of a run: which of two states precedes each of the four.
    pub(super) before: Vec<u8>,
    pub(super) states: Vec<usize>,
    pub(super) keywords: KeywordScratch,
}

/// Memory for finding keywords, reused from text to text.
#[derive(Debug, Default, Clone)]
pub(super) struct KeywordScratch {
    /// The words of two characters and more, in the order of the text, with their hashes.
    pub places: Vec<Place>,
    pub hashes: Vec<u64>,
    /// The factor of each word's part of speech, if these weigh.
    pub factors: Vec<f64>,
    pub distinct: DistinctHashes,
    pub found: Vec<Found>,
}

/// A word: its first place, and its weight.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    pub place: Place,
    pub hash: u64,
    pub weight: f64,
}
