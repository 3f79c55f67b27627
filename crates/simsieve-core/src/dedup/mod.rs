//! From records to decisions: ingest, exact copies, candidates by a recipe, verification, decisions, recall.

pub mod candidates;
pub mod collection;
pub mod combine;
pub mod decide;
pub mod decisions;
pub mod documents;
pub mod exact;
pub mod fit;
pub mod forecast;
pub mod former;
pub mod found;
pub mod ingest;
mod joined;
pub mod keep_order;
pub mod label_column;
pub(crate) mod labels;
pub(crate) mod outcome;
pub mod output;
pub mod pairs;
mod pieces;
pub mod recall;
pub mod recipe;
pub mod relation;
pub mod sample;
pub mod search_keys;
mod unusable;
pub mod verify;
