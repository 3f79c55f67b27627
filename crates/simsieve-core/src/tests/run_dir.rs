//! A run directory changes no decision, and a run that was stopped anywhere goes on to the same result.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::base::context::Context;
use crate::base::error::{Error, Result};
use crate::base::hash::mix;
use crate::base::progress::Progress;
use crate::base::tuning::Tuning;
use crate::collection::combine::Combine;
use crate::dedup::decide::{Decisions, decide};
use crate::dedup::loading;
use crate::encode::scheme::Scheme;
use crate::recipe::Threshold;
use crate::search::documents::{Documents, Options};
use crate::source::{SourceSpec, Sources};
use crate::storage::run_dir::{RunDir, Start};
use crate::tests::support::{options, options_for};

/// Texts of words as JSON lines: some are copies with a few words changed, and some lines are bad.
pub(super) fn write_lines(path: &Path, count: u64) {
    let word = |at: u64| format!("w{:x}", mix(at) % 700);
    let line = |at: u64| {
        if at % 97 == 5 {
            return "{\"no\": 1}\n".to_owned();
        }
        let of = if at % 4 == 3 { at - 2 } else { at };
        let words: Vec<String> = (0..14)
            .map(|place| {
                let changed = of != at && place == 3 + at % 7 && at % 8 != 3;
                word(if changed { mix(at) } else { of << 8 | place })
            })
            .collect();
        format!(
            "{{\"id\": {at}, \"text\": \"{}\", \"rank\": {}.5}}\n",
            words.join(" "),
            mix(at) % 50
        )
    };
    fs::write(path, (0..count).map(line).collect::<String>()).unwrap();
}

pub(super) fn open_sources(paths: &[PathBuf]) -> Sources {
    let specs: Vec<SourceSpec> = paths.iter().cloned().map(SourceSpec::new).collect();
    Sources::open(&specs, 1 << 20, &Context::small(1)).unwrap()
}

/// Stops a run after some reports of progress.
struct StopAfter(usize);

impl Progress for StopAfter {
    fn tick(&mut self, _stage: &'static str, _done: u64, _total: u64) -> Result<()> {
        self.0 = self.0.saturating_sub(1);
        if self.0 == 0 { Err(Error::Interrupted) } else { Ok(()) }
    }
}

/// All that a run gives, as text.
fn outcome(documents: &Documents, decisions: &Decisions) -> String {
    let collection = &documents.collection;
    let labels: Vec<_> = (0..collection.len()).map(|at| collection.label(at)).collect();
    let similarities: Vec<u64> = decisions
        .similarity
        .iter()
        .map(|similarity| similarity.to_bits())
        .collect();
    let Decisions {
        decision,
        reason,
        representative,
        distance,
        scheme,
        counts,
        kept_rows,
        ..
    } = decisions;
    format!(
        "{decision:?} {reason:?} {representative:?} {distance:?} {scheme:?} {counts:?} {kept_rows:?} {similarities:?} \
         {labels:?} {:?} {:?}",
        collection.failures, collection.order
    )
}

pub(super) fn run(
    path: &Path,
    each: &[Options],
    rule: Combine,
    dir: Option<&Arc<RunDir>>,
    ctx: &Context<'_>,
) -> Result<String> {
    let each: Vec<Options> = each
        .iter()
        .map(|options| Options {
            run_dir: dir.cloned(),
            ..options.clone()
        })
        .collect();
    let documents = loading::load_each(Arc::new(open_sources(&[path.to_path_buf()])), &each, rule, ctx)?;
    let decisions = decide(&documents, ctx)?;
    Ok(outcome(&documents, &decisions))
}

pub(super) fn cases() -> Vec<(&'static str, Vec<Options>, Combine)> {
    // The recipe is that of a large collection, so keys are made.
    let by = |spec: &str, threshold, keep: &[&str]| options_for(spec, threshold, 1 << 14, keep);
    let similar = Threshold::Similarity(0.65);
    vec![
        ("paths", vec![by("chars128", similar, &["first"])], Combine::All),
        (
            "any",
            vec![
                by("chars128", similar, &["max:rank", "longest"]),
                by("words64", Threshold::Distance(6), &["max:rank", "longest"]),
            ],
            Combine::Any,
        ),
        (
            "every pair",
            vec![Options {
                recipe_for: None,
                looked_up: false,
                ..by("chars64", similar, &["last"])
            }],
            Combine::All,
        ),
    ]
}

/// A tuning by which each attempt would choose other tables of agreeing bits than the last: what is begun goes on with its own.
fn other_tables(attempt: usize) -> Tuning {
    Tuning {
        table_key_cost: 10 * (attempt % 2) as u32,
        ..Tuning::SMALL
    }
}

#[test]
fn a_run_directory_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("texts.jsonl");
    write_lines(&path, 1200);
    for (name, each, rule) in cases() {
        let expected = run(&path, &each, rule, None, &Context::small(2)).unwrap();
        assert!(expected.contains("Near") && expected.contains("Exact"), "{name}");
        for (threads, memory) in [(1, 1 << 10), (2, 1 << 30)] {
            let ctx = Context::small(threads);
            let dir = folder.path().join("run");
            let dir = Arc::new(RunDir::open(&dir, Start::New, memory, &ctx).unwrap());
            assert_eq!(run(&path, &each, rule, Some(&dir), &ctx).unwrap(), expected, "{name}");
            // A run that is finished is read again.
            assert_eq!(run(&path, &each, rule, Some(&dir), &ctx).unwrap(), expected, "{name}");
            dir.remove().unwrap();
        }
    }
}

