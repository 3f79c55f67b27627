//! The search keys of a collection, in partitions: in memory, or in a file of a run directory.

use std::ops::Range;

use crate::base::error::Result;
use crate::base::fetch::fetch_soon;
use crate::storage::column::{Column, with_room};
use crate::storage::run_dir::Appender;

/// Partitions, by the first byte of a key.
pub const PARTS: usize = 256;

/// Keys with the positions of their texts, partitioned by the first byte of the key.
///
/// Items have in the upper 32 bits the next 31 bits of the key and whether it is a family's; in the lower ones the position. In each
/// partition they are in ascending order of positions.
#[derive(Debug, Clone)]
pub struct SearchKeys {
    /// The items with their partitions, while they are few: those of one text are searched in less time than partitions are made.
    few: Vec<(u8, u64)>,
    /// The items by partitions; no partitions while they are few.
    parts: Vec<Packed>,
    /// The keys of earlier texts, in segments: the lengths of the partitions, then their items.
    file: Column<u64>,
    /// Of each segment the places where its partitions begin in the file, and where the last one ends.
    segments: Vec<Vec<usize>>,
}

/// So many items have no partitions.
const FEW: usize = 64;

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

/// A partition that was not made.
static NO_ITEMS: Packed = Packed {
    tags: Vec::new(),
    steps: Vec::new(),
    last: 0,
};

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
        // The sizes of parts differ at random by the square root of their mean. A part without enough room grows.
        let expected = texts as f64 * mean / PARTS as f64;
        let room = match expected {
            ..1.0 => 0,
            _ => (1.02 * expected + 3.0 * expected.sqrt()) as usize,
        };
        let mut all = Self::of_written(Column::default(), Vec::new());
        if room > 0 {
            for part in all.partitions() {
                part.tags = with_room(room)?;
                // Room for steps of two bytes, where texts have few keys; memory that is not written to is not taken.
                part.steps = with_room(2 * room)?;
            }
        }
        Ok(all)
    }

    const fn of_written(file: Column<u64>, segments: Vec<Vec<usize>>) -> Self {
        Self {
            few: Vec::new(),
            parts: Vec::new(),
            file,
            segments,
        }
    }

    /// The items in memory by partitions, which are made where there are none.
    fn partitions(&mut self) -> &mut [Packed] {
        if self.parts.is_empty() {
            self.parts = vec![Packed::default(); PARTS];
            for (part, item) in self.few.drain(..) {
                self.parts[usize::from(part)].push(item);
            }
        }
        &mut self.parts
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
        (at == file.len()).then(|| Self::of_written(file, segments))
    }

    /// Whether the keys of the file are of this many texts, and those of each partition in ascending order of them.
    pub fn fit(&self, texts: usize) -> bool {
        let positions = |items: &[u64]| {
            items.is_sorted_by_key(|&item| item as u32) && items.iter().all(|&item| (item as u32 as usize) < texts)
        };
        (0..PARTS).all(|at| self.written(at).all(positions))
    }

    /// Adds the keys of consecutive texts from the position `first` on; `counts` has the number of keys of each text.
    pub fn append(&mut self, first: usize, counts: &[u16], keys: &[u64]) {
        let mut rest = keys;
        let each = counts.iter().enumerate().flat_map(|(at, &count)| {
            let (own, others) = rest.split_at(usize::from(count));
            rest = others;
            own.iter()
                .map(move |&key| (part_of(key), item(key, (first + at) as u32)))
        });
        if self.parts.is_empty() && self.few.len() + keys.len() <= FEW {
            self.few.extend(each.map(|(part, item)| (part as u8, item)));
        } else {
            let parts = self.partitions();
            each.for_each(|(part, item)| parts[part].push(item));
        }
    }

    /// Adds items to a partition. Where positions do not ascend, they take more memory.
    pub(crate) fn extend(&mut self, part: usize, items: impl Iterator<Item = u64>) {
        for item in items {
            if self.parts.is_empty() && self.few.len() < FEW {
                self.few.push((part as u8, item));
            } else {
                self.partitions()[part].push(item);
            }
        }
    }

    /// Appends the keys in memory to a file as a segment, and forgets them.
    ///
    /// # Errors
    /// [`Error::Storage`](crate::base::error::Error::Storage) where they cannot be written.
    pub fn write(&mut self, out: &mut Appender) -> Result<()> {
        let parts = self.partitions();
        let lengths: Vec<u64> = parts.iter().map(|part| part.tags.len() as u64).collect();
        out.push(&lengths)?;
        for part in parts {
            out.push(&part.items().collect::<Vec<u64>>())?;
            part.tags.clear();
            part.steps.clear();
            part.last = 0;
        }
        Ok(())
    }

    /// Gives the memory of some partitions back; what is in a file stays there.
    pub(crate) fn forget(&mut self, parts: Range<usize>) {
        self.few.retain(|(part, _)| !parts.contains(&usize::from(*part)));
        let parts = self.parts.get_mut(parts).unwrap_or_default();
        parts.fill_with(Packed::default);
    }

    /// The number of keys.
    pub fn len(&self) -> usize {
        let written = (0..PARTS).flat_map(|at| self.written(at)).map(<[u64]>::len);
        let written: usize = if self.segments.is_empty() { 0 } else { written.sum() };
        written + self.few.len() + self.parts.iter().map(|part| part.tags.len()).sum::<usize>()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Those of some partitions that have keys.
    pub(crate) fn filled(&self, among: Range<usize>) -> Vec<usize> {
        if self.parts.is_empty() && self.segments.is_empty() {
            let parts = self.few.iter().map(|(part, _)| usize::from(*part));
            let mut parts: Vec<usize> = parts.filter(|part| among.contains(part)).collect();
            parts.sort_unstable();
            parts.dedup();
            return parts;
        }
        among.filter(|&part| self.items(part).next().is_some()).collect()
    }

    /// The items of a partition.
    pub(crate) fn items(&self, part: usize) -> impl Iterator<Item = u64> {
        let few = self.few.iter().filter(move |(of, _)| usize::from(*of) == part);
        let in_memory = self.parts.get(part).unwrap_or(&NO_ITEMS).items();
        let written = self.written(part).flatten().copied();
        written.chain(few.map(|(_, item)| *item)).chain(in_memory)
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
    let mut guess = guessed(items, like);
    for _ in 0..GUESSES {
        guess = guessed_again(items, like, guess);
    }
    equal_near(items, like, guess)
}

/// What [`equal_items`] gives for some items, each with those among which it is. The places of many are read at the same time.
pub(crate) fn each_equal<'a, T: Copy>(
    mut wanted: impl Iterator<Item = (&'a [u64], u64, T)>,
    mut take: impl FnMut(&'a [u64], T),
) {
    let mut some = Vec::with_capacity(LOOKED_UP_AT_ONCE);
    loop {
        some.clear();
        let next = wanted.by_ref().take(LOOKED_UP_AT_ONCE);
        some.extend(next.map(|(items, like, of)| (items, like, guessed(items, like), of)));
        if some.is_empty() {
            return;
        }
        for _ in 0..GUESSES {
            for (items, _, guess, _) in &some {
                fetch_soon(items.get(*guess));
            }
            for (items, like, guess, _) in &mut some {
                *guess = guessed_again(items, *like, *guess);
            }
        }
        for (items, _, guess, _) in &some {
            fetch_soon(items.get(*guess));
        }
        for (items, like, guess, of) in &some {
            take(equal_near(items, *like, *guess), *of);
        }
    }
}

/// Items that are looked up at a time: about as many lines of memory can be on their way.
const LOOKED_UP_AT_ONCE: usize = 20;

/// How often a place is guessed again: each time it is about as far from the right one as the root of how far it was.
const GUESSES: usize = 2;

#[inline]
fn guessed(items: &[u64], like: u64) -> usize {
    ((u128::from(like >> 32) * items.len() as u128) >> 32) as usize
}

/// The place of an item by the value at a place that was guessed.
#[inline]
fn guessed_again(items: &[u64], like: u64, guess: usize) -> usize {
    let Some(&found) = items.get(guess) else { return guess };
    let off = i128::from((like >> 32) as i64 - (found >> 32) as i64) * items.len() as i128;
    guess.saturating_add_signed((off >> 32) as isize).min(items.len() - 1)
}

/// The items whose upper halves are that of one, which are expected near a place.
#[inline]
fn equal_near(items: &[u64], like: u64, guess: usize) -> &[u64] {
    let least = like >> 32 << 32;
    let start = first_not_below(items, guess, least);
    let next = least.checked_add(1 << 32);
    let end = next.map_or(items.len(), |next| first_not_below(items, start, next));
    // In a damaged file items are in no order.
    &items[start..end.max(start)]
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
#[path = "search_keys_tests.rs"]
mod tests;
