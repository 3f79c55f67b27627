//! Sinks: kept records, failed records, decisions and pairs, each file whole or not at all.
//!
//! In come positions, failures and rows; out go files. The pipeline first calls [`check_sinks`], then makes an
//! [`AtomicFile`] for each sink, fills it with the functions here, and commits them at the end: until then nothing stands
//! at a sink's name, and what stood there is untouched.
//!
//! What is defined here:
//!
//! - Kept records come out byte for byte in input order, with the terminators they had. A byte order mark is written if and
//!   only if the first source has one. A record without a terminator (the last line of a source) gets one if another
//!   record follows: the kind that its source's first line has, or `\n`.
//! - A sink has the format of its sources; its name must not say otherwise. Compression goes by the name's ending.

mod atomic;
mod check;
mod failed;
mod kept;
mod rows;

#[cfg(test)]
mod stdout_tests;
#[cfg(test)]
mod tests;

pub use atomic::AtomicFile;
pub use check::check_sinks;
pub(crate) use check::sink_error;
pub use failed::write_failed;
pub use kept::{check_kept_sink, write_kept};
pub use rows::{DecisionRow, Label, PairRow, write_decision, write_pair};
