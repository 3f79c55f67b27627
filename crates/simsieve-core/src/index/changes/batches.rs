//! What an index knows of its batches.

use std::collections::BTreeMap;

use super::remove::names;
use crate::base::error::Result;
use crate::index::files::segment::{Place, Row};
use crate::index::open::Index;

/// A change of an index that has a number: documents that were added together, or taken out together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BatchCounts {
    /// The number, from 1 in the order of the changes.
    pub number: u32,
    /// The name; the number where none was given.
    pub name: String,
    /// Kept documents of it that are in the index.
    pub kept: u64,
    /// Dropped documents of it that are in the index.
    pub dropped: u64,
    /// Documents of it that are gone.
    pub gone: u64,
    /// Documents of earlier batches that it has removed or replaced.
    pub removed: u64,
    /// Whether it was undone.
    pub undone: bool,
}

/// The batches of the index with the greatest numbers, at most `newest`, in their order. A batch without any entry in the files, as
/// after a purge, is left out.
///
/// Complexity: a look at the batch of each document.
///
/// # Errors
/// [`Error::Source`](crate::base::error::Error::Source) where a file was cut.
pub fn batches(index: &Index, newest: u32) -> Result<Vec<BatchCounts>> {
    let state = index.whole_state()?;
    let first = state.manifest.next.batch.saturating_sub(newest).saturating_add(1);
    // A map, because a number may be anything in a file that was forged.
    let mut all: BTreeMap<u32, BatchCounts> = BTreeMap::new();
    for (at, segment) in state.segments.iter().enumerate() {
        let kept = (0..segment.len() as u32).map(Row::Kept);
        let rows = kept.chain((0..segment.dropped.numbers.len() as u32).map(Row::Dropped));
        let rows: Vec<Row> = rows.collect();
        for same in rows.chunk_by(|one, other| segment.batch(*one) == segment.batch(*other)) {
            let number = segment.batch(same[0]);
            if number < first {
                continue;
            }
            let of = all.entry(number).or_default();
            for &row in same {
                match row {
                    _ if !state.is_live(Place::new(at, row)) => of.gone += 1,
                    Row::Kept(_) => of.kept += 1,
                    Row::Dropped(_) => of.dropped += 1,
                }
            }
        }
        for tombstone in segment.tombstones.iter().filter(|one| one.by as u32 >= first) {
            all.entry(tombstone.by as u32).or_default().removed += 1;
        }
        for (number, name) in names(&segment.names).filter(|(number, _)| *number >= first) {
            all.entry(number).or_default().name = name;
        }
    }
    state.check_read()?;
    let named = all.into_iter().map(|(number, of)| BatchCounts {
        name: if of.name.is_empty() {
            number.to_string()
        } else {
            of.name
        },
        undone: state.is_undone(number),
        number,
        ..of
    });
    Ok(named.collect())
}
