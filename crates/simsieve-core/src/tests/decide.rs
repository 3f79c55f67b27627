//! The decisions against a naive oracle of law 1, over random and adversarial collections.

use std::collections::BTreeMap;

use proptest::prelude::*;

use crate::base::context::Context;
use crate::base::hash::mix;
use crate::base::kernel::Kernel;
use crate::base::tuning::Tuning;
use crate::collection::keep_order::KeepOrder;
use crate::dedup::decide::{Counts, Decision, Decisions, NOBODY, Reason, decide};
use crate::dedup::exact::collapse;
use crate::dedup::pairs::near_pairs;
use crate::dedup::recall;
use crate::encode::scheme::Scheme;
use crate::encode::similarity::similarity;
use crate::recipe::Threshold;
use crate::search::candidates::{Filter, Rows};
use crate::search::documents::{Documents, Options};
use crate::search::tables::Tables;
use crate::tests::support::{
    BY_COSINE, Meetings, any_threshold, blind, contained, documents_by, documents_with, near_by_features,
    near_in_either_order, options, options_for, scheme_for,
};

/// Law 1 in a few lines: every pair looked at, the recipe's own test of a candidate, similarity of the texts.
pub(crate) fn oracle(documents: &Documents, texts: &[String]) -> Vec<(Reason, u32)> {
    let (collection, under) = (&documents.collection, documents.under(0));
    let encoding = under.encoding;
    let copy_of = collapse(collection, 0, &Context::small(1)).unwrap();
    let rows = Rows::of(collection).unwrap();
    let filter = Filter::new(under, &rows, Kernel::active());
    let text = |row: u32| &texts[rows.positions[row as usize] as usize];
    let near = |a, b| near_by_features(under.recipe.threshold, &encoding.scheme, text(a), text(b));
    let meetings = Meetings::of(under, texts);
    let mut kept: Vec<u32> = Vec::new();
    let mut expected = BTreeMap::new();
    for row in 0..rows.len() as u32 {
        let mut offers: Vec<(u32, u32)> = kept
            .iter()
            .filter(|&&k| meetings.has(rows.positions[k as usize], rows.positions[row as usize]))
            .filter_map(|&k| filter.candidate(k, row).map(|edge| (edge.distance, k)))
            .collect();
        offers.sort_unstable();
        let to = offers
            .into_iter()
            .map(|(_, k)| k)
            .find(|&k| near(k, row))
            .unwrap_or(row);
        let reason = if to == row { Reason::Unique } else { Reason::Near };
        if to == row {
            kept.push(row);
        }
        expected.insert(rows.positions[row as usize], (reason, rows.positions[to as usize]));
    }
    let mut all = vec![(Reason::Failed, NOBODY); texts.len()];
    for (place, &position) in collection.order.iter().enumerate() {
        let first = collection.order[copy_of[place] as usize];
        all[position as usize] = if !encoding.valid[position as usize] {
            (Reason::NoFeatures, position)
        } else if first != position {
            (Reason::Exact, expected[&first].1)
        } else {
            expected[&position]
        };
    }
    let represents = |p: u32| all.iter().enumerate().any(|(at, &(_, to))| to == p && at as u32 != p);
    (0..texts.len())
        .map(|p| match all[p] {
            (Reason::Unique, to) if represents(p as u32) => (Reason::Representative, to),
            other => other,
        })
        .collect()
}

pub(crate) fn outcomes(decisions: &Decisions) -> Vec<(Reason, u32)> {
    decisions
        .reason
        .iter()
        .copied()
        .zip(decisions.representative.iter().copied())
        .collect()
}

pub(crate) fn check_books(decisions: &Decisions) {
    let Counts {
        read,
        kept,
        dropped,
        exact,
        near,
        failed,
        ..
    } = decisions.counts;
    assert_eq!((read, dropped), (kept + dropped + failed, exact + near));
    for (position, &decision) in decisions.decision.iter().enumerate() {
        assert_eq!(
            decision == Decision::Kept,
            decisions.representative[position] == position as u32
        );
    }
}

