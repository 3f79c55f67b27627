//! Pages whose main text is a small part of the visible text: the rule for the main text may have missed it.

use rayon::prelude::*;

use crate::base::context::Context;
use crate::base::error::Result;
use crate::base::hash::mix;
use crate::encode::input::html_text::Extract;
use crate::search::documents::SchemeDocuments;
use crate::source::RecordBuffer;
use crate::text::html::{PageScratch, main_is_small};

/// Documents that are looked at; of fewer, all.
const SAMPLED: u32 = 2000;

/// Looks at pages of the new documents: how many, those with a small main text, and the position of the first of them. `None` where
/// another text than the main text is compared.
///
/// # Errors
/// A source has changed, or the threads cannot be started.
pub fn small_parts(documents: SchemeDocuments<'_>, ctx: &Context<'_>) -> Result<Option<(u64, u64, Option<u32>)>> {
    if documents.encoding.scheme.extract_name() != Extract::Main.name() {
        return Ok(None);
    }
    let mut positions = sampled(documents);
    positions.retain(|&position| documents.encoding.valid[position as usize]);
    let is_small = |(buffer, scratch): &mut (RecordBuffer, PageScratch), &position: &u32| {
        let collection = &documents.run.collection;
        collection.with_text(position, buffer, |page| main_is_small(page, scratch))?
    };
    let found: Result<Vec<bool>> = ctx.pool()?.install(|| {
        let positions = positions.par_iter();
        positions
            .map_init(<(RecordBuffer, PageScratch)>::default, is_small)
            .collect()
    });
    let found = found?;
    let small = found.iter().filter(|&&is_small| is_small).count();
    let example = found.iter().position(|&is_small| is_small).map(|at| positions[at]);
    Ok(Some((positions.len() as u64, small as u64, example)))
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
