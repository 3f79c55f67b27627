//! What every reading of a source from its beginning to its end has in common.

use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use super::error::{source_error, unread};
use super::format::Format;
use super::format::csv::Header;
use super::format::encoding::SourceEncoding;
use super::format::scan::{Grammar, Scan};
use crate::base::error::Result;

/// This much of a source shows whether it is UTF-16.
pub(super) const HEAD_BYTES: usize = 4 << 10;

/// One read. Larger ones fall out of the second-level cache before they are scanned.
pub(super) const CHUNK_BYTES: usize = 512 << 10;

/// How many bytes pass between two ticks.
pub(super) const TICK_BYTES: u64 = 8 << 20;

/// Reports how much of some sources has been read.
pub(super) struct ReadProgress<'r> {
    /// Takes the bytes that have been read. Its error ends the reading.
    report: &'r dyn Fn(u64) -> Result<()>,
    /// Bytes of the sources, as they are on disk, that are done with.
    pub(super) done: u64,
}

impl<'r> ReadProgress<'r> {
    /// The progress of reading some sources; nothing of them is done yet.
    pub(super) const fn new(report: &'r dyn Fn(u64) -> Result<()>) -> Self {
        Self { report, done: 0 }
    }

    /// Reports `more` bytes of the source in work.
    pub(super) fn tick(&self, more: u64) -> Result<()> {
        (self.report)(self.done + more)
    }
}

/// What a record is in a format, of a table with this sign between fields.
pub(super) fn grammar_of(format: Format, delimiter: Option<u8>) -> Grammar {
    match (format, delimiter) {
        (_, Some(delimiter)) => Grammar::Rows(delimiter),
        (Format::Jsonl | Format::Json, None) => Grammar::FilledLines,
        (_, None) => Grammar::Lines,
    }
}

/// Reads the header of a table; `read` fills a buffer from a place of the body on.
pub(super) fn header_of(
    path: &Path,
    delimiter: Option<u8>,
    scan: &Scan,
    read: impl FnOnce(&mut [u8], u64) -> io::Result<()>,
    limit: u64,
    encoding: SourceEncoding,
) -> Result<Option<Arc<Header>>> {
    let (Some(delimiter), Some((span, true_bytes))) = (delimiter, &scan.header) else {
        return Ok(None);
    };
    if *true_bytes > limit {
        return Err(source_error(
            path,
            format!("has a header of {true_bytes} bytes, and the limit of a record is {limit}; raise max_record_bytes"),
        ));
    }
    let mut bytes = vec![0; (span.end - span.start) as usize];
    read(&mut bytes, span.start).map_err(|error| unread(path, &error))?;
    let header = Header::read(bytes, delimiter, encoding).map_err(|message| source_error(path, message))?;
    Ok(Some(Arc::new(header)))
}

/// Reads until the buffer is full or the source at its end.
pub(super) fn fill(input: &mut dyn Read, buffer: &mut [u8]) -> io::Result<usize> {
    match fill_counted(input, buffer) {
        (filled, None) => Ok(filled),
        (_, Some(error)) => Err(error),
    }
}

/// As [`fill`], but returns how far it came when it failed.
pub(super) fn fill_counted(input: &mut dyn Read, buffer: &mut [u8]) -> (usize, Option<io::Error>) {
    let mut filled = 0;
    while filled < buffer.len() {
        match input.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return (filled, Some(error)),
        }
    }
    (filled, None)
}
