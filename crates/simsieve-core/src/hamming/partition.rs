//! One pass of a most-significant-digit radix sort, on all threads, whole or in parts.
//!
//! In: records from any source. Out: the records, those of a digit together and in the order of the source. Called by
//! [`super::engine`] and [`super::buckets`], which finish each part inside the cache.
//!
//! A survey counts the digits in each thread's share of the source. Another walk over the source then gathers any part
//! of the digits, so a table need not fit into memory at once.
//!
//! One pass costs 5 ns a record at 10^6 and 10^7. Records of 16 bytes keep value and number in one stream of stores;
//! two arrays (12 bytes a record) would double the streams.

use std::ops::Range;

use rayon::prelude::*;

/// A row on its way through a sort: its value (one word) or its key (more words), and its number.
pub(super) type Record = (u64, u32);

/// Below this many records (1 MiB, a third of a millisecond) the pass uses one thread.
const PARALLEL_FROM: usize = 1 << 16;

/// Cuts a key of `bits` bits into the digit of this pass and the digit of the pass inside a part. Parts have 16,384 to
/// 32,768 records, and the second digit has at most 12 bits. A part and its copy then about fill the L2.
///
/// Whole searches were measured on one thread beside other work. At 10^6 rows, parts half as large took 1.05 times as
/// long, and parts twice as large 1.3 times. At 10^7 (parts of 19,500), a quarter as large took 1.2 times, an eighth
/// 1.4 times: too many streams.
pub(super) fn levels(n: usize, bits: u32) -> (u32, u32) {
    let first = fit(n).max(bits.saturating_sub(12)).min(bits);
    (first, bits - first)
}

/// Bits of the first digit that make parts fit the cache.
fn fit(n: usize) -> u32 {
    (n >> 15).checked_ilog2().map_or(0, |log| log + 1)
}

/// The widest useful key: buckets of two to five rows, both digits sized for the caches.
pub(super) fn widest_key(n: usize) -> u32 {
    (n.checked_ilog2().unwrap_or(0) + 2).clamp(8, 22.max(fit(n) + 12))
}

/// How often each digit occurs, in each thread's share of the source.
#[derive(Debug)]
pub(super) struct Survey {
    ranges: Vec<Range<usize>>,
    counts: Vec<Vec<u32>>,
}

impl Survey {
    /// Complexity: one walk over the source.
    pub fn new<S, I, D>((n, digits): (usize, usize), threads: usize, source: &S, digit: &D) -> Self
    where
        S: Fn(Range<usize>) -> I + Sync,
        I: Iterator<Item = Record>,
        D: Fn(u64) -> usize + Sync,
    {
        let chunks = if n < PARALLEL_FROM { 1 } else { threads.max(1) };
        let ranges: Vec<Range<usize>> = (0..chunks).map(|c| n * c / chunks..n * (c + 1) / chunks).collect();
        let counts = each(ranges.clone(), |range| {
            let mut counts = vec![0_u32; digits];
            source(range).for_each(|(key, _)| counts[digit(key)] += 1);
            counts
        });
        Self { ranges, counts }
    }

    fn sizes(&self) -> impl Iterator<Item = usize> {
        (0..self.counts[0].len()).map(|digit| self.counts.iter().map(|counts| counts[digit] as usize).sum())
    }

    /// Records of the most frequent digit.
    pub fn largest(&self) -> usize {
        self.sizes().max().unwrap_or(0)
    }

    /// Runs of digits of at most `most` records each; `None` if a digit alone has more.
    pub fn parts(&self, most: usize) -> Option<Vec<Range<usize>>> {
        let (mut parts, mut start, mut sum) = (Vec::new(), 0, 0);
        for (digit, size) in self.sizes().enumerate() {
            if size > most {
                return None;
            }
            if sum + size > most {
                parts.push(start..digit);
                (start, sum) = (digit, 0);
            }
            sum += size;
        }
        parts.push(start..self.counts[0].len());
        Some(parts)
    }

    /// Moves the records of some digits into `out`, ordered by digit, stable; returns where each digit begins, with the
    /// end of the last.
    ///
    /// Complexity: one walk over the source, one write of each record.
    pub fn gather<S, I, D>(&self, digits: Range<usize>, source: &S, digit: &D, out: &mut Vec<Record>) -> Vec<usize>
    where
        S: Fn(Range<usize>) -> I + Sync,
        I: Iterator<Item = Record>,
        D: Fn(u64) -> usize + Sync,
    {
        let size = |digit: usize| self.counts.iter().map(move |counts| counts[digit] as usize);
        let total: usize = digits.clone().flat_map(size).sum();
        // The exact capacity: doubling a table of gigabytes would exceed the memory limit.
        out.reserve_exact(total.saturating_sub(out.len()));
        out.resize(total, (0, 0));
        let mut rest = out.as_mut_slice();
        let mut homes: Vec<Vec<std::slice::IterMut<'_, Record>>> =
            self.counts.iter().map(|_| Vec::with_capacity(digits.len())).collect();
        let mut starts = Vec::with_capacity(digits.len() + 1);
        let mut start = 0;
        for digit in digits.clone() {
            starts.push(start);
            for (home, count) in homes.iter_mut().zip(size(digit)) {
                let (mine, others) = rest.split_at_mut(count);
                home.push(mine.iter_mut());
                rest = others;
                start += count;
            }
        }
        starts.push(total);
        each(self.ranges.iter().cloned().zip(homes).collect(), |(range, mut home)| {
            source(range).for_each(|record| {
                let home = home.get_mut(digit(record.0).wrapping_sub(digits.start));
                if let Some(place) = home.and_then(Iterator::next) {
                    *place = record;
                }
            });
        });
        starts
    }
}

/// Runs the jobs; a single job runs on this thread, so small work never starts a pool.
pub(super) fn each<J: Send, R: Send>(jobs: Vec<J>, run: impl Fn(J) -> R + Sync + Send) -> Vec<R> {
    if jobs.len() == 1 {
        jobs.into_iter().map(run).collect()
    } else {
        jobs.into_par_iter().map(run).collect()
    }
}
