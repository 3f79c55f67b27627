//! An index in memory: the rows within a distance of a query.
//!
//! In: rows, once; then queries, any number of times. Out: [`Pair`]s of (query, row). Called by the border. The tables
//! are those of [`super::buckets`]: a query reads the buckets whose keys differ from its own in at most the radius.
//!
//! Memory: for each table 4 bytes a row and 8 more a word; four tables for 10^7 rows of 64 bits and distance 3.

use rayon::prelude::*;

use super::buckets::Buckets;
use super::engine::flips;
use super::field::{Field, Id};
use super::kernel::probe;
use super::plan::{Task, choose};
use super::sink::Tally;
use super::table::Table;
use super::{Pair, Rows, refuse, same_width, sort, waiting};
use crate::base::context::Context;
use crate::base::error::Result;
use crate::base::kernel::Kernel;

/// Queries of one job: a few milliseconds at 5 us each.
const JOB: usize = 256;
/// Queries that read no more rows than this run on the calling thread: some hundred microseconds.
const FEW_ROWS: u64 = 100_000;

/// An index of fingerprints that finds near ones quickly and exactly, for one bound on the distance.
///
/// ```
/// use simsieve_core::hamming::{HammingIndex, Pair, Rows};
/// use simsieve_core::base::context::Context;
///
/// let rows = |values| Rows { values, valid: None, words: 1, width: 64 };
/// let index = HammingIndex::new(&rows(&[0b0000, 0b1111]), 1, &Context::silent(1))?;
/// let found = index.query(&rows(&[0b0111, 0b1010]), 100, &Context::silent(1))?;
/// assert_eq!(found, [Pair { i: 0, j: 1, distance: 1 }]);
/// # Ok::<(), simsieve_core::base::error::Error>(())
/// ```
#[derive(Debug)]
pub struct HammingIndex {
    index: Words,
    rows: usize,
    width: u32,
    max_distance: u32,
}

/// An index by the words of its rows.
#[derive(Debug)]
enum Words {
    One(Index<1>),
    Two(Index<2>),
    Three(Index<3>),
    Four(Index<4>),
}

impl HammingIndex {
    /// Indexes `rows`; it keeps its own copy.
    ///
    /// Complexity: one radix pass and one pass inside the cache for each table.
    ///
    /// # Errors
    /// [`crate::base::error::Error::Config`] if the rows or the threads are not allowed.
    pub fn new(rows: &Rows<'_>, max_distance: u32, ctx: &Context<'_>) -> Result<Self> {
        rows.check()?;
        let task = Task {
            n: rows.len(),
            width: rows.width,
            max_distance: max_distance.min(rows.width),
            share: 1.0,
            memory: u64::MAX,
            recall: 1.0,
            seed: 0,
            kernel: ctx.kernel(),
            for_queries: true,
        };
        let index = match rows.width.div_ceil(64) {
            1 => Words::One(Index::new(rows, &task, ctx)?),
            2 => Words::Two(Index::new(rows, &task, ctx)?),
            3 => Words::Three(Index::new(rows, &task, ctx)?),
            _ => Words::Four(Index::new(rows, &task, ctx)?),
        };
        Ok(Self {
            index,
            rows: rows.len(),
            width: rows.width,
            max_distance,
        })
    }

    /// Indexed rows, valid or not.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The indexed rows, one after another, and which of them are valid; zeros of the others.
    pub fn values(&self) -> (Vec<u64>, Vec<bool>) {
        match &self.index {
            Words::One(index) => index.values(self.rows),
            Words::Two(index) => index.values(self.rows),
            Words::Three(index) => index.values(self.rows),
            Words::Four(index) => index.values(self.rows),
        }
    }

    /// Whether this many queries are so little work that the calling thread does it alone.
    pub fn is_brief(&self, queries: usize) -> bool {
        let rows = self.rows as u64;
        let read = match &self.index {
            Words::One(index) => index.read(rows),
            Words::Two(index) => index.read(rows),
            Words::Three(index) => index.read(rows),
            Words::Four(index) => index.read(rows),
        };
        read.saturating_mul(queries as u64) <= FEW_ROWS
    }

    /// All pairs of a row of `queries` (`i`) and an indexed row (`j`) within the distance, sorted by (i, j).
    ///
    /// Complexity: for each query the buckets within the radii of the tables, or all rows if that is cheaper.
    ///
    /// # Errors
    /// [`crate::base::error::Error::TooMany`] beyond `max_pairs`, with the count; [`crate::base::error::Error::Config`]
    /// if the queries have another width or the threads are not allowed.
    pub fn query(&self, queries: &Rows<'_>, max_pairs: u64, ctx: &Context<'_>) -> Result<Vec<Pair>> {
        queries.check()?;
        same_width(self.width, queries.width)?;
        let tally = Tally::new(max_pairs);
        tally.expect(queries.len() as u64);
        let kernel = ctx.kernel();
        let pairs = waiting(self.is_brief(queries.len()), &tally, ctx, |threads| {
            Ok(match &self.index {
                Words::One(index) => index.query(queries, kernel, threads, &tally),
                Words::Two(index) => index.query(queries, kernel, threads, &tally),
                Words::Three(index) => index.query(queries, kernel, threads, &tally),
                Words::Four(index) => index.query(queries, kernel, threads, &tally),
            })
        })?;
        refuse(&tally, self.max_distance, max_pairs)?;
        Ok(pairs)
    }
}