fn check(texts: &[String], options: Options, n: u64) -> Decisions {
    let documents = documents_with(
        texts,
        &Options {
            recipe_for: Some(n),
            ..options
        },
    );
    let decisions = decide(&documents, &Context::small(2)).unwrap();
    assert_eq!(outcomes(&decisions), oracle(&documents, texts), "{texts:?}");
    check_books(&decisions);
    decisions
}

/// A family: texts that share `shared` of `words` words, and differ in the rest.
pub(crate) fn family(seed: u64, members: u64, words: u64, shared: u64) -> Vec<String> {
    (0..members)
        .map(|member| {
            let word = |w: u64| {
                format!(
                    "{:x}",
                    mix(seed << 32 ^ if w < shared { w } else { w << 20 | (member + 1) }) >> 40
                )
            };
            (0..words).map(word).collect::<Vec<_>>().join(" ")
        })
        .collect()
}

#[test]
fn all_equal_texts_leave_one() {
    let decisions = check(
        &vec!["the same words again and again".to_owned(); 300],
        options(&["first"]),
        300,
    );
    assert_eq!(
        (
            decisions.counts.kept,
            decisions.counts.exact,
            decisions.counts.largest_cluster
        ),
        (1, 299, 300)
    );
}

#[test]
fn a_near_family_larger_than_any_small_bucket_leaves_one() {
    for n in [500, 1 << 20] {
        let decisions = check(&family(1, 300, 40, 39), options(&["last"]), n);
        assert_eq!((decisions.counts.kept, decisions.representative[0]), (1, 299));
    }
}

#[test]
fn a_template_family_that_is_not_near_stays_whole() {
    for n in [500, 1 << 20] {
        let decisions = check(&family(2, 300, 40, 20), options(&["first"]), n);
        assert_eq!((decisions.counts.kept, decisions.counts.clusters), (300, 0));
    }
}

#[test]
fn chains_do_not_join() {
    // Text i shares most words with i + 1 and few with i + 10.
    let word = |i: u64| format!("{:x}", mix(i) >> 40);
    let texts: Vec<String> = (0..60)
        .map(|i| (4 * i..4 * i + 40).map(word).collect::<Vec<_>>().join(" "))
        .collect();
    let decisions = check(&texts, options(&["first"]), 60);
    assert!(
        decisions.counts.kept > 10 && decisions.counts.near > 10,
        "{:?}",
        decisions.counts
    );
}

#[test]
fn texts_without_features_are_kept_each() {
    let texts: Vec<String> = ["", "  ", "!!!", "!!!", "a", "a"].map(str::to_owned).into();
    let decisions = check(&texts, options(&["first"]), 6);
    let counts = decisions.counts;
    assert_eq!(
        (counts.kept, counts.exact, decisions.reason[3]),
        (5, 1, Reason::NoFeatures)
    );
}

#[test]
fn the_sampler_finds_few_misses_of_keys_and_none_of_an_exact_search() {
    let mut texts = family(3, 200, 40, 36);
    texts.extend(family(4, 200, 40, 10));
    for (n, part) in [(1 << 13, 1), (1, 0)] {
        let documents = documents_with(&texts, &options_for("chars128", BY_COSINE, n, &["first"]));
        let decisions = decide(&documents, &Context::small(2)).unwrap();
        let sampled = recall::measure(&documents, &decisions, 1000, 0, &Context::small(2)).unwrap();
        // An exact search is not sampled.
        assert_eq!(sampled.sampled, part * sampled.kept);
        assert!(50 * sampled.missed <= sampled.sampled, "{sampled:?}");
    }
}

#[test]
fn the_sampler_sees_what_a_blind_search_misses() {
    for spec in ["chars128", "chars128:weights=log"] {
        let texts = family(5, 150, 40, 38);
        let mut documents = documents_with(&texts, &options_for(spec, BY_COSINE, 1 << 20, &["first"]));
        blind(&mut documents);
        let decisions = decide(&documents, &Context::small(2)).unwrap();
        let sampled = recall::measure(&documents, &decisions, 1000, 0, &Context::small(2)).unwrap();
        assert!(decisions.counts.kept > 100, "{spec}: {:?}", decisions.counts);
        assert_eq!(sampled.missed, decisions.counts.kept - 1, "{spec}");
    }
}

