//! A look at some of the new documents: how many are of a kind, and one of them.

use rayon::prelude::*;

use crate::base::context::Context;
use crate::base::error::Result;
use crate::base::hash::mix;
use crate::search::documents::SchemeDocuments;
use crate::source::RecordBuffer;

/// How many of some documents are of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LookedAt {
    /// Documents that were looked at.
    pub documents: u64,
    /// Those of the kind.
    pub found: u64,
    /// The position of the first of them.
    pub example: Option<u32>,
}

/// Documents that are looked at; of fewer, all.
const SAMPLED: u32 = 2000;

/// Looks at usable documents among the new ones; `is_of_kind` takes a position, and what a thread keeps from one to the next.
///
/// # Errors
/// A source has changed, or the threads cannot be started.
pub(crate) fn look_at<S: Default>(
    documents: SchemeDocuments<'_>,
    ctx: &Context<'_>,
    is_of_kind: impl Fn(u32, &mut RecordBuffer, &mut S) -> Result<bool> + Sync + Send,
) -> Result<LookedAt> {
    let mut positions = sampled(documents);
    positions.retain(|&position| documents.encoding.valid[position as usize]);
    let found: Result<Vec<bool>> = ctx.pool()?.install(|| {
        let positions = positions.par_iter();
        positions
            .map_init(<(RecordBuffer, S)>::default, |(buffer, scratch), &position| {
                is_of_kind(position, buffer, scratch)
            })
            .collect()
    });
    let found = found?;
    Ok(LookedAt {
        documents: positions.len() as u64,
        found: found.iter().filter(|&&is_one| is_one).count() as u64,
        example: found.iter().position(|&is_one| is_one).map(|at| positions[at]),
    })
}

/// The positions of the new documents that are looked at, in order.
fn sampled(documents: SchemeDocuments<'_>) -> Vec<u32> {
    let new = documents.run.collection.sources.new_len() as u32;
    let mut positions: Vec<u32> = if new <= SAMPLED {
        (0..new).collect()
    } else {
        let draw = |at: u32| (mix(mix(documents.recipe.seed) ^ u64::from(at)) % u64::from(new)) as u32;
        (0..SAMPLED).map(draw).collect()
    };
    positions.sort_unstable();
    positions.dedup();
    positions
}
