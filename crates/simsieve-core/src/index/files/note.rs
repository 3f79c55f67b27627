//! A note beside the manifests says which one is the newest, so that one that is missing is noticed.
//!
//! The note is renamed into its place after the manifest, and only the first one of a process is synced: of a later one a power cut may
//! leave no bytes, the bytes or an earlier one. So the newest manifest may be a later one than that of the note, if the process that made
//! the note has written it too.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::base::error::{Error, Result};
use crate::base::hash::xxh3_128;
use crate::base::os;
use crate::storage::paths::check_regular;
#[cfg(test)]
use crate::storage::recorded::{FileStep, note};

/// How the names of manifests begin.
pub(crate) const MANIFEST: &str = "manifest-";
/// The name of the note.
pub(crate) const NEWEST: &str = "newest";

/// The file of the manifest with a number.
pub(crate) fn path_of(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("{MANIFEST}{number:06}.json"))
}

/// A file at one moment: its number, size, and time of its last change in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp([u64; 2], u64, i64);

impl From<&Metadata> for Stamp {
    fn from(of: &Metadata) -> Self {
        Self(os::birth_of(of), of.len(), os::modified(of))
    }
}

impl Stamp {
    pub(crate) fn of(path: &Path) -> Option<Self> {
        fs::metadata(path).ok().map(|metadata| Self::from(&metadata))
    }
}

/// Which manifest is the newest, and the life of the process that says so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Note {
    number: u64,
    manifest: String,
    pub(crate) life: String,
}

impl Note {
    /// The note of a manifest by its number and checksum, of a process.
    pub(crate) fn new(number: u64, manifest: &str, life: &str) -> Self {
        Self {
            number,
            manifest: manifest.to_owned(),
            life: life.to_owned(),
        }
    }

    /// The note of a directory. None where there is none, or a power cut has left no bytes of it.
    pub(crate) fn read(folder: &Path) -> Result<Option<Self>> {
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

    pub(crate) fn text(&self) -> String {
        let line = serde_json::to_string(self).expect("a note is JSON");
        format!("{line}\n{:032x}\n", xxh3_128(line.as_bytes()))
    }

    /// Puts the note at its name, where a power cut may leave what it will.
    pub(crate) fn put(&self, folder: &Path) -> Option<Stamp> {
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

    /// Refuses a newest manifest, by the note that it would have, that is not the one of this note, nor a later one of its process.
    pub(crate) fn check(&self, folder: &Path, newest: &Self) -> Result<()> {
        let (name, number) = (NEWEST, newest.number);
        if number < self.number {
            return Err(Error::Source {
                path: path_of(folder, self.number),
                message: msg!(
                    "is the newest manifest of the index and is missing, and with it the last changes, as in a copy that was \
                     cut off or made while the index was written; restore the index from a snapshot, or remove the file \
                     {name} to have it as it was before"
                ),
            });
        }
        let is_same = number == self.number && newest.manifest == self.manifest;
        if is_same || number > self.number && newest.life == self.life {
            return Ok(());
        }
        Err(Error::Source {
            path: path_of(folder, number),
            message: msg!(
                "is not the manifest that the file {name} names: files of two copies of the index are mixed; restore the index \
                 from a snapshot into an empty directory, or remove the file {name} to have it as this manifest says"
            ),
        })
    }
}
