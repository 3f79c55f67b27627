//! The laws of run directories: commits last, uncommitted bytes do not count, damage and other holders are refused.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::place::LOG;
use super::{RunDir, SortedRuns, Start};
use crate::base::context::Context;
use crate::base::error::{Error, Result};
use crate::storage::form::Stored;

fn open_as(path: &Path, start: Start) -> Result<RunDir> {
    RunDir::open(path, start, 1 << 14, &Context::silent(1))
}

fn open(path: &Path) -> RunDir {
    open_as(path, Start::Resume).unwrap()
}

fn identity(similarity: f64) -> Vec<(String, Value)> {
    vec![
        ("similarity".to_owned(), json!(similarity)),
        ("seed".to_owned(), json!(7)),
    ]
}

/// A directory with two commits of a stage, and values after them that were not committed.
fn written(path: &Path) {
    let dir = open(path);
    dir.identify(&identity(0.65)).unwrap();
    let mut numbers = dir.appender("numbers").unwrap();
    for (value, done) in [(1_u32, false), (2, true)] {
        numbers.push(&[value; 1000]).unwrap();
        dir.commit("count", done, &json!({"values": value}), [&mut numbers], &[])
            .unwrap();
    }
    numbers.push(&[3_u32; 1000]).unwrap();
    numbers.close().unwrap();
}

fn message(result: Result<RunDir>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn commits_last_and_what_was_not_committed_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    written(&path);
    let dir = open(&path);
    assert_eq!(dir.finished("count"), Some(json!({"values": 2})));
    assert!(dir.stage("other").is_none() && dir.has_stages());
    let mut numbers = dir.appender("numbers").unwrap();
    numbers.push(&[4_u32]).unwrap();
    dir.commit("count", true, &Value::Null, [&mut numbers], &[]).unwrap();
    drop(dir);
    let dir = open(&path);
    let column = dir.column::<u32>("numbers").unwrap();
    assert_eq!((column.len(), column[1999], column[2000]), (2001, 2, 4));
    dir.commit("next", true, &Value::Null, [], &["numbers".to_owned()])
        .unwrap();
    assert!(!path.join("numbers.column").exists());
    drop(dir);
    open(&path).remove().unwrap();
    assert!(!path.exists());
    assert_eq!(column[1000], 2);
}

#[test]
fn only_the_owner_may_look_in() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    written(&path);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&path), 0o700);
    for entry in fs::read_dir(&path).unwrap() {
        assert_eq!(mode(&entry.unwrap().path()), 0o600);
    }
}

#[test]
fn a_second_process_is_told_who_holds_the_directory() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    let held = open(&path);
    let refused = message(open_as(&path, Start::Resume));
    let holder = format!("in use by process {};", std::process::id());
    assert!(refused.contains(&holder), "{refused}");
    held.close();
    assert!(held.is_closed() && !open(&path).is_closed());
}

#[test]
fn another_identity_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    written(&path);
    let dir = open(&path);
    dir.identify(&identity(0.65)).unwrap();
    let refused = dir.identify(&identity(0.7)).unwrap_err().to_string();
    assert!(
        refused.contains("similarity was 0.65") && refused.contains("is 0.7 now"),
        "{refused}"
    );
    let refused = dir.identify(&identity(0.65)[..1]).unwrap_err().to_string();
    assert!(
        refused.contains("seed was 7") && refused.contains("nothing"),
        "{refused}"
    );
}

#[test]
fn a_file_that_changed_is_told_by_what_changed() {
    let folder = tempfile::tempdir().unwrap();
    let dir = open(&folder.path().join("run"));
    let source = |bytes: u64, digest: &str| {
        let value = json!({"bytes": bytes, "modified": bytes + 5, "digest": digest});
        vec![("source 1 (in.jsonl)".to_owned(), value)]
    };
    dir.identify(&source(10, "00ff")).unwrap();
    for (other, part) in [
        (
            source(12, "ff00"),
            "the size in bytes of source 1 (in.jsonl) was 10 when",
        ),
        (
            source(10, "ff00"),
            "the digest of source 1 (in.jsonl) was \"00ff\" when",
        ),
    ] {
        let refused = dir.identify(&other).unwrap_err().to_string();
        assert!(refused.contains(part) && !refused.contains('{'), "{refused}");
    }
}

