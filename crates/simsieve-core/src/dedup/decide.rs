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
//! Likely verifications are computed in advance and in parallel, a window of rows at a time. The walk is sequential and
//! uses an answer where it needs the same pair, so threads change nothing.

use std::iter::Peekable;
use std::vec;

use rayon::ThreadPool;
use rayon::prelude::*;

use crate::base::context::Context;
use crate::base::error::Result;
use crate::dedup::candidates::stream::{CandidateList, CandidateStream};
use crate::dedup::candidates::{Candidates, Edge, Filter, Rows, candidates, feature_rows};
use crate::dedup::decisions::finish;
pub use crate::dedup::decisions::{Counts, Decision, Decisions, NOBODY, Reason};
use crate::dedup::documents::{Documents, SchemeDocuments};
use crate::dedup::joined::{Joined, can_be_near};
use crate::dedup::kept;
use crate::dedup::outcome::{Assignment, Outcome, Walked};
use crate::dedup::pieces::of_scheme;
use crate::dedup::verify::{Nearness, Verifier};
use crate::source::announce;
use crate::storage::run_dir::{Appender, RunDir};

/// Decides on every record. The threads of `ctx` change the time and no decision.
pub fn decide(documents: &Documents, ctx: &Context<'_>) -> Result<Decisions> {
    let (collection, copy_of) = (&*documents.collection, documents.copies(ctx)?);
    let rows = Rows::of(collection, copy_of)?;
    if let Some(outcome) = Outcome::read(documents, rows.len())? {
        return finished(documents, copy_of, rows, &outcome);
    }
    let mut found = Vec::new();
    for part in documents.searched() {
        let filter = Filter::new(part, &rows, ctx.kernel()).with_feature_rows(feature_rows(part, &rows, ctx)?);
        found.push((part, filter, candidates(part, &rows, ctx)?));
    }
    let outcome = walk(documents, &rows, &found, ctx)?;
    drop(found);
    finished(documents, copy_of, rows, &outcome)
}

/// Makes the decisions, and lists in a run directory what is kept.
fn finished(documents: &Documents, copy_of: &[u32], rows: Rows, outcome: &Outcome) -> Result<Decisions> {
    let decisions = finish(documents, copy_of, rows, outcome)?;
    kept::write(documents, &decisions)?;
    Ok(decisions)
}

/// What one scheme's search found.
pub(crate) type Searched<'a> = (SchemeDocuments<'a>, Filter<'a>, &'a Candidates);

/// What speculation computed for a row: the answer to its likeliest question.
type Speculation = Option<(u32, Nearness)>;

/// One scheme's side of the walk.
struct Side<'a> {
    documents: SchemeDocuments<'a>,
    rows: &'a Rows,
    filter: Filter<'a>,
    joined: Joined,
    stream: CandidateStream<'a>,
    verifier: Verifier<'a>,
    candidates: CandidateList,
    /// Answers for the rows of the present window, in order of rows.
    speculations: Peekable<vec::IntoIter<(u32, Speculation)>>,
    /// Rows that were speculated on, and those whose answer was asked for.
    speculated: u64,
    used: u64,
    /// The texts of the rows below are announced.
    announced: u32,
    journal: Option<Journal>,
}

/// What the walk on one side is restored from, besides the assignments: files of rows.
struct Journal {
    /// The earlier row of each rejection.
    rejected: Appender,
    /// The rows of the index, in its order.
    indexed: Appender,
    /// The rows whose bits are known.
    known: Appender,
}

/// The names of the files of a [`Journal`].
fn journal_names(scheme: usize) -> [String; 3] {
    ["rejected", "indexed", "known"].map(|name| of_scheme(scheme, name))
}

/// Walks the rows in keep order. Of several schemes each is asked in turn, until one drops the row.
pub(crate) fn walk(documents: &Documents, rows: &Rows, found: &[Searched], ctx: &Context<'_>) -> Result<Outcome> {
    const WINDOW: usize = if cfg!(test) { 64 } else { 4096 };
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
            announced: 0,
            journal: None,
        });
    }
    let mut walked = Walked::begin(documents, n)?;
    if let Some(dir) = walked.run_dir() {
        for side in &mut sides {
            side.restore(dir, &walked)?;
        }
    }
    while (walked.rows() as usize) < n {
        let start = walked.rows() as usize;
        let window = start as u32..(start + WINDOW).min(n) as u32;
        for side in &mut sides {
            side.announce(window.end.saturating_add(WINDOW as u32), pool, &walked);
            side.prepare(window.end, pool, &walked)?;
        }
        for row in window {
            ctx.tick("decide", u64::from(row), n as u64)?;
            let mut assignment = Assignment::kept(row);
            for (scheme, side) in sides.iter_mut().enumerate() {
                if assignment.to == row {
                    assignment = side.decide(row, &mut walked)?;
                    assignment.scheme = if assignment.to == row { 0 } else { scheme as u8 };
                } else {
                    side.stream.skip(row);
                }
            }
            for side in &mut sides {
                side.stream.finish(row, assignment.to == row)?;
            }
            walked.push(assignment)?;
        }
        if walked.is_due() && (walked.rows() as usize) < n {
            commit(&mut walked, &mut sides, false)?;
        }
    }
    commit(&mut walked, &mut sides, true)?;
    ctx.tick("decide", n as u64, n as u64)?;
    walked.finish()
}

