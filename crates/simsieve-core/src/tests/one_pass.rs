//! Each record is read and parsed once, whatever the number of schemes, and each scheme's columns are those of its own pass.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tempfile::TempDir;

use crate::base::context::Context;
use crate::base::error::Result;
use crate::base::progress::Progress;
use crate::base::tuning::Tuning;
use crate::collection::Collection;
use crate::collection::combine::Combine;
use crate::dedup::loading;
use crate::encode::scheme::Scheme;
use crate::recipe::Threshold;
use crate::search::documents::Options;
use crate::source::{FileRecord, Identity, Profile, Source, SourceSpec, Sources, Spans};
use crate::tests::support::options;

/// A folder that counts how often its bytes are read and its records are parsed.
#[derive(Debug)]
struct Counting {
    folder: Arc<dyn Source>,
    reads: AtomicUsize,
    parses: AtomicUsize,
}

impl Source for Counting {
    fn identity(&self) -> &Identity {
        self.folder.identity()
    }

    fn profile(&self) -> &Arc<Profile> {
        self.folder.profile()
    }

    fn spans(&self) -> &Arc<Spans> {
        self.folder.spans()
    }

    fn read_exact_at(&self, buffer: &mut [u8], start: u64) -> Result<()> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        self.folder.read_exact_at(buffer, start)
    }

    /// Parsing asks for the file of a record once.
    fn file(&self, position: usize) -> Option<FileRecord<'_>> {
        self.parses.fetch_add(1, Ordering::Relaxed);
        self.folder.file(position)
    }

    fn check_unchanged(&self) -> Result<()> {
        self.folder.check_unchanged()
    }
}

/// The greatest number of records that the stage `fingerprint` reports, and how often it begins.
#[derive(Default)]
struct Passes {
    begun: usize,
    most: u64,
}

impl Progress for &mut Passes {
    fn tick(&mut self, stage: &'static str, done: u64, _total: u64) -> Result<()> {
        if stage == "fingerprint" {
            self.begun += usize::from(done == 0);
            self.most = self.most.max(done);
        }
        Ok(())
    }
}

fn of_scheme(spec: &str, threshold: Threshold) -> Options {
    Options {
        scheme: Scheme::parse(spec).unwrap(),
        threshold,
        ..options(&["longest"])
    }
}

fn open(path: &Path) -> Sources {
    Sources::open(&[SourceSpec::new(path)], 1000, &Context::small(1)).unwrap()
}

/// A file of JSON lines, one text as JSON a line.
fn lines(folder: &TempDir, texts: &[&str]) -> Arc<Sources> {
    let path = folder.path().join("in.jsonl");
    let line = |(at, text): (usize, &&str)| format!("{{\"id\": {at}, \"text\": {text}}}\n");
    fs::write(&path, texts.iter().enumerate().map(line).collect::<String>()).unwrap();
    Arc::new(open(&path))
}

fn failed(collection: &Collection) -> Vec<(usize, &'static str)> {
    let failures = collection.failures.iter();
    failures.map(|(position, failure)| (*position, failure.code)).collect()
}

#[test]
fn each_record_is_read_and_parsed_once() {
    let folder = TempDir::new().unwrap();
    for number in 0..9 {
        let text = format!("text number {number} of some words");
        fs::write(folder.path().join(format!("{number}.txt")), text).unwrap();
    }
    let each = [
        of_scheme("chars128", Threshold::Similarity(0.65)),
        of_scheme("words64", Threshold::Distance(9)),
        of_scheme("chars64:n=2", Threshold::Similarity(0.9)),
    ];
    let mut counts = Vec::new();
    for schemes in 1..=each.len() {
        let counting = Arc::new(Counting {
            folder: Arc::clone(open(folder.path()).iter().next().unwrap()),
            reads: AtomicUsize::new(0),
            parses: AtomicUsize::new(0),
        });
        let sources = Arc::new(Sources::of(vec![counting.clone()]));
        let mut passes = Passes::default();
        let ctx = Context::new(2, &mut passes).unwrap().with_tuning(Tuning::SMALL);
        let documents = loading::load_each(sources, &each[..schemes], Combine::Any, &ctx).unwrap();
        drop(ctx);
        assert_eq!(
            (
                documents.collection.encodings.len(),
                documents.collection.failures.len()
            ),
            (schemes, 0)
        );
        assert_eq!((passes.begun, passes.most), (1, 9));
        counts.push((
            counting.reads.load(Ordering::Relaxed),
            counting.parses.load(Ordering::Relaxed),
        ));
    }
    assert_eq!(counts, [(1, 9); 3]);
}

