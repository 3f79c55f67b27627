//! The modes of a run directory and its files, and the errors of both.

use std::fs::File;
use std::io;
use std::path::Path;

use crate::base::error::Error;

pub(in crate::storage) const PRIVATE_FILE: u32 = 0o600;
/// The ending of the files with copies of records. They have checksums of their own, so opening a directory does not read them.
pub(in crate::storage) const COPY: &str = ".copy";
pub(super) const PRIVATE_FOLDER: u32 = 0o700;

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
            "no room is left for the run directory; make room and go on with the setting `resume`".to_owned()
        }
        io::ErrorKind::NotFound => "its folder does not exist; make it, or name another run directory".to_owned(),
        io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
            "is no folder, so it cannot be the run directory; name another".to_owned()
        }
        _ => format!("the run directory cannot be written: {error}; grant the right, or name another"),
    };
    Error::Sink {
        path: path.to_path_buf(),
        message,
    }
}

/// The error for a directory whose contents are not those of its log.
pub(super) fn damaged(path: &Path, what: &str) -> Error {
    Error::Source {
        path: path.to_path_buf(),
        message: format!("the run directory is damaged ({what} is cut off or changed); remove it and begin again"),
    }
}
