//! From texts to fingerprints, sketches and features under one scheme.
//!
//! In: a scheme and texts. Out: an [`EncodedBatch`] of columns ([`Encoder`]), fingerprints alone ([`transform`]), or the features
//! of one text ([`features_of`]).

use rayon::prelude::*;

use crate::base::context::Context;
use crate::base::error::{Error, Result};
use crate::base::hash::{xxh3_64, xxh3_128};
use crate::base::kernel::Kernel;
use crate::encode::feature_bits;
use crate::encode::fingerprint::Sums;
use crate::encode::input::pattern::Hits;
use crate::encode::paths::{PathScratch, Paths};
use crate::encode::scheme::{Scheme, Scratch, UnusableText, first_unusable};
use crate::encode::sketch::{self, SKETCH_WORDS};
use crate::encode::tokenize::windows::windows;
use crate::storage::column::with_room;

/// A distinct feature of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feature {
    /// Its characters.
    pub text: String,
    /// The low 64 bits of its hash; of schemes on characters and words the XXH3-64 of its UTF-8.
    pub hash: u64,
    /// How often it occurs; 1 of an element of a page, whose weight has the number in it.
    pub count: u32,
    /// Its integer weight.
    pub weight: u32,
}

/// The features of a text in the order of their first occurrence.
///
/// # Errors
/// [`Error::Text`] where the scheme cannot use the text.
pub fn features_of(scheme: &Scheme, text: &str) -> Result<Vec<Feature>> {
    let mut scratch = Scratch::default();
    if let Some(named) = scheme.named_structure(text) {
        let refused = |error: Error| UnusableText::new(error.message()).of_text(0);
        let row = |(text, hash, weight)| Feature {
            text,
            hash,
            count: 1,
            weight,
        };
        return Ok(named.map_err(refused)?.into_iter().map(row).collect());
    }
    if !scheme.has_windows() {
        scheme
            .extract(text, &mut scratch)
            .map_err(|refusal| refusal.of_text(0))?;
        let rows = scheme.distinct_tokens(&scratch).into_iter().enumerate();
        let of = |list: &[u32], at: usize| list.get(at).copied().unwrap_or(1);
        return Ok(rows
            .map(|(at, (text, hash))| Feature {
                text,
                hash,
                count: of(scratch.features.counts(), at),
                weight: of(&scratch.weights, at),
            })
            .collect());
    }
    scheme
        .normalise(text, &mut scratch)
        .map_err(|refusal| refusal.of_text(0))?;
    let mut places = std::collections::HashMap::new();
    let mut all: Vec<Feature> = Vec::new();
    windows(&scratch.text, scheme.window(), &mut Vec::new(), |bytes| {
        let hash = xxh3_64(bytes);
        let place = *places.entry(hash).or_insert(all.len());
        if place == all.len() {
            all.push(Feature {
                text: String::from_utf8_lossy(bytes).into_owned(),
                hash,
                count: 0,
                weight: 0,
            });
        }
        all[place].count += 1;
    });
    for feature in &mut all {
        feature.weight = scheme.weight(feature.hash, feature.count);
    }
    Ok(all)
}

/// What an [`Encoder`] makes for a search by similarity.
#[derive(Debug, Clone, Copy, Default)]
pub struct SearchOptions<'a> {
    /// Whether to make sketches.
    pub sketches: bool,
    /// The paths whose keys to make.
    pub paths: Option<&'a Paths>,
    /// Words of the feature bits of each text; 0 for none. For schemes whose features count once.
    pub bits: usize,
}

/// Turns texts into fingerprints, sketches, search keys and digests under one scheme. It knows no recipe and no threshold.
///
/// ```
/// use simsieve_core::base::kernel::Kernel;
/// use simsieve_core::encode::encoder::{EncodedBatch, Encoder, SearchOptions, WorkerScratch};
/// use simsieve_core::encode::scheme::Scheme;
/// let scheme = Scheme::parse("chars64").unwrap();
/// let encoder = Encoder::new(&scheme, SearchOptions::default(), Kernel::active());
/// let (mut scratch, mut batch) = (WorkerScratch::default(), EncodedBatch::default());
/// encoder.encode("one text", &mut scratch, &mut batch).unwrap();
/// encoder.encode("One  TEXT!", &mut scratch, &mut batch).unwrap();
/// assert_eq!((batch.fingerprints[0], &batch.valid[..]), (batch.fingerprints[1], &[true, true][..]));
/// ```
#[derive(Debug)]
pub struct Encoder<'a> {
    scheme: &'a Scheme,
    search: SearchOptions<'a>,
    kernel: Kernel,
}

/// The working memory of one thread, for one encoder.
#[derive(Debug, Default)]
pub struct WorkerScratch {
    scratch: Scratch,
    sums: Sums,
    paths: PathScratch,
}

