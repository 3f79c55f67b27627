//! Why a source cannot be read: the messages, each with what to do.

use std::io;
use std::path::Path;

use super::format::array::ArrayError;
use crate::base::error::{Error, is_retryable};
use crate::base::message::Message;
use crate::storage::compression::Compression;

pub(super) fn source_error(path: &Path, message: Message) -> Error {
    Error::Source {
        path: path.to_path_buf(),
        message,
    }
}

/// The source is not what it was when it was opened.
pub(super) fn changed(path: &Path) -> Error {
    source_error(
        path,
        msg!("changed while it was read; let whatever writes it finish, then run again"),
    )
}

pub(super) use crate::base::error::unreadable;

/// A failure of reading bytes that were there when the source was opened.
pub(super) fn unread(path: &Path, error: &io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => changed(path),
        io::ErrorKind::InvalidData => source_error(
            path,
            msg!(
                "the copy that was made of it is damaged ({error}); check the disk of the temporary folder and \
                 of the run directory, and run again"
            ),
        ),
        _ => unreadable(path, error),
    }
}

/// A failure of the stream itself: no list where one is read, cut off or corrupt where it is compressed.
pub(super) fn broken(path: &Path, compression: Compression, done: u64, error: &io::Error) -> Error {
    if let Some(list) = error.get_ref().and_then(|inner| inner.downcast_ref::<ArrayError>()) {
        return source_error(path, list.0.clone());
    }
    if compression == Compression::Plain {
        return unreadable(path, error);
    }
    let word = compression.word();
    let what = match error.kind() {
        io::ErrorKind::UnexpectedEof => msg!("the {word} data is cut off"),
        _ => msg!("the {word} data is corrupt ({error})"),
    };
    let message = msg!("{what} after {done} decompressed bytes; nothing was done: fetch or write the file again");
    source_error(path, message)
}

/// A failure of the temporary file a source is spooled to, in `folder` or the system's folder of temporary files.
pub(super) fn no_spool(path: &Path, folder: Option<&Path>, error: &io::Error) -> Error {
    let (kind, other) = match folder {
        Some(_) => ("run directory", "name a run directory on a larger disk"),
        None => ("temporary folder", "set TMPDIR to a folder with room"),
    };
    let folder = folder.map_or_else(std::env::temp_dir, Path::to_path_buf);
    let why = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => msg!("has no room left"),
        _ => msg!("cannot be written: {error}"),
    };
    Error::Storage {
        message: msg!(
            "{path}: is decompressed or copied to a temporary file first, and the {kind} {folder} {why}; free \
             some space, or {other}",
            path = path.display(),
            folder = folder.display()
        ),
        retryable: is_retryable(error),
    }
}
