//! The steps of a run whose records are spread over machines. An engine moves the rows; each step here is a pure function of its
//! rows and of a [`Search`], so the decisions are those of one machine.
//!
//! ```text
//! sampled texts -> Search (frozen, sent to all) -> digests -> rows of equal digests together: copies, encoding, pieces of keys
//!   -> pieces of one partition together: candidate pairs, large buckets -> verified pairs -> decisions
//! ```
//!
//! A record has a position of 64 bits, which the caller chooses. Tests of pairs, verification and the walk are those of
//! [`candidates`](crate::search::candidates), [`verify`](crate::dedup::verify) and [`decide`](crate::dedup::decide).

mod besides;
mod decide;
mod encode;
mod pairs;
mod pieces;
mod recall;
mod search;
mod texts;

pub use besides::{RecordValues, RowRules, RowValues, allowed, order_of_verdicts};
pub use decide::{Assigned, InvolvedRows, Pairs, decide};
pub use encode::{Digests, EncodePass, EncodedRows, Failures, digests};
pub use pairs::{BucketPairs, Verified, bucket_pairs, verify};
pub use recall::{compare_sampled, sample_ranks};
pub use search::{FrozenParts, Search, Unfrozen, sampled};
pub use texts::TextColumn;
