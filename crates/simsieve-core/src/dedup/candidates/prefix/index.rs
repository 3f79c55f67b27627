//! Rows by the features of their prefixes. A query gives the inserted rows that may be near a row.

use std::hint::black_box;

use super::{Entry, Prefix, Prefixes, Tail};

/// Rows by the features of their prefixes.
#[derive(Debug)]
pub struct PrefixIndex {
    /// Open addressing.
    slots: Vec<Slot>,
    used: usize,
    /// Blocks of postings of one key; before each block except a key's first is a posting that leads to the preceding
    /// block.
    postings: Vec<Posting>,
    inserted: Vec<bool>,
    tails: Vec<Tail>,
    /// By row: the last query that met it, and the shared norm outside of their tails.
    met: Vec<(u32, u32)>,
    /// The rows of the last query with a sufficient product of shares at some feature.
    answer: Vec<u32>,
    /// Memory for the lists of one query.
    lists: Vec<(Slot, Entry)>,
    query_id: u32,
    most: usize,
    /// Capacity of a key's first block.
    first_capacity: u16,
}

/// A key and its latest block.
#[derive(Debug, Clone, Copy)]
struct Slot {
    key: u32,
    /// Start of the block; [`NONE`] in an empty slot.
    start: u32,
    len: u16,
    capacity: u16,
    /// Whether a block precedes it.
    follows: bool,
}

#[derive(Debug, Default, Clone, Copy)]
struct Posting {
    /// In a leading posting: the start of the preceding block.
    row: u32,
    /// In a leading posting: its length,
    mass: u16,
    /// and whether a block precedes it.
    share: u8,
}

const NONE: u32 = u32::MAX;
const EMPTY: Slot = Slot {
    key: 0,
    start: NONE,
    len: 0,
    capacity: 0,
    follows: false,
};
/// Capacity of the first block of a repeated key: it is mostly in a few more texts, and each block is a fetch.
const REPEATED_CAPACITY: u16 = 4;
/// Each block of a key has twice the capacity of the preceding one, up to this.
const MAX_CAPACITY: u16 = 128;
/// Set in the second half of `met`: the row is part of the answer.
const ANSWERS: u32 = 1 << 31;
/// Separates the keys of features in tails.
const IN_TAIL: u32 = 0x9E37_79B9;
/// The most postings of an index.
pub const MAX_POSTINGS: usize = u32::MAX as usize - 1;

impl PrefixIndex {
    /// An index for rows below `rows`, empty, that holds up to a number of postings below 2^32.
    pub fn new(rows: usize, most: usize) -> Self {
        Self {
            slots: vec![EMPTY; 1 << 12],
            used: 0,
            postings: Vec::new(),
            inserted: vec![false; rows],
            tails: vec![Tail::default(); rows],
            met: vec![(0, 0); rows],
            answer: Vec::new(),
            lists: Vec::new(),
            query_id: 0,
            most,
            first_capacity: 1,
        }
    }

    /// From now on only features of at least two texts are inserted ([`Prefixes::leave_out_unshared`]).
    pub fn expect_repeated(&mut self) {
        self.first_capacity = REPEATED_CAPACITY;
    }

    /// Whether the index was made for any rows.
    pub fn is_enabled(&self) -> bool {
        !self.inserted.is_empty()
    }

    /// Whether a row is inserted.
    pub fn contains(&self, row: u32) -> bool {
        self.inserted.get(row as usize).is_some_and(|&inserted| inserted)
    }

    /// Whether nothing is inserted.
    pub fn is_empty(&self) -> bool {
        self.postings.is_empty()
    }

    /// Inserts a row; `false` if no more postings fit.
    pub fn insert(&mut self, row: u32, prefix: &Prefix) -> bool {
        if self.postings.len() + usize::from(self.first_capacity.max(2)) * prefix.len() > self.most {
            return false;
        }
        for &Entry {
            key,
            share,
            in_tail,
            mass,
            ..
        } in &prefix.entries
        {
            if 4 * (self.used + 1) > 3 * self.slots.len() {
                self.grow();
            }
            let key = if in_tail { key ^ IN_TAIL } else { key };
            self.push(key, Posting { row, mass, share });
        }
        self.inserted[row as usize] = true;
        self.tails[row as usize] = prefix.tail;
        true
    }

    fn push(&mut self, key: u32, posting: Posting) {
        let at = find(&self.slots, key);
        let slot = &mut self.slots[at];
        if slot.start == NONE {
            self.used += 1;
            *slot = Slot {
                key,
                start: self.postings.len() as u32,
                len: 0,
                capacity: self.first_capacity,
                follows: false,
            };
            self.postings.resize(
                self.postings.len() + usize::from(self.first_capacity),
                Posting::default(),
            );
        } else if slot.len == slot.capacity {
            let lead = Posting {
                row: slot.start,
                mass: slot.len,
                share: slot.follows.into(),
            };
            self.postings.push(lead);
            let capacity = MAX_CAPACITY.min(2 * slot.capacity);
            *slot = Slot {
                key,
                start: self.postings.len() as u32,
                len: 0,
                capacity,
                follows: true,
            };
            self.postings
                .resize(self.postings.len() + usize::from(capacity), Posting::default());
        }
        self.postings[slot.start as usize + usize::from(slot.len)] = posting;
        slot.len += 1;
    }

