//! The records of all sources, by position.
//!
//! In come sources or texts, once; out go blocks of bytes by position, from several threads at a time. The pipeline owns
//! the one [`Store`] of a run; `parse` and [`crate::sink`] read through it.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::csv::Header;
use super::folder::Folder;
use super::open::{Progress, changed, open_source, unreadable};
use super::scan::{Columns, Found};
use super::stamp::Stamp;
use super::{Asked, Decided, Format, OVERLONG_HEAD_BYTES, SourceSpec};
use crate::base::context::Context;
use crate::base::error::{Error, Result};
use crate::storage::paths::is_stdio;

/// How a source's records are laid out, documents in memory included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RecordFormat {
    /// A record is a line.
    Lines(Format),
    /// A record is a text that was given in memory; it may hold newlines and has no terminator.
    Raw,
    /// A record is a row that was handed over column by column, as a line of JSON.
    Row,
    /// A record is a file of a folder.
    File,
}

/// Where a source's bytes are. Offsets of spans count from its start.
#[derive(Debug, Clone)]
pub(super) enum Body {
    InPlace {
        file: Arc<File>,
        size: u64,
        modified: Option<SystemTime>,
    },
    Spooled(Arc<File>),
    Memory(Arc<Vec<u8>>),
    Folder(Arc<Folder>),
}

/// One source, read to its end once.
#[derive(Debug, Clone)]
pub(super) struct Source {
    pub(super) path: PathBuf,
    pub(super) format: RecordFormat,
    pub(super) body: Body,
    /// The position of its first record.
    pub(super) first: usize,
    pub(super) bom: bool,
    /// Of a table, its first row.
    pub(super) header: Option<Arc<Header>>,
    /// What the file was like when it was opened; none for what cannot be opened again.
    pub(super) stamp: Option<Stamp>,
    /// What was said of its encoding, and what it is.
    pub(super) asked: Asked,
    pub(super) decided: Decided,
    pub(super) bytes_read: u64,
    pub(super) found: Found,
}

/// The place of a record in the user's terms; shown as `data.jsonl line 7`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// The source as the user named it (`-` is standard input).
    pub path: PathBuf,
    /// The line it begins in, from 1, blank lines counted; the row, from 1; or 1 of a file.
    pub line: u64,
    /// What `line` counts: `line` or `row`; nothing where the record is the file.
    pub unit: &'static str,
}

impl fmt::Display for Location {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = if is_stdio(&self.path) {
            Path::new("standard input")
        } else {
            &self.path
        };
        match self.unit {
            "" => write!(out, "{}", name.display()),
            unit => write!(out, "{} {unit} {}", name.display(), self.line),
        }
    }
}

/// All records of a run. Takes twelve bytes a record; the texts stay where they are.
#[derive(Debug)]
pub struct Store {
    pub(super) sources: Vec<Source>,
    pub(super) columns: Columns,
    pub(super) limit: u64,
    /// The sources behind these are old: see [`Store::against`].
    pub(super) new_sources: usize,
}

impl Store {
    /// Opens every source, checks it, and finds its records. A record of more than `max_record_bytes` (its terminator not
    /// counted) is never loaded whole and fails when it is parsed. Stage `read` of the monitor counts bytes as they lie on
    /// disk.
    pub fn open(specs: &[SourceSpec], max_record_bytes: u64, ctx: &Context<'_>) -> Result<Self> {
        Self::open_with(specs, max_record_bytes, &mut io::stdin().lock(), ctx)
    }

