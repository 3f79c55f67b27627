//! Keeps the records that failed, with their bytes and the reason, so that nothing is lost.
//!
//! In come a store and the failures by position; out go JSON lines. The pipeline calls it for `--failed`.

use std::borrow::Cow;
use std::io::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::base::context::Context;
use crate::base::error::Result;
use crate::source::{Failure, Store};
use crate::storage::atomic::AtomicFile;

/// How much of a record is kept here; the source has the rest.
const RECORD_BYTES: u64 = 1 << 20;

/// How many records pass between two calls of the monitor: each is read by itself.
const TICK_RECORDS: usize = 1 << 10;

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
    /// Where there are two: the one it is of.
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

/// Writes a line for each failure: position, source, line, code, message, the record (as `record` where it is UTF-8, else
/// as `record_base64`), its true length in `bytes`, and whether it is `truncated` here; the caller commits. Where the store
/// has old records, the `collection` (`new` or `old`) stands behind, and each is numbered from 0. Stage `write_failed` of
/// the monitor counts records.
pub fn write_failed(
    store: &Store,
    failures: &[(usize, Failure)],
    sink: &mut AtomicFile,
    ctx: &Context<'_>,
) -> Result<()> {
    let mut buffer = Vec::new();
    for (done, (position, failure)) in failures.iter().enumerate() {
        if done % TICK_RECORDS == 0 {
            ctx.tick("write_failed", done as u64, failures.len() as u64)?;
        }
        let (head, bytes) = store.read_head(*position, RECORD_BYTES, &mut buffer)?;
        let truncated = (head.len() as u64) < bytes;
        let record = text_of(head, truncated);
        let location = store.locate(*position);
        let old = *position >= store.new_len();
        let row = FailedRow {
            position: *position - if old { store.new_len() } else { 0 },
            source: location.path.to_string_lossy(),
            line: location.line,
            code: failure.code,
            message: &failure.message,
            record,
            record_base64: record.is_none().then(|| STANDARD.encode(head)),
            bytes,
            truncated,
            collection: store.is_against().then_some(if old { "old" } else { "new" }),
        };
        serde_json::to_writer(&mut *sink, &row)
            .map_err(std::io::Error::from)
            .and_then(|()| sink.write_all(b"\n"))
            .map_err(|error| sink.error(&error))?;
    }
    Ok(())
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
