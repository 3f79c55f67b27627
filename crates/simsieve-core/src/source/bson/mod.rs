//! Rows that come as BSON documents.

pub(super) mod documents;
pub(super) mod packed;
pub(super) mod resent;
