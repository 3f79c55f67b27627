//! A change of an index: it writes segments, then the manifest.

use std::path::Path;
use std::sync::{Arc, MutexGuard};

use super::merge::{self, History, Part};
use super::rows::SegmentRows;
use crate::base::context::Context;
use crate::base::error::Result;
use crate::index::files::manifest::{self, Manifest, Named};
use crate::index::files::newest::Writer;
use crate::index::files::segment::{Opening, Segment};
use crate::index::files::state::State;
use crate::index::open::Index;

/// Segments of one size class before they are merged.
const MERGED_AT: usize = 4;
/// The sizes of classes grow by this factor.
const CLASS: usize = 4;

/// The right to change an index, and the state that is changed. One change has it at a time.
pub(crate) struct Change<'a> {
    index: &'a Index,
    pub(crate) state: Arc<State>,
    /// Held until the change is over.
    writing: MutexGuard<'a, Writer>,
}

impl<'a> Change<'a> {
    /// Begins a change of the newest state.
    pub(crate) fn begin(index: &'a Index) -> Result<Self> {
        let writing = index.writing()?;
        let state = index.whole_state()?;
        writing.check(&index.path, &state.manifest)?;
        Ok(Self { index, state, writing })
    }

    /// The directory of the index.
    pub(crate) fn path(&self) -> &Path {
        &self.index.path
    }

    /// A copy of the manifest, which this process writes next.
    pub(crate) fn manifest(&self) -> Manifest {
        Manifest {
            life: self.writing.life.clone(),
            ..self.state.manifest.clone()
        }
    }

    /// Writes a segment of parts, which a manifest then names. Gives the most kept documents with one search key too.
    pub(crate) fn write(
        &self,
        manifest: &mut Manifest,
        parts: &[Part<'_>],
        history: &History,
        state: &State,
        ctx: &Context<'_>,
    ) -> Result<(Named, usize)> {
        manifest.next.segment += 1;
        let name = manifest.name(manifest::SEGMENT, manifest.next.segment);
        let (checksum, bucket) = merge::write(&self.index.path.join(&name), parts, history, state, ctx)?;
        Ok((Named::new(name, checksum), bucket))
    }

    /// Writes what is new behind the other segments, merged with small ones, and then the manifest.
    pub(crate) fn commit(self, mut manifest: Manifest, new: &[Segment], ctx: &Context<'_>) -> Result<()> {
        let old = &self.state.segments;
        let mut weights: Vec<usize> = old.iter().map(|segment| segment.weight()).collect();
        weights.push(new.iter().map(Segment::weight).sum());
        while let Some(count) = to_merge(&weights) {
            // The new rows are the last ones, and what was merged before is among them.
            let first = weights.len() - count;
            let sum = weights[first..].iter().sum();
            weights.truncate(first);
            weights.push(sum);
        }
        let first = weights.len() - 1;
        let segments = || old[first..].iter().map(|segment| &**segment).chain(new);
        let parts: Vec<Part<'_>> = segments().map(Part::whole).collect();
        let history = History::of(segments());
        let (file, bucket) = self.write(&mut manifest, &parts, &history, &self.state, ctx)?;
        if old.is_empty() {
            manifest.bucket = bucket;
        }
        manifest.segments.truncate(first);
        manifest.segments.push(file);
        self.finish(manifest, ctx)
    }

    /// Writes a manifest and opens what it names.
    pub(crate) fn finish(mut self, mut manifest: Manifest, ctx: &Context<'_>) -> Result<()> {
        // What was read is whole, and the directory is still the same.
        self.state.check_read()?;
        let folder = &self.index.path;
        self.writing.check(folder, &self.state.manifest)?;
        manifest.write(folder).inspect_err(|_| self.index.stop_writing())?;
        self.writing.note(folder, &manifest);
        manifest.clean(&self.state.manifest, folder, &self.writing.lives);
        let schemes = self.state.schemes.clone();
        let state = State::open(&self.index.path, manifest, schemes, Some(&self.state), false, ctx)?;
        self.index.put(state);
        Ok(())
    }
}

/// Rows that a change adds. Memory holds some of them; the others are in segments of their own until the change merges them.
pub(crate) struct NewRows {
    pub(crate) rows: SegmentRows,
    written: Vec<Segment>,
}

impl NewRows {
    /// Rows that are added under the schemes and paths of a state.
    pub(crate) fn new(state: &State, ctx: &Context<'_>) -> Result<Self> {
        Ok(Self {
            rows: SegmentRows::new(&state.encoders(ctx.kernel()))?,
            written: Vec::new(),
        })
    }

    /// Writes the rows in memory as a segment, where they are many.
    pub(crate) fn make_room(
        &mut self,
        change: &Change<'_>,
        manifest: &mut Manifest,
        state: &State,
        ctx: &Context<'_>,
    ) -> Result<()> {
        if self.rows.weight() < ctx.tuning.index_rows {
            return Ok(());
        }
        let encoders = state.encoders(ctx.kernel());
        let full = std::mem::replace(&mut self.rows, SegmentRows::new(&encoders)?);
        let full = full.finish(state, ctx)?;
        let history = History::of(std::iter::once(&full));
        let (file, _) = change.write(manifest, &[Part::whole(&full)], &history, state, ctx)?;
        drop(full);
        let how = Opening {
            dated: state.manifest.window().is_some(),
            whole: false,
        };
        let open = Segment::open(change.path(), &file, &encoders, how, ctx)?;
        self.written.push(open);
        Ok(())
    }

    /// All rows, as segments one after another.
    pub(crate) fn finish(self, state: &State, ctx: &Context<'_>) -> Result<Vec<Segment>> {
        let mut all = self.written;
        all.push(self.rows.finish(state, ctx)?);
        Ok(all)
    }
}

/// How many of the last segments are merged: those of the last one's size class and below, where there are enough.
fn to_merge(weights: &[usize]) -> Option<usize> {
    let class = |weight: usize| weight.max(1).ilog(CLASS);
    let last = class(*weights.last()?);
    let count = weights
        .iter()
        .rev()
        .take_while(|&&weight| class(weight) <= last)
        .count();
    (count >= MERGED_AT).then_some(count)
}
