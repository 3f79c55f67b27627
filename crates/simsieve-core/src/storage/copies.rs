//! What a run directory has besides columns: copies of records, and notes of the reader of the records.

use std::fs::{File, OpenOptions};
use std::path::Path;

use serde_json::Value;

use super::form::Stored;
use super::run_dir::{COPY, RunDir, unwritable};
use crate::base::error::Result;
use crate::base::os;
use crate::storage::paths::open_regular;

/// Makes an empty file for a copy of records.
///
/// # Errors
/// [`Error::Storage`](crate::base::error::Error::Storage) where it cannot be written.
pub fn create_copy(dir: &RunDir, name: &str) -> Result<File> {
    let mut options = OpenOptions::new();
    let options = options.read(true).write(true).create(true).truncate(true);
    let opened = os::private(options).open(dir.path().join(format!("{name}{COPY}")));
    opened.map_err(|error| unwritable(dir.path(), &error))
}

/// Opens a copy of records that was committed.
///
/// # Errors
/// [`Error::Resume`](crate::base::error::Error::Resume) where it is not there, [`Error::Source`](crate::base::error::Error::Source)
/// where it cannot be read.
pub fn open_copy(dir: &RunDir, name: &str) -> Result<File> {
    let name = format!("{name}{COPY}");
    open_regular(&dir.path().join(&name)).map_err(|error| dir.unread(&name, &error))
}

/// Notes a text under a name, durably.
///
/// # Errors
/// As [`create_copy`].
pub fn note(dir: &RunDir, name: &str, text: &str) -> Result<()> {
    dir.commit(name, true, &Value::from(text), [], &[])
}

/// The text that was noted under a name last in a directory that may be in use.
///
/// # Errors
/// [`Error::Resume`](crate::base::error::Error::Resume) where its log is damaged, and as [`open_copy`].
pub fn noted_in(path: &Path, name: &str) -> Result<Option<String>> {
    Ok(RunDir::state_in(path, name)?.and_then(|state| state.as_str().map(str::to_owned)))
}

/// The text that was noted under a name last.
pub fn noted(dir: &RunDir, name: &str) -> Option<String> {
    dir.finished(name)?.as_str().map(str::to_owned)
}
