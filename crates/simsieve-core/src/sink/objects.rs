//! Kept records as JSON objects, one a line: what a sink of JSON lines gets of sources in other formats.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use super::target::{Begun, Target};
use super::{Decided, Sink};
use crate::base::error::Result;
use crate::source::{Fields, Format, RecordFormat, Sources};
use crate::storage::atomic::AtomicFile;

/// Bytes of records that are read at a time.
const BATCH_BYTES: u64 = 4 << 20;

/// A file of JSON lines, or of a JSON list.
///
/// An object is written as it is. A row is an object of strings in the order of the columns; of equal names the last
/// counts, as in JSON. A text is `{"text": ...}`. A file of a folder is its `id`, `path` and `text`.
#[derive(Debug)]
pub struct ObjectSink {
    target: Target,
    form: ObjectForm,
    buffer: Vec<u8>,
    positions: Vec<usize>,
}

/// What is written around the objects.
#[derive(Debug, Clone, Copy)]
enum ObjectForm {
    /// Each is a line.
    Lines,
    /// All are the items of a list; whether there is one already.
    List(bool),
}

impl ObjectForm {
    fn write(&mut self, object: &[u8], file: &mut AtomicFile) -> Result<()> {
        let (before, after): (&[u8], &[u8]) = match self {
            Self::Lines => (b"", b"\n"),
            Self::List(false) => (b"[\n", b""),
            Self::List(true) => (b",\n", b""),
        };
        if let Self::List(begun) = self {
            *begun = true;
        }
        file.append(before)?;
        file.append(object)?;
        file.append(after)
    }

    /// What follows the last object.
    const fn end(self) -> &'static [u8] {
        match self {
            Self::Lines => b"",
            Self::List(false) => b"[]\n",
            Self::List(true) => b"\n]\n",
        }
    }
}

impl ObjectSink {
    /// A sink of lines at this name.
    pub fn new(path: &Path) -> Self {
        Self::of_form(path, ObjectForm::Lines)
    }

    /// A sink of a list at this name.
    pub fn of_list(path: &Path) -> Self {
        Self::of_form(path, ObjectForm::List(false))
    }

    fn of_form(path: &Path, form: ObjectForm) -> Self {
        Self {
            target: Target::new(path),
            form,
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
        let Self {
            target,
            form,
            buffer,
            positions,
        } = self;
        let Begun { sources, file } = target.begun()?;
        positions.clear();
        for position in batch.kept() {
            if sources.format_of(position) != RecordFormat::File {
                sources.whole_span(position)?;
                positions.push(position);
                continue;
            }
            // The records before this one come first.
            write_objects(sources, positions, file, form, buffer)?;
            positions.clear();
            form.write(&file_object(sources, position)?, file)?;
        }
        write_objects(sources, positions, file, form, buffer)
    }

    fn commit(mut self: Box<Self>) -> Result<()> {
        let end = self.form.end();
        self.target.begun()?.file.append(end)?;
        self.target.commit()
    }
}

fn write_objects(
    sources: &Sources,
    positions: &[usize],
    file: &mut AtomicFile,
    form: &mut ObjectForm,
    buffer: &mut Vec<u8>,
) -> Result<()> {
    sources.fetch(positions, BATCH_BYTES, buffer, |position, bytes| {
        form.write(&object_of(sources, position, bytes), file)
    })
}

/// Records as JSON objects by ascending positions, each as [`ObjectSink`] writes it. A record that is no object in its source
/// comes as it is, and one beyond the limit as `None`.
///
/// # Errors
/// As [`Sources::fetch`].
pub fn objects_at(sources: &Sources, positions: &[usize]) -> Result<Vec<Option<Vec<u8>>>> {
    let mut objects = vec![None; positions.len()];
    let is_file = |position: usize| sources.format_of(position) == RecordFormat::File;
    for (object, position) in objects.iter_mut().zip(positions).filter(|(_, at)| is_file(**at)) {
        *object = Some(file_object(sources, *position)?);
    }
    let (places, read): (Vec<_>, Vec<_>) = positions.iter().enumerate().filter(|(_, at)| !is_file(**at)).unzip();
    let mut places = places.into_iter();
    sources.fetch(&read, BATCH_BYTES, &mut Vec::new(), |position, bytes| {
        let place = places.next().expect("a place for each record that is read");
        let is_whole = sources.overlong(position).is_none();
        objects[place] = is_whole.then(|| object_of(sources, position, bytes));
        Ok(())
    })?;
    Ok(objects)
}

fn object_of(sources: &Sources, position: usize, bytes: &[u8]) -> Vec<u8> {
    let encoding = sources.encoding_of(position);
    // A kept record was parsed, so nothing is replaced here.
    let record = if encoding.is_utf16() {
        String::from_utf8_lossy(bytes)
    } else {
        encoding.encoding.decode_without_bom_handling(bytes).0
    };
    let pairs: Vec<(&str, Cow<'_, str>)> = match sources.format_of(position) {
        RecordFormat::Lines(Format::Jsonl | Format::Json) | RecordFormat::Row => {
            return record.into_owned().into_bytes();
        }
        RecordFormat::Lines(Format::Csv | Format::Tsv) => {
            let header = sources.header(sources.source_of(position));
            header.map(|header| header.pairs(&record).collect()).unwrap_or_default()
        }
        RecordFormat::Lines(Format::Text) | RecordFormat::Raw => vec![("text", record)],
        // A file has an object of its own.
        RecordFormat::File => Vec::new(),
    };
    let mut object = b"{".to_vec();
    for (place, (name, value)) in pairs.iter().enumerate() {
        object.extend_from_slice(if place == 0 { b"" } else { b"," });
        append_string(&mut object, name);
        object.push(b':');
        append_string(&mut object, value);
    }
    object.push(b'}');
    object
}

fn append_string(out: &mut Vec<u8>, text: &str) {
    serde_json::to_writer(out, text).expect("memory takes every string");
}

/// The object of a file of a folder. A path is a label of bytes; one that was parsed is UTF-8 from its folder on.
fn file_object(sources: &Sources, position: usize) -> Result<Vec<u8>> {
    let Some(file) = sources.file_of(position) else {
        return Ok(b"{}".to_vec());
    };
    let path = file.path.to_string_lossy();
    let (mut bytes, name) = (Vec::new(), file.name.to_string_lossy());
    let bytes = sources.read_record(position, &mut bytes)?;
    // A kept record was parsed, so it has a text.
    let text = sources
        .parse(position, bytes, &Fields::default())
        .map(|record| record.text);
    let text = text.unwrap_or_default();
    let text = if file.is_paper() {
        shown(text.as_bytes())
    } else {
        text.into_owned()
    };
    let object = serde_json::json!({ "id": name, "path": path, "text": text });
    Ok(object.to_string().into_bytes())
}

/// The text of a paper as it is written: without the marks of its pictures, by which exact copies are known.
pub(super) fn shown(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let mut pieces = text.split('\u{E0001}');
    let mut shown = pieces.next().unwrap_or_default().to_owned();
    pieces
        .for_each(|piece| shown.push_str(piece.trim_start_matches(|sign| ('\u{E0030}'..='\u{E0066}').contains(&sign))));
    shown
}
