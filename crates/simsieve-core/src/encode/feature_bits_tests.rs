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
