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
    /// The least length of a span in the document, in units: 2 a dense character, 1 any other letter. Of templates in letters.
    pub min_length: u32,
    /// The units between two spans of a pair on one diagonal, in either text, over which they are one; with 0 each is by itself.
    pub joined: u32,
    /// Whether a document is held against itself too.
    pub within: bool,
    /// An anchor in more searched documents than this is common. Sources of equal letters count once.
    pub common: u32,
    /// Whether each of equal sources has its spans; `common` of them by default.
    pub every_copy: bool,
    /// Whether [`super::Passages::outside`] will be asked.
    pub cuts: bool,
    /// Pairs of documents that are compared at most.
    pub most_pairs: u64,
    /// Bytes that hits, and spans, may take in memory.
    pub room: u64,
    /// Where sorted runs are kept as files; in memory where there is none. Never changes a result.
    pub run_dir: Option<Arc<RunDir>>,
}

impl Options {
    /// Options for reading records, with the least of the other values: the caller raises them.
    pub fn new(scheme: Scheme, text_field: Vec<String>, id_field: String) -> Self {
        Self {
            scheme,
            text_field,
            id_field,
            min_length: 1,
            joined: 0,
            within: false,
            most_pairs: 100_000_000,
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

    /// The error if `count` pairs of documents would be compared.
    pub(super) fn too_many_pairs(&self, count: u64) -> Error {
        Error::Config(msg!(
            "{count} pairs of documents share text, more than {most} that are compared: give less than {common} by {@`common`}, so that what stands in more documents leads to no pair",
            most = self.most_pairs,
            common = self.common
        ))
    }

    /// The error if `count` equal places or passages of documents do not fit into memory.
    pub(super) fn too_many(&self, count: u64) -> Error {
        Error::Config(msg!(
            "the documents share more than {count} places, which do not fit into {bytes} bytes of memory: give more by {@`memory`}, or less than {common} by {@`common`}, so that what stands in more documents leads to no pair",
            bytes = self.room,
            common = self.common
        ))
    }
}
