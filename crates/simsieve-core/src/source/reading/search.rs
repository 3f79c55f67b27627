//! The files of a folder: which of them are records, which are the same file again, and what else is there.
//!
//! In comes a folder; out come its entries. Links are followed. Each folder is entered once, and each file is read once: a name
//! that is no link precedes one that is. What is no document by its ending, and what is hidden, is no record and is counted.

use std::collections::{HashMap, HashSet, VecDeque};
use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use super::pass::ReadProgress;
use crate::base::error::Result;
use crate::base::message::Message;
use crate::source::error::{source_error, unreadable};
use crate::source::failure::Failure;
use crate::source::format::encoding::EncodingChoice;
use crate::source::format::{FileKind, SourceSpec, encoding_of_file};
use crate::source::identity::{Inode, Stamp};
use crate::source::profile::{LeftOut, is_hidden};

/// The endings of documents where none are given.
const DOCUMENTS: [&str; 6] = [".txt", ".md", ".markdown", ".html", ".htm", ".xhtml"];

/// One file, or one text of a file that has several.
#[derive(Debug, Clone)]
pub(in crate::source) struct Entry {
    /// From the folder on.
    pub(in crate::source) name: PathBuf,
    pub(in crate::source) kind: FileKind,
    pub(in crate::source) encoding: EncodingChoice,
    /// None of a file that cannot be read.
    pub(in crate::source) inode: Option<Inode>,
    /// Whether its name, or that of a folder that it is in, is a link.
    pub(in crate::source) is_linked: bool,
    /// Size and time. Its content is not digested: that would be one more read of every file.
    pub(in crate::source) stamp: Option<Stamp>,
    /// Where it is, if that is not its name: the copy of an object of a store, or the file that has this and other texts.
    pub(in crate::source) copy: Option<PathBuf>,
    /// Why it cannot be read, without the place.
    pub(in crate::source) failure: Option<Failure>,
    /// Where its bytes begin.
    pub(in crate::source) start: u64,
    /// Its bytes; of a paper those of its text.
    pub(in crate::source) size: u64,
    /// Of a paper that was read, where its text begins among those of all.
    pub(in crate::source) text_start: Option<u64>,
    /// Whether it is one text of a file that has several.
    pub(in crate::source) is_part: bool,
}

