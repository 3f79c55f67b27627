//! What an open segment keeps in memory of the buckets that were asked about.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::base::kernel::Kernel;
use crate::encode::scheme::Scratch;
use crate::encode::similarity::features_of;
use crate::search::candidates::overlap::{PostedRows, Profiles};

/// The documents of a segment that one new document is to be held against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Bucket {
    /// Those with a search key: its partition and the upper half of its items.
    Key(u8, u32),
    /// All of them.
    Whole,
}

/// Some rows of a segment by their features.
#[derive(Debug)]
pub(crate) struct Layer {
    /// Ascending.
    pub(crate) rows: Vec<u32>,
    pub(crate) profiles: Profiles,
    pub(crate) posted: PostedRows,
}

impl Layer {
    /// The rows that may be near the text of a scratch, ascending.
    pub(crate) fn near(&self, scratch: &Scratch, kernel: Kernel) -> Vec<u32> {
        let mut found = Vec::new();
        let profile = self.profiles.of(features_of(scratch));
        self.posted.near(&self.profiles, &profile, kernel, &mut found);
        for place in &mut found {
            *place = self.rows[*place as usize];
        }
        found.sort_unstable();
        found
    }
}

/// The rows of a bucket.
#[derive(Debug)]
pub(crate) struct Held {
    /// They hold most of the rows, and other ones.
    pub(crate) layers: Vec<Arc<Layer>>,
    /// The others, ascending.
    pub(crate) rest: Vec<u32>,
}

/// What was asked about before.
#[derive(Debug, Default)]
pub(crate) struct Known {
    /// The buckets that were asked about; none is held whose rows do not fit.
    pub(crate) buckets: HashMap<Bucket, Option<Arc<Held>>>,
    pub(crate) layers: Vec<Arc<Layer>>,
    pub(crate) features: usize,
}

/// The buckets of one segment under one scheme.
#[derive(Debug, Default)]
pub(crate) struct Crowds {
    known: RwLock<Known>,
    /// How many members sketches have let pass, of each bucket that is not yet in order.
    passed: Mutex<HashMap<Bucket, usize>>,
    /// Held by the one thread that adds to them; no thread of a pool waits for it.
    pub(crate) adding: Mutex<()>,
}

impl Crowds {
    pub(crate) fn known(&self) -> RwLockReadGuard<'_, Known> {
        self.known.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts members of a bucket that sketches let pass: each is read. Returns whether they are `most` by now.
    pub(crate) fn have_passed(&self, bucket: Bucket, passed: usize, most: usize) -> bool {
        let mut all = self.passed.lock().unwrap_or_else(PoisonError::into_inner);
        let of_bucket = all.entry(bucket).or_default();
        *of_bucket += passed;
        let are_most = *of_bucket >= most;
        if are_most {
            all.remove(&bucket);
        }
        are_most
    }

    pub(crate) fn known_mut(&self) -> RwLockWriteGuard<'_, Known> {
        self.known.write().unwrap_or_else(PoisonError::into_inner)
    }
}
