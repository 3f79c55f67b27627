//! A folder as a source: every text file in it is a record, and its relative path the label.
//!
//! In comes a folder; out go its files, in the order of their paths, as if they stood one behind another in one body. Links
//! are followed. What cannot be read is a record that fails, never the end of the run; what is no text by its ending, and
//! what is hidden, is no record and counted.

use std::fs::{self, File, Metadata};
use std::io;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use super::Failure;
use super::open::{Progress, changed, unreadable};
use super::scan::Columns;
use super::stamp::Stamp;
use crate::base::error::Result;

/// How the text of a file is come by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Html,
}

/// One file.
#[derive(Debug)]
pub(super) struct Entry {
    /// From the folder on.
    pub(super) name: PathBuf,
    pub(super) kind: Kind,
    stamp: Option<Stamp>,
    /// Why it cannot be read, without the place.
    pub(super) trouble: Option<Failure>,
    /// Where its bytes begin.
    start: u64,
}

/// The files of a folder.
#[derive(Debug)]
pub(super) struct Folder {
    pub(super) root: PathBuf,
    pub(super) entries: Vec<Entry>,
    /// Files that are no records.
    pub(super) others: u64,
}

impl Folder {
    /// Finds the files of a folder and adds them to the columns.
    pub(super) fn open(
        root: &Path,
        limit: u64,
        columns: &mut Columns,
        progress: &mut Progress<'_, '_>,
    ) -> Result<Self> {
        let mut found = Search {
            root,
            entries: Vec::new(),
            others: 0,
            progress,
        };
        // The folder itself has to be there; what is inside may fail.
        let metadata = fs::metadata(root).map_err(|error| unreadable(root, &error))?;
        let listed = list(root).map_err(|error| unreadable(root, &error))?;
        found.walk(Path::new(""), listed, &mut vec![identity(&metadata)])?;
        let (mut entries, others) = (found.entries, found.others);
        entries.sort_unstable_by(|a, b| a.name.as_os_str().as_bytes().cmp(b.name.as_os_str().as_bytes()));
        let mut start = 0;
        for entry in &mut entries {
            entry.start = start;
            let size = entry.stamp.map_or(0, |stamp| stamp.size);
            if size > limit {
                columns.push_overlong(start, size, size);
            } else {
                columns.push(start, size);
            }
            start += size;
        }
        Ok(Self {
            root: root.to_path_buf(),
            entries,
            others,
        })
    }

    /// All bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.entries
            .iter()
            .filter_map(|entry| entry.stamp)
            .map(|stamp| stamp.size)
            .sum()
    }

    /// Reads bytes of the files as if they stood in one body.
    pub(super) fn read_exact_at(&self, mut buffer: &mut [u8], span: &Range<u64>) -> Result<()> {
        let mut at = span.start;
        let mut index = self
            .entries
            .partition_point(|entry| entry.start <= at)
            .saturating_sub(1);
        while !buffer.is_empty() {
            let Some(entry) = self.entries.get(index) else {
                return Err(changed(&self.root));
            };
            let size = entry.stamp.map_or(0, |stamp| stamp.size);
            let length = buffer.len().min((entry.start + size - at) as usize);
            if length > 0 {
                let (now, rest) = buffer.split_at_mut(length);
                let path = self.path_of(index);
                let file = self.open_same(index)?;
                file.read_exact_at(now, at - entry.start)
                    .map_err(|error| match error.kind() {
                        io::ErrorKind::UnexpectedEof => changed(&path),
                        _ => unreadable(&path, &error),
                    })?;
                buffer = rest;
                at += length as u64;
            }
            index += 1;
        }
        Ok(())
    }

    /// Opens a file and makes sure that it is the one that was found.
    fn open_same(&self, index: usize) -> Result<File> {
        let path = self.path_of(index);
        let file = File::open(&path).map_err(|error| unreadable(&path, &error))?;
        let metadata = file.metadata().map_err(|error| unreadable(&path, &error))?;
        if Stamp::of(&metadata) == self.entries[index].stamp {
            Ok(file)
        } else {
            Err(changed(&path))
        }
    }

    /// Makes sure that every file is as it was found.
    pub(super) fn check_unchanged(&self) -> Result<()> {
        for (index, entry) in self
            .entries
            .iter()
            .enumerate()
            .filter(|(_, entry)| entry.stamp.is_some())
        {
            let path = self.path_of(index);
            let metadata = fs::metadata(&path).map_err(|error| unreadable(&path, &error))?;
            if Stamp::of(&metadata) != entry.stamp {
                return Err(changed(&path));
            }
        }
        Ok(())
    }

    pub(super) fn path_of(&self, index: usize) -> PathBuf {
        self.root.join(&self.entries[index].name)
    }
}

