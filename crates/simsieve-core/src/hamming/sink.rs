//! Receives the pairs found: stores them up to a limit, then only counts.
//!
//! Called by the kernels through [`PairSink`]. All jobs of a search share a [`Tally`].

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use super::field::Id;
use super::near::PairSink;
use super::rows::Pair;

/// Pairs between two reports of a job to the tally: a job can exceed `max_pairs` by this many pairs and a span.
const REPORT_EVERY: u64 = 1 << 14;

/// The shared counters of one search.
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
    /// Counters at zero.
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

    /// Adds `units` of finished work.
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

    /// Adds `pairs` more pairs of rows.
    pub fn add(&self, pairs: u64) {
        // An addition that wraps would need 2^64 pairs; there are fewer than 2^63 among 2^32 rows.
        if self.pairs.fetch_add(pairs, Relaxed) + pairs > self.max_pairs {
            self.over.store(true, Relaxed);
        }
    }
}

/// The rows of each place of a scan.
#[derive(Debug, Clone, Copy)]
pub(super) struct Places<'a> {
    /// Row numbers, those of a place together.
    pub ids: &'a [Id],
    /// Where in `ids` each place's begin, with the end of the last; empty: one row a place.
    pub starts: &'a [u32],
}

impl Places<'_> {
    /// How many places there are.
    pub fn len(&self) -> usize {
        if self.starts.is_empty() {
            self.ids.len()
        } else {
            self.starts.len() - 1
        }
    }

    /// The rows of a place, all equal.
    pub fn members(&self, place: usize) -> &[Id] {
        if self.starts.is_empty() {
            &self.ids[place..=place]
        } else {
            &self.ids[self.starts[place] as usize..self.starts[place + 1] as usize]
        }
    }
}

/// Keeps the pairs of rows while there are at most `max_pairs`.
#[derive(Debug)]
pub(super) struct Store<'a> {
    tally: &'a Tally,
    places: Places<'a>,
    pairs: &'a mut Vec<Pair>,
    unreported: u64,
}

impl<'a> Store<'a> {
    pub fn new(tally: &'a Tally, places: Places<'a>, pairs: &'a mut Vec<Pair>) -> Self {
        Self {
            tally,
            places,
            pairs,
            unreported: 0,
        }
    }

    fn push(&mut self, a: Id, b: Id, distance: u32) {
        let (i, j) = (a.min(b), a.max(b));
        self.pairs.push(Pair { i, j, distance });
    }

    /// All pairs among the equal rows of each place.
    pub fn equals(&mut self) {
        for place in 0..self.places.starts.len().saturating_sub(1) {
            let places = self.places;
            let members = places.members(place);
            let size = members.len() as u64;
            if self.expects(size * (size - 1) / 2) {
                for (at, &a) in members.iter().enumerate() {
                    for &b in &members[at + 1..] {
                        self.push(a, b, 0);
                    }
                }
            }
        }
    }

    /// Counts the next pairs; false if there are too many to keep.
    fn expects(&mut self, pairs: u64) -> bool {
        self.unreported += pairs;
        if self.unreported >= REPORT_EVERY {
            self.report();
        }
        !self.tally.over()
    }

    fn report(&mut self) {
        self.tally.add(std::mem::take(&mut self.unreported));
        if self.tally.over() {
            *self.pairs = Vec::new();
        }
    }
}

impl PairSink for Store<'_> {
    fn near(&mut self, i: usize, j: usize, distance: u32) {
        let places = self.places;
        if places.starts.is_empty() {
            self.unreported += 1;
            self.push(places.ids[i], places.ids[j], distance);
        } else {
            let (rows, columns) = (places.members(i), places.members(j));
            if self.expects(rows.len() as u64 * columns.len() as u64) {
                for &a in rows {
                    for &b in columns {
                        self.push(a, b, distance);
                    }
                }
            }
        }
    }

    fn flush(&mut self) {
        if self.unreported >= REPORT_EVERY {
            self.report();
        }
    }
}

impl Drop for Store<'_> {
    fn drop(&mut self) {
        self.report();
    }
}
