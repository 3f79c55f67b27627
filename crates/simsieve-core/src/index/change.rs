//! A change of an index: it writes segments, then the manifest.

use std::fs::File;
use std::path::Path;
use std::sync::{Arc, MutexGuard};

use super::manifest::{Manifest, segment_path};
use super::merge::{self, History, Part};
use super::open::Index;
use super::rows::SegmentRows;
use super::segment::Segment;
use super::state::State;
use crate::base::context::Context;
use crate::base::error::Result;

/// Segments of one size class before they are merged.
const MERGED_AT: usize = 4;
/// The sizes of classes grow by this factor.
const CLASS: usize = 4;

/// The right to change an index, and the state that is changed. One change has it at a time.
pub(super) struct Change<'a> {
    index: &'a Index,
    pub(super) state: Arc<State>,
    /// Held until the change is over.
    _writing: MutexGuard<'a, File>,
}

impl<'a> Change<'a> {
    /// Begins a change of the newest state.
    pub(super) fn begin(index: &'a Index) -> Result<Self> {
        let writing = index.writing()?;
        Ok(Self {
            index,
            state: index.whole_state()?,
            _writing: writing,
        })
    }

    /// The directory of the index.
    pub(super) fn path(&self) -> &Path {
        &self.index.path
    }

    /// Writes a segment of parts, whose number a manifest then has. Gives the most kept documents with one search key too.
    pub(super) fn write(
        &self,
        manifest: &mut Manifest,
        parts: &[Part<'_>],
        history: &History,
        state: &State,
        ctx: &Context<'_>,
    ) -> Result<(u64, usize)> {
        manifest.next.segment += 1;
        let path = segment_path(&self.index.path, manifest.next.segment);
        let bucket = merge::write(&path, parts, history, state, ctx)?;
        Ok((manifest.next.segment, bucket))
    }

    /// Writes what is new behind the other segments, merged with small ones, and then the manifest.
    pub(super) fn commit(self, mut manifest: Manifest, new: &[Segment], ctx: &Context<'_>) -> Result<()> {
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
        let (number, bucket) = self.write(&mut manifest, &parts, &history, &self.state, ctx)?;
        if old.is_empty() {
            manifest.bucket = bucket;
        }
        manifest.segments.truncate(first);
        manifest.segments.push(number);
        self.finish(manifest, ctx)
    }

    /// Writes a manifest and opens what it names.
    pub(super) fn finish(self, mut manifest: Manifest, ctx: &Context<'_>) -> Result<()> {
        manifest
            .write(&self.index.path)
            .inspect_err(|_| self.index.stop_writing())?;
        manifest.clean(&self.state.manifest, &self.index.path);
        let schemes = self.state.schemes.clone();
        let state = State::open(&self.index.path, manifest, schemes, Some(&self.state), false, ctx)?;
        self.index.put(state);
        Ok(())
    }
}

/// Rows that a change adds. Memory holds some of them; the others are in segments of their own until the change merges them.
pub(super) struct NewRows {
    pub(super) rows: SegmentRows,
    written: Vec<Segment>,
}

impl NewRows {
    /// Rows that are added under the schemes and paths of a state.
    pub(super) fn new(state: &State, ctx: &Context<'_>) -> Result<Self> {
        Ok(Self {
            rows: SegmentRows::new(&state.encoders(ctx.kernel()))?,
            written: Vec::new(),
        })
    }

    /// Writes the rows in memory as a segment, where they are many.
    pub(super) fn make_room(
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
        let (number, _) = change.write(manifest, &[Part::whole(&full)], &history, state, ctx)?;
        drop(full);
        let path = segment_path(&change.index.path, number);
        self.written.push(Segment::open(
            &path,
            &encoders,
            (state.manifest.window().is_some(), false),
            ctx,
        )?);
        Ok(())
    }

    /// All rows, as segments one after another.
    pub(super) fn finish(self, state: &State, ctx: &Context<'_>) -> Result<Vec<Segment>> {
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
