//! The features that many rows of large buckets have: each gets a bit, and a row's are one bitmap.

/// A feature that more rows than one in this many have is common: a bit in each bitmap costs less than its postings.
const COMMON_OF: usize = 16;
/// Further features are common, the most frequent first, while a query walks more postings than this: about the time in which
/// the features of a text are cut.
const MAX_WALKED: f64 = 16_384.0;
/// But these have this part of the threshold at most. Then rows that share common features alone are not near.
const MAX_PART: f64 = 0.8;
/// Bits of a bitmap, in steps.
const STEP_BITS: usize = 512;
const MAX_BITS: usize = 8192;
/// Bits of all bitmaps at most: 256 MiB.
const MAX_ALL_BITS: usize = 1 << 31;

/// Common features, each with its bit.
#[derive(Debug, Default)]
pub struct Common {
    /// Open addressing; the number of slots is a power of two.
    slots: Vec<CommonSlot>,
    /// Bits of a bitmap.
    bits: usize,
}

#[derive(Debug, Clone, Copy)]
struct CommonSlot {
    hash: u64,
    /// [`NONE`] in an empty slot.
    bit: u32,
}

const NONE: u32 = u32::MAX;

impl Common {
    /// The common features of `rows` rows, by the distinct features of some of them. Any choice is correct; it costs time only.
    pub fn of(lists: &[Vec<u64>], rows: usize, threshold: f64) -> Self {
        let mut all: Vec<u64> = lists.iter().flatten().copied().collect();
        all.sort_unstable();
        // What few of these rows have is no estimate.
        let mut counted: Vec<(u32, u64)> = (all.chunk_by(|a, b| a == b).filter(|same| same.len() > 2))
            .map(|same| (same.len() as u32, same[0]))
            .collect();
        counted.sort_unstable_by(|a, b| b.cmp(a));
        let n = lists.len().max(2) as f64;
        // The postings that a query walks in the mean, and the common part of the features.
        let postings = |count: u32| f64::from(count) * f64::from(count - 1) / (n * (n - 1.0)) * rows as f64;
        let mut walked: f64 = counted.iter().map(|(count, _)| postings(*count)).sum();
        let features = all.len().max(1) as f64;
        let mut part = 0.0;
        let is_common = |&(count, _): &(u32, u64)| {
            part += f64::from(count) / features;
            let common = count as usize * COMMON_OF > lists.len() || walked > MAX_WALKED && part < MAX_PART * threshold;
            walked -= postings(count);
            common
        };
        let common: Vec<(u32, u64)> = counted.into_iter().take_while(is_common).collect();
        let most = (MAX_ALL_BITS / rows.max(1)).clamp(STEP_BITS, MAX_BITS);
        let bits = common.len().clamp(1, most).next_multiple_of(STEP_BITS);
        let mut made = Self {
            slots: vec![CommonSlot { hash: 0, bit: NONE }; (2 * common.len()).next_power_of_two().max(2)],
            bits,
        };
        // The most frequent features have a bit each; others share.
        for (at, (_, hash)) in common.into_iter().enumerate() {
            let slot = made.find(hash);
            made.slots[slot] = CommonSlot {
                hash,
                bit: (at % bits) as u32,
            };
        }
        made
    }

    /// Words of a bitmap.
    pub fn words(&self) -> usize {
        self.bits / 64
    }

    /// The bit of a feature, if it is common.
    #[inline]
    pub fn bit(&self, hash: u64) -> Option<usize> {
        let slot = self.slots[self.find(hash)];
        (slot.bit != NONE).then_some(slot.bit as usize)
    }

    /// The slot of a feature, or the empty slot for it.
    #[inline]
    fn find(&self, hash: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = (hash >> 32) as usize & mask;
        while self.slots[at].bit != NONE && self.slots[at].hash != hash {
            at = (at + 1) & mask;
        }
        at
    }
}
