//! The feature bits of all rows, where sketches tell too little: at low thresholds and of short texts.

use rayon::prelude::*;

use crate::base::context::Context;
use crate::base::error::Result;
use crate::encode::feature_bits::{self, BIT_WORDS};
use crate::encode::scheme::{Scheme, Scratch};
use crate::encode::weight::Weights;
use crate::recipe::Recipe;
use crate::recipe::bits::{are_short, has_feature_rows, is_weak};
use crate::search::candidates::feature_lists::total_size;
use crate::search::candidates::{Filter, Rows};
use crate::search::documents::SchemeDocuments;
use crate::source::RecordBuffer;
use crate::storage::form::of_scheme;
use crate::storage::run_dir::ScratchColumn;

/// Rows whose texts are read by one thread at a time, and those that are in memory beside the column.
const CHUNK: usize = 512;
const GROUP: usize = 64 * CHUNK;

/// The feature bits of all rows, row-major; none where sketches tell enough. Costs a reading of each text, once for the documents.
fn feature_rows<'a>(documents: SchemeDocuments<'a>, rows: &Rows, ctx: &Context<'_>) -> Result<&'a [u64]> {
    let search = documents.search;
    if !pays(documents, rows) {
        return Ok(&[]);
    }
    if let Some(column) = search.bits.get() {
        return Ok(column);
    }
    let name = of_scheme("feature_rows.N", documents.at);
    let dir = documents.run.collection.run_dir();
    let mut column = ScratchColumn::new(dir, &name, rows.len() * BIT_WORDS)?;
    let (pool, total) = (ctx.pool()?, rows.len() as u64);
    let all: Vec<u32> = (0..GROUP.min(rows.len()) as u32).collect();
    for start in (0..rows.len()).step_by(GROUP) {
        ctx.tick("search", 0, total)?;
        let group = &all[..GROUP.min(rows.len() - start)];
        let chunks = group.par_chunks(CHUNK).map(|chunk| {
            let some: Vec<u32> = chunk.iter().map(|&row| row + start as u32).collect();
            bits_of_rows(documents, rows, &some)
        });
        let chunks: Vec<Vec<u64>> = pool.install(|| chunks.collect::<Result<_>>())?;
        column.extend(chunks.into_iter().flatten())?;
    }
    let column = column.finish()?;
    Ok(search.bits.get_or_init(|| column))
}

/// The filter of a search, which compares feature bits first where there are any.
pub(crate) fn feature_filter<'a>(
    documents: SchemeDocuments<'a>,
    rows: &'a Rows,
    ctx: &Context<'_>,
) -> Result<Filter<'a>> {
    Ok(Filter::new(documents, rows, ctx.kernel()).with_feature_rows(feature_rows(documents, rows, ctx)?))
}

/// Whether feature bits say more than sketches.
fn pays(documents: SchemeDocuments<'_>, rows: &Rows) -> bool {
    let counted = documents.encoding.scheme.weights() != Weights::Once;
    let mean_size = || total_size(documents, rows) as f64 / rows.len().max(1) as f64;
    is_weak(documents.recipe) && are_short(counted, mean_size())
}

/// Bytes of the feature bits of a row, for texts of so many features in the mean; 0 where none are made.
pub(crate) fn feature_row_bytes(recipe: &Recipe, scheme: &Scheme, features: f64) -> u64 {
    if has_feature_rows(recipe, scheme.weights() != Weights::Once, features) {
        size_of::<[u64; BIT_WORDS]>() as u64
    } else {
        0
    }
}

fn bits_of_rows(documents: SchemeDocuments<'_>, rows: &Rows, some: &[u32]) -> Result<Vec<u64>> {
    let mut bits = vec![0; some.len() * BIT_WORDS];
    let (mut buffer, mut scratch) = (RecordBuffer::default(), Scratch::default());
    for (&row, bits) in some.iter().zip(bits.as_chunks_mut::<BIT_WORDS>().0) {
        let position = rows.positions[row as usize];
        // A row without a fingerprint here has one under another scheme.
        if documents.encoding.valid[position as usize] {
            documents.extract(position, &mut buffer, &mut scratch)?;
            feature_bits::write(scratch.features.hashes(), bits);
        }
    }
    Ok(bits)
}
