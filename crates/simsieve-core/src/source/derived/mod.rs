//! Sources made of other ones: parts, and sources without some of their text.

pub(super) mod cut;
pub(super) mod part;
