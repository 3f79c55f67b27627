//! Drives a sink from its check to its commit.

use std::path::Path;
use std::sync::Arc;

use super::choose::kept_sink;
use super::folder::is_folder;
use super::{Decided, Decision, Sink};
use crate::base::context::Context;
use crate::base::error::Result;
use crate::source::{Format, Sources};

/// Writes results to a sink, whole or not at all: `work` writes the batches.
///
/// # Errors
/// Those of the sink and of `work`; [`Error::Source`](crate::base::error::Error::Source) where a source has changed.
pub fn write_through<Batch: ?Sized>(
    mut sink: Box<dyn Sink<Batch> + '_>,
    sources: &Arc<Sources>,
    work: impl FnOnce(&mut dyn Sink<Batch>) -> Result<()>,
) -> Result<()> {
    sink.check(sources)?;
    sink.begin(sources)?;
    // What was written is of the records that were decided on.
    match work(&mut *sink).and_then(|()| sources.check_unchanged()) {
        Ok(()) => sink.commit(),
        Err(error) => {
            sink.abort();
            Err(error)
        }
    }
}

/// How many records are written between two looks at progress and Ctrl-C.
pub fn batch_records(sink: &Path) -> usize {
    // Files are copied one by one.
    if is_folder(sink) { 1 << 8 } else { 1 << 16 }
}

/// Writes the kept of the new records, in the order of the sources; `decisions` has one for each. The sink's format is that
/// of [`kept_sink`]. A folder takes the files of folders, or with `link` hard links to them. Stage `write` counts
/// records.
pub fn write_kept(
    sources: &Arc<Sources>,
    decisions: &[Decision],
    sink: &Path,
    format: Option<Format>,
    link: bool,
    ctx: &Context<'_>,
) -> Result<()> {
    let batch_records = batch_records(sink);
    let total = decisions.len() as u64;
    write_through(kept_sink(sources, sink, format, link)?, sources, |sink| {
        for (at, decisions) in decisions.chunks(batch_records).enumerate() {
            let first = at * batch_records;
            ctx.tick("write", first as u64, total)?;
            sink.write(&Decided { first, decisions })?;
        }
        ctx.tick("write", total, total)
    })
}
