//! Carrying out a plan: tables into buckets, buckets through the kernel.
//!
//! In: the rows and the tables of the plan. Out: the near pairs of rows, in no order. Called by [`super::near_pairs`],
//! on a thread pool if the work is more than small.
//!
//! A table of a hashed key takes one radix pass on all threads, over as many parts at a time as memory allows. Each
//! part fits the L2 cache: a counting pass cuts it into buckets, which are scanned at once, so nothing is written back.
//! A table with a radius is held whole ([`super::buckets`]), and each bucket is compared with its neighbours.
//!
//! Equal rows always share a bucket. In a large bucket they become one place: a million equal rows are counted, not
//! compared.

use crate::base::error::{Error, Result};
use crate::base::kernel::Kernel;
use rayon::prelude::*;
use std::ops::Range;

use super::buckets::Buckets;
use super::field::{Field, Id};
use super::kernel::{count, scan};
use super::near::{Near, Span};
use super::partition::{Record, Survey, levels};
use super::rows::Pair;
use super::sink::{Places, Store, Tally};
use super::table::Table;

/// In a larger bucket equal rows are merged; if it stays that large, all threads scan it in tiles.
const HEAVY: usize = 2048;
/// The same limit if pairs are only counted: order does not matter then, so merging equal rows always pays.
const HEAVY_COUNT: usize = 128;
/// Rows and columns of a tile: 8 KiB a word, so the columns stay in the L1 cache.
const TILE: usize = 1024;
/// Most bits of the first digit: its counters take memory too.
const MOST_DIGIT_BITS: u32 = 16;
/// Spans between two checks for a stop request.
const SPANS: usize = 4096;

/// The search for one call.
#[derive(Debug, Clone, Copy)]
pub(super) struct Engine<'a, const W: usize> {
    pub field: &'a Field<'a, W>,
    pub kernel: Kernel,
    pub threads: usize,
    pub memory: u64,
    pub tally: &'a Tally,
}

/// The rows of a bucket, equal ones as one place, those of the first side before those of the second.
#[derive(Debug)]
struct LargeBucket {
    /// Plane by plane.
    planes: Vec<u64>,
    ids: Vec<Id>,
    /// Where in `ids` the rows of each place begin; empty: one row a place.
    starts: Vec<u32>,
    /// The first place of the second side; the number of places where there is none.
    split: usize,
    /// Rows read.
    rows: usize,
}

/// The buffers that a thread reuses for each part.
#[derive(Debug, Default)]
struct JoinScratch {
    ends: Vec<u32>,
    planes: Vec<u64>,
    ids: Vec<u32>,
    spans: Vec<Span>,
}

