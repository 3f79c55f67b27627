//! A change of an index: it writes a segment, then the manifest.

use std::fs::File;
use std::sync::{Arc, MutexGuard};

use super::manifest::{Manifest, segment_path};
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
            state: index.state(),
            _writing: writing,
        })
    }

    /// Rows for a segment of the present frozen set.
    pub(super) fn rows(&self, ctx: &Context<'_>) -> Result<SegmentRows> {
        SegmentRows::new(&self.state.encoders(ctx.kernel()))
    }

    /// Writes a segment, whose number a manifest then has.
    pub(super) fn write(&self, manifest: &mut Manifest, mut rows: SegmentRows, ctx: &Context<'_>) -> Result<u64> {
        manifest.next.segment += 1;
        rows.write(&segment_path(&self.index.path, manifest.next.segment), ctx)?;
        Ok(manifest.next.segment)
    }

    /// Writes a segment behind the others, merges small ones, and writes the manifest.
    pub(super) fn commit(self, mut manifest: Manifest, mut rows: SegmentRows, ctx: &Context<'_>) -> Result<()> {
        let mut merged = Vec::new();
        let mut weights: Vec<usize> = self.state.segments.iter().map(|segment| weight(segment)).collect();
        weights.push(rows.weight());
        while let Some(count) = to_merge(&weights) {
            // The new rows are the last ones, and what was merged before is among them.
            let first = weights.len() - count;
            merged = (first..self.state.segments.len()).collect();
            let sum = weights[first..].iter().sum();
            weights.truncate(first);
            weights.push(sum);
        }
        if !merged.is_empty() {
            let mut all = self.rows(ctx)?;
            for &at in &merged {
                all.take(&self.state.segments[at], &self.state.dictionary, |_| true)?;
            }
            all.append(rows);
            rows = all;
        }
        let number = self.write(&mut manifest, rows, ctx)?;
        manifest.segments.truncate(manifest.segments.len() - merged.len());
        manifest.segments.push(number);
        self.finish(manifest, ctx)
    }

    /// Writes a manifest and opens what it names.
    pub(super) fn finish(self, mut manifest: Manifest, ctx: &Context<'_>) -> Result<()> {
        manifest.write(&self.index.path)?;
        manifest.clean(&self.state.manifest, &self.index.path);
        let schemes = self.state.schemes.clone();
        let state = State::open(&self.index.path, manifest, schemes, Some(&self.state), false, ctx)?;
        self.index.put(state);
        Ok(())
    }
}

fn weight(segment: &Segment) -> usize {
    segment.len() + segment.dropped.numbers.len() + segment.tombstones.len()
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
