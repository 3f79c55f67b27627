//! Kept records byte for byte, as they are in their sources.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::target::{Begun, Target};
use super::{Decided, Sink};
use crate::base::error::{Error, Result};
use crate::source::{BOM, Header, SourceEncoding, Sources, Terminator, ToUtf16, is_near};
use crate::storage::atomic::AtomicFile;

/// The largest single read.
const READ_BYTES: u64 = 4 << 20;

/// A file in the format and encoding of the sources. It copies spans; those near each other are read together.
#[derive(Debug)]
pub struct KeptSink {
    target: Target,
    copy: Copy,
    is_empty: bool,
    /// What the next record is preceded by, because the one before it lacks its own terminator.
    due: Option<&'static [u8]>,
}

impl KeptSink {
    /// A sink at this name.
    pub fn new(path: &Path) -> Self {
        Self {
            target: Target::new(path),
            copy: Copy::default(),
            is_empty: true,
            due: None,
        }
    }
}

impl Sink<Decided<'_>> for KeptSink {
    fn check(&self, sources: &Sources) -> Result<()> {
        self.target.check(sources)?;
        check_fits(sources, self.target.path())
    }

    fn begin(&mut self, sources: &Arc<Sources>) -> Result<()> {
        self.target.begin(sources)?;
        let first = sources.source_encodings().next();
        let wide = first.filter(|encoding| encoding.is_utf16());
        self.copy.wide = wide.map(|encoding| ToUtf16::new(encoding.encoding));
        self.due = self.copy.head(self.target.begun()?)?;
        Ok(())
    }

    fn write(&mut self, batch: &Decided<'_>) -> Result<()> {
        let begun = self.target.begun()?;
        for position in batch.kept() {
            if let Some(terminator) = self.due {
                self.copy.flush(begun)?;
                self.copy.append(&mut begun.file, terminator)?;
            } else if self.is_empty {
                self.copy.keep_mark(begun, position)?;
            }
            self.is_empty = false;
            self.copy.record(begun, position)?;
            self.due = begun.sources.missing_terminator(position).map(Terminator::bytes);
        }
        self.copy.flush(begun)
    }

    fn commit(self: Box<Self>) -> Result<()> {
        self.target.commit()
    }
}

/// Bytes on their way from the sources to the file.
#[derive(Debug, Default)]
struct Copy {
    /// Where the sources are in UTF-16.
    wide: Option<ToUtf16>,
    /// Bytes of `source` that are still to be copied: they ascend, with few bytes between them.
    runs: Vec<Range<u64>>,
    source: usize,
    buffer: Vec<u8>,
}

impl Copy {
    fn append(&mut self, file: &mut AtomicFile, bytes: &[u8]) -> Result<()> {
        match &mut self.wide {
            None => file.append(bytes),
            Some(wide) => file.append(&wide.convert(bytes)),
        }
    }

    /// Writes what precedes all records: a byte order mark, the header of tables. Returns the line break that it lacks.
    fn head(&mut self, Begun { sources, file }: &mut Begun) -> Result<Option<&'static [u8]>> {
        let header = header(sources).map(Header::bytes);
        if sources.has_bom() || header.is_some_and(|header| is_as_marked(sources, header)) {
            self.append(file, BOM)?;
        }
        let Some(header) = header else {
            return Ok(None);
        };
        self.append(file, header)?;
        Ok((!header.ends_with(b"\n")).then_some(b"\n"))
    }

    /// Writes what keeps the beginning of the first record, where no header precedes it.
    fn keep_mark(&mut self, Begun { sources, file }: &mut Begun, position: usize) -> Result<()> {
        if sources.has_bom() || header(sources).is_some() {
            return Ok(());
        }
        let mut buffer = Vec::new();
        if is_as_marked(sources, sources.read_record(position, &mut buffer)?) {
            self.append(file, BOM)?;
        }
        Ok(())
    }

    fn record(&mut self, begun: &mut Begun, position: usize) -> Result<()> {
        let span = begun.sources.whole_span(position)?;
        let source = begun.sources.source_of(position);
        let last = self.runs.last_mut().filter(|_| source == self.source);
        match last {
            Some(run) if span.start == run.end => run.end = span.end,
            Some(run) if is_near(run.end, &span) => self.runs.push(span),
            _ => {
                self.flush(begun)?;
                self.source = source;
                self.runs.push(span);
            }
        }
        if self.bytes().is_some_and(|bytes| bytes.end - bytes.start >= READ_BYTES) {
            self.flush(begun)
        } else {
            Ok(())
        }
    }

    /// From the first byte that is to be copied to the last.
    fn bytes(&self) -> Option<Range<u64>> {
        Some(self.runs.first()?.start..self.runs.last()?.end)
    }

    fn flush(&mut self, Begun { sources, file }: &mut Begun) -> Result<()> {
        let Some(Range { mut start, end: last }) = self.bytes() else {
            return Ok(());
        };
        while start < last {
            let end = last.min(start + READ_BYTES);
            let bytes = sources.read_span(self.source, start..end, &mut self.buffer)?;
            for run in &self.runs {
                let (from, to) = (run.start.max(start), run.end.min(end));
                if from < to {
                    let wanted = &bytes[(from - start) as usize..(to - start) as usize];
                    match &mut self.wide {
                        None => file.append(wanted)?,
                        Some(wide) => file.append(&wide.convert(wanted))?,
                    }
                }
            }
            start = end;
        }
        self.runs.clear();
        Ok(())
    }
}

