//! What a sample says of a search, against what the search meets.

use std::sync::Arc;

use super::tests::{families, work};
use super::*;
use crate::base::context::Context;
use crate::base::hash::mix;
use crate::collection::combine::Combine;
use crate::dedup::decide::decide;
use crate::dedup::loading::{Loading, load};
use crate::source::Sources;
use crate::tests::support::{documents_with, options};

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

fn expected_of(loading: &Loading, ctx: &Context<'_>) -> Expected {
    let (by, frozen) = loading.searches().next().unwrap();
    expected(loading.sources(), frozen.unwrap(), by.1, ctx)
        .unwrap()
        .unwrap()
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
            let ctx = Context::small(1);
            let each = std::slice::from_ref(&options);
            let loading = Loading::begin(sources, each, Combine::All, &ctx).unwrap();
            let expected = expected_of(&loading, &ctx);
            let documents = loading.finish(&ctx).unwrap();
            let decisions = decide(&documents, &ctx).unwrap();
            let (counts, rows) = (decisions.counts, decisions.rows.len());
            let (keys, looks) = met(documents.under(0), rows as u64).unwrap();
            let at = format!("{similarity} at 2^{log2}: {expected:?} {keys} {looks} {counts:?}");
            let is_within = |forecast: f64, outcome: f64| outcome / 2.0 < forecast && forecast < outcome * 2.0;
            assert!(expected.rate >= libm::exp2(f64::from(log2)), "{at}");
            assert!(is_within(expected.rows(), rows as f64), "{at}");
            assert!((expected.keys / keys - 1.0).abs() < 0.1, "{at}");
            assert!(is_within(expected.looks, looks as f64), "{at}");
            assert!(is_within(expected.near, counts.near as f64), "{at}");
            let forecast = forecast(
                &documents.recipes[0],
                &options.scheme,
                &work(20_000, 60),
                Some(&expected),
            );
            assert!(is_within(forecast.candidates, counts.candidates as f64), "{at}");
            assert!(similarity < 0.6 || !expected.is_crowded(), "{at}");
            assert!(expected.recall.is_none_or(|recall| recall > 0.8), "{at}");
        }
    }
}

#[test]
fn a_part_says_what_the_search_of_all_meets() {
    let texts = questions(40_000);
    let options = options(&["first"]);
    let ctx = Context::small(1);
    let by = |texts: &[String]| Sources::from_texts(texts.iter().map(String::as_str));
    let documents = load(Arc::new(by(&texts)), &options, &ctx).unwrap();
    let decisions = decide(&documents, &ctx).unwrap();
    let (keys, looks) = met(documents.under(0), decisions.rows.len() as u64).unwrap();
    // A fifth of the texts, drawn at random.
    let part: Vec<String> = (texts.iter().enumerate())
        .filter(|(at, _)| mix(*at as u64).is_multiple_of(5))
        .map(|(_, text)| text.clone())
        .collect();
    let field = ["text".to_owned()];
    let by_recipe = (&options.scheme, &documents.recipes[0]);
    let expected = expect(&by(&part), &field, by_recipe, 40_000, &ctx).unwrap().unwrap();
    let at = format!("{expected:?} {keys} {looks} {:?}", decisions.counts);
    let is_within = |forecast: f64, outcome: f64| outcome / 2.0 < forecast && forecast < outcome * 2.0;
    assert!((expected.keys / keys - 1.0).abs() < 0.2, "{at}");
    assert!(is_within(expected.rows(), decisions.rows.len() as f64), "{at}");
    assert!(is_within(expected.looks, looks as f64), "{at}");
    assert!(is_within(expected.near, decisions.counts.near as f64), "{at}");
}

#[test]
fn of_few_records_nothing_is_met() {
    let documents = documents_with(&families(10, 2), &options(&["first"]));
    let decisions = decide(&documents, &Context::small(1)).unwrap();
    assert_eq!(met(documents.under(0), decisions.rows.len() as u64), None);
    let mut options = options(&["first"]);
    options.threshold = Threshold::Distance(60);
    let documents = documents_with(&families(2300, 4), &options);
    let decisions = decide(&documents, &Context::small(1)).unwrap();
    assert!(tables(&documents.recipes[0], &options.scheme).is_empty());
    let rows = decisions.rows.len() as u64;
    assert_eq!(met(documents.under(0), rows), Some((0.0, rows * (rows - 1) / 2)));
}

#[test]
fn old_texts_are_not_looked_at_among_one_another() {
    let texts = questions(20_000);
    let (new, old) = texts.split_at(5000);
    let mut options = options(&["first"]);
    options.recipe_for = Some(1 << 14);
    let store = |texts: &[String]| Sources::from_texts(texts.iter().map(String::as_str));
    let ctx = Context::small(1);
    let both = Arc::new(store(new).against(&store(old)));
    let loading = Loading::begin(both, std::slice::from_ref(&options), Combine::All, &ctx).unwrap();
    let expected = expected_of(&loading, &ctx);
    let documents = loading.finish(&ctx).unwrap();
    let counts = decide(&documents, &ctx).unwrap().counts;
    let found = counts.near as f64;
    assert!(
        found > 500.0 && (found / 2.0..found * 2.0).contains(&expected.near),
        "{expected:?} {counts:?}"
    );
}
