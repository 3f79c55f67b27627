//! Forecasts at the edges, and against what runs do.

use proptest::prelude::*;

use super::*;
use crate::base::context::Context;
use crate::base::hash::mix;
use crate::dedup::decide::decide;
use crate::search::documents::{Documents, Options};
use crate::tests::support::{documents_with, options};

pub(super) fn work(documents: u64, mean_bytes: u64) -> Work {
    Work {
        documents,
        mean_bytes,
        mean_features: None,
        threads: 2,
    }
}

/// Every number of a forecast, each with its name.
fn numbers(of: &Forecast) -> [(&'static str, f64); 5] {
    [
        ("keys", of.keys),
        ("looks", of.looks),
        ("candidates", of.candidates),
        ("verified", of.verified),
        ("bytes", of.bytes),
    ]
}

#[test]
fn every_extreme_is_a_plan_or_an_error() {
    let thresholds = [
        Threshold::Similarity(0.01),
        Threshold::Similarity(0.65),
        Threshold::Similarity(1.0),
        Threshold::Distance(0),
        Threshold::Distance(3),
        Threshold::Distance(63),
    ];
    let scheme = Scheme::parse("chars64").unwrap();
    for threshold in thresholds {
        for documents in [0, 1, 2, 8191, 8192, 1_000_000, MOST_DOCUMENTS] {
            let recipe = recipe(&scheme, threshold, 0.98, 0, documents).unwrap();
            for mean_bytes in [0, 1, 500, 1 << 30] {
                let forecast = forecast(&recipe, &scheme, &work(documents, mean_bytes), None);
                for (name, number) in numbers(&forecast) {
                    assert!(
                        number.is_finite() && number >= 0.0,
                        "{threshold:?} {documents}: {name} {number}"
                    );
                }
                let (looks, candidates) = (forecast.looks, forecast.candidates);
                assert!(
                    candidates <= looks,
                    "{threshold:?} {documents} {mean_bytes}: {candidates} {looks}"
                );
            }
            assert!(!why(&recipe, &scheme).is_empty());
        }
    }
    for documents in [1 << 32, u64::MAX] {
        let error = recipe(&scheme, thresholds[1], 0.98, 0, documents)
            .unwrap_err()
            .to_string();
        assert!(error.contains("more than 2^32 - 2"), "{error}");
    }
}

#[test]
fn the_recall_of_equals_and_parts_is_the_formulas() {
    let scheme = Scheme::parse("chars128").unwrap();
    let made = |similarity, n| recipe(&scheme, Threshold::Similarity(similarity), 0.98, 0, n).unwrap();
    for similarity in [0.3, 0.65, 0.9] {
        let (equals, parts) = reach(&made(similarity, 1_000_000));
        assert!(
            (0.98..0.995).contains(&equals) && parts < equals && parts > 0.3,
            "{similarity}: {equals} {parts}"
        );
    }
    assert_eq!(reach(&made(0.01, 100)), (1.0, 1.0), "every pair is tested");
    let low = made(0.05, 1_000_000);
    let least = least_similarity(&low, &scheme).unwrap();
    assert!(reach(&low).0 < 0.98 && (0.1..0.3).contains(&least), "{least}");
    assert_eq!(least_similarity(&made(least, 1_000_000), &scheme), None);
}

#[test]
fn the_recall_by_size_goes_from_equals_to_parts() {
    let scheme = Scheme::parse("chars128").unwrap();
    let made = |threshold, n| recipe(&scheme, threshold, 0.98, 0, n).unwrap();
    let contained = |max_ratio| Threshold::Containment { least: 0.8, max_ratio };
    let cases: [(Threshold, &[f64]); 8] = [
        (
            Threshold::Similarity(0.65),
            &[1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.65 * 0.65],
        ),
        (Threshold::Similarity(0.8), &[1.0, 0.9, 0.8, 0.7, 0.8 * 0.8]),
        (Threshold::Similarity(0.995), &[0.995 * 0.995]),
        (Threshold::Similarity(1.0), &[1.0]),
        (Threshold::Jaccard(0.72), &[1.0, 0.9, 0.8, 0.72]),
        (contained(1.0), &[0.8, 1.0]),
        (contained(4.0), &[0.8, 1.0, 1.5, 2.0, 3.0, 4.0]),
        (contained(5.5), &[0.8, 1.0, 1.5, 2.0, 3.0, 4.0, 5.5]),
    ];
    for (threshold, ratios) in cases {
        let recipe = made(threshold, 200_000);
        let (equals, parts) = reach(&recipe);
        let by_size = reach_by_size(&recipe);
        let found: Vec<f64> = by_size.iter().map(|(ratio, _)| *ratio).collect();
        assert_eq!(found, ratios, "{threshold}");
        let at_one = by_size.iter().find(|(ratio, _)| *ratio >= 1.0);
        assert!(
            at_one.is_none_or(|(_, found)| (found - equals).abs() < 1e-12),
            "{threshold}: {by_size:?}"
        );
        assert!(
            (by_size[by_size.len() - 1].1 - parts).abs() < 1e-9,
            "{threshold}: {by_size:?} {parts}"
        );
        // From texts of one size on the chance falls.
        let from_equals = by_size
            .iter()
            .skip_while(|(ratio, _)| threshold.is_directed() && *ratio < 1.0);
        assert!(
            from_equals.is_sorted_by(|a, b| a.1 >= b.1 - 1e-9),
            "{threshold}: {by_size:?}"
        );
    }
    for (threshold, n) in [(Threshold::Similarity(0.65), 100), (Threshold::Distance(3), 200_000)] {
        assert_eq!(reach_by_size(&made(threshold, n)), [], "every pair is found");
    }
}

proptest! {
    #[test]
    fn more_documents_never_take_less_memory(n in 1_u64..1 << 30, more in 1_u64..1000) {
        let scheme = Scheme::parse("chars128").unwrap();
        let recipe = recipe(&scheme, Threshold::Similarity(0.7), 0.98, 0, n).unwrap();
        let of = |n| forecast(&recipe, &scheme, &work(n, 500), None);
        let (less, greater) = (of(n), of(n + more));
        prop_assert!(less.bytes <= greater.bytes && less.looks <= greater.looks);
    }
}

/// Texts of random words, in families of `each`: every member but the first has one word changed.
pub(super) fn families(count: u64, each: u64) -> Vec<String> {
    let word = |seed: u64| format!("{:x}", mix(seed) % 100_000);
    (0..count * each)
        .map(|at| {
            let (family, member) = (at / each, at % each);
            let words = (0..30)
                .map(|place| word(family * 100 + place + if place == member && member > 0 { 1 << 40 } else { 0 }));
            words.collect::<Vec<_>>().join(" ")
        })
        .collect()
}

/// Bytes of the columns that stay, for each document; places apart.
fn bytes_of_columns(documents: &Documents) -> usize {
    let copies = &documents.collection.copies[..];
    let (collection, encoding) = (&documents.collection, &documents.collection.encodings[0]);
    let bytes = size_of_val(&encoding.fingerprints[..])
        + size_of_val(&encoding.sketches[..])
        + size_of_val(&encoding.digests[..])
        + size_of_val(&encoding.sizes[..])
        + size_of_val(&encoding.valid[..])
        + size_of_val(&collection.order[..])
        + size_of_val(copies);
    assert_eq!(bytes % collection.len(), 0);
    bytes / collection.len()
}

#[test]
fn the_bytes_for_good_are_those_of_the_columns() {
    let texts = families(100, 2);
    for spec in ["chars64", "chars128", "chars256"] {
        for threshold in [Threshold::Similarity(0.6), Threshold::Distance(3)] {
            let scheme = Scheme::parse(spec).unwrap();
            let options = Options {
                scheme: scheme.clone(),
                threshold,
                ..options(&["first"])
            };
            let documents = documents_with(&texts, &options);
            let expected = bytes_of_columns(&documents) as u64 + PLACE_BYTES.ceil() as u64;
            assert_eq!(
                column_bytes(&documents.recipes[0], &scheme),
                expected,
                "{spec} {threshold:?}"
            );
        }
    }
}

#[test]
fn the_default_scheme_takes_at_most_120_bytes_for_good() {
    let scheme = Scheme::parse("chars128").unwrap();
    let recipe = recipe(&scheme, Threshold::Similarity(0.6), 0.98, 0, 1_000_000).unwrap();
    assert!(column_bytes(&recipe, &scheme) <= 120);
}

#[test]
fn feature_bits_are_in_the_forecast_where_a_search_makes_them() {
    let scheme = Scheme::parse("chars128").unwrap();
    let texts = families(500, 2);
    let mean_bytes = texts.iter().map(String::len).sum::<usize>() / texts.len();
    for (similarity, is_made) in [(0.5, true), (0.6, false)] {
        let mut options = options(&["first"]);
        options.scheme = scheme.clone();
        options.threshold = Threshold::Similarity(similarity);
        let documents = documents_with(&texts, &options);
        decide(&documents, &Context::small(1)).unwrap();
        let made = &documents.collection.encodings[0].bits[..];
        let bytes = (size_of_val(made) / texts.len()) as u64;
        assert_eq!(bytes > 0, is_made, "{similarity} {mean_bytes}");
        let work = work(texts.len() as u64, mean_bytes as u64);
        let forecast = row_bytes(&documents.recipes[0], &scheme, features_of(&work));
        assert_eq!(forecast, bytes, "{similarity} {mean_bytes}");
        let of = bytes_of_run(&documents.recipes[0], &scheme, &work, 1 << 40);
        let fixed = (column_bytes(&documents.recipes[0], &scheme) + bytes) * work.documents;
        assert!(
            of.disk_columns >= fixed - 3 * work.documents && of.in_memory > fixed,
            "{of:?}"
        );
    }
}

#[test]
fn features_that_are_known_bound_the_memory_of_the_sample() {
    let scheme = Scheme::parse("chars128").unwrap();
    let of = |documents, mean_bytes, mean_features| {
        let recipe = recipe(&scheme, Threshold::Similarity(0.8), 0.98, 0, documents).unwrap();
        let work = Work {
            mean_features,
            ..work(documents, mean_bytes)
        };
        bytes_of_run(&recipe, &scheme, &work, 256 << 20)
    };
    // Chinese questions of 60 characters: three bytes and one feature each.
    let (known, unknown) = (of(2_000_000, 180, Some(60.0)), of(2_000_000, 180, None));
    assert!(known.with_directory < 256 << 20, "{known:?}");
    assert!(known.with_directory < unknown.with_directory && known.in_memory < unknown.in_memory);
    // A sample has at most 2^24 features, so for long texts it is the same.
    let (some, more) = (of(3_000_000, 2000, None), of(3_000_000, 20_000, None));
    let most = some.with_directory.max(more.with_directory);
    assert!(
        most - some.with_directory.min(more.with_directory) < most / 20,
        "{some:?} {more:?}"
    );
}
