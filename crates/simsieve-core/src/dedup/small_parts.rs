//! Pages whose main text is a small part of what a reader sees: the rule that finds it may have missed it.

use rayon::prelude::*;

use crate::base::context::Context;
use crate::base::error::Result;
use crate::dedup::documents::SchemeDocuments;
use crate::dedup::dominated::sampled;
use crate::encode::input::html_text::Extract;
use crate::source::RecordBuffer;
use crate::text::html::{self, main_is_small};

/// How many of some pages have a small main text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SmallParts {
    /// Pages that were looked at.
    pub pages: u64,
    /// Those whose main text is small.
    pub small: u64,
    /// The position of the first of them.
    pub example: Option<u32>,
}

/// Looks at pages of the new documents; `None` where another text than the main text is compared.
///
/// # Errors
/// A source has changed, or the threads cannot be started.
pub fn small_parts(documents: SchemeDocuments<'_>, ctx: &Context<'_>) -> Result<Option<SmallParts>> {
    if documents.encoding.scheme.extract_name() != Extract::Main.name() {
        return Ok(None);
    }
    let mut positions = sampled(documents);
    positions.retain(|&position| documents.encoding.valid[position as usize]);
    let small: Result<Vec<bool>> = ctx.pool()?.install(|| {
        let positions = positions.par_iter();
        positions
            .map_init(
                <(RecordBuffer, html::Scratch)>::default,
                |(buffer, scratch), &position| {
                    documents
                        .run
                        .collection
                        .with_text(position, buffer, |page| main_is_small(page, scratch))?
                },
            )
            .collect()
    });
    let small = small?;
    Ok(Some(SmallParts {
        pages: positions.len() as u64,
        small: small.iter().filter(|&&is_small| is_small).count() as u64,
        example: small.iter().position(|&is_small| is_small).map(|at| positions[at]),
    }))
}
