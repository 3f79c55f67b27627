//! From a file to its header and columns.

use std::fs::{self, File};
use std::io::{self, Read};
use std::ops::RangeBounds;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use xxhash_rust::xxh3::Xxh3;

use super::{END_MARK, KIND_BYTES, Kind, LAYOUT, MAGIC, PREAMBLE_BYTES, TRAILER_BYTES, aligned};
use crate::base::error::{Error, Result};
use crate::storage::column::{Bytes, Column, Element};

/// Bytes checked between two calls of `progress`.
const PIECE: usize = 1 << 20;
/// A compressed section first reserves this many times its bytes; the buffer then grows with the decompressed bytes.
const LIKELY_RATIO: usize = 32;

/// An intact file of the format.
#[derive(Debug)]
pub struct Artifact {
    path: PathBuf,
    kind: &'static Kind,
    bytes: Arc<Bytes>,
    header: Value,
    sections: Vec<Section>,
}

#[derive(Debug)]
struct Section {
    name: String,
    element: String,
    /// In elements.
    length: usize,
    offset: usize,
    bytes: usize,
    zstd: bool,
    checksum: u128,
}

impl Artifact {
    /// Opens a file of a kind and reads it once to check that it is intact. `progress` receives the bytes read and the
    /// total, and can stop the work.
    ///
    /// # Errors
    /// [`Error::Source`] if the file cannot be read, has another kind or version, or is cut off or damaged.
    pub fn open(path: &Path, kind: &'static Kind, progress: &mut dyn FnMut(u64, u64) -> Result<()>) -> Result<Self> {
        let unread = |error: &io::Error| read_error(path, kind, error);
        let metadata = fs::metadata(path).map_err(|error| unread(&error))?;
        // A pipe would keep the caller waiting.
        if !metadata.is_file() {
            return Err(source_error(path, format!("is not a file; {}", kind.instead)));
        }
        let file = File::open(path).map_err(|error| unread(&error))?;
        let bytes = Bytes::of_file(&file).map_err(|error| unread(&error))?;
        Self::of_bytes(path, kind, bytes, progress)
    }

    /// As [`Artifact::open`] for bytes in memory; `path` is their name in messages.
    ///
    /// # Errors
    /// Those of [`Artifact::open`].
    pub fn of_bytes(
        path: &Path,
        kind: &'static Kind,
        bytes: Bytes,
        progress: &mut dyn FnMut(u64, u64) -> Result<()>,
    ) -> Result<Self> {
        let refused = |message: String| source_error(path, message);
        let damaged = |what: String| refused(damage(kind, &what));
        check_preamble(kind, &bytes).map_err(refused)?;
        let (directory, end) = directory(&bytes).map_err(damaged)?;
        let (header, sections) = parse(directory).map_err(damaged)?;
        check_places(&bytes, &sections, end).map_err(damaged)?;
        let artifact = Self {
            path: path.to_path_buf(),
            kind,
            bytes: Arc::new(bytes),
            header,
            sections,
        };
        artifact.check_sections(progress)?;
        Ok(artifact)
    }

    /// The file as the user named it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The header that the writer gave.
    pub const fn header(&self) -> &Value {
        &self.header
    }

    /// A section as a column, viewed in the file unless it is compressed. `length` is the required number of elements.
    ///
    /// # Errors
    /// [`Error::Source`] if there is no such section, or its type, length or values are not the required ones.
    pub fn column<T: Element>(&self, name: &str, length: impl RangeBounds<usize>) -> Result<Column<T>> {
        let wrong = |what: &str| Err(self.unreadable(&format!("its section {name:?} ({what})")));
        let Some(section) = self.sections.iter().find(|section| section.name == name) else {
            return wrong("there is none");
        };
        if section.element != T::NAME {
            return wrong(&format!("elements of type {}, not {}", section.element, T::NAME));
        }
        if !length.contains(&section.length) {
            return wrong(&format!("an unexpected length of {}", section.length));
        }
        let column = if section.zstd {
            decompressed(section, &self.bytes[section.offset..][..section.bytes])
        } else {
            Column::view(&self.bytes, section.offset..section.offset + section.bytes)
        };
        match column {
            Some(column) if column.len() == section.length => Ok(column),
            _ => wrong(&format!("not {} values of type {}", section.length, T::NAME)),
        }
    }

