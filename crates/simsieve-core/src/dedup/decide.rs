//! Decisions: which documents are kept, which are dropped, and for whom.
//!
//! Rows are walked in keep order. A row with a near candidate among the kept ones before it is dropped; otherwise it is
//! kept. Its representative is the first of those candidates by (Hamming distance, place in the keep order) that
//! verifies. That is the lexicographically first maximal independent set of the graph of near candidate pairs: no
//! chains, and every dropped document is near its representative. An exact copy follows its first.
//!
//! Of several schemes any of which suffices, each gives its own graph, and they are walked together: a row's candidates
//! under the first come first.
//!
//! Old rows precede all others, stay without being asked, and are written nowhere.
//!
//! Verification is speculated on in parallel, a window of rows at a time; the walk itself is sequential and takes what
//! was computed where it asks the same question, so threads change nothing.

use std::iter::Peekable;
use std::vec;

use rayon::ThreadPool;
use rayon::prelude::*;

use crate::base::context::Context;
use crate::base::error::Result;
use crate::dedup::candidates::stream::{CandidateList, CandidateStream};
use crate::dedup::candidates::{Candidates, Edge, Filter, Rows, candidates};
use crate::dedup::documents::{Documents, SchemeDocuments};
use crate::dedup::joined::{Joined, can_be_near};
use crate::dedup::outcome::{Assignment, Outcome};
use crate::dedup::verify::Verifier;
pub use crate::sink::Decision;

/// Why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Reason {
    /// Nothing near it was dropped.
    Unique = 0,
    /// It kept for others.
    Representative = 1,
    /// It has no features, so nothing is near it.
    NoFeatures = 2,
    /// Its normalised text is another's.
    Exact = 3,
    /// It is near its representative.
    Near = 4,
    /// It could not be read; the failure says why.
    Failed = 5,
    /// A verdict calls it the same as its representative, and the texts alone are not near.
    Verdict = 6,
}

/// Stands for "none" among positions.
pub const NOBODY: u32 = u32::MAX;

/// The decisions of a run, as columns over the positions of the new records.
#[derive(Debug)]
pub struct Decisions {
    /// What became of each record.
    pub decision: Vec<Decision>,
    /// Why.
    pub reason: Vec<Reason>,
    /// Position of the document kept for it: itself where it is kept, [`NOBODY`] where it failed. An old document's
    /// position, in the store, is beyond all new ones.
    pub representative: Vec<u32>,
    /// Bits between it and its representative; -1 where there are no two fingerprints to compare.
    pub distance: Vec<i32>,
    /// Similarity to its representative; NaN where it was not computed.
    pub similarity: Vec<f64>,
    /// Under which of several schemes, any of which suffices, it is near its representative; empty where there are none.
    pub scheme: Vec<u8>,
    /// Sums of the above.
    pub counts: Counts,
    /// The rows that were compared.
    pub rows: Rows,
    /// The kept rows, ascending; the old ones, which are first, among them.
    pub kept_rows: Vec<u32>,
}

/// The books: read = kept + dropped + failed, dropped = exact + near.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Records.
    pub read: u64,
    /// Documents that stay.
    pub kept: u64,
    /// Documents that go.
    pub dropped: u64,
    /// Of these, exact copies.
    pub exact: u64,
    /// Of these, near ones, by their texts or by a verdict.
    pub near: u64,
    /// Records that are no documents.
    pub failed: u64,
    /// Kept documents that represent others.
    pub clusters: u64,
    /// Documents in the largest cluster, its kept one included; 0 where there is none.
    pub largest_cluster: u64,
    /// Candidate pairs whose earlier side was kept.
    pub candidates: u64,
    /// Of these, compared by their features.
    pub verified: u64,
}

/// Decides on every record with `threads` threads (0 for all), which change nothing but the time.
pub fn decide(documents: &Documents, ctx: &Context<'_>) -> Result<Decisions> {
    let (collection, copy_of) = (&*documents.collection, documents.copies(ctx)?);
    let rows = Rows::of(collection, copy_of);
    if let Some(outcome) = Outcome::read(documents, rows.len())? {
        return Ok(finish(documents, copy_of, rows, &outcome));
    }
    let mut found = Vec::new();
    for part in documents.searched() {
        let filter = Filter::new(part, &rows, ctx.kernel());
        found.push((part, filter, candidates(part, &rows, ctx)?));
    }
    let outcome = walk(&rows, &found, ctx)?;
    drop(found);
    // A text that was fetched again may have been another one than was encoded.
    collection.sources.check_unchanged()?;
    outcome.write(documents)?;
    Ok(finish(documents, copy_of, rows, &outcome))
}

/// What one scheme's search found.
pub(crate) type Searched<'a> = (SchemeDocuments<'a>, Filter<'a>, &'a Candidates);

/// What speculation computed for a row: the answer to its likeliest question.
type Speculation = Option<(u32, Option<Option<f64>>)>;