/// Commits a block of the walk, or its end.
fn commit(walked: &mut Walked<'_>, sides: &mut [Side<'_>], done: bool) -> Result<()> {
    let mut files = Vec::new();
    let names: Vec<String> = sides.iter().flat_map(|side| journal_names(side.documents.at)).collect();
    for side in sides {
        let noted = side.stream.take_journal();
        if let Some(journal) = &mut side.journal {
            journal.rejected.push(&noted.rejected)?;
            journal.indexed.push(&noted.indexed)?;
            journal.known.push(&noted.known)?;
            files.extend([&mut journal.rejected, &mut journal.indexed, &mut journal.known]);
        }
    }
    let names: Vec<&str> = names.iter().map(|name| &**name).collect();
    walked.commit(done, files, if done { &names } else { &[] })
}

impl Side<'_> {
    /// Computes in parallel the verifications that the rows below `end` are likely to need. It stops if most such
    /// answers were not used: in large buckets the likeliest candidates are removed without a verification.
    fn prepare(&mut self, end: u32, pool: &ThreadPool, walked: &Walked<'_>) -> Result<()> {
        let open = !self.stream.is_verified() && 2 * self.used >= self.speculated;
        let speculations = if pool.current_num_threads() > 1 && open {
            pool.install(|| speculate(self.documents, &self.filter, self.stream.edges_below(end), walked))?
        } else {
            Vec::new()
        };
        self.speculated += speculations.len() as u64;
        self.speculations = speculations.into_iter().peekable();
        Ok(())
    }

    /// Tells the system which texts the next window is likely to read. Without a run directory the texts were read a short time ago.
    fn announce(&mut self, end: u32, pool: &ThreadPool, walked: &Walked<'_>) {
        let collection = &self.documents.run.collection;
        if collection.run_dir().is_none() || self.stream.is_verified() {
            return;
        }
        let edges = self.stream.edges_below(end);
        let new = &edges[edges.partition_point(|edge| edge.later < self.announced)..];
        let open = new.iter().filter(|edge| walked.is_open(edge.earlier));
        let mut positions: Vec<u32> = open
            .flat_map(|edge| [edge.later, edge.earlier])
            .map(|row| self.rows.positions[row as usize])
            .collect();
        positions.sort_unstable();
        positions.dedup();
        pool.install(|| announce(&collection.sources, &positions));
        self.announced = end;
    }

    /// Goes on after the rows that a killed run had walked, and keeps a journal for the next one.
    fn restore(&mut self, dir: &RunDir, walked: &Walked<'_>) -> Result<()> {
        let names = journal_names(self.documents.at);
        if walked.rows() > 0 {
            let [rejected, indexed, known] = names.each_ref().map(|name| dir.column::<u32>(name));
            let noted = [rejected?, indexed?, known?];
            if noted.iter().flat_map(|rows| &**rows).any(|&row| row >= walked.rows()) {
                return Err(dir.damaged(&names[0]));
            }
            let is_kept = |row| walked.is_kept(row);
            let noted = noted.each_ref().map(|rows| &**rows);
            self.stream.restore(walked.rows(), is_kept, noted, &mut self.verifier)?;
        }
        self.stream.keep_journal();
        let [rejected, indexed, known] = names.each_ref().map(|name| dir.appender(name));
        self.journal = Some(Journal {
            rejected: rejected?,
            indexed: indexed?,
            known: known?,
        });
        Ok(())
    }

    /// What becomes of a row under this scheme.
    fn decide(&mut self, row: u32, walked: &mut Walked<'_>) -> Result<Assignment> {
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
        let is_kept = |earlier: u32| walked.is_kept(earlier);
        stream.next(row, is_kept, verifier, candidates)?;
        let found = candidates.len() as u64;
        stream.prune(row, verifier, candidates)?;
        let pruned = candidates.len();
        let kept = joined.earlier(row).filter(|&earlier| is_kept(earlier));
        let edges = kept.filter_map(|earlier| filter.joined(earlier, row));
        candidates.extend(edges.map(|edge| (edge.distance, edge.earlier)));
        if candidates.len() > pruned {
            candidates.sort_unstable();
            candidates.dedup();
        }
        walked.candidates += found;
        let threshold = documents.recipe.threshold;
        let relation = &documents.run.collection.relation;
        for &(distance, earlier) in &*candidates {
            walked.verified += 1;
            let nearness = match speculation.take_if(|(speculated, _)| *speculated == earlier) {
                Some((_, answer)) => {
                    *used += 1;
                    answer
                }
                None => match stream.similarity(row, distance, earlier) {
                    Some(similarity) => Nearness::Similar(similarity),
                    None if can_be_near(threshold, distance) => verifier.near(row, earlier)?,
                    None => Nearness::Far,
                },
            };
            if nearness.is_near() {
                return Ok(Assignment::to(earlier, distance, nearness.similarity()));
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
    filter: &Filter<'_>,
    edges: &[Edge],
    walked: &Walked<'_>,
) -> Result<Vec<(u32, Speculation)>> {
    let groups: Vec<&[Edge]> = edges.chunk_by(|a, b| a.later == b.later).collect();
    groups
        .par_iter()
        .map_init(
            || Verifier::new(documents, filter.rows()),
            |verifier, group| {
                let asked =
                    |edge: &&Edge| walked.is_open(edge.earlier) && filter.allows_order(edge.earlier, edge.later);
                let speculation = match group.iter().find(asked) {
                    Some(edge) => Some((edge.earlier, verifier.near(edge.later, edge.earlier)?)),
                    None => None,
                };
                Ok((group[0].later, speculation))
            },
        )
        .collect()
}
