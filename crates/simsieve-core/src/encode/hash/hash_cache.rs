//! Hashes that were made before: words come again and again, and MD5 takes longer than finding one.

use super::token_hash::{MOST_WORDS, TokenHash};

/// The hashes of short tokens, each in the one slot that what it is known by leads to, until another takes it.
///
/// Whole tokens are compared, so what was hashed before changes no bit.
#[derive(Debug, Default, Clone)]
pub(crate) struct HashCache {
    /// None before the first hash, which says what these are hashes by.
    slots: Vec<CachedHash>,
    by: Option<TokenHash>,
}

#[derive(Debug, Clone, Copy)]
struct CachedHash {
    token: [u8; LONGEST],
    /// Of an empty slot longer than any token here.
    length: u8,
    bits: [u64; MOST_WORDS],
}

const LONGEST: usize = 15;
/// Of 48 bytes each; together they fit into the second cache.
const SLOTS: usize = 1 << 13;
const EMPTY: CachedHash = CachedHash {
    token: [0; LONGEST],
    length: u8::MAX,
    bits: [0; MOST_WORDS],
};

impl HashCache {
    /// [`TokenHash::of`] a token that is known by `known`.
    #[inline]
    pub(crate) fn hash(&mut self, hash: TokenHash, token: &str, known: u64) -> [u64; MOST_WORDS] {
        if token.len() > LONGEST || !hash.is_slow() {
            return hash.of(token);
        }
        if self.by != Some(hash) {
            self.slots.clear();
            self.slots.resize(SLOTS, EMPTY);
            self.by = Some(hash);
        }
        let slot = &mut self.slots[known as usize % SLOTS];
        if slot.length as usize != token.len() || !slot.token.starts_with(token.as_bytes()) {
            slot.token[..token.len()].copy_from_slice(token.as_bytes());
            slot.length = token.len() as u8;
            slot.bits = hash.of(token);
        }
        slot.bits
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn hashes_are_those_made_anew(
            asked in proptest::collection::vec(("[ab中\0]{0,6}", 0..3_u64, any::<bool>()), 0..60),
        ) {
            let mut cache = HashCache::default();
            // Many tokens lead to one slot, and some begin as others do.
            for (token, known, by_md5) in asked {
                let hash = if by_md5 { TokenHash::Md5 } else { TokenHash::Sha1 };
                prop_assert_eq!(cache.hash(hash, &token, known), hash.of(&token), "{:?}", token);
            }
        }
    }
}
