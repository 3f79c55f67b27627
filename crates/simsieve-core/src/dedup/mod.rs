//! From records to decisions: ingest, exact copies, candidates by a recipe, verification, decisions, recall.

pub mod cluster;
pub mod decide;
pub mod decision_documents;
pub mod decisions;
pub mod dominated;
pub mod exact;
pub mod forecast;
mod joined;
mod kept;
pub mod look_at;
pub mod loss_summary;
pub mod losses;
pub(crate) mod orders;
pub(crate) mod outcome;
pub mod output;
pub mod pairs;
pub mod recall;
pub mod rejected;
pub mod small_parts;
pub mod verify;
mod verify_many;
pub mod walk;
