//! The bits of a feature.

mod hash_cache;
mod token_hash;

pub(crate) use hash_cache::HashCache;
pub use token_hash::{MOST_WORDS, TokenHash};
