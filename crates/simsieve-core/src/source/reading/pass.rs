//! What every reading of a source from its beginning to its end has in common.

use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use encoding_rs::UTF_8;

use crate::base::error::Result;
use crate::source::error::{source_error, unread};
use crate::source::format::csv::{Cells, Header};
use crate::source::format::encoding::{EncodingProbe, SourceEncoding};
use crate::source::format::quotes::Dialect;
use crate::source::format::quoting::Quoted;
use crate::source::format::scan::{Grammar, Scan, Scanner};
use crate::source::format::{Format, Quoting, SourceSpec};
use crate::source::spans::Spans;
use crate::text::encoding;

/// This much of a source shows whether it is UTF-16.
pub(in crate::source) const HEAD_BYTES: usize = 4 << 10;

/// One read. Larger ones fall out of the second-level cache before they are scanned.
pub(in crate::source) const CHUNK_BYTES: usize = 512 << 10;

/// So many rows show whether the header lacks a name.
const FIRST_ROWS: usize = 10;

/// How many bytes pass between two ticks.
pub(in crate::source) const TICK_BYTES: u64 = 8 << 20;

/// Reports how much of some sources has been read.
pub(in crate::source) struct ReadProgress<'r> {
    /// Takes the bytes that have been read. Its error ends the reading.
    report: &'r dyn Fn(u64) -> Result<()>,
    /// Bytes of the sources, as they are on disk, that are done with.
    pub(in crate::source) done: u64,
}

impl<'r> ReadProgress<'r> {
    /// The progress of reading some sources; nothing of them is done yet.
    pub(in crate::source) const fn new(report: &'r dyn Fn(u64) -> Result<()>) -> Self {
        Self { report, done: 0 }
    }

    /// Reports `more` bytes of the source in work.
    pub(in crate::source) fn tick(&self, more: u64) -> Result<()> {
        (self.report)(self.done + more)
    }
}

/// What a record is in a format, of a table of this dialect.
pub(in crate::source) fn grammar_of(format: Format, dialect: Option<Dialect>) -> Grammar {
    match (format, dialect) {
        (_, Some(dialect)) => Grammar::Rows(dialect),
        (Format::Jsonl | Format::Json, None) => Grammar::FilledLines,
        (_, None) => Grammar::Lines,
    }
}

/// A source that was scanned: where its records are, and how its bytes are read again.
pub(in crate::source) struct Again<'a> {
    pub(in crate::source) path: &'a Path,
    pub(in crate::source) spans: Spans,
    pub(in crate::source) scan: Scan,
    /// Where its body begins.
    pub(in crate::source) start: u64,
    /// Fills a buffer from a place of the body on.
    pub(in crate::source) read: &'a dyn Fn(&mut [u8], u64) -> io::Result<()>,
    /// Fails where the run is stopped.
    pub(in crate::source) go_on: &'a dyn Fn() -> Result<()>,
}

