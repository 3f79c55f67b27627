//! What is compared, and what is removed.

use std::sync::Arc;

use super::units::Unit;
use crate::storage::run_dir::RunDir;

/// What is compared.
#[derive(Debug, Clone)]
pub struct Options {
    /// The field with the text.
    pub text_field: String,
    /// Where the label is.
    pub id_field: String,
    /// A unit counts as repeated among texts that are equal here only.
    pub scope: Option<String>,
    /// What is compared and removed as a whole.
    pub unit: Unit,
    /// Shorter units stay, in characters of the normalised unit.
    pub min_length: u32,
    /// Where sorted runs are kept as files; in memory where there is none. Never changes a result.
    pub run_dir: Option<Arc<RunDir>>,
}

/// What is removed of that which is repeated.
#[derive(Debug, Clone, Copy)]
pub struct Choice {
    /// How many of each unit stay: the first ones. With none, units that occur once stay even so.
    pub keep: usize,
    /// The least share of the texts of its scope that a unit stands in.
    pub min_share: f64,
    /// How many of the most frequent units are told.
    pub shown: usize,
}