/// What texts become under one scheme, as columns: a row for each text.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct EncodedBatch {
    /// [`Scheme::words`] words a row, zeros where there is no fingerprint.
    pub fingerprints: Vec<u64>,
    /// Whether the text has a fingerprint.
    pub valid: Vec<bool>,
    /// [`SKETCH_WORDS`] a row; empty without sketches.
    pub sketches: Vec<u64>,
    /// The feature bits of the rows, [`SearchOptions::bits`] words a row.
    pub bits: Vec<u64>,
    /// The search keys of the rows, one row after another; empty without paths.
    pub keys: Vec<u64>,
    /// How many keys each row has; empty without paths.
    pub key_counts: Vec<u16>,
    /// XXH3-128 of the exact form of the text.
    pub digests: Vec<u128>,
    /// Distinct features of the text.
    pub sizes: Vec<u32>,
}

impl WorkerScratch {
    /// The exact form of the text that was encoded last.
    pub fn exact(&self) -> &[u8] {
        self.scratch.text.exact()
    }

    /// What matched in the text that was encoded last.
    pub(crate) fn hits(&self) -> Hits {
        self.scratch.hits
    }
}

impl EncodedBatch {
    /// Adds the rows of another batch of the same encoder.
    pub fn append(&mut self, other: &Self) {
        self.fingerprints.extend_from_slice(&other.fingerprints);
        self.valid.extend_from_slice(&other.valid);
        self.sketches.extend_from_slice(&other.sketches);
        self.bits.extend_from_slice(&other.bits);
        self.keys.extend_from_slice(&other.keys);
        self.key_counts.extend_from_slice(&other.key_counts);
        self.digests.extend_from_slice(&other.digests);
        self.sizes.extend_from_slice(&other.sizes);
    }
}

impl<'a> Encoder<'a> {
    /// An encoder of a scheme, with what a search needs where that is asked for.
    pub const fn new(scheme: &'a Scheme, search: SearchOptions<'a>, kernel: Kernel) -> Self {
        Self { scheme, search, kernel }
    }

    /// The scheme of the fingerprints.
    pub const fn scheme(&self) -> &'a Scheme {
        self.scheme
    }

    /// The paths whose keys are made.
    pub const fn paths(&self) -> Option<&'a Paths> {
        self.search.paths
    }

    /// Words of a sketch; 0 without sketches.
    pub const fn sketch_words(&self) -> usize {
        if self.search.sketches { SKETCH_WORDS } else { 0 }
    }

    /// An empty batch with memory for this many rows.
    ///
    /// # Errors
    /// [`Error::Memory`] where there is not that much memory.
    pub fn batch(&self, rows: usize) -> Result<EncodedBatch> {
        Ok(EncodedBatch {
            fingerprints: with_room(rows * self.scheme.words())?,
            valid: with_room(rows)?,
            sketches: with_room(rows * self.sketch_words())?,
            bits: with_room(rows * self.search.bits)?,
            keys: Vec::new(),
            key_counts: with_room(if self.search.paths.is_some() { rows } else { 0 })?,
            digests: with_room(rows)?,
            sizes: with_room(rows)?,
        })
    }

    /// Writes the fingerprint of a text into `words`; returns `false` where the text has no features, and so none.
    ///
    /// # Errors
    /// An [`UnusableText`] where the scheme cannot use the text; `words` are then as they were.
    ///
    /// # Panics
    /// Where `words` is not [`Scheme::words`] long.
    pub fn fingerprint(
        &self,
        text: &str,
        scratch: &mut WorkerScratch,
        words: &mut [u64],
    ) -> Result<bool, UnusableText> {
        self.scheme.extract(text, &mut scratch.scratch)?;
        Ok(self.scheme.fingerprint(self.kernel, &mut scratch.scratch, words))
    }

    /// Adds the row of a text to a batch.
    ///
    /// # Errors
    /// An [`UnusableText`] where the scheme cannot use the text; the batch is then as it was.
    pub fn encode(
        &self,
        text: &str,
        scratch: &mut WorkerScratch,
        batch: &mut EncodedBatch,
    ) -> Result<(), UnusableText> {
        let WorkerScratch {
            scratch,
            sums,
            paths: path_scratch,
        } = scratch;
        self.scheme.extract(text, scratch)?;
        let row = batch.valid.len();
        self.add_zeros(batch);
        batch.digests[row] = xxh3_128(scratch.text.exact());
        batch.sizes[row] = scratch.features.len() as u32;
        let words = self.scheme.words();
        let fingerprint = &mut batch.fingerprints[row * words..];
        let sketch = &mut batch.sketches[row * self.sketch_words()..];
        if self.search.sketches {
            let (features, weights) = (scratch.features.hashes(), &scratch.weights);
            sketch::write(self.kernel, features, weights, sums, sketch);
        }
        if self.search.bits > 0 {
            feature_bits::write(scratch.features.hashes(), &mut batch.bits[row * self.search.bits..]);
        }
        batch.valid[row] = if self.search.sketches && self.scheme.is_part_of_sketch() {
            sketch::narrow(sketch, self.scheme.width(), fingerprint);
            !scratch.features.is_empty()
        } else {
            self.scheme.fingerprint(self.kernel, scratch, fingerprint)
        };
        let (features, weights) = (scratch.features.hashes(), &scratch.weights);
        if let Some(paths) = self.search.paths.filter(|_| batch.valid[row]) {
            let start = batch.keys.len();
            paths.keys(self.kernel, features, weights, path_scratch, &mut batch.keys);
            batch.key_counts[row] = (batch.keys.len() - start) as u16;
        }
        Ok(())
    }

    /// Adds the row of a text that has failed: zeros. Rows from `row` on are removed first.
    pub fn encode_failed(&self, row: usize, batch: &mut EncodedBatch) {
        batch.fingerprints.truncate(row * self.scheme.words());
        batch.valid.truncate(row);
        batch.sketches.truncate(row * self.sketch_words());
        batch.bits.truncate(row * self.search.bits);
        if self.search.paths.is_some() {
            let removed: usize = batch.key_counts.drain(row..).map(usize::from).sum();
            batch.keys.truncate(batch.keys.len() - removed);
        }
        batch.digests.truncate(row);
        batch.sizes.truncate(row);
        self.add_zeros(batch);
    }

    fn add_zeros(&self, batch: &mut EncodedBatch) {
        let rows = batch.valid.len() + 1;
        batch.fingerprints.resize(rows * self.scheme.words(), 0);
        batch.valid.resize(rows, false);
        batch.sketches.resize(rows * self.sketch_words(), 0);
        batch.bits.resize(rows * self.search.bits, 0);
        if self.search.paths.is_some() {
            batch.key_counts.resize(rows, 0);
        }
        batch.digests.resize(rows, 0);
        batch.sizes.resize(rows, 0);
    }
}

