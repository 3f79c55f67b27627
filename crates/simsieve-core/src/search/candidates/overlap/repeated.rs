//! Which features are in more than one text: most of a text's rarest features are not, and need no entry.

use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use crate::base::hash::mix;

/// The features of at least two texts: one bit for each, by hash. Some others count as repeated too, which costs an
/// entry and never a pair.
#[derive(Debug)]
pub struct Repeated {
    bits: Vec<u64>,
}

/// 128 MiB of bits at most. One bit for each counted feature: more bits mean fewer false positives, but slower
/// look-ups.
const MAX_BITS: usize = 1 << 30;

impl Repeated {
    /// Reads texts with `features` features in all. `each` calls its argument with the distinct hashes of text `at`.
    /// The result depends neither on the order nor on threads.
    pub fn count<E: Send>(
        texts: usize,
        features: usize,
        each: impl Fn(usize, &dyn Fn(&[u64])) -> Result<(), E> + Sync,
    ) -> Result<Self, E> {
        let bits = features.next_power_of_two().clamp(64, MAX_BITS);
        // The bits for seen once and seen twice, adjacent: one fetch for both.
        let seen: Vec<[AtomicU64; 2]> = (0..bits / 64).into_par_iter().map(|_| Default::default()).collect();
        (0..texts).into_par_iter().try_for_each(|at| {
            each(at, &|hashes| {
                // Many fetches at a time; the steps below would wait for each.
                let words = hashes
                    .iter()
                    .map(|&hash| seen[place(hash, bits).0][0].load(Ordering::Relaxed));
                black_box(words.fold(0, |sum, word| sum ^ word));
                for &hash in hashes {
                    let (word, bit) = place(hash, bits);
                    let [once, twice] = &seen[word];
                    if set(once, bit) {
                        set(twice, bit);
                    }
                }
            })
        })?;
        let twice = seen.into_par_iter().map(|[_, twice]| twice.into_inner());
        Ok(Self { bits: twice.collect() })
    }

    /// Whether a feature is in two texts; rarely `true` for one that is not.
    #[inline]
    pub fn contains(&self, hash: u64) -> bool {
        let (word, bit) = place(hash, 64 * self.bits.len());
        self.bits[word] & bit != 0
    }
}

/// Sets a bit and returns whether it was set before; a set bit needs no costly write.
#[inline]
fn set(word: &AtomicU64, bit: u64) -> bool {
    word.load(Ordering::Relaxed) & bit != 0 || word.fetch_or(bit, Ordering::Relaxed) & bit != 0
}

/// Word and bit of a feature; `bits` is a power of two.
#[inline]
fn place(hash: u64, bits: usize) -> (usize, u64) {
    let at = mix(hash) as usize & (bits - 1);
    (at / 64, 1 << (at % 64))
}
