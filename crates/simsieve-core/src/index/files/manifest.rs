//! The manifest: which files make up an index. The newest whole one counts.
//!
//! It is one line of JSON, and a line with the XXH3-128 of the first as 32 hex digits.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::followed::Places;
use super::note::{MANIFEST, Note, Stamp, path_of};
use crate::base::error::{Error, Result, unreadable};
use crate::base::hash::xxh3_128;
use crate::dedup::loading::WINDOW;
use crate::storage::atomic::AtomicFile;
use crate::storage::paths::check_regular;
#[cfg(test)]
use crate::storage::recorded::{FileStep, note};

/// The version of manifests, and the oldest one that is read.
const VERSION: u32 = 3;
const OLDEST: u32 = 3;
/// What no number in a manifest reaches.
const MOST: u64 = 1 << 53;

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Manifest {
    pub(crate) simsieve_index: u32,
    /// Drawn when the index was made.
    pub(crate) id: String,
    /// Drawn when the process that wrote this manifest opened the index.
    pub(crate) life: String,
    /// Manifests before this one.
    pub(crate) number: u64,
    /// The caller's settings, a JSON object.
    pub(crate) settings: String,
    /// The digest of each scheme.
    pub(crate) schemes: Vec<String>,
    /// How several schemes are combined.
    pub(crate) combine: String,
    /// The recipe of each scheme as JSON.
    pub(crate) recipes: Vec<String>,
    /// What a run on new documents must have in common with the index.
    pub(crate) common: Map<String, Value>,
    /// The number of the frozen set.
    pub(crate) epoch: u64,
    /// Its file.
    pub(crate) frozen: Named,
    /// Kept documents with one search key at most, when the frozen set was new; 0 where that was not counted.
    #[serde(default)]
    pub(crate) bucket: usize,
    /// The number of documents that the index was made for; 0 where none was named.
    pub(crate) expected: u64,
    /// The segments, in the order of their documents.
    pub(crate) segments: Vec<Named>,
    /// The numbers that the next segment, document and batch get.
    pub(crate) next: Next,
    /// The batches that were undone and whose documents are still in the files.
    pub(crate) undone: Vec<u32>,
    /// Up to where sources are read that the index follows.
    #[serde(default, skip_serializing_if = "Places::is_empty")]
    pub(crate) followed: Places,
    /// The checksum of its line, and its file; none before it is written.
    #[serde(skip)]
    pub(crate) sum: String,
    #[serde(skip)]
    pub(crate) stamp: Option<Stamp>,
}

/// A file that a manifest names, with the checksum in its end.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Named {
    pub(crate) name: String,
    xxh3_128: String,
}

impl Named {
    pub(crate) fn new(name: String, checksum: u128) -> Self {
        Self {
            name,
            xxh3_128: format!("{checksum:032x}"),
        }
    }

    /// Refuses a file with another checksum than the one that is named.
    pub(crate) fn check(&self, path: &Path, checksum: u128) -> Result<()> {
        if self.xxh3_128 == format!("{checksum:032x}") {
            return Ok(());
        }
        Err(Error::Source {
            path: path.to_path_buf(),
            message: msg!(
                "is whole, and is not the file that the manifest of the index names: files of two copies are mixed, or it was \
                 replaced; restore the index from a snapshot, or make it anew of its sources"
            ),
        })
    }
}

#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(crate) struct Next {
    pub(crate) segment: u64,
    pub(crate) document: u64,
    pub(crate) batch: u32,
}

impl Manifest {
    /// The version that is written.
    pub(crate) const VERSION: u32 = VERSION;

    /// The window of time in milliseconds, if there is one.
    pub(crate) fn window(&self) -> Option<u64> {
        self.common.get(WINDOW)?.as_u64()
    }

    /// Whether what is known of an earlier state of the index counts under this manifest: the same process has written the two.
    pub(crate) fn follows(&self, before: &Self) -> bool {
        (&self.id, &self.life) == (&before.id, &before.life) && self.number >= before.number
    }

