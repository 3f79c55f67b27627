//! Questions about texts: what would become of them, and which kept documents are near.

use std::sync::Arc;

use serde_json::Value;

use super::changes::add::{Added, DecidedRun, NewBatch, add_to};
use super::changes::change::Change;
use super::changes::upkeep::prepare;
use super::files::segment::Place;
use super::files::state::State;
use super::lookup::seen::{Asked, KnownId, SeenRun, TextLabels};
use super::open::Index;
use crate::base::context::Context;
use crate::base::error::{Error, Result};
use crate::base::hash::mix;
use crate::collection::dates::Window;
use crate::collection::fields::FieldRule;
use crate::collection::keep_order::KeepOrder;
use crate::collection::relation::{Bounds, MEAN, Mean, Rules, Sure};
use crate::dedup::decide::decisions::{Decisions, NOBODY};
use crate::dedup::decide::{Decision, Reason, decide};
use crate::dedup::loading::{FIELDS, Loading};
use crate::dedup::pairs::{NearPair, near_pairs};
use crate::search::documents::{Documents, Options};
use crate::search::found::NO_DISTANCE;
use crate::source::{RecordBuffer, Sources};
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
    if state.manifest.common.contains_key(FIELDS) {
        return Err(Error::Config(msg!(
            "the index compares fields of records: give records with them in place of texts"
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

/// What decides about two texts besides the recipes: the guards that the index reads in texts, and how much may be lost.
fn rules_of(state: &State) -> Result<Rules> {
    let common = &state.manifest.common;
    let names = |of: &str| {
        let all = common.get(of).and_then(Value::as_array).into_iter().flatten();
        // Each has its version behind a slash.
        let names = all.filter_map(|value| value.as_str()?.split('/').next().map(str::to_owned));
        names.collect::<Vec<String>>()
    };
    Ok(Rules {
        same: Guard::parse_all(&names("same"))?,
        bounds: Bounds {
            max_lost: common.get("max_lost").and_then(Value::as_u64).map(|most| most as u32),
            conflict: Conflict::parse_all(&names("conflict"))?,
            mean: common.get(MEAN).and_then(Mean::of_identity),
        },
        ..Rules::default()
    })
}

/// The rules on fields of documents whose facts are known.
fn fields_of(state: &State) -> Vec<FieldRule> {
    let all = state.manifest.common.get(FIELDS).and_then(Value::as_array);
    all.into_iter().flatten().filter_map(FieldRule::of_identity).collect()
}

fn sure_of(state: &State) -> Option<Sure> {
    let sure = state.manifest.common.get("sure")?;
    Some(Sure {
        agree: sure.get(0)?.as_u64()? as u32,
        similarity: sure.get(1)?.as_f64()?,
    })
}

/// The options of a run on texts that have no fields.
fn options(run: &SeenRun, rules: &Rules) -> Result<Vec<Options>> {
    let state = &run.state;
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
            settled: Some(run.settled()),
        });
    Ok(each.collect())
}

/// Decides on texts as [`add`](super::add) would at this moment, were they records without fields. A text replaces the document that has
/// its id.
///
/// # Errors
/// As [`SeenRun::finish`]; [`Error::Config`] where the index compares fields of records.
pub fn check<S: AsRef<str>>(
    index: &Index,
    texts: &[S],
    labels: Option<TextLabels>,
    ctx: &Context<'_>,
) -> Result<(Documents, Decisions)> {
    let known = if labels.is_some() {
        KnownId::Replace
    } else {
        KnownId::Ignore
    };
    let run = SeenRun::new(index.state(), Asked::Texts(known, labels))?;
    check_fields(&run.state)?;
    decided(&run, texts, &rules_of(&run.state)?, ctx)
}

/// Adds texts with ids as one batch. It decides as [`check`].
///
/// # Errors
/// As [`check`] and [`add`](super::add).
pub fn add_texts<S: AsRef<str>>(
    index: &Index,
    texts: &[S],
    labels: Option<TextLabels>,
    known: KnownId,
    name: Option<&str>,
    ctx: &Context<'_>,
) -> Result<(Added, Documents, Decisions)> {
    let sources = Sources::from_texts(texts.iter().map(AsRef::as_ref));
    prepare(index, &sources, &["text".to_owned()], ctx)?;
    // Others wait until this batch is added: what is decided is decided on the newest state.
    let change = Change::begin(index)?;
    let run = SeenRun::new(index.state(), Asked::Texts(known, labels))?;
    check_fields(&run.state)?;
    let (documents, decisions) = decided(&run, texts, &rules_of(&run.state)?, ctx)?;
    let made = DecidedRun {
        documents: &documents,
        decisions: &decisions,
    };
    let added = add_to(change, &run, made, NewBatch { name, followed: None }, ctx)?;
    Ok((added, documents, decisions))
}

/// A kept document that is near a text.
#[derive(Debug, Clone, PartialEq)]
pub struct NearDocument {
    /// Its id as raw JSON, where it has one.
    pub id: Option<String>,
    /// Its text.
    pub text: String,
    /// Bits between the two, where both have a fingerprint.
    pub distance: Option<u32>,
    /// Their similarity; NaN where there is none.
    pub similarity: f64,
}

/// At most `most` kept documents that are near a text, whatever their fields, the nearest first. Under a window of time they are those
/// within it of `date`; without a date all times count.
///
/// # Errors
/// As [`check`].
pub fn query(
    index: &Index,
    text: &str,
    most: usize,
    date: Option<i64>,
    ctx: &Context<'_>,
) -> Result<Vec<NearDocument>> {
    let run = SeenRun::new(index.state(), Asked::Near(date))?;
    let rules = Rules {
        same: Vec::new(),
        ..rules_of(&run.state)?
    };
    let documents = loaded(&run, &[text], &rules, ctx)?;
    let mut pairs = near_pairs(&documents, u64::MAX, false, ctx)?;
    // NaN is no similarity.
    let similarity = |pair: &NearPair| pair.similarity.max(0.0);
    let distance = |pair: &NearPair| Some(pair.distance).filter(|bits| *bits != NO_DISTANCE);
    pairs.sort_by(|one, other| {
        let by_similarity = similarity(other).total_cmp(&similarity(one));
        by_similarity.then(distance(one).cmp(&distance(other)))
    });
    pairs.truncate(most);
    let mut buffer = RecordBuffer::default();
    let near = pairs.iter().map(|pair| {
        let mut text = String::new();
        documents
            .collection
            .with_text(pair.b, &mut buffer, |of| of.clone_into(&mut text))?;
        Ok(NearDocument {
            id: label_of(&documents, pair.b),
            text,
            distance: distance(pair),
            similarity: pair.similarity,
        })
    });
    near.collect()
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

/// Compares about `sample` kept documents, drawn by their numbers, with all earlier ones, to find what the index search missed.
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
    let is_drawn = |place: &Place| mix(state.number(place.of_any()) ^ DRAWN) <= share;
    let drawn: Vec<Place> = state.kept().filter(is_drawn).collect();
    let rules = Rules {
        // What was read in a document of the index is known.
        same: Vec::new(),
        window: state.manifest.window().map(|span| Window { span, field: None }),
        fields: fields_of(&state),
        sure: sure_of(&state),
        ..rules_of(&state)?
    };
    for some in drawn.chunks(COMPARED_AT_ONCE) {
        ctx.tick("recall", found.sampled as u64, drawn.len() as u64)?;
        let mut reader = state.reader();
        let text = |&place: &Place| Ok(state.text(place, &mut reader)?.to_owned());
        let texts: Vec<String> = some.iter().map(text).collect::<Result<_>>()?;
        let run = SeenRun::new(Arc::clone(&state), Asked::Own(some.to_vec()))?;
        let (_, decisions) = decided(&run, &texts, &rules, ctx)?;
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

fn loaded<S: AsRef<str>>(run: &SeenRun, texts: &[S], rules: &Rules, ctx: &Context<'_>) -> Result<Documents> {
    let texts = texts.iter().map(AsRef::as_ref);
    let sources = match run.asked {
        Asked::Texts(_, Some(_)) => Sources::from_records(texts),
        _ => Sources::from_texts(texts),
    };
    let loading = Loading::begin(Arc::new(sources), &options(run, rules)?, run.state.rule, ctx)?;
    run.finish(loading, ctx)
}

fn decided<S: AsRef<str>>(
    run: &SeenRun,
    texts: &[S],
    rules: &Rules,
    ctx: &Context<'_>,
) -> Result<(Documents, Decisions)> {
    let documents = loaded(run, texts, rules, ctx)?;
    let decisions = decide(&documents, ctx)?;
    Ok((documents, decisions))
}

fn label_of(documents: &Documents, position: u32) -> Option<String> {
    let label = documents.collection.label(position as usize);
    label.map(|label| String::from_utf8_lossy(label).into_owned())
}

/// What became of each of the new texts.
pub fn fates(documents: &Documents, decisions: &Decisions) -> Vec<TextFate> {
    let fate = |at: usize| {
        let position = decisions.representative[at];
        let is_old = position != NOBODY && documents.collection.is_old(position);
        TextFate {
            decision: decisions.decision[at],
            reason: decisions.reason[at],
            representative: is_old.then(|| label_of(documents, position)).flatten(),
            of: (!is_old && position != NOBODY).then_some(position as usize),
            distance: decisions.distance[at],
            similarity: decisions.similarity[at],
            lost: decisions.lost[at],
        }
    };
    (0..decisions.decision.len()).map(fate).collect()
}
