//! Runs whose measure is the Jaccard similarity: what the strategies shared with the cosine do not reach.

use proptest::prelude::*;

use crate::base::context::Context;
use crate::base::kernel::Kernel;
use crate::dedup::decide::decide;
use crate::dedup::pairs::near_pairs;
use crate::dedup::recall;
use crate::encode::scheme::Scheme;
use crate::encode::similarity::FeatureList;
use crate::recipe::{Recipe, Threshold};
use crate::search::candidates::overlap::{Common, OverlapIndex, Profiles};
use crate::search::documents::Documents;
use crate::tests::decide::{check_books, family, oracle, outcomes};
use crate::tests::support::{documents_with, near_by_features, options_for};

fn loaded(texts: &[String], jaccard: f64, records: u64) -> Documents {
    let threshold = Threshold::Jaccard(jaccard);
    documents_with(texts, &options_for("chars128", threshold, records, &["first"]))
}

fn check(texts: &[String], jaccard: f64, records: u64) -> Documents {
    let documents = loaded(texts, jaccard, records);
    let decisions = decide(&documents, &Context::small(2)).unwrap();
    assert_eq!(outcomes(&decisions), oracle(&documents, texts), "{jaccard} {records}");
    check_books(&decisions);
    let sampled = recall::measure(&documents, &decisions, 1000, 0, &Context::small(2)).unwrap();
    let part = if documents.recipes[0].paths.is_none() {
        0
    } else {
        sampled.kept.min(1000)
    };
    assert_eq!(sampled.sampled, part);
    documents
}

/// Families larger than any small bucket, near and not, and parts of texts: crowds, rare features and sizes that differ.
#[test]
fn crowds_and_parts_are_decided_as_the_plain_loop_does() {
    let mut texts = family(1, 120, 40, 38);
    texts.extend(family(2, 120, 40, 24));
    texts.extend(family(3, 300, 40, 20));
    let parts: Vec<String> = texts
        .iter()
        .step_by(9)
        .map(|text| text[..text.len() / 2].to_owned())
        .collect();
    texts.extend(parts);
    for records in [500, 1 << 20] {
        for jaccard in [0.3, 0.48, 0.8] {
            check(&texts, jaccard, records);
        }
    }
}

#[test]
fn the_recipe_is_that_of_the_cosine_but_for_sizes() {
    let scheme = Scheme::parse("chars128").unwrap();
    for jaccard in [0.3, 0.48, 0.7, 1.0] {
        let made = |threshold| Recipe::new(&scheme, threshold, 0.98, 0, 200_000).unwrap();
        let by = Threshold::Jaccard(jaccard);
        let (own, cosine) = (made(by), made(Threshold::Similarity(by.least_cosine().unwrap())));
        assert_eq!(own.paths, cosine.paths);
        assert!(
            own.max_bits.abs_diff(cosine.max_bits) < 30,
            "{} {}",
            own.max_bits,
            cosine.max_bits
        );
        assert_ne!(own.digest(), cosine.digest());
        assert_ne!(own.digest(), made(Threshold::Similarity(jaccard)).digest());
    }
}

/// The similarity of a pair is its Jaccard similarity, copies have 1, and saved pairs have the same.
#[test]
fn similarities_are_those_of_the_sets() {
    let texts: Vec<String> = [
        "the ferry leaves at seven",
        "the ferry leaves at seven o'clock",
        "The ferry leaves at seven",
    ]
    .map(str::to_owned)
    .into();
    let documents = loaded(&texts, 0.4, 3);
    let pairs = near_pairs(&documents, 10, false, &Context::small(1)).unwrap();
    let told: Vec<_> = pairs.iter().map(|pair| (pair.a, pair.b, pair.similarity)).collect();
    // 21 letters have 16 windows of six, 27 have 22 and all of these.
    let similarity = 16.0 / 22.0;
    assert_eq!(told, [(0, 1, similarity), (0, 2, 1.0), (1, 2, similarity)]);
    let decided = decide(&documents, &Context::small(1)).unwrap();
    assert_eq!(*decided.similarity, [1.0, similarity, 1.0]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]
    /// No near pair is lost to a filter that claims to be exact: sizes, rare features, the early ends.
    #[test]
    fn what_is_near_passes_every_exact_filter(
        texts in proptest::collection::vec("[ab中文]{0,5}( [abc]{1,5}){0,12}", 0..24),
        jaccard in 0.1..1.0_f64,
    ) {
        let documents = loaded(&texts, jaccard, texts.len() as u64);
        let (encoding, recipe) = (&documents.collection.encodings[0], &documents.recipes[0]);
        let found = near_pairs(&documents, 1_000_000, false, &Context::small(1)).unwrap();
        let all = (0..texts.len() as u32).flat_map(|b| (0..b).map(move |a| (a, b)));
        for (a, b) in all {
            let near = near_by_features(recipe.threshold, &encoding.scheme, &texts[a as usize], &texts[b as usize]);
            let pair = found.iter().find(|pair| (pair.a, pair.b) == (a, b));
            // Every pair is tested, and the bound of the bits holds for few features too.
            if near {
                prop_assert!(pair.is_some(), "{} {:?} {:?}", jaccard, texts[a as usize], texts[b as usize]);
            }
            prop_assert!(near || pair.is_none());
        }
    }

    /// The rare features of the cosine that a Jaccard similarity means meet every pair that is near by it.
    #[test]
    fn shared_features_meet_every_near_pair(
        sets in proptest::collection::vec(proptest::collection::btree_set(0..60_u64, 1..40), 2..12),
        jaccard in 0.05..1.0_f64,
    ) {
        let scheme = Scheme::parse("chars64:n=1").unwrap();
        let text = |set: &std::collections::BTreeSet<u64>| -> String {
            set.iter().map(|&at| char::from_u32(0x4E00 + at as u32).unwrap()).collect()
        };
        let lists: Vec<FeatureList> = sets.iter().map(|set| {
            let mut scratch = crate::encode::scheme::Scratch::default();
            scheme.extract(&text(set), &mut scratch).unwrap();
            FeatureList::of(&scratch)
        }).collect();
        let counted: Vec<Vec<u64>> = lists.iter().map(|list| list.hashes().to_vec()).collect();
        let threshold = Threshold::Jaccard(jaccard).least_cosine().unwrap();
        let profiles = Profiles::new(Common::of(&counted, lists.len(), threshold), threshold, true);
        let mut index = OverlapIndex::new(lists.len(), 1 << 20, usize::MAX, Kernel::active());
        for (row, list) in lists.iter().enumerate() {
            let profile = profiles.of(list.iter());
            index.query(&profile);
            for earlier in 0..row {
                let shared = sets[row].intersection(&sets[earlier]).count();
                let either = sets[row].union(&sets[earlier]).count();
                let met = index.may_be_near(&profiles, &profile, earlier as u32);
                prop_assert!(met || (shared as f64) < jaccard * either as f64);
            }
            prop_assert!(index.insert(row as u32, &profile));
        }
    }
}
