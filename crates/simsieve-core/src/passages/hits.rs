//! From records to hits: equal anchors of two documents.
//!
//! A hit is one number, as an anchor is: document, source, letter of each. Of two collections the smaller one is read first: of the other only anchors are
//! gathered that the first may have.

use std::sync::Arc;

use rayon::ThreadPool;

use super::gather::{Reading, Side, hash, position};
use super::kept::Anchors;
use super::options::Options;
use super::packed::{Packed, Packing};
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

/// In the place of a source: the anchor is common, and the letter of the source is the number of documents that have it.
pub(super) const COMMON: u32 = u32::MAX;

pub(super) const fn document(hit: u128) -> u32 {
    (hit >> 96) as u32
}

pub(super) const fn source(hit: u128) -> u32 {
    (hit >> 64) as u32
}

/// The document and the source.
pub(super) const fn pair(hit: u128) -> u64 {
    (hit >> 64) as u64
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
    pub(super) equal: Equal,
    pub(super) letters: Packed,
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
        signed: if is_against { new } else { usize::MAX },
        ctx,
    };
    let dir = options.run_dir.as_deref();
    let mut letters = Packing::new(dir, if is_against { new } else { 0 })?;
    let (own, other) = if let Some(kept) = kept {
        let known = |hash| !kept.of_hash(hash).is_empty();
        let own = reading.side(0..new, Some(&known), &mut anchors, None, None)?;
        (own, kept.side(new))
    } else if !is_against {
        let own = reading.side(0..new, None, &mut anchors, None, Some(&mut letters))?;
        (own, Side::default())
    } else {
        let blocks = sources.blocks(BLOCK_BYTES);
        let of_new = blocks.iter().filter(|block| block.start < new).count();
        let (new_is_smaller, old_are_few) = (2 * of_new <= blocks.len(), blocks.len() - of_new <= PACKED_BLOCKS);
        let packs = |side: usize| side == 1 && old_are_few;
        let both = [0..new, new..sources.len()];
        let [first, second] = if new_is_smaller { [0, 1] } else { [1, 0] };
        let mut seen = Vec::new();
        let packing = packs(first).then_some(&mut letters);
        let one = reading.side(both[first].clone(), None, &mut anchors, Some(&mut seen), packing)?;
        let seen = Filter::of(seen);
        let known = |hash| seen.may_have(hash);
        let packing = packs(second).then_some(&mut letters);
        let two = reading.side(both[second].clone(), Some(&known), &mut anchors, None, packing)?;
        if new_is_smaller { (one, two) } else { (two, one) }
    };
    let anchors = anchors.finish_mapped(pool)?;
    let equal = Equal::of(&other.signatures, new);
    let mut hits = Hits {
        runs: SortedRuns::new(options.place("hits"), 0),
        count: 0,
        options,
        pool,
    };
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
        hits.take_group(group, new, is_against, &equal)?;
        done += group.len();
        if done - told >= ANCHORS_AT_ONCE {
            told = done;
            ctx.tick("search", done as u64, anchors.len() as u64)?;
        }
    }
    let hits = hits.runs.finish_mapped(pool)?;
    let mut read = Read {
        hits,
        equal,
        letters: letters.finish()?,
        ..Read::default()
    };
    for side in [own, other] {
        read.labels.append(&side.labels);
        read.lengths.extend(side.lengths);
        read.failures.extend(side.failures);
    }
    Ok(read)
}

/// The letters of old records are packed if they are at most this many blocks, 64 MiB.
const PACKED_BLOCKS: usize = 128;

/// Anchors between two reports of progress.
const ANCHORS_AT_ONCE: usize = 1 << 16;

/// Places of an anchor in one document that are all held against those in another.
const MOST_CROSSED: u64 = 256;

/// The hits that are found, in memory or in files.
struct Hits<'a> {
    runs: SortedRuns<'a, u128>,
    count: u64,
    options: &'a Options,
    pool: &'a ThreadPool,
}

