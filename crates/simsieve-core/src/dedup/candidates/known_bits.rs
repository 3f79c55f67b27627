//! The feature bits of some rows, and which candidates they rule out.
//!
//! Short texts that share a template fill many small buckets, and sketches let some of their pairs pass. A bound by
//! bits costs a fetch of 128 bytes, where a verification reads a text and the index of features walks postings.

use crate::base::kernel::Kernel;
use crate::dedup::candidates::Rows;
use crate::dedup::candidates::feature_rows::bits_say_much;
use crate::dedup::documents::SchemeDocuments;
use crate::encode::feature_bits::{self, BIT_WORDS};

/// The bits of one text.
pub(super) type Bits = [u64; BIT_WORDS];

/// The bits of the rows that were inserted.
#[derive(Debug)]
pub(super) struct KnownBits {
    kernel: Kernel,
    cosine: f64,
    rows: usize,
    /// The most rows that fit.
    most: usize,
    /// The place of each row in `column`; [`NONE`] for others. Empty until a row is inserted.
    places: Vec<u32>,
    column: Vec<Bits>,
    /// Memory for a test.
    near: Vec<u32>,
}

const NONE: u32 = u32::MAX;

/// The bits of a text, of its distinct features.
pub(super) fn bits_of(features: &[u64]) -> Bits {
    let mut bits = [0; BIT_WORDS];
    feature_bits::write(features, &mut bits);
    bits
}

impl KnownBits {
    /// No row yet; `None` where bits say little: under a distance, of counted weights and of long texts.
    pub(super) fn new(documents: SchemeDocuments<'_>, rows: &Rows, most_bytes: usize, kernel: Kernel) -> Option<Self> {
        let cosine = documents.recipe.threshold.least_cosine()?;
        bits_say_much(documents, rows).then(|| Self::below(rows.len(), cosine, most_bytes, kernel))
    }

    /// No row yet, of rows below `rows`.
    fn below(rows: usize, cosine: f64, most_bytes: usize, kernel: Kernel) -> Self {
        Self {
            kernel,
            cosine,
            rows,
            most: most_bytes / size_of::<Bits>(),
            places: Vec::new(),
            column: Vec::new(),
            near: Vec::new(),
        }
    }

    /// Whether a row is not known, and fits.
    pub(super) fn has_room_for(&self, row: u32) -> bool {
        self.column.len() < self.most && self.places.get(row as usize).is_none_or(|&at| at == NONE)
    }

    /// Inserts a row; `false` where it is known already, and where no more fit.
    pub(super) fn insert(&mut self, row: u32, bits: &Bits) -> bool {
        if !self.has_room_for(row) {
            return false;
        }
        if self.places.is_empty() {
            self.places = vec![NONE; self.rows];
        }
        self.places[row as usize] = self.column.len() as u32;
        self.column.push(*bits);
        true
    }

    /// Whether a row is known and cannot be near a text with these bits.
    pub(super) fn rules_out(&mut self, own: &Bits, row: u32) -> bool {
        let Some(bits) = self
            .places
            .get(row as usize)
            .and_then(|&at| self.column.get(at as usize))
        else {
            return false;
        };
        self.near.clear();
        feature_bits::near(self.kernel, own, bits, self.cosine, &mut self.near);
        self.near.is_empty()
    }
}

/// Failed verifications, and candidates that were ruled out before one: for each row and in all.
#[derive(Debug, Default)]
pub(super) struct Rejections {
    of_rows: Vec<u8>,
    pub(super) all: u64,
}

impl Rejections {
    /// Counts one of an earlier row among `rows`; returns how many it has, up to 255.
    pub(super) fn count(&mut self, earlier: u32, rows: usize) -> u8 {
        if self.of_rows.is_empty() {
            self.of_rows = vec![0; rows];
        }
        let own = &mut self.of_rows[earlier as usize];
        *own = own.saturating_add(1);
        self.all += 1;
        *own
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;
    use crate::base::hash::mix;

    fn texts(seeds: &[(u64, usize, u64)]) -> Vec<HashSet<u64>> {
        // A template of 40 features, of which each text has the first `shared`, and some of its own.
        let text = |&(seed, shared, own): &(u64, usize, u64)| {
            let template = (0..40).map(mix).take(shared);
            template.chain((0..own).map(|at| mix(mix(seed) ^ at))).collect()
        };
        seeds.iter().map(text).collect()
    }

    fn bits(text: &HashSet<u64>) -> Bits {
        bits_of(&text.iter().copied().collect::<Vec<_>>())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn no_near_row_is_ruled_out(
            seeds in proptest::collection::vec((0..4_u64, 0..41_usize, 0..120_u64), 2..20),
            cosine in 0.05..1.0_f64,
        ) {
            let texts = texts(&seeds);
            let mut known = KnownBits::below(texts.len(), cosine, usize::MAX, Kernel::active());
            for (row, text) in texts.iter().enumerate() {
                let own = bits(text);
                for (earlier, other) in texts[..row].iter().enumerate() {
                    let shared = text.intersection(other).count() as f64;
                    let product = (text.len() * other.len()) as f64;
                    let near = product > 0.0 && shared / product.sqrt() >= cosine;
                    prop_assert!(!(near && known.rules_out(&own, earlier as u32)), "{row} {earlier}");
                }
                prop_assert!(!known.rules_out(&own, row as u32), "a row that is not known");
                prop_assert!(known.insert(row as u32, &own) && !known.insert(row as u32, &own));
            }
        }
    }

    #[test]
    fn texts_of_half_a_template_are_ruled_out_as_far_as_rows_fit() {
        let seeds: Vec<(u64, usize, u64)> = (0..100).map(|seed| (seed, 40, 40)).collect();
        let texts = texts(&seeds);
        let mut known = KnownBits::below(texts.len(), 0.8, 60 * size_of::<Bits>(), Kernel::active());
        let inserted = texts
            .iter()
            .enumerate()
            .filter(|(row, text)| known.insert(*row as u32, &bits(text)));
        assert_eq!(inserted.count(), 60);
        let own = bits(&texts[99]);
        let ruled_out = (0..99).filter(|&row| known.rules_out(&own, row)).count();
        assert_eq!(ruled_out, 60);
    }
}
