//! Memory for the work on one text after another.

use crate::base::hash::Place;
use crate::base::hash::distinct::DistinctHashes;

/// Room for the work on one text after another; keep one a thread.
#[derive(Debug, Default, Clone)]
pub struct Scratch {
    /// The symbols of the block.
    pub(super) symbols: Vec<u16>,
    /// Where each character of the block begins in the text, and where the last ends.
    pub(super) offsets: Vec<u32>,
    /// From each character of the block: how likely the best way to its end is, and where that way's first word ends.
    pub(super) route: Vec<(f64, u32)>,
    /// For each character of a run: which of two states came before each of the four.
    pub(super) before: Vec<u8>,
    pub(super) states: Vec<usize>,
    pub(super) keywords: KeywordScratch,
}

/// Room for finding the keywords of one text after another.
#[derive(Debug, Default, Clone)]
pub(super) struct KeywordScratch {
    /// The words that have two characters, in the order of the text, and what they are known by.
    pub places: Vec<Place>,
    pub hashes: Vec<u64>,
    /// The factor of each one's part of speech, where these weigh.
    pub factors: Vec<f64>,
    pub distinct: DistinctHashes,
    pub found: Vec<Found>,
}

/// A word: where it stands first, and what it weighs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    pub place: Place,
    pub hash: u64,
    pub weight: f64,
}
