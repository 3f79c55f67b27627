//! Decisions on the rows that have candidates; all other rows are kept.

use std::mem;

use crate::base::context::Context;
use crate::base::error::{Error, Result};
use crate::collection::relation::{Bounds, Verdict};
use crate::dedup::decide::decisions::Reason;
use crate::dedup::decide::outcome::Assignment;
use crate::dedup::decide::walk;
use crate::dedup::verify::losses::units;
use crate::distributed::besides::{RowRules, RowValues};
use crate::distributed::search::Search;
use crate::distributed::texts::TextColumn;
use crate::encode::encoder::EncodedBatch;
use crate::encode::sketch::SKETCH_WORDS;
use crate::search::candidates::{Candidates, Edge, Filter, Member, Rows};
use crate::search::documents::Documents;

/// The rows that have candidates, in keep order.
#[derive(Debug, Default)]
pub struct InvolvedRows {
    /// Fingerprints, row-major.
    pub fingerprints: Vec<u64>,
    /// Sketches, row-major; none under a distance.
    pub sketches: Vec<u64>,
    /// Distinct features.
    pub sizes: Vec<u32>,
    /// What is compared besides.
    pub values: RowValues,
    /// Which rows have features; all where none is given.
    pub valid: Vec<bool>,
    /// Digests that are equal where the texts are; none without facts, dates and verdicts.
    pub digests: Vec<u128>,
    /// The same under all of several schemes; none of one.
    pub wholes: Vec<u128>,
    /// The first rows are old, this many: they are kept and not compared with one another.
    pub old: u32,
}

/// What was found of the rows.
#[derive(Debug, Default)]
pub struct Pairs {
    /// The near pairs: the earlier row, the later row and their distance.
    pub near: Vec<(u32, u32, u32)>,
    /// The similarity of each near pair; none under a distance.
    pub similarities: Vec<f64>,
    /// Units that the later row of each near pair loses; none under a distance.
    pub lost: Vec<u32>,
    /// The bounds of losses: a pair that loses more is not near.
    pub bounds: Bounds,
    /// The rows of large buckets with their buckets, which are numbered from 0.
    pub members: Vec<(u32, u32)>,
    /// The rules on what the rows carry.
    pub rules: RowRules,
    /// Verdicts on rows.
    pub verdicts: Vec<(u32, u32, Verdict)>,
}

/// What becomes of each row.
#[derive(Debug, Default)]
pub struct Assigned {
    /// The row that is kept for it; itself where it is kept.
    pub to: Vec<u32>,
    /// In bits.
    pub distance: Vec<i32>,
    /// NaN where it was not measured.
    pub similarity: Vec<f64>,
    /// Units that are lost of it; [`NOT_MEASURED`](crate::dedup::verify::losses::NOT_MEASURED) where that is not known.
    pub lost: Vec<u32>,
    /// Why a row is dropped; of a kept one it says nothing of those that it is kept for.
    pub reason: Vec<Reason>,
    /// Candidate pairs whose earlier side was kept.
    pub candidates: u64,
    /// Of these, asked for.
    pub verified: u64,
}

