//! Rows that are given column by column, such as those of a Parquet file or a data frame.
//!
//! In come batches of columns; out go [`Sources`] whose records are JSON objects in a temporary file without a name. Only what
//! the run needs of a row is in it: the owner of the rows writes those that are kept.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use xxhash_rust::xxh3::Xxh3;

use super::Source;
use super::collection::Sources;
use super::error::no_spool;
use super::file::{Body, FileSource};
use super::format::{Layout, RecordFormat};
use super::identity::Identity;
use super::profile::Profile;
use super::spans::{OVERLONG_HEAD_BYTES, Spans};
use super::spool::Spool;
use crate::base::error::{Error, Result};

/// One column of a batch: value `i` is `bytes[offsets[i]..offsets[i + 1]]`, or null where it is not valid.
#[derive(Debug, Clone, Copy)]
pub struct Column<'a> {
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
    spool: Spool,
    sources: Vec<RowSource>,
    offset: u64,
    limit: u64,
    line: Vec<u8>,
}

/// One source in the making.
struct RowSource {
    path: PathBuf,
    spans: Spans,
    /// Where its rows begin in the spool.
    start: u64,
    digest: Xxh3,
}

impl fmt::Debug for RowSource {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The digest has no such form.
        let mut out = out.debug_struct("RowSource");
        out.field("path", &self.path)
            .field("start", &self.start)
            .finish_non_exhaustive()
    }
}

impl RowSpool {
    /// A spool for rows with these fields; a row of more than `max_record_bytes` fails later.
    pub fn new(names: &[String], max_record_bytes: u64) -> Result<Self> {
        let spool = Spool::new().map_err(|error| no_spool(Path::new("the rows"), &error))?;
        Ok(Self {
            keys: names
                .iter()
                .map(|name| serde_json::Value::from(name.as_str()).to_string().into_bytes())
                .collect(),
            spool,
            sources: Vec::new(),
            offset: 0,
            limit: max_record_bytes,
            line: Vec::new(),
        })
    }

    /// What follows is of this source.
    pub fn begin(&mut self, name: impl Into<PathBuf>) {
        self.sources.push(RowSource {
            path: name.into(),
            spans: Spans::default(),
            start: self.offset,
            digest: Xxh3::new(),
        });
    }

    /// Adds rows; there is a column for each name.
    ///
    /// # Errors
    /// [`Error::Config`] where columns do not fit one another.
    pub fn add(&mut self, rows: usize, columns: &[Column<'_>]) -> Result<()> {
        let fits = |column: &Column<'_>| {
            column.offsets.len() == rows + 1
                && column.valid.is_none_or(|valid| valid.len() == rows)
                && column.offsets.is_sorted()
                && column.offsets[0] >= 0
                && column.offsets[rows] as usize <= column.bytes.len()
        };
        let (Some(source), true) = (
            self.sources.last_mut(),
            columns.len() == self.keys.len() && columns.iter().all(fits),
        ) else {
            return Err(Error::Config(
                "the columns of a batch do not fit one another".to_owned(),
            ));
        };
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
            self.line.extend_from_slice(b"}\n");
            source.digest.update(&self.line);
            let bytes = self.line.len() as u64;
            if bytes - 1 > self.limit {
                let head = OVERLONG_HEAD_BYTES.min(self.limit).min(bytes);
                self.line.truncate(head as usize);
                source.spans.push_overlong(self.offset, head, bytes - 1);
            } else {
                source.spans.push(self.offset, bytes);
            }
            self.offset += self.line.len() as u64;
            self.spool
                .push(&self.line)
                .map_err(|error| no_spool(&source.path, &error))?;
        }
        Ok(())
    }

    /// All rows as sources.
    pub fn finish(self) -> Result<Sources> {
        let name = self
            .sources
            .first()
            .map(|source| source.path.clone())
            .unwrap_or_default();
        let file = Arc::new(self.spool.finish().map_err(|error| no_spool(&name, &error))?);
        let mut end = self.offset;
        let mut sources: Vec<Arc<dyn Source>> = Vec::with_capacity(self.sources.len());
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
            let profile = Profile {
                cuts_overlong: true,
                ..Profile::new(&path, Layout::new(RecordFormat::Row, self.limit), size)
            };
            sources.push(Arc::new(FileSource {
                body: Body::Spooled(Arc::clone(&file)),
                identity: Identity::of_bytes(size, &digest),
                profile: Arc::new(profile),
                spans: Arc::new(spans),
            }));
        }
        sources.reverse();
        Ok(Sources::of(sources))
    }
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
