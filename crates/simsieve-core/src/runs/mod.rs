//! Saved runs: the finished stages of a run, packed into one file, so that a later run at a stricter threshold neither reads nor
//! fingerprints again. With all near pairs in it, the later run does not even search.
//!
//! In: documents. Out: a file, and from the file documents again. Texts are not in it: they stay in their sources, whose identities are
//! kept and compared.
//!
//! The file has the [form](crate::storage::form) of a run directory: the same stages, columns and states. It is an
//! [artifact](crate::storage::artifact) of kind `run`. Its header has the state of each stage, the caller's settings, the scheme's spec
//! and digest, the recipe, the digest of the frozen paths, the fields of text and id, the bound of what a drop loses, and the sources.

mod load;
pub mod rethreshold;
mod save;

#[cfg(test)]
mod damaged_tests;
#[cfg(test)]
mod form_tests;
#[cfg(test)]
mod tests;

pub use load::Snapshot;
pub use save::save;

use serde::{Deserialize, Serialize};

use crate::collection::columns::{COPY, ENCODE, PLACE};
use crate::collection::former::KEEP;
use crate::dedup::decide::outcome::DECIDE;
use crate::dedup::exact::COMPARE;
use crate::runs::rethreshold::PAIR;
use crate::search::found::SEARCH;
use crate::search::sample::frozen::FREEZE;
use crate::source::SavedSource;
use crate::storage::artifact::ArtifactKind;
use crate::storage::form::Listed;

/// Every stage in the order of a run: its name, its inputs and its columns. A run directory has all but `place` and `pairs`. A saved run has
/// `encode` without search keys and values of the keep order, `place`, `copies`, `search.0` by paths, and `pairs` where they are saved.
pub fn stages() -> [(&'static str, &'static [&'static str], &'static [Listed]); 9] {
    macro_rules! listed {
        ($($stage:expr),*) => { [$(($stage.name, $stage.inputs, $stage.columns)),*] };
    }
    listed![FREEZE, ENCODE, PLACE, COMPARE, COPY, SEARCH, DECIDE, KEEP, PAIR]
}

/// The version of saved runs: of all names, types and states in them.
const VERSION: u32 = 7;

const KIND: ArtifactKind = ArtifactKind {
    name: "run",
    version: VERSION,
    oldest: 7,
    has_pieces: false,
    noun: "saved run",
    instead: "name the file of a saved run",
    renew: "run on the sources again",
    repair: "save the run again",
};

/// What a saved run is made of, besides its stages.
#[derive(Debug, Serialize, Deserialize)]
struct About {
    /// The caller's, a JSON object.
    settings: String,
    scheme: String,
    scheme_digest: String,
    recipe: String,
    frozen_digest: Option<String>,
    max_lost: Option<u32>,
    text_field: Vec<String>,
    id_field: String,
    sources: Vec<SavedSource>,
}
