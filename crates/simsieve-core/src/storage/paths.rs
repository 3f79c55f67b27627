//! File names: their targets, and the errors for targets that cannot be written.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::base::error::Error;

/// The most symbolic links that are followed, as in the kernel.
const MAX_LINKS: usize = 40;

/// Whether a path means standard input or output.
pub(crate) fn is_stdio(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Opens a regular file to read. Anything else is refused, since a pipe would keep the caller waiting.
pub(crate) fn open_regular(path: &Path) -> io::Result<File> {
    check_regular(path)?;
    File::open(path)
}

/// Bytes of a file that is read whole: one that somebody else has named may be of any size.
const MOST_READ: u64 = 1 << 30;

/// Reads a regular file of bounded size.
pub(crate) fn read_regular(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_regular(path)?.take(MOST_READ + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_READ {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(bytes)
}

/// Refuses what is there and is no regular file.
pub(crate) fn check_regular(path: &Path) -> io::Result<()> {
    if fs::metadata(path)?.is_file() {
        return Ok(());
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"))
}

/// The folder a file is in.
pub(crate) fn folder_of(path: &Path) -> &Path {
    path.parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

/// The target of a name after symbolic links; it need not exist.
pub(crate) fn resolve(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        match fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_symlink() => path = folder_of(&path).join(fs::read_link(&path)?),
            Ok(_) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(path),
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

/// The error for a sink that cannot be opened, written or put at its name.
pub(crate) fn sink_error(sink: &Path, error: &io::Error) -> Error {
    let folder = resolve(sink).map_or_else(|_| folder_of(sink).to_path_buf(), |path| folder_of(&path).to_path_buf());
    let folder = folder.display();
    let message = match error.kind() {
        io::ErrorKind::NotFound => msg!("its folder {folder} does not exist; make it, or write elsewhere"),
        io::ErrorKind::NotADirectory => msg!("{folder} is no folder; write elsewhere"),
        // The kind alone: the error can name the temporary file, which the user does not know.
        kind @ (io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem) => {
            msg!(
                "cannot be written: its folder {folder} takes no files ({kind}); grant the right, or write \
                 elsewhere",
                kind = kind.to_string()
            )
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded if sink == Path::new("-") => {
            msg!("standard output has no room left; free some space, or write elsewhere")
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            msg!("no room is left in {folder}; nothing was left at its name: free some space, or write elsewhere")
        }
        _ => msg!("cannot be written: {error}; nothing was left at its name"),
    };
    Error::Sink {
        path: sink.to_path_buf(),
        message,
    }
}
