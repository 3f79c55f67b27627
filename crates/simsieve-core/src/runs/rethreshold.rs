//! Deciding from pairs that are known already: no search and no verification. Texts are read for what each drop loses.

use rayon::prelude::*;

use crate::base::context::Context;
use crate::base::error::Result;
use crate::dedup::decide::decisions::{Decisions, finish};
use crate::dedup::decide::outcome::{Assignment, Outcome};
use crate::dedup::pairs::near_rows;
use crate::dedup::verify::Verifier;
use crate::dedup::verify::losses::NOT_MEASURED;
use crate::dedup::verify::many::measure_losses;
use crate::recipe::Threshold;
use crate::search::candidates::{Edge, Rows};
use crate::search::documents::Documents;
use crate::search::found::edges_fit;
use crate::storage::column::Column;
use crate::storage::form::{Stored, stage};

/// Every near pair of rows of a run at its threshold, as columns in order of (later, distance, earlier).
#[derive(Debug, Default, Clone, PartialEq)]
pub struct SavedPairs {
    /// The pairs.
    pub edges: Column<Edge>,
    /// Their similarities, NaN where a verdict alone makes a pair near; empty under a distance.
    pub similarities: Column<f64>,
}

stage! {
    /// Finds every near pair.
    PAIR: () = "pairs" after ["search.N"] {
        /// The pairs.
        PAIRS: Edge = "pairs",
        /// The similarity of each pair; none under a distance.
        SIMILARITIES: f64 = "similarities",
    }
}

impl SavedPairs {
    /// Searches for every near pair of rows, the ones of two old rows left out.
    ///
    /// # Errors
    /// [`crate::base::error::Error::TooMany`] where there are more than `max_pairs`; [`crate::base::error::Error::Config`] where there are
    /// several schemes.
    pub fn find(documents: &Documents, max_pairs: u64, ctx: &Context<'_>) -> Result<Self> {
        documents.refuse_combined("a saved run")?;
        let rows = Rows::of(&documents.collection)?;
        let mut near = near_rows(documents.under(0), &rows, max_pairs, ctx)?;
        ctx.pool()?.install(|| near.par_sort_unstable_by_key(|near| near.edge));
        Ok(Self {
            edges: near.iter().map(|near| near.edge).collect(),
            similarities: if documents.recipes[0].threshold.by_similarity() {
                near.iter().map(|near| near.similarity.unwrap_or(f64::NAN)).collect()
            } else {
                Column::default()
            },
        })
    }

    /// The pairs of this many rows that are stored; `None` where none are. They have similarities where these are `measured`.
    pub(super) fn read(stored: &impl Stored, rows: usize, measured: bool) -> Result<Option<Self>> {
        if stored.finished(PAIR.name).is_none() {
            return Ok(None);
        }
        let edges = stored.fitting(PAIRS, |edges| edges_fit(edges, rows))?;
        let length = if measured { edges.len() } else { 0 };
        let similarities = stored.fitting(SIMILARITIES, |all| all.len() == length)?;
        Ok(Some(Self { edges, similarities }))
    }

    /// Decides on every new record by the pairs that are near at the documents' threshold. That is the threshold of the
    /// pairs or a stricter one ([`Documents::rethreshold`]). The decisions are those of
    /// [`crate::dedup::decide::decide`] on the same documents.
    pub fn decide(&self, documents: &Documents, ctx: &Context<'_>) -> Result<Decisions> {
        let rows = Rows::of(&documents.collection)?;
        let relation = &documents.collection.relation;
        let mut assignments: Vec<Assignment> = Vec::with_capacity(rows.len());
        let mut candidates = 0;
        let mut at = 0;
        for row in 0..rows.len() as u32 {
            ctx.tick("decide", u64::from(row), rows.len() as u64)?;
            let mut assignment = Assignment::kept(row);
            while let Some(edge) = self.edges.get(at).filter(|edge| edge.later == row) {
                let similarity = self.similarities.get(at).copied();
                at += 1;
                let near = match documents.recipes[0].threshold {
                    Threshold::Distance(bits) => edge.distance <= bits,
                    threshold => similarity >= threshold.similarity(),
                };
                let positions = [row, edge.earlier].map(|row| rows.positions[row as usize]);
                let by_verdict = !near && relation.joins(positions[0], positions[1]);
                if (near || by_verdict) && assignments[edge.earlier as usize].to == edge.earlier {
                    candidates += 1;
                    if assignment.to == row {
                        assignment = if near {
                            Assignment::to(edge.earlier, edge.distance, similarity, NOT_MEASURED)
                        } else {
                            Assignment::by_verdict(edge.earlier, edge.distance, NOT_MEASURED)
                        };
                    }
                }
            }
            assignments.push(assignment);
        }
        ctx.tick("decide", rows.len() as u64, rows.len() as u64)?;
        let verifier = || Verifier::new(documents.under(0), &rows).with_losses();
        let measure = |verifier: &mut Verifier<'_>, row, assignment: &mut Assignment| {
            if assignment.to as usize != row {
                let lost = verifier.lost(row as u32, assignment.to)?[0];
                assignment.lost = lost;
                // A pair within the distance that loses too much is there only because a verdict joins it.
                if lost != NOT_MEASURED && relation.max_lost.is_some_and(|most| lost > most) {
                    *assignment = Assignment::by_verdict(assignment.to, assignment.distance() as u32, lost);
                }
            }
            Ok(())
        };
        measure_losses(&mut assignments, &verifier, measure, ctx)?;
        let outcome = Outcome {
            assignments: assignments.into(),
            candidates,
            verified: 0,
        };
        finish(documents, rows, outcome)
    }
}
