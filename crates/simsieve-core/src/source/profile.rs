//! What is known of a source once it has been read to its end.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::failure::Failure;
use super::format::encoding::EncodingChoice;
use super::format::quoting::Quoted;
use super::format::scan::Scan;
use super::format::value::Value;
use super::format::{FileKind, Layout, RecordFormat};
use crate::base::message::Shown;
use crate::storage::paths::is_stdio;

/// What is known of a source besides the places of its records.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Profile {
    /// The source as the user named it.
    pub(super) path: PathBuf,
    /// How its records are laid out.
    pub(super) layout: Layout,
    /// Whether it begins with a byte order mark.
    pub(super) bom: bool,
    /// Its bytes, decompressed.
    pub(super) bytes_read: u64,
    /// Whether records beyond the limit are kept in part only, as in a spool.
    pub(super) cuts_overlong: bool,
    /// Whether the file was made of records in memory.
    pub(super) of_memory: bool,
    /// Whether its records follow those of the source before it, of the same name: both are ranges of one collection.
    pub(super) goes_on: bool,
    /// What a folder has besides its records.
    pub(super) left_out: LeftOut,
    /// The encodings that were found for files of a folder, other than UTF-8, with the number of files.
    pub(super) guessed: Vec<(&'static str, u64)>,
    /// What was found of the quotes of a table.
    pub(super) quoted: Quoted,
    pub(super) scan: Scan,
}

impl Profile {
    /// A source without a mark, blank lines and what is left out; all of it is kept.
    pub(super) fn new(path: &Path, layout: Layout, bytes_read: u64) -> Self {
        Self {
            path: path.to_path_buf(),
            layout,
            bom: false,
            bytes_read,
            cuts_overlong: false,
            of_memory: false,
            goes_on: false,
            left_out: LeftOut::default(),
            guessed: Vec::new(),
            quoted: Quoted::default(),
            scan: Scan::default(),
        }
    }

    /// The source as the user named it.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The source as messages on its records name it.
    pub(super) fn shown(&self) -> &Path {
        if self.of_memory {
            Path::new("records")
        } else {
            &self.path
        }
    }

    /// See [`super::Sources::encodings`].
    pub(super) fn encodings(&self) -> Vec<(PathBuf, &'static str, bool)> {
        let Self { path, layout, .. } = self;
        let asked = matches!(layout.format, RecordFormat::Lines(_)) && layout.choice != EncodingChoice::Utf8;
        let one = asked.then(|| (path.clone(), layout.encoding.encoding.name(), layout.encoding.detected));
        let of_files = |(name, count): &(&'static str, u64)| {
            let noun = if *count == 1 { "file" } else { "files" };
            (
                PathBuf::from(format!("{} ({count} {noun})", path.display())),
                *name,
                true,
            )
        };
        one.into_iter().chain(self.guessed.iter().map(of_files)).collect()
    }

    /// See [`super::Sources::quotes`].
    pub(super) fn quotes(&self) -> Option<(&Path, bool, u64, u64, u64)> {
        let quoted = self.layout.header.as_ref()?.dialect().quoted;
        let Quoted {
            failed, fields, lines, ..
        } = self.quoted;
        (self.scan.has_quotes || !quoted).then_some((&*self.path, quoted, failed, fields, lines))
    }
}

/// Whether a file is hidden, or one that a program keeps beside others: the mark of an open document, the looks of a folder.
pub(super) fn is_hidden(name: &Path) -> bool {
    let name = name.as_os_str().as_encoded_bytes();
    let is_kept = |kept: &str| name.eq_ignore_ascii_case(kept.as_bytes());
    name.starts_with(b".") || name.starts_with(b"~$") || is_kept("thumbs.db") || is_kept("desktop.ini")
}

/// What is in folders and is no record.
#[derive(Debug, Default, Clone)]
pub struct LeftOut {
    /// Files that are no documents, by the endings of their names: that of a compression follows another, and a dot alone is
    /// hidden files.
    pub others: BTreeMap<String, u64>,
    /// Names of files and folders that are read under another name.
    pub same: u64,
    /// The first of these, and the name under which it is read in these folders.
    pub first_same: Option<(PathBuf, Option<PathBuf>)>,
}

