//! A whole table in memory: rows by key, buckets by number.
//!
//! In: a [`Field`] and a table with a direct key. Out: [`Buckets`]. [`super::engine`] calls it, and compares each
//! bucket with those whose keys differ in a few bits. So does [`super::index`], which keeps the tables and looks
//! queries up. Equal rows of a bucket share a place, so a million equal rows cost one comparison.

use std::ops::Range;

use rayon::prelude::*;

use super::field::{Field, Id};
use super::partition::{Record, Survey, levels};
use super::sink::Places;
use super::table::Table;

/// In larger buckets equal rows are merged into one place.
const LARGE_BUCKET: usize = 64;

/// Rows by key.
#[derive(Debug)]
pub(super) struct Buckets<const W: usize> {
    /// Bits of the first digit of a bucket's number; the buckets that share it fit into one cache.
    pub first: u32,
    /// Bits of the second digit.
    pub second: u32,
    planes: [Vec<u64>; W],
    ids: Vec<Id>,
    /// Where in `ids` the rows of each place begin; empty: one row a place.
    members: Vec<u32>,
    /// Where the places of each bucket begin, with the end of the last.
    starts: Vec<u32>,
    /// Where in each bucket the second side begins; empty: there is none.
    splits: Vec<u32>,
}

/// One part of a table, its buckets in order.
#[derive(Debug)]
struct Part<const W: usize> {
    planes: [Vec<u64>; W],
    ids: Vec<Id>,
    members: Vec<u32>,
    ends: Vec<u32>,
    splits: Vec<u32>,
}

impl<const W: usize> Buckets<W> {
    /// Sorts the field's rows into buckets. `records` is the buffer of the sort.
    ///
    /// Complexity: a radix pass, then a counting pass inside the cache and a sort of every bucket beyond [`LARGE_BUCKET`].
    pub fn new(field: &Field<'_, W>, table: &Table<W>, threads: usize, records: &mut Vec<Record>) -> Self {
        let n = field.len();
        let (first, second) = levels(n, table.bits);
        let source = |range: Range<usize>| {
            let rows = field.walk(range);
            rows.map(|(id, row)| (if W == 1 { row[0] } else { table.key(&row) }, id))
        };
        let number = |key: u64| (if W == 1 { table.key(&[key; W]) } else { key }) as usize;
        let digit = |key: u64| number(key) >> second;
        let survey = Survey::new((n, 1 << first), threads, &source, &digit);
        let starts = survey.gather(0..1 << first, &source, &digit, records);
        let windows: Vec<&[Record]> = starts.windows(2).map(|w| &records[w[0]..w[1]]).collect();
        let part = |part: &[Record]| Part::new(field, part, 1 << second, |key| number(key) & ((1 << second) - 1));
        let parts: Vec<Part<W>> = if windows.len() == 1 {
            windows.into_iter().map(part).collect()
        } else {
            windows.into_par_iter().map(part).collect()
        };
        Self::join(parts, (first, second), field.is_across())
    }

    fn join(parts: Vec<Part<W>>, (first, second): (u32, u32), across: bool) -> Self {
        let merged = parts.iter().any(|part| part.members.len() < part.ids.len());
        let places = parts.iter().map(|part| part.members.len()).sum();
        let mut all = Self {
            first,
            second,
            planes: std::array::from_fn(|_| Vec::with_capacity(places)),
            ids: Vec::with_capacity(parts.iter().map(|part| part.ids.len()).sum()),
            members: Vec::with_capacity(if merged { places + 1 } else { 0 }),
            starts: Vec::with_capacity((1 << (first + second)) + 1),
            splits: Vec::new(),
        };
        all.starts.push(0);
        for part in parts {
            let (place, row) = (all.planes[0].len() as u32, all.ids.len() as u32);
            all.starts.extend(part.ends.iter().map(|end| place + end));
            if across {
                all.splits.extend(part.splits.iter().map(|split| place + split));
            }
            if merged {
                all.members.extend(part.members.iter().map(|start| row + start));
            }
            all.ids.extend(part.ids);
            for (plane, words) in all.planes.iter_mut().zip(part.planes) {
                plane.extend(words);
            }
        }
        if merged {
            all.members.push(all.ids.len() as u32);
        }
        all
    }

    /// The words of the places.
    pub fn planes(&self) -> [&[u64]; W] {
        std::array::from_fn(|w| self.planes[w].as_slice())
    }

    /// The rows of the places.
    pub fn places(&self) -> Places<'_> {
        Places {
            ids: &self.ids,
            starts: &self.members,
        }
    }

    /// The places of a bucket.
    pub fn bucket(&self, number: usize) -> Range<u32> {
        self.starts[number]..self.starts[number + 1]
    }

    /// Where in a bucket the second side begins; its end where there is none.
    pub fn split(&self, number: usize) -> u32 {
        self.splits.get(number).copied().unwrap_or(self.starts[number + 1])
    }
}

impl<const W: usize> Part<W> {
    fn new(field: &Field<'_, W>, records: &[Record], buckets: usize, digit: impl Fn(u64) -> usize) -> Self {
        let mut ends = vec![0_u32; buckets + 1];
        for record in records {
            ends[digit(record.0) + 1] += 1;
        }
        for bucket in 0..buckets {
            ends[bucket + 1] += ends[bucket];
        }
        let mut rows = vec![([0_u64; W], 0); records.len()];
        for &(key, id) in records {
            let end = &mut ends[digit(key)];
            rows[*end as usize] = (if W == 1 { [key; W] } else { field.row(id) }, id);
            *end += 1;
        }
        let mut part = Self {
            planes: std::array::from_fn(|_| Vec::with_capacity(records.len())),
            ids: Vec::with_capacity(records.len()),
            members: Vec::with_capacity(records.len()),
            ends: Vec::with_capacity(buckets),
            splits: Vec::new(),
        };
        let border = field.border() as u64;
        let side = |id: Id| u64::from(id) >= border;
        let mut start = 0;
        for &end in &ends[..buckets] {
            let bucket = &mut rows[start as usize..end as usize];
            if bucket.len() > LARGE_BUCKET {
                bucket.sort_unstable_by_key(|&(row, id)| (side(id), row, id));
            }
            let mut split = None;
            for equal in bucket.chunk_by(|a, b| a.0 == b.0 && side(a.1) == side(b.1)) {
                if side(equal[0].1) {
                    split.get_or_insert(part.members.len() as u32);
                }
                part.members.push(part.ids.len() as u32);
                part.ids.extend(equal.iter().map(|&(_, id)| id));
                for (plane, &word) in part.planes.iter_mut().zip(&equal[0].0) {
                    plane.push(word);
                }
            }
            part.ends.push(part.members.len() as u32);
            if field.is_across() {
                part.splits.push(split.unwrap_or(part.members.len() as u32));
            }
            start = end;
        }
        part
    }
}