#[derive(Debug)]
struct Index<const W: usize> {
    tables: Vec<Shelf<W>>,
}

/// One table with its rows.
#[derive(Debug)]
struct Shelf<const W: usize> {
    table: Table<W>,
    /// The bits in which the key of a near row may differ from a query's key.
    flips: Vec<u64>,
    buckets: Buckets<W>,
}

impl<const W: usize> Index<W> {
    fn new(rows: &Rows<'_>, task: &Task, ctx: &Context<'_>) -> Result<Self> {
        let field = Field::<W>::new(rows, None);
        let tally = Tally::new(u64::MAX);
        let tables = waiting(rows.len() <= super::SMALL, &tally, ctx, |threads| {
            let mut tables = choose(task, &field.sample());
            if tables.is_empty() {
                tables.push(Table::everything(task.max_distance));
            }
            tally.expect((tables.len() * rows.len()) as u64);
            let mut records = Vec::new();
            let mut shelves = Vec::new();
            for table in tables.into_iter().take_while(|_| !tally.stopped()) {
                shelves.push(Shelf {
                    flips: flips(table.bits, table.radius()),
                    buckets: Buckets::new(&field, &table, threads, &mut records),
                    table,
                });
                tally.advance(rows.len() as u64);
            }
            Ok(shelves)
        })?;
        Ok(Self { tables })
    }

    /// Every table has every valid row.
    fn values(&self, rows: usize) -> (Vec<u64>, Vec<bool>) {
        let (mut values, mut valid) = (vec![0; rows * W], vec![false; rows]);
        if let Some(Shelf { buckets, .. }) = self.tables.first() {
            let (planes, places) = (buckets.planes(), buckets.places());
            for place in 0..places.len() {
                for &id in places.members(place) {
                    valid[id as usize] = true;
                    for (word, plane) in values[id as usize * W..][..W].iter_mut().zip(planes) {
                        *word = plane[place];
                    }
                }
            }
        }
        (values, valid)
    }

    /// Rows that one query reads in the mean, with one for each bucket.
    fn read(&self, rows: u64) -> u64 {
        let of = |shelf: &Shelf<W>| shelf.flips.len() as u64 * (1 + rows.checked_shr(shelf.table.bits).unwrap_or(0));
        self.tables.iter().map(of).sum()
    }

    fn query(&self, queries: &Rows<'_>, kernel: Kernel, threads: usize, tally: &Tally) -> Vec<Pair> {
        let field = Field::<W>::new(queries, None);
        let job = |start: usize| {
            let range = start..field.len().min(start + JOB);
            let mut pairs = Vec::new();
            if !tally.stopped() {
                field
                    .walk(range.clone())
                    .for_each(|(id, row)| self.one(id, &row, kernel, tally, &mut pairs));
                tally.advance(range.len() as u64);
            }
            pairs
        };
        let starts = (0..field.len()).step_by(JOB);
        let found: Vec<Vec<Pair>> = if threads == 1 {
            starts.map(job).collect()
        } else {
            (0..field.len()).into_par_iter().step_by(JOB).map(job).collect()
        };
        if tally.over() || tally.stopped() {
            Vec::new()
        } else {
            found.concat()
        }
    }

    /// The rows near one query, by number.
    fn one(&self, i: Id, row: &[u64; W], kernel: Kernel, tally: &Tally, pairs: &mut Vec<Pair>) {
        let (from, mut met) = (pairs.len(), 0);
        for Shelf { table, flips, buckets } in &self.tables {
            let (planes, places, key) = (buckets.planes(), buckets.places(), table.key(row));
            for flip in flips {
                let bucket = buckets.bucket((key ^ flip) as usize);
                if bucket.is_empty() {
                    continue;
                }
                let columns = bucket.start as usize..bucket.end as usize;
                probe(kernel, &planes, row, columns, &table.near, |place, lanes, distances| {
                    for lane in (0..8).filter(|lane| lanes >> lane & 1 == 1) {
                        let members = places.members(place + lane);
                        met += members.len() as u64;
                        if !tally.over() {
                            let distance = distances[lane] as u32;
                            pairs.extend(members.iter().map(|&j| Pair { i, j, distance }));
                        }
                    }
                });
            }
        }
        if met > 0 {
            tally.add(met);
            if tally.over() {
                *pairs = Vec::new();
            } else {
                sort(&mut pairs[from..]);
            }
        }
    }
}
