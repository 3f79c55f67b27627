//! How passages are found.

use std::sync::Arc;

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
    /// An anchor at more places of what is searched, or of one document, is common.
    pub common: u32,
    /// Where sorted runs are kept as files; in memory where there is none. Never changes a result.
    pub run_dir: Option<Arc<RunDir>>,
}

impl Options {
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
}
