//! The features of many rows, fetched from their texts: counted for the order of rarity, one chunk of rows for each
//! thread.

use crate::base::error::Result;
use crate::dedup::candidates::Rows;
use crate::dedup::candidates::prefix::{Prefixes, Rarity};
use crate::dedup::documents::SchemeDocuments;
use crate::encode::scheme::Scratch;

/// Most features counted for the order of rarity.
const MAX_COUNTED_FEATURES: usize = 1 << 24;

/// The order of features by rarity, counted on evenly spread rows of `among`, up to [`MAX_COUNTED_FEATURES`] features.
pub(super) fn order(documents: SchemeDocuments<'_>, rows: &Rows, among: &[u32]) -> Result<Option<Prefixes>> {
    let Some(threshold) = documents.recipe.threshold.least_cosine() else {
        return Ok(None);
    };
    let features: usize = among.iter().map(|&row| size(documents, rows, row)).sum();
    let counted: Vec<u32> = among
        .iter()
        .copied()
        .step_by(features.div_ceil(MAX_COUNTED_FEATURES).max(1))
        .collect();
    let chunks = counted.len().div_ceil(CHUNK);
    let rarity = Rarity::count(chunks, features.min(MAX_COUNTED_FEATURES), |at, add| {
        each_list(documents, rows, chunk(&counted, at), add)
    })?;
    Ok(Some(Prefixes::new(rarity, threshold)))
}

/// Distinct features of a row.
pub(super) fn size(documents: SchemeDocuments<'_>, rows: &Rows, row: u32) -> usize {
    documents.encoding.sizes[rows.positions[row as usize] as usize] as usize
}

/// Rows counted by one thread at a time.
pub(super) const CHUNK: usize = 256;

pub(super) fn chunk(rows: &[u32], at: usize) -> &[u32] {
    &rows[at * CHUNK..rows.len().min((at + 1) * CHUNK)]
}

/// Calls `add` with the features of each of the given rows.
pub(super) fn each_list(documents: SchemeDocuments<'_>, rows: &Rows, some: &[u32], add: &dyn Fn(&[u64])) -> Result<()> {
    let (mut buffer, mut scratch) = (Vec::new(), Scratch::default());
    some.iter().try_for_each(|&row| {
        documents.extract(rows.positions[row as usize], &mut buffer, &mut scratch)?;
        add(scratch.features.hashes());
        Ok(())
    })
}
