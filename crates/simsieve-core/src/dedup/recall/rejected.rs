//! A sample of the pairs that the search compared and that are not near.
//!
//! Kept documents are sampled by a seeded hash of their positions. The candidates of a kept document among earlier kept ones are all
//! rejected: a near one would have dropped it.

use rayon::prelude::*;

use crate::base::bits::BitSet;
use crate::base::context::Context;
use crate::base::error::Result;
use crate::base::hash::mix;
use crate::dedup::decide::decisions::Decisions;
use crate::dedup::recall::least_by;
use crate::dedup::verify::Verifier;
use crate::search::candidates::{Filter, Met};
use crate::search::documents::Documents;

/// A pair that was compared and is not near.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rejected {
    /// Position of the document that is earlier in the keep order.
    pub a: u32,
    /// Position of the later one.
    pub b: u32,
    /// Bits in which their fingerprints differ.
    pub distance: u32,
    /// Their similarity, which is below the threshold.
    pub similarity: f64,
}

/// Kept documents that are sampled.
const SAMPLED: usize = 512;
/// Pairs of one of them at most; of more, these are drawn by a hash.
const MOST_OF_A_ROW: usize = 16;
/// Members of its large buckets that it is compared with, about: all would cost the rows of a whole family for each.
const MOST_MEMBERS: usize = 4096;

/// Samples rejected pairs. There are none under a distance, of several schemes, and where no search was made.
///
/// Complexity: the tests of the candidates of some hundred rows, and some thousand verifications.
///
/// # Errors
/// A source has changed, or an interrupt.
pub fn sample(documents: &Documents, decisions: &Decisions, seed: u64, ctx: &Context<'_>) -> Result<Vec<Rejected>> {
    let part = documents.under(0);
    let least = part.recipe.threshold.similarity();
    let (Some(found), Some(least), false) = (part.search.found.get(), least, documents.is_combined()) else {
        return Ok(Vec::new());
    };
    let (rows, kept_rows) = (&decisions.rows, &decisions.kept_rows);
    let mut kept = BitSet::below(rows.len());
    for &row in kept_rows {
        kept.insert(row as usize);
    }
    let new = kept_rows.partition_point(|&row| row < rows.old);
    let hash = |row: u32| mix(mix(!seed) ^ u64::from(rows.positions[row as usize]));
    let mut chosen = least_by(kept_rows[new..].iter().copied(), SAMPLED, hash);
    chosen.sort_unstable();
    let filter = Filter::new(part, rows, ctx.kernel());
    let met = Met::of(filter, found);
    let of_row = |(verifier, list): &mut (Verifier<'_>, Vec<u32>), row: u32| -> Result<Vec<Rejected>> {
        let mut edges = met.earlier_of(row, MOST_MEMBERS, list);
        edges.retain(|edge| kept.contains(edge.earlier as usize));
        edges.sort_unstable_by_key(|edge| mix(u64::from(row) << 32 | u64::from(edge.earlier)));
        edges.truncate(MOST_OF_A_ROW);
        let mut rejected = Vec::with_capacity(edges.len());
        for edge in edges {
            let similarity = verifier.similarity(row, edge.earlier)?;
            rejected.extend(similarity.filter(|&found| found < least).map(|similarity| Rejected {
                a: rows.positions[edge.earlier as usize],
                b: rows.positions[row as usize],
                distance: edge.distance,
                similarity,
            }));
        }
        Ok(rejected)
    };
    let of_rows: Result<Vec<Vec<Rejected>>> = ctx.pool()?.install(|| {
        let chosen = chosen.par_iter();
        chosen
            .map_init(
                || (Verifier::new(part, rows), Vec::new()),
                |work, &row| of_row(work, row),
            )
            .collect()
    });
    Ok(of_rows?.into_iter().flatten().collect())
}
