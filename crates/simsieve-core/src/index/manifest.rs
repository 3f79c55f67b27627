//! The manifest: which files make up an index. The newest whole one counts.
//!
//! It is one line of JSON, and a line with the XXH3-128 of the first as 32 hex digits.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::followed::Followed;
use crate::base::error::{Error, Result, unreadable};
use crate::base::hash::xxh3_128;
use crate::dedup::loading::WINDOW;
use crate::storage::atomic::AtomicFile;
#[cfg(test)]
use crate::storage::recorded::{FileStep, note};

/// The version of the files of an index, and that of an index with a window of time, whose segments have dates.
const VERSION: u32 = 1;
const DATED: u32 = 2;
/// What no number in a manifest reaches.
const MOST: u64 = 1 << 53;

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Manifest {
    pub(super) simsieve_index: u32,
    /// Manifests before this one.
    pub(super) number: u64,
    /// The caller's settings, a JSON object.
    pub(super) settings: String,
    /// The digest of each scheme.
    pub(super) schemes: Vec<String>,
    /// How several schemes are combined.
    pub(super) combine: String,
    /// The recipe of each scheme as JSON.
    pub(super) recipes: Vec<String>,
    /// What a run on new documents must have in common with the index.
    pub(super) common: Map<String, Value>,
    /// The number of the frozen set.
    pub(super) epoch: u64,
    /// Kept documents with one search key at most, when the frozen set was new; 0 where that was not counted.
    #[serde(default)]
    pub(super) bucket: usize,
    /// The number of documents that the index was made for; 0 where none was named.
    pub(super) expected: u64,
    /// The numbers of the segments, in the order of their documents.
    pub(super) segments: Vec<u64>,
    /// The numbers that the next segment, document and batch get.
    pub(super) next: Next,
    /// The batches that were undone and whose documents are still in the files.
    pub(super) undone: Vec<u32>,
    /// Up to where sources are read that the index follows, the last batch last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) followed: Vec<Followed>,
}

#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(super) struct Next {
    pub(super) segment: u64,
    pub(super) document: u64,
    pub(super) batch: u32,
}

impl Manifest {
    /// The version of the files of an index that has this in common with runs against it.
    pub(super) fn version(common: &Map<String, Value>) -> u32 {
        if common.contains_key(WINDOW) { DATED } else { VERSION }
    }

    /// The window of time in milliseconds, if there is one.
    pub(super) fn window(&self) -> Option<u64> {
        self.common.get(WINDOW)?.as_u64()
    }

    /// The newest manifest of a directory. It is renamed whole, so one that is damaged is not what a killed change has left: to take the
    /// one before it would lose that change.
    pub(super) fn read(folder: &Path) -> Result<Self> {
        let mut before = None;
        loop {
            let newest = numbers(folder)?.pop().ok_or_else(|| not_an_index(folder))?;
            let path = path_of(folder, newest);
            let read = match fs::metadata(&path) {
                Ok(found) if !found.is_file() => return Err(damaged(&path)),
                _ => fs::read_to_string(&path),
            };
            match read {
                Ok(text) => return parse(&path, &text),
                // A writer has removed it, and there is a newer one.
                Err(error) if error.kind() == io::ErrorKind::NotFound && before != Some(newest) => {
                    before = Some(newest);
                }
                Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::InvalidData) => {
                    return Err(damaged(&path));
                }
                Err(error) => return Err(unreadable(&path, &error)),
            }
        }
    }

    /// Writes the manifest as the next one, durably. The one before it stays; earlier ones go.
    pub(super) fn write(&mut self, folder: &Path) -> Result<()> {
        self.number += 1;
        let line = serde_json::to_string(self).expect("a manifest is JSON");
        let mut file = AtomicFile::create_as_is(&path_of(folder, self.number))?;
        file.append(format!("{line}\n{:032x}\n", xxh3_128(line.as_bytes())).as_bytes())?;
        file.commit()
    }

    /// Removes files that neither this manifest nor the one before it names. What cannot be removed stays for the next time.
    pub(super) fn clean(&self, before: &Self, folder: &Path) {
        let kept = [self, before];
        let names = |name: &str| {
            if name == UNFINISHED {
                return false;
            }
            if let Some(number) = numbered(name, "manifest-", ".json") {
                return kept.iter().any(|manifest| manifest.number == number);
            }
            if let Some(number) = numbered(name, "segment-", "") {
                return kept.iter().any(|manifest| manifest.segments.contains(&number));
            }
            if let Some(number) = numbered(name, "frozen-", "") {
                return kept.iter().any(|manifest| manifest.epoch == number);
            }
            true
        };
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.file_name().to_str().is_some_and(|name| !names(name)) {
                let _ = fs::remove_file(entry.path());
                #[cfg(test)]
                note(|| FileStep::Removed(entry.path()));
            }
        }
    }
}

