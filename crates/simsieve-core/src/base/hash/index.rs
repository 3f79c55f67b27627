//! Looks up values of features by their hashes, in a few nanoseconds each.

use crate::base::hash::mask;

/// An index of ascending, distinct hash prefixes.
#[derive(Debug, Clone)]
pub(crate) struct Index {
    mask: u64,
    /// Start of the entries whose prefix has these top bits, and the end of the last. Hashes are uniform, so a place
    /// has about one entry.
    starts: Vec<u32>,
    shift: u32,
}

impl Index {
    /// The index of prefixes of this many bits.
    pub(crate) fn of<V>(entries: &[(u64, V)], bits: u32) -> Self {
        let index_bits = (entries.len().max(2).ilog2()).min(bits).max(1);
        let shift = u64::BITS - index_bits;
        let mut starts = vec![0_u32; (1 << index_bits) + 1];
        for (prefix, _) in entries {
            starts[(prefix >> shift) as usize + 1] += 1;
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        Self {
            mask: mask(bits),
            starts,
            shift,
        }
    }

    fn place(&self, hash: u64) -> (usize, usize) {
        let place = ((hash & self.mask) >> self.shift) as usize;
        (self.starts[place] as usize, self.starts[place + 1] as usize)
    }

    /// The value of a hash's entry.
    pub(crate) fn find<V: Copy>(&self, entries: &[(u64, V)], hash: u64) -> Option<V> {
        let (start, end) = self.place(hash);
        among(&entries[start..end], hash & self.mask)
    }

    /// Calls `take` with the value of each of `hashes`, in their order.
    ///
    /// A look-up costs a wait for memory, so a block of look-ups waits together: first for their places, then for the
    /// entries. One at a time, fingerprints of 66 MB under a model of 3.9 million features took 2.2 CPU seconds instead
    /// of 1.4.
    pub(crate) fn each<V: Copy>(&self, entries: &[(u64, V)], hashes: &[u64], mut take: impl FnMut(Option<V>)) {
        const BLOCK: usize = 32;
        for block in hashes.chunks(BLOCK) {
            let mut places = [(0, 0); BLOCK];
            for (place, &hash) in places.iter_mut().zip(block) {
                *place = self.place(hash);
            }
            let mut firsts = [None; BLOCK];
            for (first, &(start, end)) in firsts.iter_mut().zip(&places) {
                *first = entries[start..end].first().copied();
            }
            for ((hash, first), (start, end)) in block.iter().zip(firsts).zip(places) {
                let prefix = hash & self.mask;
                take(match first {
                    Some((known, value)) if known == prefix => Some(value),
                    Some(_) => among(&entries[start + 1..end], prefix),
                    None => None,
                });
            }
        }
    }
}

fn among<V: Copy>(few: &[(u64, V)], prefix: u64) -> Option<V> {
    few.iter().find(|entry| entry.0 == prefix).map(|entry| entry.1)
}
