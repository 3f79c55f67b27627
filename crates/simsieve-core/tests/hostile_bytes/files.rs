//! Files that simsieve itself writes. A digest keeps chance out of them, but not a program that is not ours, so the laws
//! put the right one to any bytes.

use std::cell::OnceCell;
use std::sync::Arc;

use serde_json::Value;
use simsieve_core::base::context::Context;
use simsieve_core::base::hash::xxh3_128;
use simsieve_core::dedup::decide::decide;
use simsieve_core::dedup::documents::{Documents, Options};
use simsieve_core::dedup::fit::fit_texts;
use simsieve_core::dedup::keep_order::KeepOrder;
use simsieve_core::dedup::recipe::Threshold;
use simsieve_core::encode::model::{Counter, Model};
use simsieve_core::encode::scheme::{Scheme, Scratch};
use simsieve_core::runs::rethreshold::SavedPairs;
use simsieve_core::runs::{SavedRun, save};
use simsieve_core::source::{SourceSpec, Store};

use super::{ROOM, Room, choose, refused};

pub const NUMBERS: &[&str] = &[
    "\0\0\0\0",
    "\0\0\0\0\0\0\0\0",
    "\u{1}\0\0\0\0\0\0\0",
    "\u{7f}\u{7f}\u{7f}\u{7f}\u{7f}\u{7f}\u{7f}\u{7f}",
    "\0\0\0\0\0\0\0@",
    "\u{1}",
    "@",
    "\u{41}",
    "null",
    "18446744073709551615",
    "4611686018427387904",
    "\"pairs\":",
    "\"seed\":",
    "[0,\"not_json\",\"x\"]",
    "[]",
    "-1",
    "1e999",
    "NaN",
    "0.65",
];

const TEXTS: [&str; 6] = [
    "The gate opens at nine in the morning.",
    "The gate opens at ten in the morning.",
    "the  gate opens at nine in the morning.",
    "Nobody came to the other gate that day.",
    "",
    "The gate opens at ten in the morning!!",
];

const MODEL_MAGIC: &[u8] = b"simsieve model\r\n";
const MODEL_HEAD: usize = MODEL_MAGIC.len() + 4 + 16;

/// A model that can be read is written, and read again equal, and can be asked anything.
pub fn models(bytes: &[u8]) {
    let (version, body) = choose(bytes, &[1_u32, 2]);
    let digest = xxh3_128(body).to_le_bytes();
    let frame = zstd::encode_all(body, 1).unwrap();
    let file = [MODEL_MAGIC, &version.to_le_bytes(), &digest, &frame].concat();
    ROOM.with(|room| {
        let model = match Model::load(&room.write("any.model", &file)) {
            Ok(model) => model,
            Err(error) => return refused(&error),
        };
        let path = room.path("again.model");
        model.save(&path).unwrap();
        let again = Model::load(&path).unwrap();
        assert!(again == model && again.digest() == model.digest());
        for hash in [0, 1 << 63, u64::MAX] {
            assert!(model.frequency(hash) <= model.documents());
        }
        for word in ["", "the", "gate"] {
            let entropies = model.entropies(word);
            assert!(
                entropies.is_none_or(|(left, right)| left >= 0.0 && right >= 0.0),
                "{entropies:?}"
            );
        }
        match model.merge(&again) {
            Ok(both) => assert!(both.features() <= model.features()),
            Err(error) => refused(&error),
        }
        let scheme = Scheme::parse("chars64:weights=log-idf").unwrap();
        match scheme.with_model(Arc::new(model)) {
            Ok(scheme) => {
                let mut scratch = Scratch::default();
                scheme.extract(TEXTS[0], &mut scratch).unwrap();
                assert_eq!(scratch.weights.len(), scratch.features.hashes().len());
            }
            Err(error) => refused(&error),
        }
    });
}

pub fn model_seeds() -> Vec<Vec<u8>> {
    let room = Room::new();
    let body = |choice: u8, spec: &str, limit: usize| {
        let scheme = Scheme::parse(spec).unwrap();
        let mut counter = Counter::new(&scheme, limit).unwrap();
        fit_texts(&mut counter, &scheme, &TEXTS, 0, &Context::silent(1)).unwrap();
        let path = room.path("seed.model");
        counter.finish().save(&path).unwrap();
        let file = std::fs::read(path).unwrap();
        assert_eq!(file[MODEL_MAGIC.len()], choice + 1);
        [vec![choice], zstd::decode_all(&file[MODEL_HEAD..]).unwrap()].concat()
    };
    vec![
        body(0, "chars64:weights=log-idf", 16),
        body(0, "chars64:weights=log-idf", 1 << 10),
        body(1, "esimhash64", 4),
    ]
}

const RUN_MAGIC: &[u8] = b"SIMSIEVE";
const RUN_HEAD: usize = RUN_MAGIC.len() + 4;
const RUN_VERSION: u32 = 2;

