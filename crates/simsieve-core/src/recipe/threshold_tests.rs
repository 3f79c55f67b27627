//! The tests of `threshold.rs`.

use proptest::prelude::*;

use super::*;
use crate::encode::paths::Rates;

proptest! {
    /// For all sets: near by containment implies the least cosine, that of the sizes, the ratio and the common selection.
    #[test]
    fn contained_sets_have_what_the_search_asks(
        shared in 1..500_u32,
        more in 0..500_u32,
        other in 0..2000_u32,
        max_ratio in 1.0..8.0_f64,
    ) {
        let (d, k) = (shared + more, shared + other);
        prop_assume!(f64::from(k) <= max_ratio * f64::from(d));
        let least = f64::from(shared) / f64::from(d);
        let threshold = Threshold::Containment { least, max_ratio };
        let cosine = f64::from(shared) / (f64::from(d) * f64::from(k)).sqrt();
        prop_assert!(cosine >= threshold.least_cosine().unwrap() - 1e-12);
        prop_assert!((cosine - threshold.least_cosine_of_sizes(d, k).unwrap()).abs() < 1e-9);
        prop_assert!(f64::from(d.min(k)) / f64::from(d.max(k)) >= threshold.least_share().unwrap() - 1e-12);
        prop_assert!(f64::from(shared) / f64::from(d.max(k)) >= threshold.least_selected().unwrap() - 1e-12);
    }

    /// For all sets: what a pair at the threshold has in common follows from the ratio of its sizes.
    #[test]
    fn the_pair_of_sizes_is_that_of_the_sets(shared in 1..200_u32, more in 0..200_u32, other in 0..200_u32) {
        let (a, b) = (f64::from(shared + more), f64::from(shared + more + other));
        let common = f64::from(shared);
        let direct = Overlap::of_contained(common / a, b / a);
        let rates = Rates { first: 6, further: 2.4, even: 0 };
        let contained = |later: f64, earlier: f64| (earlier / later, Threshold::Containment { least: common / later, max_ratio: 900.0 });
        for (ratio, threshold) in [
            (a / b, Threshold::Similarity(common / (a * b).sqrt())),
            (a / b, Threshold::Jaccard(common / (a + b - common))),
            contained(a, b),
            contained(b, a),
        ] {
            let pair = threshold.pair_of_sizes(ratio).unwrap();
            for depth in 1..=2 {
                let (found, expected) = (rates.found(pair, depth), rates.found(direct, depth));
                prop_assert!((found - expected).abs() < 1e-9, "{threshold:?} {ratio}: {found}, not {expected}");
            }
        }
    }

    /// For all sets: near by Jaccard implies the least cosine and the least ratio of sizes.
    #[test]
    fn near_by_jaccard_implies_what_the_search_asks(shared in 0..500_u32, more in 0..500_u32, other in 0..500_u32) {
        let (a, b) = (shared + more, shared + other);
        prop_assume!(shared > 0);
        let jaccard = f64::from(shared) / f64::from(a + b - shared);
        let threshold = Threshold::Jaccard(jaccard);
        let cosine = f64::from(shared) / (f64::from(a) * f64::from(b)).sqrt();
        prop_assert!(cosine >= threshold.least_cosine().unwrap() - 1e-12);
        prop_assert!(f64::from(a.min(b)) / f64::from(a.max(b)) >= threshold.least_share().unwrap() - 1e-12);
        if a == b {
            prop_assert!((cosine - threshold.least_cosine().unwrap()).abs() < 1e-12);
        }
    }
}

#[test]
fn one_threshold_is_given() {
    let of =
        |similarity, bits, measure| Threshold::of(similarity, bits, measure, 4.0).map_err(|error| error.to_string());
    assert_eq!(of(Some(0.5), None, Measure::Cosine), Ok(Threshold::Similarity(0.5)));
    assert_eq!(of(None, Some(3), Measure::Jaccard), Ok(Threshold::Distance(3)));
    assert!(
        of(None, None, Measure::Cosine)
            .unwrap_err()
            .contains("either similarity or max_distance")
    );
    assert!(of(Some(0.5), Some(3), Measure::Cosine).is_err());
    let contained = Threshold::Containment {
        least: 0.5,
        max_ratio: 4.0,
    };
    assert_eq!(of(Some(0.5), None, Measure::Containment), Ok(contained));
}
