//! A power cut at any moment leaves an index as it was before a change or after it, and after it once the change is acknowledged.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::base::context::Context;
use crate::collection::combine::Combine;
use crate::index::{self, Index};
use crate::recipe::Threshold;
use crate::storage::recorded::{FileStep, recorded};
use crate::tests::index::{Line, Tested, line};
use crate::tests::support::options_for;

/// Files by their names.
type Files = BTreeMap<PathBuf, Vec<u8>>;

fn files_of(folder: &Path) -> Files {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

/// A step on names, which a disk may do late or not at all before a power cut. Only a file whose bytes are on the disk gets a name.
fn renamed(files: &mut Files, synced: &Files, step: &FileStep) {
    match step {
        FileStep::Renamed(from, to) => {
            let bytes = synced
                .get(from)
                .expect("the bytes of a file are synced before it gets its name");
            files.insert(to.clone(), bytes.clone());
        }
        FileStep::Removed(path) => {
            files.remove(path);
        }
        // What a power cut leaves of it is tried apart.
        FileStep::Unsynced(path, bytes) => {
            files.insert(path.clone(), bytes.clone());
        }
        FileStep::Synced(..) | FileStep::NamesSynced => {}
    }
}

/// All that a power cut may leave after some steps.
fn left_by(before: &Files, steps: &[FileStep]) -> Vec<Files> {
    let synced: Files = steps
        .iter()
        .filter_map(|step| match step {
            FileStep::Synced(path, bytes) => Some((path.clone(), bytes.clone())),
            _ => None,
        })
        .collect();
    let is_name = |step: &&FileStep| {
        matches!(
            step,
            FileStep::Renamed(..) | FileStep::Removed(_) | FileStep::Unsynced(..)
        )
    };
    let certain = steps
        .iter()
        .rposition(|step| matches!(step, FileStep::NamesSynced))
        .map_or(0, |at| at + 1);
    let mut files = before.clone();
    steps[..certain]
        .iter()
        .for_each(|step| renamed(&mut files, &synced, step));
    let pending: Vec<&FileStep> = steps[certain..].iter().filter(is_name).collect();
    let states = (0..1_u32 << pending.len().min(8)).map(|done| {
        let mut files = files.clone();
        let some = pending.iter().enumerate().filter(|(at, _)| done >> at.min(&7) & 1 == 1);
        some.for_each(|(_, step)| renamed(&mut files, &synced, step));
        files
    });
    states.collect()
}

/// A change of an index, with its name.
type Change<'c> = (&'static str, Box<dyn Fn() + 'c>);

/// Ids and texts of the kept documents, and how many were dropped.
type Answers = (Vec<(String, String)>, u64);

fn answers(index: &Index) -> Answers {
    let kept = index.kept().next(usize::MAX).unwrap().into_iter();
    let kept = kept.map(|(id, text, _)| (id.unwrap(), text)).collect();
    (kept, index.sizes().unwrap().dropped)
}

/// For each change and each power cut: the index that is left is whole, and has the state before the change or after it.
#[test]
fn a_power_cut_leaves_a_state_before_or_after_the_change() {
    let all: Vec<Line> = (0..400).map(line).collect();
    let options = vec![options_for(
        "chars128",
        Threshold::Similarity(0.65),
        1 << 14,
        &["first"],
    )];
    let (tested, _) = Tested::create(&all[..60], &options, Combine::All);
    let ctx = Context::small(1);
    let changed: Vec<Line> = all[3..6]
        .iter()
        .map(|(id, _)| line(*id + 500))
        .zip(&all[3..6])
        .map(|((_, text), (id, _))| (*id, text))
        .collect();
    let labels = |ids: &[u64]| ids.iter().map(|id| id.to_string().into_bytes()).collect::<Vec<_>>();
    let changes: Vec<Change<'_>> = vec![
        ("add", Box::new(|| drop(tested.add(&all[60..90])))),
        ("add one", Box::new(|| drop(tested.add(&all[90..91])))),
        ("replace", Box::new(|| drop(tested.add(&changed)))),
        (
            "remove",
            Box::new(|| drop(index::remove(&tested.index, &labels(&[1, 60, 61]), &ctx).unwrap())),
        ),
        ("add and merge", Box::new(|| drop(tested.add(&all[91..93])))),
        (
            "undo",
            Box::new(|| drop(index::undo(&tested.index, "3", &ctx).unwrap())),
        ),
        (
            "refreeze",
            Box::new(|| index::refreeze(&tested.index, 0, None, &ctx).unwrap()),
        ),
        ("add many", Box::new(|| drop(tested.add(&all[93..])))),
        ("purge", Box::new(|| index::compact(&tested.index, true, &ctx).unwrap())),
    ];
    let mut cuts = 0;
    // The note that was synced, and what a power cut may leave of a later one.
    let note = tested.index.path().join("newest");
    let first = fs::read(&note).unwrap();
    let torn = [None, Some(Vec::new()), Some(vec![0; first.len()]), Some(first)];
    for (name, change) in &changes {
        let (before, was) = (files_of(tested.index.path()), answers(&tested.index));
        let ((), steps) = recorded(change);
        let is = answers(&tested.index);
        assert!(
            matches!(steps.last(), Some(FileStep::Unsynced(..) | FileStep::Removed(_))),
            "{name}"
        );
        for taken in 0..=steps.len() {
            for files in left_by(&before, &steps[..taken]) {
                let folder = tempfile::tempdir().unwrap();
                for (path, bytes) in &files {
                    fs::write(folder.path().join(path.file_name().unwrap()), bytes).unwrap();
                }
                // Else as it is.
                if let Some(bytes) = &torn[cuts % torn.len()] {
                    fs::write(folder.path().join("newest"), bytes).unwrap();
                }
                let left = Index::open(folder.path(), tested.schemes(), false, &ctx).unwrap();
                index::verify(&left, &ctx).unwrap();
                let found = answers(&left);
                let is_acknowledged = taken == steps.len();
                assert!(
                    found == is || (!is_acknowledged && found == was),
                    "{name}: after {taken} of {}",
                    steps.len()
                );
                cuts += 1;
            }
        }
    }
    assert!(cuts > 60, "{cuts}");
}