impl Entry {
    /// Finds the encoding of a file from all of its bytes.
    pub(in crate::source) fn find_encoding(&mut self, root: &Path) {
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

/// What was found in a folder.
#[derive(Debug)]
pub(in crate::source) struct FoundFiles {
    pub(in crate::source) root: PathBuf,
    pub(in crate::source) entries: Vec<Entry>,
    pub(in crate::source) left_out: LeftOut,
}

impl FoundFiles {
    /// Finds the files of a folder. The folder itself has to be there; what is inside may fail.
    pub(in crate::source) fn in_folder(spec: &SourceSpec, progress: &mut ReadProgress<'_>) -> Result<Self> {
        let root = spec.path.as_path();
        if let Some(format) = spec.format {
            return Err(source_error(
                root,
                msg!(
                    "is a folder, and only files are read as {format}; leave {@input_format} out, or name the \
                     files in it",
                    format = format.to_string()
                ),
            ));
        }
        let metadata = fs::metadata(root).map_err(|error| unreadable(root, &error))?;
        let is_linked = root.is_symlink();
        let mut search = PartSearch {
            root,
            spec,
            found: Self {
                root: root.to_path_buf(),
                entries: Vec::new(),
                left_out: LeftOut::default(),
            },
            entered: HashMap::new(),
            linked: VecDeque::new(),
        };
        let listed = list(root).map_err(|error| unreadable(root, &error))?;
        search.entered.insert(Inode::of(root, &metadata), PathBuf::new());
        search.walk(Path::new(""), listed, is_linked, progress)?;
        while let Some((name, metadata)) = search.linked.pop_front() {
            search.folder(name, &metadata, true, progress)?;
        }
        let mut found = search.found;
        let bytes = |entry: &Entry| entry.name.as_os_str().as_encoded_bytes().to_vec();
        found.entries.sort_by_cached_key(bytes);
        Ok(found)
    }

    /// A file that is one document, under the name that it has from a folder on.
    pub(in crate::source) fn of_file(spec: &SourceSpec, below: &Path) -> Result<Self> {
        let path = spec.path.as_path();
        // A pipe that is opened waits for a writer.
        let metadata = fs::metadata(spec.place()).map_err(|error| unreadable(path, &error))?;
        if !metadata.is_file() {
            return Err(source_error(
                path,
                msg!("is no regular file, so it cannot be one document; name a file"),
            ));
        }
        let metadata = File::open(spec.place()).and_then(|file| file.metadata());
        let metadata = metadata.map_err(|error| unreadable(path, &error))?;
        let entry = Entry {
            encoding: spec.encoding_of(path),
            inode: Some(Inode::of(spec.place(), &metadata)),
            stamp: Stamp::of(&metadata),
            copy: spec.copy.clone(),
            ..failed(
                path.strip_prefix(below).unwrap_or(path).to_path_buf(),
                kind_of(&lower_of(path), spec),
                None,
            )
        };
        Ok(Self {
            root: below.to_path_buf(),
            entries: vec![entry],
            left_out: LeftOut::default(),
        })
    }
}

/// Leaves each file once in some folders, in order: none that is `taken`, a name that is no link first, then the first name.
pub(in crate::source) fn leave_once(folders: &mut [&mut FoundFiles], taken: &HashSet<Inode>) {
    let mut first: HashMap<Inode, (bool, usize, usize)> = HashMap::new();
    for (folder, found) in folders.iter().enumerate() {
        for (at, entry) in found.entries.iter().enumerate() {
            if let Some(inode) = entry.inode {
                let place = (entry.is_linked, folder, at);
                first
                    .entry(inode)
                    .and_modify(|known| *known = place.min(*known))
                    .or_insert(place);
            }
        }
    }
    let path = |folders: &[&mut FoundFiles], (_, folder, at): (bool, usize, usize)| {
        let found = &folders[folder];
        found.root.join(&found.entries[at].name)
    };
    let is_out = |folder: usize, at: usize, entry: &Entry| {
        let inode = entry.inode?;
        let read = first[&inode];
        (taken.contains(&inode) || read != (entry.is_linked, folder, at)).then_some((inode, read))
    };
    // The first that is left out of each folder is named, before places move.
    let mut named = Vec::new();
    for (folder, found) in folders.iter().enumerate() {
        let mut entries = found.entries.iter().enumerate();
        named.push(entries.find_map(|(at, entry)| {
            let (inode, read) = is_out(folder, at, entry)?;
            let other = (!taken.contains(&inode)).then(|| path(folders, read));
            Some((found.root.join(&entry.name), other))
        }));
    }
    for (folder, (found, named)) in folders.iter_mut().zip(named).enumerate() {
        let mut at = 0;
        let before = found.entries.len();
        found.entries.retain(|entry| {
            at += 1;
            is_out(folder, at - 1, entry).is_none()
        });
        found.left_out.add_same((before - found.entries.len()) as u64, named);
    }
}

struct PartSearch<'s> {
    root: &'s Path,
    spec: &'s SourceSpec,
    found: FoundFiles,
    /// The folders that were entered, each with its name.
    entered: HashMap<Inode, PathBuf>,
    /// Links to folders, which are entered after all others.
    linked: VecDeque<(PathBuf, Metadata)>,
}

impl PartSearch<'_> {
    /// Goes through a folder, as deep as the folders are.
    fn walk(
        &mut self,
        folder: &Path,
        mut listed: Vec<PathBuf>,
        is_linked: bool,
        progress: &mut ReadProgress<'_>,
    ) -> Result<()> {
        // The first of two names of a folder does not depend on the disk.
        listed.sort_unstable();
        for name in listed {
            if is_hidden(&name) {
                self.found.left_out.add_other(&name);
                continue;
            }
            let name = folder.join(name);
            let path = self.root.join(&name);
            let lower = lower_of(&name);
            let kind = is_document(&lower, self.spec).then(|| kind_of(&lower, self.spec));
            let metadata = match fs::metadata(&path) {
                Ok(metadata) => metadata,
                Err(error) if kind.is_some() || error.kind() != io::ErrorKind::NotFound => {
                    let advice = match error.kind() {
                        io::ErrorKind::PermissionDenied => "grant the right to enter its folder",
                        _ => "fix it",
                    };
                    let what = msg!("cannot be looked at: {error}; {advice}, or take it away");
                    self.fails(name, "unreadable", what);
                    continue;
                }
                // A link to nowhere that is not named like a text.
                Err(_) => {
                    self.found.left_out.add_other(&name);
                    continue;
                }
            };
            match (metadata.is_dir(), kind) {
                (true, _) if path.is_symlink() => self.linked.push_back((name, metadata)),
                (true, _) => self.folder(name, &metadata, is_linked, progress)?,
                (false, None) => self.found.left_out.add_other(&name),
                (false, Some(kind)) => {
                    let is_linked = is_linked || path.is_symlink();
                    self.file(name, &path, kind, &metadata, is_linked);
                }
            }
            if self.found.entries.len().is_multiple_of(1024) {
                progress.tick(0)?;
            }
        }
        Ok(())
    }

