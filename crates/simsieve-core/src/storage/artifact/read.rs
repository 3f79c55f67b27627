//! From a file to its header and columns.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::RangeBounds;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use xxhash_rust::xxh3::Xxh3;

use super::{ArtifactKind, END_MARK, KIND_BYTES, LAYOUT, MAGIC, PIECES, PREAMBLE_BYTES, TRAILER_BYTES, aligned};
use crate::base::error::{Error, Result};
use crate::base::hash::xxh3_128;
use crate::base::message::{Message, Shown};
use crate::storage::column::{Bytes, Column, Element};
use crate::storage::pieces::Pieces;

/// Bytes checked between two calls of `progress`.
const PIECE: usize = 1 << 20;
/// A compressed section first reserves this many times its bytes; the buffer then grows with the decompressed bytes.
const LIKELY_RATIO: usize = 32;

/// An open file whose bytes are mapped: a look at it says whether they are still there. A read of bytes that are gone would end the
/// process.
#[derive(Debug)]
pub struct Held {
    path: PathBuf,
    kind: &'static ArtifactKind,
    file: File,
    bytes: Arc<Bytes>,
}

impl Held {
    /// Makes sure that the file is as long as it was.
    ///
    /// # Errors
    /// [`Error::Source`] where it is shorter, or its disk is gone.
    pub fn check(&self) -> Result<()> {
        // A look at its end takes a fifth of the time of a look at all that is known of it.
        let now = (&self.file).seek(SeekFrom::End(0));
        let now = now.map_err(|error| read_error(&self.path, self.kind, &error))?;
        if now >= self.bytes.len() as u64 {
            return self.check_read();
        }
        Err(source_error(
            &self.path,
            msg!(
                "has {now} bytes, and had {bytes} when it was opened: another program has cut it; {repair}",
                bytes = self.bytes.len(),
                repair = self.kind.repair
            ),
        ))
    }

    /// Makes sure that what was read of the file was whole.
    ///
    /// # Errors
    /// [`Error::Source`] where a piece that was read has another checksum, or values do not fit.
    pub fn check_read(&self) -> Result<()> {
        if self.bytes.is_damaged() {
            let what = msg!("a piece of it has another checksum, or values that do not fit");
            return Err(source_error(&self.path, damage(self.kind, what)));
        }
        Ok(())
    }
}

/// An intact file of the format.
#[derive(Debug)]
pub struct Artifact {
    path: PathBuf,
    kind: &'static ArtifactKind,
    bytes: Arc<Bytes>,
    file: Option<File>,
    header: Value,
    sections: Vec<Section>,
    checksum: u128,
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
    pub fn open(
        path: &Path,
        kind: &'static ArtifactKind,
        progress: &mut dyn FnMut(u64, u64) -> Result<()>,
    ) -> Result<Self> {
        let artifact = Self::open_unread(path, kind)?;
        artifact.check_sections(progress)?;
        Ok(artifact)
    }

    /// As [`Artifact::open`], but sections are not read: the header and the places of the sections are checked, and each piece of the file
    /// when a value of it is first read. [`Held::check_read`] says whether all of them were whole.
    ///
    /// # Errors
    /// Those of [`Artifact::open`].
    pub fn open_in_pieces(path: &Path, kind: &'static ArtifactKind) -> Result<Self> {
        let mut artifact = Self::open_unread(path, kind)?;
        let sums: Column<u64> = artifact.column(PIECES, ..)?;
        let at = artifact.sections.iter().position(|section| section.name == PIECES);
        let (section, bytes) = (&artifact.sections[at.unwrap_or_default()], &artifact.bytes);
        let is_whole = xxh3_128(&bytes[section.offset..][..section.bytes]) == section.checksum;
        let pieces = Pieces::new(&sums, section.offset).filter(|_| is_whole);
        let other = || damage(kind, msg!("section {name:?} has another checksum", name = PIECES));
        let pieces = pieces.ok_or_else(|| source_error(path, other()))?;
        drop(sums);
        let bytes = Arc::into_inner(artifact.bytes).expect("no column is left");
        artifact.bytes = Arc::new(bytes.guarded(pieces));
        Ok(artifact)
    }

