//! Questions about single texts: whether they are near a kept document.

use std::sync::Arc;

use serde_json::Value;

use super::changes::add::{Added, NewBatch, add_to};
use super::changes::change::Change;
use super::changes::upkeep::prepare;
use super::files::segment::Row;
use super::files::state::State;
use super::lookup::seen::{KnownId, SeenRun};
use super::open::Index;
use crate::base::context::Context;
use crate::base::error::{Error, Result};
use crate::base::hash::mix;
use crate::collection::dates::Window;
use crate::collection::keep_order::KeepOrder;
use crate::collection::relation::{Bounds, Rules};
use crate::collection::seen::Seen;
use crate::dedup::decide::decisions::{Decisions, NOBODY};
use crate::dedup::decide::{Decision, Reason, decide};
use crate::dedup::loading::load_each;
use crate::search::documents::{Documents, Options};
use crate::source::Sources;
use crate::text::conflict::Conflict;
use crate::text::guard::Guard;

/// What becomes of a text.
#[derive(Debug, Clone, PartialEq)]
pub struct TextFate {
    /// Whether it stays.
    pub decision: Decision,
    /// Why.
    pub reason: Reason,
    /// The id of its representative as raw JSON, where that is a document of the index and has one.
    pub representative: Option<String>,
    /// The number of the text that represents it, where that is one of the same call; else `None`.
    pub of: Option<usize>,
    /// Bits between the two; -1 where there are no two fingerprints.
    pub distance: i32,
    /// Their similarity; NaN where there is none.
    pub similarity: f64,
    /// Units that are lost of it.
    pub lost: u32,
}

/// Refuses texts where the index compares fields or dates of records.
fn check_fields(state: &State) -> Result<()> {
    if state.manifest.window().is_some() {
        return Err(Error::Config(msg!(
            "the index has a window of time: give records with dates in place of texts"
        )));
    }
    match state.manifest.common.get("equal fields") {
        Some(fields) if *fields != Value::Array(Vec::new()) => Err(Error::Config(msg!(
            "the index compares the fields {fields} of records: give records with them in place of texts",
            fields = fields.to_string()
        ))),
        _ => Ok(()),
    }
}

/// The options of a run on texts that have neither ids nor fields.
fn options(run: &SeenRun, seen: &Seen) -> Result<Vec<Options>> {
    let state = &run.state;
    let common = &state.manifest.common;
    let names = |of: &str| {
        let list = common
            .get(of)
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default();
        // Each has its version behind a slash.
        let name = |value: &Value| value.as_str()?.split('/').next().map(str::to_owned);
        list.iter().filter_map(name).collect::<Vec<String>>()
    };
    let rules = Rules {
        // What was read in a document of the index is known.
        same: if run.is_of_own() {
            Vec::new()
        } else {
            Guard::parse_all(&names("same"))?
        },
        // Such texts have no field.
        window: state.manifest.window().map(|span| Window { span, field: None }),
        bounds: Bounds {
            max_lost: common.get("max_lost").and_then(Value::as_u64).map(|most| most as u32),
            conflict: Conflict::parse_all(&names("conflict"))?,
        },
        ..Rules::default()
    };
    let keep = KeepOrder::parse(&["first"])?;
    let each = state
        .schemes
        .iter()
        .zip(&state.recipes)
        .map(|(scheme, recipe)| Options {
            scheme: scheme.clone(),
            text_field: vec!["text".to_owned()],
            id_field: "id".to_owned(),
            keep: keep.clone(),
            rules: rules.clone(),
            threshold: recipe.threshold,
            recall: recipe.recall,
            seed: recipe.seed,
            recipe_for: None,
            looked_up: false,
            batch: 0,
            run_dir: None,
            seen: Some(seen.clone()),
        });
    Ok(each.collect())
}

/// Decides on texts as [`add`](super::changes::add) would at this moment, were they records without ids and fields.
///
/// # Errors
/// As [`load_each`](crate::dedup::loading::load_each); [`Error::Config`] where the index compares fields of records.
pub fn check<S: AsRef<str>>(index: &Index, texts: &[S], ctx: &Context<'_>) -> Result<Vec<TextFate>> {
    let (seen, run) = index.seen_of_texts(KnownId::Ignore, None);
    check_fields(&run.state)?;
    let (documents, decisions) = decided(&run, &seen, texts, ctx)?;
    Ok((0..texts.len()).map(|at| fate(&documents, &decisions, at)).collect())
}

