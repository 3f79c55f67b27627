//! Decisions: which documents are kept, which are dropped, and for whom.
//!
//! Rows are walked in keep order. A row with a near candidate among the kept ones before it is dropped; otherwise it is
//! kept. Its representative is the first of those candidates by (Hamming distance, place in the keep order) that
//! verifies. That is the lexicographically first maximal independent set of the graph of near candidate pairs: no
//! chains, and every dropped document is near its representative. An exact copy follows its first.
//!
//! Where one of several schemes suffices, each scheme has its own graph. The graphs are walked together, and a row's
//! candidates under the first scheme come first.
//!
//! Old rows precede all others, stay without being asked, and are written nowhere.
//!
//! Likely verifications of a window of rows are computed on all threads while the window before it is walked. The walk is
//! sequential and uses an answer where it needs the same pair, so threads change nothing.

pub mod decisions;
pub(crate) mod outcome;

use std::iter::Peekable;
use std::ops::Range;
use std::vec;

use rayon::ThreadPool;
use rayon::prelude::*;

use crate::base::context::Context;
use crate::base::error::Result;
use crate::base::pools::PerThread;
use crate::dedup::decide::decisions::finish;
pub use crate::dedup::decide::decisions::{Counts, Decision, Decisions, NOBODY, Reason};
use crate::dedup::decide::outcome::{Assignment, INDEXED, KNOWN, Outcome, REJECTED, Walked};
use crate::dedup::joined::{Joined, can_be_near};
use crate::dedup::verify::losses::NOT_MEASURED;
use crate::dedup::verify::{AS_GIVEN, Answer, Nearness, Verifier};
use crate::search::candidates::{Candidates, Edge, Filter, Rows, candidates};
use crate::search::documents::{Documents, SchemeDocuments};
use crate::search::stream::{CandidateList, CandidateStream, RULED_OUT};
use crate::source::announce;
use crate::storage::form::Stored;
use crate::storage::run_dir::RunDir;

/// Decides on every record. The threads of `ctx` change the time and no decision.
pub fn decide(documents: &Documents, ctx: &Context<'_>) -> Result<Decisions> {
    let rows = Rows::of(&documents.collection)?;
    if let Some(outcome) = Outcome::read(documents, rows.len())? {
        return finish(documents, rows, outcome);
    }
    let mut found = Vec::new();
    for part in documents.searched() {
        let filter = Filter::new(part, &rows, ctx.kernel());
        found.push((part, filter, candidates(part, &rows, ctx)?));
    }
    let outcome = walk(documents, &rows, &found, ctx)?;
    drop(found);
    finish(documents, rows, outcome)
}

/// What one scheme's search found.
pub(crate) type Searched<'a> = (SchemeDocuments<'a>, Filter<'a>, &'a Candidates);

/// A row and an earlier one, which the walk is likely to ask about.
type Asked = (u32, u32);

/// Pairs that a thread verifies at a time: to wake a thread costs as much as some verifications.
const PAIRS_AT_ONCE: usize = 64;

/// One scheme's side of the walk.
struct Side<'a> {
    documents: SchemeDocuments<'a>,
    rows: &'a Rows,
    filter: Filter<'a>,
    joined: Joined,
    stream: CandidateStream<'a>,
    verifier: Verifier<'a>,
    /// The candidates of the row at hand; and those that are left of them, by distance.
    candidates: Vec<u32>,
    ranked: CandidateList,
    /// Answers for the rows of the present window, in order of rows.
    speculations: Peekable<vec::IntoIter<(Asked, Answer)>>,
    /// Rows that were speculated on, and those whose answer was asked for.
    speculated: u64,
    used: u64,
    /// The texts of the rows below are announced.
    announced: u32,
}

