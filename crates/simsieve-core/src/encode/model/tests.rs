//! Models against their plain twin, and files that are no models.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::base::context::Context;
use crate::collection::fit::{Options, fit_store, fit_texts};
use crate::encode::encoder::features_of;
use crate::encode::scheme::OpenScheme;
use crate::encode::weight::idf;
use crate::source::Sources;

/// A model in its plainest form: from 64 bits downward, the first count of prefixes that is within the limit.
fn plain(documents: &[Vec<u64>], limit: usize) -> (u32, Vec<(u64, u64)>) {
    for bits in (0..=64_u32).rev() {
        let mut counts = BTreeMap::new();
        for hash in documents.iter().flatten() {
            *counts.entry(hash & mask(bits)).or_insert(0) += 1;
        }
        if counts.len() <= limit {
            return (bits, counts.into_iter().collect());
        }
    }
    unreachable!("no bits leave one prefix")
}

fn refused<T: fmt::Debug>(result: Result<T>) -> String {
    result.unwrap_err().to_string()
}

fn counted_model(documents: &[Vec<u64>], limit: usize) -> Model {
    let mut counter = Counter::new(FeatureRule::usual(), limit).unwrap();
    for (at, document) in documents.iter().enumerate() {
        counter.add(1, document);
        if at % 3 == 0 {
            counter.flush();
        }
    }
    counter.finish()
}

/// Documents of distinct features; few distinct top bits, so that prefixes meet early and late.
fn documents() -> impl Strategy<Value = Vec<Vec<u64>>> {
    let hash = prop_oneof![any::<u64>(), (0..40_u64).prop_map(|i| i << 59 | i), 0..30_u64];
    let document = proptest::collection::btree_set(hash, 0..20).prop_map(|set| set.into_iter().collect());
    proptest::collection::vec(document, 0..12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]
    #[test]
    fn a_model_is_its_plain_twin(documents in documents(), limit in 1..60_usize) {
        let model = counted_model(&documents, limit);
        prop_assert_eq!((model.bits, model.entries.clone()), plain(&documents, limit));
        prop_assert_eq!(model.documents(), documents.len() as u64);
    }

    #[test]
    fn the_order_of_documents_changes_nothing(mut documents in documents(), limit in 1..60_usize) {
        let model = counted_model(&documents, limit);
        documents.reverse();
        prop_assert_eq!(counted_model(&documents, limit), model);
    }

    #[test]
    fn merging_is_fitting_on_both(a in documents(), b in documents(), limits in (1..60_usize, 1..60_usize)) {
        let (x, y) = (counted_model(&a, limits.0), counted_model(&b, limits.1));
        let both = counted_model(&[a, b].concat(), limits.0.min(limits.1));
        prop_assert_eq!(x.merge(&y).unwrap(), both.clone());
        prop_assert_eq!(y.merge(&x).unwrap(), both);
    }

    #[test]
    fn a_model_comes_back_from_its_file_and_its_bytes(documents in documents(), limit in 1..60_usize) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.model");
        let model = counted_model(&documents, limit);
        model.save(&path).unwrap();
        let again = Model::load(&path).unwrap();
        let bytes = model.to_bytes().unwrap();
        prop_assert_eq!(&bytes, &std::fs::read(&path).unwrap());
        prop_assert_eq!(&Model::from_bytes(bytes).unwrap(), &model);
        prop_assert_eq!(again.digest(), model.digest());
        prop_assert_eq!(again, model);
    }

    #[test]
    fn idfs_are_those_of_the_frequencies(documents in documents(), limit in 1..60_usize, other in any::<u64>()) {
        let model = Arc::new(counted_model(&documents, limit));
        let idfs = Idf::of(Arc::clone(&model));
        let (bits, entries) = plain(&documents, limit);
        let plain: BTreeMap<u64, u64> = entries.into_iter().collect();
        let all: Vec<u64> = documents.iter().flatten().chain([&other, &0, &u64::MAX]).copied().collect();
        let mut at_once = Vec::new();
        idfs.each(&all, |idf| at_once.push(idf));
        prop_assert_eq!(at_once.len(), all.len());
        for (hash, at_once) in all.into_iter().zip(at_once) {
            prop_assert_eq!(idfs.of_feature(hash).to_bits(), at_once.to_bits());
            let frequency = plain.get(&(hash & mask(bits))).copied().unwrap_or(0).min(model.documents());
            prop_assert_eq!(model.frequency(hash), frequency);
            prop_assert_eq!(idfs.of_feature(hash).to_bits(), idf(model.documents(), frequency).to_bits());
        }
    }

    #[test]
    fn a_fit_is_the_twin_of_its_texts(texts in proptest::collection::vec("[ab中文 ]{0,12}", 0..40), limit in 1..40_usize) {
        let scheme = OpenScheme::parse("chars64:n=2").unwrap();
        let ready = scheme.clone().ready().unwrap();
        let features = |text: &String| features_of(&ready, text).unwrap().into_iter().map(|f| f.hash).collect();
        let documents: Vec<Vec<u64>> = texts.iter().map(features).filter(|all: &Vec<u64>| !all.is_empty()).collect();
        let expected = plain(&documents, limit);
        for (threads, batch) in [(1, 0), (2, 1), (2, 7)] {
            let store = Sources::from_texts(&texts);
            let options = Options { limit, batch, ..Options::new(&scheme) };
            let fitted = fit_store(&store, &options, &Context::silent(threads)).unwrap();
            prop_assert!(fitted.failures.is_empty());
            prop_assert_eq!((fitted.model.bits, fitted.model.entries.clone()), expected.clone());
            prop_assert_eq!(fitted.model.documents(), documents.len() as u64);
            let mut counter = Counter::new(scheme.features_to_count().unwrap(), limit).unwrap();
            fit_texts(&mut counter, &scheme, &texts, 0, &Context::silent(threads)).unwrap();
            prop_assert_eq!(counter.finish(), fitted.model);
        }
    }
}