#[test]
fn what_is_there_is_not_lost_by_accident() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    written(&path);
    let refused = message(open_as(&path, Start::New));
    assert!(
        refused.contains("holds a run") && refused.contains("`resume`"),
        "{refused}"
    );
    assert!(!open_as(&path, Start::Replace).unwrap().has_stages());
    let other = folder.path().join("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("thesis.txt"), "mine").unwrap();
    for start in [Start::New, Start::Replace, Start::Resume] {
        assert!(message(open_as(&other, start)).contains("other files"));
    }
    assert_eq!(fs::read_dir(&other).unwrap().count(), 1);
    assert!(matches!(
        open_as(&other.join("thesis.txt"), Start::New),
        Err(Error::Storage { retryable: false, .. })
    ));
    assert!(matches!(
        open_as(&other.join("a/b"), Start::New),
        Err(Error::Storage { retryable: false, .. })
    ));
}

#[test]
fn a_last_line_that_is_cut_off_was_never_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    written(&path);
    let log = path.join(LOG);
    let whole = fs::read(&log).unwrap();
    let last = whole[..whole.len() - 1]
        .iter()
        .rposition(|&byte| byte == b'\n')
        .unwrap()
        + 1;
    for end in last..whole.len() {
        fs::write(&log, &whole[..end]).unwrap();
        let dir = open(&path);
        let stage = dir.stage("count").unwrap();
        assert_eq!((stage.done, stage.state), (false, json!({"values": 1})));
        assert_eq!(fs::read(&log).unwrap(), whole[..last]);
    }
}

#[test]
fn every_changed_byte_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    written(&path);
    let log = fs::read(path.join(LOG)).unwrap();
    let ends: Vec<usize> = (0..log.len()).filter(|&at| log[at] == b'\n').collect();
    for at in (0..ends[1]).step_by(7) {
        let mut changed = log.clone();
        changed[at] ^= 1;
        fs::write(path.join(LOG), changed).unwrap();
        assert!(message(open_as(&path, Start::Resume)).contains("damaged"), "byte {at}");
    }
    fs::write(path.join(LOG), log).unwrap();
    let column = path.join("numbers.column");
    let bytes = fs::read(&column).unwrap();
    for at in [0, 3999, 4000, 7999] {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        fs::write(&column, changed).unwrap();
        assert!(
            message(open_as(&path, Start::Resume)).contains("numbers.column"),
            "byte {at}"
        );
    }
    fs::write(&column, &bytes[..7999]).unwrap();
    assert!(message(open_as(&path, Start::Resume)).contains("damaged"));
    fs::write(&column, &bytes).unwrap();
    let mut file = OpenOptions::new().append(true).open(&column).unwrap();
    file.write_all(b"more").unwrap();
    open(&path);
}

#[test]
fn a_file_that_cannot_be_read_is_not_called_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let dir = open(&folder.path().join("run"));
    let message = |kind: ErrorKind| dir.unread("numbers.column", &kind.into()).to_string();
    for kind in [ErrorKind::NotFound, ErrorKind::UnexpectedEof] {
        assert!(message(kind).contains("damaged"), "{kind}");
    }
    for kind in [
        ErrorKind::PermissionDenied,
        ErrorKind::StaleNetworkFileHandle,
        ErrorKind::Other,
    ] {
        let told = message(kind);
        assert!(told.contains("numbers.column") && !told.contains("damaged"), "{told}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn sorted_runs_are_a_set(pieces in prop::collection::vec(prop::collection::vec(0..4000_u32, 0..600), 0..12)) {
        let folder = tempfile::tempdir().unwrap();
        let dir = RunDir::open(&folder.path().join("run"), Start::New, 1 << 13, &Context::silent(1)).unwrap();
        let ctx = Context::silent(2);
        let pool = ctx.pool().unwrap();
        let mut expected: Vec<u32> = pieces.concat();
        expected.sort_unstable();
        expected.dedup();
        for place in [None, Some((&dir, "numbers"))] {
            let mut runs = SortedRuns::new(place, 0);
            for piece in &pieces {
                runs.extend(piece.clone());
                runs.bound(pool).unwrap();
            }
            let found = runs.finish(pool).unwrap();
            prop_assert_eq!(&*found.column, &expected[..]);
            prop_assert_eq!(found.file.is_some(), place.is_some());
        }
    }
}
