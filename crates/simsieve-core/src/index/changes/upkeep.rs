//! The upkeep of an index: files are merged, search keys are made anew, and all is checked.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::change::{Change, NewRows};
use super::merge::{History, Part};
use super::remove::{name_line, names};
use super::rows::{EachText, KeptRow};
use crate::base::context::Context;
use crate::base::error::Result;
use crate::base::hash::xxh3_64;
use crate::encode::encoder::WorkerScratch;
use crate::encode::scheme::Scheme;
use crate::index::files::manifest::Manifest;
use crate::index::files::segment::{Place, Row, Segment};
use crate::index::files::state::{State, write_frozen};
use crate::index::files::texts::{Dictionary, TextReader, dictionary_of};
use crate::index::open::Index;
use crate::recipe::Recipe;
use crate::recipe::search_keys::each_equal;
use crate::search::sample::{freeze_part, of_sample};
use crate::source::{Fields, Sources};

/// Texts that a dictionary is made of at most.
pub(crate) const SAMPLED: usize = 1 << 14;

/// Texts that a frozen set is made of at most, about: a sample of them has as many as one of all texts has.
const FROZEN_TEXTS: usize = 1 << 21;

/// Merges all segments into one. With `purge` what was removed and undone leaves the disk, and no undo brings it back.
///
/// # Errors
/// As [`Index::remove`].
pub fn compact(index: &Index, purge: bool, ctx: &Context<'_>) -> Result<()> {
    let change = Change::begin(index)?;
    let state = Arc::clone(&change.state);
    let parts = state.segments.iter().enumerate().map(|(at, segment)| {
        if purge {
            Part::of_rows(segment, |row| state.is_live(Place::new(at, row)))
        } else {
            Part::whole(segment)
        }
    });
    let parts: Vec<Part<'_>> = parts.collect();
    let mut history = History::of(state.segments.iter().map(|segment| &**segment));
    let mut manifest = change.manifest();
    if purge {
        history.tombstones.clear();
        // Their names are free again.
        let left = names(&history.names).filter(|(batch, _)| !state.is_undone(*batch));
        history.names = left.flat_map(|(batch, name)| name_line(batch, &name)).collect();
        manifest.undone.clear();
    }
    manifest.segments = vec![change.write(&mut manifest, &parts, &history, &state, ctx)?.0];
    change.finish(manifest, ctx)?;
    if purge {
        // The manifest before names files with what was removed.
        let again = Change::begin(index)?;
        let manifest = again.manifest();
        again.finish(manifest, ctx)?;
    }
    Ok(())
}

/// As [`refreeze`], where the search of an index tests every pair and the records of sources make it too large for that; says whether it was.
///
/// # Errors
/// As [`refreeze`].
pub fn prepare(index: &Index, sources: &Sources, text_field: &[String], ctx: &Context<'_>) -> Result<bool> {
    let state = index.whole_state()?;
    let searched = &state.recipes[..state.searched()];
    let due = state.refreeze_at();
    if due == 0 || searched.iter().all(|recipe| recipe.paths.is_some()) {
        return Ok(false);
    }
    let records = sources.len() as u64 + state.counts().0 as u64;
    if records < due {
        return Ok(false);
    }
    refreeze(index, records, Some((sources, text_field)), ctx).map(|()| true)
}

