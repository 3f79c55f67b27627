//! The feature bits of all texts, as wide as the search wants them: see [`words_of_all`].

use std::ops::Range;

use rayon::prelude::*;

use crate::base::context::Context;
use crate::base::error::Result;
use crate::collection::Collection;
use crate::encode::feature_bits;
use crate::encode::scheme::Scratch;
use crate::encode::weight::Weights;
use crate::recipe::Recipe;
use crate::search::feature_bits::words_of_all;
use crate::source::RecordBuffer;
use crate::storage::column::Column;
use crate::storage::form::of_scheme;
use crate::storage::run_dir::ScratchColumn;

/// Texts that are read by one thread at a time, and those that are in memory beside the column.
const CHUNK: usize = 512;
const GROUP: usize = 64 * CHUNK;

/// Leaves each scheme that is searched the bits that it wants. They are there, unless a run goes on or the sample had other texts: then
/// each text is read once more.
pub(super) fn complete(collection: &mut Collection, recipes: &[Recipe], ctx: &Context<'_>) -> Result<()> {
    for (at, recipe) in recipes.iter().enumerate() {
        let encoding = &collection.encodings[at];
        let words = words_of_all(recipe, encoding.scheme.weights() != Weights::Once, encoding.mean_size());
        if encoding.bits.len() != words * collection.len() {
            collection.encodings[at].bits = read(collection, at, words, ctx)?;
        }
    }
    Ok(())
}

/// The bits of all texts, row-major.
fn read(collection: &Collection, at: usize, words: usize, ctx: &Context<'_>) -> Result<Column<u64>> {
    if words == 0 {
        return Ok(Column::default());
    }
    let (name, n) = (of_scheme("feature_bits.N", at), collection.len());
    let mut column = ScratchColumn::new(collection.run_dir(), &name, n * words)?;
    let pool = ctx.pool()?;
    for start in (0..n).step_by(GROUP) {
        ctx.tick("fingerprint", start as u64, n as u64)?;
        let chunks = (start..n.min(start + GROUP)).into_par_iter().step_by(CHUNK);
        let chunks = chunks.map(|start| of_texts(collection, at, start..n.min(start + CHUNK), words));
        let chunks: Vec<Vec<u64>> = pool.install(|| chunks.collect::<Result<_>>())?;
        column.extend(chunks.into_iter().flatten())?;
    }
    column.finish()
}

/// The bits of the texts at some positions; zeros where there is no fingerprint.
fn of_texts(collection: &Collection, at: usize, positions: Range<usize>, words: usize) -> Result<Vec<u64>> {
    let encoding = &collection.encodings[at];
    let mut bits = vec![0; positions.len() * words];
    let (mut buffer, mut scratch) = (RecordBuffer::default(), Scratch::default());
    for (position, bits) in positions.zip(bits.chunks_exact_mut(words)) {
        if encoding.valid[position] {
            collection.extract(&encoding.scheme, position as u32, &mut buffer, &mut scratch)?;
            feature_bits::write(scratch.features.hashes(), bits);
        }
    }
    Ok(bits)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::recipe::Threshold;
    use crate::search::documents::Options;
    use crate::tests::support::{documents_with, options};

    #[test]
    fn bits_that_are_gone_are_made_again() {
        let texts: Vec<String> = (0..40).map(|at| format!("text {at} of {} words", at * at)).collect();
        let options = Options {
            threshold: Threshold::Similarity(0.6),
            recipe_for: Some(1 << 14),
            ..options(&["first"])
        };
        let mut documents = documents_with(&[texts, vec![String::new()]].concat(), &options);
        let collection = Arc::get_mut(&mut documents.collection).unwrap();
        let made = std::mem::take(&mut collection.encodings[0].bits);
        assert!(!made.is_empty());
        complete(collection, &documents.recipes, &Context::small(2)).unwrap();
        assert_eq!(collection.encodings[0].bits, made);
    }
}
