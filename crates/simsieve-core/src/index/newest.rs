//! A note beside the manifests says which one is the newest, so that one that is missing is noticed; and a writer looks before each change
//! whether the directory is still the one that it has locked.
//!
//! The note is renamed into its place after the manifest, and only the first one of a process is synced: of a later one a power cut may
//! leave no bytes, the bytes or an earlier one. So the newest manifest may be a later one than that of the note, if the process that made
//! the note has written it too.

use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::manifest::{Manifest, drawn, path_of};
use crate::base::error::{Error, Result};
use crate::base::hash::xxh3_128;
use crate::storage::atomic::AtomicFile;
use crate::storage::lock::{self, LOCK};
use crate::storage::paths::check_regular;
#[cfg(test)]
use crate::storage::recorded::{FileStep, note};

/// The name of the note.
const NEWEST: &str = "newest";

/// A file at one moment: device, inode, size, and time of its last change in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp([u64; 3], [i64; 2]);

impl From<&Metadata> for Stamp {
    fn from(of: &Metadata) -> Self {
        Self([of.dev(), of.ino(), of.size()], [of.mtime(), of.mtime_nsec()])
    }
}

impl Stamp {
    pub(super) fn of(path: &Path) -> Option<Self> {
        fs::metadata(path).ok().map(|metadata| Self::from(&metadata))
    }
}

/// Which manifest is the newest, and the life of the process that says so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Note {
    number: u64,
    manifest: String,
    pub(super) life: String,
}

impl Note {
    fn new(manifest: &Manifest, life: &str) -> Self {
        Self {
            number: manifest.number,
            manifest: manifest.sum.clone(),
            life: life.to_owned(),
        }
    }

    /// The note of a directory. None where there is none, or a power cut has left no bytes of it.
    pub(super) fn read(folder: &Path) -> Result<Option<Self>> {
        let path = folder.join(NEWEST);
        let bytes = match check_regular(&path).and_then(|()| fs::read(&path)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            read => read.unwrap_or_else(|_| b"unreadable".to_vec()),
        };
        if bytes.iter().all(|&byte| byte == 0) {
            return Ok(None);
        }
        let note = str::from_utf8(&bytes).ok().and_then(|text| text.split_once('\n'));
        let whole = note.filter(|(line, sum)| sum.trim_end() == format!("{:032x}", xxh3_128(line.as_bytes())));
        let note = whole.and_then(|(line, _)| serde_json::from_str(line).ok());
        note.map(Some).ok_or_else(|| Error::Source {
            path,
            message: msg!(
                "says which manifest of the index is the newest, and is cut off or damaged; restore the index from a snapshot, or \
                 remove this file, where no manifest was lost"
            ),
        })
    }

    fn text(&self) -> String {
        let line = serde_json::to_string(self).expect("a note is JSON");
        format!("{line}\n{:032x}\n", xxh3_128(line.as_bytes()))
    }

    /// Puts the note at its name, where a power cut may leave what it will.
    fn put(&self, folder: &Path) -> Option<Stamp> {
        let (path, part) = (folder.join(NEWEST), folder.join(".newest.part"));
        let text = self.text();
        let put = fs::write(&part, &text).and_then(|()| fs::rename(&part, &path));
        if put.is_err() {
            // A note that lags tells nothing wrong.
            let _ = fs::remove_file(&part);
            return None;
        }
        #[cfg(test)]
        note(|| FileStep::Unsynced(path.clone(), text.into_bytes()));
        Stamp::of(&path)
    }

