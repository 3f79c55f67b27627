//! How passages are found.

use std::sync::Arc;

use crate::base::error::Error;
use crate::encode::scheme::Scheme;
use crate::source::Fields;
use crate::storage::run_dir::RunDir;

/// How passages are found.
#[derive(Debug, Clone)]
pub struct Options {
    /// Whose way of making a text of a record is taken.
    pub scheme: Scheme,
    /// Where the text is; several fields are joined.
    pub text_field: Vec<String>,
    /// Where the label is.
    pub id_field: String,
    /// The least length of a span in the document, in letters.
    pub min_length: u32,
    /// An anchor in more documents of what is searched is common. Sources of equal letters count once.
    pub common: u32,
    /// Whether each of equal sources has its spans; `common` of them by default.
    pub every_copy: bool,
    /// Whether [`super::Passages::outside`] will be asked.
    pub cuts: bool,
    /// Bytes that hits, and spans, may take in memory.
    pub room: u64,
    /// Where sorted runs are kept as files; in memory where there is none. Never changes a result.
    pub run_dir: Option<Arc<RunDir>>,
}

impl Options {
    /// Those by which records are read, and the least of what is found: the caller says more.
    pub fn new(scheme: Scheme, text_field: Vec<String>, id_field: String) -> Self {
        Self {
            scheme,
            text_field,
            id_field,
            min_length: 1,
            common: 1,
            every_copy: false,
            cuts: false,
            room: u64::MAX,
            run_dir: None,
        }
    }

    /// Where sorted runs of a name are kept.
    pub(super) fn place<'a>(&'a self, name: &'a str) -> Option<(&'a RunDir, &'a str)> {
        self.run_dir.as_deref().map(|dir| (dir, name))
    }

    /// What is read of a record.
    pub(super) fn fields(&self) -> Fields {
        Fields {
            id: self.id_field.clone(),
            ..Fields::of_text(&self.text_field, self.scheme.takes())
        }
    }

    /// That so many places, or passages, of two documents are equal, which memory does not hold.
    pub(super) fn too_many(&self, count: u64) -> Error {
        Error::Config(msg!(
            "the documents share more than {count} places, which do not fit into {bytes} bytes of memory: give more by {@`memory`}, or less than {common} by {@`common`}, so that what stands in more documents leads to no pair",
            bytes = self.room,
            common = self.common
        ))
    }
}
