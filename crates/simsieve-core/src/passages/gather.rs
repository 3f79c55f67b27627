//! From records to anchors: each record is read once, on all threads.
//!
//! An anchor is one number: hash, position of the record, letter. So anchors are sorted by the runs of [`SortedRuns`], in memory or in
//! files.

use std::ops::Range;

use super::packed::{Packing, pack};
use crate::base::context::Context;
use crate::base::error::Result;
use crate::collection::ingest::pieces::Failures;
use crate::collection::ingest::record_reader::{BLOCK_BYTES, RecordReader, RecordWork};
use crate::collection::labels::Labels;
use crate::encode::scheme::{Scheme, UnusableText};
use crate::source::{Fields, Record, Sources};
use crate::storage::run_dir::SortedRuns;
use crate::text::anchors::{Windows, each_anchor, each_window};
use crate::text::letters::{Letter, signature, take_letters};

pub(super) const fn hash(anchor: u128) -> u64 {
    (anchor >> 64) as u64
}

pub(super) const fn position(anchor: u128) -> u32 {
    (anchor >> 32) as u32
}

/// The records of one collection.
#[derive(Default)]
pub(super) struct Side {
    pub(super) labels: Labels,
    pub(super) lengths: Vec<u32>,
    pub(super) failures: Failures,
    /// Of each record that is [`Reading::signed`].
    pub(super) signatures: Vec<u64>,
}

/// How the records of a collection are read for their anchors.
pub(super) struct Reading<'a, 'c> {
    pub(super) sources: &'a Sources,
    pub(super) fields: &'a Fields,
    pub(super) scheme: &'a Scheme,
    pub(super) windows: Windows,
    /// Whether of a small collection every window is an anchor.
    pub(super) whole: bool,
    /// The first record whose letters get a signature, by which equal ones are known.
    pub(super) signed: usize,
    pub(super) ctx: &'a Context<'c>,
}

/// A collection of at most this many blocks, 8 MiB, is small.
const SMALL_BLOCKS: usize = 16;

impl Reading<'_, '_> {
    /// Reads records, and adds those of their anchors that are `known`, all by default. Their hashes go to `seen`, and
    /// the letters of the records to `letters`.
    pub(super) fn side(
        &self,
        records: Range<usize>,
        known: Option<Known<'_>>,
        anchors: &mut SortedRuns<'_, u128>,
        mut seen: Option<&mut Vec<u64>>,
        mut letters: Option<&mut Packing<'_>>,
    ) -> Result<Side> {
        let is_small = || {
            let blocks = self.sources.blocks(BLOCK_BYTES);
            blocks.iter().filter(|block| records.contains(&block.start)).count() <= SMALL_BLOCKS
        };
        let work = Gather {
            scheme: self.scheme,
            known,
            windows: self.windows,
            whole: self.whole && is_small(),
            signed: records.start >= self.signed,
            packs: letters.is_some(),
        };
        let reader = RecordReader {
            sources: self.sources,
            fields: self.fields,
            block_bytes: BLOCK_BYTES,
            batch: 0,
            stage: "read",
            from: records.start,
            to: records.end,
        };
        let pool = self.ctx.pool()?;
        let mut side = Side::default();
        reader.each_batch(&work, self.ctx, |batch, failed| {
            let first = (records.start + side.lengths.len()) as u128;
            if let Some(seen) = &mut seen {
                seen.extend(batch.anchors.iter().map(|&anchor| hash(anchor)));
            }
            if let Some(letters) = &mut letters {
                letters.extend(batch.letters, &batch.ends)?;
            }
            anchors.extend(batch.anchors.iter().map(|anchor| anchor + (first << 32)));
            anchors.bound(pool)?;
            side.labels.append(&batch.labels);
            side.lengths.extend(batch.lengths);
            side.signatures.extend(batch.signatures);
            side.failures.extend(failed);
            Ok(())
        })?;
        Ok(side)
    }
}

/// Whether an anchor of this hash may lead to a hit.
type Known<'a> = &'a (dyn Fn(u64) -> bool + Sync);

/// What some records came to: anchors with the number of the record among them, labels, code points.
#[derive(Default)]
struct AnchorBatch {
    anchors: Vec<u128>,
    labels: Labels,
    lengths: Vec<u32>,
    signatures: Vec<u64>,
    /// Packed, and where those of each record end.
    letters: Vec<u8>,
    ends: Vec<u64>,
}

struct Gather<'a> {
    scheme: &'a Scheme,
    known: Option<Known<'a>>,
    windows: Windows,
    whole: bool,
    signed: bool,
    packs: bool,
}

impl RecordWork for Gather<'_> {
    type Scratch = Vec<Letter>;
    type Batch = AnchorBatch;

    fn scratch(&self) -> Vec<Letter> {
        Vec::new()
    }

    fn batch(&self, _records: usize) -> Result<AnchorBatch> {
        Ok(AnchorBatch::default())
    }

    fn add(&self, record: Record<'_>, letters: &mut Vec<Letter>, batch: &mut AnchorBatch) -> Result<(), UnusableText> {
        let points = take_letters(&self.scheme.used_text(&record.text)?.0, letters);
        let at = (batch.lengths.len() as u128) << 32;
        let add = |hash, letter| {
            if self.known.is_none_or(|known| known(hash)) {
                batch.anchors.push(u128::from(hash) << 64 | at | u128::from(letter));
            }
        };
        if self.whole {
            each_window(self.windows, letters, add);
        } else {
            each_anchor(self.windows, letters, add);
        }
        if self.signed {
            batch.signatures.push(signature(letters));
        }
        if self.packs {
            pack(letters, &mut batch.letters);
            batch.ends.push(batch.letters.len() as u64);
        }
        batch.labels.push(record.id.as_deref());
        batch.lengths.push(points);
        Ok(())
    }

    fn add_failed(&self, batch: &mut AnchorBatch) {
        if self.signed {
            batch.signatures.push(signature(&[]));
        }
        if self.packs {
            batch.ends.push(batch.letters.len() as u64);
        }
        batch.labels.push(None);
        batch.lengths.push(0);
    }
}
