//! Rows in a run directory: those that were committed are there again, others are not, and damage is reported.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use proptest::prelude::*;
use tempfile::TempDir;

use super::add_texts;
use crate::base::context::Context;
use crate::source::{RowSpool, Sources};
use crate::storage::copies::{note, noted};
use crate::storage::run_dir::{RunDir, Start};

const LIMIT: u64 = 200;

fn opened(path: &Path) -> RunDir {
    RunDir::open(path, Start::Resume, 1 << 20, &Context::silent(1)).unwrap()
}

fn rows(dir: &RunDir) -> RowSpool {
    RowSpool::in_directory(dir, "rows-1", &["text".to_owned()], LIMIT).unwrap()
}

/// The bytes of a record, and its true length beyond the limit.
type Seen = (Vec<u8>, Option<u64>);

/// What a run sees of rows: digest, and of each record the bytes and the true length beyond the limit.
fn seen(sources: &Sources) -> (u128, Vec<Seen>) {
    let mut buffer = Vec::new();
    let record = |at| {
        let bytes = sources.read_record(at, &mut buffer).unwrap().to_vec();
        (bytes, sources.overlong(at))
    };
    (sources.digest(), (0..sources.len()).map(record).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn rows_that_were_committed_are_there_again(
        texts in prop::collection::vec(prop_oneof![8 => ".{0,80}", 1 => "[a-c\n]{150,400}"], 0..300),
    ) {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("run");
        let dir = opened(&path);
        let mut made = rows(&dir);
        made.begin("db.c");
        add_texts(&mut made, &texts);
        prop_assert!(!made.is_finished());
        made.commit(&dir, "rows-1").unwrap();
        let expected = seen(&made.finish().unwrap());
        drop(dir);
        let dir = opened(&path);
        let again = rows(&dir);
        prop_assert!(again.is_finished() && again.rows() == texts.len());
        prop_assert_eq!(seen(&again.finish().unwrap()), expected);
    }
}

#[test]
fn rows_that_were_not_committed_are_not_there() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("run");
    let dir = opened(&path);
    note(&dir, "reading", "ranges").unwrap();
    let mut made = rows(&dir);
    made.begin("db.c");
    add_texts(&mut made, &vec!["a text of some words".to_owned(); 100_000]);
    drop((made, dir));
    let dir = opened(&path);
    assert_eq!(noted(&dir, "reading").as_deref(), Some("ranges"));
    let mut again = rows(&dir);
    assert!(!again.is_finished() && again.rows() == 0);
    again.begin("db.c");
    add_texts(&mut again, &["other".to_owned()]);
    again.commit(&dir, "rows-1").unwrap();
    assert!(again.commit(&dir, "rows-1").is_ok());
    assert_eq!(rows(&dir).rows(), 1);
    let mode = fs::metadata(path.join("rows-1.copy")).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o600);
    dir.remove().unwrap();
    assert!(!path.exists());
}

#[test]
fn damage_is_told() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("run");
    let dir = opened(&path);
    let mut made = rows(&dir);
    made.begin("db.c");
    add_texts(&mut made, &vec!["a text of some words".to_owned(); 2000]);
    made.commit(&dir, "rows-1").unwrap();
    let copy = path.join("rows-1.copy");
    let bytes = fs::read(&copy).unwrap();
    let damaged = |bytes: &[u8]| {
        fs::write(&copy, bytes).unwrap();
        let error = RowSpool::in_directory(&dir, "rows-1", &["text".to_owned()], LIMIT).unwrap_err();
        assert!(error.to_string().contains("is damaged (rows-1"), "{error}");
    };
    damaged(&bytes[..bytes.len() - 1]);
    damaged(b"");
    for at in (0..bytes.len()).step_by(31) {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        damaged(&changed);
    }
    fs::write(&copy, &bytes).unwrap();
    assert_eq!(rows(&dir).rows(), 2000);
    fs::remove_file(&copy).unwrap();
    assert!(RowSpool::in_directory(&dir, "rows-1", &["text".to_owned()], LIMIT).is_err());
}