fn small() -> Model {
    let scheme = OpenScheme::parse("chars64").unwrap();
    let mut counter = Counter::new(scheme.features_to_count().unwrap(), DEFAULT_LIMIT).unwrap();
    let texts = ["abcdefg", "ABCDEF!", "中文字", "", "xabcdefx abcdef"];
    fit_texts(&mut counter, &scheme, &texts, 0, &Context::silent(1)).unwrap();
    counter.finish()
}

#[test]
fn frequencies_are_asked_by_text() {
    let model = small();
    // The text without features is no document, and a feature counts once a document.
    assert_eq!((model.documents(), model.features(), model.bits()), (4, 9, 64));
    let frequency = |text| model.frequency_of(text).unwrap();
    assert_eq!(
        ["abcdef", "A-B cdef", "中文字", "bcdefg", "nowhere"[..6].trim()].map(frequency),
        [3, 3, 1, 1, 0]
    );
    for (text, count) in [("", 0), ("abcdefg", 2)] {
        let message = model.frequency_of(text).unwrap_err().to_string();
        assert!(
            message.contains(&format!("{count} features")) && message.contains("units=6"),
            "{message}"
        );
    }
}

#[test]
fn every_cut_and_every_changed_byte_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.model");
    small().save(&path).unwrap();
    let whole = std::fs::read(&path).unwrap();
    let refused = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        let message = Model::load(&path).unwrap_err().to_string();
        assert!(message.starts_with(&path.display().to_string()), "{message}");
        let in_memory = Model::from_bytes(bytes.to_vec()).unwrap_err().to_string();
        assert!(in_memory.starts_with("the model: "), "{in_memory}");
        message
    };
    for end in 0..whole.len() {
        let message = refused(&whole[..end]);
        let expected = if end == 0 {
            "is not a model"
        } else {
            "cut off or damaged"
        };
        assert!(message.contains(expected), "{end}: {message}");
    }
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        let message = refused(&bytes);
        let expected = match at {
            0..16 => "is not a model; `simsieve fit` makes models",
            16..20 => "of layout",
            20..32 => "not a model; `simsieve fit` makes models",
            32..36 => "is a model of version",
            _ => "cut off or damaged",
        };
        assert!(message.contains(expected), "{at}: {message}");
    }
    assert!(refused(b"{\"id\": 1}\n").contains("is not a model; `simsieve fit` makes models"));
}

