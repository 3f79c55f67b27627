//! The changes of an index: each writes a segment, then the manifest.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, RwLock};

use rayon::prelude::*;
use serde_json::{Map, Value, json};

use super::Index;
use super::manifest::{self, Manifest, Next, frozen_path, segment_path};
use super::rows::{EachText, KeptRow, SegmentRows};
use super::seen::{Outcome, SeenRun};
use super::segment::{Row, Segment, Tombstone};
use super::state::{State, write_frozen};
use super::texts::dictionary_of;
use crate::base::context::Context;
use crate::base::error::{Error, Result, is_retryable};
use crate::base::hash::xxh3_64;
use crate::collection::combine::Combine;
use crate::collection::labels::canonical;
use crate::dedup::decide::decisions::Decisions;
use crate::encode::paths::Paths;
use crate::encode::scheme::Scheme;
use crate::recipe::{BRUTE_BELOW, Recipe};
use crate::search::documents::Documents;
use crate::search::sample::freeze_each;
use crate::sink::Decision;
use crate::source::{Fields, RecordBuffer, Sources};
use crate::storage::lock;

/// Segments of one size class before they are merged.
const MERGED_AT: usize = 4;
/// The sizes of classes grow by this factor.
const CLASS: usize = 4;
/// A frozen set is made anew after the documents have grown so many times.
const GROWTH: u64 = 16;

/// What a batch has added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Added {
    /// The name of the batch.
    pub batch: String,
    /// Documents that the index keeps.
    pub kept: u64,
    /// Documents that it has dropped.
    pub dropped: u64,
    /// Records whose ids and texts it had.
    pub known: u64,
    /// Documents that new ones have replaced.
    pub replaced: u64,
    /// Ids, as raw JSON, of documents that were dropped for a replaced one.
    pub orphans: Vec<String>,
}

/// What was removed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Removed {
    /// Kept documents that are gone.
    pub kept: u64,
    /// Dropped documents that are forgotten.
    pub dropped: u64,
    /// Ids that no document has.
    pub missing: Vec<String>,
    /// Ids, as raw JSON, of documents that were dropped for a removed one.
    pub orphans: Vec<String>,
}

/// Kept documents from which on a new frozen set is due.
pub(super) fn refreeze_at(state: &State) -> u64 {
    let due = |recipe: &Recipe| match recipe.paths {
        _ if !recipe.threshold.by_similarity() => 0,
        None => BRUTE_BELOW,
        Some(_) => GROWTH << recipe.log2_n,
    };
    state
        .recipes
        .iter()
        .take(state.searched())
        .map(due)
        .filter(|&at| at > 0)
        .min()
        .unwrap_or(0)
}

fn raw(label: Option<&[u8]>) -> String {
    label.map_or_else(
        || "null".to_owned(),
        |label| String::from_utf8_lossy(label).into_owned(),
    )
}

