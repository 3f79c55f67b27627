//! Documents leave an index: by their ids, or with their batch.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::json;

use super::change::Change;
use super::open::Index;
use super::segment::{Row, Segment, Tombstone};
use super::state::State;
use crate::base::context::Context;
use crate::base::error::{Error, Result};
use crate::collection::labels::canonical;

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

/// Removes the documents with these ids, which are raw JSON. Afterwards the index answers as if they had never been kept.
///
/// # Errors
/// [`Error::Config`] where the index is open for reading; [`Error::Storage`] and [`Error::Sink`] where nothing was removed.
pub fn remove(index: &Index, labels: &[Vec<u8>], ctx: &Context<'_>) -> Result<Removed> {
    let change = Change::begin(index)?;
    let state = Arc::clone(&change.state);
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
    let mut rows = change.rows(ctx)?;
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
    change.commit(manifest, rows, ctx)?;
    Ok(removed)
}

/// Takes a batch back: its documents go, and those that it has replaced are there again.
///
/// # Errors
/// [`Error::Config`] where there is no such batch, or it was undone.
pub fn undo(index: &Index, name: &str, ctx: &Context<'_>) -> Result<Removed> {
    let change = Change::begin(index)?;
    let state = Arc::clone(&change.state);
    let batch = batch_of(&state, name).ok_or_else(|| {
        Error::Config(msg!(
            "{path}: the index has no batch {name:?}; give the name or the number of one",
            path = index.path.display()
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
    let mut rows = change.rows(ctx)?;
    let by = u64::from(manifest.next.batch + 1);
    let stay = superseded(&state, batch, &places);
    rows.tombstones.extend(stay.map(|number| Tombstone { number, by }));
    if rows.tombstones.is_empty() {
        change.finish(manifest, ctx)?;
    } else {
        manifest.next.batch += 1;
        change.commit(manifest, rows, ctx)?;
    }
    Ok(removed)
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
pub(super) fn orphans(state: &State, gone: &HashSet<u64>, without: &HashSet<(usize, Row)>) -> Vec<String> {
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

/// The number of a batch by its name; a batch without one has its number as its name. Of several the last that was not undone counts, and
/// else the last.
pub(super) fn batch_of(state: &State, name: &str) -> Option<u32> {
    let named: Vec<(u32, String)> = state
        .segments
        .iter()
        .flat_map(|segment| names(&segment.names))
        .collect();
    let own = named
        .iter()
        .filter(|(_, other)| other == name)
        .map(|(number, _)| *number);
    let number = name
        .parse()
        .ok()
        .filter(|number| (1..=state.manifest.next.batch).contains(number));
    let number = number.filter(|number| named.iter().all(|(other, _)| other != number));
    own.chain(number)
        .max_by_key(|&number| (!state.is_undone(number), number))
}

/// The line of a batch with a name.
pub(super) fn name_line(batch: u32, name: &str) -> Vec<u8> {
    format!("{}\n", json!([batch, name])).into_bytes()
}

/// Numbers and names of batches, of their lines.
pub(super) fn names(lines: &[u8]) -> impl Iterator<Item = (u32, String)> + '_ {
    lines
        .split(|&byte| byte == b'\n')
        .filter_map(|line| serde_json::from_slice(line).ok())
}

fn raw(label: Option<&[u8]>) -> String {
    label.map_or_else(
        || "null".to_owned(),
        |label| String::from_utf8_lossy(label).into_owned(),
    )
}