    fn folder(
        &mut self,
        name: PathBuf,
        metadata: &Metadata,
        is_linked: bool,
        progress: &mut ReadProgress<'_>,
    ) -> Result<()> {
        let path = self.root.join(&name);
        let inode = Inode::of(&path, metadata);
        if let Some(known) = self.entered.get(&inode) {
            let known = self.root.join(known);
            self.found.left_out.add_same(1, Some((path, Some(known))));
            return Ok(());
        }
        self.entered.insert(inode, name.clone());
        match list(&path) {
            Ok(listed) => self.walk(&name, listed, is_linked, progress),
            Err(error) => {
                let what = msg!("the folder cannot be read: {error}; grant the right to, or take it away");
                self.fails(name, "unreadable", what);
                Ok(())
            }
        }
    }

    fn file(&mut self, name: PathBuf, path: &Path, kind: FileKind, metadata: &Metadata, is_linked: bool) {
        if !metadata.is_file() {
            return self.fails(name, "unreadable", msg!("is no regular file; take it away"));
        }
        if name.to_str().is_none() {
            let what = msg!("its name is not UTF-8, so it cannot be an id; rename it");
            return self.fails(name, "bad_name", what);
        }
        // Whether it may be read is known only once it is opened.
        match File::open(path).and_then(|file| file.metadata()) {
            Ok(metadata) => self.found.entries.push(Entry {
                encoding: self.spec.encoding_of(path),
                inode: Some(Inode::of(path, &metadata)),
                is_linked,
                stamp: Stamp::of(&metadata),
                ..failed(name, kind, None)
            }),
            Err(error) => {
                let what = msg!("cannot be read: {error}; grant the right to, or take it away");
                self.fails(name, "unreadable", what);
            }
        }
    }

    fn fails(&mut self, name: PathBuf, code: &'static str, what: Message) {
        let failure = Failure::new(code, what);
        self.found.entries.push(failed(name, FileKind::Text, Some(failure)));
    }
}

/// An entry that is not read.
fn failed(name: PathBuf, kind: FileKind, failure: Option<Failure>) -> Entry {
    Entry {
        name,
        kind,
        encoding: EncodingChoice::Utf8,
        inode: None,
        is_linked: false,
        stamp: None,
        copy: None,
        failure,
        start: 0,
        size: 0,
        text_start: None,
        is_part: false,
    }
}

fn list(folder: &Path) -> io::Result<Vec<PathBuf>> {
    fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| PathBuf::from(entry.file_name())))
        .collect()
}

/// Whether a file of a folder is a document: by the endings that are given, or where there are none, by those of texts and papers.
fn is_document(lower: &str, spec: &SourceSpec) -> bool {
    let ends = |suffix: &str| lower.ends_with(suffix);
    if spec.suffixes.is_empty() {
        DOCUMENTS.iter().any(|suffix| ends(suffix)) || is_paper(lower, spec)
    } else {
        spec.suffixes.iter().any(|suffix| ends(suffix))
    }
}

fn is_paper(lower: &str, spec: &SourceSpec) -> bool {
    let mut suffixes = spec.papers.iter().flat_map(|papers| &papers.suffixes);
    suffixes.any(|suffix| lower.ends_with(suffix.as_str()))
}

/// How the text of a file is found, by its ending.
fn kind_of(lower: &str, spec: &SourceSpec) -> FileKind {
    if is_paper(lower, spec) {
        FileKind::Paper
    } else if [".html", ".htm", ".xhtml"].iter().any(|html| lower.ends_with(html)) {
        FileKind::Html
    } else {
        FileKind::Text
    }
}

/// The last part of a name, in lower case. A name that is no UTF-8 fails as a record.
fn lower_of(name: &Path) -> String {
    name.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .to_ascii_lowercase()
}

#[cfg(all(test, unix))]
#[path = "search_tests.rs"]
mod tests;
