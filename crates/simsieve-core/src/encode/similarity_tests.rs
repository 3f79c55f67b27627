//! The tests of `similarity.rs`.

use std::collections::HashMap;

use proptest::prelude::*;

use super::*;

fn plain_cosine(scheme: &Scheme, a: &str, b: &str) -> Option<f64> {
    let weighted = |text: &str| -> HashMap<u64, u64> {
        let mut scratch = Scratch::default();
        scheme.extract(text, &mut scratch).unwrap();
        let weight = |at: usize| scratch.weights.get(at).map_or(1, |&w| u64::from(w));
        scratch
            .features
            .hashes()
            .iter()
            .enumerate()
            .map(|(at, &hash)| (hash, weight(at)))
            .collect()
    };
    let (x, y) = (weighted(a), weighted(b));
    let norm = |side: &HashMap<u64, u64>| side.values().map(|w| w * w).sum::<u64>() as f64;
    let dot: u64 = x.iter().map(|(hash, w)| w * y.get(hash).unwrap_or(&0)).sum();
    (!x.is_empty() && !y.is_empty()).then(|| (dot as f64 / (norm(&x) * norm(&y)).sqrt()).min(1.0))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn similarity_is_the_plain_cosine_and_symmetric(a in "[ab中文 ]{0,60}", b in "[ab中文 ]{0,60}") {
        for spec in ["chars64", "chars64:n=2,weights=tf", "chars64:n=2,weights=log"] {
            let scheme = Scheme::parse(spec).unwrap();
            prop_assert_eq!(similarity(&scheme, &a, &b).unwrap(), plain_cosine(&scheme, &a, &b));
            prop_assert_eq!(similarity(&scheme, &a, &b).unwrap(), similarity(&scheme, &b, &a).unwrap());
        }
    }

    #[test]
    fn leaving_early_changes_no_answer(a in "[a-d]{0,800}", b in "[a-d]{0,800}", threshold in 0.0..1.0_f64) {
        let scheme = Scheme::parse("chars64:n=3").unwrap();
        let mut scratch = Scratch::default();
        scheme.extract(&b, &mut scratch).unwrap();
        let other = FeatureList::of(&scratch);
        scheme.extract(&a, &mut scratch).unwrap();
        let whole = cosine(&scratch, &other).filter(|&c| c >= threshold);
        prop_assert_eq!(cosine_at_least(&scratch, &other, threshold), whole);
        let whole = overlap(&scratch, &other).map(FeatureOverlap::jaccard);
        prop_assert_eq!(jaccard_at_least(&scratch, &other, threshold), whole.filter(|&x| x >= threshold));
        let share = overlap(&scratch, &other).map(FeatureOverlap::containment).filter(|&x| x >= threshold);
        prop_assert_eq!(contained_at_least(&scratch, &other, threshold), share);
        // At the threshold itself rounding loses nothing.
        if let Some(exact) = whole {
            prop_assert_eq!(jaccard_at_least(&scratch, &other, exact), whole);
        }
    }
}

/// The sums of the lesser and greater weights of two texts, and of each text's own, by simple code.
fn plain_overlap(scheme: &Scheme, a: &str, b: &str) -> (u64, u64, u64) {
    let features = |text| crate::encode::encoder::features_of(scheme, text).unwrap();
    let weighted = |text| -> HashMap<u64, u64> {
        features(text)
            .iter()
            .map(|it| (it.hash, u64::from(it.weight)))
            .collect()
    };
    let (x, y) = (weighted(a), weighted(b));
    let mut all: Vec<&u64> = x.keys().chain(y.keys()).collect();
    all.sort_unstable();
    all.dedup();
    let pair = |hash: &&u64| (*x.get(hash).unwrap_or(&0), *y.get(hash).unwrap_or(&0));
    let lesser = all.iter().map(pair).map(|(v, w)| v.min(w)).sum();
    let greater = all.iter().map(pair).map(|(v, w)| v.max(w)).sum();
    (lesser, greater, x.values().sum())
}

proptest! {
    #[test]
    fn jaccard_and_containment_are_the_plain_ones(a in "[ab中文 ]{0,60}", b in "[ab中文 ]{0,60}") {
        for spec in ["chars64", "chars64:n=2,weights=tf", "words64:weights=log"] {
            let scheme = Scheme::parse(spec).unwrap();
            let (lesser, greater, own) = plain_overlap(&scheme, &a, &b);
            let [jaccard, back, containment] = [(Measure::Jaccard, &a, &b), (Measure::Jaccard, &b, &a), (Measure::Containment, &a, &b)]
                .map(|(measure, a, b)| measure.between(&scheme, a, b).unwrap());
            prop_assert_eq!(jaccard, back);
            prop_assert_eq!(jaccard.is_some(), similarity(&scheme, &a, &b).unwrap().is_some());
            if let (Some(jaccard), Some(containment)) = (jaccard, containment) {
                prop_assert_eq!(jaccard.to_bits(), (lesser as f64 / greater as f64).to_bits());
                prop_assert_eq!(containment.to_bits(), (lesser as f64 / own as f64).to_bits());
            }
        }
    }
}

#[test]
fn large_pages_are_measured_by_their_whole_weights() {
    // 5,000 elements at a decay of 1 weigh 5,000 units, beyond what is kept undivided; 1,000 do not.
    let scheme = Scheme::parse("dom64:decay=1").unwrap();
    let page = |count: usize| format!("<html><body>{}", "<p>x".repeat(count));
    let measured = |measure: Measure| measure.between(&scheme, &page(1000), &page(5000)).unwrap().unwrap();
    assert!((measured(Measure::Jaccard) - 1002.0 / 5002.0).abs() < 1e-6);
    assert!((measured(Measure::Containment) - 1.0).abs() < 1e-6);
}
