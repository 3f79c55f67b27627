//! The rows of a search under one numbering: one collection, or two, the second after the first.
//!
//! In: the caller's [`Rows`]. Out: values by number. Called by [`super::engine`], [`super::plan`] and
//! [`super::buckets`]. Rows are copied only if they have more words than their width needs.

use std::borrow::Cow;
use std::ops::Range;

use super::rows::Rows;

/// A row's number in a search.
pub(super) type Id = u32;

/// Distinct sample rows are taken from about this many places.
const SAMPLE: usize = 4096;

/// One side of a search.
#[derive(Debug)]
struct Side<'a, const W: usize> {
    values: Cow<'a, [[u64; W]]>,
    valid: Option<&'a [bool]>,
}

impl<'a, const W: usize> Side<'a, W> {
    fn new(rows: &Rows<'a>) -> Self {
        let values = if rows.words == W {
            // Whole rows: `Rows::check` guarantees it.
            Cow::Borrowed(rows.values.as_chunks::<W>().0)
        } else {
            let row = |row: &[u64]| std::array::from_fn(|w| row[w]);
            Cow::Owned(rows.values.chunks_exact(rows.words).map(row).collect())
        };
        Self {
            values,
            valid: rows.valid,
        }
    }

    /// The valid rows of a range, numbered from `base` on.
    fn walk(&self, range: Range<usize>, base: usize) -> impl Iterator<Item = (Id, [u64; W])> {
        let numbered = range.clone().zip(&self.values[range]);
        let valid = numbered.filter(|(at, _)| self.valid.is_none_or(|valid| valid[*at]));
        valid.map(move |(at, row)| ((base + at) as Id, *row))
    }
}

/// All rows that a search compares. With two sides, a pair has one row of each.
#[derive(Debug)]
pub(super) struct Field<'a, const W: usize> {
    first: Side<'a, W>,
    second: Option<Side<'a, W>>,
}

impl<'a, const W: usize> Field<'a, W> {
    pub fn new(rows: &Rows<'a>, other: Option<&Rows<'a>>) -> Self {
        Self {
            first: Side::new(rows),
            second: other.map(Side::new),
        }
    }

    /// Rows of both sides, valid or not.
    pub fn len(&self) -> usize {
        self.border() + self.second.as_ref().map_or(0, |side| side.values.len())
    }

    /// The first number of the second side; the number of rows if there is none.
    pub fn border(&self) -> usize {
        self.first.values.len()
    }

    /// Whether pairs have a row of each side.
    pub fn is_across(&self) -> bool {
        self.second.is_some()
    }

    /// A row's value.
    pub fn row(&self, id: Id) -> [u64; W] {
        let at = id as usize;
        match &self.second {
            Some(second) if at >= self.border() => second.values[at - self.border()],
            _ => self.first.values[at],
        }
    }

    /// The valid rows with numbers in `range`, in order.
    pub fn walk(&self, range: Range<usize>) -> impl Iterator<Item = (Id, [u64; W])> {
        let border = self.border();
        let first = self.first.walk(range.start.min(border)..range.end.min(border), 0);
        let behind = range.start.max(border) - border..range.end.max(border) - border;
        let second = self.second.iter();
        first.chain(second.flat_map(move |side| side.walk(behind.clone(), border)))
    }

    /// A few thousand valid rows, spread evenly over both sides.
    pub fn sample(&self) -> Vec<[u64; W]> {
        let step = self.len().div_ceil(SAMPLE).max(1);
        let places = (0..self.len()).step_by(step);
        places
            .flat_map(|at| self.walk(at..at + 1))
            .map(|(_, row)| row)
            .collect()
    }
}
