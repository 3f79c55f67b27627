//! Rows by their features that do not change: any number of threads ask at a time.

use rayon::slice::ParallelSliceMut;

use super::{Other, Profile, Profiles, Shape};
use crate::base::kernel::Kernel;
use crate::recipe::search_keys::equal_items;

/// Rows of one thread, before they are put in order.
#[derive(Debug, Default)]
pub struct PostedBatch {
    /// The key of a rare feature in the upper 32 bits, the number of the row in the lower ones.
    items: Vec<u64>,
    /// The greatest part of the norm that one of a row's rare features has; each is taken for that.
    masses: Vec<u16>,
    shapes: Vec<Shape>,
    bitmaps: Vec<u64>,
}

impl PostedBatch {
    /// Adds a row.
    pub fn push(&mut self, profile: &Profile) {
        let row = self.shapes.len() as u64;
        let item = |key: u32| u64::from(key) << 32 | row;
        self.items.extend(profile.entries.iter().map(|entry| item(entry.key)));
        let mass = profile.entries.iter().map(|entry| entry.mass).max();
        self.masses.push(mass.unwrap_or(0));
        self.shapes.push(profile.shape);
        self.bitmaps.extend_from_slice(&profile.bitmap);
    }
}

/// Rows by their features: postings of the rare ones in order, and a bitmap of the common ones.
#[derive(Debug)]
pub struct PostedRows {
    rows: PostedBatch,
    /// Rows by the common part of the norm, the greatest first.
    by_common: Vec<u32>,
}

impl PostedRows {
    /// The rows of some batches, numbered one after another. All profiles are of the same [`Profiles`].
    pub fn of(batches: Vec<PostedBatch>) -> Self {
        let mut rows = PostedBatch::default();
        for batch in batches {
            let first = rows.shapes.len() as u64;
            rows.items.extend(batch.items.iter().map(|item| item + first));
            rows.masses.extend(batch.masses);
            rows.shapes.extend(batch.shapes);
            rows.bitmaps.extend(batch.bitmaps);
        }
        rows.items.par_sort_unstable();
        rows.items.shrink_to_fit();
        let mut by_common: Vec<u32> = (0..rows.shapes.len() as u32).collect();
        let common = |row: u32| rows.shapes[row as usize].common;
        by_common.sort_unstable_by(|&a, &b| common(b).total_cmp(&common(a)));
        Self { rows, by_common }
    }

    /// Adds to `found` the rows that may be near that of a profile, each once.
    pub fn near(&self, profiles: &Profiles, profile: &Profile, kernel: Kernel, found: &mut Vec<u32>) {
        // A row above the mass of a feature of the profile that it has: one number is put in order in half the time of a pair.
        let mut met: Vec<u64> = Vec::new();
        for entry in &profile.entries {
            let same = equal_items(&self.rows.items, u64::from(entry.key) << 32);
            met.extend(same.iter().map(|&item| item << 32 | u64::from(entry.mass)));
        }
        met.sort_unstable();
        let row_of = |met: u64| (met >> 32) as u32;
        let may_be_near = |row: u32, sum: u32| {
            let words = profile.bitmap.len();
            let other = Other {
                shape: self.rows.shapes[row as usize],
                bitmap: &self.rows.bitmaps[row as usize * words..][..words],
                sum,
            };
            profile.may_be_near(profiles, other, kernel)
        };
        for same in met.chunk_by(|&one, &other| row_of(one) == row_of(other)) {
            let row = row_of(same[0]);
            let mass = u32::from(self.rows.masses[row as usize]);
            let add = |sum: u32, &met: &u64| sum.saturating_add(met as u32 * mass);
            if may_be_near(row, same.iter().fold(0, add)) {
                found.push(row);
            }
        }
        let least = profile.least_common(profiles);
        let by_common = self.by_common.iter();
        let by_common = by_common.take_while(|&&row| self.rows.shapes[row as usize].common >= least);
        let is_met = |row: u32| met.binary_search_by_key(&row, |&met| row_of(met)).is_ok();
        found.extend(by_common.filter(|&&row| !is_met(row) && may_be_near(row, 0)));
    }
}
