//! Candidates of one row, in keep order. Large buckets are pruned by rare-feature prefixes, so the cost does not grow
//! with the bucket.
//!
//! In: the pairs and memberships that the tables found ([`Candidates`]), and for each row whether it was kept. Out: for
//! each row its kept candidates, by (Hamming distance, row). Called by [`crate::dedup::decide`], row after row.
//!
//! There are three sources: the pairs of small buckets; the kept members of the row's large buckets; for short texts,
//! the rows that share a rare feature ([`crate::dedup::candidates::prefix`]). A family that shares half of its text and
//! is not near fills large buckets. There the prefixes rule out, exactly, the members that cannot be near; the others
//! are compared. Counts alone choose the way of a row, never the clock or the threads.

use rayon::ThreadPool;
use rayon::prelude::*;

use crate::base::context::Context;
use crate::base::error::{Error, Result};
use crate::dedup::candidates::feature_lists::{CHUNK, chunk, each_list, order, size};
use crate::dedup::candidates::prefix::{MAX_POSTINGS, Prefix, PrefixIndex, Prefixes, Repeated};
use crate::dedup::candidates::{Candidates, Edge, Filter};
use crate::dedup::documents::SchemeDocuments;
use crate::dedup::verify::Verifier;

/// Up to this many kept members of a row's large buckets are tested one by one, by fingerprint and sketch; a larger
/// number goes through the prefix index. With 4096 a family of one template took 26 CPU seconds to decide, not 20: a
/// tested row was fetched once more to be indexed.
pub const MAX_SCANNED_MEMBERS: usize = if cfg!(test) { 256 } else { 1024 };
/// If more members than this may be near, the prefix index is queried: each member would cost a fetch.
const MAX_TESTED_MEMBERS: usize = 48;
/// A query of the prefix index pays from this many indexed candidates on.
const MIN_INDEXED_CANDIDATES: usize = 2;
/// After this many failed verifications a row goes into the prefix index.
pub const REJECTIONS_TO_INDEX: u8 = 3;
/// After this many failed verifications in all, the features of the collection are counted for the prefix index.
pub const REJECTIONS_TO_COUNT_FEATURES: u64 = 10_000;
/// Postings of the large buckets at most: 3 GiB. Rows that do not fit are compared one by one.
const MAX_BUCKET_POSTINGS: usize = 1 << 28;
/// When one row of this many is indexed, and [`MIN_INDEXED_ROWS`] at least, features of one row only are left out. Of
/// a million questions a fifth is indexed: there the look through all rows would cost more than it spares.
const INDEXED_PART: usize = 3;
const MIN_INDEXED_ROWS: usize = if cfg!(test) { 32 } else { 4096 };

/// The candidates of one row after another, in keep order.
pub struct CandidateStream<'a> {
    documents: SchemeDocuments<'a>,
    pool: &'a ThreadPool,
    filter: Filter<'a>,
    edges: &'a [Edge],
    memberships: &'a [(u32, u32)],
    /// Kept members a large bucket.
    kept_members: Vec<Members>,
    order: Option<Prefixes>,
    /// Kept rows of large buckets, and rows that failed verifications; how many.
    bucket_index: PrefixIndex,
    indexed: usize,
    /// Failed verifications, for each row and in all.
    rejections: Vec<u8>,
    all_rejections: u64,
    /// Kept short texts, and kept rows that can be near one.
    short_text_index: PrefixIndex,
    /// The prefix of the row at hand.
    own: Option<(u32, Prefix)>,
    /// Rows of the row's large buckets that may be near, and room for one bucket's.
    near_bits: Vec<u32>,
    found: Vec<u32>,
    /// The nibbles of the sketch of the row at hand.
    own_nibbles: Vec<u64>,
}

/// The kept members of a large bucket.
#[derive(Debug, Default, Clone)]
struct Members {
    rows: Vec<u32>,
    /// How many of them, from the first, are in the prefix index.
    indexed: usize,
    /// Their fingerprints side by side: a bucket is then one walk, not a fetch from anywhere for each.
    fingerprints: Vec<u64>,
    /// The nibbles of their sketches side by side, unless there are too many members to be scanned.
    nibbles: Vec<u64>,
}

/// A row's candidates: (Hamming distance, row), ascending.
pub type CandidateList = Vec<(u32, u32)>;

