//! Runs whose measure is the containment: near pairs have an order.

use std::sync::Arc;

use proptest::prelude::*;

use crate::base::context::Context;
use crate::collection::combine::Combine;
use crate::dedup::decide::decide;
use crate::dedup::loading;
use crate::dedup::pairs::{Contained, near_pairs};
use crate::dedup::recall;
use crate::encode::paths::Overlap;
use crate::encode::scheme::Scheme;
use crate::forecast::{largest_ratio, least_similarity, reach};
use crate::recipe::{Recipe, Threshold};
use crate::search::documents::{Documents, Options};
use crate::source::Sources;
use crate::tests::decide::{check_books, family, oracle, outcomes};
use crate::tests::support::{blind, contained, documents_with, near_in_either_order, options, options_for};

fn loaded(texts: &[String], threshold: Threshold, keep: &str, records: u64) -> Documents {
    documents_with(texts, &options_for("chars128", threshold, records, &[keep]))
}

fn check(texts: &[String], threshold: Threshold, keep: &str, records: u64) -> usize {
    let documents = loaded(texts, threshold, keep, records);
    let decisions = decide(&documents, &Context::small(2)).unwrap();
    assert_eq!(
        outcomes(&decisions),
        oracle(&documents, texts),
        "{threshold} {keep} {records}"
    );
    check_books(&decisions);
    decisions.counts.near as usize
}

fn texts(all: &[&str]) -> Vec<String> {
    all.iter().map(|&text| text.to_owned()).collect()
}

/// 22, 16 and 16 windows of six letters; the second text is a part of the first, and the third is its copy.
const FERRY: [&str; 3] = [
    "the ferry leaves at seven o'clock",
    "the ferry leaves at seven",
    "The ferry leaves at seven",
];

#[test]
fn a_part_is_dropped_for_the_kept_whole_and_the_whole_is_not_dropped_for_a_part() {
    let kept = |all: &[&str], keep, max_ratio| {
        let documents = loaded(&texts(all), contained(0.9, max_ratio), keep, 2);
        decide(&documents, &Context::small(1)).unwrap().kept_rows.len()
    };
    let [whole, part, _] = FERRY;
    for (all, keep, max_ratio, left) in [
        ([whole, part], "first", 4.0, 1),
        ([part, whole], "first", 4.0, 2),
        ([part, whole], "longest", 4.0, 1),
        ([part, whole], "last", 4.0, 1),
        // The whole has 22 / 16 = 1.375 times as many features.
        ([whole, part], "first", 1.375, 1),
        ([whole, part], "first", 1.37, 2),
    ] {
        assert_eq!(kept(&all, keep, max_ratio), left, "{all:?} {keep} {max_ratio}");
    }
}

#[test]
fn pairs_say_which_document_the_other_contains() {
    let pairs = |all: &[String], threshold| {
        let found = near_pairs(&loaded(all, threshold, "first", 3), 10, false, &Context::small(1)).unwrap();
        let told: Vec<_> = found
            .iter()
            .map(|pair| (pair.a, pair.b, pair.similarity, pair.contained))
            .collect();
        told
    };
    let mut all = texts(&FERRY);
    let (a, b, both) = (Some(Contained::A), Some(Contained::B), Some(Contained::Both));
    assert_eq!(
        pairs(&all, contained(0.9, 4.0)),
        [(0, 1, 1.0, b), (0, 2, 1.0, b), (1, 2, 1.0, both)]
    );
    // 16 of 22 features are 0.73.
    assert_eq!(pairs(&all, contained(0.7, 4.0))[0], (0, 1, 1.0, both));
    assert_eq!(pairs(&all, Threshold::Similarity(0.7))[0].3, None);
    all.reverse();
    assert_eq!(pairs(&all, contained(0.9, 4.0))[1], (0, 2, 1.0, a));
}

fn contained_by_two(first: (&str, Threshold), second: (&str, Threshold), rule: Combine) -> Vec<Option<Contained>> {
    let all = texts(&FERRY[..2]);
    let each = [first, second].map(|(spec, threshold)| Options {
        scheme: Scheme::parse(spec).unwrap(),
        threshold,
        ..options(&["first"])
    });
    let sources = Arc::new(Sources::from_texts(all.iter().map(String::as_str)));
    let documents = loading::load_each(sources, &each, rule, &Context::small(1)).unwrap();
    let pairs = near_pairs(&documents, 10, false, &Context::small(1)).unwrap();
    pairs.iter().map(|pair| pair.contained).collect()
}

/// Near by bits alone, a pair does not say that one document contains the other.
#[test]
fn pairs_of_a_scheme_without_an_order_say_nothing() {
    let (far, bits) = (("chars128", contained(0.9, 1.1)), ("words64", Threshold::Distance(40)));
    assert_eq!(contained_by_two(far, bits, Combine::Any), [None]);
    assert_eq!(contained_by_two(far, bits, Combine::All), []);
}

