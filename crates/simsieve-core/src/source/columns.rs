//! Rows that are handed over: column by column, such as those of a Parquet file or a data frame, or as documents of `MongoDB`.
//!
//! In come batches of columns or documents; out go [`Sources`] whose records are JSON objects in a spool. Only what the
//! run needs of a row is in it: the owner of the rows writes those that are kept. The spool is a temporary file without
//! a name, or a file of a run directory. The next process can read the rows that were committed to a run directory.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bson::raw::RawDocument;
use serde::Deserialize;

use super::bson::documents::{
    BsonError, BsonField, documents, have_one_id, keys_of, no_document, packed_id, sent, shown_id, write_line,
};
use super::error::no_spool;
use super::format::{Layout, RecordFormat};
use super::identity::{Identity, RowsDigest};
use super::kinds::file::{Body, FileSource};
use super::kinds::source::Source;
use super::profile::Profile;
use super::sources::collection::Sources;
use super::spans::{OVERLONG_HEAD_BYTES, Spans};
use super::spool::row_state::{Committed, RowSource};
use super::spool::{Spool, Spooled as SpooledCopy};
use crate::base::error::{Error, Result};
use crate::storage::copies::{create_copy, open_copy};
use crate::storage::form::Stored;
use crate::storage::run_dir::RunDir;

/// One column of a batch: value `i` is `bytes[offsets[i]..offsets[i + 1]]`, or null where it is not valid.
#[derive(Debug, Clone, Copy)]
pub struct ArrowColumn<'a> {
    /// One more than there are rows, ascending.
    pub offsets: &'a [i64],
    /// All values one after another.
    pub bytes: &'a [u8],
    /// Which rows have a value; all where there is none.
    pub valid: Option<&'a [bool]>,
    /// What the values are.
    pub values: ColumnType,
}

/// What the values of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnType {
    /// JSON already, such as numbers.
    Json,
    /// Texts.
    Texts,
    /// Bytes that are no text: they become base64.
    Bytes,
}

/// Takes the rows of several sources, one source after another.
#[derive(Debug)]
pub struct RowSpool {
    /// The fields' names, written as keys.
    keys: Vec<Vec<u8>>,
    copy: RowCopy,
    /// The folder of the file; that of the system where there is none.
    folder: Option<PathBuf>,
    sources: Vec<RowSource>,
    offset: u64,
    limit: u64,
    line: Vec<u8>,
    /// The `_id` of the last document.
    last_id: Vec<u8>,
    /// The first `_id` of two documents, as canonical extended JSON. Documents come in the order of `_id`.
    repeated: Option<String>,
}

/// Where the rows are.
#[derive(Debug)]
enum RowCopy {
    Growing(Spool),
    Finished(Arc<SpooledCopy>),
    /// An error came up when it was finished.
    Failed,
}

impl RowSpool {
    /// A spool for rows with these fields, in a temporary file of `folder` or of the system's. A row of more than `max_record_bytes` fails
    /// later.
    pub fn new(names: &[String], max_record_bytes: u64, folder: Option<&Path>) -> Result<Self> {
        let spool = Spool::new(folder).map_err(|error| no_spool(Path::new("the rows"), folder, &error))?;
        Ok(Self::of(names, max_record_bytes, RowCopy::Growing(spool), folder))
    }

    /// As [`RowSpool::new`], in a file of a run directory. Where a spool of this name was committed there, it is that one, and it takes no
    /// more rows.
    ///
    /// # Errors
    /// [`Error::Sink`] where the directory cannot be written; [`Error::Source`] where what was committed is damaged.
    pub fn in_directory(dir: &RunDir, name: &str, names: &[String], max_record_bytes: u64) -> Result<Self> {
        let Some(state) = dir.finished(name) else {
            let spool =
                Spool::of(create_copy(dir, name)?).map_err(|error| no_spool(dir.path(), Some(dir.path()), &error))?;
            return Ok(Self::of(
                names,
                max_record_bytes,
                RowCopy::Growing(spool),
                Some(dir.path()),
            ));
        };
        let state = Committed::deserialize(state).map_err(|_| dir.damaged(name))?;
        let copy = SpooledCopy::open(open_copy(dir, name)?, state.bytes).map_err(|_| dir.damaged(name))?;
        let spans = state.spans(&copy).ok_or_else(|| dir.damaged(name))?;
        let finished = RowCopy::Finished(Arc::new(copy));
        let mut made = Self::of(names, max_record_bytes, finished, Some(dir.path()));
        made.offset = state.bytes;
        made.repeated = state.repeated;
        made.sources.push(RowSource {
            path: PathBuf::from(state.source),
            spans,
            start: 0,
            digest: RowsDigest::of(state.digest),
        });
        Ok(made)
    }

    fn of(names: &[String], limit: u64, copy: RowCopy, folder: Option<&Path>) -> Self {
        Self {
            keys: keys_of(names),
            copy,
            folder: folder.map(Path::to_path_buf),
            sources: Vec::new(),
            offset: 0,
            limit,
            line: Vec::new(),
            last_id: Vec::new(),
            repeated: None,
        }
    }

