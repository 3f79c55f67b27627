//! A folder as a sink: the kept files of folders, copied or linked.
//!
//! In come folders as sources and which of their files are kept; out goes a new folder with them, under the names that they
//! have from their folder on. It is filled beside its place and renamed.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf, is_separator};
use std::sync::Arc;

use tempfile::TempDir;

use super::objects::shown;
use super::target::not_begun;
use super::{Decided, Sink};
use crate::base::error::{Error, Result};
use crate::base::message::Message;
use crate::base::os;
use crate::source::Sources;
use crate::storage::paths::{folder_of, sink_error};

/// Whether a sink's name means a folder: it ends in a slash, or there is one of the name.
pub fn is_folder(sink: &Path) -> bool {
    sink.as_os_str()
        .as_encoded_bytes()
        .last()
        .is_some_and(|last| is_separator(char::from(*last)))
        || sink.is_dir()
}

/// Checks that a folder can be made at this name. Nothing is there but an empty folder, it is in no source that is a
/// folder, and the folder around it takes files.
pub fn check_folder(sources: &[PathBuf], sink: &Path) -> Result<()> {
    let says = |message: Message| {
        Err(Error::Sink {
            path: sink.to_path_buf(),
            message,
        })
    };
    match fs::read_dir(sink) {
        Ok(mut inside) => {
            if inside.next().is_some() {
                return says(msg!(
                    "is a folder with something in it; name a new folder or an empty one"
                ));
            }
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => {
            return says(msg!(
                "cannot be a folder for the kept files: {error}; name a new folder"
            ));
        }
    }
    let parent = fs::canonicalize(folder_of(sink)).map_err(|error| sink_error(sink, &error))?;
    let source = sources
        .iter()
        .find(|source| source.is_dir() && is_in(&parent, sink, source));
    if let Some(source) = source {
        return Err(Error::Config(msg!(
            "the output {sink} is in the source {source}: the next run would read it; name a folder elsewhere",
            sink = sink.display(),
            source = source.display()
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

/// A new folder with the kept files, with the permissions they have. Hard links to the sources' files take no room.
#[derive(Debug)]
pub struct FolderSink {
    path: PathBuf,
    link: bool,
    begun: Option<Begun>,
}

/// A folder in the making.
#[derive(Debug)]
struct Begun {
    sources: Arc<Sources>,
    beside: TempDir,
    /// The names that are taken, and by which file.
    taken: HashMap<PathBuf, PathBuf>,
}

impl FolderSink {
    /// A sink at this name; with `link` it takes hard links, else copies.
    pub fn new(path: &Path, link: bool) -> Self {
        Self {
            path: path.to_path_buf(),
            link,
            begun: None,
        }
    }

    fn failed(&self, error: &io::Error) -> Error {
        sink_error(&self.path, error)
    }
}

impl Sink<Decided<'_>> for FolderSink {
    fn check(&self, sources: &Sources) -> Result<()> {
        let sources: Vec<_> = sources.named().map(Path::to_path_buf).collect();
        check_folder(&sources, &self.path)
    }

    fn begin(&mut self, sources: &Arc<Sources>) -> Result<()> {
        let prefix = os::hidden_prefix(self.path.file_name());
        let beside = os::with_mode(tempfile::Builder::new().prefix(&prefix).suffix(".part"), os::NEW_FOLDER)
            .tempdir_in(folder_of(&self.path))
            .map_err(|error| self.failed(&error))?;
        self.begun = Some(Begun {
            sources: Arc::clone(sources),
            beside,
            taken: HashMap::new(),
        });
        Ok(())
    }

    fn write(&mut self, batch: &Decided<'_>) -> Result<()> {
        let (sink, link) = (&self.path, self.link);
        let Begun { sources, beside, taken } = self.begun.as_mut().ok_or_else(|| not_begun(sink))?;
        let mut bytes = Vec::new();
        for position in batch.kept() {
            let Some(file) = sources.file_of(position) else {
                return Err(Error::Config(msg!(
                    "{place} is no file of a folder",
                    place = sources.locate(position)
                )));
            };
            // Of a record that something was cut out of, the file as it is has more.
            let span = sources.whole_span(position)?;
            let is_cut = file.size > span.end - span.start;
            // What is left of a paper is its text, and so is one of several.
            let is_cut = is_cut || file.is_part;
            let ending = if is_cut && file.is_paper() { ".txt" } else { "" };
            let mut name = file.name.as_os_str().to_owned();
            name.push(ending);
            let (from, name) = (
                file.copy.map_or_else(|| file.path.clone(), Path::to_path_buf),
                PathBuf::from(name),
            );
            if let Some(other) = taken.insert(name.clone(), from.clone()) {
                return Err(Error::Config(msg!(
                    "{other} and {from} would have the same name in {sink}; write the folders in two runs",
                    other = other.display(),
                    from = from.display(),
                    sink = sink.display()
                )));
            }
            let to = beside.path().join(&name);
            fs::create_dir_all(folder_of(&to)).map_err(|error| sink_error(sink, &error))?;
            let placed = if is_cut {
                let mut left = sources.read_record(position, &mut bytes)?.to_vec();
                if file.is_paper() {
                    left = shown(&left).into_bytes();
                }
                fs::write(&to, left).and_then(|()| File::open(&to)?.sync_all())
            } else {
                place(&from, &to, link)
            };
            placed.map_err(|error| Error::Sink {
                path: sink.clone(),
                message: match error.kind() {
                    io::ErrorKind::CrossesDevices => msg!(
                        "is on another file system than {from}, so there can be no hard link; leave \
                         {`link`} out to copy",
                        from = from.display()
                    ),
                    _ => msg!(
                        "{from} cannot be put there: {error}; nothing was left at its name",
                        from = from.display()
                    ),
                },
            })?;
        }
        Ok(())
    }

    fn commit(mut self: Box<Self>) -> Result<()> {
        let Begun { beside, .. } = self.begun.take().ok_or_else(|| not_begun(&self.path))?;
        let failed = |error: io::Error| self.failed(&error);
        File::open(beside.path())
            .and_then(|folder| folder.sync_all())
            .map_err(failed)?;
        fs::rename(beside.path(), &self.path).map_err(failed)?;
        // It has another name now, and is to stay.
        let _ = beside.keep();
        File::open(folder_of(&self.path))
            .and_then(|folder| folder.sync_all())
            .map_err(failed)
    }
}

fn place(from: &Path, to: &Path, link: bool) -> io::Result<()> {
    if link {
        // A link in the source is seen through: what is linked to is the file that was read.
        return fs::hard_link(fs::canonicalize(from)?, to);
    }
    fs::copy(from, to)?;
    File::open(to)?.sync_all()
}
