//! Hamming distance, and all pairs of fingerprints within a distance: for 1 to 256 bits and any distance, of one
//! collection or across two. Exact, unless a recall below 1 is requested. [`HammingIndex`] is an index for queries.
//!
//! In: [`Rows`]. Out: [`Pair`]s, sorted, each once. Called by the border for `near_pairs` and by
//! [`crate::dedup::pairs`] if bits decide.
//!
//! The steps of a call: a plan is chosen by its price ([`plan`], with the tables of [`table`]). The tables are made and
//! their buckets scanned ([`engine`] and [`buckets`], with [`partition`] and [`kernel`]). Pairs are stored or, beyond
//! `max_pairs`, only counted ([`sink`]); then they are sorted. The rows are read in place ([`field`]).
//!
//! Memory, beside rows and answer: 16 bytes a row for the current table, about 30 more for whole tables (distances
//! above about 4), and never more than [`Options::memory`].

mod buckets;
mod engine;
mod field;
mod index;
#[cfg(test)]
mod join_tests;
mod kernel;
mod near;
mod partition;
mod plan;
mod rows;
mod sink;
mod table;
#[cfg(test)]
mod test_rows;
#[cfg(test)]
mod tests;
mod within;

use crate::base::kernel::Kernel;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use rayon::prelude::*;

use crate::base::context::Context;
use crate::base::error::{Error, Result};

use engine::Engine;
use field::Field;
pub use index::HammingIndex;
use plan::Task;
pub use rows::{MAX_WIDTH, Pair, Rows};
use sink::Tally;
pub(crate) use within::distances_of;
pub use within::{shared_bits, within};

/// Up to this many rows a search runs on the calling thread: half a million comparisons, under 0.1 ms.
const SMALL: usize = 1024;
/// Default bytes for tables: 10^8 rows of one word at once, 10^9 in eight parts.
const MEMORY: u64 = 6 << 30;
/// Sleep of the calling thread between two ticks.
const TICK: Duration = Duration::from_millis(100);

/// What a search finds.
#[derive(Debug, Clone, Copy)]
pub struct Search {
    /// Bits, inclusive; from the width on every pair is near.
    pub max_distance: u32,
    /// More pairs than this are an error.
    pub max_pairs: u64,
}

/// Options of a search.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Bytes for tables, beside the rows and the answer; 0: 6 GiB, used only if the rows need it. It changes the time,
    /// never the pairs.
    pub memory: u64,
    /// The least chance that a pair at `max_distance` is found, above 0; nearer pairs have a higher chance. 1: all are
    /// found.
    pub recall: f64,
    /// The seed of the random bits that are compared if the recall is below 1.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            memory: 0,
            recall: 1.0,
            seed: 0,
        }
    }
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

/// All pairs of rows within `max_distance`, exactly, sorted by (i, j), each once.
///
/// More than `max_pairs` of them are counted, not stored, and refused with [`Error::TooMany`].
///
/// Complexity: see the price in `plan.rs`; for random 64-bit rows and distance 3 close to linear up to 10^9. The
/// monitor receives the stage "search" about ten times a second, on this thread; its error ends the search.
///
/// ```
/// use simsieve_core::base::context::Context;
/// use simsieve_core::hamming::{Pair, Rows, Search, near_pairs};
///
/// let rows = Rows { values: &[0b0000, 0b1111, 0b0001], valid: None, words: 1, width: 64 };
/// let search = Search { max_distance: 3, max_pairs: 100 };
/// let pairs = near_pairs(&rows, &search, &Context::silent(1))?;
/// assert_eq!(pairs, [Pair { i: 0, j: 2, distance: 1 }, Pair { i: 1, j: 2, distance: 3 }]);
/// # Ok::<(), simsieve_core::base::error::Error>(())
/// ```
pub fn near_pairs(rows: &Rows<'_>, search: &Search, ctx: &Context<'_>) -> Result<Vec<Pair>> {
    near_pairs_with(rows, None, search, &Options::default(), ctx)
}

/// [`near_pairs`] with options; with `other`, only the pairs of a row of `rows` with a row of `other`.
///
/// # Errors
/// [`Error::Config`] if rows or options are not allowed, widths differ, or the memory is too little.
pub fn near_pairs_with(
    rows: &Rows<'_>,
    other: Option<&Rows<'_>>,
    search: &Search,
    options: &Options,
    ctx: &Context<'_>,
) -> Result<Vec<Pair>> {
    rows.check()?;
    if let Some(other) = other {
        other.check()?;
        same_width(rows.width, other.width)?;
        let sum = rows.len() + other.len();
        if u32::try_from(sum).is_err() {
            let most = u32::MAX;
            return Err(Error::Config(msg!(
                "{sum} rows: at most {most} are allowed in one search"
            )));
        }
    }
    if !(options.recall > 0.0 && options.recall <= 1.0) {
        return Err(Error::Config(msg!(
            "recall {recall} is not allowed: above 0, and at most 1, which finds all pairs",
            recall = options.recall
        )));
    }
    match rows.width.div_ceil(64) {
        1 => run(&Field::<1>::new(rows, other), rows.width, search, options, ctx),
        2 => run(&Field::<2>::new(rows, other), rows.width, search, options, ctx),
        3 => run(&Field::<3>::new(rows, other), rows.width, search, options, ctx),
        _ => run(&Field::<4>::new(rows, other), rows.width, search, options, ctx),
    }
}

