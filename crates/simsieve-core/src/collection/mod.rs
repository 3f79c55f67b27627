//! What was read, as columns over positions: texts, labels, keep order, relation, and what texts became under each scheme.
//!
//! In: sources and encoders. Out: a [`Collection`]. It knows no search.

#[expect(clippy::module_inception, reason = "the type that the module is named for")]
mod collection;
pub(crate) mod columns;
pub mod combine;
pub mod dates;
pub mod fields;
pub mod fit;
pub mod ingest;
pub mod keep_order;
pub mod keep_values;
pub mod label_column;
pub(crate) mod labels;
pub mod names;
pub mod relation;
pub mod seen;

pub use collection::{Collection, Encoding};
pub(crate) use collection::{changed, check_number, rows};