    /// As [`Store::open`], with the stream that `-` stands for.
    pub(super) fn open_with(specs: &[SourceSpec], limit: u64, stdin: &mut dyn Read, ctx: &Context<'_>) -> Result<Self> {
        if specs.iter().filter(|spec| is_stdio(&spec.path)).count() > 1 {
            return Err(Error::Config(
                "standard input (-) is named twice as a source; name it once".to_owned(),
            ));
        }
        let sizes = specs.iter().filter_map(|spec| std::fs::metadata(&spec.path).ok());
        let total = sizes
            .filter(std::fs::Metadata::is_file)
            .map(|metadata| metadata.len())
            .sum();
        let mut progress = Progress { ctx, done: 0, total };
        let mut columns = Columns::default();
        let mut sources = Vec::with_capacity(specs.len());
        for spec in specs {
            sources.push(open_source(spec, stdin, limit, &mut columns, &mut progress)?);
        }
        progress.ctx.tick("read", progress.done, progress.total)?;
        columns.shrink();
        Ok(Self {
            new_sources: sources.len(),
            sources,
            columns,
            limit,
        })
    }

    /// Documents that are in memory already: each text is a record as it is, newlines and all.
    pub fn from_texts<S: AsRef<str>>(texts: impl IntoIterator<Item = S>) -> Self {
        let mut columns = Columns::default();
        let mut bytes = Vec::new();
        for text in texts {
            columns.push(bytes.len() as u64, text.as_ref().len() as u64);
            bytes.extend_from_slice(text.as_ref().as_bytes());
        }
        columns.shrink();
        let bytes_read = bytes.len() as u64;
        let source = Source {
            path: PathBuf::from("texts"),
            format: RecordFormat::Raw,
            body: Body::Memory(Arc::new(bytes)),
            first: 0,
            bom: false,
            header: None,
            stamp: None,
            asked: Asked::Utf8,
            decided: Decided::UTF8,
            bytes_read,
            found: Found::default(),
        };
        Self {
            sources: vec![source],
            columns,
            limit: u64::MAX,
            new_sources: 1,
        }
    }

    /// How many records there are.
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// Whether there is no record at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes of all sources, decompressed.
    pub fn bytes_read(&self) -> u64 {
        self.sources.iter().map(|source| source.bytes_read).sum()
    }

    /// Lines that are no records because they are white space only (JSON lines).
    pub fn blank_lines(&self) -> u64 {
        self.sources.iter().map(|source| source.found.blank_lines).sum()
    }

    /// Whether the first source begins with a byte order mark.
    pub fn has_bom(&self) -> bool {
        self.sources.first().is_some_and(|source| source.bom)
    }

    /// The new sources as the user named them, in order.
    pub fn source_names(&self) -> impl Iterator<Item = &Path> {
        self.sources[..self.new_sources]
            .iter()
            .map(|source| source.path.as_path())
    }

    /// Cuts all positions into consecutive blocks, each of one source and of about `max_bytes` in it, with at least one
    /// record; an overlong record is a block of its own.
    pub fn blocks(&self, max_bytes: u64) -> Vec<Range<usize>> {
        let mut blocks = Vec::new();
        for (index, source) in self.sources.iter().enumerate() {
            let end = self.end_of(index);
            let mut start = source.first;
            while start < end {
                let from = self.columns.span(start).start;
                let mut stop = start + 1;
                if self.columns.overlong(start).is_none() {
                    while stop < end
                        && self.columns.overlong(stop).is_none()
                        && self.columns.span(stop).end - from <= max_bytes
                    {
                        stop += 1;
                    }
                }
                blocks.push(start..stop);
                start = stop;
            }
        }
        blocks
    }

    /// Reads one of [`Store::blocks`], or a part of one, in a single read.
    pub fn read_block<'b>(&'b self, range: Range<usize>, buffer: &'b mut Vec<u8>) -> Result<Block<'b>> {
        if range.is_empty() {
            return Ok(Block {
                store: self,
                range,
                base: 0,
                bytes: &[],
            });
        }
        let source = self.source_of(range.start);
        let whole = range.len() == 1 || range.clone().all(|position| self.columns.overlong(position).is_none());
        if range.end > self.end_of(source) || !whole {
            return Err(Error::Config(format!(
                "positions {} to {} are not one block: they span sources or hold a record beyond the limit",
                range.start, range.end
            )));
        }
        let base = self.columns.span(range.start).start;
        let mut end = self.columns.span(range.end - 1).end;
        if self.columns.overlong(range.start).is_some() {
            end = end.min(base + OVERLONG_HEAD_BYTES);
        }
        let bytes = self.read_span(source, base..end, buffer)?;
        Ok(Block {
            store: self,
            range,
            base,
            bytes,
        })
    }

