//! Candidates of one row, in keep order. Members of large buckets are left out by a bound on what they share with the row.
//!
//! In: the pairs and memberships that the tables found ([`Candidates`]), and for each row whether it was kept. Out: for
//! each row its kept candidates, by (Hamming distance, row). Called by [`crate::dedup::decide`], row after row.
//!
//! There are two sources: the pairs of small buckets, and the kept members of the row's large buckets. A family that shares half of
//! its text and is not near fills large buckets. There the index of features rules out, exactly, the members that cannot be near;
//! the others are compared. In small buckets the bits of the features do so where texts are short, else the index.
//! Counts alone choose the way of a row, never the clock or the threads.

mod forms;
mod kept_members;
mod rejections;
mod row_bits;
mod row_index;

use std::ops::Range;

use crate::base::context::Context;
use crate::base::error::Result;
use crate::base::tuning::Tuning;
use crate::search::candidates::feature_lists::mean_size;
use crate::search::candidates::filter::Fetched;
use crate::search::candidates::{Candidates, Edge, Filter, Member};
use crate::search::documents::SchemeDocuments;
use crate::search::features::Features;
use crate::search::stream::forms::Forms;
use crate::search::stream::kept_members::KeptMembers;
pub use crate::search::stream::rejections::RULED_OUT;
use crate::search::stream::rejections::Rejections;
use crate::search::stream::row_bits::RowBits;
use crate::search::stream::row_index::RowIndex;

/// What rules members of large buckets out before they are verified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pruning {
    /// Nothing: they are few.
    Nothing,
    /// The bits of their features: each costs a fetch, and once the reading of its text.
    Bits,
    /// The index of features: a walk over postings, and once the reading of each text.
    Index,
}

/// The cheapest way to prune `members` members that pass the sketches. A row of bits has `words` words; `None` if there are no bits, or
/// they were tested before.
fn pruning(tuning: Tuning, members: usize, words: Option<usize>, were_tested: bool) -> Pruning {
    let few = if were_tested {
        tuning.verified_members
    } else {
        tuning.tested_members
    };
    match words {
        _ if members <= few => Pruning::Nothing,
        Some(words) if !were_tested && members * words <= tuning.tested_words => Pruning::Bits,
        _ => Pruning::Index,
    }
}