/// Walks the rows in keep order. Of several schemes each is asked in turn, until one drops the row.
pub(crate) fn walk(documents: &Documents, rows: &Rows, found: &[Searched], ctx: &Context<'_>) -> Result<Outcome> {
    let length = ctx.tuning.window;
    let n = rows.len();
    let pool = ctx.pool()?;
    let mut sides = Vec::with_capacity(found.len());
    for &(documents, filter, found) in found {
        sides.push(Side {
            documents,
            rows,
            filter,
            joined: Joined::new(documents, rows),
            stream: CandidateStream::new(documents, filter, found, ctx)?,
            verifier: Verifier::new(documents, rows).with_losses(),
            candidates: Vec::new(),
            ranked: Vec::new(),
            speculations: Vec::new().into_iter().peekable(),
            speculated: 0,
            used: 0,
            announced: 0,
        });
    }
    let verifiers: Vec<_> = sides
        .iter()
        .map(|_| PerThread::new(pool.current_num_threads()))
        .collect();
    let mut walked = Walked::begin(documents, n)?;
    if let Some(dir) = walked.run_dir() {
        for side in &mut sides {
            side.restore(dir, &walked)?;
        }
    }
    let window_from = |start: u32| start..(start as usize + length).min(n) as u32;
    while (walked.rows() as usize) < n {
        let window = window_from(walked.rows());
        let next = window_from(window.end);
        let mut questions = Vec::with_capacity(sides.len());
        for side in &mut sides {
            let read_soon = side.read_soon(next.end.saturating_add(length as u32), &walked);
            questions.push((side.documents, side.likely(next.clone(), pool, &walked), read_soon));
        }
        let (answers, walk) = ctx.beside(
            || {
                let each = questions.iter().zip(&verifiers);
                each.map(|((part, asked, read_soon), verifiers)| answers(*part, rows, asked, read_soon, verifiers))
                    .collect::<Result<Vec<_>>>()
            },
            || {
                for row in window {
                    ctx.tick("decide", u64::from(row), n as u64)?;
                    walk_row(row, &mut sides, &mut walked)?;
                }
                Ok(())
            },
        )?;
        walk?;
        for (side, answers) in sides.iter_mut().zip(answers?) {
            side.speculated += answers.len() as u64;
            side.speculations = answers.into_iter().peekable();
        }
        if walked.is_due() && (walked.rows() as usize) < n {
            commit(&mut walked, &mut sides, false)?;
        }
    }
    commit(&mut walked, &mut sides, true)?;
    ctx.tick("decide", n as u64, n as u64)?;
    if walked.run_dir().is_none() {
        for side in sides {
            side.stream.keep_bits();
        }
    }
    walked.finish()
}

/// Decides on one row.
fn walk_row(row: u32, sides: &mut [Side<'_>], walked: &mut Walked<'_>) -> Result<()> {
    let mut assignment = Assignment::kept(row);
    // Most rows of a large run.
    if sides.iter().all(|side| side.is_alone(row)) {
        for side in sides {
            side.keep(row);
        }
        return walked.push(assignment);
    }
    // A copy of a dropped document follows it, whatever other schemes would find.
    for (scheme, side) in sides.iter_mut().enumerate() {
        if assignment.to == row
            && let Some(followed) = side.follow(row, walked)?
        {
            assignment = followed;
            assignment.scheme = scheme as u8;
        }
    }
    for (scheme, side) in sides.iter_mut().enumerate() {
        if assignment.to == row {
            assignment = side.decide(row, walked)?;
            assignment.scheme = if assignment.to == row { 0 } else { scheme as u8 };
        } else {
            side.stream.skip(row);
        }
    }
    for side in sides {
        if assignment.to == row {
            side.keep(row);
        }
        side.stream.finish(row, assignment.to == row)?;
    }
    walked.push(assignment)
}

/// Commits a block of the walk, or its end.
fn commit(walked: &mut Walked<'_>, sides: &mut [Side<'_>], done: bool) -> Result<()> {
    for side in sides {
        walked.note(side.documents.at, &side.stream.take_journal())?;
    }
    walked.commit(done)
}

