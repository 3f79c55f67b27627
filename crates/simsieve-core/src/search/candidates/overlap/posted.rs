//! Rows by their features that do not change: any number of threads ask at a time.

use std::cell::Cell;

use rayon::slice::ParallelSliceMut;

use super::{Other, Profile, Profiles, Shape};
use crate::base::kernel::Kernel;
use crate::recipe::search_keys::each_equal;

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

thread_local! {
    /// For each row the masses of the features that a profile has in common with it: zeros between two profiles.
    static SUMS: Cell<Vec<u32>> = const { Cell::new(Vec::new()) };
}

/// Rows by their features: postings of the rare ones in order, and a bitmap of the common ones.
#[derive(Debug)]
pub struct PostedRows {
    rows: PostedBatch,
    /// Rows by the common part of the norm, the greatest first.
    by_common: Vec<u32>,
    /// The greatest common part of the norm of a row.
    common: f32,
    /// The greatest mass of a row.
    mass: u32,
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
        Self {
            common: by_common.first().map_or(0.0, |&row| common(row)),
            mass: rows.masses.iter().copied().max().unwrap_or(0).into(),
            rows,
            by_common,
        }
    }

    /// Adds to `found` the rows that may be near that of a profile, each once.
    pub fn near(&self, profiles: &Profiles, profile: &Profile, kernel: Kernel, found: &mut Vec<u32>) {
        // Taken: a panic leaves none that are not zeros.
        let mut sums = SUMS.take();
        self.near_by(profiles, profile, kernel, (&mut sums, found));
        SUMS.set(sums);
    }

    /// Sums are zeros before and after, where there are any.
    fn near_by(
        &self,
        profiles: &Profiles,
        profile: &Profile,
        kernel: Kernel,
        (sums, found): (&mut Vec<u32>, &mut Vec<u32>),
    ) {
        let PostedBatch {
            items,
            masses,
            shapes,
            bitmaps,
        } = &self.rows;
        if sums.len() < shapes.len() {
            sums.resize(shapes.len(), 0);
        }
        let each = profile.entries.iter();
        let each = each.map(|entry| (&**items, u64::from(entry.key) << 32, u32::from(entry.mass)));
        let mut lists = Vec::with_capacity(profile.entries.len());
        each_equal(each, |list, mass| lists.push((list, mass)));
        for &(list, mass) in &lists {
            for &item in list {
                let sum = &mut sums[item as u32 as usize];
                *sum = sum.saturating_add(mass);
            }
        }
        let may_be_near = |row: u32, sum: u32| {
            let (row, words) = (row as usize, profile.bitmap.len());
            let other = Other {
                shape: shapes[row],
                bitmap: &bitmaps[row * words..][..words],
                sum: sum.saturating_mul(u32::from(masses[row])),
            };
            profile.may_be_near(profiles, other, kernel)
        };
        let least = profile.least_common(profiles);
        let by_common = self.by_common.iter().copied();
        let by_common = by_common.take_while(|&row| shapes[row as usize].common >= least);
        found.extend(by_common.filter(|&row| sums[row as usize] == 0 && may_be_near(row, 0)));
        // No row has a greater common part or mass: of most rows neither is read.
        let may_any_be_near =
            |sum: u32| profile.shape.common * self.common >= profiles.missing(sum.saturating_mul(self.mass));
        for &item in lists.iter().flat_map(|(list, _)| *list) {
            let sum = std::mem::take(&mut sums[item as u32 as usize]);
            if sum != 0 && may_any_be_near(sum) && may_be_near(item as u32, sum) {
                found.push(item as u32);
            }
        }
    }
}
