//! What an open segment keeps in memory of the buckets that were asked about.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use crate::base::kernel::Kernel;
use crate::encode::scheme::Scratch;
use crate::encode::similarity::features_of;
use crate::search::candidates::overlap::{PostedRows, Profiles};

/// The documents of a segment that one new document is to be held against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Bucket {
    /// Those with a search key: its partition and the upper half of its items.
    Key(u8, u32),
    /// All of them.
    Whole,
}

/// Some rows of a segment by their features.
#[derive(Debug)]
pub(super) struct Layer {
    /// Ascending.
    pub(super) rows: Vec<u32>,
    pub(super) profiles: Profiles,
    pub(super) posted: PostedRows,
}

impl Layer {
    /// The rows that may be near the text of a scratch, ascending.
    pub(super) fn near(&self, scratch: &Scratch, kernel: Kernel) -> Vec<u32> {
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

/// What was asked about before.
#[derive(Debug, Default)]
pub(super) struct Known {
    pub(super) layers: Vec<Arc<Layer>>,
    /// The layers that hold the rows of each bucket; none where these do not fit.
    pub(super) buckets: HashMap<Bucket, Option<Vec<usize>>>,
    pub(super) features: usize,
}

/// The buckets of one segment under one scheme.
#[derive(Debug, Default)]
pub(super) struct Crowds {
    pub(super) known: RwLock<Arc<Known>>,
    /// Held by the one thread that adds to them; no thread of a pool waits for it.
    pub(super) adding: Mutex<()>,
}

impl Crowds {
    pub(super) fn known(&self) -> Arc<Known> {
        Arc::clone(&self.known.read().unwrap_or_else(PoisonError::into_inner))
    }
}
