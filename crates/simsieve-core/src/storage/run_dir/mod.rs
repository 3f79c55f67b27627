//! A run directory: the columns of a run as files, and a log of finished work, so that a killed run goes on.
//!
//! In: stages that append to files and commit them. Out: the files as memory-mapped columns, and the state of each stage. The
//! directory has mode 700 and its files have mode 600. A process that has the directory open holds a lock, which ends with it.
//!
//! A commit makes the files durable first, then their names, then the line of the log that counts them ([`log`]). So a
//! file has at least the bytes that the log counts; what follows them is removed. A stage may commit several times,
//! each time with a state from which it goes on. When a directory is opened again, every committed byte is read and
//! compared with its checksum.
//!
//! An entry of the log is one of
//!
//! ```text
//! {"version": 7, "identity": [[NAME, VALUE]]}                the first: what the run is made of
//! {"stage": NAME, "done": BOOL, "state": {...},              a commit: the files with their lengths in bytes and the XXH3-128
//!  "files": {NAME: [END, "HEX"]}, "removed": [NAME]}         of the added bytes; and files that are not needed any more
//! ```

mod appender;
mod identity;
mod log;
mod place;
mod scratch;
mod spill;
mod stage;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use xxhash_rust::xxh3::Xxh3;

use crate::base::context::Context;
use crate::base::error::{Error, Result, unreadable};
use crate::storage::column::{Bytes, Column, Element};
use crate::storage::form::{ColumnName, Stage, Stored};
use crate::storage::paths::open_regular;
pub use appender::Appender;
pub(super) use place::{COPY, unwritable};
use place::{LOCK, LOG, create, damaged, file_name, holds_others, lock, remove_files, sync_folder};
pub use scratch::ScratchColumn;
pub use spill::{Sorted, SortedRuns};
pub use stage::StageFiles;

/// The version of run directories: of all names, types and states in them; and the oldest one that is read.
pub(crate) const VERSION: u64 = 7;
const OLDEST: u64 = 7;

/// Records between two commits of a stage that goes record by record, at most and at least. Search keys are in memory until then.
const MOST_RECORDS: u64 = 1 << 20;
const LEAST_RECORDS: u64 = 64;
/// A record between two commits takes this much memory, its keys among it.
const PIECE_BYTES: u64 = 1 << 10;

/// What to do with what a directory holds already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// Refuse a directory that holds a run.
    New,
    /// Remove the run that is there.
    Replace,
    /// Go on with the run that is there; begin one where there is none.
    Resume,
}

/// An open run directory.
pub struct RunDir {
    path: PathBuf,
    memory: u64,
    settings: Vec<(String, Value)>,
    state: Mutex<State>,
    closed: AtomicBool,
    /// Held open for its lock.
    lock: File,
    of_before: bool,
}

/// What is committed.
struct State {
    log: File,
    identity: Option<Value>,
    stages: BTreeMap<String, LastCommit>,
    files: BTreeMap<String, Vec<Piece>>,
}

/// The last commit of a stage.
#[derive(Debug, Clone)]
pub struct LastCommit {
    /// Whether the stage is finished.
    pub done: bool,
    /// What the stage goes on from.
    pub state: Value,
}

/// A part of a file that was committed at one time.
#[derive(Debug, Clone, Copy)]
struct Piece {
    end: u64,
    checksum: u128,
}

impl RunDir {
    /// Opens a directory for one process, and creates it where it is missing. Of a run that goes on, every byte is read and
    /// compared with its checksum. `memory` is the bound in bytes that the run was given.
    ///
    /// # Errors
    /// [`Error::Config`] where it holds a run or other files and `start` does not allow that; [`Error::Resume`] where the run is
    /// damaged or of another version; [`Error::Storage`] where the directory cannot be written or another process has it.
    pub fn open(path: &Path, start: Start, memory: u64, ctx: &Context<'_>) -> Result<Self> {
        let failed = |error: &io::Error| unwritable(path, error);
        let holds_run = path.join(LOG).exists();
        let is_new = create(path).map_err(|error| failed(&error))?;
        if !holds_run && holds_others(path).map_err(|error| failed(&error))? {
            return Err(Error::Config(msg!(
                "{path} is a folder with other files, and no run directory; name a new or an empty folder",
                path = path.display()
            )));
        }
        let lock = lock(path, is_new)?;
        if holds_run && start == Start::New {
            return Err(Error::Config(msg!(
                "{path} holds a run; go on with it by {@`resume`}, or remove it, or name another \
                 folder",
                path = path.display()
            )));
        }
        if start == Start::Replace {
            remove_files(path).map_err(|error| failed(&error))?;
        }
        let opened = log::open(path).map_err(|error| failed(&error))?;
        Self::of_log(path, opened, lock, memory, ctx)
    }

