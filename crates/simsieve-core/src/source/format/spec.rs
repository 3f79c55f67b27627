//! A source as the user names it.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Format;
use super::encoding::EncodingChoice;
use crate::source::identity::Inode;

/// One source as the user names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceSpec {
    /// The file, or `-` for standard input.
    pub path: PathBuf,
    /// The format where the user gave one; otherwise the name decides, and standard input is JSON lines.
    pub format: Option<Format>,
    /// The encoding of its bytes.
    pub encoding: EncodingChoice,
    /// The sign between the fields of a table; where none is given, that of `.csv` is found.
    pub delimiter: Option<u8>,
    /// Reading may stop when this many records are found; others may follow, whole or in part. A folder is read whole.
    pub most_records: usize,
    /// Where its bytes are, if not in `path`: the copy of an object of a store. The name gives format and compression.
    pub copy: Option<PathBuf>,
    /// The folder of the temporary file that it is copied to where it cannot be read in place; that of the system where there is none.
    pub spool_in: Option<PathBuf>,
    /// The file was made of records in memory: messages name the record by its index, and not the file.
    pub of_memory: bool,
    /// The endings of the files of a folder that are documents, in lower case; those of texts and pages where there are none.
    pub suffixes: Vec<String>,
    /// Files that a folder leaves out, because other sources of the run have them.
    pub taken: Arc<HashSet<Inode>>,
    /// The file is one document, named from this folder on.
    pub below: Option<PathBuf>,
}

impl SourceSpec {
    /// A source whose name gives its format.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            format: None,
            encoding: EncodingChoice::Utf8,
            delimiter: None,
            most_records: usize::MAX,
            copy: None,
            spool_in: None,
            of_memory: false,
            suffixes: Vec::new(),
            taken: Arc::default(),
            below: None,
        }
    }

    /// A source of a given format, whatever its name.
    pub fn with_format(path: impl Into<PathBuf>, format: Format) -> Self {
        Self {
            format: Some(format),
            ..Self::new(path)
        }
    }

    /// The file that is read.
    pub fn place(&self) -> &Path {
        self.copy.as_deref().unwrap_or(&self.path)
    }
}
