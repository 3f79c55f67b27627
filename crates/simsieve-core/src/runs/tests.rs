//! Saved runs: what comes back is what was saved, and what is not whole or not the same is refused.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use proptest::prelude::*;
use tempfile::TempDir;

use super::{Snapshot, save};
use crate::base::context::Context;
use crate::base::error::Result;
use crate::collection::Collection;
use crate::dedup::decide::decide;
use crate::dedup::loading;
use crate::encode::scheme::Scheme;
use crate::runs::rethreshold::SavedPairs;
use crate::search::documents::{Documents, Options};
use crate::source::{SourceSpec, Sources};
use crate::tests::decide::{outcomes, texts_strategy};
use crate::tests::support::{any_threshold, options, scheme_for};

pub(super) struct Bench {
    folder: TempDir,
}

impl Bench {
    pub(super) fn new() -> Self {
        Self {
            folder: TempDir::new().unwrap(),
        }
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes texts as records, every fourth of which fails or has no label.
    fn source(&self, name: &str, texts: &[String]) -> PathBuf {
        let line = |(at, text): (usize, &String)| match at % 4 {
            1 => format!("{{\"text\": {text:?}}}\n"),
            2 if at % 8 == 2 => format!("{{\"body\": {text:?}}}\n\n"),
            _ => format!("{{\"id\": {at}, \"text\": {text:?}}}\n"),
        };
        fs::write(self.path(name), texts.iter().enumerate().map(line).collect::<String>()).unwrap();
        self.path(name)
    }

    /// Loads `new` against `old`, where that is given.
    pub(super) fn load(&self, new: &[String], old: Option<&[String]>, options: &Options) -> Documents {
        let store = Self::open(&self.source("new.jsonl", new));
        let store = match old {
            Some(old) => store.against(&Self::open(&self.source("old.jsonl", old))),
            None => store,
        };
        loading::load(Arc::new(store), options, &Context::small(1)).unwrap()
    }

    fn open(path: &Path) -> Sources {
        Sources::open(&[SourceSpec::new(path)], 1000, &Context::small(1)).unwrap()
    }

    /// Reads the run again, its sources opened anew.
    pub(super) fn again(&self, scheme: &Scheme) -> Result<(Documents, Option<SavedPairs>)> {
        let run = Snapshot::open(&self.path("run"), &Context::small(1))?;
        let (old, new): (Vec<_>, Vec<_>) = run.sources().iter().partition(|source| source.old);
        assert!(new.len() == 1 && old.len() <= 1);
        let store = Self::open(&new[0].path);
        let store = match old.first() {
            Some(old) => store.against(&Self::open(&old.path)),
            None => store,
        };
        run.documents(Arc::new(store), scheme)
    }

    pub(super) fn saved(&self, texts: &[&str]) -> Documents {
        let texts: Vec<String> = texts.iter().map(|&text| text.to_owned()).collect();
        let documents = self.load(&texts, None, &options(&["first"]));
        save(&documents, "{}", None, &self.path("run"), &Context::small(1)).unwrap();
        documents
    }

    pub(super) fn refusal(&self) -> String {
        let scheme = options(&["first"]).scheme;
        self.again(&scheme).map(|_| ()).unwrap_err().to_string()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn what_comes_back_is_what_was_saved(
        new in texts_strategy(),
        old in proptest::option::of(texts_strategy()),
        threshold in any_threshold(),
        spec in prop_oneof![Just("chars64"), Just("chars256:n=2,weights=log")],
        n in prop_oneof![Just(None), Just(Some(1_u64 << 15))],
        with_pairs in any::<bool>(),
    ) {
        let bench = Bench::new();
        let scheme = scheme_for(spec, threshold);
        let loaded = Options { scheme: scheme.clone(), threshold, recipe_for: n, ..options(&["longest"]) };
        let documents = bench.load(&new, old.as_deref(), &loaded);
        let pairs = with_pairs.then(|| SavedPairs::find(&documents, 1_000_000, &Context::small(1)).unwrap());
        save(&documents, "{\"a\": \"é\"}", pairs.as_ref(), &bench.path("run"), &Context::small(1)).unwrap();
        let run = Snapshot::open(&bench.path("run"), &Context::small(1)).unwrap();
        prop_assert_eq!(run.settings(), "{\"a\": \"é\"}");

        let (again, found) = bench.again(&scheme).unwrap();
        prop_assert_eq!(found, pairs);
        prop_assert_eq!(&again.recipes, &documents.recipes);
        let (was, now) = (&*documents.collection, &*again.collection);
        let (old, new) = (&was.encodings[0], &now.encodings[0]);
        prop_assert_eq!((&new.fingerprints, &new.valid, &new.sketches), (&old.fingerprints, &old.valid, &old.sketches));
        prop_assert_eq!(&new.frozen_digest, &old.frozen_digest);
        prop_assert_eq!(old.frozen_digest.is_some(), !documents.recipes[0].is_exact());
        prop_assert_eq!((&new.digests, &new.sizes, &now.order), (&old.digests, &old.sizes, &was.order));
        prop_assert_eq!(&now.failures, &was.failures);
        let viewed = [new.fingerprints.is_viewed(), new.valid.is_viewed(), new.sketches.is_viewed(),
            new.digests.is_viewed(), new.sizes.is_viewed(), now.order.is_viewed(),
            now.labels.bytes.is_viewed(), now.labels.ends.is_viewed()];
        prop_assert_eq!(viewed, [cfg!(target_endian = "little"); 8], "columns stay in the file");
        prop_assert_eq!(&*again.collection.copies, &*documents.collection.copies);
        let labels = |collection: &Collection| (0..collection.len()).map(|at| collection.label(at).map(<[u8]>::to_vec)).collect::<Vec<_>>();
        prop_assert_eq!(labels(now), labels(was));
        let decided = |documents: &Documents| outcomes(&decide(documents, &Context::small(1)).unwrap());
        prop_assert_eq!(decided(&again), decided(&documents));
    }
}

#[test]
fn a_file_that_is_not_whole_is_refused_wherever_it_is_cut_or_bent() {
    let bench = Bench::new();
    bench.saved(&["one text of some words", "another one of them, and more", ""]);
    let whole = fs::read(bench.path("run")).unwrap();
    for length in 0..whole.len() {
        fs::write(bench.path("run"), &whole[..length]).unwrap();
        let message = bench.refusal();
        let known = if length == 0 {
            "is not a saved run"
        } else {
            "is a saved run that is cut off or damaged"
        };
        assert!(message.contains(known), "{length}: {message}");
    }
    for at in 0..whole.len() {
        let mut bent = whole.clone();
        bent[at] ^= 0x40;
        fs::write(bench.path("run"), &bent).unwrap();
        let message = bench.refusal();
        let known = match at {
            0..16 => "is not a saved run; name the file of a saved run",
            16..20 => "of layout",
            20..32 => "not a saved run; name the file of a saved run",
            32..36 => "this simsieve reads version 7; run on the sources again",
            _ => "cut off or damaged",
        };
        assert!(message.contains(known), "{at}: {message}");
    }
    fs::write(bench.path("run"), [&whole[..], b"more"].concat()).unwrap();
    assert!(bench.refusal().contains("cut off or damaged"));
}

#[test]
fn what_is_no_saved_run_is_refused_by_name() {
    let bench = Bench::new();
    assert!(bench.refusal().contains("does not exist"));
    fs::write(
        bench.path("run"),
        "{\"text\": \"a source that was named by mistake\"}\n",
    )
    .unwrap();
    let message = bench.refusal();
    assert!(
        message.contains("run: is not a saved run; name the file of a saved run"),
        "{message}"
    );
    fs::remove_file(bench.path("run")).unwrap();
    fs::create_dir(bench.path("run")).unwrap();
    assert!(bench.refusal().contains("is not a file"));
}

#[test]
fn a_changed_source_is_refused() {
    let bench = Bench::new();
    bench.saved(&["one text of some words", "another one"]);
    let texts = ["one text of some words".to_owned(), "another two".to_owned()];
    // Of one size, but written to later.
    bench.source("new.jsonl", &texts);
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(5);
    fs::File::options()
        .write(true)
        .open(bench.path("new.jsonl"))
        .and_then(|file| file.set_modified(later))
        .unwrap();
    let message = bench.refusal();
    assert!(
        message.contains("new.jsonl: changed since") && message.contains("run on the sources again"),
        "{message}"
    );
}

#[test]
fn another_scheme_is_refused_with_both() {
    let bench = Bench::new();
    bench.saved(&["one text of some words"]);
    let other = Scheme::parse("chars64").unwrap();
    let message = bench.again(&other).map(|_| ()).unwrap_err().to_string();
    assert!(
        message.contains("of scheme chars128 (digest") && message.contains("is chars64 (digest"),
        "{message}"
    );
}

#[test]
fn another_number_of_sources_is_refused() {
    let bench = Bench::new();
    let documents = bench.saved(&["one text of some words"]);
    let run = Snapshot::open(&bench.path("run"), &Context::small(1)).unwrap();
    let both = Bench::open(&bench.path("new.jsonl")).against(&Bench::open(&bench.path("new.jsonl")));
    let message = run
        .documents(Arc::new(both), &documents.collection.encodings[0].scheme)
        .map(|_| ())
        .unwrap_err()
        .to_string();
    assert!(message.contains("was made of 1 sources, and 2 are given"), "{message}");
}

#[test]
fn texts_in_memory_cannot_be_saved() {
    let bench = Bench::new();
    let documents = crate::tests::support::documents(&["one text of some words"], &["first"]);
    let message = save(&documents, "{}", None, &bench.path("run"), &Context::small(1))
        .unwrap_err()
        .to_string();
    assert!(message.contains("cannot be opened again"), "{message}");
    assert!(!bench.path("run").exists());
}
