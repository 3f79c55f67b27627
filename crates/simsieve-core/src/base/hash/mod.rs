//! The hashes that bits come from: XXH3 of a feature's UTF-8, and words beyond the first by mixing.
//!
//! [`batch`] hashes many pieces of one text at once. [`distinct`] collects the distinct hashes of a text. [`index`]
//! finds sorted entries by their hashes. [`hex`] writes a digest.

pub(crate) mod batch;
pub(crate) mod distinct;
pub(crate) mod hex;
pub(crate) mod index;

pub use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

/// The start and end of a piece of a text, in bytes.
pub(crate) type Place = (usize, usize);

/// Odd constants with well-spread bits: the fractional parts of the golden ratio and of two roots.
pub(crate) const WORD_STEP: u64 = 0x9E37_79B9_7F4A_7C15;
pub(crate) const MIX_1: u64 = 0xBF58_476D_1CE4_E5B9;
pub(crate) const MIX_2: u64 = 0x94D0_49BB_1331_11EB;

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

/// Words of the default secret of the XXH3 specification, two and two combined as the short forms use them.
pub(crate) const FLIP_1_TO_3: u64 = 0x8727_5A9B;
pub(crate) const FLIP_4_TO_8: u64 = 0xC73A_B174_C5EC_D5A2;
pub(crate) const FLIPS_9_TO_16: [u64; 2] = [0x6782_737B_EA42_39B9, 0xAF56_BC3B_0996_523A];
pub(crate) const FLIPS_17_TO_32: [u64; 4] = [
    0xBE4B_A423_396C_FEB8,
    0x1CAD_21F7_2C81_017C,
    0xDB97_9083_E96D_D4DE,
    0x1F67_B3B7_A4A4_4072,
];
/// The multipliers of the specification's finalisers.
pub(crate) const PRIME_64_1: u64 = 0x9E37_79B1_85EB_CA87;
pub(crate) const PRIME_64_2: u64 = 0xC2B2_AE3D_27D4_EB4F;
pub(crate) const PRIME_64_3: u64 = 0x1656_67B1_9E37_79F9;
pub(crate) const PRIME_MX_1: u64 = 0x1656_6791_9E37_79F9;
pub(crate) const PRIME_MX_2: u64 = 0x9FB2_1C65_1E98_DF25;

/// XXH3-64 of 1 to 3 bytes (XXH3 specification, "Small inputs"). These forms are inlined into the loops over windows:
/// the crate's function chooses among all lengths at every call.
#[inline]
pub(crate) fn xxh3_64_1_to_3(bytes: &[u8]) -> u64 {
    let n = bytes.len();
    let [first, middle, last] = [bytes[0], bytes[n >> 1], bytes[n - 1]].map(u64::from);
    let mut x = (last | (n as u64) << 8 | first << 16 | middle << 24) ^ FLIP_1_TO_3;
    x = (x ^ (x >> 33)).wrapping_mul(PRIME_64_2);
    x = (x ^ (x >> 29)).wrapping_mul(PRIME_64_3);
    x ^ (x >> 32)
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
    let mut x = (four(n - 4) | four(0) << 32) ^ FLIP_4_TO_8;
    x = (x ^ x.rotate_left(49) ^ x.rotate_left(24)).wrapping_mul(PRIME_MX_2);
    x = (x ^ ((x >> 35) + n as u64)).wrapping_mul(PRIME_MX_2);
    x ^ (x >> 28)
}

/// XXH3-64 of 9 to 16 bytes.
#[inline]
pub(crate) fn xxh3_64_9_to_16(bytes: &[u8]) -> u64 {
    let n = bytes.len();
    let eight = |at: usize| bytes[at..].first_chunk().map_or(0, |eight| u64::from_le_bytes(*eight));
    let (low, high) = (eight(0) ^ FLIPS_9_TO_16[0], eight(n - 8) ^ FLIPS_9_TO_16[1]);
    let product = u128::from(low) * u128::from(high);
    let folded = product as u64 ^ (product >> 64) as u64;
    let x = (n as u64)
        .wrapping_add(low.swap_bytes())
        .wrapping_add(high)
        .wrapping_add(folded);
    let x = (x ^ (x >> 37)).wrapping_mul(PRIME_MX_1);
    x ^ (x >> 32)
}

/// XXH3-64 of 17 to 32 bytes (XXH3 specification, "Medium inputs").
#[inline]
pub(crate) fn xxh3_64_17_to_32(bytes: &[u8]) -> u64 {
    let n = bytes.len();
    let eight = |at: usize| bytes[at..].first_chunk().map_or(0, |eight| u64::from_le_bytes(*eight));
    let folded = |at: usize, k: usize| {
        let (low, high) = (eight(at) ^ FLIPS_17_TO_32[k], eight(at + 8) ^ FLIPS_17_TO_32[k + 1]);
        let product = u128::from(low) * u128::from(high);
        product as u64 ^ (product >> 64) as u64
    };
    let x = (n as u64)
        .wrapping_mul(PRIME_64_1)
        .wrapping_add(folded(0, 0))
        .wrapping_add(folded(n - 16, 2));
    let x = (x ^ (x >> 37)).wrapping_mul(PRIME_MX_1);
    x ^ (x >> 32)
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
