//! Documents leave an index: by their ids, or with their batch.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde_json::json;

use super::change::{Change, NewRows};
use crate::base::context::Context;
use crate::base::error::{Error, Result};
use crate::collection::dates::date_of;
use crate::collection::labels::canonical;
use crate::index::files::segment::{Place, Row, Segment, Tombstone};
use crate::index::files::state::State;
use crate::index::open::Index;

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
        let found: Vec<Place<Row>> = state.with_label(&canonical(label)).collect();
        if found.is_empty() {
            removed.missing.push(String::from_utf8_lossy(label).into_owned());
        }
        places.extend(found);
    }
    take_out(change, places, removed, ctx)
}

/// Removes the documents with an earlier date, where the index has a window of time. Without one, those of all batches whose names come
/// before one: names of digits alone by their value, others, such as dates, as text.
///
/// # Errors
/// As [`remove`]; [`Error::Config`] where what is given is no date.
pub fn expire(index: &Index, before: &str, ctx: &Context<'_>) -> Result<Removed> {
    let change = Change::begin(index)?;
    let state = Arc::clone(&change.state);
    if state.manifest.window().is_some() {
        let before = date_of(before)?;
        let places = rows_where(&state, |segment, row| {
            segment.date(row).is_some_and(|date| date < before)
        });
        return take_out(change, places, Removed::default(), ctx);
    }
    let named: HashMap<u32, String> = state
        .segments
        .iter()
        .flat_map(|segment| names(&segment.names))
        .collect();
    let number = |name: &str| name.parse::<u64>().ok();
    let is_before = |batch: u32| {
        let own = named.get(&batch).cloned().unwrap_or_else(|| batch.to_string());
        match (number(&own), number(before)) {
            (Some(own), Some(before)) => own < before,
            (None, None) => own.as_str() < before,
            _ => false,
        }
    };
    let expired: Vec<bool> = (0..=state.manifest.next.batch).map(is_before).collect();
    let places = rows_where(&state, |segment, row| {
        // A number may be anything in a file that was forged.
        expired.get(segment.batch(row) as usize).copied().unwrap_or(false)
    });
    take_out(change, places, Removed::default(), ctx)
}

/// Some of the live rows.
fn rows_where(state: &State, is_asked: impl Fn(&Segment, Row) -> bool) -> HashSet<Place<Row>> {
    let of_segment = |(at, segment): (usize, &Arc<Segment>)| {
        let kept = (0..segment.len() as u32).map(Row::Kept);
        let all = kept.chain((0..segment.dropped.numbers.len() as u32).map(Row::Dropped));
        let asked = all.filter(|&row| is_asked(segment, row)).map(|row| Place::new(at, row));
        asked.filter(|&place| state.is_live(place)).collect::<Vec<_>>()
    };
    state.segments.iter().enumerate().flat_map(of_segment).collect()
}

/// The numbers of the kept documents among some rows.
pub(crate) fn kept_of(state: &State, places: &HashSet<Place<Row>>) -> HashSet<u64> {
    let kept = places.iter().filter(|place| place.kept().is_some());
    kept.map(|&place| state.number(place)).collect()
}