    /// Calls `each` once with every inserted row that may be near the row of `prefix`, in no order.
    pub fn query(&mut self, prefixes: &Prefixes, prefix: &Prefix, mut each: impl FnMut(u32)) {
        self.query_id += 1;
        self.answer.clear();
        let mut lists = std::mem::take(&mut self.lists);
        self.look_up(prefixes, prefix, &mut lists);
        for &(slot, entry) in &lists {
            self.walk(prefixes, slot, entry);
        }
        self.lists = lists;
        // All tails are fetched before any is read; they are scattered in memory.
        let touched = self.answer.iter().map(|&row| self.tails[row as usize].share);
        black_box(touched.fold(0, |sum: u8, share| sum ^ share));
        for &row in &self.answer {
            let (_, shared) = &mut self.met[row as usize];
            if may_be_near(prefixes, prefix.tail, self.tails[row as usize], *shared & !ANSWERS) {
                each(row);
            } else {
                *shared &= !ANSWERS;
            }
        }
    }

    /// The lists to walk. Each step fetches one random place in memory for every feature, without dependencies, so many
    /// fetches run at once. Sequential fetches took a third of the time of a large bucket.
    fn look_up(&self, prefixes: &Prefixes, prefix: &Prefix, lists: &mut Vec<(Slot, Entry)>) {
        lists.clear();
        for entry in &prefix.entries {
            lists.push((self.slots[home(&self.slots, entry.key)], *entry));
            if entry.common && entry.share >= prefixes.root {
                let key = entry.key ^ IN_TAIL;
                lists.push((self.slots[home(&self.slots, key)], Entry { key, ..*entry }));
            }
        }
        for (slot, entry) in &mut *lists {
            if slot.start != NONE && slot.key != entry.key {
                *slot = self.slots[find(&self.slots, entry.key)];
            }
        }
        lists.retain(|(slot, _)| slot.start != NONE);
        let last = |slot: &Slot| self.postings[slot.start as usize + usize::from(slot.len) - 1].row;
        let rows = lists.iter().map(|(slot, _)| last(slot));
        black_box(rows.fold(0, |sum: u32, row| sum.wrapping_add(self.met[row as usize].0)));
    }

    fn walk(&mut self, prefixes: &Prefixes, slot: Slot, entry: Entry) {
        let (mut start, mut len, mut follows) = (slot.start as usize, usize::from(slot.len), slot.follows);
        loop {
            for posting in &self.postings[start..start + len] {
                let (query_id, shared) = &mut self.met[posting.row as usize];
                // Without a branch, because whether the query met the row before is unpredictable.
                *shared *= u32::from(*query_id == self.query_id);
                *query_id = self.query_id;
                // The unit is 2^-14: a sum is at most 2^14, plus one for the rounding, and never reaches the flag.
                *shared += ((u32::from(posting.mass) * u32::from(entry.mass)) >> 18) + 1;
                if u32::from(posting.share) * u32::from(entry.share) >= prefixes.least && *shared & ANSWERS == 0 {
                    *shared |= ANSWERS;
                    self.answer.push(posting.row);
                }
            }
            if !follows {
                return;
            }
            let lead = self.postings[start - 1];
            (start, len, follows) = (lead.row as usize, usize::from(lead.mass), lead.share == 1);
        }
    }

    /// Whether a row is in the answer of the last query.
    pub fn is_in_answer(&self, row: u32) -> bool {
        let (query_id, shared) = self.met[row as usize];
        query_id == self.query_id && shared & ANSWERS != 0
    }

    fn grow(&mut self) {
        let mut slots = vec![EMPTY; 2 * self.slots.len()];
        for slot in self.slots.iter().filter(|slot| slot.start != NONE) {
            let at = find(&slots, slot.key);
            slots[at] = *slot;
        }
        self.slots = slots;
    }
}

/// The norm shared outside of the tails (in units of 2^-14), plus the bound for the rest.
fn may_be_near(prefixes: &Prefixes, a: Tail, b: Tail, shared: u32) -> bool {
    // Up to here each shared feature was walked: it is in both prefixes, and not in both tails.
    let walked = a.begin.max(b.begin).min(a.end).min(b.end);
    // A feature in one head after the other's prefix was not walked: then the tails give no bound.
    let tails = if a.begin > b.end || b.begin > a.end {
        u32::MAX
    } else {
        u32::from(a.share) * u32::from(b.share)
    };
    let cuts = prefixes.rarity.cuts.partition_point(|&cut| cut <= walked);
    let behind = match cuts.checked_sub(1) {
        Some(last) => tails.min(u32::from(a.at_cuts[last]) * u32::from(b.at_cuts[last])),
        None => tails,
    };
    f64::from(shared) / 16_384.0 + f64::from(behind) / (255.0 * 255.0) >= prefixes.threshold
}

/// The preferred slot of a key.
#[inline]
fn home(slots: &[Slot], key: u32) -> usize {
    (key >> (32 - slots.len().ilog2())) as usize
}

/// The slot of a key, or the empty slot for it.
#[inline]
fn find(slots: &[Slot], key: u32) -> usize {
    let mut at = home(slots, key);
    while slots[at].start != NONE && slots[at].key != key {
        at = (at + 1) & (slots.len() - 1);
    }
    at
}
