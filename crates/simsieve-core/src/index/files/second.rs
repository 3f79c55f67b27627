//! Second sketches of long kept documents: a document that passes the first sketch, and not both together, is not read.
//!
//! Many long texts that share two fifths pass the first sketch, and few of them both; of those that share half most do. To read one costs
//! some 15 microseconds, to compare a second sketch a fetch of 128 bytes. The column is left out where no document is long; of a short
//! one it has zeros, which say nothing.

use crate::base::kernel::Kernel;
use crate::encode::scheme::Scheme;
use crate::encode::weight::Weights;
use crate::recipe::Recipe;
use crate::search::feature_bits::{SECOND_WORDS, write_second};
use crate::storage::column::Column;
use crate::storage::form::ColumnName;

/// Second sketches of kept documents, row-major.
pub(crate) const SECOND_SKETCHES: ColumnName<u64> = ColumnName::new("second_sketches.N");

/// Features of a document that has one, at least.
const LEAST_SIZE: u32 = 512;

/// Whether a document of `size` features has a second sketch under a scheme and its recipe.
pub(crate) fn has_second(scheme: &Scheme, recipe: &Recipe, size: u32) -> bool {
    size >= LEAST_SIZE && recipe.threshold.by_similarity() && scheme.weights() == Weights::Once
}

/// Second sketches of rows, as far as the last one that has one.
#[derive(Debug, Default)]
pub(crate) struct SecondSketches(Vec<u64>);

impl SecondSketches {
    /// Writes the second sketch of a row from its features. The row comes behind all others.
    pub(crate) fn set(&mut self, row: usize, kernel: Kernel, features: &[u64]) {
        self.0.resize((row + 1) * SECOND_WORDS, 0);
        write_second(kernel, features, &mut self.0[row * SECOND_WORDS..]);
    }

    /// Adds those of further rows, from `first` on.
    pub(crate) fn append(&mut self, first: usize, others: &Self) {
        if !others.0.is_empty() {
            self.0.resize(first * SECOND_WORDS, 0);
            self.0.extend_from_slice(&others.0);
        }
    }

    /// The column of all rows; empty where no row has one.
    pub(crate) fn finish(mut self, rows: usize) -> Column<u64> {
        if !self.0.is_empty() {
            self.0.resize(rows * SECOND_WORDS, 0);
        }
        self.0.into()
    }
}
