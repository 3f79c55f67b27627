//! The distinct hashes of one text in the order of their first occurrence, with their counts.

/// A set of hashes by open addressing with linear probing.
#[derive(Debug, Default, Clone)]
pub(crate) struct DistinctHashes {
    /// A power of two, at most [`MOST_LOAD`] of them used; zero is an empty slot.
    slots: Vec<u64>,
    /// While counting: a slot's count; after [`DistinctHashes::finish_counts`]: its hash's index in `hashes`.
    values: Vec<u32>,
    /// Memory for the hashes; `len` of them are there.
    hashes: Vec<u64>,
    /// The slot of each hash; kept only while counting.
    places: Vec<u32>,
    counts: Vec<u32>,
    len: usize,
    /// Index of the hash zero: it has no slot, and its value is after those of the slots.
    zero: Option<usize>,
}

/// Hashes inserted at a time by [`DistinctHashes::collect`].
const BLOCK: usize = 1024;

/// Most slots at the start. 64 KiB are more than the first cache holds, but English at six letters is 10 % faster than
/// with 32 KiB: fewer collisions. Repetitive long texts never need more.
const START_SLOTS: usize = 8192;

/// The slot that holds `hash`, or the empty one where it belongs, and what it holds. It branches only where another hash is met: at
/// the first slot, or at the second of `TWO` that are looked at without a branch. With one, English at six letters is 12 % slower,
/// because the branch is mispredicted at a collision. Repeated windows collide less and gain nothing.
#[inline]
fn probe<const TWO: bool>(slots: &[u64], mask: usize, hash: u64) -> (usize, u64) {
    let mut slot = hash as usize & mask;
    let mut found = slots[slot];
    if TWO {
        slot = (slot + usize::from((found ^ hash).min(found) != 0)) & mask;
        found = slots[slot];
    }
    while (found ^ hash).min(found) != 0 {
        slot = (slot + 1) & mask;
        found = slots[slot];
    }
    (slot, found)
}

impl DistinctHashes {
    /// Takes hashes in the order of the text, and counts them if `counted`. The former content is lost.
    pub(crate) fn collect(&mut self, hashes: &[u64], counted: bool) {
        if counted {
            self.insert_all::<true>(hashes);
            self.finish_counts();
        } else {
            self.insert_all::<false>(hashes);
        }
    }

    fn insert_all<const COUNTED: bool>(&mut self, hashes: &[u64]) {
        self.clear::<COUNTED>(hashes.len());
        for block in hashes.chunks(BLOCK) {
            self.insert::<COUNTED>(block);
        }
    }

    /// The hashes, each once, in the order of their first occurrence.
    pub(crate) fn hashes(&self) -> &[u64] {
        &self.hashes[..self.len]
    }

    /// How often each hash occurs; only after counting.
    pub(crate) fn counts(&self) -> &[u32] {
        &self.counts
    }

    /// Empties the table and sizes it for `expected` hashes, within the initial limit.
    ///
    /// Counted texts get half as many slots: their windows repeat more, and the counts share the first cache with the
    /// slots.
    pub(crate) fn clear<const COUNTED: bool>(&mut self, expected: usize) {
        (self.len, self.zero) = (0, None);
        self.counts.clear();
        let (most, share) = if COUNTED {
            (START_SLOTS / 2, 2)
        } else {
            (START_SLOTS, 4)
        };
        self.slots.clear();
        self.slots
            .resize(expected.saturating_mul(share).clamp(64, most).next_power_of_two(), 0);
    }

    /// The slot that holds `hash`, or the empty one where it belongs.
    #[inline]
    fn slot_of(&self, hash: u64) -> usize {
        probe::<false>(&self.slots, self.slots.len() - 1, hash).0
    }

    /// Whether the hash is in the table.
    #[inline]
    pub(crate) fn contains(&self, hash: u64) -> bool {
        if hash == 0 {
            return self.zero.is_some();
        }
        !self.slots.is_empty() && self.slots[self.slot_of(hash)] == hash
    }

    /// Where the hash is among [`DistinctHashes::hashes`]; only after counting.
    pub(crate) fn place(&self, hash: u64) -> Option<usize> {
        if hash == 0 {
            return self.zero;
        }
        if self.slots.is_empty() {
            return None;
        }
        let slot = self.slot_of(hash);
        (self.slots[slot] == hash).then(|| self.values[slot] as usize)
    }

    /// Adds a block of hashes. The block is small, so the table grows before it.
    ///
    /// A new hash costs no branch. Every hash is written to its slot and to the end of the list. The list grows by one
    /// if the slot was empty. Only a slot taken by another hash is a branch.
    pub(crate) fn insert<const COUNTED: bool>(&mut self, block: &[u64]) {
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
        if COUNTED && self.values.len() <= self.slots.len() {
            self.values.resize(self.slots.len() + 1, 0);
        }
        let mut len = self.len;
        let slots = &mut self.slots[..];
        let mask = slots.len() - 1;
        let hashes = &mut self.hashes[..room];
        let places = if COUNTED { &mut self.places[..room] } else { &mut [] };
        let values = if COUNTED { &mut self.values[..mask + 2] } else { &mut [] };
        for &hash in block {
            if hash == 0 {
                let new = self.zero.is_none();
                let at = *self.zero.get_or_insert(len);
                hashes[at] = 0;
                if COUNTED {
                    places[at] = mask as u32 + 1;
                    values[mask + 1] = if new { 1 } else { values[mask + 1] + 1 };
                }
                len += usize::from(new);
                continue;
            }
            // Whether a hash is known is nearly random; its slot seldom holds another hash.
            let (slot, found) = if COUNTED {
                probe::<false>(slots, mask, hash)
            } else {
                probe::<true>(slots, mask, hash)
            };
            slots[slot] = hash;
            hashes[len] = hash;
            if COUNTED {
                places[len] = slot as u32;
                // An empty slot has the count of an earlier text.
                values[slot] = (values[slot] & u32::from(found == 0).wrapping_sub(1)) + 1;
            }
            len += usize::from(found == 0);
        }
        self.len = len;
    }

