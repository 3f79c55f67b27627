//! The tests of `expected.rs`.

use super::*;

/// Groups of `size` texts, `count` of them, each text sampled at one in `rate` by a hash.
fn sampled_sizes(size: u64, count: u64, rate: u64) -> Vec<u32> {
    let mut pairs = Vec::new();
    for group in 0..count {
        let texts: Vec<u32> = (group * size..(group + 1) * size)
            .filter(|&text| mix(text).is_multiple_of(rate))
            .map(|text| text as u32)
            .collect();
        pairs.extend(texts.windows(2).map(|pair| (pair[0], pair[1])));
    }
    sizes(&groups(pairs.iter()))
}

#[test]
fn the_dropped_texts_of_groups_follow_from_a_sample() {
    for (size, count) in [
        (2, 40_000),
        (3, 20_000),
        (6, 10_000),
        (40, 2000),
        (5000, 20),
        (100_000, 1),
    ] {
        let truth = ((size - 1) * count) as f64;
        for rate in [1, 4, 16] {
            let found = dropped(&sampled_sizes(size, count, rate), rate as f64);
            assert!(
                (truth / 1.5..truth * 1.5).contains(&found),
                "{size} x {count} at {rate}: {found} of {truth}"
            );
        }
    }
}

#[test]
fn groups_are_what_pairs_connect() {
    assert_eq!(sizes(&groups([(1, 2), (2, 3), (7, 9), (3, 1)].iter())), [2, 3]);
    assert_eq!(sizes(&groups([].iter())), [0; 0]);
}

#[test]
fn the_weight_of_a_path_makes_its_pairs_as_many_as_those_of_texts_drawn_anew() {
    // A path of `texts` texts, of which each is sampled at one in `rate`; it is split above 8.
    for (texts, rate) in [(64_u64, 16_u64), (128, 16), (200, 16), (40, 4)] {
        let (mut weighted, mut unsplit, trials) = (0.0, 0.0, 20_000_u64);
        for trial in 0..trials {
            let count = |seed: u64| {
                let drawn = (0..texts).filter(|&text| mix(mix(trial << 8 | seed) ^ text).is_multiple_of(rate));
                drawn.count() as f64
            };
            let own = count(1);
            weighted += as_leaf(own - 8.0, 1.0 / rate as f64) * own * (own - 1.0) / 2.0 * (rate * rate) as f64;
            unsplit += f64::from(u8::from(count(2) <= 8.0));
        }
        let truth = unsplit * (texts * (texts - 1) / 2) as f64;
        assert!(
            (0.9..1.1).contains(&(weighted / truth)),
            "{texts} {rate}: {weighted} {truth}"
        );
    }
}
