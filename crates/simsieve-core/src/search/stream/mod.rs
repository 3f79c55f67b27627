//! Candidates of one row, in keep order. Members of large buckets are left out by a bound on what they share with the row.
//!
//! In: the pairs and memberships that the tables found ([`Candidates`]), and for each row whether it was kept. Out: for
//! each row its kept candidates, by (Hamming distance, row). Called by [`crate::dedup::decide`], row after row.
//!
//! There are two sources: the pairs of small buckets, and the kept members of the row's large buckets. A family that shares half of
//! its text and is not near fills large buckets. There the index of features rules out, exactly, the members that cannot be near;
//! the others are compared. In small buckets the bits of the features do so where texts are short, else the index.
//! Counts alone choose the way of a row, never the clock or the threads.

mod journal;
mod kept_members;
mod row_bits;

use std::ops::Range;

use rayon::ThreadPool;

use crate::base::context::Context;
use crate::base::error::Result;
use crate::base::tuning::Tuning;
use crate::search::candidates::feature_lists::{mean_size, profiles, repeated, total_size};
use crate::search::candidates::filter::Fetched;
use crate::search::candidates::overlap::{OverlapIndex, Profile, Profiles};
use crate::search::candidates::{Candidates, Edge, Filter, Member, Rows};
use crate::search::documents::SchemeDocuments;
use crate::search::features::Features;
use crate::search::known_bits::KnownBits;
pub use crate::search::stream::journal::Journal;
use crate::search::stream::journal::Rejections;
use crate::search::stream::kept_members::KeptMembers;
use crate::search::stream::row_bits::RowBits;

/// If more members than this may be near by their bits, the index of features is queried: each member would cost a fetch.
const MAX_TESTED_MEMBERS: usize = 48;
/// If more than this may be near by the bits of their features, it is queried too: each would be verified.
const MAX_VERIFIED_MEMBERS: usize = 16;
/// A query of the index pays from this many indexed candidates on.
const MIN_INDEXED_CANDIDATES: usize = 2;
/// The index gives the members if at most one of this many can be near by common features alone: to test one by its features costs
/// more than by its bits.
const MEMBERS_OF_POSSIBLE: usize = 8;
/// After this many rejections a row goes into the index.
const REJECTIONS_TO_INDEX: u8 = 3;
/// Postings of the large buckets at most: 2 GiB. Rows that do not fit are compared one by one.
const MAX_BUCKET_POSTINGS: usize = 1 << 28;
/// Feature bits of rows at most, in bytes.
const MAX_KNOWN_BITS: usize = 1 << 30;
/// With a run directory index and bits take at most this many times what a stage may gather.
const INDEX_OF_GATHERED: usize = 2;
/// When one row of this many is indexed, and [`Tuning::indexed_rows`] at least, features of one row only are left out. Of
/// a million questions a fifth is indexed: there the look through all rows would cost more than it spares.
const INDEXED_PART: usize = 3;
/// And where one feature of this many is rare, so that it has a posting.
const RARE_PART: usize = 4;

/// The candidates of one row after another, in keep order.
pub struct CandidateStream<'a> {
    documents: SchemeDocuments<'a>,
    pool: &'a ThreadPool,
    tuning: Tuning,
    filter: Filter<'a>,
    found: &'a Candidates,
    edges: &'a [Edge],
    memberships: &'a [Member],
    /// The kept members of large buckets.
    kept_members: KeptMembers<'a>,
    profiles: Option<Profiles>,
    /// Kept rows of large buckets, and rows that failed verifications.
    index: OverlapIndex,
    /// Bits of rows that were rejected, and those of the row at hand.
    bits: RowBits,
    rejections: Rejections,
    /// The profile of the row at hand, and whether the index was queried for it after the last insertion.
    own: Option<(u32, Profile)>,
    queried: bool,
    /// Rows of the row's large buckets that may be near.
    near_bits: Vec<u32>,
    fetched: Fetched,
    /// What a stream is restored from, since it was taken last; `None` where nobody asks for it.
    journal: Option<Journal>,
}

/// A row's candidates: (Hamming distance, row), ascending.
pub type CandidateList = Vec<(u32, u32)>;

impl<'a> CandidateStream<'a> {
    /// The candidates that the search `found`.
    pub fn new(
        documents: SchemeDocuments<'a>,
        filter: Filter<'a>,
        found: &'a Candidates,
        ctx: &'a Context<'_>,
    ) -> Result<Self> {
        let size = mean_size(documents, filter.rows());
        let bits = RowBits::new(documents, &filter, size, most_bytes(documents).min(MAX_KNOWN_BITS));
        Ok(Self {
            documents,
            pool: ctx.pool()?,
            tuning: ctx.tuning,
            bits,
            filter,
            found,
            edges: &found.edges,
            memberships: &found.memberships,
            kept_members: KeptMembers::new(found, size, ctx.tuning),
            profiles: None,
            index: OverlapIndex::new(0, 0, 0, filter.kernel()),
            rejections: Rejections::default(),
            own: None,
            queried: false,
            near_bits: Vec::new(),
            fetched: Fetched::default(),
            journal: None,
        })
    }

