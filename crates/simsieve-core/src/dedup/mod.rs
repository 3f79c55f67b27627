//! From candidates to decisions: exact copies, the walk in keep order, verification, decisions, recall, and their files.

pub mod decide;
pub mod exact;
mod feature_bits;
mod joined;
pub mod loading;
pub mod output;
pub mod pairs;
pub mod recall;
pub mod verify;
