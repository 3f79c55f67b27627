//! The search keys of a collection, in partitions: in memory, or in a file of a run directory.

use crate::base::error::Result;
use crate::base::fetch::fetch_soon;
use crate::storage::column::{Column, with_room};
use crate::storage::run_dir::Appender;

/// Partitions, by the first byte of a key.
pub const PARTS: usize = 256;

/// Keys with the positions of their texts, partitioned by the first byte of the key.
#[derive(Debug, Clone)]
pub struct SearchKeys {
    /// Items have in the upper 32 bits the next 31 bits of the key and whether it is a family's; in the lower ones the position. In
    /// each partition they are in ascending order of positions.
    parts: Vec<Packed>,
    /// The keys of earlier texts, in segments: the lengths of the partitions, then their items.
    file: Column<u64>,
    /// Of each segment the places where its partitions begin in the file, and where the last one ends.
    segments: Vec<Vec<usize>>,
}

/// Items of a partition in memory: 5 bytes each in place of 8, as positions ascend in small steps.
#[derive(Debug, Default, Clone)]
struct Packed {
    /// The upper 32 bits of the items.
    tags: Vec<u32>,
    /// How far the position of each is from the one before: 7 bits a byte, the lowest first; all bytes but its last have the
    /// highest bit.
    steps: Vec<u8>,
    /// The position of the last item.
    last: u32,
}

/// The highest bit of a byte of [`Packed::steps`]: the step goes on in the next byte.
const MORE: u8 = 0x80;

impl Packed {
    #[inline]
    fn push(&mut self, item: u64) {
        let position = item as u32;
        let mut step = position.wrapping_sub(self.last);
        self.last = position;
        self.tags.push((item >> 32) as u32);
        while step >= u32::from(MORE) {
            self.steps.push(step as u8 | MORE);
            step >>= 7;
        }
        self.steps.push(step as u8);
    }

    fn items(&self) -> impl Iterator<Item = u64> {
        let mut steps = self.steps.iter();
        let mut position = 0_u32;
        self.tags.iter().map(move |&tag| {
            let (mut step, mut shift) = (0, 0);
            for &byte in steps.by_ref() {
                step |= u32::from(byte & !MORE) << shift;
                shift += 7;
                if byte < MORE {
                    break;
                }
            }
            position = position.wrapping_add(step);
            u64::from(tag) << 32 | u64::from(position)
        })
    }
}

impl SearchKeys {
    /// Room for the keys of `texts` texts with `mean` keys each.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::base::error::Error::Memory) where there is not that much memory.
    pub fn with_room(texts: usize, mean: f64) -> Result<Self> {
        // Parts differ by the root of their number at random; what is not enough grows.
        let expected = texts as f64 * mean / PARTS as f64;
        let room = match expected {
            ..1.0 => 0,
            _ => (1.02 * expected + 3.0 * expected.sqrt()) as usize,
        };
        let mut parts = vec![Packed::default(); PARTS];
        for part in parts.iter_mut().filter(|_| room > 0) {
            part.tags = with_room(room)?;
            // Room for steps of two bytes, where texts have few keys; memory that is not written to is not taken.
            part.steps = with_room(2 * room)?;
        }
        Ok(Self {
            parts,
            file: Column::default(),
            segments: Vec::new(),
        })
    }

    /// Keys that [`SearchKeys::write`] has written; `None` where the file does not hold whole segments.
    pub fn of_file(file: Column<u64>) -> Option<Self> {
        let (mut segments, mut at) = (Vec::new(), 0);
        while at < file.len() {
            let lengths = file.get(at..at + PARTS)?;
            let mut start = at + PARTS;
            let mut places = vec![start];
            for &length in lengths {
                start = start.checked_add(usize::try_from(length).ok()?)?;
                places.push(start);
            }
            segments.push(places);
            at = start;
        }
        (at == file.len()).then(|| Self {
            parts: vec![Packed::default(); PARTS],
            file,
            segments,
        })
    }

