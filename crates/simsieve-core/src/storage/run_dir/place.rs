//! A run directory as a folder: its files, their names and modes, its lock, and the errors of these.

use std::fmt;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::Path;

use crate::base::error::{Error, Result, is_retryable};
use crate::base::os;
use crate::storage::paths::folder_of;

/// The name of the log, and that of the lock.
pub(super) const LOG: &str = "run.log";
pub(super) const LOCK: &str = "lock";
/// The ending of the files with columns.
const COLUMN: &str = ".column";

/// The ending of the files with copies of records. They have checksums of their own, so opening a directory does not read them.
pub(in crate::storage) const COPY: &str = ".copy";

/// Makes the names in a folder durable.
pub(super) fn sync_folder(path: &Path) -> io::Result<()> {
    match File::open(path).and_then(|folder| folder.sync_all()) {
        // Some file systems cannot sync folders.
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => Ok(()),
        other => other,
    }
}

/// The error for a directory that cannot be written.
pub(in crate::storage) fn unwritable(path: &Path, error: &io::Error) -> Error {
    let message = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            msg!("no room is left for the run directory; make room and go on with {@`resume`}")
        }
        io::ErrorKind::NotFound => msg!("its folder does not exist; make it, or name another run directory"),
        io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
            msg!("is no folder, so it cannot be the run directory; name another")
        }
        _ => msg!("the run directory cannot be written: {error}; grant the right, or name another"),
    };
    Error::Storage {
        message: msg!("{path}: {message}", path = path.display()),
        retryable: is_retryable(error),
    }
}

/// The error for a directory whose contents are not those of its log.
pub(super) fn damaged(path: &Path, what: impl fmt::Display) -> Error {
    Error::Resume(msg!(
        "{path}: the run directory is damaged ({what} is cut off or changed); remove it and begin again",
        path = path.display(),
        what = what.to_string()
    ))
}

pub(super) fn file_name(name: &str) -> String {
    format!("{name}{COLUMN}")
}

/// Makes a directory where there is none; returns whether there was none.
pub(super) fn create(path: &Path) -> io::Result<bool> {
    match os::private_folder(&mut DirBuilder::new()).create(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(false),
        Ok(()) => sync_folder(folder_of(path)).map(|()| true),
        Err(error) => Err(error),
    }
}

/// Whether a name is one that a run gives.
fn is_ours(name: &str) -> bool {
    name == LOG || name.ends_with(COLUMN) || name.ends_with(COPY)
}

pub(super) fn holds_others(path: &Path) -> io::Result<bool> {
    for entry in fs::read_dir(path)? {
        let name = entry?.file_name();
        if !name.to_str().is_some_and(|name| is_ours(name) || name == LOCK) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Removes the files of a run, the log first: without it the others count for nothing.
pub(super) fn remove_files(path: &Path) -> io::Result<()> {
    match fs::remove_file(path.join(LOG)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => sync_folder(path)?,
    }
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        if entry.file_name().to_str().is_some_and(is_ours) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Locks a directory for this process. The system releases the lock when the process ends, however it ends.
/// A directory that is new and cannot be written is removed again.
pub(super) fn lock(path: &Path, is_new: bool) -> Result<File> {
    let failed = |error: &io::Error| unwritable(path, error);
    let mut options = OpenOptions::new();
    let options = options.read(true).write(true).create(true).truncate(false);
    let mut file = os::private(options)
        .open(path.join(LOCK))
        .map_err(|error| failed(&error))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(in_use(path, &mut file)),
        Err(TryLockError::Error(error)) => return Err(failed(&error)),
    }
    let write = |file: &mut File| {
        file.set_len(0)?;
        file.rewind()?;
        writeln!(file, "{}", std::process::id())
    };
    if let Err(error) = write(&mut file) {
        if is_new {
            // What fails here leaves an empty folder, which the next run takes.
            let _ = fs::remove_file(path.join(LOCK)).and_then(|()| fs::remove_dir(path));
        }
        return Err(failed(&error));
    }
    Ok(file)
}

/// The error for a directory that another process writes, whose number is in the file of the lock.
fn in_use(path: &Path, lock: &mut File) -> Error {
    let mut holder = String::new();
    let _ = lock.read_to_string(&mut holder);
    Error::Storage {
        message: msg!(
            "{path} is in use by process {trim}; wait for its end, or name another folder",
            path = path.display(),
            trim = holder.trim()
        ),
        retryable: true,
    }
}