    /// The first `_id` that two documents have, as canonical extended JSON; none where all differ.
    pub fn repeated_id(&self) -> Option<&str> {
        self.repeated.as_deref()
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.sources.iter().map(|source| source.spans.len()).sum()
    }

    /// Whether it takes no more rows.
    pub const fn is_finished(&self) -> bool {
        matches!(self.copy, RowCopy::Finished(_))
    }

    /// Ends the spool and makes its rows durable: [`RowSpool::in_directory`] of the same name finds them.
    ///
    /// # Errors
    /// [`Error::Sink`] where the directory cannot be written; [`Error::Config`] where the rows are not of one source.
    pub fn commit(&mut self, dir: &RunDir, name: &str) -> Result<()> {
        let copy = self.finished_copy()?;
        let [source] = &mut self.sources[..] else {
            return Err(Error::Config(msg!("rows of one source are committed at a time")));
        };
        source.spans.shrink();
        copy.sync()
            .map_err(|error| no_spool(dir.path(), Some(dir.path()), &error))?;
        let state = Committed::of(source, self.offset, self.repeated.clone());
        dir.commit(name, true, &state, [], &[])
    }

    /// The copy, which takes no more rows from now on.
    fn finished_copy(&mut self) -> Result<Arc<SpooledCopy>> {
        let copy = match std::mem::replace(&mut self.copy, RowCopy::Failed) {
            RowCopy::Growing(spool) => spool.finish().map(Arc::new),
            RowCopy::Finished(copy) => Ok(copy),
            RowCopy::Failed => Err(failed_before()),
        };
        let copy = copy.map_err(|error| no_spool(Path::new("the rows"), self.folder.as_deref(), &error))?;
        self.copy = RowCopy::Finished(Arc::clone(&copy));
        Ok(copy)
    }

    /// What follows is of this source.
    pub fn begin(&mut self, name: impl Into<PathBuf>) {
        self.sources.push(RowSource {
            path: name.into(),
            spans: Spans::default(),
            start: self.offset,
            digest: RowsDigest::default(),
        });
    }

    /// Adds rows; there is a column for each name.
    ///
    /// # Errors
    /// [`Error::Config`] where columns do not fit one another.
    pub fn add(&mut self, rows: usize, columns: &[ArrowColumn<'_>]) -> Result<()> {
        let fits = |column: &ArrowColumn<'_>| {
            column.offsets.len() == rows + 1
                && column.valid.is_none_or(|valid| valid.len() == rows)
                && column.offsets.is_sorted()
                && column.offsets[0] >= 0
                && column.offsets[rows] as usize <= column.bytes.len()
        };
        if self.sources.is_empty() || columns.len() != self.keys.len() || !columns.iter().all(fits) {
            return Err(Error::Config(msg!("the columns of a batch do not fit one another")));
        }
        for row in 0..rows {
            self.line.clear();
            for (place, (key, column)) in self.keys.iter().zip(columns).enumerate() {
                self.line.push(if place == 0 { b'{' } else { b',' });
                self.line.extend_from_slice(key);
                self.line.push(b':');
                let value = &column.bytes[column.offsets[row] as usize..column.offsets[row + 1] as usize];
                match column.valid {
                    Some(valid) if !valid[row] => self.line.extend_from_slice(b"null"),
                    _ => match column.values {
                        ColumnType::Json => self.line.extend_from_slice(value),
                        ColumnType::Texts => push_string(&mut self.line, value),
                        ColumnType::Bytes => push_string(&mut self.line, STANDARD.encode(value).as_bytes()),
                    },
                }
            }
            self.line.push(b'}');
            self.push_line()?;
        }
        Ok(())
    }

    /// Adds documents of `MongoDB`, one after another as the server sends them, and returns their number; there is a field for
    /// each name.
    ///
    /// # Errors
    /// [`Error::Source`] where the bytes are no documents; [`Error::Config`] where the fields do not fit the names.
    pub fn add_documents(&mut self, batch: &[u8], fields: &[BsonField]) -> Result<usize> {
        self.check_fields(fields)?;
        let mut count = 0;
        for document in documents(batch) {
            self.add_document(document, fields)?;
            count += 1;
        }
        Ok(count)
    }

