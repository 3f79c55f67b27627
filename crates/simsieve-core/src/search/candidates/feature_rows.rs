//! The feature bits of all rows, where sketches tell too little: at low thresholds and of short texts.

use rayon::prelude::*;

use crate::base::context::Context;
use crate::base::error::Result;
use crate::encode::feature_bits::{self, BIT_WORDS};
use crate::encode::scheme::Scratch;
use crate::encode::weight::Weights;
use crate::search::candidates::feature_lists::total_size;
use crate::search::candidates::{Filter, Rows};
use crate::search::documents::SchemeDocuments;
use crate::search::feature_bits::{FeatureBits, come_first};
use crate::source::RecordBuffer;
use crate::storage::column::Column;
use crate::storage::form::of_scheme;
use crate::storage::run_dir::ScratchColumn;

/// Rows whose texts are read by one thread at a time, and those that are in memory beside the column.
const CHUNK: usize = 512;
const GROUP: usize = 64 * CHUNK;

/// The filter of a search, which compares feature bits first where these say more than sketches. It makes them once for the documents.
pub(crate) fn feature_filter<'a>(
    documents: SchemeDocuments<'a>,
    rows: &'a Rows,
    ctx: &Context<'_>,
) -> Result<Filter<'a>> {
    let filter = Filter::new(documents, rows, ctx.kernel());
    let (search, counted) = (documents.search, documents.encoding.scheme.weights() != Weights::Once);
    let mean = || total_size(documents, rows) as f64 / rows.len().max(1) as f64;
    if !come_first(documents.recipe, counted, mean) {
        return Ok(filter);
    }
    if search.bits.get().is_none() {
        let bits = FeatureBits::of_all(column(documents, rows, ctx)?, ctx.kernel());
        search.bits.get_or_init(|| bits);
    }
    // A walk at a stricter threshold may have made the bits of some rows before.
    let whole = search.bits.get().and_then(FeatureBits::whole);
    Ok(whole.map_or(filter, |bits| filter.with_feature_rows(bits)))
}

/// The bits of all rows, row-major. Costs a reading of each text.
fn column(documents: SchemeDocuments<'_>, rows: &Rows, ctx: &Context<'_>) -> Result<Column<u64>> {
    let name = of_scheme("feature_rows.N", documents.at);
    let dir = documents.run.collection.run_dir();
    let mut column = ScratchColumn::new(dir, &name, rows.len() * BIT_WORDS)?;
    let (pool, total) = (ctx.pool()?, rows.len() as u64);
    for group in rows.positions.chunks(GROUP) {
        ctx.tick("search", 0, total)?;
        let chunks = group.par_chunks(CHUNK).map(|chunk| bits_of_texts(documents, chunk));
        let chunks: Vec<Vec<u64>> = pool.install(|| chunks.collect::<Result<_>>())?;
        column.extend(chunks.into_iter().flatten())?;
    }
    column.finish()
}

/// The bits of the short texts at some positions.
fn bits_of_texts(documents: SchemeDocuments<'_>, positions: &[u32]) -> Result<Vec<u64>> {
    let mut bits = vec![0; positions.len() * BIT_WORDS];
    let (mut buffer, mut scratch) = (RecordBuffer::default(), Scratch::default());
    for (&position, bits) in positions.iter().zip(bits.as_chunks_mut::<BIT_WORDS>().0) {
        // A row without a fingerprint here has one under another scheme.
        if documents.encoding.valid[position as usize] {
            documents.extract(position, &mut buffer, &mut scratch)?;
            feature_bits::write(scratch.features.hashes(), bits);
        }
    }
    Ok(bits)
}