struct Search<'s, 'm, 'c> {
    root: &'s Path,
    entries: Vec<Entry>,
    others: u64,
    progress: &'s mut Progress<'m, 'c>,
}

impl Search<'_, '_, '_> {
    /// Goes through a folder; `above` are the folders that it is in, itself included. As deep as the folders are.
    fn walk(&mut self, folder: &Path, listed: Vec<PathBuf>, above: &mut Vec<(u64, u64)>) -> Result<()> {
        for name in listed {
            if name.as_os_str().as_bytes().starts_with(b".") {
                self.others += 1;
                continue;
            }
            let name = folder.join(name);
            let path = self.root.join(&name);
            let kind = kind_of(&name);
            let metadata = match fs::metadata(&path) {
                Ok(metadata) => metadata,
                Err(error) if kind.is_some() || error.kind() != io::ErrorKind::NotFound => {
                    let mend = match error.kind() {
                        io::ErrorKind::PermissionDenied => "grant the right to enter its folder",
                        _ => "mend it",
                    };
                    let what = format!("cannot be looked at: {error}; {mend}, or take it away");
                    self.fails(name, "unreadable", what);
                    continue;
                }
                // A link to nowhere that is not named like a text.
                Err(_) => {
                    self.others += 1;
                    continue;
                }
            };
            if metadata.is_dir() {
                if above.contains(&identity(&metadata)) {
                    let what = "is a link to a folder that it is in, a loop; take the link away".to_owned();
                    self.fails(name, "unreadable", what);
                    continue;
                }
                match list(&path) {
                    Ok(listed) => {
                        above.push(identity(&metadata));
                        self.walk(&name, listed, above)?;
                        above.pop();
                    }
                    Err(error) => {
                        let what = format!("the folder cannot be read: {error}; grant the right to, or take it away");
                        self.fails(name, "unreadable", what);
                    }
                }
                continue;
            }
            match kind {
                None => self.others += 1,
                Some(kind) => self.file(name, &path, kind, &metadata),
            }
            if self.entries.len().is_multiple_of(1024) {
                let total = self.progress.total;
                self.progress.ctx.tick("read", self.progress.done, total)?;
            }
        }
        Ok(())
    }

    fn file(&mut self, name: PathBuf, path: &Path, kind: Kind, metadata: &Metadata) {
        if !metadata.is_file() {
            return self.fails(name, "unreadable", "is no regular file; take it away".to_owned());
        }
        if name.to_str().is_none() {
            let what = "its name is not UTF-8, so it cannot be told as an id; rename it".to_owned();
            return self.fails(name, "bad_name", what);
        }
        // Whether it may be read is known only once it is opened.
        match File::open(path).and_then(|file| file.metadata()) {
            Ok(metadata) => self.entries.push(Entry {
                name,
                kind,
                stamp: Stamp::of(&metadata),
                trouble: None,
                start: 0,
            }),
            Err(error) => {
                let what = format!("cannot be read: {error}; grant the right to, or take it away");
                self.fails(name, "unreadable", what);
            }
        }
    }

    fn fails(&mut self, name: PathBuf, code: &'static str, what: String) {
        self.entries.push(Entry {
            name,
            kind: Kind::Text,
            stamp: None,
            trouble: Some(Failure::new(code, what)),
            start: 0,
        });
    }
}

fn list(folder: &Path) -> io::Result<Vec<PathBuf>> {
    fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| PathBuf::from(entry.file_name())))
        .collect()
}

fn identity(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}

/// What a file is by its ending; `None` where it is no text.
fn kind_of(name: &Path) -> Option<Kind> {
    match name.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "txt" | "md" | "markdown" => Some(Kind::Text),
        "html" | "htm" | "xhtml" => Some(Kind::Html),
        _ => None,
    }
}
