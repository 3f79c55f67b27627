//! Up to where the collections are read that an index follows: a place in their order, for each batch that came from one.
//!
//! The places are in the manifest, so a batch and its place are added together or not at all.

use serde::{Deserialize, Serialize};

/// Remembered places of a source, one for each batch: this many last batches can be undone.
const MOST: usize = 1000;

/// How far a source was read when a batch was added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Followed {
    /// The name of the source.
    pub source: String,
    /// The place, as the caller writes it.
    pub place: String,
    /// The batch.
    #[serde(default)]
    pub(crate) batch: u32,
}

impl Followed {
    /// A source that was read up to a place.
    pub const fn new(source: String, place: String) -> Self {
        Self {
            source,
            place,
            batch: 0,
        }
    }
}

/// The places of all sources that an index follows, the last batch last.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Places(Vec<Followed>);

impl Places {
    pub(crate) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn place_of(&self, source: &str) -> Option<&str> {
        let last = self.0.iter().rfind(|one| one.source == source)?;
        Some(&last.place)
    }

    /// Notes that a source was read up to a place with a batch.
    pub(crate) fn follow(&mut self, followed: Followed, batch: u32) {
        let is_of = |one: &Followed| one.source == followed.source;
        if let Some(last) = self.0.iter_mut().rfind(|one| is_of(one) && one.batch == batch) {
            last.place = followed.place;
            return;
        }
        let many = self.0.iter().filter(|one| is_of(one)).count() >= MOST;
        if let (true, Some(first)) = (many, self.0.iter().position(is_of)) {
            self.0.remove(first);
        }
        self.0.push(Followed { batch, ..followed });
    }

    /// Goes back to the place before a batch that is undone: what came after it is read again, and known.
    pub(crate) fn go_back_before(&mut self, batch: u32) {
        let mut undone = Vec::new();
        self.0.retain(|one| {
            if one.batch == batch {
                undone.push(one.source.clone());
            }
            !undone.contains(&one.source)
        });
    }
}