impl Index {
    /// Makes an index of what a run keeps. The directory is new or empty.
    ///
    /// # Errors
    /// [`Error::Config`] where there is something in the directory; [`Error::Storage`] and [`Error::Sink`] where it cannot be written.
    pub fn create(
        path: &Path,
        settings: &str,
        expected: u64,
        (documents, decisions): (&Documents, &Decisions),
        common: Map<String, Value>,
        ctx: &Context<'_>,
    ) -> Result<Self> {
        let failed = |error: &io::Error| Error::Storage {
            message: msg!(
                "{path}: the index cannot be made: {error}; grant the right, or take another folder",
                path = path.display()
            ),
            retryable: is_retryable(error),
        };
        fs::create_dir_all(path).map_err(|error| failed(&error))?;
        let writer = lock::exclusive(path)?;
        let others = fs::read_dir(path)
            .map_err(|error| failed(&error))?
            .flatten()
            .any(|entry| entry.file_name() != "lock");
        if others {
            return Err(Error::Config(if manifest::is_index(path) {
                msg!(
                    "{path} is an index already; add to it, or take another folder",
                    path = path.display()
                )
            } else {
                msg!(
                    "{path} is not empty; take a new folder for the index",
                    path = path.display()
                )
            }));
        }
        let collection = &documents.collection;
        let schemes: Vec<Scheme> = collection.encodings.iter().map(|of| of.scheme.clone()).collect();
        let paths: Vec<Option<Arc<Paths>>> = collection.encodings.iter().map(|of| of.paths.clone()).collect();
        let dictionary = trained(documents, decisions)?;
        let manifest = Manifest {
            simsieve_index: Manifest::VERSION,
            number: 0,
            settings: settings.to_owned(),
            schemes: schemes.iter().map(Scheme::digest).collect(),
            combine: collection.rule.name().to_owned(),
            recipes: documents.recipes.iter().map(Recipe::to_json).collect(),
            common,
            epoch: 1,
            expected,
            segments: Vec::new(),
            next: Next::default(),
            undone: Vec::new(),
        };
        write_frozen(path, 1, &paths, &dictionary, ctx)?;
        let state = State::open(path, manifest, schemes, None, false, ctx)?;
        let index = Self {
            path: path.to_path_buf(),
            state: RwLock::new(Arc::new(state)),
            writer: Some(Mutex::new(writer)),
        };
        let empty = index.state();
        index.add_decisions(&empty, &Outcome::default(), (documents, decisions), None, ctx)?;
        if index.state().manifest.number == 0 {
            index.finish(&empty, empty.manifest.clone(), ctx)?;
        }
        Ok(index)
    }

    /// Adds what a run against this state of the index has decided, as one batch.
    ///
    /// # Errors
    /// [`Error::Config`] where the index has changed since the run began, or the name of the batch is taken; [`Error::Storage`] and
    /// [`Error::Sink`] where nothing was added.
    pub fn add(
        &self,
        run: &SeenRun,
        decided: (&Documents, &Decisions),
        name: Option<&str>,
        ctx: &Context<'_>,
    ) -> Result<Added> {
        let _writing = self.writing()?;
        let state = self.state();
        if run.state.manifest.number != state.manifest.number {
            return Err(Error::Config(msg!(
                "{path}: the index has changed since the run against it began; run again",
                path = self.path.display()
            )));
        }
        let outcome = run
            .outcome()
            .ok_or_else(|| Error::Config(msg!("the run against the index has read nothing")))?;
        self.add_decisions(&state, outcome, decided, name, ctx)
    }

