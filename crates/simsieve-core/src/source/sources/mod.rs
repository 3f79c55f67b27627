//! All sources of a run, by one row of positions.

pub(super) mod announce;
pub(super) mod collection;
pub(super) mod member;
pub(super) mod nearby;
