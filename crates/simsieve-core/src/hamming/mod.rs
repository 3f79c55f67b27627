//! Hamming distance, and all pairs of fingerprints within a distance: exact, for 1 to 256 bits and any distance.
//!
//! In: [`Rows`] (what fingerprinting or the user brings). Out: [`Pair`]s, sorted, each once. Called by the border for
//! `near_pairs` and by [`crate::pairs`] where bits decide.
//!
//! The way of a call: equal rows become one ([`group`]); a plan is chosen by its price ([`plan`]: brute force or exact
//! blocks, Manku et al., WWW 2007, sections 3 and 4); the tables are made and their buckets scanned ([`engine`], with
//! [`partition`] and [`kernel`]); pairs are stored or, beyond `max_pairs`, only counted ([`sink`]); at last they are
//! expanded to the caller's rows and sorted.
//!
//! Memory, one word: 16 bytes a row for the sort, then 12 for the distinct rows and 16 for the table at work; 24 bytes
//! a pair at worst, while they are gathered. 10^7 rows with 5 % planted: 0.40 GB at the peak, with the rows themselves.

mod engine;
mod group;
mod kernel;
mod partition;
mod plan;
mod sink;
#[cfg(test)]
mod tests;

use crate::kernel::Kernel;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::monitor::Monitor;

use engine::Engine;
use group::{Groups, group};
use sink::Tally;

/// The widest fingerprint, in bits.
pub const MAX_WIDTH: u32 = 256;

/// Up to this many rows a search stays on the calling thread: half a million comparisons, under 0.1 ms.
const SMALL: usize = 1024;
/// How long the entering thread sleeps between two ticks.
const TICK: Duration = Duration::from_millis(100);

/// Fingerprints, row by row.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a> {
    /// `words` words a row, the low word first; bits from `width` on are zero.
    pub values: &'a [u64],
    /// Which rows are fingerprints at all; `None`: every one. The others are near to nothing.
    pub valid: Option<&'a [bool]>,
    /// Words a row.
    pub words: usize,
    /// Bits of a fingerprint, 1 to [`MAX_WIDTH`].
    pub width: u32,
}

impl Rows<'_> {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.values.len() / self.words
    }

    /// There are none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    fn check(&self) -> Result<()> {
        let fail = |message: String| Err(Error::Config(message));
        if !(1..=MAX_WIDTH).contains(&self.width) {
            return fail(format!("width is {} bits: 1 to {MAX_WIDTH} are allowed", self.width));
        }
        let needed = self.width.div_ceil(64) as usize;
        if self.words < needed {
            return fail(format!("rows of {} words cannot hold {} bits", self.words, self.width));
        }
        if !self.values.len().is_multiple_of(self.words) {
            return fail(format!(
                "{} words do not make rows of {}",
                self.values.len(),
                self.words
            ));
        }
        if u32::try_from(self.len()).is_err() {
            return fail(format!(
                "{} rows: at most {} are allowed in one search",
                self.len(),
                u32::MAX
            ));
        }
        if let Some(valid) = self.valid.filter(|valid| valid.len() != self.len()) {
            return fail(format!("the mask has {} entries for {} rows", valid.len(), self.len()));
        }
        let free = if self.width.is_multiple_of(64) {
            0
        } else {
            u64::MAX << (self.width % 64)
        };
        if free != 0 || self.words > needed {
            let stray = |row: &[u64]| row[needed - 1] & free != 0 || row[needed..].iter().any(|&word| word != 0);
            if let Some(at) = self.values.chunks_exact(self.words).position(stray) {
                return fail(format!("row {at} has bits above its width of {}", self.width));
            }
        }
        Ok(())
    }
}

/// What to look for, and with what.
#[derive(Debug, Clone, Copy)]
pub struct Search {
    /// Bits, inclusive; from the width on every pair is near.
    pub max_distance: u32,
    /// The call refuses to return more pairs than this.
    pub max_pairs: u64,
    /// 0: all.
    pub threads: usize,
    /// Changes the time, never the pairs.
    pub kernel: Kernel,
}

/// Two rows within the distance, `i < j`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pair {
    /// The earlier row.
    pub i: u32,
    /// The later row.
    pub j: u32,
    /// Bits that differ.
    pub distance: u32,
}

/// The number of bits in which two fingerprints differ.
///
/// Complexity: linear in the words. Panics if the lengths differ.
///
/// ```
/// assert_eq!(simsieve_core::hamming::distance(&[0b1010, 1], &[0b0011, 0]), 3);
/// ```
pub fn distance(a: &[u64], b: &[u64]) -> u32 {
    assert_eq!(a.len(), b.len(), "fingerprints of one width");
    a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones()).sum()
}

/// All pairs within `max_distance`, by plain loops: the oracle of the tests, right for a few thousand rows.
///
/// Complexity: n^2 / 2 distances. Panics where [`near_pairs`] would refuse the rows.
pub fn brute_pairs(rows: &Rows<'_>, max_distance: u32) -> Vec<Pair> {
    let row = |i: usize| &rows.values[i * rows.words..(i + 1) * rows.words];
    let valid: Vec<usize> = (0..rows.len())
        .filter(|&i| rows.valid.is_none_or(|valid| valid[i]))
        .collect();
    let mut pairs = Vec::new();
    for (at, &i) in valid.iter().enumerate() {
        for &j in &valid[at + 1..] {
            let distance = distance(row(i), row(j));
            if distance <= max_distance {
                pairs.push(Pair {
                    i: i as u32,
                    j: j as u32,
                    distance,
                });
            }
        }
    }
    pairs
}

