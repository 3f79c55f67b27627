//! Keys against the plain walk, and the share of pairs that they find against the formula.

use proptest::prelude::*;

use super::*;

/// Paths over texts of `n` features each of a vocabulary, where every path in `split` is split.
fn paths(rates: Rates, texts: &[Vec<u64>]) -> Paths {
    let total = texts.iter().map(Vec::len).sum();
    Paths {
        rates,
        rarity: Rarity::count(texts.iter().map(Vec::as_slice), total).unwrap(),
        verdicts: Verdicts::default(),
        mean_keys: 0.0,
    }
}

/// Splits every path of one feature of some texts.
fn split_firsts(paths: &mut Paths, texts: &[Vec<u64>]) {
    let mut found = Vec::new();
    for text in texts {
        paths.firsts(Kernel::active(), text, &[], &mut PathScratch::default(), |path| {
            found.push((path.hash, Verdict::Split));
        });
    }
    paths.verdicts.extend(&found);
}

fn keys(paths: &Paths, features: &[u64], weights: &[u32]) -> Vec<u64> {
    let mut keys = Vec::new();
    paths.keys(
        Kernel::active(),
        features,
        weights,
        &mut PathScratch::default(),
        &mut keys,
    );
    keys
}

const RATES: Rates = Rates {
    first: 6,
    further: 2.4,
    even: 2,
};

#[test]
fn a_text_without_weight_selects_none() {
    for n in [1, 20, 100] {
        let features: Vec<u64> = (0..n).map(mix).collect();
        let (paths, weights) = (paths(RATES, std::slice::from_ref(&features)), vec![0; n as usize]);
        let mut own = keys(&paths, &features, &weights);
        let mut plain = plain_keys(&paths, &features, &weights);
        own.sort_unstable();
        plain.sort_unstable();
        assert_eq!(own, plain, "{n}");
    }
}

proptest! {
    #[test]
    fn keys_are_those_of_the_plain_walk(
        n in 0..200_u64,
        verdicts in prop::collection::vec(0..8_u8, 0..40),
        weights in prop::collection::vec(0..9_u32, 200),
        weighted in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let texts: Vec<Vec<u64>> = (0..20).map(|text| (0..n).map(|at| mix(mix(seed ^ (at % 7 * text)) ^ at)).collect()).collect();
        let mut paths = paths(RATES, &texts);
        let weights = if weighted { &weights[..n as usize] } else { &[] };
        // Verdicts of all kinds for some of the paths, two levels deep.
        for _ in 0..2 {
            let mut found = Vec::new();
            for (key, verdict) in keys(&paths, &texts[3], weights).into_iter().zip(&verdicts) {
                let kind = [Verdict::Split, Verdict::Family, Verdict::Dead].get(usize::from(*verdict));
                found.extend(kind.map(|&kind| (key, kind)));
            }
            paths.verdicts.extend(&found);
        }
        let mut own = keys(&paths, &texts[3], weights);
        let mut plain = plain_keys(&paths, &texts[3], weights);
        own.sort_unstable();
        plain.sort_unstable();
        prop_assert!(own.len() < 1000);
        prop_assert_eq!(own, plain);
    }
}

/// Two texts of `size` features, `shared` of them common.
fn pair(number: u64, size: u64, shared: u64) -> [Vec<u64>; 2] {
    [1, 2].map(|side| {
        (0..size)
            .map(|at| mix(mix(number) ^ at ^ if at < shared { 0 } else { side << 40 }))
            .collect()
    })
}

#[test]
fn pairs_are_found_as_often_as_the_formula_says() {
    for (share, depth) in [(0.65, 1), (0.65, 2), (0.4, 2), (0.8, 2)] {
        let (size, pairs) = (60_u64, 3000);
        let shared = (share * size as f64) as u64;
        let all: Vec<Vec<u64>> = (0..pairs).flat_map(|number| pair(number, size, shared)).collect();
        let rates = Rates {
            first: 4,
            further: 2.3,
            even: 0,
        };
        // All features are equally rare: the share of the pair is then that of its features.
        let mut paths = paths(rates, &[]);
        if depth == 2 {
            split_firsts(&mut paths, &all);
        }
        let met = all.chunks(2).filter(|pair| {
            let own = keys(&paths, &pair[0], &[]);
            keys(&paths, &pair[1], &[]).iter().any(|key| own.contains(key))
        });
        let found = met.count() as f64 / f64::from(pairs as u32);
        let expected = rates.found(Overlap::of_equals(share), depth);
        assert!(
            (found - expected).abs() < 0.03,
            "{share} {depth}: {found}, not {expected}"
        );
    }
}

#[test]
fn every_copy_with_few_edits_is_found() {
    let paths = paths(Rates { further: 1.0, ..RATES }, &[]);
    for number in 0..5000 {
        let [text, copy] = pair(number, 60, 57);
        let own = keys(&paths, &text, &[]);
        assert_eq!(own.len(), 8);
        assert!(keys(&paths, &copy, &[]).iter().any(|key| own.contains(key)));
    }
}

#[test]
fn texts_with_few_features_select_all_of_them() {
    let texts: Vec<Vec<u64>> = (0..50)
        .map(|text| (0..11).map(|at| mix(text << 8 | at)).collect())
        .collect();
    let paths = paths(
        Rates {
            first: 1,
            further: 1.0,
            even: 0,
        },
        &texts,
    );
    assert!(texts.iter().all(|text| keys(&paths, text, &[]).len() == 11));
}