    /// Goes on after the first `rows` rows, which another stream has been asked for, by all that
    /// [`CandidateStream::take_journal`] gave of it. Costs one reading of each text that is indexed or known.
    pub fn restore(
        &mut self,
        rows: u32,
        is_kept: impl Fn(u32) -> bool,
        [rejected, indexed, known]: [&[u32]; 3],
        features: &mut impl Features,
    ) -> Result<()> {
        for row in 0..rows {
            self.finish(row, is_kept(row))?;
        }
        take_while(&mut self.edges, |edge| edge.later < rows);
        for &earlier in rejected {
            count_rejection(&mut self.rejections, &mut self.journal, earlier, self.filter.rows());
        }
        for &row in known {
            self.bits.know_other(row, features, &mut self.journal)?;
        }
        if !indexed.is_empty() {
            self.prepare()?;
        }
        for &row in indexed {
            self.index_row(row, features)?;
        }
        Ok(())
    }

    /// Notes from now on which rows are rejected and indexed.
    pub fn keep_journal(&mut self) {
        self.journal = Some(Journal::default());
    }

    /// What was noted since this was asked for last.
    pub fn take_journal(&mut self) -> Journal {
        self.journal.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// The bits of the rows that are known, for what follows the walk.
    pub(crate) fn into_known_bits(self) -> Option<KnownBits> {
        self.bits.into_known()
    }

    /// Whether the pairs were verified as they were found.
    pub fn is_verified(&self) -> bool {
        !self.found.similarities.is_empty()
    }

    /// The similarity of a candidate that was verified as it was found, and the units that are lost of it.
    pub fn verified(&self, row: u32, distance: u32, earlier: u32) -> Option<(f64, u32)> {
        if !self.is_verified() {
            return None;
        }
        let edge = Edge {
            later: row,
            distance,
            earlier,
        };
        let at = self.found.edges.binary_search(&edge).ok()?;
        let similarity = *self.found.similarities.get(at)?;
        Some((similarity, self.found.lost.get(at).copied().unwrap_or(u32::MAX)))
    }

    /// The edges of these rows that were not yet asked for.
    pub fn edges_of(&self, rows: Range<u32>) -> &'a [Edge] {
        let before = |row| self.edges.partition_point(|edge| edge.later < row);
        &self.edges[before(rows.start)..before(rows.end)]
    }

    /// The candidates of `row`, the next in keep order, ascending. `is_kept` says of an earlier row whether it is kept.
    pub fn next(
        &mut self,
        row: u32,
        is_kept: impl Fn(u32) -> bool,
        features: &mut impl Features,
        candidates: &mut Vec<u32>,
    ) -> Result<()> {
        if row < self.filter.rows().old {
            // Old rows are kept without a comparison.
            candidates.clear();
            return Ok(());
        }
        take_while(&mut self.edges, |edge| edge.later < row);
        let met = take_while(&mut self.edges, |edge| edge.later == row).iter();
        let memberships = self.memberships;
        let buckets = &memberships[..memberships.iter().take_while(|member| member.row == row).count()];
        self.query_rows(
            row,
            met.map(|edge| edge.earlier),
            buckets,
            is_kept,
            features,
            candidates,
        )
    }

    /// The query side: the candidates of a row among live ones, by the rows that it `met` in small buckets and by its large buckets.
    pub fn query_rows(
        &mut self,
        row: u32,
        met: impl Iterator<Item = u32>,
        buckets: &[Member],
        is_live: impl Fn(u32) -> bool,
        features: &mut impl Features,
        candidates: &mut Vec<u32>,
    ) -> Result<()> {
        self.own = None;
        self.find_in_large_buckets(row, buckets, features)?;
        candidates.clear();
        candidates.extend(
            met.chain(self.near_bits.iter().copied())
                .filter(|&earlier| is_live(earlier)),
        );
        candidates.sort_unstable();
        candidates.dedup();
        self.filter.retain_candidates(candidates, row, &mut self.fetched);
        Ok(())
    }

    /// Some candidates of a row with their distances, nearest first.
    pub fn rank(&self, row: u32, candidates: &[u32], ranked: &mut CandidateList) {
        ranked.clear();
        let distance = |&earlier: &u32| (self.filter.distance(earlier, row), earlier);
        ranked.extend(candidates.iter().map(distance));
        ranked.sort_unstable();
    }