impl<'a> CandidateStream<'a> {
    /// The candidates that the search `found`; `pool` is what counting and prefixes are spread over.
    pub fn new(
        documents: SchemeDocuments<'a>,
        filter: Filter<'a>,
        found: &'a Candidates,
        pool: &'a ThreadPool,
    ) -> Result<Self> {
        let rows = filter.rows().len();
        let short_texts = filter.short_text_rows();
        let mut stream = Self {
            documents,
            pool,
            filter,
            edges: &found.edges,
            memberships: &found.memberships,
            kept_members: vec![Members::default(); found.heavy_buckets as usize],
            order: None,
            bucket_index: PrefixIndex::new(0, 0),
            indexed: 0,
            rejections: Vec::new(),
            all_rejections: 0,
            short_text_index: PrefixIndex::new(if short_texts.is_empty() { 0 } else { rows }, MAX_POSTINGS),
            own: None,
            near_bits: Vec::new(),
            found: Vec::new(),
            own_nibbles: Vec::new(),
        };
        if !short_texts.is_empty() {
            stream.order = pool.install(|| order(documents, filter.rows(), &short_texts))?;
        }
        Ok(stream)
    }

    /// The edges of rows below `end` that were not yet asked for.
    pub fn edges_below(&self, end: u32) -> &'a [Edge] {
        &self.edges[..self.edges.partition_point(|edge| edge.later < end)]
    }

    /// The prefixes of the rows of a window that are near short texts, in parallel; hand them to [`CandidateStream::next`] in order.
    pub fn prefixes(&self, window: std::ops::Range<u32>) -> Result<Vec<(u32, Prefix)>> {
        match &self.order {
            Some(order) if self.short_text_index.is_enabled() => {
                let (documents, filter) = (self.documents, self.filter);
                self.pool.install(|| prefixes(documents, filter, order, window))
            }
            _ => Ok(Vec::new()),
        }
    }

    /// The candidates of `row`, the next in keep order. `prefix` is its prefix where it may match a short text;
    /// `is_kept` says of an earlier row whether it is kept.
    pub fn next(
        &mut self,
        row: u32,
        prefix: Option<Prefix>,
        is_kept: impl Fn(u32) -> bool,
        verifier: &mut Verifier<'a>,
        candidates: &mut CandidateList,
    ) -> Result<()> {
        candidates.clear();
        self.own = prefix.map(|prefix| (row, prefix));
        if row < self.filter.rows().old {
            // Old rows are kept without a comparison.
            return Ok(());
        }
        let own = take_while(&mut self.edges, |edge| edge.later == row);
        let kept = own.iter().filter(|edge| is_kept(edge.earlier));
        candidates.extend(kept.map(|edge| (edge.distance, edge.earlier)));
        if let (Some((_, prefix)), Some(order)) = (&self.own, &self.order) {
            let filter = &self.filter;
            self.short_text_index.query(order, prefix, |earlier| {
                candidates.extend(
                    filter
                        .short_text_distance(earlier, row)
                        .map(|distance| (distance, earlier)),
                );
            });
        }
        self.add_large_buckets(row, verifier, candidates)?;
        candidates.sort_unstable();
        candidates.dedup();
        Ok(())
    }

    /// Skips a row that was dropped under another scheme; [`CandidateStream::finish`] follows, as always.
    pub fn skip(&mut self, row: u32) {
        take_while(&mut self.edges, |edge| edge.later == row);
        self.own = None;
    }

    /// Adds the kept members of the row's large buckets.
    fn add_large_buckets(
        &mut self,
        row: u32,
        verifier: &mut Verifier<'a>,
        candidates: &mut CandidateList,
    ) -> Result<()> {
        let memberships = self.memberships;
        let buckets = &memberships[..memberships.iter().take_while(|(member, _)| *member == row).count()];
        let members: usize = buckets
            .iter()
            .map(|&(_, bucket)| self.kept_members[bucket as usize].rows.len())
            .sum();
        let mut by_rarity = members > MAX_SCANNED_MEMBERS && self.by_similarity();
        if !by_rarity {
            self.scan(row, buckets, false);
            by_rarity = self.near_bits.len() > MAX_TESTED_MEMBERS && self.by_similarity();
        }
        if by_rarity {
            self.prepare()?;
            for &(_, bucket) in buckets {
                self.index_members(bucket as usize, verifier)?;
            }
            self.query_buckets(row, verifier, |filter, earlier| {
                candidates.extend(filter.candidate(earlier, row).map(|distance| (distance, earlier)));
            })?;
            self.scan(row, buckets, true);
        }
        self.filter.touch(self.near_bits.iter().map(|&earlier| (earlier, row)));
        for &earlier in &self.near_bits {
            let distance = self.filter.candidate_in_tables(earlier, row);
            candidates.extend(distance.map(|distance| (distance, earlier)));
        }
        Ok(())
    }

    /// The kept members of buckets whose bits and nibbles are near to the row's, each once: all members, or those that are not indexed.
    fn scan(&mut self, row: u32, buckets: &[(u32, u32)], without_indexed: bool) {
        let own = self.filter.fingerprint(row);
        let words = self.filter.nibble_words();
        self.own_nibbles.clear();
        if buckets
            .iter()
            .any(|&(_, bucket)| !self.kept_members[bucket as usize].nibbles.is_empty())
        {
            self.filter.push_nibbles(row, &mut self.own_nibbles);
        }
        self.near_bits.clear();
        for &(_, bucket) in buckets {
            let members = &self.kept_members[bucket as usize];
            let from = if without_indexed { members.indexed } else { 0 };
            self.found.clear();
            let fingerprints = &members.fingerprints[from * own.len()..];
            self.filter.near_bits(own, fingerprints, &mut self.found);
            if !members.nibbles.is_empty() {
                let nibbles = &members.nibbles[from * words..];
                self.filter
                    .keep_near_nibbles(&self.own_nibbles, nibbles, &mut self.found);
            }
            let found = self.found.iter().map(|&at| members.rows[from + at as usize]);
            self.near_bits.extend(found);
        }
        self.near_bits.sort_unstable();
        self.near_bits.dedup();
    }

    /// Drops the indexed candidates that cannot be near, by the prefix index.
    pub fn prune(&mut self, row: u32, verifier: &mut Verifier<'a>, candidates: &mut CandidateList) -> Result<()> {
        let indexed = candidates
            .iter()
            .filter(|(_, earlier)| self.bucket_index.contains(*earlier))
            .count();
        if indexed >= MIN_INDEXED_CANDIDATES {
            self.query_buckets(row, verifier, |_, _| {})?;
            let bucket_index = &self.bucket_index;
            candidates.retain(|&(_, earlier)| !bucket_index.contains(earlier) || bucket_index.is_in_answer(earlier));
        }
        Ok(())
    }

    /// Counts a failed verification. After [`REJECTIONS_TO_INDEX`] of them the row goes into the prefix index.
    pub fn reject(&mut self, earlier: u32, verifier: &mut Verifier<'a>) -> Result<()> {
        if self.rejections.is_empty() {
            self.rejections = vec![0; self.filter.rows().len()];
        }
        let rejections = &mut self.rejections[earlier as usize];
        *rejections = rejections.saturating_add(1);
        self.all_rejections += 1;
        if *rejections >= REJECTIONS_TO_INDEX
            && self.all_rejections >= REJECTIONS_TO_COUNT_FEATURES
            && self.by_similarity()
        {
            self.prepare()?;
            self.index_row(earlier, verifier)?;
        }
        Ok(())
    }

    /// Ends a row; `kept` says whether it was kept.
    pub fn finish(&mut self, row: u32, kept: bool) -> Result<()> {
        let buckets = take_while(&mut self.memberships, |(member, _)| *member == row);
        if !kept {
            return Ok(());
        }
        for &(_, bucket) in buckets {
            let members = &mut self.kept_members[bucket as usize];
            members.rows.push(row);
            members.fingerprints.extend_from_slice(self.filter.fingerprint(row));
            if self.filter.nibble_words() > 0 && members.rows.len() <= MAX_SCANNED_MEMBERS {
                self.filter.push_nibbles(row, &mut members.nibbles);
            } else {
                members.nibbles = Vec::new();
            }
        }
        if !buckets.is_empty() && !self.bucket_index.is_empty() && self.own.as_ref().is_some_and(|(own, _)| *own == row)
        {
            // Its prefix is at hand, and its buckets are indexed.
            self.index_own(row)?;
        }
        match &self.own {
            Some((own, prefix))
                if *own == row && self.short_text_index.is_enabled() && self.filter.may_match_short_text(row) =>
            {
                insert_short_text(&mut self.short_text_index, row, prefix)
            }
            _ => Ok(()),
        }
    }

    fn by_similarity(&self) -> bool {
        self.documents.recipe.threshold.by_similarity()
    }

    /// Makes the prefix index of large buckets, and the order of features where there is none yet.
    fn prepare(&mut self) -> Result<()> {
        let rows = self.filter.rows().len();
        if !self.bucket_index.is_enabled() {
            self.bucket_index = PrefixIndex::new(rows, MAX_BUCKET_POSTINGS);
        }
        if self.order.is_none() {
            let all: Vec<u32> = (0..rows as u32).collect();
            let (documents, rows) = (self.documents, self.filter.rows());
            self.order = self.pool.install(|| order(documents, rows, &all))?;
        }
        Ok(())
    }

    /// Indexes the kept members of a bucket as far as postings fit.
    fn index_members(&mut self, bucket: usize, verifier: &mut Verifier<'a>) -> Result<()> {
        loop {
            let members = &self.kept_members[bucket];
            let Some(&member) = members.rows.get(members.indexed) else {
                return Ok(());
            };
            if !self.bucket_index.contains(member) && !self.index_row(member, verifier)? {
                return Ok(());
            }
            self.kept_members[bucket].indexed += 1;
        }
    }

    fn index_own(&mut self, row: u32) -> Result<()> {
        match &self.own {
            Some((_, prefix)) if !self.bucket_index.contains(row) && self.bucket_index.insert(row, prefix) => {
                self.count_indexed()
            }
            _ => Ok(()),
        }
    }

    fn index_row(&mut self, row: u32, verifier: &mut Verifier<'a>) -> Result<bool> {
        let Some(order) = &self.order else { return Ok(false) };
        if self.bucket_index.contains(row) {
            return Ok(true);
        }
        let indexed = self.bucket_index.insert(row, &verifier.prefix(row, order)?);
        if indexed {
            self.count_indexed()?;
        }
        Ok(indexed)
    }

    /// Once the index is large, a look through all rows pays: features of one row only need no posting.
    fn count_indexed(&mut self) -> Result<()> {
        self.indexed += 1;
        let rows = self.filter.rows();
        if self.indexed == MIN_INDEXED_ROWS.max(rows.len() / INDEXED_PART) {
            let all: Vec<u32> = (0..rows.len() as u32).collect();
            let features = all.iter().map(|&row| size(self.documents, rows, row)).sum();
            let repeated = self.pool.install(|| {
                Repeated::count(all.len().div_ceil(CHUNK), features, |at, add| {
                    each_list(self.documents, rows, chunk(&all, at), add)
                })
            })?;
            if let Some(order) = &mut self.order {
                order.leave_out_unshared(repeated);
                self.bucket_index.expect_repeated();
            }
        }
        Ok(())
    }

    /// Queries the prefix index for the rows that may be near `row`.
    fn query_buckets(
        &mut self,
        row: u32,
        verifier: &mut Verifier<'a>,
        mut each: impl FnMut(&Filter, u32),
    ) -> Result<()> {
        let Some(order) = &self.order else { return Ok(()) };
        if self.own.as_ref().is_none_or(|(own, _)| *own != row) {
            self.own = Some((row, verifier.prefix(row, order)?));
        }
        if let Some((_, prefix)) = &self.own {
            let filter = &self.filter;
            self.bucket_index.query(order, prefix, |earlier| each(filter, earlier));
        }
        Ok(())
    }
}