impl Hits<'_> {
    /// Takes the hits of the anchors of one hash, ascending by position and letter.
    fn take_group(&mut self, group: &[u128], new: usize, is_against: bool, equal: &Equal) -> Result<()> {
        let most = self.options.common as usize;
        let of_new = group.partition_point(|&anchor| (position(anchor) as usize) < new);
        let (own, others) = group.split_at(of_new);
        let (Some(&first), Some(&last)) = (own.first(), own.last()) else {
            return Ok(());
        };
        let by_document = |one: &u128, other: &u128| position(*one) == position(*other);
        let searched: Vec<&[u128]> = if is_against {
            let each = others.chunk_by(by_document);
            each.filter(|of| equal.is_first(position(of[0]))).collect()
        } else if position(first) == position(last) && !self.options.within {
            return Ok(());
        } else {
            own.chunk_by(by_document).take(most.saturating_add(1)).collect()
        };
        if searched.len() > most {
            let count = searched.len() as u32;
            let told = |&anchor: &u128| hit(position(anchor), COMMON, anchor as u32, count);
            self.runs.extend(own.iter().map(told));
            if is_against {
                // The first source is held for all.
                let mut documents = own.chunk_by(by_document);
                return documents.try_for_each(|document| self.pair(document, searched[0]));
            }
            return self.runs.bound(self.pool);
        }
        if searched.is_empty() {
            return Ok(());
        }
        for (at, document) in own.chunk_by(by_document).enumerate() {
            // The source is the earlier one of two.
            let sources = if is_against { &searched } else { &searched[..at] };
            sources.iter().try_for_each(|source| self.pair(document, source))?;
            if self.options.within && document.len() > 1 {
                self.pair(document, document)?;
            }
        }
        Ok(())
    }

    /// Takes the hits of two documents: every place with every other, or where these are many each place once.
    fn pair(&mut self, document: &[u128], source: &[u128]) -> Result<()> {
        let letter = |anchor: u128| anchor as u32;
        let hit = |one: u128, other: u128| hit(position(one), position(other), letter(one), letter(other));
        let every = document.len() as u64 * source.len() as u64;
        let most = u64::from(self.options.common).min(MOST_CROSSED).pow(2);
        let longer = document.len().max(source.len());
        self.count += if every <= most { every } else { longer as u64 };
        let bytes = self.count.saturating_mul(size_of::<u128>() as u64);
        if self.options.run_dir.is_none() && bytes > self.options.room {
            return Err(self.options.too_many(self.count));
        }
        let is_within = position(document[0]) == position(source[0]);
        if every <= most {
            for (at, &one) in document.iter().enumerate() {
                let source = if is_within { &source[..at] } else { source };
                self.runs.extend(source.iter().map(|&other| hit(one, other)));
            }
        } else if is_within {
            // The source is the place before.
            self.runs.extend(document.windows(2).map(|two| hit(two[1], two[0])));
        } else {
            let each = (0..longer).map(|at| hit(document[at % document.len()], source[at % source.len()]));
            self.runs.extend(each);
        }
        self.runs.bound(self.pool)
    }
}

/// Sources of equal letters: the first one is searched for all.
#[derive(Debug, Default)]
pub(super) struct Equal {
    new: usize,
    /// Whether a source is no first one; nothing where all are.
    is_copy: Vec<bool>,
    /// The first of equal sources with each of the others, ascending.
    copies: Vec<(u32, u32)>,
}

impl Equal {
    fn of(signatures: &[u64], new: usize) -> Self {
        let mut order: Vec<(u64, u32)> = signatures.iter().copied().zip(new as u32..).collect();
        order.sort_unstable();
        let mut equal = Self { new, ..Self::default() };
        for some in order.chunk_by(|one, other| one.0 == other.0) {
            equal.copies.extend(some[1..].iter().map(|copy| (some[0].1, copy.1)));
        }
        equal.copies.sort_unstable();
        if !equal.copies.is_empty() {
            equal.is_copy = vec![false; signatures.len()];
        }
        for &(_, copy) in &equal.copies {
            equal.is_copy[copy as usize - new] = true;
        }
        equal
    }

    fn is_first(&self, source: u32) -> bool {
        !self
            .is_copy
            .get(source as usize - self.new)
            .is_some_and(|is_copy| *is_copy)
    }

    /// The first of equal sources with each of the others.
    pub(super) fn copies(&self, first: u32) -> &[(u32, u32)] {
        let start = self.copies.partition_point(|copy| copy.0 < first);
        let count = self.copies[start..].partition_point(|copy| copy.0 == first);
        &self.copies[start..start + count]
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
