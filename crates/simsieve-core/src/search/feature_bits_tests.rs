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

fn own(known: &FeatureBits, text: &HashSet<u64>) -> OwnBits {
    known.of_text(&text.iter().copied().collect::<Vec<_>>())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn no_near_row_is_ruled_out(
        seeds in proptest::collection::vec((0..4_u64, 0..41_usize, 0..120_u64), 2..20),
        cosine in 0.05..1.0_f64,
        features in prop_oneof![Just(100.0), Just(300.0), Just(500.0)],
        rows in prop_oneof![Just(20_usize), 1..8_usize],
        of_members: bool,
    ) {
        let texts = texts(&seeds);
        // At least this many rows fit in the least width, so all do where it is the number of texts.
        let most = rows * least_words(features, LEAST_BITS_A_FEATURE) * 4 * size_of::<u64>();
        let mut known = FeatureBits::below(texts.len(), features, of_members, most, Kernel::active());
        for (row, text) in texts.iter().enumerate() {
            let own_bits = own(&known, text);
            // The row itself is not known yet; a row may come twice.
            let mut left: Vec<u32> = (0..=row as u32).chain(0..row as u32).collect();
            let mut tested = Tested::default();
            known.rule_out(&own_bits, cosine, &mut left, |row| row, &mut tested);
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
            let before = known.rows.len();
            let fits = known.insert(row as u32, own_bits);
            prop_assert_eq!(known.rows.len(), before + usize::from(fits));
            known.insert(row as u32, own(&known, text));
            prop_assert_eq!(known.rows.len(), before + usize::from(fits), "each row once");
            prop_assert!(known.column.len() * size_of::<u64>() <= most);
            prop_assert_eq!(known.column.len(), known.rows.len() * known.words());
            prop_assert!(fits || rows < texts.len());
        }
    }
}

#[test]
fn texts_of_half_a_template_are_ruled_out_as_far_as_rows_fit() {
    let seeds: Vec<(u64, usize, u64)> = (0..100).map(|seed| (seed, 40, 40)).collect();
    let texts = texts(&seeds);
    // Rows of 16 words at first, of 4 in the end.
    let features = 100.0;
    for (fitting, words, known_rows) in [(100 * 16, 16, 100), (100 * 8, 8, 100), (60 * 4, 4, 60)] {
        let most = fitting * size_of::<u64>();
        let mut known = FeatureBits::below(texts.len(), features, false, most, Kernel::active());
        for (row, text) in texts.iter().enumerate() {
            known.insert(row as u32, own(&known, text));
        }
        assert_eq!((known.words(), known.rows.len()), (words, known_rows));
        let mut left: Vec<u32> = (0..99).collect();
        let mut tested = Tested::default();
        known.rule_out(&own(&known, &texts[99]), 0.8, &mut left, |row| row, &mut tested);
        let ruled_out = known_rows.min(99) as u32;
        assert_eq!(
            (tested.ruled_out, left),
            ((0..ruled_out).collect(), (ruled_out..99).collect())
        );
    }
}

#[test]
fn memory_is_enough_for_all_rows_in_the_least_width() {
    let tuning = Tuning {
        most_bits: 1 << 20,
        ..Tuning::DEFAULT
    };
    for (rows, features) in [(10, 1800.0), (600, 1800.0), (100_000, 1800.0), (100_000, 200.0)] {
        let [of_members, of_others] = most_bytes(rows, features, tuning);
        let most = of_members + of_others;
        let held = held_bytes(rows as f64, rows as f64, features, tuning);
        assert!(
            held <= most as f64 && held >= (rows * least_words(features, LEAST_BITS_A_FEATURE) * 8) as f64,
            "{rows} {features}"
        );
        assert_eq!(most == 1 << 20, rows < 1000);
    }
}
