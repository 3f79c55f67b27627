//! Run directories that somebody forged: every file of a column holds other values, with checksums made anew. A run that reads them
//! ends with an error or with some result; it neither panics nor waits.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::base::context::Context;
use crate::base::error::Result;
use crate::base::hash::{xxh3_64, xxh3_128};
use crate::storage::run_dir::{RunDir, Start};
use crate::tests::run_dir::{cases, run, write_lines};

/// The entries of a log, each with the column files that it names.
fn entries(log: &str) -> Vec<Value> {
    log.lines()
        .map(|line| serde_json::from_str(&line[17..]).unwrap())
        .collect()
}

fn written(entries: &[Value]) -> String {
    let line = |entry: &Value| format!("{:016x} {entry}\n", xxh3_64(entry.to_string().as_bytes()));
    entries.iter().map(line).collect()
}

/// The column files that count after these entries.
fn files(entries: &[Value]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for entry in entries {
        let named = entry["files"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, _)| name.clone());
        found.extend(named);
        found.retain(|name| {
            !entry["removed"]
                .as_array()
                .into_iter()
                .flatten()
                .any(|removed| removed == name)
        });
    }
    found.sort();
    found.dedup();
    found
}

/// Puts other bytes into a column file, and their length and checksum into the log.
fn forge(dir: &Path, entries: &[Value], name: &str, bytes: &[u8]) {
    fs::write(dir.join(name), bytes).unwrap();
    let mut entries = entries.to_vec();
    let mut is_last = true;
    for entry in entries.iter_mut().rev() {
        let Some(files) = entry.get_mut("files").and_then(Value::as_object_mut) else {
            continue;
        };
        if files.contains_key(name) {
            if is_last {
                files[name] = json!([bytes.len(), format!("{:032x}", xxh3_128(bytes))]);
            } else {
                files.remove(name);
            }
            is_last = false;
        }
    }
    fs::write(dir.join("run.log"), written(&entries)).unwrap();
}

/// Other values in place of those of a column: all bits set at one place, and zeros there; another order, other lengths, each bit turned
/// over.
fn mutants(bytes: &[u8]) -> Vec<Vec<u8>> {
    let with = |at: usize, byte: u8| {
        let mut made = bytes.to_vec();
        let end = (at + 4).min(made.len());
        made[at.min(end)..end].fill(byte);
        made
    };
    let middle = bytes.len() / 32 * 16;
    let mut made = vec![
        with(0, 0xFF),
        with(0, 1),
        with(middle, 0xFF),
        with(middle, 0),
        with(bytes.len().saturating_sub(4), 0xFF),
        bytes[..middle].to_vec(),
        [bytes, bytes].concat(),
        bytes.chunks(16).rev().flatten().copied().collect(),
        bytes.iter().map(|byte| !byte).collect(),
        Vec::new(),
        vec![0x40; 48],
    ];
    made.retain(|made| made != bytes);
    made.dedup();
    made
}

/// Copies the files of a directory into another one, which is made anew.
fn copy(from: &Path, to: &Path) {
    let _ = fs::remove_dir_all(to);
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, to.join(path.file_name().unwrap())).unwrap();
    }
}

/// What is tried with a directory whose columns were forged.
type Attempt<'a> = &'a dyn Fn(&Path) -> Result<String>;

/// Tries every mutant of every column that a log counts; returns how many were refused.
fn try_all(whole: &Path, entries: &[Value], attempt: Attempt<'_>) -> (usize, usize) {
    let to = whole.with_extension("forged");
    let (mut tried, mut refused) = (0, 0);
    for name in files(entries) {
        let bytes = fs::read(whole.join(&name)).unwrap();
        for mutant in mutants(&bytes) {
            copy(whole, &to);
            forge(&to, entries, &name, &mutant);
            tried += 1;
            refused += usize::from(attempt(&to).is_err());
        }
    }
    (tried, refused)
}

#[test]
fn a_forged_run_directory_ends_in_an_error_or_a_result() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("texts.jsonl");
    write_lines(&path, 160);
    let silent = Context::small(1);
    for (name, each, rule) in cases() {
        let whole = folder.path().join(name);
        let dir = Arc::new(RunDir::open(&whole, Start::New, 1 << 10, &silent).unwrap());
        run(&path, &each, rule, Some(&dir), &silent).unwrap();
        drop(dir);
        let all = entries(&fs::read_to_string(whole.join("run.log")).unwrap());
        let goes_on = |dir: &Path| {
            let dir = Arc::new(RunDir::open(dir, Start::Resume, 1 << 10, &silent)?);
            run(&path, &each, rule, Some(&dir), &silent)
        };
        let (tried, refused) = try_all(&whole, &all, &goes_on);
        assert!(tried > 100 && refused > tried / 3, "{name}: {refused} of {tried}");
        // As if the run had been killed after the records were encoded.
        let encoded = all.iter().rposition(|entry| entry["stage"] == "encode").unwrap();
        try_all(&whole, &all[..=encoded], &goes_on);
    }
}

#[test]
fn a_pipe_in_place_of_a_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("texts.jsonl");
    write_lines(&path, 60);
    let silent = Context::small(1);
    let (_, each, rule) = cases().remove(0);
    let whole = folder.path().join("run");
    let dir = Arc::new(RunDir::open(&whole, Start::New, 0, &silent).unwrap());
    run(&path, &each, rule, Some(&dir), &silent).unwrap();
    drop(dir);
    let to = folder.path().join("piped");
    let all = entries(&fs::read_to_string(whole.join("run.log")).unwrap());
    for name in files(&all).into_iter().chain(["run.log".to_owned()]) {
        copy(&whole, &to);
        fs::remove_file(to.join(&name)).unwrap();
        assert!(Command::new("mkfifo").arg(to.join(&name)).status().unwrap().success());
        assert!(RunDir::open(&to, Start::Resume, 0, &silent).is_err(), "{name}");
    }
}
