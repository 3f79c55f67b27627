//! A kept record as a line of JSON: what a sink of JSON lines gets of sources in other formats.

use std::borrow::Cow;

use super::kept::whole_span;
use crate::base::error::{Error, Result};
use crate::source::{Format, RecordFormat, Store};
use crate::storage::atomic::AtomicFile;

/// Writes one record as a line: an object as it stands; a row as an object of strings, in the order of the columns, the
/// last of equal names counting as it does in JSON; a text as `{"text": ...}`; a file of a folder as
/// `{"path": ...}`.
pub(super) fn write_object(store: &Store, position: usize, sink: &mut AtomicFile, buffer: &mut Vec<u8>) -> Result<()> {
    if let Some((path, _)) = store.file_of(position) {
        // A path is a label of bytes; one that was parsed is UTF-8 from its folder on.
        let path = path.to_string_lossy();
        serde_json::to_writer(&mut *sink, &serde_json::json!({ "path": path }))
            .map_err(|error| sink.error(&error.into()))?;
        return sink.append(b"\n");
    }
    whole_span(store, position)?;
    let bytes = store.read_record(position, buffer)?;
    let decided = store.decided_at(position);
    // A kept record was parsed, so nothing is replaced here.
    let record = if decided.is_utf16() {
        String::from_utf8_lossy(bytes)
    } else {
        decided.encoding.decode_without_bom_handling(bytes).0
    };
    let pairs: Vec<(&str, Cow<'_, str>)> = match store.format_of(position) {
        RecordFormat::Lines(Format::Jsonl) => {
            sink.append(record.as_bytes())?;
            return sink.append(b"\n");
        }
        RecordFormat::Lines(Format::Csv | Format::Tsv) => {
            let header = store.header(store.source_of(position));
            header.map(|header| header.pairs(&record).collect()).unwrap_or_default()
        }
        RecordFormat::Lines(Format::Text) | RecordFormat::Raw => vec![("text", record)],
        RecordFormat::Row | RecordFormat::File => Vec::new(),
    };
    let failed = |error: serde_json::Error, sink: &AtomicFile| -> Error { sink.error(&error.into()) };
    for (place, (name, value)) in pairs.iter().enumerate() {
        sink.append(if place == 0 { b"{" } else { b"," })?;
        serde_json::to_writer(&mut *sink, name).map_err(|error| failed(error, sink))?;
        sink.append(b":")?;
        serde_json::to_writer(&mut *sink, value).map_err(|error| failed(error, sink))?;
    }
    sink.append(b"}\n")
}
