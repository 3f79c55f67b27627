//! Sinks: kept records, failed records, decisions and pairs, each file whole or not at all.
//!
//! In come decisions, failures and rows, in batches; out go files. [`write_through`] drives a [`Sink`]: it checks it, begins,
//! writes, makes sure that no source has changed, and commits. Until then nothing is at a sink's name, and what was there
//! before is untouched.
//!
//! - Kept records come out byte for byte in input order, with the terminators they had. A byte order mark is written if and
//!   only if the first source has one. A record without a terminator (the last line of a source) gets one if another record
//!   follows: the kind that its source's first line has, or `\n`.
//! - A sink has the format of its sources, or JSON lines, which hold records of all formats as objects. Tables come out under
//!   the header of the first, and records in the encoding of their sources. The files of a folder come out as a list of their
//!   paths, or as a folder. Compression is chosen by the ending of the name.

mod check;
mod choose;
pub mod decision_documents;
mod failed;
mod folder;
mod kept;
mod lines;
mod objects;
mod rows;
mod target;
mod write;

#[cfg(test)]
mod conformance_tests;
#[cfg(test)]
mod kinds_tests;
#[cfg(test)]
mod stdout_tests;
#[cfg(test)]
mod tests;

use std::sync::Arc;

pub use check::check_sinks;
pub use choose::{AnyKeptSink, is_other_table, kept_sink};
pub use failed::FailedSink;
pub use folder::{FolderSink, check_folder, is_folder};
pub use kept::KeptSink;
pub use lines::LineSink;
pub use objects::{ObjectSink, objects_at};
pub use rows::{Cell, Field, Line, Lines, RowSink};
pub use write::{batch_records, write_kept, write_through};

use bytemuck::{CheckedBitPattern, NoUninit};

use crate::base::error::Result;
use crate::source::Sources;
use crate::storage::column::byte_element;

/// What became of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, CheckedBitPattern, NoUninit)]
#[repr(u8)]
pub enum Decision {
    /// It is kept.
    Kept = 0,
    /// Another is kept for it.
    Dropped = 1,
    /// It is no document.
    Failed = 2,
}

byte_element!(Decision, "decision");

impl Decision {
    /// The names of the codes, as tables have them.
    pub const NAMES: [&str; 3] = ["kept", "dropped", "failed"];

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }
}

/// The decisions on consecutive records.
#[derive(Debug, Clone, Copy)]
pub struct Decided<'a> {
    /// The position of the first.
    pub first: usize,
    /// One for each record.
    pub decisions: &'a [Decision],
}

impl Decided<'_> {
    /// The positions of the kept records.
    pub fn kept(&self) -> impl Iterator<Item = usize> {
        let kept = |(at, _): (usize, &Decision)| self.first + at;
        let decisions = self.decisions.iter().enumerate();
        decisions.filter(|(_, decision)| **decision == Decision::Kept).map(kept)
    }
}

/// Where one kind of result goes. `Batch` is what it takes at a time.
///
/// The calls come in this order: `check`, `begin`, any number of `write`, `commit` or `abort`. How the results are cut into
/// batches does not change what is written.
pub trait Sink<Batch: ?Sized> {
    /// Makes sure that the results can be written, before the work: the sink is no source and can hold what comes.
    ///
    /// # Errors
    /// [`Error::Config`](crate::base::error::Error::Config) where it is a source or cannot hold the results,
    /// [`Error::Sink`](crate::base::error::Error::Sink) where it cannot be written.
    fn check(&self, sources: &Sources) -> Result<()>;

    /// Begins the results of a run on these sources, beside the sink's place.
    ///
    /// # Errors
    /// [`Error::Sink`](crate::base::error::Error::Sink) where the sink cannot be written.
    fn begin(&mut self, sources: &Arc<Sources>) -> Result<()>;

    /// Writes results that follow those written before.
    ///
    /// # Errors
    /// As [`Sink::begin`]; [`Error::Source`](crate::base::error::Error::Source) where a record cannot be read again.
    fn write(&mut self, batch: &Batch) -> Result<()>;

    /// Puts the results at the sink's name, durably.
    ///
    /// # Errors
    /// As [`Sink::begin`]; nothing is left then.
    fn commit(self: Box<Self>) -> Result<()>;

    /// Leaves nothing. So does dropping the sink.
    fn abort(self: Box<Self>) {}
}
