//! A folder as a source: every text file in it is a record, and its relative path the label.
//!
//! In comes a folder; out go its files, in the order of their paths, as if they followed one another in one body. Links are
//! followed. What cannot be read is a record that fails, never the end of the run. What is no text by its ending, and what is
//! hidden, is no record and is counted.

use std::collections::BTreeMap;
use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use xxhash_rust::xxh3::Xxh3;

use super::Source;
use super::error::{changed, source_error, unread, unreadable};
use super::failure::Failure;
use super::format::encoding::EncodingChoice;
use super::format::{FileKind, Layout, RecordFormat, SourceSpec, encoding_of_file};
use super::identity::{Identity, Stamp};
use super::profile::{FileRecord, Profile};
use super::reading::ReadProgress;
use super::spans::Spans;
use crate::base::error::Result;

/// One file.
#[derive(Debug)]
struct Entry {
    /// From the folder on.
    name: PathBuf,
    kind: FileKind,
    encoding: EncodingChoice,
    /// Size and time. Its content is not digested: that would be one more read of every file.
    stamp: Option<Stamp>,
    /// Why it cannot be read, without the place.
    failure: Option<Failure>,
    /// Where its bytes begin.
    start: u64,
}

impl Entry {
    /// Finds the encoding of a file from all of its bytes.
    fn find_encoding(&mut self, root: &Path) {
        // A file that cannot be read is an error where it is read for its text.
        let Ok(bytes) = fs::read(root.join(&self.name)) else {
            return;
        };
        match encoding_of_file(&bytes) {
            Ok(found) => self.encoding = found,
            Err((code, message)) => self.failure = Some(Failure::new(code, message)),
        }
    }
}

/// The files of a folder.
#[derive(Debug)]
pub(super) struct FolderSource {
    root: PathBuf,
    entries: Vec<Entry>,
    identity: Identity,
    profile: Arc<Profile>,
    spans: Arc<Spans>,
}

impl FolderSource {
    /// Finds the files of a folder.
    pub(super) fn open(spec: &SourceSpec, limit: u64, progress: &mut ReadProgress<'_>) -> Result<Self> {
        let root = spec.path.as_path();
        if let Some(format) = spec.format {
            return Err(source_error(
                root,
                format!(
                    "is a folder, and only files are read as {format}; leave input_format out, or name the files in it"
                ),
            ));
        }
        let mut found = Search {
            root,
            spec,
            entries: Vec::new(),
            others: 0,
            progress: &mut *progress,
        };
        // The folder itself has to be there; what is inside may fail.
        let metadata = fs::metadata(root).map_err(|error| unreadable(root, &error))?;
        let listed = list(root).map_err(|error| unreadable(root, &error))?;
        found.walk(Path::new(""), listed, &mut vec![inode(&metadata)])?;
        let (mut entries, other_files) = (found.entries, found.others);
        entries.sort_unstable_by(|a, b| a.name.as_os_str().as_bytes().cmp(b.name.as_os_str().as_bytes()));
        let mut spans = Spans::default();
        let mut digest = Xxh3::new();
        let (mut start, mut modified) = (0, None);
        for entry in &mut entries {
            entry.start = start;
            let size = entry.stamp.map_or(0, |stamp| stamp.size);
            if size <= limit && entry.encoding == EncodingChoice::Auto && entry.kind == FileKind::Text {
                progress.tick(start)?;
                entry.find_encoding(root);
            }
            if size > limit {
                spans.push_overlong(start, size, size);
            } else {
                spans.push(start, size);
            }
            start += size;
            let time = entry.stamp.map(|stamp| stamp.modified);
            modified = modified.max(time);
            digest.update(entry.name.as_os_str().as_bytes());
            digest.update(b"\0");
            digest.update(&size.to_le_bytes());
            digest.update(&time.unwrap_or_default().to_le_bytes());
        }
        spans.shrink();
        let layout = Layout {
            choice: spec.encoding,
            ..Layout::new(RecordFormat::File, limit)
        };
        let mut guessed = BTreeMap::<_, u64>::new();
        for entry in &entries {
            if let (EncodingChoice::Named(encoding), EncodingChoice::Auto) =
                (entry.encoding, spec.encoding_of(&root.join(&entry.name)))
            {
                *guessed.entry(encoding.name()).or_default() += 1;
            }
        }
        let profile = Profile {
            other_files,
            guessed: guessed.into_iter().collect(),
            ..Profile::new(root, layout, start)
        };
        Ok(Self {
            root: root.to_path_buf(),
            entries,
            identity: Identity {
                modified,
                ..Identity::of_bytes(start, &digest)
            },
            profile: Arc::new(profile),
            spans: Arc::new(spans),
        })
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

    fn path_of(&self, index: usize) -> PathBuf {
        self.root.join(&self.entries[index].name)
    }
}

impl Source for FolderSource {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn profile(&self) -> &Arc<Profile> {
        &self.profile
    }