    /// The newest manifest of a directory. It is renamed whole, so one that is damaged is not what a killed change has left: to take the
    /// one before it would lose that change.
    pub(crate) fn read(folder: &Path) -> Result<Self> {
        let (mut before, mut told) = (None, None);
        loop {
            // A writer notes a manifest after it has written it.
            let note = Note::read(folder)?;
            let newest = numbers(folder)?.pop().ok_or_else(|| not_an_index(folder))?;
            let path = path_of(folder, newest);
            match read_file(&path) {
                Ok((text, stamp)) => {
                    let manifest = parse(&path, &text, stamp)?;
                    match note.as_ref().map_or(Ok(()), |note| {
                        note.check(folder, &Note::new(manifest.number, &manifest.sum, &manifest.life))
                    }) {
                        // Another process may have opened the index, or made it anew, between the two looks.
                        Err(_) if told.as_ref() != Some(&note) => told = Some(note),
                        checked => return checked.map(|()| manifest),
                    }
                }
                // A writer has removed it, and there is a newer one.
                Err(error) if error.kind() == io::ErrorKind::NotFound && before != Some(newest) => {
                    before = Some(newest);
                }
                Err(error) if is_damage(error.kind()) => return Err(damaged(&path)),
                Err(error) => return Err(unreadable(&path, &error)),
            }
        }
    }

    /// Writes the manifest as the next one, durably. The one before it stays; earlier ones go.
    pub(crate) fn write(&mut self, folder: &Path) -> Result<()> {
        self.number += 1;
        let line = serde_json::to_string(self).expect("a manifest is JSON");
        self.sum = format!("{:032x}", xxh3_128(line.as_bytes()));
        let path = path_of(folder, self.number);
        let mut file = AtomicFile::create_as_is(&path)?;
        file.append(format!("{line}\n{}\n", self.sum).as_bytes())?;
        file.commit()?;
        self.stamp = Stamp::of(&path);
        Ok(())
    }

    /// The file of this manifest.
    pub(crate) fn path(&self, folder: &Path) -> PathBuf {
        path_of(folder, self.number)
    }

    /// Whether this is the newest manifest of a directory.
    pub(crate) fn is_newest(&self, folder: &Path) -> bool {
        let newest = numbers(folder).ok().and_then(|mut numbers| numbers.pop());
        let path = self.path(folder);
        newest == Some(self.number)
            && ((self.stamp.is_some() && Stamp::of(&path) == self.stamp)
                || read_file(&path).is_ok_and(|(text, _)| text.trim_end().ends_with(&self.sum)))
    }

    /// Removes the files of some lives of the index that neither this manifest nor the one before it names, and older manifests. Others
    /// are not its own. What cannot be removed stays for the next time.
    pub(crate) fn clean(&self, before: &Self, folder: &Path, lives: &[String]) {
        let named = |name: &str| {
            let of = |manifest: &Self| manifest.files().any(|file| file.name == name);
            of(self) || of(before)
        };
        let goes = |name: &str| match numbered(name, MANIFEST, ".json") {
            Some(number) => number < before.number,
            None => lives.iter().any(|life| is_of_life(name, life)) && !named(name),
        };
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.file_name().to_str().is_some_and(goes) {
                let _ = fs::remove_file(entry.path());
                #[cfg(test)]
                note(|| FileStep::Removed(entry.path()));
            }
        }
    }

    /// The files that it names.
    pub(crate) fn files(&self) -> impl Iterator<Item = &Named> {
        self.segments.iter().chain([&self.frozen])
    }

    /// The name of a file of this life of the index; the number says which one of its kind it is.
    pub(crate) fn name(&self, kind: &str, number: u64) -> String {
        format!("{kind}{}-{number:06}", self.life)
    }
}

/// Beginnings of the names of files.
pub(crate) const SEGMENT: &str = "segment-";
pub(crate) const FROZEN: &str = "frozen-";

/// Whether a file, or the part of one, was made in a life of an index.
fn is_of_life(name: &str, life: &str) -> bool {
    let part = name.strip_prefix('.').and_then(|name| name.strip_suffix(".part"));
    let name = part.unwrap_or(name);
    let rest = [SEGMENT, FROZEN].iter().find_map(|kind| name.strip_prefix(kind));
    let rest = rest.and_then(|rest| rest.strip_prefix(life)?.strip_prefix('-'));
    rest.is_some_and(|rest| part.is_some() || rest.parse::<u64>().is_ok())
}

