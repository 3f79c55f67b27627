//! Opening all sources of a run, several at a time.
//!
//! Each source is read by one thread: of many packed shards as many are unpacked at a time as there are threads. The order of
//! the sources, and the error of a run with several bad ones, are those of reading one after another.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use rayon::ThreadPool;

use super::open::{Stdin, open_named, open_stdin};
use crate::base::context::Context;
use crate::base::error::{Error, Result};
use crate::source::format::SourceSpec;
use crate::source::identity::Inode;
use crate::source::kinds::folder::FolderSource;
use crate::source::kinds::source::Source;
use crate::source::reading::pass::ReadProgress;
use crate::source::reading::search::{FoundFiles, leave_once};
use crate::storage::paths::is_stdio;

/// Time between two reports of progress.
const TICK: Duration = Duration::from_millis(50);

/// Opens every source; standard input comes last, so that a bad file does not wait for it. Stage `read` counts bytes as they are on
/// disk. Folders leave out the files that are read elsewhere in the run: taken, named themselves, or of another folder.
pub(in crate::source) fn open_all(
    specs: &[SourceSpec],
    mut stdin: Stdin<'_>,
    limit: u64,
    ctx: &Context<'_>,
) -> Result<Vec<Arc<dyn Source>>> {
    let mut streams = (0..specs.len()).filter(|&at| is_stdio(&specs[at].path));
    let (stream, second) = (streams.next(), streams.next());
    if second.is_some() {
        return Err(Error::Config(msg!(
            "standard input (-) is named twice as a source; name it once"
        )));
    }
    let total = bytes_on_disk(specs);
    let folders = find_folders(specs, |bytes| ctx.tick("read", bytes, total));
    let (mut sources, done) = open_named_ones(specs, folders, total, limit, ctx)?;
    let report = |bytes| ctx.tick("read", bytes, total);
    let mut progress = ReadProgress::new(&report);
    progress.done = done;
    if let Some(at) = stream {
        sources.insert(at, open_stdin(&specs[at], &mut stdin, limit, &progress)?);
    }
    progress.tick(0)?;
    Ok(sources)
}

/// What is in each source that is a folder; of the others nothing. An error comes out where the source would be opened.
fn find_folders(specs: &[SourceSpec], report: impl Fn(u64) -> Result<()>) -> Vec<Mutex<Option<Result<FoundFiles>>>> {
    let find = |spec: &SourceSpec| {
        let is_folder = spec.below.is_none() && spec.place().is_dir();
        is_folder.then(|| FoundFiles::in_folder(spec, &mut ReadProgress::new(&report)))
    };
    let mut found: Vec<_> = specs.iter().map(find).collect();
    let mut folders: Vec<_> = found.iter_mut().flatten().flatten().collect();
    if !folders.is_empty() {
        let named = specs.iter().filter_map(|spec| Inode::of_file(&spec.path));
        let elsewhere = specs.iter().flat_map(|spec| spec.taken.iter().copied());
        leave_once(&mut folders, &named.chain(elsewhere).collect());
    }
    found.into_iter().map(Mutex::new).collect()
}

/// What the threads that open sources share.
struct Opening<'a> {
    specs: &'a [SourceSpec],
    folders: Vec<Mutex<Option<Result<FoundFiles>>>>,
    limit: u64,
    /// The next source to open.
    next: AtomicUsize,
    /// Sources from here on are not needed any more: one before them failed, or the run is stopped.
    wanted: AtomicUsize,
    /// Bytes that were read of each source.
    read: Vec<AtomicU64>,
    opened: Vec<OnceLock<Result<Arc<dyn Source>>>>,
}

