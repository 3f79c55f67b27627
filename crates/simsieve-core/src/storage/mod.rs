//! Files: written whole or not at all.

pub mod atomic;
pub(crate) mod compression;
pub(crate) mod paths;