/// Texts of one block many times over and much of their own: near by counts, far apart as sets.
fn refrains(members: u64) -> Vec<String> {
    let own = |member: u64| (0..16).map(move |w| format!("{:x}", mix(member << 20 | w) >> 8));
    let refrain = "the refrain that comes back again and again in every verse of the song ".repeat(40);
    (0..members)
        .map(|member| refrain.clone() + &own(member).collect::<String>())
        .collect()
}

#[test]
fn counted_weights_find_what_is_near_by_counts() {
    for (spec, n) in [
        ("chars128:weights=log", 40),
        ("chars128:weights=tf", 40),
        ("chars128:weights=log", 1 << 16),
    ] {
        // A search by keys needs a sample that shows how common the refrain is.
        let texts = refrains(if n > 8192 { 400 } else { 40 });
        let scheme = Scheme::parse(spec).unwrap();
        assert!(
            similarity(&scheme, &texts[0], &texts[1]).unwrap().unwrap() > 0.8,
            "{spec}"
        );
        let decisions = check(&texts, options_for(spec, BY_COSINE, n, &["first"]), n);
        assert_eq!(decisions.counts.kept, 1, "{spec} for {n}: {:?}", decisions.counts);
    }
}

pub(crate) fn texts_strategy() -> impl Strategy<Value = Vec<String>> {
    let word = prop_oneof![
        Just("alpha"),
        Just("beta"),
        Just("gamma"),
        Just("中文"),
        Just("文字符"),
        Just("!"),
        Just("delta 7"),
        Just("delta 9"),
        Just("slow"),
        Just("fast")
    ];
    let text = proptest::collection::vec(word, 0..9).prop_map(|words| words.join(" "));
    proptest::collection::vec(text, 0..40)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]
    #[test]
    fn decisions_are_the_oracles(
        texts in texts_strategy(),
        keep in prop_oneof![Just("first"), Just("last"), Just("longest"), Just("shortest")],
        threshold in any_threshold(),
        spec in prop_oneof![Just("chars64"), Just("chars128"), Just("chars64:n=2,weights=log"), Just("chars256:n=2,weights=tf")],
        n in prop_oneof![Just(1_u64), Just(1 << 15), Just(1 << 24)],
    ) {
        let options = Options { scheme: scheme_for(spec, threshold), threshold, ..options(&[keep]) };
        check(&texts, options, n);
    }

    #[test]
    fn kept_sets_are_independent_and_dropped_ones_are_near(texts in texts_strategy(), threshold in 0.3..1.0_f64) {
        let options = Options { threshold: Threshold::Similarity(threshold), ..options(&["first"]) };
        let documents = documents_with(&texts, &options);
        let decisions = decide(&documents, &Context::small(2)).unwrap();
        let near = near_pairs(&documents, 1_000_000, false, &Context::small(2)).unwrap();
        let kept = |p: u32| decisions.decision[p as usize] == Decision::Kept;
        for pair in &near {
            prop_assert!(!(kept(pair.a) && kept(pair.b)), "{pair:?} are both kept");
        }
        for (position, &to) in decisions.representative.iter().enumerate().filter(|(p, to)| *p as u32 != **to) {
            let (a, b) = (to.min(position as u32), to.max(position as u32));
            prop_assert!(near.iter().any(|pair| (pair.a, pair.b) == (a, b)));
        }
    }

    #[test]
    fn neither_threads_nor_batches_change_a_decision(texts in texts_strategy()) {
        let run = |threads, batch| {
            let documents = documents_by(&texts, &Options { batch, ..options(&["longest"]) }, threads);
            let decisions = decide(&documents, &Context::small(threads)).unwrap();
            let encoding = documents.under(0).encoding;
            (encoding.fingerprints.clone(), encoding.sketches.clone(), outcomes(&decisions), decisions.counts)
        };
        let first = run(1, 0);
        for (threads, batch) in [(2, 1), (1, 7), (2, 10_000)] {
            prop_assert_eq!(&run(threads, batch), &first);
        }
    }

    #[test]
    fn pairs_are_those_of_every_two_documents(
        texts in texts_strategy(),
        bits in 0..50_u32,
        similar in 0.3..1.0_f64,
        spec in prop_oneof![Just("chars128"), Just("chars64:n=2,weights=log"), Just("chars256:n=3,weights=tf")],
    ) {
        let contained = contained(similar, 1.0 + f64::from(bits) / 10.0);
        for threshold in [Threshold::Distance(bits), Threshold::Similarity(similar), Threshold::Jaccard(similar), contained] {
            let scheme = scheme_for(spec, threshold);
            let documents = documents_with(&texts, &Options { scheme, threshold, ..options(&["first"]) });
            let encoding = documents.under(0).encoding;
            let mut expected = Vec::new();
            for a in 0..texts.len() as u32 {
                for b in a + 1..texts.len() as u32 {
                    let distance: u32 = encoding.fingerprint(a).iter().zip(encoding.fingerprint(b)).map(|(x, y)| (x ^ y).count_ones()).sum();
                    let near = match threshold {
                        Threshold::Distance(bits) => encoding.valid[a as usize] && encoding.valid[b as usize] && distance <= bits,
                        _ => near_in_either_order(threshold, &encoding.scheme, &texts[a as usize], &texts[b as usize]),
                    };
                    if near {
                        expected.push((a, b, distance));
                    }
                }
            }
            let got: Vec<_> = near_pairs(&documents, 1_000_000, false, &Context::small(2)).unwrap().iter().map(|p| (p.a, p.b, p.distance)).collect();
            prop_assert_eq!(got, expected, "{:?} {:?}", threshold, texts);
        }
    }
}

