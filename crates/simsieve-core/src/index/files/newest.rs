//! What a process holds of a directory that it writes: it looks before each change whether the directory is still the one that it has
//! locked, and notes each manifest that it has written.

use std::fs::{self, File, Metadata};
use std::path::{Path, PathBuf};

use super::manifest::{Manifest, drawn};
use super::note::{NEWEST, Note, Stamp};
use crate::base::error::{Error, Result};
use crate::base::os::birth_of;
use crate::storage::atomic::AtomicFile;
use crate::storage::lock::{self, LOCK};

/// Writes the note of a copy, durably.
pub(crate) fn note_copy(folder: &Path, manifest: &Manifest) -> Result<()> {
    let mut file = AtomicFile::create_as_is(&folder.join(NEWEST))?;
    file.append(
        Note::new(manifest.number, &manifest.sum, &manifest.life)
            .text()
            .as_bytes(),
    )?;
    file.commit()
}

/// What a process holds of a directory that it writes.
#[derive(Debug)]
pub(crate) struct Writer {
    lock: File,
    /// Drawn when it opened the index.
    pub(crate) life: String,
    /// The lives whose files it removes: its own, and that of the process before it.
    pub(crate) lives: Vec<String>,
    /// The note that it has put, and its file.
    noted: Option<(Note, Stamp)>,
}

impl Writer {
    /// Locks a directory.
    pub(crate) fn lock(folder: &Path) -> Result<Self> {
        let (lock, life) = (lock::exclusive(folder)?, drawn());
        Ok(Self {
            lock,
            lives: vec![life.clone()],
            life,
            noted: None,
        })
    }

    /// Begins to write after a manifest, durably.
    pub(crate) fn begin(&mut self, folder: &Path, manifest: &Manifest) -> Result<()> {
        self.lives.extend(Note::read(folder)?.map(|note| note.life));
        self.lives.push(manifest.life.clone());
        let note = Note::new(manifest.number, &manifest.sum, &self.life);
        let mut file = AtomicFile::create_as_is(&folder.join(NEWEST))?;
        file.append(note.text().as_bytes())?;
        file.commit()?;
        self.noted = Stamp::of(&folder.join(NEWEST)).map(|stamp| (note, stamp));
        Ok(())
    }

    /// Notes a manifest that was written.
    pub(crate) fn note(&mut self, folder: &Path, manifest: &Manifest) {
        let note = Note::new(manifest.number, &manifest.sum, &self.life);
        self.noted = note.put(folder).map(|stamp| (note, stamp));
    }

    /// Refuses a directory that is another one now: its lock is not the file that is held, its newest manifest is not the one that the
    /// state was read from, or its note is another one.
    pub(crate) fn check(&self, folder: &Path, manifest: &Manifest) -> Result<()> {
        let file_of = |metadata: Metadata| birth_of(&metadata);
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
