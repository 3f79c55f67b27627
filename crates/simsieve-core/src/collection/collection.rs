//! What was read of all records, and what it became under each scheme, as columns over positions.
//!
//! [`ingest`](crate::collection::ingest::ingest) makes a [`Collection`]; searches and decisions read it. Texts are not in it:
//! they stay in their sources and are fetched again for verification.

use std::sync::Arc;

use crate::base::error::{Error, Result};
use crate::base::message::Message;
use crate::collection::combine::Combine;
use crate::collection::keep_values::KeepValues;
use crate::collection::labels::Labels;
use crate::collection::names::{Finder, Name, check_at};
use crate::collection::relation::{CopiesOfDropped, Relation};
use crate::encode::encoder::EncodedBatch;
use crate::encode::input::pattern::Hits;
use crate::encode::paths::Paths;
use crate::encode::scheme::{Scheme, Scratch, UnusableText};
use crate::recipe::search_keys::SearchKeys;
use crate::source::{Failure, Fields, Record, RecordBuffer, Sources};
use crate::storage::column::{Column, Element};
use crate::storage::run_dir::RunDir;

/// Every record of a run, read once, and its encoding under each scheme. It has no recipe: runs at several thresholds share it.
#[derive(Debug)]
pub struct Collection {
    /// Where the records are.
    pub sources: Arc<Sources>,
    /// Positions of all documents (failed records left out) in keep order, the old ones before all new ones.
    pub order: Column<u32>,
    /// Records that are no documents, by position.
    pub failures: Vec<(usize, Failure)>,
    /// What the documents became under each scheme; at least one.
    pub encodings: Vec<Encoding>,
    /// What the patterns of the first scheme matched in the texts that were encoded.
    pub hits: Hits,
    pub(crate) rule: Combine,
    /// Which pairs may be near, and which are so whatever their texts say.
    pub relation: Relation,
    pub(crate) labels: Labels,
    /// What the fields of the keep order have.
    pub keep_values: Vec<KeepValues>,
    pub(crate) fields: Fields,
    /// For every place in the keep order the place of the first document that it is an exact copy of; itself where that is the first.
    pub copies: Column<u32>,
    pub(crate) copies_of_dropped: CopiesOfDropped,
    /// Where the run keeps what is finished, if it does.
    pub(crate) run_dir: Option<Arc<RunDir>>,
    /// Whether the texts are elsewhere: the rows are spread over machines, and bits decide.
    pub(crate) is_textless: bool,
}

/// What the documents became under one scheme, as columns over positions.
#[derive(Debug)]
pub struct Encoding {
    /// How texts become fingerprints.
    pub scheme: Scheme,
    /// Fingerprints, row-major, zeros where there is none.
    pub fingerprints: Column<u64>,
    /// Whether the document has a fingerprint; of several schemes that must all agree, under each of them.
    pub valid: Column<bool>,
    /// Sketches of [`SKETCH_WORDS`](crate::encode::sketch::SKETCH_WORDS) words, row-major; none under a distance.
    pub sketches: Column<u64>,
    /// Feature bits, row-major, as wide as they were made; none where the search has no use for them or they were made elsewhere.
    pub(crate) bits: Column<u64>,
    /// XXH3-128 of the exact form of the text.
    pub digests: Column<u128>,
    /// Distinct features a document.
    pub sizes: Column<u32>,
    /// The paths of the search keys, where the search is by paths.
    pub paths: Option<Arc<Paths>>,
    /// 32 hex digits of these paths.
    pub frozen_digest: Option<String>,
    /// The search keys, for [`Documents`](crate::search::documents::Documents) that are made of it.
    pub(crate) keys: Option<SearchKeys>,
}

impl Encoding {
    /// The encoding whose rows were encoded in the order of positions.
    pub(crate) fn of(scheme: &Scheme, rows: EncodedBatch, paths: Option<Arc<Paths>>, keys: Option<SearchKeys>) -> Self {
        Self {
            scheme: scheme.clone(),
            fingerprints: rows.fingerprints.into(),
            valid: rows.valid.into(),
            sketches: rows.sketches.into(),
            bits: rows.bits.into(),
            digests: rows.digests.into(),
            sizes: rows.sizes.into(),
            paths,
            frozen_digest: None,
            keys,
        }
    }

    /// Distinct features of a document in the mean.
    pub(crate) fn mean_size(&self) -> f64 {
        let all: u64 = self.sizes.iter().map(|&size| u64::from(size)).sum();
        all as f64 / self.sizes.len().max(1) as f64
    }

    /// What the documents of some positions became, without search keys and feature bits.
    pub(crate) fn rows(&self, positions: &[u32]) -> EncodedBatch {
        let n = self.valid.len();
        EncodedBatch {
            fingerprints: rows(&self.fingerprints, n, positions),
            valid: rows(&self.valid, n, positions),
            sketches: rows(&self.sketches, n, positions),
            digests: rows(&self.digests, n, positions),
            sizes: rows(&self.sizes, n, positions),
            ..EncodedBatch::default()
        }
    }

    /// The fingerprint's words; zeros where there is none.
    pub fn fingerprint(&self, position: u32) -> &[u64] {
        let words = self.scheme.words();
        &self.fingerprints[position as usize * words..][..words]
    }
}

/// Some rows of a column of `n` rows; none of an empty one.
pub(crate) fn rows<T: Element>(column: &Column<T>, n: usize, positions: &[u32]) -> Vec<T> {
    let words = column.len() / n.max(1);
    let row = |&position: &u32| {
        let start = position as usize * words;
        column.touch(start..start + words);
        column.raw()[start..][..words].iter().copied()
    };
    positions.iter().flat_map(row).collect()
}

