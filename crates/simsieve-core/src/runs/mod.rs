//! Saved runs: what was made of every record, in one file, so that a later run at a stricter threshold neither reads nor
//! fingerprints again. With all near pairs in it, the later run does not even search.
//!
//! In: documents. Out: a file, and from the file documents again. Texts are not in it: they stay in their sources, whose stamps are
//! kept and compared.
//!
//! The file is an [artifact](crate::storage::artifact) of kind `run`. Its header has the caller's settings, the scheme's spec and
//! digest, the recipe, the fields of text and id, the sources, and the number of saved pairs or null. Its sections:
//!
//! | name | type | an element is |
//! |---|---|---|
//! | `fingerprints` | u64 | a word; `scheme.words()` a record, zeros where there is no fingerprint |
//! | `valid` | bool | a record: whether it has a fingerprint |
//! | `sketches` | u64 | a word; 8 a record, none under a distance |
//! | `digests` | u128 | a record: XXH3-128 of the exact form of its text |
//! | `sizes` | u32 | a record: its distinct features |
//! | `order` | u32 | a document's position, in keep order |
//! | `labels`, `label_ends` | u8, u64 | the labels as JSON, one after another; where each record's label ends |
//! | `copies` | u32 | a document, in keep order: the place of its first exact copy |
//! | `groups` | u128 | a record: a hash of the fields and numbers that must be equal; none where nothing must be |
//! | `verdict_a`, `verdict_b`, `verdict` | u32, u32, u8 | a verdict: the positions of its records; 0 different, 1 same, 2 keep |
//! | `failures` | u8 | a JSON list of [position, code, message] |
//! | `candidate_later`, `candidate_earlier`, `candidate_distance` | u32 | a pair that the search by paths found: the rows and their distance |
//! | `member_row`, `member_bucket` | u32 | a row of a large bucket |
//! | `later`, `earlier`, `distance` | u32 | a pair: the rows and their distance |
//! | `similarity` | f64 | a pair; empty under a distance |

mod load;
pub mod rethreshold;
mod save;

#[cfg(test)]
mod damaged_tests;
#[cfg(test)]
mod tests;

pub use load::Snapshot;
pub use save::save;

use crate::storage::artifact::Kind;

const KIND: Kind = Kind {
    name: "run",
    version: 6,
    noun: "saved run",
    instead: "name the file of a saved run",
    renew: "run on the sources again",
    repair: "save the run again",
    former_magic: Some(b"SIMSIEVE"),
};
