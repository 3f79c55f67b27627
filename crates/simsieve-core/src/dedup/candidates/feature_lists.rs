//! The features of many rows, fetched from their texts: counted for the order of rarity, one chunk of rows for each
//! thread.

use rayon::prelude::*;

use crate::base::error::Result;
use crate::dedup::candidates::Rows;
use crate::dedup::candidates::prefix::{Prefixes, Rarity};
use crate::dedup::documents::SchemeDocuments;
use crate::encode::paths;
use crate::encode::scheme::Scratch;

/// Most features counted for the order of rarity.
const MAX_COUNTED_FEATURES: usize = 1 << 24;

/// The order of features by rarity: as it was frozen for the search keys, or counted on evenly spread rows, up to
/// [`MAX_COUNTED_FEATURES`] features.
pub(super) fn order(documents: SchemeDocuments<'_>, rows: &Rows) -> Result<Option<Prefixes>> {
    let Some(threshold) = documents.recipe.threshold.least_cosine() else {
        return Ok(None);
    };
    if let Some(paths) = &documents.encoding.paths {
        return Ok(Some(Prefixes::new(Rarity::of(&paths.rarity), threshold)));
    }
    let all = 0..rows.len() as u32;
    let features: usize = all.clone().map(|row| size(documents, rows, row)).sum();
    let counted: Vec<u32> = all.step_by(features.div_ceil(MAX_COUNTED_FEATURES).max(1)).collect();
    let lists = counted.par_chunks(CHUNK).map(|rows_here| {
        let mut lists = Vec::new();
        each_list(documents, rows, rows_here, &mut |features: &[u64]| {
            lists.push(features.to_vec());
        })?;
        Ok(lists)
    });
    let lists: Vec<Vec<u64>> = lists.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect();
    let total = lists.iter().map(Vec::len).sum();
    let rarity = paths::Rarity::count(lists.iter().map(Vec::as_slice), total)?;
    Ok(Some(Prefixes::new(Rarity::of(&rarity), threshold)))
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
pub(super) fn each_list(
    documents: SchemeDocuments<'_>,
    rows: &Rows,
    some: &[u32],
    add: &mut dyn FnMut(&[u64]),
) -> Result<()> {
    let (mut buffer, mut scratch) = (Vec::new(), Scratch::default());
    some.iter().try_for_each(|&row| {
        documents.extract(rows.positions[row as usize], &mut buffer, &mut scratch)?;
        add(scratch.features.hashes());
        Ok(())
    })
}