impl LeftOut {
    /// Counts a file that is no document.
    pub(super) fn add_other(&mut self, name: &Path) {
        let name = name.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let ending = |name: &str| {
            let at = name.rfind('.').filter(|at| *at > 0)?;
            Some(name[at..].to_owned())
        };
        let packed = name.strip_suffix(".gz").or(name.strip_suffix(".zst"));
        let inner = packed.map_or_else(|| ending(&name), |inner| Some(ending(inner)? + &name[inner.len()..]));
        let suffix = if is_hidden(Path::new(&name)) {
            ".".to_owned()
        } else {
            inner.or_else(|| ending(&name)).unwrap_or_default()
        };
        *self.others.entry(suffix).or_default() += 1;
    }

    /// Counts names of files that are read under another name; `first` is the first of them.
    pub(super) fn add_same(&mut self, count: u64, first: Option<(PathBuf, Option<PathBuf>)>) {
        self.same += count;
        self.first_same = self.first_same.take().or(first);
    }

    /// Adds what was left out of another folder.
    pub(super) fn with(mut self, other: &Self) -> Self {
        for (suffix, count) in &other.others {
            *self.others.entry(suffix.clone()).or_default() += count;
        }
        self.add_same(other.same, other.first_same.clone());
        self
    }
}

/// A record that is a file of a folder.
#[derive(Debug)]
pub struct FileRecord<'s> {
    /// As the user would name it.
    pub(crate) path: PathBuf,
    /// Where it is, if that is not its name.
    pub(crate) copy: Option<&'s Path>,
    /// From its folder on.
    pub(crate) name: &'s Path,
    pub(super) kind: FileKind,
    /// The bytes of its record.
    pub(crate) size: u64,
    /// Whether it is one text of a file that has several.
    pub(crate) is_part: bool,
    /// When it was last written to, in nanoseconds since 1970.
    pub(super) modified: Option<i64>,
    pub(super) encoding: EncodingChoice,
    /// Why it cannot be read, without the place.
    pub(super) failure: Option<&'s Failure>,
}

impl FileRecord<'_> {
    /// Whether its text was read by other means, so that the bytes of its record are not those of the file.
    pub(crate) fn is_paper(&self) -> bool {
        self.kind == FileKind::Paper
    }

    /// Whether it is a page of HTML by its name.
    pub fn is_page(&self) -> bool {
        self.kind == FileKind::Html
    }
}

/// The values of [`FILE_KEYS`](super::format::record::FILE_KEYS) that are wanted of a file.
pub(super) fn file_values(wanted: &[String], path: &Path, modified: Option<i64>) -> Vec<Value> {
    let name = || path.file_name().unwrap_or_default().to_string_lossy();
    // The file of an object is a copy, whose time is that of the run.
    let modified = modified.filter(|_| !path.starts_with("s3:"));
    let value = |key: &String| match key.as_str() {
        "mtime" => modified.map_or(Value::Missing, |time| Value::Int(time.into())),
        "path" => Value::Text(path.to_string_lossy().into_owned()),
        "name_length" => Value::Int(name().chars().count() as i128),
        _ => Value::Missing,
    };
    wanted.iter().map(value).collect()
}

/// The place of a record in the user's terms; shown as `data.jsonl line 7`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location<'s> {
    /// The source as the user named it (`-` is standard input).
    pub path: Cow<'s, Path>,
    /// The line it begins in, from 1, blank lines counted; the row, from 1; the index in a list, from 0; or 1 of a file.
    pub line: u64,
    /// What `line` counts: `line`, `row` or `index`; nothing where the record is the file.
    pub unit: &'static str,
}

impl<'s> Location<'s> {
    /// The file and the line, as tables have them.
    pub fn cells(self) -> (Cow<'s, str>, u64) {
        let name = match self.path {
            Cow::Borrowed(path) => path.to_string_lossy(),
            Cow::Owned(path) => path.to_string_lossy().into_owned().into(),
        };
        (name, self.line)
    }
}

impl std::fmt::Display for Location<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}", self.value())
    }
}

impl Shown for Location<'_> {
    fn value(&self) -> crate::base::message::Value {
        let name = if is_stdio(&self.path) {
            msg!("standard input")
        } else {
            msg!("{path}", path = self.path)
        };
        let number = self.line;
        let place = match self.unit {
            "" => name,
            "index" => msg!("{name} index {number}"),
            "document" => msg!("{name} document {number}"),
            "row" => msg!("{name} row {number}"),
            _ => msg!("{name} line {number}"),
        };
        place.value()
    }
}
