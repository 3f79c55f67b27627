//! Saved runs: what was made of every record, in one file, so that a later run at a stricter threshold neither reads nor
//! fingerprints again; with all near pairs in it, it does not even search.
//!
//! In come documents; out goes a file, and from the file documents again. Texts are not in it: they stay in their
//! sources, whose stamps are kept and compared.
//!
//! The file, every number little-endian:
//!
//! ```text
//! "SIMSIEVE"                      8 bytes
//! version                         4 bytes
//! sections, one zstd frame        each is its length in 8 bytes, and its bytes
//! XXH3-128 of all bytes before    16 bytes
//! ```
//!
//! The sections: a header in JSON, then the columns fingerprints, valid, sketches, digests, sizes, order, labels, ends of
//! labels, first copies, failures in JSON, and of the saved pairs later row, earlier row, distance, similarity.

mod load;
pub mod rethreshold;
mod save;

#[cfg(test)]
mod tests;

pub use load::SavedRun;
pub use save::save;

const MAGIC: &[u8; 8] = b"SIMSIEVE";
const VERSION: u32 = 3;
const HEAD_BYTES: u64 = 12;
const DIGEST_BYTES: u64 = 16;