    /// Refuses a newest manifest that is not the one of the note, nor a later one of the same process.
    pub(super) fn check(&self, folder: &Path, newest: &Manifest) -> Result<()> {
        let name = NEWEST;
        if newest.number < self.number {
            return Err(Error::Source {
                path: path_of(folder, self.number),
                message: msg!(
                    "is the newest manifest of the index and is missing, and with it the last changes, as in a copy that was \
                     cut off or made while the index was written; restore the index from a snapshot, or remove the file \
                     {name} to have it as it was before"
                ),
            });
        }
        let is_same = newest.number == self.number && newest.sum == self.manifest;
        if is_same || newest.number > self.number && newest.life == self.life {
            return Ok(());
        }
        Err(Error::Source {
            path: newest.path(folder),
            message: msg!(
                "is not the manifest that the file {name} names: files of two copies of the index are mixed; restore the index \
                 from a snapshot into an empty directory, or remove the file {name} to have it as this manifest says"
            ),
        })
    }
}

/// Writes the note of a copy, durably.
pub(super) fn note_copy(folder: &Path, manifest: &Manifest) -> Result<()> {
    let mut file = AtomicFile::create_as_is(&folder.join(NEWEST))?;
    file.append(Note::new(manifest, &manifest.life).text().as_bytes())?;
    file.commit()
}

/// What a process holds of a directory that it writes.
#[derive(Debug)]
pub(super) struct Writer {
    lock: File,
    /// Drawn when it opened the index.
    pub(super) life: String,
    /// The lives whose files it removes: its own, and that of the process before it.
    pub(super) lives: Vec<String>,
    /// The note that it has put, and its file.
    noted: Option<(Note, Stamp)>,
}

impl Writer {
    /// Locks a directory.
    pub(super) fn lock(folder: &Path) -> Result<Self> {
        let (lock, life) = (lock::exclusive(folder)?, drawn());
        Ok(Self {
            lock,
            lives: vec![life.clone()],
            life,
            noted: None,
        })
    }

    /// Begins to write after a manifest, durably.
    pub(super) fn begin(&mut self, folder: &Path, manifest: &Manifest) -> Result<()> {
        self.lives.extend(Note::read(folder)?.map(|note| note.life));
        self.lives.push(manifest.life.clone());
        let note = Note::new(manifest, &self.life);
        let mut file = AtomicFile::create_as_is(&folder.join(NEWEST))?;
        file.append(note.text().as_bytes())?;
        file.commit()?;
        self.noted = Stamp::of(&folder.join(NEWEST)).map(|stamp| (note, stamp));
        Ok(())
    }

    /// Notes a manifest that was written.
    pub(super) fn note(&mut self, folder: &Path, manifest: &Manifest) {
        let note = Note::new(manifest, &self.life);
        self.noted = note.put(folder).map(|stamp| (note, stamp));
    }

    /// Refuses a directory that is another one now: its lock is not the file that is held, its newest manifest is not the one that the
    /// state was read from, or its note is another one.
    pub(super) fn check(&self, folder: &Path, manifest: &Manifest) -> Result<()> {
        let file_of = |metadata: Metadata| (metadata.dev(), metadata.ino());
        let held = self.lock.metadata().map(file_of).ok();
        let refused = |file: PathBuf| {
            Err(Error::Storage {
                message: msg!(
                    "{folder}: {file} is not the file any more that this process has read or written: another program has \
                     restored, replaced or removed files of the index; nothing was written: close the index, and open it again",
                    folder = folder.display(),
                    file = file.display()
                ),
                retryable: false,
            })
        };
        if held.is_none() || fs::metadata(folder.join(LOCK)).map(file_of).ok() != held {
            return refused(folder.join(LOCK));
        }
        // The first manifest of an index follows none.
        if manifest.number > 0 && !manifest.is_newest(folder) {
            return refused(manifest.path(folder));
        }
        let path = folder.join(NEWEST);
        let is_other = |(note, stamp): &(Note, Stamp)| {
            Stamp::of(&path).is_some_and(|now| now != *stamp)
                && Note::read(folder).ok().flatten().as_ref() != Some(note)
        };
        if self.noted.as_ref().is_some_and(is_other) {
            return refused(path);
        }
        Ok(())
    }
}
