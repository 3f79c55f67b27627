//! What is lost of the texts of a pair, and whether that is too much.

use crate::dedup::verify::orders::{AS_GIVEN, Orders, REVERSED};
use crate::encode::lost::{self, compact_of};
use crate::encode::scheme::{Scheme, Scratch, UnusableText};
use crate::search::documents::Documents;
use crate::text::Compact;

/// Stands for units that were not measured.
pub const NOT_MEASURED: u32 = u32::MAX;

/// The compact texts of a pair, and the bound of what a dropped one may lose.
pub(crate) struct Losses {
    /// Units of the longest run that may be lost; `None` where it is reported alone.
    most: Option<u32>,
    texts: [Vec<u8>; 2],
    scratch: Scratch,
    memory: lost::Memory,
}

impl Losses {
    /// Where what is lost is bounded.
    pub(crate) fn bounded(documents: &Documents) -> Option<Self> {
        Some(documents.collection.relation.max_lost?).map(|most| Self::of(Some(most)))
    }

    /// Where the texts are at hand.
    pub(crate) fn unbounded(documents: &Documents) -> Option<Self> {
        documents.collection.has_texts().then(|| Self::of(None))
    }

    fn of(most: Option<u32>) -> Self {
        Self {
            most,
            texts: Default::default(),
            scratch: Scratch::default(),
            memory: lost::Memory::default(),
        }
    }

    /// Takes one of the texts, as it was normalised.
    pub(crate) fn take(&mut self, side: usize, text: &Compact) {
        self.texts[side].clear();
        self.texts[side].extend_from_slice(&compact_of(text));
    }

    /// Takes one of the texts.
    pub(crate) fn read(&mut self, side: usize, scheme: &Scheme, text: &str) -> Result<(), UnusableText> {
        scheme.normalise(text, &mut self.scratch)?;
        let compact = compact_of(&self.scratch.text);
        self.texts[side].clear();
        self.texts[side].extend_from_slice(&compact);
        Ok(())
    }

    /// Units that are lost of the first text, and of the second where the order of the two is open.
    pub(crate) fn of_texts(&mut self, either_order: bool) -> [u32; 2] {
        let Self {
            texts: [a, b], memory, ..
        } = self;
        let mut lost = |text: &[u8], other: &[u8]| lost::longest_lost(text, other, u32::MAX, memory).units;
        [lost(a, b), if either_order { lost(b, a) } else { NOT_MEASURED }]
    }

    /// The orders in which no more is lost than may be.
    pub(crate) fn allowed(&self, lost: [u32; 2]) -> Orders {
        let within = |units: u32, order| {
            if self.most.is_none_or(|most| units <= most) {
                order
            } else {
                0
            }
        };
        within(lost[0], AS_GIVEN) | within(lost[1], REVERSED)
    }
}
