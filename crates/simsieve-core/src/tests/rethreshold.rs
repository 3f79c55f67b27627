//! Deciding again at a stricter threshold, against plain loops and fresh runs.

use proptest::prelude::*;

use crate::base::context::Context;
use crate::dedup::decide::decide;
use crate::recipe::Threshold;
use crate::search::documents::Options;
use crate::tests::decide::{check_books, family, oracle, outcomes, texts_strategy};
use crate::tests::support::{BY_COSINE, contained, documents_with, options, options_for};

/// A threshold and one that is as strict or stricter.
fn thresholds() -> impl Strategy<Value = (Threshold, Threshold)> {
    prop_oneof![
        (0.3..1.0_f64, 0.0..1.0_f64)
            .prop_map(|(s, up)| (Threshold::Similarity(s), Threshold::Similarity(s + up * (1.0 - s)))),
        (0.2..1.0_f64, 0.0..1.0_f64)
            .prop_map(|(s, up)| (Threshold::Jaccard(s), Threshold::Jaccard(s + up * (1.0 - s)))),
        (0.3..1.0_f64, 0.0..1.0_f64, 1.0..8.0_f64)
            .prop_map(|(s, up, ratio)| (contained(s, ratio), contained(s + up * (1.0 - s), ratio))),
        (0..40_u32, 0.0..1.0_f64).prop_map(|(k, down)| (
            Threshold::Distance(k),
            Threshold::Distance((f64::from(k) * down) as u32)
        )),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]
    #[test]
    fn again_decides_as_the_naive_loop(
        texts in texts_strategy(),
        (first, second) in thresholds(),
        keep in prop_oneof![Just("first"), Just("longest")],
        spec in prop_oneof![Just("chars128"), Just("chars64:n=2,weights=log")],
        n in prop_oneof![Just(1_u64), Just(1 << 15), Just(1 << 24)],
    ) {
        let loaded = options_for(spec, first, n, &[keep]);
        let documents = documents_with(&texts, &loaded);
        for threshold in [first, second] {
            let again = documents.rethreshold(threshold).unwrap();
            let wanted = oracle(&again, &texts);
            let searched = decide(&again, &Context::small(2)).unwrap();
            prop_assert_eq!(&outcomes(&searched), &wanted, "{:?} {:?}", threshold, texts);
            check_books(&searched);
            if n == 1 {
                // Every pair is looked at, so the candidates of a fresh run are the same.
                let fresh = decide(&documents_with(&texts, &Options { threshold, ..loaded.clone() }), &Context::small(2)).unwrap();
                prop_assert_eq!(&outcomes(&fresh), &wanted, "{:?} {:?}", threshold, texts);
            }
        }
    }
}

#[test]
fn a_family_of_large_buckets_decides_as_the_naive_loop() {
    let texts: Vec<String> = (0..5).flat_map(|seed| family(seed, 100, 40, 27 + 3 * seed)).collect();
    let loaded = options_for("chars128", BY_COSINE, 1 << 20, &["first"]);
    let documents = documents_with(&texts, &loaded);
    let mut kept = Vec::new();
    for similarity in [0.65, 0.7, 0.8, 0.9] {
        let again = documents.rethreshold(Threshold::Similarity(similarity)).unwrap();
        let taken = decide(&again, &Context::small(2)).unwrap();
        assert_eq!(outcomes(&taken), oracle(&again, &texts), "{similarity}");
        kept.push(taken.counts.kept);
    }
    assert!(kept.windows(2).all(|pair| pair[0] < pair[1]), "{kept:?}");
}

#[test]
fn what_was_not_looked_for_is_refused() {
    let texts = ["one text of some words".to_owned()];
    for (made, asked, parts) in [
        (
            Threshold::Similarity(0.8),
            Threshold::Similarity(0.79),
            ["similarity 0.79", "give 0.8 to 1"],
        ),
        (
            Threshold::Similarity(0.8),
            Threshold::Similarity(f64::NAN),
            ["similarity NaN", "give 0.8 to 1"],
        ),
        (
            Threshold::Similarity(0.8),
            Threshold::Similarity(1.1),
            ["similarity 1.1", "give 0.8 to 1"],
        ),
        (
            Threshold::Similarity(0.8),
            Threshold::Distance(3),
            ["max_distance 3", "a run at similarity 0.8"],
        ),
        (
            Threshold::Jaccard(0.5),
            Threshold::Jaccard(0.4),
            ["Jaccard similarity 0.4", "give 0.5 to 1"],
        ),
        (
            Threshold::Jaccard(0.5),
            Threshold::Similarity(0.9),
            ["similarity 0.9", "give a Jaccard similarity from 0.5 to 1"],
        ),
        (
            Threshold::Similarity(0.5),
            Threshold::Jaccard(0.9),
            ["Jaccard similarity 0.9", "give a similarity from 0.5 to 1"],
        ),
        (
            contained(0.5, 4.0),
            contained(0.9, 2.0),
            [
                "containment 0.9 at max_ratio 2 cannot be",
                "give a containment from 0.5 to 1 at max_ratio 4,",
            ],
        ),
        (
            Threshold::Distance(3),
            Threshold::Distance(4),
            ["max_distance 4", "give 0 to 3"],
        ),
        (
            Threshold::Distance(3),
            Threshold::Similarity(0.8),
            ["similarity 0.8", "a run at max_distance 3"],
        ),
    ] {
        let documents = documents_with(
            &texts,
            &Options {
                threshold: made,
                ..options(&["first"])
            },
        );
        let message = documents.rethreshold(asked).unwrap_err().to_string();
        assert!(parts.iter().all(|part| message.contains(part)), "{message}");
    }
}
