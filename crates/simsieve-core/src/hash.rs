//! The hashes that bits come from: XXH3 of a feature's UTF-8, and words beyond the first by mixing.

pub use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

/// Odd constants with well-spread bits: the fractional parts of the golden ratio and of two roots.
const WORD_STEP: u64 = 0x9E37_79B9_7F4A_7C15;
const MIX_1: u64 = 0xBF58_476D_1CE4_E5B9;
const MIX_2: u64 = 0x94D0_49BB_1331_11EB;

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
/// A feature is hashed once whatever the width, so 256 bits cost little more than 64; since [`mix`] is a bijection, two
/// features share a further word only where they share the first.
#[inline]
pub const fn word(hash: u64, k: usize) -> u64 {
    if k == 0 {
        hash
    } else {
        mix(hash.wrapping_add((k as u64).wrapping_mul(WORD_STEP)))
    }
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
}
