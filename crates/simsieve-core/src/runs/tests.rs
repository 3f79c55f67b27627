//! Saved runs: what comes back is what was saved, and what is not whole or not the same is refused.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::Value;
use tempfile::TempDir;

use super::{KIND, Snapshot, save};
use crate::base::context::Context;
use crate::base::error::Result;
use crate::dedup::collection::Collection;
use crate::dedup::decide::decide;
use crate::dedup::documents::{Documents, Options};
use crate::dedup::recipe::Threshold;
use crate::encode::scheme::Scheme;
use crate::runs::rethreshold::SavedPairs;
use crate::source::{SourceSpec, Sources};
use crate::storage::artifact::{Artifact, Packing, Writer};
use crate::tests::decide::{fates, texts_strategy};
use crate::tests::support::{options, scheme_for};

struct Bench {
    folder: TempDir,
}

impl Bench {
    fn new() -> Self {
        Self {
            folder: TempDir::new().unwrap(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
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
    fn load(&self, new: &[String], old: Option<&[String]>, options: &Options) -> Documents {
        let store = Self::open(&self.source("new.jsonl", new));
        let store = match old {
            Some(old) => store.against(&Self::open(&self.source("old.jsonl", old))),
            None => store,
        };
        Documents::load(Arc::new(store), options, &Context::silent(1)).unwrap()
    }

    fn open(path: &Path) -> Sources {
        Sources::open(&[SourceSpec::new(path)], 1000, &Context::silent(1)).unwrap()
    }

    /// Reads the run again, its sources opened anew.
    fn again(&self, scheme: &Scheme) -> Result<(Documents, Option<SavedPairs>)> {
        let run = Snapshot::open(&self.path("run"), &Context::silent(1))?;
        let (old, new): (Vec<_>, Vec<_>) = run.sources().iter().partition(|source| source.old);
        assert!(new.len() == 1 && old.len() <= 1);
        let store = Self::open(&new[0].path);
        let store = match old.first() {
            Some(old) => store.against(&Self::open(&old.path)),
            None => store,
        };
        run.documents(Arc::new(store), scheme)
    }

    fn saved(&self, texts: &[&str]) -> Documents {
        let texts: Vec<String> = texts.iter().map(|&text| text.to_owned()).collect();
        let documents = self.load(&texts, None, &options(&["first"]));
        save(&documents, "{}", None, &self.path("run"), &Context::silent(1)).unwrap();
        documents
    }

    fn refusal(&self) -> String {
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
        threshold in prop_oneof![
            (0.3..1.0_f64).prop_map(Threshold::Similarity),
            (0.2..1.0_f64).prop_map(Threshold::Jaccard),
            (0..40_u32).prop_map(Threshold::Distance),
        ],
        spec in prop_oneof![Just("chars64"), Just("chars256:n=2,weights=log")],
        n in prop_oneof![Just(None), Just(Some(1_u64 << 15))],
        with_pairs in any::<bool>(),
    ) {
        let bench = Bench::new();
        let scheme = scheme_for(spec, threshold);
        let loaded = Options { scheme: scheme.clone(), threshold, recipe_for: n, ..options(&["longest"]) };
        let documents = bench.load(&new, old.as_deref(), &loaded);
        let pairs = with_pairs.then(|| SavedPairs::find(&documents, 1_000_000, &Context::silent(1)).unwrap());
        save(&documents, "{\"a\": \"é\"}", pairs.as_ref(), &bench.path("run"), &Context::silent(1)).unwrap();
        let run = Snapshot::open(&bench.path("run"), &Context::silent(1)).unwrap();
        prop_assert_eq!(run.settings(), "{\"a\": \"é\"}");

        let (again, found) = bench.again(&scheme).unwrap();
        prop_assert_eq!(found, pairs);
        prop_assert_eq!(&again.recipes, &documents.recipes);
        let (was, now) = (&*documents.collection, &*again.collection);
        let (old, new) = (&was.encodings[0], &now.encodings[0]);
        prop_assert_eq!((&new.fingerprints, &new.valid, &new.sketches), (&old.fingerprints, &old.valid, &old.sketches));
        prop_assert_eq!((&new.digests, &new.sizes, &now.order), (&old.digests, &old.sizes, &was.order));
        prop_assert_eq!(&now.failures, &was.failures);
        let viewed = [new.fingerprints.is_viewed(), new.valid.is_viewed(), new.sketches.is_viewed(),
            new.digests.is_viewed(), new.sizes.is_viewed(), now.order.is_viewed(),
            now.labels.bytes.is_viewed(), now.labels.ends.is_viewed()];
        prop_assert_eq!(viewed, [cfg!(target_endian = "little"); 8], "columns stay in the file");
        prop_assert_eq!(again.copies(&Context::silent(1)).unwrap(), documents.copies(&Context::silent(1)).unwrap());
        let labels = |collection: &Collection| (0..collection.len()).map(|at| collection.label(at).map(<[u8]>::to_vec)).collect::<Vec<_>>();
        prop_assert_eq!(labels(now), labels(was));
        let decided = |documents: &Documents| fates(&decide(documents, &Context::silent(1)).unwrap());
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
            32..36 => "this simsieve reads version 5; run on the sources again",
            _ => "cut off or damaged",
        };
        assert!(message.contains(known), "{at}: {message}");
    }
    fs::write(bench.path("run"), [&whole[..], b"more"].concat()).unwrap();
    assert!(bench.refusal().contains("cut off or damaged"));
}

/// The sections of a run with pairs.
const BYTES: [&str; 2] = ["labels", "failures"];
const WORDS: [&str; 6] = ["sizes", "order", "copies", "later", "earlier", "distance"];
/// These are only in runs by paths.
const FOUND: [&str; 5] = [
    "candidate_later",
    "candidate_earlier",
    "candidate_distance",
    "member_row",
    "member_bucket",
];
const LONGS: [&str; 3] = ["fingerprints", "sketches", "label_ends"];

/// What takes the place of a part of a saved run.
enum Bent {
    Header(&'static str, Value),
    Words(&'static str, Vec<u32>),
    Bytes(&'static str, &'static str),
}

/// Writes a saved run again, one part of it changed.
fn bend(path: &Path, bent: &Bent) {
    let file = Artifact::open(path, &KIND, &mut |_, _| Ok(())).unwrap();
    let mut header = file.header().clone();
    let mut out = Writer::new(Vec::new(), path, &KIND).unwrap();
    let silent = &mut |_| Ok(());
    for name in BYTES {
        let saved = file.column::<u8>(name, ..).unwrap();
        let bytes = match bent {
            Bent::Bytes(bent, bytes) if *bent == name => bytes.as_bytes(),
            _ => &saved,
        };
        out.column(name, Packing::Plain, bytes.iter().copied(), silent).unwrap();
    }
    let found = if header["candidates"].is_null() {
        &[][..]
    } else {
        &FOUND
    };
    for &name in WORDS.iter().chain(found) {
        let saved = file.column::<u32>(name, ..).unwrap();
        let words = match bent {
            Bent::Words(bent, words) if *bent == name => words,
            _ => &saved[..],
        };
        out.column(name, Packing::Zstd(1), words.iter().copied(), silent)
            .unwrap();
    }
    for name in LONGS {
        let longs = file.column::<u64>(name, ..).unwrap();
        out.column(name, Packing::Zstd(1), longs.iter().copied(), silent)
            .unwrap();
    }
    let valid = file.column::<bool>("valid", ..).unwrap();
    out.column("valid", Packing::Plain, valid.iter().copied(), silent)
        .unwrap();
    let digests = file.column::<u128>("digests", ..).unwrap();
    out.column("digests", Packing::Plain, digests.iter().copied(), silent)
        .unwrap();
    let similarity = file.column::<f64>("similarity", ..).unwrap();
    out.column("similarity", Packing::Plain, similarity.iter().copied(), silent)
        .unwrap();
    if let Bent::Header(name, value) = bent {
        header[*name] = value.clone();
    }
    fs::remove_file(path).unwrap();
    fs::write(path, out.finish(&header).unwrap()).unwrap();
}

#[test]
fn a_whole_file_whose_parts_do_not_fit_is_refused() {
    let bench = Bench::new();
    let texts = [
        "one text of some words",
        "one text of some words",
        "other words",
        "",
        "four",
    ];
    let documents = bench.saved(&texts);
    let pairs = SavedPairs::find(&documents, 1000, &Context::silent(1)).unwrap();
    let save = || save(&documents, "{}", Some(&pairs), &bench.path("run"), &Context::silent(1)).unwrap();
    save();
    bend(&bench.path("run"), &Bent::Header("settings", "{\"a\": 1}".into()));
    assert!(
        bench.again(&options(&["first"]).scheme).is_ok(),
        "sections in another order and form"
    );

    let cases = [
        (Bent::Header("settings", 7.into()), "its settings"),
        (Bent::Header("settings", "{\"a\": ".into()), "its settings"),
        (Bent::Header("settings", "[1]".into()), "its settings"),
        (Bent::Header("recipe", "{".into()), "its recipe"),
        (Bent::Header("sources", "{".into()), "its list of sources"),
        (
            Bent::Header("pairs", 4_611_686_018_427_387_904_u64.into()),
            "its section \"later\"",
        ),
        (Bent::Header("pairs", (-1).into()), "the number of its pairs"),
        (Bent::Words("order", vec![0, 1, 3, 3]), "its columns"),
        (Bent::Words("order", vec![0, 1, 3, 9]), "its columns"),
        (Bent::Words("order", vec![0, 1, 3, 4, 2, 5]), "its section \"order\""),
        (Bent::Words("copies", vec![0, 0, 1, 3]), "its columns"),
        (Bent::Words("copies", vec![0, 0, 0, 3]), "its columns"),
        (Bent::Words("copies", vec![0]), "its section \"copies\""),
        (Bent::Words("later", vec![1]), "its section \"later\""),
        (Bent::Bytes("labels", "0"), "its columns"),
        (Bent::Bytes("failures", "[[7,\"not_json\",\"x\"]]"), "its columns"),
        (Bent::Bytes("failures", "[[3,\"not_json\",\"x\"]]"), "its columns"),
        (
            Bent::Bytes("failures", "[[2,\"no_such\",\"x\"]]"),
            "the failure \"no_such\"",
        ),
        (Bent::Bytes("failures", "["), "its failures"),
    ];
    for (bent, expected) in cases {
        save();
        bend(&bench.path("run"), &bent);
        let message = bench.refusal();
        assert!(
            message.contains(expected) && message.contains("run: is a saved run, but"),
            "{expected}: {message}"
        );
    }
}

#[test]
fn candidates_that_do_not_fit_are_refused() {
    let bench = Bench::new();
    let texts = ["one text of some words", "one text of some word", "other things"].map(str::to_owned);
    let by = Options {
        recipe_for: Some(1 << 15),
        ..options(&["first"])
    };
    let documents = bench.load(&texts, None, &by);
    let pairs = SavedPairs::find(&documents, 1000, &Context::silent(1)).unwrap();
    assert_eq!(pairs.edges.len(), 1);
    let cases = [
        (Bent::Header("candidates", Value::Null), "the counts of its candidates"),
        (Bent::Words("candidate_later", vec![0]), "its candidates"),
        (Bent::Words("candidate_later", vec![9]), "its candidates"),
        (Bent::Words("candidate_earlier", vec![1]), "its candidates"),
        (
            Bent::Words("candidate_distance", vec![]),
            "its section \"candidate_distance\"",
        ),
        (Bent::Words("member_row", vec![1]), "its section \"member_row\""),
        (
            Bent::Header(
                "candidates",
                serde_json::json!({"edges": 1, "members": 0, "buckets": 7, "tested": 1}),
            ),
            "its candidates",
        ),
    ];
    for (bent, expected) in cases {
        save(&documents, "{}", Some(&pairs), &bench.path("run"), &Context::silent(1)).unwrap();
        bend(&bench.path("run"), &bent);
        let message = bench.refusal();
        assert!(message.contains(expected), "{expected}: {message}");
    }
}

#[test]
fn a_run_of_the_former_format_is_refused_with_what_to_do() {
    let bench = Bench::new();
    fs::write(bench.path("run"), b"SIMSIEVE\x03\0\0\0 and more").unwrap();
    let message = bench.refusal();
    assert!(
        message.contains(
            "is a saved run of an earlier version, which this simsieve does not read; run on the sources again"
        ),
        "{message}"
    );
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
    let run = Snapshot::open(&bench.path("run"), &Context::silent(1)).unwrap();
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
    let message = save(&documents, "{}", None, &bench.path("run"), &Context::silent(1))
        .unwrap_err()
        .to_string();
    assert!(message.contains("cannot be opened again"), "{message}");
    assert!(!bench.path("run").exists());
}
