//! What every sink keeps to: one suite over all of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::TempDir;

use super::{Cell, Decided, Decision, FailedSink, Field, FolderSink, KeptSink, LineSink, ObjectSink, RowSink, Sink};
use crate::base::context::Context;
use crate::base::error::{Error, Result};
use crate::source::{Failure, SourceSpec, Sources};

/// The kinds of sink.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Kept,
    Objects,
    Texts,
    Paths,
    Folder,
    Failed,
    Rows,
}

const KINDS: [Kind; 7] = [
    Kind::Kept,
    Kind::Objects,
    Kind::Texts,
    Kind::Paths,
    Kind::Folder,
    Kind::Failed,
    Kind::Rows,
];

/// How a sink ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Commit,
    Abort,
    Drop,
}

/// Sources that a kind of sink takes, six records each, and the first source's name.
fn sources(kind: Kind, folder: &Path) -> (Arc<Sources>, PathBuf) {
    let texts = ["one", "two", "three", "four", "five", "six"];
    if kind == Kind::Texts {
        return (Arc::new(Sources::from_texts(texts)), folder.join("none.txt"));
    }
    let specs: Vec<SourceSpec> = match kind {
        Kind::Paths | Kind::Folder => {
            let root = folder.join("in");
            fs::create_dir_all(root.join("deep")).unwrap();
            for text in texts {
                fs::write(root.join("deep").join(format!("{text}.txt")), text).unwrap();
            }
            vec![SourceSpec::new(root)]
        }
        _ => {
            let (one, two) = (folder.join("one.csv"), folder.join("two.csv"));
            fs::write(&one, "text,n\r\none,1\r\ntwo,2\r\n\r\n\"a\nb\",3").unwrap();
            fs::write(&two, "text,n\nfour,4\nfive,5\nsix,6").unwrap();
            vec![SourceSpec::new(one), SourceSpec::new(two)]
        }
    };
    let sources = Sources::open(&specs, 1 << 20, &Context::silent(1)).unwrap();
    (Arc::new(sources), specs[0].path.clone())
}

/// Drives a sink to its end; `watch` is called before it.
fn drive<Batch: ?Sized>(
    mut sink: Box<dyn Sink<Batch> + '_>,
    sources: &Arc<Sources>,
    end: End,
    watch: &dyn Fn(),
    write: impl FnOnce(&mut dyn Sink<Batch>) -> Result<()>,
) -> Result<()> {
    sink.check(sources)?;
    watch();
    sink.begin(sources)?;
    watch();
    write(&mut *sink)?;
    watch();
    match end {
        End::Commit => sink.commit(),
        End::Abort => {
            sink.abort();
            Ok(())
        }
        End::Drop => {
            drop(sink);
            Ok(())
        }
    }
}

/// Writes the results of six records to a sink, `batch` at a time; the third record is dropped.
fn run(kind: Kind, sources: &Arc<Sources>, path: &Path, batch: usize, end: End, watch: &dyn Fn()) -> Result<()> {
    let mut decisions = [Decision::Kept; 6];
    decisions[2] = Decision::Dropped;
    let failures: Vec<_> = (0..6)
        .map(|at| (at, Failure::new("ragged_row", msg!("record {at}"))))
        .collect();
    let row = |position: u64| {
        [
            ("position", Cell::Whole(position)),
            ("reason", Cell::text(Some("unique"))),
        ]
    };
    let kept: Box<dyn Sink<Decided<'_>>> = match kind {
        Kind::Kept => Box::new(KeptSink::new(path)),
        Kind::Objects => Box::new(ObjectSink::new(path)),
        Kind::Texts | Kind::Paths => Box::new(LineSink::new(path)),
        Kind::Folder => Box::new(FolderSink::new(path, false)),
        Kind::Failed => {
            let sink: Box<dyn Sink<[(usize, Failure)]>> = Box::new(FailedSink::new(path));
            return drive(sink, sources, end, watch, |sink| {
                failures.chunks(batch).try_for_each(|batch| sink.write(batch))
            });
        }
        Kind::Rows => {
            let rows: Vec<_> = (0..6).map(row).collect();
            let sink: Box<dyn Sink<[[Field<'_>; 2]]>> = Box::new(RowSink::new(path));
            return drive(sink, sources, end, watch, |sink| {
                rows.chunks(batch).try_for_each(|batch| sink.write(batch))
            });
        }
    };
    drive(kept, sources, end, watch, |sink| {
        decisions.chunks(batch).enumerate().try_for_each(|(at, decisions)| {
            let first = at * batch;
            sink.write(&Decided { first, decisions })
        })
    })
}

/// All files below a path, or the file that it is, with their bytes.
fn files(path: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    if !path.is_dir() {
        return vec![(PathBuf::new(), fs::read(path).unwrap())];
    }
    let mut found = Vec::new();
    let mut folders = vec![path.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let inner = entry.unwrap().path();
            if inner.is_dir() {
                folders.push(inner);
            } else {
                let name = inner.strip_prefix(path).unwrap().to_path_buf();
                found.push((name, fs::read(inner).unwrap()));
            }
        }
    }
    found.sort();
    found
}