impl Side<'_> {
    /// Whether a row has no candidate under this scheme, before any is tested.
    #[inline]
    fn is_alone(&self, row: u32) -> bool {
        self.stream.is_alone(row)
            && self.of_dropped(row).is_none()
            && self.joined.earlier(row).next().is_none()
            && self.kept_copies(row).next().is_none()
    }

    /// The old row for which an index has dropped the text of a row.
    fn of_dropped(&self, row: u32) -> Option<u32> {
        let collection = &self.documents.run.collection;
        let copies = &collection.copies_of_dropped;
        if copies.is_empty() {
            return None;
        }
        let position = self.rows.positions[row as usize];
        let at = copies.binary_search_by_key(&position, |(of, ..)| *of).ok()?;
        let old = self.rows.positions[..self.rows.old as usize].binary_search(&copies[at].1);
        let row = old.ok().map(|row| row as u32);
        row.filter(|_| !collection.relation.is_judged(position))
    }

    /// The kept rows with the text of a row, in its window of time.
    fn kept_copies(&self, row: u32) -> impl Iterator<Item = u32> {
        let relation = &self.documents.run.collection.relation;
        self.joined
            .kept_copies(row, self.rows.positions[row as usize], relation)
    }

    /// Notes that a row is kept.
    fn keep(&mut self, row: u32) {
        let relation = &self.documents.run.collection.relation;
        self.joined.keep(row, self.rows.positions[row as usize], relation);
    }

    /// For each of some later rows its first candidate that is not known to be dropped: the walk is likely to verify it. None if
    /// most such answers were not used: in large buckets the likeliest candidates are removed without a verification.
    fn likely(&self, rows: Range<u32>, pool: &ThreadPool, walked: &Walked<'_>) -> Vec<Asked> {
        if pool.current_num_threads() == 1 || self.stream.is_verified() || 2 * self.used < self.speculated {
            return Vec::new();
        }
        let likely = |edge: &&Edge| walked.is_open(edge.earlier) && self.filter.allows_order(edge.earlier, edge.later);
        let of_rows = self.stream.edges_of(rows).chunk_by(|a, b| a.later == b.later);
        of_rows
            .filter_map(|of_row| of_row.iter().find(likely))
            .map(|edge| (edge.later, edge.earlier))
            .collect()
    }

    /// Positions of the texts that the rows up to `end` are likely to need, without those given before. Without a run directory
    /// there are none: the texts were read a short time ago.
    fn read_soon(&mut self, end: u32, walked: &Walked<'_>) -> Vec<u32> {
        let collection = &self.documents.run.collection;
        if collection.run_dir().is_none() || self.stream.is_verified() {
            return Vec::new();
        }
        let new = self.stream.edges_of(self.announced..end);
        let open = new.iter().filter(|edge| walked.is_open(edge.earlier));
        let mut positions: Vec<u32> = open
            .flat_map(|edge| [edge.later, edge.earlier])
            .map(|row| self.rows.positions[row as usize])
            .collect();
        positions.sort_unstable();
        positions.dedup();
        self.announced = end;
        positions
    }

    /// Goes on after the rows that a killed run had walked, and keeps a journal for the next one.
    fn restore(&mut self, dir: &RunDir, walked: &Walked<'_>) -> Result<()> {
        if walked.rows() > 0 {
            let columns = [REJECTED, INDEXED, KNOWN].map(|column| column.of(self.documents.at));
            let [rejected, indexed, known] = columns.map(|column| dir.read(column));
            let noted = [rejected?, indexed?, known?];
            let [of_rejected, others @ ..] = &noted;
            let named = of_rejected.iter().filter(|&&row| row != RULED_OUT);
            if named
                .chain(others.iter().flat_map(|rows| &**rows))
                .any(|&row| row >= walked.rows())
            {
                return Err(dir.damaged(columns[0]));
            }
            let is_kept = |row| walked.is_kept(row);
            let noted = noted.each_ref().map(|rows| &**rows);
            self.stream
                .restore(walked.rows(), is_kept, noted, &mut self.verifier.features)?;
        }
        for row in (0..walked.rows()).filter(|&row| walked.is_kept(row)) {
            self.keep(row);
        }
        self.stream.keep_journal();
        Ok(())
    }

    /// What becomes of a row with the text of one that an index has dropped, if it is near what represents that one under this scheme.
    fn follow(&mut self, row: u32, walked: &mut Walked<'_>) -> Result<Option<Assignment>> {
        let threshold = self.documents.recipe.threshold;
        let of_dropped = self
            .of_dropped(row)
            .and_then(|earlier| self.filter.joined(earlier, row));
        if let Some(edge) = of_dropped.filter(|edge| can_be_near(threshold, edge.distance)) {
            walked.candidates += 1;
            walked.verified += 1;
            let answer = self.verifier.near(row, edge.earlier)?;
            if answer.nearness.is_near() {
                let similarity = answer.nearness.similarity();
                let to = Assignment::to(edge.earlier, edge.distance, similarity, answer.lost[0]);
                return Ok(Some(to));
            }
        }
        Ok(None)
    }

    /// What becomes of a row under this scheme.
    fn decide(&mut self, row: u32, walked: &mut Walked<'_>) -> Result<Assignment> {
        let threshold = self.documents.recipe.threshold;
        let copies: Vec<u32> = self.kept_copies(row).collect();
        while self.speculations.next_if(|((of, _), _)| *of < row).is_some() {}
        let mut speculation = self.speculations.next_if(|((of, _), _)| *of == row);
        let Self {
            documents,
            rows,
            filter,
            joined,
            stream,
            verifier,
            candidates,
            ranked,
            used,
            ..
        } = self;
        let is_kept = |earlier: u32| walked.is_kept(earlier);
        stream.next(row, is_kept, &mut verifier.features, candidates)?;
        let found = candidates.len() as u64;
        stream.prune(row, &mut verifier.features, candidates)?;
        stream.rank(row, candidates, ranked);
        let kept = joined.earlier(row).filter(|&earlier| is_kept(earlier));
        let edges = kept.chain(copies).filter_map(|earlier| filter.joined(earlier, row));
        ranked.extend(edges.map(|edge| (edge.distance, edge.earlier)));
        if ranked.len() > candidates.len() {
            ranked.sort_unstable();
            ranked.dedup();
        }
        walked.candidates += found;
        let relation = &documents.run.collection.relation;
        for &(distance, earlier) in &*ranked {
            walked.verified += 1;
            let answer = match speculation.take_if(|((_, asked), _)| *asked == earlier) {
                Some((_, answer)) => {
                    *used += 1;
                    answer
                }
                None => match stream.verified(row, distance, earlier) {
                    Some((similarity, lost)) => Answer {
                        lost: [lost, NOT_MEASURED],
                        ..Answer::of(Nearness::Similar(similarity), AS_GIVEN)
                    },
                    None if can_be_near(threshold, distance) => verifier.near(row, earlier)?,
                    None => Answer::FAR,
                },
            };
            let nearness = answer.nearness;
            if nearness.is_near() {
                return Ok(Assignment::to(earlier, distance, nearness.similarity(), answer.lost[0]));
            }
            if relation.joins(rows.positions[row as usize], rows.positions[earlier as usize]) {
                return Ok(Assignment::joined(earlier, distance, verifier.lost(row, earlier)?[0]));
            }
            stream.reject(row, earlier, &mut verifier.features)?;
        }
        Ok(Assignment::kept(row))
    }
}

/// Tells the system which texts are read soon, and verifies pairs, on the threads of the pool that this runs on.
fn answers<'a>(
    part: SchemeDocuments<'a>,
    rows: &'a Rows,
    asked: &[Asked],
    read_soon: &[u32],
    verifiers: &PerThread<Verifier<'a>>,
) -> Result<Vec<(Asked, Answer)>> {
    announce(&part.run.collection.sources, read_soon);
    let answer = |asked: &[Asked]| {
        let verify = |verifier: &mut Verifier<'a>| {
            verifier.forget();
            let each = asked.iter();
            each.map(|&(later, earlier)| Ok(((later, earlier), verifier.near(later, earlier)?)))
                .collect::<Result<Vec<_>>>()
        };
        verifiers.with(|| Verifier::new(part, rows).with_losses(), verify)
    };
    let answers: Result<Vec<_>> = asked.par_chunks(PAIRS_AT_ONCE).map(answer).collect();
    Ok(answers?.concat())
}