impl Collection {
    /// Records read.
    pub fn len(&self) -> usize {
        self.sources.len()
    }

    /// Whether there was no record at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether what a drop loses can be measured: given fingerprints have no texts.
    pub(crate) fn has_texts(&self) -> bool {
        !self.is_textless && self.encodings[0].scheme.has_features()
    }

    /// Where the run keeps what is finished, while that is open.
    pub(crate) fn run_dir(&self) -> Option<&RunDir> {
        self.run_dir.as_deref().filter(|dir| !dir.is_closed())
    }

    /// Whether a document has a fingerprint under one scheme at least: only then is its text near another.
    pub fn has_fingerprint(&self, position: u32) -> bool {
        self.encodings.iter().any(|encoding| encoding.valid[position as usize])
    }

    /// Whether anything can be near a document: by its text, or by a verdict.
    pub(crate) fn is_compared(&self, position: u32) -> bool {
        self.has_fingerprint(position)
            || self.relation.joined_with(position).next().is_some()
            || self.relation.joining(position).next().is_some()
    }

    /// The label of a record as raw JSON, where it has one.
    pub fn label(&self, position: usize) -> Option<&[u8]> {
        self.labels.get(position)
    }

    /// The positions of the records with these names; see [`Name`].
    ///
    /// # Errors
    /// [`Error::Config`] where a name is that of several records, or a position that of another record than was named.
    pub fn find(&self, names: &[Name]) -> Result<Vec<Option<u32>>> {
        let finder = Finder {
            labels: &self.labels,
            new: self.sources.new_len(),
            check: &|position| self.check(position),
        };
        let found = finder.find(names.iter())?;
        Ok(names.iter().map(|name| found[name]).collect())
    }

    /// A number by which a document's text is known again; none where it has no text.
    pub fn check(&self, position: u32) -> Option<u32> {
        check_at(&self.sources, &self.fields, position)
    }

    /// Labels that another new record bore before.
    pub fn repeated_labels(&self) -> usize {
        let new = self.sources.new_len();
        let parts = self.run_dir().map_or(1, |dir| dir.parts_of(new * size_of::<u64>()));
        self.labels.repeated(new, parts)
    }

    /// Whether a record is old: see [`Sources::against`].
    #[inline]
    pub fn is_old(&self, position: u32) -> bool {
        position as usize >= self.sources.new_len()
    }

    /// How many of the failures are of new records; they are the first.
    pub fn new_failures(&self) -> usize {
        let new = self.sources.new_len();
        self.failures.partition_point(|(position, _)| *position < new)
    }

    /// Calls `each` with the text of a document, fetched again from its source.
    pub fn with_text<T>(&self, position: u32, buffer: &mut RecordBuffer, each: impl FnOnce(&str) -> T) -> Result<T> {
        let bytes = buffer.record(&self.sources, position as usize)?;
        self.text_of(position, bytes, each)
    }

    /// Calls `each` with the texts of documents by ascending positions, and reads about `max_bytes` at a time.
    pub(crate) fn fetch_texts(
        &self,
        positions: &[usize],
        max_bytes: u64,
        buffer: &mut Vec<u8>,
        mut each: impl FnMut(&str),
    ) -> Result<()> {
        self.sources.fetch(positions, max_bytes, buffer, |position, bytes| {
            self.text_of(position as u32, bytes, &mut each)
        })
    }

    /// Calls `each` with the text of a document whose bytes were read.
    fn text_of<T>(&self, position: u32, bytes: &[u8], each: impl FnOnce(&str) -> T) -> Result<T> {
        match self.sources.parse(position as usize, bytes, &self.fields) {
            Ok(Record { text, .. }) => Ok(each(&text)),
            Err(failure) => Err(self.changed(position, &failure.message)),
        }
    }

    /// As [`Collection::with_text`] where `each` needs the text in a scheme's own form.
    pub(crate) fn with_usable_text<T>(
        &self,
        position: u32,
        buffer: &mut RecordBuffer,
        each: impl FnOnce(&str) -> Result<T, UnusableText>,
    ) -> Result<T> {
        let made = self.with_text(position, buffer, each)?;
        made.map_err(|refusal| self.changed(position, refusal.message()))
    }

    /// Takes the features of a document's text under a scheme; the text is fetched again from its source.
    pub fn extract(
        &self,
        scheme: &Scheme,
        position: u32,
        buffer: &mut RecordBuffer,
        scratch: &mut Scratch,
    ) -> Result<()> {
        self.with_usable_text(position, buffer, |text| scheme.extract(text, scratch))
    }

    /// What was a document when it was loaded is none any more.
    pub(crate) fn changed(&self, position: u32, message: &Message) -> Error {
        changed(&self.sources, position, message)
    }
}

/// The number of records where it is one that positions of 32 bits can name, and leaves one for what is none.
///
/// # Errors
/// [`Error::Config`] where it is more.
pub(crate) fn check_number(n: usize) -> Result<usize> {
    let error = || Error::Config(msg!("{n} records are more than 2^32 - 2; split the source"));
    (n < u32::MAX as usize).then_some(n).ok_or_else(error)
}

/// What was a document when it was read first is none any more.
pub(crate) fn changed(sources: &Sources, position: u32, message: &Message) -> Error {
    Error::Source {
        path: sources.locate(position as usize).path.into_owned(),
        message: msg!("changed while it was read ({message}); run again on a file at rest"),
    }
}
