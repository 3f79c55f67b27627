//! Which documents of an index are near new records.

pub(crate) mod copies;
pub(crate) mod crowd;
pub(crate) mod question;
pub(crate) mod seen;
pub(crate) mod times;
pub(crate) mod with_keys;
