//! The tests of `feature_bits.rs`.

use std::collections::HashSet;

use proptest::prelude::*;

use super::*;
use crate::recipe::Threshold;

fn texts(seeds: &[(u64, usize, u64)]) -> Vec<HashSet<u64>> {
    // A template of 40 features, of which each text has the first `shared`, and some of its own.
    let text = |&(seed, shared, own): &(u64, usize, u64)| {
        let template = (0..40).map(mix).take(shared);
        template.chain((0..own).map(|at| mix(mix(seed) ^ at))).collect()
    };
    seeds.iter().map(text).collect()
}

fn own(known: &FeatureBits, text: &HashSet<u64>) -> OwnBits {
    known.of_text(&text.iter().copied().collect::<Vec<_>>())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn no_near_row_is_ruled_out(
        seeds in proptest::collection::vec((0..4_u64, 0..41_usize, 0..120_u64), 2..20),
        cosine in 0.05..1.0_f64,
        features in prop_oneof![Just(100.0), Just(300.0), Just(500.0)],
        rows in prop_oneof![Just(20_usize), 1..8_usize],
        by in prop_oneof![Just(KnownBy::BitsOfMember), Just(KnownBy::FewBits), Just(KnownBy::WideBits)],
    ) {
        let texts = texts(&seeds);
        // At least this many rows fit in the least width, so all do where it is the number of texts.
        let most = rows * words(features) * size_of::<u64>();
        let mut known = FeatureBits::below(texts.len(), features, by, most, Kernel::active());
        for (row, text) in texts.iter().enumerate() {
            let own_bits = own(&known, text);
            // The row itself is not known yet; a row may come twice.
            let mut left: Vec<u32> = (0..=row as u32).chain(0..row as u32).collect();
            let mut tested = Tested::default();
            known.rule_out(&own_bits, cosine, &mut left, |row| row, &mut tested);
            let dropped = tested.ruled_out;
            prop_assert!(left.contains(&(row as u32)), "a row that is not known");
            prop_assert_eq!(left.len() + dropped.len(), 2 * row + 1);
            prop_assert!(left.iter().all(|row| !dropped.contains(row)));
            for (earlier, other) in texts[..row].iter().enumerate() {
                let shared = text.intersection(other).count() as f64;
                let product = (text.len() * other.len()) as f64;
                let near = product > 0.0 && shared / product.sqrt() >= cosine;
                prop_assert!(!(near && dropped.contains(&(earlier as u32))), "{row} {earlier}");
            }
            let before = known.rows.len();
            let fits = known.insert(row as u32, own_bits);
            prop_assert_eq!(known.rows.len(), before + usize::from(fits));
            known.insert(row as u32, own(&known, text));
            prop_assert_eq!(known.rows.len(), before + usize::from(fits), "each row once");
            prop_assert!(known.column.len() * size_of::<u64>() <= most);
            prop_assert_eq!(known.column.len(), known.rows.len() * known.words());
            prop_assert!(fits || rows < texts.len());
        }
    }
}

#[test]
fn texts_of_half_a_template_are_ruled_out_as_far_as_rows_fit() {
    let seeds: Vec<(u64, usize, u64)> = (0..100).map(|seed| (seed, 40, 40)).collect();
    let texts = texts(&seeds);
    // Rows of 16 words at first, of 4 in the end.
    let features = 100.0;
    for (fitting, words, known_rows) in [(100 * 16, 16, 100), (100 * 8, 8, 100), (60 * 4, 4, 60)] {
        let most = fitting * size_of::<u64>();
        let mut known = FeatureBits::below(texts.len(), features, KnownBy::FewBits, most, Kernel::active());
        for (row, text) in texts.iter().enumerate() {
            known.insert(row as u32, own(&known, text));
        }
        assert_eq!((known.words(), known.rows.len()), (words, known_rows));
        let mut left: Vec<u32> = (0..99).collect();
        let mut tested = Tested::default();
        known.rule_out(&own(&known, &texts[99]), 0.8, &mut left, |row| row, &mut tested);
        let ruled_out = known_rows.min(99) as u32;
        assert_eq!(
            (tested.ruled_out, left),
            ((0..ruled_out).collect(), (ruled_out..99).collect())
        );
    }
}

