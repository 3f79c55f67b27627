//! The hashes that bits come from: XXH3 of a feature's UTF-8, and words beyond the first by mixing.
//!
//! [`batch`] hashes many pieces of one text at once, by the [`forms`] of short pieces. [`distinct`] collects the distinct
//! hashes of a text. [`index`] finds sorted entries by their hashes. [`hex`] writes a digest.

pub(crate) mod batch;
pub(crate) mod distinct;
pub(crate) mod forms;
pub(crate) mod hex;
pub(crate) mod index;

use std::num::Wrapping;

use crate::base::lanes::Word;

use self::forms::{MIX_1, MIX_2, WORD_STEP};
pub use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

/// The start and end of a piece of a text, in bytes.
pub(crate) type Place = (usize, usize);

/// The finaliser of splitmix64 (Steele, Lea and Flood, OOPSLA 2014, section 3): a bijection in which every input bit
/// moves every output bit with probability near one half.
#[inline]
pub const fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(MIX_1);
    x = (x ^ (x >> 27)).wrapping_mul(MIX_2);
    x ^ (x >> 31)
}

/// Word `k` of a feature's hash: word 0 is the XXH3-64 itself, the others are mixed from it.
///
/// A feature is hashed once at any width, so 256 bits cost little more than 64. [`mix`] is a bijection, so two features
/// share a further word only if they share the first.
#[inline]
pub const fn word(hash: u64, k: usize) -> u64 {
    if k == 0 {
        hash
    } else {
        mix(hash.wrapping_add((k as u64).wrapping_mul(WORD_STEP)))
    }
}

/// The initial state of FNV-1.
pub(crate) const FNV_OFFSET: u64 = 0xCBF2_9CE4_8422_2325;

/// FNV-1 of 64 bits (Fowler, Noll and Vo; RFC 9923): multiply, then xor.
///
/// ```
/// assert_eq!(simsieve_core::base::hash::fnv1_64(b""), 0xCBF2_9CE4_8422_2325);
/// ```
#[inline]
pub fn fnv1_64(bytes: &[u8]) -> u64 {
    fnv1_64_from(FNV_OFFSET, bytes)
}

/// [`fnv1_64`] continued from `state`, the hash of the preceding bytes.
#[inline]
pub(crate) fn fnv1_64_from(state: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(state, |hash, &byte| {
        hash.wrapping_mul(0x0100_0000_01B3) ^ u64::from(byte)
    })
}

/// FNV-1a of 64 bits (the same source): xor, then multiply.
///
/// ```
/// assert_eq!(simsieve_core::base::hash::fnv1a_64(b""), 0xCBF2_9CE4_8422_2325);
/// ```
pub fn fnv1a_64(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3);
    bytes.iter().fold(FNV_OFFSET, step)
}

/// XXH3-64 of 1 to 3 bytes (XXH3 specification, "Small inputs"). These forms are inlined into the loops over windows:
/// the crate's function chooses among all lengths at every call.
#[inline]
pub(crate) fn xxh3_64_1_to_3(bytes: &[u8]) -> u64 {
    let n = bytes.len();
    let [first, middle, last] = [bytes[0], bytes[n >> 1], bytes[n - 1]].map(u64::from);
    forms::of_1_to_3(Wrapping(last | first << 16 | middle << 24), Wrapping(n as u64)).0
}

/// XXH3-64 of 4 to 8 bytes.
#[inline]
pub(crate) fn xxh3_64_4_to_8(bytes: &[u8]) -> u64 {
    let n = bytes.len();
    let four = |at: usize| {
        bytes[at..]
            .first_chunk()
            .map_or(0, |four| u64::from(u32::from_le_bytes(*four)))
    };
    forms::of_4_to_8(Wrapping(four(n - 4) | four(0) << 32), Wrapping(n as u64)).0
}

/// XXH3-64 of 9 to 16 bytes.
#[inline]
pub(crate) fn xxh3_64_9_to_16(bytes: &[u8]) -> u64 {
    let n = bytes.len();
    forms::of_9_to_16(word_at(bytes, 0), word_at(bytes, n - 8), Wrapping(n as u64)).0
}

/// XXH3-64 of 17 to 32 bytes (XXH3 specification, "Medium inputs").
#[inline]
pub(crate) fn xxh3_64_17_to_32(bytes: &[u8]) -> u64 {
    let n = bytes.len();
    let words = [0, 8, n - 16, n - 8].map(|at| word_at(bytes, at));
    forms::of_17_to_32(words, Wrapping(n as u64)).0
}

/// The eight bytes from `at` on.
#[inline]
fn word_at(bytes: &[u8], at: usize) -> Word {
    Wrapping(bytes[at..].first_chunk().map_or(0, |eight| u64::from_le_bytes(*eight)))
}

/// The upper `bits` bits.
pub(crate) const fn mask(bits: u32) -> u64 {
    if bits == 0 { 0 } else { u64::MAX << (u64::BITS - bits) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_one_hash_are_unrelated() {
        for k in 1..4 {
            let differing: u32 = (0..1000)
                .map(|i| (word(mix(i), 0) ^ word(mix(i), k)).count_ones())
                .sum();
            assert!(
                (31_500..32_500).contains(&differing),
                "word {k}: {differing} of 64,000 bits differ"
            );
        }
    }

    #[test]
    fn xxh3_is_the_published_function() {
        // Value of the reference implementation for the empty input.
        assert_eq!(xxh3_64(b""), 0x2D06_8005_38D3_94C2);
    }

    #[test]
    fn the_short_forms_are_the_published_function() {
        let bytes: Vec<u8> = (0..10_000).map(|i| mix(i) as u8).collect();
        for n in 1..=32 {
            for window in bytes.windows(n) {
                let hash = match n {
                    1..=3 => xxh3_64_1_to_3(window),
                    4..=8 => xxh3_64_4_to_8(window),
                    9..=16 => xxh3_64_9_to_16(window),
                    _ => xxh3_64_17_to_32(window),
                };
                assert_eq!(hash, xxh3_64(window), "{window:?}");
            }
        }
    }
}
