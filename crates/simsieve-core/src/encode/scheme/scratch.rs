//! Memory for the work on one text after another.

use crate::encode::fingerprint::Sums;
use crate::encode::hash::{HashCache, MOST_WORDS};
use crate::encode::input::pattern::Hits;
use crate::encode::tokenize::tokens::Tokens;
use crate::encode::tokenize::windows::{Features, Window};
use crate::encode::weight::entropy;
use crate::text::Compact;
use crate::text::html;
use crate::text::letters::Letter;

/// Memory for the work on one text after another; keep one a thread.
#[derive(Debug, Default, Clone)]
pub struct Scratch {
    /// The two forms of the text.
    pub text: Compact,
    /// Its features.
    pub features: Features,
    /// Their weights; empty where every weight is 1.
    pub weights: Vec<u32>,
    /// By which power of two the weights of a page were divided; 0 of texts.
    pub(crate) shift: u32,
    pub(super) sums: Sums,
    pub(super) marks: Vec<u32>,
    pub(super) tokens: Tokens,
    pub(super) hashes: TokenHashes,
    /// The fingerprint that was given.
    pub(super) given: [u64; MOST_WORDS],
    /// Memory for pages; the last one's structure.
    pub(super) page: html::PageScratch,
    /// What was extracted of the last page.
    pub(super) extracted: String,
    /// The marks of the pictures of the last text.
    pub(super) pictures: String,
    /// The last text without what is taken out of it.
    pub(super) cleaned: String,
    /// Room for the letters of a text in which templates are searched.
    pub(super) letters: Vec<Letter>,
    /// What was taken out of it.
    pub(crate) hits: Hits,
}

/// The hashes of features, where their bits are not mixed from what they are known by.
#[derive(Debug, Default, Clone)]
pub(super) struct TokenHashes {
    /// Word after word of all features.
    pub(super) planes: Vec<u64>,
    pub(super) cache: HashCache,
    /// Words in several places.
    pub(super) rows: entropy::PlacedWords,
    /// Those that the user brings.
    pub(super) brought: Vec<[u64; MOST_WORDS]>,
}

impl Scratch {
    /// How many distinct windows of the normalised text are among the features of `held`; no set of them is made.
    pub(crate) fn count_shared(&mut self, window: Window, held: &Self) -> usize {
        self.features
            .count_shared(&self.text, window, &held.features, &mut self.marks)
    }

    /// What each token of the text is known by, in the order of the text; of schemes on tokens.
    pub(crate) fn known(&self) -> &[u64] {
        &self.tokens.known
    }
}
