//! Sorted values that may be more than memory holds: sorted runs in files, merged at the end.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::mem::size_of;

use rayon::ThreadPool;
use rayon::prelude::*;

use super::{Appender, RunDir};
use crate::base::error::Result;
use crate::storage::column::{Column, Element};

/// Values that are gathered, sorted and made distinct: in memory, or with a directory in runs of a bounded size.
#[derive(Debug, Default)]
pub struct SortedRuns<'a, T: Element> {
    place: Option<(&'a RunDir, &'a str)>,
    pending: Vec<T>,
    runs: usize,
    /// The runs that are not committed.
    written: Vec<Appender>,
}

/// What [`SortedRuns::finish`] gives.
#[derive(Debug)]
pub struct Sorted<T: Element> {
    /// The values in order, each once.
    pub column: Column<T>,
    /// What wrote them, for the commit; none in memory.
    pub file: Option<Appender>,
    /// The runs, which are not needed after the commit.
    pub runs: Vec<String>,
}

impl<'a, T: Element + Ord> SortedRuns<'a, T> {
    /// No values. With a place, a directory and the name of a file there, memory holds a bounded number of them; `runs` are committed
    /// there.
    pub const fn new(place: Option<(&'a RunDir, &'a str)>, runs: usize) -> Self {
        Self {
            place,
            pending: Vec::new(),
            runs,
            written: Vec::new(),
        }
    }

    /// Adds values.
    pub fn extend(&mut self, values: impl IntoIterator<Item = T>) {
        self.pending.extend(values);
    }

    /// Sorts what is in memory, and writes it where it is more than the bound.
    ///
    /// # Errors
    /// [`Error::Storage`](crate::base::error::Error::Storage) where the directory cannot be written.
    pub fn bound(&mut self, pool: &ThreadPool) -> Result<()> {
        let Some((dir, _)) = self.place else { return Ok(()) };
        let room = dir.gathered_bytes() / size_of::<T>();
        if self.pending.len() <= room {
            return Ok(());
        }
        self.compact(pool);
        // What is mostly repeated is left to grow once more.
        if self.pending.len() > room / 2 {
            self.write()?;
        }
        Ok(())
    }

    /// Writes all that is in memory as a run. Returns the runs that are not committed; the caller commits them, and their number.
    ///
    /// # Errors
    /// As [`SortedRuns::bound`].
    pub fn write_all(&mut self, pool: &ThreadPool) -> Result<(Vec<Appender>, usize)> {
        if !self.pending.is_empty() {
            self.compact(pool);
            self.write()?;
        }
        Ok((std::mem::take(&mut self.written), self.runs))
    }

    fn write(&mut self) -> Result<()> {
        let Some((dir, name)) = self.place else { return Ok(()) };
        let mut out = dir.appender(&run_name(name, self.runs))?;
        out.push(&self.pending)?;
        out.flush()?;
        self.written.push(out);
        self.runs += 1;
        self.pending.clear();
        Ok(())
    }

    /// Sorts what is in memory and removes what is repeated.
    pub fn compact(&mut self, pool: &ThreadPool) {
        pool.install(|| self.pending.par_sort_unstable());
        self.pending.dedup();
    }

    /// The sorted values, each once. With a directory they are in its file.
    ///
    /// # Errors
    /// As [`SortedRuns::bound`].
    pub fn finish(mut self, pool: &ThreadPool) -> Result<Sorted<T>> {
        self.compact(pool);
        let Some((dir, name)) = self.place else {
            self.pending.shrink_to_fit();
            return Ok(Sorted {
                column: self.pending.into(),
                file: None,
                runs: Vec::new(),
            });
        };
        let mut out = dir.appender(name)?;
        if self.runs == 0 {
            out.push(&self.pending)?;
        } else {
            self.merge(dir, name, &mut out)?;
        }
        out.flush()?;
        let runs = (0..self.runs).map(|run| run_name(name, run)).collect();
        drop(self);
        Ok(Sorted {
            column: dir.column(name)?,
            file: Some(out),
            runs,
        })
    }

    /// As [`SortedRuns::finish`] where nothing is committed: of the files only what is mapped stays.
    ///
    /// # Errors
    /// As [`SortedRuns::bound`].
    pub fn finish_mapped(mut self, pool: &ThreadPool) -> Result<Column<T>> {
        let place = self.place;
        // What was never too much needs no file.
        let room = place.map_or(0, |(dir, _)| dir.gathered_bytes() / size_of::<T>());
        if self.runs == 0 && self.pending.len() <= room {
            self.place = None;
            return Ok(self.finish(pool)?.column);
        }
        let sorted = self.finish(pool)?;
        if let Some((dir, name)) = place {
            sorted.runs.iter().for_each(|run| dir.discard(run));
            dir.discard(name);
        }
        Ok(sorted.column)
    }

    fn merge(&self, dir: &RunDir, name: &str, out: &mut Appender) -> Result<()> {
        const WRITTEN: usize = 1 << 14;
        let columns: Vec<Column<T>> = (0..self.runs)
            .map(|run| dir.column(&run_name(name, run)))
            .collect::<Result<_>>()?;
        let mut runs: Vec<&[T]> = columns.iter().map(|column| &**column).collect();
        runs.push(&self.pending);
        let mut heads: BinaryHeap<Reverse<(T, usize)>> = BinaryHeap::with_capacity(runs.len());
        for (at, run) in runs.iter().enumerate() {
            heads.extend(run.first().map(|&head| Reverse((head, at))));
        }
        let mut places = vec![0_usize; runs.len()];
        let mut merged: Vec<T> = Vec::with_capacity(WRITTEN);
        let mut last = None;
        while let Some(Reverse((value, at))) = heads.pop() {
            places[at] += 1;
            heads.extend(runs[at].get(places[at]).map(|&head| Reverse((head, at))));
            if last == Some(value) {
                continue;
            }
            last = Some(value);
            merged.push(value);
            if merged.len() == WRITTEN {
                out.push(&merged)?;
                merged.clear();
            }
        }
        out.push(&merged)
    }
}

fn run_name(name: &str, run: usize) -> String {
    format!("{name}.{run}")
}
