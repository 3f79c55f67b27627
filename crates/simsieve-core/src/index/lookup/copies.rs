//! The documents of an index that have the text of a new one.

use rayon::prelude::*;

use super::question::Question;
use crate::collection::fields::content_of;
use crate::collection::labels::canonical;
use crate::index::files::segment::{Place, Row, identity};
use crate::recipe::search_keys::each_equal;

/// New documents that one thread looks up at a time.
const LOOKED_UP_AT_ONCE: usize = 256;

/// Documents with the texts of new ones.
#[derive(Debug, Default)]
pub(crate) struct Copies {
    /// Those that are kept, in their windows of time.
    pub(crate) kept: Vec<Place>,
    /// New documents with the text of a dropped one, by their positions. Such a copy is dropped for the representative of the first one
    /// that was dropped, also where a nearer document was kept later. Under a window of time each is compared by itself.
    pub(crate) of_dropped: Vec<CopyOfDropped>,
}

/// A new document with the text of a dropped one.
#[derive(Debug)]
pub(crate) struct CopyOfDropped {
    pub(crate) position: u32,
    pub(crate) representative: Place,
    /// Not where it is the dropped document itself, by its id.
    pub(crate) is_copy: bool,
}

/// The documents with the texts of new ones; `is_there` says of a document of the index whether no new one replaces it.
pub(crate) fn copies(question: &Question<'_>, is_there: impl Fn(Place<Row>) -> bool + Sync) -> Copies {
    let (state, new, times) = (question.state, question.new, &question.times);
    let (first_digests, segments) = (&new.encoded[0].digests, &state.segments);
    let follow = times.are_all();
    let digests = |position: usize| new.encoded.iter().map(move |rows| rows.digests[position]);
    let of_all = |position: usize| identity(digests(position).chain(content_of(new.row(position))));
    let of_some = |start: usize| {
        let some = start..first_digests.len().min(start + LOOKED_UP_AT_ONCE);
        let valid = some.filter(|&position| new.encoded.iter().any(|rows| rows.valid[position]));
        let wanted = valid.flat_map(|position| {
            let (first, all) = (first_digests[position] as u64, of_all(position) as u64);
            let hashes = [first].into_iter().chain((all != first).then_some(all));
            hashes.flat_map(move |hash| {
                let segments = segments.iter().enumerate();
                segments.map(move |(at, segment)| segment.digests.wanted(hash, (at, position as u32)))
            })
        });
        let (mut kept, mut dropped) = (Vec::new(), Vec::new());
        each_equal(wanted, |items, (at, position)| {
            let items = segments[at].digests.sound(items);
            let rows = items.iter().map(|&item| segments[at].row(item as u32));
            let has = |row: Row, digest| segments[at].digest(row) == digest;
            for row in rows {
                match row {
                    Row::Kept(_) if !has(row, first_digests[position as usize]) => {}
                    Row::Dropped(_) if !has(row, of_all(position as usize)) => {}
                    Row::Kept(row) if times.is_near(Place::new(at, row), position) => kept.push(Place::new(at, row)),
                    Row::Dropped(of) if follow && is_there(Place::new(at, row)) => {
                        let representative = segments[at].dropped.representatives.at(of as usize);
                        let label = new.labels.get(position as usize).map(canonical);
                        let is_copy = label.is_none() || label.as_deref() != segments[at].label(row);
                        dropped.push((position, segments[at].number(row), representative, is_copy));
                    }
                    _ => {}
                }
            }
        });
        (kept, dropped)
    };
    let starts = (0..first_digests.len()).into_par_iter().step_by(LOOKED_UP_AT_ONCE);
    let (kept, dropped): (Vec<_>, Vec<_>) = starts.map(of_some).unzip();
    let mut dropped = dropped.concat();
    dropped.sort_unstable();
    let group = |position: u32| new.row(position as usize).first();
    let represented = dropped.into_iter().filter_map(|(position, _, number, is_copy)| {
        let representative = state.live_row_of(number).filter(|&place| is_there(place))?.kept()?;
        let is_equal = state.segment(representative).group(representative.row).first() == group(position);
        is_equal.then_some(CopyOfDropped {
            position,
            representative,
            is_copy,
        })
    });
    let mut of_dropped: Vec<CopyOfDropped> = represented.collect();
    of_dropped.dedup_by_key(|copy| copy.position);
    Copies {
        kept: kept.concat(),
        of_dropped,
    }
}