    /// The error for an unreadable part of an intact file, such as "its settings".
    pub fn unreadable(&self, what: &str) -> Error {
        let Kind { noun, repair, .. } = self.kind;
        source_error(&self.path, format!("is a {noun}, but {what} cannot be read; {repair}"))
    }

    fn check_sections(&self, progress: &mut dyn FnMut(u64, u64) -> Result<()>) -> Result<()> {
        let total = self.bytes.len() as u64;
        for section in &self.sections {
            let mut hash = Xxh3::new();
            let mut done = section.offset as u64;
            for piece in self.bytes[section.offset..][..section.bytes].chunks(PIECE) {
                progress(done, total)?;
                hash.update(piece);
                done += piece.len() as u64;
            }
            if hash.digest128() != section.checksum {
                let what = format!("section {:?} has another checksum", section.name);
                return Err(source_error(&self.path, damage(self.kind, &what)));
            }
        }
        Ok(())
    }
}

fn source_error(path: &Path, message: String) -> Error {
    Error::Source {
        path: path.to_path_buf(),
        message,
    }
}

fn read_error(path: &Path, kind: &Kind, error: &io::Error) -> Error {
    let Kind { noun, instead, .. } = kind;
    let message = match error.kind() {
        io::ErrorKind::NotFound => format!("does not exist; {instead}"),
        io::ErrorKind::PermissionDenied => {
            format!("the {noun} may not be read; grant the right to read it, or run as its owner")
        }
        _ => format!("the {noun} cannot be read: {error}; {instead}"),
    };
    source_error(path, message)
}

fn damage(kind: &Kind, what: &str) -> String {
    format!(
        "is a {} that is cut off or damaged ({what}); {}",
        kind.noun, kind.repair
    )
}

/// Checks that the file is of the format, the kind and the version.
fn check_preamble(kind: &Kind, bytes: &[u8]) -> Result<(), String> {
    let Kind { noun, renew, .. } = kind;
    let head = &bytes[..bytes.len().min(MAGIC.len())];
    if kind.former_magic.is_some_and(|magic| bytes.starts_with(magic)) {
        return Err(format!(
            "is a {noun} of an earlier version, which this simsieve does not read; {renew}"
        ));
    }
    if head.is_empty() || !MAGIC.starts_with(head) {
        return Err(format!("is not a {noun}; {}", kind.instead));
    }
    let Some(preamble) = bytes.first_chunk::<PREAMBLE_BYTES>() else {
        return Err(damage(kind, "it ends in its first 64 bytes"));
    };
    let number = |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|i| preamble[at + i]));
    if number(16) != LAYOUT {
        return Err(format!(
            "is a file of layout {}, and this simsieve reads layout {LAYOUT}; {renew}",
            number(16)
        ));
    }
    let expected = kind.preamble();
    if preamble[20..][..KIND_BYTES] != expected[20..][..KIND_BYTES] {
        let name = preamble[20..][..KIND_BYTES].trim_ascii_end().escape_ascii();
        let name = name.to_string().replace("\\x00", "");
        return Err(format!(
            "is a simsieve file of kind {name:?}, not a {noun}; {}",
            kind.instead
        ));
    }
    if number(32) != kind.version {
        return Err(format!(
            "is a {noun} of version {}, and this simsieve reads version {}; {renew}",
            number(32),
            kind.version
        ));
    }
    if *preamble != expected {
        return Err(damage(kind, "its first 64 bytes are not those of the format"));
    }
    Ok(())
}

