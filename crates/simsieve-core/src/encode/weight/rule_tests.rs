//! The tests of `rule.rs`.

use super::*;
use crate::encode::weight::idf::idf;

#[test]
fn log_weights_grow_and_stay_small() {
    let weights: Vec<u32> = (1..5000).map(|n| Weights::Log.of(n)).collect();
    assert!(weights.windows(2).all(|w| w[0] <= w[1]));
    assert_eq!(
        Weights::Log.of(u32::MAX),
        (256.0_f64 * (1.0 + 32.0 * std::f64::consts::LN_2)).round() as u32
    );
}

#[test]
fn a_rule_with_factors_is_the_rule_but_for_them() {
    for (name, rule) in Weights::ALL {
        let tagged = rule.tagged().unwrap();
        assert_eq!((tagged.name(), tagged.needs_model()), (name, rule.needs_model()));
        assert_eq!(tagged.with_idf(), rule.with_idf().and_then(Weights::tagged), "{rule:?}");
        let scale = f64::from(1_u32 << rule.fraction_bits());
        assert!((1..3000).all(|n| (rule.exact(n, 2.5) * scale).round_ties_even() as u32
            == if rule.needs_model() {
                rule.with_idf_of(n, 2.5)
            } else {
                rule.of(n)
            }));
    }
    assert_eq!(Weights::Entropy.tagged(), None);
}

#[test]
fn the_heaviest_weights_fit() {
    // 2^30 bytes hold no more windows, and (1 + ln n)^2 is at most 1.5 n.
    let heaviest = u128::from(Weights::Idf.with_idf_of(1, idf(u64::MAX, 0)));
    assert!(heaviest < 1 << 14 && (heaviest * heaviest * 3) << 29 < 1 << 63);
    assert!(Weights::LogIdf.with_idf_of(1 << 30, idf(u64::MAX, 0)) < 1 << 18);
    // Without this bound on counts: the heaviest have one weight.
    assert_eq!(Weights::CountIdf.with_idf_of(1 << 30, 46.0), u32::MAX);
    assert_eq!(Weights::CountIdf.of(1 << 24), u32::MAX);
    assert_eq!(Weights::CountIdf.with_idf_of(3, 1.5), 3 * 384);
    assert!((1..5000).all(|n| (1.0 + f64::ln(f64::from(n))).powi(2) < 1.5 * f64::from(n)));
}

#[test]
fn the_table_and_the_formula_agree_at_its_edge() {
    for count in 1020..1030 {
        assert_eq!(log_weight(count), exact_log_weight(count));
    }
    let counts: Vec<u32> = (1..2000).collect();
    for (_, rule) in Weights::ALL {
        assert!(
            (1..2000).all(|count| rule.with_idf_of(count, 1.0) == rule.of(count)),
            "{rule:?}"
        );
        let mut weights = Vec::new();
        rule.write(&counts, &mut weights);
        assert_eq!(
            Weights::NAMES.split(", ").filter(|name| *name == rule.name()).count(),
            1
        );
        assert_eq!(weights, counts.iter().map(|&count| rule.of(count)).collect::<Vec<_>>());
    }
}
