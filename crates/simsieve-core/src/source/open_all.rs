//! Opening all sources of a run, several at a time.
//!
//! Each source is read by one thread: of many packed shards as many are unpacked at a time as there are threads. The order of
//! the sources, and the error of a run with several bad ones, are those of reading one after another.

use std::fs::File;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use super::Source;
use super::format::SourceSpec;
use super::open::{Stdin, open_named, open_stdin};
use super::reading::ReadProgress;
use crate::base::context::Context;
use crate::base::error::{Error, Result};
use crate::storage::advice::done_with;
use crate::storage::compression::Compression;
use crate::storage::paths::is_stdio;

/// Time between two reports of progress.
const TICK: Duration = Duration::from_millis(50);

/// Bytes of sources up to which the system keeps what it has read of them. Packed sources are not read again, and beyond this they
/// may take the place of their spools.
const MOST_CACHED: u64 = 4 << 30;

/// Opens every source. Stage `read` counts bytes as they are on disk.
pub(super) fn open_all(
    specs: &[SourceSpec],
    mut stdin: Stdin<'_>,
    limit: u64,
    ctx: &Context<'_>,
) -> Result<Vec<Arc<dyn Source>>> {
    let streams = specs.iter().filter(|spec| is_stdio(&spec.path)).count();
    if streams > 1 {
        return Err(Error::Config(
            "standard input (-) is named twice as a source; name it once".to_owned(),
        ));
    }
    let total = bytes_on_disk(specs);
    if streams == 0 && specs.len() > 1 && ctx.pool()?.current_num_threads() > 1 {
        return open_together(specs, total, limit, ctx);
    }
    let report = |bytes| ctx.tick("read", bytes, total);
    let mut progress = ReadProgress::new(&report);
    let mut sources = Vec::with_capacity(specs.len());
    for spec in specs {
        sources.push(if is_stdio(&spec.path) {
            open_stdin(spec, &mut stdin, limit, &mut progress)?
        } else {
            open_named(spec, limit, &mut progress)?
        });
        release(spec, total);
    }
    progress.tick(0)?;
    Ok(sources)
}

/// What the threads that open sources share.
struct Opening<'a> {
    specs: &'a [SourceSpec],
    total: u64,
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
    /// Opens one source after another until there is none left.
    fn work(&self) {
        loop {
            let at = self.next.fetch_add(1, Ordering::Relaxed);
            if at >= self.wanted.load(Ordering::Relaxed) {
                return;
            }
            let report = |bytes| {
                self.read[at].store(bytes, Ordering::Relaxed);
                if at < self.wanted.load(Ordering::Relaxed) {
                    Ok(())
                } else {
                    Err(Error::Interrupted)
                }
            };
            let mut progress = ReadProgress::new(&report);
            let spec = &self.specs[at];
            let opened = open_named(spec, self.limit, &mut progress);
            self.read[at].store(progress.done, Ordering::Relaxed);
            release(spec, self.total);
            if opened.is_err() {
                self.wanted.fetch_min(at + 1, Ordering::Relaxed);
            }
            // Each index is taken once, so its place is empty.
            let _ = self.opened[at].set(opened);
        }
    }

    fn bytes_read(&self) -> u64 {
        self.read.iter().map(|bytes| bytes.load(Ordering::Relaxed)).sum()
    }
}

/// Opens sources on the threads of the pool. This thread reports the progress meanwhile.
fn open_together(specs: &[SourceSpec], total: u64, limit: u64, ctx: &Context<'_>) -> Result<Vec<Arc<dyn Source>>> {
    let pool = ctx.pool()?;
    let opening = Opening {
        specs,
        total,
        limit,
        next: AtomicUsize::new(0),
        wanted: AtomicUsize::new(specs.len()),
        read: specs.iter().map(|_| AtomicU64::new(0)).collect(),
        opened: specs.iter().map(|_| OnceLock::new()).collect(),
    };
    let mut ticked = Ok(());
    pool.in_place_scope(|scope| {
        let (working, ended) = channel::<()>();
        for _ in 0..pool.current_num_threads().min(specs.len()) {
            let (opening, working) = (&opening, working.clone());
            scope.spawn(move |_| {
                opening.work();
                drop(working);
            });
        }
        drop(working);
        // Nothing is sent: the last thread that ends closes the channel.
        while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(TICK) {
            if ticked.is_ok() {
                ticked = ctx.tick("read", opening.bytes_read(), total);
            }
            if ticked.is_err() {
                opening.wanted.store(0, Ordering::Relaxed);
            }
        }
    });
    ticked?;
    let bytes_read = opening.bytes_read();
    // Those behind a source that failed may be missing; the error comes first.
    let opened = opening.opened.into_iter().map_while(OnceLock::into_inner);
    let sources = opened.collect::<Result<Vec<_>>>()?;
    ctx.tick("read", bytes_read, total)?;
    Ok(sources)
}

