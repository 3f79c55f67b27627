//! Documents that an index keeps, for a run on new records. Which of them a new record may be near is known when the records are encoded.

use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::base::context::Context;
use crate::base::error::Result;
use crate::collection::changed;
use crate::collection::ingest::pieces::Batch;
use crate::collection::relation::{CopiesOfDropped, Rules};
use crate::encode::paths::Paths;
use crate::encode::scheme::{Scheme, Scratch};
use crate::recipe::Recipe;
use crate::recipe::search_keys::SearchKeys;
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

/// The old documents that new ones may be near, and which of these follow them as copies.
pub(crate) type Beside = (Sources, Batch, CopiesOfDropped);

/// What an index is for a run: its recipe is in force, and it gives the old documents.
pub(crate) trait SeenRows: fmt::Debug + Send + Sync {
    /// The recipes of the index, where the run has the same of all that the two must have in common. Nothing is compared where the
    /// settings of the run were read from the index.
    fn recipes(&self, common: &dyn Fn() -> Map<String, Value>) -> Result<Vec<Recipe>>;

    /// The frozen paths of each scheme that is searched by paths.
    fn paths(&self) -> Vec<Option<Arc<Paths>>>;

    /// The digest of these paths of a scheme.
    fn frozen_digest(&self, scheme: usize) -> Option<String>;

    /// The documents that some new record may be near: those with a search key in common and few different bits, and those whose
    /// exact form has the digest of a new one. It may put labels to the new records first. Gives their texts and columns, and the positions of
    /// new records with the text of one that was dropped, each with that of its representative; and adds the search keys in common to those
    /// of the new ones.
    fn beside(
        &self,
        new: &mut Batch,
        texts: NewTexts<'_>,
        keys: &mut [Option<SearchKeys>],
        rules: &Rules,
        ctx: &Context<'_>,
    ) -> Result<Beside>;
}

/// The kept documents of an index, as the old ones of one run.
#[derive(Debug, Clone)]
pub struct Seen(pub(crate) Arc<dyn SeenRows>);