    fn add_decisions(
        &self,
        state: &State,
        outcome: &Outcome,
        (documents, decisions): (&Documents, &Decisions),
        name: Option<&str>,
        ctx: &Context<'_>,
    ) -> Result<Added> {
        let collection = &documents.collection;
        let mut manifest = state.manifest.clone();
        let batch = manifest.next.batch + 1;
        let shown = name.map_or_else(|| batch.to_string(), str::to_owned);
        if batch_of(state, &shown).is_some() {
            return Err(Error::Config(msg!(
                "the index has a batch named {shown:?}; give the new one another name, or undo that one first"
            )));
        }
        let new = collection.sources.new_len();
        let base = manifest.next.document;
        // The numbers of documents are their places in the keep order, from that of the first of the batch on.
        let mut numbers = vec![u64::MAX; new];
        let mut next = base;
        for &position in collection.order.iter().filter(|position| (**position as usize) < new) {
            numbers[position as usize] = next;
            next += 1;
        }
        let number_of = |position: u32| match (position as usize).checked_sub(new) {
            None => numbers[position as usize],
            Some(old) => outcome.numbers[old],
        };
        let mut rows = SegmentRows::new(&state.encoders(ctx.kernel()))?;
        let mut added = Added {
            batch: shown,
            kept: 0,
            dropped: 0,
            known: 0,
            replaced: 0,
            orphans: Vec::new(),
        };
        let has_groups = !collection.relation.groups.is_empty();
        let mut replaced = outcome.replaced.clone();
        let (mut kept, mut positions) = (Vec::new(), Vec::new());
        for &position in collection.order.iter().filter(|position| (**position as usize) < new) {
            let at = position as usize;
            let (label, number) = (collection.label(at), numbers[at]);
            if decisions.decision[at] == Decision::Kept {
                let group = has_groups.then(|| collection.relation.groups[at]);
                kept.push(KeptRow {
                    number,
                    batch,
                    label,
                    group,
                });
                positions.push(position);
                continue;
            }
            let representative = number_of(decisions.representative[at]);
            let digest = collection.encodings[0].digests[at];
            if is_known(state, label, digest, representative, &mut replaced) {
                added.known += 1;
                continue;
            }
            added.dropped += 1;
            rows.dropped.push(
                (number, batch),
                label,
                digest,
                (representative, decisions.similarity[at]),
            );
        }
        added.kept = kept.len() as u64;
        let read = |buffer: &mut RecordBuffer, at: usize, each: &mut EachText<'_>| {
            collection.with_usable_text(positions[at], buffer, each)
        };
        let must_agree = state.rule == Combine::All;
        let dictionary = &state.dictionary;
        rows.add_texts(
            &kept,
            &state.encoders(ctx.kernel()),
            (must_agree, dictionary),
            RecordBuffer::default,
            read,
            ctx,
        )?;
        let gone = |place: &(usize, Row)| state.segments[place.0].number(place.1);
        let was_kept = replaced.iter().filter(|(_, row)| matches!(row, Row::Kept(_))).map(gone);
        let was_kept: HashSet<u64> = was_kept.collect();
        rows.tombstones.extend(replaced.iter().map(|place| Tombstone {
            number: gone(place),
            by: u64::from(batch),
        }));
        added.replaced = replaced.len() as u64;
        added.orphans = orphans(state, &was_kept, &replaced);
        if rows.weight() == 0 {
            return Ok(added);
        }
        if let Some(name) = name {
            rows.names = format!("{}\n", json!([batch, name])).into_bytes();
        }
        manifest.next.document = next;
        manifest.next.batch = batch;
        self.commit(state, manifest, rows, ctx)?;
        Ok(added)
    }

    /// Writes a segment behind the others, merges small ones, and writes the manifest.
    fn commit(&self, state: &State, mut manifest: Manifest, mut rows: SegmentRows, ctx: &Context<'_>) -> Result<()> {
        let mut merged = Vec::new();
        let mut weights: Vec<usize> = state.segments.iter().map(|segment| weight(segment)).collect();
        weights.push(rows.weight());
        while let Some(count) = to_merge(&weights) {
            // The new rows are the last ones, and what was merged before is among them.
            let first = weights.len() - count;
            merged = (first..state.segments.len()).collect();
            let sum = weights[first..].iter().sum();
            weights.truncate(first);
            weights.push(sum);
        }
        if !merged.is_empty() {
            let mut all = SegmentRows::new(&state.encoders(ctx.kernel()))?;
            for &at in &merged {
                all.take(&state.segments[at], &state.dictionary, |_| true)?;
            }
            all.append(rows);
            rows = all;
        }
        let number = manifest.next.segment + 1;
        rows.write(&segment_path(&self.path, number), ctx)?;
        manifest.next.segment = number;
        manifest.segments.truncate(manifest.segments.len() - merged.len());
        manifest.segments.push(number);
        self.finish(state, manifest, ctx)
    }

    /// Writes a manifest and opens what it names.
    fn finish(&self, state: &State, mut manifest: Manifest, ctx: &Context<'_>) -> Result<()> {
        manifest.write(&self.path)?;
        manifest.clean(&self.path);
        let state = State::open(&self.path, manifest, state.schemes.clone(), Some(state), false, ctx)?;
        self.put(state);
        Ok(())
    }

    /// Removes the documents with these ids, which are raw JSON. Afterwards the index answers as if they had never been kept.
    ///
    /// # Errors
    /// [`Error::Config`] where the index is open for reading; [`Error::Storage`] and [`Error::Sink`] where nothing was removed.
    pub fn remove(&self, labels: &[Vec<u8>], ctx: &Context<'_>) -> Result<Removed> {
        let _writing = self.writing()?;
        let state = self.state();
        let mut removed = Removed::default();
        let mut places = HashSet::new();
        for label in labels {
            let found: Vec<(usize, Row)> = state.with_label(&canonical(label)).collect();
            if found.is_empty() {
                removed.missing.push(raw(Some(label)));
            }
            places.extend(found);
        }
        if places.is_empty() {
            return Ok(removed);
        }
        let batch = state.manifest.next.batch + 1;
        let mut rows = SegmentRows::new(&state.encoders(ctx.kernel()))?;
        let mut was_kept = HashSet::new();
        for &(at, row) in &places {
            let number = state.segments[at].number(row);
            rows.tombstones.push(Tombstone {
                number,
                by: u64::from(batch),
            });
            if matches!(row, Row::Kept(_)) {
                was_kept.insert(number);
            }
        }
        removed.kept = was_kept.len() as u64;
        removed.dropped = places.len() as u64 - removed.kept;
        removed.orphans = orphans(&state, &was_kept, &places);
        let mut manifest = state.manifest.clone();
        manifest.next.batch = batch;
        self.commit(&state, manifest, rows, ctx)?;
        Ok(removed)
    }

    /// Takes a batch back: its documents go, and those that it has replaced are there again.
    ///
    /// # Errors
    /// [`Error::Config`] where there is no such batch, or it was undone.
    pub fn undo(&self, name: &str, ctx: &Context<'_>) -> Result<Removed> {
        let _writing = self.writing()?;
        let state = self.state();
        let batch = batch_of(&state, name).ok_or_else(|| {
            Error::Config(msg!(
                "{path}: the index has no batch {name:?}; give the name or the number of one",
                path = self.path.display()
            ))
        })?;
        if state.is_undone(batch) {
            return Err(Error::Config(msg!("batch {name:?} was undone before")));
        }
        let mut removed = Removed::default();
        let (mut was_kept, mut places) = (HashSet::new(), HashSet::new());
        for (at, segment) in state.segments.iter().enumerate() {
            let kept = (0..segment.len() as u32).map(Row::Kept);
            let dropped = (0..segment.dropped.numbers.len() as u32).map(Row::Dropped);
            for row in kept
                .chain(dropped)
                .filter(|&row| segment.batch(row) == batch && state.is_live(at, row))
            {
                places.insert((at, row));
                if matches!(row, Row::Kept(_)) {
                    was_kept.insert(segment.number(row));
                }
            }
        }
        removed.kept = was_kept.len() as u64;
        removed.dropped = places.len() as u64 - removed.kept;
        removed.orphans = orphans(&state, &was_kept, &places);
        let mut manifest = state.manifest.clone();
        manifest.undone.push(batch);
        let mut rows = SegmentRows::new(&state.encoders(ctx.kernel()))?;
        let by = u64::from(manifest.next.batch + 1);
        let stay = superseded(&state, batch, &places);
        rows.tombstones.extend(stay.map(|number| Tombstone { number, by }));
        if rows.tombstones.is_empty() {
            self.finish(&state, manifest, ctx)?;
        } else {
            manifest.next.batch += 1;
            self.commit(&state, manifest, rows, ctx)?;
        }
        Ok(removed)
    }

    /// Merges all segments into one. With `purge` what was removed and undone leaves the disk, and no undo brings it back.
    ///
    /// # Errors
    /// As [`Index::remove`].
    pub fn compact(&self, purge: bool, ctx: &Context<'_>) -> Result<()> {
        let _writing = self.writing()?;
        let state = self.state();
        let mut rows = SegmentRows::new(&state.encoders(ctx.kernel()))?;
        for (at, segment) in state.segments.iter().enumerate() {
            ctx.tick("merge", at as u64, state.segments.len() as u64)?;
            rows.take(segment, &state.dictionary, |row| !purge || state.is_live(at, row))?;
        }
        let mut manifest = state.manifest.clone();
        if purge {
            rows.tombstones.clear();
            manifest.undone.clear();
        }
        let number = manifest.next.segment + 1;
        rows.write(&segment_path(&self.path, number), ctx)?;
        manifest.next.segment = number;
        manifest.segments = vec![number];
        self.finish(&state, manifest, ctx)?;
        if purge {
            // The manifest before names files with what was removed.
            let mut again = self.state().manifest.clone();
            again.write(&self.path)?;
            again.clean(&self.path);
            let opened = State::open(
                &self.path,
                again,
                state.schemes.clone(),
                Some(&self.state()),
                false,
                ctx,
            )?;
            self.put(opened);
        }
        Ok(())
    }

    /// Makes a new frozen set and all search keys anew: for this many documents at least, of the kept texts, or of `sources`. What was decided
    /// stays; later candidates are those of the new set.
    ///
    /// # Errors
    /// As [`Index::remove`].
    pub fn refreeze(&self, documents: u64, sources: Option<(&Sources, &[String])>, ctx: &Context<'_>) -> Result<()> {
        let _writing = self.writing()?;
        let state = self.state();
        let (kept, _) = state.counts();
        let mut manifest = state.manifest.clone();
        let documents = documents.max(kept as u64).max(manifest.expected);
        let recipes = state
            .schemes
            .iter()
            .zip(&state.recipes)
            .map(|(scheme, was)| Recipe::new(scheme, was.threshold, was.recall, was.seed, documents));
        let recipes: Vec<Recipe> = recipes.collect::<Result<_>>()?;
        let searched: Vec<(&Scheme, &Recipe)> = state.schemes.iter().zip(&recipes).take(state.searched()).collect();
        let own;
        let text = ["text".to_owned()];
        let (sources, field) = match sources {
            Some(given) => given,
            None => {
                let mut texts = Vec::with_capacity(kept);
                self.each_kept(|_, text| {
                    texts.push(text.to_owned());
                    Ok(())
                })?;
                own = Sources::from_texts(texts);
                (&own, &text[..])
            }
        };
        let paths = freeze_each(sources, field, &searched, ctx)?;
        let mut dictionary = state.dictionary.clone();
        if dictionary.is_empty() {
            dictionary = dictionary_of(&some_texts(sources, field, &state.schemes[0])?).into();
        }
        manifest.epoch += 1;
        manifest.recipes = recipes.iter().map(Recipe::to_json).collect();
        write_frozen(&self.path, manifest.epoch, &paths, &dictionary, ctx)?;
        let next = State {
            manifest: manifest.clone(),
            schemes: state.schemes.clone(),
            recipes,
            rule: state.rule,
            paths,
            dictionary,
            segments: Vec::new(),
            gone: Vec::new(),
        };
        let mut segments = Vec::new();
        for segment in &state.segments {
            let number = manifest.next.segment + 1;
            manifest.next.segment = number;
            SegmentRows::encoded_again(segment, &next, ctx)?.write(&segment_path(&self.path, number), ctx)?;
            segments.push(number);
        }
        manifest.segments = segments;
        self.finish(&state, manifest, ctx)
    }

    /// Copies the index to a new directory: by hard links, or by bytes on another file system.
    ///
    /// # Errors
    /// [`Error::Config`] where there is something at the name; [`Error::Storage`] where it cannot be written.
    pub fn snapshot(&self, to: &Path) -> Result<()> {
        let failed = |error: &io::Error| Error::Storage {
            message: msg!(
                "{to}: the snapshot cannot be written: {error}; take another folder",
                to = to.display()
            ),
            retryable: is_retryable(error),
        };
        if to.exists() {
            return Err(Error::Config(msg!(
                "{to} is there already; take a new folder for the snapshot",
                to = to.display()
            )));
        }
        fs::create_dir_all(to).map_err(|error| failed(&error))?;
        let state = self.state();
        let mut manifest = state.manifest.clone();
        let copied = |from: &Path, name: &Path| match fs::hard_link(from, name) {
            Ok(()) => Ok(()),
            Err(_) => fs::copy(from, name).and_then(|_| File::open(name)?.sync_all()),
        };
        for &number in &manifest.segments {
            copied(&segment_path(&self.path, number), &segment_path(to, number)).map_err(|error| failed(&error))?;
        }
        let epoch = manifest.epoch;
        copied(&frozen_path(&self.path, epoch), &frozen_path(to, epoch)).map_err(|error| failed(&error))?;
        manifest.write(to)
    }
}

