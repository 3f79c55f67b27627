//! Keeps the records that failed, with their bytes and the reason, so that nothing is lost.
//!
//! In come the failures by position; out go JSON lines.

use std::path::Path;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::Sink;
use super::rows::{Cell, Line};
use super::target::{Begun, Target};
use crate::base::error::Result;
use crate::source::{Failure, Sources};

/// How much of a record is kept here; the source has the rest.
const RECORD_BYTES: u64 = 1 << 20;

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
            let row = [
                (
                    "position",
                    Cell::Whole((*position - if old { sources.new_len() } else { 0 }) as u64),
                ),
                ("source", Cell::text(Some(source))),
                ("line", Cell::Whole(line)),
                ("code", Cell::text(Some(failure.code))),
                ("message", Cell::text(Some(failure.message.to_string()))),
                ("record", Cell::text(record).only_if(record.is_some())),
                (
                    "record_base64",
                    Cell::text(record.is_none().then(|| STANDARD.encode(head))).only_if(record.is_none()),
                ),
                ("bytes", Cell::Whole(bytes)),
                ("truncated", Cell::Truth(truncated)),
                (
                    "collection",
                    Cell::text(Some(if old { "old" } else { "new" })).only_if(sources.is_against()),
                ),
            ];
            row.write_to(&mut *file).map_err(|error| file.error(&error))?;
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
