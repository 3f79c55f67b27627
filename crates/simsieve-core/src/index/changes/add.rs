//! Documents come into an index: those of the run that it is made of, and those of later runs against it.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, RwLock};

use serde_json::{Map, Value};

use super::change::{Change, NewRows};
use super::remove::{batch_of, kept_of, name_line, next_batch, orphans};
use super::rows::{EachText, KeptRow, Known};
use super::upkeep::SAMPLED;
use crate::base::context::Context;
use crate::base::error::{Error, Result, is_retryable};
use crate::collection::fields::content_of;
use crate::collection::labels::canonical;
use crate::dedup::decide::decisions::{Decisions, Reason};
use crate::encode::paths::Paths;
use crate::encode::scheme::Scheme;
use crate::index::files::followed::{Followed, Places};
use crate::index::files::manifest::{self, Manifest, Named, Next};
use crate::index::files::newest::Writer;
use crate::index::files::segment::{Content, DroppedRow, Place, Row, Tombstone, identity};
use crate::index::files::state::{State, write_frozen};
use crate::index::files::texts::dictionary_of;
use crate::index::lookup::seen::{Outcome, SeenRun};
use crate::index::open::Index;
use crate::recipe::Recipe;
use crate::search::documents::Documents;
use crate::sink::Decision;
use crate::source::RecordBuffer;

/// What a batch has added.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Added {
    /// The name of the batch.
    pub batch: String,
    /// Documents that the index keeps.
    pub kept: u64,
    /// Documents that it has dropped.
    pub dropped: u64,
    /// Of these the exact copies.
    pub exact: u64,
    /// Records whose ids and texts it had.
    pub known: u64,
    /// Documents that new ones have replaced.
    pub replaced: u64,
    /// Ids, as raw JSON, of documents that were dropped for a replaced one.
    pub orphans: Vec<String>,
}

/// What is noted of a new batch.
#[derive(Debug, Default)]
pub struct NewBatch<'a> {
    /// Its name; its number where there is none.
    pub name: Option<&'a str>,
    /// Up to where its source was read.
    pub followed: Option<Followed>,
}

/// What a new index is made with.
#[derive(Debug)]
pub struct Made<'a> {
    /// The caller's settings, a JSON object.
    pub settings: &'a str,
    /// Documents that the index is made for; 0 where none are named.
    pub expected: u64,
    /// What runs on new documents must have in common with the index.
    pub common: Map<String, Value>,
}

/// The documents of a run, and what was decided on them.
#[derive(Debug, Clone, Copy)]
pub struct DecidedRun<'a> {
    /// The documents.
    pub documents: &'a Documents,
    /// The decisions.
    pub decisions: &'a Decisions,
}

fn unmakable(path: &Path, error: &io::Error) -> Error {
    Error::Storage {
        message: msg!(
            "{path}: the index cannot be made: {error}; grant the right, or take another folder",
            path = path.display()
        ),
        retryable: is_retryable(error),
    }
}

/// Refuses the directory of a new index that has something in it besides a lock and what an earlier making has left; there may be none.
///
/// # Errors
/// [`Error::Config`] where there is something; [`Error::Storage`] where the directory cannot be read.
pub fn check_new(path: &Path) -> Result<()> {
    if !path.is_dir() {
        return Ok(());
    }
    let left = manifest::left_unfinished(path).map_err(|error| unmakable(path, &error))?;
    let mut entries = fs::read_dir(path).map_err(|error| unmakable(path, &error))?.flatten();
    if entries.all(|entry| entry.file_name() == "lock" || left.contains(&entry.path())) {
        return Ok(());
    }
    Err(Error::Config(if manifest::is_index(path) {
        msg!(
            "{path} is an index already; add to it, or take another folder",
            path = path.display()
        )
    } else {
        msg!(
            "{path} is not empty; take a new folder for the index",
            path = path.display()
        )
    }))
}

