//! Decisions and pairs under several schemes against a plain loop over all pairs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use proptest::prelude::*;

use crate::base::context::Context;
use crate::base::kernel::Kernel;
use crate::collection::combine::{Combine, MOST_SCHEMES};
use crate::dedup::decide::{Reason, decide};
use crate::dedup::exact::split;
use crate::dedup::loading;
use crate::dedup::pairs::near_pairs;
use crate::dedup::recall;
use crate::hamming;
use crate::recipe::Threshold;
use crate::search::candidates::{Filter, Rows};
use crate::search::documents::{Documents, Options, SchemeDocuments};
use crate::source::Sources;
use crate::tests::decide::{check_books, family, outcomes};
use crate::tests::support::{Meetings, contained, near_by_features, options_for};

fn scheme(spec: &str, threshold: Threshold, records: u64) -> Options {
    options_for(spec, threshold, records, &["first"])
}

fn documents(texts: &[String], each: &[Options], rule: Combine) -> Documents {
    let sources = Arc::new(Sources::from_texts(texts.iter().map(String::as_str)));
    loading::load_each(sources, each, rule, &Context::small(1)).unwrap()
}

/// Near under one scheme, from the texts or the bits alone; `a` precedes.
fn near(part: SchemeDocuments<'_>, texts: &[String], a: u32, b: u32) -> bool {
    match part.recipe.threshold {
        Threshold::Distance(bits) => {
            hamming::distance(part.encoding.fingerprint(a), part.encoding.fingerprint(b)) <= bits
        }
        threshold => near_by_features(threshold, &part.encoding.scheme, &texts[a as usize], &texts[b as usize]),
    }
}

/// The (scheme, distance) of an edge between two rows, the earlier first.
fn edge(
    documents: &Documents,
    rows: &Rows,
    (texts, meetings): (&[String], &[Meetings]),
    earlier: u32,
    later: u32,
) -> Option<(usize, u32)> {
    let parts: Vec<_> = documents.under_each().collect();
    let (a, b) = (rows.positions[earlier as usize], rows.positions[later as usize]);
    let candidate = |at: usize| {
        // Under `all` the first scheme alone is searched.
        let edge = Filter::new(parts[at], rows, Kernel::active()).candidate(earlier, later)?;
        meetings[at].has(a, b).then_some(edge.distance)
    };
    match documents.collection.rule {
        Combine::All => {
            let distance = candidate(0)?;
            parts
                .iter()
                .all(|&part| near(part, texts, a, b))
                .then_some((0, distance))
        }
        Combine::Any => parts.iter().enumerate().find_map(|(at, part)| {
            candidate(at)
                .filter(|_| near(*part, texts, a, b))
                .map(|distance| (at, distance))
        }),
    }
}

type Fates = Vec<(Reason, u32)>;

