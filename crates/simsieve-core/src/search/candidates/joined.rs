//! The buckets of some partitions, where sketches and fingerprints are read in order of their places. Columns of a run directory may be
//! larger than the machine's memory: a fetch in order of keys is then a read of a page from the disk for each key.

use std::ops::Range;

use rayon::ThreadPool;
use rayon::prelude::*;

use crate::recipe::search_keys::PARTS;
use crate::search::candidates::Filter;
use crate::search::candidates::buckets::{Buckets, Found, searched};
use crate::search::candidates::sort::sort_by_key;

/// Bytes of a key beside what is read: its item, its place, and those of the sort.
const KEY_BYTES: usize = 24;

/// Bytes of the process, and of each row, that a search holds beside what it gathers.
const PROCESS: u64 = 40 << 20;
const HELD: u64 = 12;

/// Bytes of the columns that are held at a time, where these are more than half of a run's bound: then the system may not keep them.
/// `None` where rows are fetched instead. A search gathers edges and members too, an eighth of the bound each.
pub(crate) fn held_bytes(memory: u64, filter: &Filter<'_>) -> Option<usize> {
    let rows = filter.rows().len() as u64;
    let used = memory / 8 + memory / 4 + PROCESS + HELD * rows;
    let left = memory.saturating_sub(used).max(memory / 8);
    (rows * bytes_of_row(filter) as u64 > memory / 2).then_some(left as usize)
}

/// Bytes read per row.
fn bytes_of_row(filter: &Filter<'_>) -> usize {
    (filter.row_words() + filter.fingerprint_words()) * size_of::<u64>()
}

/// Partitions of `items` keys each that are taken together where `most_bytes` are allowed, one at least. Three of four keys at most
/// were in tested buckets where this was measured.
pub(crate) fn partitions_within(most_bytes: usize, items: usize, filter: &Filter<'_>) -> usize {
    (most_bytes / (items.max(1) * (KEY_BYTES + bytes_of_row(filter) * 3 / 4))).clamp(1, PARTS)
}

/// A partition.
#[derive(Debug, Default)]
struct Part {
    /// In order of keys.
    items: Vec<u64>,
    /// In order of places: a place in the columns, and where among the rows of tested buckets its row is.
    wanted: Vec<u64>,
    /// What is compared of the rows of tested buckets, bucket after bucket, and their fingerprints.
    column: Vec<u64>,
    fingerprints: Vec<u64>,
}

fn place_of(wanted: u64) -> usize {
    (wanted >> 32) as usize
}

impl Part {
    fn of(filter: &Filter<'_>, items: Vec<u64>, is_family: impl Fn(u64) -> bool, spare: &mut Vec<u64>) -> Self {
        let buckets = searched(filter, &items, is_family).filter(|bucket| !bucket.is_family);
        let rows = buckets.flat_map(|bucket| bucket.items).map(|&item| item as u32);
        let wanted = rows
            .enumerate()
            .map(|(at, row)| (filter.place(row) as u64) << 32 | at as u64);
        let mut wanted: Vec<u64> = wanted.collect();
        sort_by_key(&mut wanted, spare);
        Self {
            column: vec![0; wanted.len() * filter.row_words()],
            fingerprints: vec![0; wanted.len() * filter.fingerprint_words()],
            items,
            wanted,
        }
    }

    /// Reads the rows whose places are in a block.
    fn read(&mut self, filter: &Filter<'_>, block: &Range<usize>) {
        let [words, of_fingerprint] = [filter.row_words(), filter.fingerprint_words()];
        let from = self.wanted.partition_point(|&wanted| place_of(wanted) < block.start);
        let wanted = self.wanted[from..].iter();
        for &wanted in wanted.take_while(|&&wanted| place_of(wanted) < block.end) {
            let (place, slot) = (place_of(wanted), wanted as u32 as usize);
            self.column[slot * words..][..words].copy_from_slice(filter.words_at(place));
            self.fingerprints[slot * of_fingerprint..][..of_fingerprint].copy_from_slice(filter.fingerprint_at(place));
        }
    }

    fn take(&self, filter: &Filter<'_>, is_family: impl Fn(u64) -> bool, buckets: &mut Buckets) -> (Found, usize) {
        let [words, of_fingerprint] = [filter.row_words(), filter.fingerprint_words()];
        let mut read = 0;
        let found = buckets.take_with(filter, &self.items, is_family, |rows, column, fingerprints| {
            let rows = read..read + rows.len();
            column.clear();
            column.extend_from_slice(&self.column[rows.start * words..rows.end * words]);
            fingerprints.clear();
            fingerprints.extend_from_slice(&self.fingerprints[rows.start * of_fingerprint..rows.end * of_fingerprint]);
            read = rows.end;
        });
        (found, self.items.len())
    }
}

/// What the buckets of some partitions give, and how many keys each has. `load` adds the items of a partition to a list. The columns
/// are read `rows` at a time, every second time `backward`: the system still has what was read last.
pub(crate) fn take(
    filter: &Filter<'_>,
    pool: &ThreadPool,
    group: Range<usize>,
    load: impl Fn(usize, &mut Vec<u64>) + Sync,
    is_family: impl Fn(u64) -> bool + Sync,
    (rows, backward): (usize, bool),
) -> Vec<(Found, usize)> {
    pool.install(|| {
        let loaded = group.into_par_iter().map_init(Vec::new, |spare, at| {
            let mut items = Vec::new();
            load(at, &mut items);
            sort_by_key(&mut items, spare);
            Part::of(filter, items, &is_family, spare)
        });
        let mut parts: Vec<Part> = loaded.collect();
        let last = parts.iter().filter_map(|part| part.wanted.last()).max();
        let places = last.map_or(0, |&last| place_of(last) + 1);
        let mut blocks: Vec<Range<usize>> = (0..places).step_by(rows).map(|start| start..start + rows).collect();
        if backward {
            blocks.reverse();
        }
        for block in &blocks {
            parts.par_iter_mut().for_each(|part| part.read(filter, block));
        }
        let parts = parts.into_par_iter();
        parts
            .map_init(Buckets::default, |buckets, part| part.take(filter, &is_family, buckets))
            .collect()
    })
}

#[cfg(test)]
#[path = "joined_tests.rs"]
mod tests;
