//! The tables of a recipe, one after another: keys sorted, buckets walked.

use rayon::prelude::*;

use crate::base::context::Context;
use crate::base::error::Result;
use crate::dedup::candidates::Filter;
use crate::dedup::candidates::sort::sort_by_key;

/// A candidate pair of rows; `earlier` precedes in keep order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// The row that would be dropped.
    pub later: u32,
    /// Bits in which the fingerprints differ.
    pub distance: u32,
    /// The row that would represent it.
    pub earlier: u32,
}

/// The input of the decisions: the pairs of small buckets, and the members of the large ones.
#[derive(Debug, Default)]
pub struct Candidates {
    /// In order of (later, distance, earlier), each pair once.
    pub edges: Vec<Edge>,
    /// In order of (row, bucket): the large buckets that a row is in.
    pub memberships: Vec<(u32, u32)>,
    /// The number of large buckets.
    pub heavy_buckets: u32,
}

/// A bucket of up to this many rows gives its pairs at once: eight tests a row at most. With 64 a family of 700,000
/// near documents took 21 CPU seconds to decide, not 12.
pub const SMALL_BUCKET: usize = 16;

/// The candidates of all rows, for the decisions: near-linear for families of any size.
///
/// Complexity: for every table a sort of the rows and the tests of its small buckets.
pub fn candidates(filter: Filter, ctx: &Context<'_>) -> Result<Candidates> {
    let mut all = Candidates::default();
    each_table(filter, ctx, small_buckets, |(edges, heavy), _| {
        all.edges.extend(edges);
        for bucket in heavy {
            all.memberships
                .extend(bucket.into_iter().map(|row| (row, all.heavy_buckets)));
            all.heavy_buckets += 1;
        }
        Ok(())
    })?;
    all.edges.par_sort_unstable();
    all.memberships.par_sort_unstable();
    Ok(all)
}

/// Passes every candidate pair to `take`, each once and in no order. Quadratic if the answer is, but never all in
/// memory.
pub fn all_pairs(filter: Filter, ctx: &Context<'_>, mut take: impl FnMut(Vec<Edge>) -> Result<()>) -> Result<()> {
    let pool = ctx.pool()?;
    each_table(
        filter,
        ctx,
        |_, at, _| at,
        |table, keys| {
            for piece in pieces(keys) {
                let edges = pool.install(|| edges_of(&filter, table, keys, &piece));
                take(edges)?;
            }
            Ok(())
        },
    )
}

/// The rows of all buckets as (first of the bucket, row), cut into pieces of about a million pairs to test.
fn pieces(keys: &[u64]) -> Vec<Vec<(usize, usize)>> {
    const PIECE: usize = 1 << 20;
    let mut pieces = vec![Vec::new()];
    let mut pairs = 0;
    let mut start = 0;
    for bucket in keys.chunk_by(|a, b| a >> 32 == b >> 32) {
        for later in start + 1..start + bucket.len() {
            if pairs > PIECE {
                pieces.push(Vec::new());
                pairs = 0;
            }
            pairs += later - start;
            pieces.last_mut().expect("there is always one").push((start, later));
        }
        start += bucket.len();
    }
    pieces
}

fn edges_of(filter: &Filter, table: usize, keys: &[u64], rows: &[(usize, usize)]) -> Vec<Edge> {
    rows.par_iter()
        .flat_map_iter(|&(start, later)| {
            keys[start..later]
                .iter()
                .filter_map(move |&earlier| edge(filter, table, earlier as u32, keys[later] as u32))
        })
        .collect()
}

/// Runs `table` for every table, several at a time, and passes on the results in order, each with its table's keys.
///
/// Every batch reuses the memory of the first: freed memory would be mapped again page by page.
fn each_table<T: Send>(
    filter: Filter,
    ctx: &Context<'_>,
    table: impl Fn(&Filter, usize, &[u64]) -> T + Sync,
    mut take: impl FnMut(T, &[u64]) -> Result<()>,
) -> Result<()> {
    // Tables of one batch have their keys made together: a row's sketch is read once for each batch, not for each
    // table.
    const BATCH: usize = 8;
    let pool = ctx.pool()?;
    let total = filter.tables();
    let rows = filter.rows().len() as u32;
    let mut room: Vec<Vec<u64>> = (0..BATCH.min(total))
        .map(|_| Vec::with_capacity(rows as usize))
        .collect();
    for start in (0..total).step_by(BATCH) {
        ctx.tick("search", start as u64, total as u64)?;
        let batch = start..(start + BATCH).min(total);
        let keys = &mut room[..batch.len()];
        keys.iter_mut().for_each(Vec::clear);
        for row in (0..rows).filter(|&row| filter.in_tables(row)) {
            for (keys, table) in keys.iter_mut().zip(batch.clone()) {
                keys.push(u64::from(filter.key(table, row)) << 32 | u64::from(row));
            }
        }
        let results: Vec<T> = pool.install(|| {
            let tables = keys.par_iter_mut().zip(batch.into_par_iter());
            tables
                .map_init(Vec::new, |spare, (keys, at)| {
                    sort_by_key(keys, spare);
                    table(&filter, at, keys)
                })
                .collect()
        });
        let mut results = results.into_iter().zip(&*keys);
        results.try_for_each(|(result, keys)| take(result, keys))?;
    }
    let total = total as u64;
    ctx.tick("search", total, total)
}