thread_local! {
    static SOURCE: OnceCell<(Documents, SavedPairs)> = const { OnceCell::new() };
}

/// A run on a few texts, some of which fail, and all its near pairs.
fn run_on(room: &Room) -> (Documents, SavedPairs) {
    let mut lines: Vec<String> = TEXTS
        .iter()
        .map(|text| format!("{{\"id\": 1, \"text\": {text:?}}}"))
        .collect();
    lines.push("no json".to_owned());
    let path = room.write("source.jsonl", lines.join("\n").as_bytes());
    let store = Store::open(&[SourceSpec::new(path)], 1000, &Context::silent(1)).unwrap();
    let options = Options {
        scheme: Scheme::parse("chars64").unwrap(),
        text_field: vec!["text".to_owned()],
        id_field: "id".to_owned(),
        keep: KeepOrder::parse(&["first"]).unwrap(),
        threshold: Threshold::Similarity(0.4),
        recall: 0.98,
        seed: 0,
        recipe_for: None,
        batch: 0,
    };
    let documents = Documents::load(Arc::new(store), &options, &Context::silent(1)).unwrap();
    let pairs = SavedPairs::find(&documents, 1000, &Context::silent(1)).unwrap();
    (documents, pairs)
}

fn sealed(sections: &[u8]) -> Vec<u8> {
    let frame = zstd::encode_all(sections, 1).unwrap();
    let mut file = [RUN_MAGIC, &RUN_VERSION.to_le_bytes(), &frame].concat();
    file.extend(xxh3_128(&file).to_le_bytes());
    file
}

/// The sections of a saved run.
fn opened(file: &[u8]) -> Vec<u8> {
    zstd::decode_all(&file[RUN_HEAD..file.len() - 16]).unwrap()
}

/// The header of some sections, and what is behind it.
fn header_of(sections: &[u8]) -> Option<(Value, &[u8])> {
    let (length, rest) = sections.split_first_chunk()?;
    let (header, rest) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
    Some((serde_json::from_slice(header).ok()?, rest))
}

fn with_header(header: &Value, rest: &[u8]) -> Vec<u8> {
    let header = header.to_string();
    [&(header.len() as u64).to_le_bytes(), header.as_bytes(), rest].concat()
}

/// The sections of `documents`, saved.
fn sections_of(room: &Room, documents: &Documents, pairs: Option<&SavedPairs>) -> Vec<u8> {
    let path = room.path("saved.run");
    save(documents, "{}", pairs, &path, &Context::silent(1)).unwrap();
    opened(&std::fs::read(path).unwrap())
}

/// A saved run that can be read is saved again and read equal, and can be decided on.
pub fn runs(bytes: &[u8]) {
    ROOM.with(|room| {
        SOURCE.with(|source| {
            let (documents, pairs) = source.get_or_init(|| run_on(room));
            let mut sections = bytes.to_vec();
            if let Some((mut header, rest)) = header_of(bytes)
                && header.is_object()
            {
                // Where the sources lie, and when they were written, is not the bytes' to know.
                let whole = sections_of(room, documents, Some(pairs));
                header["sources"] = header_of(&whole).unwrap().0["sources"].take();
                sections = with_header(&header, rest);
            }
            let file = room.write("any.run", &sealed(&sections));
            let opened = SavedRun::open(&file, &Context::silent(1));
            let read = opened.and_then(|run| run.documents(Arc::clone(&documents.store), &documents.scheme));
            let (documents, pairs) = match read {
                Ok(read) => read,
                Err(error) => return refused(&error),
            };
            let saved = sections_of(room, &documents, pairs.as_ref());
            let again = SavedRun::open(&room.write("again.run", &sealed(&saved)), &Context::silent(1)).unwrap();
            let (other, others) = again
                .documents(Arc::clone(&documents.store), &documents.scheme)
                .unwrap();
            assert_eq!(sections_of(room, &other, others.as_ref()), saved);
            let decided = match &pairs {
                Some(pairs) => pairs.decide(&documents, &Context::silent(1)),
                None => decide(&documents, &Context::silent(1)),
            };
            match decided {
                Ok(decided) => {
                    let counts = decided.counts;
                    assert_eq!(counts.read, counts.kept + counts.dropped + counts.failed);
                }
                Err(error) => refused(&error),
            }
        });
    });
}

pub fn run_seeds() -> Vec<Vec<u8>> {
    let room = Room::new();
    let (documents, pairs) = run_on(&room);
    [Some(&pairs), None]
        .map(|pairs| {
            let sections = sections_of(&room, &documents, pairs);
            let (mut header, rest) = header_of(&sections).unwrap();
            // Put in by the law.
            header["sources"] = Value::Null;
            with_header(&header, rest)
        })
        .to_vec()
}
