//! The search keys of a collection, in partitions.

use crate::base::error::Result;
use crate::storage::column::with_room;

/// Partitions, by the first byte of a key.
const PARTS: usize = 256;

/// Keys with the positions of their texts, partitioned by the first byte of the key.
#[derive(Debug)]
pub struct SearchKeys {
    /// In the upper 32 bits the next 31 bits of the key and whether it is a family's; in the lower ones the position. In each
    /// partition in ascending order of positions.
    parts: Vec<Vec<u64>>,
}

impl SearchKeys {
    /// Room for the keys of `texts` texts with `mean` keys each.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::base::error::Error::Memory) where there is not that much memory.
    pub fn with_room(texts: usize, mean: f64) -> Result<Self> {
        // Parts differ by the root of their number at random; what is not enough grows.
        let expected = texts as f64 * mean / PARTS as f64;
        let room = (1.02 * expected + 3.0 * expected.sqrt()) as usize;
        Ok(Self {
            parts: (0..PARTS).map(|_| with_room(room)).collect::<Result<_>>()?,
        })
    }

    /// Adds the keys of consecutive texts, of which the first has the position `first`; `counts` says how many each text has.
    pub fn append(&mut self, first: usize, counts: &[u16], keys: &[u64]) {
        let mut rest = keys;
        for (at, &count) in counts.iter().enumerate() {
            let (own, others) = rest.split_at(usize::from(count));
            rest = others;
            for key in own {
                let tag = (key >> 24) as u32 & !1 | (key & 1) as u32;
                self.parts[(key >> 56) as usize].push(u64::from(tag) << 32 | (first + at) as u64);
            }
        }
    }

    /// The number of keys.
    pub fn len(&self) -> usize {
        self.parts.iter().map(Vec::len).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.parts.iter().all(Vec::is_empty)
    }

    /// The partitions.
    pub(crate) fn parts(&self) -> &[Vec<u64>] {
        &self.parts
    }
}

/// Whether a partition's item is of a family's key.
pub(crate) const fn is_family(item: u64) -> bool {
    item >> 32 & 1 == 1
}