/// Makes an index of the documents that a run keeps. The directory is new or empty.
///
/// # Errors
/// [`Error::Config`] where there is something in the directory; [`Error::Storage`] and [`Error::Sink`] where it cannot be written.
pub fn create(
    path: &Path,
    made: Made<'_>,
    decided: DecidedRun<'_>,
    followed: Option<Followed>,
    ctx: &Context<'_>,
) -> Result<Index> {
    let DecidedRun { documents, decisions } = decided;
    fs::create_dir_all(path).map_err(|error| unmakable(path, &error))?;
    let writer = Writer::lock(path)?;
    check_new(path)?;
    manifest::begin(path, &writer.life).map_err(|error| unmakable(path, &error))?;
    let collection = &documents.collection;
    let schemes: Vec<Scheme> = collection.encodings.iter().map(|of| of.scheme.clone()).collect();
    let paths: Vec<Option<Arc<Paths>>> = collection.encodings.iter().map(|of| of.paths.clone()).collect();
    let dictionary = trained(documents, decisions)?;
    let mut manifest = Manifest {
        simsieve_index: Manifest::VERSION,
        id: manifest::drawn(),
        life: writer.life.clone(),
        number: 0,
        settings: made.settings.to_owned(),
        schemes: schemes.iter().map(Scheme::digest).collect(),
        combine: collection.rule.name().to_owned(),
        recipes: documents.recipes.iter().map(Recipe::to_json).collect(),
        common: made.common,
        epoch: 1,
        frozen: Named::default(),
        bucket: 0,
        expected: made.expected,
        segments: Vec::new(),
        next: Next::default(),
        undone: Vec::new(),
        followed: Places::default(),
        sum: String::new(),
        stamp: None,
    };
    write_frozen(path, &mut manifest, &paths, &dictionary, ctx)?;
    let state = State::open(path, manifest, schemes, None, false, ctx)?;
    let index = Index {
        path: path.to_path_buf(),
        state: RwLock::new(Arc::new(state)),
        writer: Some(Mutex::new(writer)),
        process: std::process::id(),
        is_stopped: AtomicBool::new(false),
    };
    add_decisions(
        Change::begin(&index)?,
        &Outcome::default(),
        decided,
        NewBatch { name: None, followed },
        ctx,
    )?;
    if index.state().manifest.number == 0 {
        let empty = Change::begin(&index)?;
        let manifest = empty.manifest();
        empty.finish(manifest, ctx)?;
    }
    manifest::end(path);
    Ok(index)
}

/// Adds what a run against this state of the index has decided, as one batch; and up to where its source was read, where the index
/// follows that.
///
/// # Errors
/// [`Error::Config`] where the index has changed since the run began, or the name of the batch is taken; [`Error::Storage`] and
/// [`Error::Sink`] where nothing was added.
pub fn add(
    index: &Index,
    run: &SeenRun,
    decided: DecidedRun<'_>,
    batch: NewBatch<'_>,
    ctx: &Context<'_>,
) -> Result<Added> {
    add_to(Change::begin(index)?, run, decided, batch, ctx)
}

/// As [`add`], by a change that was begun.
pub(crate) fn add_to(
    change: Change<'_>,
    run: &SeenRun,
    decided: DecidedRun<'_>,
    batch: NewBatch<'_>,
    ctx: &Context<'_>,
) -> Result<Added> {
    if run.state.manifest.sum != change.state.manifest.sum {
        return Err(Error::Config(msg!(
            "{path}: the index has changed since the run against it began; run again",
            path = change.path().display()
        )));
    }
    let outcome = run
        .outcome()
        .ok_or_else(|| Error::Config(msg!("the run against the index has read nothing")))?;
    add_decisions(change, outcome, decided, batch, ctx)
}

fn add_decisions(
    change: Change<'_>,
    outcome: &Outcome,
    DecidedRun { documents, decisions }: DecidedRun<'_>,
    NewBatch { name, followed }: NewBatch<'_>,
    ctx: &Context<'_>,
) -> Result<Added> {
    let collection = &documents.collection;
    let state = Arc::clone(&change.state);
    let mut manifest = change.manifest();
    let batch = next_batch(&state);
    let shown = name.map_or_else(|| batch.to_string(), str::to_owned);
    if name.is_some() && batch_of(&state, &shown).is_some_and(|batch| !state.is_undone(batch)) {
        let taken =
            msg!("the index has a batch named {shown:?}; give the new one another name, or undo that one first");
        return Err(Error::Config(taken.with_id("index.batch_exists")));
    }
    let new = collection.sources.new_len();
    let base = manifest.next.document;
    // Old documents are the first of the keep order.
    let is_old = |position: &&u32| **position as usize >= new;
    let order = &collection.order[collection.order.iter().take_while(is_old).count()..];
    // The numbers of documents are their places in the keep order, from that of the first of the batch on.
    let mut places = vec![u32::MAX; new];
    for (place, &position) in (0..).zip(order) {
        places[position as usize] = place;
    }
    let number_of = |position: u32| match (position as usize).checked_sub(new) {
        None => base + u64::from(places[position as usize]),
        Some(old) => outcome.numbers[old],
    };
    let mut rows = NewRows::new(&state, ctx)?;
    let mut added = Added {
        batch: shown,
        ..Added::default()
    };
    let mut replaced = outcome.replaced.clone();
    let digests = |at: usize| collection.encodings.iter().map(move |of| of.digests[at]);
    for some in order.chunks(ctx.tuning.index_rows) {
        let (mut kept, mut positions) = (Vec::new(), Vec::new());
        for &position in some {
            let at = position as usize;
            let (label, number) = (collection.label(at), number_of(position));
            let row = collection.relation.row(position);
            let content = Content {
                identity: identity(digests(at).chain(content_of(row))),
                date: collection.relation.date(position),
                group: row.first().copied(),
            };
            let representative = match decisions.decision[at] {
                Decision::Kept => number,
                _ => number_of(decisions.representative[at]),
            };
            let record = NewRecord {
                label,
                content,
                representative,
                // What others have as their representative is added, and a verdict counts anew.
                counts: decisions.reason[at] == Reason::Representative || collection.relation.is_judged(position),
            };
            if is_known(&state, &record, outcome, &mut replaced) {
                added.known += 1;
                continue;
            }
            if decisions.decision[at] == Decision::Kept {
                kept.push(KeptRow {
                    number,
                    batch,
                    label,
                    group: row,
                    date: content.date,
                });
                positions.push(position);
                continue;
            }
            added.dropped += 1;
            added.exact += u64::from(decisions.reason[at] == Reason::Exact);
            rows.rows.dropped.push(&DroppedRow {
                number,
                batch,
                label,
                content,
                representative,
                similarity: decisions.similarity[at],
            });
        }
        added.kept += kept.len() as u64;
        let read = |buffer: &mut RecordBuffer, at: usize, each: &mut EachText<'_>| {
            collection.with_usable_text(positions[at], buffer, each)
        };
        let known = Known {
            encodings: &collection.encodings,
            keys: &outcome.keys,
            positions: &positions,
        };
        let known = (!outcome.keys.is_empty()).then_some(&known);
        rows.rows
            .add_texts(&kept, known, &state, RecordBuffer::default, read, ctx)?;
        rows.make_room(&change, &mut manifest, &state, ctx)?;
    }
    take_away(&state, &replaced, &mut added, &mut rows.rows.tombstones, batch)?;
    let next = Next {
        document: base + order.len() as u64,
        batch,
        ..manifest.next
    };
    let batch = NewBatch { name, followed };
    end_batch(change, manifest, rows, next, batch, &added, ctx)?;
    Ok(added)
}