/// Texts that a dictionary is made of at most.
const SAMPLED: usize = 1 << 14;

/// The dictionary for the texts of a run.
fn trained(documents: &Documents, decisions: &Decisions) -> Result<Vec<u8>> {
    let kept: Vec<u32> = (0..decisions.decision.len())
        .filter(|&at| decisions.decision[at] == Decision::Kept)
        .map(|at| at as u32)
        .collect();
    let step = kept.len().div_ceil(SAMPLED).max(1);
    let mut buffer = RecordBuffer::default();
    let mut texts = Vec::new();
    for &position in kept.iter().step_by(step) {
        documents
            .collection
            .with_text(position, &mut buffer, |text| texts.push(text.to_owned()))?;
    }
    Ok(dictionary_of(&texts))
}

/// Texts of some sources, from all their parts; records that are no documents are left out.
fn some_texts(sources: &Sources, text_field: &[String], scheme: &Scheme) -> Result<Vec<String>> {
    let fields = Fields {
        text: text_field.to_vec(),
        id: String::new(),
        values: Vec::new(),
        equal: Vec::new(),
        takes: scheme.takes(),
    };
    let step = sources.len().div_ceil(SAMPLED).max(1);
    let (mut buffer, mut texts) = (Vec::new(), Vec::new());
    for position in (0..sources.len()).step_by(step) {
        let bytes = sources.read_record(position, &mut buffer)?;
        if let Ok(record) = sources.parse(position, bytes, &fields) {
            texts.push(record.text.into_owned());
        }
    }
    Ok(texts)
}