/// One scheme's side of the walk.
struct Side<'a> {
    documents: SchemeDocuments<'a>,
    rows: &'a Rows,
    filter: Filter<'a>,
    joined: Joined,
    stream: CandidateStream<'a>,
    verifier: Verifier<'a>,
    candidates: CandidateList,
    /// Of the window at hand, in order of rows.
    speculations: Peekable<vec::IntoIter<(u32, Speculation)>>,
    /// Rows that were speculated on, and those whose answer was asked for.
    speculated: u64,
    used: u64,
}

/// Walks the rows in keep order. Of several schemes each is asked in turn, until one drops the row.
pub(crate) fn walk(rows: &Rows, found: &[Searched], ctx: &Context<'_>) -> Result<Outcome> {
    const WINDOW: usize = 4096;
    let n = rows.len();
    let pool = ctx.pool()?;
    let mut sides = Vec::with_capacity(found.len());
    for &(documents, filter, found) in found {
        sides.push(Side {
            documents,
            rows,
            filter,
            joined: Joined::new(documents, rows),
            stream: CandidateStream::new(documents, filter, found, pool),
            verifier: Verifier::new(documents, rows),
            candidates: Vec::new(),
            speculations: Vec::new().into_iter().peekable(),
            speculated: 0,
            used: 0,
        });
    }
    let mut outcome = Outcome {
        assignments: Vec::with_capacity(n),
        candidates: 0,
        verified: 0,
    };
    for start in (0..n).step_by(WINDOW) {
        let window = start as u32..(start + WINDOW).min(n) as u32;
        for side in &mut sides {
            side.prepare(window.end, pool, &outcome.assignments)?;
        }
        for row in window {
            ctx.tick("decide", u64::from(row), n as u64)?;
            let mut assignment = Assignment::kept(row);
            for (scheme, side) in sides.iter_mut().enumerate() {
                if assignment.to == row {
                    assignment = side.decide(row, &mut outcome)?;
                    assignment.scheme = if assignment.to == row { 0 } else { scheme as u8 };
                } else {
                    side.stream.skip(row);
                }
            }
            for side in &mut sides {
                side.stream.finish(row, assignment.to == row)?;
            }
            outcome.assignments.push(assignment);
        }
    }
    ctx.tick("decide", n as u64, n as u64)?;
    Ok(outcome)
}

impl Side<'_> {
    /// Computes beforehand, in parallel, what the rows below `end` are likely to ask for, unless most such answers were not asked
    /// for: in large buckets the likeliest candidates are left out without a verification.
    fn prepare(&mut self, end: u32, pool: &ThreadPool, assignments: &[Assignment]) -> Result<()> {
        let open = !self.stream.is_verified() && 2 * self.used >= self.speculated;
        let speculations = if pool.current_num_threads() > 1 && open {
            pool.install(|| speculate(self.documents, self.rows, self.stream.edges_below(end), assignments))?
        } else {
            Vec::new()
        };
        self.speculated += speculations.len() as u64;
        self.speculations = speculations.into_iter().peekable();
        Ok(())
    }

    /// What becomes of a row under this scheme.
    fn decide(&mut self, row: u32, outcome: &mut Outcome) -> Result<Assignment> {
        while self.speculations.next_if(|(of, _)| *of < row).is_some() {}
        let mut speculation = self
            .speculations
            .next_if(|(of, _)| *of == row)
            .and_then(|(_, speculation)| speculation);
        let Self {
            documents,
            rows,
            filter,
            joined,
            stream,
            verifier,
            candidates,
            used,
            ..
        } = self;
        let is_kept = |earlier: u32| outcome.assignments[earlier as usize].to == earlier;
        stream.next(row, is_kept, verifier, candidates)?;
        outcome.candidates += candidates.len() as u64;
        stream.prune(row, verifier, candidates)?;
        let pruned = candidates.len();
        let kept = joined.earlier(row).filter(|&earlier| is_kept(earlier));
        let edges = kept.filter_map(|earlier| filter.joined(earlier, row));
        candidates.extend(edges.map(|edge| (edge.distance, edge.earlier)));
        if candidates.len() > pruned {
            candidates.sort_unstable();
            candidates.dedup();
        }
        let threshold = documents.recipe.threshold;
        let relation = &documents.run.collection.relation;
        for &(distance, earlier) in &*candidates {
            outcome.verified += 1;
            let near = match speculation.take_if(|(speculated, _)| *speculated == earlier) {
                Some((_, answer)) => {
                    *used += 1;
                    answer
                }
                None => match stream.similarity(row, distance, earlier) {
                    Some(similarity) => Some(Some(similarity)),
                    None if can_be_near(threshold, distance) => verifier.near(row, earlier)?,
                    None => None,
                },
            };
            if let Some(similarity) = near {
                return Ok(Assignment::to(earlier, distance, similarity));
            }
            if relation.joins(rows.positions[row as usize], rows.positions[earlier as usize]) {
                return Ok(Assignment::by_verdict(earlier, distance));
            }
            stream.reject(row, earlier, verifier)?;
        }
        Ok(Assignment::kept(row))
    }
}

