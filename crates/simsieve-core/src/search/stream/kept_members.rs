//! The kept members of large buckets: a later row of a bucket is compared with these alone.

use crate::base::bits::BitSet;
use crate::base::tuning::Tuning;
use crate::search::candidates::{Candidates, Filter, Member};

/// The kept members of all large buckets, so far.
#[derive(Debug)]
pub(super) struct KeptMembers<'a> {
    /// The memberships of all rows, kept or not.
    memberships: &'a [Member],
    buckets: Vec<Members>,
    most_scanned: usize,
    /// Memory for the members of one bucket that may be near, and which rows are among those found before.
    near_here: Vec<u32>,
    met: BitSet,
}

/// The kept members of a large bucket.
#[derive(Debug, Default, Clone)]
struct Members {
    rows: Vec<u32>,
    /// How many of them, from the first, are in the index.
    indexed: usize,
    /// What is compared of them, side by side: a bucket is then one walk, not a fetch from anywhere for each.
    column: Vec<u64>,
}

impl<'a> KeptMembers<'a> {
    /// No member yet; texts have `mean_size` features in the mean.
    pub(super) fn new(found: &'a Candidates, mean_size: usize, tuning: Tuning) -> Self {
        Self {
            memberships: &found.memberships,
            buckets: vec![Members::default(); found.heavy_buckets as usize],
            most_scanned: tuning.scanned_members * (mean_size / tuning.scanned_features).max(1),
            near_here: Vec::new(),
            met: BitSet::default(),
        }
    }

    /// The number of kept members of these buckets; one of two buckets counts twice.
    pub(super) fn count(&self, buckets: &[Member]) -> usize {
        let members = buckets.iter().map(|member| &self.buckets[member.bucket as usize]);
        members.map(|members| members.rows.len()).sum()
    }

    /// Whether the kept members of these buckets are too many to test all.
    pub(super) fn are_too_many(&self, buckets: &[Member]) -> bool {
        self.count(buckets) > self.most_scanned
    }

    /// The rows that are in large buckets, ascending.
    pub(super) fn rows_of_buckets(&self) -> Vec<u32> {
        let mut rows: Vec<u32> = self.memberships.iter().map(|member| member.row).collect();
        rows.dedup();
        rows
    }

    /// Adds a kept row to its buckets.
    pub(super) fn add(&mut self, filter: &Filter<'_>, row: u32, buckets: &[Member]) {
        for member in buckets {
            let members = &mut self.buckets[member.bucket as usize];
            members.rows.push(row);
            members.column.extend_from_slice(filter.words_of(row));
        }
    }

    /// The first member of a bucket that is not indexed.
    pub(super) fn next_to_index(&self, bucket: usize) -> Option<u32> {
        let members = &self.buckets[bucket];
        members.rows.get(members.indexed).copied()
    }

    /// Notes that [`KeptMembers::next_to_index`] is indexed.
    pub(super) fn indexed(&mut self, bucket: usize) {
        self.buckets[bucket].indexed += 1;
    }

    /// Whether an earlier row is in one of these buckets, which ascend.
    pub(super) fn shares_bucket(&self, earlier: u32, buckets: &[Member]) -> bool {
        let all = self.memberships;
        let own = &all[all.partition_point(|member| member.row < earlier)..];
        let mut own = own.iter().take_while(|member| member.row == earlier);
        own.any(|member| buckets.binary_search_by_key(&member.bucket, |own| own.bucket).is_ok())
    }

    /// Writes to `near` the members of buckets that may be near `row` by their bits, each once: all members, or those that are
    /// not indexed.
    pub(super) fn scan(
        &mut self,
        filter: &Filter<'_>,
        row: u32,
        buckets: &[Member],
        without_indexed: bool,
        near: &mut Vec<u32>,
    ) {
        if buckets.len() > 1 && self.met.is_unset() {
            self.met = BitSet::below(filter.rows().len());
        }
        let own = filter.words_of(row);
        near.clear();
        for member in buckets {
            let members = &self.buckets[member.bucket as usize];
            let from = if without_indexed { members.indexed } else { 0 };
            self.near_here.clear();
            filter.near(own, &members.column[from * own.len()..], &mut self.near_here);
            let found = self.near_here.iter().map(|&at| members.rows[from + at as usize]);
            if buckets.len() == 1 {
                near.extend(found);
            } else {
                let met = &mut self.met;
                near.extend(found.filter(|&earlier| met.insert(earlier as usize)));
            }
        }
        if buckets.len() > 1 {
            for &earlier in &*near {
                self.met.remove(earlier as usize);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_members_are_tested_where_texts_are_longer() {
        let member = Member { bucket: 0, row: 0 };
        let found = Candidates {
            heavy_buckets: 1,
            ..Candidates::default()
        };
        let too_many = |mean_size, kept| {
            let mut members = KeptMembers::new(&found, mean_size, Tuning::DEFAULT);
            members.buckets[0].rows = vec![0; kept];
            members.are_too_many(&[member])
        };
        let most = Tuning::DEFAULT.scanned_members;
        for mean_size in [0, 1, 64, 127] {
            assert!(!too_many(mean_size, most) && too_many(mean_size, most + 1));
        }
        assert!(!too_many(900, 14 * most) && too_many(900, 14 * most + 1));
    }
}
