//! Rows by their features. A query adds up what each inserted row shares with a row.

use std::hint::black_box;

use super::{Entry, Other, Profile, Profiles, Shape};
use crate::base::kernel::Kernel;

/// Rows by their features: postings of the rare ones, and a bitmap of the common ones.
#[derive(Debug)]
pub struct OverlapIndex {
    kernel: Kernel,
    /// Open addressing.
    slots: Vec<IndexSlot>,
    used: usize,
    /// Blocks of postings of one key; before each block except a key's first is a posting that leads to the preceding
    /// block.
    postings: Vec<Posting>,
    /// The place of each row among the inserted ones; [`NONE`] for others.
    places: Vec<u32>,
    /// By place: the row, its shape and its bitmap.
    rows: Vec<u32>,
    shapes: Vec<Shape>,
    bitmaps: Vec<u64>,
    /// By the common part of the norm, in [`CLASSES`] equal steps: places.
    classes: Vec<Vec<u32>>,
    /// By place: the part of the cosine by shared rare features, in units of 2^-30; and the places where it is not 0.
    sums: Vec<u32>,
    met: Vec<u32>,
    /// Queries, and postings that they walked.
    queries: u64,
    walked: u64,
    /// Memory for the lists of one query: the blocks at hand, and those that precede them.
    lists: [Lists; 2],
    most: usize,
    most_bytes: usize,
    /// Capacity of a key's first block.
    first_capacity: u16,
}

/// A key and its latest block.
#[derive(Debug, Clone, Copy)]
struct IndexSlot {
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
    place: u32,
    /// In a leading posting: its length,
    mass: u16,
    /// and whether a block precedes it.
    follows: bool,
}

/// Blocks to walk, each with the mass of its feature in the row.
type Lists = Vec<(IndexSlot, u16)>;