    fn open_unread(path: &Path, kind: &'static ArtifactKind) -> Result<Self> {
        let unread = |error: &io::Error| read_error(path, kind, error);
        let metadata = fs::metadata(path).map_err(|error| unread(&error))?;
        // A pipe would keep the caller waiting.
        if !metadata.is_file() {
            return Err(source_error(
                path,
                msg!("is not a file; {instead}", instead = kind.instead),
            ));
        }
        let file = File::open(path).map_err(|error| unread(&error))?;
        let bytes = Bytes::of_file(&file).map_err(|error| unread(&error))?;
        Ok(Self {
            file: Some(file),
            ..Self::unread(path, kind, bytes)?
        })
    }

    /// As [`Artifact::open`] for bytes in memory; `path` is their name in messages.
    ///
    /// # Errors
    /// Those of [`Artifact::open`].
    pub fn of_bytes(
        path: &Path,
        kind: &'static ArtifactKind,
        bytes: Bytes,
        progress: &mut dyn FnMut(u64, u64) -> Result<()>,
    ) -> Result<Self> {
        let artifact = Self::unread(path, kind, bytes)?;
        artifact.check_sections(progress)?;
        Ok(artifact)
    }

    fn unread(path: &Path, kind: &'static ArtifactKind, bytes: Bytes) -> Result<Self> {
        let refused = |message: Message| source_error(path, message);
        let damaged = |what: Message| refused(damage(kind, what));
        check_preamble(kind, &bytes).map_err(refused)?;
        let (directory, end, checksum) = directory(&bytes).map_err(damaged)?;
        let (header, sections) = parse(directory).map_err(damaged)?;
        check_places(&bytes, &sections, end).map_err(damaged)?;
        Ok(Self {
            path: path.to_path_buf(),
            kind,
            bytes: Arc::new(bytes),
            file: None,
            header,
            sections,
            checksum,
        })
    }

    /// The file, for a reader that keeps columns of it; none of bytes in memory.
    pub fn held(self) -> Option<Held> {
        Some(Held {
            bytes: self.bytes,
            file: self.file?,
            path: self.path,
            kind: self.kind,
        })
    }

    /// The file as the user named it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The checksum in its end, which is that of all of the file.
    pub const fn checksum(&self) -> u128 {
        self.checksum
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
        let wrong = |what: Message| Err(self.unreadable(msg!("its section {name:?} ({what})")));
        let Some(section) = self.sections.iter().find(|section| section.name == name) else {
            return wrong(msg!("there is none"));
        };
        if section.element != T::NAME {
            return wrong(msg!(
                "elements of type {element}, not {name}",
                element = section.element,
                name = T::NAME
            ));
        }
        if !length.contains(&section.length) {
            return wrong(msg!("an unexpected length of {length}", length = section.length));
        }
        let column = if section.zstd {
            decompressed(section, &self.bytes[section.offset..][..section.bytes])
        } else {
            Column::view(&self.bytes, section.offset..section.offset + section.bytes)
        };
        match column {
            Some(column) if column.len() == section.length => Ok(column),
            _ => wrong(msg!(
                "not {length} values of type {name}",
                length = section.length,
                name = T::NAME
            )),
        }
    }

    /// The error for an unreadable part of an intact file, such as "its settings".
    pub fn unreadable(&self, what: impl Shown) -> Error {
        let ArtifactKind { noun, repair, .. } = self.kind;
        source_error(&self.path, msg!("is a {noun}, but {what} cannot be read; {repair}"))
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
                let what = msg!("section {name:?} has another checksum", name = section.name);
                return Err(source_error(&self.path, damage(self.kind, what)));
            }
        }
        Ok(())
    }
}

fn source_error(path: &Path, message: Message) -> Error {
    Error::Source {
        path: path.to_path_buf(),
        message,
    }
}

fn read_error(path: &Path, kind: &ArtifactKind, error: &io::Error) -> Error {
    let ArtifactKind { noun, instead, .. } = kind;
    let message = match error.kind() {
        io::ErrorKind::NotFound => msg!("does not exist; {instead}"),
        io::ErrorKind::PermissionDenied => {
            msg!("the {noun} may not be read; grant the right to read it, or run as its owner")
        }
        _ => msg!("the {noun} cannot be read: {error}; {instead}"),
    };
    source_error(path, message)
}