type Lie = fn(&mut Model);

#[test]
fn a_lie_with_a_right_digest_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.model");
    let lies: [(Lie, &str); 5] = [
        (|model| model.entries.swap(0, 1), "the order of its entries"),
        (|model| model.entries[1].1 = 0, "the order of its entries"),
        (|model| model.bits = 3, "the order of its entries"),
        (|model| model.bits = 65, "its \"bits\""),
        (|model| model.limit = 2, "its section \"prefixes\""),
    ];
    for (lie, part) in lies {
        let mut model = small();
        lie(&mut model);
        model.digest = model.content_digest();
        model.save(&path).unwrap();
        let message = Model::load(&path).unwrap_err().to_string();
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn a_model_of_another_digest_is_refused_with_both() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.model");
    let mut model = small();
    model.digest = 7;
    model.save(&path).unwrap();
    let message = Model::load(&path).unwrap_err().to_string();
    for part in ["a.model", &small().digest(), &model.digest(), "fit it again"] {
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn models_go_to_files_of_their_own() {
    for name in ["-", "a.model.gz", "a.model.zst"] {
        let message = small().save(Path::new(name)).unwrap_err().to_string();
        assert!(
            message.contains(name) && message.contains("compressed already"),
            "{message}"
        );
    }
    let message = Model::load(Path::new("no/such.model")).unwrap_err().to_string();
    assert!(
        message.contains("no/such.model: does not exist; `simsieve fit` makes models"),
        "{message}"
    );
}

#[test]
fn schemes_ask_for_their_models() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.model");
    let model = Arc::new(small());
    model.save(&path).unwrap();
    let scheme = OpenScheme::parse(&format!("chars64:weights=idf,model={}", path.display())).unwrap();
    let digest = model.digest();
    assert_eq!(scheme.spec(), format!("chars64:weights=idf,model={digest}"));
    assert!(scheme.clone().ready().is_ok());
    let asked = OpenScheme::parse(&scheme.spec()).unwrap();
    assert_eq!(asked.digest(), scheme.digest());
    assert!(asked.clone().ready().unwrap_err().to_string().contains(&digest));
    assert_eq!(
        asked.clone().with_model(Arc::clone(&model)).unwrap().digest(),
        scheme.digest()
    );
    let other = Arc::new(small().merge(&small()).unwrap());
    let message = refused(asked.with_model(Arc::clone(&other)));
    assert!(
        message.contains(&digest) && message.contains(&other.digest()),
        "{message}"
    );
    let idf = OpenScheme::parse("chars64:weights=idf").unwrap();
    assert!(idf.clone().ready().unwrap_err().to_string().contains("needs its model"));
    let empty = Arc::new(Counter::new(idf.features_to_count().unwrap(), 9).unwrap().finish());
    assert!(refused(idf.clone().with_model(Arc::clone(&empty))).contains("has 0 documents"));
    assert!(idf.clone().with_own_model(empty).is_ok());
    assert_ne!(idf.with_model(other).unwrap().digest(), scheme.digest());
    let once = OpenScheme::parse("chars64").unwrap();
    assert!(refused(once.clone().with_model(model)).contains("takes no model"));
    assert!(refused(OpenScheme::parse("chars64:model=x")).contains("weights=once take no model"));
    assert!(refused(OpenScheme::parse("chars64:weights=idf,model=")).contains("the file that `simsieve fit` wrote"));
    assert_eq!(once.with_idf().unwrap().spec(), "chars64:weights=idf");
    assert!(refused(scheme.with_idf()).contains("names the model"));
    let counted = OpenScheme::parse("chars64:weights=tf").unwrap().with_idf().unwrap();
    assert_eq!(counted.spec(), "chars64:weights=tf-idf");
    assert!(refused(OpenScheme::parse("simhash64").unwrap().with_idf()).contains("its weights are its own"));
}
