//! Which documents of an index are in the window of time of new ones.

use crate::collection::dates::has_near;
use crate::index::files::segment::Place;
use crate::index::files::state::State;

/// The dates of new records, and the window of the index.
pub(crate) struct InTime<'a> {
    state: &'a State,
    /// The window; none where there is none, or nothing is asked about a date.
    span: Option<u64>,
    /// The date of each new record; none where these have no dates.
    dates: &'a [i64],
    /// Ascending: these dates, or the one about which is asked.
    sorted: Vec<i64>,
}

impl<'a> InTime<'a> {
    pub(crate) fn new(state: &'a State, dates: &'a [i64], asked: Option<i64>) -> Self {
        let mut sorted: Vec<i64> = dates.iter().copied().chain(asked).collect();
        sorted.sort_unstable();
        Self {
            state,
            span: state.manifest.window().filter(|_| !sorted.is_empty()),
            dates,
            sorted,
        }
    }

    /// Whether all documents are near all new records in time.
    pub(crate) const fn are_all(&self) -> bool {
        self.span.is_none()
    }

    /// Whether a kept document is near some new record in time.
    pub(crate) fn has(&self, place: Place) -> bool {
        self.span.is_none_or(|span| {
            let date = self.state.segment(place).encoded.dates.at(place.row as usize);
            has_near(&self.sorted, date, span)
        })
    }

    /// Whether a kept document is near the new record at a position in time.
    #[inline]
    pub(crate) fn is_near(&self, place: Place, own: u32) -> bool {
        self.span.is_none_or(|span| {
            let date = self.state.segment(place).encoded.dates.at(place.row as usize);
            let own = self.dates.get(own as usize).unwrap_or(&self.sorted[0]);
            date.abs_diff(*own) <= span
        })
    }
}
