//! What a sample says of a search, against what the search meets.

use std::sync::Arc;

use super::tests::{COSTS, families, work};
use super::*;
use crate::base::context::Context;
use crate::base::hash::mix;
use crate::collection::combine::Combine;
use crate::dedup::decide::decide;
use crate::search::loading::Loading;
use crate::source::Sources;
use crate::tests::support::options;

/// Short texts of a small vocabulary, which share many words, and a fifth of them with a word changed.
fn questions(count: u64) -> Vec<String> {
    let word = |seed: u64| {
        let draw = mix(seed);
        // Low numbers are frequent.
        format!("{:x}", ((draw % 4000) * (draw >> 32 & 0xFFF)) >> 12)
    };
    (0..count)
        .map(|at| {
            let (of, changed) = if at % 5 == 4 { (at - 4, at % 11) } else { (at, 99) };
            let words =
                (0..12 + of % 7).map(|place| word(of << 8 | place | if place == changed { 1 << 40 } else { 0 }));
            words.collect::<Vec<_>>().join(" ")
        })
        .collect()
}

#[test]
fn a_sample_says_what_the_search_meets() {
    for (texts, similarity) in [
        (questions(20_000), 0.65),
        (questions(20_000), 0.4),
        (families(5000, 4), 0.65),
    ] {
        for log2 in [0, 2, 3] {
            let mut options = options(&["first"]);
            options.threshold = Threshold::Similarity(similarity);
            options.recipe_for = Some(1 << (13 + log2));
            let sources = Arc::new(Sources::from_texts(texts.iter().map(String::as_str)));
            let ctx = Context::silent(1);
            let each = std::slice::from_ref(&options);
            let loading = Loading::begin(sources, each, Combine::All, &ctx).unwrap();
            let expected = loading.searches().next().unwrap().2.unwrap();
            let documents = loading.finish(&ctx).unwrap();
            let found = survey(documents.under(0), 1000, &ctx).unwrap().unwrap();
            let counts = decide(&documents, &ctx).unwrap().counts;
            let at = format!("{similarity} at 2^{log2}: {expected:?} {found:?} {counts:?}");
            let is_within = |forecast: f64, outcome: f64| outcome / 2.0 < forecast && forecast < outcome * 2.0;
            assert!(expected.rate >= libm::exp2(f64::from(log2)), "{at}");
            assert!(is_within(expected.rows(), found.rows as f64), "{at}");
            assert!((expected.keys / found.keys - 1.0).abs() < 0.1, "{at}");
            assert!(is_within(expected.looks, found.looks), "{at}");
            assert!(is_within(expected.near, counts.near as f64), "{at}");
            let forecast = forecast(
                &documents.recipes[0],
                &options.scheme,
                &work(20_000, 60),
                &COSTS,
                Some(&expected),
            );
            assert!(is_within(forecast.candidates, counts.candidates as f64), "{at}");
            assert!(similarity < 0.6 || !expected.is_crowded(), "{at}");
            assert!(expected.recall.is_none_or(|recall| recall > 0.8), "{at}");
        }
    }
}

#[test]
fn old_texts_are_not_looked_at_among_one_another() {
    let texts = questions(20_000);
    let (new, old) = texts.split_at(5000);
    let mut options = options(&["first"]);
    options.recipe_for = Some(1 << 14);
    let store = |texts: &[String]| Sources::from_texts(texts.iter().map(String::as_str));
    let ctx = Context::silent(1);
    let both = Arc::new(store(new).against(&store(old)));
    let loading = Loading::begin(both, std::slice::from_ref(&options), Combine::All, &ctx).unwrap();
    let expected = loading.searches().next().unwrap().2.unwrap();
    let documents = loading.finish(&ctx).unwrap();
    let counts = decide(&documents, &ctx).unwrap().counts;
    let found = counts.near as f64;
    assert!(
        found > 500.0 && (found / 2.0..found * 2.0).contains(&expected.near),
        "{expected:?} {counts:?}"
    );
}