/// What becomes of each document, and the near pairs, by looking at all pairs.
fn oracle(documents: &Documents, texts: &[String]) -> (Fates, Vec<(u32, u32)>) {
    let copy_of = documents.collection.copies.to_vec();
    let order = &documents.collection.order;
    let rows = Rows::of(&documents.collection).unwrap();
    let meetings: Vec<Meetings> = documents.under_each().map(|part| Meetings::of(part, texts)).collect();
    let mut fate: BTreeMap<u32, u32> = BTreeMap::new();
    let mut near_rows = BTreeSet::new();
    for row in 0..rows.len() as u32 {
        let edges =
            (0..row).filter_map(|earlier| Some((edge(documents, &rows, (texts, &meetings), earlier, row)?, earlier)));
        let edges: Vec<_> = edges.collect();
        near_rows.extend(edges.iter().map(|(_, earlier)| (*earlier, row)));
        let reversed = |earlier: &u32| edge(documents, &rows, (texts, &meetings), row, *earlier).is_some();
        near_rows.extend((0..row).filter(reversed).map(|earlier| (earlier, row)));
        let kept = edges.iter().filter(|(_, earlier)| fate[earlier] == *earlier);
        fate.insert(row, kept.min().map_or(row, |(_, earlier)| *earlier));
    }
    let row_at = |position: u32| rows.positions.iter().position(|&p| p == position).map(|row| row as u32);
    let to = |position: u32| row_at(position).map(|row| rows.positions[fate[&row] as usize]);
    let mut all = vec![(Reason::Failed, u32::MAX); texts.len()];
    for (place, &position) in order.iter().enumerate() {
        let first = order[copy_of[place] as usize];
        all[position as usize] = match to(first) {
            None => (Reason::NoFeatures, position),
            Some(to) if first != position => (Reason::Exact, to),
            Some(to) if to == position => (Reason::Unique, to),
            Some(to) => (Reason::Near, to),
        };
    }
    let heads: Vec<u32> = (0..texts.len() as u32)
        .filter(|&p| all.iter().enumerate().any(|(at, &(_, to))| to == p && at as u32 != p))
        .collect();
    for head in heads {
        all[head as usize].0 = Reason::Representative;
    }
    let first_of: BTreeMap<u32, u32> = order
        .iter()
        .enumerate()
        .map(|(place, &position)| (position, order[copy_of[place] as usize]))
        .collect();
    let mut pairs = Vec::new();
    for (&b, &first_b) in &first_of {
        for (&a, &first_a) in first_of.range(..b) {
            let (Some(x), Some(y)) = (row_at(first_a), row_at(first_b)) else {
                continue;
            };
            if x == y || near_rows.contains(&(x.min(y), x.max(y))) {
                pairs.push((a, b));
            }
        }
    }
    pairs.sort_unstable();
    (all, pairs)
}

fn check(texts: &[String], each: &[Options], rule: Combine) {
    let documents = documents(texts, each, rule);
    let (expected, expected_pairs) = oracle(&documents, texts);
    let decisions = decide(&documents, &Context::small(2)).unwrap();
    assert_eq!(outcomes(&decisions), expected, "{rule:?} {texts:?}");
    check_books(&decisions);
    let pairs = near_pairs(&documents, 1 << 40, false, &Context::small(2)).unwrap();
    let pairs: Vec<(u32, u32)> = pairs.iter().map(|pair| (pair.a, pair.b)).collect();
    assert_eq!(pairs, expected_pairs, "{rule:?} {texts:?}");
    let measured = recall::measure(&documents, &decisions, 100, 0, &Context::small(2)).unwrap();
    let exact = documents.searched().iter().all(|part| part.recipe.is_exact());
    let sampled = if exact { 0 } else { decisions.kept_rows.len().min(100) };
    assert_eq!(measured.sampled, sampled as u64);
}

