//! Finds out before the work whether its results can be written.
//!
//! In come the names of all sources and sinks; out comes nothing, or the error that would otherwise come hours later or cost
//! a source. A run calls [`check_sinks`] before its sources are read; every sink calls it again before it begins.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::base::error::{Error, Result};
use crate::base::message::Message;
use crate::base::os::number_of;
use crate::storage::paths::{folder_of, is_stdio, resolve, sink_error};

/// What makes two names one file.
#[derive(Debug, PartialEq, Eq)]
enum Identity {
    /// Standard output, or a file that exists: links are seen through.
    Stdio,
    Existing([u64; 2]),
    /// A file that is yet to be: its folder and name.
    New(PathBuf),
}

/// Checks that no sink is a source or another sink, and that every sink can be written. Its folder exists and takes
/// files, and it is no folder itself. Standard input and output are fine together; devices and pipes may repeat.
pub fn check_sinks(sources: &[PathBuf], sinks: &[PathBuf]) -> Result<()> {
    let sources: Vec<_> = sources
        .iter()
        .filter(|source| !is_stdio(source))
        .filter_map(|source| Some((source, identity(source).ok()??)))
        .collect();
    let mut seen: Vec<(&PathBuf, Identity)> = Vec::with_capacity(sinks.len());
    for sink in sinks {
        let Some(identity) = identity(sink).map_err(|error| sink_error(sink, &error))? else {
            continue;
        };
        if let Some((source, _)) = sources.iter().find(|source| source.1 == identity) {
            return Err(Error::Config(msg!(
                "the output {sink} is the source {source}: sources are never overwritten; write to another file",
                sink = sink.display(),
                source = source.display()
            )));
        }
        if let Some((other, _)) = seen.iter().find(|other| other.1 == identity) {
            return Err(Error::Config(msg!(
                "the outputs {other} and {sink} are the same file; give each its own",
                other = other.display(),
                sink = sink.display()
            )));
        }
        check_writable(sink)?;
        seen.push((sink, identity));
    }
    Ok(())
}

/// Which file a name is; `None` for what may be named twice.
fn identity(path: &Path) -> io::Result<Option<Identity>> {
    if is_stdio(path) {
        return Ok(Some(Identity::Stdio));
    }
    match fs::metadata(path) {
        Ok(metadata) => {
            let is_special = !metadata.is_file() && !metadata.is_dir();
            Ok((!is_special).then(|| Identity::Existing(number_of(path, &metadata))))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let target = resolve(path)?;
            let name = target.file_name().unwrap_or_default().to_owned();
            // Without a folder there is nothing to compare; a missing folder is reported where it is written to.
            let folder = fs::canonicalize(folder_of(&target)).unwrap_or_else(|_| folder_of(&target).to_path_buf());
            Ok(Some(Identity::New(folder.join(name))))
        }
        Err(error) => Err(error),
    }
}

fn check_writable(sink: &Path) -> Result<()> {
    if is_stdio(sink) {
        return Ok(());
    }
    let sink_says = |message: Message| {
        Err(Error::Sink {
            path: sink.to_path_buf(),
            message,
        })
    };
    if let Ok(metadata) = fs::metadata(sink) {
        if metadata.is_dir() {
            return sink_says(msg!("is a folder; name a file in it"));
        }
        if metadata.permissions().readonly() {
            return sink_says(msg!("is write-protected; lift the protection or write to another file"));
        }
    }
    let target = resolve(sink).map_err(|error| sink_error(sink, &error))?;
    // A trial says what the permission bits alone do not: access lists, read-only mounts.
    tempfile::tempfile_in(folder_of(&target))
        .map(|_| ())
        .map_err(|error| sink_error(sink, &error))
}
