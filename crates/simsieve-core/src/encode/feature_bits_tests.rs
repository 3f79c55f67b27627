//! The tests of `feature_bits.rs`.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

fn row(features: &BTreeSet<u64>, words: usize) -> Vec<u64> {
    let mut row = vec![0; words];
    write(&features.iter().copied().collect::<Vec<_>>(), &mut row);
    row
}

fn cosine(a: &BTreeSet<u64>, b: &BTreeSet<u64>) -> f64 {
    a.intersection(b).count() as f64 / (a.len() as f64 * b.len() as f64).sqrt()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    /// No text at the threshold or above is left out, and all kernels find the same ones.
    #[test]
    fn the_bound_is_never_too_low(
        sets in proptest::collection::vec(proptest::collection::btree_set(0..200_u64, 1..120), 1..12),
        long in 0..3000_u64,
        words in prop_oneof![Just(SHORT_WORDS), Just(BIT_WORDS), Just(64), 1..40_usize],
    ) {
        let mut sets = sets;
        sets.push((0..=long).collect());
        let rows: Vec<u64> = sets.iter().flat_map(|set| row(set, words)).collect();
        for own in &sets {
            // Each cosine that there is, as a threshold: bounds are inclusive.
            for threshold in sets.iter().map(|other| cosine(own, other)).filter(|&cosine| cosine > 0.0) {
                let found = |kernel| {
                    let mut found = Vec::new();
                    near(kernel, &row(own, words), &rows, threshold, &mut found);
                    found
                };
                let plain = found(Kernel::Portable);
                for (at, other) in sets.iter().enumerate() {
                    prop_assert!(cosine(own, other) < threshold || plain.contains(&(at as u32)));
                }
                for kernel in Kernel::available() {
                    prop_assert_eq!(&found(kernel), &plain, "{:?}", kernel);
                }
            }
        }
    }
}

proptest! {
    /// A row that is made narrower says what one of that width says, and the bound by places is never too low.
    #[test]
    fn narrower_rows_bound_as_well(
        sets in proptest::collection::vec(proptest::collection::btree_set(0..400_u64, 1..160), 2..8),
        words in prop_oneof![Just(2_usize), Just(8), Just(BIT_WORDS), Just(24)],
    ) {
        let places = |set: &BTreeSet<u64>| set.iter().map(|&feature| place(feature, words)).collect::<Vec<u32>>();
        let mut rows: Vec<Vec<u64>> = sets.iter().map(|set| row(set, words)).collect();
        let mut placed: Vec<Vec<u32>> = sets.iter().map(places).collect();
        let mut words = words;
        while words.is_multiple_of(2) {
            words /= 2;
            for (row, places) in rows.iter_mut().zip(&mut placed) {
                halve(row);
                row.truncate(words);
                for place in places.iter_mut() {
                    *place = halved_place(*place, words);
                }
                let set: BTreeSet<u32> = places.iter().copied().collect();
                let bits: Vec<u32> = (0..bits_of(words)).filter(|&at| row[at as usize / 64] >> (at % 64) & 1 == 1).collect();
                prop_assert_eq!(&bits, &set.into_iter().collect::<Vec<_>>());
                let size = Size::of(row[words - 1]);
                prop_assert_eq!((size.features, size.without_bit as usize), (places.len() as u32, places.len() - bits.len()));
            }
            let column = rows.concat();
            for (at, own) in sets.iter().enumerate() {
                for (of, other) in sets.iter().enumerate() {
                    let cosine = cosine(own, other);
                    if cosine > 0.0 {
                        let without_bit = without_bit(&placed[at], words);
                        for kernel in Kernel::available() {
                            let mut found = Vec::new();
                            near_at(kernel, (&rows[at], &without_bit), &column, &[of as u32], cosine, &mut found);
                            prop_assert_eq!(found, [0]);
                        }
                        prop_assert!(may_be_near(Kernel::active(), &rows[at], &rows[of], cosine));
                    }
                }
            }
        }
    }
}

#[test]
fn two_bits_a_feature_rule_out_what_shares_a_quarter() {
    let text = |from: u64| (from..from + 1500).collect::<BTreeSet<u64>>();
    let (own, words) = (text(0), 48);
    let places: Vec<u32> = own.iter().map(|&feature| place(feature, words)).collect();
    let (own, without_bit) = (row(&own, words), without_bit(&places, words));
    for (from, may) in [(1125, false), (900, true)] {
        let mut found = Vec::new();
        let column = row(&text(from), words);
        near_at(Kernel::active(), (&own, &without_bit), &column, &[0], 0.6, &mut found);
        assert_eq!(!found.is_empty(), may, "{from}");
    }
}

#[test]
fn texts_with_little_in_common_are_left_out() {
    let text = |from: u64| (from..from + 40).collect::<BTreeSet<u64>>();
    let rows: Vec<u64> = (0..200).flat_map(|at| row(&text(at), BIT_WORDS)).collect();
    let mut found = Vec::new();
    near(Kernel::active(), &row(&text(0), BIT_WORDS), &rows, 0.5, &mut found);
    assert!((21..30).contains(&found.len()), "{}", found.len());
}

#[test]
fn of_a_text_with_too_many_features_nothing_is_known() {
    let (long, short) = ((0..70_000).collect::<BTreeSet<u64>>(), (90_000..90_003).collect());
    for (own, other) in [(&long, &short), (&short, &long)] {
        let mut found = Vec::new();
        near(
            Kernel::active(),
            &row(own, BIT_WORDS),
            &row(other, BIT_WORDS),
            1.0,
            &mut found,
        );
        assert_eq!(found, [0]);
    }
}
