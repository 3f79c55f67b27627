//! The tests of `feature_bits.rs`.

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
        let mut known = FeatureBits::below(texts.len(), words, usize::MAX, Kernel::active());
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
            for _ in 0..2 {
                known.insert(row as u32, &own);
                prop_assert_eq!(known.rows().len(), row + 1);
            }
        }
    }
}

#[test]
fn texts_of_half_a_template_are_ruled_out_as_far_as_rows_fit() {
    let seeds: Vec<(u64, usize, u64)> = (0..100).map(|seed| (seed, 40, 40)).collect();
    let texts = texts(&seeds);
    let mut known = FeatureBits::below(texts.len(), 16, 60 * 16 * size_of::<u64>(), Kernel::active());
    for (row, text) in texts.iter().enumerate() {
        known.insert(row as u32, &bits(text, 16));
    }
    assert_eq!(known.rows(), (0..60).collect::<Vec<_>>());
    let mut left: Vec<u32> = (0..99).collect();
    let mut tested = Tested::default();
    known.rule_out(&bits(&texts[99], 16), 0.8, &mut left, |row| row, &mut tested);
    assert_eq!((tested.ruled_out, left), ((0..60).collect(), (60..99).collect()));
}