fn is_empty(folder: &TempDir) -> bool {
    fs::read_dir(folder).unwrap().next().is_none()
}

/// Nothing is at a sink's name before the commit, and the same bytes are there after it, whatever the batches.
#[test]
fn whole_whatever_the_batches() {
    for kind in KINDS {
        let (input, mut seen) = (TempDir::new().unwrap(), Vec::new());
        let (sources, _) = sources(kind, input.path());
        for batch in [6, 1, 2, 4, 100] {
            let output = TempDir::new().unwrap();
            let path = output.path().join("out");
            run(kind, &sources, &path, batch, End::Commit, &|| {
                assert!(!path.exists(), "{kind:?}");
            })
            .unwrap();
            assert_eq!(fs::read_dir(&output).unwrap().count(), 1, "{kind:?}");
            seen.push(files(&path));
        }
        let bytes: usize = seen[0].iter().map(|(_, bytes)| bytes.len()).sum();
        assert!(
            bytes > 15 && seen.iter().all(|one| *one == seen[0]),
            "{kind:?}: {seen:?}"
        );
    }
}

/// Nothing is left after an abort or a drop, and a file that was there before stays as it was.
#[test]
fn nothing_without_a_commit() {
    for kind in KINDS {
        let input = TempDir::new().unwrap();
        let (sources, _) = sources(kind, input.path());
        for end in [End::Abort, End::Drop] {
            let output = TempDir::new().unwrap();
            let path = output.path().join("out");
            run(kind, &sources, &path, 2, end, &|| ()).unwrap();
            assert!(is_empty(&output), "{kind:?} {end:?}");
            if kind == Kind::Folder {
                continue;
            }
            fs::write(&path, "before").unwrap();
            let stays = || assert_eq!(fs::read(&path).unwrap(), b"before", "{kind:?}");
            run(kind, &sources, &path, 2, end, &stays).unwrap();
            stays();
            assert_eq!(fs::read_dir(&output).unwrap().count(), 1, "{kind:?} {end:?}");
        }
    }
}

/// A sink that is a source, or in one, is refused, and so is one in a folder that is not there.
#[test]
fn checks() {
    for kind in KINDS {
        let input = TempDir::new().unwrap();
        let (sources, first) = sources(kind, input.path());
        let missing = input.path().join("no/such/out");
        let error = run(kind, &sources, &missing, 1, End::Commit, &|| ()).unwrap_err();
        assert!(matches!(error, Error::Sink { .. }), "{kind:?}: {error}");
        let same = match kind {
            // Texts in memory are no file.
            Kind::Texts => continue,
            Kind::Folder => first.join("out"),
            _ => first,
        };
        let before = files(input.path());
        let error = run(kind, &sources, &same, 1, End::Commit, &|| ()).unwrap_err();
        let message = error.to_string();
        assert!(
            message.contains("is the source") || message.contains("is in the source"),
            "{kind:?}: {message}"
        );
        assert_eq!(files(input.path()), before, "{kind:?}");
    }
}

/// Old sources are no sinks either.
#[test]
fn old_sources_are_refused() {
    let (new, old) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let (new, _) = sources(Kind::Kept, new.path());
    let (old, path) = sources(Kind::Kept, old.path());
    let both = Arc::new(new.against(&old));
    let error = run(Kind::Kept, &both, &path, 1, End::Commit, &|| ()).unwrap_err();
    assert!(error.to_string().contains("is the source"), "{error}");
}

/// Makes a sink of kept records.
type Make<'a> = Box<dyn Fn() -> Box<dyn Sink<Decided<'static>> + 'a> + 'a>;

/// A sink that was not begun says so.
#[test]
fn begin_comes_first() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("out");
    let batch = Decided {
        first: 0,
        decisions: &[Decision::Kept],
    };
    let kept: [Make<'_>; 4] = [
        Box::new(|| Box::new(KeptSink::new(&path))),
        Box::new(|| Box::new(ObjectSink::new(&path))),
        Box::new(|| Box::new(LineSink::new(&path))),
        Box::new(|| Box::new(FolderSink::new(&path, false))),
    ];
    for make in kept {
        let message = make().write(&batch).unwrap_err().to_string();
        assert!(message.contains("call begin before write"), "{message}");
        assert!(make().commit().is_err());
    }
    assert!(is_empty(&folder));
}
