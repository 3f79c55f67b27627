//! From records to hits: equal anchors of two documents.
//!
//! An anchor is one number: hash, position of the document, letter. A hit is one too: document, source, letter of each. So both are sorted by
//! the runs of [`SortedRuns`], in memory or in files. Of two collections the smaller one is read first: of the other only anchors are
//! gathered that the first may have.

use std::sync::Arc;

use crate::base::context::Context;
use crate::base::error::{Error, Result};
use crate::collection::ingest::pieces::Failures;
use crate::collection::ingest::record_reader::{RecordReader, RecordWork};
use crate::collection::labels::Labels;
use crate::encode::scheme::{Scheme, UnusableText};
use crate::source::{Fields, Record, Sources};
use crate::storage::column::Column;
use crate::storage::run_dir::SortedRuns;

use super::anchors::{Windows, each_anchor};
use super::letters::{Letter, take_letters};
use super::options::Options;

/// In the place of a source: the anchor is common.
pub(super) const COMMON: u32 = u32::MAX;

pub(super) const fn document(hit: u128) -> u32 {
    (hit >> 96) as u32
}

pub(super) const fn source(hit: u128) -> u32 {
    (hit >> 64) as u32
}

/// The letter of the document, and that of the source.
pub(super) const fn letters(hit: u128) -> (usize, usize) {
    ((hit >> 32) as u32 as usize, hit as u32 as usize)
}

const fn hit(document: u32, source: u32, letter: u32, source_letter: u32) -> u128 {
    (document as u128) << 96 | (source as u128) << 64 | (letter as u128) << 32 | source_letter as u128
}

const fn hash(anchor: u128) -> u64 {
    (anchor >> 64) as u64
}

const fn position(anchor: u128) -> u32 {
    (anchor >> 32) as u32
}

/// What is known after all records were read.
pub(super) struct Read {
    /// The hits, ascending.
    pub(super) hits: Column<u128>,
    pub(super) labels: Labels,
    pub(super) lengths: Vec<u32>,
    pub(super) failures: Failures,
}

/// Reads all records, and finds the hits.
pub(super) fn read(
    sources: &Arc<Sources>,
    fields: &Fields,
    (options, windows): (&Options, Windows),
    ctx: &Context<'_>,
) -> Result<Read> {
    if sources.len() >= COMMON as usize {
        return Err(Error::Config(msg!(
            "{n} records are more than 2^32 - 2; split the source",
            n = sources.len()
        )));
    }
    let new = sources.new_len();
    let blocks = sources.blocks(BLOCK_BYTES);
    let new_is_smaller = 2 * blocks.iter().filter(|block| block.start < new).count() <= blocks.len();
    let mut sides = [(0, new), (new, sources.len())].map(|(from, to)| Side {
        from,
        to,
        batch: AnchorBatch::default(),
        failures: Vec::new(),
    });
    let place = |name| options.run_dir.as_deref().map(|dir| (dir, name));
    let mut anchors = SortedRuns::new(place("anchors"), 0);
    let mut filter = None;
    let pool = ctx.pool()?;
    let is_against = sources.is_against();
    let order = if new_is_smaller || !is_against { [0, 1] } else { [1, 0] };
    for (nth, at) in order.into_iter().enumerate() {
        let side = &mut sides[at];
        let work = Gather {
            scheme: &options.scheme,
            filter: filter.as_ref(),
            windows,
        };
        let reader = RecordReader {
            sources,
            fields,
            block_bytes: BLOCK_BYTES,
            batch: 0,
            stage: "read",
            from: side.from,
            to: side.to,
        };
        let mut seen = Filter::default();
        reader.each_batch(&work, ctx, |batch, failed| {
            let first = (side.from + side.batch.lengths.len()) as u128;
            if nth == 0 && is_against {
                seen.hashes.extend(batch.anchors.iter().map(|&anchor| hash(anchor)));
            }
            anchors.extend(batch.anchors.iter().map(|anchor| anchor + (first << 32)));
            anchors.bound(pool)?;
            side.batch.labels.append(&batch.labels);
            side.batch.lengths.extend(batch.lengths);
            side.failures.extend(failed);
            Ok(())
        })?;
        filter = is_against.then(|| seen.ready());
    }
    let anchors = anchors.finish(pool)?.column;
    let mut hits = SortedRuns::new(place("hits"), 0);
    let (mut done, mut told) = (0, 0);
    for group in anchors.chunk_by(|one, other| hash(*one) == hash(*other)) {
        take_group(group, new, is_against, options.common as usize, &mut hits);
        done += group.len();
        if done - told >= ANCHORS_AT_ONCE {
            told = done;
            ctx.tick("search", done as u64, anchors.len() as u64)?;
            hits.bound(pool)?;
        }
    }
    let hits = hits.finish(pool)?.column;
    if let Some(dir) = &options.run_dir {
        dir.discard("anchors");
        dir.discard("hits");
    }
    let [mut one, other] = sides;
    one.batch.labels.append(&other.batch.labels);
    one.batch.lengths.extend(other.batch.lengths);
    one.failures.extend(other.failures);
    Ok(Read {
        hits,
        labels: one.batch.labels,
        lengths: one.batch.lengths,
        failures: one.failures,
    })
}

