//! New documents held against old ones: the decisions and pairs against plain loops.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;

use crate::base::context::Context;
use crate::base::kernel::Kernel;
use crate::dedup::decide::{Decision, Decisions, Reason, decide};
use crate::dedup::loading;
use crate::dedup::pairs::near_pairs;
use crate::dedup::recall;
use crate::encode::scheme::{Scheme, Scratch};
use crate::recipe::Threshold;
use crate::search::candidates::{Filter, Rows};
use crate::search::documents::{Documents, Options};
use crate::source::Sources;
use crate::tests::decide::{check_books, family, outcomes, texts_strategy};
use crate::tests::support::{
    BY_COSINE, Meetings, any_threshold, blind, contained, documents_against, documents_with, near_by_features, options,
    options_for, scheme_for,
};

/// All documents with features as rows of their own, none of them old: any pair of positions can be asked about.
struct Plain<'a> {
    documents: &'a Documents,
    texts: Vec<&'a String>,
    rows: Rows,
    meetings: Meetings,
}

impl<'a> Plain<'a> {
    fn new(documents: &'a Documents, new: &'a [String], old: &'a [String]) -> Self {
        let collection = &documents.collection;
        let valid = (0..collection.len() as u32).filter(|&position| collection.has_fingerprint(position));
        let texts: Vec<&String> = new.iter().chain(old).collect();
        Self {
            documents,
            meetings: Meetings::of(documents.under(0), &texts),
            texts,
            rows: Rows::plain(valid.collect()),
        }
    }

    fn scheme(&self) -> &Scheme {
        &self.documents.collection.encodings[0].scheme
    }

    /// The distance of two positions that are candidates and near.
    fn near(&self, a: u32, b: u32) -> Option<u32> {
        let row = |position| self.rows.positions.binary_search(&position).ok().map(|row| row as u32);
        let part = self.documents.under(0);
        let edge = Filter::new(part, &self.rows, Kernel::active()).candidate(row(a)?, row(b)?)?;
        let (x, y) = (self.texts[a as usize], self.texts[b as usize]);
        let near = self.meetings.has(a, b) && near_by_features(part.recipe.threshold, self.scheme(), x, y);
        near.then_some(edge.distance)
    }

    fn normalised(&self, position: u32) -> String {
        let mut scratch = Scratch::default();
        let text = self.texts[position as usize];
        self.scheme().normalise(text, &mut scratch).unwrap();
        String::from_utf8(scratch.text.normalised().to_vec()).unwrap()
    }
}

/// The law: kept = old; walk the new.
fn oracle(documents: &Documents, new: &[String], old: &[String], keep: &str) -> Vec<(Reason, u32)> {
    let plain = Plain::new(documents, new, old);
    let valid = |position: &u32| documents.collection.has_fingerprint(*position);
    let mut kept: Vec<u32> = (new.len() as u32..(new.len() + old.len()) as u32)
        .filter(valid)
        .collect();
    // The first of each normalised text, and its representative.
    let mut first: BTreeMap<String, u32> = BTreeMap::new();
    for &position in &kept {
        first.entry(plain.normalised(position)).or_insert(position);
    }
    let mut walk: Vec<u32> = (0..new.len() as u32).collect();
    let characters = |position: &u32| new[*position as usize].chars().count();
    match keep {
        "last" => walk.reverse(),
        "longest" => walk.sort_by_key(|position| std::cmp::Reverse(characters(position))),
        _ => {}
    }
    let mut all = vec![(Reason::NoFeatures, 0); new.len()];
    for position in walk {
        let fate = if !valid(&position) {
            (Reason::NoFeatures, position)
        } else if let Some(&to) = first.get(&plain.normalised(position)) {
            (Reason::Exact, to)
        } else {
            let offers = kept.iter().enumerate();
            let offers = offers.filter_map(|(place, &k)| plain.near(k, position).map(|distance| (distance, place)));
            if let Some((_, place)) = offers.min() {
                (Reason::Near, kept[place])
            } else {
                kept.push(position);
                (Reason::Unique, position)
            }
        };
        if valid(&position) {
            first.entry(plain.normalised(position)).or_insert(fate.1);
        }
        all[position as usize] = fate;
    }
    let heads: Vec<u32> = (0..)
        .zip(&all)
        .filter(|(at, (_, to))| at != to)
        .map(|(_, (_, to))| *to)
        .collect();
    for head in heads.into_iter().filter(|&head| (head as usize) < new.len()) {
        all[head as usize].0 = Reason::Representative;
    }
    all
}

