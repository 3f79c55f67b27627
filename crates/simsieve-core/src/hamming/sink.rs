//! What becomes of the pairs found: stored while they are few enough, else only counted.
//!
//! Called by the kernels through [`Sink`]. All jobs of a search share a [`Tally`].

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use super::Pair;
use super::group::Sizes;
use super::kernel::Sink;

/// How often a job tells the tally what it has found: a job can overshoot `max_pairs` by this many pairs and a span.
const TELL_EVERY: u64 = 1 << 14;

/// The shared books of one search.
#[derive(Debug)]
pub(super) struct Tally {
    max_pairs: u64,
    pairs: AtomicU64,
    over: AtomicBool,
    stop: AtomicBool,
    done: AtomicU64,
    total: AtomicU64,
}

impl Tally {
    /// Empty books.
    pub fn new(max_pairs: u64) -> Self {
        Self {
            max_pairs,
            pairs: 0.into(),
            over: false.into(),
            stop: false.into(),
            done: 0.into(),
            total: 0.into(),
        }
    }

    /// The pairs of rows known so far; all of them when every job has ended.
    pub fn pairs(&self) -> u64 {
        self.pairs.load(Relaxed)
    }

    /// There are more pairs than may be stored: count on, keep none.
    pub fn over(&self) -> bool {
        self.over.load(Relaxed)
    }

    /// The caller asked to stop.
    pub fn stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// Asks every job to stop.
    pub fn stop(&self) {
        self.stop.store(true, Relaxed);
    }

    /// Units of work done.
    pub fn done(&self) -> u64 {
        self.done.load(Relaxed)
    }

    /// Books `units` of work as done.
    pub fn advance(&self, units: u64) {
        self.done.fetch_add(units, Relaxed);
    }

    /// Units of work expected; 0 until the plan is made.
    pub fn total(&self) -> u64 {
        self.total.load(Relaxed)
    }

    /// Sets the units of work expected.
    pub fn expect(&self, units: u64) {
        self.total.store(units, Relaxed);
    }

    /// Books `pairs` more pairs of rows.
    pub fn add(&self, pairs: u64) {
        // An addition that wraps would need 2^64 pairs; there are fewer than 2^63 among 2^32 rows.
        if self.pairs.fetch_add(pairs, Relaxed) + pairs > self.max_pairs {
            self.over.store(true, Relaxed);
        }
    }
}

/// Keeps the pairs of distinct rows, counts the pairs of rows they stand for.
#[derive(Debug)]
pub(super) struct Store<'a> {
    tally: &'a Tally,
    /// Distinct row of each place.
    ids: &'a [u32],
    sizes: &'a Sizes,
    pairs: &'a mut Vec<Pair>,
    untold: u64,
}

impl<'a> Store<'a> {
    pub fn new(tally: &'a Tally, ids: &'a [u32], sizes: &'a Sizes, pairs: &'a mut Vec<Pair>) -> Self {
        Self {
            tally,
            ids,
            sizes,
            pairs,
            untold: 0,
        }
    }

    fn tell(&mut self) {
        self.tally.add(std::mem::take(&mut self.untold));
        if self.tally.over() {
            *self.pairs = Vec::new();
        }
    }
}

impl Sink for Store<'_> {
    fn near(&mut self, i: usize, j: usize, distance: u32) {
        let (i, j) = (self.ids[i], self.ids[j]);
        self.untold += self.sizes.of(i) * self.sizes.of(j);
        self.pairs.push(Pair { i, j, distance });
    }

    fn settle(&mut self) {
        if self.untold >= TELL_EVERY {
            self.tell();
        }
    }
}

impl Drop for Store<'_> {
    fn drop(&mut self) {
        self.tell();
    }
}

/// Counts pairs of rows, keeps none.
#[derive(Debug)]
pub(super) struct Count<'a> {
    tally: &'a Tally,
    /// Rows that each place stands for; empty: one each.
    sizes: Vec<u64>,
    pairs: u64,
}

impl<'a> Count<'a> {
    pub fn new(tally: &'a Tally, ids: &[u32], sizes: &Sizes) -> Self {
        let crowded = sizes.crowds() > 0;
        let sizes = if crowded {
            ids.iter().map(|&id| sizes.of(id)).collect()
        } else {
            Vec::new()
        };
        Self { tally, sizes, pairs: 0 }
    }
}

impl Sink for Count<'_> {
    fn near(&mut self, i: usize, j: usize, _distance: u32) {
        self.pairs += if self.sizes.is_empty() {
            1
        } else {
            self.sizes[i] * self.sizes[j]
        };
    }

    fn near_lanes(&mut self, i: usize, j: usize, lanes: u8, _distances: &[u64; 8]) {
        if self.sizes.is_empty() {
            self.pairs += u64::from(lanes.count_ones());
        } else {
            let columns = self.sizes[j..].iter().zip(0..8);
            let rows: u64 = columns.map(|(&size, lane)| size * u64::from(lanes >> lane & 1)).sum();
            self.pairs += self.sizes[i] * rows;
        }
    }

    fn settle(&mut self) {}
}

impl Drop for Count<'_> {
    fn drop(&mut self) {
        self.tally.add(self.pairs);
    }
}