/// Walks the rows in keep order. `texts` has a text a row where the row is in a large bucket or near one that is, else
/// none.
///
/// # Errors
/// [`Error::Config`] where the columns do not fit together; an interrupt.
pub fn decide(
    search: &Search,
    texts: TextColumn<'_>,
    rows: InvolvedRows,
    mut pairs: Pairs,
    ctx: &Context<'_>,
) -> Result<Assigned> {
    let by_similarity = search.recipe.threshold.by_similarity();
    let reads_texts = search.reads_texts();
    let count = rows.sizes.len();
    let sketches = if by_similarity { SKETCH_WORDS } else { 0 };
    let inside = |row: u32| (row as usize) < count;
    let fit = texts.len() == count
        && rows.values.fit(count, &pairs.rules)
        && [rows.valid.len(), rows.digests.len(), rows.wholes.len()]
            .iter()
            .all(|length| [0, count].contains(length))
        && rows.fingerprints.len() == count * search.scheme.words()
        && rows.sketches.len() == count * sketches
        && pairs
            .near
            .iter()
            .all(|&(earlier, later, _)| earlier < later && inside(later))
        && (pairs.members.iter()).all(|&(row, bucket)| inside(row) && (bucket as usize) < pairs.members.len())
        && [pairs.similarities.len(), pairs.lost.len()] == [if reads_texts { pairs.near.len() } else { 0 }; 2];
    if !fit {
        return Err(Error::Config(msg!(
            "the columns of the rows to decide on do not fit together"
        )));
    }
    let batch = EncodedBatch {
        fingerprints: rows.fingerprints,
        sketches: rows.sketches,
        sizes: rows.sizes,
        valid: match rows.valid.len() {
            0 => vec![true; count],
            _ => rows.valid,
        },
        digests: rows.digests,
        ..EncodedBatch::default()
    };
    let mut relation = rows.values.relation(&pairs.rules);
    relation.bounds = pairs.bounds.clone();
    relation.take(mem::take(&mut pairs.verdicts))?;
    let texts = (0..count).map(|at| Ok(texts.get(at)?.unwrap_or_default()));
    let documents = search.documents(&texts.collect::<Result<Vec<_>>>()?, batch, relation, ctx.kernel())?;
    let all = Rows::all(count as u32).after_old(rows.old);
    let found = candidates(pairs);
    let part = documents.under(0);
    let filter = Filter::new(part, &all, ctx.kernel());
    let outcome = walk(&documents, &all, &[(part, filter, &found)], ctx)?;
    let mut assigned = Assigned {
        candidates: outcome.candidates,
        verified: outcome.verified,
        ..Assigned::default()
    };
    for (row, assignment) in (0..).zip(&*outcome.assignments) {
        assigned.to.push(assignment.to);
        assigned.distance.push(assignment.distance());
        assigned.lost.push(assignment.lost);
        assigned.reason.push(reason(&documents, &rows.wholes, row, *assignment));
        assigned.similarity.push(if assignment.to == row {
            1.0
        } else {
            assignment.similarity
        });
    }
    Ok(assigned)
}

/// Why a row is dropped.
fn reason(documents: &Documents, wholes: &[u128], row: u32, assignment: Assignment) -> Reason {
    let (relation, digests) = (
        &documents.collection.relation,
        &documents.collection.encodings[0].digests,
    );
    let digests = if wholes.is_empty() { &**digests } else { wholes };
    let is_copy = || digests.get(row as usize) == digests.get(assignment.to as usize);
    match assignment.is_joined() {
        _ if assignment.to == row => Reason::Unique,
        true if relation.verdict_joins(row, assignment.to) => Reason::Verdict,
        true => Reason::Agree,
        false if (relation.times.is_some() || relation.has_fields()) && is_copy() => Reason::Exact,
        false => Reason::Near,
    }
}

fn candidates(pairs: Pairs) -> Candidates {
    let edge = |&(earlier, later, distance): &(u32, u32, u32)| Edge {
        later,
        distance,
        earlier,
    };
    let most = pairs.bounds.max_lost.unwrap_or(u32::MAX);
    let may_be_lost = |at: &u32| {
        pairs
            .lost
            .get(*at as usize)
            .is_none_or(|&lost| units(lost).is_none_or(|units| units <= most))
    };
    let mut order: Vec<u32> = (0..pairs.near.len() as u32).filter(may_be_lost).collect();
    order.sort_unstable_by_key(|&at| edge(&pairs.near[at as usize]));
    order.dedup_by_key(|at| edge(&pairs.near[*at as usize]));
    let edges: Vec<Edge> = order.iter().map(|&at| edge(&pairs.near[at as usize])).collect();
    let similarities = order
        .iter()
        .filter_map(|&at| pairs.similarities.get(at as usize).copied());
    let lost = order.iter().filter_map(|&at| pairs.lost.get(at as usize).copied());
    let lost = lost.collect();
    let member = |(row, bucket)| Member { row, bucket };
    let mut members: Vec<Member> = pairs.members.into_iter().map(member).collect();
    members.sort_unstable();
    members.dedup();
    Candidates {
        edges: edges.into(),
        similarities: similarities.collect(),
        lost,
        heavy_buckets: members.iter().map(|member| member.bucket + 1).max().unwrap_or(0),
        memberships: members.into(),
        tested: 0,
        keys: 0,
    }
}
