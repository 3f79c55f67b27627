//! Stores of two collections, and what tells whether a file is still the one that was read.
//!
//! In come stores; out comes one over all their records, the new ones first so that they keep their positions. The
//! stamps of its sources are kept in a saved run, and compared when the run is taken up again.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use super::Format;
use super::store::{RecordFormat, Source, Store};
use crate::base::error::{Error, Result};

/// What tells a file from what it becomes when it is written again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// Bytes.
    pub size: u64,
    /// When it was last written to, in nanoseconds since 1970.
    pub modified: i64,
}

impl Stamp {
    /// The stamp of a regular file; none of anything else, which cannot be read twice.
    pub(super) fn of(metadata: &Metadata) -> Option<Self> {
        metadata.is_file().then(|| Self {
            size: metadata.len(),
            modified: metadata
                .mtime()
                .saturating_mul(1_000_000_000)
                .saturating_add(metadata.mtime_nsec()),
        })
    }
}

/// A source as a saved run remembers it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceStamp {
    /// The file as the user named it.
    pub path: PathBuf,
    /// How its records are laid out.
    pub format: Format,
    /// What it was like.
    pub stamp: Stamp,
    /// Records in it.
    pub records: u64,
    /// Whether it is old: see [`Store::against`].
    pub old: bool,
}

impl Store {
    /// The records of this store, which keep their positions, and behind them those of `old`, against which they are
    /// held. Both stores read the same open files; nothing is copied but twelve bytes a record.
    #[must_use]
    pub fn against(&self, old: &Self) -> Self {
        let mut columns = self.columns.clone();
        columns.extend(&old.columns);
        let base = self.len();
        let moved = |source: &Source| {
            let mut source = source.clone();
            source.first += base;
            for (position, _) in &mut source.found.lines_before {
                *position += base;
            }
            source
        };
        Self {
            sources: self
                .sources
                .iter()
                .cloned()
                .chain(old.sources.iter().map(moved))
                .collect(),
            columns,
            limit: self.limit.min(old.limit),
            new_sources: self.sources.len(),
        }
    }

    /// Whether this store was made by [`Store::against`], even if the old sources are empty.
    pub fn is_against(&self) -> bool {
        self.new_sources < self.sources.len()
    }

    /// How many records are new: all but where this store was made by [`Store::against`]. The positions below are the
    /// new records', those from here on the old ones'.
    pub fn new_len(&self) -> usize {
        if self.is_against() {
            self.sources[self.new_sources].first
        } else {
            self.len()
        }
    }

    /// What every source was like when it was opened.
    ///
    /// # Errors
    /// [`Error::Config`] where a source is no file and could not be opened again.
    pub fn stamps(&self) -> Result<Vec<SourceStamp>> {
        let stamp = |(index, source): (usize, &Source)| {
            let (Some(stamp), RecordFormat::Lines(format)) = (source.stamp, source.format) else {
                return Err(unsaveable(source));
            };
            Ok(SourceStamp {
                path: source.path.clone(),
                format,
                stamp,
                records: (self.end_of(index) - source.first) as u64,
                old: index >= self.new_sources,
            })
        };
        self.sources.iter().enumerate().map(stamp).collect()
    }
}

/// Says why a run on this source cannot be saved, and what to name in its place.
fn unsaveable(source: &Source) -> Error {
    let name = source.path.display();
    let (what, instead) = match source.format {
        RecordFormat::Lines(_) => (
            format!("the source {name} cannot be opened again"),
            "write it to a file and name that",
        ),
        RecordFormat::Raw => (
            "texts in memory cannot be opened again".to_owned(),
            "write them to a file of JSON lines and name that",
        ),
        RecordFormat::Row => (
            format!("{name} has its rows in columns, and a saved run finds lines again"),
            "write the rows to a file of JSON lines and name that",
        ),
        RecordFormat::File => (
            format!("{name} is a folder, and a saved run finds lines again"),
            "put the texts of its files into a file of JSON lines and name that",
        ),
    };
    Error::Config(format!("{what}, so this run cannot be saved; {instead}"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::base::context::Context;
    use crate::source::SourceSpec;

    fn files(folder: &tempfile::TempDir, named: &[(&str, &str)]) -> Store {
        let spec = |(name, content): &(&str, &str)| {
            let path = folder.path().join(name);
            fs::write(&path, content).unwrap();
            SourceSpec::new(path)
        };
        let specs: Vec<_> = named.iter().map(spec).collect();
        Store::open(&specs, 20, &Context::silent(1)).unwrap()
    }

    fn records(store: &Store, positions: std::ops::Range<usize>) -> Vec<String> {
        let mut buffer = Vec::new();
        positions
            .map(|position| String::from_utf8(store.read_record(position, &mut buffer).unwrap().to_vec()).unwrap())
            .collect()
    }

    #[test]
    fn records_of_both_stores_are_where_they_were() {
        let folder = tempfile::TempDir::new().unwrap();
        let new = files(&folder, &[("a.jsonl", "1\n\n2"), ("b.jsonl", "")]);
        let long = "3".repeat(50);
        let old = files(&folder, &[("c.jsonl", ""), ("d.jsonl", &format!("\n4\n\n{long}\n5\n"))]);
        let both = new.against(&old);

        assert_eq!((both.len(), both.new_len(), both.is_against()), (5, 2, true));
        assert_eq!(records(&both, 0..2), records(&new, 0..2));
        assert_eq!(records(&both, 2..5), records(&old, 0..3));
        assert_eq!((both.overlong(3), both.overlong(2)), (Some(50), None));
        let line = |position| both.locate(position).line;
        assert_eq!([0, 1, 2, 3, 4].map(line), [1, 3, 2, 4, 5]);
        assert_eq!(both.locate(4).path, folder.path().join("d.jsonl"));
        assert_eq!((both.source_names().count(), both.formats().count()), (2, 2));
        assert_eq!(both.bytes_read(), new.bytes_read() + old.bytes_read());
        let blocks: Vec<_> = both.blocks(1 << 20);
        assert_eq!(blocks, [0..2, 2..3, 3..4, 4..5]);
    }

    #[test]
    fn nothing_old_is_against_all_the_same() {
        let new = Store::from_texts(["a", "b"]);
        assert_eq!((new.is_against(), new.new_len()), (false, 2));
        let both = new.against(&Store::from_texts([""; 0]));
        assert_eq!((both.is_against(), both.new_len(), both.len()), (true, 2, 2));
    }

    #[test]
    fn stamps_are_of_files_only() {
        let folder = tempfile::TempDir::new().unwrap();
        let new = files(&folder, &[("a.jsonl", "1\n2\n")]);
        let both = new.against(&files(&folder, &[("b.txt", "x\n")]));
        let stamps = both.stamps().unwrap();
        assert_eq!(
            (stamps[0].records, stamps[0].format, stamps[0].old),
            (2, Format::Jsonl, false)
        );
        assert_eq!(
            (stamps[1].records, stamps[1].format, stamps[1].old),
            (1, Format::Text, true)
        );
        assert_eq!((stamps[0].stamp.size, stamps[1].stamp.size), (4, 2));

        let message = Store::from_texts(["a"]).stamps().unwrap_err().to_string();
        assert!(message.contains("texts in memory cannot be opened again"), "{message}");
    }
}