fn damage(kind: &ArtifactKind, what: impl Shown) -> Message {
    msg!(
        "is a {noun} that is cut off or damaged ({what}); {repair}",
        noun = kind.noun,
        repair = kind.repair
    )
}

/// Checks that the file is of the format, the kind and the version.
fn check_preamble(kind: &ArtifactKind, bytes: &[u8]) -> Result<(), Message> {
    let ArtifactKind { noun, renew, .. } = kind;
    let head = &bytes[..bytes.len().min(MAGIC.len())];
    if head.is_empty() || !MAGIC.starts_with(head) {
        return Err(msg!("is not a {noun}; {instead}", instead = kind.instead));
    }
    let Some(preamble) = bytes.first_chunk::<PREAMBLE_BYTES>() else {
        return Err(damage(kind, "it ends in its first 64 bytes"));
    };
    let number = |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|i| preamble[at + i]));
    if number(16) != LAYOUT {
        return Err(msg!(
            "is a file of layout {number}, and this simsieve reads layout {layout}; {renew}",
            number = number(16),
            layout = LAYOUT
        ));
    }
    let expected = kind.preamble(number(32));
    if preamble[20..][..KIND_BYTES] != expected[20..][..KIND_BYTES] {
        let name = preamble[20..][..KIND_BYTES].trim_ascii_end().escape_ascii();
        let name = name.to_string().replace("\\x00", "");
        return Err(msg!(
            "is a simsieve file of kind {name:?}, not a {noun}; {instead}",
            instead = kind.instead
        ));
    }
    if !(kind.oldest..=kind.version).contains(&number(32)) {
        return Err(msg!(
            "is a {noun} of version {number}, and this simsieve reads version {version}; {renew}",
            number = number(32),
            version = kind.versions()
        ));
    }
    if *preamble != expected {
        return Err(damage(kind, "its first 64 bytes are not those of the format"));
    }
    Ok(())
}

/// The directory, where it begins, and its checksum, which is right.
fn directory(bytes: &[u8]) -> Result<(&[u8], usize, u128), Message> {
    let Some((body, trailer)) = bytes.split_last_chunk::<TRAILER_BYTES>() else {
        return Err(msg!("it has no end"));
    };
    if trailer[24..] != *END_MARK {
        return Err(msg!("its end mark is missing"));
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
    let (directory, offset) = directory.ok_or_else(|| msg!("its directory is outside"))?;
    let mut hash = Xxh3::new();
    hash.update(&body[..PREAMBLE_BYTES]);
    hash.update(directory);
    if hash.digest128() != number(8..24) {
        return Err(msg!("its directory has another checksum"));
    }
    Ok((directory, offset, number(8..24)))
}

fn parse(directory: &[u8]) -> Result<(Value, Vec<Section>), Message> {
    let parsed: Option<Value> = serde_json::from_slice(directory).ok();
    let parts = parsed.and_then(|mut directory| {
        let sections = directory["sections"].as_array()?.iter().map(section);
        let sections = sections.collect::<Option<Vec<Section>>>()?;
        Some((directory.get_mut("header")?.take(), sections))
    });
    parts.ok_or_else(|| msg!("its directory is not one of the format"))
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
fn check_places(bytes: &[u8], sections: &[Section], directory: usize) -> Result<(), Message> {
    let mut end = PREAMBLE_BYTES;
    for section in sections {
        let place = aligned(end).filter(|&place| place == section.offset);
        let next = place.and_then(|place| place.checked_add(section.bytes));
        let next = next.filter(|&next| next <= directory);
        let next = next.ok_or_else(|| msg!("section {name:?} is out of its place", name = section.name))?;
        check_gap(&bytes[end..section.offset])?;
        end = next;
    }
    match aligned(end) {
        Some(place) if place == directory => check_gap(&bytes[end..directory]),
        _ => Err(msg!("its directory is out of its place")),
    }
}

fn check_gap(gap: &[u8]) -> Result<(), Message> {
    if gap.iter().all(|&byte| byte == 0) {
        return Ok(());
    }
    Err(msg!("a gap between its sections is not empty"))
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