/// Five of the six or seven words of the whole are in the part, but 16 of its 22 windows.
#[test]
fn orders_of_several_schemes_are_combined_as_their_rule_says() {
    let (one_way, both_ways) = (("chars128", contained(0.9, 4.0)), ("words64", contained(0.7, 4.0)));
    for (first, second) in [(one_way, both_ways), (both_ways, one_way)] {
        assert_eq!(contained_by_two(first, second, Combine::Any), [Some(Contained::Both)]);
        assert_eq!(contained_by_two(first, second, Combine::All), [Some(Contained::B)]);
    }
}

/// Families larger than any small bucket, near and not, and parts of their texts.
#[test]
fn families_and_parts_are_decided_as_the_plain_loop_does() {
    let mut all = family(1, 60, 40, 38);
    all.extend(family(2, 60, 40, 24));
    all.extend(family(3, 120, 40, 20));
    let parts = |of: usize, step: usize| -> Vec<String> {
        let part = |text: &String| text[text.len() / 8..text.len() / 8 + text.len() / of].to_owned();
        all.iter().step_by(step).map(part).collect()
    };
    all = [parts(2, 9), parts(4, 7), all.clone()].concat();
    for (least, max_ratio, keep, records) in [
        (0.65, 4.0, "longest", 500),
        (0.4, 2.0, "longest", 1 << 20),
        (0.65, 4.0, "first", 1 << 20),
        (0.9, 8.0, "longest", 1 << 20),
    ] {
        assert!(check(&all, contained(least, max_ratio), keep, records) > 50);
    }
}

#[test]
fn the_sampler_has_the_same_relation() {
    let ordered = |parts_first: bool| {
        let wholes = family(4, 40, 40, 0);
        let parts: Vec<String> = wholes.iter().map(|text| text[..text.len() / 3].to_owned()).collect();
        let all = if parts_first { [parts, wholes] } else { [wholes, parts] }.concat();
        let mut documents = loaded(&all, contained(0.8, 4.0), "first", 1 << 20);
        blind(&mut documents);
        let decisions = decide(&documents, &Context::small(2)).unwrap();
        let sampled = recall::measure(&documents, &decisions, 1000, 0, &Context::small(2)).unwrap();
        (sampled.sampled, sampled.missed)
    };
    assert_eq!(ordered(false), (80, 40));
    assert_eq!(ordered(true), (80, 0));
}

#[test]
fn recall_is_promised_for_the_largest_ratio() {
    let scheme = Scheme::parse("chars128").unwrap();
    let made = |least, max_ratio| Recipe::new(&scheme, contained(least, max_ratio), 0.98, 0, 1 << 20).unwrap();
    let recipe = made(0.8, 4.0);
    let (equal, unequal) = reach(&recipe);
    assert!((0.98..0.985).contains(&unequal) && equal > 0.99, "{equal} {unequal}");
    let rates = recipe.paths.unwrap().rates(0);
    for ratio in [0.8, 1.0, 1.5, 2.5, 3.9] {
        let found = rates.found(Overlap::of_contained(0.8, ratio), 2);
        assert!(found > unequal, "{ratio}: {found} {unequal}");
    }
    assert_eq!(
        (least_similarity(&recipe, &scheme), largest_ratio(&recipe, &scheme)),
        (None, None)
    );
    let beyond = made(0.8, 16.0);
    assert!(reach(&beyond).1 < 0.9);
    assert_eq!(
        (least_similarity(&beyond, &scheme), largest_ratio(&beyond, &scheme)),
        (None, Some(5.9))
    );
    let read = Recipe::from_json(&recipe.to_json()).unwrap();
    assert_eq!((read.digest(), &read), (recipe.digest(), &recipe));
    assert_ne!(made(0.8, 2.0).digest(), recipe.digest());
    let stricter = recipe.rethreshold(contained(0.9, 4.0)).unwrap();
    assert_eq!(Recipe::from_json(&stricter.to_json()).unwrap(), stricter);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]
    /// No near pair is lost to sizes, to the bound of the bits or to early ends, also where both texts have many features.
    #[test]
    fn what_is_near_passes_every_exact_filter(
        short in proptest::collection::vec("[ab中文]{0,5}( [abc]{1,5}){0,12}", 0..12),
        long in proptest::collection::vec("( [a-e]{1,3}){20,90}", 0..4),
        least in 0.1..1.0_f64,
        max_ratio in 1.0..8.0_f64,
    ) {
        let mut all = [short, long.clone()].concat();
        all.extend(long.iter().map(|text| text[text.len() / 3..].to_owned()));
        let threshold = contained(least, max_ratio);
        let documents = loaded(&all, threshold, "first", all.len() as u64);
        let scheme = &documents.collection.encodings[0].scheme;
        let found = near_pairs(&documents, 1_000_000, false, &Context::small(1)).unwrap();
        let got: Vec<(u32, u32)> = found.iter().map(|pair| (pair.a, pair.b)).collect();
        let pairs = (0..all.len() as u32).flat_map(|a| (a + 1..all.len() as u32).map(move |b| (a, b)));
        let near = |a: u32, b: u32| near_in_either_order(threshold, scheme, &all[a as usize], &all[b as usize]);
        let wanted: Vec<(u32, u32)> = pairs.filter(|&(a, b)| near(a, b)).collect();
        prop_assert_eq!(got, wanted);
    }
}