#[test]
fn one_pass_gives_the_columns_of_a_pass_a_scheme() {
    let folder = TempDir::new().unwrap();
    let texts = [
        "\"one text of some words\"",
        "\"\"",
        "7",
        "\"another text of other words\"",
        "\"one TEXT of some words\"",
    ];
    let sources = lines(&folder, &texts);
    let each = [
        of_scheme("chars128", Threshold::Similarity(0.65)),
        of_scheme("words64:weights=log", Threshold::Similarity(0.8)),
        of_scheme("chars64", Threshold::Distance(6)),
    ];
    for batch in [0, 2] {
        let each = each.clone().map(|options| Options { batch, ..options });
        let ctx = Context::small(2);
        let all = loading::load_each(Arc::clone(&sources), &each, Combine::Any, &ctx).unwrap();
        for (options, found) in each.iter().zip(&all.collection.encodings) {
            let alone = loading::load(Arc::clone(&sources), options, &ctx).unwrap();
            let own = &alone.collection.encodings[0];
            assert_eq!(
                (&found.fingerprints, &found.valid, &found.sketches),
                (&own.fingerprints, &own.valid, &own.sketches)
            );
            assert_eq!(
                (&found.digests, &found.sizes, &found.paths),
                (&own.digests, &own.sizes, &own.paths)
            );
            assert_eq!(all.collection.order, alone.collection.order);
            assert_eq!(all.collection.failures, alone.collection.failures);
        }
        assert_eq!(all.collection.label(4), Some(&b"4"[..]));
        assert_eq!(failed(&all.collection), [(2, "text_not_string")]);
    }
}

/// One parse serves schemes that take other fields: a number is a text for none but those that take numbers.
#[test]
fn a_text_scheme_and_fingerprints_share_a_record() {
    let folder = TempDir::new().unwrap();
    let sources = lines(&folder, &["12", "\"12\"", "\"words\"", "null", "\"70000\""]);
    let load = |specs: [&str; 2]| {
        let each = specs.map(|spec| of_scheme(spec, Threshold::Distance(3)));
        let documents = loading::load_each(Arc::clone(&sources), &each, Combine::Any, &Context::small(1)).unwrap();
        documents.collection
    };
    let (number, text) = ("external16:format=int", "chars64");
    for specs in [[number, text], [text, number]] {
        let collection = load(specs);
        let expected = [
            (0, "text_not_string"),
            (2, "unusable_text"),
            (3, "text_not_string"),
            (4, "unusable_text"),
        ];
        assert_eq!(failed(&collection), expected);
        assert!(
            collection.failures[0].1.message.contains("a string is needed"),
            "{}",
            collection.failures[0].1
        );
        for encoding in &collection.encodings {
            assert_eq!(*encoding.valid, [false, true, false, false, false]);
            // A failed record has zeros under the schemes that could use it, too.
            let words = [0, 2, 3, 4].map(|at| encoding.fingerprint(at)[0]);
            assert_eq!((words, encoding.sizes[4]), ([0; 4], 0));
        }
    }
    let numbers = load([number, "external64:format=int"]);
    assert_eq!(
        failed(&numbers),
        [(2, "unusable_text"), (3, "text_not_string"), (4, "unusable_text")]
    );
    assert!(
        numbers.failures[1]
            .1
            .message
            .contains("a whole number or a string of digits")
    );
    let hex = load(["external64", number]);
    assert!(
        hex.failures[0].1.message.contains("give format=int"),
        "{}",
        hex.failures[0].1
    );
}
