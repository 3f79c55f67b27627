//! An open index: what it has, and the states that it opens.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::thread;
use std::time::Duration;

use super::files::manifest::{self, Manifest};
use super::files::newest::{Writer, note_copy};
use super::files::segment::{Place, Row};
use super::files::state::{State, is_gone};
use super::lookup::seen::{Asked, KnownId, SeenRun};
use crate::base::context::Context;
use crate::base::error::{Error, Result, is_retryable};
use crate::collection::labels::canonical;
use crate::encode::scheme::Scheme;
use crate::storage::paths::folder_of;

/// How often a reader looks for a newer manifest where a file of the one that it read is gone.
const OPEN_ATTEMPTS: usize = 1000;
/// How long it waits between two looks: a writer that makes one change after another leaves each for longer than that.
const OPEN_PAUSE: Duration = Duration::from_millis(1);

/// An open index. Several threads may use it; each question is answered by one state.
#[derive(Debug)]
pub struct Index {
    pub(crate) path: PathBuf,
    pub(crate) state: RwLock<Arc<State>>,
    /// The lock of a process that writes.
    pub(crate) writer: Option<Mutex<Writer>>,
    /// The process that opened it: a fork of it has the lock too, and not what the other one writes.
    pub(crate) process: u32,
    /// Whether a manifest may be on the disk in part: the system may have forgotten that its write failed.
    pub(crate) is_stopped: AtomicBool,
}

/// The sizes of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Documents that are kept.
    pub kept: u64,
    /// Documents that were dropped for them.
    pub dropped: u64,
    /// Segments.
    pub segments: u64,
    /// Bytes of the files.
    pub bytes: u64,
    /// Changes since the index was made.
    pub manifests: u64,
    /// The number of the frozen set, from 1.
    pub epoch: u64,
    /// Kept documents with one search key, about and at most.
    pub bucket: u64,
    /// Whether a new frozen set is due.
    pub refreeze_due: bool,
}

/// A kept document: its id as raw JSON, its text, and its date in milliseconds where there is a window of time.
pub type KeptDocument = (Option<String>, String, Option<i64>);

/// The kept documents of one state of an index, some at a time: later changes do not play a role.
#[derive(Debug)]
pub struct KeptDocuments {
    state: Arc<State>,
    /// That of the next one, or of one after the last of a segment.
    next: Place,
}

impl KeptDocuments {
    /// The next documents, at most `count`; none at the end.
    ///
    /// # Errors
    /// [`Error::Source`] where a text is damaged, or a file was cut.
    pub fn next(&mut self, count: usize) -> Result<Vec<KeptDocument>> {
        self.state.check_files()?;
        let (mut reader, mut some) = (self.state.reader(), Vec::new());
        while some.len() < count
            && let Some(segment) = self.state.segments.get(self.next.segment as usize)
        {
            let place = self.next;
            if place.row as usize >= segment.len() {
                self.next = Place {
                    segment: place.segment + 1,
                    row: 0,
                };
                continue;
            }
            self.next.row += 1;
            let of_any = place.of_any();
            if self.state.is_live(of_any) {
                let label = segment.given_label(of_any.row)?;
                let text = self.state.text(place, &mut reader)?.to_owned();
                some.push((label, text, segment.date(of_any.row)));
            }
        }
        self.state.check_read()?;
        Ok(some)
    }
}

/// What an index knows of an id.
#[derive(Debug, Clone, PartialEq)]
pub enum KnownDocument {
    /// A document is kept.
    Kept,
    /// A document was dropped.
    Dropped {
        /// The id of its representative, as raw JSON; none where that has no id, or is gone.
        representative: Option<String>,
        /// Their similarity; NaN where there is none.
        similarity: f64,
    },
}

impl Index {
    /// The caller's settings of an index.
    ///
    /// # Errors
    /// [`Error::Source`] where the directory is no index of this version.
    pub fn settings(path: &Path) -> Result<String> {
        Ok(Manifest::read(path)?.settings)
    }

    /// Whether a directory is an index.
    pub fn is_index(path: &Path) -> bool {
        manifest::is_index(path)
    }

