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

mod changes;
mod check;
mod files;
mod lookup;
mod open;

pub use changes::add::{Added, DecidedRun, Made, NewBatch, add, check_new, create};
pub use changes::batches::{BatchCounts, batches};
pub use changes::remove::{Removed, expire, remove, undo};
pub use changes::upkeep::{compact, prepare, refreeze, verify};
pub use check::{NearDocument, Sampled, TextFate, add_texts, check, fates, query, recall};
pub use files::followed::Followed;
pub use lookup::seen::{KnownId, SeenRun, TextLabels};
pub use open::{Index, KeptDocument, KeptDocuments, KnownDocument, Sizes, followed};
