//! What the texts of a pair must fulfil besides nearness: what is lost of them, and the conflicts between them.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::collection::relation::Bounds;
use crate::dedup::verify::orders::{AS_GIVEN, BOTH_ORDERS, Orders, REVERSED};
use crate::encode::lost::{self, compact_of, units_of};
use crate::encode::scheme::{Scheme, Scratch, UnusableText};
use crate::search::documents::Documents;
use crate::search::features::LISTED_LIMIT;
use crate::text::Compact;
use crate::text::conflict::{Conflict, Signature, Values};

/// Stands for a loss that was not measured.
pub const NOT_MEASURED: u32 = u32::MAX;

/// The bit of a loss where numbers of the two texts conflict; the other bits are units.
const CONFLICT: u32 = 1 << 31;

/// Units of the longest run that is lost on both sides of a pair without a [conflict of texts](Conflict::Text).
pub const RUN: u32 = 20;

/// The least share of such a run in its text, as its divisor.
const SHARE: u32 = 10;

/// The features whose memory a text's values take at least, and one value takes.
const FEATURES: usize = 16;

/// Signatures that are held, at most: 25 MB.
const SIGNATURES: usize = 1 << 18;

/// A loss of these units.
pub fn loss(units: u32, has_conflict: bool) -> u32 {
    units | if has_conflict { CONFLICT } else { 0 }
}

/// The units of a loss; `None` where it was not measured.
pub fn units(loss: u32) -> Option<u32> {
    (loss != NOT_MEASURED).then_some(loss & !CONFLICT)
}

/// Whether a loss says that numbers of the two texts conflict.
pub fn has_conflict(loss: u32) -> bool {
    loss != NOT_MEASURED && loss & CONFLICT != 0
}

/// The texts of a pair, and their bounds.
pub(crate) struct Losses {
    bounds: Bounds,
    /// The kinds of values that are read: numbers first, whose conflicts are counted, and others of the bounds.
    kinds: Vec<Conflict>,
    texts: [Vec<u8>; 2],
    values: [Arc<[Values]>; 2],
    /// The values of texts that were read, by row; all are forgotten where they are as many as the features of a cache.
    known: FxHashMap<u64, Arc<[Values]>>,
    held: usize,
    /// The signatures of texts that were read, if their numbers may keep them apart. They outlast the values of a crowd.
    signatures: FxHashMap<u64, Signature>,
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
        let others = bounds.conflict.iter().copied();
        let others = others.filter(|kind| !matches!(kind, Conflict::Numbers | Conflict::Text));
        Self {
            kinds: std::iter::once(Conflict::Numbers).chain(others).collect(),
            bounds,
            texts: Default::default(),
            values: [(); 2].map(|()| Arc::default()),
            known: FxHashMap::default(),
            held: 0,
            signatures: FxHashMap::default(),
            scratch: Scratch::default(),
            memory: lost::Memory::default(),
        }
    }

    /// Whether values keep two rows apart whose values are known, so that their texts need not be read.
    pub(crate) fn are_apart(&self, rows: [u32; 2]) -> bool {
        let [one, other] = rows.map(|row| self.signatures.get(&row.into()));
        if one.zip(other).is_some_and(|(one, other)| one.conflicts(other)) {
            return true;
        }
        let first = usize::from(!self.bounds.conflict.contains(&Conflict::Numbers));
        let [one, other] = rows.map(|row| self.known.get(&row.into()));
        one.zip(other)
            .is_some_and(|(one, other)| (first..one.len()).any(|kind| one[kind].conflicts(&other[kind])))
    }

    /// Takes one of the texts, as it was normalised; its row is not that of another text.
    pub(crate) fn take(&mut self, side: usize, row: u64, text: &Compact) {
        self.texts[side].clear();
        self.texts[side].extend_from_slice(&compact_of(text));
        let known = self.known.get(&row).map(Arc::clone);
        self.values[side] = known.unwrap_or_else(|| {
            let exact = text.exact_text();
            let read: Arc<[Values]> = self.kinds.iter().map(|&kind| Values::read(kind, &exact)).collect();
            if self.held > LISTED_LIMIT {
                (self.known, self.held) = (FxHashMap::default(), 0);
            }
            self.held += FEATURES + read.iter().map(|values| FEATURES * values.len()).sum::<usize>();
            self.known.insert(row, Arc::clone(&read));
            if self.bounds.conflict.contains(&Conflict::Numbers)
                && let Some(signature) = Signature::of(&read[0])
            {
                if self.signatures.len() == SIGNATURES {
                    self.signatures = FxHashMap::default();
                }
                self.signatures.insert(row, signature);
            }
            read
        });
    }

    /// Takes one of the texts.
    pub(crate) fn read(&mut self, side: usize, row: u64, scheme: &Scheme, text: &str) -> Result<(), UnusableText> {
        let mut scratch = std::mem::take(&mut self.scratch);
        let read = scheme.normalise(text, &mut scratch);
        if read.is_ok() {
            self.take(side, row, &scratch.text);
        }
        self.scratch = scratch;
        read
    }

    /// What is lost of the first text, and of the second where the order of the two is open.
    pub(crate) fn of_texts(&mut self, either_order: bool) -> [u32; 2] {
        let has_conflict = self.has_conflict_at(0);
        let second = either_order.then(|| loss(self.lost(1), has_conflict));
        [loss(self.lost(0), has_conflict), second.unwrap_or(NOT_MEASURED)]
    }

    fn lost(&mut self, side: usize) -> u32 {
        let (text, other) = (&self.texts[side], &self.texts[1 - side]);
        lost::longest_lost(text, other, u32::MAX, &mut self.memory).units
    }

    /// The orders in which the texts fulfil the bounds, where this is lost of them.
    pub(crate) fn allowed(&mut self, lost: [u32; 2]) -> Orders {
        let within = |lost: u32, order| {
            let is_within = |most| units(lost).is_some_and(|units| units <= most);
            if self.bounds.max_lost.is_none_or(is_within) {
                order
            } else {
                0
            }
        };
        let orders = within(lost[0], AS_GIVEN) | within(lost[1], REVERSED);
        let is_bound = |kind| self.bounds.conflict.contains(&kind);
        let (by_numbers, by_text) = (is_bound(Conflict::Numbers), is_bound(Conflict::Text));
        if orders & BOTH_ORDERS != 0
            && (by_numbers && has_conflict(lost[0])
                || (1..self.kinds.len()).any(|kind| self.has_conflict_at(kind))
                || by_text && self.is_lost_on_both_sides(lost))
        {
            0
        } else {
            orders
        }
    }

    /// Whether values of the texts conflict, of the kind at this place.
    fn has_conflict_at(&self, kind: usize) -> bool {
        self.values[0][kind].conflicts(&self.values[1][kind])
    }

    fn is_lost_on_both_sides(&mut self, lost: [u32; 2]) -> bool {
        (0..2).all(|side| {
            let run = units(lost[side]).unwrap_or_else(|| self.lost(side));
            run > RUN && run >= units_of(&self.texts[side]).div_ceil(SHARE)
        })
    }
}
