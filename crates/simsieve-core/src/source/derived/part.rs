//! Sources that are joined, and the sizes of their records.

use std::sync::Arc;

use crate::base::error::Result;
use crate::source::sources::collection::Sources;

/// All sources of several, in order: the records of the first have the first positions. All read the same open files.
#[must_use]
pub fn joined(several: &[&Sources]) -> Sources {
    Sources::of(
        several
            .iter()
            .flat_map(|sources| sources.iter().map(Arc::clone))
            .collect(),
    )
}

/// How many bytes each of these records takes in its source, its terminator included; of one beyond the limit its own.
///
/// # Errors
/// As [`Sources::whole_span`].
pub fn sizes(sources: &Sources, positions: &[usize]) -> Result<Vec<u64>> {
    let size = |&position: &usize| match sources.overlong(position) {
        Some(bytes) => Ok(bytes),
        None => sources.whole_span(position).map(|span| span.end - span.start),
    };
    positions.iter().map(size).collect()
}
