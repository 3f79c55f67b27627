//! The structure of pages as features, and values that must not move.
#![allow(missing_docs)]

mod page_tags;

use page_tags::tags;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use simsieve_core::base::hash::xxh3_64;
use simsieve_core::text::html::{
    Feature, Hash, Options, PageScratch, Weight, dom_features, dom_fold, dom_named, outline,
};

fn seeded() -> ProptestConfig {
    let config = ProptestConfig::default();
    match config.rng_seed {
        RngSeed::Random => ProptestConfig {
            rng_seed: RngSeed::Fixed(7),
            ..config
        },
        RngSeed::Fixed(_) => config,
    }
}

fn soup() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => (proptest::sample::select(tags()), prop_oneof![Just(""), Just(" class='a b'"), Just(" hidden"), Just(" type=hidden"), Just("/"), Just(" color=1")])
            .prop_map(|(tag, rest)| format!("<{tag}{rest}>")),
        4 => proptest::sample::select(tags()).prop_map(|tag| format!("</{tag}>")),
        3 => prop_oneof![Just("a"), Just(" "), Just("\n"), Just(" b c "), Just("&amp;"), Just("&#32;"), Just("&lt"), Just("中")].prop_map(str::to_owned),
        1 => prop_oneof![
            Just("<!--"), Just("-->"), Just("<![CDATA["), Just("]]>"), Just("<!doctype html>"), Just("<"), Just(">"), Just("\""),
            Just("'"), Just("="), Just("</"), Just("<?x>"), Just("--"), Just("!"), Just("\0"), Just("<p a='"), Just("<!DOCTYPE x SYSTEM 'y'>"),
        ].prop_map(str::to_owned),
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    // A fixed seed: what another one finds belongs into the named pages, not by chance into somebody's other change.
    // `PROPTEST_RNG_SEED` tries another.
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 3000, ..seeded() })]
    #[test]
    fn features_are_those_of_the_outline(page in soup(), levels in 0..4_usize, decay in 0.05..1.0_f64, rule in 0..3_u8) {
        let mut scratch = PageScratch::default();
        let weight = [Weight::Sum(decay), Weight::Nearest(decay), Weight::Once][rule as usize];
        let options = Options { levels, classes: false, weight, hash: Hash::Xxh3 };
        let mut expected: std::collections::BTreeMap<u64, f64> = std::collections::BTreeMap::new();
        let mut path: Vec<String> = Vec::new();
        for (depth, tag, own) in outline(&page, &mut scratch).unwrap() {
            path.truncate(depth as usize - 1);
            path.push(tag);
            let from = if levels == 0 { 0 } else { path.len().saturating_sub(levels) };
            if own {
                let power = decay.powi(depth as i32);
                let sum = expected.entry(xxh3_64(path[from..].join("/").as_bytes())).or_default();
                *sum = match weight { Weight::Sum(_) => *sum + power, Weight::Nearest(_) => sum.max(power), Weight::Once => 1.0 / 1_048_576.0 };
            }
        }
        let found = dom_features(&page, &options, &mut scratch).unwrap().to_vec();
        let mut named: Vec<Feature> = dom_named(&page, &options, &mut scratch).unwrap().into_iter().map(|(_, feature)| feature).collect();
        named.sort_by_key(|feature| feature.hash);
        prop_assert_eq!(&named, &found);
        for feature in found {
            let sum = expected.remove(&feature.hash).unwrap() * 1_048_576.0;
            prop_assert!((sum - feature.weight as f64).abs() <= 0.500_001, "{} {}", sum, feature.weight);
        }
        prop_assert!(expected.values().all(|sum| sum * 1_048_576.0 <= 0.500_001));
    }
}

/// What a page's own elements weigh, by name.
fn weights(page: &str, options: &Options) -> Vec<(String, i64)> {
    let named = dom_named(page, options, &mut PageScratch::default()).unwrap();
    named
        .into_iter()
        .map(|(name, feature)| (name, feature.weight))
        .collect()
}

#[test]
fn invented_elements_are_no_features_but_have_their_depth() {
    let options = Options {
        levels: 0,
        weight: Weight::Sum(0.5),
        ..Options::default()
    };
    let own = |pairs: &[(&str, i64)]| {
        pairs
            .iter()
            .map(|(name, weight)| ((*name).to_owned(), *weight))
            .collect::<Vec<_>>()
    };
    assert_eq!(weights("", &options), []);
    assert_eq!(weights("text only", &options), []);
    assert_eq!(weights("<td>x", &options), []);
    assert_eq!(
        weights("<table><td>x", &options),
        own(&[("html/body/table", 1 << 17), ("html/body/table/tbody/tr/td", 1 << 14)])
    );
    assert_eq!(weights("</p></br>", &options), []);
    // The second b is the parser's own, opened again in the second paragraph.
    assert_eq!(
        weights("<p><b>1<p>2", &options),
        own(&[("html/body/p", 1 << 18), ("html/body/p/b", 1 << 16)])
    );
    assert_eq!(weights("<image>", &options), own(&[("html/body/img", 1 << 17)]));
}

#[test]
fn classes_are_a_set_beside_their_tag() {
    let options = Options {
        levels: 2,
        classes: true,
        weight: Weight::Once,
        hash: Hash::Xxh3,
    };
    let names: Vec<String> = weights(
        "<body class=' z a\tz '><p CLASS='&amp;'><p class=b class=c><i class>",
        &options,
    )
    .into_iter()
    .map(|it| it.0)
    .collect();
    assert_eq!(names, ["body.a.z/p.&", "body.a.z/p.b", "html/body.a.z", "p.b/i"]);
}

#[test]
fn golden_fingerprints_have_not_moved() {
    let page = "<!DOCTYPE html><html><head><title>t</title></head><body class=a><div><p>x<p>y<ul><li>1<li>2</ul></div></body></html>";
    let print = |options: &Options, width| {
        let features = dom_features(page, options, &mut PageScratch::default())
            .unwrap()
            .to_vec();
        dom_fold(&features, width).unwrap().unwrap()
    };
    let dom64 = Options::default();
    let pairs = Options {
        levels: 2,
        classes: true,
        weight: Weight::Nearest(0.45),
        hash: Hash::Xxh3,
    };
    let whole = Options {
        levels: 0,
        classes: false,
        weight: Weight::Once,
        hash: Hash::Fnv1,
    };
    assert_eq!(print(&dom64, 64), GOLDEN.0);
    assert_eq!(print(&pairs, 128), GOLDEN.1);
    assert_eq!(print(&whole, 100), GOLDEN.2);
}

const GOLDEN: ([u64; 1], [u64; 2], [u64; 2]) = (
    [0xF132_317E_D83F_A3C6],
    [0x9938_9A23_5636_E760, 0x428B_EB15_C50C_A064],
    [0x31A0_51AB_C9B3_E095, 0x0000_000C_20CA_F420],
);

#[test]
fn sums_of_great_weights_are_exact() {
    let features = [
        Feature {
            hash: u64::MAX,
            weight: 1 << 50,
        },
        Feature {
            hash: 0,
            weight: (1 << 50) - 1,
        },
    ];
    assert_eq!(dom_fold(&features, 64).unwrap(), Some(vec![u64::MAX]));
    let tie = features.map(|feature| Feature { weight: 7, ..feature });
    assert_eq!(dom_fold(&tie, 64).unwrap(), Some(vec![0]));
    assert_eq!(dom_fold(&[], 64).unwrap(), None);
    assert!(dom_fold(&tie, 0).unwrap_err().to_string().contains("allowed: 1 to 256"));
}
