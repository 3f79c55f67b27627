//! Kept records as JSON objects, one a line: what a sink of JSON lines gets of sources in other formats.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use super::target::{Begun, Target};
use super::{Decided, Sink};
use crate::base::error::{Error, Result};
use crate::source::{Format, RecordFormat, Sources};
use crate::storage::atomic::AtomicFile;

/// Bytes of records that are read at a time.
const BATCH_BYTES: u64 = 4 << 20;

/// A file of JSON lines.
///
/// An object comes out as it is; a row as an object of strings, in the order of the columns, where the last of equal names
/// counts as it does in JSON; a text as `{"text": ...}`; a file of a folder as `{"path": ...}`.
#[derive(Debug)]
pub struct ObjectSink {
    target: Target,
    buffer: Vec<u8>,
    positions: Vec<usize>,
}

impl ObjectSink {
    /// A sink at this name.
    pub fn new(path: &Path) -> Self {
        Self {
            target: Target::new(path),
            buffer: Vec::new(),
            positions: Vec::new(),
        }
    }
}

impl Sink<Decided<'_>> for ObjectSink {
    fn check(&self, sources: &Sources) -> Result<()> {
        self.target.check(sources)
    }

    fn begin(&mut self, sources: &Arc<Sources>) -> Result<()> {
        self.target.begin(sources)
    }

    fn write(&mut self, batch: &Decided<'_>) -> Result<()> {
        let Begun { sources, file } = self.target.begun()?;
        self.positions.clear();
        for position in batch.kept() {
            if sources.format_of(position) != RecordFormat::File {
                sources.whole_span(position)?;
                self.positions.push(position);
                continue;
            }
            // The records before this one come first.
            write_objects(sources, &self.positions, file, &mut self.buffer)?;
            self.positions.clear();
            // A path is a label of bytes; one that was parsed is UTF-8 from its folder on.
            let path = sources.file_of(position).map(|file| file.path).unwrap_or_default();
            serde_json::to_writer(&mut *file, &serde_json::json!({ "path": path.to_string_lossy() }))
                .map_err(|error| file.error(&error.into()))?;
            file.append(b"\n")?;
        }
        write_objects(sources, &self.positions, file, &mut self.buffer)
    }

    fn commit(self: Box<Self>) -> Result<()> {
        self.target.commit()
    }
}

fn write_objects(sources: &Sources, positions: &[usize], file: &mut AtomicFile, buffer: &mut Vec<u8>) -> Result<()> {
    sources.fetch(positions, BATCH_BYTES, buffer, |position, bytes| {
        write_object(sources, position, bytes, file)
    })
}

fn write_object(sources: &Sources, position: usize, bytes: &[u8], file: &mut AtomicFile) -> Result<()> {
    let encoding = sources.encoding_of(position);
    // A kept record was parsed, so nothing is replaced here.
    let record = if encoding.is_utf16() {
        String::from_utf8_lossy(bytes)
    } else {
        encoding.encoding.decode_without_bom_handling(bytes).0
    };
    let pairs: Vec<(&str, Cow<'_, str>)> = match sources.format_of(position) {
        RecordFormat::Lines(Format::Jsonl) => {
            file.append(record.as_bytes())?;
            return file.append(b"\n");
        }
        RecordFormat::Lines(Format::Csv | Format::Tsv) => {
            let header = sources.header(sources.source_of(position));
            header.map(|header| header.pairs(&record).collect()).unwrap_or_default()
        }
        RecordFormat::Lines(Format::Text) | RecordFormat::Raw => vec![("text", record)],
        RecordFormat::Row | RecordFormat::File => Vec::new(),
    };
    let failed = |error: serde_json::Error, file: &AtomicFile| -> Error { file.error(&error.into()) };
    for (place, (name, value)) in pairs.iter().enumerate() {
        file.append(if place == 0 { b"{" } else { b"," })?;
        serde_json::to_writer(&mut *file, name).map_err(|error| failed(error, file))?;
        file.append(b":")?;
        serde_json::to_writer(&mut *file, value).map_err(|error| failed(error, file))?;
    }
    file.append(b"}\n")
}