/// Hands every candidate pair with a short text to `take`, each once, about a million at a time.
pub fn short_text_pairs(
    documents: SchemeDocuments<'_>,
    filter: Filter,
    pool: &ThreadPool,
    ctx: &Context<'_>,
    mut take: impl FnMut(Vec<Edge>) -> Result<()>,
) -> Result<()> {
    const WINDOW: u32 = 4096;
    const PIECE: usize = 1 << 20;
    let found = Candidates::default();
    let n = filter.rows().len() as u32;
    let mut stream = CandidateStream::new(documents, filter, &found, pool)?;
    let Some(order) = stream.order.take() else {
        return Ok(());
    };
    let mut edges = Vec::new();
    for start in (0..n).step_by(WINDOW as usize) {
        let window = start..n.min(start.saturating_add(WINDOW));
        for (row, prefix) in pool.install(|| prefixes(documents, filter, &order, window))? {
            ctx.tick("search", u64::from(row), u64::from(n))?;
            stream.short_text_index.query(&order, &prefix, |earlier| {
                let distance = filter.short_text_distance(earlier, row);
                edges.extend(distance.map(|distance| Edge {
                    later: row,
                    distance,
                    earlier,
                }));
            });
            insert_short_text(&mut stream.short_text_index, row, &prefix)?;
            if edges.len() > PIECE {
                take(std::mem::take(&mut edges))?;
            }
        }
    }
    take(edges)
}