fn same_width(ours: u32, theirs: u32) -> Result<()> {
    if ours == theirs {
        return Ok(());
    }
    Err(Error::Config(msg!(
        "fingerprints of {ours} and of {theirs} bits cannot be compared: give two collections of one width"
    )))
}

fn run<const W: usize>(
    field: &Field<'_, W>,
    width: u32,
    search: &Search,
    options: &Options,
    ctx: &Context<'_>,
) -> Result<Vec<Pair>> {
    let tally = Tally::new(search.max_pairs);
    let (small, kernel) = (field.len() <= SMALL, ctx.kernel());
    let pairs = waiting(small, &tally, ctx, |threads| {
        find(field, width, search, options, (kernel, threads), &tally)
    })?;
    refuse(&tally, search.max_distance, search.max_pairs)?;
    Ok(pairs)
}

fn refuse(tally: &Tally, max_distance: u32, max_pairs: u64) -> Result<()> {
    if !tally.over() {
        return Ok(());
    }
    let pairs = tally.pairs();
    Err(Error::TooMany(msg!(
        "{pairs} pairs are within distance {max_distance}, more than max_pairs = {max_pairs}: raise it, search \
         a smaller distance, or use dedup, which needs no pairs"
    )))
}

/// Runs long work on the pool while this thread waits and reports progress; small work runs here.
fn waiting<T: Default + Send>(
    small: bool,
    tally: &Tally,
    ctx: &Context<'_>,
    work: impl FnOnce(usize) -> Result<T> + Send,
) -> Result<T> {
    let done = if small {
        work(1)?
    } else {
        let pool = ctx.pool()?;
        let (sender, receiver) = channel();
        pool.in_place_scope(|scope| {
            scope.spawn(move |_| {
                // There is no receiver only after this thread has panicked.
                let _ = sender.send(work(rayon::current_num_threads()));
            });
            loop {
                match receiver.recv_timeout(TICK) {
                    Ok(done) => return done,
                    // The job panicked; the scope passes the panic on.
                    Err(RecvTimeoutError::Disconnected) => return Ok(T::default()),
                    Err(RecvTimeoutError::Timeout) => {
                        ctx.tick("search", tally.done(), tally.total())
                            .inspect_err(|_| tally.stop())?;
                    }
                }
            }
        })?
    };
    ctx.tick("search", tally.total(), tally.total())?;
    Ok(done)
}

/// The search itself, on the pool of this thread.
fn find<const W: usize>(
    field: &Field<'_, W>,
    width: u32,
    search: &Search,
    options: &Options,
    (kernel, threads): (Kernel, usize),
    tally: &Tally,
) -> Result<Vec<Pair>> {
    let (n, max_distance) = (field.len(), search.max_distance.min(width));
    let memory = if options.memory == 0 { MEMORY } else { options.memory };
    let tables = if n <= SMALL {
        Vec::new()
    } else {
        let (one, two) = (field.border() as f64, (n - field.border()) as f64);
        let task = Task {
            n,
            width,
            max_distance,
            share: if field.is_across() {
                2.0 * one * two / (one + two).powi(2)
            } else {
                1.0
            },
            memory,
            recall: options.recall,
            seed: options.seed,
            kernel,
            for_queries: false,
        };
        plan::choose(&task, &field.sample())
    };
    tally.expect((tables.len().max(1) * n) as u64);
    let engine = Engine {
        field,
        kernel,
        threads,
        memory,
        tally,
    };
    let mut pairs = engine.run(&tables, max_distance)?;
    if tally.over() || tally.stopped() {
        return Ok(Vec::new());
    }
    if field.is_across() {
        for pair in &mut pairs {
            pair.j -= field.border() as u32;
        }
    }
    sort(&mut pairs);
    Ok(pairs)
}

fn sort(pairs: &mut [Pair]) {
    let key = |pair: &Pair| u64::from(pair.i) << 32 | u64::from(pair.j);
    if pairs.len() < SMALL {
        pairs.sort_unstable_by_key(key);
    } else {
        pairs.par_sort_unstable_by_key(key);
    }
}
