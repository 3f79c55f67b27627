//! A folder as a source: every text file in it is a record, and its relative path the label.
//!
//! In come the files that `search` has found; out go records, in the order of their paths, as if they followed one another in one
//! body. A file that cannot be read is a record that fails, never the end of the run. Of a file of another program, such as one of
//! Word, the body has the text, which is copied to a spool while the folder is opened.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use xxhash_rust::xxh3::Xxh3;

use super::source::Source;
use crate::base::error::Result;
use crate::base::os::FileAt;
use crate::source::error::{changed, no_spool, unread, unreadable};
use crate::source::format::encoding::EncodingChoice;
use crate::source::format::{FileKind, Layout, RecordFormat, SourceSpec};
use crate::source::identity::{Identity, Inode, Stamp};
use crate::source::profile::{FileRecord, Profile};
use crate::source::reading::pass::ReadProgress;
use crate::source::reading::search::{Entry, FoundFiles};
use crate::source::spans::Spans;
use crate::source::spool::{Spool, Spooled};

/// The files of a folder.
#[derive(Debug)]
pub(in crate::source) struct FolderSource {
    root: PathBuf,
    entries: Vec<Entry>,
    /// The texts of papers.
    texts: Option<Spooled>,
    identity: Identity,
    profile: Arc<Profile>,
    spans: Arc<Spans>,
}

impl FolderSource {
    /// The files that were found in a folder, each a record.
    pub(in crate::source) fn of(
        spec: &SourceSpec,
        found: FoundFiles,
        limit: u64,
        progress: &ReadProgress<'_>,
    ) -> Result<Self> {
        let FoundFiles {
            root,
            entries,
            left_out,
        } = found;
        let (mut entries, texts) = with_texts(spec, entries, &root, progress)?;
        let mut spans = Spans::default();
        let mut digest = Xxh3::new();
        let (mut start, mut modified) = (0, None);
        for entry in &mut entries {
            entry.start = start;
            if entry.kind != FileKind::Paper {
                entry.size = entry.stamp.map_or(0, |stamp| stamp.size);
            }
            let size = entry.size;
            if size <= limit && entry.encoding == EncodingChoice::Auto && entry.kind == FileKind::Text {
                progress.tick(start)?;
                entry.find_encoding(&root);
            }
            if size > limit {
                spans.push_overlong(start, size, size);
            } else {
                spans.push(start, size);
            }
            start += size;
            let time = entry.stamp.map(|stamp| stamp.modified);
            modified = modified.max(time);
            digest.update(entry.name.as_os_str().as_encoded_bytes());
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
            if let EncodingChoice::Named(encoding) = entry.encoding
                && spec.encoding_of(&root.join(&entry.name)) == EncodingChoice::Auto
            {
                *guessed.entry(encoding.name()).or_default() += 1;
            }
        }
        let profile = Profile {
            left_out,
            guessed: guessed.into_iter().collect(),
            ..Profile::new(&spec.path, layout, start)
        };
        Ok(Self {
            root,
            entries,
            texts,
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
        let path = self.place_of(index);
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

    fn place_of(&self, index: usize) -> PathBuf {
        place_of(&self.entries[index], &self.root)
    }
}

fn place_of(entry: &Entry, root: &Path) -> PathBuf {
    entry.copy.clone().unwrap_or_else(|| root.join(&entry.name))
}

/// Reads the papers among some files: the entries, one for each text, and a spool with the texts. Those beyond the records that
/// are wanted are not read. A paper that cannot be read fails alone.
fn with_texts(
    spec: &SourceSpec,
    found: Vec<Entry>,
    root: &Path,
    progress: &ReadProgress<'_>,
) -> Result<(Vec<Entry>, Option<Spooled>)> {
    let Some(papers) = &spec.papers else {
        return Ok((found, None));
    };
    let failed = |error| no_spool(&spec.path, spec.spool_in.as_deref(), &error);
    let (mut entries, mut spool, mut bytes) = (Vec::with_capacity(found.len()), None, 0);
    for entry in found {
        let is_read = entry.kind == FileKind::Paper && entry.failure.is_none() && entries.len() < spec.most_records;
        if !is_read {
            entries.push(entry);
            continue;
        }
        progress.tick(bytes)?;
        let path = place_of(&entry, root);
        let texts = papers.reader.read(&path)?;
        let now = fs::metadata(&path).map_err(|error| unreadable(&path, &error))?;
        if Stamp::of(&now) != entry.stamp {
            return Err(changed(&path));
        }
        let is_part = texts.len() > 1;
        for (text, part) in texts {
            let mut entry = entry.clone();
            if is_part {
                let mut name = entry.name.into_os_string();
                name.push(part);
                entry = Entry {
                    name: name.into(),
                    copy: Some(path.clone()),
                    is_part,
                    ..entry
                };
            }
            match text {
                Ok(text) => {
                    let spool = match &mut spool {
                        Some(spool) => spool,
                        none => none.insert(Spool::new(spec.spool_in.as_deref()).map_err(failed)?),
                    };
                    spool.push(text.as_bytes()).map_err(failed)?;
                    entry.text_start = Some(bytes);
                    entry.size = text.len() as u64;
                    bytes += entry.size;
                }
                Err(failure) => entry.failure = Some(failure),
            }
            entries.push(entry);
        }
    }
    let spool = spool.map(|spool| spool.finish().map_err(failed)).transpose()?;
    Ok((entries, spool))
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
            let length = buffer.len().min((entry.start + entry.size - at) as usize);
            if length > 0 {
                let (now, rest) = buffer.split_at_mut(length);
                let read = match (&self.texts, entry.text_start) {
                    (Some(texts), Some(from)) => texts.read_exact_at(now, from + at - entry.start),
                    _ => self.open_same(index)?.read_exact_at(now, at - entry.start),
                };
                read.map_err(|error| unread(&self.path_of(index), &error))?;
                buffer = rest;
                at += length as u64;
            }
            index += 1;
        }
        Ok(())
    }

    fn inodes(&self) -> Vec<Inode> {
        self.entries.iter().filter_map(|entry| entry.inode).collect()
    }

    fn file(&self, position: usize) -> Option<FileRecord<'_>> {
        let entry = self.entries.get(position)?;
        Some(FileRecord {
            path: self.path_of(position),
            copy: entry.copy.as_deref(),
            name: &entry.name,
            kind: entry.kind,
            size: entry.size,
            is_part: entry.is_part,
            modified: entry.stamp.map(|stamp| stamp.modified),
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
            let path = self.place_of(index);
            let metadata = fs::metadata(&path).map_err(|error| unreadable(&path, &error))?;
            if Stamp::of(&metadata) != entry.stamp {
                return Err(changed(&path));
            }
        }
        Ok(())
    }
}
