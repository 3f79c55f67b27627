//! From records to documents: every text parsed, fingerprinted and sketched in one parallel pass, nothing of it kept
//! but what the search needs. Texts stay where they are and are fetched again for verification.

use std::ops::{Deref, Range};
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use crate::base::context::Context;
use crate::base::error::{Error, Result};
use crate::base::hash::{xxh3_64, xxh3_128};
use crate::base::kernel::Kernel;
use crate::dedup::combine::{Combine, copies_under_both};
use crate::dedup::exact;
use crate::dedup::keep_order::{KeepOrder, Key};
use crate::dedup::recipe::{Recipe, Threshold};
use crate::dedup::unusable::failure_of;
use crate::encode::scheme::{Scheme, Scratch, UnusableText};
use crate::encode::sketch::{Bins, Sketcher};
use crate::source::{Failure, Fields, Record, Sources};
use crate::storage::column::Column;

/// How documents are made of records.
#[derive(Debug, Clone)]
pub struct Options {
    /// How texts become fingerprints.
    pub scheme: Scheme,
    /// Where the text is; several fields are joined.
    pub text_field: Vec<String>,
    /// Where the label is.
    pub id_field: String,
    /// Which of two near documents stays.
    pub keep: KeepOrder,
    /// What is near.
    pub threshold: Threshold,
    /// Probability asked for that a pair at the threshold is found.
    pub recall: f64,
    /// Chooses the sketches.
    pub seed: u64,
    /// Records that the recipe is made for; as many as the store has where none is given.
    pub recipe_for: Option<u64>,
    /// Documents a batch; 0 for batches of about 2 MiB. Never changes a result.
    pub batch: usize,
}

/// Every document of a run and the frozen recipe; the [`Columns`] are reached through it.
#[derive(Debug)]
pub struct Documents {
    /// The frozen recipe.
    pub recipe: Recipe,
    pub(crate) columns: Arc<Columns>,
    /// The same records under further schemes.
    pub(crate) others: Vec<Self>,
    pub(crate) rule: Combine,
}

impl Deref for Documents {
    type Target = Columns;

    fn deref(&self) -> &Columns {
        &self.columns
    }
}

/// What was made of every record, as columns over positions; shared by the runs at several thresholds.
#[derive(Debug)]
pub struct Columns {
    /// Where the records are.
    pub store: Arc<Sources>,
    /// How texts become fingerprints.
    pub scheme: Scheme,
    /// Fingerprints, row-major, zeros where there is none.
    pub fingerprints: Column<u64>,
    /// Whether the document has a fingerprint.
    pub valid: Column<bool>,
    /// Sketches, row-major; empty under a distance.
    pub sketches: Column<u8>,
    /// XXH3-128 of the normalised text.
    pub digests: Column<u128>,
    /// Distinct features a document.
    pub sizes: Column<u32>,
    /// Positions of all documents (failed records left out) in keep order, the old ones before all new ones.
    pub order: Column<u32>,
    /// Records that are no documents, by position.
    pub failures: Vec<(usize, Failure)>,
    pub(crate) labels: Labels,
    pub(crate) fields: Fields,
    /// See [`Documents::copies`].
    pub(crate) copies: OnceLock<Vec<u32>>,
}

/// What one batch of records became.
struct Batch {
    fingerprints: Vec<u64>,
    valid: Vec<bool>,
    sketches: Vec<u8>,
    digests: Vec<u128>,
    sizes: Vec<u32>,
    keys: Vec<Key>,
    labels: Labels,
    failures: Vec<(usize, Failure)>,
}

/// Labels as raw JSON, one after another.
#[derive(Debug, Default)]
pub(crate) struct Labels {
    pub(crate) bytes: Column<u8>,
    /// Where each label ends among the bytes.
    pub(crate) ends: Column<u64>,
}

impl Labels {
    fn push(&mut self, label: Option<&[u8]>) {
        self.bytes.to_mut().extend_from_slice(label.unwrap_or_default());
        self.ends.to_mut().push(self.bytes.len() as u64);
    }

    fn append(&mut self, other: &Self) {
        let base = self.bytes.len() as u64;
        self.bytes.to_mut().extend_from_slice(&other.bytes);
        self.ends.to_mut().extend(other.ends.iter().map(|end| base + end));
    }

    fn get(&self, at: usize) -> Option<&[u8]> {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        Some(&self.bytes[start as usize..self.ends[at] as usize]).filter(|label| !label.is_empty())
    }

