//! Saved runs: what comes back is what was saved, and what is not whole or not the same is refused.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use proptest::prelude::*;
use tempfile::TempDir;

use super::{SavedRun, save};
use crate::base::context::Context;
use crate::base::error::Result;
use crate::dedup::decide::decide;
use crate::dedup::documents::{Documents, Options};
use crate::dedup::recipe::Threshold;
use crate::encode::scheme::Scheme;
use crate::runs::rethreshold::SavedPairs;
use crate::source::{SourceSpec, Store};
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

    fn open(path: &Path) -> Store {
        Store::open(&[SourceSpec::new(path)], 1000, &Context::silent(1)).unwrap()
    }

    /// Reads the run again, its sources opened anew.
    fn again(&self, scheme: &Scheme) -> Result<(Documents, Option<SavedPairs>)> {
        let run = SavedRun::open(&self.path("run"), &Context::silent(1))?;
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
        let run = SavedRun::open(&bench.path("run"), &Context::silent(1)).unwrap();
        prop_assert_eq!(run.settings(), "{\"a\": \"é\"}");

        let (again, found) = bench.again(&scheme).unwrap();
        prop_assert_eq!(found, pairs);
        prop_assert_eq!(&again.recipe, &documents.recipe);
        prop_assert_eq!((&again.fingerprints, &again.valid, &again.sketches), (&documents.fingerprints, &documents.valid, &documents.sketches));
        prop_assert_eq!((&again.digests, &again.sizes, &again.order), (&documents.digests, &documents.sizes, &documents.order));
        prop_assert_eq!(&again.failures, &documents.failures);
        prop_assert_eq!(again.copies(&Context::silent(1)).unwrap(), documents.copies(&Context::silent(1)).unwrap());
        let labels = |documents: &Documents| (0..documents.len()).map(|at| documents.label(at).map(<[u8]>::to_vec)).collect::<Vec<_>>();
        prop_assert_eq!(labels(&again), labels(&documents));
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
        let known = if length < 28 {
            "is no saved run"
        } else {
            "cut off or damaged"
        };
        assert!(message.contains(known), "{length}: {message}");
    }
    for at in 0..whole.len() {
        let mut bent = whole.clone();
        bent[at] ^= 0x40;
        fs::write(bench.path("run"), &bent).unwrap();
        let message = bench.refusal();
        let known = match at {
            0..8 => "is no saved run",
            8..12 => "this simsieve reads version 3",
            _ => "cut off or damaged",
        };
        assert!(message.contains(known), "{at}: {message}");
    }
    fs::write(bench.path("run"), [&whole[..], b"more"].concat()).unwrap();
    assert!(bench.refusal().contains("cut off or damaged"));
}

/// The number of a section in the order of the file.
const HEADER: usize = 0;
const ORDER: usize = 6;
const COPIES: usize = 9;
const FAILURES: usize = 10;

#[test]
fn a_whole_file_whose_columns_do_not_fit_is_refused() {
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
    save(&documents, "{}", Some(&pairs), &bench.path("run"), &Context::silent(1)).unwrap();
    let whole = fs::read(bench.path("run")).unwrap();
    let mut rest = &zstd::decode_all(&whole[12..whole.len() - 16]).unwrap()[..];
    let mut sections = Vec::new();
    while let Some((length, behind)) = rest.split_first_chunk() {
        let (section, behind) = behind.split_at(u64::from_le_bytes(*length) as usize);
        sections.push(section.to_vec());
        rest = behind;
    }
    let numbers = |numbers: &[u32]| {
        numbers
            .iter()
            .flat_map(|number| number.to_le_bytes())
            .collect::<Vec<u8>>()
    };
    let header = |pairs: &str| {
        let header = std::str::from_utf8(&sections[HEADER]).unwrap();
        header
            .replace("\"pairs\":0", &format!("\"pairs\":{pairs}"))
            .into_bytes()
    };
    let cases = [
        (HEADER, header("4611686018427387904"), "the number of its pairs"),
        (HEADER, header("1152921504606846976"), "later"),
        (ORDER, numbers(&[0, 1, 3, 3]), "its columns"),
        (ORDER, numbers(&[0, 1, 3, 9]), "its columns"),
        (COPIES, numbers(&[0, 0, 1, 3]), "its columns"),
        (COPIES, numbers(&[0, 0, 0, 3]), "its columns"),
        (FAILURES, b"[[7,\"not_json\",\"x\"]]".to_vec(), "its columns"),
        (FAILURES, b"[[3,\"not_json\",\"x\"]]".to_vec(), "its columns"),
    ];
    for (at, bent, expected) in cases {
        let mut sections = sections.clone();
        assert_ne!(sections[at], bent);
        sections[at] = bent;
        let parts = sections
            .iter()
            .map(|section| [&(section.len() as u64).to_le_bytes(), &section[..]].concat());
        let frame = zstd::encode_all(&parts.collect::<Vec<_>>().concat()[..], 1).unwrap();
        let mut file = [&whole[..12], &frame].concat();
        file.extend(crate::base::hash::xxh3_128(&file).to_le_bytes());
        fs::write(bench.path("run"), file).unwrap();
        let message = bench.refusal();
        assert!(message.contains(expected), "{at} {expected}: {message}");
    }
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
        message.contains("run: is no saved run; name a file that --save-run wrote"),
        "{message}"
    );
    fs::remove_file(bench.path("run")).unwrap();
    fs::create_dir(bench.path("run")).unwrap();
    assert!(bench.refusal().contains("is no file"));
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
    let run = SavedRun::open(&bench.path("run"), &Context::silent(1)).unwrap();
    let both = Bench::open(&bench.path("new.jsonl")).against(&Bench::open(&bench.path("new.jsonl")));
    let message = run
        .documents(Arc::new(both), &documents.scheme)
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