    /// Whether the keys of the file are of this many texts, and those of each partition in ascending order of them.
    pub fn fit(&self, texts: usize) -> bool {
        let positions = |items: &[u64]| {
            items.is_sorted_by_key(|&item| item as u32) && items.iter().all(|&item| (item as u32 as usize) < texts)
        };
        (0..PARTS).all(|at| self.written(at).all(positions))
    }

    /// Adds the keys of consecutive texts, of which the first has the position `first`; `counts` says how many each text has.
    pub fn append(&mut self, first: usize, counts: &[u16], keys: &[u64]) {
        let mut rest = keys;
        for (at, &count) in counts.iter().enumerate() {
            let (own, others) = rest.split_at(usize::from(count));
            rest = others;
            for key in own {
                self.parts[part_of(*key)].push(item(*key, (first + at) as u32));
            }
        }
    }

    /// Adds the keys that others have in their file for the texts of `positions`, which ascend; the first of them becomes the position
    /// `first`, and so on.
    pub fn append_of(&mut self, others: &Self, positions: &[u32], first: usize) {
        let (Some(&from), Some(&to)) = (positions.first(), positions.last()) else {
            return;
        };
        for (at, part) in self.parts.iter_mut().enumerate() {
            for items in others.written(at) {
                let items = &items[items.partition_point(|&item| (item as u32) < from)..];
                let items = &items[..items.partition_point(|&item| item as u32 <= to)];
                for item in items {
                    if let Ok(rank) = positions.binary_search(&(*item as u32)) {
                        part.push(item >> 32 << 32 | (first + rank) as u64);
                    }
                }
            }
        }
    }

    /// Adds items to a partition. Where positions do not ascend, they take more memory.
    pub(crate) fn extend(&mut self, part: usize, items: impl Iterator<Item = u64>) {
        items.for_each(|item| self.parts[part].push(item));
    }

    /// Appends the keys in memory to a file as a segment, and forgets them.
    ///
    /// # Errors
    /// [`Error::Storage`](crate::base::error::Error::Storage) where they cannot be written.
    pub fn write(&mut self, out: &mut Appender) -> Result<()> {
        let lengths: Vec<u64> = self.parts.iter().map(|part| part.tags.len() as u64).collect();
        out.push(&lengths)?;
        for part in &mut self.parts {
            out.push(&part.items().collect::<Vec<u64>>())?;
            part.tags.clear();
            part.steps.clear();
            part.last = 0;
        }
        Ok(())
    }

    /// Gives the memory of a partition back; what is in a file stays there.
    pub(crate) fn forget(&mut self, part: usize) {
        self.parts[part] = Packed::default();
    }