/// Removes some rows, as a batch of its own.
fn take_out(
    change: Change<'_>,
    places: HashSet<Place<Row>>,
    mut removed: Removed,
    ctx: &Context<'_>,
) -> Result<Removed> {
    if places.is_empty() {
        change.state.check_read()?;
        return Ok(removed);
    }
    let state = Arc::clone(&change.state);
    let was_kept = kept_of(&state, &places);
    removed.kept = was_kept.len() as u64;
    removed.dropped = places.len() as u64 - removed.kept;
    removed.orphans = orphans(&state, &was_kept, &places)?;
    let mut manifest = change.manifest();
    manifest.next.batch = next_batch(&state);
    let by = u64::from(manifest.next.batch);
    let mut rows = NewRows::new(&state, ctx)?;
    let numbers = places.iter().map(|&place| state.number(place));
    rows.rows.tombstones = numbers.map(|number| Tombstone { number, by }).collect();
    let new = rows.finish(&state, ctx)?;
    change.commit(manifest, &new, ctx)?;
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
        let path = index.path.display();
        let missing = msg!("{path}: the index has no batch {name:?}; give the name or the number of one");
        Error::Config(missing.with_id("index.no_such_batch"))
    })?;
    if state.is_undone(batch) {
        let undone = msg!("batch {name:?} was undone before");
        return Err(Error::Config(undone.with_id("index.batch_undone")));
    }
    let mut removed = Removed::default();
    let places = rows_where(&state, |segment, row| segment.batch(row) == batch);
    let was_kept = kept_of(&state, &places);
    removed.kept = was_kept.len() as u64;
    removed.dropped = places.len() as u64 - removed.kept;
    removed.orphans = orphans(&state, &was_kept, &places)?;
    let mut manifest = change.manifest();
    manifest.undone.push(batch);
    manifest.followed.go_back_before(batch);
    let mut rows = NewRows::new(&state, ctx)?;
    let by = u64::from(next_batch(&state));
    let stay = superseded(&state, batch, &places);
    rows.rows.tombstones.extend(stay.map(|number| Tombstone { number, by }));
    if rows.rows.tombstones.is_empty() {
        change.finish(manifest, ctx)?;
    } else {
        manifest.next.batch = next_batch(&state);
        let new = rows.finish(&state, ctx)?;
        change.commit(manifest, &new, ctx)?;
    }
    Ok(removed)
}

/// The documents that a batch has replaced and whose ids later batches have given to others: they stay away when the batch is undone.
fn superseded<'a>(state: &'a State, batch: u32, without: &'a HashSet<Place<Row>>) -> impl Iterator<Item = u64> + 'a {
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
pub(crate) fn orphans(state: &State, gone: &HashSet<u64>, without: &HashSet<Place<Row>>) -> Result<Vec<String>> {
    if gone.is_empty() {
        return Ok(Vec::new());
    }
    let of_segment = |(at, segment): (usize, &Arc<Segment>)| {
        let rows = segment.dropped.representatives.iter().enumerate();
        let rows = rows
            .filter(|(_, number)| gone.contains(number))
            .map(|(row, _)| Row::Dropped(row as u32));
        let is_left = |place| state.is_live(place) && !without.contains(&place);
        let left = rows.filter(|&row| is_left(Place::new(at, row)));
        let null = || "null".to_owned();
        left.map(|row| Ok(segment.given_label(row)?.unwrap_or_else(null)))
            .collect::<Vec<_>>()
    };
    state.segments.iter().enumerate().flat_map(of_segment).collect()
}

/// The number of a batch by its name; a batch without one has its number as its name. Of several the last that was not undone counts, and
/// else the last; one with the name comes before one without.
pub(crate) fn batch_of(state: &State, name: &str) -> Option<u32> {
    let named: Vec<(u32, String)> = state
        .segments
        .iter()
        .flat_map(|segment| names(&segment.names))
        .collect();
    let own = named
        .iter()
        .filter(|(_, other)| other == name)
        .map(|(number, _)| (true, *number));
    // `+1` and `01` are names, and no numbers.
    let number = name
        .parse()
        .ok()
        .filter(|number: &u32| (1..=state.manifest.next.batch).contains(number) && number.to_string() == name);
    let number = number.filter(|number| named.iter().all(|(other, _)| other != number));
    own.chain(number.map(|number| (false, number)))
        .max_by_key(|&(is_named, number)| (!state.is_undone(number), is_named, number))
        .map(|(_, number)| number)
}

/// The number of the next batch: no batch in force has it as its name.
pub(crate) fn next_batch(state: &State) -> u32 {
    let numbers = state.manifest.next.batch + 1..;
    let is_free = |number: &u32| batch_of(state, &number.to_string()).is_none_or(|batch| state.is_undone(batch));
    numbers
        .into_iter()
        .find(is_free)
        .expect("there are fewer names than numbers")
}

/// The line of a batch with a name.
pub(crate) fn name_line(batch: u32, name: &str) -> Vec<u8> {
    format!("{}\n", json!([batch, name])).into_bytes()
}

/// Numbers and names of batches, of their lines.
pub(crate) fn names(lines: &[u8]) -> impl Iterator<Item = (u32, String)> + '_ {
    lines
        .split(|&byte| byte == b'\n')
        .filter_map(|line| serde_json::from_slice(line).ok())
}