/// Texts of this many bytes in all take some hundred microseconds: threads would take longer to wake.
const BRIEF_BYTES: usize = 1 << 14;

/// Whether the fingerprints of `texts` are so little work that the calling thread does it alone.
pub fn is_brief<S: AsRef<str>>(texts: &[S]) -> bool {
    let mut bytes = 0;
    texts.len() <= BRIEF_BYTES
        && texts.iter().all(|text| {
            bytes += text.as_ref().len();
            bytes <= BRIEF_BYTES
        })
}

/// Fingerprints of `texts`: words, row-major and little-endian, zeros where a text has none; and which rows have one.
/// The first text has the number `first` in messages.
///
/// # Errors
/// [`Error::Text`] for the first text that the scheme cannot use, or whose normalised form is longer than 1 GiB.
pub fn transform<S: AsRef<str> + Sync>(
    scheme: &Scheme,
    texts: &[S],
    first: usize,
    ctx: &Context<'_>,
) -> Result<(Vec<u64>, Vec<bool>)> {
    const GROUP: usize = 8192;
    let encoder = Encoder::new(scheme, SearchOptions::default(), ctx.kernel());
    let words = scheme.words();
    let mut values = vec![0; texts.len() * words];
    let mut valid = vec![false; texts.len()];
    let one = |scratch: &mut WorkerScratch, row: usize, words: &mut [u64], valid: &mut bool| {
        let has_one = encoder.fingerprint(texts[row].as_ref(), scratch, words);
        has_one
            .map(|has_one| *valid = has_one)
            .err()
            .map(|refusal| (first + row, refusal))
    };
    if is_brief(texts) {
        let scratch = &mut WorkerScratch::default();
        for (row, (words, valid)) in values.chunks_mut(words).zip(&mut valid).enumerate() {
            if let Some((row, refusal)) = one(scratch, row, words, valid) {
                return Err(refusal.of_text(row));
            }
        }
    } else {
        let pool = ctx.pool()?;
        let groups = values.chunks_mut(GROUP * words).zip(valid.chunks_mut(GROUP));
        for (at, (values, valid)) in groups.enumerate() {
            ctx.tick("fingerprint", (at * GROUP) as u64, texts.len() as u64)?;
            pool.install(|| {
                let rows = values.par_chunks_mut(words).zip(valid.par_iter_mut()).enumerate();
                let refused = rows
                    .with_min_len(16)
                    .map_init(WorkerScratch::default, |scratch, (row, (words, valid))| {
                        one(scratch, at * GROUP + row, words, valid)
                    });
                first_unusable(refused.flatten_iter())
            })?;
        }
    }
    ctx.tick("fingerprint", texts.len() as u64, texts.len() as u64)?;
    Ok((values, valid))
}

#[cfg(test)]
#[path = "encoder_tests.rs"]
mod tests;
