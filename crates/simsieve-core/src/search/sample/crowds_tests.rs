use std::collections::HashMap;
use std::sync::Arc;

use super::*;
use crate::base::hash::mix;
use crate::base::kernel::Kernel;
use crate::encode::paths::PathScratch;
use crate::encode::scheme::Scratch;
use crate::recipe::Threshold;
use crate::search::sample::frozen::digest_of;
use crate::search::sample::of_sample;
use crate::tests::support::options;

/// Every text is sampled, and a path of more than four is crowded.
const SMALL: Bounds = Bounds {
    crowd: 4.0,
    records: 0.0,
    log2: 0,
    words: 1 << 25,
    passes: 3,
    share: 0.0,
};

/// Texts of eight words, of which many have each.
fn texts() -> Vec<String> {
    let word = |at: u64, place: u64| format!("{:x}", mix(mix(at << 8 | place) % 300) >> 24);
    let text = |at: u64| (0..8).map(|place| word(at, place)).collect::<Vec<_>>().join(" ");
    (0..900).map(text).collect()
}

fn recipe() -> (Scheme, Recipe) {
    let scheme = options(&["first"]).scheme;
    let recipe = Recipe::new(&scheme, Threshold::Similarity(0.65), 0.98, 0, 1 << 14).unwrap();
    (scheme, recipe)
}

/// What is frozen of texts, with a second freeze by these bounds or without.
fn frozen(texts: &[String], batch: usize, bounds: Option<&Bounds>) -> Arc<Paths> {
    let (scheme, recipe) = recipe();
    let (sources, field) = (
        Sources::from_texts(texts.iter().map(String::as_str)),
        ["text".to_owned()],
    );
    let (by, ctx) = ([(&scheme, &recipe)], Context::small(2));
    let mut each = of_sample(&sources, &field, batch, &by, &ctx).unwrap();
    if let Some(bounds) = bounds {
        split(&mut each, (&sources, &field, batch), &by, 1.0, bounds, &ctx).unwrap();
    }
    Arc::clone(&each[0].as_ref().unwrap().paths)
}

/// The keys of each text, and the most texts that have one of them that is no family's.
fn keys_of(paths: &Paths, texts: &[String]) -> (Vec<Vec<u64>>, usize) {
    let (scheme, _) = recipe();
    let mut scratch = Scratch::default();
    let keys = |text: &String| {
        scheme.extract(text, &mut scratch).unwrap();
        let mut keys = Vec::new();
        let (features, path_scratch) = (scratch.features.hashes(), &mut PathScratch::default());
        paths.keys(Kernel::active(), features, &[], path_scratch, &mut keys);
        keys
    };
    let each: Vec<Vec<u64>> = texts.iter().map(keys).collect();
    let mut counts: HashMap<u64, usize> = HashMap::new();
    for key in each.iter().flatten().filter(|&key| key & FAMILY == 0) {
        *counts.entry(*key).or_default() += 1;
    }
    (each, counts.into_values().max().unwrap_or(0))
}

#[test]
fn crowded_paths_are_split_pass_by_pass() {
    let texts = texts();
    let before = keys_of(&frozen(&texts, 0, None), &texts);
    let mut largest = vec![before.1];
    for passes in 1..=3 {
        let bounds = Bounds { passes, ..SMALL };
        let (keys, most) = keys_of(&frozen(&texts, 0, Some(&bounds)), &texts);
        assert!(keys.iter().all(|keys| !keys.is_empty()));
        largest.push(most);
    }
    assert!(
        largest.is_sorted_by(|a, b| a >= b) && largest[1] < largest[0],
        "{largest:?}"
    );
    assert!(largest[0] > 30 && largest[3] <= SMALL.crowd as usize, "{largest:?}");
}

#[test]
fn it_is_a_function_of_the_set_of_texts() {
    let texts: Vec<String> = texts()
        .iter()
        .flat_map(|text| [text.to_uppercase(), text.clone()])
        .collect();
    let digest = |texts: &[String], batch| digest_of(&frozen(texts, batch, Some(&SMALL)));
    let reversed: Vec<String> = texts.iter().rev().cloned().collect();
    let twice = [&texts[..], &texts[..]].concat();
    for (others, batch) in [(&texts, 7), (&reversed, 0), (&twice, 5)] {
        assert_eq!(digest(others, batch), digest(&texts, 0));
    }
}

#[test]
fn parts_on_several_machines_show_the_same_crowds() {
    let ((scheme, recipe), texts) = (recipe(), texts());
    let bounds = Bounds { words: 6000, ..SMALL };
    let log2 = bounds.first_log2(texts.len() as f64);
    let expected = frozen(&texts, 0, Some(&bounds));
    let mut paths = (*frozen(&texts, 0, None)).clone();
    for _ in 0..bounds.passes {
        let encoder = Encoder::new(&scheme, search(Some(&paths)), Kernel::active());
        let mut sample = KeySample::new(log2);
        for part in texts.rchunks(250) {
            let part = part.iter().map(|text| Ok(Some(text.as_str())));
            sample.add(&rows_of(part, &encoder, log2).unwrap(), &bounds);
        }
        if !sample.crowds(&paths, &recipe, 1.0, &bounds).split(&mut paths, &bounds) {
            break;
        }
    }
    assert_eq!(digest_of(&paths), digest_of(&expected));
}

#[test]
fn a_sample_of_too_many_words_is_that_of_a_lower_rate() {
    let ((scheme, recipe), texts) = (recipe(), texts());
    let bounds = Bounds { words: 3000, ..SMALL };
    let paths = frozen(&texts, 0, None);
    let encoder = Encoder::new(&scheme, search(Some(&paths)), Kernel::active());
    let of = |log2: u32| {
        let mut sample = KeySample::new(log2);
        for part in texts.chunks(100) {
            let part = part.iter().map(|text| Ok(Some(text.as_str())));
            sample.add(&rows_of(part, &encoder, log2).unwrap(), &bounds);
        }
        sample
    };
    let halved = of(0);
    assert!(halved.rows.len() <= bounds.words && halved.log2 > 1, "{}", halved.log2);
    let fates = |sample: &KeySample| sample.crowds(&paths, &recipe, 1.0, &bounds).fates;
    assert!(!fates(&halved).is_empty());
    assert_eq!(fates(&halved), fates(&of(halved.log2)));
}

#[test]
fn near_texts_are_a_family_and_a_collection_that_is_seen_has_no_second_freeze() {
    let same = "the words of a form that all of these texts have and that make them near one another";
    let texts: Vec<String> = (0..60_u64).map(|at| format!("{same} {:x}", mix(at) >> 50)).collect();
    let before = keys_of(&frozen(&texts, 0, None), &texts);
    let (keys, most) = keys_of(&frozen(&texts, 0, Some(&SMALL)), &texts);
    assert!(before.1 > 30 && most <= 4, "{} {most}", before.1);
    assert!(keys.iter().all(|keys| keys.iter().any(|key| key & FAMILY != 0)));
    // The first sample has every second text, and sees a path of eight.
    let seen = Bounds { crowd: 9.0, ..SMALL };
    assert_eq!(
        digest_of(&frozen(&texts, 0, Some(&seen))),
        digest_of(&frozen(&texts, 0, None))
    );
    let default = Bounds::DEFAULT;
    assert!(
        default.are_passed(Some(256.0), 4e6)
            && !default.are_passed(Some(128.0), 4e6)
            && !default.are_passed(Some(256.0), 1e6)
            && !default.are_passed(None, 4e6)
    );
    assert_eq!([1e6, 6e7, 1e9].map(|records| default.first_log2(records)), [6, 6, 10]);
}