    /// A directory whose log was opened, with its files checked.
    fn of_log(path: &Path, opened: Option<log::Opened>, lock: File, memory: u64, ctx: &Context<'_>) -> Result<Self> {
        let opened = opened.ok_or_else(|| damaged(path, LOG))?;
        let mut state = State {
            log: opened.file,
            identity: None,
            stages: BTreeMap::new(),
            files: BTreeMap::new(),
        };
        for entry in &opened.entries {
            state.take(path, entry)?;
        }
        let run = Self {
            path: path.to_path_buf(),
            memory,
            settings: Vec::new(),
            state: Mutex::new(state),
            closed: AtomicBool::new(false),
            lock,
            of_before: !opened.entries.is_empty(),
        };
        run.check_files(ctx)?;
        Ok(run)
    }

    /// The state of a finished stage of a directory that may be in use; its files are not looked at.
    ///
    /// # Errors
    /// As [`RunDir::open`].
    pub(super) fn state_in(path: &Path, stage: &str) -> Result<Option<Value>> {
        let opened = log::read(path).map_err(|error| unreadable(&path.join(LOG), &error))?;
        let entries = opened.ok_or_else(|| damaged(path, LOG))?.entries;
        let mut of_stage = entries.into_iter().rev().filter(|entry| entry["stage"] == stage);
        Ok(of_stage.next().map(|mut entry| entry["state"].take()))
    }

    /// The directory as the user named it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Records between two commits.
    pub fn piece_records(&self) -> usize {
        (self.memory / 8 / PIECE_BYTES).clamp(LEAST_RECORDS, MOST_RECORDS) as usize
    }

    /// Bytes that a stage may gather before it writes them: an eighth of the memory.
    pub fn gathered_bytes(&self) -> usize {
        (self.memory / 8).clamp(1 << 10, 1 << 30) as usize
    }

    /// The bound in bytes that the run was given.
    pub fn memory(&self) -> u64 {
        self.memory
    }

    /// Parts in which this many bytes are gathered one after another. Each takes one more walk over all that is
    /// gathered.
    pub fn parts_of(&self, bytes: usize) -> usize {
        bytes.div_ceil(self.gathered_bytes()).clamp(1, 64)
    }

    /// Whether any stage has come to a commit.
    pub fn has_stages(&self) -> bool {
        !self.lock_state().stages.is_empty()
    }

    /// Adds settings that the core does not see to what the run is made of: names, and values in JSON.
    #[must_use]
    pub fn with_settings(mut self, settings: Vec<(String, String)>) -> Self {
        let value = |json: String| serde_json::from_str(&json).unwrap_or(Value::String(json));
        self.settings = settings.into_iter().map(|(name, json)| (name, value(json))).collect();
        self
    }

    /// Says what the run is made of, by names that the user knows: notes it in a new directory, and compares it in one that goes on.
    ///
    /// # Errors
    /// [`Error::Resume`] that names the first difference.
    pub fn identify(&self, identity: &[(String, Value)]) -> Result<()> {
        let mut state = self.lock_state();
        let now: Vec<(&str, &Value)> = (self.settings.iter().chain(identity))
            .map(|(name, value)| (&**name, value))
            .collect();
        let Some(known) = &state.identity else {
            let identity = json!(now);
            let entry = json!({"version": VERSION, "identity": identity});
            log::append(&mut state.log, &entry).map_err(|error| unwritable(&self.path, &error))?;
            sync_folder(&self.path).map_err(|error| unwritable(&self.path, &error))?;
            state.identity = Some(identity);
            return Ok(());
        };
        let pair = |pair: &'_ Value| Some((pair[0].as_str()?.to_owned(), pair[1].clone()));
        let known = known.as_array().and_then(|known| known.iter().map(pair).collect());
        let known: Vec<(String, Value)> = known.ok_or_else(|| self.damaged(LOG))?;
        let difference = identity::difference(&known, &now);
        difference.map_or(Ok(()), |text| {
            Err(Error::Resume(msg!("{path}: {text}", path = self.path.display())))
        })
    }

