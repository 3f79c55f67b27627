//! Reading: a pass over the bytes of a source, streams that must be waited for, and the files of folders.

pub(super) mod pass;
pub(super) mod search;
pub(super) mod waiting;