/// Adds texts with ids, which are raw JSON, as one batch. It decides as [`add`](super::changes::add).
///
/// # Errors
/// As [`check`] and [`add`](super::changes::add).
pub fn add_texts<S: AsRef<str>>(
    index: &Index,
    texts: &[S],
    labels: Option<Vec<Option<Vec<u8>>>>,
    (known, name): (KnownId, Option<&str>),
    ctx: &Context<'_>,
) -> Result<(Added, Vec<TextFate>)> {
    let sources = Sources::from_texts(texts.iter().map(AsRef::as_ref));
    prepare(index, &sources, &["text".to_owned()], ctx)?;
    // Others wait until this batch is added: what is decided is decided on the newest state.
    let change = Change::begin(index)?;
    let (seen, run) = index.seen_of_texts(known, labels);
    check_fields(&run.state)?;
    let (documents, decisions) = decided(&run, &seen, texts, ctx)?;
    let added = add_to(
        change,
        &run,
        (&documents, &decisions),
        NewBatch { name, followed: None },
        ctx,
    )?;
    let fates = (0..texts.len()).map(|at| fate(&documents, &decisions, at));
    Ok((added, fates.collect()))
}

/// A sample of the kept documents, each compared with all earlier ones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sampled {
    /// Documents in the sample; none where the search of the index finds every pair, or sketches are no bound of it.
    pub sampled: usize,
    /// Those that are near an earlier one, which the search has missed.
    pub missed: usize,
    /// Whether the search of the index finds every pair.
    pub exact: bool,
}

/// Documents of a sample that are compared at a time: all that sketches let pass are read.
const COMPARED_AT_ONCE: usize = 64;

/// Compares about so many kept documents, drawn by their numbers, with all earlier ones: what the search of the index has missed.
///
/// Complexity: a look at all sketches for each: 2 milliseconds in 700,000 documents.
///
/// # Errors
/// [`Error::Source`] where a text is damaged.
pub fn recall(index: &Index, sample: usize, ctx: &Context<'_>) -> Result<Sampled> {
    let state = index.whole_state()?;
    let searched = 0..state.searched();
    if searched
        .clone()
        .all(|at| state.paths.get(at).is_none_or(Option::is_none))
    {
        return Ok(Sampled {
            exact: true,
            ..Sampled::default()
        });
    }
    let (kept, mut found) = (state.counts().0, Sampled::default());
    if searched.clone().any(|at| state.most_bits(at) == u32::MAX) || kept == 0 {
        return Ok(found);
    }
    let share = (u128::from(u64::MAX) * sample as u128 / kept as u128).min(u128::from(u64::MAX)) as u64;
    let is_drawn = |&(at, row): &(usize, u32)| mix(state.segments[at].number(Row::Kept(row)) ^ DRAWN) <= share;
    let drawn: Vec<(usize, u32)> = state.kept().filter(is_drawn).collect();
    for some in drawn.chunks(COMPARED_AT_ONCE) {
        ctx.tick("recall", found.sampled as u64, drawn.len() as u64)?;
        let mut reader = state.reader();
        let text = |&row: &(usize, u32)| Ok(state.text(row, &mut reader)?.to_owned());
        let texts: Vec<String> = some.iter().map(text).collect::<Result<_>>()?;
        let run = Arc::new(SeenRun::of_own(Arc::clone(&state), some.to_vec()));
        let seen = Seen(Arc::clone(&run) as Arc<_>);
        let (_, decisions) = decided(&run, &seen, &texts, ctx)?;
        found.sampled += some.len();
        found.missed += decisions
            .decision
            .iter()
            .filter(|one| **one == Decision::Dropped)
            .count();
    }
    Ok(found)
}

/// Keeps the drawn documents apart from the hash's other uses.
const DRAWN: u64 = 0x5EED_0F1E_11A7_0042;

fn decided<S: AsRef<str>>(
    run: &SeenRun,
    seen: &Seen,
    texts: &[S],
    ctx: &Context<'_>,
) -> Result<(Documents, Decisions)> {
    let options = options(run, seen)?;
    let sources = Sources::from_texts(texts.iter().map(AsRef::as_ref));
    let documents = load_each(Arc::new(sources), &options, run.state.rule, ctx)?;
    let decisions = decide(&documents, ctx)?;
    Ok((documents, decisions))
}

fn fate(documents: &Documents, decisions: &Decisions, at: usize) -> TextFate {
    let position = decisions.representative[at];
    let is_old = position != NOBODY && documents.collection.is_old(position);
    let label = is_old.then(|| documents.collection.label(position as usize)).flatten();
    TextFate {
        decision: decisions.decision[at],
        reason: decisions.reason[at],
        representative: label.map(|label| String::from_utf8_lossy(label).into_owned()),
        of: (!is_old && position != NOBODY).then_some(position as usize),
        distance: decisions.distance[at],
        similarity: decisions.similarity[at],
        lost: decisions.lost[at],
    }
}