    /// Labels beyond the first of their kind among the first `count`.
    fn repeated(&self, count: usize) -> usize {
        let mut hashes: Vec<u64> = (0..count).filter_map(|at| self.get(at)).map(xxh3_64).collect();
        hashes.par_sort_unstable();
        hashes.windows(2).filter(|pair| pair[0] == pair[1]).count()
    }
}

impl Documents {
    /// Makes documents of every record of `store`.
    ///
    /// Complexity: linear in the bytes; memory of about 60 bytes a document, the label, and the sketch.
    pub fn load(store: Arc<Sources>, options: &Options, ctx: &Context<'_>) -> Result<Self> {
        let (recipe, columns) = Self::read(store, options, ctx)?;
        Ok(Self::of(recipe, columns))
    }

    /// The recipe and the columns of [`Documents::load`].
    pub(crate) fn read(store: Arc<Sources>, options: &Options, ctx: &Context<'_>) -> Result<(Recipe, Columns)> {
        if store.len() >= u32::MAX as usize {
            return Err(Error::Config(format!(
                "{} records are more than 2^32 - 2; split the source",
                store.len()
            )));
        }
        let Options {
            scheme,
            threshold,
            recall,
            seed,
            ..
        } = options;
        let records = options.recipe_for.unwrap_or(store.len() as u64);
        let recipe = Recipe::new(scheme, *threshold, *recall, *seed, records)?;
        let fields = Fields {
            text: options.text_field.clone(),
            id: options.id_field.clone(),
            values: options.keep.fields(),
            takes: scheme.takes(),
        };
        store.check_fields(&fields)?;
        let mut all = Columns {
            fingerprints: Vec::with_capacity(store.len() * scheme.words()).into(),
            valid: Vec::with_capacity(store.len()).into(),
            sketches: Column::default(),
            digests: Vec::with_capacity(store.len()).into(),
            sizes: Vec::with_capacity(store.len()).into(),
            order: Column::default(),
            failures: Vec::new(),
            labels: Labels::default(),
            scheme: options.scheme.clone(),
            fields,
            copies: OnceLock::new(),
            store,
        };
        all.sketches
            .to_mut()
            .reserve_exact(all.store.len() * recipe.sketch_bytes);
        let keys = all.read_all(&recipe, options, ctx)?;
        all.rank(&options.keep, &keys);
        all.store.check_unchanged()?;
        Ok((recipe, all))
    }

    /// Documents of columns that were kept, under the recipe that they were made for.
    pub(crate) fn of(recipe: Recipe, columns: Columns) -> Self {
        Self {
            recipe,
            columns: Arc::new(columns),
            others: Vec::new(),
            rule: Combine::All,
        }
    }

    /// Whether there are several schemes.
    pub fn is_combined(&self) -> bool {
        !self.others.is_empty()
    }

    /// The documents under each scheme, themselves first.
    pub fn parts(&self) -> Vec<&Self> {
        std::iter::once(self).chain(&self.others).collect()
    }

    /// The documents under one of the schemes, themselves under the first.
    ///
    /// # Panics
    /// Where there are not that many schemes.
    pub fn part(&self, scheme: u8) -> &Self {
        match scheme {
            0 => self,
            other => &self.others[usize::from(other) - 1],
        }
    }

    /// Those whose candidates are looked for: under [`Combine::All`] the first scheme's suffice.
    pub(crate) fn searched(&self) -> Vec<&Self> {
        let mut parts = self.parts();
        if self.rule == Combine::All {
            parts.truncate(1);
        }
        parts
    }

    /// The other schemes under which a pair must be near as well.
    pub(crate) fn must_agree(&self) -> &[Self] {
        if self.rule == Combine::All { &self.others } else { &[] }
    }

    /// Whether anything can be near a document.
    pub fn stands(&self, position: u32) -> bool {
        let at = position as usize;
        self.valid[at] || self.others.iter().any(|other| other.valid[at])
    }

    /// The same documents under a stricter threshold (or the same): see [`Recipe::again`]. Nothing is read anew.
    ///
    /// # Errors
    /// [`Error::Config`] where there are several schemes, or the threshold is looser; [`Error::Source`] where a source has
    /// changed.
    pub fn again(&self, threshold: Threshold) -> Result<Self> {
        self.refuse_combined("deciding again")?;
        self.store.check_unchanged()?;
        Ok(Self {
            recipe: self.recipe.again(threshold)?,
            columns: Arc::clone(&self.columns),
            others: Vec::new(),
            rule: Combine::All,
        })
    }

