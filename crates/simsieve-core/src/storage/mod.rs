//! Files: written completely or not at all, and read as columns.

pub mod artifact;
pub mod atomic;
pub mod column;
#[cfg(test)]
mod column_tests;
pub(crate) mod compression;
pub mod copies;
pub mod form;
pub(crate) mod lock;
pub mod packed;
pub(crate) mod paths;
mod pieces;
#[cfg(test)]
pub(crate) mod recorded;
pub mod run_dir;