    /// Opens an index, whose schemes are made of its settings.
    ///
    /// # Errors
    /// [`Error::Source`] where a file is missing or damaged; [`Error::Digest`] where the schemes are others; [`Error::Storage`] where
    /// another process writes the index.
    pub fn open(path: &Path, schemes: Vec<Scheme>, write: bool, ctx: &Context<'_>) -> Result<Self> {
        let mut writer = write.then(|| Writer::lock(path)).transpose()?;
        let state = newest(path, &schemes, None, ctx)?;
        if let Some(writer) = &mut writer {
            writer.begin(path, &state.manifest)?;
        }
        Ok(Self {
            path: path.to_path_buf(),
            state: RwLock::new(Arc::new(state)),
            writer: writer.map(Mutex::new),
            process: std::process::id(),
            is_stopped: AtomicBool::new(false),
        })
    }

    /// Opens what other processes have added meanwhile. False where the directory has another index now, which is to be opened with its
    /// own settings.
    ///
    /// # Errors
    /// As [`Index::open`].
    pub fn refresh(&self, ctx: &Context<'_>) -> Result<bool> {
        if self.writer.is_some() {
            return Ok(true);
        }
        let before = self.state();
        let is_same = |now: &Manifest| (&now.id, &now.settings) == (&before.manifest.id, &before.manifest.settings);
        if !is_same(&Manifest::read(&self.path)?) {
            return Ok(false);
        }
        let state = newest(&self.path, &before.schemes, Some(&before), ctx)?;
        let is_same = is_same(&state.manifest);
        if is_same {
            self.put(state);
        }
        Ok(is_same)
    }