/// Another cost of a key gives other tables, or none, and the same recipe and decisions.
#[test]
fn another_choice_of_tables_changes_no_digest_and_no_decision() {
    let texts = [family(21, 60, 60, 59), family(22, 60, 40, 38)].concat();
    for k in [4, 8] {
        let options = options_for("chars64", Threshold::Distance(k), 1 << 14, &["first"]);
        let run = |table_key_cost| {
            let tuning = Tuning {
                table_key_cost,
                ..Tuning::SMALL
            };
            let documents = documents_by(&texts, &options, 2);
            let decisions = decide(&documents, &Context::silent(2).with_tuning(tuning)).unwrap();
            let recipe = &documents.recipes[0];
            let found = (recipe.digest(), outcomes(&decisions), decisions.counts);
            (Tables::choose(recipe, 64, tuning).len(), found)
        };
        let [many, some, none] = [0, 10, 1_000_000].map(run);
        assert!(many.0 > some.0 && some.0 > none.0 && none.0 == 0, "{k}: {many:?}");
        assert!(some.1.2.near > 5 && some.1.2.kept > 5, "{k}: {:?}", some.1.2);
        assert_eq!((&many.1, &none.1), (&some.1, &some.1), "{k}");
    }
}

/// Where there is no room for bits of features, second sketches rule out, and no decision changes.
#[test]
fn second_sketches_change_no_decision() {
    let texts: Vec<String> = (0..30).flat_map(|seed| family(seed, 60, 40, 24)).collect();
    let options = options_for("chars64", Threshold::Similarity(0.6), 1 << 14, &["first"]);
    let [bits, sketches] = [Tuning::SMALL.most_bits, 64].map(|most_bits| {
        let tuning = Tuning {
            most_bits,
            rejections: 10,
            ..Tuning::SMALL
        };
        let documents = documents_by(&texts, &options, 2);
        let decisions = decide(&documents, &Context::silent(2).with_tuning(tuning)).unwrap();
        assert!(documents.searches[0].bits.get().is_some());
        (outcomes(&decisions), decisions.counts.near)
    });
    assert!(bits.1 > 100, "{bits:?}");
    assert_eq!(bits, sketches);
}

#[test]
fn too_many_pairs_are_refused_with_the_count() {
    let documents = documents_with(&vec!["one text of many".to_owned(); 200], &options(&["first"]));
    let message = near_pairs(&documents, 1000, false, &Context::small(1))
        .unwrap_err()
        .to_string();
    assert!(
        message.contains("19900 pairs") && message.contains("max_pairs = 1000"),
        "{message}"
    );
}

#[test]
fn keep_orders_with_ties_and_missing_fields_are_total() {
    assert!(KeepOrder::parse(&["max:score", "longest"]).unwrap().fields() == ["score"]);
}
