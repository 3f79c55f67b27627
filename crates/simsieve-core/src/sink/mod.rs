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
//! - A sink has the format of its sources, or JSON lines, which hold records of all formats as objects. Tables come out under
//!   the header of the first, and records in the encoding of their sources. The files of a folder come out as a list of their
//!   paths, or as a folder. Compression goes by the name's ending.

mod check;
mod copies;
mod failed;
mod kept;
mod objects;
mod rows;

#[cfg(test)]
mod kinds_tests;
#[cfg(test)]
mod stdout_tests;
#[cfg(test)]
mod tests;

pub use check::check_sinks;
pub use copies::{check_folder, is_folder, write_folder};
pub use failed::write_failed;
pub use kept::{check_kept_sink, write_kept};
pub use rows::{DecisionRow, Label, PairRow, write_decision, write_pair};