const BLOCK_BYTES: u64 = 512 << 10;
/// Anchors between two reports of progress.
const ANCHORS_AT_ONCE: usize = 1 << 16;

/// The hits of the anchors of one hash, ascending by position and letter.
fn take_group(group: &[u128], new: usize, is_against: bool, most: usize, hits: &mut SortedRuns<'_, u128>) {
    let letter = |anchor: u128| anchor as u32;
    let told = |anchor: &u128| hit(position(*anchor), COMMON, letter(*anchor), 0);
    let of_new = group.partition_point(|&anchor| (position(anchor) as usize) < new);
    let (own, others) = group.split_at(of_new);
    if !is_against {
        if own.len() > most {
            hits.extend(own.iter().map(told));
            return;
        }
        // The source is the earlier one of two.
        for (at, &one) in own.iter().enumerate() {
            let earlier = own[..at].iter().filter(|&&other| position(other) < position(one));
            hits.extend(earlier.map(|&other| hit(position(one), position(other), letter(one), letter(other))));
        }
        return;
    }
    if others.is_empty() {
        return;
    }
    for document in own.chunk_by(|one, other| position(*one) == position(*other)) {
        if others.len() > most || document.len() > most {
            hits.extend(document.iter().map(told));
            continue;
        }
        for &one in document {
            hits.extend(
                others
                    .iter()
                    .map(|&other| hit(position(one), position(other), letter(one), letter(other))),
            );
        }
    }
}

/// Which hashes a collection may have.
#[derive(Default)]
struct Filter {
    hashes: Vec<u64>,
    bits: Vec<u64>,
}

impl Filter {
    /// Sixteen bits a hash, and 128 MiB at most.
    fn ready(self) -> Self {
        let words = (self.hashes.len() / 4).next_power_of_two().clamp(1, 1 << 24);
        let mut bits = vec![0; words];
        for hash in &self.hashes {
            bits[(hash >> 6) as usize & (words - 1)] |= 1 << (hash & 63);
        }
        Self {
            hashes: Vec::new(),
            bits,
        }
    }

    fn may_have(&self, hash: u64) -> bool {
        self.bits[(hash >> 6) as usize & (self.bits.len() - 1)] >> (hash & 63) & 1 == 1
    }
}

/// The records of one collection.
struct Side {
    from: usize,
    to: usize,
    batch: AnchorBatch,
    failures: Failures,
}

/// What some records came to: anchors with the number of the record among them, labels, code points.
#[derive(Default)]
struct AnchorBatch {
    anchors: Vec<u128>,
    labels: Labels,
    lengths: Vec<u32>,
}

struct Gather<'a> {
    scheme: &'a Scheme,
    filter: Option<&'a Filter>,
    windows: Windows,
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
        let points = take_letters(&self.scheme.used_text(&record.text)?, letters);
        let at = (batch.lengths.len() as u128) << 32;
        each_anchor(self.windows, letters, |hash, letter| {
            if self.filter.is_none_or(|filter| filter.may_have(hash)) {
                batch.anchors.push(u128::from(hash) << 64 | at | u128::from(letter));
            }
        });
        batch.labels.push(record.id.as_deref());
        batch.lengths.push(points);
        Ok(())
    }

    fn add_failed(&self, batch: &mut AnchorBatch) {
        batch.labels.push(None);
        batch.lengths.push(0);
    }
}
