//! What the texts of a pair must fulfil besides nearness: what is lost of them, and the conflicts between them.

use crate::collection::relation::Bounds;
use crate::dedup::verify::orders::{AS_GIVEN, BOTH_ORDERS, Orders, REVERSED};
use crate::encode::lost::{self, compact_of, units_of};
use crate::encode::scheme::{Scheme, Scratch, UnusableText};
use crate::search::documents::Documents;
use crate::text::Compact;
use crate::text::conflict::{self, Conflict};

/// Stands for units that were not measured.
pub const NOT_MEASURED: u32 = u32::MAX;

/// Units of the longest run that is lost on both sides of a pair without a [conflict of texts](Conflict::Text).
pub const RUN: u32 = 20;

/// The least share of such a run in its text, as its divisor.
const SHARE: u32 = 10;

/// The texts of a pair, and their bounds.
pub(crate) struct Losses {
    bounds: Bounds,
    texts: [Vec<u8>; 2],
    /// The exact forms, where there are conflicts of values.
    exact: [String; 2],
    scratch: Scratch,
    memory: lost::Memory,
}

impl Losses {
    /// Where the texts have bounds.
    pub(crate) fn bounded(documents: &Documents) -> Option<Self> {
        let bounds = &documents.collection.relation.bounds;
        (!bounds.is_none()).then(|| Self::of(bounds.clone()))
    }

    /// Where the texts are at hand.
    pub(crate) fn unbounded(documents: &Documents) -> Option<Self> {
        documents.collection.has_texts().then(|| Self::of(Bounds::default()))
    }

    /// Under these bounds.
    pub(crate) fn of(bounds: Bounds) -> Self {
        Self {
            bounds,
            texts: Default::default(),
            exact: Default::default(),
            scratch: Scratch::default(),
            memory: lost::Memory::default(),
        }
    }

    /// Takes one of the texts, as it was normalised.
    pub(crate) fn take(&mut self, side: usize, text: &Compact) {
        self.texts[side].clear();
        self.texts[side].extend_from_slice(&compact_of(text));
        if self.bounds.conflict.iter().any(|kind| *kind != Conflict::Text) {
            self.exact[side].clear();
            self.exact[side].push_str(&String::from_utf8_lossy(text.exact()));
        }
    }

    /// Takes one of the texts.
    pub(crate) fn read(&mut self, side: usize, scheme: &Scheme, text: &str) -> Result<(), UnusableText> {
        let mut scratch = std::mem::take(&mut self.scratch);
        let read = scheme.normalise(text, &mut scratch);
        if read.is_ok() {
            self.take(side, &scratch.text);
        }
        self.scratch = scratch;
        read
    }

    /// Units that are lost of the first text, and of the second where the order of the two is open.
    pub(crate) fn of_texts(&mut self, either_order: bool) -> [u32; 2] {
        let lost = self.lost(0);
        [lost, if either_order { self.lost(1) } else { NOT_MEASURED }]
    }

    fn lost(&mut self, side: usize) -> u32 {
        let (text, other) = (&self.texts[side], &self.texts[1 - side]);
        lost::longest_lost(text, other, u32::MAX, &mut self.memory).units
    }

    /// The orders in which the texts fulfil the bounds, where this is lost of them.
    pub(crate) fn allowed(&mut self, lost: [u32; 2]) -> Orders {
        let within = |units: u32, order| {
            if self.bounds.max_lost.is_none_or(|most| units <= most) {
                order
            } else {
                0
            }
        };
        let orders = within(lost[0], AS_GIVEN) | within(lost[1], REVERSED);
        if orders & BOTH_ORDERS != 0 && self.has_conflict(lost) {
            0
        } else {
            orders
        }
    }

    /// Whether the texts have a conflict that keeps them apart.
    fn has_conflict(&mut self, lost: [u32; 2]) -> bool {
        let kinds = std::mem::take(&mut self.bounds.conflict);
        let found = kinds.iter().any(|&kind| {
            if kind == Conflict::Text {
                return self.is_lost_on_both_sides(lost);
            }
            conflict::conflicts(kind, &self.exact[0], &self.exact[1])
        });
        self.bounds.conflict = kinds;
        found
    }

    fn is_lost_on_both_sides(&mut self, lost: [u32; 2]) -> bool {
        (0..2).all(|side| {
            let run = if lost[side] == NOT_MEASURED {
                self.lost(side)
            } else {
                lost[side]
            };
            run > RUN && run >= units_of(&self.texts[side]).div_ceil(SHARE)
        })
    }
}