    /// Places that [`DistinctHashes::mark`] needs: one a slot, and one for the hash zero.
    pub(crate) fn places_to_mark(&self) -> usize {
        self.slots.len() + 1
    }

    /// Sets to 1 the places of those hashes of a block that are in the table; a place belongs to one hash. Like
    /// [`DistinctHashes::insert`], it branches only where a slot is taken by another hash.
    pub(crate) fn mark(&self, block: &[u64], met: &mut [u8]) {
        let slots = &self.slots[..];
        if slots.is_empty() {
            return;
        }
        let mask = slots.len() - 1;
        let met = &mut met[..=slots.len()];
        for &hash in block {
            if hash == 0 {
                met[mask + 1] = u8::from(self.zero.is_some());
                continue;
            }
            let (slot, found) = probe::<true>(slots, mask, hash);
            met[slot] |= u8::from(found == hash);
        }
    }

    /// How many of some distinct hashes are in the table.
    pub(crate) fn count_of(&self, hashes: &[u64]) -> usize {
        let slots = &self.slots[..];
        if slots.is_empty() {
            return 0;
        }
        let mask = slots.len() - 1;
        let is_held = |&hash: &u64| match hash {
            0 => self.zero.is_some(),
            _ => probe::<true>(slots, mask, hash).1 == hash,
        };
        hashes.iter().map(|hash| usize::from(is_held(hash))).sum()
    }

    /// Gathers the counts and makes the slots point at their hashes' places.
    pub(crate) fn finish_counts(&mut self) {
        self.counts.resize(self.len, 0);
        for ((at, &slot), count) in self.places[..self.len].iter().enumerate().zip(&mut self.counts) {
            *count = std::mem::replace(&mut self.values[slot as usize], at as u32);
        }
    }

    /// From items in the order of the text, each with its hash: the items at which a hash occurs first, in the order of
    /// [`DistinctHashes::hashes`].
    pub(crate) fn firsts<T>(&self, items: impl Iterator<Item = (T, u64)>) -> impl Iterator<Item = T> {
        let mut rest = self.hashes().iter().peekable();
        items.filter_map(move |(item, hash)| rest.next_if_eq(&&hash).map(|_| item))
    }

    /// For each hash the sum of the values of its occurrences; `hashes` has the hash of each value. Only after
    /// counting.
    pub(crate) fn sums(&self, hashes: &[u64], values: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.len];
        for (&hash, value) in hashes.iter().zip(values) {
            sums[self.place(hash).expect("every occurrence is of a hash that is here")] += value;
        }
        sums
    }

    #[cold]
    fn grow<const COUNTED: bool>(&mut self, more: usize) {
        let counted = if COUNTED { self.len } else { 0 };
        let counts: Vec<u32> = self.places[..counted]
            .iter()
            .map(|&slot| self.values[slot as usize])
            .collect();
        let mut counts = counts.into_iter();
        let size = (self.slots.len() * 4).max(((self.len + more) * 2).next_power_of_two());
        self.slots.clear();
        self.slots.resize(size, 0);
        if COUNTED {
            self.values.resize((size + 1).max(self.values.len()), 0);
        }
        for at in 0..self.len {
            let hash = self.hashes[at];
            let slot = if hash == 0 { size } else { self.slot_of(hash) };
            if hash != 0 {
                self.slots[slot] = hash;
            }
            if COUNTED {
                self.places[at] = slot as u32;
                self.values[slot] = counts.next().unwrap_or(0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_of_zero_is_a_feature_like_any_other() {
        let mut table = DistinctHashes::default();
        assert!(!table.contains(3) && table.place(3).is_none());
        table.mark(&[0, 3], &mut [0]);
        table.clear::<true>(4);
        table.insert::<true>(&[5, 0, 0, 5, 7]);
        let mut met = vec![0; table.places_to_mark()];
        table.mark(&[0, 7, 9, 7], &mut met);
        assert_eq!((met.iter().sum::<u8>(), table.count_of(&[0, 7, 9])), (2, 2));
        let more: Vec<u64> = (100..10_000).collect();
        for block in more.chunks(1000) {
            table.insert::<true>(block);
        }
        table.finish_counts();
        assert_eq!(
            (&table.hashes()[..3], &table.counts()[..3]),
            (&[5, 0, 7][..], &[2, 2, 1][..])
        );
        assert_eq!(
            (table.place(0), table.place(7), table.place(9999)),
            (Some(1), Some(2), Some(9902))
        );
        assert!(table.contains(0) && !table.contains(6));
    }
}