/// Makes a new frozen set and all search keys anew: for this many documents at least, of the kept texts, or of `sources`. What was decided
/// stays; later candidates are those of the new set.
///
/// # Errors
/// As [`Index::remove`].
pub fn refreeze(
    index: &Index,
    documents: u64,
    sources: Option<(&Sources, &[String])>,
    ctx: &Context<'_>,
) -> Result<()> {
    let change = Change::begin(index)?;
    let state = Arc::clone(&change.state);
    let (kept, _) = state.counts();
    let mut manifest = change.manifest();
    let documents = documents.max(kept as u64).max(manifest.expected);
    let recipes = state
        .schemes
        .iter()
        .zip(&state.recipes)
        .map(|(scheme, was)| Recipe::new(scheme, was.threshold, was.recall, was.seed, documents));
    let recipes: Vec<Recipe> = recipes.map(|recipe| Ok(recipe?.looked_up())).collect::<Result<_>>()?;
    let searched: Vec<(&Scheme, &Recipe)> = state.schemes.iter().zip(&recipes).take(state.searched()).collect();
    let mut dictionary = Arc::clone(&state.dictionary);
    let mut trained = |sources: &Sources, field: &[String]| -> Result<()> {
        if dictionary.bytes.is_empty() {
            let bytes = dictionary_of(&some_texts(sources, field, &state.schemes[0])?);
            dictionary = Arc::new(Dictionary::new(bytes.into()));
        }
        Ok(())
    };
    let frozen = if let Some((sources, field)) = sources {
        trained(sources, field)?;
        of_sample(sources, field, 0, &searched, ctx)?
    } else {
        let (sources, field) = (sampled_texts(&state, kept)?, ["text".to_owned()]);
        trained(&sources, &field)?;
        if sources.len() == kept {
            of_sample(&sources, &field, 0, &searched, ctx)?
        } else {
            // As large a sample as that of all documents.
            let share = (kept / sources.len().max(1)).max(1).ilog2();
            let of_scheme = |search: &(&Scheme, &Recipe)| {
                let log2 = search
                    .1
                    .paths
                    .map_or(0, |paths| paths.sample_log2.saturating_sub(share));
                freeze_part((&sources, log2), &field, *search, kept as u64, ctx)
            };
            searched.iter().map(of_scheme).collect::<Result<_>>()?
        }
    };
    let paths: Vec<_> = frozen.into_iter().map(|frozen| Some(frozen?.paths)).collect();
    manifest.epoch += 1;
    manifest.bucket = 0;
    manifest.recipes = recipes.iter().map(Recipe::to_json).collect();
    write_frozen(&index.path, &mut manifest, &paths, &dictionary.bytes, ctx)?;
    let next = state.unwritten(manifest.clone(), recipes, paths, dictionary);
    let mut segments = Vec::new();
    for segment in &state.segments {
        let again = encoded_again(&change, &mut manifest, segment, &next, ctx)?;
        let kept = again.iter().map(Part::whole);
        let parts: Vec<Part<'_>> = kept
            .chain([Part::of_rows(segment, |row| matches!(row, Row::Dropped(_)))])
            .collect();
        let history = History::of(std::iter::once(&**segment));
        let (file, bucket) = change.write(&mut manifest, &parts, &history, &next, ctx)?;
        segments.push(file);
        manifest.bucket += bucket;
    }
    manifest.segments = segments;
    change.finish(manifest, ctx)
}

/// The kept texts, or those of some random ones of many: the digests draw them.
fn sampled_texts(state: &State, kept: usize) -> Result<Sources> {
    let one_of = (kept / FROZEN_TEXTS).max(1).next_power_of_two() as u128;
    let digest = |place: &Place| state.segment(*place).digest(place.of_any().row);
    let is_drawn = |place: &Place| digest(place).is_multiple_of(one_of);
    let mut reader = state.reader();
    let text = |row| Ok(state.text(row, &mut reader)?.to_owned());
    let texts: Vec<String> = state.kept().filter(is_drawn).map(text).collect::<Result<_>>()?;
    Ok(Sources::from_texts(texts))
}