/// Whether a dropped record is in the index as it is: as the kept document with its id, or dropped for the same one. What the index has
/// of it is then not replaced.
fn is_known(
    state: &State,
    label: Option<&[u8]>,
    digest: u128,
    representative: u64,
    replaced: &mut HashSet<(usize, Row)>,
) -> bool {
    let Some(label) = label.map(canonical) else {
        return false;
    };
    let found = state.with_label(&label).find(|&(at, row)| {
        let segment = &state.segments[at];
        segment.digest(row) == digest
            && match row {
                Row::Kept(_) => segment.number(row) == representative,
                Row::Dropped(row) => segment.dropped.representatives[row as usize] == representative,
            }
    });
    found.is_some_and(|place| {
        replaced.remove(&place);
        true
    })
}

/// The documents that a batch has replaced and whose ids later batches have given to others: they stay away when the batch is undone.
fn superseded<'a>(state: &'a State, batch: u32, without: &'a HashSet<(usize, Row)>) -> impl Iterator<Item = u64> + 'a {
    let tombstones = state.segments.iter().flat_map(|segment| segment.tombstones.iter());
    let own = tombstones.filter(move |tombstone| tombstone.by == u64::from(batch));
    let numbers = own.map(|tombstone| tombstone.number);
    numbers.filter(move |&number| {
        let found = state
            .segments
            .iter()
            .find_map(|segment| segment.label(segment.row_of(number)?));
        found.is_some_and(|label| state.with_label(label).any(|place| !without.contains(&place)))
    })
}