    /// Skips a row that was dropped under another scheme; [`CandidateStream::finish`] follows, as always.
    pub fn skip(&mut self, row: u32) {
        take_while(&mut self.edges, |edge| edge.later == row);
        self.own = None;
    }

    /// Writes to `near_bits` the kept members of the row's large buckets that may be near.
    fn find_in_large_buckets(&mut self, row: u32, buckets: &[Member], features: &mut impl Features) -> Result<()> {
        self.near_bits.clear();
        let many = self.kept_members.are_too_many(buckets) && self.by_similarity();
        if !many {
            let near = &mut self.near_bits;
            self.kept_members.scan(&self.filter, row, buckets, false, near);
        }
        let weak = self.by_similarity() && !self.filter.has_feature_rows();
        let mut most = MAX_TESTED_MEMBERS;
        if !many && self.near_bits.len() > most && weak && self.bits.are_few(self.near_bits.len()) {
            // Reads the text of each member once.
            self.bits
                .rule_out(row, &mut self.near_bits, features, &mut self.journal)?;
            most = MAX_VERIFIED_MEMBERS;
        }
        if many || self.near_bits.len() > most && weak {
            self.prepare()?;
            for member in buckets {
                self.index_members(member.bucket as usize, features)?;
            }
            self.query(row, features)?;
            self.select_members(row, buckets, many);
        }
        Ok(())
    }

    /// Leaves, of the members that may be near by their bits, those that may be near by their features. `unscanned` says that the
    /// members were not tested yet: then the index itself gives those that may be near, if few can be so by common features alone.
    fn select_members(&mut self, row: u32, buckets: &[Member], unscanned: bool) {
        let (Some(profiles), Some((_, own))) = (&self.profiles, &self.own) else {
            return;
        };
        let (index, members) = (&self.index, &mut self.kept_members);
        let near = &mut self.near_bits;
        let by_index =
            unscanned && index.possible_by_common(profiles, own) <= members.count(buckets) / MEMBERS_OF_POSSIBLE;
        if unscanned {
            members.scan(&self.filter, row, buckets, by_index, near);
        }
        near.retain(|&earlier| index.may_be_near(profiles, own, earlier));
        if by_index {
            // The index holds rows of other buckets too.
            let found = index.near(profiles, own);
            near.extend(found.filter(|&earlier| members.shares_bucket(earlier, buckets)));
        }
    }

    /// Drops candidates that cannot be near: known ones by their bits, indexed ones by what they share with the row.
    pub fn prune(&mut self, row: u32, features: &mut impl Features, candidates: &mut Vec<u32>) -> Result<()> {
        if self.is_rejecting(row) && !candidates.is_empty() {
            let ruled_out = self.bits.rule_out(row, candidates, features, &mut self.journal)?;
            for &earlier in ruled_out {
                count_rejection(&mut self.rejections, &mut self.journal, earlier, self.filter.rows());
            }
        }
        let indexed = candidates.iter().filter(|&&earlier| self.index.contains(earlier));
        let queried = self.queried && self.own.as_ref().is_some_and(|(own, _)| *own == row);
        if queried || indexed.count() >= MIN_INDEXED_CANDIDATES {
            self.query(row, features)?;
            if let (Some(profiles), Some((_, own))) = (&self.profiles, &self.own) {
                candidates.retain(|&earlier| self.index.may_be_near(profiles, own, earlier));
            }
        }
        Ok(())
    }

    /// Counts a failed verification of `row`. Where many fail, the earlier row goes into the index, if its bits are not held.
    pub fn reject(&mut self, row: u32, earlier: u32, features: &mut impl Features) -> Result<()> {
        let rejections = count_rejection(&mut self.rejections, &mut self.journal, earlier, self.filter.rows());
        if !self.bits.are_known(earlier) && rejections >= REJECTIONS_TO_INDEX && self.is_rejecting(row) {
            self.prepare()?;
            self.index_row(earlier, features)?;
        }
        Ok(())
    }

    /// Whether so many candidates were rejected before `row` that holding features pays.
    fn is_rejecting(&self, row: u32) -> bool {
        let many = self.tuning.rejections.max(u64::from(row));
        self.rejections.all >= many && self.by_similarity() && !self.filter.has_feature_rows()
    }

