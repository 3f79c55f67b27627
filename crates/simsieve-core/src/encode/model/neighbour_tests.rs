//! Models with neighbours: fitted, merged, filed, and files with wrong contents.

use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::base::context::Context;
use crate::collection::fit::{Options, fit_store};
use crate::encode::scheme::OpenScheme;
use crate::source::Sources;

type Lie = fn(&mut Model);

fn words_of(text: &str) -> Vec<u64> {
    text.split(' ')
        .filter(|word| !word.is_empty())
        .map(|word| crate::base::hash::xxh3_64(word.as_bytes()))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn neighbours_are_fitted_merged_and_filed(
        texts in proptest::collection::vec("[abc ]{0,14}", 0..20), cut in 0..20_usize, limit in 1..30_usize, threads in 1..3_usize,
    ) {
        let scheme = OpenScheme::parse("esimhash64").unwrap();
        let fitted = |texts: &[String], batch| {
            let options = Options { limit, batch, ..Options::new(&scheme) };
            fit_store(&Sources::from_texts(texts), &options, &Context::silent(threads)).unwrap().model
        };
        let (model, cut) = (fitted(&texts, 0), cut.min(texts.len()));
        let mut expected = Neighbours::new();
        let mut pairs = Vec::new();
        for text in &texts {
            neighbours::pairs_of(&words_of(text), &mut pairs);
        }
        expected.add(&mut pairs, limit * PAIRS_A_FEATURE);
        prop_assert_eq!(model.neighbours.as_ref(), Some(&expected));
        prop_assert_eq!(model.digest(), fitted(&texts, 1).digest());
        let (a, b) = texts.split_at(cut);
        prop_assert_eq!(fitted(a, 3).merge(&fitted(b, 2)).unwrap(), model.clone());
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.model");
        model.save(&path).unwrap();
        prop_assert_eq!(Model::load(&path).unwrap(), model);
    }
}

#[test]
fn a_lie_about_neighbours_is_noticed() {
    let scheme = OpenScheme::parse("esimhash64").unwrap();
    let store = Sources::from_texts(["老槐树下的人", "老槐树上的鸟"]);
    let model = fit_store(&store, &Options::new(&scheme), &Context::silent(1))
        .unwrap()
        .model;
    assert_eq!((model.neighbour_bits(), model.documents()), (Some(96), 2));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.model");
    let lies: [(Lie, &str); 5] = [
        (
            |model| model.rule = FeatureRule::read("tokens=segments", 7).unwrap(),
            "its section \"neighbours\"",
        ),
        (|model| model.neighbours = None, "its section \"neighbours\""),
        (|model| model.limit = 1, "its section \"prefixes\""),
        (
            |model| model.rule = FeatureRule::of_tokens("words,n=1", "", false),
            "its section \"neighbours\"",
        ),
        (|model| model.rule = FeatureRule::of_tokens("segments", "", true), ""),
    ];
    for (at, (lie, part)) in lies.into_iter().enumerate() {
        let mut model = model.clone();
        lie(&mut model);
        model.digest = model.content_digest();
        model.save(&path).unwrap();
        match Model::load(&path) {
            Err(error) => assert!(!part.is_empty() && error.to_string().contains(part), "{at}: {error}"),
            Ok(model) => {
                let message = scheme.clone().with_model(Arc::new(model)).unwrap_err().to_string();
                assert!(message.contains("fit a model with this scheme"), "{at}: {message}");
            }
        }
    }
    for bad in [vec![0_u128 << 40], vec![1 << 32], vec![1 << 33 | 1, 1 << 33 | 2]] {
        assert_eq!(Neighbours::read(96, bad), None);
    }
    assert_eq!(Neighbours::read(97, Vec::new()), None, "more bits than a pair has");
    assert_eq!(
        Neighbours::read(95, vec![1 << 32 | 1]),
        None,
        "a bit that is not told apart"
    );
}