    /// Reads one record, without its terminator; of an overlong one only the head.
    pub fn read_record<'b>(&'b self, position: usize, buffer: &'b mut Vec<u8>) -> Result<&'b [u8]> {
        let block = self.read_block(position..position + 1, buffer)?;
        Ok(self.strip(self.source_of(position), block.bytes))
    }

    /// Reads at most `max_bytes` of a record, and tells its true length in bytes.
    pub(crate) fn read_head<'b>(
        &'b self,
        position: usize,
        max_bytes: u64,
        buffer: &'b mut Vec<u8>,
    ) -> Result<(&'b [u8], u64)> {
        let source = self.source_of(position);
        let span = self.columns.span(position);
        // Two more, so that a terminator just behind the cut is seen as one.
        let end = span.end.min(span.start.saturating_add(max_bytes).saturating_add(2));
        let bytes = self.read_span(source, span.start..end, buffer)?;
        let bytes = if end == span.end {
            self.strip(source, bytes)
        } else {
            bytes
        };
        let true_bytes = match self.columns.overlong(position) {
            Some(true_bytes) => true_bytes,
            None if end == span.end => bytes.len() as u64,
            None => self.stripped_length(source, &span)?,
        };
        Ok((&bytes[..bytes.len().min(max_bytes as usize)], true_bytes))
    }

    /// The file and line of a record.
    pub fn locate(&self, position: usize) -> Location {
        let source = &self.sources[self.source_of(position)];
        let entries = source.found.lines_before.partition_point(|entry| entry.0 <= position);
        let extra = entries
            .checked_sub(1)
            .map_or(0, |entry| source.found.lines_before[entry].1);
        if let Body::Folder(folder) = &source.body {
            return Location {
                path: folder.path_of(position - source.first),
                line: 1,
                unit: "",
            };
        }
        Location {
            path: source.path.clone(),
            line: (position - source.first) as u64 + extra + 1,
            unit: if source.format == RecordFormat::Row {
                "row"
            } else {
                "line"
            },
        }
    }

    /// Makes sure that no file that is read in place has another size or time than when it was opened.
    pub fn check_unchanged(&self) -> Result<()> {
        for source in &self.sources {
            if let Body::Folder(folder) = &source.body {
                folder.check_unchanged()?;
            }
            if let Body::InPlace { file, size, modified } = &source.body {
                let now = file.metadata().map_err(|error| unreadable(&source.path, &error))?;
                if now.len() != *size || now.modified().ok() != *modified {
                    return Err(changed(&source.path));
                }
            }
        }
        Ok(())
    }

    /// What the spooled sources take on disk.
    #[cfg(test)]
    pub(super) fn spooled_bytes(&self) -> u64 {
        let spools = self.sources.iter().filter_map(|source| match &source.body {
            Body::Spooled(file) => Some(file),
            Body::InPlace { .. } | Body::Memory(_) | Body::Folder(_) => None,
        });
        spools
            .map(|file| file.metadata().map_or(u64::MAX, |metadata| metadata.len()))
            .sum()
    }

    /// The longest record that is loaded, in bytes.
    pub(super) fn limit(&self) -> u64 {
        self.limit
    }

    /// The true length of a record if it is beyond the limit.
    pub(super) fn overlong(&self, position: usize) -> Option<u64> {
        self.columns.overlong(position)
    }

    /// The layout of every new source's records, in order.
    pub(crate) fn formats(&self) -> impl Iterator<Item = RecordFormat> {
        self.sources[..self.new_sources].iter().map(|source| source.format)
    }

    /// The layout of the source a record is in.
    pub(crate) fn format_of(&self, position: usize) -> RecordFormat {
        self.sources[self.source_of(position)].format
    }

    /// The index of the source a record is in.
    pub(crate) fn source_of(&self, position: usize) -> usize {
        // Sources without records share their first position with the next one; the last of equals has the record.
        self.sources
            .partition_point(|source| source.first <= position)
            .saturating_sub(1)
    }

    /// A record's span in its source, terminator included; `None` if the source did not keep it whole.
    pub(crate) fn whole_span(&self, position: usize) -> Option<Range<u64>> {
        let cut = matches!(self.sources[self.source_of(position)].body, Body::Spooled(_))
            && self.columns.overlong(position).is_some();
        (!cut).then(|| self.columns.span(position))
    }

    /// Reads bytes of a source; those in memory are lent, not copied.
    pub(crate) fn read_span<'b>(
        &'b self,
        source: usize,
        span: Range<u64>,
        buffer: &'b mut Vec<u8>,
    ) -> Result<&'b [u8]> {
        let source = &self.sources[source];
        let length = (span.end - span.start) as usize;
        // Growing only: clearing first would fill the whole buffer with zeros before each read.
        if buffer.len() < length {
            buffer.resize(length, 0);
        }
        let file = match &source.body {
            Body::InPlace { file, .. } | Body::Spooled(file) => file,
            Body::Memory(bytes) => return Ok(&bytes[span.start as usize..span.end as usize]),
            Body::Folder(folder) => {
                folder.read_exact_at(&mut buffer[..length], &span)?;
                return Ok(&buffer[..length]);
            }
        };
        file.read_exact_at(&mut buffer[..length], span.start)
            .map_err(|error| match error.kind() {
                io::ErrorKind::UnexpectedEof => changed(&source.path),
                _ => unreadable(&source.path, &error),
            })?;
        Ok(&buffer[..length])
    }

    /// The position behind a source's last record.
    pub(super) fn end_of(&self, source: usize) -> usize {
        self.sources
            .get(source + 1)
            .map_or(self.columns.len(), |next| next.first)
    }

    /// A span's bytes without the terminator at their end.
    fn strip<'b>(&self, source: usize, bytes: &'b [u8]) -> &'b [u8] {
        if matches!(self.sources[source].format, RecordFormat::Raw | RecordFormat::File) {
            return bytes;
        }
        let Some(line) = bytes.strip_suffix(b"\n") else {
            return bytes;
        };
        line.strip_suffix(b"\r").unwrap_or(line)
    }

    /// The length of a span without its terminator, from its last two bytes.
    fn stripped_length(&self, source: usize, span: &Range<u64>) -> Result<u64> {
        let mut buffer = Vec::new();
        let tail_start = span.start.max(span.end.saturating_sub(2));
        let tail = self.read_span(source, tail_start..span.end, &mut buffer)?;
        let cut = tail.len() - self.strip(source, tail).len();
        Ok(span.end - span.start - cut as u64)
    }
}

/// The bytes of consecutive records of one source.
#[derive(Debug)]
pub struct Block<'b> {
    store: &'b Store,
    range: Range<usize>,
    /// Where `bytes` begins in the source.
    base: u64,
    bytes: &'b [u8],
}

impl<'b> Block<'b> {
    /// The positions in the block.
    pub fn positions(&self) -> Range<usize> {
        self.range.clone()
    }

    /// The bytes of the record at a position (of the store, not of the block), without its terminator; of an overlong one
    /// only the head.
    ///
    /// # Panics
    ///
    /// If the position is not in the block.
    pub fn record(&self, position: usize) -> &'b [u8] {
        assert!(
            self.range.contains(&position),
            "position {position} is not in the block {:?}",
            self.range
        );
        let span = self.store.columns.span(position);
        let start = (span.start - self.base) as usize;
        let end = ((span.end - self.base) as usize).min(self.bytes.len());
        self.store
            .strip(self.store.source_of(self.range.start), &self.bytes[start..end])
    }
}
