//! Saved runs that are whole files, and whose parts do not fit together.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::tests::Bench;
use super::*;
use crate::base::context::Context;
use crate::base::hash::xxh3_128;
use crate::runs::rethreshold::SavedPairs;
use crate::search::documents::{Documents, Options};
use crate::tests::support::options;

/// What takes the place of a part of a saved run.
enum Bent {
    Nothing,
    About(&'static str, Value),
    State(&'static str, Value),
    Words(&'static str, Vec<u32>),
    Bytes(&'static str, &'static str),
}

/// Writes a saved run again, one part of it changed, with the right checksums.
fn bend(path: &Path, bent: &Bent) {
    let file = fs::read(path).unwrap();
    let (body, trailer) = file.split_last_chunk::<40>().unwrap();
    let place = u64::from_le_bytes(*trailer.first_chunk().unwrap()) as usize;
    let mut directory: Value = serde_json::from_slice(&body[place..]).unwrap();
    let (part, bytes) = match bent {
        Bent::Nothing => (None, Vec::new()),
        Bent::About(name, value) => {
            directory["header"]["about"][name] = value.clone();
            (None, Vec::new())
        }
        Bent::State(name, value) => {
            directory["header"]["stages"][name] = value.clone();
            (None, Vec::new())
        }
        Bent::Words(name, words) => (Some(name), words.iter().flat_map(|word| word.to_le_bytes()).collect()),
        Bent::Bytes(name, text) => (Some(name), text.as_bytes().to_vec()),
    };
    let mut made = body[..64].to_vec();
    for section in directory["sections"].as_array_mut().unwrap() {
        let [offset, length] = ["offset", "bytes"].map(|name| section[name].as_u64().unwrap() as usize);
        let mut content = &file[offset..offset + length];
        if part.is_some_and(|part| section["name"] == **part) {
            content = &bytes;
            let size = match section["type"].as_str().unwrap() {
                "u8" => 1,
                "u32" => 4,
                "member" | "f64" => 8,
                _ => 12,
            };
            section["length"] = (content.len() / size).into();
        }
        section["offset"] = made.len().into();
        section["bytes"] = content.len().into();
        section["xxh3_128"] = format!("{:032x}", xxh3_128(content)).into();
        made.extend(content);
        made.resize(made.len().next_multiple_of(64), 0);
    }
    let place = made.len() as u64;
    let directory = directory.to_string().into_bytes();
    let checksum = xxh3_128(&[&made[..64], &directory].concat());
    let end = &trailer[24..];
    fs::remove_file(path).unwrap();
    fs::write(
        path,
        [
            &made,
            &directory,
            &place.to_le_bytes()[..],
            &checksum.to_le_bytes(),
            end,
        ]
        .concat(),
    )
    .unwrap();
}

/// Saves a run, bends each part in turn, and checks that the refusal names it.
fn refused(bench: &Bench, documents: &Documents, cases: Vec<(Bent, &str)>) {
    let pairs = SavedPairs::find(documents, 1000, &Context::small(1)).unwrap();
    assert_eq!(pairs.edges.len(), 1);
    let save = || save(documents, "{}", Some(&pairs), &bench.path("run"), &Context::small(1)).unwrap();
    save();
    bend(&bench.path("run"), &Bent::Nothing);
    assert!(bench.again(&options(&["first"]).scheme).is_ok());
    for (bent, part) in cases {
        save();
        bend(&bench.path("run"), &bent);
        let message = bench.refusal();
        assert!(
            message.contains(part) && message.contains("run: is a saved run, but its "),
            "{part}: {message}"
        );
    }
}

/// A whole file is refused by the name of the part that does not fit.
#[test]
fn parts_that_do_not_fit_are_refused_by_name() {
    let bench = Bench::new();
    let texts = [
        "one text of some words",
        "one text of some words",
        "other words",
        "",
        "one text of some word",
    ];
    let documents = bench.saved(&texts);
    let failure = |position, code| format!("[{position},\"{code}\",\"x\"]\n").leak() as &str;
    let cases = vec![
        (Bent::About("settings", 7.into()), "header"),
        (Bent::About("settings", "{\"a\": ".into()), "settings"),
        (Bent::About("settings", "[1]".into()), "settings"),
        (Bent::About("recipe", "{".into()), "recipe"),
        (Bent::About("sources", "{".into()), "header"),
        (Bent::About("max_lost", (-1).into()), "header"),
        (Bent::State("encode", Value::Null), "\"encode\""),
        (Bent::State("encode", json!({"records": -1})), "\"encode\""),
        (Bent::Words("order", vec![0, 1, 3, 3]), "\"order\""),
        (Bent::Words("order", vec![0, 1, 3, 9]), "\"order\""),
        (Bent::Words("order", vec![0, 1, 3, 4, 2, 5]), "\"order\""),
        (Bent::Words("copies", vec![0, 0, 1, 3]), "\"copies\""),
        (Bent::Words("copies", vec![0, 0, 0, 3]), "\"copies\""),
        (Bent::Words("copies", vec![0]), "\"copies\""),
        (Bent::Words("judged", vec![1]), "\"judged\""),
        (Bent::Words("judged", vec![0, 1, 7]), "\"judged\""),
        (Bent::Words("judged", vec![0, 9, 1]), "\"judged\""),
        (Bent::Words("judged", vec![0, 0, 1]), "\"judged\""),
        (Bent::Words("pairs", vec![1]), "\"pairs\""),
        (Bent::Words("pairs", vec![0, 0, 1]), "\"pairs\""),
        (Bent::Words("pairs", vec![9, 0, 1]), "\"pairs\""),
        (Bent::Words("similarities", vec![]), "\"similarities\""),
        (Bent::Bytes("labels", "0"), "\"label_ends\""),
        (Bent::Bytes("failures", failure(7, "not_json")), "\"failures\""),
        (Bent::Bytes("failures", failure(3, "not_json")), "\"order\""),
        (Bent::Bytes("failures", failure(2, "no_such")), "\"failures\""),
        (Bent::Bytes("failures", "["), "\"failures\""),
    ];
    refused(&bench, &documents, cases);
}

/// What the search found is refused where it does not fit.
#[test]
fn candidates_that_do_not_fit_are_refused() {
    let bench = Bench::new();
    let texts = ["one text of some words", "one text of some word", "other things"].map(str::to_owned);
    let by = Options {
        recipe_for: Some(1 << 15),
        ..options(&["first"])
    };
    let documents = bench.load(&texts, None, &by);
    let cases = vec![
        (Bent::State("search.0", Value::Null), "\"search.0\""),
        (
            Bent::State(
                "search.0",
                json!({"next": 0, "heavy_buckets": 7, "tested": 1, "keys": 1, "runs": [0, 0]}),
            ),
            "\"edges.0\"",
        ),
        (Bent::Words("edges.0", vec![0, 0, 0]), "\"edges.0\""),
        (Bent::Words("edges.0", vec![9, 0, 0]), "\"edges.0\""),
        (Bent::Words("edges.0", vec![1]), "\"edges.0\""),
        (Bent::Words("members.0", vec![1, 0]), "\"edges.0\""),
    ];
    refused(&bench, &documents, cases);
}