    /// Refuses what is made for one scheme.
    pub(crate) fn refuse_combined(&self, what: &str) -> Result<()> {
        if self.is_combined() {
            return Err(Error::Config(format!(
                "{what} is for one scheme, and there are {}; run on the sources again",
                self.parts().len()
            )));
        }
        Ok(())
    }

    /// Exact copies under every scheme, as [`exact::collapse`] has them; found once, whatever the thresholds asked for.
    pub fn copies(&self, ctx: &Context<'_>) -> Result<&[u32]> {
        if let Some(copies) = self.copies.get() {
            return Ok(copies);
        }
        let mut found = exact::collapse(self, ctx)?;
        for other in &self.others {
            copies_under_both(&mut found, &exact::collapse(other, ctx)?);
        }
        Ok(self.copies.get_or_init(|| found))
    }

    /// The sketch's bytes; none under a distance.
    pub fn sketch(&self, position: u32) -> &[u8] {
        let bytes = self.recipe.sketch_bytes;
        &self.sketches[position as usize * bytes..][..bytes]
    }
}

impl Columns {
    fn read_all(&mut self, recipe: &Recipe, options: &Options, ctx: &Context<'_>) -> Result<Vec<Key>> {
        const BLOCK_BYTES: u64 = 2 << 20;
        let mut ranges = self.store.blocks(BLOCK_BYTES);
        if options.batch > 0 {
            ranges = ranges
                .into_iter()
                .flat_map(|range| chunks(range, options.batch))
                .collect();
        }
        let worker = Worker {
            store: &Arc::clone(&self.store),
            scheme: &options.scheme,
            fields: &self.fields.clone(),
            sketcher: (recipe.sketch_bytes > 0).then(|| Sketcher::new(recipe.sketch_bytes, recipe.seed)),
            keyed: !options.keep.is_positional(),
            kernel: Kernel::active(),
        };
        let pool = ctx.pool()?;
        let total = self.store.len() as u64;
        let mut keys = Vec::new();
        for group in ranges.chunks(4 * pool.current_num_threads()) {
            ctx.tick("fingerprint", self.valid.len() as u64, total)?;
            let batches: Vec<Result<Batch>> = pool.install(|| {
                group
                    .par_iter()
                    .map_init(Hands::default, |hands, range| worker.run(range.clone(), hands))
                    .collect()
            });
            for batch in batches {
                let batch = batch?;
                self.fingerprints.to_mut().extend_from_slice(&batch.fingerprints);
                self.valid.to_mut().extend_from_slice(&batch.valid);
                self.sketches.to_mut().extend_from_slice(&batch.sketches);
                self.digests.to_mut().extend_from_slice(&batch.digests);
                self.sizes.to_mut().extend_from_slice(&batch.sizes);
                self.labels.append(&batch.labels);
                self.failures.extend(batch.failures);
                keys.extend(batch.keys);
            }
        }
        ctx.tick("fingerprint", total, total)?;
        Ok(keys)
    }

    fn rank(&mut self, keep: &KeepOrder, keys: &[Key]) {
        let mut failed = self.failures.iter().map(|(position, _)| *position as u32).peekable();
        let mut order: Vec<u32> = (0..self.len() as u32)
            .filter(|position| failed.next_if_eq(position).is_none())
            .collect();
        // Old documents precede all others, in the order of their sources; the rules order the new ones alone.
        let new = order.partition_point(|&position| !self.is_old(position));
        order.rotate_left(new);
        if !keep.is_positional() {
            let old = order.len() - new;
            order[old..].par_sort_unstable_by(|&a, &b| keep.compare((&keys[a as usize], a), (&keys[b as usize], b)));
        }
        self.order = order.into();
    }

    /// Records read.
    pub fn len(&self) -> usize {
        self.valid.len()
    }

    /// Whether there was no record at all.
    pub fn is_empty(&self) -> bool {
        self.valid.is_empty()
    }

    /// The label of a record as raw JSON, where it has one.
    pub fn label(&self, position: usize) -> Option<&[u8]> {
        self.labels.get(position)
    }

    /// Labels that another new record bore before.
    pub fn repeated_labels(&self) -> usize {
        self.labels.repeated(self.store.new_len())
    }

    /// Whether a record is old: see [`Sources::against`].
    #[inline]
    pub fn is_old(&self, position: u32) -> bool {
        position as usize >= self.store.new_len()
    }