/// The kept documents of a segment, encoded again by the schemes and paths of a state.
fn encoded_again<'s>(
    change: &Change<'_>,
    manifest: &mut Manifest,
    of: &Segment,
    state: &'s State,
    ctx: &Context<'_>,
) -> Result<Vec<Segment>> {
    let mut rows = NewRows::new(state, ctx)?;
    for first in (0..of.len()).step_by(ctx.tuning.index_rows) {
        let row = |row: usize| KeptRow {
            number: of.numbers[row],
            batch: of.batches[row],
            label: of.encoded.labels.get(row),
            group: of.group(row as u32),
            date: of.encoded.dates.get(row).copied(),
        };
        let end = of.len().min(first + ctx.tuning.index_rows);
        let kept: Vec<KeptRow<'_>> = (first..end).map(row).collect();
        let text = |reader: &mut Option<TextReader<'s>>, at: usize, each: &mut EachText<'_>| {
            let reader = match reader {
                Some(reader) => reader,
                none => none.insert(state.reader()),
            };
            let damaged = || of.damaged_text((first + at) as u32);
            let text = reader.text(0, &of.texts, first + at);
            each(text.ok_or_else(damaged)?).map_err(|_| damaged())
        };
        rows.rows.add_texts(&kept, None, state, || None, text, ctx)?;
        rows.make_room(change, manifest, state, ctx)?;
    }
    rows.finish(state, ctx)
}

/// Reads all files of an index and checks them: checksums, and that each document is found by its id, its digest and its keys.
///
/// # Errors
/// [`Error::Source`](crate::base::error::Error::Source), which names the file.
pub fn verify(index: &Index, ctx: &Context<'_>) -> Result<()> {
    let manifest = Manifest::read(&index.path)?;
    let schemes = index.state().schemes.clone();
    check(&State::open(&index.path, manifest, schemes, None, true, ctx)?, ctx)
}

/// Texts of some sources, from all their parts; records that are no documents are left out.
fn some_texts(sources: &Sources, text_field: &[String], scheme: &Scheme) -> Result<Vec<String>> {
    let fields = Fields::of_text(text_field, scheme.takes());
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

/// Rows that one thread verifies at a time, and all threads between two reports of progress.
const VERIFIED_ROWS: usize = 1 << 12;
const VERIFIED_AT_ONCE: usize = 1 << 16;

/// Checks that each kept document is found by its id and its digest, and that its text has its digest.
fn check(state: &State, ctx: &Context<'_>) -> Result<()> {
    let encoders = state.encoders(ctx.kernel());
    let total: usize = state.segments.iter().map(|segment| segment.len()).sum();
    let mut done = 0;
    for (at, segment) in state.segments.iter().enumerate() {
        let check = |rows: Range<usize>| {
            let mut reader = state.reader();
            let mut worker = WorkerScratch::default();
            for row in rows.map(|row| row as u32) {
                let text = state.text(Place::new(at, row), &mut reader)?;
                let mut batch = encoders[0].batch(1)?;
                let encoded = encoders[0].encode(text, &mut worker, &mut batch).is_ok();
                let number = segment.number(Row::Kept(row));
                let label = segment.label(Row::Kept(row));
                let has = |items: &[u64]| items.iter().any(|&item| item as u32 == row);
                let (mut has_keys, tables) = (true, segment.keys[0].iter());
                let keys = tables.flat_map(|keys| batch.keys.iter().map(|&key| keys.wanted(key, ())));
                each_equal(keys, |items, ()| has_keys &= has(items));
                let found = encoded
                    && batch.digests[0] == segment.digest(Row::Kept(row))
                    && segment.row_of(number) == Some(Row::Kept(row))
                    && has(segment.digests.of_hash(batch.digests[0] as u64))
                    && label.is_none_or(|label| has(segment.labels.of_hash(xxh3_64(label))))
                    && has_keys;
                if !found {
                    return Err(segment.damaged_text(row));
                }
            }
            Ok(())
        };
        let (rows, pool) = (segment.len(), ctx.pool()?);
        for first in (0..rows).step_by(VERIFIED_AT_ONCE) {
            ctx.tick("verify", (done + first) as u64, total as u64)?;
            let end = rows.min(first + VERIFIED_AT_ONCE);
            let starts = (first..end).into_par_iter().step_by(VERIFIED_ROWS);
            pool.install(|| starts.try_for_each(|start| check(start..end.min(start + VERIFIED_ROWS))))?;
        }
        done += rows;
    }
    ctx.tick("verify", total as u64, total as u64)
}
