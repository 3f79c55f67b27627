//! Writes the kept records as they stood in their sources, or as JSON lines.
//!
//! In come a store and which of its positions are kept; out go their bytes. The pipeline calls [`check_kept_sink`] before
//! the work and [`write_kept`] after it.

use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::copies::is_folder;
use super::objects::write_object;
use crate::base::context::Context;
use crate::base::error::{Error, Result};
use crate::source::{
    BOM, Decided, ENDINGS, Format, NameSays, RecordFormat, Store, Terminator, ToUtf16, format_of_name,
};
use crate::storage::atomic::AtomicFile;
use crate::storage::paths::is_stdio;

/// The largest single read.
const READ_BYTES: u64 = 4 << 20;

/// How many records pass between two calls of the monitor.
const TICK_RECORDS: usize = 1 << 16;

/// How kept records come out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Byte for byte.
    AsRead,
    /// As JSON objects, one a line; those that are such objects already, byte for byte.
    Objects,
    /// Texts in memory, one a line.
    Lines,
    /// The paths of files, one a line.
    Paths,
    /// The files of folders in a folder: see [`super::write_folder`].
    Folder,
}

/// Makes sure that the sink can hold the kept records in the format that is `given`, or else that its name tells: any sink
/// holds records of its own format, JSON lines hold all. A name without an ending takes what comes.
pub fn check_kept_sink(store: &Store, sink: &Path, given: Option<Format>) -> Result<()> {
    way(store, sink, given).map(drop)
}

fn way(store: &Store, sink: &Path, given: Option<Format>) -> Result<Way> {
    if is_folder(sink) {
        if store.formats().all(|format| format == RecordFormat::File) && given.is_none() {
            return Ok(Way::Folder);
        }
        return Err(Error::Config(format!(
            "the sink {} is a folder, and only the files of folders can be put there; name a file in it, without \
             --output-format for files",
            sink.display()
        )));
    }
    let wanted = wanted_format(sink, given)?;
    let mut formats = store.formats();
    let first = formats.next().unwrap_or(RecordFormat::Lines(Format::Jsonl));
    let is_mixed = formats.any(|format| format != first);
    match (first, wanted) {
        _ if is_mixed && wanted == Some(Format::Jsonl) => Ok(Way::Objects),
        _ if is_mixed => {
            let names: Vec<_> = store.source_names().map(|name| name.display().to_string()).collect();
            Err(Error::Config(format!(
                "the sources {} are of different formats, so their records can stand together only in JSON lines, and not \
                 in the sink {}; name a sink in .jsonl, give --output-format jsonl, or make two runs",
                names.join(", "),
                sink.display()
            )))
        }
        (RecordFormat::Row, _) => Err(Error::Config(format!(
            "the rows cannot be written to {} here; name a sink in .parquet",
            sink.display()
        ))),
        (RecordFormat::File, None | Some(Format::Text)) => Ok(Way::Paths),
        (RecordFormat::Raw, Some(Format::Text)) => Ok(Way::Lines),
        (RecordFormat::Lines(format), wanted) if wanted.is_none_or(|wanted| wanted == format) => {
            check_headers(store, sink)?;
            check_encodings(store, sink)?;
            Ok(Way::AsRead)
        }
        // The guard above has taken lines for a sink that wants nothing.
        (_, None | Some(Format::Jsonl)) => Ok(Way::Objects),
        (RecordFormat::Lines(format), Some(wanted)) => {
            Err(cannot_hold(sink, given.is_some(), wanted, &format.to_string()))
        }
        (RecordFormat::Raw, Some(wanted)) => Err(cannot_hold(sink, given.is_some(), wanted, "texts in memory")),
        (RecordFormat::File, Some(wanted)) => Err(cannot_hold(sink, given.is_some(), wanted, "a list of files")),
    }
}

fn cannot_hold(sink: &Path, given: bool, wanted: Format, have: &str) -> Error {
    let how = if given { "is to be" } else { "is named" };
    Error::Config(format!(
        "the sink {} {how} {wanted}, but the kept records come out as they are in the sources, as {have}; give it the \
         sources' ending, or .jsonl, which holds all",
        sink.display()
    ))
}

