//! Changes of an index: each writes segments, then the manifest.

pub(crate) mod add;
pub(crate) mod batches;
pub(crate) mod change;
pub(crate) mod merge;
pub(crate) mod remove;
pub(crate) mod rows;
pub(crate) mod upkeep;