    /// The last commit of a stage.
    pub fn stage(&self, name: &str) -> Option<LastCommit> {
        self.lock_state().stages.get(name).cloned()
    }

    /// The state that a stage goes on from, where it has come to a commit.
    ///
    /// # Errors
    /// [`Error::Resume`] where the stage has no such state.
    pub fn last_state<S: DeserializeOwned>(&self, stage: Stage<S>) -> Result<Option<S>> {
        let last = self.stage(&stage.to_string());
        let state = last.map(|last| S::deserialize(last.state).map_err(|_| self.damaged(stage)));
        state.transpose()
    }

    /// Refuses a stage one of whose inputs was begun and is not finished.
    pub(crate) fn check_inputs<S>(&self, stage: Stage<S>) -> Result<()> {
        let state = self.lock_state();
        let mut begun = state.stages.iter();
        let open = begun.find(|(name, last)| !last.done && stage.has_input(name));
        open.map_or(Ok(()), |(name, _)| Err(self.damaged(name)))
    }

    /// Opens a file for further values. Those that are not committed are removed.
    ///
    /// # Errors
    /// [`Error::Storage`] where it cannot be written.
    pub fn appender(&self, name: &str) -> Result<Appender> {
        let name = file_name(name);
        let committed = self
            .lock_state()
            .files
            .get(&name)
            .and_then(|pieces| pieces.last().copied());
        Appender::open(&self.path, &name, committed.map_or(0, |piece| piece.end))
    }

    /// Makes files durable and notes that a stage has come to `state`. `removed` are files that no stage needs any more.
    ///
    /// # Errors
    /// [`Error::Storage`] where the directory cannot be written.
    pub fn commit<'f>(
        &self,
        stage: impl fmt::Display,
        done: bool,
        state: &impl Serialize,
        files: impl IntoIterator<Item = &'f mut Appender>,
        removed: &[String],
    ) -> Result<()> {
        let failed = |error: &io::Error| unwritable(&self.path, error);
        let mut all = self.lock_state();
        let mut sections = Map::new();
        for file in files {
            let (end, checksum) = file.sync()?;
            sections.insert(file.name().to_owned(), json!([end, format!("{checksum:032x}")]));
        }
        sync_folder(&self.path).map_err(|error| failed(&error))?;
        let removed: Vec<String> = removed.iter().map(|name| file_name(name)).collect();
        let entry =
            json!({"stage": stage.to_string(), "done": done, "state": state, "files": sections, "removed": removed});
        log::append(&mut all.log, &entry).map_err(|error| failed(&error))?;
        all.take(&self.path, &entry)?;
        for name in removed {
            // The log does not count it any more, so a file that stays takes room and does no harm.
            let _ = fs::remove_file(self.path.join(name));
        }
        Ok(())
    }

    /// A file whose appender is closed, as a column. Its values are mapped, so they take no memory of the process for good.
    ///
    /// # Errors
    /// [`Error::Source`] where the file cannot be read; [`Error::Resume`] where it has no such values.
    pub fn column<T: Element>(&self, name: &str) -> Result<Column<T>> {
        let path = self.path.join(file_name(name));
        let bytes = open_regular(&path).and_then(|file| Bytes::of_file(&file));
        let bytes = Arc::new(bytes.map_err(|error| unreadable(&path, &error))?);
        Column::view(&bytes, 0..bytes.len()).ok_or_else(|| damaged(&self.path, name))
    }

    /// Removes a file that was never committed.
    pub fn discard(&self, name: &str) {
        let _ = fs::remove_file(self.path.join(file_name(name)));
    }

    /// Removes the directory with all that the run wrote. Columns that are mapped stay readable. Files of others stay, and the
    /// directory with them.
    ///
    /// # Errors
    /// [`Error::Storage`] where the files cannot be removed.
    pub fn remove(&self) -> Result<()> {
        let failed = |error: &io::Error| unwritable(&self.path, error);
        self.closed.store(true, Ordering::Release);
        remove_files(&self.path).map_err(|error| failed(&error))?;
        fs::remove_file(self.path.join(LOCK)).map_err(|error| failed(&error))?;
        match fs::remove_dir(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::DirectoryNotEmpty => Err(failed(&error)),
            _ => Ok(()),
        }
    }

    /// Leaves the directory to other processes. Columns that are mapped stay readable.
    pub fn close(&self) {
        self.closed.store(true, Ordering::Release);
        // Where this fails, the lock ends with the process.
        let _ = self.lock.unlock();
    }

    /// Whether the directory was left or removed: its mapped columns can be read, and nothing more is written.
    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    /// The error for a committed file that cannot be read: the directory is damaged only if bytes are not there.
    pub(in crate::storage) fn unread(&self, name: &str, error: &io::Error) -> Error {
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidInput => self.damaged(name),
            _ => unreadable(&self.path.join(name), error),
        }
    }

    fn lock_state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Compares every committed byte with its checksum.
    fn check_files(&self, ctx: &Context<'_>) -> Result<()> {
        const PIECE: usize = 1 << 20;
        let state = self.lock_state();
        let total = state
            .files
            .values()
            .filter_map(|pieces| pieces.last())
            .map(|piece| piece.end);
        let (mut done, total) = (0, total.sum());
        let mut buffer = vec![0; if total == 0 { 0 } else { PIECE }];
        for (name, pieces) in &state.files {
            let path = self.path.join(name);
            let mut file = open_regular(&path).map_err(|error| self.unread(name, &error))?;
            let mut at = 0;
            for piece in pieces {
                let mut hash = Xxh3::new();
                while at < piece.end {
                    ctx.tick("check", done, total)?;
                    let length = PIECE.min((piece.end - at) as usize);
                    let read = file.read_exact(&mut buffer[..length]);
                    read.map_err(|error| self.unread(name, &error))?;
                    hash.update(&buffer[..length]);
                    at += length as u64;
                    done += length as u64;
                }
                if hash.digest128() != piece.checksum {
                    return Err(self.damaged(name));
                }
            }
        }
        Ok(())
    }
}

