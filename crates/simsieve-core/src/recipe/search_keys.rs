//! The search keys of a collection, in partitions: in memory, or in a file of a run directory.

use crate::base::error::Result;
use crate::storage::column::{Column, with_room};
use crate::storage::run_dir::Appender;

/// Partitions, by the first byte of a key.
pub const PARTS: usize = 256;

/// Keys with the positions of their texts, partitioned by the first byte of the key.
#[derive(Debug, Clone)]
pub struct SearchKeys {
    /// In the upper 32 bits the next 31 bits of the key and whether it is a family's; in the lower ones the position. In each
    /// partition in ascending order of positions.
    parts: Vec<Vec<u64>>,
    /// The keys of earlier texts, in segments: the lengths of the partitions, then their items.
    file: Column<u64>,
    /// Of each segment the places where its partitions begin in the file, and where the last one ends.
    segments: Vec<Vec<usize>>,
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
        Ok(Self {
            parts: (0..PARTS).map(|_| with_room(room)).collect::<Result<_>>()?,
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
            parts: vec![Vec::new(); PARTS],
            file,
            segments,
        })
    }

    /// Whether the keys are of this many texts, and those of each partition in ascending order of them.
    pub fn fit(&self, texts: usize) -> bool {
        let text = |&item: &u64| item as u32;
        let fits =
            |items: &[u64]| items.is_sorted_by_key(text) && items.iter().all(|item| (text(item) as usize) < texts);
        (0..PARTS).all(|at| self.part(at).all(fits))
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

    /// Adds the keys that others have for the texts of `positions`, which ascend; the first of them becomes the position `first`, and
    /// so on.
    pub fn append_of(&mut self, others: &Self, positions: &[u32], first: usize) {
        let (Some(&from), Some(&to)) = (positions.first(), positions.last()) else {
            return;
        };
        for (at, part) in self.parts.iter_mut().enumerate() {
            for items in others.part(at) {
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

    /// Adds items to a partition, whose positions ascend from those before.
    pub(crate) fn extend(&mut self, part: usize, items: impl Iterator<Item = u64>) {
        self.parts[part].extend(items);
    }

    /// Appends the keys in memory to a file as a segment, and forgets them.
    ///
    /// # Errors
    /// [`Error::Storage`](crate::base::error::Error::Storage) where they cannot be written.
    pub fn write(&mut self, out: &mut Appender) -> Result<()> {
        let lengths: Vec<u64> = self.parts.iter().map(|part| part.len() as u64).collect();
        out.push(&lengths)?;
        for part in &mut self.parts {
            out.push(part)?;
            part.clear();
        }
        Ok(())
    }

    /// Gives the memory of a partition back; what is in a file stays there.
    pub(crate) fn forget(&mut self, part: usize) {
        self.parts[part] = Vec::new();
    }

    /// The number of keys.
    pub fn len(&self) -> usize {
        (0..PARTS)
            .map(|at| self.part(at).map(<[u64]>::len).sum::<usize>())
            .sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The items of a partition, in pieces.
    pub(crate) fn part(&self, at: usize) -> impl Iterator<Item = &[u64]> {
        let written = self
            .segments
            .iter()
            .map(move |places| &self.file[places[at]..places[at + 1]]);
        written.chain(std::iter::once(&self.parts[at][..]))
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
