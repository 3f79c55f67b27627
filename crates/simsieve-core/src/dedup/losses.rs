//! What is lost of the texts of a pair, whether that is too much, and what the drops of a run lose in all.

use std::collections::HashSet;

use crate::dedup::decisions::{Decisions, Reason};
use crate::dedup::documents::Documents;
use crate::dedup::recall::{least_by, sample_rank};
use crate::dedup::verify::{AS_GIVEN, Orders, REVERSED};
use crate::encode::lost::{self, compact_of};
use crate::encode::scheme::{Scheme, Scratch, UnusableText};
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

/// What the near duplicates of a run lose.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Summary {
    /// Near duplicates of which it was measured.
    pub measured: u64,
    /// The median of their units; 0 where none was measured.
    pub median: f64,
    /// The most units.
    pub longest: u32,
    /// How many lose more units than were asked about.
    pub much: u64,
}

/// Sums up what the near duplicates of a run lose; `much` of them lose more than `units`.
pub fn summary(decisions: &Decisions, units: u32) -> Summary {
    let of_near = decisions.reason.iter().zip(&*decisions.lost);
    let near =
        of_near.filter(|(reason, lost)| matches!(reason, Reason::Near | Reason::Verdict) && **lost != NOT_MEASURED);
    let mut lost: Vec<u32> = near.map(|(_, &lost)| lost).collect();
    let Some(&longest) = lost.iter().max() else {
        return Summary::default();
    };
    let (count, much) = (lost.len(), lost.iter().filter(|&&lost| lost > units).count());
    let mut at = |place: usize| f64::from(*lost.select_nth_unstable(place).1);
    Summary {
        measured: count as u64,
        median: f64::midpoint(at((count - 1) / 2), at(count / 2)),
        longest,
        much: much as u64,
    }
}

/// Positions of near duplicates: those of which the smaller text of the pair has most features, and some that are drawn.
pub fn some_near(documents: &Documents, decisions: &Decisions, largest: usize, drawn: usize, seed: u64) -> Vec<u32> {
    let near = || {
        (0..)
            .zip(&*decisions.reason)
            .filter(|(_, reason)| **reason == Reason::Near)
            .map(|(position, _)| position)
    };
    let sizes = &documents.collection.encodings[0].sizes;
    let smaller = |position: u32| {
        let to = decisions.representative[position as usize];
        u64::from(u32::MAX - sizes[position as usize].min(sizes[to as usize]))
    };
    let mut some = least_by(near(), largest, smaller);
    some.extend(least_by(near(), drawn, |position| sample_rank(position.into(), seed)));
    let mut seen = HashSet::new();
    some.retain(|position| seen.insert(*position));
    some
}