fn wanted_format(sink: &Path, given: Option<Format>) -> Result<Option<Format>> {
    if given.is_some() || is_stdio(sink) {
        return Ok(given);
    }
    match format_of_name(sink) {
        NameSays::Nothing => Ok(None),
        NameSays::Format(format) => Ok(Some(format)),
        NameSays::Other(ending) => Err(Error::Config(format!(
            "the sink {} ends in .{ending}, which cannot be written; allowed are {ENDINGS}",
            sink.display()
        ))),
    }
}

/// Tables of other columns do not fit under one header.
fn check_headers(store: &Store, sink: &Path) -> Result<()> {
    let mut names = store.source_names().enumerate();
    let with_header = |(index, name)| store.header(index).map(|header| (name, header));
    let Some((first, header)) = names.by_ref().find_map(with_header) else {
        return Ok(());
    };
    match names
        .filter_map(with_header)
        .find(|other| other.1.names() != header.names())
    {
        None => Ok(()),
        Some((other, _)) => Err(Error::Config(format!(
            "the tables {} and {} have different columns, so their records cannot stand under one header in {}; name a sink \
             in .jsonl, give --output-format jsonl, or make two runs",
            first.display(),
            other.display(),
            sink.display()
        ))),
    }
}

/// Records of several encodings are no text together.
fn check_encodings(store: &Store, sink: &Path) -> Result<()> {
    let named: Vec<_> = store.source_names().zip(store.decided()).collect();
    for (place, (name, decided)) in named.iter().enumerate() {
        if let Some((other, unlike)) = named[..place].iter().find(|before| !before.1.goes_with(*decided)) {
            return Err(Error::Config(format!(
                "the sources {} ({unlike}) and {} ({decided}) are in different encodings, so their records cannot stand in \
                 one sink ({}); name a sink in .jsonl of records that are no JSON lines yet, or make two runs",
                other.display(),
                name.display(),
                sink.display()
            )));
        }
    }
    Ok(())
}

/// Writes the records of which `keep` says true, in the order of the sources, and tells how many; the caller commits. The
/// sink's format is that of [`check_kept_sink`]. Stage `write` of the monitor counts records.
pub fn write_kept(
    store: &Store,
    keep: impl Fn(usize) -> bool,
    sink: &mut AtomicFile,
    given: Option<Format>,
    ctx: &Context<'_>,
) -> Result<u64> {
    let way = way(store, sink.path(), given)?;
    let wide = store
        .decided()
        .next()
        .filter(|decided| way == Way::AsRead && decided.is_utf16());
    let mut copy = Copy {
        store,
        sink,
        wide: wide.map(|decided| ToUtf16::new(decided.encoding)),
        run: 0..0,
        source: 0,
        buffer: Vec::new(),
    };
    // What stands before the next record because the one before it lacks its own.
    let mut due = None;
    if way == Way::AsRead {
        due = copy.head()?;
    }
    let mut kept = 0;
    // Old records are nobody's to write.
    let total = store.new_len();
    for position in 0..total {
        if position % TICK_RECORDS == 0 {
            ctx.tick("write", position as u64, total as u64)?;
        }
        if !keep(position) {
            continue;
        }
        kept += 1;
        match way {
            Way::AsRead => {
                if let Some(terminator) = due {
                    copy.flush()?;
                    copy.append(terminator)?;
                } else if kept == 1 {
                    copy.keep_mark(position)?;
                }
                copy.record(position)?;
                due = store.missing_terminator(position).map(Terminator::bytes);
            }
            Way::Objects => {
                write_object(store, position, copy.sink, &mut copy.buffer)?;
            }
            Way::Lines => {
                if kept == 1 {
                    copy.keep_mark(position)?;
                }
                copy.line(position)?;
            }
            Way::Paths => copy.path(position)?,
            // Its caller writes it.
            Way::Folder => {}
        }
    }
    copy.flush()?;
    ctx.tick("write", total as u64, total as u64)?;
    Ok(kept)
}

