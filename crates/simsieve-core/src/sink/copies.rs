//! A folder as a sink: the kept files of folders, copied or linked.
//!
//! In come a store of folders and which of its files are kept; out goes a new folder with them, under the names that they
//! have from their folder on. It is filled beside its place and renamed, so that it is there whole or not at all.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::base::context::Context;
use crate::base::error::{Error, Result};
use crate::source::Store;
use crate::storage::paths::folder_of;
use crate::storage::paths::sink_error;

/// How many files pass between two calls of the monitor.
const TICK_FILES: usize = 256;

/// Whether a sink's name means a folder: it ends in a slash, or there is one of the name.
pub fn is_folder(sink: &Path) -> bool {
    sink.as_os_str().as_bytes().ends_with(b"/") || sink.is_dir()
}

/// Makes sure that a folder can be made at this name: that nothing is there but an empty folder, that it is in no source
/// that is a folder, and that the folder it is to stand in takes files.
pub fn check_folder(sources: &[PathBuf], sink: &Path) -> Result<()> {
    let says = |message: String| {
        Err(Error::Sink {
            path: sink.to_path_buf(),
            message,
        })
    };
    match fs::read_dir(sink) {
        Ok(mut inside) => {
            if inside.next().is_some() {
                return says("is a folder with something in it; name a new folder or an empty one".to_owned());
            }
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => {
            return says(format!(
                "cannot be a folder for the kept files: {error}; name a new folder"
            ));
        }
    }
    let parent = fs::canonicalize(folder_of(sink)).map_err(|error| sink_error(sink, &error))?;
    let source = sources
        .iter()
        .find(|source| source.is_dir() && is_in(&parent, sink, source));
    if let Some(source) = source {
        return Err(Error::Config(format!(
            "the sink {} is in the source {}: the next run would read it; name a folder elsewhere",
            sink.display(),
            source.display()
        )));
    }
    tempfile::tempdir_in(&parent)
        .map(drop)
        .map_err(|error| sink_error(sink, &error))
}

fn is_in(parent: &Path, sink: &Path, source: &Path) -> bool {
    let Ok(source) = fs::canonicalize(source) else {
        return false;
    };
    parent.starts_with(&source) || fs::canonicalize(sink).is_ok_and(|sink| sink == source)
}

/// Writes the files of which `keep` says true into a new folder, with the permissions they have, and tells how many. With
/// `link` they are hard links to the sources' files and take no room. Stage `write` of the monitor counts files.
pub fn write_folder(
    store: &Store,
    keep: impl Fn(usize) -> bool,
    sink: &Path,
    link: bool,
    ctx: &Context<'_>,
) -> Result<u64> {
    let failed = |error: &io::Error| sink_error(sink, error);
    let name = sink.file_name().map_or(&b"sink"[..], OsStrExt::as_bytes);
    let prefix = [b".", &name[..name.len().min(200)], b"."].concat();
    let beside = tempfile::Builder::new()
        .prefix(std::ffi::OsStr::from_bytes(&prefix))
        .suffix(".part")
        .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o777))
        .tempdir_in(folder_of(sink))
        .map_err(|error| failed(&error))?;
    let mut taken: HashMap<PathBuf, PathBuf> = HashMap::new();
    let mut kept = 0;
    let total = store.new_len();
    for position in 0..total {
        if position % TICK_FILES == 0 {
            ctx.tick("write", position as u64, total as u64)?;
        }
        if !keep(position) {
            continue;
        }
        let Some((from, name)) = store.file_of(position) else {
            return Err(Error::Config(format!(
                "{} is no file of a folder",
                store.locate(position)
            )));
        };
        if let Some(other) = taken.insert(name.to_path_buf(), from.clone()) {
            return Err(Error::Config(format!(
                "{} and {} would have the same name in {}; write the folders in two runs",
                other.display(),
                from.display(),
                sink.display()
            )));
        }
        let to = beside.path().join(name);
        fs::create_dir_all(folder_of(&to)).map_err(|error| failed(&error))?;
        place(&from, &to, link).map_err(|error| Error::Sink {
            path: sink.to_path_buf(),
            message: match error.kind() {
                io::ErrorKind::CrossesDevices => format!(
                    "is on another file system than {}, so there can be no hard link; leave --link out to copy",
                    from.display()
                ),
                _ => format!(
                    "{} cannot be put there: {error}; nothing was left at its name",
                    from.display()
                ),
            },
        })?;
        kept += 1;
    }
    // What was copied is what was read.
    store.check_unchanged()?;
    File::open(beside.path())
        .and_then(|folder| folder.sync_all())
        .map_err(|error| failed(&error))?;
    fs::rename(beside.path(), sink).map_err(|error| failed(&error))?;
    // It has another name now, and is to stay.
    let _ = beside.keep();
    File::open(folder_of(sink))
        .and_then(|folder| folder.sync_all())
        .map_err(|error| failed(&error))?;
    ctx.tick("write", total as u64, total as u64)?;
    Ok(kept)
}

fn place(from: &Path, to: &Path, link: bool) -> io::Result<()> {
    if link {
        // A link in the source is seen through: what is linked to is the file that was read.
        return fs::hard_link(fs::canonicalize(from)?, to);
    }
    fs::copy(from, to)?;
    File::open(to)?.sync_all()
}