    fn spans(&self) -> &Arc<Spans> {
        &self.spans
    }

    /// Reads bytes of the files as if they followed one another in one body.
    fn read_exact_at(&self, mut buffer: &mut [u8], start: u64) -> Result<()> {
        let mut at = start;
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
                    .map_err(|error| unread(&path, &error))?;
                buffer = rest;
                at += length as u64;
            }
            index += 1;
        }
        Ok(())
    }

    fn file(&self, position: usize) -> Option<FileRecord<'_>> {
        let entry = self.entries.get(position)?;
        Some(FileRecord {
            path: self.path_of(position),
            name: &entry.name,
            kind: entry.kind,
            encoding: entry.encoding,
            failure: entry.failure.as_ref(),
        })
    }

    /// Makes sure that every file has the size and time that it was found with. New files are no records of this run.
    fn check_unchanged(&self) -> Result<()> {
        let readable = self
            .entries
            .iter()
            .enumerate()
            .filter(|(_, entry)| entry.stamp.is_some());
        for (index, entry) in readable {
            let path = self.path_of(index);
            let metadata = fs::metadata(&path).map_err(|error| unreadable(&path, &error))?;
            if Stamp::of(&metadata) != entry.stamp {
                return Err(changed(&path));
            }
        }
        Ok(())
    }
}

struct Search<'s, 'r> {
    root: &'s Path,
    spec: &'s SourceSpec,
    entries: Vec<Entry>,
    others: u64,
    progress: &'s mut ReadProgress<'r>,
}

impl Search<'_, '_> {
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
                    let advice = match error.kind() {
                        io::ErrorKind::PermissionDenied => "grant the right to enter its folder",
                        _ => "fix it",
                    };
                    let what = format!("cannot be looked at: {error}; {advice}, or take it away");
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
                if above.contains(&inode(&metadata)) {
                    let what = "is a link to a folder that it is in, a loop; take the link away".to_owned();
                    self.fails(name, "unreadable", what);
                    continue;
                }
                match list(&path) {
                    Ok(listed) => {
                        above.push(inode(&metadata));
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
                self.progress.tick(0)?;
            }
        }
        Ok(())
    }

    fn file(&mut self, name: PathBuf, path: &Path, kind: FileKind, metadata: &Metadata) {
        if !metadata.is_file() {
            return self.fails(name, "unreadable", "is no regular file; take it away".to_owned());
        }
        if name.to_str().is_none() {
            let what = "its name is not UTF-8, so it cannot be an id; rename it".to_owned();
            return self.fails(name, "bad_name", what);
        }
        // Whether it may be read is known only once it is opened.
        match File::open(path).and_then(|file| file.metadata()) {
            Ok(metadata) => self.entries.push(Entry {
                encoding: self.spec.encoding_of(path),
                name,
                kind,
                stamp: Stamp::of(&metadata),
                failure: None,
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
            kind: FileKind::Text,
            encoding: EncodingChoice::Utf8,
            stamp: None,
            failure: Some(Failure::new(code, what)),
            start: 0,
        });
    }
}

fn list(folder: &Path) -> io::Result<Vec<PathBuf>> {
    fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| PathBuf::from(entry.file_name())))
        .collect()
}

/// What makes two names one folder.
fn inode(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}

/// What a file is by its ending; `None` where it is no text.
fn kind_of(name: &Path) -> Option<FileKind> {
    match name.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "txt" | "md" | "markdown" => Some(FileKind::Text),
        "html" | "htm" | "xhtml" => Some(FileKind::Html),
        _ => None,
    }
}
