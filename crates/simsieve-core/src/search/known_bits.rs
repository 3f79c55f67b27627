//! The feature bits of some rows, and which candidates they rule out.
//!
//! Short texts that share a template fill many small buckets, and sketches let some of their pairs pass. A bound by
//! bits costs a fetch of 128 bytes, where a verification reads a text and the index of features walks postings.

use crate::base::kernel::Kernel;
use crate::encode::feature_bits;

/// The bits of the rows that were inserted.
#[derive(Debug)]
pub(crate) struct KnownBits {
    kernel: Kernel,
    /// Words of a row.
    words: usize,
    rows: usize,
    /// The most rows that fit.
    most: usize,
    /// The place of each row in `column`; [`NONE`] for others. Empty until a row is inserted.
    places: Vec<u32>,
    column: Vec<u64>,
}

/// What a test leaves, and memory for it.
#[derive(Debug, Default)]
pub(crate) struct Tested {
    /// The rows that were ruled out.
    pub(crate) ruled_out: Vec<u32>,
    /// The known rows by their places in the list, their bits side by side, and which of them may be near.
    known: Vec<(usize, u32)>,
    bits: Vec<u64>,
    near: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl KnownBits {
    /// No row yet, of rows below `rows`.
    pub(crate) fn below(rows: usize, words: usize, most_bytes: usize, kernel: Kernel) -> Self {
        Self {
            kernel,
            words,
            rows,
            most: most_bytes / (words * size_of::<u64>()),
            places: Vec::new(),
            column: Vec::new(),
        }
    }

    /// Words of a row.
    pub(crate) fn words(&self) -> usize {
        self.words
    }

    fn len(&self) -> usize {
        self.column.len() / self.words
    }

    /// Whether a row is known.
    pub(crate) fn has(&self, row: u32) -> bool {
        self.places.get(row as usize).is_some_and(|&at| at != NONE)
    }

    /// Whether a row is not known, and fits.
    pub(crate) fn has_room_for(&self, row: u32) -> bool {
        self.len() < self.most && !self.has(row)
    }

    /// Inserts a row; `false` where it is known already, and where no more fit.
    pub(crate) fn insert(&mut self, row: u32, bits: &[u64]) -> bool {
        if !self.has_room_for(row) {
            return false;
        }
        if self.places.is_empty() {
            self.places = vec![NONE; self.rows];
        }
        self.places[row as usize] = self.len() as u32;
        self.column.extend_from_slice(bits);
        true
    }

    /// Leaves in a list of items those whose rows are not known, or may have a cosine of at least `cosine` with a text of these bits.
    ///
    /// Places are looked up first, then bits are fetched side by side: fetches without dependencies run at the same time.
    pub(crate) fn rule_out(
        &self,
        own: &[u64],
        cosine: f64,
        items: &mut Vec<u32>,
        row: impl Fn(u32) -> u32,
        memory: &mut Tested,
    ) {
        let Tested {
            ruled_out,
            known,
            bits,
            near,
        } = memory;
        ruled_out.clear();
        known.clear();
        let place = |&item: &u32| self.places.get(row(item) as usize).copied().unwrap_or(NONE);
        known.extend(items.iter().map(place).enumerate().filter(|&(_, place)| place != NONE));
        bits.clear();
        for &(_, place) in &*known {
            bits.extend_from_slice(&self.column[place as usize * self.words..][..self.words]);
        }
        near.clear();
        feature_bits::near(self.kernel, own, bits, cosine, near);
        if near.len() == known.len() {
            return;
        }
        let mut near = near.iter().map(|&near| near as usize).peekable();
        let far = known.iter().enumerate().filter(|(at, _)| near.next_if_eq(at).is_none());
        let mut far = far.map(|(_, &(item, _))| item).peekable();
        let mut at = 0;
        items.retain(|&item| {
            let is_far = far.next_if_eq(&at).is_some();
            at += 1;
            if is_far {
                ruled_out.push(row(item));
            }
            !is_far
        });
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

    fn bits(text: &HashSet<u64>, words: usize) -> Vec<u64> {
        let mut bits = vec![0; words];
        feature_bits::write(&text.iter().copied().collect::<Vec<_>>(), &mut bits);
        bits
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn no_near_row_is_ruled_out(
            seeds in proptest::collection::vec((0..4_u64, 0..41_usize, 0..120_u64), 2..20),
            cosine in 0.05..1.0_f64,
            words in prop_oneof![Just(16_usize), Just(8), Just(40)],
        ) {
            let texts = texts(&seeds);
            let mut known = KnownBits::below(texts.len(), words, usize::MAX, Kernel::active());
            for (row, text) in texts.iter().enumerate() {
                let own = bits(text, words);
                // The row itself is not known yet; a row may come twice.
                let mut left: Vec<u32> = (0..=row as u32).chain(0..row as u32).collect();
                let mut tested = Tested::default();
                known.rule_out(&own, cosine, &mut left, |row| row, &mut tested);
                let dropped = tested.ruled_out;
                prop_assert!(left.contains(&(row as u32)), "a row that is not known");
                prop_assert_eq!(left.len() + dropped.len(), 2 * row + 1);
                prop_assert!(left.iter().all(|row| !dropped.contains(row)));
                for (earlier, other) in texts[..row].iter().enumerate() {
                    let shared = text.intersection(other).count() as f64;
                    let product = (text.len() * other.len()) as f64;
                    let near = product > 0.0 && shared / product.sqrt() >= cosine;
                    prop_assert!(!(near && dropped.contains(&(earlier as u32))), "{row} {earlier}");
                }
                prop_assert!(known.insert(row as u32, &own) && !known.insert(row as u32, &own));
            }
        }
    }

    #[test]
    fn texts_of_half_a_template_are_ruled_out_as_far_as_rows_fit() {
        let seeds: Vec<(u64, usize, u64)> = (0..100).map(|seed| (seed, 40, 40)).collect();
        let texts = texts(&seeds);
        let mut known = KnownBits::below(texts.len(), 16, 60 * 16 * size_of::<u64>(), Kernel::active());
        let inserted = texts
            .iter()
            .enumerate()
            .filter(|(row, text)| known.insert(*row as u32, &bits(text, 16)));
        assert_eq!(inserted.count(), 60);
        let mut left: Vec<u32> = (0..99).collect();
        let mut tested = Tested::default();
        known.rule_out(&bits(&texts[99], 16), 0.8, &mut left, |row| row, &mut tested);
        assert_eq!((tested.ruled_out, left), ((0..60).collect(), (60..99).collect()));
    }
}
