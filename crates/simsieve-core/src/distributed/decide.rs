//! Decisions on the rows that have candidates; all other rows are kept.

use crate::base::context::Context;
use crate::base::error::{Error, Result};
use crate::collection::relation::{Bounds, Relation};
use crate::dedup::decide::walk;
use crate::dedup::verify::losses::units;
use crate::distributed::search::Search;
use crate::encode::encoder::EncodedBatch;
use crate::encode::sketch::SKETCH_WORDS;
use crate::search::candidates::{Candidates, Edge, Filter, Member, Rows};
use crate::search::documents::Documents;
use crate::source::Sources;

/// The rows that have candidates, in keep order.
#[derive(Debug, Default)]
pub struct InvolvedRows {
    /// Fingerprints, row-major.
    pub fingerprints: Vec<u64>,
    /// Sketches, row-major; none under a distance.
    pub sketches: Vec<u64>,
    /// Distinct features.
    pub sizes: Vec<u32>,
    /// Only rows of one group may be near; none where nothing must be equal.
    pub groups: Vec<u64>,
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
    /// Candidate pairs whose earlier side was kept.
    pub candidates: u64,
    /// Of these, asked for.
    pub verified: u64,
}

/// Walks the rows in keep order. `texts` has a record a row: its text where the row is in a large bucket or near one that is, else
/// nothing.
///
/// # Errors
/// [`Error::Config`] where the columns do not fit together; an interrupt.
pub fn decide(
    search: &Search,
    texts: Sources,
    rows: InvolvedRows,
    pairs: Pairs,
    ctx: &Context<'_>,
) -> Result<Assigned> {
    let by_similarity = search.recipe.threshold.by_similarity();
    let count = rows.sizes.len();
    let sketches = if by_similarity { SKETCH_WORDS } else { 0 };
    let inside = |row: u32| (row as usize) < count;
    let fit = texts.len() == count
        && [0, count].contains(&rows.groups.len())
        && rows.fingerprints.len() == count * search.scheme.words()
        && rows.sketches.len() == count * sketches
        && pairs
            .near
            .iter()
            .all(|&(earlier, later, _)| earlier < later && inside(later))
        && (pairs.members.iter()).all(|&(row, bucket)| inside(row) && (bucket as usize) < pairs.members.len())
        && [pairs.similarities.len(), pairs.lost.len()] == [if by_similarity { pairs.near.len() } else { 0 }; 2];
    if !fit {
        return Err(Error::Config(msg!(
            "the columns of the rows to decide on do not fit together"
        )));
    }
    let batch = EncodedBatch {
        fingerprints: rows.fingerprints,
        sketches: rows.sketches,
        sizes: rows.sizes,
        valid: vec![true; count],
        ..EncodedBatch::default()
    };
    let mut relation = relation_of(rows.groups);
    relation.bounds = pairs.bounds.clone();
    let documents = Documents::of_rows(texts, &search.scheme, &search.recipe, batch, relation);
    let all = Rows::all(count as u32);
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
        assigned.similarity.push(if assignment.to == row {
            1.0
        } else {
            assignment.similarity
        });
    }
    Ok(assigned)
}

/// The relation of rows of these groups.
pub(super) fn relation_of(groups: Vec<u64>) -> Relation {
    Relation::of_groups(groups.into_iter().map(u128::from).collect::<Vec<_>>().into())
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
