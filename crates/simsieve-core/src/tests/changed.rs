//! A source that changes while a run reads it ends the run. It never becomes failed records.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::TempDir;

use crate::base::context::Context;
use crate::base::error::Result;
use crate::base::progress::Progress;
use crate::base::tuning::Tuning;
use crate::dedup::decide::decide;
use crate::dedup::loading;
use crate::dedup::output::write_failed;
use crate::dedup::pairs::near_pairs;
use crate::search::documents::Options;
use crate::source::{SourceSpec, Sources};
use crate::tests::support::options;

/// Does something once: at the first tick of a stage with at least `from` units done.
struct At<F> {
    stage: &'static str,
    from: u64,
    act: Option<F>,
}

impl<F: FnOnce()> Progress for At<F> {
    fn tick(&mut self, stage: &'static str, done: u64, _total: u64) -> Result<()> {
        if stage == self.stage
            && done >= self.from
            && let Some(act) = self.act.take()
        {
            act();
        }
        Ok(())
    }
}

fn at<'a>(stage: &'static str, from: u64, act: impl FnOnce() + 'a) -> Context<'a> {
    let at = At {
        stage,
        from,
        act: Some(act),
    };
    Context::new(1, at).unwrap().with_tuning(Tuning::SMALL)
}

/// Twenty records that are near to none of the others.
fn source(folder: &TempDir) -> PathBuf {
    let path = folder.path().join("in.jsonl");
    let lines = (0..20).map(|n| format!("{{\"text\":\"{}\"}}\n", format!("word{n} ").repeat(8)));
    fs::write(&path, lines.collect::<String>()).unwrap();
    path
}

/// Blocks of one record, four of them a tick.
fn one_by_one() -> Options {
    Options {
        batch: 1,
        ..options(&["first"])
    }
}

fn open(path: &Path) -> Arc<Sources> {
    Arc::new(Sources::open(&[SourceSpec::new(path)], 1 << 20, &Context::small(1)).unwrap())
}

/// Writes other bytes over the whole file; its size stays, and its time is put back.
fn overwrite(path: &Path) {
    let metadata = fs::metadata(path).unwrap();
    let mut file = OpenOptions::new().write(true).open(path).unwrap();
    file.write_all(&vec![b'x'; metadata.len() as usize]).unwrap();
    file.set_modified(metadata.modified().unwrap()).unwrap();
}

fn assert_changed<T>(result: Result<T>) {
    let message = result.err().expect("the change is noticed").to_string();
    assert!(message.contains("changed while it was read"), "{message}");
}

/// Other bytes of the same size and time are noticed between two blocks.
#[test]
fn overwritten_between_blocks() {
    let folder = TempDir::new().unwrap();
    let path = source(&folder);
    let ctx = at("fingerprint", 1, || overwrite(&path));
    assert_changed(loading::load(open(&path), &one_by_one(), &ctx));
}

/// A file that is cut between two blocks is noticed.
#[test]
fn cut_between_blocks() {
    let folder = TempDir::new().unwrap();
    let path = source(&folder);
    let cut = || {
        OpenOptions::new()
            .write(true)
            .open(&path)
            .unwrap()
            .set_len(300)
            .unwrap();
    };
    assert_changed(loading::load(open(&path), &one_by_one(), &at("fingerprint", 1, cut)));
}

/// A change after the last block is noticed where the decisions are made, whether or not a text is fetched again.
#[test]
fn grown_before_the_decisions() {
    let folder = TempDir::new().unwrap();
    let path = source(&folder);
    let documents = loading::load(open(&path), &one_by_one(), &Context::small(1)).unwrap();
    decide(&documents, &Context::small(1)).unwrap();
    let mut file = OpenOptions::new().append(true).open(&path).unwrap();
    file.write_all(b"{\"text\":\"one more\"}\n").unwrap();
    assert_changed(decide(&documents, &Context::small(1)));
    assert_changed(near_pairs(&documents, 100, false, &Context::small(1)));
}

/// A file that is cut while it is spooled is noticed when it is opened.
#[test]
fn cut_while_it_is_spooled() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("in.txt");
    let text: Vec<u8> = "a line of words\n"
        .repeat(100_000)
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    fs::write(&path, [&[0xFF, 0xFE], text.as_slice()].concat()).unwrap();
    let spec = SourceSpec {
        encoding: "auto".parse().unwrap(),
        ..SourceSpec::new(&path)
    };
    let cut = || {
        File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_len(1 << 20)
            .unwrap();
    };
    assert_changed(Sources::open(&[spec], 1 << 20, &at("read", 0, cut)));
}

/// A failed record of a file that has changed is not written: its bytes are not those that failed.
#[test]
fn overwritten_before_failures_are_written() {
    let folder = TempDir::new().unwrap();
    let path = source(&folder);
    let mut file = OpenOptions::new().append(true).open(&path).unwrap();
    file.write_all(b"no JSON\n").unwrap();
    let documents = loading::load(open(&path), &one_by_one(), &Context::small(1)).unwrap();
    assert_eq!(documents.collection.failures.len(), 1);
    let sink = folder.path().join("failed.jsonl");
    overwrite(&path);
    let collection = &documents.collection;
    assert_changed(write_failed(
        &collection.sources,
        &collection.failures,
        &sink,
        &Context::small(1),
    ));
    assert!(!sink.exists());
}