    /// The fingerprint's words; zeros where there is none.
    pub fn fingerprint(&self, position: u32) -> &[u64] {
        let words = self.scheme.words();
        &self.fingerprints[position as usize * words..][..words]
    }

    /// Takes the features of a document's text, fetched again from its source.
    pub fn extract(&self, position: u32, buffer: &mut Vec<u8>, scratch: &mut Scratch) -> Result<()> {
        self.with_usable_text(position, buffer, |text| self.scheme.extract(text, scratch))
    }

    /// As [`Columns::with_text`] where `each` needs the text in the scheme's own form.
    pub(crate) fn with_usable_text<T>(
        &self,
        position: u32,
        buffer: &mut Vec<u8>,
        each: impl FnOnce(&str) -> Result<T, UnusableText>,
    ) -> Result<T> {
        let made = self.with_text(position, buffer, each)?;
        made.map_err(|refusal| self.changed(position, refusal.message()))
    }

    /// What was a document when it was loaded is none any more.
    fn changed(&self, position: u32, message: &str) -> Error {
        Error::Source {
            path: self.store.locate(position as usize).path,
            message: format!("changed while it was read ({message}); run again on a file at rest"),
        }
    }

    /// Calls `each` with the text of a document, fetched again from its source.
    pub fn with_text<T>(&self, position: u32, buffer: &mut Vec<u8>, each: impl FnOnce(&str) -> T) -> Result<T> {
        let bytes = self.store.read_record(position as usize, buffer)?;
        match self.store.parse(position as usize, bytes, &self.fields) {
            Ok(Record { text, .. }) => Ok(each(&text)),
            Err(failure) => Err(self.changed(position, &failure.message)),
        }
    }
}

fn chunks(range: Range<usize>, size: usize) -> impl Iterator<Item = Range<usize>> {
    range
        .clone()
        .step_by(size)
        .map(move |start| start..(start + size).min(range.end))
}

/// What every thread shares.
struct Worker<'a> {
    store: &'a Sources,
    scheme: &'a Scheme,
    fields: &'a Fields,
    sketcher: Option<Sketcher>,
    keyed: bool,
    kernel: Kernel,
}

/// What every thread has for itself.
#[derive(Default)]
struct Hands {
    bytes: Vec<u8>,
    scratch: Scratch,
    bins: Bins,
}

impl Worker<'_> {
    fn run(&self, range: Range<usize>, hands: &mut Hands) -> Result<Batch> {
        let n = range.len();
        let (words, sketch_bytes) = (self.scheme.words(), self.sketcher.as_ref().map_or(0, Sketcher::length));
        let mut batch = Batch {
            fingerprints: vec![0; n * words],
            valid: vec![false; n],
            sketches: vec![0; n * sketch_bytes],
            digests: vec![0; n],
            sizes: vec![0; n],
            keys: Vec::with_capacity(if self.keyed { n } else { 0 }),
            labels: Labels::default(),
            failures: Vec::new(),
        };
        let Hands { bytes, scratch, bins } = hands;
        let block = self.store.read(range.clone(), bytes)?;
        for (row, position) in range.enumerate() {
            let parsed = self.store.parse(position, block.record(position), self.fields);
            let record = parsed.and_then(|record| {
                let taken = self.scheme.extract(&record.text, scratch);
                taken.map_err(|refusal| failure_of(&refusal, &self.store.locate(position)))?;
                Ok(record)
            });
            let (label, key) = match &record {
                Ok(record) => (
                    record.id.as_deref(),
                    Key {
                        characters: 0,
                        values: record.values.clone(),
                    },
                ),
                Err(_) => (
                    None,
                    Key {
                        characters: 0,
                        values: Vec::new(),
                    },
                ),
            };
            batch.labels.push(label);
            if self.keyed {
                let characters = record.as_ref().map_or(0, |record| record.text.chars().count() as u32);
                batch.keys.push(Key { characters, ..key });
            }
            if let Err(failure) = record {
                batch.failures.push((position, failure));
                continue;
            }
            batch.digests[row] = xxh3_128(scratch.text.normalised());
            batch.sizes[row] = scratch.features.len() as u32;
            let fingerprint = &mut batch.fingerprints[row * words..][..words];
            batch.valid[row] = self.scheme.fingerprint(self.kernel, scratch, fingerprint);
            if let Some(sketcher) = &self.sketcher {
                let sketch = &mut batch.sketches[row * sketch_bytes..][..sketch_bytes];
                sketcher.write(self.scheme.sketched(scratch), bins, sketch);
            }
        }
        Ok(batch)
    }
}
