//! What a store can tell of its sources to those that write: encodings, files of folders, headers, line breaks.

use std::path::{Path, PathBuf};

use super::csv::Header;
use super::scan::{Columns, Terminator};
use super::store::{Body, RecordFormat, Source, Store};
use super::{Asked, Decided, Fields};
use crate::base::error::Result;

impl Store {
    /// A store of rows that were handed over.
    pub(super) fn of_rows(sources: Vec<Source>, columns: Columns, limit: u64) -> Self {
        Self {
            new_sources: sources.len(),
            sources,
            columns,
            limit,
        }
    }

    /// Name, encoding, and whether that was found out, of every source that has one for all its records.
    pub fn encodings(&self) -> impl Iterator<Item = (&Path, &'static str, bool)> {
        let with_one =
            |source: &&Source| matches!(source.format, RecordFormat::Lines(_)) && source.asked != Asked::Utf8;
        let sources = self.sources.iter().filter(with_one);
        sources.map(|Source { path, decided, .. }| (path.as_path(), decided.encoding.name(), decided.detected))
    }

    /// The encoding of every new source, in order.
    pub(crate) fn decided(&self) -> impl Iterator<Item = Decided> {
        self.sources[..self.new_sources].iter().map(|source| source.decided)
    }

    /// The encoding of the source a record is in.
    pub(crate) fn decided_at(&self, position: usize) -> Decided {
        self.source_at(position).decided
    }

    /// Files of folders that are no records.
    pub fn other_files(&self) -> u64 {
        let others = |source: &Source| match &source.body {
            Body::Folder(folder) => folder.others,
            Body::InPlace { .. } | Body::Spooled(_) | Body::Memory(_) => 0,
        };
        self.sources.iter().map(others).sum()
    }

    /// Where a record that is a file is: as the user would name it, and from its folder on.
    pub(crate) fn file_of(&self, position: usize) -> Option<(PathBuf, &Path)> {
        let source = self.source_at(position);
        let Body::Folder(folder) = &source.body else {
            return None;
        };
        let index = position - source.first;
        Some((folder.path_of(index), &folder.entries[index].name))
    }

    /// Makes sure that every table has the columns that are wanted.
    pub fn check_fields(&self, fields: &Fields) -> Result<()> {
        for source in &self.sources {
            if let Some(header) = &source.header {
                header.check(fields, &source.path)?;
            }
        }
        Ok(())
    }

    /// The source a record is in.
    pub(super) fn source_at(&self, position: usize) -> &Source {
        &self.sources[self.source_of(position)]
    }

    /// The header of a source that is a table and has one.
    pub(crate) fn header(&self, source: usize) -> Option<&Header> {
        self.sources.get(source)?.header.as_deref()
    }

    /// The terminator to write behind a record that has none, if this is one.
    pub(crate) fn missing_terminator(&self, position: usize) -> Option<Terminator> {
        let source = self.source_of(position);
        let found = &self.sources[source].found;
        (found.open_end && position + 1 == self.end_of(source)).then(|| found.terminator.unwrap_or(Terminator::Lf))
    }
}
