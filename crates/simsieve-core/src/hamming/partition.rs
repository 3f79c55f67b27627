//! One pass of a most-significant-digit radix sort, over all threads.
//!
//! In: records from any source. Out: the records, those of a digit together and in the order of the source. Called by
//! [`super::group`] and [`super::engine`], which finish each part inside the cache.
//!
//! One pass costs 5 ns a record at 10^6 and 10^7. Records of 16 bytes keep value and number in one stream of stores;
//! two arrays (12 bytes a record) would double the streams.

use std::ops::Range;

use rayon::prelude::*;

/// A row on its way through a sort: its value (one word) or its key (more words), and its number.
pub(super) type Record = (u64, u32);

/// Below this many records (1 MiB, a third of a millisecond) one thread does the pass.
const PARALLEL_FROM: usize = 1 << 16;

/// How a key of `bits` bits is cut into the digit of this pass and the digit left for the pass inside a part:
/// parts of 16,384 to 32,768 records, the second digit at most 12 bits. A part and its copy then about fill the L2.
///
/// Whole searches, one thread, beside other work: at 10^6 parts half as large took 1.05 times as long, twice as large
/// 1.3 times; at 10^7 (parts of 19,500) a quarter as large took 1.2 times, an eighth 1.4 times: too many streams.
pub(super) fn levels(n: usize, bits: u32) -> (u32, u32) {
    let fit = (n >> 15).checked_ilog2().map_or(0, |log| log + 1);
    let first = fit.max(bits.saturating_sub(12)).min(bits);
    (first, bits - first)
}

/// Moves the records of `source` over `0..n` into `out`, ordered by `digit` (below `parts`), stable; returns where
/// each part begins, with the end of the last.
///
/// Complexity: two walks over the source, one write of each record.
pub(super) fn partition<S, I, D>(
    (n, parts): (usize, usize),
    threads: usize,
    source: S,
    digit: D,
    out: &mut Vec<Record>,
) -> Vec<usize>
where
    S: Fn(Range<usize>) -> I + Sync,
    I: Iterator<Item = Record>,
    D: Fn(u64) -> usize + Sync,
{
    let chunks = if n < PARALLEL_FROM { 1 } else { threads.max(1) };
    let ranges: Vec<Range<usize>> = (0..chunks).map(|c| n * c / chunks..n * (c + 1) / chunks).collect();
    let count = |range: &Range<usize>| {
        let mut counts = vec![0_usize; parts];
        for (key, _) in source(range.clone()) {
            counts[digit(key)] += 1;
        }
        counts
    };
    let counts: Vec<Vec<usize>> = each(ranges.iter().collect(), count);

    let total: usize = counts.iter().flatten().sum();
    out.resize(total, (0, 0));
    let mut rest = out.as_mut_slice();
    let mut homes: Vec<Vec<std::slice::IterMut<'_, Record>>> = (0..chunks).map(|_| Vec::with_capacity(parts)).collect();
    let mut starts = Vec::with_capacity(parts + 1);
    let mut start = 0;
    for part in 0..parts {
        starts.push(start);
        for (home, count) in homes.iter_mut().zip(&counts) {
            let (mine, others) = rest.split_at_mut(count[part]);
            home.push(mine.iter_mut());
            rest = others;
            start += count[part];
        }
    }
    starts.push(total);
    each(ranges.into_iter().zip(homes).collect(), |(range, mut home)| {
        for record in source(range) {
            if let Some(place) = home[digit(record.0)].next() {
                *place = record;
            }
        }
    });
    starts
}

/// Runs the jobs; a single one on this thread, so that small work never wakes a pool.
pub(super) fn each<J: Send, R: Send>(jobs: Vec<J>, run: impl Fn(J) -> R + Sync + Send) -> Vec<R> {
    if jobs.len() == 1 {
        jobs.into_iter().map(run).collect()
    } else {
        jobs.into_par_iter().map(run).collect()
    }
}
