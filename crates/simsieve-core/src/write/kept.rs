//! Writes the kept records as they stood in their sources.
//!
//! In come a store and which of its positions are kept; out go their bytes. The pipeline calls [`check_kept_sink`] before
//! the work and [`write_kept`] after it.

use std::ops::Range;
use std::path::Path;

use super::AtomicFile;
use crate::error::{Error, Result};
use crate::monitor::Monitor;
use crate::read::{BOM, Format, NameSays, RecordFormat, Store, format_of_name, is_stdio};

/// The largest single read.
const READ_BYTES: u64 = 4 << 20;

/// How many records pass between two calls of the monitor.
const TICK_RECORDS: usize = 1 << 16;

/// Makes sure that the sink's name does not promise another format than the kept records will have, which is that of the
/// sources. A name without an ending promises nothing.
pub fn check_kept_sink(store: &Store, sink: &Path) -> Result<()> {
    sink_format(store, sink).map(|_| ())
}

/// The format that kept records have in this sink.
fn sink_format(store: &Store, sink: &Path) -> Result<Format> {
    let mut formats = store.formats();
    let first = formats.next().unwrap_or(RecordFormat::Lines(Format::Jsonl));
    if formats.any(|format| format != first) {
        let names: Vec<_> = store.source_names().map(|name| name.display().to_string()).collect();
        return Err(Error::Config(format!(
            "the sources {} are of different formats, so their records cannot stand in one sink ({}); write them in two \
             runs, or convert one",
            names.join(", "),
            sink.display()
        )));
    }
    let says = if is_stdio(sink) {
        NameSays::Nothing
    } else {
        format_of_name(sink)
    };
    match (first, says) {
        (RecordFormat::Raw, NameSays::Nothing) => Ok(Format::Jsonl),
        (RecordFormat::Raw, NameSays::Format(format)) | (RecordFormat::Lines(format), NameSays::Nothing) => Ok(format),
        (RecordFormat::Lines(format), NameSays::Format(named)) if named == format => Ok(format),
        (RecordFormat::Lines(format), NameSays::Format(named)) => Err(Error::Config(format!(
            "the sink {} is named {named}, but the kept records come out as they are in the sources, as {format}; give it \
             the sources' ending",
            sink.display()
        ))),
        (_, NameSays::Other(ending)) => Err(Error::Config(format!(
            "the sink {} ends in .{ending}, which cannot be written; allowed are .jsonl, .ndjson and .txt, each also with \
             .gz or .zst behind it",
            sink.display()
        ))),
    }
}

/// Writes the records of which `keep` says true, in the order of the sources, and tells how many; the caller commits.
/// Stage `write` of the monitor counts records.
pub fn write_kept(
    store: &Store,
    keep: impl Fn(usize) -> bool,
    sink: &mut AtomicFile,
    monitor: &mut dyn Monitor,
) -> Result<u64> {
    let format = sink_format(store, sink.path())?;
    let raw = store.formats().next() == Some(RecordFormat::Raw);
    if store.has_bom() {
        sink.append(BOM)?;
    }
    let mut copy = Copy {
        store,
        sink,
        run: 0..0,
        source: 0,
        buffer: Vec::new(),
    };
    let mut kept = 0;
    // What the record before lacks, due as soon as another follows.
    let mut due = None;
    // Old records are nobody's to write.
    let total = store.new_len();
    for position in 0..total {
        if position % TICK_RECORDS == 0 {
            monitor.tick("write", position as u64, total as u64)?;
        }
        if !keep(position) {
            continue;
        }
        kept += 1;
        if raw {
            copy.text(position, format)?;
            continue;
        }
        if let Some(terminator) = due {
            copy.flush()?;
            copy.sink.append(terminator)?;
        }
        copy.record(position)?;
        due = store.missing_terminator(position).map(crate::read::Terminator::bytes);
    }
    copy.flush()?;
    monitor.tick("write", total as u64, total as u64)?;
    Ok(kept)
}

/// Copies spans, neighbours together.
struct Copy<'c> {
    store: &'c Store,
    sink: &'c mut AtomicFile,
    /// Bytes of `source` that are still to be copied.
    run: Range<u64>,
    source: usize,
    buffer: Vec<u8>,
}

impl Copy<'_> {
    fn record(&mut self, position: usize) -> Result<()> {
        let Some(span) = self.store.whole_span(position) else {
            return Err(Error::Config(format!(
                "{}: the record is beyond the limit and was not kept whole, so it cannot be written; raise the limit with \
                 --max-record-bytes",
                self.store.locate(position)
            )));
        };
        let source = self.store.source_of(position);
        if source != self.source || span.start != self.run.end {
            self.flush()?;
            self.source = source;
            self.run = span;
        } else {
            self.run.end = span.end;
        }
        if self.run.end - self.run.start >= READ_BYTES {
            self.flush()
        } else {
            Ok(())
        }
    }

    fn flush(&mut self) -> Result<()> {
        while self.run.start < self.run.end {
            let end = self.run.end.min(self.run.start + READ_BYTES);
            let bytes = self
                .store
                .read_span(self.source, self.run.start..end, &mut self.buffer)?;
            self.sink.append(bytes)?;
            self.run.start = end;
        }
        Ok(())
    }

    /// A text that was given in memory, as a line.
    fn text(&mut self, position: usize, format: Format) -> Result<()> {
        let text = self.store.read_record(position, &mut self.buffer)?;
        match format {
            Format::Text => {
                if text.contains(&b'\n') || text.ends_with(b"\r") {
                    return Err(Error::Config(format!(
                        "the text at position {position} has a line break, so it cannot be a line of {}; write to a .jsonl \
                         file",
                        self.sink.path().display()
                    )));
                }
                self.sink.append(text)?;
            }
            Format::Jsonl => {
                // It was a string when it came in, so nothing is replaced here.
                let text = String::from_utf8_lossy(text);
                self.sink.append(b"{\"text\":")?;
                serde_json::to_writer(&mut *self.sink, &text).map_err(|error| self.sink.error(&error.into()))?;
                self.sink.append(b"}")?;
            }
        }
        self.sink.append(b"\n")
    }
}