/// The candidates of one row after another, in keep order.
pub struct CandidateStream<'a> {
    documents: SchemeDocuments<'a>,
    tuning: Tuning,
    filter: Filter<'a>,
    found: &'a Candidates,
    edges: &'a [Edge],
    memberships: &'a [Member],
    /// The kept members of large buckets.
    kept_members: KeptMembers<'a>,
    forms: Forms,
    /// What rules candidates out: bits of rows that were rejected, and the features of kept rows of large buckets and of rejected ones.
    bits: RowBits,
    index: RowIndex<'a>,
    rejections: Rejections,
    /// Rows of the row's large buckets that may be near.
    near_bits: Vec<u32>,
    fetched: Fetched,
    /// How many rows of the index and of the bits were in journals.
    noted: [usize; 2],
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
        let (size, tuning) = (mean_size(documents, filter.rows()), ctx.tuning);
        let dir = documents.run.collection.run_dir();
        let most = dir.map_or(usize::MAX, |dir| tuning.index_of_gathered * dir.gathered_bytes());
        Ok(Self {
            documents,
            tuning,
            bits: RowBits::new(documents, &filter, &found.memberships, size, most, tuning),
            index: RowIndex::new(documents, filter, most, size, ctx)?,
            filter,
            found,
            edges: &found.edges,
            memberships: &found.memberships,
            kept_members: KeptMembers::new(found, size, tuning),
            forms: Forms::new(documents, tuning.formed_members, most),
            rejections: Rejections::default(),
            near_bits: Vec::new(),
            fetched: Fetched::default(),
            noted: [0; 2],
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
            self.rejections.count(earlier, self.filter.rows().len());
        }
        for &row in known {
            self.bits.know(row, features)?;
        }
        if !indexed.is_empty() {
            self.index.prepare(&self.kept_members)?;
        }
        for &row in indexed {
            self.index.insert(row, features)?;
        }
        Ok(())
    }

    /// Notes from now on which rows are rejected, indexed, and known by their bits.
    pub fn keep_journal(&mut self) {
        self.rejections.noted = Some(Vec::new());
        self.take_journal();
    }

    /// What a stream is restored from besides the kept rows: the rows that were rejected (once for each time), indexed, and known by
    /// their bits, in the order of the events since this was asked for last.
    pub fn take_journal(&mut self) -> [Vec<u32>; 3] {
        let (indexed, known) = (self.index.rows(), self.bits.rows());
        let [indexed_before, known_before] = std::mem::replace(&mut self.noted, [indexed.len(), known.len()]);
        let (indexed, known) = (indexed[indexed_before..].to_vec(), known[known_before..].to_vec());
        let rejected = self.rejections.noted.as_mut().map(std::mem::take);
        [rejected.unwrap_or_default(), indexed, known]
    }

    /// Leaves the bits of the rows that are known for what follows the walk.
    pub(crate) fn keep_bits(self) {
        if let Some(bits) = self.bits.into_known() {
            self.documents.search.bits.get_or_init(|| bits);
        }
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

    /// Whether the search found nothing for `row`, the next in keep order: then it may be left out of all calls.
    #[inline]
    pub fn is_alone(&self, row: u32) -> bool {
        self.edges.first().is_none_or(|edge| edge.later > row)
            && self.memberships.first().is_none_or(|member| member.row > row)
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
        self.index.end_row();
        self.forms.end_row();
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
        self.index.end_row();
    }

    /// Writes to `near_bits` the kept members of the row's large buckets that may be near.
    fn find_in_large_buckets(&mut self, row: u32, buckets: &[Member], features: &mut impl Features) -> Result<()> {
        let unscanned = self.by_similarity() && self.kept_members.are_too_many(buckets);
        let by_features = self.by_features();
        if self.kept_members.meets_form(&self.filter, row, buckets) {
            self.forms.take(row, features)?;
        }
        let near = &mut self.near_bits;
        near.clear();
        if !unscanned {
            self.kept_members
                .scan(&self.filter, row, buckets, (&self.forms, false), near);
            if let Some((form, moved)) = self.forms.gather(row, near, features)? {
                self.kept_members.form(&self.filter, &moved, form);
            }
            if !by_features {
                return Ok(());
            }
            let words = self.bits.words();
            let mut next = pruning(self.tuning, near.len(), words, false);
            if next == Pruning::Bits {
                self.bits.rule_out(row, near, |_| true, features)?;
                next = pruning(self.tuning, near.len(), words, true);
                if next == Pruning::Index {
                    self.bits.count_left(row);
                }
            }
            if next == Pruning::Nothing {
                return Ok(());
            }
            if self.index.postings() >= self.tuning.free_postings {
                // What the index holds of the rest is asked before a verification.
                let often = |earlier: &&u32| self.rejections.of(**earlier) >= self.tuning.rejections_to_postings;
                for &earlier in near.iter().filter(often) {
                    self.index.insert(earlier, features)?;
                }
                return Ok(());
            }
        }
        self.index.prepare(&self.kept_members)?;
        for member in buckets {
            self.index
                .insert_members(&mut self.kept_members, member.bucket as usize, features)?;
        }
        self.index.query(row, features)?;
        if unscanned {
            self.index
                .select(row, &mut self.kept_members, buckets, &self.forms, near);
            if let Some((form, moved)) = self.forms.gather(row, near, features)? {
                self.kept_members.form(&self.filter, &moved, form);
            }
        } else {
            self.index.retain(near);
        }
        Ok(())
    }

    /// Drops candidates that cannot be near: known ones by their bits, indexed ones by what they share with the row.
    pub fn prune(&mut self, row: u32, features: &mut impl Features, candidates: &mut Vec<u32>) -> Result<()> {
        if self.by_features() && !candidates.is_empty() {
            let (rejections, all) = (&self.rejections, self.is_rejecting(row));
            let met = |earlier| all || rejections.of(earlier) >= self.tuning.rejections_to_bits;
            let ruled_out = self.bits.rule_out(row, candidates, met, features)?.len();
            self.rejections.count_ruled_out(ruled_out);
        }
        if self.index.pays(row, candidates) {
            self.index.query(row, features)?;
            self.index.retain(candidates);
        }
        Ok(())
    }

    /// Counts a failed verification of `row`. Where many fail, the earlier row goes into the index, if there are no bits.
    pub fn reject(&mut self, row: u32, earlier: u32, features: &mut impl Features) -> Result<()> {
        let rejections = self.rejections.count(earlier, self.filter.rows().len());
        self.bits.count_failed(row);
        if self.bits.words().is_none() && rejections >= self.tuning.rejections_to_index && self.is_rejecting(row) {
            self.index.prepare(&self.kept_members)?;
            self.index.insert(earlier, features)?;
        }
        Ok(())
    }

    /// Whether holding features pays, because enough candidates were rejected before `row`.
    fn is_rejecting(&self, row: u32) -> bool {
        self.rejections.all >= self.tuning.rejections.max(u64::from(row)) && self.by_features()
    }

    /// Ends a row; `kept` says whether it was kept.
    pub fn finish(&mut self, row: u32, kept: bool) -> Result<()> {
        let buckets = take_while(&mut self.memberships, |member| member.row == row);
        if !kept {
            return Ok(());
        }
        self.bits.finish(row);
        let form = if buckets.is_empty() {
            None
        } else {
            self.forms.form_of(row)
        };
        self.kept_members.add(&self.filter, row, buckets, form);
        if !buckets.is_empty() {
            self.index.insert_own(row)?;
        }
        Ok(())
    }

    fn by_similarity(&self) -> bool {
        self.documents.recipe.threshold.by_similarity()
    }

    /// Whether features can rule out more than what the filter compares.
    fn by_features(&self) -> bool {
        self.by_similarity() && !self.filter.has_wide_bits()
    }
}

/// Cuts the leading items that satisfy `wanted` off a slice.
fn take_while<'a, T>(items: &mut &'a [T], wanted: impl Fn(&T) -> bool) -> &'a [T] {
    let (own, rest) = items.split_at(items.iter().position(|item| !wanted(item)).unwrap_or(items.len()));
    *items = rest;
    own
}
