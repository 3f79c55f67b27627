//! From documents to a saved run.

use std::path::Path;

use super::{About, KIND};
use crate::base::context::Context;
use crate::base::error::{Error, Result};
use crate::collection::columns::{
    COPIES, COPY, DIGESTS, ENCODE, EncodeState, FAILURES, FINGERPRINTS, GROUPS, JUDGED, LABEL_ENDS, LABELS, ORDER,
    PLACE, SIZES, SKETCHES, VALID,
};
use crate::collection::ingest::pieces::failure_lines;
use crate::runs::rethreshold::{PAIR, PAIRS, SIMILARITIES, SavedPairs};
use crate::search::candidates::{Rows, candidates};
use crate::search::documents::Documents;
use crate::search::found::{EDGES, MEMBERS, SEARCH};
use crate::source::SavedSource;
use crate::storage::form::ColumnSink;
use crate::storage::packed::Packer;

/// Saves a run, whole or not at all. `settings` is the caller's own JSON and comes back as it is; `pairs` are those of
/// [`SavedPairs::find`], or none.
///
/// # Errors
/// [`Error::Config`] where a source is no file; [`Error::Sink`] where the file cannot be written.
pub fn save(
    documents: &Documents,
    settings: &str,
    pairs: Option<&SavedPairs>,
    sink: &Path,
    ctx: &Context<'_>,
) -> Result<()> {
    documents.refuse_combined("a saved run")?;
    if documents.collection.relation.times.is_some() {
        return Err(Error::Config(msg!(
            "a run with {@window} cannot be saved; leave one of them out, or make an index"
        )));
    }
    let collection = &documents.collection;
    let encoding = &collection.encodings[0];
    let rows = Rows::of(collection)?;
    // Keys of paths are made of texts, so what they found is saved.
    let of_texts = documents.recipes[0].paths.is_some();
    let found = of_texts
        .then(|| candidates(documents.under(0), &rows, ctx))
        .transpose()?;
    let about = about(documents, settings)?;
    // Stamps of files that changed meanwhile would vouch for what was not read.
    collection.sources.check_unchanged()?;
    let mut out = Packer::create(sink, &KIND, ctx)?;
    out.put(FINGERPRINTS.of(0), &encoding.fingerprints)?;
    out.put(VALID.of(0), &encoding.valid)?;
    out.put(SKETCHES.of(0), &encoding.sketches)?;
    out.put(DIGESTS.of(0), &encoding.digests)?;
    out.put(SIZES.of(0), &encoding.sizes)?;
    out.put(LABELS, &collection.labels.bytes)?;
    out.put(LABEL_ENDS, &collection.labels.ends)?;
    out.put(GROUPS, &collection.relation.groups)?;
    out.put(FAILURES, &failure_lines(&collection.failures))?;
    let records = collection.len();
    let hits = collection.hits;
    out.finish(
        ENCODE,
        &EncodeState {
            records,
            hits,
            dated: false,
        },
    );
    out.put(ORDER, &collection.order)?;
    out.put(JUDGED, &collection.relation.judged_positions())?;
    out.finish(PLACE, &());
    out.put(COPIES, &collection.copies)?;
    out.finish(COPY, &());
    if let Some(found) = found {
        out.put(EDGES.of(0), &found.edges)?;
        out.put(MEMBERS.of(0), &found.memberships)?;
        out.finish(SEARCH, &found.state());
    }
    if let Some(pairs) = pairs {
        out.put(PAIRS, &pairs.edges)?;
        out.put(SIMILARITIES, &pairs.similarities)?;
        out.finish(PAIR, &());
    }
    out.commit(&about).map(drop)
}

/// What the documents are made of.
fn about(documents: &Documents, settings: &str) -> Result<About> {
    let collection = &documents.collection;
    let encoding = &collection.encodings[0];
    let sources = collection.sources.saved()?;
    let is_text = |source: &&SavedSource| source.path.to_str().is_some() && source.absolute.to_str().is_some();
    if let Some(source) = sources.iter().find(|source| !is_text(source)) {
        return Err(Error::Config(msg!(
            "the source {path} has a name that is not UTF-8, so this run cannot be saved; rename it or link to \
             it",
            path = source.path.display()
        )));
    }
    Ok(About {
        settings: settings.to_owned(),
        scheme: encoding.scheme.spec(),
        scheme_digest: encoding.scheme.digest(),
        recipe: documents.recipes[0].to_json(),
        frozen_digest: encoding.frozen_digest.clone(),
        max_lost: collection.relation.max_lost,
        text_field: collection.fields.text.clone(),
        id_field: collection.fields.id.clone(),
        sources,
    })
}
