//! The index of features: kept rows of large buckets and rows that failed verifications, and what the row at hand shares with them.

use rayon::ThreadPool;

use crate::base::context::Context;
use crate::base::error::Result;
use crate::base::tuning::Tuning;
use crate::search::candidates::feature_lists::{mean_size, profiles, repeated, total_size};
use crate::search::candidates::overlap::{OverlapIndex, Profile, Profiles};
use crate::search::candidates::{Filter, Member};
use crate::search::documents::SchemeDocuments;
use crate::search::features::Features;
use crate::search::stream::forms::Forms;
use crate::search::stream::kept_members::KeptMembers;

/// Postings whose walk takes as long as a verification, for each feature of a text: it is read, cut and hashed.
const POSTINGS_OF_FEATURE: usize = 8;

/// Rows by their features, and the row at hand.
pub(super) struct RowIndex<'a> {
    documents: SchemeDocuments<'a>,
    filter: Filter<'a>,
    pool: &'a ThreadPool,
    tuning: Tuning,
    most_bytes: usize,
    /// Postings whose walk takes as long as a verification.
    postings_of_verification: u64,
    /// `None` until the index is needed.
    profiles: Option<Profiles>,
    index: OverlapIndex,
    /// The profile of the row at hand, and whether the index was queried for it after the last insertion.
    own: Option<(u32, Profile)>,
    queried: bool,
}

impl<'a> RowIndex<'a> {
    /// No row yet; the index takes about `most_bytes` at most, and texts have `mean_size` features in the mean.
    pub(super) fn new(
        documents: SchemeDocuments<'a>,
        filter: Filter<'a>,
        most_bytes: usize,
        mean_size: usize,
        ctx: &'a Context<'_>,
    ) -> Result<Self> {
        Ok(Self {
            documents,
            filter,
            pool: ctx.pool()?,
            tuning: ctx.tuning,
            most_bytes,
            postings_of_verification: (POSTINGS_OF_FEATURE * mean_size.max(1)) as u64,
            profiles: None,
            index: OverlapIndex::new(0, 0, 0, filter.kernel()),
            own: None,
            queried: false,
        })
    }

    /// The rows of the index, in order of their insertion.
    pub(super) fn rows(&self) -> &[u32] {
        self.index.rows()
    }

    /// The number of its postings.
    pub(super) fn postings(&self) -> usize {
        self.index.postings()
    }

    /// Forgets the row at hand.
    pub(super) fn end_row(&mut self) {
        self.own = None;
    }

    /// Makes the index where there is none yet. Features are common among the rows of large buckets, or among all rows where no bucket
    /// is large.
    pub(super) fn prepare(&mut self, members: &KeptMembers<'_>) -> Result<()> {
        if self.profiles.is_some() {
            return Ok(());
        }
        let rows = self.filter.rows();
        let mut common = members.rows_of_buckets();
        if common.is_empty() {
            common = (0..rows.len() as u32).collect();
        }
        self.profiles = self.pool.install(|| profiles(self.documents, rows, &common))?;
        let kernel = self.filter.kernel();
        self.index = OverlapIndex::new(rows.len(), self.tuning.most_postings, self.most_bytes, kernel);
        Ok(())
    }

    /// Inserts the kept members of a bucket as far as postings fit.
    pub(super) fn insert_members(
        &mut self,
        members: &mut KeptMembers<'_>,
        bucket: usize,
        features: &mut impl Features,
    ) -> Result<()> {
        while let Some(member) = members.next_to_index(bucket) {
            if !self.insert(member, features)? {
                return Ok(());
            }
            members.indexed(bucket);
        }
        Ok(())
    }

    /// Inserts the row at hand, if its profile is there.
    pub(super) fn insert_own(&mut self, row: u32) -> Result<()> {
        match &self.own {
            Some((own, profile)) if *own == row && !self.index.contains(row) && self.index.insert(row, profile) => {
                self.leave_out_unshared()
            }
            _ => Ok(()),
        }
    }

    /// Inserts a row; `false` where it does not fit.
    pub(super) fn insert(&mut self, row: u32, features: &mut impl Features) -> Result<bool> {
        let Some(profiles) = &self.profiles else {
            return Ok(false);
        };
        if self.index.contains(row) {
            return Ok(true);
        }
        if self.index.is_full() {
            return Ok(false);
        }
        let inserted = self.index.insert(row, &features.profile_of_other(row, profiles)?);
        self.queried = false;
        if inserted {
            self.leave_out_unshared()?;
        }
        Ok(inserted)
    }

    /// Once the index is large, a look through all rows pays if many features are rare: those of one row only need no posting.
    fn leave_out_unshared(&mut self) -> Result<()> {
        let (rows, indexed) = (self.filter.rows(), self.index.rows().len());
        if indexed != self.tuning.indexed_rows.max(rows.len() / self.tuning.indexed_of) {
            return Ok(());
        }
        if self.index.postings() * self.tuning.rare_of < mean_size(self.documents, rows) * indexed {
            return Ok(());
        }
        let features = total_size(self.documents, rows);
        let repeated = self.pool.install(|| repeated(self.documents, rows, features))?;
        if let Some(profiles) = &mut self.profiles {
            profiles.leave_out_unshared(repeated);
            self.index.expect_repeated();
            // A profile is computed from the rows inserted before, so that a stream can be restored.
            self.own = None;
            self.queried = false;
        }
        Ok(())
    }

    /// Adds up what the rows of the index share with `row`.
    pub(super) fn query(&mut self, row: u32, features: &mut impl Features) -> Result<()> {
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

    /// Whether to ask the index about some candidates of a row pays: it was queried, or has enough of them for what a query costs.
    pub(super) fn pays(&self, row: u32, candidates: &[u32]) -> bool {
        let indexed = candidates.iter().filter(|&&earlier| self.index.contains(earlier));
        let queried = self.queried && self.own.as_ref().is_some_and(|(own, _)| *own == row);
        let least = (self.index.mean_walked() / self.postings_of_verification) as usize;
        queried || indexed.count() >= self.tuning.indexed_candidates.max(least)
    }

    /// Leaves, of some rows, those that may be near the row of the last query by their features.
    pub(super) fn retain(&self, candidates: &mut Vec<u32>) {
        if let (Some(profiles), Some((_, own))) = (&self.profiles, &self.own) {
            candidates.retain(|&earlier| self.index.may_be_near(profiles, own, earlier));
        }
    }

    /// Writes to `near` the kept members of some buckets that may be near the row of the last query, before their sketches were tested.
    /// The index itself gives them if few can be near by common features alone.
    pub(super) fn select(
        &self,
        row: u32,
        members: &mut KeptMembers<'_>,
        buckets: &[Member],
        forms: &Forms,
        near: &mut Vec<u32>,
    ) {
        let (Some(profiles), Some((_, own))) = (&self.profiles, &self.own) else {
            return;
        };
        let possible = self.index.possible_by_common(profiles, own);
        let by_index = possible <= members.count(buckets) / self.tuning.members_of_possible;
        members.scan(&self.filter, row, buckets, (forms, by_index), near);
        self.retain(near);
        if by_index {
            // The index holds rows of other buckets too.
            let found = self.index.near(profiles, own);
            near.extend(found.filter(|&earlier| members.shares_bucket(earlier, buckets)));
        }
    }
}