    /// The number of keys.
    pub fn len(&self) -> usize {
        let written = |at| self.written(at).map(<[u64]>::len).sum::<usize>();
        (0..PARTS).map(|at| written(at) + self.parts[at].tags.len()).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether a partition has no keys.
    #[inline]
    pub(crate) fn lacks(&self, part: usize) -> bool {
        self.parts[part].tags.is_empty() && self.written(part).all(<[u64]>::is_empty)
    }

    /// The items of a partition.
    pub(crate) fn items(&self, part: usize) -> impl Iterator<Item = u64> {
        self.written(part).flatten().copied().chain(self.parts[part].items())
    }

    /// The items of a partition that are in the file, in pieces.
    fn written(&self, part: usize) -> impl Iterator<Item = &[u64]> {
        self.segments
            .iter()
            .map(move |places| &self.file[places[part]..places[part + 1]])
    }
}

/// The partition of a key.
pub(crate) const fn part_of(key: u64) -> usize {
    (key >> 56) as usize
}

/// A key of a text as an item of its partition: in the upper 32 bits what is compared of the key and whether it is a family's.
pub(crate) const fn item(key: u64, text: u32) -> u64 {
    let tag = (key >> 24) as u32 & !1 | (key & 1) as u32;
    (tag as u64) << 32 | text as u64
}

/// Whether a partition's item is of a family's key.
pub(crate) const fn is_family(item: u64) -> bool {
    item >> 32 & 1 == 1
}

/// The items whose upper halves are that of one, among items in order. Hashes are even, so the place of the first is guessed by its value,
/// and twice again by the value that is found there.
pub fn equal_items(items: &[u64], like: u64) -> &[u64] {
    let least = like >> 32 << 32;
    let mut guess = guessed(items, like);
    for _ in 0..GUESSES {
        let Some(&found) = items.get(guess) else { break };
        let off = i128::from((like >> 32) as i64 - (found >> 32) as i64) * items.len() as i128;
        guess = guess.saturating_add_signed((off >> 32) as isize).min(items.len() - 1);
    }
    let start = first_not_below(items, guess, least);
    let next = least.checked_add(1 << 32);
    let end = next.map_or(items.len(), |next| first_not_below(items, start, next));
    &items[start..end]
}

/// Has the memory bring the place where [`equal_items`] begins to look.
#[inline]
pub(crate) fn fetch_item(items: &[u64], like: u64) {
    fetch_soon(items.get(guessed(items, like)));
}

/// How often a place is guessed again: each time it is about as far from the right one as the root of how far it was.
const GUESSES: usize = 2;

#[inline]
fn guessed(items: &[u64], like: u64) -> usize {
    ((u128::from(like >> 32) * items.len() as u128) >> 32) as usize
}

/// The place of the first item that is not below a value, near a place where it is expected.
fn first_not_below(items: &[u64], near: usize, value: u64) -> usize {
    let mut step = 1;
    if items.get(near).is_some_and(|&item| item < value) {
        let mut low = near;
        while items.get(low + step).is_some_and(|&item| item < value) {
            low += step;
            step *= 2;
        }
        let high = (low + step).min(items.len());
        return low + items[low..high].partition_point(|&item| item < value);
    }
    let mut high = near.min(items.len());
    while high > 0 && items[high.saturating_sub(step)] >= value {
        high = high.saturating_sub(step);
        step *= 2;
    }
    let low = high.saturating_sub(step);
    low + items[low..high].partition_point(|&item| item < value)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::hash::mix;

    proptest! {
        #[test]
        fn items_come_out_as_they_went_in(
            steps in proptest::collection::vec((any::<u32>(), prop_oneof![0..200_u32, 0..40_000_u32, any::<u32>()]), 0..300),
        ) {
            let (mut keys, mut position) = (SearchKeys::with_room(3, 2.0).unwrap(), 0_u32);
            let item = |(tag, step): (u32, u32)| {
                // Beyond the last one they begin anew.
                position = position.wrapping_add(step);
                u64::from(tag) << 32 | u64::from(position)
            };
            let items: Vec<u64> = steps.into_iter().map(item).collect();
            keys.extend(7, items.iter().copied());
            prop_assert_eq!(keys.items(7).collect::<Vec<_>>(), items.clone());
            prop_assert_eq!(keys.len(), items.len());
            keys.forget(7);
            prop_assert!(keys.is_empty());
        }
    }

    #[test]
    fn a_key_of_a_large_collection_takes_five_bytes() {
        let mut keys = SearchKeys::with_room(100_000, 8.0).unwrap();
        for text in 0..100_000 {
            keys.append(
                text,
                &[8],
                &std::array::from_fn::<u64, 8, _>(|at| mix((text * 8 + at) as u64)),
            );
        }
        let bytes: usize = keys
            .parts
            .iter()
            .map(|part| 4 * part.tags.len() + part.steps.len())
            .sum();
        assert!((5.0..5.1).contains(&(bytes as f64 / keys.len() as f64)), "{bytes}");
    }
}