#[test]
fn a_stopped_run_goes_on_to_the_same_result() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("texts.jsonl");
    write_lines(&path, 700);
    for (name, each, rule) in cases() {
        let each: Vec<Options> = each
            .into_iter()
            .map(|options| Options { batch: 50, ..options })
            .collect();
        let expected = run(&path, &each, rule, None, &Context::small(1)).unwrap();
        let (dir, mut stops) = (folder.path().join("run"), 0);
        for round in 0.. {
            // Each attempt gets a little further than the last, and is stopped between two commits or in the middle of a stage.
            let ctx = Context::new(1 + round % 2, StopAfter(3 + round * 3))
                .unwrap()
                .with_tuning(other_tables(round));
            let attempt = RunDir::open(&dir, Start::Resume, 1 << 10, &Context::small(1))
                .and_then(|dir| run(&path, &each, rule, Some(&Arc::new(dir)), &ctx));
            match attempt {
                Ok(found) => {
                    assert_eq!(found, expected, "{name} after {stops} stops");
                    break;
                }
                Err(Error::Interrupted) => stops += 1,
                Err(error) => panic!("{name}: {error}"),
            }
        }
        assert!(stops > 3, "{name}: {stops}");
        RunDir::open(&dir, Start::Resume, 1, &Context::small(1))
            .unwrap()
            .remove()
            .unwrap();
    }
}

/// A search in memory that was interrupted goes on when it is asked again, and the run gives what it would have given.
#[test]
fn an_interrupted_search_can_be_asked_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("texts.jsonl");
    write_lines(&path, 700);
    for (name, each, rule) in cases() {
        let expected = run(&path, &each, rule, None, &Context::small(1)).unwrap();
        let sources = Arc::new(open_sources(std::slice::from_ref(&path)));
        let documents = loading::load_each(sources, &each, rule, &Context::small(1)).unwrap();
        let mut stops = 0;
        let decisions = loop {
            let ctx = Context::new(1, StopAfter(1 + stops * stops)).unwrap();
            match decide(&documents, &ctx.with_tuning(other_tables(stops))) {
                Err(Error::Interrupted) => stops += 1,
                decided => break decided.unwrap(),
            }
        };
        assert!(stops > 3, "{name}: {stops}");
        assert_eq!(outcome(&documents, &decisions), expected, "{name}");
    }
}

/// Texts that share half of their words and are not near: the index of features rules most pairs out. A killed run may leave rows in the
/// files of the walk that it did not commit.
#[test]
fn a_walk_with_an_index_goes_on_with_the_same_counts() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("texts.jsonl");
    let line = |at: u64| {
        let own: Vec<String> = (0..12)
            .map(|place| format!("{:06x}", mix(at << 8 | place) % (1 << 24)))
            .collect();
        let own = own.join(" ");
        format!("{{\"text\": \"every question of this paper has the same long beginning and goes on with {own}\"}}\n")
    };
    fs::write(&path, (0..420).map(line).collect::<String>()).unwrap();
    let each = [options(&["first"])];
    let (dir, mut indexed) = (folder.path().join("run"), 0);
    let open = |start| RunDir::open(&dir, start, 1 << 19, &Context::small(1)).unwrap();
    let expected = run(
        &path,
        &each,
        Combine::All,
        Some(&Arc::new(open(Start::New))),
        &Context::small(2),
    )
    .unwrap();
    open(Start::Resume).remove().unwrap();
    for round in 0.. {
        let ctx = Context::new(1 + round % 2, StopAfter(40 + round * 60))
            .unwrap()
            .with_tuning(Tuning::SMALL);
        let attempt = run(&path, &each, Combine::All, Some(&Arc::new(open(Start::Resume))), &ctx);
        match attempt {
            Ok(found) => {
                assert_eq!(found, expected, "after {round} stops");
                break;
            }
            Err(error) => assert!(matches!(error, Error::Interrupted), "after {round} stops: {error}"),
        }
        for name in ["rejected.0.column", "indexed.0.column", "known.0.column"] {
            if let Ok(mut file) = fs::OpenOptions::new().append(true).open(dir.join(name)) {
                file.write_all(&[0xFF; 11]).unwrap();
            }
        }
        indexed = indexed.max(fs::metadata(dir.join("indexed.0.column")).map_or(0, |file| file.len()));
    }
    assert!(indexed > 0);
}

#[test]
fn another_run_is_refused_with_what_changed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("texts.jsonl");
    write_lines(&path, 200);
    let ctx = Context::small(1);
    let dir = Arc::new(RunDir::open(&folder.path().join("run"), Start::New, 0, &ctx).unwrap());
    let each = [options(&["first"])];
    run(&path, &each, Combine::All, Some(&dir), &ctx).unwrap();
    let refused = |each: &[Options], path: &Path| {
        let refused = run(path, each, Combine::All, Some(&dir), &ctx).unwrap_err();
        assert!(matches!(refused, Error::Resume(_)), "{refused}");
        refused.to_string()
    };
    let threshold = Threshold::Similarity(0.7);
    let message = refused(
        &[Options {
            threshold,
            ..each[0].clone()
        }],
        &path,
    );
    assert!(message.contains("0.65") && message.contains("0.7"), "{message}");
    assert!(refused(&[options(&["longest"])], &path).contains("keep was \"first\""));
    let scheme = Scheme::parse("chars64").unwrap();
    assert!(
        refused(
            &[Options {
                scheme,
                ..each[0].clone()
            }],
            &path
        )
        .contains("chars64")
    );
    write_lines(&path, 201);
    assert!(refused(&each, &path).contains("texts.jsonl"));
}