fn check(new: &[String], old: &[String], keep: &str, options: Options, n: u64) -> Decisions {
    let options = Options {
        recipe_for: Some(n),
        ..options
    };
    let documents = documents_against(new, old, &options);
    let decisions = decide(&documents, &Context::small(2)).unwrap();
    assert_eq!(
        outcomes(&decisions),
        oracle(&documents, new, old, keep),
        "{new:?} against {old:?}"
    );
    assert_eq!(decisions.counts.read, new.len() as u64);
    check_books(&decisions);
    decisions
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]
    #[test]
    fn decisions_are_those_of_the_naive_loop(
        new in texts_strategy(),
        old in texts_strategy(),
        keep in prop_oneof![Just("first"), Just("last"), Just("longest")],
        threshold in any_threshold(),
        spec in prop_oneof![Just("chars64"), Just("chars128"), Just("chars64:n=2,weights=log")],
        n in prop_oneof![Just(1_u64), Just(1 << 15), Just(1 << 24)],
    ) {
        let options = Options { scheme: scheme_for(spec, threshold), threshold, ..options(&[keep]) };
        check(&new, &old, keep, options, n);
    }

    #[test]
    fn neither_threads_nor_batches_change_a_decision(new in texts_strategy(), old in texts_strategy()) {
        let run = |threads, batch| {
            let documents = {
                let store = |texts: &[String]| Sources::from_texts(texts.iter().map(String::as_str));
                let both = Arc::new(store(&new).against(&store(&old)));
                loading::load(both, &Options { batch, ..options(&["longest"]) }, &Context::small(threads)).unwrap()
            };
            let decisions = decide(&documents, &Context::small(threads)).unwrap();
            (outcomes(&decisions), decisions.counts)
        };
        let first = run(1, 0);
        for (threads, batch) in [(2, 1), (1, 7), (2, 10_000)] {
            prop_assert_eq!(&run(threads, batch), &first);
        }
    }

    #[test]
    fn nothing_old_changes_nothing(new in texts_strategy(), keep in prop_oneof![Just("first"), Just("longest")]) {
        let alone = decide(&documents_with(&new, &options(&[keep])), &Context::small(2)).unwrap();
        let nothing = [String::new(), "!!".to_owned()];
        for old in [&nothing[..0], &nothing] {
            let documents = documents_against(&new, old, &Options { recipe_for: Some(new.len() as u64), ..options(&[keep]) });
            let decisions = decide(&documents, &Context::small(2)).unwrap();
            prop_assert_eq!((outcomes(&decisions), decisions.counts), (outcomes(&alone), alone.counts));
        }
    }

    #[test]
    fn pairs_across_are_those_of_every_new_and_every_old_document(
        new in texts_strategy(),
        old in texts_strategy(),
        bits in 0..50_u32,
        similar in 0.3..1.0_f64,
        n in prop_oneof![Just(1_u64), Just(1 << 15)],
    ) {
        let contained = contained(similar, 1.0 + f64::from(bits) / 10.0);
        for threshold in [Threshold::Distance(bits), Threshold::Similarity(similar), Threshold::Jaccard(similar), contained] {
            let documents = documents_against(&new, &old, &Options { threshold, recipe_for: Some(n), ..options(&["first"]) });
            let plain = Plain::new(&documents, &new, &old);
            let mut expected = Vec::new();
            for a in 0..new.len() as u32 {
                for b in new.len() as u32..documents.collection.len() as u32 {
                    expected.extend(plain.near(a, b).or_else(|| plain.near(b, a)).map(|distance| (a, b, distance)));
                }
            }
            let found = near_pairs(&documents, expected.len().max(1) as u64, false, &Context::small(2)).unwrap();
            let got: Vec<_> = found.iter().map(|p| (p.a, p.b, p.distance)).collect();
            prop_assert_eq!(&got, &expected, "{:?} {:?} {:?}", threshold, new, old);
            if expected.len() > 1 {
                let message = near_pairs(&documents, expected.len() as u64 - 1, false, &Context::small(2)).unwrap_err().to_string();
                prop_assert!(message.contains(&format!("{} pairs", expected.len())), "{}", message);
            }
        }
    }
}

#[test]
fn old_ones_stay_however_alike_and_stand_for_the_new_ones() {
    for n in [1000, 1 << 20] {
        let mut all = family(1, 400, 40, 39);
        let new = all.split_off(200);
        let decisions = check(&new, &all, "last", options(&["last"]), n);
        assert_eq!(
            (decisions.counts.kept, decisions.counts.near, decisions.counts.clusters),
            (0, 200, 0)
        );
        assert!(decisions.representative.iter().all(|&to| to >= 200));
        assert_eq!(decisions.kept_rows.len(), 200);
    }
}

#[test]
fn a_template_family_that_is_not_near_stays_whole() {
    for n in [1000, 1 << 20] {
        let mut all = family(2, 400, 40, 20);
        let new = all.split_off(200);
        let decisions = check(&new, &all, "first", options(&["first"]), n);
        assert_eq!((decisions.counts.kept, decisions.counts.dropped), (200, 0));
    }
}

#[test]
fn copies_of_old_ones_take_the_first_of_them() {
    let text = |text: &str| vec![text.to_owned()];
    let (one, other) = (text("one text of some words"), text("another thing entirely, this"));
    let old = [other.clone(), one.clone(), one.clone()].concat();
    let new = [one.clone(), text("ONE text of some words"), other].concat();
    let decisions = check(&new, &old, "first", options(&["first"]), 6);
    assert_eq!(*decisions.decision, [Decision::Dropped; 3]);
    assert_eq!(*decisions.representative, [4, 4, 3]);
}

#[test]
fn the_sampler_sees_what_a_blind_search_misses_among_the_old() {
    let mut all = family(5, 150, 40, 38);
    let new = all.split_off(149);
    let by = options_for("chars128", BY_COSINE, 1 << 20, &["first"]);
    let mut documents = documents_against(&new, &all, &by);
    blind(&mut documents);
    let decisions = decide(&documents, &Context::small(2)).unwrap();
    let sampled = recall::measure(&documents, &decisions, 1000, 0, &Context::small(2)).unwrap();
    assert_eq!(
        (decisions.counts.kept, sampled.sampled, sampled.missed, sampled.kept),
        (1, 1, 1, 1)
    );
}