/// The ids of dropped documents whose representatives are gone, without those that are gone too.
fn orphans(state: &State, gone: &HashSet<u64>, without: &HashSet<(usize, Row)>) -> Vec<String> {
    if gone.is_empty() {
        return Vec::new();
    }
    let of_segment = |(at, segment): (usize, &Arc<Segment>)| {
        let rows = segment.dropped.representatives.iter().enumerate();
        let rows = rows
            .filter(|(_, number)| gone.contains(number))
            .map(|(row, _)| Row::Dropped(row as u32));
        let left = rows.filter(|&row| state.is_live(at, row) && !without.contains(&(at, row)));
        left.map(|row| raw(segment.label(row))).collect::<Vec<_>>()
    };
    state.segments.iter().enumerate().flat_map(of_segment).collect()
}

fn weight(segment: &Segment) -> usize {
    segment.len() + segment.dropped.numbers.len() + segment.tombstones.len()
}

/// How many of the last segments are merged: those of the last one's size class and below, where there are enough.
fn to_merge(weights: &[usize]) -> Option<usize> {
    let class = |weight: usize| weight.max(1).ilog(CLASS);
    let last = class(*weights.last()?);
    let count = weights
        .iter()
        .rev()
        .take_while(|&&weight| class(weight) <= last)
        .count();
    (count >= MERGED_AT).then_some(count)
}

