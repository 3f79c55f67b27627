//! From records to hits: equal anchors of two documents.
//!
//! A hit is one number, as an anchor is: document, source, letter of each. Of two collections the smaller one is read first: of the other only anchors are
//! gathered that the first may have.

use std::sync::Arc;

use super::gather::{Reading, Side, hash, position};
use super::kept::Anchors;
use super::options::Options;
use crate::base::context::Context;
use crate::base::error::Result;
use crate::collection::check_number;
use crate::collection::ingest::pieces::Failures;
use crate::collection::ingest::record_reader::BLOCK_BYTES;
use crate::collection::labels::Labels;
use crate::source::{Fields, Sources};
use crate::storage::column::Column;
use crate::storage::run_dir::SortedRuns;
use crate::text::anchors::Windows;

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

/// What is known after all records were read.
#[derive(Default)]
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
    kept: Option<&Anchors>,
    ctx: &Context<'_>,
) -> Result<Read> {
    check_number(sources.len())?;
    let new = sources.new_len();
    let mut anchors = SortedRuns::new(options.place("anchors"), 0);
    let pool = ctx.pool()?;
    let is_against = sources.is_against();
    let reading = Reading {
        sources,
        fields,
        scheme: &options.scheme,
        windows,
        whole: true,
        ctx,
    };
    let (own, other) = if let Some(kept) = kept {
        let known = |hash| !kept.of_hash(hash).is_empty();
        (reading.side(0..new, Some(&known), &mut anchors, None)?, kept.side(new))
    } else if !is_against {
        (reading.side(0..new, None, &mut anchors, None)?, Side::default())
    } else {
        let blocks = sources.blocks(BLOCK_BYTES);
        let new_is_smaller = 2 * blocks.iter().filter(|block| block.start < new).count() <= blocks.len();
        let both = [0..new, new..sources.len()];
        let [first, second] = if new_is_smaller { [0, 1] } else { [1, 0] };
        let mut seen = Vec::new();
        let one = reading.side(both[first].clone(), None, &mut anchors, Some(&mut seen))?;
        let seen = Filter::of(seen);
        let known = |hash| seen.may_have(hash);
        let two = reading.side(both[second].clone(), Some(&known), &mut anchors, None)?;
        if new_is_smaller { (one, two) } else { (two, one) }
    };
    let anchors = anchors.finish_mapped(pool)?;
    let mut hits = SortedRuns::new(options.place("hits"), 0);
    let (mut done, mut told, mut both) = (0, 0, Vec::new());
    for group in anchors.chunk_by(|one, other| hash(*one) == hash(*other)) {
        if let Some(kept) = kept {
            let (hash, first) = (hash(group[0]), (new as u128) << 32);
            let places = kept.of_hash(hash).map(|at| kept.place(at));
            both.clear();
            both.extend_from_slice(group);
            both.extend(places.map(|place| u128::from(hash) << 64 | (u128::from(place) + first)));
        }
        let group = if both.is_empty() { group } else { &both };
        take_group(group, new, is_against, options.common as usize, &mut hits);
        done += group.len();
        if done - told >= ANCHORS_AT_ONCE {
            told = done;
            ctx.tick("search", done as u64, anchors.len() as u64)?;
            hits.bound(pool)?;
        }
    }
    let hits = hits.finish_mapped(pool)?;
    let mut read = Read {
        hits,
        ..Read::default()
    };
    for side in [own, other] {
        read.labels.append(&side.labels);
        read.lengths.extend(side.lengths);
        read.failures.extend(side.failures);
    }
    Ok(read)
}

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
struct Filter(Vec<u64>);

impl Filter {
    /// Sixteen bits a hash, and 128 MiB at most.
    fn of(hashes: Vec<u64>) -> Self {
        let words = (hashes.len() / 4).next_power_of_two().clamp(1, 1 << 24);
        let mut bits = vec![0; words];
        for hash in hashes {
            bits[(hash >> 6) as usize & (words - 1)] |= 1 << (hash & 63);
        }
        Self(bits)
    }

    fn may_have(&self, hash: u64) -> bool {
        self.0[(hash >> 6) as usize & (self.0.len() - 1)] >> (hash & 63) & 1 == 1
    }
}