impl<const W: usize> Engine<'_, W> {
    /// Carries out a plan; a plan without tables is brute force.
    ///
    /// # Errors
    /// [`Error::Config`] if the memory cannot hold the rows of one key.
    pub fn run(&self, tables: &[Table<W>], max_distance: u32) -> Result<Vec<Pair>> {
        let mut pairs = Vec::new();
        let mut records = Vec::new();
        if tables.is_empty() {
            self.brute(max_distance, &mut pairs)?;
        }
        for table in tables {
            if self.tally.stopped() {
                break;
            }
            if table.is_direct() {
                self.join(table, &mut records, &mut pairs);
            } else {
                self.table(table, tables, &mut records, &mut pairs)?;
            }
            if self.tally.over() {
                pairs = Vec::new();
            }
        }
        Ok(pairs)
    }

    /// Compares every row with every other.
    ///
    /// Complexity: n^2 / 2 comparisons.
    fn brute(&self, max_distance: u32, pairs: &mut Vec<Pair>) -> Result<()> {
        let n = self.field.len();
        if n as u64 * Self::bytes_a_row() > self.memory && n > HEAVY {
            return Err(self.too_little(n as u64 * Self::bytes_a_row()));
        }
        let rows = self.field.walk(0..n).map(|(id, row)| (row, id)).collect();
        let bucket = self.large_bucket(rows, HEAVY);
        self.heavy(&bucket, &Near::everywhere(max_distance), pairs);
        Ok(())
    }

    /// Bytes of a row in a table, with the copies for a large bucket.
    const fn bytes_a_row() -> u64 {
        16 + 2 * (8 * W as u64 + 8)
    }

    fn too_little(&self, needed: u64) -> Error {
        Error::Config(msg!(
            "memory {memory} is too little to search {count} rows: give memory {needed} or more, or 0 for what \
             is sensible",
            memory = self.memory,
            count = self.field.len()
        ))
    }

    /// The bytes in which every table can be made. More memory means coarser digits, so the number is found in a few
    /// steps.
    fn least_memory(mut self, tables: &[Table<W>]) -> u64 {
        loop {
            let needed = tables
                .iter()
                .map(|table| self.survey(table).largest())
                .max()
                .unwrap_or(0);
            let needed = needed as u64 * Self::bytes_a_row();
            if needed <= self.memory {
                return self.memory;
            }
            self.memory = needed;
        }
    }

    /// The rows as records of a table: with the value itself if it is one word, else with the key.
    fn records<'t>(&'t self, table: &'t Table<W>, range: Range<usize>) -> impl Iterator<Item = Record> + 't {
        let rows = self.field.walk(range);
        rows.map(|(id, row)| (if W == 1 { row[0] } else { table.key(&row) }, id))
    }

    fn survey(&self, table: &Table<W>) -> Survey {
        let (first, second) = self.levels(table.bits);
        let digit = |key: u64| (bucket(table, key) >> second) as usize;
        let source = |range| self.records(table, range);
        Survey::new((self.field.len(), 1 << first), self.threads, &source, &digit)
    }

    /// Makes and scans one table of the plan, as many parts at a time as memory allows.
    ///
    /// Complexity: linear in the rows, and the square of every bucket.
    fn table(
        &self,
        table: &Table<W>,
        tables: &[Table<W>],
        records: &mut Vec<Record>,
        pairs: &mut Vec<Pair>,
    ) -> Result<()> {
        let second = self.levels(table.bits).1;
        let source = |range| self.records(table, range);
        let digit = |key: u64| (bucket(table, key) >> second) as usize;
        let survey = self.survey(table);
        let most = (self.memory / Self::bytes_a_row()).min(self.field.len() as u64) as usize;
        let Some(parts) = survey.parts(most) else {
            return Err(self.too_little(self.least_memory(tables)));
        };
        for digits in parts {
            if self.tally.stopped() {
                break;
            }
            let starts = survey.gather(digits, &source, &digit, records);
            let parts: Vec<&[Record]> = starts.windows(2).map(|w| &records[w[0]..w[1]]).collect();
            let found: Vec<(Vec<Pair>, Vec<LargeBucket>)> = parts
                .into_par_iter()
                .map_init(JoinScratch::default, |scratch, part| {
                    self.part(table, second, part, scratch)
                })
                .collect();
            let mut heavy = Vec::new();
            for (some, large) in found {
                pairs.extend(some);
                heavy.extend(large);
            }
            for bucket in heavy {
                self.heavy(&bucket, &table.near, pairs);
            }
        }
        Ok(())
    }

    /// How a key is cut into two digits; with little memory the first digit is fine enough for small parts.
    fn levels(&self, bits: u32) -> (u32, u32) {
        let n = self.field.len();
        let parts = (n as u64 * Self::bytes_a_row()).div_ceil(self.memory);
        let first = if parts > 1 {
            (parts.ilog2() + 4).min(bits).min(MOST_DIGIT_BITS)
        } else {
            0
        };
        let first = first.max(levels(n, bits).0);
        (first, bits - first)
    }

    /// One part of a table: into buckets, through the kernel.
    fn part(
        &self,
        table: &Table<W>,
        second: u32,
        part: &[Record],
        scratch: &mut JoinScratch,
    ) -> (Vec<Pair>, Vec<LargeBucket>) {
        let (n, mut pairs, mut heavy) = (part.len(), Vec::new(), Vec::new());
        if n < 2 || self.tally.stopped() {
            return (pairs, heavy);
        }
        let digit = |key: u64| (bucket(table, key) & ((1 << second) - 1)) as usize;
        let JoinScratch {
            ends,
            planes,
            ids,
            spans,
        } = scratch;
        ends.clear();
        ends.resize((1 << second) + 1, 0);
        for record in part {
            ends[digit(record.0) + 1] += 1;
        }
        for d in 0..1 << second {
            ends[d + 1] += ends[d];
        }
        ids.resize(ids.len().max(n), 0);
        planes.resize(planes.len().max(n * W), 0);
        for record in part {
            let end = &mut ends[digit(record.0)];
            ids[*end as usize] = record.1;
            if W == 1 {
                planes[*end as usize] = record.0;
            }
            *end += 1;
        }
        if W > 1 {
            for (place, id) in ids[..n].iter().enumerate() {
                let row = self.field.row(*id);
                for w in 0..W {
                    planes[w * n + place] = row[w];
                }
            }
        }
        let planes: [&[u64]; W] = std::array::from_fn(|w| &planes[w * n..(w + 1) * n]);
        let ids = &ids[..n];
        spans.clear();
        let most = if self.tally.over() { HEAVY_COUNT } else { HEAVY };
        let (mut start, mut light) = (0, n);
        for &end in &ends[..1 << second] {
            let bucket = start as usize..end as usize;
            if bucket.len() > most {
                light -= bucket.len();
                let row = |place: usize| (std::array::from_fn(|w| planes[w][place]), ids[place]);
                let bucket = self.large_bucket(bucket.map(row).collect(), most);
                if bucket.places() > HEAVY {
                    heavy.push(bucket);
                } else {
                    self.heavy(&bucket, &table.near, &mut pairs);
                }
            } else if bucket.len() > 1 {
                let split = self.split(&ids[bucket]);
                spans.push(self.span(start..end, start + split as u32));
            }
            start = end;
        }
        let places = Places { ids, starts: &[] };
        self.scan(&planes, places, spans, &table.near, &mut pairs);
        self.tally.advance(light as u64);
        (pairs, heavy)
    }

    /// How many rows of a bucket are of the first side; rows are ordered by side.
    fn split(&self, ids: &[Id]) -> usize {
        if self.field.is_across() {
            ids.partition_point(|&id| (id as usize) < self.field.border())
        } else {
            ids.len()
        }
    }

    /// The comparisons of a bucket, whose second side begins at `split`.
    fn span(&self, bucket: Range<u32>, split: u32) -> Span {
        if self.field.is_across() {
            Span {
                rows: bucket.start..split,
                columns: split..bucket.end,
            }
        } else {
            Span {
                rows: bucket.clone(),
                columns: bucket,
            }
        }
    }

    /// Rows as a large bucket; above `most` rows equal ones become one place.
    fn large_bucket(&self, mut rows: Vec<([u64; W], Id)>, most: usize) -> LargeBucket {
        let border = self.field.border();
        let side = |id: Id| id as usize >= border;
        let n = rows.len();
        let mut starts = Vec::new();
        if n > most {
            if n > 1 << 16 {
                rows.par_sort_unstable_by_key(|&(row, id)| (side(id), row, id));
            } else {
                rows.sort_unstable_by_key(|&(row, id)| (side(id), row, id));
            }
            let new =
                |at: &usize| *at == 0 || rows[*at].0 != rows[at - 1].0 || side(rows[*at].1) != side(rows[at - 1].1);
            starts.extend((0..n).filter(new).map(|at| at as u32));
            if starts.len() == n {
                starts = Vec::new();
            } else {
                starts.push(n as u32);
            }
        }
        let ids: Vec<Id> = rows.iter().map(|&(_, id)| id).collect();
        let firsts: Vec<u32> = match starts.len() {
            0 => (0..n as u32).collect(),
            places => starts[..places - 1].to_vec(),
        };
        let planes = (0..W).flat_map(|w| firsts.iter().map(move |&at| (w, at)));
        LargeBucket {
            planes: planes.map(|(w, at)| rows[at as usize].0[w]).collect(),
            split: firsts.partition_point(|&at| !side(ids[at as usize])),
            ids,
            starts,
            rows: n,
        }
    }

    /// Scans a large bucket in tiles.
    fn heavy(&self, bucket: &LargeBucket, near: &Near<W>, pairs: &mut Vec<Pair>) {
        let n = bucket.places();
        let planes: [&[u64]; W] = std::array::from_fn(|w| &bucket.planes[w * n..(w + 1) * n]);
        let places = Places {
            ids: &bucket.ids,
            starts: &bucket.starts,
        };
        let across = self.field.is_across();
        if !across && near.reports(&[0; W]) {
            Store::new(self.tally, places, pairs).equals();
        }
        let rows = if across { bucket.split } else { n };
        let strip = |start: usize| {
            let end = rows.min(start + TILE);
            let mut pairs = Vec::new();
            for column in (if across { bucket.split } else { start }..n).step_by(TILE) {
                if self.tally.stopped() {
                    break;
                }
                let span = Span {
                    rows: start as u32..end as u32,
                    columns: column as u32..n.min(column + TILE) as u32,
                };
                self.scan(&planes, places, &[span], near, &mut pairs);
            }
            pairs
        };
        // A single strip runs on this thread, so a small call never starts a pool.
        if rows <= TILE {
            pairs.extend(strip(0));
        } else {
            let found: Vec<Vec<Pair>> = (0..rows).into_par_iter().step_by(TILE).map(strip).collect();
            pairs.extend(found.into_iter().flatten());
        }
        self.tally.advance(bucket.rows as u64);
    }

    /// Makes one whole table, and compares each bucket with those within the radius of its key.
    ///
    /// Complexity: linear in the rows, times the keys within the radius, and the products of the buckets' sizes.
    fn join(&self, table: &Table<W>, records: &mut Vec<Record>, pairs: &mut Vec<Pair>) {
        let buckets = Buckets::new(self.field, table, self.threads, records);
        if !self.field.is_across() && table.near.reports(&[0; W]) {
            Store::new(self.tally, buckets.places(), pairs).equals();
        }
        let (flips, inner) = (
            flips(buckets.first, table.radius()),
            flips(buckets.second, table.radius()),
        );
        let all = 0..1_u64 << buckets.first;
        let part = |part: u64| {
            let (mut pairs, mut spans) = (Vec::new(), Vec::new());
            for outer in flips.iter().filter(|&flip| part ^ flip >= part) {
                let left = table.radius() - outer.count_ones();
                for flip in inner.iter().take_while(|flip| flip.count_ones() <= left) {
                    for second in 0..1_u64 << buckets.second {
                        let number = part << buckets.second | second;
                        let other = number ^ (outer << buckets.second | flip);
                        self.meet(&buckets, number as usize, other as usize, &mut spans);
                        if spans.len() >= SPANS {
                            self.scan(&buckets.planes(), buckets.places(), &spans, &table.near, &mut pairs);
                            spans.clear();
                            if self.tally.stopped() {
                                return pairs;
                            }
                        }
                    }
                }
            }
            self.scan(&buckets.planes(), buckets.places(), &spans, &table.near, &mut pairs);
            self.tally.advance((self.field.len() as u64) >> buckets.first);
            pairs
        };
        let found: Vec<Vec<Pair>> = if buckets.first == 0 {
            vec![part(0)]
        } else {
            all.into_par_iter().map(part).collect()
        };
        pairs.extend(found.into_iter().flatten());
    }

    /// The comparisons of a bucket with a later one, or with itself, in tiles.
    fn meet(&self, buckets: &Buckets<W>, number: usize, other: usize, spans: &mut Vec<Span>) {
        let (rows, columns) = (buckets.bucket(number), buckets.bucket(other));
        if other < number || rows.is_empty() || columns.is_empty() {
            return;
        }
        let mut push = |rows: Range<u32>, columns: Range<u32>| {
            for row in rows.clone().step_by(TILE) {
                for column in columns.clone().step_by(TILE) {
                    spans.push(Span {
                        rows: row..rows.end.min(row + TILE as u32),
                        columns: column..columns.end.min(column + TILE as u32),
                    });
                }
            }
        };
        if self.field.is_across() {
            let (split, parted) = (buckets.split(number), buckets.split(other));
            push(rows.start..split, parted..columns.end);
            if other > number {
                push(split..rows.end, columns.start..parted);
            }
        } else if other > number || rows.len() > 1 {
            push(rows, columns);
        }
    }

    fn scan(&self, planes: &[&[u64]; W], places: Places<'_>, spans: &[Span], near: &Near<W>, pairs: &mut Vec<Pair>) {
        if self.tally.over() {
            *pairs = Vec::new();
            self.tally.add(count(self.kernel, planes, spans, near, places.starts));
        } else {
            scan(
                self.kernel,
                planes,
                spans,
                near,
                &mut Store::new(self.tally, places, pairs),
            );
        }
    }
}

impl LargeBucket {
    fn places(&self) -> usize {
        if self.starts.is_empty() {
            self.ids.len()
        } else {
            self.starts.len() - 1
        }
    }
}

/// Every number of `bits` bits with at most `radius` ones, those with fewer first.
pub(super) fn flips(bits: u32, radius: u32) -> Vec<u64> {
    let mut flips = vec![0_u64];
    let mut from = 0;
    for _ in 0..radius.min(bits) {
        let to = flips.len();
        for at in from..to {
            let flip = flips[at];
            flips.extend((64 - flip.leading_zeros()..bits).map(|bit| flip | 1 << bit));
        }
        from = to;
    }
    flips
}

/// The key of a record: a record of one word holds the row itself.
fn bucket<const W: usize>(table: &Table<W>, key: u64) -> u64 {
    if W == 1 { table.key(&[key; W]) } else { key }
}