impl Stored for RunDir {
    fn finished(&self, stage: &str) -> Option<Value> {
        self.stage(stage).filter(|stage| stage.done).map(|stage| stage.state)
    }

    fn read<T: Element>(&self, column: ColumnName<T>) -> Result<Column<T>> {
        self.column(&column.to_string())
    }

    fn is_foreign(&self) -> bool {
        self.of_before
    }

    fn damaged(&self, part: impl fmt::Display) -> Error {
        damaged(&self.path, part)
    }
}

impl fmt::Debug for RunDir {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("RunDir")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl State {
    /// Takes an entry of the log.
    fn take(&mut self, path: &Path, entry: &Value) -> Result<()> {
        if let Some(version) = entry.get("version") {
            if version
                .as_u64()
                .is_none_or(|version| !(OLDEST..=VERSION).contains(&version))
            {
                return Err(Error::Resume(msg!(
                    "{path}: is a run directory of version {version}, and this simsieve goes on with version \
                     {version_2}; remove it and begin again",
                    path = path.display(),
                    version_2 = VERSION
                )));
            }
            self.identity = entry.get("identity").cloned();
            return Ok(());
        }
        self.take_commit(entry).ok_or_else(|| damaged(path, LOG))
    }

    fn take_commit(&mut self, entry: &Value) -> Option<()> {
        for (name, value) in entry["files"].as_object()? {
            let pieces = self.files.entry(name.clone()).or_default();
            pieces.push(Piece {
                end: value[0]
                    .as_u64()
                    .filter(|end| pieces.last().is_none_or(|last| last.end <= *end))?,
                checksum: u128::from_str_radix(value[1].as_str()?, 16).ok()?,
            });
        }
        for name in entry["removed"].as_array()? {
            self.files.remove(name.as_str()?);
        }
        let stage = LastCommit {
            done: entry["done"].as_bool()?,
            state: entry["state"].clone(),
        };
        self.stages.insert(entry["stage"].as_str()?.to_owned(), stage);
        Some(())
    }
}
