//! The distinct hashes of one text in the order of their first occurrence, with their counts.

/// A set of hashes by open addressing with linear probing.
#[derive(Debug, Default, Clone)]
pub(super) struct Table {
    /// A power of two, at most [`MOST_LOAD`] of them used; zero is an empty slot.
    slots: Vec<u64>,
    /// While counting: a slot's count; after [`Table::finish_counts`]: where its hash stands in `hashes`.
    values: Vec<u32>,
    /// Room for the hashes; `len` of them are there.
    hashes: Vec<u64>,
    /// The slot of each hash; kept only while counting.
    places: Vec<u32>,
    counts: Vec<u32>,
    len: usize,
    /// Where the hash that is zero stands, and its count: it has no slot.
    zero: Option<(usize, u32)>,
}

/// Slots to begin with at most: 32 KiB stay in the first cache; repetitive long texts never need more.
const START_SLOTS: usize = 4096;

impl Table {
    pub(super) fn hashes(&self) -> &[u64] {
        &self.hashes[..self.len]
    }

    pub(super) fn counts(&self) -> &[u32] {
        &self.counts
    }

    /// Empties the table and makes it fit for `expected` hashes, or for the first of them.
    pub(super) fn clear(&mut self, expected: usize) {
        (self.len, self.zero) = (0, None);
        self.counts.clear();
        self.slots.clear();
        self.slots.resize(expected.saturating_mul(2).clamp(64, START_SLOTS).next_power_of_two(), 0);
    }

    /// The slot that holds `hash`, or the empty one where it belongs.
    #[inline]
    fn slot_of(&self, hash: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        while self.slots[slot] != hash && self.slots[slot] != 0 {
            slot = (slot + 1) & mask;
        }
        slot
    }

    pub(super) fn contains(&self, hash: u64) -> bool {
        if hash == 0 {
            return self.zero.is_some();
        }
        !self.slots.is_empty() && self.slots[self.slot_of(hash)] == hash
    }

    pub(super) fn place(&self, hash: u64) -> Option<usize> {
        if hash == 0 {
            return self.zero.map(|(at, _)| at);
        }
        if self.slots.is_empty() {
            return None;
        }
        let slot = self.slot_of(hash);
        (self.slots[slot] == hash).then(|| self.values[slot] as usize)
    }

    /// Adds a block of hashes, few enough to grow for in advance.
    ///
    /// Whether a hash is new is no branch: it is written to its slot and behind the list in any case, and the list's
    /// length grows by whether the slot was empty. Only a slot taken by another hash is a branch.
    pub(super) fn insert<const COUNTED: bool>(&mut self, block: &[u64]) {
        if (self.len + block.len()) * 4 > self.slots.len() * 3 {
            self.grow::<COUNTED>(block.len());
        }
        let room = self.len + block.len();
        if self.hashes.len() < room {
            self.hashes.resize(room, 0);
        }
        if COUNTED && self.places.len() < room {
            self.places.resize(room, 0);
        }
        if COUNTED && self.len == 0 && self.values.len() < self.slots.len() {
            self.values.resize(self.slots.len(), 0);
        }
        let mut len = self.len;
        let slots = &mut self.slots[..];
        let mask = slots.len() - 1;
        let hashes = &mut self.hashes[..room];
        let places = if COUNTED { &mut self.places[..room] } else { &mut [] };
        let values = if COUNTED { &mut self.values[..=mask] } else { &mut [] };
        for &hash in block {
            if hash == 0 {
                if let Some((_, count)) = &mut self.zero {
                    *count += 1;
                } else {
                    self.zero = Some((len, 1));
                    hashes[len] = 0;
                    if COUNTED {
                        places[len] = NOWHERE;
                    }
                    len += 1;
                }
                continue;
            }
            let mut slot = hash as usize & mask;
            let mut found = slots[slot];
            // One branch: whether a hash is known is as good as random, whether its slot is another's is mostly not so.
            while (found ^ hash).min(found) != 0 {
                slot = (slot + 1) & mask;
                found = slots[slot];
            }
            slots[slot] = hash;
            hashes[len] = hash;
            if COUNTED {
                places[len] = slot as u32;
                // A slot's count is of an earlier text until the slot is taken.
                values[slot] = (values[slot] & u32::from(found == 0).wrapping_sub(1)) + 1;
            }
            len += usize::from(found == 0);
        }
        self.len = len;
    }

    /// Gathers the counts and makes the slots point at their hashes' places.
    pub(super) fn finish_counts(&mut self) {
        self.counts.clear();
        self.counts.reserve(self.len);
        for (at, &slot) in self.places[..self.len].iter().enumerate() {
            let count = if slot == NOWHERE {
                self.zero.map_or(0, |(_, count)| count)
            } else {
                std::mem::replace(&mut self.values[slot as usize], at as u32)
            };
            self.counts.push(count);
        }
    }

    #[cold]
    fn grow<const COUNTED: bool>(&mut self, more: usize) {
        let counts: Vec<u32> = if COUNTED && self.len > 0 {
            let count = |&slot: &u32| if slot == NOWHERE { 0 } else { self.values[slot as usize] };
            self.places[..self.len].iter().map(count).collect()
        } else {
            Vec::new()
        };
        let size = (self.slots.len() * 4).max(((self.len + more) * 2).next_power_of_two());
        self.slots.clear();
        self.slots.resize(size, 0);
        if COUNTED {
            self.values.resize(size.max(self.values.len()), 0);
        }
        for at in 0..self.len {
            let hash = self.hashes[at];
            if hash != 0 {
                let slot = self.slot_of(hash);
                self.slots[slot] = hash;
                if COUNTED {
                    self.places[at] = slot as u32;
                    self.values[slot] = counts[at];
                }
            }
        }
    }
}

/// The place of the hash that is zero. No table has so many slots: texts are shorter.
const NOWHERE: u32 = u32::MAX;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_of_zero_is_a_feature_like_any_other() {
        let mut table = Table::default();
        assert!(!table.contains(3) && table.place(3).is_none());
        table.clear(4);
        table.insert::<true>(&[5, 0, 0, 5, 7]);
        let more: Vec<u64> = (100..10_000).collect();
        for block in more.chunks(1000) {
            table.insert::<true>(block);
        }
        table.finish_counts();
        assert_eq!((&table.hashes()[..3], &table.counts()[..3]), (&[5, 0, 7][..], &[2, 2, 1][..]));
        assert_eq!((table.place(0), table.place(7), table.place(9999)), (Some(1), Some(2), Some(9902)));
        assert!(table.contains(0) && !table.contains(6));
    }
}