    /// The caller's settings of the index that is open.
    pub fn made(&self) -> String {
        self.state().manifest.settings.clone()
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Prepares a run on new records, which [`add`](super::add) takes.
    ///
    /// # Errors
    /// [`Error::Source`] where the file of the frozen set was cut.
    pub fn seen(&self, known: KnownId) -> Result<SeenRun> {
        SeenRun::new(self.state(), Asked::Records(known))
    }

    /// The text of the kept document with an id, which is raw JSON; none where there is no such document.
    ///
    /// # Errors
    /// [`Error::Source`] where the text is damaged.
    pub fn text(&self, label: &[u8]) -> Result<Option<String>> {
        let state = self.whole_state()?;
        let mut reader = state.reader();
        if let Some(kept) = state.with_label(&canonical(label)).find_map(Place::kept) {
            let text = state.text(kept, &mut reader)?.to_owned();
            return state.check_read().map(|()| Some(text));
        }
        state.check_read().map(|()| None)
    }

    /// What the index knows of an id, which is raw JSON; none where no document has it.
    ///
    /// # Errors
    /// [`Error::Source`] where a file was cut.
    pub fn find(&self, label: &[u8]) -> Result<Option<KnownDocument>> {
        let state = self.whole_state()?;
        let mut found = None;
        for place in state.with_label(&canonical(label)) {
            let Row::Dropped(row) = place.row else {
                return state.check_read().map(|()| Some(KnownDocument::Kept));
            };
            let dropped = &state.segment(place).dropped;
            let representative = match state.live_row_of(dropped.representatives.at(row as usize)) {
                Some(place) => state.segment(place).given_label(place.row)?,
                None => None,
            };
            found = Some(KnownDocument::Dropped {
                representative,
                similarity: dropped.similarities.at(row as usize),
            });
        }
        state.check_read().map(|()| found)
    }

    /// The kept documents at this moment, in order.
    pub fn kept(&self) -> KeptDocuments {
        KeptDocuments {
            state: self.state(),
            next: Place::new(0, 0),
        }
    }

    /// The sizes of the index.
    ///
    /// # Errors
    /// [`Error::Source`] where a file was cut.
    pub fn sizes(&self) -> Result<Sizes> {
        let state = self.whole_state()?;
        let manifest = &state.manifest;
        let (kept, dropped) = state.counts();
        let paths = manifest.files().map(|file| self.path.join(&file.name));
        state.check_read()?;
        Ok(Sizes {
            kept: kept as u64,
            dropped: dropped as u64,
            segments: state.segments.len() as u64,
            bytes: paths
                .map(|path| fs::metadata(path).map_or(0, |metadata| metadata.len()))
                .sum(),
            manifests: manifest.number,
            epoch: manifest.epoch,
            bucket: state.bucket() as u64,
            refreeze_due: state.is_crowded() || (1..=kept as u64).contains(&state.refreeze_at()),
        })
    }

    /// Copies the index to a new directory: by hard links, or by bytes on another file system.
    ///
    /// # Errors
    /// [`Error::Config`] where there is something at the name; [`Error::Storage`] where it cannot be written.
    pub fn snapshot(&self, to: &Path) -> Result<()> {
        let failed = |error: &io::Error| Error::Storage {
            message: msg!(
                "{to}: the snapshot cannot be written: {error}; take another folder",
                to = to.display()
            ),
            retryable: is_retryable(error),
        };
        if to.exists() {
            return Err(Error::Config(msg!(
                "{to} is there already; take a new folder for the snapshot",
                to = to.display()
            )));
        }
        // It is made under a name that nothing has, so that what is at the name is whole.
        let mut unfinished = to.as_os_str().to_owned();
        unfinished.push(format!(".{}.unfinished", manifest::drawn()));
        let unfinished = Path::new(&unfinished);
        fs::create_dir_all(folder_of(to))
            .and_then(|()| fs::create_dir(unfinished))
            .map_err(|error| failed(&error))?;
        let made = self
            .copy_to(unfinished, &failed)
            .and_then(|()| fs::rename(unfinished, to).map_err(|error| failed(&error)));
        made.inspect_err(|_| {
            let _ = fs::remove_dir_all(unfinished);
        })
    }

    /// Copies the files of the state to a directory.
    fn copy_to(&self, to: &Path, failed: &dyn Fn(&io::Error) -> Error) -> Result<()> {
        let state = self.state();
        let mut manifest = state.manifest.clone();
        for file in manifest.files() {
            let [from, name] = [&*self.path, to].map(|folder| folder.join(&file.name));
            let copied = fs::hard_link(&from, &name)
                .or_else(|_| fs::copy(&from, &name).and_then(|_| File::open(&name)?.sync_all()));
            copied.map_err(|error| match error.kind() {
                io::ErrorKind::NotFound if !from.exists() => Error::Config(msg!(
                    "{path}: another process has changed the index, and the files of the state that is open are gone; refresh \
                     it, or open it again, and take the snapshot then",
                    path = self.path.display()
                )),
                _ => failed(&error),
            })?;
        }
        // No other manifest of this number is one of this life.
        manifest.life = manifest::drawn();
        manifest.write(to)?;
        note_copy(to, &manifest)
    }

    pub(crate) fn state(&self) -> Arc<State> {
        Arc::clone(&self.state.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The state, if no file was cut: a read beyond a cut would end the process.
    pub(crate) fn whole_state(&self) -> Result<Arc<State>> {
        let state = self.state();
        state.check_files()?;
        Ok(state)
    }

    pub(crate) fn put(&self, state: State) {
        *self.state.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(state);
    }

    /// The right to write, which one change has at a time.
    pub(crate) fn writing(&self) -> Result<MutexGuard<'_, Writer>> {
        let writer = self.writer.as_ref().ok_or_else(|| {
            Error::Config(msg!(
                "{path}: the index is open for reading; open it for writing",
                path = self.path.display()
            ))
        })?;
        if self.process != std::process::id() {
            return Err(Error::Config(msg!(
                "{path}: process {process} opened the index, and this is a fork of it: one process writes an index; close it \
                 there, and open it here",
                path = self.path.display(),
                process = self.process
            )));
        }
        let writer = writer.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_stopped.load(Ordering::Relaxed) {
            return Err(Error::Storage {
                message: msg!(
                    "{path}: an earlier change could not be written, and what the disk has of it is not known; close the \
                     index and open it again",
                    path = self.path.display()
                ),
                retryable: false,
            });
        }
        Ok(writer)
    }

    /// Refuses all later changes.
    pub(crate) fn stop_writing(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }
}

/// The newest state. A writer may remove files of the manifest that was read, and then there is a newer one.
fn newest(path: &Path, schemes: &[Scheme], before: Option<&State>, ctx: &Context<'_>) -> Result<State> {
    let mut attempt = 0;
    loop {
        let manifest = Manifest::read(path)?;
        match State::open(path, manifest, schemes.to_vec(), before, false, ctx) {
            Err(error) if attempt < OPEN_ATTEMPTS && is_gone(&error, path) => {
                attempt += 1;
                thread::sleep(OPEN_PAUSE);
            }
            other => return other,
        }
    }
}

/// Up to where a source was read by the last batch from it that is not undone.
pub fn followed(index: &Index, source: &str) -> Option<String> {
    index.state().manifest.followed.place_of(source).map(str::to_owned)
}
