//! The tests of `neighbours.rs`.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

/// The simplest form: from 96 bits downward, the first counts within the limit.
fn plain(documents: &[Vec<u64>], limit: usize) -> (u32, BTreeMap<u128, u64>) {
    for bits in (0..=WHOLE).rev() {
        let mut counts = BTreeMap::new();
        for words in documents {
            for (at, &word) in words.iter().enumerate() {
                let beside = [(0_u128, at.wrapping_sub(1)), (1, at + 1)];
                for (side, neighbour) in beside {
                    let Some(&neighbour) = words.get(neighbour) else {
                        continue;
                    };
                    let known = side << 95 | u128::from(word) << 31 | u128::from(neighbour >> 33);
                    let known = if bits == 0 {
                        0
                    } else {
                        known >> (96 - bits) << (96 - bits)
                    };
                    *counts.entry(known).or_insert(0) += 1;
                }
            }
        }
        if counts.len() <= limit {
            return (bits, counts);
        }
    }
    unreachable!("no bits leave one pair")
}

fn made(documents: &[Vec<u64>], limit: usize, step: usize) -> Neighbours {
    let mut neighbours = Neighbours::new();
    for some in documents.chunks(step) {
        let mut pairs = Vec::new();
        for words in some {
            pairs_of(words, &mut pairs);
        }
        neighbours.add(&mut pairs, limit);
    }
    neighbours
}

fn documents() -> impl Strategy<Value = Vec<Vec<u64>>> {
    let word = prop_oneof![3 => (0..6_u64).prop_map(|i| i << 61 | i), 1 => any::<u64>()];
    proptest::collection::vec(proptest::collection::vec(word, 0..12), 0..12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]
    #[test]
    fn neighbours_are_their_plain_twin(documents in documents(), limit in 1..80_usize) {
        let (bits, counts) = plain(&documents, limit);
        let expected: Vec<u128> = counts.iter().map(|(known, count)| known << 32 | u128::from(*count)).collect();
        for step in [1, 3, 12] {
            let neighbours = made(&documents, limit, step);
            prop_assert_eq!((neighbours.bits, neighbours.entries), (bits, expected.clone()));
        }
    }

    #[test]
    fn merging_is_counting_both(a in documents(), b in documents(), limit in 1..80_usize) {
        let both = made(&[a.clone(), b.clone()].concat(), limit, 5);
        let (a, b) = (made(&a, limit, 2), made(&b, limit, 7));
        prop_assert_eq!(a.merge(&b, limit), both.clone());
        prop_assert_eq!(b.merge(&a, limit), both);
    }

    #[test]
    fn entropies_are_those_of_the_definition(documents in documents(), limit in 4..80_usize) {
        let neighbours = made(&documents, limit, 3);
        let (bits, counts) = plain(&documents, limit);
        let (word_bits, means) = neighbours.mean_entropies();
        prop_assert_eq!(word_bits, bits.min(65).saturating_sub(1));
        for &word in documents.iter().flatten() {
            let sides = [Side::Left, Side::Right].map(|side| {
                let cut = |known: u128| if bits == 0 { 0 } else { known >> (96 - bits.min(65)) };
                let wanted = cut((side as u128) << 95 | u128::from(word) << 31);
                let run: Vec<f64> = counts.iter().filter(|(known, _)| cut(**known) == wanted).map(|(_, &n)| n as f64).collect();
                let all: f64 = run.iter().sum();
                let plain: f64 = run.iter().map(|n| -(n / all) * (n / all).log2()).sum();
                let got = neighbours.entropy(word, side);
                assert!((got - plain).abs() < 1e-9, "{got} {plain}");
                got
            });
            if bits > 0 && documents.iter().any(|words| words.len() > 1 && words.contains(&word)) {
                let prefix = if word_bits == 0 { 0 } else { word >> (64 - word_bits) << (64 - word_bits) };
                let mean = means.iter().find(|mean| mean.0 == prefix).unwrap().1;
                prop_assert!((mean - f64::midpoint(sides[0], sides[1])).abs() < 1e-9);
            }
        }
    }
}

#[test]
fn a_full_count_stays_full() {
    let full = vec![pair(Side::Left, 1, 1 << 40) | COUNT];
    let one = vec![pair(Side::Left, 1, 1 << 40) | 1];
    assert_eq!(merged(full.clone(), one), full);
    let two = [full[0], pair(Side::Left, 1, 1 << 41) | 1];
    assert_eq!(folded(&two, 65), [pair(Side::Left, 1, 0) | COUNT]);
}