/// All pairs of rows within `max_distance`, exactly, sorted by (i, j), each once.
///
/// More than `max_pairs` of them are counted, not stored, and refused with [`Error::TooMany`].
///
/// Complexity: see the price in `plan.rs`; for random 64-bit rows and distance 3 close to linear up to 10^7. The
/// monitor hears of the stage "search" about ten times a second, from this thread; its error ends the search.
///
/// ```
/// use simsieve_core::kernel::Kernel;
/// use simsieve_core::hamming::{Pair, Rows, Search, near_pairs};
/// use simsieve_core::monitor::Silent;
///
/// let rows = Rows { values: &[0b0000, 0b1111, 0b0001], valid: None, words: 1, width: 64 };
/// let search = Search { max_distance: 3, max_pairs: 100, threads: 1, kernel: Kernel::active() };
/// let pairs = near_pairs(&rows, &search, &mut Silent)?;
/// assert_eq!(pairs, [Pair { i: 0, j: 2, distance: 1 }, Pair { i: 1, j: 2, distance: 3 }]);
/// # Ok::<(), simsieve_core::error::Error>(())
/// ```
pub fn near_pairs(rows: &Rows<'_>, search: &Search, monitor: &mut dyn Monitor) -> Result<Vec<Pair>> {
    rows.check()?;
    match rows.width.div_ceil(64) {
        1 => run::<1>(rows, search, monitor),
        2 => run::<2>(rows, search, monitor),
        3 => run::<3>(rows, search, monitor),
        _ => run::<4>(rows, search, monitor),
    }
}

fn run<const W: usize>(rows: &Rows<'_>, search: &Search, monitor: &mut dyn Monitor) -> Result<Vec<Pair>> {
    let tally = Tally::new(search.max_pairs);
    let pairs = if rows.len() <= SMALL {
        find::<W>(rows, search, 1, &tally)
    } else {
        let pool = crate::work::pool(search.threads)?;
        // The monitor belongs to this thread, so the pool works and this thread waits.
        let (sender, receiver) = channel();
        let tally = &tally;
        pool.in_place_scope(|scope| {
            scope.spawn(move |_| {
                // Nobody listens only after this thread has panicked.
                let _ = sender.send(find::<W>(rows, search, rayon::current_num_threads(), tally));
            });
            loop {
                match receiver.recv_timeout(TICK) {
                    Ok(pairs) => return Ok(pairs),
                    // The job panicked; the scope hands the panic on.
                    Err(RecvTimeoutError::Disconnected) => return Ok(Vec::new()),
                    Err(RecvTimeoutError::Timeout) => {
                        monitor
                            .tick("search", tally.done(), tally.total())
                            .inspect_err(|_| tally.stop())?;
                    }
                }
            }
        })?
    };
    monitor.tick("search", tally.total(), tally.total())?;
    if tally.over() {
        return Err(Error::TooMany(format!(
            "{} pairs are within distance {}, more than max_pairs = {}: raise --max-pairs (max_pairs), search a \
             smaller distance, or use dedup, which needs no pairs",
            tally.pairs(),
            search.max_distance,
            search.max_pairs
        )));
    }
    Ok(pairs)
}

/// The search itself, on whatever pool this thread belongs to.
fn find<const W: usize>(rows: &Rows<'_>, search: &Search, threads: usize, tally: &Tally) -> Vec<Pair> {
    let mut records = Vec::new();
    let groups = group::<W>(rows, threads, &mut records);
    tally.add(groups.equal_pairs());
    let (n, k, kernel) = (groups.rows.len(), search.max_distance.min(rows.width), search.kernel);
    let engine = Engine {
        groups: &groups,
        kernel,
        threads,
        tally,
    };
    let mut pairs = Vec::new();
    if k > 0 && n > 1 {
        let tables = if n <= SMALL {
            Vec::new()
        } else {
            plan::choose(&groups.rows, rows.width, k, kernel)
        };
        tally.expect((tables.len().max(1) * n) as u64);
        if tables.is_empty() {
            pairs = engine.brute(k);
        }
        for table in &tables {
            pairs.append(&mut engine.table(table, &mut records));
            if tally.over() {
                pairs = Vec::new();
            }
        }
    }
    if tally.over() || tally.stopped() {
        Vec::new()
    } else {
        expand(&groups, pairs)
    }
}

/// From pairs of distinct rows to sorted pairs of the caller's rows.
fn expand<const W: usize>(groups: &Groups<W>, mut pairs: Vec<Pair>) -> Vec<Pair> {
    let order = |a: u32, b: u32, distance: u32| Pair {
        i: a.min(b),
        j: a.max(b),
        distance,
    };
    if groups.sizes.crowds() == 0 {
        for pair in &mut pairs {
            *pair = order(groups.ids[pair.i as usize], groups.ids[pair.j as usize], pair.distance);
        }
    } else {
        let mut all = Vec::with_capacity(pairs.len());
        for pair in pairs {
            for &a in groups.members(pair.i) {
                all.extend(groups.members(pair.j).iter().map(|&b| order(a, b, pair.distance)));
            }
        }
        for row in 0..groups.sizes.crowds() as u32 {
            let members = groups.members(row);
            for (at, &a) in members.iter().enumerate() {
                all.extend(members[at + 1..].iter().map(|&b| order(a, b, 0)));
            }
        }
        pairs = all;
    }
    let key = |pair: &Pair| u64::from(pair.i) << 32 | u64::from(pair.j);
    if pairs.len() < SMALL {
        pairs.sort_unstable_by_key(key);
    } else {
        pairs.par_sort_unstable_by_key(key);
    }
    pairs
}