fn is_name(file: &Named, kind: &str) -> bool {
    let parts = file.name.strip_prefix(kind).and_then(|rest| rest.split_once('-'));
    parts.is_some_and(|(life, number)| is_drawn(life) && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// An id that nothing else has.
pub(crate) fn drawn() -> String {
    use std::hash::{BuildHasher, RandomState};
    let now = std::time::SystemTime::now();
    // The keys of the hash are random; a fork has those of its parent.
    format!("{:016x}", RandomState::new().hash_one((std::process::id(), now)))
}

fn is_drawn(id: &str) -> bool {
    id.len() == 16 && id.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The text of a manifest, and its file.
fn read_file(path: &Path) -> io::Result<(String, Option<Stamp>)> {
    check_regular(path)?;
    let mut file = File::open(path)?;
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    Ok((text, file.metadata().ok().map(|metadata| Stamp::from(&metadata))))
}

/// Whether a file that cannot be read is damaged: it is no regular file, or no text, or a link that leads nowhere.
const fn is_damage(kind: io::ErrorKind) -> bool {
    matches!(
        kind,
        io::ErrorKind::NotFound | io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput
    )
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
        numbers.extend(name.to_str().and_then(|name| numbered(name, MANIFEST, ".json")));
    }
    numbers.sort_unstable();
    Ok(numbers)
}

/// What says that an index is being made in a directory: the file, and the line in it before the life of the index.
const UNFINISHED: &str = "unfinished";
const MAKING: &str = "simsieve makes an index here: ";

/// The files of an index whose making failed or was killed; none where the directory has an index, or was not begun as one.
pub(crate) fn left_unfinished(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mark = folder.join(UNFINISHED);
    if is_index(folder) || check_regular(&mark).is_err() {
        return Ok(Vec::new());
    }
    let text = fs::read_to_string(mark).unwrap_or_default();
    let Some(life) = text.trim_end().strip_prefix(MAKING).filter(|life| is_drawn(life)) else {
        return Ok(Vec::new());
    };
    let mut left = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let is_own = |name: &str| name == UNFINISHED || is_of_life(name, life);
        left.extend(name.to_str().filter(|name| is_own(name)).map(|_| entry.path()));
    }
    Ok(left)
}

/// Begins to make an index in a directory: removes what an earlier making has left there, and notes that this one has not ended.
pub(crate) fn begin(folder: &Path, life: &str) -> io::Result<()> {
    left_unfinished(folder)?.iter().try_for_each(fs::remove_file)?;
    fs::write(folder.join(UNFINISHED), format!("{MAKING}{life}\n"))
}

/// Removes what says that an index is being made, where it is of this program.
pub(crate) fn end(folder: &Path) {
    let mark = folder.join(UNFINISHED);
    if check_regular(&mark).is_ok() && fs::read_to_string(&mark).is_ok_and(|text| text.starts_with(MAKING)) {
        let _ = fs::remove_file(mark);
    }
}

/// Whether a directory has a manifest.
pub(crate) fn is_index(folder: &Path) -> bool {
    numbers(folder).is_ok_and(|numbers| !numbers.is_empty())
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
             file and the file newest: the manifest before it has the index as it was before its last change"
        ),
    }
}

fn parse(path: &Path, text: &str, stamp: Option<Stamp>) -> Result<Manifest> {
    let damaged = || damaged(path);
    let (line, rest) = text.split_once('\n').ok_or_else(damaged)?;
    let sum = format!("{:032x}", xxh3_128(line.as_bytes()));
    if rest.trim_end() != sum {
        return Err(damaged());
    }
    let value: Value = serde_json::from_str(line).map_err(|_| damaged())?;
    let version = value["simsieve_index"].as_u64().ok_or_else(damaged)?;
    if !(u64::from(OLDEST)..=u64::from(VERSION)).contains(&version) {
        return Err(Error::Source {
            path: path.to_path_buf(),
            message: msg!(
                "is of an index of version {version}, and this simsieve reads version {own}; make the index anew of its \
                 sources, or take the simsieve that made it",
                own = VERSION
            ),
        });
    }
    let manifest: Manifest = serde_json::from_value(value).map_err(|_| damaged())?;
    let next = manifest.next;
    let fits = manifest.window().is_some() == manifest.common.contains_key(WINDOW)
        && manifest.recipes.len() == manifest.schemes.len()
        && [&manifest.id, &manifest.life].iter().all(|id| is_drawn(id))
        && is_name(&manifest.frozen, FROZEN)
        && manifest.segments.iter().all(|file| is_name(file, SEGMENT))
        && path.file_name() == path_of(Path::new(""), manifest.number).file_name()
        && [manifest.number, manifest.epoch, next.segment, next.document]
            .iter()
            .all(|&number| number < MOST)
        && (manifest.bucket as u64) < MOST
        && next.batch < u32::MAX / 2
        && serde_json::from_str::<Map<String, Value>>(&manifest.settings).is_ok();
    if fits {
        Ok(Manifest { sum, stamp, ..manifest })
    } else {
        Err(damaged())
    }
}
