//! Rows that are handed over column by column, such as those of a Parquet file or a data frame.
//!
//! In come batches of columns; out goes a [`Store`] whose records are JSON objects in a temporary file without a name,
//! which goes when the store does, or the process. Only what the run needs of a row is in it: its owner writes the rows
//! that are kept.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::Asked;
use super::encoding::Decided;
use super::open::no_spool;
use super::scan::{Columns, Found, Spool};
use super::store::{Body, RecordFormat, Source, Store};
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
    pub holds: Holds,
}

/// What the values of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
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
    columns: Columns,
    /// Name and first position.
    sources: Vec<(PathBuf, usize)>,
    offset: u64,
    limit: u64,
    line: Vec<u8>,
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
            columns: Columns::default(),
            sources: Vec::new(),
            offset: 0,
            limit: max_record_bytes,
            line: Vec::new(),
        })
    }

    /// What follows is of this source.
    pub fn begin(&mut self, name: impl Into<PathBuf>) {
        self.sources.push((name.into(), self.columns.len()));
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
        if self.sources.is_empty() || columns.len() != self.keys.len() || !columns.iter().all(fits) {
            return Err(Error::Config(
                "the columns of a batch do not fit one another".to_owned(),
            ));
        }
        let path = self.sources.last().map(|source| source.0.clone()).unwrap_or_default();
        for row in 0..rows {
            self.line.clear();
            for (place, (key, column)) in self.keys.iter().zip(columns).enumerate() {
                self.line.push(if place == 0 { b'{' } else { b',' });
                self.line.extend_from_slice(key);
                self.line.push(b':');
                let value = &column.bytes[column.offsets[row] as usize..column.offsets[row + 1] as usize];
                match column.valid {
                    Some(valid) if !valid[row] => self.line.extend_from_slice(b"null"),
                    _ => match column.holds {
                        Holds::Json => self.line.extend_from_slice(value),
                        Holds::Texts => push_string(&mut self.line, value),
                        Holds::Bytes => push_string(&mut self.line, STANDARD.encode(value).as_bytes()),
                    },
                }
            }
            self.line.extend_from_slice(b"}\n");
            let bytes = self.line.len() as u64;
            if bytes - 1 > self.limit {
                let head = super::OVERLONG_HEAD_BYTES.min(self.limit).min(bytes);
                self.line.truncate(head as usize);
                self.columns.push_overlong(self.offset, head, bytes - 1);
            } else {
                self.columns.push(self.offset, bytes);
            }
            self.offset += self.line.len() as u64;
            self.spool.push(&self.line).map_err(|error| no_spool(&path, &error))?;
        }
        Ok(())
    }

    /// All rows as a store.
    pub fn finish(mut self) -> Result<Store> {
        let name = self.sources.first().map(|source| source.0.clone()).unwrap_or_default();
        let file = Arc::new(self.spool.finish().map_err(|error| no_spool(&name, &error))?);
        self.columns.shrink();
        let end = self.offset;
        let source = |(path, first): (PathBuf, usize)| Source {
            path,
            format: RecordFormat::Row,
            body: Body::Spooled(Arc::clone(&file)),
            first,
            bom: false,
            header: None,
            stamp: None,
            asked: Asked::Utf8,
            decided: Decided::UTF8,
            bytes_read: 0,
            found: Found::default(),
        };
        let mut sources: Vec<_> = self.sources.into_iter().map(source).collect();
        if let Some(first) = sources.first_mut() {
            first.bytes_read = end;
        }
        Ok(Store::of_rows(sources, self.columns, self.limit))
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
