//! Equal fingerprints become one: the search runs on distinct rows, its pairs are expanded afterwards.
//!
//! In: the caller's rows. Out: [`Groups`]. Called by [`super::near_pairs`] before anything else, because a million
//! equal rows would otherwise meet in every bucket of every table.

use super::Rows;
use super::partition::{Record, each, levels, partition};

/// An odd multiplier: a bijection of words that spreads every bit upwards (the golden ratio's fraction).
pub(super) const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
/// Its inverse modulo 2^64.
const INVERSE: u64 = inverse(ODD);

const fn inverse(odd: u64) -> u64 {
    // Newton's step doubles the number of right low bits; 3 are right to begin with.
    let mut x = odd;
    let mut step = 0;
    while step < 5 {
        x = x.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(x)));
        step += 1;
    }
    x
}

/// Distinct rows and who has them. Those of several rows, the crowds, come first: the sinks ask for the size of each
/// row of each pair, and looking it up in one list of all starts was a quarter of the scan at 10^7 (cache misses).
#[derive(Debug)]
pub(super) struct Groups<const W: usize> {
    /// The distinct rows.
    pub rows: Vec<[u64; W]>,
    /// Row numbers of the caller, those of a distinct row together, in the order of `rows`.
    pub ids: Vec<u32>,
    /// Where the numbers of each crowd begin.
    pub sizes: Sizes,
}

/// How many rows each distinct row stands for.
#[derive(Debug)]
pub(super) struct Sizes {
    /// Where in the numbers each crowd begins, with the end of the last.
    starts: Vec<u32>,
}

impl Sizes {
    /// How many distinct rows are crowds.
    pub fn crowds(&self) -> usize {
        self.starts.len() - 1
    }

    /// How many rows the distinct row stands for.
    pub fn of(&self, row: u32) -> u64 {
        let row = row as usize;
        if row < self.crowds() {
            u64::from(self.starts[row + 1] - self.starts[row])
        } else {
            1
        }
    }
}

impl<const W: usize> Groups<W> {
    /// The caller's rows that are equal to the distinct row.
    pub fn members(&self, row: u32) -> &[u32] {
        let (row, crowds, starts) = (row as usize, self.sizes.crowds(), &self.sizes.starts);
        if row < crowds {
            &self.ids[starts[row] as usize..starts[row + 1] as usize]
        } else {
            let at = starts[crowds] as usize + row - crowds;
            &self.ids[at..=at]
        }
    }

    /// Pairs of equal rows.
    pub fn equal_pairs(&self) -> u64 {
        let sizes = (0..self.sizes.crowds() as u32).map(|row| self.sizes.of(row));
        sizes.map(|size| size * (size - 1) / 2).sum()
    }
}

/// Groups the valid rows by value.
///
/// Complexity: one radix pass over (hash, number), then a counting pass and tiny sorts inside the cache; n log n
/// comparisons at worst, where hashes crowd. `records` is room for the sort; the caller uses it again.
pub(super) fn group<const W: usize>(rows: &Rows<'_>, threads: usize, records: &mut Vec<Record>) -> Groups<W> {
    let n = rows.len();
    let row = |id: usize| -> [u64; W] { std::array::from_fn(|w| rows.values[id * rows.words + w]) };
    let source = |range: std::ops::Range<usize>| {
        let values = rows.values[range.start * rows.words..range.end * rows.words].chunks_exact(rows.words);
        let numbered = values
            .zip(range)
            .filter(|(_, id)| rows.valid.is_none_or(|valid| valid[*id]));
        numbered.map(|(value, id)| (hash::<W>(value), id as u32))
    };
    // Runs of about four records are left to the comparing sort, which inserts them.
    let bits = n.checked_ilog2().unwrap_or(0).saturating_sub(2).min(22);
    let (first, second) = levels(n, bits);
    let digit = |key: u64| (key >> (63 - first) >> 1) as usize;
    let starts = partition((n, 1 << first), threads, source, digit, records);
    let mut parts = Vec::with_capacity(1 << first);
    let mut rest = records.as_mut_slice();
    for window in starts.windows(2) {
        let (part, others) = rest.split_at_mut(window[1] - window[0]);
        parts.push(part);
        rest = others;
    }
    each(parts, |part| sort::<W>(part, (first, second), &row));
    collect(records, row)
}

/// A row's key: for one word a bijection, so that the value comes back from it.
fn hash<const W: usize>(value: &[u64]) -> u64 {
    let mut key = 0_u64;
    for &word in &value[..W] {
        key = (key ^ (key >> 29) ^ word).wrapping_mul(ODD);
    }
    key
}

/// Sorts one part by (key, row, number): a counting pass by the second digit, then the short runs.
fn sort<const W: usize>(part: &mut [Record], (first, second): (u32, u32), row: &impl Fn(usize) -> [u64; W]) {
    let digit = |key: u64| (key << first >> (63 - second) >> 1) as usize;
    let mut ends = vec![0_u32; (1 << second) + 1];
    for record in &*part {
        ends[digit(record.0) + 1] += 1;
    }
    for d in 0..1 << second {
        ends[d + 1] += ends[d];
    }
    let copy = part.to_vec();
    for record in copy {
        let place = &mut ends[digit(record.0)];
        part[*place as usize] = record;
        *place += 1;
    }
    let mut start = 0;
    for &end in &ends[..1 << second] {
        let run = &mut part[start as usize..end as usize];
        run.sort_unstable();
        if W > 1 {
            // Different rows of one hash: a chance of 2^-64 a pair, or an adversary.
            for same in run.chunk_by_mut(|a, b| a.0 == b.0).filter(|same| same.len() > 1) {
                let leader = row(same[0].1 as usize);
                if same.iter().any(|record| row(record.1 as usize) != leader) {
                    same.sort_unstable_by_key(|record| (row(record.1 as usize), record.1));
                }
            }
        }
        start = end;
    }
}

/// From sorted records to groups.
fn collect<const W: usize>(records: &[Record], row: impl Fn(usize) -> [u64; W]) -> Groups<W> {
    let same = |a: &Record, b: &Record| a.0 == b.0 && (W == 1 || row(a.1 as usize) == row(b.1 as usize));
    let value = |record: &Record| {
        if W == 1 {
            [record.0.wrapping_mul(INVERSE); W]
        } else {
            row(record.1 as usize)
        }
    };
    let (mut rows, mut ids, mut starts) = (
        Vec::with_capacity(records.len()),
        Vec::with_capacity(records.len()),
        vec![0],
    );
    for crowd in records.chunk_by(same).filter(|equal| equal.len() > 1) {
        rows.push(value(&crowd[0]));
        ids.extend(crowd.iter().map(|record| record.1));
        starts.push(ids.len() as u32);
    }
    for lone in records.chunk_by(same).filter(|equal| equal.len() == 1) {
        rows.push(value(&lone[0]));
        ids.push(lone[0].1);
    }
    Groups {
        rows,
        ids,
        sizes: Sizes { starts },
    }
}