/// Inserts a row; none may be left out, or pairs would be lost.
fn insert_short_text(index: &mut PrefixIndex, row: u32, prefix: &Prefix) -> Result<()> {
    if index.insert(row, prefix) {
        return Ok(());
    }
    Err(Error::Config(format!(
        "more than {MAX_POSTINGS} features of short texts in one run; split the source"
    )))
}

/// The prefixes of the rows of a window that may match a short text.
fn prefixes(
    documents: SchemeDocuments<'_>,
    filter: Filter,
    order: &Prefixes,
    window: std::ops::Range<u32>,
) -> Result<Vec<(u32, Prefix)>> {
    let rows: Vec<u32> = window.filter(|&row| filter.may_match_short_text(row)).collect();
    let rows = rows.par_iter();
    rows.map_init(
        || Verifier::new(documents, filter.rows()),
        |verifier, &row| Ok((row, verifier.prefix(row, order)?)),
    )
    .collect()
}

/// Cuts the leading items that satisfy `wanted` off a slice.
fn take_while<'a, T>(items: &mut &'a [T], wanted: impl Fn(&T) -> bool) -> &'a [T] {
    let (own, rest) = items.split_at(items.iter().position(|item| !wanted(item)).unwrap_or(items.len()));
    *items = rest;
    own
}