    /// Ends a row; `kept` says whether it was kept.
    pub fn finish(&mut self, row: u32, kept: bool) -> Result<()> {
        let buckets = take_while(&mut self.memberships, |member| member.row == row);
        if !kept {
            return Ok(());
        }
        self.bits.finish(row, &mut self.journal);
        self.kept_members.add(&self.filter, row, buckets);
        if !buckets.is_empty() && self.own.as_ref().is_some_and(|(own, _)| *own == row) {
            // Its profile is at hand, and its buckets are indexed.
            self.index_own(row)?;
        }
        Ok(())
    }

    fn by_similarity(&self) -> bool {
        self.documents.recipe.threshold.by_similarity()
    }

    /// Makes the index of features where there is none yet. Features are common among the rows of large buckets, or among all
    /// rows where no bucket is large.
    fn prepare(&mut self) -> Result<()> {
        if self.profiles.is_some() {
            return Ok(());
        }
        let (documents, rows) = (self.documents, self.filter.rows());
        let mut members = self.kept_members.rows_of_buckets();
        if members.is_empty() {
            members = (0..rows.len() as u32).collect();
        }
        self.profiles = self.pool.install(|| profiles(documents, rows, &members))?;
        let kernel = self.filter.kernel();
        self.index = OverlapIndex::new(rows.len(), MAX_BUCKET_POSTINGS, most_bytes(documents), kernel);
        Ok(())
    }

    /// Indexes the kept members of a bucket as far as postings fit.
    fn index_members(&mut self, bucket: usize, features: &mut impl Features) -> Result<()> {
        while let Some(member) = self.kept_members.next_to_index(bucket) {
            if !self.index_row(member, features)? {
                return Ok(());
            }
            self.kept_members.indexed(bucket);
        }
        Ok(())
    }

    fn index_own(&mut self, row: u32) -> Result<()> {
        match &self.own {
            Some((_, profile)) if !self.index.contains(row) && self.index.insert(row, profile) => {
                self.count_indexed(row)
            }
            _ => Ok(()),
        }
    }

    fn index_row(&mut self, row: u32, features: &mut impl Features) -> Result<bool> {
        let Some(profiles) = &self.profiles else {
            return Ok(false);
        };
        if self.index.contains(row) {
            return Ok(true);
        }
        if self.index.is_full() {
            return Ok(false);
        }
        let indexed = self.index.insert(row, &features.profile_of_other(row, profiles)?);
        self.queried = false;
        if indexed {
            self.count_indexed(row)?;
        }
        Ok(indexed)
    }

    /// Once the index is large, a look through all rows pays if many features are rare: those of one row only need no posting.
    fn count_indexed(&mut self, row: u32) -> Result<()> {
        if let Some(journal) = &mut self.journal {
            journal.indexed.push(row);
        }
        let rows = self.filter.rows();
        if self.index.len() != self.tuning.indexed_rows.max(rows.len() / INDEXED_PART) {
            return Ok(());
        }
        if self.index.postings() * RARE_PART < mean_size(self.documents, rows) * self.index.len() {
            return Ok(());
        }
        let repeated = self
            .pool
            .install(|| repeated(self.documents, rows, total_size(self.documents, rows)))?;
        if let Some(profiles) = &mut self.profiles {
            profiles.leave_out_unshared(repeated);
            self.index.expect_repeated();
            // A profile is that of what was indexed before, so that a stream can be restored.
            self.own = None;
            self.queried = false;
        }
        Ok(())
    }

    /// Adds up what the indexed rows share with `row`.
    fn query(&mut self, row: u32, features: &mut impl Features) -> Result<()> {
        let Some(profiles) = &self.profiles else { return Ok(()) };
        if self.own.as_ref().is_none_or(|(own, _)| *own != row) {
            self.own = Some((row, features.profile(row, profiles)?));
            self.queried = false;
        }
        if let Some((_, own)) = &self.own
            && !std::mem::replace(&mut self.queried, true)
        {
            self.index.query(own);
        }
        Ok(())
    }
}

/// What the index and the bits of rows may take each.
fn most_bytes(documents: SchemeDocuments<'_>) -> usize {
    let dir = documents.run.collection.run_dir();
    dir.map_or(usize::MAX, |dir| INDEX_OF_GATHERED * dir.gathered_bytes())
}

/// Counts a rejection; returns how many the row has.
fn count_rejection(rejections: &mut Rejections, journal: &mut Option<Journal>, earlier: u32, rows: &Rows) -> u8 {
    if let Some(journal) = journal {
        journal.rejected.push(earlier);
    }
    rejections.count(earlier, rows.len())
}

/// Cuts the leading items that satisfy `wanted` off a slice.
fn take_while<'a, T>(items: &mut &'a [T], wanted: impl Fn(&T) -> bool) -> &'a [T] {
    let (own, rest) = items.split_at(items.iter().position(|item| !wanted(item)).unwrap_or(items.len()));
    *items = rest;
    own
}
