//! The tests of `this module`.

use proptest::prelude::*;

use super::*;
use crate::base::hash::mix;

fn sums_of(kernel: Kernel, features: &[(u64, u32)], most: u32, width: u32) -> Vec<i64> {
    let (hashes, weights): (Vec<u64>, Vec<u32>) = features.iter().copied().unzip();
    let mut sums = Sums::default();
    if weights.iter().all(|&w| w == 1) {
        sums.once(kernel, &hashes, width);
    } else {
        sums.weighted(kernel, &hashes, &weights, most, width);
    }
    (0..width as usize).map(|bit| sums.sum(bit)).collect()
}

#[test]
fn large_weights_and_many_features_do_not_overflow() {
    for kernel in Kernel::available() {
        let features: Vec<(u64, u32)> = (0..5000).map(|i| (mix(i), u32::MAX - (i % 7) as u32)).collect();
        assert_eq!(
            sums_of(kernel, &features, u32::MAX, 128),
            plain_sums(features.iter().copied(), 128),
            "{kernel:?}"
        );
        let ones: Vec<(u64, u32)> = (0..5000).map(|i| (u64::MAX - i % 3, 1)).collect();
        assert_eq!(
            sums_of(kernel, &ones, 1, 64),
            plain_sums(ones.iter().copied(), 64),
            "{kernel:?}"
        );
    }
}

#[test]
fn a_tie_gives_what_the_rule_says() {
    let mut sums = Sums::default();
    sums.once(Kernel::Portable, &[u64::MAX, 0], 64);
    let mut words = [1];
    assert!(sums.write(64, 1, &mut words));
    assert_eq!(words, [0]);
    assert!(sums.write(64, 0, &mut words));
    assert_eq!(words, [u64::MAX]);
}

#[test]
fn nothing_has_no_fingerprint() {
    let mut sums = Sums::default();
    sums.weighted(Kernel::Portable, &[3], &[0], 1, 64);
    assert!(!sums.write(64, 0, &mut [0]));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn every_kernel_agrees_with_the_plain_sums(
        seeds in proptest::collection::vec((any::<u64>(), 1..2000_u32), 0..600), width in 1..=256_u32, most in 1..4_u32,
    ) {
        for flat in [true, false] {
            let features: Vec<(u64, u32)> = seeds.iter().map(|&(h, w)| (h, if flat { 1 } else { w })).collect();
            let expected = plain_sums(features.iter().copied(), width);
            let hashes = |k| features.iter().map(move |&(hash, _)| word(hash, k));
            let planes: Vec<u64> = (0..width.div_ceil(64) as usize).flat_map(hashes).collect();
            let weights: Vec<u32> = features.iter().filter(|_| !flat).map(|&(_, weight)| weight).collect();
            for kernel in Kernel::available() {
                prop_assert_eq!(&sums_of(kernel, &features, most, width), &expected, "{:?}", kernel);
                let mut sums = Sums::default();
                sums.planes(kernel, &planes, features.len(), &weights, width);
                let sums: Vec<i64> = (0..width as usize).map(|bit| sums.sum(bit)).collect();
                prop_assert_eq!(&sums, &expected, "planes, {:?}", kernel);
            }
        }
    }

    #[test]
    fn the_order_of_features_changes_nothing(mut features in proptest::collection::vec((any::<u64>(), 1..9_u32), 0..50)) {
        let before = sums_of(Kernel::active(), &features, 1, 128);
        features.reverse();
        prop_assert_eq!(sums_of(Kernel::active(), &features, 1, 128), before);
    }
}
