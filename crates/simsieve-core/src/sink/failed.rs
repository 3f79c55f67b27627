//! Keeps the records that failed, with their bytes and the reason, so that nothing is lost.
//!
//! In come the failures by position; out go JSON lines.

use std::borrow::Cow;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::Sink;
use super::target::{Begun, Target};
use crate::base::error::Result;
use crate::source::{Failure, Sources};

/// How much of a record is kept here; the source has the rest.
const RECORD_BYTES: u64 = 1 << 20;

/// One line; the names are part of the contract.
struct FailedRow<'a> {
    position: usize,
    source: Cow<'a, str>,
    line: u64,
    code: &'a str,
    message: &'a str,
    record: Option<&'a str>,
    record_base64: Option<String>,
    bytes: u64,
    truncated: bool,
    /// `new` or `old`, where there are both.
    collection: Option<&'a str>,
}

impl Serialize for FailedRow<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut row = serializer.serialize_map(None)?;
        row.serialize_entry("position", &self.position)?;
        row.serialize_entry("source", &self.source)?;
        row.serialize_entry("line", &self.line)?;
        row.serialize_entry("code", self.code)?;
        row.serialize_entry("message", self.message)?;
        if let Some(record) = self.record {
            row.serialize_entry("record", record)?;
        }
        if let Some(record) = &self.record_base64 {
            row.serialize_entry("record_base64", record)?;
        }
        row.serialize_entry("bytes", &self.bytes)?;
        row.serialize_entry("truncated", &self.truncated)?;
        if let Some(collection) = self.collection {
            row.serialize_entry("collection", collection)?;
        }
        row.end()
    }
}

/// A file with a line for each failure, which only its owner may read. It has position, source, line, code, message and the record, as `record` where
/// it is UTF-8, else as `record_base64`. `bytes` is its true length, and `truncated` is whether it is cut off here.
/// Where the sources have old records, the `collection` (`new` or `old`) follows, and each is numbered from 0.
#[derive(Debug)]
pub struct FailedSink {
    target: Target,
    buffer: Vec<u8>,
}

impl FailedSink {
    /// A sink at this name.
    pub fn new(path: &Path) -> Self {
        Self {
            target: Target::private(path),
            buffer: Vec::new(),
        }
    }
}

impl Sink<[(usize, Failure)]> for FailedSink {
    fn check(&self, sources: &Sources) -> Result<()> {
        self.target.check(sources)
    }

    fn begin(&mut self, sources: &Arc<Sources>) -> Result<()> {
        self.target.begin(sources)
    }

    fn write(&mut self, batch: &[(usize, Failure)]) -> Result<()> {
        let Begun { sources, file } = self.target.begun()?;
        for (position, failure) in batch {
            let (head, bytes) = sources.read_head(*position, RECORD_BYTES, &mut self.buffer)?;
            let truncated = (head.len() as u64) < bytes;
            let record = text_of(head, truncated);
            let (source, line) = sources.locate(*position).cells();
            let old = *position >= sources.new_len();
            let row = FailedRow {
                position: *position - if old { sources.new_len() } else { 0 },
                source,
                line,
                code: failure.code,
                message: &failure.message.to_string(),
                record,
                record_base64: record.is_none().then(|| STANDARD.encode(head)),
                bytes,
                truncated,
                collection: sources.is_against().then_some(if old { "old" } else { "new" }),
            };
            serde_json::to_writer(&mut *file, &row)
                .map_err(std::io::Error::from)
                .and_then(|()| file.write_all(b"\n"))
                .map_err(|error| file.error(&error))?;
        }
        Ok(())
    }

    fn commit(self: Box<Self>) -> Result<()> {
        self.target.commit()
    }
}

/// The bytes as text, if they are; a character that the cut went through is left off.
fn text_of(head: &[u8], truncated: bool) -> Option<&str> {
    match std::str::from_utf8(head) {
        Ok(text) => Some(text),
        Err(error) if truncated && error.error_len().is_none() => head
            .get(..error.valid_up_to())
            .and_then(|whole| std::str::from_utf8(whole).ok()),
        Err(_) => None,
    }
}