/// The number in the name of a file.
fn numbered(name: &str, before: &str, after: &str) -> Option<u64> {
    name.strip_prefix(before)?.strip_suffix(after)?.parse().ok()
}

/// The numbers of the manifests of a directory, ascending.
fn numbers(folder: &Path) -> Result<Vec<u64>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Err(not_an_index(folder));
        }
        Err(error) => return Err(unreadable(folder, &error)),
    };
    let mut numbers = Vec::new();
    for entry in entries {
        let name = entry.map_err(|error| unreadable(folder, &error))?.file_name();
        numbers.extend(name.to_str().and_then(|name| numbered(name, "manifest-", ".json")));
    }
    numbers.sort_unstable();
    Ok(numbers)
}

/// What says that an index is being made in a directory.
const UNFINISHED: &str = "unfinished";

/// The files of an index whose making failed or was killed; none where the directory has an index, or was not begun as one.
pub(super) fn left_unfinished(folder: &Path) -> io::Result<Vec<PathBuf>> {
    if is_index(folder) || !folder.join(UNFINISHED).exists() {
        return Ok(Vec::new());
    }
    let is_own = |name: &str| {
        let mut kinds = ["frozen-", "segment-"].iter();
        let is_part = name.strip_prefix('.').and_then(|name| name.strip_suffix(".part"));
        name == UNFINISHED || is_part.is_some() || kinds.any(|kind| numbered(name, kind, "").is_some())
    };
    let mut left = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        left.extend(
            entry
                .file_name()
                .to_str()
                .filter(|name| is_own(name))
                .map(|_| entry.path()),
        );
    }
    Ok(left)
}

/// Begins to make an index in a directory: removes what an earlier making has left there, and notes that this one has not ended.
pub(super) fn begin(folder: &Path) -> io::Result<()> {
    left_unfinished(folder)?.iter().try_for_each(fs::remove_file)?;
    fs::write(folder.join(UNFINISHED), "")
}

/// Whether a directory has a manifest.
pub(super) fn is_index(folder: &Path) -> bool {
    numbers(folder).is_ok_and(|numbers| !numbers.is_empty())
}

fn path_of(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("manifest-{number:06}.json"))
}

/// The file of a segment.
pub(super) fn segment_path(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("segment-{number:06}"))
}

/// The file of a frozen set.
pub(super) fn frozen_path(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("frozen-{number:06}"))
}

fn not_an_index(folder: &Path) -> Error {
    Error::Source {
        path: folder.to_path_buf(),
        message: msg!("is no index; name the directory of one, or make one with simsieve index create"),
    }
}

fn damaged(path: &Path) -> Error {
    Error::Source {
        path: path.to_path_buf(),
        message: msg!(
            "is the newest manifest of an index, and it is cut off or damaged; restore the index from a snapshot, or remove this \
             file: the manifest before it has the index as it was before its last change"
        ),
    }
}

fn parse(path: &Path, text: &str) -> Result<Manifest> {
    let refused = |message| Error::Source {
        path: path.to_path_buf(),
        message,
    };
    let damaged = || damaged(path);
    let (line, rest) = text.split_once('\n').ok_or_else(damaged)?;
    if rest.trim_end() != format!("{:032x}", xxh3_128(line.as_bytes())) {
        return Err(damaged());
    }
    let value: Value = serde_json::from_str(line).map_err(|_| damaged())?;
    let version = value["simsieve_index"].as_u64().ok_or_else(damaged)?;
    if !(u64::from(VERSION)..=u64::from(DATED)).contains(&version) {
        return Err(refused(msg!(
            "is of an index of version {version}, and this simsieve reads versions up to {own}; make the index anew, or take \
             the simsieve that made it",
            own = DATED
        )));
    }
    let manifest: Manifest = serde_json::from_value(value).map_err(|_| damaged())?;
    let next = manifest.next;
    let fits = manifest.simsieve_index == Manifest::version(&manifest.common)
        && manifest.window().is_some() == manifest.common.contains_key(WINDOW)
        && manifest.recipes.len() == manifest.schemes.len()
        && [manifest.number, manifest.epoch, next.segment, next.document]
            .iter()
            .all(|&number| number < MOST)
        && (manifest.bucket as u64) < MOST
        && next.batch < u32::MAX / 2
        && serde_json::from_str::<Map<String, Value>>(&manifest.settings).is_ok();
    if fits { Ok(manifest) } else { Err(damaged()) }
}