/// The directory, its checksum checked, and where it begins.
fn directory(bytes: &[u8]) -> Result<(&[u8], usize), String> {
    let Some((body, trailer)) = bytes.split_last_chunk::<TRAILER_BYTES>() else {
        return Err("it has no end".to_owned());
    };
    if trailer[24..] != *END_MARK {
        return Err("its end mark is missing".to_owned());
    }
    let number = |range: std::ops::Range<usize>| {
        trailer[range]
            .iter()
            .rev()
            .fold(0_u128, |number, &byte| number << 8 | u128::from(byte))
    };
    let offset = usize::try_from(number(0..8))
        .ok()
        .filter(|&offset| offset >= PREAMBLE_BYTES);
    let directory = offset.and_then(|offset| Some((body.get(offset..)?, offset)));
    let (directory, offset) = directory.ok_or("its directory is outside")?;
    let mut hash = Xxh3::new();
    hash.update(&body[..PREAMBLE_BYTES]);
    hash.update(directory);
    if hash.digest128() != number(8..24) {
        return Err("its directory has another checksum".to_owned());
    }
    Ok((directory, offset))
}

fn parse(directory: &[u8]) -> Result<(Value, Vec<Section>), String> {
    let parsed: Option<Value> = serde_json::from_slice(directory).ok();
    let parts = parsed.and_then(|mut directory| {
        let sections = directory["sections"].as_array()?.iter().map(section);
        let sections = sections.collect::<Option<Vec<Section>>>()?;
        Some((directory.get_mut("header")?.take(), sections))
    });
    parts.ok_or_else(|| "its directory is not one of the format".to_owned())
}

fn section(value: &Value) -> Option<Section> {
    let number = |name: &str| usize::try_from(value[name].as_u64()?).ok();
    Some(Section {
        name: value["name"].as_str()?.to_owned(),
        element: value["type"].as_str()?.to_owned(),
        length: number("length")?,
        offset: number("offset")?,
        bytes: number("bytes")?,
        zstd: value["zstd"].as_bool()?,
        checksum: u128::from_str_radix(value["xxh3_128"].as_str()?, 16).ok()?,
    })
}

/// Checks that the sections follow one another from the preamble to the directory, with zeros between.
fn check_places(bytes: &[u8], sections: &[Section], directory: usize) -> Result<(), String> {
    let mut end = PREAMBLE_BYTES;
    for section in sections {
        let place = aligned(end).filter(|&place| place == section.offset);
        let next = place.and_then(|place| place.checked_add(section.bytes));
        let next = next.filter(|&next| next <= directory);
        let next = next.ok_or_else(|| format!("section {:?} is out of its place", section.name))?;
        check_gap(&bytes[end..section.offset])?;
        end = next;
    }
    match aligned(end) {
        Some(place) if place == directory => check_gap(&bytes[end..directory]),
        _ => Err("its directory is out of its place".to_owned()),
    }
}

fn check_gap(gap: &[u8]) -> Result<(), String> {
    if gap.iter().all(|&byte| byte == 0) {
        return Ok(());
    }
    Err("a gap between its sections is not empty".to_owned())
}

/// The values of a compressed section; `None` if their number is not the section's length. Memory grows with the
/// decompressed bytes, not with the length in the directory.
fn decompressed<T: Element>(section: &Section, bytes: &[u8]) -> Option<Column<T>> {
    let size = size_of::<T>();
    let mut decoder = zstd::stream::read::Decoder::with_buffer(bytes).ok()?;
    let mut values: Vec<T> = Vec::new();
    let likely = section.length.min(bytes.len().saturating_mul(LIKELY_RATIO) / size);
    values.try_reserve_exact(likely).ok()?;
    let mut piece = vec![0; PIECE];
    let mut filled = 0;
    loop {
        let read = decoder.read(&mut piece[filled..]).ok()?;
        filled += read;
        let whole = filled - filled % size;
        if read == 0 || values.len() + whole / size > section.length {
            break;
        }
        values.try_reserve(whole / size).ok()?;
        for value in piece[..whole].chunks_exact(size) {
            values.push(T::of_bytes(value)?);
        }
        piece.copy_within(whole..filled, 0);
        filled -= whole;
    }
    (filled == 0 && values.len() == section.length).then(|| Column::from(values))
}