/// The header of the first table that has one: it precedes all records.
fn header(sources: &Sources) -> Option<&Header> {
    (0..sources.source_names().count()).find_map(|source| sources.header(source))
}

/// Whether bytes begin as a byte order mark does, and would be read as one where they become the first: after blank lines
/// or other records they were text. A mark goes before them then.
fn is_as_marked(sources: &Sources, bytes: &[u8]) -> bool {
    bytes.starts_with(BOM)
        && sources
            .source_encodings()
            .next()
            .is_none_or(SourceEncoding::is_utf8_inside)
}

/// Makes sure that the records of all sources can be in one file.
pub(super) fn check_fits(sources: &Sources, sink: &Path) -> Result<()> {
    check_headers(sources, sink)?;
    check_encodings(sources, sink)
}

/// Tables of other columns do not fit under one header.
fn check_headers(sources: &Sources, sink: &Path) -> Result<()> {
    let mut names = sources.source_names().enumerate();
    let with_header = |(index, name)| sources.header(index).map(|header| (name, header));
    let Some((first, header)) = names.by_ref().find_map(with_header) else {
        return Ok(());
    };
    match names
        .filter_map(with_header)
        .find(|(_, other)| other.names() != header.names() || is_other(other, header))
    {
        None => Ok(()),
        Some((other, unlike)) => Err(Error::Config(msg!(
            "the tables {first} and {other} have different {value}, so their records cannot be under one \
             header in {sink}; name an output in .jsonl, give {@output_format} jsonl, or make two runs",
            first = first.display(),
            other = other.display(),
            value = match (unlike.names() == header.names(), unlike.dialect(), header.dialect()) {
                (false, ..) => "columns",
                (_, one, other) if one.delimiter != other.delimiter => "delimiters",
                _ => "quoting",
            },
            sink = sink.display()
        ))),
    }
}

fn is_other(one: &Header, other: &Header) -> bool {
    let (one, other) = (one.dialect(), other.dialect());
    (one.delimiter, one.quoted) != (other.delimiter, other.quoted)
}

/// Records of several encodings are no text together.
fn check_encodings(sources: &Sources, sink: &Path) -> Result<()> {
    let named: Vec<_> = sources.source_names().zip(sources.source_encodings()).collect();
    for (place, (name, encoding)) in named.iter().enumerate() {
        if let Some((other, unlike)) = named[..place].iter().find(|before| !before.1.goes_with(*encoding)) {
            return Err(Error::Config(msg!(
                "the sources {other} ({unlike}) and {name} ({encoding}) are in different encodings, so their \
                 records cannot go into one output ({sink}); name an output in .jsonl of records that are no \
                 JSON lines yet, or make two runs",
                other = other.display(),
                name = name.display(),
                sink = sink.display(),
                unlike = unlike.to_string(),
                encoding = encoding.to_string()
            )));
        }
    }
    Ok(())
}
