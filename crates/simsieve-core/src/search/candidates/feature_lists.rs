//! The features of many rows, fetched from their texts: counted, one chunk of rows for each
//! thread.

use rayon::prelude::*;

use crate::base::error::Result;
use crate::encode::scheme::Scratch;
use crate::encode::weight::Weights;
use crate::search::candidates::Rows;
use crate::search::candidates::overlap::{Common, Profiles, Repeated};
use crate::search::documents::SchemeDocuments;
use crate::source::RecordBuffer;

/// Rows whose features are counted for the common ones, and their features at most.
const COUNTED_ROWS: usize = 512;
const MAX_COUNTED_FEATURES: usize = 1 << 22;

/// The profiles of rows, by features that are common among `members`; `None` under a distance.
pub(crate) fn profiles(documents: SchemeDocuments<'_>, rows: &Rows, members: &[u32]) -> Result<Option<Profiles>> {
    let Some(threshold) = documents.recipe.threshold.least_cosine() else {
        return Ok(None);
    };
    let spread = members.iter().copied().step_by((members.len() / COUNTED_ROWS).max(1));
    let mut features = 0;
    let counted: Vec<u32> = spread
        .take_while(|&row| {
            features += size(documents, rows, row);
            features <= MAX_COUNTED_FEATURES
        })
        .collect();
    let lists = counted.par_chunks(16).map(|rows_here| {
        let mut lists = Vec::new();
        each_list(documents, rows, rows_here, &mut |features: &[u64]| {
            lists.push(features.to_vec());
        })?;
        Ok(lists)
    });
    let lists: Vec<Vec<u64>> = lists.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect();
    let common = Common::of(&lists, members.len(), threshold);
    let once = documents.encoding.scheme.weights() == Weights::Once;
    Ok(Some(Profiles::new(common, threshold, once)))
}

/// Distinct features of a row.
pub(crate) fn size(documents: SchemeDocuments<'_>, rows: &Rows, row: u32) -> usize {
    documents.encoding.sizes[rows.positions[row as usize] as usize] as usize
}

/// Distinct features of all rows together.
pub(crate) fn total_size(documents: SchemeDocuments<'_>, rows: &Rows) -> usize {
    (0..rows.len() as u32).map(|row| size(documents, rows, row)).sum()
}

/// Distinct features of a row in the mean, rounded down.
pub(crate) fn mean_size(documents: SchemeDocuments<'_>, rows: &Rows) -> usize {
    total_size(documents, rows) / rows.len().max(1)
}

/// The features that two rows have at least, of all rows, which have `features` together. Reads each text once.
pub(crate) fn repeated(documents: SchemeDocuments<'_>, rows: &Rows, features: usize) -> Result<Repeated> {
    /// Rows counted by one thread at a time.
    const CHUNK: usize = 256;
    let all: Vec<u32> = (0..rows.len() as u32).collect();
    Repeated::count(all.len().div_ceil(CHUNK), features, |at, add| {
        let chunk = &all[at * CHUNK..all.len().min((at + 1) * CHUNK)];
        each_list(documents, rows, chunk, &mut |features: &[u64]| add(features))
    })
}

/// Calls `add` with the features of each of the given rows.
fn each_list(documents: SchemeDocuments<'_>, rows: &Rows, some: &[u32], add: &mut dyn FnMut(&[u64])) -> Result<()> {
    let (mut buffer, mut scratch) = (RecordBuffer::default(), Scratch::default());
    some.iter().try_for_each(|&row| {
        documents.extract(rows.positions[row as usize], &mut buffer, &mut scratch)?;
        add(scratch.features.hashes());
        Ok(())
    })
}
