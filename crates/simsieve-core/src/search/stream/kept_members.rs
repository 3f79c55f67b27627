//! The kept members of large buckets: a later row of a bucket is compared with these alone.

use crate::base::bits::BitSet;
use crate::base::tuning::Tuning;
use crate::search::candidates::{Candidates, Filter, Member};
use crate::search::stream::forms::Forms;

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
    /// Those of each form, which are not among the others.
    formed: Vec<Formed>,
}

/// The kept members of a large bucket that are of one form, as [`Members`] has them.
#[derive(Debug, Clone)]
struct Formed {
    form: usize,
    rows: Vec<u32>,
    column: Vec<u64>,
}

impl Members {
    /// Adds a member of a form, or another one.
    fn add(&mut self, filter: &Filter<'_>, row: u32, form: Option<usize>) {
        let (rows, column) = match form {
            None => (&mut self.rows, &mut self.column),
            Some(form) => {
                let at = self.formed.iter().position(|formed| formed.form == form);
                let at = at.unwrap_or_else(|| {
                    self.formed.push(Formed {
                        form,
                        rows: Vec::new(),
                        column: Vec::new(),
                    });
                    self.formed.len() - 1
                });
                let formed = &mut self.formed[at];
                (&mut formed.rows, &mut formed.column)
            }
        };
        rows.push(row);
        column.extend_from_slice(filter.words_of(row));
    }
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

    /// Adds a kept row to its buckets, as one of a form or none.
    pub(super) fn add(&mut self, filter: &Filter<'_>, row: u32, buckets: &[Member], form: Option<usize>) {
        for member in buckets {
            self.buckets[member.bucket as usize].add(filter, row, form);
        }
    }

    /// Makes kept rows, which ascend and are of no form, rows of one.
    pub(super) fn form(&mut self, filter: &Filter<'_>, rows: &[u32], form: usize) {
        let mut buckets: Vec<u32> = Vec::new();
        for &row in rows {
            buckets.extend(self.buckets_of(row).iter().map(|member| member.bucket));
        }
        buckets.sort_unstable();
        buckets.dedup();
        for bucket in buckets {
            let members = &mut self.buckets[bucket as usize];
            let (before, indexed) = (std::mem::take(&mut members.rows), std::mem::take(&mut members.indexed));
            members.column.clear();
            for (at, row) in before.into_iter().enumerate() {
                let is_moved = rows.binary_search(&row).is_ok();
                members.indexed += usize::from(at < indexed && !is_moved);
                members.add(filter, row, is_moved.then_some(form));
            }
        }
    }

    /// Whether one of the first rows of a form in some buckets may be near `row` by its bits.
    pub(super) fn meets_form(&mut self, filter: &Filter<'_>, row: u32, buckets: &[Member]) -> bool {
        const FIRST: usize = 32;
        let own = filter.words_of(row);
        self.near_here.clear();
        let formed = buckets
            .iter()
            .flat_map(|member| &self.buckets[member.bucket as usize].formed);
        for formed in formed {
            let first = formed.column.len().min(FIRST * own.len());
            filter.near(own, &formed.column[..first], &mut self.near_here);
        }
        !self.near_here.is_empty()
    }

    /// The memberships of a row.
    fn buckets_of(&self, row: u32) -> &'a [Member] {
        let all = self.memberships;
        let own = &all[all.partition_point(|member| member.row < row)..];
        &own[..own.iter().take_while(|member| member.row == row).count()]
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
        let mut own = self.buckets_of(earlier).iter();
        own.any(|member| buckets.binary_search_by_key(&member.bucket, |own| own.bucket).is_ok())
    }

    /// Writes to `near` the members of buckets that may be near `row` by their bits, each once: all members, or those that are
    /// not indexed. Of a form that the row fits come the rows that agree with it, whatever their bits.
    pub(super) fn scan(
        &mut self,
        filter: &Filter<'_>,
        row: u32,
        buckets: &[Member],
        (forms, without_indexed): (&Forms, bool),
        near: &mut Vec<u32>,
    ) {
        if buckets.len() > 1 && self.met.is_unset() {
            self.met = BitSet::below(filter.rows().len());
        }
        let own = filter.words_of(row);
        let (mut asked, mut here) = (Vec::new(), std::mem::take(&mut self.near_here));
        near.clear();
        for member in buckets {
            let members = &self.buckets[member.bucket as usize];
            let from = if without_indexed { members.indexed } else { 0 };
            let others = [(&members.rows[from..], &members.column[from * own.len()..])].into_iter();
            let (fitting, foreign): (Vec<_>, Vec<_>) =
                members.formed.iter().partition(|formed| forms.fits(formed.form));
            asked.extend(fitting.iter().map(|formed| formed.form));
            for (rows, column) in others.chain(foreign.iter().map(|formed| (&*formed.rows, &*formed.column))) {
                here.clear();
                filter.near_row(row, column, &mut here);
                let found = here.iter().map(|&at| rows[at as usize]);
                if buckets.len() == 1 {
                    near.extend(found);
                } else {
                    let met = &mut self.met;
                    near.extend(found.filter(|&earlier| met.insert(earlier as usize)));
                }
            }
        }
        if buckets.len() > 1 {
            for &earlier in &*near {
                self.met.remove(earlier as usize);
            }
        }
        asked.sort_unstable();
        asked.dedup();
        for form in asked {
            here.clear();
            forms.agreeing(form, &mut here);
            near.extend(here.iter().filter(|&&earlier| self.shares_bucket(earlier, buckets)));
        }
        self.near_here = here;
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
