//! Files that simsieve itself writes, and may find changed by a program that is not ours.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use simsieve_core::base::context::Context;
use simsieve_core::base::error::Error;
use simsieve_core::collection::fit::fit_texts;
use simsieve_core::encode::model::{Counter, Model};
use simsieve_core::encode::scheme::{OpenScheme, Scratch};
use simsieve_core::storage::artifact::{Artifact, ArtifactKind, Packing, Writer};
use simsieve_core::storage::column::Bytes;

use super::sealed::{opened, seal, sealed, split};
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
    "\"length\":",
    "\"offset\":",
    "\"bytes\":",
    "\"zstd\":true",
    "\"u64\"",
    "\"settings\":",
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

/// A kind of file for the law of the format itself.
const KIND: ArtifactKind = ArtifactKind {
    name: "any",
    version: 1,
    oldest: 1,
    has_pieces: false,
    noun: "file",
    instead: "name another",
    renew: "write it again",
    repair: "write it again",
};

fn artifact(bytes: Vec<u8>) -> Result<Artifact, Error> {
    Artifact::of_bytes(Path::new("any"), &KIND, Bytes::from(bytes), &mut |_, _| Ok(()))
}

/// A file of any bytes is refused or read. What can be read is written again and read equal.
pub fn artifacts(bytes: &[u8]) {
    let (choice, bytes) = choose(bytes, &[0, 1, 2]);
    let preamble = preamble();
    let file = match choice {
        0 => bytes.to_vec(),
        1 => sealed(&preamble, bytes, |_| ()),
        // The directory as the bytes have it, its places and checksums too.
        _ => {
            let (directory, _, rest) = split(bytes);
            seal(&[&preamble, rest].concat(), directory)
        }
    };
    let file = match artifact(file) {
        Ok(file) => file,
        Err(error) => return refused(&error),
    };
    let mut out = Writer::new(Vec::new(), Path::new("again"), &KIND).unwrap();
    let mut silent = |_| Ok(());
    let (mut numbers, mut truths) = (None, None);
    match file.column::<u64>("numbers", ..) {
        Ok(column) => {
            out.column("numbers", Packing::Zstd(1), column.iter().copied(), &mut silent)
                .unwrap();
            numbers = Some(column);
        }
        Err(error) => refused(&error),
    }
    match file.column::<bool>("truths", ..=1000) {
        Ok(column) => {
            out.column("truths", Packing::Plain, column.iter().copied(), &mut silent)
                .unwrap();
            truths = Some(column);
        }
        Err(error) => refused(&error),
    }
    let again = artifact(out.finish(file.header()).unwrap()).unwrap();
    assert_eq!(again.header(), file.header());
    assert_eq!(again.column::<u64>("numbers", ..).ok(), numbers);
    assert_eq!(again.column::<bool>("truths", ..).ok(), truths);
}

fn preamble() -> Vec<u8> {
    let file = Writer::new(Vec::new(), Path::new("any"), &KIND).unwrap();
    let file = file.finish(&Value::Null).unwrap();
    opened(&file).preamble
}

pub fn artifact_seeds() -> Vec<Vec<u8>> {
    let mut out = Writer::new(Vec::new(), Path::new("any"), &KIND).unwrap();
    let mut silent = |_| Ok(());
    out.column("numbers", Packing::Zstd(1), 0..100_u64, &mut silent)
        .unwrap();
    out.column("truths", Packing::Plain, [true, false], &mut silent)
        .unwrap();
    let file = out.finish(&json!({"name": "any"})).unwrap();
    assert!(artifact(file.clone()).is_ok());
    let loose = opened(&file).loose;
    let whole = sealed(&preamble(), &loose, |_| ());
    assert!(artifact(whole).unwrap().column::<u64>("numbers", ..).is_ok());
    vec![
        [&[0][..], &file].concat(),
        [&[1][..], &loose].concat(),
        [&[2][..], &loose].concat(),
    ]
}

thread_local! {
    static MODEL_PREAMBLE: Vec<u8> = opened(&model_file(&Room::new(), "chars64:weights=log-idf", 4)).preamble;
}

/// A model that can be read is written, and read again equal, and can be asked anything.
pub fn models(bytes: &[u8]) {
    // Of another digest than the file says, it would be refused whatever else it is.
    let own = |file: &[u8], room: &Room| match Model::load(&room.write("any.model", file)) {
        Err(error) => {
            let message = error.to_string();
            message
                .split("is a model of digest ")
                .nth(1)
                .map(|rest| rest[..32].to_owned())
        }
        Ok(_) => None,
    };
    let file = |digest: Option<String>| {
        MODEL_PREAMBLE.with(|preamble| {
            sealed(preamble, bytes, |directory| {
                if let (Some(digest), Some(header)) = (digest, directory.get_mut("header"))
                    && header.is_object()
                {
                    header["digest"] = digest.into();
                }
            })
        })
    };
    ROOM.with(|room| {
        let file = file(own(&file(None), room));
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
        let scheme = OpenScheme::parse("chars64:weights=log-idf").unwrap();
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

fn model_file(room: &Room, spec: &str, limit: usize) -> Vec<u8> {
    let scheme = OpenScheme::parse(spec).unwrap();
    let mut counter = Counter::new(scheme.features_to_count().unwrap(), limit).unwrap();
    fit_texts(&mut counter, &scheme, &TEXTS, 0, &Context::silent(1)).unwrap();
    let path = room.path("seed.model");
    counter.finish().save(&path).unwrap();
    std::fs::read(path).unwrap()
}

pub fn model_seeds() -> Vec<Vec<u8>> {
    let room = Room::new();
    let seed = |spec, limit| {
        let parts = opened(&model_file(&room, spec, limit));
        let path = room.write("sealed.model", &sealed(&parts.preamble, &parts.loose, |_| ()));
        assert!(Model::load(&path).is_ok(), "a seed is a model");
        parts.loose
    };
    vec![
        seed("chars64:weights=log-idf", 16),
        seed("chars64:weights=log-idf", 1 << 10),
        seed("esimhash64", 4),
    ]
}
