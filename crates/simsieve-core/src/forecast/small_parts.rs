//! Pages whose main text is a small part of the visible text: the rule for the main text may have missed it.

use crate::base::context::Context;
use crate::base::error::Result;
use crate::encode::input::html_text::Extract;
use crate::forecast::look_at::{LookedAt, look_at};
use crate::search::documents::SchemeDocuments;
use crate::text::html::{self, main_is_small};

/// Looks at pages of the new documents; `None` where another text than the main text is compared.
///
/// # Errors
/// A source has changed, or the threads cannot be started.
pub fn small_parts(documents: SchemeDocuments<'_>, ctx: &Context<'_>) -> Result<Option<LookedAt>> {
    if documents.encoding.scheme.extract_name() != Extract::Main.name() {
        return Ok(None);
    }
    let collection = &documents.run.collection;
    let looked_at = look_at(documents, ctx, |position, buffer, scratch: &mut html::PageScratch| {
        collection.with_text(position, buffer, |page| main_is_small(page, scratch))?
    });
    looked_at.map(Some)
}
