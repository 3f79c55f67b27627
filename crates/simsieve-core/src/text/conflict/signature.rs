//! The signature of a text with few values: most pairs of forms that conflict are told by it, from one line of the cache each.

use super::{SHARE, Values};
use crate::base::hash::mix;

/// Slots of a signature, at most.
const SLOTS: usize = 8;

/// The values of the first slots of a text, and a filter of all hashes that another text asks it for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Signature {
    /// The hash of the slots; only texts of one frame are compared.
    frame: u64,
    /// A Bloom filter of 256 bits.
    knows: [u64; 4],
    /// Per slot, ascending: a part of the hash of its value, and the bits of the filter by which a text knows it in one of four ways.
    plain: [u16; SLOTS],
    asked: [[u8; 4]; SLOTS],
    len: u8,
}

impl Signature {
    /// `None` where the text has no values or many, or a slot has several.
    pub(crate) fn of(values: &Values) -> Option<Self> {
        let slots = &values.slots[..values.slots.len().min(SLOTS)];
        let is_one = values.slots.windows(2).all(|two| two[0].slot != two[1].slot);
        if slots.is_empty() || !is_one || values.counts[0] > SHARE {
            return None;
        }
        let mut made = Self {
            frame: slots.iter().fold(0, |frame, filled| mix(frame ^ filled.slot)),
            knows: [0; 4],
            plain: [0; SLOTS],
            asked: [[0; 4]; SLOTS],
            len: slots.len() as u8,
        };
        for hash in values.answers() {
            made.knows[usize::from(bit(hash) / 64)] |= 1 << (bit(hash) % 64);
        }
        for (place, filled) in slots.iter().enumerate() {
            made.plain[place] = (filled.plain >> 16) as u16;
            made.asked[place] = values.asked(filled.at as usize).map(bit);
        }
        Some(made)
    }

    /// Whether the values of two texts conflict for certain, as [`Values::conflicts`] tells.
    pub(crate) fn conflicts(&self, other: &Self) -> bool {
        self.frame == other.frame
            && (0..usize::from(self.len)).any(|slot| {
                self.plain[slot] != other.plain[slot] && other.lacks(self.asked[slot]) && self.lacks(other.asked[slot])
            })
    }

    fn lacks(&self, asked: [u8; 4]) -> bool {
        asked
            .iter()
            .all(|&bit| self.knows[usize::from(bit / 64)] >> (bit % 64) & 1 == 0)
    }
}

/// The bit of a hash in a filter.
fn bit(hash: u64) -> u8 {
    (hash >> 24) as u8
}
