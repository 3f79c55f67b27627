//! Keys against the plain walk, and the share of pairs that they find against the formula.

use proptest::prelude::*;

use super::*;

/// Paths over texts of `n` features each of a vocabulary, with no path split.
fn paths(rates: Rates, texts: &[Vec<u64>]) -> Paths {
    let total = texts.iter().map(Vec::len).sum();
    Paths {
        rates,
        rarity: Rarity::count(&texts.iter().map(Vec::as_slice), total).unwrap(),
        fates: Fates::default(),
        mean_keys: 0.0,
    }
}

/// Splits the paths of some texts, so that all have `depth` features.
fn split_to(paths: &mut Paths, texts: &[Vec<u64>], depth: usize) {
    for _ in 1..depth {
        let keys_of = |text: &Vec<u64>| keys(paths, text, &[]);
        let found: Vec<(u64, Fate)> = (texts.iter().flat_map(keys_of))
            .map(|path| (path, Fate::Split))
            .collect();
        paths.fates.extend(&found);
    }
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

/// The keys of a text by the definition, in few lines: the features sorted by priority, path by path.
pub(crate) fn plain_keys(paths: &Paths, features: &[u64], weights: &[u32]) -> Vec<u64> {
    let priority = |at: usize, seed: u64, even: bool| {
        let square = weights
            .get(at)
            .map_or(1.0, |&weight| f64::from(weight) * f64::from(weight));
        let rarity = if even {
            1.0
        } else {
            f64::from(paths.rarity.weight(features[at]))
        };
        draw::draw(features[at], seed) as f64 * (1.0 / (rarity * square))
    };
    let select = |most: usize, seed: u64, even: bool| {
        let mut all: Vec<usize> = (0..features.len()).filter(|&at| weights.get(at) != Some(&0)).collect();
        all.sort_by(|&a, &b| {
            let by_priority = priority(a, seed, even).total_cmp(&priority(b, seed, even));
            by_priority.then(features[a].cmp(&features[b]))
        });
        all.truncate(most);
        all
    };
    let Rates { first, even, .. } = paths.rates;
    let firsts = if features.len() < FEW_FEATURES {
        (0..features.len()).collect()
    } else {
        select(first as usize, RARE_DRAW, false)
    };
    let path_of = |at: usize, seed: u64, even: bool| (mix(features[at] ^ !seed), even, vec![at]);
    let mut open: Vec<(u64, bool, Vec<usize>)> = firsts.into_iter().map(|at| path_of(at, RARE_DRAW, false)).collect();
    let evens = select(even as usize, EVEN_DRAW, true);
    open.extend(evens.into_iter().map(|at| path_of(at, EVEN_DRAW, true)));
    let mut keys = Vec::new();
    while let Some((path, even, taken)) = open.pop() {
        match paths.fates.get(path) {
            None => keys.push(path & !FAMILY),
            Some(Fate::Family) => keys.push(path | FAMILY),
            Some(Fate::Dead) => {}
            Some(Fate::Split) if taken.len() == MOST_DEPTH => {}
            Some(Fate::Split) => {
                let further = select(paths.rates.further_of(path), mix(path), even);
                for at in further.into_iter().filter(|at| !taken.contains(at)) {
                    let longer = taken.iter().copied().chain([at]).collect();
                    open.push((mix(path.rotate_left(23) ^ features[at]), even, longer));
                }
            }
        }
    }
    keys
}

/// The keys of a text, and those of the plain walk, each in order.
fn both_keys(paths: &Paths, features: &[u64], weights: &[u32]) -> [Vec<u64>; 2] {
    [keys(paths, features, weights), plain_keys(paths, features, weights)].map(|mut found| {
        found.sort_unstable();
        found
    })
}

const fn rates(first: u32, further: f64, even: u32) -> Rates {
    Rates { first, further, even }
}

const RATES: Rates = rates(6, 2.4, 2);

#[test]
fn a_text_without_weight_selects_none() {
    for n in [1, 20, 100] {
        let features: Vec<u64> = (0..n).map(mix).collect();
        let (paths, weights) = (paths(RATES, std::slice::from_ref(&features)), vec![0; n as usize]);
        let [own, plain] = both_keys(&paths, &features, &weights);
        assert_eq!(own, plain, "{n}");
    }
}

proptest! {
    #[test]
    fn keys_are_those_of_the_plain_walk(
        n in 0..200_u64,
        fates in prop::collection::vec(0..8_u8, 0..40),
        weights in prop::collection::vec(0..9_u32, 200),
        weighted in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let texts: Vec<Vec<u64>> = (0..20).map(|text| (0..n).map(|at| mix(mix(seed ^ (at % 7 * text)) ^ at)).collect()).collect();
        let mut paths = paths(RATES, &texts);
        let weights = if weighted { &weights[..n as usize] } else { &[] };
        // Fates of all kinds for some of the paths, two levels deep.
        for _ in 0..2 {
            let mut found = Vec::new();
            for (key, fate) in keys(&paths, &texts[3], weights).into_iter().zip(&fates) {
                let kind = [Fate::Split, Fate::Family, Fate::Dead].get(usize::from(*fate));
                found.extend(kind.map(|&kind| (key, kind)));
            }
            paths.fates.extend(&found);
        }
        let [own, plain] = both_keys(&paths, &texts[3], weights);
        prop_assert!(own.len() < 1000);
        prop_assert_eq!(own, plain);
    }
}

/// Two texts with `sizes` features, `shared` of them common; the lowest bit of a feature says whether it is common.
fn pair(number: u64, sizes: [u64; 2], shared: u64) -> [Vec<u64>; 2] {
    [0, 1].map(|side| {
        let feature = |at: u64| {
            let only = if at < shared { 0 } else { (side as u64 + 1) << 40 };
            mix(mix(number) ^ at ^ only) & !1 | u64::from(at < shared)
        };
        (0..sizes[side]).map(feature).collect()
    })
}

/// Paths where a feature whose two lowest bits are `bits` has the weight `weights[bits]`.
fn weighted_paths(rates: Rates, weights: [u32; 4]) -> Paths {
    let mut each = [1; 128];
    each[..4].copy_from_slice(&weights);
    let rarity = Rarity::of_parts(vec![0, 1, 2, 3], &each, 1.0).unwrap();
    Paths {
        rarity,
        ..paths(rates, &[])
    }
}

/// The share of pairs that have a key in common, where all paths have `depth` features.
fn share_found(paths: &mut Paths, all: &[Vec<u64>], depth: usize) -> f64 {
    split_to(paths, all, depth);
    let met = all.chunks(2).filter(|pair| {
        let own = keys(paths, &pair[0], &[]);
        keys(paths, &pair[1], &[]).iter().any(|key| own.contains(key))
    });
    met.count() as f64 / (all.len() / 2) as f64
}

/// Compares the share of `PAIRS` simulated pairs that are found with the formula. It may differ by 4.5 standard deviations of the
/// binomial distribution (7 cases in a million do), and by 0.003, because the formula draws from endless texts.
fn check_found(found: f64, expected: f64, case: &str) {
    let tolerance = 4.5 * (expected * (1.0 - expected) / PAIRS as f64).sqrt() + 0.003;
    assert!(
        (found - expected).abs() < tolerance,
        "{case}: {found}, not {expected} by at most {tolerance}"
    );
}

const PAIRS: u64 = 1500;
/// Features of the smaller text of a simulated pair.
const SIZE: u64 = 240;

/// Pairs of a text and another one that has this share of its features, and this many times as many.
fn pairs_of(share: f64, ratio: f64) -> Vec<Vec<u64>> {
    let (shared, larger) = (
        (share * SIZE as f64).round() as u64,
        (ratio * SIZE as f64).round() as u64,
    );
    // Either text of a pair is the larger one.
    let sizes = |number| {
        if number % 2 == 0 {
            [SIZE, larger]
        } else {
            [larger, SIZE]
        }
    };
    (0..PAIRS)
        .flat_map(|number| pair(number, sizes(number), shared))
        .collect()
}

#[test]
fn pairs_are_found_as_often_as_the_formula_says() {
    // The share of the smaller text that both have, and the ratio of sizes.
    let mut cases: Vec<(f64, f64)> = [0.4, 0.65, 0.8].map(|share| (share, 1.0)).into();
    // A cosine of 0.65 at ratios down to its square, where the smaller text is a part of the larger one.
    cases.extend([0.8, 0.6, 0.5, 0.4225].map(|least: f64| (0.65 / least.sqrt(), 1.0 / least)));
    // A Jaccard similarity of 0.5 at two thirds and at a half of the size, and containments.
    cases.extend([(0.5 * 2.5 / 1.5, 1.5), (1.0, 2.0), (0.8, 2.0), (0.8, 4.0), (0.65, 3.0)]);
    let rates = rates(4, 2.3, 0);
    for (share, ratio) in cases {
        let all = pairs_of(share, ratio);
        for depth in 1..=3 {
            // All features are equally rare: the share of the pair is then that of its features.
            let found = share_found(&mut paths(rates, &[]), &all, depth);
            let expected = rates.found(Overlap::of_contained(share, ratio), depth);
            check_found(found, expected, &format!("{share} {ratio} at depth {depth}"));
        }
    }
    assert_eq!(Overlap::of_part(0.4225), Overlap::of_contained(1.0, 1.0 / 0.4225));
}

#[test]
fn the_share_that_counts_is_that_of_the_rarity() {
    let rates = rates(5, 2.3, 0);
    let all = pairs_of(0.65, 1.0);
    // Half of the common features, and half of the others, are ten times as rare; then the common ones alone are rare.
    for (weights, common) in [([1000, 1000, 100, 100], 1.0), ([100, 300, 100, 300], 3.0)] {
        let expected = Overlap::of_equals(0.65 * common / (0.65 * common + 0.35));
        for depth in 1..=2 {
            let found = share_found(&mut weighted_paths(rates, weights), &all, depth);
            check_found(
                found,
                rates.found(expected, depth),
                &format!("{weights:?} at depth {depth}"),
            );
        }
    }
}

#[test]
fn even_selection_finds_a_template_that_rarity_avoids() {
    let rates = rates(5, 2.3, 4);
    let all = pairs_of(0.7, 1.0);
    // The common features are common words: a fiftieth of the weight.
    let rare = Overlap::of_equals(0.7 / (0.7 + 0.3 * 50.0));
    for depth in 1..=3 {
        let by_rarity = rates.found(rare, depth);
        let evenly = Rates {
            first: rates.even,
            ..rates
        }
        .found(Overlap::of_equals(0.7), depth);
        // The draws of both are independent.
        let expected = 1.0 - (1.0 - by_rarity) * (1.0 - evenly);
        let found = share_found(&mut weighted_paths(rates, [5000, 100, 5000, 100]), &all, depth);
        check_found(found, expected, &format!("depth {depth}"));
        assert!(expected > by_rarity + 0.5);
    }
}

#[test]
fn every_copy_with_few_edits_is_found() {
    let paths = paths(Rates { further: 1.0, ..RATES }, &[]);
    for number in 0..5000 {
        let [text, copy] = pair(number, [60, 60], 57);
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
    let paths = paths(rates(1, 1.0, 0), &texts);
    assert!(texts.iter().all(|text| keys(&paths, text, &[]).len() == 11));
}
