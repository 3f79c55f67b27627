//! Keys of bands of minima, as the search before had them.

use simsieve_core::base::hash::mix;

use crate::corpus::Corpus;
use crate::paths::Keys;

/// A key a band and text; minima of independent hashes.
pub fn keys(corpus: &Corpus, bands: usize, rows: usize) -> Keys {
    let mut keys = Vec::with_capacity(corpus.len() * bands);
    for row in 0..corpus.len() {
        let features = corpus.of(row);
        for band in 0..bands {
            let mut key = band as u64;
            for bin in 0..rows {
                let seed = mix((band * rows + bin + 1) as u64);
                let least = features.iter().map(|hash| mix(hash ^ seed)).min().unwrap_or(row as u64);
                key = mix(key.rotate_left(9) ^ least);
            }
            keys.push((key, row as u32));
        }
    }
    Keys {
        keys,
        families: Default::default(),
    }
}