/// The number of a batch by its name; a batch without one has its number as its name.
fn batch_of(state: &State, name: &str) -> Option<u32> {
    let mut of_number = name
        .parse()
        .ok()
        .filter(|number| (1..=state.manifest.next.batch).contains(number));
    for segment in &state.segments {
        for line in segment
            .names
            .split(|&byte| byte == b'\n')
            .filter(|line| !line.is_empty())
        {
            let Ok((number, other)) = serde_json::from_slice::<(u32, String)>(line) else {
                continue;
            };
            if other == name {
                return Some(number);
            }
            of_number = of_number.filter(|&of| of != number);
        }
    }
    of_number
}

/// Checks that each kept document is found by its id and its digest, and that its text has its digest.
pub(super) fn check(state: &State, ctx: &Context<'_>) -> Result<()> {
    let encoders = state.encoders(ctx.kernel());
    let total = state.segments.iter().map(|segment| segment.len() as u64).sum();
    let mut done = 0;
    for (at, segment) in state.segments.iter().enumerate() {
        ctx.tick("verify", done, total)?;
        let rows: Vec<u32> = (0..segment.len() as u32).collect();
        let check = |chunk: &[u32]| {
            let mut reader = state.reader()?;
            let mut worker = Default::default();
            for &row in chunk {
                let text = state.text((at, row), &mut reader)?;
                let mut batch = encoders[0].batch(1)?;
                let encoded = encoders[0].encode(text, &mut worker, &mut batch).is_ok();
                let number = segment.number(Row::Kept(row));
                let label = segment.label(Row::Kept(row));
                let has = |items: &[u64]| items.iter().any(|&item| item as u32 == row);
                let found = encoded
                    && batch.digests[0] == segment.digest(Row::Kept(row))
                    && segment.row_of(number) == Some(Row::Kept(row))
                    && has(segment.digests.of_hash(batch.digests[0] as u64))
                    && label.is_none_or(|label| has(segment.labels.of_hash(xxh3_64(label))))
                    && segment.keys[0]
                        .as_ref()
                        .is_none_or(|keys| batch.keys.iter().all(|&key| has(keys.of_hash(key))));
                if !found {
                    return Err(segment.damaged_text(row));
                }
            }
            Ok(())
        };
        ctx.pool()?.install(|| rows.par_chunks(4096).try_for_each(check))?;
        done += segment.len() as u64;
    }
    ctx.tick("verify", total, total)
}