/// Answers, for every row of a window, whether it is near its first candidate that is not known to be dropped.
fn speculate(
    documents: SchemeDocuments<'_>,
    rows: &Rows,
    edges: &[Edge],
    assignments: &[Assignment],
) -> Result<Vec<(u32, Speculation)>> {
    let groups: Vec<&[Edge]> = edges.chunk_by(|a, b| a.later == b.later).collect();
    groups
        .par_iter()
        .map_init(
            || Verifier::new(documents, rows),
            |verifier, group| {
                let open = |edge: &&Edge| {
                    assignments
                        .get(edge.earlier as usize)
                        .is_none_or(|assignment| assignment.to == edge.earlier)
                };
                let speculation = match group.iter().find(open) {
                    Some(edge) => Some((edge.earlier, verifier.near(edge.later, edge.earlier)?)),
                    None => None,
                };
                Ok((group[0].later, speculation))
            },
        )
        .collect()
}

/// Writes the rows' assignments and the copies' into columns over positions; what became of old ones is left out at the end.
pub(crate) fn finish(documents: &Documents, copy_of: &[u32], rows: Rows, outcome: &Outcome) -> Decisions {
    let collection = &documents.collection;
    let (n, new) = (collection.len(), collection.sources.new_len());
    let mut all = Decisions {
        decision: vec![Decision::Failed; n],
        reason: vec![Reason::Failed; n],
        representative: vec![NOBODY; n],
        distance: vec![-1; n],
        similarity: vec![f64::NAN; n],
        scheme: vec![0; if documents.searched().len() > 1 { n } else { 0 }],
        counts: Counts {
            read: new as u64,
            failed: collection.new_failures() as u64,
            candidates: outcome.candidates,
            verified: outcome.verified,
            ..Counts::default()
        },
        rows,
        kept_rows: Vec::new(),
    };
    for (row, assignment) in outcome.assignments.iter().enumerate() {
        let position = all.rows.positions[row] as usize;
        let kept = assignment.to as usize == row;
        all.decision[position] = if kept { Decision::Kept } else { Decision::Dropped };
        all.reason[position] = match (kept, assignment.is_by_verdict()) {
            (true, _) => Reason::Unique,
            (false, false) => Reason::Near,
            (false, true) => Reason::Verdict,
        };
        all.representative[position] = all.rows.positions[assignment.to as usize];
        all.distance[position] = assignment.distance();
        all.similarity[position] = if kept { 1.0 } else { assignment.similarity };
        if let Some(scheme) = all.scheme.get_mut(position) {
            *scheme = assignment.scheme;
        }
        if kept {
            all.kept_rows.push(row as u32);
        }
    }
    for (place, &position) in collection.order.iter().enumerate() {
        let position = position as usize;
        let first = collection.order[copy_of[place] as usize] as usize;
        if !collection.has_fingerprint(position as u32) {
            if all.reason[position] != Reason::Verdict {
                all.decision[position] = Decision::Kept;
                all.reason[position] = Reason::NoFeatures;
                all.representative[position] = position as u32;
            }
            all.distance[position] = -1;
            all.similarity[position] = f64::NAN;
        } else if first != position {
            all.decision[position] = Decision::Dropped;
            all.reason[position] = Reason::Exact;
            all.representative[position] = all.representative[first];
            all.distance[position] = all.distance[first];
            all.similarity[position] = all.similarity[first];
            if !all.scheme.is_empty() {
                all.scheme[position] = all.scheme[first];
            }
        }
    }
    all.leave_out_old(new);
    all.count();
    all
}

impl Decisions {
    fn leave_out_old(&mut self, new: usize) {
        self.decision.truncate(new);
        self.reason.truncate(new);
        self.representative.truncate(new);
        self.distance.truncate(new);
        self.similarity.truncate(new);
        self.scheme.truncate(new);
    }

    fn count(&mut self) {
        let mut sizes = vec![0_u32; self.decision.len()];
        for &representative in &self.representative {
            // Neither old documents nor nobody head a cluster of the new ones.
            if let Some(size) = sizes.get_mut(representative as usize) {
                *size += 1;
            }
        }
        for (reason, &size) in self.reason.iter_mut().zip(&sizes) {
            if size > 1 {
                *reason = Reason::Representative;
            }
        }
        let of = |wanted: Reason| self.reason.iter().filter(|&&reason| reason == wanted).count() as u64;
        self.counts.exact = of(Reason::Exact);
        self.counts.near = of(Reason::Near) + of(Reason::Verdict);
        self.counts.dropped = self.counts.exact + self.counts.near;
        self.counts.kept = self
            .decision
            .iter()
            .filter(|&&decision| decision == Decision::Kept)
            .count() as u64;
        self.counts.clusters = of(Reason::Representative);
        self.counts.largest_cluster = sizes.iter().copied().filter(|&size| size > 1).max().unwrap_or(0).into();
    }
}
