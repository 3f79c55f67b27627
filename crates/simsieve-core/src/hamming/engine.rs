//! Carrying out a plan: tables into buckets, buckets through the kernel.
//!
//! In: the distinct rows and the tables of the plan. Out: the near pairs of distinct rows, in no order. Called by
//! [`super::near_pairs`], inside a thread pool where there is more than a little to do.
//!
//! A table is one radix pass over all threads; then each part of it, small enough for the L2 cache, is cut into
//! buckets by a counting pass and scanned there at once, so nothing is written back.

use crate::kernel::Kernel;
use rayon::prelude::*;

use super::Pair;
use super::group::Groups;
use super::kernel::{Near, Span, scan};
use super::partition::{Record, levels, partition};
use super::plan::Table;
use super::sink::{Count, Store, Tally};

/// A bucket of more rows than this is scanned by all threads, in tiles.
const HEAVY: usize = 2048;
/// Rows and columns of a tile: 8 KiB a word, so the columns stay in the L1 cache.
const TILE: usize = 1024;

/// The search for one call.
#[derive(Debug)]
pub(super) struct Engine<'a, const W: usize> {
    pub groups: &'a Groups<W>,
    pub kernel: Kernel,
    pub threads: usize,
    pub tally: &'a Tally,
}

/// A bucket too large for one job.
#[derive(Debug)]
struct Heavy {
    planes: Vec<u64>,
    ids: Vec<u32>,
}

/// What a thread keeps from part to part.
#[derive(Debug, Default)]
struct Scratch {
    ends: Vec<u32>,
    planes: Vec<u64>,
    ids: Vec<u32>,
    spans: Vec<Span>,
}

impl<const W: usize> Engine<'_, W> {
    /// Compares every distinct row with every other.
    ///
    /// Complexity: n^2 / 2 comparisons.
    pub fn brute(&self, max_distance: u32) -> Vec<Pair> {
        let near = Near {
            max_distance,
            agree: [0; W],
            differ: Vec::new(),
        };
        let mut planes = Vec::with_capacity(self.groups.rows.len() * W);
        for w in 0..W {
            planes.extend(self.groups.rows.iter().map(|row| row[w]));
        }
        let ids = (0..self.groups.rows.len() as u32).collect();
        self.heavy(&Heavy { planes, ids }, &near)
    }

    /// Makes and scans one table.
    ///
    /// Complexity: linear in the rows, and the square of every bucket.
    pub fn table(&self, table: &Table<W>, records: &mut Vec<Record>) -> Vec<Pair> {
        let rows = &self.groups.rows;
        let n = rows.len();
        let (first, second) = levels(n, table.bits);
        let record = |(id, row): (usize, &[u64; W])| (if W == 1 { row[0] } else { table.key(row) }, id as u32);
        let source = |range: std::ops::Range<usize>| range.clone().zip(&rows[range]).map(record);
        let digit = |key: u64| (bucket(table, key) >> second) as usize;
        let starts = partition((n, 1 << first), self.threads, source, digit, records);
        let parts: Vec<&[Record]> = starts.windows(2).map(|w| &records[w[0]..w[1]]).collect();
        let found: Vec<(Vec<Pair>, Vec<Heavy>)> = parts
            .into_par_iter()
            .map_init(Scratch::default, |scratch, part| {
                self.part(table, second, part, scratch)
            })
            .collect();
        let mut pairs = Vec::new();
        let mut heavy = Vec::new();
        for (some, crowds) in found {
            pairs.extend(some);
            heavy.extend(crowds);
        }
        for crowd in heavy {
            pairs.append(&mut self.heavy(&crowd, &table.near));
        }
        if self.tally.over() { Vec::new() } else { pairs }
    }

    /// One part of a table: into buckets, through the kernel.
    fn part(&self, table: &Table<W>, second: u32, part: &[Record], scratch: &mut Scratch) -> (Vec<Pair>, Vec<Heavy>) {
        let (n, mut pairs, mut heavy) = (part.len(), Vec::new(), Vec::new());
        if n < 2 || self.tally.stopped() {
            return (pairs, heavy);
        }
        let digit = |key: u64| (bucket(table, key) & ((1 << second) - 1)) as usize;
        let Scratch {
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
                let row = &self.groups.rows[*id as usize];
                for w in 0..W {
                    planes[w * n + place] = row[w];
                }
            }
        }
        let planes: [&[u64]; W] = std::array::from_fn(|w| &planes[w * n..(w + 1) * n]);
        let ids = &ids[..n];
        spans.clear();
        let (mut start, mut light) = (0, n);
        for &end in &ends[..1 << second] {
            let bucket = start as usize..end as usize;
            if bucket.len() > HEAVY {
                light -= bucket.len();
                let planes = planes
                    .iter()
                    .flat_map(|plane| &plane[bucket.clone()])
                    .copied()
                    .collect();
                heavy.push(Heavy {
                    planes,
                    ids: ids[bucket].to_vec(),
                });
            } else if bucket.len() > 1 {
                spans.push(Span {
                    rows: start..end,
                    columns: start..end,
                });
            }
            start = end;
        }
        self.scan(&planes, ids, spans, &table.near, &mut pairs);
        self.tally.advance(light as u64);
        (pairs, heavy)
    }

    /// A crowd, tile by tile.
    fn heavy(&self, crowd: &Heavy, near: &Near<W>) -> Vec<Pair> {
        let n = crowd.ids.len();
        let planes: [&[u64]; W] = std::array::from_fn(|w| &crowd.planes[w * n..(w + 1) * n]);
        let tile = |start: usize| start as u32..n.min(start + TILE) as u32;
        let strip = |start: usize| {
            let mut pairs = Vec::new();
            for column in (start..n).step_by(TILE) {
                if self.tally.stopped() {
                    break;
                }
                let span = Span {
                    rows: tile(start),
                    columns: tile(column),
                };
                self.scan(&planes, &crowd.ids, &[span], near, &mut pairs);
            }
            self.tally.advance(tile(start).len() as u64);
            pairs
        };
        // A single strip stays on this thread, so that a small call never wakes a pool.
        if n <= TILE {
            strip(0)
        } else {
            (0..n).into_par_iter().step_by(TILE).flat_map_iter(strip).collect()
        }
    }

    fn scan(&self, planes: &[&[u64]; W], ids: &[u32], spans: &[Span], near: &Near<W>, pairs: &mut Vec<Pair>) {
        let sizes = &self.groups.sizes;
        if self.tally.over() {
            *pairs = Vec::new();
            scan(
                self.kernel,
                planes,
                spans,
                near,
                &mut Count::new(self.tally, ids, sizes),
            );
        } else {
            scan(
                self.kernel,
                planes,
                spans,
                near,
                &mut Store::new(self.tally, ids, sizes, pairs),
            );
        }
    }
}

/// The key of a record: a record of one word holds the row itself.
fn bucket<const W: usize>(table: &Table<W>, key: u64) -> u64 {
    if W == 1 { table.key(&[key; W]) } else { key }
}