#[test]
fn many_long_rows_are_second_sketches() {
    let (scheme, tuning) = (
        Scheme::parse("chars128").unwrap(),
        Tuning {
            most_bits: 1 << 16,
            ..Tuning::DEFAULT
        },
    );
    let recipe = Recipe::new(&scheme, Threshold::Similarity(0.6), 0.98, 0, 1000).unwrap();
    let of = |rows: usize, by, most: usize| {
        FeatureBits::of_walk(&recipe, (rows, 1800.0), by, (tuning, most), Kernel::active())
    };
    let [few, wide] = [KnownBy::FewBits, KnownBy::WideBits];
    let are_bits = |rows, by| of(rows, by, usize::MAX).most_differing.is_none();
    assert!(are_bits(10, few) && !are_bits(1000, few) && are_bits(1000, wide));
    let rows_of = |mut known: FeatureBits| {
        let fits = |row: &u32| known.insert(*row, known.of_text(&[u64::from(*row)]));
        (0..1000).filter(fits).count()
    };
    // 232 words a row.
    assert_eq!(rows_of(of(1000, wide, usize::MAX)), 564, "sixteen times as much");
    assert_eq!(rows_of(of(1000, wide, 1 << 16)), 35, "as far as the run allows");
    let mut known = of(1000, few, usize::MAX);
    // Of 1,800 features each text shares with the first the first 18 times its number.
    let text = |row: u64| -> Vec<u64> {
        let own = |at: u64| if at < 18 * row { mix(at) } else { mix(mix(row + 7) ^ at) };
        (0..1800).map(own).collect()
    };
    for row in 1..100 {
        let own = known.of_text(&text(row));
        assert!(known.insert(row as u32, own));
    }
    let first: Vec<u64> = (0..1800).map(mix).collect();
    let own = known.of_text(&first);
    let mut left: Vec<u32> = (0..100).collect();
    known.rule_out(&own, 0.6, &mut left, |row| row, &mut Tested::default());
    assert!((60..100).all(|row| left.contains(&row)), "near rows stay: {left:?}");
    assert!(
        left.iter().filter(|row| (1..25).contains(*row)).count() < 5,
        "others go: {left:?}"
    );
    let is_left = |row: &u32| known.may_be_near(&own.bits, &known.of_text(&text(u64::from(*row))).bits, 0.6);
    assert_eq!(
        (1..100).filter(is_left).collect::<Vec<u32>>(),
        left[1..],
        "and row 0 is not known"
    );
}

#[test]
fn memory_is_foreseen_in_the_least_width_and_in_sketches() {
    let tuning = Tuning {
        most_bits: 1 << 20,
        ..Tuning::DEFAULT
    };
    for (rows, features) in [(10.0, 1800.0), (600.0, 1800.0), (100_000.0, 1800.0), (100_000.0, 200.0)] {
        let least = least_words(features, LEAST_BITS_A_FEATURE) as f64;
        let held = held_bytes(rows, rows, features, tuning);
        let of_sketches = rows * (8 * SECOND_WORDS) as f64;
        let is_right = if by_sketches(rows, features, tuning) {
            (held - of_sketches).abs() < 1.0
        } else {
            held <= most_bytes(tuning) as f64 && held >= rows * least * 8.0
        };
        assert!(
            is_right && by_sketches(rows, features, tuning) == (rows > 1000.0),
            "{rows} {features}"
        );
        let wide = wide_bytes(rows, features, tuning);
        let (all, most) = (rows * 8.0 * words(features) as f64, f64::from(16 << 20));
        assert!(
            (wide - all.min(most)).abs() < 1.0 && wide >= held.min(most),
            "{rows} {features}"
        );
    }
}
