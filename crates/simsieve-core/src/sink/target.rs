//! The file that a sink writes, from the check to the commit.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::check::check_sinks;
use crate::base::error::{Error, Result};
use crate::source::Sources;
use crate::storage::atomic::AtomicFile;

/// A file that is yet to be begun, or is in the making.
#[derive(Debug)]
pub(super) struct Target {
    path: PathBuf,
    /// Only the owner may read the file.
    private: bool,
    begun: Option<Begun>,
}

/// A file in the making, and the sources of the run.
#[derive(Debug)]
pub(super) struct Begun {
    pub(super) sources: Arc<Sources>,
    pub(super) file: AtomicFile,
}

impl Target {
    pub(super) fn new(path: &Path) -> Self {
        Self {
            path: path.to_path_buf(),
            private: false,
            begun: None,
        }
    }

    /// A file that only its owner may read.
    pub(super) fn private(path: &Path) -> Self {
        Self {
            private: true,
            ..Self::new(path)
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Makes sure that the file can be written and is no source.
    pub(super) fn check(&self, sources: &Sources) -> Result<()> {
        let sources: Vec<_> = sources.named().map(Path::to_path_buf).collect();
        check_sinks(&sources, std::slice::from_ref(&self.path))
    }

    pub(super) fn begin(&mut self, sources: &Arc<Sources>) -> Result<()> {
        let file = if self.private {
            AtomicFile::create_private(&self.path)?
        } else {
            AtomicFile::create(&self.path)?
        };
        self.begun = Some(Begun {
            sources: Arc::clone(sources),
            file,
        });
        Ok(())
    }

    /// What was begun.
    pub(super) fn begun(&mut self) -> Result<&mut Begun> {
        self.begun.as_mut().ok_or_else(|| not_begun(&self.path))
    }

    pub(super) fn commit(self) -> Result<()> {
        let begun = self.begun.ok_or_else(|| not_begun(&self.path))?;
        begun.file.commit()
    }
}

/// The calls of a sink come in another order than they must.
pub(super) fn not_begun(path: &Path) -> Error {
    Error::Config(msg!(
        "the output {path} was not begun; call begin before write and commit",
        path = path.display()
    ))
}