    /// Adds the documents of a page of a collection: the document `cursor` of the server's reply.
    ///
    /// A page begins with the last document of the page before, `after`, which is not added again; at most `limit` documents
    /// are. Returns how many were added, and the last one.
    ///
    /// # Errors
    /// As [`RowSpool::add_documents`].
    pub fn add_page<'p>(
        &mut self,
        cursor: &'p [u8],
        fields: &[BsonField],
        after: Option<&[u8]>,
        limit: usize,
    ) -> Result<(usize, Option<&'p [u8]>)> {
        self.check_fields(fields)?;
        let after = after.map(RawDocument::from_bytes).transpose();
        let after = after.map_err(|error| self.no_document(&error))?;
        let page = sent(cursor).map_err(|error| self.no_document(&error))?;
        let (mut count, mut last) = (0, None);
        for (place, document) in page.enumerate() {
            if count == limit {
                break;
            }
            let document = document.map_err(|error| self.no_document(&error))?;
            if let (0, Some(after)) = (place, after)
                && have_one_id(document, after).map_err(|error| self.no_document(&error))?
            {
                continue;
            }
            self.add_document(Ok(document), fields)?;
            (count, last) = (count + 1, Some(document.as_bytes()));
        }
        Ok((count, last))
    }

    fn check_fields(&self, fields: &[BsonField]) -> Result<()> {
        if self.sources.is_empty() || fields.len() != self.keys.len() {
            return Err(Error::Config(msg!("the fields do not fit the names")));
        }
        Ok(())
    }

    fn add_document(
        &mut self,
        document: std::result::Result<&RawDocument, BsonError>,
        fields: &[BsonField],
    ) -> Result<()> {
        self.line.clear();
        let id = document.and_then(|document| {
            write_line(&mut self.line, &self.keys, fields, document)?;
            let id = packed_id(document)?.unwrap_or_default();
            if self.repeated.is_none() && !id.is_empty() && id == self.last_id {
                self.repeated = Some(shown_id(document));
            }
            Ok(id)
        });
        self.last_id = id.map_err(|error| self.no_document(&error))?;
        self.push_line()
    }

    fn no_document(&self, error: &BsonError) -> Error {
        let name = self.sources.last().map_or(Path::new(""), |source| &source.path);
        no_document(name, error)
    }

    /// Puts the line that is made into the spool.
    fn push_line(&mut self) -> Result<()> {
        let source = self.sources.last_mut().expect("a source was begun");
        source.digest.add(&self.line);
        self.line.push(b'\n');
        let bytes = self.line.len() as u64;
        if bytes - 1 > self.limit {
            let head = OVERLONG_HEAD_BYTES.min(self.limit).min(bytes);
            self.line.truncate(head as usize);
            source.spans.push_overlong(self.offset, head, bytes - 1);
        } else {
            source.spans.push(self.offset, bytes);
        }
        self.offset += self.line.len() as u64;
        let pushed = match &mut self.copy {
            RowCopy::Growing(spool) => spool.push(&self.line),
            RowCopy::Finished(_) | RowCopy::Failed => Err(failed_before()),
        };
        pushed.map_err(|error| no_spool(&source.path, self.folder.as_deref(), &error))
    }

    /// All rows as sources.
    pub fn finish(self) -> Result<Sources> {
        Self::joined([self])
    }

    /// The rows of several spools, one spool after another. Sources of one name count their rows on.
    pub fn joined(spools: impl IntoIterator<Item = Self>) -> Result<Sources> {
        let mut all: Vec<Arc<dyn Source>> = Vec::new();
        let mut rows_before: HashMap<PathBuf, u64> = HashMap::new();
        for spool in spools {
            for (at, source) in spool.into_sources()?.into_iter().enumerate() {
                let mut profile = Profile::new(&source.path, Layout::new(RecordFormat::Row, source.limit), source.size);
                profile.cuts_overlong = true;
                let before = all.last().map(|before| before.profile().path());
                profile.goes_on = at == 0 && before == Some(&source.path);
                let before = rows_before.entry(source.path).or_default();
                profile.scan.lines_before.push((0, *before));
                *before += source.spans.len() as u64;
                all.push(Arc::new(FileSource {
                    body: Body::Spooled(source.copy),
                    identity: source.identity,
                    profile: Arc::new(profile),
                    spans: Arc::new(source.spans),
                }));
            }
        }
        Ok(Sources::of(all))
    }

    fn into_sources(mut self) -> Result<Vec<Spooled>> {
        let copy = self.finished_copy()?;
        let mut end = self.offset;
        let mut made = Vec::with_capacity(self.sources.len());
        for RowSource {
            path,
            mut spans,
            start,
            digest,
        } in self.sources.into_iter().rev()
        {
            spans.shrink();
            let size = end - start;
            end = start;
            made.push(Spooled {
                path,
                spans,
                copy: Arc::clone(&copy),
                identity: Identity::of_rows(size, &digest),
                limit: self.limit,
                size,
            });
        }
        made.reverse();
        Ok(made)
    }
}

/// A source whose rows are all in the spool.
struct Spooled {
    path: PathBuf,
    spans: Spans,
    copy: Arc<SpooledCopy>,
    identity: Identity,
    limit: u64,
    size: u64,
}

fn failed_before() -> io::Error {
    io::Error::other("the copy was ended before")
}

/// Writes bytes as a JSON string. Those that are no UTF-8 stay as they are, so that the record fails when it is parsed.
fn push_string(line: &mut Vec<u8>, value: &[u8]) {
    if let Ok(text) = simdutf8::basic::from_utf8(value)
        && serde_json::to_writer(&mut *line, text).is_ok()
    {
        return;
    }
    line.push(b'"');
    for &byte in value {
        match byte {
            b'"' | b'\\' => line.extend_from_slice(&[b'\\', byte]),
            0..0x20 => line.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
            _ => line.push(byte),
        }
    }
    line.push(b'"');
}