/// Bytes of all sources on disk, as far as they are known before.
fn bytes_on_disk(specs: &[SourceSpec]) -> u64 {
    let sizes = specs.iter().filter_map(|spec| std::fs::metadata(spec.place()).ok());
    let sizes = sizes.filter(std::fs::Metadata::is_file).map(|metadata| metadata.len());
    sizes.sum()
}

/// Lets the system forget a packed source among many bytes of sources.
fn release(spec: &SourceSpec, total: u64) {
    if total <= MOST_CACHED || is_stdio(&spec.path) || Compression::of_name(&spec.path) == Compression::Plain {
        return;
    }
    // A pipe would wait for a writer.
    if std::fs::metadata(spec.place()).is_ok_and(|metadata| metadata.is_file())
        && let Ok(file) = File::open(spec.place())
    {
        done_with(&file);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::path::Path;

    use super::*;
    use crate::base::progress::Progress;

    /// The last report, if reports are wanted.
    struct Reported<'a>(Option<&'a mut (u64, u64)>);

    impl Progress for Reported<'_> {
        fn tick(&mut self, stage: &'static str, done: u64, total: u64) -> Result<()> {
            let last = self.0.as_deref_mut().ok_or(Error::Interrupted)?;
            assert_eq!(stage, "read");
            assert!(last.0 <= done && done <= total);
            *last = (done, total);
            Ok(())
        }
    }

    fn gzip(folder: &Path, name: &str, bytes: &[u8]) -> SourceSpec {
        let path = folder.join(name);
        let mut encoder = flate2::write::GzEncoder::new(File::create(&path).unwrap(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap();
        SourceSpec::new(path)
    }

    fn opened(specs: &[SourceSpec], ctx: &Context<'_>) -> Result<Vec<Arc<dyn Source>>> {
        let stdin = Stdin {
            stream: &mut &b""[..],
            file: None,
        };
        open_all(specs, stdin, 1 << 20, ctx)
    }

    #[test]
    fn sources_keep_their_order_and_progress_ends_at_the_total() {
        let folder = tempfile::tempdir().unwrap();
        let specs: Vec<SourceSpec> = (0..9)
            .map(|shard| {
                let lines = "{}\n".repeat(shard * 50_000);
                gzip(folder.path(), &format!("{shard}.jsonl.gz"), lines.as_bytes())
            })
            .collect();
        for threads in [1, 2, 5] {
            let mut last = (0, 0);
            let ctx = Context::new(threads, Reported(Some(&mut last))).unwrap();
            let sources = opened(&specs, &ctx).unwrap();
            let lengths: Vec<usize> = sources.iter().map(|source| source.spans().len()).collect();
            assert_eq!(lengths, (0..9).map(|shard| shard * 50_000).collect::<Vec<_>>());
            drop(ctx);
            assert_eq!(last, (bytes_on_disk(&specs), bytes_on_disk(&specs)));
        }
    }

    #[test]
    fn the_first_of_several_bad_sources_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let long = "{\"text\":\"a\"}\n".repeat(1 << 20);
        let mut specs = vec![gzip(folder.path(), "good.jsonl.gz", b"{}\n")];
        let slow = gzip(folder.path(), "slow.jsonl.gz", long.as_bytes());
        let packed = std::fs::read(&slow.path).unwrap();
        std::fs::write(&slow.path, &packed[..packed.len() - 20]).unwrap();
        specs.push(slow);
        specs.push(SourceSpec::new(folder.path().join("missing.jsonl")));
        for threads in [1, 2, 4] {
            let error = opened(&specs, &Context::silent(threads)).unwrap_err().to_string();
            assert!(error.contains("slow.jsonl.gz"), "{error}");
        }
    }

    #[test]
    fn an_interrupt_ends_every_thread() {
        let folder = tempfile::tempdir().unwrap();
        let long = "{\"text\":\"a\"}\n".repeat(1 << 20);
        let specs: Vec<SourceSpec> = (0..3)
            .map(|shard| gzip(folder.path(), &format!("{shard}.jsonl.gz"), long.as_bytes()))
            .collect();
        for threads in [1, 2] {
            let ctx = Context::new(threads, Reported(None)).unwrap();
            assert!(matches!(opened(&specs, &ctx), Err(Error::Interrupted)));
        }
    }
}
