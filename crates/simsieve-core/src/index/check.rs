//! Questions about single texts: whether they are near a kept document.

use std::sync::Arc;

use serde_json::Value;

use super::add::{Added, add};
use super::open::Index;
use super::seen::{KnownId, SeenRun};
use super::state::State;
use crate::base::context::Context;
use crate::base::error::{Error, Result};
use crate::collection::keep_order::KeepOrder;
use crate::collection::relation::Rules;
use crate::collection::seen::Seen;
use crate::dedup::decide::decisions::{Decisions, NOBODY};
use crate::dedup::decide::{Decision, Reason, decide};
use crate::dedup::loading::load_each;
use crate::search::documents::{Documents, Options};
use crate::source::Sources;
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

/// The options of a run on texts that have neither ids nor fields.
fn options(state: &State, seen: &Seen) -> Result<Vec<Options>> {
    let common = &state.manifest.common;
    if common
        .get("equal fields")
        .is_some_and(|fields| *fields != Value::Array(Vec::new()))
    {
        return Err(Error::Config(msg!(
            "the index compares the fields {fields} of records: give records with them in place of texts",
            fields = common["equal fields"].to_string()
        )));
    }
    let names = || {
        let list = common
            .get("same")
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default();
        // Each has its version behind a slash.
        let name = |value: &Value| value.as_str()?.split('/').next().map(str::to_owned);
        list.iter().filter_map(name).collect::<Vec<String>>()
    };
    let rules = Rules {
        same: Guard::parse_all(&names())?,
        max_lost: common.get("max_lost").and_then(Value::as_u64).map(|most| most as u32),
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
            batch: 0,
            run_dir: None,
            former: None,
            seen: Some(seen.clone()),
        });
    Ok(each.collect())
}

/// Decides on texts as [`add`](super::add) would at this moment, were they records without ids and fields.
///
/// # Errors
/// As [`load_each`](crate::dedup::loading::load_each); [`Error::Config`] where the index compares fields of records.
pub fn check<S: AsRef<str>>(index: &Index, texts: &[S], ctx: &Context<'_>) -> Result<Vec<TextFate>> {
    let (seen, run) = index.seen(KnownId::Ignore);
    let (documents, decisions) = decided(&run, &seen, texts, ctx)?;
    Ok((0..texts.len()).map(|at| fate(&documents, &decisions, at)).collect())
}

/// Adds texts with ids, which are raw JSON, as one batch. It decides as [`add`](super::add).
///
/// # Errors
/// As [`check`] and [`add`](super::add).
pub fn add_texts<S: AsRef<str>>(
    index: &Index,
    texts: &[S],
    labels: Option<Vec<Option<Vec<u8>>>>,
    (known, name): (KnownId, Option<&str>),
    ctx: &Context<'_>,
) -> Result<(Added, Vec<TextFate>)> {
    let (seen, run) = index.seen_with(known, labels);
    let (documents, decisions) = decided(&run, &seen, texts, ctx)?;
    let added = add(index, &run, (&documents, &decisions), name, ctx)?;
    let fates = (0..texts.len()).map(|at| fate(&documents, &decisions, at));
    Ok((added, fates.collect()))
}

fn decided<S: AsRef<str>>(
    run: &SeenRun,
    seen: &Seen,
    texts: &[S],
    ctx: &Context<'_>,
) -> Result<(Documents, Decisions)> {
    let options = options(&run.state, seen)?;
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
