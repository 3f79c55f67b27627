//! Saved runs that are whole files, and whose parts do not fit together.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::tests::Bench;
use super::*;
use crate::base::context::Context;
use crate::runs::rethreshold::SavedPairs;
use crate::search::documents::Options;
use crate::storage::artifact::{Artifact, Packing, Writer};
use crate::tests::support::options;

/// The sections of a run with pairs.
const BYTES: [&str; 3] = ["labels", "failures", "verdict"];
const WORDS: [&str; 8] = [
    "sizes",
    "order",
    "copies",
    "later",
    "earlier",
    "distance",
    "verdict_a",
    "verdict_b",
];
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
    let groups = file.column::<u128>("groups", ..).unwrap();
    out.column("groups", Packing::Plain, groups.iter().copied(), silent)
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
    let pairs = SavedPairs::find(&documents, 1000, &Context::small(1)).unwrap();
    let save = || save(&documents, "{}", Some(&pairs), &bench.path("run"), &Context::small(1)).unwrap();
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
        (Bent::Words("verdict_a", vec![1]), "its verdicts"),
        (Bent::Bytes("verdict", "\u{1}"), "its verdicts"),
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
    let pairs = SavedPairs::find(&documents, 1000, &Context::small(1)).unwrap();
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
        save(&documents, "{}", Some(&pairs), &bench.path("run"), &Context::small(1)).unwrap();
        bend(&bench.path("run"), &bent);
        let message = bench.refusal();
        assert!(message.contains(expected), "{expected}: {message}");
    }
}