/// Writes the rows of a batch that changes something, and up to where its source was read.
fn end_batch(
    change: Change<'_>,
    mut manifest: Manifest,
    mut rows: NewRows,
    next: Next,
    NewBatch { name, followed }: NewBatch<'_>,
    added: &Added,
    ctx: &Context<'_>,
) -> Result<()> {
    let state = Arc::clone(&change.state);
    let followed = followed.filter(|new| manifest.followed.place_of(&new.source) != Some(&new.place));
    if added.kept + added.dropped + added.replaced == 0 {
        state.check_read()?;
        return match followed {
            Some(followed) => {
                manifest.followed.follow(followed, manifest.next.batch);
                change.finish(manifest, ctx)
            }
            None => Ok(()),
        };
    }
    if let Some(name) = name {
        rows.rows.names = name_line(next.batch, name);
    }
    manifest.next = next;
    if let Some(followed) = followed {
        manifest.followed.follow(followed, next.batch);
    }
    let new = rows.finish(&state, ctx)?;
    change.commit(manifest, &new, ctx)
}

/// Notes that documents are replaced by a batch, and which ones were dropped for them.
fn take_away(
    state: &State,
    replaced: &HashSet<Place<Row>>,
    added: &mut Added,
    tombstones: &mut Vec<Tombstone>,
    batch: u32,
) -> Result<()> {
    tombstones.extend(replaced.iter().map(|&place| Tombstone {
        number: state.number(place),
        by: u64::from(batch),
    }));
    added.replaced = replaced.len() as u64;
    added.orphans = orphans(state, &kept_of(state, replaced), replaced)?;
    Ok(())
}

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

/// A record that the index may have, and what was decided of it.
struct NewRecord<'a> {
    label: Option<&'a [u8]>,
    content: Content,
    /// The number of its representative; its own where it is kept.
    representative: u64,
    /// Whether the decision counts where the index has another one of the record.
    counts: bool,
}

/// Whether a record is in the index as it is, under its id: kept, or dropped for a document that is still there. Then the index stays as it
/// is; else what the index has of the id is replaced.
fn is_known(state: &State, record: &NewRecord<'_>, outcome: &Outcome, replaced: &mut HashSet<Place<Row>>) -> bool {
    let Some(label) = record.label.map(canonical) else {
        return false;
    };
    let mut found = state.with_label(&label);
    let is_same = |place: &Place<Row>| !outcome.rewritten.contains(place) && state.is_same(*place, record.content);
    let Some(place) = found.find(is_same) else {
        return false;
    };
    let segment = state.segment(place);
    let was = match place.row {
        Row::Kept(_) => segment.number(place.row),
        Row::Dropped(row) => segment.dropped.representatives.at(row as usize),
    };
    let of = state.live_row_of(was);
    // What is replaced itself represents nobody any more.
    let is_kept_for = of.is_some_and(|of| of == place || !replaced.contains(&of));
    let is_known = was == record.representative || is_kept_for && !record.counts;
    if is_known {
        replaced.remove(&place);
    } else {
        replaced.insert(place);
    }
    is_known
}