impl Opening<'_> {
    /// Opens one source after another until there is none left. `go_on` is asked now and then, with the source in work.
    fn work(&self, go_on: impl Fn(usize) -> Result<()>) {
        loop {
            let at = self.next.fetch_add(1, Ordering::Relaxed);
            if at >= self.wanted.load(Ordering::Relaxed) {
                return;
            }
            let spec = &self.specs[at];
            if is_stdio(&spec.path) {
                continue;
            }
            let report = |bytes| {
                self.read[at].store(bytes, Ordering::Relaxed);
                go_on(at)
            };
            let mut progress = ReadProgress::new(&report);
            let found = self.folders[at].lock().ok().and_then(|mut found| found.take());
            let opened = match found {
                Some(found) => {
                    let folder = found.and_then(|found| FolderSource::of(spec, found, self.limit, &progress));
                    folder.map(|folder| Arc::new(folder) as Arc<dyn Source>)
                }
                None => open_named(spec, self.limit, &mut progress),
            };
            self.read[at].store(progress.done, Ordering::Relaxed);
            if opened.is_err() {
                self.wanted.fetch_min(at + 1, Ordering::Relaxed);
            }
            // Each index is taken once, so its place is empty.
            let _ = self.opened[at].set(opened);
        }
    }

    /// Whether a source is still needed, as [`Opening::work`] asks it on the threads of a pool.
    fn is_wanted(&self, at: usize) -> Result<()> {
        if at < self.wanted.load(Ordering::Relaxed) {
            Ok(())
        } else {
            Err(Error::Interrupted)
        }
    }

    fn bytes_read(&self) -> u64 {
        self.read.iter().map(|bytes| bytes.load(Ordering::Relaxed)).sum()
    }
}

/// Opens all sources but standard input: several on the threads of the pool, while this thread reports the progress. With the
/// sources comes the number of bytes that were read.
fn open_named_ones(
    specs: &[SourceSpec],
    folders: Vec<Mutex<Option<Result<FoundFiles>>>>,
    total: u64,
    limit: u64,
    ctx: &Context<'_>,
) -> Result<(Vec<Arc<dyn Source>>, u64)> {
    let pool = ctx.pool()?;
    let opening = Opening {
        specs,
        folders,
        limit,
        next: AtomicUsize::new(0),
        wanted: AtomicUsize::new(specs.len()),
        read: specs.iter().map(|_| AtomicU64::new(0)).collect(),
        opened: specs.iter().map(|_| OnceLock::new()).collect(),
    };
    let threads = pool.current_num_threads().min(specs.len());
    if threads > 1 {
        on_threads(pool, threads, &opening, |bytes| ctx.tick("read", bytes, total))?;
    } else {
        opening.work(|_| ctx.tick("read", opening.bytes_read(), total));
    }
    let bytes_read = opening.bytes_read();
    // After a source that failed others may be missing; its error comes first.
    let opened = opening.opened.into_iter().filter_map(OnceLock::into_inner);
    Ok((opened.collect::<Result<Vec<_>>>()?, bytes_read))
}

/// Opens sources on threads of a pool. `report` is called on this thread meanwhile.
fn on_threads(
    pool: &ThreadPool,
    threads: usize,
    opening: &Opening<'_>,
    report: impl Fn(u64) -> Result<()>,
) -> Result<()> {
    let mut reported = Ok(());
    pool.in_place_scope(|scope| {
        let (working, ended) = channel::<()>();
        for _ in 0..threads {
            let working = working.clone();
            scope.spawn(move |_| {
                opening.work(|at| opening.is_wanted(at));
                drop(working);
            });
        }
        drop(working);
        // Nothing is sent: the last thread that ends closes the channel.
        while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(TICK) {
            if reported.is_ok() {
                reported = report(opening.bytes_read());
            }
            if reported.is_err() {
                opening.wanted.store(0, Ordering::Relaxed);
            }
        }
    });
    reported
}

/// Bytes of all sources on disk, as far as they are known before.
fn bytes_on_disk(specs: &[SourceSpec]) -> u64 {
    let sizes = specs.iter().filter_map(|spec| std::fs::metadata(spec.place()).ok());
    let sizes = sizes.filter(std::fs::Metadata::is_file).map(|metadata| metadata.len());
    sizes.sum()
}

#[cfg(test)]
#[path = "open_all_tests.rs"]
mod tests;
