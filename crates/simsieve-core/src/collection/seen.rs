//! What an index gives to a run on new records: recipes and paths before they are read, and old rows once they are encoded.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::base::error::Result;
use crate::collection::changed;
use crate::collection::ingest::pieces::Batch;
use crate::collection::relation::CopiesOfDropped;
use crate::encode::paths::Paths;
use crate::encode::scheme::{Scheme, Scratch};
use crate::recipe::Recipe;
use crate::source::{Fields, RecordBuffer, Sources};

/// The texts of the new records.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewTexts<'a> {
    pub(crate) sources: &'a Sources,
    pub(crate) fields: &'a Fields,
}

impl NewTexts<'_> {
    /// Takes the features of a record's text under a scheme.
    pub(crate) fn extract(
        &self,
        scheme: &Scheme,
        at: u32,
        buffer: &mut RecordBuffer,
        scratch: &mut Scratch,
    ) -> Result<()> {
        let extracted = self.with(at, buffer, |text| scheme.extract(text, scratch))?;
        extracted.map_err(|refusal| changed(self.sources, at, refusal.message()))
    }

    /// Calls `each` with a record's text.
    pub(crate) fn with<T>(&self, at: u32, buffer: &mut RecordBuffer, each: impl FnOnce(&str) -> T) -> Result<T> {
        let bytes = buffer.record(self.sources, at as usize)?;
        let record = self.sources.parse(at as usize, bytes, self.fields);
        let record = record.map_err(|failure| changed(self.sources, at, &failure.message))?;
        Ok(each(&record.text))
    }
}

/// What an index has settled for a run against it, before a record is read.
#[derive(Debug, Clone)]
pub struct Settled {
    /// The recipe of each scheme.
    pub(crate) recipes: Vec<Recipe>,
    /// The frozen paths of each scheme that is searched by paths,
    pub(crate) paths: Vec<Option<Arc<Paths>>>,
    /// and their digests.
    pub(crate) frozen_digests: Vec<Option<String>>,
    /// What the run must have in common with the index; nothing where its settings were read from the index.
    pub(crate) common: Map<String, Value>,
    /// Whether the run may lack a window of time that the index has: a question about all times.
    pub(crate) is_timeless: bool,
}

/// The documents of an index that new ones may be near, and which new ones are copies of those that it dropped.
pub(crate) struct OldRows {
    pub(crate) sources: Sources,
    pub(crate) rows: Batch,
    pub(crate) copies_of_dropped: CopiesOfDropped,
}
