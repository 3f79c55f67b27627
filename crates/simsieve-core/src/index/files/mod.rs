//! The files of an index and what is open of them: manifests, segments, texts and tables of rows.

pub(crate) mod bucket;
pub(crate) mod followed;
pub(crate) mod manifest;
pub(crate) mod newest;
pub(crate) mod note;
pub(crate) mod second;
pub(crate) mod segment;
pub(crate) mod state;
pub(crate) mod table;
pub(crate) mod texts;