/// Copies spans, neighbours together.
struct Copy<'c> {
    store: &'c Store,
    sink: &'c mut AtomicFile,
    /// Where the sources are in UTF-16.
    wide: Option<ToUtf16>,
    /// Bytes of `source` that are still to be copied.
    run: Range<u64>,
    source: usize,
    buffer: Vec<u8>,
}

impl<'c> Copy<'c> {
    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        match &mut self.wide {
            None => self.sink.append(bytes),
            Some(wide) => self.sink.append(&wide.convert(bytes)),
        }
    }

    /// The header of the first table that has one: it stands before all records.
    fn header(&self) -> Option<&'c [u8]> {
        let mut sources = 0..self.store.source_names().count();
        sources.find_map(|source| Some(self.store.header(source)?.bytes()))
    }

    /// What stands before all records: a byte order mark, the header of tables. Gives the line break that it lacks.
    fn head(&mut self) -> Result<Option<&'static [u8]>> {
        let header = self.header();
        if self.store.has_bom() || header.is_some_and(|header| self.is_as_marked(header)) {
            self.append(BOM)?;
        }
        let Some(header) = header else {
            return Ok(None);
        };
        self.append(header)?;
        Ok((!header.ends_with(b"\n")).then_some(b"\n"))
    }

    /// Whether bytes begin as a byte order mark does, and would be read as one where they come to stand first: behind
    /// blank lines or other records they were text. A mark goes before them then.
    fn is_as_marked(&self, bytes: &[u8]) -> bool {
        bytes.starts_with(BOM) && self.store.decided().next().is_none_or(Decided::is_utf8_inside)
    }

    /// Writes what keeps the beginning of the first record, where no header stands before it.
    fn keep_mark(&mut self, position: usize) -> Result<()> {
        if self.store.has_bom() || self.header().is_some() {
            return Ok(());
        }
        let mut buffer = Vec::new();
        if self.is_as_marked(self.store.read_record(position, &mut buffer)?) {
            self.append(BOM)?;
        }
        Ok(())
    }

    fn record(&mut self, position: usize) -> Result<()> {
        let span = whole_span(self.store, position)?;
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
            match &mut self.wide {
                None => self.sink.append(bytes)?,
                Some(wide) => self.sink.append(&wide.convert(bytes))?,
            }
            self.run.start = end;
        }
        Ok(())
    }

    /// A text that was given in memory, as a line.
    fn line(&mut self, position: usize) -> Result<()> {
        let text = self.store.read_record(position, &mut self.buffer)?;
        if text.contains(&b'\n') || text.ends_with(b"\r") {
            return Err(Error::Config(format!(
                "the text at position {position} has a line break, so it cannot be a line of {}; write to a .jsonl file",
                self.sink.path().display()
            )));
        }
        self.sink.append(text)?;
        self.sink.append(b"\n")
    }
}

impl Copy<'_> {
    /// The path of a file, as a line.
    fn path(&mut self, position: usize) -> Result<()> {
        let path = self.store.file_of(position).map(|file| file.0).unwrap_or_default();
        let bytes = path.as_os_str().as_bytes();
        if bytes.contains(&b'\n') {
            return Err(Error::Config(format!(
                "the path {:?} has a line break, so it cannot be a line of {}; write to a .jsonl file",
                path.display(),
                self.sink.path().display()
            )));
        }
        self.sink.append(bytes)?;
        self.sink.append(b"\n")
    }
}

/// A record's span; an error where it was not kept whole.
pub(super) fn whole_span(store: &Store, position: usize) -> Result<Range<u64>> {
    store.whole_span(position).ok_or_else(|| {
        Error::Config(format!(
            "{}: the record is beyond the limit and was not kept whole, so it cannot be written; raise the limit with \
             --max-record-bytes",
            store.locate(position)
        ))
    })
}