const NONE: u32 = u32::MAX;
const EMPTY: IndexSlot = IndexSlot {
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
/// Steps of the common part of the norm, which is at most 1.
const CLASSES: usize = 128;
/// The most postings of an index.
pub const MAX_POSTINGS: usize = u32::MAX as usize - 1;

impl OverlapIndex {
    /// An index for rows below `rows`, empty, that holds up to a number of postings below 2^32, in about `most_bytes`. One for no rows
    /// takes no memory.
    pub fn new(rows: usize, most: usize, most_bytes: usize, kernel: Kernel) -> Self {
        let room = |size: usize| if rows == 0 { 0 } else { size };
        Self {
            kernel,
            slots: vec![EMPTY; room(1 << 12)],
            used: 0,
            postings: Vec::new(),
            places: vec![NONE; rows],
            rows: Vec::new(),
            shapes: Vec::new(),
            bitmaps: Vec::new(),
            classes: vec![Vec::new(); room(CLASSES)],
            sums: Vec::new(),
            met: Vec::new(),
            queries: 0,
            walked: 0,
            lists: Default::default(),
            most,
            most_bytes,
            first_capacity: 1,
        }
    }

    /// From now on only features of at least two texts are inserted ([`Profiles::leave_out_unshared`]).
    pub fn expect_repeated(&mut self) {
        self.first_capacity = REPEATED_CAPACITY;
    }

    /// Whether a row is inserted.
    pub fn contains(&self, row: u32) -> bool {
        self.places.get(row as usize).is_some_and(|&place| place != NONE)
    }

    /// The inserted rows, in order.
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// The number of postings, with room for more.
    pub fn postings(&self) -> usize {
        self.postings.len()
    }

    /// Bytes of all lists that grow.
    fn bytes(&self) -> usize {
        let of_row = size_of::<(u32, u32, u32, Shape)>();
        size_of_val(&*self.slots)
            + size_of_val(&*self.postings)
            + size_of_val(&*self.bitmaps)
            + of_row * self.rows.len()
    }

    /// Whether no row fits, however few features it has.
    pub fn is_full(&self) -> bool {
        self.postings.len() >= self.most || self.bytes() > self.most_bytes
    }

    /// Inserts a row; `false` if no more postings fit.
    pub fn insert(&mut self, row: u32, profile: &Profile) -> bool {
        let further = usize::from(self.first_capacity.max(2)) * profile.entries.len();
        if self.postings.len() + further > self.most || self.bytes() > self.most_bytes {
            return false;
        }
        let place = self.rows.len() as u32;
        for &Entry { key, mass } in &profile.entries {
            if 4 * (self.used + 1) > 3 * self.slots.len() {
                self.grow();
            }
            let posting = Posting {
                place,
                mass,
                follows: false,
            };
            self.push(key, posting);
        }
        self.places[row as usize] = place;
        self.rows.push(row);
        self.shapes.push(profile.shape);
        self.classes[class(profile.shape.common)].push(place);
        self.bitmaps.extend_from_slice(&profile.bitmap);
        self.sums.push(0);
        true
    }

    fn push(&mut self, key: u32, posting: Posting) {
        let at = find(&self.slots, key);
        let slot = &mut self.slots[at];
        if slot.start == NONE {
            self.used += 1;
            *slot = IndexSlot {
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
                place: slot.start,
                mass: slot.len,
                follows: slot.follows,
            };
            self.postings.push(lead);
            let capacity = MAX_CAPACITY.min(2 * slot.capacity);
            *slot = IndexSlot {
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

    /// Adds up what the inserted rows share with the row of `profile` in rare features. An insertion ends the query.
    pub fn query(&mut self, profile: &Profile) {
        for place in self.met.drain(..) {
            self.sums[place as usize] = 0;
        }
        self.queries += 1;
        let [mut lists, mut preceding] = std::mem::take(&mut self.lists);
        self.look_up(profile, &mut lists);
        while !lists.is_empty() {
            // The latest blocks of all lists, then those that precede them. Each step fetches one random place in memory for
            // every list, without dependencies: the fetches overlap. List by list the walk took four times as long.
            let places = lists.iter().map(|(slot, _)| self.postings[slot.start as usize].place);
            black_box(places.fold(0, |sum: u32, place| sum.wrapping_add(self.sums[place as usize])));
            for &(slot, mass) in &lists {
                self.add_up(slot, mass);
                if slot.follows {
                    preceding.push((self.preceding(slot), mass));
                }
            }
            std::mem::swap(&mut lists, &mut preceding);
            preceding.clear();
        }
        self.lists = [lists, preceding];
    }

    /// Postings that a query walks in the mean, so far.
    pub fn mean_walked(&self) -> u64 {
        self.walked / self.queries.max(1)
    }

    /// The latest blocks of the features of a row.
    fn look_up(&self, profile: &Profile, lists: &mut Lists) {
        lists.clear();
        let entries = profile.entries.iter();
        lists.extend(entries.map(|entry| (self.slots[home(&self.slots, entry.key)], entry.mass)));
        for ((slot, _), entry) in lists.iter_mut().zip(&profile.entries) {
            if slot.start != NONE && slot.key != entry.key {
                *slot = self.slots[find(&self.slots, entry.key)];
            }
        }
        lists.retain(|(slot, _)| slot.start != NONE);
    }

    /// The block that precedes another one.
    fn preceding(&self, slot: IndexSlot) -> IndexSlot {
        let lead = self.postings[slot.start as usize - 1];
        IndexSlot {
            start: lead.place,
            len: lead.mass,
            follows: lead.follows,
            ..slot
        }
    }

    fn add_up(&mut self, slot: IndexSlot, mass: u16) {
        let (start, len) = (slot.start as usize, usize::from(slot.len));
        self.walked += len as u64;
        let mut met = self.met.len();
        self.met.resize(met + len, 0);
        for posting in &self.postings[start..start + len] {
            let sum = &mut self.sums[posting.place as usize];
            // Without a branch, because whether the query met the row before is unpredictable.
            self.met[met] = posting.place;
            met += usize::from(*sum == 0);
            *sum = sum.saturating_add(u32::from(posting.mass) * u32::from(mass));
        }
        self.met.truncate(met);
    }

    /// Whether a row may be near the row of the last query; `true` for a row that is not inserted.
    #[inline]
    pub fn may_be_near(&self, profiles: &Profiles, profile: &Profile, row: u32) -> bool {
        match self.places[row as usize] {
            NONE => true,
            place => self.may_be_near_at(profiles, profile, place as usize),
        }
    }

    /// How many inserted rows can be near the row of a profile by common features alone: the product of both common parts reaches
    /// the threshold. Some whose product is a little smaller are counted too.
    pub fn possible_by_common(&self, profiles: &Profiles, profile: &Profile) -> usize {
        self.by_common(profiles, profile).iter().map(Vec::len).sum()
    }

    /// The classes of the rows that can be near by common features alone.
    fn by_common(&self, profiles: &Profiles, profile: &Profile) -> &[Vec<u32>] {
        let least = profile.least_common(profiles);
        let first = if least <= 1.0 + 1e-5 { class(least) } else { CLASSES };
        &self.classes[first..]
    }

    /// The inserted rows that may be near the row of the last query, each once and in no order.
    pub fn near<'a>(&'a self, profiles: &'a Profiles, profile: &'a Profile) -> impl Iterator<Item = u32> + 'a {
        let by_common = self.by_common(profiles, profile).iter().flatten();
        let by_common = by_common.filter(|&&place| self.sums[place as usize] == 0);
        let places = self.met.iter().chain(by_common).map(|&place| place as usize);
        let near = places.filter(|&place| self.may_be_near_at(profiles, profile, place));
        near.map(|place| self.rows[place])
    }

    #[inline]
    fn may_be_near_at(&self, profiles: &Profiles, profile: &Profile, place: usize) -> bool {
        let other = Other {
            shape: self.shapes[place],
            bitmap: &self.bitmaps[place * profile.bitmap.len()..][..profile.bitmap.len()],
            sum: self.sums[place],
        };
        profile.may_be_near(profiles, other, self.kernel)
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

/// The class of a common part of the norm.
fn class(common: f32) -> usize {
    ((common * CLASSES as f32) as usize).min(CLASSES - 1)
}

/// The preferred slot of a key.
#[inline]
fn home(slots: &[IndexSlot], key: u32) -> usize {
    (key >> (32 - slots.len().ilog2())) as usize
}

/// The slot of a key, or the empty slot for it.
#[inline]
fn find(slots: &[IndexSlot], key: u32) -> usize {
    let mut at = home(slots, key);
    while slots[at].start != NONE && slots[at].key != key {
        at = (at + 1) & (slots.len() - 1);
    }
    at
}