impl Again<'_> {
    fn bytes(&self, span: Range<u64>, buffer: &mut Vec<u8>) -> Result<()> {
        buffer.resize((span.end - span.start) as usize, 0);
        (self.read)(buffer, span.start).map_err(|error| unread(self.path, &error))
    }

    /// Passes on the first `count` records but those beyond the limit.
    fn each(&self, count: usize, take: &mut dyn FnMut(&[u8])) -> Result<()> {
        let mut buffer = Vec::new();
        let (mut position, count) = (0, count.min(self.spans.len()));
        while position < count {
            (self.go_on)()?;
            let first = self.spans.span(position);
            let mut end = position;
            while end < count && (end == position || self.spans.span(end).end - first.start <= CHUNK_BYTES as u64) {
                end += 1;
            }
            self.bytes(first.start..self.spans.loaded(end - 1).end, &mut buffer)?;
            for record in (position..end).filter(|&record| self.spans.overlong(record).is_none()) {
                let span = self.spans.span(record);
                take(&buffer[(span.start - first.start) as usize..(span.end - first.start) as usize]);
            }
            position = end;
        }
        Ok(())
    }

    /// Decides whether the quotes of a table are quotes, where nobody says it and a field begins with one. Where they are data, the
    /// rows are cut anew. Returns the dialect, and what was found.
    pub(in crate::source) fn quoting(
        &mut self,
        spec: &SourceSpec,
        dialect: Option<Dialect>,
        limit: u64,
    ) -> Result<(Option<Dialect>, Quoted)> {
        let mut quoted = Quoted::default();
        let (Some(mut dialect), Some((header, _)), true) = (dialect, self.scan.header.clone(), self.scan.has_quotes)
        else {
            return Ok((dialect, quoted));
        };
        let mut names = Vec::new();
        self.bytes(header.clone(), &mut names)?;
        let columns = Cells::new(
            String::from_utf8_lossy(&names).lines().last().unwrap_or_default(),
            dialect,
        )
        .count();
        self.each(usize::MAX, &mut |row| quoted.add(row, dialect, columns))?;
        let is_whole = self.spans.all_overlong().next().is_none();
        if spec.quoting == Quoting::Auto && is_whole && quoted.are_data(names.contains(&b'"')) {
            dialect.quoted = false;
            let end = self
                .spans
                .len()
                .checked_sub(1)
                .map_or(header.end, |last| self.spans.span(last).end);
            let mut spans = Spans::default();
            let mut scanner = Scanner::new(&mut spans, None, Grammar::Rows(dialect), limit, self.start);
            let (mut at, mut buffer) = (self.start, Vec::new());
            while at < end {
                (self.go_on)()?;
                let next = end.min(at + CHUNK_BYTES as u64);
                self.bytes(at..next, &mut buffer)?;
                scanner.feed(&buffer).map_err(|error| unread(self.path, &error))?;
                at = next;
            }
            self.scan = scanner.finish(None).map_err(|error| unread(self.path, &error))?.0;
            self.spans = spans;
        }
        Ok((Some(dialect), quoted))
    }

    /// The encoding of the source. Where it is to be found, all records are tried.
    pub(in crate::source) fn encoding(&self, probe: EncodingProbe, bom: bool) -> Result<SourceEncoding> {
        if let Some(encoding) = probe.finish() {
            return Ok(encoding);
        }
        if bom {
            return Ok(SourceEncoding::detected(UTF_8));
        }
        let each = |take: &mut dyn FnMut(&[u8])| -> Result<()> {
            if let Some((header, _)) = &self.scan.header {
                let mut buffer = Vec::new();
                self.bytes(header.clone(), &mut buffer)?;
                take(&buffer);
            }
            self.each(usize::MAX, take)
        };
        let found = encoding::find(each)?.map_err(|why| source_error(self.path, why))?;
        Ok(SourceEncoding::detected(found))
    }

    /// The header of a table.
    pub(in crate::source) fn header(
        &self,
        dialect: Option<Dialect>,
        limit: u64,
        encoding: SourceEncoding,
    ) -> Result<Option<Arc<Header>>> {
        let (Some(dialect), Some((span, true_bytes))) = (dialect, &self.scan.header) else {
            return Ok(None);
        };
        if *true_bytes > limit {
            return Err(source_error(
                self.path,
                msg!(
                    "has a header of {true_bytes} bytes, and the limit of a record is {limit}; raise \
                     {@max_record_bytes}"
                ),
            ));
        }
        let (mut bytes, mut first) = (Vec::new(), Vec::new());
        self.bytes(span.clone(), &mut bytes)?;
        self.each(FIRST_ROWS, &mut |row| first.push(row.to_vec()))?;
        let header = Header::read(bytes, dialect, encoding, &first);
        Ok(Some(Arc::new(
            header.map_err(|message| source_error(self.path, message))?,
        )))
    }
}

/// Reads until the buffer is full or the source at its end.
pub(in crate::source) fn fill(input: &mut dyn Read, buffer: &mut [u8]) -> io::Result<usize> {
    match fill_counted(input, buffer) {
        (filled, None) => Ok(filled),
        (_, Some(error)) => Err(error),
    }
}

/// As [`fill`], but returns how far it came when it failed.
pub(in crate::source) fn fill_counted(input: &mut dyn Read, buffer: &mut [u8]) -> (usize, Option<io::Error>) {
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