fn all_kinds(records: u64) -> Vec<Vec<Options>> {
    let (loose, strict) = (Threshold::Similarity(0.5), Threshold::Similarity(0.9));
    vec![
        vec![
            scheme("chars128", loose, records),
            scheme("chars64:n=1", strict, records),
        ],
        vec![
            scheme("chars128:n=2,weights=tf", loose, records),
            scheme("chars64", Threshold::Distance(12), records),
        ],
        vec![
            scheme("words64", Threshold::Distance(9), records),
            scheme("chars64", Threshold::Distance(20), records),
        ],
        vec![
            scheme("chars64", Threshold::Distance(6), records),
            scheme("words128", loose, records),
            scheme("chars64:n=2", strict, records),
        ],
        vec![
            scheme("chars128", Threshold::Jaccard(0.3), records),
            scheme("chars64:n=1", Threshold::Jaccard(0.8), records),
            scheme("words64", Threshold::Distance(20), records),
        ],
        vec![
            scheme("chars128", contained(0.6, 4.0), records),
            scheme("chars64:n=1", contained(0.9, 2.0), records),
        ],
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn several_schemes_are_decided_as_the_plain_loop_does(
        texts in prop::collection::vec("[ab中文]{0,3}( [abc]{1,4}){0,6}[!?]{0,1}", 0..24), large in any::<bool>(),
    ) {
        let records = if large { 1 << 20 } else { 100 };
        for each in all_kinds(records) {
            for rule in [Combine::All, Combine::Any] {
                check(&texts, &each, rule);
            }
        }
    }

    #[test]
    fn copies_under_both_are_the_pairs_of_equal_keys(one in prop::collection::vec(0..4_u32, 0..30), seed in any::<u64>()) {
        let another: Vec<u32> = one.iter().enumerate().map(|(at, _)| (seed >> (at % 60)) as u32 & 1).collect();
        let firsts = |keys: &[(u32, u32)]| -> Vec<u32> {
            keys.iter().map(|key| keys.iter().position(|other| other == key).unwrap() as u32).collect()
        };
        let alone = |keys: &[u32]| firsts(&keys.iter().map(|&key| (key, 0)).collect::<Vec<_>>());
        let mut found = alone(&one);
        let another = alone(&another);
        split(&mut found, |place| another[place]);
        let both: Vec<(u32, u32)> = one.into_iter().zip(another).collect();
        prop_assert_eq!(found, firsts(&both));
    }
}

/// Crowds: families larger than a small bucket, near and not, under both searches.
#[test]
fn families_are_decided_as_the_plain_loop_does() {
    let mut texts = family(1, 60, 40, 38);
    texts.extend(family(2, 60, 40, 24));
    texts.extend(texts.clone().into_iter().step_by(7).map(|text| text.to_uppercase()));
    for each in all_kinds(1 << 20) {
        for rule in [Combine::All, Combine::Any] {
            check(&texts, &each, rule);
        }
    }
}

/// A page without a text is kept or dropped by its structure, where that suffices.
#[test]
fn a_text_without_features_under_one_scheme_stands_under_the_other() {
    let texts = ["<p><b></b></p>", "<p><b></b></p>", "<p>words that are said<b></b></p>"].map(str::to_owned);
    let each = [
        scheme("chars128:extract=text", Threshold::Similarity(0.65), 10),
        scheme("dom64", Threshold::Similarity(0.9), 10),
    ];
    let any = decide(&documents(&texts, &each, Combine::Any), &Context::small(1)).unwrap();
    assert_eq!(
        outcomes(&any),
        [(Reason::Representative, 0), (Reason::Near, 0), (Reason::Near, 0)]
    );
    assert_eq!(*any.scheme, [0, 1, 1]);
    let all = decide(&documents(&texts, &each, Combine::All), &Context::small(1)).unwrap();
    assert_eq!(
        outcomes(&all),
        [(Reason::NoFeatures, 0), (Reason::NoFeatures, 1), (Reason::Unique, 2)]
    );
    assert!(all.scheme.is_empty());
}

#[test]
fn what_fails_under_one_scheme_fails() {
    let texts = ["00ff", "words", "00FF"].map(str::to_owned);
    let each = [
        scheme("chars64", Threshold::Similarity(0.5), 10),
        scheme("external16", Threshold::Distance(3), 10),
    ];
    for rule in [Combine::All, Combine::Any] {
        let documents = documents(&texts, &each, rule);
        let failed: Vec<usize> = documents
            .collection
            .failures
            .iter()
            .map(|(position, _)| *position)
            .collect();
        assert_eq!(failed, [1]);
        let decisions = decide(&documents, &Context::small(1)).unwrap();
        assert_eq!(outcomes(&decisions)[1], (Reason::Failed, u32::MAX));
        assert_eq!(outcomes(&decisions)[2].1, 0);
        check_books(&decisions);
    }
}

#[test]
fn what_is_for_one_scheme_is_refused() {
    let texts = ["one text"].map(str::to_owned);
    let each = vec![scheme("chars64", Threshold::Similarity(0.5), 10); MOST_SCHEMES + 1];
    let documents = documents(&texts, &each[..2], Combine::Any);
    let error = documents
        .rethreshold(Threshold::Similarity(0.6))
        .unwrap_err()
        .to_string();
    assert!(error.contains("is for one scheme, and there are 2"), "{error}");
    let sources = Arc::new(Sources::from_texts(["one text"]));
    for each in [&each[..0], &each[..]] {
        let error = loading::load_each(Arc::clone(&sources), each, Combine::All, &Context::small(1))
            .unwrap_err()
            .to_string();
        assert!(error.contains("allowed are 1 to 16"), "{error}");
    }
    assert!(Combine::parse("both").unwrap_err().to_string().contains("all and any"));
}
