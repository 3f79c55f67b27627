//! The kinds of source: a file, a folder, and texts in memory.

pub(super) mod block;
pub(super) mod file;
pub(super) mod folder;
pub(super) mod memory;
pub(super) mod source;