/// The rows of one table, sorted by key: the key in the upper 32 bits, the row in the lower.
pub fn keys_of(filter: &Filter, table: usize) -> Vec<u64> {
    let rows = (0..filter.rows().len() as u32).filter(|&row| filter.in_tables(row));
    let mut keys: Vec<u64> = rows
        .map(|row| u64::from(filter.key(table, row)) << 32 | u64::from(row))
        .collect();
    sort_by_key(&mut keys, &mut Vec::new());
    keys
}

fn buckets(keys: &[u64]) -> impl Iterator<Item = &[u64]> {
    keys.chunk_by(|a, b| a >> 32 == b >> 32)
        .filter(|bucket| bucket.len() > 1)
}

/// Small buckets whose rows are fetched together.
#[derive(Default)]
struct Together {
    rows: Vec<u32>,
    /// Where each bucket ends among the rows.
    ends: Vec<usize>,
    positions: Vec<u32>,
    fingerprints: Vec<u64>,
    found: Vec<u32>,
    /// Those that pass the bits' test.
    pairs: Vec<(u32, u32)>,
}

impl Together {
    /// Rows fetched at a time: 4 KiB of fingerprints at 128 bits.
    const ROWS: usize = 256;

    fn push(&mut self, bucket: &[u64]) {
        self.rows.extend(bucket.iter().map(|&key| key as u32));
        self.ends.push(self.rows.len());
    }

    /// The candidate pairs of the buckets, which are then cleared.
    fn edges(&mut self, filter: &Filter, table: usize, edges: &mut Vec<Edge>) {
        filter.fetch(&self.rows, &mut self.positions, &mut self.fingerprints);
        let words = self.fingerprints.len() / self.rows.len().max(1);
        let mut start = 0;
        for &end in &self.ends {
            for later in start + 1..end {
                let (others, rest) = self.fingerprints[start * words..].split_at((later - start) * words);
                self.found.clear();
                filter.near_bits(&rest[..words], others, &mut self.found);
                let pairs = self.found.iter();
                self.pairs
                    .extend(pairs.map(|&earlier| (self.rows[start + earlier as usize], self.rows[later])));
            }
            start = end;
        }
        filter.touch(self.pairs.iter().copied());
        let pairs = self.pairs.drain(..);
        edges.extend(pairs.filter_map(|(earlier, later)| edge(filter, table, earlier, later)));
        self.rows.clear();
        self.ends.clear();
    }
}

fn small_buckets(filter: &Filter, table: usize, keys: &[u64]) -> (Vec<Edge>, Vec<Vec<u32>>) {
    let mut edges = Vec::new();
    let mut heavy = Vec::new();
    let mut together = Together::default();
    // Rows ascend within a bucket: if the last row is old, the bucket has no pair.
    let asked = |bucket: &&[u64]| bucket.last().is_some_and(|&key| key as u32 >= filter.rows().old);
    for bucket in buckets(keys).filter(asked) {
        if bucket.len() > SMALL_BUCKET {
            heavy.push(bucket.iter().map(|&key| key as u32).collect());
            continue;
        }
        together.push(bucket);
        if together.rows.len() >= Together::ROWS {
            together.edges(filter, table, &mut edges);
        }
    }
    together.edges(filter, table, &mut edges);
    (edges, heavy)
}

#[inline]
fn edge(filter: &Filter, table: usize, earlier: u32, later: u32) -> Option<Edge> {
    let distance = filter.candidate_first_in(earlier, later, table)?;
    Some(Edge {
        later,
        distance,
        earlier,
    })
}
