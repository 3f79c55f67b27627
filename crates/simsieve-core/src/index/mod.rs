//! A durable index: the kept documents of a collection, which new documents are held against, batch by batch.
//!
//! In: a run on a collection ([`create`]), then runs on new records against the index ([`Index::seen`]), whose decisions are
//! added ([`add`]). Out: decisions that one run on all records would make under the same recipe and frozen set.
//!
//! # The files
//!
//! ```text
//! INDEX/  manifest-000042.json        the files that count and their checksums, the recipes, the numbers that come next
//!         frozen-LIFE-000001          the frozen paths of each scheme, and the dictionary of the texts
//!         segment-LIFE-000007         kept documents with their search keys and texts, dropped ones, removals
//!         newest                      which manifest is the newest
//!         lock                        held by the process that writes
//! ```
//!
//! A change writes its segment, then the manifest, each durably and whole or not at all. So it is there as soon as the manifest is. Segments never
//! change; under a window of time they have the dates of the documents. Readers keep the files of their state open, and a writer waits for
//! none of them. A life is drawn by each process that writes, so no two files of any copies of an index have one name and other contents.

mod add;
mod batches;
mod bucket;
mod change;
mod check;
mod copies;
mod crowd;
mod followed;
mod manifest;
mod merge;
mod newest;
mod note;
mod open;
mod remove;
mod rows;
mod seen;
mod segment;
mod state;
mod table;
mod texts;
mod times;
mod upkeep;
mod with_keys;

pub use add::{Added, add, check_new, create};
pub use batches::{BatchCounts, batches};
pub use check::{Sampled, TextFate, add_texts, check, recall};
pub use followed::Followed;
pub use open::{Found, Index, KeptDocument, KeptDocuments, Sizes, followed};
pub use remove::{Removed, expire, remove, undo};
pub use seen::{KnownId, SeenRun};
pub use upkeep::{compact, prepare, refreeze, verify};
